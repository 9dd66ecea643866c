(ns ^:no-doc mxnet.impl.array
  "The contents and properties of arrays."
  (:require [clojure.string :as string]
            [mxnet.context :as context]
            [mxnet.dtype :as dtype]
            [mxnet.impl.error :as error]
            [mxnet.impl.native :as native]
            [mxnet.shape :as shape])
  (:import (com.sun.jna Pointer)
           (java.io Writer)
           (mxnet ArrayData CStrings LibMXNet NDArray)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

;; ---- properties ------------------------------------------------------------------------------------------------

(defn dims
  "The shape as a long array; nil for an array that has none yet."
  ^longs [x]
  (let [array (native/ndarray x)
        n (native/int-out)
        data (native/long-out)]
    (native/call [array] (MXNDArrayGetShapeEx64 (native/address array) n data))
    (when-not (neg? (aget n 0))
      (CStrings/longs (aget data 0) (aget n 0)))))

(defn size ^long [x]
  (let [dims (dims x)]
    (if (nil? dims)
      0
      (loop [i 0
             product 1]
        (if (< i (alength dims))
          (recur (inc i) (* product (aget dims i)))
          product)))))

(defn flag ^long [x]
  (let [array (native/ndarray x)
        out (native/int-out)]
    (native/call [array] (MXNDArrayGetDType (native/address array) out))
    (long (aget out 0))))

(defn device [x]
  (let [array (native/ndarray x)
        kind (native/int-out)
        id (native/int-out)]
    (native/call [array] (MXNDArrayGetContext (native/address array) kind id))
    (context/from-codes (aget kind 0) (aget id 0))))

(defn storage ^long [x]
  (let [array (native/ndarray x)
        out (native/int-out)]
    (native/call [array] (MXNDArrayGetStorageType (native/address array) out))
    (long (aget out 0))))

;; ---- making and filling ----------------------------------------------------------------------------------------

(defn make
  "A new array whose contents are undefined."
  ^NDArray [shape ctx dtype]
  (let [dims (shape/complete shape)
        type (dtype/->flag dtype)
        kind (context/device ctx)
        out (native/long-out)]
    (native/call [] (MXNDArrayCreateEx64 dims (alength dims) (int kind) (int (context/device-id ctx)) 0 (int type) out)
                 {:mxnet/shapes [(vec dims)]})
    (native/account (native/wrap-array (aget out 0))
                    (* (long (shape/product shape)) (ArrayData/elementBytes (int type))))))

(defn- copy-in [^NDArray array data ^long n]
  (let [handle (native/address array)]
    (cond
      (instance? (Class/forName "[F") data) (native/call [array] (MXNDArraySyncCopyFromCPU handle ^floats data n))
      (instance? (Class/forName "[D") data) (native/call [array] (MXNDArraySyncCopyFromCPU handle ^doubles data n))
      (instance? (Class/forName "[I") data) (native/call [array] (MXNDArraySyncCopyFromCPU handle ^ints data n))
      (instance? (Class/forName "[J") data) (native/call [array] (MXNDArraySyncCopyFromCPU handle ^longs data n))
      (instance? (Class/forName "[S") data) (native/call [array] (MXNDArraySyncCopyFromCPU handle ^shorts data n))
      :else (native/call [array] (MXNDArraySyncCopyFromCPU handle ^bytes data n)))))

(defn- copy-out [^NDArray array data ^long n]
  (let [handle (native/address array)]
    (cond
      (instance? (Class/forName "[F") data) (native/call [array] (MXNDArraySyncCopyToCPU handle ^floats data n))
      (instance? (Class/forName "[D") data) (native/call [array] (MXNDArraySyncCopyToCPU handle ^doubles data n))
      (instance? (Class/forName "[I") data) (native/call [array] (MXNDArraySyncCopyToCPU handle ^ints data n))
      (instance? (Class/forName "[J") data) (native/call [array] (MXNDArraySyncCopyToCPU handle ^longs data n))
      (instance? (Class/forName "[S") data) (native/call [array] (MXNDArraySyncCopyToCPU handle ^shorts data n))
      :else (native/call [array] (MXNDArraySyncCopyToCPU handle ^bytes data n)))))

(defn- source-object
  "Something that `ArrayData/fill` can read: a number, a Java array, or an iterable."
  [x]
  (if (or (number? x) (boolean? x) (sequential? x) (and (some? x) (.isArray (class x))))
    x
    (error/bad-argument (str "expected numbers, got " (error/describe x)) {:mxnet/got x})))

(defn- jvm-size ^long [^long n]
  (if (> n Integer/MAX_VALUE)
    (error/bad-argument (str n " elements do not fit into a JVM array"))
    n))

(defn fill
  "Write numbers into an array; their count must be the array's size. Returns the array."
  [x source]
  (let [array (native/ndarray x)
        type (int (flag array))
        n (jvm-size (size array))
        data (ArrayData/allocate type (int n))
        written (try
                  (long (ArrayData/fill data type 0 (source-object source)))
                  (catch IllegalArgumentException e
                    (error/fail :argument (str "an array of " (dtype/flag-> type) " cannot hold this: " (ex-message e))
                                {:mxnet/got source} e)))]
    (when-not (= written n)
      (error/bad-argument (str "an array of the shape " (vec (dims array)) " holds " n " numbers, got " written)
                          {:mxnet/shapes [(vec (dims array))] :mxnet/count written}))
    (copy-in array data n)
    array))

(defn data
  "The elements as a primitive array of the dtype's kind; waits for pending work."
  [x]
  (let [array (native/ndarray x)
        type (int (flag array))
        n (jvm-size (size array))
        result (ArrayData/allocate type (int n))]
    (when (pos? n)
      (copy-out array result n))
    result))

(defn nested-shape
  "The shape of nested collections; an error when they are ragged."
  [source]
  (let [source (source-object source)
        dims (ArrayData/shapeOf source)]
    (try
      (ArrayData/checkShape source dims 0)
      (vec dims)
      (catch IllegalArgumentException e
        (error/fail :argument (ex-message e) {:mxnet/got source} e)))))

;; ---- printing --------------------------------------------------------------------------------------------------

(def ^:dynamic *print-edge*
  "How many items an array prints at either end of an axis before it leaves out the middle."
  3)

(defn- read-items [^Pointer data type ^long from ^long n]
  (let [items (ArrayData/allocate (int type) (int n))
        offset (* from (ArrayData/elementBytes (int type)))
        n (int n)]
    (case (long type)
      0 (.read data offset ^floats items 0 n)
      1 (.read data offset ^doubles items 0 n)
      4 (.read data offset ^ints items 0 n)
      6 (.read data offset ^longs items 0 n)
      (2 12) (.read data offset ^shorts items 0 n)
      (.read data offset ^bytes items 0 n))
    (map str (ArrayData/vector items (int type) 0 n))))

(defn- window
  "Text of the part of an array from an offset, along the axes of dims."
  [data type dims from depth]
  (let [from (long from)
        depth (long depth)
        n (long (first dims))
        more (next dims)
        edge (long (if (> (count dims) 2) (min 1 (long *print-edge*)) *print-edge*))
        whole? (<= n (* 2 edge))
        step (long (reduce * 1 more))]
    (if more
      (let [part (fn [i] (window data type more (+ from (* (long i) step)) (inc depth)))
            rows (if whole?
                   (map part (range n))
                   (concat (map part (range edge)) ["..."] (map part (range (- n edge) n))))]
        (str "[" (string/join (str "\n" (apply str (repeat (inc depth) " "))) rows) "]"))
      (let [items (if whole?
                    (read-items data type from n)
                    (concat (read-items data type from edge) ["..."] (read-items data type (+ from (- n edge)) edge)))]
        (str "[" (string/join " " items) "]")))))

(defn- contents [^NDArray array dims type]
  (let [out (native/long-out)]
    (native/call [array] (MXNDArrayWaitToRead (native/address array)))
    (native/call [array] (MXNDArrayGetData (native/address array) out))
    (let [text (window (Pointer. (aget out 0)) type (seq dims) 0 0)]
      (java.lang.ref.Reference/reachabilityFence array)
      (str (if (next dims) "\n" " ") text))))

(defn text
  "What an array prints as: its shape, dtype and context, and the ends of its contents."
  [^NDArray array]
  (if (.isClosed array)
    "#mxnet/ndarray closed"
    (try
      (let [dims (dims array)
            type (flag array)
            dense? (zero? (storage array))]
        (if (or (nil? dims) (nil? (dtype/flag-> type)))
          "#mxnet/ndarray empty"
          (str "#mxnet/ndarray " (vec dims) " " (dtype/flag-> type) " " (device array)
               (cond
                 (not dense?) " sparse"
                 (or (zero? (alength dims)) (> (alength dims) 4) (zero? (size array))) ""
                 (not= :gpu (:kind (device array))) (contents array dims type)
                 :else ""))))
      (catch clojure.lang.ExceptionInfo e
        (str "#mxnet/ndarray failed: " (ex-message e))))))

(defmethod print-method NDArray [array ^Writer out]
  (.write out ^String (text array)))

(defn wait-all []
  (native/call [] (MXNDArrayWaitAll)))
