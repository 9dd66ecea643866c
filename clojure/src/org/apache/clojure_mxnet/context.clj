(ns org.apache.clojure-mxnet.context
  "The same as `mxnet.context`, under the name of the package of MXNet 1.x."
  (:require [mxnet.impl.alias :as alias]))

(alias/copy-vars 'org.apache.clojure-mxnet.context 'mxnet.context)
