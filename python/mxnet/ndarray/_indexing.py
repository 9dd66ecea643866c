"""Indexing and assignment with NumPy's rules.

A basic key (integers, slices, ``None``, ``...``) whose elements are adjacent in memory gives a view; any other key
gives a copy. Keys with index arrays or masks are turned into positions in the flattened array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._op import Op
from ..base import Default
from . import _invoke
from ._invoke import invoke

_D = Default("_Null")
_slice_op = Op("slice", ("data",), ("begin", "end", "step"))
_take_op = Op("take", ("a", "indices"), ("axis", "mode"))
_full_op = Op("_full", (), ("shape", "ctx", "dtype", "value"))
_slice_assign = Op("_slice_assign", ("lhs", "rhs"), ("begin", "end", "step"))
_slice_assign_scalar = Op("_slice_assign_scalar", ("data",), ("scalar", "begin", "end", "step"))
_scatter_set = Op("_scatter_set_nd", ("lhs", "rhs", "indices"), ("shape",))
_copyto = Op("_copyto", ("data",))
_broadcast_to = Op("broadcast_to", ("data",), ("shape",))
_EXACT = 1 << 53  # operator parameters travel as doubles


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.generic)) and not isinstance(value, np.ndarray)


def _as_index(item: Any) -> Any:
    """Return one element of a key as int, slice, None, Ellipsis or a NumPy index or mask array."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, (bool, np.bool_)):
        return np.asarray(item)
    if isinstance(item, (int, np.integer)):
        return int(item)
    if isinstance(item, _invoke.NDArray):
        array = item.asnumpy()
        if item.is_mask:
            return array.astype(bool)
        if array.dtype.kind == "f":  # default dtype of arrays: indices often come as float32
            return array.astype(np.int64)
        return array
    if isinstance(item, (list, tuple, range, np.ndarray)):
        array = np.asarray(item)
        if array.dtype.kind == "f" and array.size == 0:
            return array.astype(np.int64)
        if array.dtype.kind in "iub":
            return array
        raise IndexError(f"index arrays must be integers or booleans, not {array.dtype}")
    raise ValueError(f"NDArray does not support slicing with key {item} of type {type(item)}.")


def _expand(key: Any, shape: tuple) -> list:
    """Return the key's elements, with ``...`` and missing trailing axes written out as full slices."""
    items = [_as_index(k) for k in (key if isinstance(key, tuple) else (key,))]
    ellipses = [i for i, k in enumerate(items) if k is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    used = sum(k.ndim if isinstance(k, np.ndarray) and k.dtype == bool else 1
               for k in items if k is not None and k is not Ellipsis)
    missing = len(shape) - used
    if missing < 0:
        raise IndexError(f"too many indices ({used}) for array with {len(shape)} dimensions")
    at = ellipses[0] if ellipses else len(items)
    items[at:at + 1] = [slice(None)] * missing
    return items


def _position(index: int, axis: int, size: int) -> int:
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    return index + size if index < 0 else index


class Basic:
    """A key without index arrays, resolved against a shape."""

    __slots__ = ("begin", "kept", "lengths", "shape", "step")

    def __init__(self, items: list, shape: tuple):
        self.begin: list[int] = []
        self.step: list[int] = []
        self.lengths: list[int] = []  # of every axis, those of integers being 1
        self.shape: list[int] = []  # of the result: integer axes dropped, None axes put in
        self.kept: list[int] = []  # of the result, integer axes kept as 1 and None axes left out
        axis = 0
        for item in items:
            if item is None:
                self.shape.append(1)
                continue
            size = shape[axis]
            if isinstance(item, int):
                self.begin.append(_position(item, axis, size))
                self.step.append(1)
                self.lengths.append(1)
            else:
                start, stop, step = item.indices(size)
                length = len(range(start, stop, step))
                self.begin.append(start)
                self.step.append(step if length > 1 else 1)
                self.lengths.append(length)
                self.shape.append(length)
            axis += 1

    def flat_range(self, shape: tuple) -> tuple[int, int] | None:
        """Return the range of flat positions selected, or None if they are not adjacent."""
        offset = 0
        stride = 1
        partial = False
        total = 1
        for begin, step, length, size in zip(reversed(self.begin), reversed(self.step), reversed(self.lengths),
                                             reversed(shape)):
            if length != 1 and (step != 1 or partial):
                return None
            if length != size:
                partial = True
            offset += begin * stride
            total *= length
            stride *= size
        return offset, offset + total

    def ends(self) -> list[int | None]:
        """Return the end of every axis's slice as the slice operators want it."""
        ends: list[int | None] = []
        for begin, step, length in zip(self.begin, self.step, self.lengths):
            end = begin + step * length
            ends.append(None if step < 0 and end < 0 else end)
        return ends


def _flat_positions(items: list, shape: tuple) -> np.ndarray:
    """Return, in the shape of the result, where each selected element lies in the flattened array."""
    spread: list = []  # masks become one index array per axis
    for item in items:
        if isinstance(item, np.ndarray) and item.dtype == bool:
            if item.ndim == 0:
                raise IndexError("a single boolean is not supported as an index")
            spread.append(("mask", item))
            spread.extend(("index", part) for part in np.nonzero(item))
        else:
            spread.append(("index", item))
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]

    axis = 0
    advanced: list[np.ndarray] = []  # contributions of index arrays and integers, to be broadcast together
    plain: list[Any] = []  # contributions of slices, None for a new axis
    places: list[int] = []
    for kind, item in spread:
        if kind == "mask":
            for offset, size in enumerate(item.shape):
                if size != shape[axis + offset]:
                    raise IndexError(f"boolean index did not match indexed array along axis {axis + offset}; size of "
                                     f"axis is {shape[axis + offset]} but size of the mask is {size}")
            continue
        if item is None:
            plain.append(None)
            places.append(1)
            continue
        size, stride = shape[axis], strides[axis]
        if isinstance(item, slice):
            plain.append(np.arange(*item.indices(size), dtype=np.int64) * stride)
            places.append(1)
        else:
            index = np.asarray(item, dtype=np.int64)
            bad = (index < -size) | (index >= size)
            if bad.any():
                raise IndexError(f"index {index[bad].flat[0]} is out of bounds for axis {axis} with size {size}")
            advanced.append(np.where(index < 0, index + size, index) * stride)
            places.append(0)
        axis += 1
    try:
        joint = np.broadcast_arrays(*advanced)
    except ValueError:
        shapes = " ".join(str(a.shape) for a in advanced)
        raise IndexError("shape mismatch: indexing arrays could not be broadcast together with shapes " + shapes) \
            from None
    total = sum(joint[1:], joint[0].astype(np.int64))
    # Adjacent index arrays put their axes in place; separated ones put them first.
    first = places.index(0)
    last = len(places) - 1 - places[::-1].index(0)
    before = sum(places[:first]) if all(p == 0 for p in places[first:last + 1]) else 0
    rank = sum(places) + total.ndim
    flat = total.reshape((1,) * before + total.shape + (1,) * (rank - before - total.ndim))
    for axis, contribution in enumerate(plain):
        position = axis if axis < before else axis + total.ndim
        if contribution is not None:
            flat = flat + contribution.reshape((1,) * position + (-1,) + (1,) * (rank - position - 1))
    return flat


