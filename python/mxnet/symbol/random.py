"""Symbols of random arrays, drawn anew at every forward pass."""

from __future__ import annotations

from typing import Any

from .._op import Op, missing_attribute
from ..base import _Null
from . import _gen_random
from ._compose import node
from ._gen_random import *  # noqa: F403
from .symbol import _NUMBERS, Symbol

__all__ = ["uniform", "normal", "randn", "gamma", "exponential", "poisson", "negative_binomial",
           "generalized_negative_binomial", "multinomial", "shuffle", "randint", *_gen_random.__all__]


def _pair(name: str, *params: str, sample: tuple | None = None) -> tuple[Op, Op]:
    """The operator that draws from one distribution, and the one that draws from one per element."""
    return (Op("_random_" + name, (), (*params, "shape", "dtype")),
            Op("_sample_" + name, sample or params, ("shape", "dtype")))


_uniform = _pair("uniform", "low", "high")
_normal = _pair("normal", "loc", "scale", sample=("mu", "sigma"))
_gamma = _pair("gamma", "alpha", "beta")
_exponential = _pair("exponential", "lam")
_poisson = _pair("poisson", "lam")
_negative_binomial = _pair("negative_binomial", "k", "p")
_generalized = _pair("generalized_negative_binomial", "mu", "alpha")
_multinomial = Op("_sample_multinomial", ("data",), ("shape", "get_prob", "dtype"))
_shuffle = Op("_shuffle", ("data",))
_randint = Op("_random_randint", (), ("low", "high", "shape", "dtype"))


def _draw(ops: tuple[Op, Op], params: tuple, shape: Any, dtype: Any, kwargs: dict) -> Symbol:
    kwargs = {k: v for k, v in kwargs.items() if v is not None}
    if dtype is None:
        dtype = _Null
    if all(isinstance(value, Symbol) for value in params):
        return node(ops[1], ops[1].name, params, (shape, dtype), kwargs)
    if all(isinstance(value, _NUMBERS) for value in params):
        return node(ops[0], ops[0].name.lstrip("_"), (), (*params, shape, dtype), kwargs)
    kinds = " and ".join(str(type(value)) for value in params)
    raise ValueError(f"Distribution parameters must be all Symbols or all numbers, but got {kinds}.")


def uniform(low: Any = 0, high: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any) -> Symbol:
    """Draw from the uniform distribution on ``[low, high)``.

    Parameters
    ----------
    low, high : float or Symbol
        Symbols give one distribution per element; the result then has their shape followed by ``shape``.
    shape : int or tuple of int, optional
    dtype : {'float16', 'float32', 'float64'}, default 'float32'
    name : str, optional
    """
    return _draw(_uniform, (low, high), shape, dtype, kwargs)


def normal(loc: Any = 0, scale: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any) -> Symbol:
    """Draw from the normal distribution of mean ``loc`` and standard deviation ``scale``.

    Other parameters as for :func:`uniform`.
    """
    return _draw(_normal, (loc, scale), shape, dtype, kwargs)


def randn(*shape: int, **kwargs: Any) -> Symbol:
    """Draw an array of the given shape from the normal distribution of mean ``loc`` and deviation ``scale``."""
    return normal(kwargs.pop("loc", 0), kwargs.pop("scale", 1), shape or _Null, kwargs.pop("dtype", _Null), **kwargs)


def gamma(alpha: Any = 1, beta: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any) -> Symbol:
    """Draw from the gamma distribution of shape ``alpha`` and scale ``beta``.

    Other parameters as for :func:`uniform`.
    """
    return _draw(_gamma, (alpha, beta), shape, dtype, kwargs)


def exponential(scale: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any) -> Symbol:
    """Draw from the exponential distribution of mean ``scale``. Other parameters as for :func:`uniform`."""
    return _draw(_exponential, (1.0 / scale,), shape, dtype, kwargs)


def poisson(lam: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any) -> Symbol:
    """Draw from the Poisson distribution of mean ``lam``. Other parameters as for :func:`uniform`."""
    return _draw(_poisson, (lam,), shape, dtype, kwargs)


def negative_binomial(k: Any = 1, p: Any = 1, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any) -> Symbol:
    """Draw how many trials fail before ``k`` succeed, each with probability ``p``.

    Other parameters as for :func:`uniform`.
    """
    return _draw(_negative_binomial, (k, p), shape, dtype, kwargs)


def generalized_negative_binomial(mu: Any = 1, alpha: Any = 1, shape: Any = _Null, dtype: Any = _Null,
                                  **kwargs: Any) -> Symbol:
    """Draw from the negative binomial distribution of mean ``mu`` and dispersion ``alpha``.

    Other parameters as for :func:`uniform`.
    """
    return _draw(_generalized, (mu, alpha), shape, dtype, kwargs)


def multinomial(data: Symbol, shape: Any = _Null, get_prob: bool = True, dtype: Any = "int32",
                **kwargs: Any) -> Symbol:
    """Draw class numbers with the probabilities in the last axis of ``data``.

    Parameters
    ----------
    data : Symbol
        Probabilities, of shape ``(n,)`` or ``(rows, n)``.
    shape : int or tuple of int, optional
        How many to draw per row.
    get_prob : bool, default True
        Also return the logarithm of each drawn class's probability, as a second output.
    dtype : str, default 'int32'
    """
    return node(_multinomial, "_sample_multinomial", (data,), (shape, get_prob, dtype), kwargs)


def shuffle(data: Symbol, **kwargs: Any) -> Symbol:
    """Put the first axis in random order."""
    return node(_shuffle, "random_shuffle", (data,), (), kwargs)


def randint(low: int, high: int, shape: Any = _Null, dtype: Any = _Null, **kwargs: Any) -> Symbol:
    """Draw integers from ``[low, high)``, by default int32. Other parameters as for :func:`uniform`."""
    for value in (low, high):
        if not isinstance(value, _NUMBERS):
            raise ValueError(f"randint bounds must be numbers, but got {type(value)}.")
    return node(_randint, "random_randint", (), (low, high, shape, _Null if dtype is None else dtype), kwargs)


def __getattr__(name: str) -> Any:
    raise missing_attribute(__name__, name, globals())
