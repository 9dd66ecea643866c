"""Modes and environment of the library."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .base import NULL, c_str, c_string, check_call, lib, local
from .context import gpu_memory_info, num_gpus

__all__ = [
    "get_gpu_count",
    "get_gpu_memory",
    "getenv",
    "is_np_array",
    "is_np_shape",
    "np_shape",
    "set_np_shape",
    "setenv",
    "use_np_shape",
]


def is_np_shape() -> bool:
    """Tell whether shapes follow NumPy: ``()`` is a scalar and 0 an empty axis, not an unknown length."""
    now = local.buffers.int_a
    check_call(lib.MXIsNumpyShape(now))
    return bool(now[0])


def set_np_shape(active: int | bool) -> int:
    """Switch NumPy shapes on or off for this thread (2: for the process); return the mode before."""
    before = local.buffers.int_a
    check_call(lib.MXSetIsNumpyShape(int(active), before))
    return before[0]


class np_shape:
    """A scope of NumPy shapes; also usable as a decorator.

    Parameters
    ----------
    active : bool, default True
    """

    def __init__(self, active: bool = True):
        self._active = int(active)
        self._before: list[int] = []

    def __enter__(self) -> np_shape:
        self._before.append(set_np_shape(self._active))
        return self

    def __exit__(self, *exc: Any) -> None:
        set_np_shape(self._before.pop())

    def __call__(self, function: Callable) -> Callable:
        """Return ``function`` running in this scope."""
        active = self._active

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with np_shape(bool(active)):
                return function(*args, **kwargs)
        return inside


def use_np_shape(function: Callable) -> Callable:
    """Make a function run with NumPy shapes."""
    return np_shape(True)(function)


def is_np_array() -> bool:
    """Tell whether blocks return NumPy-like arrays: this package has none."""
    return False


def getenv(name: str) -> str | None:
    """Return an environment variable as the library sees it."""
    out = local.buffers.text
    check_call(lib.MXGetEnv(c_str(name), out))
    return None if out[0] == NULL else c_string(out[0])


def setenv(name: str, value: str | None) -> None:
    """Set an environment variable of the library; None removes it."""
    check_call(lib.MXSetEnv(c_str(name), NULL if value is None else c_str(value)))


def get_gpu_count() -> int:
    """Return the number of GPUs."""
    return num_gpus()


def get_gpu_memory(gpu_dev_id: int) -> tuple[int, int]:
    """Return ``(free, total)`` bytes of a GPU's memory."""
    return gpu_memory_info(gpu_dev_id)
