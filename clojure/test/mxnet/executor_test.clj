(ns mxnet.executor-test
  (:require [clojure.string :as string]
            [clojure.test :refer [deftest is testing]]
            [clojure.test.check.clojure-test :refer [defspec]]
            [clojure.test.check.generators :as gen]
            [clojure.test.check.properties :as prop]
            [mxnet.context :as context]
            [mxnet.executor :as executor]
            [mxnet.ndarray :as nd]
            [mxnet.symbol :as sym]
            [mxnet.test-util :as util]))

(defn- sum-of-two []
  (sym/+ (sym/variable "a") (sym/variable "b")))

(deftest binding-by-map-and-by-order
  (let [result #(-> % executor/forward executor/outputs first nd/->vec)
        a (nd/array [1 2] [2])
        b (nd/array [10 20] [2])]
    (is (= [11.0 22.0]
           (result (sym/bind (sum-of-two) {"a" a "b" b}))
           (result (sym/bind (sum-of-two) {:a a :b b :unused a}))
           (result (sym/bind (sum-of-two) [a b]))
           (result (sym/bind (sum-of-two) (context/cpu) {"a" a "b" b}))
           (result (sym/bind (sum-of-two) (context/cpu) [a b] [(nd/zeros [2]) (nd/zeros [2])]))
           (result (context/with-context (context/cpu 0) (sym/bind (sum-of-two) {"a" a "b" b})))))
    (is (= [2.0 4.0] (result (sym/bind (sym/* (sym/variable "a") 2) a))))))

(deftest gradients
  (let [a (nd/array [1 2] [2])
        b (nd/array [10 20] [2])
        product (sym/* (sym/variable "a") (sym/variable "b"))
        run (fn [grads request]
              (let [ex (sym/bind product (context/cpu) {"a" a "b" b} grads request {})]
                (-> ex (executor/forward true) (executor/backward (nd/array [1 2] [2])))
                ex))]
    (testing "write"
      (let [ex (run {"a" (nd/zeros [2]) "b" (nd/zeros [2])} "write")]
        (is (= [10.0 40.0] (nd/->vec (executor/get-grad ex "a")) (nd/->vec ((executor/grad-map ex) "a"))))
        (is (= [1.0 4.0] (nd/->vec (executor/get-grad ex :b))))))
    (testing "add"
      (let [ex (run {"a" (nd/ones [2])} :add)]
        (is (= [11.0 41.0] (nd/->vec (executor/get-grad ex "a"))))
        (is (= [true false] (map some? (executor/grad-arrays ex))))
        (is (fails? #"keeps no gradient for b" (executor/get-grad ex "b")))))
    (testing "per argument"
      (let [ex (run {"a" (nd/zeros [2]) "b" (nd/ones [2])} {"a" :write "b" :null})]
        (is (= [10.0 40.0] (nd/->vec (executor/get-grad ex "a"))))
        (is (= [1.0 1.0] (nd/->vec (executor/get-grad ex "b"))))))
    (testing "of loss layers without head gradients"
      (let [net (sym/linear-regression-output "out" {:data (sym/fully-connected "fc" {:data (sym/variable "data") :num-hidden 1})})
            ex (sym/simple-bind net (context/cpu) {"data" [2 2] "out_label" [2 1]})]
        (executor/set-arg ex "data" [1 2 3 4])
        (-> ex (executor/forward true {"fc_weight" (nd/array [1 1] [1 2])}) (executor/backward))
        (is (= [[3.0] [7.0]] (nd/->nd-vec (first (executor/outputs ex)))))
        (is (= [[24.0 34.0]] (nd/->nd-vec (executor/get-grad ex "fc_weight"))))))))

(deftest simple-bind-makes-the-arrays
  (let [net (sym/fully-connected "fc" {:data (sym/variable "data") :num-hidden 3})
        ex (sym/simple-bind net (context/cpu) {:data [4 2]})]
    (is (= {"data" [4 2] "fc_weight" [3 2] "fc_bias" [3]} (update-vals (executor/arg-map ex) nd/shape-vec)))
    (is (= {"data" [4 2] "fc_weight" [3 2] "fc_bias" [3]} (update-vals (executor/grad-map ex) nd/shape-vec)))
    (is (every? nil? (executor/grad-arrays (sym/simple-bind net (context/cpu) {:data [4 2]} {:grad-req :null}))))
    (is (= [nil [3 2] nil]
           (map #(some-> % nd/shape-vec)
                (executor/grad-arrays (sym/simple-bind net (context/cpu) {:data [4 2]} {:grad-req {"fc_weight" :write}})))))
    (is (= :float64 (nd/dtype (first (executor/outputs
                                      (sym/simple-bind net (context/cpu) {:data [4 2]} {:type-map {"data" :float64}}))))))
    (is (= [4 3] (nd/shape-vec (first (executor/outputs (sym/simple-bind net {"data" [4 2]}))))))
    (is (= "#mxnet/executor fc cpu(0) 3 arguments, 1 output" (pr-str ex)))))

(deftest feeding
  (let [ex (sym/simple-bind (sum-of-two) (context/cpu) {"a" [2] "b" [2]})
        result #(nd/->vec (first (executor/outputs ex)))]
    (is (identical? ex (executor/forward ex false {"a" (nd/array [1 2] [2]) :b 10})))
    (is (= [11.0 12.0] (result)))
    (executor/forward ex {"a" [5 6]})
    (is (= [15.0 16.0] (result)))
    (executor/set-arg-arrays ex [(nd/ones [2]) 2])
    (executor/forward ex true)
    (is (= [3.0 3.0] (result) (nd/->vec (val (first (executor/output-map ex)))) (executor/->vec (first (executor/outputs ex)))))
    (is (fails? #"no argument named c" (executor/forward ex false {"c" 1})))
    (is (fails? #"must have the shape \[2\], got \[3\]" (executor/forward ex false {"a" (nd/ones [3])})))
    (is (fails? #"holds 2 numbers, got 3" (executor/set-arg ex "a" [1 2 3])))
    (is (fails? #"got 1 values for 2" (executor/set-arg-arrays ex [1])))))

(deftest auxiliary-states
  (let [net (sym/batch-norm "bn" {:data (sym/variable "data") :momentum 0.5 :fix-gamma false})
        ex (sym/simple-bind net (context/cpu) {"data" [2 1]})]
    (is (= ["bn_moving_mean" "bn_moving_var"] (keys (into (sorted-map) (executor/aux-map ex)))))
    (executor/copy-params-from ex {"bn_gamma" (nd/ones [1])} {"bn_moving_mean" (nd/zeros [1]) "bn_moving_var" (nd/ones [1])})
    (executor/forward ex true {"data" (nd/array [1 3] [2 1])})
    (is (= [1.0] (do (nd/->vec (first (executor/outputs ex)))
                     (executor/backward ex (nd/ones [2 1]))
                     (nd/->vec (get (executor/aux-map ex) "bn_moving_mean")))))
    (is (= 2 (count (executor/aux-arrays ex))))
    (is (fails? #"no auxiliary state named zz" (executor/copy-params-from ex {} {"zz" (nd/ones [1])})))
    (is (= ex (executor/copy-params-from ex {"other" (nd/ones [1])} nil {:allow-extra-params true})))
    (testing "bind with states"
      (let [states {"bn_moving_mean" (nd/zeros [1]) "bn_moving_var" (nd/ones [1])}
            args {"data" (nd/array [1 3] [2 1]) "bn_gamma" (nd/ones [1]) "bn_beta" (nd/zeros [1])}
            bound (sym/bind net (context/cpu) args nil "null" states)]
        (is (util/close? [1.0 3.0] (nd/->vec (first (executor/outputs (executor/forward bound)))) 1e-2))
        (is (fails? #"auxiliary state bn_moving_mean is missing" (sym/bind net (context/cpu) args nil "null" {})))))))

(deftest reshaping-gives-the-new-executor
  (let [net (sym/fully-connected "fc" {:data (sym/variable "data") :num-hidden 3})
        ex (sym/simple-bind net (context/cpu) {"data" [4 2]})
        small (executor/reshape ex {"data" [2 2]})]
    (executor/set-arg ex "fc_weight" 1)
    (is (not (identical? ex small)))
    (is (= [[3.0 3.0 3.0] [3.0 3.0 3.0]]
           (-> (executor/forward small false {"data" [1 2 1 2]}) executor/outputs first nd/->nd-vec)))
    (is (= [4 3] (nd/shape-vec (first (executor/outputs ex)))))
    (is (fails? #"." (executor/reshape ex {"data" [8 2]})))
    (is (= [8 2] (nd/shape-vec (get (executor/arg-map (executor/reshape ex {"data" [8 2]} {:allow-up-sizing true})) "data"))))
    (is (fails? #"no argument named dta" (executor/reshape ex {"dta" [2 2]})))))

(deftest monitoring
  (let [net (sym/relu {:data (sum-of-two) :name "r"})
        ex (sym/simple-bind net (context/cpu) {"a" [2] "b" [2]})
        seen (atom {})]
    (executor/set-monitor-callback ex (fn [node value] (swap! seen assoc node (nd/->vec value))))
    (executor/forward ex false {"a" 1 "b" 2})
    (is (= [3.0 3.0] (@seen "r_output")))
    (testing "what it throws comes out of forward"
      (executor/set-monitor-callback ex (fn [_ _] (throw (ex-info "from the monitor" {:here 1}))))
      (is (= "from the monitor" (try (executor/forward ex) (catch clojure.lang.ExceptionInfo e (ex-message e))))))
    (executor/set-monitor-callback ex (fn [_ _]))
    (is (= ex (executor/forward ex)))
    ;; 1.9.1 calls a null pointer here.
    (when-not (util/reference-library?)
      (executor/set-monitor-callback ex nil)
      (is (= ex (executor/forward ex))))))

(deftest texts
  (is (not (string/blank? (executor/debug-str (sym/simple-bind (sum-of-two) (context/cpu) {"a" [2] "b" [2]}))))))

(deftest training-a-line
  (let [net (sym/linear-regression-output "out" {:data (sym/fully-connected "fc" {:data (sym/variable "data") :num-hidden 1})})
        ex (sym/simple-bind net (context/cpu) {"data" [4 1] "out_label" [4 1]})
        {weight "fc_weight" bias "fc_bias"} (executor/arg-map ex)]
    (executor/forward ex true {"data" [0 1 2 3] "out_label" [1 3 5 7] "fc_weight" 0 "fc_bias" 0})
    (dotimes [_ 300]
      (-> ex (executor/forward true) executor/backward)
      (nd/sgd-update weight (executor/get-grad ex "fc_weight") {:lr 0.05 :out weight})
      (nd/sgd-update bias (executor/get-grad ex "fc_bias") {:lr 0.05 :out bias}))
    (is (util/close? [2.0 1.0] [(nd/to-scalar (nd/reshape weight [1])) (nd/to-scalar bias)] 1e-2))))

(deftest mistakes
  (let [net (sym/fully-connected "fc" {:data (sym/variable "data") :num-hidden 3})]
    (is (fails? #"the argument fc_weight is missing" (sym/bind net {"data" (nd/ones [4 2])})))
    (is (fails? #"got 1 arguments, the symbol has 3" (sym/bind net [(nd/ones [4 2])])))
    (is (fails? #"expected an NDArray, got 3" (sym/bind net {"data" 3 "fc_weight" 1 "fc_bias" 1})))
    (is (fails? #"fc|Shape|shape" (sym/bind net {"data" (nd/ones [4 2]) "fc_weight" (nd/ones [3 5]) "fc_bias" (nd/ones [3])})))
    (is (fails? #":null, :write or :add" (sym/simple-bind net (context/cpu) {"data" [4 2]} {:grad-req "wrte"})))
    (is (fails? #"no argument named dta" (sym/simple-bind net (context/cpu) {"dta" [4 2]})))
    (is (fails? #"unknown option :grad-rec.*:grad-req" (sym/simple-bind net (context/cpu) {"data" [4 2]} {:grad-rec :null})))
    (is (fails? #"." (sym/simple-bind net (context/cpu) {})))
    (is (fails? #"no device gpu\(3\)" (sym/simple-bind net (context/gpu 3) {"data" [4 2]})))
    (is (fails? #"expected an Executor, got nil" (executor/forward nil)))
    (let [ex (sym/simple-bind net (context/cpu) {"data" [4 2]})]
      (is (fails? #"expected an NDArray" (executor/backward ex "x")))
      (executor/dispose ex)
      (executor/dispose ex)
      (is (executor/is-disposed ex))
      (doseq [f [executor/forward executor/backward executor/outputs executor/arg-map executor/debug-str]]
        (is (fails? #"Executor fc is closed" (f ex)))))))

(defspec bad-shapes-are-errors-and-never-more 60
  (prop/for-all [data (gen/vector (gen/choose -2 5) 0 5)
                 kernel (gen/vector (gen/choose 0 4) 0 4)
                 filters (gen/choose -1 3)]
    (try
      (let [net (sym/convolution "c" {:data (sym/variable "data") :kernel kernel :num-filter filters})]
        (sym/infer-shape net {"data" data})
        (with-open [^java.lang.AutoCloseable ex (sym/simple-bind net (context/cpu) {"data" data})]
          (executor/forward ex))
        true)
      (catch clojure.lang.ExceptionInfo e
        (contains? #{:native :argument} (:mxnet/error (ex-data e)))))))
