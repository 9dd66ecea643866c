"""Building, inspecting, saving and inferring symbols."""

import copy
import json
import pickle

import mxnet as mx
import numpy as np
import pytest

sym = mx.sym


def mlp():
    net = sym.var("data")
    net = sym.FullyConnected(net, num_hidden=8, name="fc1")
    net = sym.Activation(net, act_type="relu", name="relu1")
    net = sym.FullyConnected(net, num_hidden=3, name="fc2")
    return sym.SoftmaxOutput(net, name="softmax")


ARGUMENTS = ["data", "fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias", "softmax_label"]


def test_lists():
    net = mlp()
    assert net.list_arguments() == ARGUMENTS
    assert net.list_outputs() == ["softmax_output"]
    assert net.list_auxiliary_states() == []
    assert net.list_inputs() == ARGUMENTS
    assert net.get_internals().list_outputs() == [
        "data", "fc1_weight", "fc1_bias", "fc1_output", "relu1_output", "fc2_weight", "fc2_bias", "fc2_output",
        "softmax_label", "softmax_output"]
    assert net.get_children().list_outputs() == ["fc2_output", "softmax_label"]
    assert sym.var("a").get_children() is None


def test_repr():
    a, b = sym.var("a"), sym.var("b")
    assert repr(a) == str(a) == "<Symbol a>"
    assert repr(sym.Group([a, b, b])) == "<Symbol group [a, b, b]>"
    parts = sym.split(a, num_outputs=2, name="s")
    assert repr(parts) == "<Symbol s>"
    assert [repr(p) for p in parts] == ["<Symbol s>", "<Symbol s>"]
    assert parts[1].name == "s"


def test_indexing():
    a = sym.var("a")
    group = sym.Group([sym.relu(a, name="r"), sym.tanh(a, name="t"), sym.exp(a, name="e")])
    assert len(group) == 3
    assert [s.name for s in group] == ["r", "t", "e"]
    assert group["t_output"].name == "t"
    assert group[0:2].list_outputs() == ["r_output", "t_output"]
    assert group[np.int64(2)].name == "e"
    with pytest.raises(IndexError):
        group[3]
    with pytest.raises(IndexError):
        group[-1]
    with pytest.raises(ValueError, match='Cannot find output that matches name "zz"'):
        group["zz"]
    with pytest.raises(TypeError, match="only support integer index"):
        group[1.5]
    with pytest.raises(ValueError, match="multiple outputs"):
        sym.Group([sym.relu(a, name="r"), sym.tanh(a, name="r")])["r_output"]
    assert group.name is None and group.attr("x") is None


def test_python_protocol():
    a, b = sym.var("a"), sym.var("b")
    with pytest.raises(mx.base.NotImplementedForSymbol):
        bool(a)
    with pytest.raises(TypeError):
        hash(a)
    for change in ("a += 1", "a -= b", "a *= 2", "a /= 2"):
        with pytest.raises(mx.base.NotImplementedForSymbol):
            exec(change, {"a": a, "b": b})
    with pytest.raises(TypeError, match="not supported"):
        a + "text"
    with pytest.raises(mx.base.NotImplementedForSymbol):
        a.asnumpy()


