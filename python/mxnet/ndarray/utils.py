"""Saving and loading arrays."""

from __future__ import annotations

import os
from typing import Any

from ..base import NULL, StrArray, c_str, check_call, ffi, handle_array, lib, local, str_list
from ._invoke import wrap
from .ndarray import NDArray

__all__ = ["load", "load_frombuffer", "save"]


def save(fname: str | os.PathLike, data: Any) -> None:
    """Write arrays to a file in the ``.params`` format.

    Parameters
    ----------
    fname : str
        Path. An existing file is replaced only once the new one is complete.
    data : NDArray, list of NDArray, or dict of str to NDArray
    """
    names: Any = None
    if isinstance(data, NDArray):
        arrays = [data]
    elif isinstance(data, dict):
        names, arrays = list(data), list(data.values())
        if not all(isinstance(n, (str, bytes)) for n in names) or not all(isinstance(a, NDArray) for a in arrays):
            raise TypeError("save only accept dict str->NDArray or list of NDArray")
    elif isinstance(data, (list, tuple)):
        arrays = list(data)
        if not all(isinstance(a, NDArray) for a in arrays):
            raise TypeError("save only accept dict str->NDArray or list of NDArray")
    else:
        raise ValueError("data needs to either be a NDArray, dict of str, NDArray pairs or a list of NDarrays.")
    keys = StrArray(names) if names else None
    check_call(lib.MXNDArraySave(c_str(os.fspath(fname)), len(arrays), handle_array(arrays),
                                 keys.data if keys else NULL))


def _collect(arrays: Any, count: Any, names: Any, name_count: Any) -> Any:
    loaded = [wrap(arrays[0][i]) for i in range(count[0])]
    if not name_count[0]:
        return loaded
    return dict(zip(str_list(names[0], name_count[0]), loaded))


def load(fname: str | os.PathLike) -> Any:
    """Read the arrays of a ``.params`` file.

    Returns
    -------
    list of NDArray, or dict of str to NDArray if the file has names
    """
    if not isinstance(fname, (str, os.PathLike)):
        raise TypeError("fname required to be a string")
    buffers = local.buffers
    count, arrays, names, name_count = buffers.size, buffers.handles, buffers.names, ffi.new("uint32_t *")
    check_call(lib.MXNDArrayLoad(c_str(os.fspath(fname)), count, arrays, name_count, names))
    return _collect(arrays, count, names, name_count)


def load_frombuffer(buf: bytes) -> Any:
    """Read arrays from the contents of a ``.params`` file. Returns as :func:`load`."""
    if not isinstance(buf, (bytes, bytearray, memoryview)):
        raise TypeError("buf required to be a string or bytes")
    buffers = local.buffers
    count, arrays, names, name_count = buffers.size, buffers.handles, buffers.names, ffi.new("uint32_t *")
    check_call(lib.MXNDArrayLoadFromBuffer(ffi.from_buffer(buf), len(buf), count, arrays, name_count, names))
    return _collect(arrays, count, names, name_count)
