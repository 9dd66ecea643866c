(ns ^:no-doc mxnet.impl.bind
  "Making executors of symbols."
  (:require [clojure.string :as string]
            [mxnet.context :as context]
            [mxnet.dtype :as dtype]
            [mxnet.impl.array :as array]
            [mxnet.impl.error :as error]
            [mxnet.impl.graph :as graph]
            [mxnet.impl.native :as native])
  (:import (mxnet CStrings Executor NDArray Scope Symbol)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(def ^:private requests {"null" 0 "write" 1 "add" 3})

(defn- request-text [x]
  (let [text (native/option-name x)]
    (if (contains? requests text)
      text
      (error/bad-argument (str "a gradient request is :null, :write or :add, got " (error/describe x))
                          {:mxnet/got x}))))

(defn- requests-of
  "Texts of gradient requests in the order of the arguments, from one for all, a sequence, or a map."
  [grad-req argument-names]
  (cond
    (map? grad-req) (let [given (graph/by-name grad-req argument-names "argument")]
                      (mapv #(request-text (get given % "null")) argument-names))
    (sequential? grad-req) (if (= (count grad-req) (count argument-names))
                             (mapv request-text grad-req)
                             (error/bad-argument (str "got " (count grad-req) " gradient requests for "
                                                      (count argument-names) " arguments")))
    :else (vec (repeat (count argument-names) (request-text grad-req)))))

(defn- arrays-in-order
  "Arrays for names from a map, a sequence or one array; nil where a map lacks one and `missing-ok?`."
  [values names what missing-ok?]
  (cond
    (nil? values) (if (or missing-ok? (empty? names))
                    (vec (repeat (count names) nil))
                    (recur [] names what missing-ok?))
    (instance? NDArray values) (recur [values] names what missing-ok?)
    (map? values)
    (let [given (graph/by-name values names what false)]
      (mapv (fn [n]
              (let [found (get given n)]
                (if (and (nil? found) missing-ok?)
                  nil
                  (if (nil? found)
                    (error/bad-argument (str "bind: the " what " " n " is missing; given are "
                                             (string/join ", " (map pr-str (keys values))))
                                        {:mxnet/name n :mxnet/given (vec (keys values))})
                    (native/ndarray found)))))
            names))
    (sequential? values)
    (if (= (count values) (count names))
      (mapv #(if (and (nil? %) missing-ok?) nil (native/ndarray %)) values)
      (error/bad-argument (str "bind: got " (count values) " " what "s, the symbol has " (count names) ": "
                               (string/join ", " names))
                          {:mxnet/given (count values) :mxnet/expected names}))
    :else (error/bad-argument (str "bind: the " what "s must be a map or a sequence of NDArrays, got "
                                   (error/describe values))
                              {:mxnet/got values})))

(defn- groups
  "Keys, device types and device numbers of a map from context group to context."
  [group2ctx]
  {:names (mapv native/option-name (keys group2ctx))
   :types (int-array (map context/device (vals group2ctx)))
   :ids (int-array (map context/device-id (vals group2ctx)))})

(defn- executor [^long handle sym details children]
  (Executor. handle ^String (graph/label sym) ^Scope native/*scope*
             (merge {:output-names (graph/outputs sym)
                     :outputs (atom nil)
                     :monitor (atom nil)}
                    details)
             ^Scope children))

(defn bind
  "An executor over the given arrays."
  [sym ctx args grads grad-req aux {:keys [group2ctx shared-exec]}]
  (let [^Symbol sym (native/symbol-object sym)
        argument-names (graph/arguments sym)
        state-names (graph/auxiliary-states sym)
        device (context/device ctx)
        args (arrays-in-order args argument-names "argument" false)
        grads (arrays-in-order grads argument-names "gradient" true)
        aux (arrays-in-order aux state-names "auxiliary state" false)
        wanted (mapv (fn [request grad] (if grad request "null")) (requests-of grad-req argument-names) grads)
        {:keys [names types ids]} (groups group2ctx)
        shared (when shared-exec (native/executor-object shared-exec))
        out (native/long-out)]
    (native/with-strings [ks names]
      (native/call [sym args grads aux shared]
                   (MXExecutorBindEX (native/address sym) (int device) (int (context/device-id ctx))
                                     (alength ks) ks ^ints types ^ints ids
                                     (count args) (native/addresses args) (native/addresses grads)
                                     (int-array (map requests wanted))
                                     (count aux) (native/addresses aux)
                                     (if shared (native/address shared) 0) out)
                   {:mxnet/name (graph/label sym)
                    :mxnet/shapes (zipmap argument-names (map #(vec (array/dims %)) args))}))
    (executor (aget out 0) sym
              {:ctx ctx :argument-names argument-names :state-names state-names
               :args args :grads grads :aux aux :requests wanted :group2ctx group2ctx}
              (Scope. nil))))

(defn- handle-arrays
  "Arrays of a C array of handles, owned by a scope; nil for NULL."
  [^longs address ^long n scope]
  (mapv (fn [h] (when-not (zero? (long h)) (native/wrap-array (long h) scope)))
        (CStrings/longs (aget address 0) (int n))))

(defn- default-types
  "Float32 for every argument that does not say what it is."
  [sym argument-names]
  (let [attributes (graph/attributes sym)]
    (into {} (for [n argument-names
                   :when (not (contains? (get attributes n) "__dtype__"))]
               [n :float32]))))

(defn simple-bind
  "An executor over new arrays for the given shapes."
  [sym ctx shapes {:keys [grad-req type-map group2ctx shared-exec] :or {grad-req "write"}}]
  (let [^Symbol sym (native/symbol-object sym)
        argument-names (graph/arguments sym)
        state-names (graph/auxiliary-states sym)
        candidates (into argument-names state-names)
        device (context/device ctx)
        shapes (graph/by-name shapes candidates "argument")
        {:keys [index-pointer data]} (graph/pack-shapes (vals shapes))
        type-map (if type-map
                   (graph/by-name type-map candidates "argument")
                   (default-types sym argument-names))
        wanted (requests-of grad-req argument-names)
        {:keys [names types ids]} (groups group2ctx)
        shared (when shared-exec (native/executor-object shared-exec))
        [n-args n-aux] (repeatedly 2 native/int-out)
        [args grads aux out shared-names shared-handles] (repeatedly 6 native/long-out)
        scope (Scope. nil)]
    (native/with-strings [group-names names
                          request-names argument-names
                          request-texts wanted
                          shape-names (keys shapes)
                          type-names (keys type-map)]
      (native/call [sym shared]
                   (MXExecutorSimpleBindEx
                    (native/address sym) (int device) (int (context/device-id ctx))
                    (alength group-names) group-names ^ints types ^ints ids
                    (alength request-names) request-names request-texts
                    (alength shape-names) shape-names (int-array data) (int-array index-pointer)
                    (alength type-names) type-names (int-array (map dtype/->flag (vals type-map)))
                    0 native/no-longs native/no-ints
                    0 native/no-longs (int-array [-1]) native/no-longs native/no-longs
                    ^longs shared-names ^longs shared-handles
                    ^ints n-args ^longs args ^longs grads ^ints n-aux ^longs aux
                    (if shared (native/address shared) 0) ^longs out)
                   {:mxnet/name (graph/label sym) :mxnet/shapes shapes}))
    (executor (aget ^longs out 0) sym
              {:ctx ctx :argument-names argument-names :state-names state-names
               :args (handle-arrays args (aget ^ints n-args 0) scope)
               :grads (handle-arrays grads (aget ^ints n-args 0) scope)
               :aux (handle-arrays aux (aget ^ints n-aux 0) scope)
               :requests wanted :group2ctx group2ctx}
              scope)))

(defn reshape
  "A new executor of the same symbol for other shapes; arrays whose shape stays are shared."
  [x shapes partial-shaping allow-up-sizing]
  (let [^Executor old (native/executor-object x)
        {:keys [ctx argument-names state-names group2ctx requests] :as bound} (.bound old)
        candidates (into argument-names state-names)
        shapes (graph/by-name shapes candidates "argument")
        {:keys [index-pointer data]} (graph/pack-shapes (vals shapes))
        {:keys [names types ids]} (groups group2ctx)
        [n-args n-aux] (repeatedly 2 native/int-out)
        [args grads aux out] (repeatedly 4 native/long-out)
        scope (Scope. nil)]
    (native/with-strings [group-names names
                          shape-names (keys shapes)]
      (native/call [old]
                   (MXExecutorReshapeEx
                    (if partial-shaping 1 0) (if allow-up-sizing 1 0)
                    (int (context/device ctx)) (int (context/device-id ctx))
                    (alength group-names) group-names ^ints types ^ints ids
                    (alength shape-names) shape-names (int-array data) (int-array index-pointer)
                    ^ints n-args ^longs args ^longs grads ^ints n-aux ^longs aux
                    (native/address old) ^longs out)
                   {:mxnet/name (.label old) :mxnet/shapes shapes}))
    (Executor. (aget ^longs out 0) (.label old) ^Scope native/*scope*
               (merge bound
                      {:outputs (atom nil)
                       :monitor (atom nil)
                       :requests requests
                       :args (handle-arrays args (aget ^ints n-args 0) scope)
                       :grads (handle-arrays grads (aget ^ints n-args 0) scope)
                       :aux (handle-arrays aux (aget ^ints n-aux 0) scope)})
               scope)))

(defn outputs
  "The output arrays, which live as long as the executor."
  [x]
  (let [^Executor executor (native/executor-object x)
        cache (:outputs (.bound executor))]
    (.address executor)
    (or @cache
        (locking cache
          (or @cache
              (let [n (native/int-out)
                    out (native/long-out)]
                (native/call [executor] (MXExecutorOutputs (native/address executor) n out))
                (reset! cache (handle-arrays out (aget n 0) (.children executor)))))))))