def test_copies_are_deep():
    net = mlp()
    for other in (copy.copy(net), copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert other.tojson() == net.tojson()
        other._set_attr(__mark__="1")
        assert net.attr("__mark__") is None


def test_json_and_files(tmp_path):
    net = mlp()
    text = net.tojson()
    assert json.loads(text)["attrs"]["mxnet_version"] == ["int", 10901]
    assert sym.load_json(text).tojson() == text
    path = tmp_path / "net-symbol.json"
    net.save(path)
    assert path.read_text() == text
    assert sym.load(str(path)).list_arguments() == ARGUMENTS


def test_attributes():
    a = sym.var("a", attr={"mood": "angry"}, lr_mult=2, wd_mult=0.5, shape=(2, 3), dtype="float64", init="zeros",
                __extra__="1")
    assert a.attr("mood") == "angry" and a.attr("none") is None
    attrs = a.list_attr()
    assert attrs["__shape__"] == "(2, 3)" and attrs["__dtype__"] == "1" and attrs["__lr_mult__"] == "2"
    assert attrs["__init__"] == "zeros" and attrs["__extra__"] == "1"
    net = sym.FullyConnected(a, num_hidden=4, name="fc", attr={"__tag__": "t"})
    assert net.attr("num_hidden") == "4" and net.attr("__tag__") == "t"
    tree = net.attr_dict()
    assert tree["fc"]["num_hidden"] == "4" and tree["fc_weight"]["num_hidden"] == "4"
    with pytest.raises(ValueError, match="double underscores"):
        sym.var("b", foo=1)
    with pytest.raises(ValueError, match="string values"):
        a._set_attr(x=1)
    with pytest.raises(TypeError):
        sym.var(3)


def test_attr_scope():
    with mx.AttrScope(ctx_group="dev1", __group__="4"):
        a = sym.var("a")
        with mx.AttrScope(__group__="5", __more__="6"):
            b = sym.relu(a)
        c = sym.relu(a)
    assert a.attr("__group__") == "4" and a.attr("__ctx_group__") == "dev1"
    assert b.attr("__group__") == "5" and b.attr("__more__") == "6" and b.attr("__ctx_group__") == "dev1"
    assert c.attr("__group__") == "4" and c.attr("__more__") is None
    assert sym.var("d").attr("__group__") is None
    with pytest.raises(ValueError, match="need to be string"):
        mx.AttrScope(x=1)


def test_compose_by_name_renames_the_head_only():
    one = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc1")
    two = sym.FullyConnected(sym.var("in"), num_hidden=4, name="fc2")
    joined = two(**{"in": one}, name="joined")
    assert joined.list_arguments() == ["data", "fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias"]
    assert joined.list_outputs() == ["joined_output"]
    assert two.list_arguments() == ["in", "fc2_weight", "fc2_bias"]
    with pytest.raises(TypeError, match="not both"):
        two(one, data=one)
    with pytest.raises(TypeError):
        two(data=3)
    with pytest.raises(mx.MXNetError):
        two(nothing=one)


def test_infer_shape():
    net = mlp()
    args, outs, aux = net.infer_shape(data=(10, 20))
    assert dict(zip(ARGUMENTS, args)) == {"data": (10, 20), "fc1_weight": (8, 20), "fc1_bias": (8,),
                                          "fc2_weight": (3, 8), "fc2_bias": (3,), "softmax_label": (10,)}
    assert outs == [(10, 3)] and aux == []
    assert net.infer_shape((10, 20), None, None, None, None, None)[1] == [(10, 3)]
    with pytest.warns(UserWarning, match="Cannot decide shape"):
        assert net.infer_shape() == (None, None, None)
    args, outs, _ = net.infer_shape_partial()
    assert args[0] == ()
    # backwards: from the weight to the data
    args, _, _ = net.infer_shape_partial(fc1_weight=(8, 7))
    assert args[1] == (8, 7)


def test_infer_shape_of_variables_with_unknown_lengths():
    a = sym.var("a", shape=(None, 5))
    assert a.attr("__shape__") == "(0, 5)"
    net = sym.relu(a)
    assert net.infer_shape(a=(4, 5))[1] == [(4, 5)]
    assert net.infer_shape_partial()[1] == [(0, 5)]


def test_infer_type():
    net = mlp()
    args, outs, _ = net.infer_type(data="float64")
    assert args[:5] == [np.float64] * 5 and outs == [np.float64]
    assert net.infer_type_partial()[0][0] in (None, np.float32)
    cast = sym.cast(sym.var("a"), dtype="int32")
    assert cast.infer_type(a=np.float16)[1] == [np.int32]


def test_group_and_list_errors():
    for bad in ([], [3], sym.var("a")):
        with pytest.raises(TypeError, match="list of symbols"):
            sym.Group(bad)
    with pytest.raises(TypeError):
        sym.load(3)
    with pytest.raises(TypeError):
        sym.load_json(3)


def test_debug_str():
    a = sym.var("a")
    assert a.debug_str() == "Variable:a\n"
    text = sym.FullyConnected(a, num_hidden=3, name="fc").debug_str()
    assert text.startswith("Symbol Outputs:\n\toutput[0]=fc(0)\n")
    assert "Op:FullyConnected, Name=fc" in text and "\tnum_hidden=3" in text


def test_methods_are_the_functions():
    a = sym.var("a")
    value = np.array([[4.0, 1.0], [9.0, 16.0]], np.float32)
    for made, want in ((a.sqrt(), np.sqrt(value)), (a.sum(axis=1), value.sum(1)), (a.reshape((4,)), value.reshape(4)),
                       (a.astype("int32"), value.astype(np.int32)), (a.transpose(), value.T),
                       (a.expand_dims(0), value[None]), (a.clip(2, 9), value.clip(2, 9)),
                       (a.slice_axis(axis=1, begin=0, end=1), value[:, :1])):
        got = made.eval(a=mx.nd.array(value))[0].asnumpy()
        np.testing.assert_allclose(got, want)
        assert got.dtype == want.dtype


def test_numbers_only():
    assert sym.power(2, 3) == 8 and sym.maximum(2, 3) == 3 and sym.minimum(2, 3) == 2 and sym.hypot(3, 4) == 5
    with pytest.raises(TypeError):
        sym.power("a", 2)


def test_signatures_show_defaults():
    import inspect
    text = str(inspect.signature(sym.Convolution))
    assert text.startswith("(data=None, weight=None, bias=None, kernel=<required>, stride=(), ")
    assert "num_group=1" in text and text.endswith("name=None, attr=None, out=None, **kwargs)")
    assert "num_filter : int" in sym.Convolution.__doc__


def test_functions_of_contrib_and_internal_exist():
    a = sym.var("a")
    assert sym._internal._plus_scalar(a, scalar=2).eval(a=mx.nd.ones((1,)))[0].asscalar() == 3
    assert sym.op.relu is sym.relu
    with pytest.raises(AttributeError, match="Did you mean 'FullyConnected'"):
        sym.FullyConected
