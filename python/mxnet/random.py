"""Random arrays and the seed of the random streams."""

from __future__ import annotations

from typing import Any

from .base import check_call, lib
from .context import Context
from .ndarray.random import (
    exponential,
    gamma,
    generalized_negative_binomial,
    multinomial,
    negative_binomial,
    normal,
    poisson,
    randint,
    randn,
    shuffle,
    uniform,
)

__all__ = [
    "exponential",
    "gamma",
    "generalized_negative_binomial",
    "multinomial",
    "negative_binomial",
    "normal",
    "poisson",
    "randint",
    "randn",
    "seed",
    "shuffle",
    "uniform",
]


def seed(seed_state: int, ctx: Any = "all") -> None:
    """Set the seed of the random streams.

    Parameters
    ----------
    seed_state : int
        Taken modulo 2**32.
    ctx : Context or 'all', default 'all'
        Device whose stream to set.
    """
    try:
        number = int(seed_state)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"seed_state must be int, but got {seed_state!r}") from None
    number = ((number + (1 << 31)) % (1 << 32)) - (1 << 31)
    if ctx == "all":
        check_call(lib.MXRandomSeed(number))
    elif isinstance(ctx, Context):
        check_call(lib.MXRandomSeedContext(number, ctx.device_typeid, ctx.device_id))
    else:
        raise TypeError(f"ctx must be a Context or 'all', but got {ctx!r}")
