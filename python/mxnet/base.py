"""The native library: loading, error translation, and the marshalling shared by arrays and symbols."""

from __future__ import annotations

import builtins
import os
import threading
from typing import Any

import numpy as np

# libgomp reads its settings when it is loaded. By default its threads spin for milliseconds after each parallel loop,
# and stall everything as soon as another process wants their core; a few microseconds are as fast on a quiet machine.
if "OMP_WAIT_POLICY" not in os.environ:
    os.environ.setdefault("GOMP_SPINCOUNT", "5000")

if os.environ.get("MXNET_LIBRARY_PATH"):
    # The extension module asks the loader for "libmxnet.so"; a library of that name that is already loaded wins.
    import ctypes

    from .libinfo import find_lib_path

    ctypes.CDLL(find_lib_path()[0], mode=ctypes.RTLD_GLOBAL)

try:
    from mxnet._capi import ffi, lib
except ImportError as error:
    raise ImportError(
        "mxnet's compiled part (mxnet/_capi.abi3.so with libmxnet.so beside it) cannot be loaded: "
        f"{error}. Build it with `pip install .` or run through `./dev py`.") from error

NULL = ffi.NULL

__all__ = ["MXNetError", "NotImplementedForSymbol", "bfloat16", "check_call", "py_str"]

mx_real_t = np.float32
string_types = (str,)
integer_types = (int, np.integer)
numeric_types = (float, int, np.generic)


def py_str(text: bytes) -> str:
    """Decode the bytes in which monitors report names."""
    return text.decode("utf-8")


def c_string(pointer: Any) -> str:
    """Copy a C string."""
    return ffi.string(pointer).decode("utf-8", "surrogateescape")


class MXNetError(RuntimeError):
    """An error reported by the native library; base of every error this package raises on its behalf."""


class NotImplementedForSymbol(MXNetError):
    """A method that arrays have and symbols do not."""

    def __init__(self, function: Any, alias: str | None = None, *args: Any):
        super().__init__()
        self.function = getattr(function, "__name__", str(function))
        self.alias = alias
        self.args = args

    def __str__(self) -> str:
        text = f"Function {self.function}"
        if self.alias:
            text += f' (namely operator "{self.alias}")'
        if self.args:
            text += " with arguments ({})".format(", ".join(str(a) for a in self.args))
        return text + " is not implemented for Symbol and only available in NDArray."


# The library names an error's kind by the word before the first colon of its message.
error_types: dict[str, type] = {"MXNetError": MXNetError}


def register_error(name_or_class: Any, cls: type | None = None) -> Any:
    """Raise ``cls`` for library errors whose message starts with the given name.

    Use as a decorator on a class, or call with a name and a class.
    """
    if isinstance(name_or_class, str):
        if cls is None:
            return lambda c: register_error(name_or_class, c)
        error_types[name_or_class] = cls
        return cls
    error_types[name_or_class.__name__] = name_or_class
    return name_or_class


def _builtin_error(name: str) -> type:
    """An error that is both an ``MXNetError`` and the built-in of the same name."""
    return type(name, (MXNetError, getattr(builtins, name)),
                {"__module__": "mxnet.error", "__doc__": f"``{name}`` reported by the native library."})


class KeyError_(MXNetError, KeyError):
    """``KeyError`` reported by the native library, printed without quotes."""

    __str__ = RuntimeError.__str__


KeyError_.__name__ = KeyError_.__qualname__ = "KeyError"
KeyError_.__module__ = "mxnet.error"

for _name in ("ValueError", "TypeError", "IndexError", "AttributeError", "NotImplementedError",
              "MemoryError", "OSError"):
    error_types[_name] = _builtin_error(_name)
error_types["KeyError"] = KeyError_


def last_error() -> MXNetError:
    """Build the exception for the most recent failure on this thread."""
    text = ffi.string(lib.MXGetLastError()).decode("utf-8", "replace")
    head, colon, rest = text.partition(":")
    cls = error_types.get(head) if colon else None
    if cls is None:
        return MXNetError(text)
    return cls(rest.lstrip(" "))


def check_call(status: int) -> None:
    """Raise the library's last error unless ``status`` is 0."""
    if status:
        raise last_error()


# --- data types ---------------------------------------------------------------------------------------------------

# NumPy has no bfloat16; this is how MXNet 1.x spells the type: two bytes under the field name "bfloat16".
bfloat16 = np.dtype([("bfloat16", np.uint16)])

_FLAG_OF_NAME = {"float32": 0, "float64": 1, "float16": 2, "uint8": 3, "int32": 4, "int8": 5, "int64": 6,
                 "bool": 7, "bfloat16": 12}
_TYPE_OF_FLAG = {flag: (bfloat16 if name == "bfloat16" else np.dtype(name).type)
                 for name, flag in _FLAG_OF_NAME.items()}
_TYPE_OF_FLAG[-1] = None
_NAME_OF_TYPE: dict[Any, str] = {np.dtype(name).type: name for name in _FLAG_OF_NAME if name != "bfloat16"}
_NAME_OF_TYPE.update({name: name for name in _FLAG_OF_NAME})


