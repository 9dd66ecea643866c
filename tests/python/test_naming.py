"""Automatic names of operators, of the variables they imply, and of outputs."""

import threading

import mxnet as mx
import pytest

sym = mx.sym
x, y = sym.var("x"), sym.var("y")


@pytest.mark.parametrize("make, name, op, attrs", [
    (lambda: x + y, "_plus0", "elemwise_add", {}),
    (lambda: x + 2, "_plusscalar0", "_plus_scalar", {"scalar": "2"}),
    (lambda: 2.0 + x, "_plusscalar0", "_plus_scalar", {"scalar": "2.0"}),
    (lambda: x - y, "_minus0", "elemwise_sub", {}),
    (lambda: x - 2, "_minusscalar0", "_minus_scalar", {"scalar": "2"}),
    (lambda: 2 - x, "_rminusscalar0", "_rminus_scalar", {"scalar": "2"}),
    (lambda: x * y, "_mul0", "elemwise_mul", {}),
    (lambda: 3 * x, "_mulscalar0", "_mul_scalar", {"scalar": "3"}),
    (lambda: x * 1e-9, "_mulscalar0", "_mul_scalar", {"scalar": "1e-09"}),
    (lambda: x / y, "_div0", "elemwise_div", {}),
    (lambda: x / 2, "_divscalar0", "_div_scalar", {"scalar": "2"}),
    (lambda: 2 / x, "_rdivscalar0", "_rdiv_scalar", {"scalar": "2"}),
    (lambda: x % y, "_mod0", "_mod", {}),
    (lambda: x % 2, "_modscalar0", "_mod_scalar", {"scalar": "2"}),
    (lambda: 2 % x, "_rmodscalar0", "_rmod_scalar", {"scalar": "2"}),
    (lambda: x ** y, "_power0", "_power", {}),
    (lambda: x ** 3, "_powerscalar0", "_power_scalar", {"scalar": "3"}),
    (lambda: 2 ** x, "_rpower_scalar0", "_rpower_scalar", {"scalar": "2"}),
    (lambda: -x, "_mulscalar0", "_mul_scalar", {"scalar": "-1.0"}),
    (lambda: abs(x), "abs0", "abs", {}),
    (lambda: x == y, "_equal0", "_equal", {}),
    (lambda: x == 1, "_equal_scalar0", "_equal_scalar", {"scalar": "1"}),
    (lambda: x != 1, "_not_equal_scalar0", "_not_equal_scalar", {"scalar": "1"}),
    (lambda: x > y, "_greater0", "_greater", {}),
    (lambda: 1 > x, "_lesser_scalar0", "_lesser_scalar", {"scalar": "1"}),
    (lambda: x >= 1, "_greater_equal_scalar0", "_greater_equal_scalar", {"scalar": "1"}),
    (lambda: x <= y, "_lesser_equal0", "_lesser_equal", {}),
    (lambda: sym.power(x, 3), "_power_scalar0", "_power_scalar", {"scalar": "3"}),
    (lambda: sym.power(4, y), "_rpower_scalar0", "_rpower_scalar", {"scalar": "4"}),
    (lambda: sym.power(x, y), "_power0", "_power", {}),
    (lambda: sym.maximum(x, 2), "_maximumscalar0", "_maximum_scalar", {"scalar": "2"}),
    (lambda: sym.minimum(2, x), "_minimumscalar0", "_minimum_scalar", {"scalar": "2"}),
    (lambda: sym.hypot(x, y), "_hypot0", "_hypot", {}),
    (lambda: sym.zeros((2,)), "_zeros0", "_zeros", {"shape": "(2,)", "dtype": "float32"}),
    (lambda: sym.full((2,), 3), "_full0", "_full", {"shape": "(2,)", "dtype": "float32", "value": "3.0"}),
    (lambda: sym.eye(3), "_eye0", "_eye", {"N": "3", "M": "0", "k": "0", "dtype": "float32"}),
    (lambda: sym.arange(3), "_arange0", "_arange",
     {"start": "3", "stop": "None", "step": "1.0", "repeat": "1", "infer_range": "False", "dtype": "float32"}),
    (lambda: sym.linspace(0, 1, 5), "_linspace0", "_linspace",
     {"start": "0", "stop": "1", "num": "5", "endpoint": "True", "dtype": "float32"}),
    (lambda: sym.split_v2(x, 2), "_split_v20", "_split_v2",
     {"indices": "[]", "axis": "0", "squeeze_axis": "False", "sections": "2"}),
    (lambda: sym.split(x, num_outputs=2), "split0", "SliceChannel", {"num_outputs": "2"}),
    (lambda: sym.Softmax(x), "softmax0", "SoftmaxOutput", {}),
    (lambda: sym.softmax(x, axis=1), "softmax0", "softmax", {"axis": "1"}),
    (lambda: sym.identity(x), "identity0", "_copy", {}),
    (lambda: sym.stop_gradient(x), "stop_gradient0", "BlockGrad", {}),
    (lambda: sym.ElementWiseSum(x, y), "elementwisesum0", "add_n", {"num_args": "2"}),
    (lambda: sym.random.uniform(0, 1, shape=(2, 3)), "random_uniform0", "_random_uniform",
     {"low": "0", "high": "1", "shape": "(2, 3)"}),
    (lambda: sym.random.uniform(x, y), "_sample_uniform0", "_sample_uniform", {}),
    (lambda: sym.random.shuffle(x), "random_shuffle0", "_shuffle", {}),
    (lambda: sym.linalg.gemm2(x, y), "gemm20", "_linalg_gemm2", {}),
    (lambda: sym.linalg_gemm2(x, y), "linalg_gemm20", "_linalg_gemm2", {}),
    (lambda: sym.image.normalize(x, mean=(0.5,), std=(0.1,)), "normalize0", "_image_normalize",
     {"mean": "(0.5,)", "std": "(0.1,)"}),
    (lambda: sym.Convolution(x, kernel=(3, 3), num_filter=2, no_bias=True), "convolution0", "Convolution",
     {"kernel": "(3, 3)", "num_filter": "2", "no_bias": "True"}),
    (lambda: sym.sum(x, axis=None), "sum0", "sum", {"axis": "None"}),
    (lambda: sym.cast(x, dtype="float64"), "cast0", "Cast", {"dtype": "float64"}),
])
def test_name_operator_and_attributes(make, name, op, attrs):
    import json
    made = make()
    assert made.name == name
    node = json.loads(made.tojson())["nodes"][-1]
    assert node["op"] == op
    assert node.get("attrs", {}) == attrs


