"""Array functions of the ``image`` family."""

from __future__ import annotations

from typing import Any

from .._op import missing_attribute
from . import _gen_image
from ._gen_image import *  # noqa: F403

__all__ = list(_gen_image.__all__)


def __getattr__(name: str) -> Any:
    raise missing_attribute(__name__, name, globals())
