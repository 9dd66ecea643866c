(ns mxnet.symbol-test
  (:require [clojure.string :as string]
            [clojure.test :refer [deftest is testing]]
            [clojure.test.check.clojure-test :refer [defspec]]
            [clojure.test.check.generators :as gen]
            [clojure.test.check.properties :as prop]
            [mxnet.context :as context]
            [mxnet.executor :as executor]
            [mxnet.impl.coerce :as coerce]
            [mxnet.impl.json :as json]
            [mxnet.impl.registry :as registry]
            [mxnet.ndarray :as nd]
            [mxnet.symbol :as sym]
            [mxnet.test-util :as util]))

(defn- net []
  (as-> (sym/variable "data") data
    (sym/fully-connected "fc1" {:data data :num-hidden 10})
    (sym/activation "act" {:data data :act-type :relu})
    (sym/fully-connected "fc2" {:data data :num-hidden 5})
    (sym/softmax-output "out" {:data data})))

(defn- nodes [symbol]
  (get (json/parse (sym/to-json symbol)) "nodes"))

(defn- head [symbol] (last (nodes symbol)))

(deftest all-ways-to-call-an-operator
  (let [x (sym/variable "x")
        y (sym/variable "y")
        names #(vector (sym/name %) (sym/list-arguments %))]
    (sym/with-new-names
      (is (= ["fullyconnected0" ["x" "fullyconnected0_weight" "fullyconnected0_bias"]]
             (names (sym/fully-connected {:data x :num-hidden 3}))))
      (is (= ["fc" ["x" "fc_weight" "fc_bias"]]
             (names (sym/fully-connected "fc" {:data x :num-hidden 3}))
             (names (sym/fully-connected {:name "fc" :data x :num-hidden 3}))
             (names (sym/fully-connected {"data" x "num_hidden" 3 :name :fc}))
             (names (sym/fully-connected 'fc {:data x :num_hidden "3"}))
             (names (sym/fully-connected x {:name "fc" :num-hidden 3}))))
      (is (= ["flatten0" ["x"]] (names (sym/flatten x))))
      (is (= ["concat0" ["x" "y"]] (names (sym/concat [x y]))))
      (is (= ["c" ["x" "y"]]
             (names (sym/concat "c" [x y]))
             (names (sym/concat "c" nil [x y] {:dim 1}))
             (names (sym/concat x y {:dim 1 :name "c"}))
             (names (sym/concat {:name "c" :data [x y] :dim 1}))))
      (is (= "2" (get-in (head (sym/concat "c" [x y])) ["attrs" "num_args"])))
      (testing "attributes"
        (let [a (sym/activation "act" {"__layout__" "TNC" :lr-mult 2} {:data x :act-type "relu"})]
          (is (= "TNC" (sym/attr a "__layout__")))
          (is (= "2" (sym/attr a "__lr_mult__"))))
        (is (= "v" (sym/attr (sym/activation {:data x :act-type :relu :attr {:__k__ "v"}}) "__k__")))))))

(deftest parameters-are-written-as-python-writes-them
  (let [attrs #(get (head %) "attrs")
        x (sym/variable "x")]
    (is (= {"kernel" "(3, 3)" "num_filter" "8" "no_bias" "True" "dilate" "(2, 2)"}
           (attrs (sym/convolution {:data x :kernel [3 3] :num-filter 8 :no-bias true :dilate [2 2]}))))
    (is (= {"axis" "(0,)"} (attrs (sym/sum {:data x :axis [0]}))))
    (is (= {"p" "0.25"} (attrs (sym/dropout {:data x :p 1/4}))))
    (is (= {"eps" "1e-05" "fix_gamma" "False"} (attrs (sym/batch-norm {:data x :eps 1e-5 :fix-gamma false}))))
    (is (= {"scalar" "2"} (attrs (sym/* x 2))))
    (is (= {"scalar" "2.5"} (attrs (sym/* 2.5 x))))
    (is (= {"pool_type" "avg" "kernel" "(2, 2)"} (attrs (sym/pooling {:data x :pool-type :avg :kernel [2 2]}))))
    (is (= {"axis" "None"} (attrs (sym/squeeze {:data x :axis nil}))))))

(defspec vectors-serve-for-every-tuple-parameter 100
  (let [parameters (delay (vec (for [n (registry/operator-names)
                                     :when (not (string/starts-with? n "_"))
                                     [p {:keys [kind]}] (:parameters (registry/info n))
                                     :when (= kind :tuple)]
                                 [n p])))]
    (prop/for-all [i gen/nat
                   values (gen/vector (gen/choose -9 9) 0 5)]
      (let [[n p] (nth @parameters (mod (* 7919 i) (count @parameters)))
            text (coerce/parameter-text n p (get-in (registry/info n) [:parameters p]) values)]
        (= values (read-string (string/replace (str "[" (subs text 1 (dec (count text))) "]") "," " ")))))))

(defspec keywords-serve-for-every-enumeration 100
  (let [parameters (delay (vec (for [n (registry/operator-names)
                                     :when (not (string/starts-with? n "_"))
                                     [p {:keys [kind values]}] (:parameters (registry/info n))
                                     :when (= kind :enum)
                                     value values]
                                 [n p value])))]
    (prop/for-all [i gen/nat]
      (let [[n p value] (nth @parameters (mod (* 7919 i) (count @parameters)))
            declared (get-in (registry/info n) [:parameters p])]
        (and (= value (coerce/parameter-text n p declared value))
             (= value (coerce/parameter-text n p declared (keyword value)))
             (= value (coerce/parameter-text n p declared (keyword (string/replace value "_" "-")))))))))

(deftest automatic-names
  (sym/with-new-names
    (let [x (sym/variable "x")]
      (is (= ["_plus0" "_plusscalar0" "_plusscalar1" "_minus0" "_rminusscalar0" "_mul0" "_divscalar0" "_power_scalar0"
              "_rpower_scalar0" "_mulscalar0" "_equal0" "_greater_scalar0" "_lesser_scalar0" "_maximumscalar0"]
             (map sym/name [(sym/+ x x) (sym/+ x 1) (sym/+ 1 x) (sym/- x x) (sym/- 1 x) (sym/* x x) (sym// x 2)
                            (sym/** x 2) (sym/** 2 x) (sym/- x) (sym/equal x x) (sym/> x 1) (sym/> 1 x)
                            (sym/maximum 2 x)])))
      (is (= ["activation0" "activation1"]
             (map sym/name (repeatedly 2 #(sym/activation {:data x :act-type :relu})))))
      (is (= "p_activation2" (sym/name (sym/with-prefix "p_" (sym/activation {:data x :act-type :relu})))))
      (is (= "activation0" (sym/name (sym/with-new-names (sym/activation {:data x :act-type :relu}))))))))

(deftest arithmetic-has-the-right-values
  (let [x (sym/variable "x")
        y (sym/variable "y")
        value (fn [symbol]
                (let [given {"x" (nd/array [1 2 4] [3]) "y" (nd/array [3 2 1] [3])}]
                  (-> (sym/bind symbol (select-keys given (sym/list-arguments symbol)))
                      executor/forward executor/outputs first nd/->vec)))]
    (doseq [[expected symbol] (partition
                               2
                               [[4 4 5] (sym/+ x y), [2 3 5] (sym/+ 1 x), [5 6 8] (sym/+ x 4), [9 10 12] (sym/+ x 4 4)
                               [-2 0 3] (sym/- x y), [0 1 3] (sym/- x 1), [0 -1 -3] (sym/- 1 x), [-1 -2 -4] (sym/- x)
                               [3 4 4] (sym/* x y), [2 4 8] (sym/* 2 x)
                               [0.5 1 2] (sym/div x 2), [4 2 1] (sym/div 4 x)
                               [1 0 0] (sym/% x 2), [1 4 16] (sym/** x 2), [2 4 16] (sym/** 2 x), [1 4 4] (sym/pow x y)
                               [0 0 1] (sym/> x y), [0 1 1] (sym/>= x y), [1 0 0] (sym/< x y), [1 1 0] (sym/<= x y)
                               [0 1 0] (sym/equal x y), [1 0 1] (sym/not-equal x y), [0 1 1] (sym/> x 1.5)
                               [1 0 0] (sym/> 2 x), [3 2 4] (sym/max x y), [1 2 1] (sym/min x y)
                               [3 3 4] (sym/maximum x 3), [4] (sym/max {:data x}), [1] (sym/min "m" {:data x})])]
      (is (= (map double expected) (value symbol)) (sym/name symbol)))
    (is (= 3 (sym/+ 1 2)))))

(deftest constants
  (let [value #(-> (sym/simple-bind % (context/cpu)) executor/forward executor/outputs first nd/->nd-vec)]
    (is (= [[0.0 0.0]] (value (sym/zeros [1 2]))))
    (is (= [1 1] (value (sym/ones [2] {:dtype :int32}))))
    (is (= [7.0] (value (sym/full [1] 7))))
    (is (= [1.0 3.0] (value (sym/arange 1 5 {:step 2}))))
    (is (= [2.0 3.0 4.0] (-> (sym/bind (sym/+ (sym/arange-with-inference 1) (sym/variable "x")) {"x" (nd/ones [3])})
                             executor/forward executor/outputs first nd/->vec)))))

(deftest looking-at-symbols
  (let [n (net)]
    (is (= "out" (sym/name n)))
    (is (= ["data" "fc1_weight" "fc1_bias" "fc2_weight" "fc2_bias" "out_label"] (sym/list-arguments n)
           (sym/list-inputs n)))
    (is (= ["out_output"] (sym/list-outputs n)))
    (is (= [] (sym/list-auxiliary-states n)))
    (is (= ["bn_moving_mean" "bn_moving_var"]
           (sym/list-auxiliary-states (sym/batch-norm "bn" {:data (sym/variable "x")}))))
    (is (= ["data" "fc1_weight" "fc1_bias" "fc1_output"] (take 4 (sym/list-outputs (sym/get-internals n)))))
    (let [part (sym/get (sym/get-internals n) "fc1_output")]
      (is (= "fc1" (sym/name part)))
      (is (= ["data" "fc1_weight" "fc1_bias"] (sym/list-arguments part))))
    (is (= ["fc2_output" "out_label"] (sym/list-outputs (sym/get-children n))))
    (is (nil? (sym/children (sym/variable "x"))))
    (is (= {"num_hidden" "10"} (sym/list-attr (sym/get (sym/get-internals n) "fc1_output"))))
    (is (= {"num_hidden" "5"} (get (sym/attr-map n) "fc2")))
    (is (nil? (sym/attr n "no such")))
    (is (= "x" (sym/attr (sym/set-attr (sym/clone n) {:__mood__ "x"}) "__mood__")))
    (is (string/includes? (sym/debug-str n) "fc1"))
    (is (= 1 (sym/num-outputs n)))))

(deftest groups
  (let [n (net)
        both (sym/group [n (sym/variable "z")])]
    (is (= ["out_output" "z"] (sym/list-outputs both)))
    (is (nil? (sym/name both)))
    (is (= "z" (sym/name (sym/get both 1)) (sym/name (sym/get both "z"))))
    (is (fails? #"no output named zz" (sym/get both "zz")))
    (is (fails? #"no output 2" (sym/get both 2)))
    (is (fails? #"at least one" (sym/group [])))))

(deftest composition
  (let [tail (sym/fully-connected "fc3" {:num-hidden 2 :data (sym/variable "fc3_data")})
        composed (sym/apply tail "composed" {"fc3_data" (net)})]
    (is (= ["data" "fc1_weight" "fc1_bias" "fc2_weight" "fc2_bias" "out_label" "fc3_weight" "fc3_bias"]
           (sym/list-arguments composed)))
    (is (= ["fc3_data" "fc3_weight" "fc3_bias"] (sym/list-arguments tail)))))

(deftest inference
  (let [n (net)]
    (is (= [[[4 8] [10 8] [10] [5 10] [5] [4]] [[4 5]] []]
           (sym/infer-shape n {"data" [4 8]})
           (sym/infer-shape n {:data [4 8]})
           (sym/infer-shape n [[4 8]])
           (sym/infer-shape n ["data"] [0 2] [4 8])))
    (is (nil? (sym/infer-shape n {})))
    (is (= [[] [10 8]] (let [[args] (sym/infer-shape-partial (net) {"fc1_weight" [10 8]})] [(nth args 2 nil) (nth args 1)]))
        "what is known stays known")
    (is (= [[:float32 :float32 :float32 :float32 :float32 :float32] [:float32] []] (sym/infer-type n {:data :float32})))
    (is (= [:float64] (second (sym/infer-type (sym/+ (sym/variable "a") (sym/variable "b")) {"a" :float64}))))
    (is (fails? #"no argument named dta.*data" (sym/infer-shape n {"dta" [4 8]})))
    (is (fails? #"out|fc" (sym/infer-shape n {"data" [4 8] "fc1_weight" [3 3]})))))

(deftest variables
  (let [v (sym/variable "v" {:shape [2 0] :dtype :float64 :lr-mult 0.5 :wd-mult 2 :attrs {"mood" "good"} :kwargs {:__k__ 1}})]
    (is (= ["(2, 0)" "1" "0.5" "2" "good" "1"]
           (map #(sym/attr v %) ["__shape__" "__dtype__" "__lr_mult__" "__wd_mult__" "mood" "__k__"])))
    (is (fails? #"two underscores" (sym/variable "v" {:kwargs {:k 1}})))
    (is (fails? #"unknown option :shap.*:shape" (sym/variable "v" {:shap [1]})))
    (is (fails? #"a name is a string" (sym/variable nil)))
    (is (fails? #"not empty" (sym/variable "")))
    (is (= "dev1" (sym/attr (sym/with-attributes {:__group__ "dev1"} (sym/variable "w")) "__group__")))))

(deftest files
  (let [folder (util/temporary-folder)
        n (net)
        file (util/file-in folder "net.json")]
    (sym/save n file)
    (is (= (sym/to-json n) (sym/to-json (sym/load file)) (sym/to-json (sym/load-json (sym/to-json n)))))
    (is (= "out" (sym/name (sym/load file))))
    (sym/save-checkpoint (util/file-in folder "m") 3 n {"fc1_bias" (nd/ones [10])} {:mean (nd/zeros [2])})
    (is (= ["m-0003.params" "m-symbol.json" "net.json"] (sort (seq (.list ^java.io.File folder)))))
    (let [{:keys [symbol arg-params aux-params]} (sym/load-checkpoint (util/file-in folder "m") 3)]
      (is (= (sym/to-json n) (sym/to-json symbol)))
      (is (= [1.0] (distinct (nd/->vec (arg-params "fc1_bias")))))
      (is (= [0.0 0.0] (nd/->vec (aux-params "mean")))))
    (doseq [text ["" "{" "[]" "{\"nodes\": 3}" (apply str (repeat 100000 "[")) "{\"nodes\": [], \"heads\": [[5,0,0]]}"
                  "{\"nodes\":[{\"op\":\"relu\",\"name\":\"a\",\"inputs\":[[9,0,0]]}],\"arg_nodes\":[],\"heads\":[[0,0,0]]}"]]
      (when-not (util/reference-library?)
        (is (fails? #"." (sym/load-json text)))))
    (is (fails? #"." (sym/load (util/file-in folder "missing.json"))))))

(deftest mistakes
  (let [x (sym/variable "x")]
    (is (fails? #"unknown argument \"num_hiden\". Did you mean :num-hidden" (sym/fully-connected {:data x :num-hiden 3})))
    (is (fails? #"data must be a Symbol" (sym/fully-connected {:data 1 :num-hidden 3})))
    (is (fails? #"num_hidden must be a number" (sym/fully-connected {:data x :num-hidden :a})))
    (is (fails? #"not an array or a symbol|must be" (sym/fully-connected {:data x :num-hidden (nd/ones [1])})))
    (is (fails? #"expected one of \"relu\"" (sym/activation {:data x :act-type :zzz})))
    (is (fails? #"Did you mean relu" (sym/activation {:data x :act-type "rleu"})))
    (is (fails? #"expected a Symbol, got nil" (sym/list-arguments nil)))
    (is (fails? #"expected a Symbol or a number" (sym/+ x nil)))
    (is (fails? #"expected a Symbol or a number" (sym/+ x (nd/ones [1]))))
    (is (fails? #"not in this library.*FullyConnected" ((sym/operator "FullyConected") {:data x})))
    (is (fails? #"symbols are given in a list and in the map" (sym/concat "c" nil [x] {:data x :dim 1})))
    (is (fails? #"NUL" (sym/variable (str "a" (char 0) "b"))))
    (testing "a missing parameter: the message names it, the data the node"
      (let [found (util/error (sym/fully-connected "fc" {:data x}))]
        (is (re-find #"num_hidden" (:message found)))
        (is (= ["FullyConnected" "fc"] ((juxt :mxnet/op :mxnet/name) found)))))
    (testing "closed symbols"
      (sym/dispose x)
      (is (= :closed (:mxnet/error (util/error (sym/list-arguments x)))))
      (is (fails? #"Symbol x is closed" (sym/+ x 1)))
      (is (= "#mxnet/symbol x closed" (pr-str x))))))

(deftest printing
  (is (= "#mxnet/symbol out" (pr-str (net))))
  (is (= "#mxnet/symbol [out_output z]" (pr-str (sym/group [(net) (sym/variable "z")]))))
  (is (> 120 (count (pr-str (sym/group (map #(sym/variable (str "v" %)) (range 1000))))))))