def test_counters_are_per_hint_and_shared_by_case():
    assert [sym.relu(x).name, sym.relu(x).name, sym.tanh(x).name] == ["relu0", "relu1", "tanh0"]
    assert [sym.Concat(x, y).name, sym.concat(x, y).name] == ["concat0", "concat1"]


def test_given_name_does_not_count():
    assert sym.relu(x, name="r").name == "r"
    assert sym.relu(x, name="").name == "relu0"


def test_managers_nest():
    with mx.name.NameManager():
        assert sym.relu(x).name == "relu0"
        with mx.name.NameManager():
            assert sym.relu(x).name == "relu0"
        assert sym.relu(x).name == "relu1"


def test_prefix_replaces_and_reaches_implied_variables():
    with mx.name.Prefix("a_"), mx.name.Prefix("b_"):
        net = sym.FullyConnected(x, num_hidden=3)
        assert (x + 1).name == "b__plusscalar0"
    assert net.name == "b_fullyconnected0"
    assert net.list_arguments() == ["x", "b_fullyconnected0_weight", "b_fullyconnected0_bias"]


def test_manager_is_per_thread():
    names = []
    with mx.name.Prefix("p_"):
        thread = threading.Thread(target=lambda: names.append(sym.relu(x).name))
        thread.start()
        thread.join()
    assert names == ["relu0"]


@pytest.mark.parametrize("make, implied, aux", [
    (lambda: sym.FullyConnected(x, num_hidden=2, name="n"), ["n_weight", "n_bias"], []),
    (lambda: sym.FullyConnected(x, num_hidden=2, no_bias=True, name="n"), ["n_weight"], []),
    (lambda: sym.BatchNorm(x, name="n"), ["n_gamma", "n_beta"], ["n_moving_mean", "n_moving_var"]),
    (lambda: sym.Embedding(x, input_dim=2, output_dim=3, name="n"), ["n_weight"], []),
    (lambda: sym.LeakyReLU(x, act_type="prelu", name="n"), ["n_gamma"], []),
    (lambda: sym.SoftmaxOutput(x, name="n"), ["n_label"], []),
    (lambda: sym.LayerNorm(x, name="n"), ["n_gamma", "n_beta"], []),
    (lambda: sym.Deconvolution(x, kernel=(2, 2), num_filter=2, name="n"), ["n_weight"], []),
])
def test_implied_variables(make, implied, aux):
    made = make()
    assert made.list_arguments() == ["x", *implied]
    assert made.list_auxiliary_states() == aux


@pytest.mark.parametrize("make, outputs", [
    (lambda: sym.BatchNorm(x, name="n"), ["n_output"]),
    (lambda: sym.split(x, num_outputs=2, name="n"), ["n_output0", "n_output1"]),
    (lambda: sym.split(x, num_outputs=1, name="n"), ["n_output0"]),
    (lambda: sym.sort(x, name="n"), ["n_output0"]),
    (lambda: sym.topk(x, ret_typ="both", name="n"), ["n_output0", "n_output1"]),
    (lambda: sym.make_loss(x, name="n"), ["n_loss"]),
    (lambda: sym.MakeLoss(x, name="n"), ["n_output"]),
    (lambda: sym.Dropout(x, name="n"), ["n_output"]),
    (lambda: x, ["x"]),
])
def test_output_names(make, outputs):
    assert make().list_outputs() == outputs
