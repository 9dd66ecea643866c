"""The array class."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import base
from .._op import Op
from ..base import NULL, Default, bfloat16, check_call, dtype_flag, dtype_of_flag, ffi, last_error, lib, local, stype_id
from ..context import Context
from . import _indexing, _invoke
from ._invoke import Fixed, invoke, wrap

__all__ = ["NDArray", "waitall"]

_cast = Op("Cast", ("data",), ("dtype",))
_copyto = Op("_copyto", ("data",))
_broadcast_to = Op("broadcast_to", ("data",), ("shape",))
_transpose = Op("transpose", ("data",), ("axes",))
_NO_DEFAULT = Default("_Null")
_free = lib.MXNDArrayFree
_get_shape = lib.MXNDArrayGetShapeEx64


class _Arithmetic:
    """What one Python operator does for each kind of operand."""

    __slots__ = ("array", "left", "right", "symbol")

    def __init__(self, symbol: str, array: str, right: str, left: str | None = None):
        self.symbol = symbol
        self.array = Fixed(array)
        self.right = Fixed(right)  # array op number
        self.left = Fixed(left) if left else self.right  # number op array

    def forward(self, lhs: NDArray, rhs: Any, out: Any = None) -> Any:
        """Compute ``lhs op rhs`` where ``lhs`` is an array."""
        if rhs.__class__ is NDArray or isinstance(rhs, NDArray):
            return self.array.binary(lhs, rhs, out)
        if isinstance(rhs, (int, float, np.number, np.bool_)):
            return self.right.scalar(lhs, rhs, out)
        raise TypeError(f"type {type(rhs)} not supported")

    def reflected(self, rhs: NDArray, lhs: Any) -> Any:
        """Compute ``lhs op rhs`` where ``rhs`` is an array and ``lhs`` is not."""
        if isinstance(lhs, (int, float, np.number, np.bool_)):
            return self.left.scalar(rhs, lhs)
        raise TypeError(f"type {type(lhs)} not supported")


_add = _Arithmetic("+", "broadcast_add", "_plus_scalar")
_sub = _Arithmetic("-", "broadcast_sub", "_minus_scalar", "_rminus_scalar")
_mul = _Arithmetic("*", "broadcast_mul", "_mul_scalar")
_div = _Arithmetic("/", "broadcast_div", "_div_scalar", "_rdiv_scalar")
_mod = _Arithmetic("%", "broadcast_mod", "_mod_scalar", "_rmod_scalar")
_pow = _Arithmetic("**", "broadcast_power", "_power_scalar", "_rpower_scalar")
_eq = _Arithmetic("==", "broadcast_equal", "_equal_scalar")
_ne = _Arithmetic("!=", "broadcast_not_equal", "_not_equal_scalar")
_gt = _Arithmetic(">", "broadcast_greater", "_greater_scalar", "_lesser_scalar")
_ge = _Arithmetic(">=", "broadcast_greater_equal", "_greater_equal_scalar", "_lesser_equal_scalar")
_lt = _Arithmetic("<", "broadcast_lesser", "_lesser_scalar", "_greater_scalar")
_le = _Arithmetic("<=", "broadcast_lesser_equal", "_lesser_equal_scalar", "_greater_equal_scalar")


def _mask(array: NDArray) -> NDArray:
    array.is_mask = True
    return array


class NDArray:
    """An array of one data type on one device.

    Made by :func:`mxnet.nd.array`, :func:`mxnet.nd.zeros` and their like, by operators, and by executors; not by
    calling the class.

    Notes
    -----
    Indexing with integers and slices that select adjacent elements gives a view that shares memory; any other
    index gives a copy. Comparisons give 0 and 1 in the data type of their operands; such a result selects
    elements when used as an index (``x[x < 0] = 0``).
    """

    __slots__ = ("__weakref__", "_flags", "_root", "handle")
    __array_priority__ = 1000.0

    def __init__(self, handle: Any, writable: bool = True):
        if isinstance(handle, NDArray):
            self.handle = handle._shared()
        elif handle is None:
            self.handle = NULL
        else:
            self.handle = handle
        if not writable:
            self._flags = 1

    def __del__(self, _free: Any = _free) -> None:
        try:
            handle = self.handle
        except AttributeError:  # construction failed
            return
        _free(handle)

    def _shared(self) -> Any:
        out = local.buffers.handle
        check_call(lib.MXShallowCopyNDArray(self.handle, out))
        return out[0]

    # --- properties ---

    @property
    def writable(self) -> bool:
        """Whether elements can be assigned."""
        return not getattr(self, "_flags", 0) & 1

    @property
    def is_mask(self) -> bool:
        """Whether the array selects elements when used as an index: comparison results and bool arrays do."""
        return bool(getattr(self, "_flags", 0) & 2) or self.dtype is np.bool_

    @is_mask.setter
    def is_mask(self, value: bool) -> None:
        flags = getattr(self, "_flags", 0)
        self._flags = flags | 2 if value else flags & ~2

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        buffers = local.buffers
        ndim, data = buffers.int_a, buffers.shape
        if _get_shape(self.handle, ndim, data):
            raise last_error()
        n = ndim[0]
        return tuple(ffi.unpack(data[0], n)) if n > 0 else ()

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        total = 1
        for length in self.shape:
            total *= length
        return total

    @property
    def dtype(self) -> Any:
        """NumPy type of the elements."""
        out = local.buffers.int_a
        check_call(lib.MXNDArrayGetDType(self.handle, out))
        return dtype_of_flag(out[0])

    @property
    def context(self) -> Context:
        """Device that holds the array."""
        buffers = local.buffers
        kind, number = buffers.int_a, buffers.int_b
        check_call(lib.MXNDArrayGetContext(self.handle, kind, number))
        return Context(Context.devtype2str[kind[0]], number[0])

    ctx = context

    @property
    def stype(self) -> str:
        """Storage type: 'default' for dense arrays."""
        out = local.buffers.int_a
        check_call(lib.MXNDArrayGetStorageType(self.handle, out))
        return base._STYPE_NAMES[out[0]]

    @property
    def T(self) -> NDArray:
        """The array with its axes reversed; an array of one axis is returned as it is."""
        if self.ndim < 2:
            return self
        return invoke(_transpose, (self,), (), None, {})

    @property
    def grad(self) -> NDArray | None:
        """Gradient buffer attached to this array, or None."""
        out = local.buffers.handle
        check_call(lib.MXNDArrayGetGrad(self.handle, out))
        return wrap(out[0]) if out[0] else None

    # --- Python protocol ---

    def __repr__(self) -> str:
        shape = "x".join(str(n) for n in self.shape)
        return f"\n{self.asnumpy()}\n<{type(self).__name__} {shape} @{self.context}>"

    def __len__(self) -> int:
        shape = self.shape
        if not shape:
            raise TypeError("len() of unsized object")
        return shape[0]

    def __iter__(self) -> Any:
        for index in range(len(self)):
            yield self[index]

    def __bool__(self) -> bool:
        size = self.size
        if size == 1:
            return bool(self.asscalar())
        if size == 0:
            return False
        raise ValueError("The truth value of an NDArray with multiple elements is ambiguous.")

    __nonzero__ = __bool__

    def __float__(self) -> float:
        return float(self.asscalar())

    def __int__(self) -> int:
        return int(self.asscalar())

    def __index__(self) -> int:
        if self.size == 1 and np.issubdtype(self.dtype, np.integer):
            return int(self.asscalar())
        raise TypeError("only integer arrays of one element can be converted to an index")

    __hash__ = object.__hash__

    def __reduce__(self) -> tuple:
        return (NDArray, (None,), self.__getstate__())

    def __getstate__(self) -> dict:
        size, data = ffi.new("size_t *"), local.buffers.text
        check_call(lib.MXNDArraySaveRawBytes(self.handle, size, data))
        return {"handle": bytearray(ffi.buffer(data[0], size[0]))}

    def __setstate__(self, state: dict) -> None:
        raw, out = state["handle"], local.buffers.handle
        if raw is None:
            self.handle = NULL
            return
        check_call(lib.MXNDArrayLoadFromRawBytes(ffi.from_buffer(raw), len(raw), out))
        self.handle = out[0]

    def __getitem__(self, key: Any) -> NDArray:
        return _indexing.get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _indexing.assign(self, key, value)

    # --- arithmetic ---

    def __add__(self, other: Any) -> NDArray:
        return _add.forward(self, other)

    def __radd__(self, other: Any) -> NDArray:
        return _add.reflected(self, other)

    def __iadd__(self, other: Any) -> NDArray:
        return self._in_place(_add, other)

    def __sub__(self, other: Any) -> NDArray:
        return _sub.forward(self, other)

    def __rsub__(self, other: Any) -> NDArray:
        return _sub.reflected(self, other)

    def __isub__(self, other: Any) -> NDArray:
        return self._in_place(_sub, other)

    def __mul__(self, other: Any) -> NDArray:
        return _mul.forward(self, other)

    def __rmul__(self, other: Any) -> NDArray:
        return _mul.reflected(self, other)

    def __imul__(self, other: Any) -> NDArray:
        return self._in_place(_mul, other)

    def __truediv__(self, other: Any) -> NDArray:
        return _div.forward(self, other)

    def __rtruediv__(self, other: Any) -> NDArray:
        return _div.reflected(self, other)

    def __itruediv__(self, other: Any) -> NDArray:
        return self._in_place(_div, other)

    __div__, __rdiv__, __idiv__ = __truediv__, __rtruediv__, __itruediv__

    def __mod__(self, other: Any) -> NDArray:
        return _mod.forward(self, other)

    def __rmod__(self, other: Any) -> NDArray:
        return _mod.reflected(self, other)

    def __imod__(self, other: Any) -> NDArray:
        return self._in_place(_mod, other)

    def __pow__(self, other: Any) -> NDArray:
        return _pow.forward(self, other)

    def __rpow__(self, other: Any) -> NDArray:
        return _pow.reflected(self, other)

    def __ipow__(self, other: Any) -> NDArray:
        return self._in_place(_pow, other)

    def __matmul__(self, other: NDArray) -> NDArray:
        from .op import dot
        return dot(self, other)

    def __neg__(self) -> NDArray:
        return _mul.right.scalar(self, -1.0)

    def __pos__(self) -> NDArray:
        return self

    def __abs__(self) -> NDArray:
        return self.abs()

    def __eq__(self, other: Any) -> NDArray:  # type: ignore[override]
        return _mask(_eq.forward(self, other))

    def __ne__(self, other: Any) -> NDArray:  # type: ignore[override]
        return _mask(_ne.forward(self, other))

    def __gt__(self, other: Any) -> NDArray:
        return _mask(_gt.forward(self, other))

    def __ge__(self, other: Any) -> NDArray:
        return _mask(_ge.forward(self, other))

    def __lt__(self, other: Any) -> NDArray:
        return _mask(_lt.forward(self, other))

    def __le__(self, other: Any) -> NDArray:
        return _mask(_le.forward(self, other))

    def _in_place(self, kind: _Arithmetic, other: Any) -> NDArray:
        if not self.writable:
            raise ValueError("trying to change a readonly NDArray")
        return kind.forward(self, other, self)

    # --- views ---

    def _at(self, index: int) -> NDArray:
        out = local.buffers.handle
        check_call(lib.MXNDArrayAt64(self.handle, index, out))
        return self._view(out[0])

    def _slice(self, start: int, stop: int) -> NDArray:
        out = local.buffers.handle
        check_call(lib.MXNDArraySlice64(self.handle, start, stop, out))
        return self._view(out[0])

    def _reshaped(self, shape: tuple, reverse: bool = False) -> NDArray:
        out = local.buffers.handle
        dims = ffi.new("int64_t[]", shape) if shape else NULL
        check_call(lib.MXNDArrayReshape64(self.handle, len(shape), dims, reverse, out))
        return self._view(out[0])

    def _view(self, handle: Any) -> NDArray:
        view = wrap(handle)
        view._root = getattr(self, "_root", self)
        flags = getattr(self, "_flags", 0)
        if flags:
            view._flags = flags
        return view

    def reshape(self, *shape: Any, **kwargs: Any) -> NDArray:
        """Return a view with another shape.

        Parameters
        ----------
        *shape : int or tuple of int
            Besides lengths: 0 keeps the axis at that place, -1 is what remains, -2 keeps all remaining axes, -3
            joins two axes, -4 splits one into the two that follow.
        reverse : bool, default False
            Match special values from the right.
        """
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = tuple(shape[0])
        elif not shape:
            shape = kwargs.pop("shape", ())
            shape = (shape,) if isinstance(shape, int) else tuple(shape)
        reverse = bool(kwargs.pop("reverse", False))
        if kwargs:
            raise TypeError(f"reshape() got an unexpected keyword argument {next(iter(kwargs))!r}")
        size = self.size
        if not shape and size != 1:
            raise ValueError(f"Cannot reshape array of size {size} into shape {shape}")
        view = self._reshaped(tuple(int(n) for n in shape), reverse)
        if view.size != size:
            raise ValueError(f"Cannot reshape array of size {size} into shape {shape}")
        return view

    def expand_dims(self, axis: int, inplace: bool = False) -> NDArray:
        """Return the array with an axis of length 1 put in at ``axis``."""
        if not inplace:
            from . import op
            return op.expand_dims(self, axis=axis)
        shape = list(self.shape)
        if not -len(shape) - 1 <= axis <= len(shape):
            raise ValueError(f"axis {axis} is out of bounds for an array with {len(shape)} dimensions")
        shape.insert(axis if axis >= 0 else axis + len(shape) + 1, 1)
        return self._reshaped(tuple(shape))

    def squeeze(self, axis: Any = None, inplace: bool = False) -> NDArray:
        """Return the array without its axes of length 1, or without those in ``axis``."""
        if not inplace:
            from . import op
            return op.squeeze(self) if axis is None else op.squeeze(self, axis=axis)
        shape = self.shape
        axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
        drop = {a % len(shape) for a in axes if axis is not None or shape[a] == 1}
        if any(shape[a] != 1 for a in drop):
            raise ValueError(f"cannot squeeze axes {axis} of an array of shape {shape}")
        return self._reshaped(tuple(n for a, n in enumerate(shape) if a not in drop) or (1,))

    def flatten(self, inplace: bool = False) -> NDArray:
        """Return the array with all axes after the first joined."""
        if not inplace:
            from . import op
            return op.flatten(self)
        return self._reshaped((self.shape[0], -1))

    def broadcast_to(self, shape: Any) -> NDArray:
        """Return the array repeated along axes of length 1 to the given shape."""
        wanted = (shape,) if isinstance(shape, int) else tuple(shape)
        given = self.shape
        if len(given) > len(wanted) or any(g not in (1, w) for g, w in zip(reversed(given), reversed(wanted))):
            raise ValueError(f"operands could not be broadcast together with remapped shapes "
                             f"[original->remapped]: {given} and requested shape {wanted}")
        padded = (1,) * (len(wanted) - len(given)) + given
        source = self if padded == given else self._reshaped(padded)
        return source if padded == wanted else invoke(_broadcast_to, (source,), (wanted,), None, {})

    def broadcast_like(self, other: NDArray) -> NDArray:
        """Return the array broadcast to the shape of another."""
        return self.broadcast_to(other.shape)

    # --- copies and conversions ---

    def asnumpy(self) -> np.ndarray:
        """Return a NumPy copy. bfloat16 arrays are given as float32, which holds them exactly."""
        dtype = self.dtype
        if dtype is None:
            raise ValueError("the array is empty: it has neither shape nor data yet")
        shape = self.shape
        if dtype is bfloat16:
            raw = np.empty(shape, np.uint16)
            self._copy_out(raw)
            return (raw.astype(np.uint32) << 16).view(np.float32)
        host = np.empty(shape, dtype)
        self._copy_out(host)
        return host

    def _copy_out(self, host: np.ndarray) -> None:
        if host.size and lib.MXNDArraySyncCopyToCPU(self.handle, ffi.from_buffer(host), host.size):
            raise last_error()

    def _sync_copyfrom(self, source: Any) -> None:
        """Overwrite the array with host data of the same shape, converted to the array's type."""
        dtype, shape = self.dtype, self.shape
        try:
            host = np.asarray(source)
            if dtype is bfloat16:
                host = _to_bfloat16(host)
            else:
                host = np.ascontiguousarray(host, dtype=dtype)
        except (TypeError, ValueError) as error:
            raise TypeError(f"array must consist of array-like data, got {type(source)}") from error
        if host.shape != shape and not (host.size == 1 and self.size == 1):
            raise ValueError(f"Shape inconsistent: expected {shape} vs got {host.shape}")
        if host.size:
            check_call(lib.MXNDArraySyncCopyFromCPU(self.handle, ffi.from_buffer(host), host.size))

    def asscalar(self) -> Any:
        """Return the only element as a NumPy scalar."""
        if self.size != 1:
            raise ValueError("The current array is not a scalar")
        return self.asnumpy().reshape(-1)[0]

    def item(self) -> Any:
        """Return the only element as a Python number."""
        return self.asscalar().item()

    def astype(self, dtype: Any, copy: bool = True) -> NDArray:
        """Return the array converted to another type; with ``copy=False`` the array itself if it has that type."""
        flag = dtype_flag(dtype)
        if not copy and dtype_flag(self.dtype) == flag:
            return self
        return invoke(_cast, (self,), (dtype,), None, {})

    def copy(self) -> NDArray:
        """Return a copy on the same device."""
        return self.copyto(self.context)

    def __copy__(self) -> NDArray:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> NDArray:
        return self.copy()

    def copyto(self, other: Any) -> NDArray:
        """Copy the elements into an array of the same shape, or to a device.

        Returns
        -------
        NDArray
            ``other``, or the new array.
        """
        if isinstance(other, NDArray):
            if other.handle == self.handle:
                import warnings
                warnings.warn("You are attempting to copy an array to itself", RuntimeWarning, stacklevel=2)
                return other
            return invoke(_copyto, (self,), (), other, {})
        if isinstance(other, Context):
            from ._creation import _allocate
            target = _allocate(self.shape, other, self.dtype)
            return invoke(_copyto, (self,), (), target, {})
        raise TypeError(f"copyto does not support type {type(other)}")

    def as_in_context(self, context: Context) -> NDArray:
        """Return the array itself if it is on ``context``, else a copy there."""
        return self if self.context == context else self.copyto(context)

    as_in_ctx = as_in_context

    def as_nd_ndarray(self) -> NDArray:
        """Return the array itself."""
        return self

    def tostype(self, stype: str) -> NDArray:
        """Return the array in another storage type."""
        stype_id(stype)
        if stype == "default":
            return self
        from .op import cast_storage
        return cast_storage(self, stype=stype)

    def slice_assign(self, rhs: NDArray, begin: Any, end: Any, step: Any) -> NDArray:
        """Return the array with a slice replaced by ``rhs``."""
        from ._internal import _slice_assign
        return _slice_assign(self, rhs, begin=begin, end=end, step=step)

    def slice_assign_scalar(self, value: float, begin: Any, end: Any, step: Any) -> NDArray:
        """Return the array with a slice filled with ``value``."""
        from ._internal import _slice_assign_scalar
        return _slice_assign_scalar(self, scalar=value, begin=begin, end=end, step=step)

    # --- memory ---

    def _pointer(self) -> int:
        out = local.buffers.handle
        if lib.MXNDArrayGetData(self.handle, out):
            raise last_error()
        return int(ffi.cast("intptr_t", out[0]))

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.size * np.dtype(self.dtype).itemsize

    def _may_overlap(self, other: NDArray) -> bool:
        """Tell whether both are views of one array. (Asking for addresses would tell the library that the memory may
        change behind its back.)"""
        return getattr(self, "_root", self) is getattr(other, "_root", other)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            host = _host_view(self)
            if dtype is not None and host.dtype != np.dtype(dtype):
                raise ValueError(f"a view of {host.dtype} elements cannot have type {np.dtype(dtype)}: copy needed")
            return host
        host = self.asnumpy()
        return host if dtype is None or host.dtype == np.dtype(dtype) else host.astype(dtype)

    @property
    def __array_interface__(self) -> dict:
        dtype = self.dtype
        if self.context.device_typeid == 2 or dtype is bfloat16 or dtype is None:
            raise AttributeError("only CPU arrays of a NumPy type have an array interface")
        self.wait_to_read()
        # Read-only: the library caches what it derives from an array until the array is written through it.
        return {"version": 3, "shape": self.shape, "typestr": np.dtype(dtype).str, "data": (self._pointer(), True)}

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
                   copy: bool | None = None) -> Any:
        from . import _dlpack
        return _dlpack.export(self, stream, dl_device, copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        from . import _dlpack
        return _dlpack.device(self)

    def to_dlpack_for_read(self) -> Any:
        """Return a DLPack capsule of the array, after pending writes."""
        from . import _dlpack
        return _dlpack.export(self)

    def to_dlpack_for_write(self) -> Any:
        """Return a DLPack capsule of the array, after pending reads and writes."""
        from . import _dlpack
        check_call(lib.MXNDArrayWaitToWrite(self.handle))
        return _dlpack.export(self)

    def wait_to_read(self) -> None:
        """Wait for pending writes to the array; an error of theirs is raised here."""
        if lib.MXNDArrayWaitToRead(self.handle):
            raise last_error()

    # --- autograd ---

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Give the array a zeroed gradient buffer and leave it out of the recorded graph so far."""
        from .. import autograd
        from . import zeros_like
        autograd.mark_variables([self], [zeros_like(self)], grad_req)

    def detach(self) -> NDArray:
        """Return an array on the same memory that is not part of the recorded graph."""
        out = local.buffers.handle
        check_call(lib.MXNDArrayDetach(self.handle, out))
        return wrap(out[0])

    def backward(self, out_grad: NDArray | None = None, retain_graph: bool = False, train_mode: bool = True) -> None:
        """Compute the gradients of this array with respect to the marked variables it was computed from."""
        from .. import autograd
        autograd.backward([self], None if out_grad is None else [out_grad], retain_graph, train_mode)

    @property
    def _fresh_grad(self) -> bool:
        out = local.buffers.int_a
        check_call(lib.MXNDArrayGetGradState(self.handle, out))
        return bool(out[0])

    @_fresh_grad.setter
    def _fresh_grad(self, state: bool) -> None:
        check_call(lib.MXNDArraySetGradState(self.handle, int(state)))


def _host_view(array: NDArray) -> np.ndarray:
    """A read-only NumPy view of a CPU array; it keeps the array alive."""
    class Holder:
        __array_interface__ = array.__array_interface__
        owner = array
    return np.asarray(Holder())


def _to_bfloat16(host: np.ndarray) -> np.ndarray:
    """Round float32 to the nearest bfloat16, ties to even, as uint16."""
    if host.dtype == bfloat16:
        return np.ascontiguousarray(host).view(np.uint16)
    bits = np.ascontiguousarray(host, dtype=np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where((bits & 0x7FFFFFFF) > 0x7F800000, np.uint16(0x7FC0), rounded)


def _fluent(name: str) -> Any:
    def method(self: NDArray, *args: Any, **kwargs: Any) -> Any:
        from . import op
        return getattr(op, name)(self, *args, **kwargs)

    method.__name__ = name
    method.__qualname__ = f"NDArray.{name}"
    method.__doc__ = f"Short for ``mx.nd.{name}`` with this array as the first argument."
    return method


_FLUENT = (
    "abs", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "argmax", "argmax_channel", "argmin",
    "argsort", "broadcast_axes", "cbrt", "ceil", "clip", "cos", "cosh", "degrees", "depth_to_space", "diag", "exp",
    "expm1", "fix", "flip", "floor", "log", "log10", "log1p", "log2", "log_softmax", "max", "mean", "min",
    "nanprod", "nansum", "norm", "one_hot", "ones_like", "pad", "pick", "prod", "radians", "rcbrt", "reciprocal",
    "relu", "repeat", "reshape_like", "rint", "round", "rsqrt", "shape_array", "sigmoid", "sign", "sin", "sinh",
    "size_array", "slice", "slice_axis", "slice_like", "softmax", "softmin", "sort", "space_to_depth", "split",
    "sqrt", "square", "sum", "swapaxes", "take", "tan", "tanh", "tile", "topk", "transpose", "trunc", "zeros_like")
for _name in _FLUENT:
    setattr(NDArray, _name, _fluent(_name))
del _name


def _split_v2(self: NDArray, *args: Any, **kwargs: Any) -> Any:
    """Short for ``mx.nd.split_v2`` with this array as the first argument."""
    from ._creation import split_v2
    return split_v2(self, *args, **kwargs)


NDArray.split_v2 = _split_v2  # type: ignore[attr-defined]
_invoke.set_array_class(NDArray)


def waitall() -> None:
    """Wait for all pending work; an error of it is raised here."""
    check_call(lib.MXNDArrayWaitAll())
