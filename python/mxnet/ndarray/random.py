"""Random arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._op import Op, missing_attribute
from ..base import Default, _Null
from ..context import current_context
from . import _gen_random
from ._gen_random import *  # noqa: F403
from ._invoke import invoke
from .ndarray import NDArray

__all__ = ["uniform", "normal", "randn", "gamma", "exponential", "poisson", "negative_binomial",
           "generalized_negative_binomial", "multinomial", "shuffle", "randint", *_gen_random.__all__]

_NUMBERS = (int, float, np.number, np.bool_)


def _pair(name: str, *params: str) -> tuple[Op, Op]:
    """The operator that draws from one distribution, and the one that draws from one per element."""
    return (Op("_random_" + name, (), (*params, "shape", "ctx", "dtype")),
            Op("_sample_" + name, params, ("shape", "dtype")))


_uniform = _pair("uniform", "low", "high")
_normal = _pair("normal", "loc", "scale")
_sample_normal = Op("_sample_normal", ("mu", "sigma"), ("shape", "dtype"))
_gamma = _pair("gamma", "alpha", "beta")
_exponential = _pair("exponential", "lam")
_poisson = _pair("poisson", "lam")
_negative_binomial = _pair("negative_binomial", "k", "p")
_generalized = _pair("generalized_negative_binomial", "mu", "alpha")
_multinomial = Op("_sample_multinomial", ("data",), ("shape", "get_prob", "dtype"))
_shuffle = Op("_shuffle", ("data",))
_randint = Op("_random_randint", (), ("low", "high", "shape", "ctx", "dtype"))


def _draw(ops: tuple[Op, Op], params: tuple, shape: Any, dtype: Any, ctx: Any, out: Any, kwargs: dict) -> Any:
    if dtype is None:
        dtype = _Null
    if isinstance(params[0], NDArray):
        for value in params[1:]:
            if not isinstance(value, NDArray):
                raise TypeError("Distribution parameters must all have the same type, but got both "
                                f"{type(params[0])} and {type(value)}.")
        return invoke(ops[1], params, (shape, dtype), out, kwargs)
    if not isinstance(params[0], _NUMBERS):
        raise ValueError("Distribution parameters must be either NDArray or numbers, but got "
                         f"{type(params[0])}.")
    for value in params[1:]:
        if not isinstance(value, _NUMBERS):
            raise TypeError("Distribution parameters must all have the same type, but got both "
                            f"{type(params[0])} and {type(value)}.")
    if shape.__class__ is Default and out is None:
        shape = 1
    return invoke(ops[0], (), (*params, shape, str(ctx or current_context()), dtype), out, kwargs)


def uniform(low: Any = 0, high: Any = 1, shape: Any = _Null, dtype: Any = _Null, ctx: Any = None, out: Any = None,
            **kwargs: Any) -> NDArray:
    """Draw from the uniform distribution on ``[low, high)``.

    Parameters
    ----------
    low, high : float or NDArray
        Arrays give one distribution per element; the result then has the arrays' shape followed by ``shape``.
    shape : int or tuple of int, default 1
    dtype : {'float16', 'float32', 'float64'}, default 'float32'
    ctx : Context, optional
    out : NDArray, optional
    """
    return _draw(_uniform, (low, high), shape, dtype, ctx, out, kwargs)


def normal(loc: Any = 0, scale: Any = 1, shape: Any = _Null, dtype: Any = _Null, ctx: Any = None, out: Any = None,
           **kwargs: Any) -> NDArray:
    """Draw from the normal distribution of mean ``loc`` and standard deviation ``scale``.

    Other parameters as for :func:`uniform`.
    """
    return _draw((_normal[0], _sample_normal), (loc, scale), shape, dtype, ctx, out, kwargs)


def randn(*shape: int, **kwargs: Any) -> NDArray:
    """Draw an array of the given shape from the normal distribution of mean ``loc`` and deviation ``scale``."""
    loc, scale = kwargs.pop("loc", 0), kwargs.pop("scale", 1)
    return normal(loc, scale, shape or _Null, kwargs.pop("dtype", _Null), kwargs.pop("ctx", None),
                  kwargs.pop("out", None), **kwargs)


def gamma(alpha: Any = 1, beta: Any = 1, shape: Any = _Null, dtype: Any = _Null, ctx: Any = None, out: Any = None,
          **kwargs: Any) -> NDArray:
    """Draw from the gamma distribution of shape ``alpha`` and scale ``beta``.

    Other parameters as for :func:`uniform`.
    """
    return _draw(_gamma, (alpha, beta), shape, dtype, ctx, out, kwargs)


def exponential(scale: Any = 1, shape: Any = _Null, dtype: Any = _Null, ctx: Any = None, out: Any = None,
                **kwargs: Any) -> NDArray:
    """Draw from the exponential distribution of mean ``scale``. Other parameters as for :func:`uniform`."""
    return _draw(_exponential, (1.0 / scale,), shape, dtype, ctx, out, kwargs)


def poisson(lam: Any = 1, shape: Any = _Null, dtype: Any = _Null, ctx: Any = None, out: Any = None,
            **kwargs: Any) -> NDArray:
    """Draw from the Poisson distribution of mean ``lam``. Other parameters as for :func:`uniform`."""
    return _draw(_poisson, (lam,), shape, dtype, ctx, out, kwargs)


def negative_binomial(k: Any = 1, p: Any = 1, shape: Any = _Null, dtype: Any = _Null, ctx: Any = None,
                      out: Any = None, **kwargs: Any) -> NDArray:
    """Draw how many trials fail before ``k`` succeed, each with probability ``p``.

    Other parameters as for :func:`uniform`.
    """
    return _draw(_negative_binomial, (k, p), shape, dtype, ctx, out, kwargs)


def generalized_negative_binomial(mu: Any = 1, alpha: Any = 1, shape: Any = _Null, dtype: Any = _Null,
                                  ctx: Any = None, out: Any = None, **kwargs: Any) -> NDArray:
    """Draw from the negative binomial distribution of mean ``mu`` and dispersion ``alpha``.

    Other parameters as for :func:`uniform`.
    """
    return _draw(_generalized, (mu, alpha), shape, dtype, ctx, out, kwargs)


def multinomial(data: NDArray, shape: Any = _Null, get_prob: bool = False, out: Any = None, dtype: Any = "int32",
                **kwargs: Any) -> Any:
    """Draw class numbers with the probabilities in the last axis of ``data``.

    Parameters
    ----------
    data : NDArray
        Probabilities, of shape ``(n,)`` or ``(rows, n)``.
    shape : int or tuple of int, optional
        How many to draw per row.
    get_prob : bool, default False
        Also return the logarithm of each drawn class's probability.
    dtype : str, default 'int32'
    """
    return invoke(_multinomial, (data,), (shape, get_prob, dtype), out, kwargs)


def shuffle(data: NDArray, **kwargs: Any) -> NDArray:
    """Return the array with its first axis in random order."""
    return invoke(_shuffle, (data,), (), kwargs.pop("out", None), kwargs)


def randint(low: int, high: int, shape: Any = _Null, dtype: Any = _Null, ctx: Any = None, out: Any = None,
            **kwargs: Any) -> NDArray:
    """Draw integers from ``[low, high)``, by default int32. Other parameters as for :func:`uniform`."""
    if dtype is None:
        dtype = _Null
    for value in (low, high):
        if not isinstance(value, _NUMBERS):
            raise ValueError(f"randint bounds must be numbers, but got {type(value)}.")
    if shape.__class__ is Default and out is None:
        shape = 1
    return invoke(_randint, (), (low, high, shape, str(ctx or current_context()), dtype), out, kwargs)


def __getattr__(name: str) -> Any:
    raise missing_attribute(__name__, name, globals())
