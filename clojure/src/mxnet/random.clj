(ns mxnet.random
  "Random arrays. With the same seed the same calls give the same numbers, in every language.

      (random/seed 42)
      (random/uniform 0 1 [2 3])
      (random/normal 0 1 [2 3] {:dtype :float64})

  The options of all functions are `:ctx`, `:dtype`, and `:out`, an array to write into. Parameters of distributions
  may be arrays instead of numbers: each of their elements then gets a sample of the given shape."
  (:refer-clojure :exclude [shuffle])
  (:require [mxnet.context :as context]
            [mxnet.dtype :as dtype]
            [mxnet.impl.coerce :as coerce]
            [mxnet.impl.error :as error]
            [mxnet.impl.native :as native]
            [mxnet.impl.op :as op]
            [mxnet.ndarray :as ndarray]
            [mxnet.shape :as shape]))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defn seed
  "Start the random numbers of all devices, or of one, anew from an integer."
  ([n] (seed n nil))
  ([n ctx]
   (when-not (int? n)
     (error/bad-argument (str "a seed is an integer of up to 64 bits, got " (error/describe n)) {:mxnet/got n}))
   (let [n (unchecked-int (long n))]
     (if ctx
       (native/call [] (MXRandomSeedContext n (int (context/device ctx)) (int (context/device-id ctx))))
       (native/call [] (MXRandomSeed n))))))

(defn- draw
  "Run `_random_X` for numbers or `_sample_X` for arrays; `parameters` is a sequence of [name value]."
  [distribution parameters shape {:keys [ctx dtype out] :as opts}]
  (when-let [bad (first (remove #{:ctx :dtype :out} (keys opts)))]
    (error/bad-argument (str "unknown option " bad "." (error/hint (str bad) [":ctx" ":dtype" ":out"]))
                        {:mxnet/got bad}))
  (doseq [[k value] parameters]
    (when-not (or (and (number? value) (not (Double/isNaN (double value)))) (ndarray/ndarray? value))
      (error/bad-argument (str distribution ": " k " must be a number or an NDArray, got " (error/describe value))
                          {:mxnet/op distribution :mxnet/got value})))
  (let [arrays (filter ndarray/ndarray? (map second parameters))
        shape-text (when (some? shape) (coerce/tuple-text (vec (shape/complete shape))))
        common (cond-> {}
                 shape-text (assoc "shape" shape-text)
                 dtype (assoc "dtype" (name (dtype/->dtype dtype))))]
    (cond
      (empty? arrays)
      (let [ctx (or ctx (context/default-context))]
        (context/device ctx)
        (op/invoke-internal (str "_random_" distribution) []
                            (into (assoc common "ctx" (str ctx))
                                  (map (fn [[k value]] [k (coerce/number-text value)])) parameters)
                            out))
      (= (count arrays) (count parameters))
      (op/invoke-internal (str "_sample_" distribution) arrays common out)
      :else
      (error/bad-argument (str distribution ": the parameters must all be numbers or all arrays")
                          {:mxnet/op distribution}))))

(defn uniform
  "Numbers from low (inclusive) to high (exclusive)."
  ([low high shape] (uniform low high shape nil))
  ([low high shape opts]
   (when (and (number? low) (number? high) (> (double low) (double high)))
     (error/bad-argument (str "uniform: low, " low ", is greater than high, " high) {:mxnet/op "uniform"}))
   (draw "uniform" [["low" low] ["high" high]] shape opts)))

(defn normal
  "Numbers of the normal distribution with mean loc and standard deviation scale."
  ([loc scale shape] (normal loc scale shape nil))
  ([loc scale shape opts]
   (let [[loc-name scale-name] (if (ndarray/ndarray? loc) ["mu" "sigma"] ["loc" "scale"])]
     (draw "normal" [[loc-name loc] [scale-name scale]] shape opts))))

(defn exponential
  "Numbers of the exponential distribution with a rate, the inverse of its mean."
  ([rate shape] (exponential rate shape nil))
  ([rate shape opts] (draw "exponential" [["lam" rate]] shape opts)))

(defn gamma
  "Numbers of the gamma distribution with shape alpha and scale beta."
  ([alpha beta shape] (gamma alpha beta shape nil))
  ([alpha beta shape opts] (draw "gamma" [["alpha" alpha] ["beta" beta]] shape opts)))

(defn poisson
  "Numbers of the Poisson distribution with a mean."
  ([mean shape] (poisson mean shape nil))
  ([mean shape opts] (draw "poisson" [["lam" mean]] shape opts)))

(defn negative-binomial
  "Numbers of failures before k successes, each of probability p."
  ([k p shape] (negative-binomial k p shape nil))
  ([k p shape opts] (draw "negative_binomial" [["k" k] ["p" p]] shape opts)))

(defn generalized-negative-binomial
  "Numbers of the negative binomial distribution with mean mu and dispersion alpha."
  ([mu alpha shape] (generalized-negative-binomial mu alpha shape nil))
  ([mu alpha shape opts] (draw "generalized_negative_binomial" [["mu" mu] ["alpha" alpha]] shape opts)))

(defn randint
  "Integers from low (inclusive) to high (exclusive)."
  ([low high shape] (randint low high shape nil))
  ([low high shape opts]
   (when-not (and (int? low) (int? high) (< (long low) (long high)))
     (error/bad-argument (str "randint needs two integers, the first less, got " (error/describe low) " and "
                              (error/describe high))
                         {:mxnet/op "randint"}))
   (draw "randint" [["low" low] ["high" high]] shape (merge {:dtype :int32} opts))))

(defn multinomial
  "Numbers of categories drawn by their probabilities, the last axis of an array. Options: `:shape` (the number of
  draws), `:get-prob` (whether to give the logarithms of the probabilities too), `:dtype` (`:int32`)."
  ([probabilities] (multinomial probabilities nil))
  ([probabilities {:keys [shape get-prob dtype out]}]
   (op/invoke-internal "_sample_multinomial" [(native/ndarray probabilities)]
                       (cond-> {"dtype" (name (dtype/->dtype (or dtype :int32)))}
                         shape (assoc "shape" (coerce/tuple-text (shape/->shape shape)))
                         get-prob (assoc "get_prob" "True"))
                       out)))

(defn shuffle
  "The rows of an array in random order."
  ([nd] (shuffle nd nil))
  ([nd {:keys [out]}] (op/invoke-internal "_shuffle" [(native/ndarray nd)] {} out)))
