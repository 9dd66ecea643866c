(ns org.apache.clojure-mxnet.random
  "The same as `mxnet.random`, under the name of the package of MXNet 1.x."
  (:require [mxnet.impl.alias :as alias]))

(alias/copy-vars 'org.apache.clojure-mxnet.random 'mxnet.random)
