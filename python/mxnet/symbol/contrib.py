"""Experimental operators."""

from __future__ import annotations

from typing import Any

from .._op import Op, missing_attribute
from . import _gen_contrib
from ._compose import node
from ._gen_contrib import *  # noqa: F403
from .symbol import Symbol

__all__ = ["rand_zipfian", *[n for n in _gen_contrib.__all__ if n != "rand_zipfian"]]

_rand_zipfian = Op("_contrib_rand_zipfian", ("true_classes",), ("num_sampled", "range_max"))


def rand_zipfian(true_classes: Symbol, num_sampled: int, range_max: int, name: str | None = None, attr: Any = None,
                 out: Any = None, **kwargs: Any) -> Symbol:
    """Draw class numbers from an approximately log-uniform (Zipfian) distribution, with replacement.

    Class ``k`` of ``[0, range_max)`` has probability ``(log(k + 2) - log(k + 1)) / log(range_max + 1)``, which suits
    classes sorted by falling frequency.

    Parameters
    ----------
    true_classes : Symbol
        Class numbers whose expected counts are wanted.
    num_sampled : int
        How many to draw.
    range_max : int
        Number of classes.

    Returns
    -------
    Symbol
        Three outputs: the samples (int64, shape ``(num_sampled,)``), and how often each true class and each drawn
        class is expected among them (float64).
    """
    return node(_rand_zipfian, "rand_zipfian", (true_classes,), (num_sampled, range_max),
                {"name": name, "attr": attr, **kwargs})


def __getattr__(name: str) -> Any:
    raise missing_attribute(__name__, name, globals())
