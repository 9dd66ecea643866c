"""The operators that also take sparse arrays, and arithmetic under the names of :mod:`mxnet.nd`."""

from __future__ import annotations

from typing import Any

from .._op import missing_attribute
from . import _gen_sparse
from ._creation import add, array, divide, empty, multiply, subtract, zeros
from ._gen_sparse import *  # noqa: F403

__all__ = ["add", "array", "divide", "empty", "multiply", "subtract", "zeros", *_gen_sparse.__all__]


def __getattr__(name: str) -> Any:
    raise missing_attribute(__name__, name, globals())
