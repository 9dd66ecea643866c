(ns mxnet.surface-test
  "Names: the vars and arities that scripts written for the original package use, and the operators of the library."
  (:require [clojure.java.io :as io]
            [clojure.set :as set]
            [clojure.string :as string]
            [clojure.test :refer [deftest is testing]]
            [mxnet.context]
            [mxnet.dtype]
            [mxnet.executor]
            [mxnet.impl.registry :as registry]
            [mxnet.ndarray]
            [mxnet.random]
            [mxnet.resource-scope]
            [mxnet.shape]
            [mxnet.symbol]
            [mxnet.test-util :as util]
            [mxnet.visualization]))

(def surface
  "Namespace -> var -> arities (nil: a value; :ops: an operator's closure)."
  '{mxnet.context {cpu [0 1] gpu [0 1] cpu-context [0] default-context [0] device-type [1] device-id [1]}
    mxnet.dtype {UINT8 nil INT32 nil FLOAT16 nil FLOAT32 nil FLOAT64 nil}
    mxnet.shape {->shape [1] ->vec [1] length [1] product [1]}
    mxnet.visualization {plot-network [2 3] render [3 5]}
    mxnet.random {uniform [3 4] normal [3 4] seed [1]}
    mxnet.resource-scope {using nil with-do nil with-let nil}
    mxnet.executor {forward [1 2 3] backward [1 2] outputs [1] grad-arrays [1] arg-arrays [1] grad-map [1] arg-map [1]
                    set-arg [3] set-arg-arrays [2] get-grad [2] reshape [2 3] ->vec [1]
                    aux-arrays [1] aux-map [1] copy-params-from [2 3] debug-str [1] set-monitor-callback [2]}
    mxnet.ndarray {empty [1 2] zeros [1 2] ones [1 2] full [2 3] array [2 3] ->ndarray [1 2] arange [2 3] ->vec [1]
                   ->nd-vec [1] ->float-vec [1] ->double-vec [1] ->int-vec [1] ->byte-vec [1] ->raw [1] shape-vec [1]
                   slice [2 3] copy-to [2] as-in-context [2] as-type [2] concatenate [1 2] save [2] load [1]
                   save-to-file [2] load-from-file [1] / [2] + [2] - [2] * [2] div [2] % [2] ** [2] > [2] >= [2] < [2]
                   <= [2] += [2] -= [2] *= [2] div= [2] **= [2] %= [2] set [2] at [2] t [1] reshape [2] dtype [1]
                   shape [1] size [1] context [1] copy [1] to-array [1] to-scalar [1] wait-to-read [1] dispose [1]
                   is-disposed [1] dispose-deps [1] dispose-deps-except [1] serialize [1] deserialize [1] equal [2]
                   not-equal [2] greater [2] greater-equal [2] lesser [2] lesser-equal [2] power [2] maximum [2]
                   minimum [2] onehot-encode [2] load2-map [1] load2-array [1] waitall [0] handle [1] dependencies [1]
                   is-sparse [1] to-sparse [1]}
    mxnet.symbol {variable [1 2] bind [2 3 4 6] simple-bind [2 3 4] ones [1 2] zeros [1 2] arange [2 3]
                  arange-with-inference [1 2] min [1 2 3 4] max [1 2 3 4] infer-shape [2 4] save-checkpoint [5] + [2]
                  - [1 2] * [2] div [2] / [2] % [2] ** [2] > [2] >= [2] < [2] <= [2] pow [2] equal [2] not-equal [2]
                  greater [2] greater-equal [2] lesser [2] lesser-equal [2] clone [1] get [2] get-internals [1]
                  list-arguments [1] list-outputs [1] list-auxiliary-states [1] list-attr [1] attr-map [1] attr [2]
                  infer-type [2] apply [3] group [1] debug-str [1] to-json [1] save [2] load [1] load-json [1]
                  dispose [1] is-disposed [1] children [1] get-children [1] infer-shape-partial [2]}})

