"""Initializers, checkpoints, drawings, test helpers, random seeds, features."""

import json
import xml.etree.ElementTree as ElementTree

import mxnet as mx
import numpy as np
import pytest

sym, nd = mx.sym, mx.nd


def lenet():
    net = sym.Convolution(sym.var("data"), kernel=(3, 3), num_filter=8, name="c1")
    net = sym.BatchNorm(net, name="bn")
    net = sym.Activation(net, act_type="relu", name="r1")
    net = sym.Pooling(net, kernel=(2, 2), stride=(2, 2), pool_type="max", name="p")
    left, right = sym.Convolution(net, kernel=(1, 1), num_filter=8, no_bias=True, name="c2"), net
    net = sym.Flatten(sym.concat(right, left, name="cc"), name="fl")
    return sym.SoftmaxOutput(sym.FullyConnected(net, num_hidden=10, name="fc"), name="softmax")


# --- initializers ---


@pytest.mark.parametrize("init, check", [
    (mx.init.Zero(), lambda a: (a == 0).all()), (mx.init.One(), lambda a: (a == 1).all()),
    (mx.init.Constant(2.5), lambda a: (a == 2.5).all()),
    (mx.init.Uniform(0.5), lambda a: abs(a).max() <= 0.5 and a.std() > 0.2),
    (mx.init.Normal(2), lambda a: 1.5 < a.std() < 2.5),
    (mx.init.Xavier(), lambda a: abs(a).max() <= np.sqrt(3 / 24) + 1e-6 and a.std() > 0.1),
    (mx.init.Xavier("gaussian", "in", 2), lambda a: a.std() == pytest.approx(np.sqrt(2 / 16), rel=0.2)),
    (mx.init.MSRAPrelu("out", 0), lambda a: a.std() == pytest.approx(np.sqrt(2 / 32), rel=0.2)),
    (mx.init.Orthogonal(2.0), lambda a: np.allclose(a.T @ a, 4 * np.eye(16), atol=1e-4)),
])
def test_initializers(init, check):
    weight = nd.zeros((32, 16))
    init(mx.init.InitDesc("fc_weight"), weight)
    assert check(weight.asnumpy())
    again = mx.init.create(init.dumps())
    assert type(again) is type(init) and again == init


def test_initializer_by_name_of_parameter():
    init = mx.init.Uniform(0.1)
    for name, value in (("fc_bias", 0), ("bn_gamma", 1), ("bn_beta", 0), ("bn_moving_mean", 0), ("bn_moving_var", 1)):
        array = nd.full((3,), 9)
        init(name, array)
        assert (array.asnumpy() == value).all(), name
    with pytest.raises(ValueError, match="Unknown initialization pattern for odd"):
        init("odd", nd.zeros((1,)))
    desc = mx.init.InitDesc("odd", {"__init__": mx.init.One().dumps()})
    array = nd.zeros((2,))
    init(desc, array)
    assert (array.asnumpy() == 1).all()
    assert sym.var("w", init=mx.init.Xavier(magnitude=2)).attr("__init__") == mx.init.Xavier(magnitude=2).dumps()
    assert json.loads(mx.init.Xavier().dumps()) == [
        "xavier", {"rnd_type": "uniform", "factor_type": "avg", "magnitude": 3}]


def test_special_initializers():
    bias = nd.zeros((8,))
    mx.init.LSTMBias(2.0)("lstm_bias", bias)
    assert bias.asnumpy().tolist() == [0, 0, 2, 2, 0, 0, 0, 0]
    up = nd.zeros((1, 1, 4, 4))
    mx.init.Bilinear()("upsampling_weight", up)
    assert up.asnumpy()[0, 0, 0].tolist() == [0.0625, 0.1875, 0.1875, 0.0625]
    mixed = mx.init.Mixed(["fc_.*", ".*"], [mx.init.One(), mx.init.Zero()])
    array = nd.full((2,), 5)
    mixed("fc_weight", array)
    assert (array.asnumpy() == 1).all()
    load = mx.init.Load({"arg:w": nd.full((2,), 3)}, mx.init.Zero())
    load("w", array)
    assert (array.asnumpy() == 3).all()
    load("b_weight", array)
    assert (array.asnumpy() == 0).all()
    with pytest.raises(ValueError, match="Shape mismatch"):
        load("w", nd.zeros((3,)))
    with pytest.raises(ValueError, match="2D"):
        mx.init.Xavier()("w_weight", nd.zeros((3,)))
    with pytest.raises(ValueError, match="did you mean xavier"):
        mx.init.create("xavir")


