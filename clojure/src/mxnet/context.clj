(ns mxnet.context
  "Devices. A context prints as `cpu(0)`; contexts of the same device are equal.

      (context/cpu)              ; the first, and the default
      (context/gpu 1)
      (context/with-context (context/cpu 1)
        (ndarray/ones [2 2]))"
  (:require [mxnet.impl.error :as error]
            [mxnet.impl.native :as native])
  (:import (java.io Writer)))

(set! *warn-on-reflection* true)
(set! *unchecked-math* :warn-on-boxed)

(def ^:private type-codes {:cpu 1 :gpu 2 :cpu-pinned 3 :cpu-shared 5})
(def ^:private type-names {:cpu "cpu" :gpu "gpu" :cpu-pinned "cpu_pinned" :cpu-shared "cpu_shared"})

(defrecord Context [kind id]
  Object
  (toString [_] (str (type-names kind) "(" id ")")))

(defmethod print-method Context [context ^Writer out]
  (.write out (str context)))

(defn- context [kind id]
  (if (nat-int? id)
    (->Context kind (long id))
    (error/bad-argument (str "a device number is an integer from 0 up, got " (error/describe id))
                        {:mxnet/got id})))

(defn cpu
  "The processor with its main memory."
  ([] (cpu 0))
  ([id] (context :cpu id)))

(defn gpu
  "A graphics processor. Using it where there is none is an error; see [[num-gpus]]."
  ([] (gpu 0))
  ([id] (context :gpu id)))

(defn cpu-pinned
  "Main memory that graphics processors copy from fast."
  ([] (cpu-pinned 0))
  ([id] (context :cpu-pinned id)))

(defn context?
  "Whether x is a context."
  [x]
  (instance? Context x))

(defn device-type
  "\"cpu\", \"gpu\", \"cpu_pinned\" or \"cpu_shared\"."
  [ctx]
  (if (context? ctx)
    (type-names (:kind ctx))
    (error/bad-argument (str "expected a context, got " (error/describe ctx)) {:mxnet/got ctx})))

(defn device-id
  "The number of the device."
  [ctx]
  (if (context? ctx)
    (:id ctx)
    (error/bad-argument (str "expected a context, got " (error/describe ctx)) {:mxnet/got ctx})))

(def ^:dynamic *context*
  "The context that is used where none is given."
  (context :cpu 0))

(defn default-context
  "The context that is used where none is given."
  []
  *context*)

(defn cpu-context
  "The first processor: the same as `(cpu)`."
  []
  (cpu 0))

(defmacro with-context
  "Evaluate the body with another default context."
  [ctx & body]
  `(binding [*context* ~ctx] ~@body))

(defn num-gpus
  "The number of graphics processors that can be used."
  []
  (let [out (native/int-out)]
    (native/call [] (MXGetGPUCount out))
    (long (aget out 0))))

(defn ^:no-doc device
  "The device type code of a usable context; an error says when the machine has no such device."
  ^long [ctx]
  (device-type ctx)
  (let [{:keys [kind id]} ctx]
    (when (= kind :gpu)
      (let [available (long (try (num-gpus) (catch clojure.lang.ExceptionInfo _ 0)))]
        (when (>= (long id) available)
          (error/bad-argument
           (str "there is no device " ctx ": "
                (if (zero? available) "this machine has no GPU that can be used" (str "only " available " found"))
                "; use (context/cpu) instead")
           {:mxnet/context ctx :mxnet/num-gpus available}))))
    (long (type-codes kind))))

(defn ^:no-doc from-codes
  "The context of a device type code and number."
  [^long kind ^long id]
  (->Context (case kind 1 :cpu 2 :gpu 3 :cpu-pinned 5 :cpu-shared) id))