def _visible(shape: Any) -> tuple:
    """Legacy arrays have no rank 0: a single element has shape (1,)."""
    shape = tuple(shape)
    if not shape:
        from ..util import is_np_shape
        if not is_np_shape():
            return (1,)
    return shape


def _is_advanced(items: list) -> bool:
    return any(isinstance(item, np.ndarray) for item in items)


def get(array: Any, key: Any) -> Any:
    """Return ``array[key]``."""
    shape = array.shape
    cls = key.__class__
    if cls is int and shape:
        index = _position(key, 0, shape[0])
        if len(shape) > 1:
            return array._at(index)
        piece = array._slice(index, index + 1)
        return piece if _visible(()) else piece.reshape(())
    if cls is slice and shape and (key.step is None or key.step == 1):
        start, stop, _ = key.indices(shape[0])
        return array._slice(start, max(start, stop))
    items = _expand(key, shape)
    if _is_advanced(items):
        return _get_advanced(array, items, shape)
    basic = Basic(items, shape)
    target = _visible(basic.shape)
    if 0 in basic.lengths:
        return _invoke_empty(target, array)
    flat = basic.flat_range(shape)
    if flat is not None:
        return _flat_view(array, shape, flat, target)
    piece = invoke(_slice_op, (array,), (tuple(basic.begin), tuple(basic.ends()), tuple(basic.step)), None, {})
    return piece if target == tuple(basic.lengths) else piece._reshaped(target)


def _invoke_empty(shape: tuple, like: Any) -> Any:
    from ._creation import empty
    return empty(shape, like.ctx, like.dtype)


