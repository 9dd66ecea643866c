"""Bad input gives a Python exception that names what is wrong, and nothing else happens."""

import mxnet as mx
import numpy as np
import pytest

sym, nd = mx.sym, mx.nd
x = sym.var("x")


@pytest.mark.parametrize("call, words", [
    (lambda: sym.FullyConnected(x), ["num_hidden", "FullyConnected"]),
    (lambda: sym.FullyConnected(x, num_hidden="a"), ["num_hidden", "FullyConnected", "a"]),
    (lambda: sym.FullyConnected(x, num_hiden=3), ["num_hiden", "FullyConnected", "num_hidden"]),
    (lambda: sym.Activation(x, act_type="rlu"), ["rlu", "relu", "Activation"]),
    (lambda: sym.Convolution(x, kernel="(3,", num_filter=2), ["kernel", "Convolution"]),
    (lambda: sym.FullyConnected(foo=x, num_hidden=2), ["foo"]),
    (lambda: sym.Dropout(x, p=2), ["p", "Dropout"]),
    (lambda: nd.FullyConnected(nd.ones((2, 2)), nd.ones((3, 2)), num_hidden=3, no_bias=2), ["no_bias"]),
    (lambda: nd.elemwise_add(nd.ones((1,))), ["elemwise_add"]),
    (lambda: nd.broadcast_add(nd.ones((2, 3)), nd.ones((4, 5))), ["2,3", "4,5"]),
    (lambda: nd.dot(nd.ones((2, 3)), nd.ones((2, 3))), ["2,3"]),
    (lambda: nd.sum(nd.ones((2,)), axis=5), ["5"]),
    (lambda: nd.Convolution(nd.ones((1, 1, 2, 2)), nd.ones((1, 1, 5, 5)), kernel=(5, 5), num_filter=1, no_bias=True),
     ["kernel"]),
    (lambda: nd.zeros((2, -3)), ["-3"]),
    (lambda: nd.zeros((2 ** 40, 2 ** 40)), []),
    (lambda: nd.elemwise_add(nd.ones((2,)), nd.ones((2,), dtype="int32")), ["int32", "float32"]),
    (lambda: sym.load_json("{}"), []),
    (lambda: sym.load_json(""), []),
    (lambda: sym.load_json("[" * 100000), []),
    (lambda: sym.load_json('{"nodes": [{"op": "relu", "name": "r", "inputs": [[0, 0, 0]]}], "arg_nodes": [], '
                           '"heads": [[0, 0, 0]]}'), []),
    (lambda: sym.load_json('{"nodes": [{"op": "null", "name": "a", "inputs": []}], "arg_nodes": [0], '
                           '"heads": [[7, 0, 0]]}'), []),
    (lambda: sym.load_json('{"nodes": [{"op": "NoSuchOp", "name": "a", "inputs": []}], "arg_nodes": [], '
                           '"heads": [[0, 0, 0]]}'), ["NoSuchOp"]),
    (lambda: sym.load("/nonexistent/net.json"), ["/nonexistent/net.json"]),
    (lambda: nd.load("/nonexistent/net.params"), ["/nonexistent/net.params"]),
    (lambda: nd.load_frombuffer(b""), []),
    (lambda: nd.load_frombuffer(b"\x12\x01" + b"\0" * 14 + b"\xff" * 8), []),
    (lambda: sym.relu(x).infer_shape(nothing=(2,)), ["nothing", "x"]),
    (lambda: sym.elemwise_add(x, sym.var("y"), name="sum").infer_shape(x=(2, 3), y=(2, 4)), ["sum", "2,3", "2,4"]),
])
def test_library_errors(call, words):
    with pytest.raises(mx.MXNetError) as caught:
        call()
    text = str(caught.value)
    assert text
    for word in words:
        assert word in text, text


@pytest.mark.parametrize("call, error, text", [
    (lambda: sym.relu(3), AssertionError, "Argument data of relu must be Symbol instances, but got 3"),
    (lambda: sym.concat(3), AssertionError, "Positional arguments of .* must be Symbol instances, but got 3"),
    (lambda: nd.relu(3), AssertionError, "Argument data of relu must have NDArray type, but got 3"),
    (lambda: nd.relu(x), AssertionError, "NDArray"),
    (lambda: nd.relu(nd.ones((1,)), out=3), TypeError, "out must be"),
    (lambda: nd.relu(nd.ones((1,)), foo=nd.ones((1,))), TypeError, "unexpected array argument 'foo'"),
    (lambda: sym.concat(x, data=x), TypeError, "not both"),
    (lambda: nd.foo, AttributeError, "foo"),
    (lambda: nd.FulyConnected, AttributeError, "Did you mean 'FullyConnected'"),
    (lambda: mx.foo, AttributeError, "foo"),
    (lambda: mx.Context("tpu"), ValueError, "tpu"),
    (lambda: nd.ones((1,), ctx="cpu"), TypeError, "ctx must be a Context"),
    (lambda: sym.var("a\0b"), ValueError, "NUL"),
    (lambda: sym.var("a", dtype="int16"), TypeError, "int16"),
    (lambda: x.attr(3), TypeError, "strings"),
    (lambda: x.list_attr(recursive=True), DeprecationWarning, "attr_dict"),
    (lambda: x.infer_shape((1,), x=(1,)), ValueError, "positional or kwargs"),
    (lambda: x.infer_shape(x=3), TypeError, "shapes"),
    (lambda: nd.array([1], dtype="nonsense"), TypeError, "nonsense"),
])
def test_python_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_error_classes_are_both():
    cls = mx.error.ValueError
    assert issubclass(cls, mx.MXNetError) and issubclass(cls, ValueError)
    assert issubclass(mx.error.InternalError, mx.base.MXNetError)
    assert issubclass(mx.MXNetError, RuntimeError)
    with pytest.raises(AttributeError):
        mx.error.NoSuchError


def test_truncated_and_corrupted_files(tmp_path):
    path = tmp_path / "a.params"
    nd.save(str(path), {"w": nd.ones((3, 4)), "b": nd.zeros((2,), dtype="int8")})
    data = path.read_bytes()
    for cut in (0, 1, 7, 8, 23, 24, 30, 50, 80, len(data) - 1):
        with pytest.raises(mx.MXNetError):
            nd.load_frombuffer(data[:cut])
    rng = np.random.default_rng(0)
    for _ in range(300):
        broken = bytearray(data)
        for _ in range(rng.integers(1, 4)):
            broken[rng.integers(len(broken))] = rng.integers(256)
        try:
            nd.load_frombuffer(bytes(broken))
        except (mx.MXNetError, UnicodeDecodeError):
            pass


def test_corrupted_json():
    text = sym.SoftmaxOutput(sym.FullyConnected(x, num_hidden=3, name="fc"), name="s").tojson()
    rng = np.random.default_rng(1)
    for _ in range(300):
        broken = list(text)
        at = int(rng.integers(len(broken)))
        if rng.integers(2):
            del broken[at:at + int(rng.integers(1, 20))]
        else:
            broken[at] = chr(int(rng.integers(32, 127)))
        try:
            sym.load_json("".join(broken)).infer_shape_partial(x=(2, 3))
        except mx.MXNetError:
            pass


def test_many_claimed_nodes_are_refused_quickly():
    import time
    start = time.perf_counter()
    with pytest.raises(mx.MXNetError):
        nd.load_frombuffer(b"\x12\x01" + b"\0" * 14 + (10 ** 9).to_bytes(8, "little"))
    assert time.perf_counter() - start < 1
