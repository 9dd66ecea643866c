(in-ns 'mxnet.ndarray)
