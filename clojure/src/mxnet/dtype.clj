(ns mxnet.dtype
  "Element types. A dtype is a keyword: `:float32 :float64 :float16 :bfloat16 :uint8 :int8 :int32 :int64 :bool`.
  Wherever one is asked for, its name as a string serves too.

      (ndarray/zeros [2 3] {:dtype :int64})
      (ndarray/zeros [2 3] {:dtype dtype/INT32})"
  (:require [mxnet.impl.error :as error]))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(def UINT8 "Unsigned integers from 0 to 255." :uint8)
(def INT8 "Integers from -128 to 127." :int8)
(def INT32 "32-bit integers." :int32)
(def INT64 "64-bit integers." :int64)
(def FLOAT16 "IEEE 754 half precision." :float16)
(def BFLOAT16 "The upper half of a 32-bit float." :bfloat16)
(def FLOAT32 "32-bit floats, the default." :float32)
(def FLOAT64 "64-bit floats." :float64)
(def BOOL "True or false." :bool)

(def ^:private flags
  {:float32 0 :float64 1 :float16 2 :uint8 3 :int32 4 :int8 5 :int64 6 :bool 7 :bfloat16 12})

(def ^:private names (into {} (map (fn [[k v]] [v k])) flags))

(def all
  "The set of all dtypes."
  (set (keys flags)))

(defn ->dtype
  "The keyword of a dtype given as a keyword or string; an error for anything else."
  [x]
  (let [k (cond (keyword? x) x
                (string? x) (keyword x)
                :else nil)]
    (cond
      (contains? flags k) k
      (= k :boolean) :bool
      :else (error/bad-argument
             (str "unknown dtype " (error/describe x) "; expected one of " (sort all) "."
                  (if k (error/hint (name k) (map str all)) ""))
             {:mxnet/got x}))))

(defn ->flag
  "The number that stands for a dtype in the C API and in files."
  ^long [x]
  (long (flags (->dtype x))))

(defn flag->
  "The dtype of a number of the C API, nil for an array without one."
  [flag]
  (names flag))

(defn floating?
  "Whether a dtype holds fractions."
  [x]
  (contains? #{:float16 :bfloat16 :float32 :float64} (->dtype x)))