(defn- takes? [v n]
  (some (fn [arglist]
          (let [[fixed more] (split-with #(not= '& %) arglist)]
            (if (seq more) (>= n (count fixed)) (= n (count fixed)))))
        (:arglists (meta v))))

(deftest original-vars-and-arities
  (doseq [[namespace vars] surface
          [var-name arities] vars
          :let [v (ns-resolve namespace var-name)]]
    (is (and v (= namespace (ns-name (:ns (meta v))))) (str namespace "/" var-name))
    (doseq [n arities]
      (is (and v (takes? v n)) (str namespace "/" var-name " with " n " arguments")))))

(deftest everything-is-documented
  (doseq [namespace (keys surface)
          [var-name v] (ns-publics namespace)
          :when (not (or (:no-doc (meta v)) (re-find #"^(map)?->Context$" (str var-name))))]
    (is (not (string/blank? (:doc (meta v)))) (str namespace "/" var-name))))

(defn- public-operators
  "Clojure names of the library's operators -> the registered names."
  []
  (reduce (fn [result registered]
            (if (string/starts-with? registered "_")
              result
              (update result (registry/kebab registered) (fnil conj #{}) registered)))
          {}
          (registry/operator-names)))

(deftest operators-of-1-9-1-have-their-names
  (let [wanted (set (string/split-lines (slurp (io/resource "mxnet/operators-1.9.1.txt"))))
        registered (public-operators)
        missing-here (set/difference wanted (set (keys registered)))]
    (is (= 260 (count wanted)))
    (doseq [namespace '[mxnet.symbol mxnet.ndarray]
            operator (set/difference wanted missing-here)]
      (is (ns-resolve namespace (symbol operator)) (str namespace "/" operator)))))

(deftest the-name-rule
  (doseq [[registered clojure-name] {"FullyConnected" "fully-connected" "LeakyReLU" "leaky-re-lu" "BatchNorm" "batch-norm"
                                     "BatchNorm_v1" "batch-norm-v1" "CTCLoss" "ctc-loss" "SoftmaxOutput" "softmax-output"
                                     "L2Normalization" "l2-normalization" "ROIPooling" "roi-pooling"
                                     "IdentityAttachKLSparseReg" "identity-attach-kl-sparse-reg"
                                     "elemwise_add" "elemwise-add" "choose_element_0index" "choose-element-0index"}]
    (is (= clojure-name (registry/kebab registered)))))

(defn- operator-vars [namespace]
  (for [[var-name v] (ns-publics namespace)
        :when (= "1.10.0" (:added (meta v)))]
    [(str var-name) v]))

(deftest every-operator-of-the-library-has-a-function
  (let [generated (into {} (operator-vars 'mxnet.symbol))]
    (doseq [[clojure-name _] (public-operators)]
      (is (ns-resolve 'mxnet.symbol (symbol clojure-name)) clojure-name)
      (is (ns-resolve 'mxnet.ndarray (symbol clojure-name)) clojure-name))
    (testing "leaky-re-lu has a readable alias"
      (is (contains? generated "leaky-relu")))))

(deftest arglists-are-those-of-the-registry
  (let [registered (public-operators)]
    (doseq [namespace '[mxnet.symbol mxnet.ndarray]
            [clojure-name v] (operator-vars namespace)
            :let [names (registered clojure-name)]
            :when names]
      (let [shown (->> (:arglists (meta v)) (keep (fn [[x]] (when (map? x) (map str (:keys x))))) first set)
            from-registry (for [n names
                                :let [{:keys [inputs parameter-order]} (registry/info n)]]
                            (into #{} (map registry/kebab) (concat inputs parameter-order)))]
        (is (some #(set/subset? % shown) from-registry) (str namespace "/" clojure-name))))))

(deftest operators-are-documented-in-markdown
  (doseq [namespace '[mxnet.symbol mxnet.ndarray]
          [clojure-name v] (operator-vars namespace)
          :let [{:keys [doc arglists]} (meta v)]]
    (is (seq arglists) clojure-name)
    (is (and (not (string/blank? doc)) (not (re-find #":math:|``|\.\. \w+::" doc))) clojure-name)))

(deftest loading-is-silent-and-needs-no-library
  (let [namespaces '[mxnet.symbol mxnet.ndarray mxnet.executor mxnet.context mxnet.random mxnet.shape mxnet.dtype
                     mxnet.resource-scope mxnet.visualization mxnet.lib]
        {:keys [exit out err]} (util/run-clojure "/nonexistent/libmxnet.so"
                                                 (list* 'do (for [n namespaces] (list 'require (list 'quote n))))
                                                 '(println "loaded")
                                                 '(println (try (mxnet.ndarray/ones [2])
                                                                (catch clojure.lang.ExceptionInfo e (ex-message e)))))]
    (is (zero? exit) err)
    (testing "no reflection, boxed arithmetic or replaced names"
      (is (= "" err)))
    (is (re-find #"^loaded\n.*MXNET_LIBRARY_PATH names /nonexistent/libmxnet.so: no such file" out))))
