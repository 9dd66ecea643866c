(in-ns 'mxnet.symbol)
