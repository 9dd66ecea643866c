"""Symbol functions of the ``linalg`` family."""

from __future__ import annotations

from typing import Any

from .._op import missing_attribute
from . import _gen_linalg
from ._gen_linalg import *  # noqa: F403

__all__ = list(_gen_linalg.__all__)


def __getattr__(name: str) -> Any:
    raise missing_attribute(__name__, name, globals())
