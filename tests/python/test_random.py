"""Random operators: seeds, moments, and what stays the same."""

import os
import subprocess
import sys

import mxnet as mx
import numpy as np
import pytest

nd = mx.nd
N = 200_000
# Operator, parameters, mean and variance.
DRAWS = [
    ("uniform", {"low": -1, "high": 3}, 1.0, 16 / 12),
    ("normal", {"loc": 2, "scale": 1.5}, 2.0, 2.25),
    ("gamma", {"alpha": 3, "beta": 0.5}, 1.5, 0.75),
    ("gamma", {"alpha": 0.4, "beta": 2}, 0.8, 1.6),
    ("exponential", {"lam": 4}, 0.25, 1 / 16),
    ("poisson", {"lam": 3}, 3.0, 3.0),
    ("poisson", {"lam": 40}, 40.0, 40.0),
    ("negative_binomial", {"k": 3, "p": 0.4}, 4.5, 11.25),
    ("generalized_negative_binomial", {"mu": 3, "alpha": 0.4}, 3.0, 6.6),
]
IDS = [f"{name}{i}" for i, (name, *_) in enumerate(DRAWS)]


def check_moments(values, mean, variance):
    values = values.astype(np.float64)
    assert abs(values.mean() - mean) < 6 * np.sqrt(variance / values.size)
    assert abs(values.var() - variance) < 0.06 * variance


