"""Symbols: computations described first and run later by an executor."""

from __future__ import annotations

from typing import Any

from .._op import missing_attribute
from . import _creation, _internal, contrib, image, linalg, op, random, sparse
from ._creation import *  # noqa: F403
from ._gen_op import *  # noqa: F403
from .symbol import Group, Symbol, Variable, load, load_json, var

__all__ = ["Group", "Symbol", "Variable", "load", "load_json", "var", *op.__all__, *_creation.__all__,
           "_internal", "contrib", "image", "linalg", "op", "random", "sparse"]


def __getattr__(name: str) -> Any:
    raise missing_attribute(__name__, name, globals())
