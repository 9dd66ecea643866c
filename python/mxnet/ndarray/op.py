"""All operators of :mod:`mxnet.nd` that are generated from the library's registry."""

from __future__ import annotations

from typing import Any

from .._op import missing_attribute
from . import _gen_op
from ._gen_op import *  # noqa: F403

__all__ = list(_gen_op.__all__)


def __getattr__(name: str) -> Any:
    raise missing_attribute(__name__, name, globals())
