"""Executors: forward, backward, arrays, sharing, monitors."""

import threading

import mxnet as mx
import numpy as np
import pytest

sym, nd = mx.sym, mx.nd
W = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]], np.float32)


def linear():
    return sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")


def bound(grad_req="write", batch=4):
    exe = linear().simple_bind(mx.cpu(), data=(batch, 3), grad_req=grad_req)
    exe.arg_dict["fc_weight"][:] = W
    exe.arg_dict["fc_bias"][:] = np.array([1.0, -1.0])
    return exe


def test_forward_and_backward():
    exe = bound()
    x = np.random.randn(4, 3).astype(np.float32)
    out = exe.forward(is_train=True, data=nd.array(x))
    assert out is exe.outputs
    np.testing.assert_allclose(out[0].asnumpy(), x @ W.T + [1, -1], rtol=1e-5, atol=1e-5)
    head = np.random.randn(4, 2).astype(np.float32)
    exe.backward(nd.array(head))
    np.testing.assert_allclose(exe.grad_dict["fc_weight"].asnumpy(), head.T @ x, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(exe.grad_dict["fc_bias"].asnumpy(), head.sum(0), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(exe.grad_dict["data"].asnumpy(), head @ W, rtol=1e-4, atol=1e-5)
    exe.backward({"fc_output": nd.array(head * 2)})
    np.testing.assert_allclose(exe.grad_dict["data"].asnumpy(), 2 * head @ W, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="lacks fc_output"):
        exe.backward({"other": nd.array(head)})


def test_dictionaries():
    exe = bound()
    assert list(exe.arg_dict) == ["data", "fc_weight", "fc_bias"]
    assert list(exe.grad_dict) == list(exe.arg_dict) and exe.aux_dict == {}
    assert list(exe.output_dict) == ["fc_output"]
    assert exe.arg_arrays[1].shape == (2, 3)
    assert exe.output_dict["fc_output"] is exe.outputs[0]


def test_numpy_and_other_types_as_input():
    exe = bound()
    x = np.ones((4, 3))
    want = W.sum(1) + [1, -1]
    for value in (x, x.astype(np.int32), nd.array(x, dtype="float64"), nd.array(x, dtype="int32")):
        np.testing.assert_allclose(exe.forward(data=value)[0].asnumpy()[0], want, rtol=1e-5)


@pytest.mark.parametrize("feed, error, text", [
    ({"dat": np.ones((4, 3))}, TypeError, "Unknown argument dat; did you mean data"),
    ({"zz": np.ones((4, 3))}, TypeError, "Unknown argument zz"),
    ({"data": np.ones((3, 3))}, ValueError, r"Shape not match! Argument data, need: \(4, 3\), received: \(3, 3\)"),
    ({"data": [1, 2]}, ValueError, "only accept keyword argument of NDArrays"),
])
def test_bad_forward(feed, error, text):
    with pytest.raises(error, match=text):
        bound().forward(**feed)


def test_grad_req():
    x, head = nd.ones((4, 3)), nd.ones((4, 2))
    exe = bound(grad_req="add")
    for array in exe.grad_arrays:
        array[:] = 100
    for _ in range(2):
        exe.forward(is_train=True, data=x)
        exe.backward(head)
    np.testing.assert_allclose(exe.grad_dict["fc_bias"].asnumpy(), [108, 108])
    exe = bound(grad_req="null")
    assert exe.grad_arrays == [None, None, None]
    exe.forward(is_train=True, data=x)
    exe.backward(head)
    exe = bound(grad_req={"fc_weight": "write"})
    assert [g is not None for g in exe.grad_arrays] == [False, True, False]
    exe = bound(grad_req=["null", "write", "add"])
    assert [g is not None for g in exe.grad_arrays] == [False, True, True]


def test_bind():
    args = {"data": nd.ones((4, 3)), "fc_weight": nd.array(W), "fc_bias": nd.zeros((2,))}
    grads = {"fc_weight": nd.zeros((2, 3))}
    exe = linear().bind(mx.cpu(), args, grads)
    exe.forward(is_train=True)
    np.testing.assert_allclose(exe.outputs[0].asnumpy()[0], W.sum(1), rtol=1e-6)
    exe.backward(nd.ones((4, 2)))
    np.testing.assert_allclose(grads["fc_weight"].asnumpy(), np.full((2, 3), 4.0))
    assert exe.arg_dict["data"] is args["data"] and exe.grad_dict["data"] is None
    args["data"][:] = 2  # bound arrays are the caller's
    np.testing.assert_allclose(exe.forward()[0].asnumpy()[0], 2 * W.sum(1), rtol=1e-6)
    exe = linear().bind(mx.cpu(), [args["data"], args["fc_weight"], args["fc_bias"]], grad_req="null")
    np.testing.assert_allclose(exe.forward()[0].asnumpy()[0], 2 * W.sum(1), rtol=1e-6)


@pytest.mark.parametrize("args, more, error, text", [
    ({"data": (4, 3)}, {}, ValueError, "key `fc_weight` is missing in `args`"),
    ([(4, 3)], {}, ValueError, "does not match the number of arguments"),
    (3, {}, TypeError, "list of NDArrays or dict"),
    ({"data": (4, 3), "fc_weight": (2, 3), "fc_bias": (2,)}, {"grad_req": "foo"}, ValueError, "grad_req=foo"),
    ({"data": (4, 3), "fc_weight": (2, 3), "fc_bias": (2,)}, {"grad_req": ["write"]}, ValueError, "Length of grad_req"),
    ({"data": (4, 3), "fc_weight": (5, 5), "fc_bias": (2,)}, {}, mx.MXNetError, "fc"),
])
def test_bad_bind(args, more, error, text):
    if isinstance(args, dict):
        args = {k: nd.ones(s) for k, s in args.items()}
    elif isinstance(args, list):
        args = [nd.ones(s) for s in args]
    with pytest.raises(error, match=text):
        linear().bind(mx.cpu(), args, **more)


def test_bind_refuses_gradient_of_another_shape():
    a = sym.var("a")
    with pytest.raises(mx.MXNetError):
        sym.MakeLoss(a).bind(mx.cpu(), {"a": nd.ones((50,))}, {"a": nd.zeros((3,))}).backward()


@pytest.mark.parametrize("kwargs, text", [
    ({}, "fc_weight"), ({"data": (2, 3), "fc_weight": (5, 5)}, "fc"), ({"data": (2, 3), "grad_req": "foo"}, "foo")])
def test_bad_simple_bind(kwargs, text):
    with pytest.raises(RuntimeError, match="simple_bind error. Arguments:") as caught:
        linear().simple_bind(mx.cpu(), **kwargs)
    assert text in str(caught.value)


def test_simple_bind_argument_types():
    with pytest.raises(TypeError, match="ctx must be a Context"):
        linear().simple_bind("cpu", data=(2, 3))
    with pytest.raises(TypeError, match="data is"):
        linear().simple_bind(mx.cpu(), data="x")
    with pytest.raises(RuntimeError):
        linear().simple_bind(mx.cpu(), data=(2, -3))
    with pytest.raises((RuntimeError, ValueError)):
        linear().simple_bind(mx.cpu(), data=(2 ** 62, 2 ** 62))
    with pytest.raises((RuntimeError, ValueError)):
        linear().simple_bind(mx.cpu(), data=(2 ** 80, 2))


def test_types():
    exe = linear().simple_bind(mx.cpu(), data=(2, 3), type_dict={"data": "float64"})
    assert [a.dtype for a in exe.arg_arrays] == [np.float64] * 3 and exe.outputs[0].dtype is np.float64


def test_no_gpu():
    if mx.num_gpus() == 0:
        with pytest.raises(mx.MXNetError, match="(?i)gpu|cuda|device"):
            nd.ones((1,), ctx=mx.gpu(0))
        with pytest.raises(RuntimeError, match="(?i)gpu|cuda|device"):
            linear().simple_bind(mx.gpu(0), data=(2, 3))


def test_batch_norm_statistics():
    net = sym.BatchNorm(sym.var("data"), fix_gamma=False, momentum=0.5, eps=1e-3, name="bn")
    exe = net.simple_bind(mx.cpu(), data=(16, 3))
    exe.arg_dict["bn_gamma"][:] = 1
    exe.aux_dict["bn_moving_var"][:] = 1
    x = (np.random.randn(16, 3) * 2 + 5).astype(np.float32)
    out = exe.forward(is_train=True, data=x)[0].asnumpy()
    np.testing.assert_allclose(out, (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-3), rtol=1e-3, atol=1e-4)
    exe.backward(nd.ones((16, 3)))
    np.testing.assert_allclose(exe.aux_dict["bn_moving_mean"].asnumpy(), x.mean(0) / 2, rtol=1e-4)
    np.testing.assert_allclose(exe.aux_dict["bn_moving_var"].asnumpy(), 0.5 + x.var(0) / 2, rtol=1e-3)


def test_copy_params_from():
    exe = bound()
    exe.copy_params_from({"fc_weight": nd.zeros((2, 3), dtype="float64")}, allow_extra_params=False)
    assert exe.arg_dict["fc_weight"].asnumpy().sum() == 0
    with pytest.raises(ValueError, match="not in the arguments"):
        exe.copy_params_from({"zz": nd.zeros((1,))})
    exe.copy_params_from({"zz": nd.zeros((1,))}, {"yy": nd.zeros((1,))}, allow_extra_params=True)
    with pytest.raises(ValueError, match="not in the auxiliary states"):
        exe.copy_params_from({}, {"yy": nd.zeros((1,))})


def test_reshape():
    exe = bound()
    small = exe.reshape(data=(2, 3))
    x = np.random.randn(2, 3).astype(np.float32)
    np.testing.assert_allclose(small.forward(data=x)[0].asnumpy(), x @ W.T + [1, -1], rtol=1e-5, atol=1e-5)
    small.arg_dict["fc_weight"][:] = 0
    assert exe.arg_dict["fc_weight"].asnumpy().sum() == 0
    with pytest.raises(mx.MXNetError, match="allow_up_sizing"):
        exe.reshape(data=(8, 3))
    assert exe.reshape(allow_up_sizing=True, data=(8, 3)).outputs[0].shape == (8, 2)
    with pytest.raises(mx.MXNetError, match="partial_shaping"):
        exe.reshape(data=(4, 2))


def test_shared_buffer_and_executor():
    buffers = {}
    one = linear().simple_bind(mx.cpu(), data=(4, 3), shared_buffer=buffers, shared_arg_names=["fc_weight", "fc_bias"])
    assert "data" in buffers
    two = linear().simple_bind(mx.cpu(), data=(2, 3), shared_buffer=buffers, shared_arg_names=["fc_weight", "fc_bias"],
                               shared_exec=one)
    one.arg_dict["fc_weight"][:] = 3
    assert (two.arg_dict["fc_weight"].asnumpy() == 3).all()


def test_monitor():
    seen = []
    net = sym.Activation(linear(), act_type="relu", name="act")
    exe = net.simple_bind(mx.cpu(), data=(2, 3))
    exe.set_monitor_callback(lambda name, array: seen.append((name.decode(), array.shape)))
    exe.forward(data=np.ones((2, 3)))
    assert seen == [("fc_output", (2, 2)), ("act_output", (2, 2))]
    monitor = mx.mon.Monitor(1, pattern=".*weight|fc_output", sort=True)
    exe = net.simple_bind(mx.cpu(), data=(2, 3))
    monitor.install(exe)
    monitor.tic()
    exe.forward(data=np.ones((2, 3)))
    assert [name for _, name, _ in monitor.toc()] == ["fc_output", "fc_weight"]
    assert monitor.toc() == []


def test_several_heads_and_debug_str():
    a = sym.var("a")
    exe = sym.Group([a * 2, a + 1]).simple_bind(mx.cpu(), a=(2,))
    exe.forward(is_train=True, a=np.array([1.0, 2.0]))
    exe.backward([nd.array([1, 1]), nd.array([10, 10])])
    np.testing.assert_array_equal(exe.grad_dict["a"].asnumpy(), [12, 12])
    assert "Total" in exe.debug_str() and "allocated" in exe.debug_str()


def test_backward_needs_a_head_gradient():
    exe = bound()
    exe.forward(is_train=True)
    with pytest.raises(mx.MXNetError, match="head"):
        exe.backward()
    with pytest.raises(mx.MXNetError):
        exe.backward(nd.ones((1, 1)))
    with pytest.raises(TypeError):
        exe.backward([3])


def test_eval():
    a, b = sym.var("a"), sym.var("b")
    np.testing.assert_array_equal((a + b).eval(a=nd.ones((2,)), b=nd.ones((2,)))[0].asnumpy(), [2, 2])


def test_training_converges():
    x = np.random.randn(256, 3).astype(np.float32)
    label = (x @ np.array([1.0, -2.0, 0.5]) > 0).astype(np.float32)
    net = sym.SoftmaxOutput(linear(), name="softmax", normalization="batch")
    exe = net.simple_bind(mx.cpu(), data=x.shape)
    init = mx.init.Xavier()
    for name in ("fc_weight", "fc_bias"):
        init(mx.init.InitDesc(name), exe.arg_dict[name])
    for _ in range(200):
        exe.forward(is_train=True, data=x, softmax_label=label)
        exe.backward()
        for name in ("fc_weight", "fc_bias"):
            nd.sgd_update(exe.arg_dict[name], exe.grad_dict[name], lr=0.5, out=exe.arg_dict[name])
    assert (exe.outputs[0].asnumpy().argmax(1) == label).mean() > 0.95


def test_threads_with_their_own_executors():
    wrong = []

    def work(seed):
        x = np.full((4, 3), seed, np.float32)
        exe = bound("null")
        for _ in range(60):
            out = exe.forward(data=x)[0].asnumpy()
            if not np.allclose(out, x @ W.T + [1, -1], rtol=1e-5):
                wrong.append(seed)
            nd.array(x) * 2 + 1

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
