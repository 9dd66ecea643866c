(ns org.apache.clojure-mxnet.resource-scope
  "The same as `mxnet.resource-scope`, under the name of the package of MXNet 1.x."
  (:require [mxnet.impl.alias :as alias]))

(alias/copy-vars 'org.apache.clojure-mxnet.resource-scope 'mxnet.resource-scope)