def _flat_view(array: Any, shape: tuple, flat: tuple[int, int], target: tuple) -> Any:
    begin, end = flat
    if not shape:
        return array._reshaped(target)
    rows = 1
    for size in shape[1:]:
        rows *= size
    if rows and begin % rows == 0 and end % rows == 0:  # whole rows: one slice of axis 0
        view = array._slice(begin // rows, end // rows)
    else:
        view = array._reshaped((-1,))._slice(begin, end)
    return view if view.shape == target else view._reshaped(target)


def _get_advanced(array: Any, items: list, shape: tuple) -> Any:
    from ._creation import array as make
    first = items[0]
    if isinstance(first, np.ndarray) and first.dtype != bool and first.size \
            and all(isinstance(k, slice) and k == slice(None) for k in items[1:]):
        index = first.astype(np.int64)
        bad = (index < -shape[0]) | (index >= shape[0])
        if bad.any():
            raise IndexError(f"index {index[bad].flat[0]} is out of bounds for axis 0 with size {shape[0]}")
        index = np.where(index < 0, index + shape[0], index)
        taken = invoke(_take_op, (array, make(index.reshape(-1), array.ctx, np.int64)), (0, "clip"), None, {})
        target = _visible(index.shape + shape[1:])
        return taken if taken.shape == target else taken._reshaped(target)
    positions = _flat_positions(items, shape)
    target = _visible(positions.shape)
    if positions.size == 0:
        return _invoke_empty(target, array)
    index = make(positions.reshape(-1), array.ctx, np.int64)
    return invoke(_take_op, (array._reshaped((-1,)), index), (0, "clip"), None, {})._reshaped(target)


# --- assignment ---------------------------------------------------------------------------------------------------


def assign(array: Any, key: Any, value: Any) -> None:
    """Do ``array[key] = value``."""
    if not array.writable:
        raise ValueError("Cannot assign to readonly NDArray")
    shape = array.shape
    if not _is_number(value) and not isinstance(value, _invoke.NDArray):
        value = _host_value(value)
    if (key.__class__ is slice and key == slice(None)) or key is Ellipsis:
        fill(array, shape, value)
        return
    items = _expand(key, shape)
    if isinstance(value, _invoke.NDArray) and value._may_overlap(array):
        value = value.copy()
    if _is_advanced(items):
        _set_advanced(array, items, shape, value)
        return
    basic = Basic(items, shape)
    if 0 in basic.lengths:
        return
    flat = basic.flat_range(shape)
    if flat is not None:
        target = tuple(basic.shape)
        view = _flat_view(array, shape, flat, target or (1,))
        fill(view, target or (1,), value)
        return
    window = tuple(basic.begin), tuple(basic.ends()), tuple(basic.step)
    if _is_number(value) and _exact(value):
        invoke(_slice_assign_scalar, (array,), (float(value), *window), array, {})
        return
    piece = _prepared(array, value, tuple(basic.shape))
    if piece.shape != tuple(basic.lengths):
        piece = piece._reshaped(tuple(basic.lengths))
    invoke(_slice_assign, (array, piece), window, array, {})


def _host_value(value: Any) -> np.ndarray:
    if isinstance(value, str):
        raise TypeError(f"NDArray does not support assignment with non-array-like object {value} of type {type(value)}")
    try:
        host = np.asarray(value)
    except (TypeError, ValueError):
        host = None
    if host is None or host.dtype.kind not in "fiubV":
        raise TypeError(f"NDArray does not support assignment with non-array-like object {value} of type {type(value)}")
    return host


def _exact(value: Any) -> bool:
    return isinstance(value, (float, np.floating)) or -_EXACT <= value <= _EXACT


def _broadcast_error(given: tuple, wanted: tuple) -> ValueError:
    return ValueError(f"could not broadcast input array from shape {given} into shape {wanted}")


def _strip(given: tuple, wanted: tuple) -> tuple:
    """Return ``given`` without the leading 1s that ``wanted`` has no axes for, after checking that it fits."""
    stripped = given
    while len(stripped) > len(wanted) and stripped[0] == 1:
        stripped = stripped[1:]
    if len(stripped) > len(wanted) or any(g not in (1, w) for g, w in zip(reversed(stripped), reversed(wanted))):
        raise _broadcast_error(given, wanted)
    return stripped


def fill(view: Any, shape: tuple, value: Any) -> None:
    """Overwrite the whole of ``view``."""
    if _is_number(value) and _exact(value):
        invoke(_full_op, (), (shape, str(view.ctx), view.dtype, float(value)), view, {})
        return
    if isinstance(value, _invoke.NDArray):
        if value.handle != view.handle:
            if value.shape != shape:
                value = _prepared(view, value, shape)
            elif value._may_overlap(view):
                value = value.copy()
            invoke(_copyto, (value,), (), view, {})
        return
    host = np.asarray(value)
    if host.shape != shape:
        host = np.broadcast_to(host.reshape(_strip(host.shape, shape)), shape)
    view._sync_copyfrom(host)


def _prepared(array: Any, value: Any, shape: tuple) -> Any:
    """Return ``value`` as an array of the given shape and of ``array``'s type and context."""
    from ._creation import array as make
    if not isinstance(value, _invoke.NDArray):
        host = np.asarray(value)
        host = np.broadcast_to(host.reshape(_strip(host.shape, shape)), shape)
        return make(host.reshape(shape or (1,)), array.ctx, array.dtype)
    if value.dtype != array.dtype:
        value = value.astype(array.dtype)
    value = value.as_in_context(array.ctx)
    given = value.shape
    if given == shape:
        return value
    stripped = _strip(given, shape)
    padded = (1,) * (len(shape) - len(stripped)) + stripped
    if padded != given:
        value = value._reshaped(padded or (1,))
    if padded != shape:
        value = invoke(_broadcast_to, (value,), (shape,), None, {})
    return value


def _set_advanced(array: Any, items: list, shape: tuple, value: Any) -> None:
    from ._creation import array as make
    positions = _flat_positions(items, shape)
    if positions.size == 0:
        return
    piece = _prepared(array, value, positions.shape)._reshaped((-1,))
    flat = array._reshaped((-1,))
    index = make(positions.reshape(1, -1), array.ctx, np.int64)
    invoke(_scatter_set, (flat, piece, index), (flat.shape,), flat, {})
