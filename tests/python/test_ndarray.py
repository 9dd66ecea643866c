"""Arrays: creation, indexing against NumPy, arithmetic, conversions, files."""

import copy
import pickle

import mxnet as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

nd = mx.nd


def ramp(*shape, dtype="float32"):
    return np.arange(np.prod(shape), dtype=dtype).reshape(shape)


# --- creation ---


def test_array_dtypes():
    assert nd.array([1, 2]).dtype is np.float32
    assert nd.array(np.ones(2, np.float64)).dtype is np.float32
    assert nd.array(np.ones(2, np.int32)).dtype is np.float32
    assert nd.array([1, 2], dtype="int8").dtype is np.int8
    assert nd.array(nd.ones(2, dtype="int8")).dtype is np.int8
    assert nd.array([True, False], dtype=bool).dtype is np.bool_
    with pytest.raises(TypeError, match="int16 is not supported"):
        nd.array([1], dtype="int16")
    for bad in ("abc", None, [[1, 2], [3]], object()):
        with pytest.raises(TypeError, match="array like"):
            nd.array(bad)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "uint8", "int32", "int8", "int64", "bool"])
def test_round_trip_of_every_dtype(dtype):
    host = np.array([[0, 1, 2], [3, 100, 5]]).astype(dtype)
    array = nd.array(host, dtype=dtype)
    got = array.asnumpy()
    assert got.dtype == host.dtype
    np.testing.assert_array_equal(got, host)
    np.testing.assert_array_equal(array.copy().asnumpy(), host)


def test_single_numbers():
    assert nd.array(3).shape == (1,) and nd.array(3).asscalar() == 3
    with mx.np_shape():
        assert nd.array(3).shape == () and nd.array(3).asscalar() == 3


def test_bfloat16():
    array = nd.array([1.0, -2.5, 3.140625, 1e30, float("inf")], dtype="bfloat16")
    assert mx.base.dtype_name(array.dtype) == "bfloat16"
    want = np.array([1.0, -2.5, 3.140625, 1.0003e30, np.inf], np.float32)
    np.testing.assert_allclose(array.asnumpy(), want, rtol=4e-3)
    np.testing.assert_allclose(array.astype("float32").asnumpy(), array.asnumpy())
    assert "nan" in str(nd.array([float("nan")], dtype="bfloat16").asnumpy())


def test_constructors():
    np.testing.assert_array_equal(nd.zeros((2, 3)).asnumpy(), np.zeros((2, 3)))
    np.testing.assert_array_equal(nd.ones(3, dtype="int32").asnumpy(), np.ones(3, np.int32))
    np.testing.assert_array_equal(nd.full((2,), 7, dtype="int64").asnumpy(), [7, 7])
    assert nd.full((1,), 2 ** 53 + 1, dtype="int64").asscalar() == 2 ** 53 + 1
    np.testing.assert_array_equal(nd.arange(3).asnumpy(), [0, 1, 2])
    np.testing.assert_allclose(nd.arange(1, 2, 0.25, repeat=2).asnumpy(), np.repeat(np.arange(1, 2, 0.25), 2))
    np.testing.assert_allclose(nd.linspace(0, 1, 5).asnumpy(), np.linspace(0, 1, 5))
    np.testing.assert_array_equal(nd.eye(2, 3, 1).asnumpy(), np.eye(2, 3, 1))
    assert nd.empty((2, 3), dtype="float16").shape == (2, 3)
    out = nd.ones((2,))
    assert nd.zeros((2,), out=out) is out and out.asnumpy().sum() == 0


def test_properties_and_repr():
    array = nd.array(ramp(2, 3))
    assert (array.shape, array.ndim, array.size, len(array), array.stype) == ((2, 3), 2, 6, 2, "default")
    assert array.context == array.ctx == mx.cpu(0)
    assert repr(array) == "\n[[0. 1. 2.]\n [3. 4. 5.]]\n<NDArray 2x3 @cpu(0)>"
    np.testing.assert_array_equal(array.T.asnumpy(), ramp(2, 3).T)


# --- indexing ---


def legacy(host):
    return host.reshape(1) if host.ndim == 0 else host


def index_keys(shape):
    basic = hnp.basic_indices(shape, allow_ellipsis=True, allow_newaxis=True, min_dims=0)
    arrays = hnp.integer_array_indices(shape, result_shape=hnp.array_shapes(max_dims=2, max_side=3), dtype=np.int64)
    masks = hnp.arrays(bool, shape)
    return st.one_of(basic, arrays, masks)


