"""Memory shared with NumPy and other array libraries."""

import mxnet as mx
import numpy as np
import pytest

nd = mx.nd


def ramp():
    return np.arange(6, dtype=np.float32).reshape(2, 3)


def test_numpy_protocol():
    array = nd.array(ramp())
    np.testing.assert_array_equal(np.asarray(array), ramp())
    assert np.array(array, dtype=np.float64).dtype == np.float64
    np.testing.assert_array_equal(np.exp(array), np.exp(ramp()))
    assert array.__array__().flags.writeable
    view = array.__array__(copy=False)
    assert view.__array_interface__["data"][0] == array.__array_interface__["data"][0]
    array[0, 0] = 9
    assert view[0, 0] == 9
    with pytest.raises(ValueError, match="copy needed"):
        array.__array__(np.float64, copy=False)


def test_views_of_the_memory_are_read_only():
    view = np.asarray(nd.array(ramp()))
    with pytest.raises(ValueError, match="read-only"):
        view[0, 0] = 1


def test_view_outlives_the_array():
    view = nd.array(ramp()).__array__(copy=False)
    nd.zeros((1000,))
    np.testing.assert_array_equal(view, ramp())


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "uint8", "int32", "int8", "int64"])
def test_dlpack_round_trip(dtype):
    array = nd.array(ramp(), dtype=dtype)
    shared = np.from_dlpack(array)
    assert shared.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(shared, ramp().astype(dtype))
    again = nd.from_dlpack(array)
    again[:] = 1
    assert (array.asnumpy() == 1).all()
    again = nd.from_dlpack(nd.to_dlpack_for_write(array))
    again[:] = 2
    assert (array.asnumpy() == 2).all()


def test_from_other_libraries():
    host = np.arange(4.0)
    array = nd.from_dlpack(host)
    assert array.dtype is np.float64 and array.shape == (4,)
    host[0] = 5
    assert array.asnumpy()[0] == 5
    torch = pytest.importorskip("torch")
    tensor = torch.arange(3, dtype=torch.float32)
    np.testing.assert_array_equal(nd.from_dlpack(tensor).asnumpy(), [0, 1, 2])


def test_from_numpy():
    host = ramp()
    shared = nd.from_numpy(host)
    assert not host.flags.writeable
    shared[:] = 3
    assert (host == 3).all()
    del host
    assert (shared.asnumpy() == 3).all()
    copied = nd.from_numpy(np.ones(2, np.int64), zero_copy=False)
    assert copied.dtype is np.int64
    with pytest.raises(ValueError, match="contiguous"):
        nd.from_numpy(ramp().T)
    with pytest.raises(TypeError):
        nd.from_numpy([1])


def test_capsules_are_used_once():
    capsule = nd.to_dlpack_for_read(nd.ones((2,)))
    nd.from_dlpack(capsule)
    with pytest.raises(ValueError, match="only once"):
        nd.from_dlpack(capsule)
    with pytest.raises(TypeError):
        nd.from_dlpack(3)
    for _ in range(3):
        nd.to_dlpack_for_read(nd.ones((2,)))  # dropped without being used
    assert nd.ones((1,)).__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        nd.ones((1,)).__dlpack__(dl_device=(2, 0))