# --- checkpoints ---


def test_checkpoint(tmp_path):
    prefix = str(tmp_path / "net")
    net = lenet()
    exe = net.simple_bind(mx.cpu(), data=(1, 3, 16, 16))
    for array in exe.arg_arrays + exe.aux_arrays:
        array[:] = np.random.randn(*array.shape)
    args = {n: a for n, a in exe.arg_dict.items() if n not in ("data", "softmax_label")}
    mx.model.save_checkpoint(prefix, 3, net, args, exe.aux_dict)
    assert (tmp_path / "net-symbol.json").exists() and (tmp_path / "net-0003.params").exists()
    symbol, arg_params, aux_params = mx.model.load_checkpoint(prefix, 3)
    assert symbol.tojson() == net.tojson()
    assert set(arg_params) == set(args) and set(aux_params) == set(exe.aux_dict)
    for name, array in {**arg_params, **aux_params}.items():
        np.testing.assert_array_equal(array.asnumpy(), {**args, **exe.aux_dict}[name].asnumpy())
    assert mx.model.load_params(prefix, 3)[0].keys() == arg_params.keys()
    empty = str(tmp_path / "empty")
    mx.model.save_checkpoint(empty, 0, sym.identity(sym.var("a")), {}, {})
    with pytest.warns(UserWarning, match="empty"):
        assert mx.model.load_checkpoint(empty, 0)[1:] == ({}, {})


def test_failed_save_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.params"
    nd.save(str(path), [nd.ones((2,))])
    before = path.read_bytes()
    with pytest.raises(mx.MXNetError):
        nd.save(str(path), [nd.NDArray(None)])
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.params"]


# --- drawings ---


def test_print_summary(capsys):
    mx.viz.print_summary(lenet(), {"data": (1, 3, 16, 16)})
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) == 120 for line in lines if not line.startswith("Total"))
    assert lines[0] == "_" * 120 and lines[2] == "=" * 120
    rows = {line.split("(")[0]: line for line in lines[3:] if "(" in line}
    assert rows["c1"] == "c1(Convolution)".ljust(52) + "8x14x14".ljust(24) + "224".ljust(12) + "data".ljust(32)
    assert rows["bn"].split() == ["bn(BatchNorm)", "8x14x14", "16", "c1"]
    assert rows["cc"].split() == ["cc(Concat)", "16x7x7", "0", "p"]
    assert rows["fc"].split() == ["fc(FullyConnected)", "10", "7850", "fl"]
    assert "Total params: 8154" in lines
    with pytest.raises(TypeError):
        mx.viz.print_summary(3)


def test_plot_network(tmp_path):
    drawing = mx.viz.plot_network(lenet(), shape={"data": (1, 3, 16, 16)}, dtype={"data": "float32"})
    source = drawing.source
    assert source.startswith('digraph "plot" {') and '"fc" -> "fl" [dir="back"' in source
    assert "fc_weight" not in source and 'label="8x14x14(float32)"' in source
    assert "Convolution\\n3x3/1, 8" in source
    path = drawing.save_svg(str(tmp_path / "net.svg"))
    root = ElementTree.parse(path).getroot()
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    for text in ("data", "FullyConnected", "Pooling", "max, 2x2/2x2", "8x7x7(float32)"):
        assert text in texts
    boxes = [(float(r.get("x")), float(r.get("y")), float(r.get("width")), float(r.get("height")))
             for r in root.iter("{http://www.w3.org/2000/svg}rect")]
    for i, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[i + 1:]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y
    assert "fc_weight" in mx.viz.plot_network(lenet(), hide_weights=False).source
    assert drawing.save(str(tmp_path / "net.gv")).endswith("net.gv")
    assert drawing.render(str(tmp_path / "out"), format="svg").endswith(".svg")


