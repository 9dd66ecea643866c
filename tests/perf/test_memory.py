"""Memory stays flat over many executors."""

import gc
import os

import mxnet as mx
import numpy as np


def resident_mib():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def make_and_run():
    """Bind, run forward and backward, and drop one executor of a small network."""
    x = mx.sym.Variable("data")
    x = mx.sym.Activation(mx.sym.FullyConnected(x, num_hidden=16, name="fc1"), act_type="relu")
    x = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(x, num_hidden=4, name="fc2"), name="softmax")
    executor = x.simple_bind(mx.cpu(), data=(8, 32))
    executor.forward(is_train=True, data=mx.nd.ones((8, 32)))
    executor.backward()
    return executor.outputs[0].asnumpy()


def test_ten_thousand_executors_leave_memory_flat():
    for _ in range(1000):
        out = make_and_run()
    np.testing.assert_allclose(out.sum(axis=1), 1, rtol=1e-5)
    gc.collect()
    before = resident_mib()
    for _ in range(10_000):
        make_and_run()
    gc.collect()
    grown = resident_mib() - before
    # A leak of 1 KiB an executor would be 10 MiB.
    assert grown < 8, f"resident memory grew by {grown:.1f} MiB over 10,000 executors"
