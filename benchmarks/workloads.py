"""Time one workload through MXNet's public interface and print the result as JSON.

Any interpreter whose ``import mxnet`` is the one to measure can run this file: 1.9.1's and ours.
"""

import json
import os
import statistics
import sys
import time

THREADS = os.environ.setdefault("OMP_NUM_THREADS", "2")
import_start = time.perf_counter()
import mxnet as mx  # noqa: E402  # timed

import_seconds = time.perf_counter() - import_start
import numpy as np  # noqa: E402

WORKLOADS = {}


def workload(function):
    WORKLOADS[function.__name__] = function
    return function


def measure(step, seconds=1.0):
    """Return the median time of ``step`` in microseconds, over at least five and about ``seconds`` of runs."""
    for _ in range(3):
        step()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def training_step(symbol, shape, classes=10):
    """Time forward, backward, one sgd_update a weight, and the reading of the output."""
    random = np.random.default_rng(0)
    executor = symbol.simple_bind(mx.cpu(), data=shape, softmax_label=shape[:1])
    inputs = {
        "data": random.standard_normal(shape, dtype=np.float32),
        "softmax_label": random.integers(0, classes, shape[:1]).astype(np.float32),
    }
    for name, array in executor.arg_dict.items():
        array[:] = inputs.get(name, 0.05 * random.standard_normal(array.shape, dtype=np.float32))
    weights = [(executor.arg_dict[name], executor.grad_dict[name]) for name in executor.arg_dict if name not in inputs]

    def step():
        executor.forward(is_train=True)
        executor.backward()
        for weight, gradient in weights:
            mx.nd.sgd_update(weight, gradient, out=weight, lr=0.01, rescale_grad=1 / shape[0])
        executor.outputs[0].asnumpy()
        mx.nd.waitall()

    return measure(step)


def reading_forward(executor):
    def step():
        executor.forward(is_train=False)
        executor.outputs[0].asnumpy()

    return measure(step)


@workload
def symbol_add_2x2():
    """Forward of ``a + b`` on 2x2 arrays."""
    symbol = mx.sym.Variable("a") + mx.sym.Variable("b")
    return reading_forward(symbol.simple_bind(mx.cpu(), grad_req="null", a=(2, 2), b=(2, 2)))


@workload
def ndarray_add_2x2():
    a, b = mx.nd.ones((2, 2)), mx.nd.ones((2, 2))
    return measure(lambda: (a + b).wait_to_read())


@workload
def chain_of_100():
    x = mx.sym.Variable("x")
    for _ in range(50):
        x = mx.sym.tanh(x * 1.01)
    return reading_forward(x.simple_bind(mx.cpu(), grad_req="null", x=(8, 8)))


@workload
def bind_100_layers():
    x = mx.sym.Variable("data")
    for i in range(50):
        x = mx.sym.Activation(mx.sym.FullyConnected(x, num_hidden=16, name=f"fc{i}"), act_type="relu")

    def step():
        x.simple_bind(mx.cpu(), data=(4, 16))
        mx.nd.waitall()

    return measure(step)


@workload
def mlp_training_step():
    x = mx.sym.Variable("data")
    for i, size in enumerate((128, 64)):
        x = mx.sym.Activation(mx.sym.FullyConnected(x, num_hidden=size, name=f"fc{i}"), act_type="relu")
    x = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(x, num_hidden=10, name="fc2"), name="softmax")
    return training_step(x, (64, 784))


@workload
def lenet_training_step():
    x = mx.sym.Variable("data")
    for i, filters in enumerate((20, 50)):
        x = mx.sym.Convolution(x, kernel=(5, 5), num_filter=filters, name=f"conv{i}")
        x = mx.sym.Pooling(mx.sym.Activation(x, act_type="tanh"), pool_type="max", kernel=(2, 2), stride=(2, 2))
    x = mx.sym.FullyConnected(mx.sym.Flatten(x), num_hidden=500, name="fc1")
    x = mx.sym.FullyConnected(mx.sym.Activation(x, act_type="tanh"), num_hidden=10, name="fc2")
    return training_step(mx.sym.SoftmaxOutput(x, name="softmax"), (64, 1, 28, 28))


@workload
def import_time():
    return import_seconds * 1e6


if __name__ == "__main__":
    print(json.dumps({"microseconds": WORKLOADS[sys.argv[1]](), "version": mx.__version__, "threads": THREADS}))
