(ns mxnet.shape
  "Shapes are vectors of integers; 0 or nil stands for an unknown dimension where that is allowed."
  (:refer-clojure :exclude [->vec])
  (:require [mxnet.impl.error :as error]))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defn ->shape
  "A shape of a collection of integers, or of one integer."
  [v]
  (let [dims (cond
               (integer? v) [v]
               (or (sequential? v) (and (some? v) (.isArray (class v)))) (vec v)
               :else (error/bad-argument (str "expected a shape, for instance [2 3], got " (error/describe v))
                                         {:mxnet/got v}))]
    (mapv (fn [d]
            (cond
              (nil? d) 0
              (and (integer? d) (<= Long/MIN_VALUE d Long/MAX_VALUE)) (long d)
              :else (error/bad-argument (str "a dimension is an integer, got " (error/describe d) " in " v)
                                        {:mxnet/got v})))
          dims)))

(defn ->vec
  "The dimensions of a shape as a vector."
  [shape]
  (->shape shape))

(defn length
  "The number of dimensions."
  [shape]
  (count (->shape shape)))

(defn product
  "The number of elements of an array of the shape."
  [shape]
  (reduce *' 1 (->shape shape)))

(defn ^:no-doc complete
  "The shape as a long array; an error unless every dimension is known and their product fits."
  ^longs [shape]
  (let [dims (->shape shape)]
    (when-let [bad (first (filter #(neg? (long %)) dims))]
      (error/bad-argument (str "the shape " dims " has the negative dimension " bad) {:mxnet/shapes [dims]}))
    (when (pos? (compare (product dims) Long/MAX_VALUE))
      (error/bad-argument (str "an array of the shape " dims " is too large") {:mxnet/shapes [dims]}))
    (long-array dims)))
