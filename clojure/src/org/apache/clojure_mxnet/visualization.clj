(ns org.apache.clojure-mxnet.visualization
  "The same as `mxnet.visualization`, under the name of the package of MXNet 1.x."
  (:require [mxnet.impl.alias :as alias]))

(alias/copy-vars 'org.apache.clojure-mxnet.visualization 'mxnet.visualization)