shapes = hnp.array_shapes(min_dims=1, max_dims=4, max_side=4)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_get_as_numpy(data):
    shape = data.draw(shapes)
    host = ramp(*shape)
    key = data.draw(index_keys(shape))
    want = legacy(host[key])
    got = nd.array(host)[key]
    assert got.shape == want.shape
    np.testing.assert_array_equal(got.asnumpy(), want)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_set_as_numpy(data):
    shape = data.draw(shapes)
    host, array = ramp(*shape), nd.array(ramp(*shape))
    key = data.draw(index_keys(shape))
    target = host[key].shape
    kind = data.draw(st.sampled_from(["number", "numpy", "array", "row"]))
    if kind == "number":
        value = 7.5
        host[key], array[key] = value, value
    else:
        wanted = target[1:] if kind == "row" and len(target) > 1 else target
        value = -1 - np.arange(int(np.prod(wanted)), dtype=np.float32).reshape(wanted)
        host[key] = value
        array[key] = nd.array(value) if kind == "array" and value.ndim and value.size else value
    np.testing.assert_array_equal(array.asnumpy(), host)


@pytest.mark.parametrize("key", [
    (slice(None), [0, 2]), ([1, 0], slice(None, None, 2)), (slice(None), [[0, 1], [2, 0]], 1), (0, [1, 2], slice(1, 3)),
    ([0, 1], slice(None), [3, 0]), (None, [1], Ellipsis, None), (np.array([True, False]), slice(None), [0, 1, 2, 3][:1]),
    (slice(None), np.array([True, False, True])), (-1, -1, -1), (Ellipsis, -2), (slice(None, None, -1),),
    (1, slice(2, 0, -1), slice(None, None, 3))])
def test_mixed_keys(key):
    host = ramp(2, 3, 4)
    np.testing.assert_array_equal(nd.array(host)[key].asnumpy(), legacy(host[key]))
    array = nd.array(host)
    array[key] = 5
    host[key] = 5
    np.testing.assert_array_equal(array.asnumpy(), host)


def test_array_indices_and_masks():
    host = ramp(3, 4)
    array = nd.array(host)
    np.testing.assert_array_equal(array[nd.array([2, 0])].asnumpy(), host[[2, 0]])
    np.testing.assert_array_equal(array[array > 5].asnumpy(), host[host > 5])
    array[array > 5] = 0
    host[host > 5] = 0
    np.testing.assert_array_equal(array.asnumpy(), host)
    np.testing.assert_array_equal(array[nd.array([True, False, True], dtype=bool)].asnumpy(), host[[0, 2]])


def test_views_share_memory():
    array = nd.array(ramp(4, 3))
    for key in (1, slice(1, 3), (2, slice(0, 2)), (slice(None),)):
        view = array[key]
        view[:] = -1
        assert (array[key].asnumpy() == -1).all()
    array[::2][:] = 5  # a copy
    assert (array.asnumpy() == -1).all()
    shaped = array.reshape(3, 4)
    shaped[:] = 2
    assert (array.asnumpy() == 2).all()


def test_overlapping_assignment():
    array = nd.array(np.arange(8))
    array[2:] = array[:-2]
    np.testing.assert_array_equal(array.asnumpy(), [0, 1, 0, 1, 2, 3, 4, 5])
    array = nd.array(np.arange(5))
    array[:] = array[::-1]
    np.testing.assert_array_equal(array.asnumpy(), [4, 3, 2, 1, 0])


@pytest.mark.parametrize("key, error", [
    (5, IndexError), (-3, IndexError), ((0, 7), IndexError), ((0, 1, 2), IndexError), ("a", ValueError),
    ([0, 9], IndexError), (([0, 1], [0, 1, 2]), IndexError), (np.array([True] * 3), IndexError),
    ((Ellipsis, Ellipsis), IndexError), ([0.5], IndexError)])
def test_bad_keys(key, error):
    array = nd.array(ramp(2, 3))
    with pytest.raises(error):
        array[key]
    with pytest.raises(error):
        array[key] = 1


def test_bad_values():
    array = nd.array(ramp(2, 3))
    for key, value, error in ((slice(None), np.zeros(4), ValueError), (slice(None), "a", TypeError),
                              (0, nd.ones((2,)), ValueError), ([0, 1], nd.ones((3, 3)), ValueError),
                              ((slice(None), slice(None, None, 2)), np.ones((5,)), ValueError)):
        with pytest.raises(error):
            array[key] = value
    readonly = nd.NDArray(array, writable=False)
    with pytest.raises(ValueError, match="readonly"):
        readonly[:] = 1
    with pytest.raises(ValueError, match="readonly"):
        readonly += 1


# --- shape changes ---


