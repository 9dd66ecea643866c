(ns mxnet.executor
  "Executors: symbols bound to arrays, by `mxnet.symbol/bind` or `simple-bind`.

      (-> (executor/forward ex)
          (executor/outputs)
          (first)
          (ndarray/->vec))

  An executor made by `simple-bind` owns its arrays: closing it releases them too. The outputs belong to every
  executor. `with-open`, [[dispose]] and the scopes of `mxnet.resource-scope` close executors."
  (:require [mxnet.impl.bind :as bind]
            [mxnet.impl.error :as error]
            [mxnet.impl.graph :as graph]
            [mxnet.impl.native :as native]
            [mxnet.ndarray :as ndarray])
  (:import (com.sun.jna Pointer)
           (java.io Writer)
           (mxnet CStrings Executor LibMXNet$Monitor NDArray)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(defn- bound [x]
  (let [^Executor executor (native/executor-object x)]
    ;; Throws when the executor is closed, before its arrays do.
    (.address executor)
    (.bound executor)))

;; ---- arrays ----------------------------------------------------------------------------------------------------

(defn outputs
  "A vector of the output arrays. They hold the results of the last `forward`."
  [executor]
  (bind/outputs executor))

(defn output-map
  "The output arrays by name, for instance \"softmax_output\"."
  [executor]
  (zipmap (:output-names (bound executor)) (outputs executor)))

(defn arg-arrays
  "A vector of the argument arrays, in the order of `list-arguments`."
  [executor]
  (:args (bound executor)))

(defn grad-arrays
  "A vector of the gradient arrays, in the order of `list-arguments`; nil where none is asked for."
  [executor]
  (:grads (bound executor)))

(defn aux-arrays
  "A vector of the arrays of auxiliary states, in the order of `list-auxiliary-states`."
  [executor]
  (:aux (bound executor)))

(defn arg-map
  "The argument arrays by name."
  [executor]
  (let [{:keys [argument-names args]} (bound executor)]
    (zipmap argument-names args)))

(defn grad-map
  "The gradient arrays by the name of their argument; nil where none is asked for."
  [executor]
  (let [{:keys [argument-names grads]} (bound executor)]
    (zipmap argument-names grads)))

(defn aux-map
  "The arrays of auxiliary states by name."
  [executor]
  (let [{:keys [state-names aux]} (bound executor)]
    (zipmap state-names aux)))

(defn- named [arrays arg-name what]
  (let [[found] (first (graph/by-name {arg-name true} (keys arrays) what))]
    (or (get arrays found)
        (error/bad-argument (str "the executor keeps no " what " for " found) {:mxnet/name found}))))

(defn get-grad
  "The gradient array of an argument."
  [executor arg-name]
  (named (grad-map executor) arg-name "gradient"))

(defn- overwrite [target-name ^NDArray target value]
  (when (ndarray/ndarray? value)
    (let [expected (ndarray/shape-vec target)
          given (ndarray/shape-vec value)]
      (when-not (= expected given)
        (error/bad-argument (str "the array for " target-name " must have the shape " expected ", got " given)
                            {:mxnet/name target-name :mxnet/shapes [expected given]}))))
  (ndarray/set target value))

(defn set-arg
  "Write an array, a number (everywhere) or numbers into an argument. Returns the executor."
  [executor arg-name value]
  (overwrite arg-name (named (arg-map executor) arg-name "argument") value)
  executor)

(defn set-arg-arrays
  "Write values into the arguments, in the order of `list-arguments`. Returns the executor."
  [executor values]
  (let [{:keys [argument-names args]} (bound executor)]
    (when-not (= (count values) (count args))
      (error/bad-argument (str "got " (count values) " values for " (count args) " arguments: " argument-names)))
    (doall (map overwrite argument-names args values))
    executor))

(defn copy-params-from
  "Copy parameters, maps from name to array, into the arguments and auxiliary states. A name the executor does not
  have is an error unless `:allow-extra-params` is true. Returns the executor."
  ([executor arg-params] (copy-params-from executor arg-params nil nil))
  ([executor arg-params aux-params] (copy-params-from executor arg-params aux-params nil))
  ([executor arg-params aux-params {:keys [allow-extra-params]}]
   (doseq [[values targets what] [[arg-params (arg-map executor) "argument"]
                                  [aux-params (aux-map executor) "auxiliary state"]]
           [k value] (graph/by-name values (keys targets) what (not allow-extra-params))
           :let [target (get targets k)]
           :when target]
     (overwrite k target (if (and (ndarray/ndarray? value) (not= (ndarray/dtype value) (ndarray/dtype target)))
                           (ndarray/as-type value (ndarray/dtype target))
                           value)))
   executor))

;; ---- running ---------------------------------------------------------------------------------------------------

(defn- rethrow-from-monitor [executor]
  (when-let [failure (some-> @(:monitor (bound executor)) :failure)]
    (when-let [thrown @failure]
      (reset! failure nil)
      (throw thrown))))

(defn forward
  "Compute the outputs. `is-train` (false) tells layers such as dropout how to behave. `kwargs` is a map from names
  of arguments to arrays or numbers that are copied into them first. Returns the executor."
  ([executor] (forward executor false nil))
  ([executor is-train]
   (if (map? is-train)
     (forward executor false is-train)
     (forward executor is-train nil)))
  ([x is-train kwargs]
   (let [executor (native/executor-object x)
         {:keys [argument-names]} (bound executor)]
     (when (seq kwargs)
       (let [targets (arg-map executor)]
         (doseq [[k value] (graph/by-name kwargs argument-names "argument")]
           (overwrite k (get targets k) value))))
     (native/call [executor] (MXExecutorForward (native/address executor) (if is-train 1 0))
                  {:mxnet/name (.label executor)})
     (rethrow-from-monitor executor)
     executor)))

(defn backward
  "Compute the gradients after `(forward executor true)`. `grads`, one array or several, are the gradients of the
  outputs; a symbol that ends in losses needs none. Returns the executor."
  ([executor] (backward executor nil))
  ([x grads]
   (let [executor (native/executor-object x)
         heads (cond (nil? grads) []
                     (ndarray/ndarray? grads) [grads]
                     (sequential? grads) (mapv native/ndarray grads)
                     :else [(native/ndarray grads)])
         handles (native/addresses heads)]
     (bound executor)
     (native/call [executor heads]
                  (MXExecutorBackwardEx (native/address executor) (alength handles) handles 1)
                  {:mxnet/name (.label executor) :mxnet/shapes (mapv ndarray/shape-vec heads)})
     (rethrow-from-monitor executor)
     executor)))

(defn reshape
  "A new executor of the same symbol for other input shapes; it shares the arrays whose shapes stay. Options:
  `:partial-shaping` (whether shapes of arguments that are not named may change), `:allow-up-sizing` (whether arrays
  may grow)."
  ([executor shapes] (reshape executor shapes nil))
  ([executor shapes {:keys [partial-shaping allow-up-sizing]}]
   (bind/reshape executor shapes partial-shaping allow-up-sizing)))

(defn set-monitor-callback
  "Call `(f name array)` for every output of every node that runs; for inputs too if `monitor-all`. nil removes it.
  What f throws is thrown by `forward` or `backward`. Returns the executor."
  ([executor f] (set-monitor-callback executor f false))
  ([x f monitor-all]
   (let [executor (native/executor-object x)
         failure (atom nil)
         callback (when f
                    (reify LibMXNet$Monitor
                      (invoke [_ node array _payload]
                        (try
                          (f (.getString ^Pointer node 0 "UTF-8") (native/wrap-array array))
                          (catch Throwable thrown
                            (compare-and-set! failure nil thrown))))))]
     (native/call [executor] (MXExecutorSetMonitorCallbackEX (native/address executor) callback 0
                                                             (byte (if monitor-all 1 0))))
     ;; The library calls it as long as the executor lives.
     (reset! (:monitor (.bound executor)) {:callback callback :failure failure})
     executor)))

(defn debug-str
  "A text about the executor's graph and memory."
  [x]
  (let [executor (native/executor-object x)
        out (native/long-out)]
    (native/call [executor] (MXExecutorPrint (native/address executor) out))
    (CStrings/decode (aget out 0))))

(defn ->vec
  "The elements of an array, as `mxnet.ndarray/->vec`."
  [nd]
  (ndarray/->vec nd))

(defn executor?
  "Whether x is an executor."
  [x]
  (instance? Executor x))

(defn dispose
  "Release the executor, its outputs, and the arrays that `simple-bind` made for it."
  [executor]
  (.close (native/executor-object executor)))

(defn is-disposed
  "Whether the executor has been released."
  [executor]
  (.isClosed (native/executor-object executor)))

(defmethod print-method Executor [^Executor executor ^Writer out]
  (.write out (str "#mxnet/executor " (.label executor) " "
                   (if (.isClosed executor)
                     "closed"
                     (let [{:keys [ctx args aux output-names]} (.bound executor)]
                       (str ctx " " (count args) " arguments"
                            (when (seq aux) (str ", " (count aux) " states"))
                            ", " (count output-names) (if (next output-names) " outputs" " output")))))))
