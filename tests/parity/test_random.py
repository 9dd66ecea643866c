"""Random operators: shapes, dtypes, moments, and the same numbers after the same seed. Nothing here is stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import harness
import mxnet as mx
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(harness.is_oracle(mx), reason="1.9.1 crashes in some of these")
# Operator without prefix: parameters, mean and variance.
DRAWS: dict[str, tuple[dict[str, float], float, float]] = {
    "uniform": ({"low": -1.0, "high": 3.0}, 1.0, 16 / 12),
    "normal": ({"loc": 2.0, "scale": 3.0}, 2.0, 9.0),
    "gamma": ({"alpha": 3.0, "beta": 0.5}, 1.5, 0.75),
    "exponential": ({"lam": 4.0}, 0.25, 1 / 16),
    "poisson": ({"lam": 3.5}, 3.5, 3.5),
    "negative_binomial": ({"k": 4, "p": 0.4}, 6.0, 15.0),
    "generalized_negative_binomial": ({"mu": 2.0, "alpha": 0.3}, 2.0, 3.2),
}
# The names of the parameters of the sample operators, where they differ.
SAMPLED = {"loc": "mu", "scale": "sigma"}
SIZE = 40000
REQUIRED = json.loads((Path(__file__).parent / "required_ops.json").read_text())


def draw(op: str, *arrays: Any, **params: Any) -> np.ndarray:
    found = harness.function(mx.nd, op)(*arrays, **params)
    return (found[0] if isinstance(found, (list, tuple)) else found).asnumpy()


def check_moments(values: np.ndarray, mean: float, variance: float) -> None:
    # Five standard errors; the variance of heavy tails gets a wide bound.
    count = values.size
    assert abs(values.mean() - mean) < 5 * (variance / count) ** 0.5 + 1e-3
    assert abs(values.var() - variance) < 0.1 * variance


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_draws(name: str, dtype: str) -> None:
    params, mean, variance = DRAWS[name]
    mx.random.seed(7)
    first = draw(f"_random_{name}", shape=(200, SIZE // 200), dtype=dtype, **params)
    assert first.shape == (200, SIZE // 200)
    assert first.dtype.name == dtype
    check_moments(first.astype(np.float64), mean, variance)
    following = draw(f"_random_{name}", shape=(200, SIZE // 200), dtype=dtype, **params)
    assert not np.array_equal(first, following)
    mx.random.seed(7)
    assert np.array_equal(first, draw(f"_random_{name}", shape=(200, SIZE // 200), dtype=dtype, **params))


@pytest.mark.parametrize("name", DRAWS)
def test_like(name: str) -> None:
    params, mean, variance = DRAWS[name]
    values = draw(f"_random_{name}_like", mx.nd.zeros((SIZE,)), **params)
    assert values.shape == (SIZE,)
    check_moments(values, mean, variance)


@pytest.mark.parametrize("name", DRAWS)
def test_samples(name: str) -> None:
    params, mean, variance = DRAWS[name]
    arrays = [mx.nd.array([value, value]) for value in params.values()]
    values = draw(f"_sample_{name}", *arrays, shape=(SIZE,))
    assert values.shape == (2, SIZE)
    for row in values:
        check_moments(row, mean, variance)
    assert not np.array_equal(values[0], values[1])


def test_symbols_draw_too() -> None:
    symbol = mx.sym.random.uniform(2, 3, shape=(3, 5)) + mx.sym.Variable("x")
    executor = symbol.simple_bind(mx.cpu(), x=(3, 5))
    executor.arg_dict["x"][:] = 0
    first, second = (executor.forward(is_train=train)[0].asnumpy().copy() for train in (False, True))
    assert ((first >= 2) & (first < 3)).all()
    assert not np.array_equal(first, second)


def test_whole_numbers() -> None:
    values = draw("_random_randint", low=-3, high=5, shape=(SIZE,), dtype="int64")
    assert values.dtype == np.int64
    counts = np.bincount(values + 3, minlength=8)
    assert counts.size == 8
    assert (np.abs(counts - SIZE / 8) < 6 * (SIZE / 8) ** 0.5).all()


def test_multinomial() -> None:
    weights = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0]], np.float32)
    values = draw("_sample_multinomial", mx.nd.array(weights), shape=(SIZE,))
    assert values.shape == (2, SIZE)
    assert values.dtype == np.int32
    for row, probability in zip(values, weights):
        shares = np.bincount(row, minlength=3) / SIZE
        assert (np.abs(shares - probability) < 0.015).all()
        assert shares[probability == 0].sum() == 0


def test_multinomial_logarithms() -> None:
    weights = mx.nd.array([[0.1, 0.2, 0.7]])
    values, logs = (a.asnumpy() for a in mx.nd._internal._sample_multinomial(weights, shape=(50,), get_prob=True))
    np.testing.assert_allclose(logs, np.log(np.array([0.1, 0.2, 0.7]))[values], rtol=1e-5)


def test_shuffle() -> None:
    rows = np.arange(300, dtype=np.float32).reshape(100, 3)
    mx.random.seed(3)
    moved = draw("_shuffle", mx.nd.array(rows))
    assert not np.array_equal(moved, rows)
    assert np.array_equal(moved[np.argsort(moved[:, 0])], rows)
    mx.random.seed(3)
    assert np.array_equal(moved, draw("_shuffle", mx.nd.array(rows)))


def test_unique_zipfian() -> None:
    samples, tries = (a.asnumpy() for a in mx.nd._internal._sample_unique_zipfian(range_max=1000, shape=(3, 50)))
    assert samples.shape == (3, 50)
    assert all(len(set(row)) == 50 for row in samples.tolist())
    assert samples.min() >= 0
    assert samples.max() < 1000
    assert (tries >= 50).all()
    assert (samples < 100).mean() > 0.3


@pytest.mark.parametrize("axes", [(), (1,)])
def test_dropout(axes: tuple[int, ...]) -> None:
    x = mx.sym.Variable("x")
    executor = mx.sym.Dropout(x, p=0.3, axes=axes).simple_bind(mx.cpu(), x=(100, 200))
    executor.arg_dict["x"][:] = 2
    assert (executor.forward(is_train=False)[0].asnumpy() == 2).all()
    output = executor.forward(is_train=True)[0].asnumpy()
    kept = output != 0
    np.testing.assert_allclose(output[kept], 2 / 0.7, rtol=1e-5)
    assert abs(kept.mean() - 0.7) < (0.25 if axes else 0.02)
    if axes:
        assert (kept == kept[:, :1]).all()
    executor.backward(mx.nd.ones((100, 200)))
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), kept / 0.7, rtol=1e-5)


def test_randomised_leaky_relu() -> None:
    executor = mx.sym.LeakyReLU(mx.sym.Variable("x"), act_type="rrelu", lower_bound=0.1, upper_bound=0.4).simple_bind(mx.cpu(), x=(SIZE,))
    executor.arg_dict["x"][:] = -1
    slopes = -executor.forward(is_train=True)[0].asnumpy()
    assert ((slopes >= 0.1) & (slopes <= 0.4)).all()
    check_moments(slopes, 0.25, 0.3**2 / 12)
    np.testing.assert_allclose(executor.forward(is_train=False)[0].asnumpy(), -0.25, rtol=1e-6)


@pytest.mark.parametrize("op", ["left_right", "top_bottom"])
def test_random_flips(op: str) -> None:
    image = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    turned = image[:, ::-1] if op == "left_right" else image[::-1]
    outcomes = [draw(f"_image_random_flip_{op}", mx.nd.array(image)) for _ in range(60)]
    kept = sum(np.array_equal(o, image) for o in outcomes)
    assert kept + sum(np.array_equal(o, turned) for o in outcomes) == 60
    assert 10 < kept < 50


def test_random_colours() -> None:
    image = mx.nd.array(np.random.RandomState(0).uniform(50, 200, size=(4, 5, 3)))
    outcomes = [draw("_image_random_color_jitter", image, brightness=0.3, contrast=0.3, saturation=0.3, hue=0.2) for _ in range(5)]
    assert all(o.shape == (4, 5, 3) and np.isfinite(o).all() for o in outcomes)
    assert not all(np.array_equal(o, outcomes[0]) for o in outcomes)


def test_every_random_operator_is_drawn() -> None:
    drawn = {f"_random_{n}" for n in DRAWS} | {f"_random_{n}_like" for n in DRAWS} | {f"_sample_{n}" for n in DRAWS}
    drawn |= {"_random_randint", "_sample_multinomial", "_shuffle", "_sample_unique_zipfian"}
    required = {op for group in ("random", "sample") for op in REQUIRED[group] if not op.startswith("_random_pdf_")}
    assert required == drawn
