(ns mxnet.ndarray
  "Arrays of numbers on a device.

      (require '[mxnet.ndarray :as ndarray])
      (def a (ndarray/array [1 2 3 4 5 6] [2 3]))
      (ndarray/->vec (ndarray/+ a 1))                  ;=> [2.0 3.0 4.0 5.0 6.0 7.0]
      (ndarray/->nd-vec (ndarray/dot a (ndarray/t a))) ;=> [[14.0 32.0] [32.0 77.0]]

  Every operator of the library is a function here. Arrays come first, then parameters in their declared order,
  then maybe a map of options; or one map holds all: `(ndarray/clip a 2 5)`, `(ndarray/clip a {:a-min 2 :a-max 5})`,
  `(ndarray/clip {:data a :a-min 2 :a-max 5 :out b})`. Shapes and other tuples are vectors, enumerations keywords
  or strings.

  Arrays are released by `with-open`, by [[dispose]], by the scopes of `mxnet.resource-scope`, or by the garbage
  collector."
  (:refer-clojure :exclude [+ - * / < > <= >= == = load set get apply empty to-array ref abs cast concat flatten
                            identity max min repeat reverse shuffle sort take update mod rem])
  (:require [clojure.core :as c]
            [mxnet.context :as context]
            [mxnet.dtype :as dtype]
            [mxnet.impl.array :as array]
            [mxnet.impl.coerce :as coerce]
            [mxnet.impl.error :as error]
            [mxnet.impl.native :as native]
            [mxnet.impl.op :as op]
            [mxnet.shape :as shape])
  (:import (com.sun.jna Memory Pointer)
           (java.lang.ref WeakReference)
           (mxnet ArrayData CStrings NDArray)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defn ndarray?
  "Whether x is an array of this library."
  [x]
  (instance? NDArray x))

;; ---- properties ------------------------------------------------------------------------------------------------

(defn shape-vec
  "The shape as a vector, `[]` for an array that has none yet."
  [nd]
  (vec (array/dims nd)))

(defn shape
  "The shape as a vector."
  [nd]
  (shape-vec nd))

(defn size
  "The number of elements."
  [nd]
  (array/size nd))

(defn dtype
  "The dtype as a keyword, see `mxnet.dtype`."
  [nd]
  (dtype/flag-> (array/flag nd)))

(defn context
  "The context the array is on."
  [nd]
  (array/device nd))

(defn is-sparse
  "Whether the array is stored as row_sparse or csr."
  [nd]
  (pos? (array/storage nd)))

(defn handle
  "The number of the array in the C API. The array must outlive its use."
  [nd]
  (native/address (native/ndarray nd)))

(defn from-handle
  "An array that shares memory with that of a handle (a number) of the same loaded library, for instance Python's
  `int(ffi.cast(\"intptr_t\", x.handle))`; see `mxnet.lib/instance-id`. The handle stays its owner's."
  [handle]
  (when-not (pos-int? handle)
    (error/bad-argument (str "a handle is a positive number, got " (error/describe handle)) {:mxnet/got handle}))
  (let [handle (long handle)
        n (native/int-out)
        data (native/long-out)
        out (native/long-out)]
    (native/call [] (MXNDArrayGetShapeEx64 handle n data))
    (let [dims (CStrings/longs (aget data 0) (aget n 0))]
      (native/call [] (MXNDArrayReshape64 handle (alength dims) dims (byte 0) out))
      (native/wrap-array (aget out 0)))))

;; ---- making ----------------------------------------------------------------------------------------------------

(defn- options [opts]
  (when-not (or (nil? opts) (map? opts))
    (error/bad-argument (str "expected a map of options, got " (error/describe opts)) {:mxnet/got opts}))
  (when-let [bad (first (remove #{:ctx :dtype :step :repeat} (keys opts)))]
    (error/bad-argument (str "unknown option " bad "." (error/hint (str bad) [":ctx" ":dtype"]))
                        {:mxnet/got opts}))
  {:ctx (or (:ctx opts) (context/default-context))
   :dtype (dtype/->dtype (or (:dtype opts) :float32))})

(defn empty
  "An array whose contents are undefined. Options: `:ctx`, `:dtype`."
  ([shape] (empty shape nil))
  ([shape opts]
   (let [{:keys [ctx dtype]} (options opts)]
     (array/make shape ctx dtype))))

(defn- filled [op-name shape opts parameters]
  (let [{:keys [ctx dtype]} (options opts)
        dims (shape/complete shape)]
    (context/device ctx)
    (native/account
     (op/invoke-internal op-name [] (into {"shape" (coerce/tuple-text (vec dims))
                                           "ctx" (str ctx)
                                           "dtype" (name dtype)}
                                          parameters))
     (c/* (long (shape/product shape)) (ArrayData/elementBytes (int (dtype/->flag dtype)))))))

(defn zeros
  "An array of zeros. Options: `:ctx`, `:dtype`."
  ([shape] (zeros shape nil))
  ([shape opts] (filled "_zeros" shape opts nil)))

(defn ones
  "An array of ones. Options: `:ctx`, `:dtype`."
  ([shape] (ones shape nil))
  ([shape opts] (filled "_ones" shape opts nil)))

(defn full
  "An array of one value. Options: `:ctx`, `:dtype`."
  ([shape value] (full shape value nil))
  ([shape value opts]
   (when-not (number? value)
     (error/bad-argument (str "expected a number, got " (error/describe value)) {:mxnet/got value}))
   (filled "_full" shape opts {"value" (coerce/number-text value)})))

(defn array
  "An array of the numbers of a vector or Java array (nested ones are read row by row). Options: `:ctx`, `:dtype`
  (default `:float32`)."
  ([source shape] (array source shape nil))
  ([source shape opts]
   (let [{:keys [ctx dtype]} (options opts)
         ^NDArray result (array/make shape ctx dtype)]
     (try
       (array/fill result source)
       (catch Throwable failure
         (.close result)
         (throw failure))))))

(defn ->ndarray
  "An array of nested vectors or Java arrays, which give the shape. Options: `:ctx`, `:dtype` (default `:float32`)."
  ([nested] (->ndarray nested nil))
  ([nested opts]
   (let [shape (array/nested-shape nested)]
     (array nested (if (c/= [] shape) [1] shape) opts))))

(defn arange
  "The numbers from start up to stop, without it. Options: `:step` (1), `:repeat` (1, how often each number comes),
  `:ctx`, `:dtype`."
  ([start stop] (arange start stop nil))
  ([start stop opts]
   (let [{:keys [ctx dtype]} (options opts)]
     (context/device ctx)
     (op/invoke-internal "_arange" [] {"start" (coerce/plain-text start)
                                       "stop" (coerce/plain-text stop)
                                       "step" (coerce/plain-text (:step opts 1))
                                       "repeat" (coerce/plain-text (:repeat opts 1))
                                       "ctx" (str ctx)
                                       "dtype" (name dtype)}))))

;; ---- reading ---------------------------------------------------------------------------------------------------

(defn to-array
  "The elements, row by row, in a Java array: float[], double[], int[] or long[]; short[] holding the bits of the
  16-bit types; byte[] for the 8-bit ones and bool. Waits for pending work."
  [nd]
  (array/data nd))

(defn ->vec
  "The elements, row by row, in a vector of Floats (types up to 32 bits), Doubles, Longs or Booleans."
  [nd]
  (let [data (array/data nd)]
    (ArrayData/vector data (int (array/flag nd)) 0 (java.lang.reflect.Array/getLength data))))

(defn ->nd-vec
  "The elements in vectors nested as the shape says."
  [nd]
  (ArrayData/nested (array/data nd) (int (array/flag nd)) (array/dims nd)))

(defn ->float-vec
  "The elements, row by row, in a vector of Floats."
  [nd]
  (vec (ArrayData/floats (array/data nd) (int (array/flag nd)))))

(defn ->double-vec
  "The elements, row by row, in a vector of Doubles."
  [nd]
  (vec (ArrayData/doubles (array/data nd) (int (array/flag nd)))))

(defn ->int-vec
  "The elements, row by row, in a vector of Integers; fractions are cut off."
  [nd]
  (mapv #(int (unchecked-int (double %))) (ArrayData/doubles (array/data nd) (int (array/flag nd)))))

(defn ->byte-vec
  "The elements, row by row, in a vector of Bytes; fractions and higher bits are cut off."
  [nd]
  (mapv #(unchecked-byte (long (double %))) (ArrayData/doubles (array/data nd) (int (array/flag nd)))))

(defn ->raw
  "The bytes of the elements, in the machine's order."
  [nd]
  (let [^NDArray nd (native/ndarray nd)
        out (native/long-out)]
    (native/call [nd] (MXNDArrayWaitToRead (native/address nd)))
    (native/call [nd] (MXNDArrayGetData (native/address nd) out))
    (let [n (c/* (long (array/size nd)) (ArrayData/elementBytes (int (array/flag nd))))
          result (CStrings/bytes (aget out 0) (int n))]
      (java.lang.ref.Reference/reachabilityFence nd)
      result)))

(defn to-scalar
  "The element of an array that has one."
  [nd]
  (let [n (long (array/size nd))]
    (when-not (c/= 1 n)
      (error/bad-argument (str "to-scalar needs an array of one element, got one of the shape " (shape-vec nd))
                          {:mxnet/shapes [(shape-vec nd)]}))
    (ArrayData/get (array/data nd) (int (array/flag nd)) 0)))

;; ---- views -----------------------------------------------------------------------------------------------------

(defn- row-index ^long [i ^long n]
  (if (and (integer? i) (c/<= 0 (long i)) (c/< (long i) n))
    (long i)
    (error/bad-argument (str "the row " i " is out of the range of an axis of length " n) {:mxnet/got i})))

(defn- rows ^long [nd]
  (let [dims (array/dims nd)]
    (if (or (nil? dims) (zero? (alength dims)))
      (error/bad-argument "an array without axes cannot be sliced")
      (aget dims 0))))

(defn- view [^NDArray nd ^long start ^long stop]
  (let [out (native/long-out)
        n (rows nd)]
    (when-not (c/<= 0 start stop n)
      (error/bad-argument (str "cannot take the rows from " start " to " stop " of an array of the shape "
                               (shape-vec nd))
                          {:mxnet/shapes [(shape-vec nd)]}))
    (native/call [nd] (MXNDArraySlice64 (native/address nd) start stop out))
    (native/wrap-array (aget out 0))))

(def ^:private slice-op (op/array-op "slice"))

(defn slice
  "`[nd i]`: the row i, with its axis kept; `[nd start stop]`: the rows from start up to stop. Both share memory
  with nd. With a map, `{:begin [..] :end [..] :step [..]}`, the operator `slice`, which copies."
  ([options] (slice-op options))
  ([nd i]
   (if (map? i)
     (slice-op nd i)
     (let [nd (native/ndarray nd)
           i (row-index i (rows nd))]
       (view nd i (inc i)))))
  ([nd start stop]
   (if (and (integer? start) (integer? stop))
     (view (native/ndarray nd) (long start) (long stop))
     (slice-op nd start stop)))
  ([nd begin end & more] (c/apply slice-op nd begin end more)))

(defn at
  "The row i, without its axis; shares memory with nd."
  [nd i]
  (let [nd (native/ndarray nd)
        i (row-index i (rows nd))
        out (native/long-out)]
    (native/call [nd] (MXNDArrayAt64 (native/address nd) i out))
    (native/wrap-array (aget out 0))))

(def ^:private reshape-op (op/array-op "Reshape"))

(defn reshape
  "The array with another shape of the same size, sharing memory; -1 stands for one dimension to be found,
  0 for the same as before. With a map the operator `Reshape`."
  ([options] (reshape-op options))
  ([nd shape]
   (if (map? shape)
     (reshape-op nd shape)
     (let [nd (native/ndarray nd)
           dims (long-array (shape/->shape shape))
           out (native/long-out)]
       (native/call [nd] (MXNDArrayReshape64 (native/address nd) (alength dims) dims (byte 0) out)
                    {:mxnet/op "reshape" :mxnet/shapes [(shape-vec nd) (vec dims)]})
       (native/wrap-array (aget out 0)))))
  ([nd shape & more] (c/apply reshape-op nd shape more)))

(defn t
  "The transpose of a matrix."
  [nd]
  (when-not (c/= 2 (count (shape-vec nd)))
    (error/bad-argument (str "t needs a matrix, got an array of the shape " (shape-vec nd)) {}))
  (op/invoke-internal "transpose" [(native/ndarray nd)] {}))

;; ---- copies ----------------------------------------------------------------------------------------------------

(defn copy-to
  "Copy the elements into another array, or into a new one on a context. Returns that array."
  [nd target]
  (let [nd (native/ndarray nd)]
    (if (context/context? target)
      (recur nd (array/make (shape-vec nd) target (dtype nd)))
      (do
        (when-not (c/= (shape-vec nd) (shape-vec target))
          (error/bad-argument (str "copy-to needs two arrays of the same shape, got " (shape-vec nd) " and "
                                   (shape-vec target))
                              {:mxnet/shapes [(shape-vec nd) (shape-vec target)]}))
        (op/invoke-internal "_copyto" [nd] {} (native/ndarray target))))))

(defn copy
  "A new array with the same elements."
  [nd]
  (copy-to nd (context nd)))

(defn as-in-context
  "The array itself if it is on the context, else a copy there."
  [nd ctx]
  (if (c/= ctx (context nd)) nd (copy-to nd ctx)))

(defn as-type
  "A new array with the elements converted to a dtype."
  [nd dtype]
  (op/invoke-internal "Cast" [(native/ndarray nd)] {"dtype" (name (dtype/->dtype dtype))}))

(defn set
  "Overwrite all elements: with a number, with as many numbers as there are, or with an array of the same shape.
  Returns the array."
  [nd value]
  (let [nd (native/ndarray nd)]
    (cond
      (ndarray? value) (copy-to value nd)
      (number? value) (op/invoke-internal "_full" [] {"shape" (coerce/tuple-text (shape-vec nd))
                                                      "ctx" (str (context nd))
                                                      "dtype" (name (dtype nd))
                                                      "value" (coerce/number-text value)} nd)
      :else (array/fill nd value))))

(defn concatenate
  "Join arrays along an axis. Options: `:axis` (1)."
  ([nds] (concatenate nds nil))
  ([nds {:keys [axis always-copy] :or {axis 1 always-copy true}}]
   (when (empty? nds)
     (error/bad-argument "concatenate needs at least one array"))
   (if (and (not always-copy) (nil? (next nds)))
     (first nds)
     (op/invoke-internal "Concat" (mapv native/ndarray nds) {"dim" (coerce/number-text axis)}))))

(defn to-sparse
  "The array stored as \"row_sparse\" or \"csr\"."
  ([nd] (to-sparse nd "row_sparse"))
  ([nd stype] (op/invoke-internal "cast_storage" [(native/ndarray nd)] {"stype" (native/option-name stype)})))

;; ---- arithmetic ------------------------------------------------------------------------------------------------

(defn- operand [x]
  (if (or (number? x) (ndarray? x))
    x
    (error/bad-argument (str "expected an NDArray or a number, got " (error/describe x)) {:mxnet/got x})))

(defn- binary
  "Apply the operator for two arrays, array and number, number and array, or a function of two numbers."
  ([[array-op right-op left-op number-fn] a b out]
   (let [a (operand a)
         b (operand b)]
     (cond
       (and (ndarray? a) (ndarray? b)) (op/invoke-internal array-op [a b] {} out)
       (ndarray? a) (op/invoke-internal right-op [a] {"scalar" (coerce/number-text b)} out)
       (ndarray? b) (op/invoke-internal left-op [b] {"scalar" (coerce/number-text a)} out)
       :else (number-fn a b)))))

(defmacro ^:private def-arithmetic
  "Functions of two operands, or of any number where `fold?`; and one that writes into its first."
  [fn-name doc operators {:keys [fold? in-place]}]
  `(do
     (defn ~fn-name
       ~doc
       ([~'a ~'b] (binary ~operators ~'a ~'b nil))
       ~@(when fold? [`([~'a ~'b & ~'more] (reduce ~fn-name (~fn-name ~'a ~'b) ~'more))]))
     ~@(when in-place
         [`(defn ~in-place
             ~(str "The same as `" fn-name "`, writing the result into the first array. Returns it.")
             [~'nd ~'x]
             (binary ~operators (native/ndarray ~'nd) ~'x ~'nd))])))

(defn- truth [f] (fn [a b] (if (f a b) 1.0 0.0)))

(def-arithmetic + "The sum of arrays, which are broadcast, and numbers."
  ["broadcast_add" "_plus_scalar" "_plus_scalar" c/+'] {:fold? true :in-place +=})
(def-arithmetic * "The product of arrays, which are broadcast, and numbers, element by element."
  ["broadcast_mul" "_mul_scalar" "_mul_scalar" c/*'] {:fold? true :in-place *=})
(def-arithmetic div "The quotient of arrays, which are broadcast, or numbers."
  ["broadcast_div" "_div_scalar" "_rdiv_scalar" c//] {:fold? true :in-place div=})
(def-arithmetic % "The remainder of a division, with the sign of the divisor."
  ["broadcast_mod" "_mod_scalar" "_rmod_scalar" c/mod] {:in-place %=})
(def-arithmetic ** "The first to the power of the second."
  ["broadcast_power" "_power_scalar" "_rpower_scalar" #(Math/pow %1 %2)] {:in-place **=})
(def-arithmetic power "The first to the power of the second."
  ["broadcast_power" "_power_scalar" "_rpower_scalar" #(Math/pow %1 %2)] {})
(def-arithmetic maximum "The greater elements of the two."
  ["broadcast_maximum" "_maximum_scalar" "_maximum_scalar" c/max] {})
(def-arithmetic minimum "The lesser elements of the two."
  ["broadcast_minimum" "_minimum_scalar" "_minimum_scalar" c/min] {})
(def-arithmetic > "1 where the first is greater, else 0."
  ["broadcast_greater" "_greater_scalar" "_lesser_scalar" (truth c/>)] {})
(def-arithmetic >= "1 where the first is greater or equal, else 0."
  ["broadcast_greater_equal" "_greater_equal_scalar" "_lesser_equal_scalar" (truth c/>=)] {})
(def-arithmetic < "1 where the first is less, else 0."
  ["broadcast_lesser" "_lesser_scalar" "_greater_scalar" (truth c/<)] {})
(def-arithmetic <= "1 where the first is less or equal, else 0."
  ["broadcast_lesser_equal" "_lesser_equal_scalar" "_greater_equal_scalar" (truth c/<=)] {})
(def-arithmetic equal "1 where the two are equal, else 0."
  ["broadcast_equal" "_equal_scalar" "_equal_scalar" (truth c/==)] {})
(def-arithmetic not-equal "1 where the two differ, else 0."
  ["broadcast_not_equal" "_not_equal_scalar" "_not_equal_scalar" (truth c/not=)] {})
(def-arithmetic greater "1 where the first is greater, else 0."
  ["broadcast_greater" "_greater_scalar" "_lesser_scalar" (truth c/>)] {})
(def-arithmetic greater-equal "1 where the first is greater or equal, else 0."
  ["broadcast_greater_equal" "_greater_equal_scalar" "_lesser_equal_scalar" (truth c/>=)] {})
(def-arithmetic lesser "1 where the first is less, else 0."
  ["broadcast_lesser" "_lesser_scalar" "_greater_scalar" (truth c/<)] {})
(def-arithmetic lesser-equal "1 where the first is less or equal, else 0."
  ["broadcast_lesser_equal" "_lesser_equal_scalar" "_greater_equal_scalar" (truth c/<=)] {})

(def ^:private minus
  ["broadcast_sub" "_minus_scalar" "_rminus_scalar" c/-'])

(defn -
  "The first less the others, which are broadcast; the negative of one array."
  ([a] (if (number? (operand a)) (binary minus 0 a nil) (op/invoke-internal "negative" [a] {})))
  ([a b] (binary minus a b nil))
  ([a b & more] (reduce - (- a b) more)))

(defn -=
  "The same as `-`, writing the result into the first array. Returns it."
  [nd x]
  (binary minus (native/ndarray nd) x nd))

(defn /
  "The same as [[div]]."
  ([a b] (div a b))
  ([a b & more] (c/apply div a b more)))

(defn onehot-encode
  "Write rows into `out`, a matrix, that are 1 at the places that `indices` tell and 0 elsewhere. Returns out."
  [indices out]
  (let [[_ depth] (shape-vec out)]
    (op/invoke-internal "one_hot" [(native/ndarray indices)] {"depth" (coerce/plain-text depth)} (native/ndarray out))))

;; ---- files -----------------------------------------------------------------------------------------------------

(defn save
  "Write arrays to a file: a map from name to array, or a sequence of arrays. The old file stays whole until the
  new one is."
  [file-name arrays]
  (let [named? (map? arrays)
        items (mapv native/ndarray (cond named? (vals arrays) (ndarray? arrays) [arrays] :else arrays))
        handles (native/addresses items)
        file (native/c-string (str file-name))]
    (if named?
      (native/with-strings [ks (mapv #(if (string? %) % (native/option-name %)) (keys arrays))]
        (native/call [items] (MXNDArraySave file (alength handles) handles ks) {:mxnet/file (str file-name)}))
      (native/call [items] (MXNDArraySave file (alength handles) handles native/no-longs)
                   {:mxnet/file (str file-name)}))
    nil))

(defn- load-file-parts [file-name]
  (let [n (native/int-out)
        arrays (native/long-out)
        n-names (native/int-out)
        names (native/long-out)]
    (native/call [] (MXNDArrayLoad (native/c-string (str file-name)) n arrays n-names names)
                 {:mxnet/file (str file-name)})
    [(native/strings-at (aget names 0) (aget n-names 0))
     (mapv #(native/wrap-array (long %)) (CStrings/longs (aget arrays 0) (aget n 0)))]))

(defn load
  "The arrays of a file: a map from name to array, or a vector if they have no names."
  [file-name]
  (let [[names arrays] (load-file-parts file-name)]
    (if (and (empty? names) (seq arrays)) arrays (zipmap names arrays))))

(defn load2-map
  "The arrays of a file as a map from name to array."
  [file-name]
  (let [[names arrays] (load-file-parts file-name)]
    (when-not (c/= (count names) (count arrays))
      (error/bad-argument (str "the arrays in " file-name " have no names; use load2-array") {:mxnet/file file-name}))
    (zipmap names arrays)))

(defn load2-array
  "The arrays of a file as a vector."
  [file-name]
  (second (load-file-parts file-name)))

(defn save-to-file
  "Write one array to a file."
  [file-name nd]
  (save file-name [nd]))

(defn load-from-file
  "The first array of a file."
  [file-name]
  (first (load2-array file-name)))

(defn serialize
  "The array with its shape and type in a byte[]."
  [nd]
  (let [nd (native/ndarray nd)
        n (native/long-out)
        data (native/long-out)]
    (native/call [nd] (MXNDArraySaveRawBytes (native/address nd) n data))
    (CStrings/bytes (aget data 0) (int (aget n 0)))))

(defn deserialize
  "The array that [[serialize]] wrote."
  [^bytes data]
  (when-not (bytes? data)
    (error/bad-argument (str "expected a byte[], got " (error/describe data)) {}))
  (let [n (alength data)]
    (with-open [memory (Memory. (c/max 1 n))]
      (.write memory 0 data 0 n)
      (let [out (native/long-out)]
        (native/call [memory] (MXNDArrayLoadFromRawBytes (Pointer/nativeValue memory) (long n) out))
        (native/wrap-array (aget out 0))))))

;; ---- waiting and releasing -------------------------------------------------------------------------------------

(defn wait-to-read
  "Wait until the array has its value; an error of the work that makes it is thrown here. Returns the array."
  [nd]
  (let [nd (native/ndarray nd)]
    (native/call [nd] (MXNDArrayWaitToRead (native/address nd)))
    nd))

(defn waitall
  "Wait for all pending work."
  []
  (array/wait-all))

(defn dispose
  "Release the array now."
  [nd]
  (.close (native/ndarray nd)))

(defn is-disposed
  "Whether the array has been released."
  [nd]
  (.isClosed (native/ndarray nd)))

(defn dependencies
  "The arrays that this one was computed from, and those they were computed from, which are still there: a set."
  [nd]
  (loop [found #{}
         [x & more :as todo] (list (native/ndarray nd))]
    (if (empty? todo)
      found
      (let [sources (into [] (comp (keep #(.get ^WeakReference %)) (remove found)) (.sources ^NDArray x))]
        (recur (into found sources) (into more sources))))))

(defn dispose-deps
  "Release the arrays that this one was computed from. Returns the array."
  [nd]
  (run! dispose (dependencies nd))
  nd)

(defn dispose-deps-except
  "Release the arrays that this one was computed from, but not the given ones nor what those were computed from.
  Returns the array."
  [nd & kept]
  (let [kept (into (c/set kept) (mapcat dependencies) kept)]
    (run! dispose (remove kept (dependencies nd)))
    nd))

(def invoke
  "Run any registered operator by its name: `((ndarray/invoke \"_plus_scalar\") nd 1)`."
  op/array-op)

(c/load "ndarray_ops")
