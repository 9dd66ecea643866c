(ns org.apache.clojure-mxnet.symbol
  "The same as `mxnet.symbol`, under the name of the package of MXNet 1.x."
  (:require [mxnet.impl.alias :as alias]))

(alias/copy-vars 'org.apache.clojure-mxnet.symbol 'mxnet.symbol)
