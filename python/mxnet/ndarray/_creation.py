"""Functions that make arrays, and arithmetic between arrays and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._op import Op
from ..base import _Null, check_call, dtype_flag, dtype_name, ffi, lib, local
from ..context import Context, current_context
from ..util import is_np_shape
from . import ndarray as _nd
from ._invoke import invoke, invoke_list, wrap
from .ndarray import NDArray

__all__ = [
    "add", "arange", "array", "concatenate", "divide", "empty", "equal", "eye", "from_dlpack", "from_numpy", "full",
    "greater", "greater_equal", "histogram", "lesser", "lesser_equal", "linspace", "logical_and", "logical_or",
    "logical_xor", "maximum", "minimum", "modulo", "moveaxis", "multiply", "not_equal", "onehot_encode", "ones",
    "power", "split_v2", "subtract", "to_dlpack_for_read", "to_dlpack_for_write", "true_divide", "zeros",
]

_zeros = Op("_zeros", (), ("shape", "ctx", "dtype"))
_ones = Op("_ones", (), ("shape", "ctx", "dtype"))
_full = Op("_full", (), ("shape", "ctx", "dtype", "value"))
_arange = Op("_arange", (), ("start", "stop", "step", "repeat", "infer_range", "ctx", "dtype"))
_linspace = Op("_linspace", (), ("start", "stop", "num", "endpoint", "ctx", "dtype"))
_eye = Op("_eye", (), ("N", "M", "k", "ctx", "dtype"))
_histogram = Op("_histogram", ("data", "bins"), ("bin_cnt", "range"))
_split = Op("_split_v2", ("data",), ("indices", "axis", "squeeze_axis", "sections"))
_transpose = Op("transpose", ("data",), ("axes",))
_concat = Op("Concat", ("data",), ("num_args", "dim"), "num_args")
_onehot = Op("one_hot", ("indices",), ("depth", "dtype"))


def _shape(shape: Any) -> tuple:
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)


def _context(ctx: Any) -> Context:
    if ctx is None:
        return current_context()
    if not isinstance(ctx, Context):
        raise TypeError(f"ctx must be a Context such as mx.cpu(), but got {ctx!r}")
    return ctx


def _allocate(shape: tuple, ctx: Context, dtype: Any) -> NDArray:
    out = local.buffers.handle
    try:
        dims = ffi.new("int64_t[]", shape)
    except OverflowError:
        raise ValueError(f"shape {shape} is out of range") from None
    check_call(lib.MXNDArrayCreateEx64(dims, len(shape), ctx.device_typeid, ctx.device_id, 0, dtype_flag(dtype), out))
    return wrap(out[0])


def empty(shape: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """Return an array whose elements are not set.

    Parameters
    ----------
    shape : int or tuple of int
    ctx : Context, optional
        Device; the current one by default.
    dtype : str or numpy.dtype, default 'float32'
    """
    return _allocate(_shape(shape), _context(ctx), np.float32 if dtype is None else dtype)


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """Return an array with the elements of an NDArray, a NumPy array, a number, or nested sequences.

    Parameters
    ----------
    source_array : array_like
    ctx : Context, optional
        Device; the current one by default.
    dtype : str or numpy.dtype, optional
        By default that of an NDArray source, and float32 for anything else.
    """
    if isinstance(source_array, NDArray):
        dtype = source_array.dtype if dtype is None else dtype
        target = _allocate(source_array.shape, _context(ctx), dtype)
        source_array.copyto(target)
        return target
    dtype = np.float32 if dtype is None else dtype
    flag = dtype_flag(dtype)
    if isinstance(source_array, (str, bytes)) or source_array is None:
        raise TypeError("source_array must be array like object")
    try:
        host = np.asarray(source_array, dtype=np.float32 if flag == 12 else dtype_name(dtype))
    except (TypeError, ValueError) as error:
        raise TypeError(f"source_array must be array like object: {error}") from error
    if host.ndim == 0 and not is_np_shape():  # rank 0 means "no shape yet" unless shapes follow NumPy
        host = host.reshape(1)
    target = _allocate(host.shape, _context(ctx), dtype)
    target._sync_copyfrom(host)
    return target


def zeros(shape: Any, ctx: Context | None = None, dtype: Any = None, **kwargs: Any) -> NDArray:
    """Return an array of zeros.

    Parameters
    ----------
    shape : int or tuple of int
    ctx : Context, optional
        Device; the current one by default.
    dtype : str or numpy.dtype, default 'float32'
    out : NDArray, optional
        Array to fill instead of making one.
    """
    out = kwargs.pop("out", None)
    dtype = np.float32 if dtype is None else dtype
    return invoke(_zeros, (), (_shape(shape), str(_context(ctx)), dtype), out, kwargs)


def ones(shape: Any, ctx: Context | None = None, dtype: Any = None, **kwargs: Any) -> NDArray:
    """Return an array of ones. Parameters as for :func:`zeros`."""
    out = kwargs.pop("out", None)
    dtype = np.float32 if dtype is None else dtype
    return invoke(_ones, (), (_shape(shape), str(_context(ctx)), dtype), out, kwargs)


def full(shape: Any, val: float, ctx: Context | None = None, dtype: Any = np.float32,
         out: NDArray | None = None) -> NDArray:
    """Return an array filled with ``val``. Other parameters as for :func:`zeros`."""
    target = empty(shape, ctx, dtype) if out is None else out
    target[:] = val
    return target


def arange(start: float, stop: float | None = None, step: float = 1.0, repeat: int = 1,
           infer_range: bool | None = None, ctx: Context | None = None, dtype: Any = np.float32) -> NDArray:
    """Return evenly spaced values in ``[start, stop)``, or in ``[0, start)`` if ``stop`` is not given.

    Parameters
    ----------
    repeat : int, default 1
        How often each value appears in a row.
    """
    return invoke(_arange, (), (start, stop, step, repeat, False, str(_context(ctx)), dtype), None, {})


def linspace(start: float, stop: float, num: int, endpoint: bool = True, ctx: Context | None = None,
             dtype: Any = np.float32) -> NDArray:
    """Return ``num`` evenly spaced values from ``start`` to ``stop``, which is left out if not ``endpoint``."""
    return invoke(_linspace, (), (start, stop, num, endpoint, str(_context(ctx)), dtype), None, {})


def eye(N: int, M: int = 0, k: int = 0, ctx: Context | None = None, dtype: Any = None, **kwargs: Any) -> NDArray:
    """Return an ``N`` x ``M`` matrix (``M`` = 0 means ``N``) with ones on its ``k``-th diagonal."""
    out = kwargs.pop("out", None)
    dtype = np.float32 if dtype is None else dtype
    return invoke(_eye, (), (N, M, k, str(_context(ctx)), dtype), out, kwargs)


def histogram(a: NDArray, bins: Any = 10, range: Any = None) -> tuple[NDArray, NDArray]:
    """Return the counts of a histogram and the edges of its bins.

    Parameters
    ----------
    a : NDArray
    bins : int or NDArray
        Number of equal bins, or the edges.
    range : tuple of float, optional
        Outermost edges; by default the smallest and the largest element.
    """
    if isinstance(bins, NDArray):
        return invoke(_histogram, (a, bins), (_Null, _Null), None, {})
    if not isinstance(bins, (int, np.integer)):
        raise ValueError("bins argument should be either an integer or an NDArray")
    if range is None:
        host = a.asnumpy()
        low, high = float(host.min()), float(host.max())
        range = (low - 0.5, high + 0.5) if low == high else (low, high)
    return invoke(_histogram, (a,), (int(bins), tuple(range)), None, {})


def split_v2(ary: NDArray, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False) -> Any:
    """Split an array along an axis into equal sections, or at the given positions.

    Parameters
    ----------
    ary : NDArray
    indices_or_sections : int or tuple of int
    axis : int, default 0
    squeeze_axis : bool, default False
        Drop the split axis from the pieces, which must have length 1 on it.
    """
    if isinstance(indices_or_sections, (int, np.integer)):
        sections = int(indices_or_sections)
        length = ary.shape[axis]
        if sections <= 0 or length % sections:
            raise ValueError(f"array split does not result in an equal division: {length} by {sections}")
        return invoke(_split, (ary,), ([], axis, squeeze_axis, sections), None, {})
    if isinstance(indices_or_sections, (tuple, list, set)):
        return invoke(_split, (ary,), ([0, *indices_or_sections], axis, squeeze_axis, 0), None, {})
    raise ValueError("indices_or_sections must either int, or tuple / list / set of ints")


def concatenate(arrays: list, axis: int = 0, always_copy: bool = True) -> NDArray:
    """Join arrays along an axis; a single array is returned itself unless ``always_copy``."""
    if not isinstance(arrays, (list, tuple)) or not arrays or not all(isinstance(a, NDArray) for a in arrays):
        raise TypeError("concatenate expects a non-empty list of NDArrays")
    if len(arrays) == 1 and not always_copy:
        return arrays[0]
    return invoke_list(_concat, arrays, (_Null, axis), None, {})


def moveaxis(tensor: NDArray, source: Any, destination: Any) -> NDArray:
    """Move axes of an array to new places, keeping the order of the others."""
    rank = tensor.ndim
    source = [source] if isinstance(source, int) else list(source)
    destination = [destination] if isinstance(destination, int) else list(destination)
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    for axis in (*source, *destination):
        if not -rank <= axis < rank:
            raise ValueError(f"axis {axis} is out of bounds for an array with {rank} dimensions")
    source = [a % rank for a in source]
    destination = [a % rank for a in destination]
    if len(set(source)) != len(source) or len(set(destination)) != len(destination):
        raise ValueError("repeated axis in `source` or `destination`")
    order = [a for a in range(rank) if a not in source]
    for place, axis in sorted(zip(destination, source)):
        order.insert(place, axis)
    return invoke(_transpose, (tensor,), (tuple(order),), None, {})


def onehot_encode(indices: NDArray, out: NDArray) -> NDArray:
    """Write the one-hot rows of ``indices`` into ``out``."""
    return invoke(_onehot, (indices,), (out.shape[1], out.dtype), out, {})


def from_dlpack(dlpack: Any) -> NDArray:
    """Return an array on the memory of a DLPack capsule, or of an object that can export one."""
    from . import _dlpack
    return _dlpack.load(dlpack)


def to_dlpack_for_read(data: NDArray) -> Any:
    """Return a DLPack capsule of ``data``, after pending writes."""
    return data.to_dlpack_for_read()


def to_dlpack_for_write(data: NDArray) -> Any:
    """Return a DLPack capsule of ``data``, after pending reads and writes."""
    return data.to_dlpack_for_write()


def from_numpy(ndarray: np.ndarray, zero_copy: bool = True) -> NDArray:
    """Return an array with the elements and type of a NumPy array.

    Parameters
    ----------
    ndarray : numpy.ndarray
    zero_copy : bool, default True
        Share the memory, which must be contiguous. The NumPy array becomes read-only.
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"from_numpy expects a numpy.ndarray, but got {type(ndarray)}")
    if not zero_copy:
        return array(ndarray, dtype=ndarray.dtype)
    if not ndarray.flags["C_CONTIGUOUS"]:
        raise ValueError("Only c-contiguous arrays are supported for zero-copy")
    shared = from_dlpack(ndarray.__dlpack__())
    ndarray.flags["WRITEABLE"] = False
    return shared


