(ns ^:no-doc mxnet.impl.registry
  "What the library says about its operators, read once an operator."
  (:require [clojure.string :as string]
            [mxnet.impl.error :as error]
            [mxnet.impl.native :as native])
  (:import (java.util.concurrent ConcurrentHashMap)
           (mxnet CStrings)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defn kebab
  "The Clojure name of an operator or parameter: `FullyConnected` -> \"fully-connected\"."
  [text]
  (-> text
      (string/replace #"([A-Z]+)([A-Z][a-z]+)" "$1-$2")
      (string/replace #"([a-z0-9])([A-Z])" "$1-$2")
      string/lower-case
      (string/replace "_" "-")
      (string/replace "/" "div")))

(defn operator-names
  "The names of all registered operators, aliases included."
  []
  (let [n (native/int-out)
        names (native/long-out)]
    (native/call [] (MXListAllOpNames n names))
    (native/strings-at (aget names 0) (aget n 0))))

(defn- parse-parameter [position type-text]
  (let [[_ enum] (re-find #"^\{([^}]*)\}" type-text)
        values (when enum (mapv (fn [[_ quoted bare]] (or quoted bare)) (re-seq #"'([^']*)'|(None)" enum)))
        base (if enum "enum" (first (string/split type-text #",")))
        [_ default] (re-find #"default=(.*)$" type-text)]
    {:position position
     :type base
     :values values
     :required? (boolean (re-find #"required" type-text))
     :optional-none? (or (string/includes? base "None") (boolean (some #{"None" "'None'"} [default]))
                         (boolean (some #{"None"} values)))
     :kind (cond
             enum :enum
             (string/starts-with? base "Shape") :tuple
             (string/starts-with? base "tuple") :tuple
             (string/starts-with? base "boolean") :boolean
             (string/starts-with? base "string") :string
             :else :number)}))

(defn- input? [type-text]
  (boolean (re-find #"NDArray|Symbol" type-text)))

(defn- read-info [op-name]
  (let [creator (native/long-out)
        known (try (native/call [] (NNGetOpHandle (native/c-string op-name) creator))
                   true
                   (catch clojure.lang.ExceptionInfo e
                     (if (= :native (:mxnet/error (ex-data e))) false (throw e))))]
    (when-not (and known (not (zero? (aget creator 0))))
      (error/bad-argument (str "the operator " op-name " is not in this library."
                               (error/hint op-name (remove #(string/starts-with? % "_backward") (operator-names))))
                          {:mxnet/op op-name}))
    (let [handle (aget creator 0)
          [name description arguments types documents key-var return]
          (repeatedly 7 native/long-out)
          n (native/int-out)]
      (native/call [] (MXSymbolGetAtomicSymbolInfo handle ^longs name ^longs description n ^longs arguments
                                                   ^longs types ^longs documents ^longs key-var ^longs return))
      (let [at (fn [^longs out] (native/strings-at (aget out 0) (aget n 0)))
            rows (map vector (at arguments) (at types) (at documents))
            inputs (filterv #(input? (second %)) rows)
            parameters (vec (remove #(input? (second %)) rows))
            key-var (CStrings/decode (aget ^longs key-var 0))]
        {:name op-name
         :creator handle
         :description (CStrings/decode (aget ^longs description 0))
         :inputs (mapv first inputs)
         :input-set (set (map first inputs))
         :parameters (into {} (map-indexed (fn [i [p type]] [p (parse-parameter i type)])) parameters)
         :parameter-order (mapv first parameters)
         :key-var (when-not (string/blank? key-var) key-var)
         :open? (or (= op-name "Custom") (string/starts-with? op-name "_sg_"))}))))

(def ^:private ^ConcurrentHashMap cache (ConcurrentHashMap.))

(defn info
  "What is known about an operator; an error with the nearest name if there is none."
  [op-name]
  (or (.get cache op-name)
      (let [read (read-info op-name)]
        (.put cache op-name read)
        read)))
