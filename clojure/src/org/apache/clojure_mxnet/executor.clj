(ns org.apache.clojure-mxnet.executor
  "The same as `mxnet.executor`, under the name of the package of MXNet 1.x."
  (:require [mxnet.impl.alias :as alias]))

(alias/copy-vars 'org.apache.clojure-mxnet.executor 'mxnet.executor)
