(ns ^:no-doc mxnet.impl.native
  "Calls of the C API: errors, lifetimes, strings, wrapping of handles."
  (:require [clojure.string :as string]
            [mxnet.impl.error :as error]
            [mxnet.lib :as lib])
  (:import (com.sun.jna Pointer)
           (java.lang.ref Reference WeakReference)
           (mxnet CStrings Executor LibMXNet NDArray NativeObject Scope Symbol)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(def ^:dynamic *scope*
  "The `Scope` that owns what this thread makes, or nil: then the garbage collector releases it."
  nil)

;; ---- errors ----------------------------------------------------------------------------------------------------

(defn- last-error ^String []
  (let [text ^Pointer (LibMXNet/MXGetLastError)
        text (if (nil? text) "" (.getString text 0 "UTF-8"))]
    (string/trim (string/replace text #"(?s)\n*Stack trace:.*" ""))))

(defn raise
  "Throw the library's last error. `context` is a map of further data: `:mxnet/op`, `:mxnet/name`, ..."
  [function context]
  (let [text (last-error)
        [_ type message] (re-matches #"(?s)([A-Za-z_][A-Za-z0-9_.]*Error): (.*)" text)
        message (or message text)
        {op :mxnet/op node :mxnet/name} context
        where (cond
                (and op node) (str op " \"" node "\": ")
                op (str op ": "))]
    (error/fail :native
                (str where (if (string/blank? message) (str function " failed") message))
                (merge {:mxnet/function function
                        :mxnet/type (or type "MXNetError")
                        :mxnet/native-message text}
                       context))))

(defmacro call
  "Call a function of the C API, keep the objects `alive` reachable until it returns, and throw what it reports.
  `context` is evaluated only for an error."
  ([alive form] `(call ~alive ~form nil))
  ([alive [method & arguments] context]
   `(do
      (lib/ensure-loaded)
      (let [status# (int (try
                           (. LibMXNet (~method ~@arguments))
                           (finally
                             ~@(for [object alive] `(Reference/reachabilityFence ~object)))))]
        (when-not (== 0 status#)
          (raise ~(str method) ~context))))))

;; ---- objects ---------------------------------------------------------------------------------------------------

(defn- wrong-type [what x]
  (error/bad-argument (str "expected " what ", got " (error/describe x)) {:mxnet/got x}))

(defn ndarray ^NDArray [x]
  (if (instance? NDArray x) x (wrong-type "an NDArray" x)))

(defn symbol-object ^Symbol [x]
  (if (instance? Symbol x) x (wrong-type "a Symbol" x)))

(defn executor-object ^Executor [x]
  (if (instance? Executor x) x (wrong-type "an Executor" x)))

(defn address ^long [^NativeObject x] (.address x))

(defn addresses
  "The handles of objects; nil stands for NULL."
  ^longs [objects]
  (let [objects (object-array objects)
        result (long-array (alength objects))]
    (dotimes [i (alength objects)]
      (when-let [object (aget objects i)]
        (aset result i (.address ^NativeObject object))))
    result))

(defn wrap-array
  "An NDArray of the current scope that takes over a handle."
  (^NDArray [^long handle] (wrap-array handle *scope*))
  (^NDArray [^long handle scope] (NDArray. handle ^Scope scope)))

(defn wrap-symbol ^Symbol [^long handle name]
  (Symbol. handle ^String name ^Scope *scope*))

(defn weak [x] (WeakReference. x))

(defn live
  "How many objects of a class this library's front end holds."
  ^long [kind]
  (NativeObject/live (case kind :ndarray 0 :symbol 1 :executor 2)))

;; ---- text and arrays -------------------------------------------------------------------------------------------

(defn c-string
  "A text as the C API takes it."
  ^bytes [x]
  (cond
    (string? x) (if (neg? (.indexOf ^String x 0))
                  (CStrings/encode x)
                  (error/bad-argument "a text must not hold the character NUL" {:mxnet/got x}))
    :else (error/bad-argument (str "expected a text, got " (error/describe x)) {:mxnet/got x})))

(defmacro with-strings
  "Evaluate the body with names bound to the address arrays of collections of strings."
  [bindings & body]
  (if (empty? bindings)
    `(do ~@body)
    (let [[name strings & more] bindings
          held (with-meta (gensym "held") {:tag `CStrings})]
      `(with-open [~held (CStrings. (object-array ~strings))]
         (let [~(with-meta name {:tag 'longs}) (.addresses ~held)]
           (with-strings ~(vec more) ~@body))))))

(defn strings-at
  "A vector of the strings of a C array."
  [^long address ^long n]
  (vec (CStrings/decodeAll address (int n))))

(def ^{:tag 'longs} no-longs "NULL for a long[] argument." nil)
(def ^{:tag 'ints} no-ints "NULL for an int[] argument." nil)
(def ^{:tag 'bytes} no-bytes "NULL for a byte[] argument." nil)

(defn long-out ^longs [] (long-array 1))
(defn int-out ^ints [] (int-array 1))

(defn option-name
  "The text of a name given as a string, keyword or symbol: keywords and symbols in snake case."
  ^String [x]
  (cond
    (string? x) x
    (instance? clojure.lang.Named x) (string/replace (name x) "-" "_")
    :else (error/bad-argument (str "expected a name, got " (error/describe x)) {:mxnet/got x})))

;; ---- memory pressure -------------------------------------------------------------------------------------------

(def ^:private high-water (atom nil))

(defn set-high-water [bytes] (reset! high-water bytes))

(defn accounts-all? [] (some? @high-water))

(defn account
  "Count the bytes of a new array; above the high-water mark, have the collector release what is out of reach."
  [^NDArray array ^long bytes]
  (.account array bytes)
  (when-let [limit @high-water]
    (when (> (NativeObject/liveBytes) (long limit))
      (System/gc)
      ;; The cleaner works on its own thread; give it a moment, but do not insist: all may be in use.
      (loop [tries 20]
        (when (and (pos? tries) (> (NativeObject/liveBytes) (long limit)))
          (Thread/sleep 2)
          (recur (dec tries))))))
  array)
