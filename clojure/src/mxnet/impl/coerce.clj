(ns ^:no-doc mxnet.impl.coerce
  "Operator parameters as the texts that the library reads and that symbol files hold."
  (:require [clojure.string :as string]
            [mxnet.context :as context]
            [mxnet.impl.error :as error])
  (:import (mxnet NativeObject)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defn number-text
  "A number as Python writes it, so that files do not depend on the language: 1.0E-9 is `1e-09`."
  [x]
  (cond
    (int? x) (str x)
    (integer? x) (str (biginteger x))
    (or (ratio? x) (decimal? x)) (number-text (double x))
    :else
    (let [wide (double x)]
      (cond
        (Double/isNaN wide) "nan"
        (Double/isInfinite wide) (if (pos? wide) "inf" "-inf")
        (zero? wide) (if (neg? (Math/copySign 1.0 wide)) "-0.0" "0.0")
        :else
        (let [exact (BigDecimal. (str x))
              ;; The decimal exponent in scientific notation.
              exponent (- (.precision exact) (.scale exact) 1)]
          (if (<= -4 exponent 15)
            (let [plain (.toPlainString exact)]
              (if (string/includes? plain ".")
                (string/replace plain #"(\.\d+?)0+$" "$1")
                (str plain ".0")))
            (let [digits (str (.unscaledValue (.abs (.stripTrailingZeros exact))))
                  mantissa (if (= 1 (count digits)) digits (str (subs digits 0 1) "." (subs digits 1)))]
              (str (when (neg? (.signum exact)) "-") mantissa "e" (if (neg? exponent) "-" "+")
                   (format "%02d" (Math/abs (long exponent)))))))))))

(declare plain-text)

(defn tuple-text
  "A collection as a Python tuple: `(2, 3)`, `(2,)`, `()`."
  [items]
  (let [texts (map plain-text items)]
    (if (= 1 (count texts))
      (str "(" (first texts) ",)")
      (str "(" (string/join ", " texts) ")"))))

(defn plain-text
  "A value as text, whatever the parameter."
  [x]
  (cond
    (nil? x) "None"
    (true? x) "True"
    (false? x) "False"
    (number? x) (number-text x)
    (string? x) x
    (context/context? x) (str x)
    (instance? clojure.lang.Named x) (string/replace (name x) "-" "_")
    (or (sequential? x) (and (.isArray (class x)) (.isPrimitive (.getComponentType (class x))))) (tuple-text x)
    (char? x) (str x)
    :else (error/bad-argument (str "cannot be an operator parameter: " (error/describe x)) {:mxnet/got x})))

(defn- enum-text [op parameter values x]
  (let [text (plain-text x)
        text (cond
               (some #{text} values) text
               ;; :NCHW, :Nearest, :fast-mode and the like.
               (keyword? x) (or (some #{(name x)} values)
                                (first (filter #(.equalsIgnoreCase ^String % text) values))
                                text)
               :else text)]
    (when (and values (not (some #{text} values)) (not (re-matches #"-?\d+" text)))
      (error/bad-argument
       (str op ": " parameter " cannot be " (pr-str x) "; expected one of " (string/join ", " (map pr-str values)) "."
            (error/hint text values))
       {:mxnet/op op :mxnet/parameter parameter :mxnet/got x :mxnet/expected values}))
    text))

(defn- refuse [op parameter expected x]
  (error/bad-argument (str op ": " parameter " must be " expected ", got " (error/describe x))
                      {:mxnet/op op :mxnet/parameter parameter :mxnet/got x}))

(defn parameter-text
  "The text of a parameter by its declared kind; nil means to leave the parameter out."
  [op parameter {:keys [kind values optional-none?]} x]
  (cond
    (nil? x) (when optional-none? "None")
    (instance? NativeObject x) (refuse op parameter "a value, not an array or a symbol" x)
    (map? x) (if (context/context? x) (str x) (refuse op parameter "a value" x))
    :else
    (case kind
      :enum (enum-text op parameter values x)
      :tuple (cond
               (number? x) (tuple-text [x])
               (set? x) (refuse op parameter "a vector, for instance [2 2]" x)
               :else (plain-text x))
      :boolean (if (or (boolean? x) (number? x) (string? x)) (plain-text x) (refuse op parameter "true or false" x))
      :number (if (or (number? x) (string? x) (boolean? x)) (plain-text x) (refuse op parameter "a number" x))
      (plain-text x))))