def test_plot_of_repeated_names():
    a = sym.var("a")
    net = sym.relu(sym.relu(a, name="r"), name="r")
    with pytest.warns(RuntimeWarning, match="Repeated names: r"):
        assert mx.viz.plot_network(net)._repr_svg_().startswith("<svg")


# --- test helpers ---


def test_assert_almost_equal():
    mx.test_utils.assert_almost_equal(np.ones(3), nd.ones((3,)))
    with pytest.raises(AssertionError, match=r"Location of maximum error: \(1,\)"):
        mx.test_utils.assert_almost_equal(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    with pytest.raises(AssertionError, match="Shapes"):
        mx.test_utils.assert_almost_equal(np.ones((2, 3)), np.ones((3, 2)))
    assert mx.test_utils.almost_equal(nd.ones((2,)), np.ones(2)) and not mx.test_utils.same(nd.ones((2,)), np.zeros(2))


def test_checkers():
    a, b = sym.var("a"), sym.var("b")
    x, y = np.random.rand(2, 3) + 1, np.random.rand(2, 3) + 1
    net = a * b + sym.exp(a)
    mx.test_utils.check_numeric_gradient(net, [x, y], numeric_eps=1e-2)
    mx.test_utils.check_symbolic_forward(net, {"a": x, "b": y}, [x * y + np.exp(x)], rtol=1e-5)
    for req in ("write", "add", "null"):
        mx.test_utils.check_symbolic_backward(net, [x, y], [np.ones((2, 3))], {"a": y + np.exp(x), "b": x}, rtol=1e-4,
                                              grad_req=req)
    np.testing.assert_allclose(mx.test_utils.simple_forward(a * 2, a=np.ones(3, np.float32)), 2 * np.ones(3))
    with pytest.raises(AssertionError, match="EXPECTED"):
        mx.test_utils.check_symbolic_forward(net, [x, y], [x], rtol=1e-5)
    wrong = sym.BlockGrad(a) * b
    with pytest.raises(AssertionError, match="NUMERICAL_a"):
        mx.test_utils.check_numeric_gradient(wrong, [x, y])
    mx.test_utils.check_consistency(net, [{"ctx": mx.cpu(0), "a": (2, 3), "b": (2, 3)},
                                          {"ctx": mx.cpu(1), "a": (2, 3), "b": (2, 3)}])
    assert mx.test_utils.rand_ndarray((2, 3)).shape == (2, 3)
    assert all(1 <= n <= 5 for n in mx.test_utils.rand_shape_nd(4, 5))
    assert mx.test_utils.same_symbol_structure(a + b, b + a) and not mx.test_utils.same_symbol_structure(a + b, a * b)


# --- the rest ---


def test_features_and_versions():
    features = mx.runtime.Features()
    assert features.is_enabled("CUDA") in (True, False)
    with pytest.raises(RuntimeError, match="unknown"):
        features.is_enabled("NOPE")
    assert mx.__version__ == "1.10.0"
    assert mx.libinfo.find_lib_path()[0].endswith("libmxnet.so")
    assert mx.num_gpus() >= 0 and mx.util.is_np_shape() is False


def test_modes():
    with mx.np_shape():
        assert mx.is_np_shape()
        assert mx.nd.array(2.5).shape == ()
    assert not mx.is_np_shape()
    with mx.engine.bulk(10):
        nd.waitall()


def test_import_is_quick(tmp_path):
    import os
    import subprocess
    import sys
    code = ("import time, numpy; t = time.process_time(); import mxnet; "
            "print(time.process_time() - t)")
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(tmp_path)  # compiled once, as an installed package is
    spent = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                                  env=env).stdout) for _ in range(4)]
    assert min(spent) < 0.3, spent  # 0.08 s of processor time on an idle machine
