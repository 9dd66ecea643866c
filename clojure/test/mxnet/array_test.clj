(ns mxnet.array-test
  "Arrays: making, reading, views, arithmetic, operators, files, printing."
  (:require [clojure.string :as string]
            [clojure.test :refer [deftest is testing]]
            [clojure.test.check.clojure-test :refer [defspec]]
            [clojure.test.check.generators :as gen]
            [clojure.test.check.properties :as prop]
            [mxnet.context :as context]
            [mxnet.dtype :as dtype]
            [mxnet.ndarray :as nd]
            [mxnet.resource-scope :as scope]
            [mxnet.test-util :as util]))

(deftest making
  (is (= [0.0 0.0 0.0 0.0] (nd/->vec (nd/zeros [2 2]))))
  (is (= [1.0 1.0] (nd/->vec (nd/ones [2]))))
  (is (= [1 1] (nd/->vec (nd/ones [2] {:dtype dtype/INT32}))))
  (is (= [7 7] (nd/->vec (nd/full [2] 7 {:dtype :int64}))))
  (is (= [3 2] (nd/shape-vec (nd/empty [3 2]))))
  (is (= [2.0 3.0 4.0] (nd/->vec (nd/arange 2 5))))
  (is (= [0.0 0.0 0.5 0.5] (nd/->vec (nd/arange 0 1 {:step 0.5 :repeat 2}))))
  (is (= [1.0 2.0 3.0] (nd/->vec (nd/array [1 2 3] [3]))))
  (is (= [[1.0 2.0] [3.0 4.0]] (nd/->nd-vec (nd/->ndarray [[1 2] [3 4]]))))
  (testing "Java arrays"
    (is (= [1.5 2.5] (nd/->vec (nd/array (float-array [1.5 2.5]) [2]))))
    (is (= [[1.0 2.0] [3.0 4.0]] (nd/->nd-vec (nd/->ndarray (into-array (map double-array [[1 2] [3 4]])))))))
  (testing "properties"
    (let [a (nd/ones [2 3] {:dtype :float16})]
      (is (= [2 3] (nd/shape-vec a) (nd/shape a)))
      (is (= 6 (nd/size a)))
      (is (= :float16 (nd/dtype a)))
      (is (= (context/cpu) (nd/context a)))
      (is (not (nd/is-sparse a)))
      (is (pos? (nd/handle a))))))

