(ns ^:no-doc mxnet.impl.names
  "Automatic names of nodes and attributes of scopes."
  (:require [clojure.string :as string]
            [mxnet.impl.error :as error])
  (:import (java.util.concurrent ConcurrentHashMap)
           (java.util.concurrent.atomic AtomicLong)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defn new-counters [] (ConcurrentHashMap.))

;; One set of counters for all threads: graphs made by several threads can be joined, and a REPL may evaluate
;; each form on another thread.
(def ^:dynamic ^ConcurrentHashMap *counters* (new-counters))
(def ^:dynamic *prefix* "")
(def ^:dynamic *attributes* {})

(defn- next-number ^long [hint]
  (.getAndIncrement ^AtomicLong (.computeIfAbsent ^ConcurrentHashMap *counters* hint
                                                  (reify java.util.function.Function
                                                    (apply [_ _] (AtomicLong.))))))

(defn given-name
  "The text of a name that a caller gave."
  ^String [x]
  (cond
    (string? x) x
    (instance? clojure.lang.Named x) (name x)
    :else (error/bad-argument (str "a name is a string, keyword or symbol, got " (error/describe x)) {:mxnet/got x})))

(defn node-name
  "The given name, or the hint with the next number, after the prefix in force."
  ^String [x hint]
  (let [given (when (some? x) (given-name x))]
    (if (string/blank? given)
      (str *prefix* hint (next-number hint))
      (str *prefix* given))))

(defn scope-attributes [] *attributes*)
