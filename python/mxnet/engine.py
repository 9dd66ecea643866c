"""Bulk execution, kept for programs that set it: the engine joins operators by itself."""

from __future__ import annotations

from typing import Any

from .base import check_call, lib, local

__all__ = ["bulk", "set_bulk_size"]


def set_bulk_size(size: int) -> int:
    """Set how many operators may be joined into one unit of work; return the number before."""
    before = local.buffers.int_a
    check_call(lib.MXEngineSetBulkSize(size, before))
    return before[0]


class bulk:
    """A scope with a bulk size.

    Parameters
    ----------
    size : int
    """

    def __init__(self, size: int):
        self._size = size
        self._before: list[int] = []

    def __enter__(self) -> bulk:
        self._before.append(set_bulk_size(self._size))
        return self

    def __exit__(self, *exc: Any) -> None:
        set_bulk_size(self._before.pop())
