"""Devices."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

from .base import check_call, ffi, lib, local

__all__ = ["Context", "cpu", "cpu_pinned", "current_context", "gpu", "gpu_memory_info", "num_gpus"]


class Context:
    """A device that holds arrays and runs operators.

    Parameters
    ----------
    device_type : {'cpu', 'gpu', 'cpu_pinned', 'cpu_shared'} or Context
    device_id : int, default 0

    Examples
    --------
    >>> with mx.Context('cpu', 1):
    ...     a = mx.nd.zeros((2, 3))
    >>> a.context
    cpu(1)
    """

    __slots__ = ("_stack", "device_id", "device_typeid")

    devtype2str: ClassVar[dict[int, str]] = {1: "cpu", 2: "gpu", 3: "cpu_pinned", 5: "cpu_shared"}
    devstr2type: ClassVar[dict[str, int]] = {"cpu": 1, "gpu": 2, "cpu_pinned": 3, "cpu_shared": 5}

    def __init__(self, device_type: str | Context, device_id: int = 0):
        if isinstance(device_type, Context):
            self.device_typeid = device_type.device_typeid
            self.device_id = device_type.device_id
        else:
            try:
                self.device_typeid = self.devstr2type[device_type]
            except (KeyError, TypeError):
                raise ValueError(f"unknown device type {device_type!r}; use one of "
                                 f"{', '.join(self.devstr2type)}") from None
            self.device_id = int(device_id)
        self._stack: list[Context] = []

    @property
    def device_type(self) -> str:
        """Name of the kind of device."""
        return self.devtype2str[self.device_typeid]

    def __hash__(self) -> int:
        return hash((self.device_typeid, self.device_id))

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Context) and self.device_typeid == other.device_typeid
                and self.device_id == other.device_id)

    def __repr__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    def __enter__(self) -> Context:
        self._stack.append(_current.value)
        _current.value = self
        return self

    def __exit__(self, *exc: Any) -> None:
        _current.value = self._stack.pop()

    def __reduce__(self) -> tuple:
        return (Context, (self.device_type, self.device_id))

    def empty_cache(self) -> None:
        """Give the device's cached free memory back to the system."""
        check_call(lib.MXStorageEmptyCache(self.device_typeid, self.device_id))


class _Current(threading.local):
    def __init__(self) -> None:
        self.value = _cpu0


_cpu0 = Context("cpu", 0)
_current = _Current()


def cpu(device_id: int = 0) -> Context:
    """Return the CPU context. ``device_id`` is a label only: all CPU contexts share the processor."""
    return Context("cpu", device_id)


def cpu_pinned(device_id: int = 0) -> Context:
    """Return the context of page-locked CPU memory, from which copies to a GPU are fastest."""
    return Context("cpu_pinned", device_id)


def gpu(device_id: int = 0) -> Context:
    """Return the context of a GPU. Using it where there is none is an error."""
    return Context("gpu", device_id)


def num_gpus() -> int:
    """Return the number of GPUs that can be used."""
    count = local.buffers.int_a
    check_call(lib.MXGetGPUCount(count))
    return count[0]


def gpu_memory_info(device_id: int = 0) -> tuple[int, int]:
    """Return ``(free, total)`` bytes of a GPU's memory."""
    free, total = ffi.new("uint64_t *"), ffi.new("uint64_t *")
    check_call(lib.MXGetGPUMemoryInformation64(device_id, free, total))
    return free[0], total[0]


def current_context() -> Context:
    """Return the context in force: that of the innermost ``with`` statement, else ``cpu(0)``."""
    return _current.value