(def ^:private element
  {:float32 (gen/fmap #(/ % 16.0) (gen/choose -10000 10000))
   :float64 (gen/double* {:NaN? false :infinite? false})
   :float16 (gen/fmap #(/ % 4.0) (gen/choose -500 500))
   :bfloat16 (gen/fmap double (gen/choose -128 128))
   :uint8 (gen/choose 0 255)
   :int8 (gen/choose -128 127)
   :int32 (gen/choose Integer/MIN_VALUE Integer/MAX_VALUE)
   :int64 gen/large-integer
   :bool gen/boolean})

(defn- nested [shape items]
  (if (next shape)
    (mapv #(nested (rest shape) %) (partition (apply * (rest shape)) items))
    (vec items)))

(defspec nested-vectors-come-back 200
  (prop/for-all [[type value] (gen/let [type (gen/elements (sort (keys element)))
                                        shape (gen/vector (gen/choose 1 4) 1 4)
                                        items (gen/vector (element type) (apply * shape))]
                                [type (nested shape items)])]
    (let [a (nd/->ndarray value {:dtype type})]
      (and (= type (nd/dtype a))
           (= value (nd/->nd-vec a))
           (= (vec (flatten value)) (nd/->vec a))))))

(deftest numbers-read-back-with-their-types
  (is (every? float? (nd/->vec (nd/ones [2]))))
  (is (every? #(instance? Long %) (nd/->vec (nd/ones [2] {:dtype :int32}))))
  (is (every? #(instance? Double %) (nd/->vec (nd/ones [2] {:dtype :float64}))))
  (is (= [255] (nd/->vec (nd/array [255] [1] {:dtype :uint8}))))
  (let [a (nd/array [1.5 -2.5] [2])]
    (is (= [1.5 -2.5] (nd/->double-vec a)))
    (is (= [1.5 -2.5] (nd/->float-vec a)))
    (is (= [1 -2] (nd/->int-vec a)))
    (is (= [1 -2] (nd/->byte-vec a)))
    (is (= 8 (alength ^bytes (nd/->raw a))))
    (is (= [1.5 -2.5] (vec (nd/to-array a))))
    (is (= -2.5 (nd/to-scalar (nd/slice a 1))))))

(deftest half-precision-is-rounded-to-even
  (is (= [2048.0 2050.0 65504.0] (nd/->vec (nd/array [2049 2050.9 65504] [3] {:dtype :float16}))))
  (is (= [Float/POSITIVE_INFINITY] (nd/->vec (nd/array [65520] [1] {:dtype :float16}))))
  (is (= [(float (Math/pow 2 -24))] (nd/->vec (nd/array [(Math/pow 2 -24)] [1] {:dtype :float16}))))
  (is (Float/isNaN (first (nd/->vec (nd/array [Float/NaN] [1] {:dtype :float16}))))))

(deftest views-share-memory
  (let [a (nd/array (range 6) [3 2])
        row (nd/slice a 1)
        flat (nd/at a 2)
        rows (nd/slice a 0 2)
        other (nd/reshape a [2 -1])]
    (is (= [[2.0 3.0]] (nd/->nd-vec row)))
    (is (= [4.0 5.0] (nd/->nd-vec flat)))
    (is (= [[0.0 1.0] [2.0 3.0]] (nd/->nd-vec rows)))
    (is (= [2 3] (nd/shape-vec other)))
    (nd/set row 9)
    (is (= [0.0 1.0 9.0 9.0 4.0 5.0] (nd/->vec a) (nd/->vec other)))
    (is (= [[0.0 1.0]] (nd/->nd-vec (nd/slice a {:begin [0 0] :end [1 2]}))))
    (is (= [[0.0 9.0 4.0] [1.0 9.0 5.0]] (nd/->nd-vec (nd/t a))))))

(deftest copies
  (let [a (nd/array [1 2] [2])
        b (nd/copy a)
        c (nd/zeros [2])]
    (nd/set a 5)
    (is (= [1.0 2.0] (nd/->vec b)))
    (is (identical? c (nd/copy-to b c)))
    (is (= [1.0 2.0] (nd/->vec c)))
    (is (identical? a (nd/as-in-context a (context/cpu))))
    (is (= [5 5] (nd/->vec (nd/as-type a :int32))))
    (is (= [[1.0 2.0 5.0 5.0]] (nd/->nd-vec (nd/concatenate [(nd/reshape b [1 2]) (nd/reshape a [1 2])]))))
    (is (= [[1.0 2.0] [5.0 5.0]] (nd/->nd-vec (nd/concatenate [(nd/reshape b [1 2]) (nd/reshape a [1 2])] {:axis 0}))))))

(deftest arithmetic
  (let [a (nd/array [1 2 3] [3])
        b (nd/array [4 5 6] [3])]
    (is (= [5.0 7.0 9.0] (nd/->vec (nd/+ a b))))
    (is (= [6.0 8.0 10.0] (nd/->vec (nd/+ a b 1))))
    (is (= [2.0 3.0 4.0] (nd/->vec (nd/+ 1 a))))
    (is (= [0.0 -1.0 -2.0] (nd/->vec (nd/- 1 a))))
    (is (= [-1.0 -2.0 -3.0] (nd/->vec (nd/- a))))
    (is (= [4.0 10.0 18.0] (nd/->vec (nd/* a b))))
    (is (= [4.0 2.5 2.0] (nd/->vec (nd/div b a)) (nd/->vec (nd// b a))))
    (is (= [6.0 3.0 2.0] (nd/->vec (nd/div 6 a))))
    (is (= [1.0 0.0 1.0] (nd/->vec (nd/% a 2))))
    (is (= [1.0 4.0 9.0] (nd/->vec (nd/** a 2)) (nd/->vec (nd/power a 2))))
    (is (= [2.0 4.0 8.0] (nd/->vec (nd/** 2 a))))
    (is (= [0.0 0.0 1.0] (nd/->vec (nd/> a 2)) (nd/->vec (nd/< 2 a)) (nd/->vec (nd/greater a 2))))
    (is (= [0.0 1.0 1.0] (nd/->vec (nd/>= a 2)) (nd/->vec (nd/<= 2 a))))
    (is (= [0.0 1.0 0.0] (nd/->vec (nd/equal a 2))))
    (is (= [2.0 2.0 3.0] (nd/->vec (nd/maximum a 2)) (nd/->vec (nd/maximum 2 a))))
    (is (= 5 (nd/+ 2 3)))
    (testing "shapes are broadcast"
      (is (= [[2.0 3.0] [3.0 4.0]] (nd/->nd-vec (nd/+ (nd/array [1 2] [2 1]) (nd/array [1 2] [1 2]))))))
    (testing "in place"
      (is (identical? a (nd/+= a b)))
      (is (= [5.0 7.0 9.0] (nd/->vec a)))
      (is (= [1.0 3.0 5.0] (nd/->vec (nd/-= a 4))))
      (is (= [2.0 6.0 10.0] (nd/->vec (nd/*= a 2))))
      (is (= [1.0 3.0 5.0] (nd/->vec (nd/div= a 2)))))))

(deftest operators-by-position-and-by-name
  (let [a (nd/array [1 5 9] [3])]
    (is (= [2.0 5.0 5.0] (nd/->vec (nd/clip a 2 5)) (nd/->vec (nd/clip a {:a-min 2 :a-max 5}))
           (nd/->vec (nd/clip {:data a "a_min" 2 :a_max 5}))))
    (let [out (nd/zeros [3])]
      (is (identical? out (nd/clip a 2 5 {:out out})))
      (is (= [2.0 5.0 5.0] (nd/->vec out))))
    (is (= [[1.0 0.0] [0.0 1.0]] (nd/->nd-vec (nd/one-hot (nd/array [0 1] [2]) 2))))
    (is (= [[1.0 5.0 9.0 1.0 5.0 9.0]]
           (nd/->nd-vec (nd/concat (nd/reshape a [1 3]) (nd/reshape a [1 3]) {:dim 1}))
           (nd/->nd-vec (nd/concat [(nd/reshape a [1 3]) (nd/reshape a [1 3])] 1))
           (nd/->nd-vec (nd/concat (nd/reshape a [1 3]) (nd/reshape a [1 3]) 2 1))))
    (testing "vectors serve for every tuple"
      (is (= [15.0] (nd/->vec (nd/sum (nd/reshape a [1 3]) {:axis [0 1]}))))
      (is (= [1 1 3 3] (nd/shape-vec (nd/pad (nd/reshape a [1 1 1 3]) {:mode :constant :pad-width [0 0 0 0 1 1 0 0]})))))
    (testing "several outputs"
      (is (= [[1.0] [5.0] [9.0]] (mapv nd/->vec (nd/split (nd/reshape a [1 3]) 3 1)))))
    (testing "any registered operator"
      (is (= [2.0 6.0 10.0] (nd/->vec ((nd/invoke "_plus_scalar") a 1)))))))

(deftest files
  (let [folder (util/temporary-folder)
        file (util/file-in folder "a.params")
        arrays {"x" (nd/array [1 2 3] [3]) "y:z" (nd/ones [2 2] {:dtype :int64})}]
    (nd/save file arrays)
    (let [read (nd/load file)]
      (is (= #{"x" "y:z"} (set (keys read))))
      (is (= [1.0 2.0 3.0] (nd/->vec (read "x"))))
      (is (= :int64 (nd/dtype (read "y:z"))))
      (is (= [[1 1] [1 1]] (nd/->nd-vec (read "y:z")))))
    (nd/save file (vals arrays))
    (is (= 2 (count (nd/load file)) (count (nd/load2-array file))))
    (is (fails? #"no names" (nd/load2-map file)))
    (nd/save-to-file file (arrays "x"))
    (is (= [1.0 2.0 3.0] (nd/->vec (nd/load-from-file file))))
    (is (= [1.0 2.0 3.0] (nd/->vec (nd/deserialize (nd/serialize (arrays "x"))))))
    (testing "files that are none"
      (is (fails? #"." (nd/load (util/file-in folder "missing.params"))))
      (spit file "this is no file of arrays")
      (is (fails? #"." (nd/load file)))
      (is (fails? #"." (nd/save (util/file-in folder "no/such/folder/a.params") arrays))))))

(deftest every-dtype-survives-a-file
  (let [file (util/file-in (util/temporary-folder) "types.params")
        types (sort dtype/all)
        arrays (into {} (for [t types] [(name t) (nd/array [1 0 1] [3] {:dtype t})]))]
    (nd/save file arrays)
    (let [read (nd/load file)]
      (doseq [t types]
        (is (= t (nd/dtype (read (name t)))))
        (is (= (nd/->vec (arrays (name t))) (nd/->vec (read (name t)))))))))

(deftest printing
  (is (= "#mxnet/ndarray [3] :float32 cpu(0) [1.0 1.0 1.0]" (pr-str (nd/ones [3]))))
  (is (= "#mxnet/ndarray [2 2] :int32 cpu(0)\n[[0 1]\n [2 3]]" (pr-str (nd/array (range 4) [2 2] {:dtype :int32}))))
  (is (= "#mxnet/ndarray [10] :float32 cpu(0) [0.0 1.0 2.0 ... 7.0 8.0 9.0]" (pr-str (nd/arange 0 10))))
  (testing "large arrays print short, and leave no handles behind"
    (let [a (nd/zeros [300 300 30])
          before (:ndarray (scope/live))]
      (is (> 3000 (count (pr-str a))))
      (is (= before (:ndarray (scope/live))))))
  (let [a (nd/ones [1])]
    (nd/dispose a)
    (is (= "#mxnet/ndarray closed" (pr-str a)))))

(deftest dependencies-can-be-released
  (let [a (nd/ones [2])
        b (nd/+ a 1)
        c (nd/* b 2)]
    (is (= #{a b} (nd/dependencies c)))
    (is (identical? c (nd/dispose-deps-except c b)))
    (is (not (nd/is-disposed b)))
    (is (not (nd/is-disposed a)))
    (nd/dispose-deps c)
    (is (every? nd/is-disposed [a b]))
    (is (= [4.0 4.0] (nd/->vec c)))))

(deftest mistakes
  (let [a (nd/ones [2 3])]
    (is (fails? #"expected an NDArray, got nil" (nd/->vec nil)))
    (is (fails? #"expected an NDArray, got 3" (nd/shape-vec 3)))
    (is (fails? #"expected an NDArray or a number" (nd/+ a "x")))
    (is (fails? #"unknown dtype.*float32" (nd/ones [2] {:dtype :flaot32})))
    (is (fails? #"unknown option :dtpe.*:dtype" (nd/ones [2] {:dtpe :int32})))
    (is (fails? #"negative dimension" (nd/zeros [2 -3])))
    (is (fails? #"too large" (nd/zeros [10000000000 10000000000])))
    (is (fails? #"a dimension is an integer" (nd/zeros [2 1.5])))
    (is (fails? #"expected a shape" (nd/zeros nil)))
    (is (fails? #"holds 6 numbers, got 2" (nd/array [1 2] [2 3])))
    (is (fails? #"holds 2 numbers, got 3" (nd/array [1 2 3] [2])))
    (is (fails? #"300 is not between 0 and 255" (nd/array [300] [1] {:dtype :uint8})))
    (is (fails? #"NaN is not between" (nd/array [Double/NaN] [1] {:dtype :int32})))
    (is (fails? #"expected a number, got x" (nd/array ["x"] [1])))
    (is (fails? #"collections at depth 1 have 2 and 1" (nd/->ndarray [[1 2] [3]])))
    (is (fails? #"deeper" (nd/->ndarray [1 [2]])))
    (is (fails? #"row 2 is out" (nd/at a 2)))
    (is (fails? #"rows from 1 to 5" (nd/slice a 1 5)))
    (is (fails? #"one element" (nd/to-scalar a)))
    (is (fails? #"same shape" (nd/copy-to a (nd/ones [3]))))
    (is (fails? #"Did you mean :a-min" (nd/clip a {:a-mim 0 :a-max 1})))
    (is (fails? #"expected one of" (nd/activation a {:act-type :rellu})))
    (is (fails? #"at most 2" (nd/clip a 1 2 3)))
    (is (fails? #"there is no device gpu\(7\)" (nd/ones [2] {:ctx (context/gpu 7)})))
    (testing "what the library finds wrong tells the operator and the shapes"
      (let [found (util/error (nd/dot a a))]
        (is (= "dot" (:mxnet/op found)))
        (is (= [[2 3] [2 3]] (:mxnet/shapes found)))
        (is (not (string/blank? (:mxnet/native-message found))))))
    (testing "closed arrays"
      (nd/dispose a)
      (nd/dispose a)
      (is (= :closed (:mxnet/error (util/error (nd/->vec a)))))
      (is (fails? #"NDArray is closed" (nd/+ a 1))))))

(deftest bulk-conversions-are-fast
  ;; Far above what they take, far below what boxing by reflection would.
  (let [n 1000000
        a (nd/arange 0 n)
        square (nd/reshape a [1000 1000])
        milliseconds (fn [f] (f) (let [start (System/nanoTime)] (f) (quot (- (System/nanoTime) start) 1000000)))]
    (is (> 1000 (milliseconds #(nd/->vec a))))
    (is (> 1000 (milliseconds #(nd/->nd-vec square))))
    (let [nested (nd/->nd-vec square)]
      (is (> 1000 (milliseconds #(nd/->ndarray nested)))))))
