"""Arrays and the operators on them, run at once."""

from __future__ import annotations

from typing import Any

from .._op import missing_attribute
from . import _creation, _internal, contrib, image, linalg, op, random, sparse
from ._creation import *  # noqa: F403
from ._gen_op import *  # noqa: F403
from .ndarray import NDArray, waitall
from .utils import load, load_frombuffer, save

__all__ = ["NDArray", "waitall", "load", "load_frombuffer", "save", *op.__all__, *_creation.__all__,
           "_internal", "contrib", "image", "linalg", "op", "random", "sparse"]


def __getattr__(name: str) -> Any:
    raise missing_attribute(__name__, name, globals())