@pytest.mark.parametrize(("name", "params", "mean", "variance"), DRAWS, ids=IDS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_moments(name, params, mean, variance, dtype):
    out = getattr(nd, f"random_{name}")(shape=(N,), dtype=dtype, **params)
    assert out.dtype == np.dtype(dtype)
    values = out.asnumpy()
    check_moments(values, mean, variance)
    mx.random.seed(7)
    np.testing.assert_array_equal(getattr(nd, f"random_{name}")(shape=(N,), dtype=dtype, **params).asnumpy(), values)
    assert not np.array_equal(getattr(nd, f"random_{name}")(shape=(N,), dtype=dtype, **params).asnumpy(), values)


@pytest.mark.parametrize(("name", "params", "mean", "variance"), DRAWS, ids=IDS)
def test_samples_and_like(name, params, mean, variance):
    like = getattr(nd.random, f"{name}_like")(nd.zeros((2, N // 2)), **params)
    assert like.shape == (2, N // 2)
    check_moments(like.asnumpy(), mean, variance)
    arrays = [nd.array([v, v]) for v in params.values()]
    out = getattr(nd, f"sample_{name}")(*arrays, shape=(N // 2,))
    assert out.shape == (2, N // 2)
    check_moments(out.asnumpy(), mean, variance)
    assert not np.array_equal(out.asnumpy()[0], out.asnumpy()[1])


def test_numbers_do_not_depend_on_threads():
    code = ("import mxnet as mx, zlib; mx.random.seed(3); nd = mx.nd; print([zlib.crc32(f().asnumpy().tobytes()) for f in ("
            "lambda: nd.random_normal(shape=(99999,)), lambda: nd.random_gamma(alpha=2, shape=(50001,)),"
            "lambda: nd.random_uniform(shape=(77777,), dtype='float64'), lambda: nd.random.randint(0, 9, shape=(50001,)),"
            "lambda: nd.shuffle(nd.arange(5000)), lambda: nd.sample_poisson(nd.array([3.0, 50.0]), shape=(9999,)))])")
    outputs = {subprocess.run([sys.executable, "-c", code], env={**os.environ, "OMP_NUM_THREADS": n}, capture_output=True, text=True,
                              check=True).stdout for n in ("1", "2", "3")}
    assert len(outputs) == 1


def test_randint():
    values = nd.random.randint(-2, 3, shape=(N,)).asnumpy()
    assert values.dtype == np.int32
    counts = np.bincount(values + 2)
    assert len(counts) == 5
    assert abs(counts - N / 5).max() < 6 * np.sqrt(N / 5)
    wide = nd.random.randint(-2**62, 2**62, shape=(1000,), dtype="int64").asnumpy()
    assert wide.min() < -2**60 and wide.max() > 2**60


def test_multinomial():
    p = np.array([[0.1, 0.0, 0.6, 0.3], [0.0, 1.0, 0.0, 0.0]], np.float32)
    draws, logs = nd.sample_multinomial(nd.array(p), shape=(N,), get_prob=True)
    assert draws.dtype == np.int32 and draws.shape == (2, N)
    counts = np.bincount(draws.asnumpy()[0], minlength=4) / N
    np.testing.assert_allclose(counts, p[0], atol=0.01)
    assert (draws.asnumpy()[1] == 1).all()
    np.testing.assert_allclose(logs.asnumpy()[0], np.log(p[0][draws.asnumpy()[0]]), rtol=1e-6)
    assert nd.sample_multinomial(nd.array(p[0])).shape == (1,)


def test_multinomial_gradient():
    data = mx.sym.var("p")
    both = mx.sym.sample_multinomial(data, shape=(5,), get_prob=True)
    p = nd.array([[0.2, 0.8]])
    grad = nd.zeros((1, 2))
    exe = both.bind(mx.cpu(), {"p": p}, {"p": grad})
    draws = exe.forward(is_train=True)[0].asnumpy()[0]
    exe.backward([nd.zeros((1, 5), dtype="int32"), nd.ones((1, 5))])
    counts = np.bincount(draws, minlength=2)
    np.testing.assert_allclose(grad.asnumpy()[0], counts / np.array([0.2, 0.8]), rtol=1e-5)


def test_shuffle_moves_whole_rows():
    x = nd.arange(3000).reshape((1000, 3))
    y = nd.shuffle(x).asnumpy()
    assert not np.array_equal(y, x.asnumpy())
    np.testing.assert_array_equal(y[np.argsort(y[:, 0])], x.asnumpy())


def test_zipfian():
    range_max, n = 50, 20000
    samples, true, sampled = nd.contrib.rand_zipfian(nd.array([3, 1]), n, range_max)
    probability = np.log((np.arange(range_max) + 2) / (np.arange(range_max) + 1)) / np.log(range_max + 1)
    assert samples.dtype == np.int64 and samples.shape == (n,)
    np.testing.assert_allclose(np.bincount(samples.asnumpy(), minlength=range_max) / n, probability, atol=0.015)
    np.testing.assert_allclose(true.asnumpy(), probability[[3, 1]] * n, rtol=1e-6)
    np.testing.assert_allclose(sampled.asnumpy(), probability[samples.asnumpy()] * n, rtol=1e-6)
    unique, tries = mx.nd._internal._sample_unique_zipfian(range_max=20, shape=(3, 15))
    assert all(len(set(row)) == 15 for row in unique.asnumpy().tolist())
    assert (tries.asnumpy() >= 15).all()


@pytest.mark.parametrize(("call", "words"), [
    (lambda: nd.random_uniform(low=2, high=1, shape=(2,)), "low must be less"),
    (lambda: nd.random_gamma(alpha=-1, shape=(2,)), "alpha"),
    (lambda: nd.random_poisson(lam=float("nan"), shape=(2,)), "lambda"),
    (lambda: nd.random_negative_binomial(k=1, p=0, shape=(2,)), "p parameter"),
    (lambda: nd.random.randint(3, 3, shape=(2,)), "must be less than high"),
    (lambda: mx.nd._internal._sample_unique_zipfian(range_max=3, shape=(1, 9)), "cannot exceed"),
])
def test_bad_parameters(call, words):
    with pytest.raises(mx.base.MXNetError, match=words):
        call().asnumpy()


def test_bad_sample_parameters_give_nan():
    out = nd.sample_gamma(nd.array([-1.0, float("nan"), 2.0]), nd.array([1.0, 1.0, 1.0]), shape=(4,)).asnumpy()
    assert np.isnan(out[:2]).all() and np.isfinite(out[2]).all()
    assert np.isnan(nd.sample_poisson(nd.array([-2.0, float("inf")])).asnumpy()).all()
