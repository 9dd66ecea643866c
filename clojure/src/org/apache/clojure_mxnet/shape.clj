(ns org.apache.clojure-mxnet.shape
  "The same as `mxnet.shape`, under the name of the package of MXNet 1.x."
  (:require [mxnet.impl.alias :as alias]))

(alias/copy-vars 'org.apache.clojure-mxnet.shape 'mxnet.shape)