def dtype_name(dtype: Any) -> str:
    """Return the library's name of a NumPy dtype, type, or dtype name; ``None`` gives ``'None'``."""
    try:
        return _NAME_OF_TYPE[dtype]
    except (KeyError, TypeError):
        pass
    if dtype is None:
        return "None"
    if getattr(dtype, "__name__", None) == "bfloat16" or getattr(dtype, "name", None) == "bfloat16":
        return "bfloat16"
    dtype = np.dtype(dtype)
    return dtype.names[0] if dtype.names else dtype.name


def dtype_flag(dtype: Any) -> int:
    """Return the number of a data type.

    Raises
    ------
    TypeError
        If arrays cannot hold the type; the message lists those they can.
    """
    name = dtype_name(dtype)
    flag = _FLAG_OF_NAME.get(name)
    if flag is None:
        if name == "None":
            return -1
        raise TypeError(f"data type {name} is not supported; use one of {', '.join(_FLAG_OF_NAME)}")
    return flag


def dtype_of_flag(flag: int) -> Any:
    """Return the NumPy type of a data type number (``None`` for unknown)."""
    return _TYPE_OF_FLAG[flag]


_STYPE_NAMES = {-1: "undefined", 0: "default", 1: "row_sparse", 2: "csr"}
_STYPE_IDS = {name: number for number, name in _STYPE_NAMES.items()}


def stype_id(stype: str) -> int:
    """Return the number of a storage type name."""
    try:
        return _STYPE_IDS[stype]
    except KeyError:
        raise ValueError(f"unknown storage type {stype!r}; use default, row_sparse or csr") from None


# --- operator parameters ------------------------------------------------------------------------------------------


class Default:
    """A parameter left at its default: it is not passed on, and prints as that default in signatures."""

    __slots__ = ("text",)

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return False


_Null = Default("_Null")


def attr_text(value: Any) -> str:
    """Write a Python value as the text operators parse: numbers by ``str``, tuples as ``(3, 3)``."""
    cls = value.__class__
    if cls is str:
        return value
    if cls is int or cls is bool or cls is float or value is None:
        return str(value)
    if isinstance(value, tuple):
        items = ", ".join([_item_text(v) for v in value])
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, list):
        return "[" + ", ".join([_item_text(v) for v in value]) + "]"
    if isinstance(value, np.ndarray) and value.ndim:
        return attr_text(tuple(value.tolist()))
    return str(value)


def _item_text(value: Any) -> str:
    return repr(value) if value.__class__ is str else attr_text(value)


_text_cache: dict[str, Any] = {}


def c_text(text: str) -> Any:
    """Return a cached NUL-terminated copy of a short text that recurs (names of parameters, common values)."""
    found = _text_cache.get(text)
    if found is None:
        if len(_text_cache) > 8192:
            _text_cache.clear()
        found = _text_cache[text] = c_str(text)
    return found


def c_str(text: str | bytes) -> Any:
    """Return a NUL-terminated copy of ``text``; a NUL inside is an error."""
    if not isinstance(text, bytes):
        text = text.encode("utf-8", "surrogateescape")
    if b"\0" in text:
        raise ValueError(f"text must not contain a NUL character: {text!r}")
    return ffi.new("char[]", text)


class StrArray:
    """``const char**`` together with the texts it points to."""

    __slots__ = ("data", "items")

    def __init__(self, texts: Any):
        self.items = [c_text(t) for t in texts]
        self.data = ffi.new("char *[]", self.items) if self.items else NULL


_params_cache: dict[tuple, tuple] = {}


def c_params(keys: tuple, texts: tuple) -> tuple:
    """Return ``(count, keys, values, owners)`` ready to be passed to the library; recurring ones are cached."""
    found = _params_cache.get((keys, texts))
    if found is None:
        if len(_params_cache) > 4096:
            _params_cache.clear()
        k, v = StrArray(keys), StrArray(texts)
        found = _params_cache[(keys, texts)] = (len(keys), k.data, v.data, (k, v))
    return found


# --- per-thread scratch -------------------------------------------------------------------------------------------

_SCRATCH_HANDLES = 256


class _Buffers:
    """Arguments of library calls, allocated once per thread."""

    __slots__ = (
        "count",
        "given",
        "handle",
        "handles",
        "inputs",
        "int_a",
        "int_b",
        "names",
        "outputs",
        "shape",
        "size",
        "text",
    )

    def __init__(self) -> None:
        self.inputs = ffi.new("void *[]", _SCRATCH_HANDLES)
        self.given = ffi.new("void *[]", _SCRATCH_HANDLES)
        self.count = ffi.new("int *")
        self.outputs = ffi.new("void ***")
        self.handle = ffi.new("void **")
        self.int_a = ffi.new("int *")
        self.int_b = ffi.new("int *")
        self.shape = ffi.new("int64_t const **")
        self.size = ffi.new("uint32_t *")
        self.handles = ffi.new("void ***")
        self.names = ffi.new("char const ***")
        self.text = ffi.new("char const **")


class _Local(threading.local):
    def __init__(self) -> None:
        self.buffers = _Buffers()


local = _Local()


def handle_array(objects: Any) -> Any:
    """Return a new ``void*[]`` of the handles of ``objects`` (``None`` gives a null handle)."""
    return ffi.new("void *[]", [NULL if o is None else o.handle for o in objects])


def str_list(names: Any, count: int) -> list[str]:
    """Copy ``count`` C strings."""
    return [c_string(names[i]) for i in range(count)]


def _shutdown() -> None:
    lib.MXNotifyShutdown()


import atexit  # noqa: E402

atexit.register(_shutdown)
