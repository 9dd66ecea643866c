"""Image operators where MXNet 1.9.1 is no measure, and their gradients."""

import mxnet as mx
import numpy as np
import pytest
from mxnet.test_utils import check_numeric_gradient

nd = mx.nd


def picture(*shape, dtype=np.float32):
    return np.random.randint(0, 256, shape).astype(dtype)


@pytest.mark.parametrize("shape", [(5, 7, 3), (4, 6, 1), (2, 5, 3, 3)])
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_flips(shape, dtype):
    x = picture(*shape, dtype=dtype)
    a = nd.array(x, dtype=dtype)
    np.testing.assert_array_equal(nd.image.flip_left_right(a).asnumpy(), np.flip(x, -2))
    np.testing.assert_array_equal(nd.image.flip_top_bottom(a).asnumpy(), np.flip(x, -3))
    seen = {nd.image.random_flip_left_right(a).asnumpy().tobytes() for _ in range(64)}
    assert seen == {x.tobytes(), np.flip(x, -2).tobytes()}


@pytest.mark.parametrize("factor", [0.0, 0.4, 1.6])
def test_saturation_mixes_with_grey(factor):
    x = picture(6, 5, 3)
    grey = x @ np.array([0.299, 0.587, 0.114], np.float32)
    expected = x * factor + grey[..., None] * (1 - factor)
    np.testing.assert_allclose(nd.image.random_saturation(nd.array(x), factor, factor).asnumpy(), expected, rtol=1e-4, atol=1e-2)
    got = nd.image.random_saturation(nd.array(x, dtype="uint8"), factor, factor).asnumpy().astype(int)
    assert abs(got - np.clip(expected, 0, 255).astype(int)).max() <= 1


def test_hue_turns_round():
    x = nd.array(picture(5, 4, 3))
    np.testing.assert_allclose(nd.image.random_hue(x, 1.0, 1.0).asnumpy(), x.asnumpy(), atol=0.05)
    red = nd.array(np.array([[[255, 0, 0]]], np.float32))
    np.testing.assert_allclose(nd.image.random_hue(red, 1 / 3, 1 / 3).asnumpy(), [[[0, 255, 0]]], atol=0.1)


def test_jitter_without_strength_is_nothing():
    x = picture(4, 4, 3, dtype=np.uint8)
    np.testing.assert_array_equal(nd.image.random_color_jitter(nd.array(x, dtype="uint8"), 0, 0, 0, 0).asnumpy(), x)
    y = nd.image.random_color_jitter(nd.array(x, dtype="uint8"), 0.5, 0.5, 0.5, 0.2)
    assert y.shape == x.shape and not np.array_equal(y.asnumpy(), x)


def test_crops():
    x = nd.array(picture(9, 8, 3))
    places = set()
    for _ in range(200):
        y = mx.nd._internal._image_random_crop(x, width=3, height=4).asnumpy()
        assert y.shape == (4, 3, 3)
        places |= {(i, j) for i in range(6) for j in range(6) if np.array_equal(x.asnumpy()[i:i + 4, j:j + 3], y)}
    assert len(places) > 25
    assert mx.nd._internal._image_random_crop(x, width=20, height=4).shape == (4, 20, 3)
    batch = nd.array(picture(2, 9, 8, 3, dtype=np.uint8), dtype="uint8")
    out = mx.nd._internal._image_random_resized_crop(batch, width=6, height=5)
    assert out.shape == (2, 5, 6, 3) and out.dtype == np.uint8


@pytest.mark.parametrize("build", [
    lambda x: mx.sym.image.flip_left_right(x), lambda x: mx.sym.image.flip_top_bottom(x), lambda x: mx.sym.image.to_tensor(x),
    lambda x: mx.sym.image.crop(x, 1, 0, 2, 3), lambda x: mx.sym.image.resize(x, size=(7, 3)), lambda x: mx.sym.image.resize(x, size=(2, 2), interp=3),
    lambda x: mx.sym.image.resize(x, size=(5, 6), interp=2),
], ids=["left_right", "top_bottom", "to_tensor", "crop", "linear", "area", "cubic"])
def test_gradients(build):
    check_numeric_gradient(build(mx.sym.var("x")), [np.random.uniform(-1, 1, (4, 5, 3)).astype(np.float32)], numeric_eps=1e-2, rtol=2e-2, atol=2e-3)


@pytest.mark.parametrize(("call", "words"), [
    (lambda x: nd.image.crop(x, 3, 0, 9, 2), "width"),
    (lambda x: nd.image.resize(x, size=0), "positive"),
    (lambda x: nd.image.resize(x, size=3, interp=9), "interp"),
    (lambda x: nd.image.resize(x.astype("float16"), size=3), "float16"),
    (lambda x: nd.image.normalize(x, mean=(1, 2), std=1), "mean"),
    (lambda x: nd.image.random_brightness(nd.zeros((2, 2, 2)), 0, 1), "channels"),
    (lambda x: nd.image.to_tensor(nd.zeros((2, 2))), "height"),
])
def test_bad_input(call, words):
    with pytest.raises(mx.base.MXNetError, match=words):
        call(nd.zeros((3, 4, 3))).asnumpy()
