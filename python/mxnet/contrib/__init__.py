"""The experimental operators under the names that older programs use."""

from __future__ import annotations

from ..ndarray import contrib as nd
from ..ndarray import contrib as ndarray
from ..symbol import contrib as sym
from ..symbol import contrib as symbol

__all__ = ["nd", "ndarray", "sym", "symbol"]