@pytest.mark.parametrize("shape, want", [
    ((-1, 0), (8, 3)), ((0, -1), (2, 12)), ((6, 4), (6, 4)), ((2, -2), (2, 3, 4)), ((-3, 0), (6, 4)),
    ((-4, 1, 2, -2), (1, 2, 3, 4)), ((0, 0, -4, -1, 2), (2, 3, 2, 2))])
def test_reshape_codes(shape, want):
    array = nd.array(ramp(2, 3, 4))
    assert array.reshape(shape).shape == array.reshape(*shape).shape == array.reshape(shape=shape).shape == want


def test_reshape_errors():
    array = nd.array(ramp(2, 3))
    for shape in ((4, 4), (2, 2), (), (-1, 4)):
        with pytest.raises((ValueError, mx.MXNetError)):
            array.reshape(shape)
    with pytest.raises(TypeError):
        array.reshape((3, 2), order="C")


def test_shape_functions():
    host = ramp(2, 3, 4)
    array = nd.array(host)
    np.testing.assert_array_equal(nd.moveaxis(array, 0, 2).asnumpy(), np.moveaxis(host, 0, 2))
    np.testing.assert_array_equal(array.expand_dims(1).asnumpy(), host[:, None])
    assert array.expand_dims(-1, inplace=True).shape == (2, 3, 4, 1)
    assert nd.ones((1, 2, 1)).squeeze().shape == nd.ones((1, 2, 1)).squeeze(inplace=True).shape == (2,)
    assert array.flatten().shape == array.flatten(inplace=True).shape == (2, 12)
    assert nd.ones((3, 1)).broadcast_to((2, 3, 4)).shape == (2, 3, 4)
    with pytest.raises(ValueError):
        nd.ones((3, 2)).broadcast_to((3, 4))
    parts = nd.split_v2(array, (1, 3), axis=2)
    assert [p.shape for p in parts] == [(2, 3, 1), (2, 3, 2), (2, 3, 1)]
    np.testing.assert_array_equal(nd.concatenate([array, array], axis=1).asnumpy(), np.concatenate([host, host], 1))


# --- arithmetic ---


@pytest.mark.parametrize("text", [
    "a + b", "a - b", "a * b", "a / b", "a % b", "a ** b", "a + 2", "2 + a", "a - 2", "2 - a", "a * 2", "2 / a",
    "2 % a", "a % 2", "2 ** a", "a ** 2", "-a", "abs(a - 3)", "a == b", "a != 2", "a > b", "a >= 3", "3 > a", "a < b",
    "3 <= a", "a + F(2)", "F(2) * a"])
def test_operators(text):
    a, b = np.array([[1.0, 2, 3], [4, 5, 6]], np.float32), np.array([[2.0, 2, 2]], np.float32)
    want = eval(text, {"a": a, "b": b, "F": np.float32})
    got = eval(text, {"a": nd.array(a), "b": nd.array(b), "F": np.float32})
    assert isinstance(got, nd.NDArray)
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-6)


def test_in_place():
    array = nd.array([1.0, 2.0])
    same = array
    array += 1
    array *= nd.array([2.0, 3.0])
    array -= 1
    array /= 2
    array %= 2
    assert array is same
    np.testing.assert_allclose(array.asnumpy(), [1.5, 0.0])


def test_functions_of_arrays_and_numbers():
    a = nd.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(nd.maximum(a, 2).asnumpy(), [2, 2, 3])
    np.testing.assert_array_equal(nd.subtract(5, a).asnumpy(), [4, 3, 2])
    np.testing.assert_array_equal(nd.lesser(2, a).asnumpy(), [0, 0, 1])
    assert nd.add(1, 2) == 3 and nd.maximum(1, 2) == 2 and nd.equal(1, 2) == 0
    with pytest.raises(TypeError):
        a + "x"
    with pytest.raises(TypeError):
        a == None  # noqa: E711
    with pytest.raises(TypeError):
        a + np.ones(3)


def test_scalars_and_bool():
    assert float(nd.array([2.5])) == 2.5 and int(nd.array([2])) == 2 and nd.array([3]).asscalar() == 3
    assert [10, 20, 30][nd.array([1], dtype="int32")] == 20
    assert not nd.zeros((1,)) and nd.ones((1,))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(nd.ones((2,)))
    with pytest.raises(ValueError, match="not a scalar"):
        nd.ones((2,)).asscalar()


# --- conversions ---