# --- arithmetic on arrays and numbers -----------------------------------------------------------------------------


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number, np.bool_))


def _arithmetic(name: str, kind: Any, number: Any, verb: str) -> Any:
    comparison = kind.symbol in ("==", "!=", "<", "<=", ">", ">=")

    def function(lhs: Any, rhs: Any) -> Any:
        if isinstance(lhs, NDArray):
            result = kind.forward(lhs, rhs)
        elif isinstance(rhs, NDArray):
            result = kind.reflected(rhs, lhs)
        elif _is_number(lhs) and _is_number(rhs):
            return number(lhs, rhs)
        else:
            raise TypeError(f"type {type(lhs if not _is_number(lhs) else rhs)} not supported")
        if comparison:
            result.is_mask = True
        return result

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Return {verb}, element by element with broadcasting.

    Parameters
    ----------
    lhs, rhs : NDArray or number
        Two numbers give a number.
    """
    return function


def _kind(symbol: str, array_op: str, right: str, left: str | None = None) -> Any:
    return _nd._Arithmetic(symbol, array_op, right, left)


add = _arithmetic("add", _nd._add, lambda a, b: a + b, "the sum")
subtract = _arithmetic("subtract", _nd._sub, lambda a, b: a - b, "the difference")
multiply = _arithmetic("multiply", _nd._mul, lambda a, b: a * b, "the product")
divide = _arithmetic("divide", _nd._div, lambda a, b: a / b, "the quotient")
true_divide = divide
modulo = _arithmetic("modulo", _nd._mod, lambda a, b: a % b, "the remainder, which has the sign of ``rhs``")
power = _arithmetic("power", _nd._pow, lambda a, b: a ** b, "``lhs`` raised to ``rhs``")
maximum = _arithmetic("maximum", _kind("max", "broadcast_maximum", "_maximum_scalar"), max, "the larger value")
minimum = _arithmetic("minimum", _kind("min", "broadcast_minimum", "_minimum_scalar"), min, "the smaller value")
equal = _arithmetic("equal", _nd._eq, lambda a, b: int(a == b), "1 where the values are equal, else 0")
not_equal = _arithmetic("not_equal", _nd._ne, lambda a, b: int(a != b), "1 where the values differ, else 0")
greater = _arithmetic("greater", _nd._gt, lambda a, b: int(a > b), "1 where ``lhs > rhs``, else 0")
greater_equal = _arithmetic("greater_equal", _nd._ge, lambda a, b: int(a >= b), "1 where ``lhs >= rhs``, else 0")
lesser = _arithmetic("lesser", _nd._lt, lambda a, b: int(a < b), "1 where ``lhs < rhs``, else 0")
lesser_equal = _arithmetic("lesser_equal", _nd._le, lambda a, b: int(a <= b), "1 where ``lhs <= rhs``, else 0")
logical_and = _arithmetic("logical_and", _kind("and", "broadcast_logical_and", "_logical_and_scalar"),
                          lambda a, b: int(bool(a) and bool(b)), "1 where both are not zero, else 0")
logical_or = _arithmetic("logical_or", _kind("or", "broadcast_logical_or", "_logical_or_scalar"),
                         lambda a, b: int(bool(a) or bool(b)), "1 where either is not zero, else 0")
logical_xor = _arithmetic("logical_xor", _kind("xor", "broadcast_logical_xor", "_logical_xor_scalar"),
                          lambda a, b: int(bool(a) != bool(b)), "1 where exactly one is not zero, else 0")

