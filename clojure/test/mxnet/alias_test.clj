(ns mxnet.alias-test
  "The namespaces of the original package."
  (:require [clojure.test :refer [deftest is]]
            [mxnet.test-util :as util]
            [org.apache.clojure-mxnet.context :as context]
            [org.apache.clojure-mxnet.dtype :as dtype]
            [org.apache.clojure-mxnet.executor :as executor]
            [org.apache.clojure-mxnet.ndarray :as ndarray]
            [org.apache.clojure-mxnet.random :as random]
            [org.apache.clojure-mxnet.resource-scope :as resource-scope]
            [org.apache.clojure-mxnet.shape :as shape]
            [org.apache.clojure-mxnet.symbol :as sym]
            [org.apache.clojure-mxnet.visualization :as viz]))

(deftest scripts-with-the-old-names-run
  (let [net (sym/+ (sym/variable "a") (sym/variable "b"))]
    (is (= [2.0 2.0 2.0 2.0]
           (-> (sym/bind net (context/default-context) {"a" (ndarray/ones [2 2]) "b" (ndarray/ones [2 2])})
               executor/forward executor/outputs first ndarray/->vec)))
    (is (= [3.0] (ndarray/->vec (resource-scope/with-let [x (ndarray/ones [1])] (ndarray/+ x 2)))))
    (is (= :int32 (ndarray/dtype (ndarray/ones [1] {:dtype dtype/INT32}))))
    (is (= [2] (ndarray/shape-vec (random/uniform 0 1 [2])) (shape/->vec [2])))
    (is (= 3 (count (:nodes (viz/plot-network net)))))))

(deftest old-names-bring-no-warnings
  (let [{:keys [exit err]} (util/run-clojure "" '(require 'org.apache.clojure-mxnet.symbol
                                                          'org.apache.clojure-mxnet.ndarray
                                                          'org.apache.clojure-mxnet.executor))]
    (is (zero? exit))
    (is (= "" err))))
