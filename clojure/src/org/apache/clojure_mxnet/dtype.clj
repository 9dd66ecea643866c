(ns org.apache.clojure-mxnet.dtype
  "The same as `mxnet.dtype`, under the name of the package of MXNet 1.x."
  (:require [mxnet.impl.alias :as alias]))

(alias/copy-vars 'org.apache.clojure-mxnet.dtype 'mxnet.dtype)