def test_astype_copy_context():
    array = nd.array([1.5, -2.5])
    assert array.astype("float32", copy=False) is array
    np.testing.assert_array_equal(array.astype("int32").asnumpy(), [1, -2])
    other = array.copyto(mx.cpu(1))
    assert other.context == mx.cpu(1) and array.as_in_context(mx.cpu(0)) is array
    target = nd.zeros((2,), dtype="float64")
    assert array.copyto(target) is target
    np.testing.assert_array_equal(target.asnumpy(), [1.5, -2.5])
    with pytest.raises(mx.MXNetError):
        array.copyto(nd.zeros((3,)))
    with pytest.raises(TypeError):
        array.copyto("cpu")
    with mx.Context("cpu", 1):
        assert nd.zeros((1,)).context == mx.cpu(1) == mx.current_context()
    assert mx.current_context() == mx.cpu(0)


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))])
def test_copies(make):
    array = nd.array(ramp(2, 3), dtype="float16")
    other = make(array)
    assert other.dtype is np.float16
    np.testing.assert_array_equal(other.asnumpy(), array.asnumpy())
    other[:] = 0
    assert array.asnumpy().sum() > 0


def test_save_and_load(tmp_path):
    path = str(tmp_path / "a.params")
    arrays = {"w": nd.array(ramp(2, 3)), "b": nd.array([1, 2], dtype="int64"), "größe": nd.ones((1,), dtype="uint8")}
    nd.save(path, arrays)
    loaded = nd.load(path)
    assert list(loaded) == list(arrays)
    for name, array in arrays.items():
        assert loaded[name].dtype is array.dtype
        np.testing.assert_array_equal(loaded[name].asnumpy(), array.asnumpy())
    with open(path, "rb") as file:
        assert list(nd.load_frombuffer(file.read())) == list(arrays)
    nd.save(path, [nd.ones((1,)), nd.zeros((2,))])
    assert [a.shape for a in nd.load(path)] == [(1,), (2,)]
    nd.save(path, nd.ones((3,)))
    assert nd.load(path)[0].shape == (3,)
    for bad in (3, "x"):
        with pytest.raises((ValueError, TypeError)):
            nd.save(path, bad)
    with pytest.raises(TypeError):
        nd.save(path, {"a": 3})
    with pytest.raises(TypeError):
        nd.load(3)
    with pytest.raises(mx.MXNetError):
        nd.load(str(tmp_path / "missing.params"))


def test_random_functions():
    mx.random.seed(3)
    one = nd.random.uniform(-1, 1, (100,)).asnumpy()
    mx.random.seed(3)
    np.testing.assert_array_equal(nd.random.uniform(-1, 1, (100,)).asnumpy(), one)
    assert one.min() >= -1 and one.max() < 1 and one.std() > 0.3
    assert nd.random.normal(5, 0.1, (1000,)).asnumpy().mean() == pytest.approx(5, abs=0.02)
    drawn = nd.random.randint(2, 5, (200,))
    assert drawn.dtype is np.int32 and set(drawn.asnumpy()) == {2, 3, 4}
    assert nd.random.uniform(nd.zeros((2,)), nd.ones((2,)), shape=3).shape == (2, 3)
    assert nd.random.randn(2, 3).shape == (2, 3)
    assert sorted(nd.random.shuffle(nd.arange(5)).asnumpy()) == [0, 1, 2, 3, 4]
    samples, expected_true, expected = nd.contrib.rand_zipfian(nd.array([3, 1]), 5, 10)
    assert samples.shape == (5,) and samples.dtype is np.int64 and samples.asnumpy().max() < 10
    want = np.log(np.array([5 / 4, 3 / 2])) / np.log(11) * 5
    np.testing.assert_allclose(expected_true.asnumpy(), want)
    assert expected.shape == (5,)
    with pytest.raises(TypeError):
        nd.random.uniform(0, nd.ones((2,)))
    with pytest.raises(ValueError):
        mx.random.seed("abc")


def test_loops_over_arrays():
    outputs, state = nd.contrib.foreach(lambda x, s: (x + s, s + 1), nd.array(ramp(3, 2)), nd.zeros((2,)))
    np.testing.assert_array_equal(outputs.asnumpy(), ramp(3, 2) + np.array([[0], [1], [2]]))
    assert state.asnumpy().tolist() == [3, 3]
    outputs, final = nd.contrib.while_loop(lambda i: i < 3, lambda i: (i * 2, i + 1), nd.array([0.0]), 5)
    np.testing.assert_array_equal(outputs.asnumpy().ravel(), [0, 2, 4, 0, 0])
    assert final.asscalar() == 3
    assert nd.contrib.cond(nd.array([1]), lambda: 1, lambda: 2) == 1
    odd = nd.array([1.0, np.inf, np.nan])
    assert nd.contrib.isnan(odd).asnumpy().tolist() == [0, 0, 1]
    assert nd.contrib.isinf(odd).asnumpy().tolist() == [0, 1, 0]
    assert nd.contrib.isfinite(odd).asnumpy().tolist() == [1, 0, 0]
