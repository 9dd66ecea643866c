"""Exchange of memory with other array libraries through DLPack capsules."""

from __future__ import annotations

import ctypes
from typing import Any

from ..base import check_call, ffi, lib, local
from ._invoke import wrap

_NAME = b"dltensor"
_USED = b"used_dltensor"
_DEVICES = {1: 1, 2: 2, 3: 3, 5: 1}  # kCPU, kGPU, kCPUPinned by device type

_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_IsValid.restype = ctypes.c_int
_api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _raw(name: str, restype: Any, *argtypes: Any) -> Any:
    # In a destructor the capsule has no references left, so it must not be turned into an object.
    return ctypes.PYFUNCTYPE(restype, *argtypes)((name, _api))


_raw_is_valid = _raw("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_raw_pointer = _raw("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _drop(capsule: int) -> None:
    if _raw_is_valid(capsule, _NAME):  # never consumed: the tensor is still ours to delete
        lib.MXNDArrayCallDLPackDeleter(ffi.cast("void *", _raw_pointer(capsule, _NAME)))


def device(array: Any) -> tuple[int, int]:
    """Return the DLPack device type and number of an array."""
    ctx = array.context
    return _DEVICES[ctx.device_typeid], ctx.device_id if ctx.device_typeid == 2 else 0


def export(array: Any, stream: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
    """Return a capsule for an array's memory."""
    if dl_device is not None and tuple(dl_device) != device(array):
        raise BufferError(f"array is on device {device(array)}, not on {tuple(dl_device)}")
    if copy:
        array = array.copy()
    array.wait_to_read()
    out = local.buffers.handle
    check_call(lib.MXNDArrayToDLPack(array.handle, out))
    return _api.PyCapsule_New(int(ffi.cast("intptr_t", out[0])), _NAME, ctypes.cast(_drop, ctypes.c_void_p))


def load(source: Any) -> Any:
    """Return an array on the memory of a capsule, or of an object with ``__dlpack__``."""
    if hasattr(source, "__dlpack__"):
        source = source.__dlpack__()
    if type(source).__name__ != "PyCapsule":
        raise TypeError(f"from_dlpack expects a DLPack capsule or an object with __dlpack__, but got {type(source)}")
    if not _api.PyCapsule_IsValid(source, _NAME):
        raise ValueError("Invalid DLPack Tensor. DLTensor capsules can be consumed only once.")
    tensor = ffi.cast("void *", _api.PyCapsule_GetPointer(source, _NAME))
    out = local.buffers.handle
    check_call(lib.MXNDArrayFromDLPackEx(tensor, False, out))
    _api.PyCapsule_SetName(source, _USED)
    return wrap(out[0])
