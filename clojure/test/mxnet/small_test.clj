(ns mxnet.small-test
  "Contexts, dtypes, shapes, random numbers, drawings."
  (:require [clojure.java.io :as io]
            [clojure.string :as string]
            [clojure.test :refer [deftest is testing]]
            [clojure.xml]
            [mxnet.context :as context]
            [mxnet.dtype :as dtype]
            [mxnet.impl.json :as json]
            [mxnet.ndarray :as nd]
            [mxnet.random :as random]
            [mxnet.shape :as shape]
            [mxnet.symbol :as sym]
            [mxnet.test-util :as util]
            [mxnet.visualization :as viz]))

(deftest contexts
  (is (= "cpu(0)" (str (context/cpu)) (pr-str (context/cpu 0))))
  (is (= "gpu(1)" (str (context/gpu 1))))
  (is (= (context/cpu) (context/cpu-context) (context/default-context)))
  (is (= ["gpu" 2] ((juxt context/device-type context/device-id) (context/gpu 2))))
  (is (= (context/cpu 1) (context/with-context (context/cpu 1) (context/default-context))))
  (is (= (context/cpu 1) (context/with-context (context/cpu 1) (nd/context (nd/ones [1])))))
  (is (nat-int? (context/num-gpus)))
  (is (fails? #"device number" (context/cpu -1)))
  (is (fails? #"expected a context" (context/device-type "cpu"))))

(deftest dtypes
  (is (= [:uint8 :int32 :float16 :float32 :float64] [dtype/UINT8 dtype/INT32 dtype/FLOAT16 dtype/FLOAT32 dtype/FLOAT64]))
  (doseq [t dtype/all]
    (is (= t (dtype/->dtype (name t)) (dtype/flag-> (dtype/->flag t)))))
  (is (dtype/floating? :float16))
  (is (not (dtype/floating? :int8)))
  (is (fails? #"Did you mean :float32" (dtype/->dtype :flaot32))))

(deftest shapes
  (is (= [2 3] (shape/->shape [2 3]) (shape/->shape '(2 3)) (shape/->shape (int-array [2 3])) (shape/->vec [2 3])))
  (is (= [0 3] (shape/->shape [nil 3])))
  (is (= 6 (shape/product [2 3])))
  (is (= 1 (shape/product [])))
  (is (= 2 (shape/length [2 3])))
  (is (fails? #"expected a shape" (shape/->shape {:a 1}))))

(deftest random-numbers
  (testing "seeds"
    (let [draw #(do (random/seed 42) [(nd/->vec (random/uniform 0 1 [5])) (nd/->vec (random/normal 0 1 [5]))])]
      (is (= (draw) (draw)))
      (is (not= (draw) [(nd/->vec (random/uniform 0 1 [5])) (nd/->vec (random/normal 0 1 [5]))]))))
  (testing "moments"
    (random/seed 7)
    (let [moments (fn [a] (let [xs (nd/->double-vec a)
                                mean (/ (reduce + xs) (count xs))]
                            [mean (/ (reduce + (map #(* (- % mean) (- % mean)) xs)) (count xs))]))
          n [20000]]
      (doseq [[mean variance a] [[5.0 (/ 100.0 12) (random/uniform 0 10 n)]
                                 [2.0 9.0 (random/normal 2 3 n)]
                                 [0.5 0.25 (random/exponential 2 n)]
                                 [6.0 12.0 (random/gamma 3 2 n)]
                                 [4.0 4.0 (random/poisson 4 n)]]]
        (is (util/close? [mean variance] (moments a) 0.08)))))
  (testing "options"
    (is (= :float64 (nd/dtype (random/normal 0 1 [2] {:dtype :float64}))))
    (let [out (nd/zeros [3])]
      (is (identical? out (random/uniform 5 6 [3] {:out out})))
      (is (every? #(<= 5 % 6) (nd/->vec out))))
    (is (= [2 3] (nd/shape-vec (random/normal (nd/array [0 100] [2]) (nd/ones [2]) [3])))))
  (testing "others"
    (is (every? #{2 3 4} (nd/->vec (random/randint 2 5 [100]))))
    (is (= [1 1 1] (nd/->vec (random/multinomial (nd/array [0 1 0] [3]) {:shape [3]}))))
    (is (= [0.0 1.0 2.0 3.0] (sort (nd/->vec (random/shuffle (nd/arange 0 4)))))))
  (testing "mistakes"
    (is (fails? #"greater than high" (random/uniform 2 1 [3])))
    (is (fails? #"must be a number" (random/uniform "a" 1 [3])))
    (is (fails? #"must be a number" (random/normal Double/NaN 1 [3])))
    (is (fails? #"expected a shape" (random/normal 0 1 "x")))
    (is (fails? #"a seed is an integer" (random/seed Double/NaN)))
    (is (fails? #"a seed is an integer" (random/seed nil)))
    (is (fails? #"two integers" (random/randint 5 2 [3])))
    (is (fails? #"unknown option :typ" (random/uniform 0 1 [3] {:typ :float32})))))

(deftest json
  (is (= {"a" [1 -2.5 "x\n\u00e9\"" true false nil {}] "b" []}
         (json/parse "{\"a\": [1, -2.5, \"x\\n\\u00e9\\\"\", true, false, null, {}], \"b\": []}")))
  (doseq [text ["" "{" "[1" "[1,]" "{\"a\"}" "{1:2}" "\"a" "nul" "\"\\u12"]]
    (is (fails? #"not JSON" (json/parse text)))))

(defn- net []
  (as-> (sym/variable "data") x
    (sym/convolution "conv" {:data x :kernel [3 3] :num-filter 8})
    (sym/activation "act" {:data x :act-type :relu})
    (sym/fully-connected "fc<1>" {:data x :num-hidden 10})
    (sym/softmax-output "out" {:data x})))

(deftest drawings
  (let [drawing (viz/plot-network (net) {"data" [2 1 8 8]} {:title "digits & more"})
        dot (viz/->dot drawing)
        svg (viz/->svg drawing)]
    (is (= ["data" "conv" "act" "fc<1>" "out_label" "out"] (map :name (:nodes drawing))))
    (is (= {:from 0 :to 3 :shape [2 1 8 8]} (first (:edges drawing))))
    (is (string/includes? dot "label=\"2x8x6x6\""))
    (is (string/includes? dot "conv\\nConvolution 3x3, 8"))
    (testing "the SVG is well-formed and shows every node"
      (let [parsed (with-open [in (java.io.ByteArrayInputStream. (.getBytes ^String svg "UTF-8"))]
                     (clojure.xml/parse in))
            texts (->> (xml-seq parsed) (filter #(= :text (:tag %))) (mapcat :content) set)]
        (is (= :svg (:tag parsed)))
        (is (every? texts ["data" "conv" "Convolution 3x3, 8" "fc<1>" "2x8x6x6" "out"]))
        (is (= 6 (count (filter #(= :rect (:tag %)) (xml-seq parsed)))))))
    (testing "weights on demand"
      (is (= 10 (count (:nodes (viz/plot-network (net) nil {:hide-weights false}))))))
    (let [folder (str (util/temporary-folder))
          file (viz/render drawing "net" folder)]
      (is (= svg (slurp file)))
      (is (= dot (slurp (viz/render drawing "dot" "dot" "net" folder))))
      (is (= file (viz/save-svg drawing file)))
      (when-not (some #(.canExecute (io/file % "dot")) (string/split (System/getenv "PATH") #":"))
        (is (fails? #"Graphviz" (viz/render drawing "dot" "pdf" "net" folder)))))))
