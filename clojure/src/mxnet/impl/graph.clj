(ns ^:no-doc mxnet.impl.graph
  "Questions about symbols: names, inference of shapes and types."
  (:require [clojure.string :as string]
            [mxnet.dtype :as dtype]
            [mxnet.impl.error :as error]
            [mxnet.impl.names :as names]
            [mxnet.impl.native :as native]
            [mxnet.shape :as shape])
  (:import (mxnet CStrings Symbol)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defmacro ^:private def-list [fn-name function]
  `(defn ~fn-name [~'sym]
     (let [symbol# (native/symbol-object ~'sym)
           n# (native/int-out)
           names# (native/long-out)]
       (native/call [symbol#] (~function (native/address symbol#) n# names#))
       (native/strings-at (aget names# 0) (aget n# 0)))))

(def-list arguments MXSymbolListArguments)
(def-list outputs MXSymbolListOutputs)
(def-list auxiliary-states MXSymbolListAuxiliaryStates)

(defn symbol-name
  "The name of the head node, nil for a group."
  [sym]
  (let [sym (native/symbol-object sym)
        out (native/long-out)
        found (native/int-out)]
    (native/call [sym] (MXSymbolGetName (native/address sym) out found))
    (when-not (zero? (aget found 0))
      (CStrings/decode (aget out 0)))))

(defn pairs
  "A map of an array of keys and values in turn."
  [^longs address ^ints n]
  (into {} (map vec) (partition 2 (native/strings-at (aget address 0) (* 2 (aget n 0))))))

(defn attributes
  "The attributes of all nodes that have any, by node name."
  [sym]
  (let [sym (native/symbol-object sym)
        n (native/int-out)
        out (native/long-out)]
    (native/call [sym] (MXSymbolListAttr (native/address sym) n out))
    (reduce-kv (fn [result path value]
                 (let [[node key] (string/split path #"\$" 2)]
                   (assoc-in result [node key] value)))
               {} (pairs out n))))

(defn wrap-named
  "A symbol, labelled with its own name, that takes over a handle."
  ^Symbol [^long handle]
  (let [out (native/long-out)
        found (native/int-out)]
    (try
      (native/call [] (MXSymbolGetName handle out found))
      (native/wrap-symbol handle (if (zero? (aget found 0)) "group" (CStrings/decode (aget out 0))))
      (catch Throwable failure
        (.close ^Symbol (native/wrap-symbol handle nil))
        (throw failure)))))

(defn label
  "How a symbol is called in messages."
  [^Symbol sym]
  (or (.label sym) "group"))

(defn by-name
  "A map with its keys as texts, in the candidates' spelling. A key that is not among them is an error if
  `strict?`."
  ([values candidates what] (by-name values candidates what true))
  ([values candidates what strict?]
  (when-not (or (nil? values) (map? values))
    (error/bad-argument (str "expected a map with the names of " what "s, got " (error/describe values))
                        {:mxnet/got values}))
  (into {}
        (for [[k v] values]
          (let [k (names/given-name k)
                ;; :fc1-weight may stand for fc1_weight.
                snake (string/replace k "-" "_")
                found (cond (some #{k} candidates) k
                            (some #{snake} candidates) snake
                            :else k)]
            (when (and strict? (not (some #{found} candidates)))
              (error/bad-argument (str "there is no " what " named " k "." (error/hint k candidates)
                                       " There are: " (string/join ", " candidates))
                                  {:mxnet/name k :mxnet/candidates (vec candidates)}))
            [found v])))))

(defn- shape-lists
  "The shapes of one part of an inference result."
  [^longs n ^longs ndims ^longs dims]
  (let [n (int (aget n 0))
        counts (CStrings/ints (aget ndims 0) n)
        rows (CStrings/longs (aget dims 0) n)]
    (mapv (fn [i]
            (vec (CStrings/longs (aget rows (int i)) (aget counts (int i)))))
          (range n))))

(defn infer-shapes
  "`[arguments outputs auxiliary-states]`, or nil when they cannot all be told and `partial?` is false.
  `ks` is nil for shapes in the order of the arguments."
  [sym ks index-pointer data partial?]
  (let [^Symbol sym (native/symbol-object sym)
        index-pointer (long-array index-pointer)
        data (long-array data)
        n (dec (alength index-pointer))
        [in-n in-ndim in-dims out-n out-ndim out-dims aux-n aux-ndim aux-dims] (repeatedly 9 native/long-out)
        complete (native/int-out)
        infer (fn [keys-address]
                (if partial?
                  (native/call [sym] (MXSymbolInferShapePartialEx64
                                      (native/address sym) n ^longs keys-address index-pointer data
                                      ^longs in-n ^longs in-ndim ^longs in-dims ^longs out-n ^longs out-ndim ^longs out-dims
                                      ^longs aux-n ^longs aux-ndim ^longs aux-dims complete)
                               {:mxnet/name (label sym)})
                  (native/call [sym] (MXSymbolInferShapeEx64
                                      (native/address sym) n ^longs keys-address index-pointer data
                                      ^longs in-n ^longs in-ndim ^longs in-dims ^longs out-n ^longs out-ndim ^longs out-dims
                                      ^longs aux-n ^longs aux-ndim ^longs aux-dims complete)
                               {:mxnet/name (label sym)})))]
    (if ks
      (native/with-strings [addresses ks] (infer addresses))
      (infer native/no-longs))
    (when (or partial? (not (zero? (aget complete 0))))
      [(shape-lists in-n in-ndim in-dims) (shape-lists out-n out-ndim out-dims) (shape-lists aux-n aux-ndim aux-dims)])))

(defn pack-shapes
  "Shapes one after another, with the places where they begin and end."
  [shapes]
  (let [shapes (map shape/->shape shapes)]
    {:index-pointer (vec (reductions + 0 (map count shapes)))
     :data (vec (apply concat shapes))}))

(defn infer-types
  "`[arguments outputs auxiliary-states]` as dtypes (nil where unknown), or nil when they cannot all be told."
  [sym types]
  (let [^Symbol sym (native/symbol-object sym)
        flags (int-array (map dtype/->flag (vals types)))
        [in-n out-n aux-n complete] (repeatedly 4 native/int-out)
        [in out aux] (repeatedly 3 native/long-out)
        dtypes (fn [^ints n ^longs data] (mapv dtype/flag-> (CStrings/ints (aget data 0) (aget n 0))))]
    (native/with-strings [ks (keys types)]
      (native/call [sym] (MXSymbolInferType (native/address sym) (alength ks) ks flags ^ints in-n ^longs in
                                            ^ints out-n ^longs out ^ints aux-n ^longs aux ^ints complete)
                   {:mxnet/name (label sym)}))
    (when-not (zero? (aget ^ints complete 0))
      [(dtypes in-n in) (dtypes out-n out) (dtypes aux-n aux)])))
