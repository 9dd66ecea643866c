(ns mxnet.test-util
  "What several test namespaces use."
  (:require [clojure.java.io :as io]
            [clojure.java.shell :as shell]
            [clojure.string :as string]
            [clojure.test :as test]
            [mxnet.lib :as lib])
  (:import (java.nio.file Files)))

(defn close?
  "Whether two nested collections of numbers agree within a tolerance."
  ([a b] (close? a b 1e-5))
  ([a b tolerance]
   (if (coll? a)
     (and (coll? b) (= (count a) (count b)) (every? true? (map #(close? %1 %2 tolerance) a b)))
     (<= (abs (- (double a) (double b))) (+ tolerance (* tolerance (abs (double b))))))))

(defn error-of
  "The `ex-info` of this library that the function throws, maybe as the cause of another exception: its data with
  the message as :message; nil if it throws none."
  [f]
  (try
    (f)
    nil
    (catch Exception e
      (if-let [found (first (filter #(:mxnet/error (ex-data %)) (take-while some? (iterate ex-cause e))))]
        (assoc (ex-data found) :message (ex-message found))
        (throw e)))))

(defmacro error
  "The data of the `ex-info` that the form throws, with its :message."
  [form]
  `(error-of (fn [] ~form)))

;; (is (fails? #"text" form)): the form throws an ex-info of this library whose message matches.
(defmethod test/assert-expr 'fails? [message [_ pattern form]]
  `(let [found# (error ~form)]
     (test/do-report
      (if (and found# (:mxnet/error found#) (re-find ~pattern (:message found#)))
        {:type :pass :message ~message :expected '~form :actual found#}
        {:type :fail :message ~message :expected (list '~'throws ~pattern '~form) :actual found#}))))

(defn temporary-folder []
  (let [folder (.toFile (Files/createTempDirectory "mxnet-test" (make-array java.nio.file.attribute.FileAttribute 0)))]
    (.deleteOnExit folder)
    folder))

(defn file-in [folder name] (str (io/file folder name)))

(defn resident-megabytes
  "The memory of this process."
  []
  (->> (Files/readAllLines (java.nio.file.Path/of "/proc/self/status" (make-array String 0)))
       (some #(re-find #"VmRSS:\s+(\d+) kB" %))
       second
       parse-long
       (#(quot % 1024))))

(defn run-clojure
  "Run forms in another JVM with this class path; `environment` replaces MXNET_LIBRARY_PATH."
  [library-path & forms]
  (shell/sh "java" "-XX:+UseSerialGC" "-XX:TieredStopAtLevel=1" "-cp" (System/getProperty "java.class.path")
            "clojure.main" "-e" (string/join " " (map pr-str forms))
            :env (assoc (into {} (System/getenv)) "MXNET_LIBRARY_PATH" (or library-path ""))))

(defn reference-library?
  "Whether the library under test is 1.9.1 itself."
  []
  (string/starts-with? (lib/version) "1.9"))
