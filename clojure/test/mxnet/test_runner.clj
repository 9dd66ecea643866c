(ns mxnet.test-runner
  "Runs every namespace of this folder that ends in -test, or those named on the command line.

      ./dev clj -m mxnet.test-runner [namespace ...]"
  (:require [clojure.java.io :as io]
            [clojure.string :as string]
            [clojure.test :as test])
  (:gen-class))

(defn- test-namespaces []
  (let [folder (.getParentFile (io/file (io/resource "mxnet/test_runner.clj")))]
    (->> (.listFiles folder)
         (map #(.getName ^java.io.File %))
         (filter #(string/ends-with? % "_test.clj"))
         (map #(symbol (str "mxnet." (string/replace (subs % 0 (- (count %) 4)) "_" "-"))))
         sort)))

(defn -main [& names]
  (let [namespaces (if (seq names) (map symbol names) (test-namespaces))]
    (apply require namespaces)
    (let [{:keys [test pass fail error]} (apply test/run-tests namespaces)]
      (println (str pass " passed, " (+ fail error) " failed"))
      (shutdown-agents)
      (flush)
      (System/exit (if (and (pos? test) (zero? (+ fail error))) 0 1)))))
