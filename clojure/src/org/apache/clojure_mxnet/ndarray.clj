(ns org.apache.clojure-mxnet.ndarray
  "The same as `mxnet.ndarray`, under the name of the package of MXNet 1.x."
  (:require [mxnet.impl.alias :as alias]))

(alias/copy-vars 'org.apache.clojure-mxnet.ndarray 'mxnet.ndarray)
