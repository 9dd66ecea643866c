"""Functions that make symbols of constants, and arithmetic between symbols and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._op import Op
from ..base import _Null
from ._compose import node
from .symbol import _NUMBERS, Symbol, _Arithmetic

__all__ = ["arange", "eye", "full", "histogram", "hypot", "linspace", "maximum", "minimum", "ones", "pow", "power",
           "split_v2", "zeros"]

_zeros = Op("_zeros", (), ("shape", "dtype"))
_ones = Op("_ones", (), ("shape", "dtype"))
_full = Op("_full", (), ("shape", "dtype", "value"))
_eye = Op("_eye", (), ("N", "M", "k", "dtype"))
_arange = Op("_arange", (), ("start", "stop", "step", "repeat", "infer_range", "dtype"))
_linspace = Op("_linspace", (), ("start", "stop", "num", "endpoint", "dtype"))
_histogram = Op("_histogram", ("data", "bins"), ("bin_cnt", "range"))
_split = Op("_split_v2", ("data",), ("indices", "axis", "squeeze_axis", "sections"))


def _shape(shape: Any) -> tuple:
    return (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)


def _dtype(dtype: Any) -> Any:
    return np.float32 if dtype is None else dtype


def _extra(kwargs: dict) -> dict:
    """Leave out what stands at None: ``name`` and ``ctx_group`` are often passed so."""
    return {k: v for k, v in kwargs.items() if v is not None}


def zeros(shape: Any, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Return a symbol of zeros.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : str or numpy.dtype, default 'float32'
    name : str, optional
    ctx_group : str, optional
        Group of nodes that ``group2ctx`` places on one device.
    """
    return node(_zeros, "_zeros", (), (_shape(shape), _dtype(dtype)), _extra(kwargs))


def ones(shape: Any, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Return a symbol of ones. Parameters as for :func:`zeros`."""
    return node(_ones, "_ones", (), (_shape(shape), _dtype(dtype)), _extra(kwargs))


def full(shape: Any, val: float, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Return a symbol filled with ``val``. Other parameters as for :func:`zeros`."""
    return node(_full, "_full", (), (_shape(shape), _dtype(dtype), float(val)), _extra(kwargs))


def eye(N: int, M: int = 0, k: int = 0, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Return an ``N`` x ``M`` matrix (``M`` = 0 means ``N``) with ones on its ``k``-th diagonal."""
    return node(_eye, "_eye", (), (N, M, k, _dtype(dtype)), _extra(kwargs))


def arange(start: float, stop: float | None = None, step: float = 1.0, repeat: int = 1, infer_range: bool = False,
           name: str | None = None, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Return evenly spaced values in ``[start, stop)``, or in ``[0, start)`` if ``stop`` is not given.

    Parameters
    ----------
    repeat : int, default 1
        How often each value appears in a row.
    infer_range : bool, default False
        Take the number of values from the shape the result must have.
    """
    return node(_arange, "_arange", (), (start, stop, step, repeat, infer_range, _dtype(dtype)),
                _extra({"name": name, **kwargs}))


def linspace(start: float, stop: float, num: int, endpoint: bool = True, name: str | None = None, dtype: Any = None,
             **kwargs: Any) -> Symbol:
    """Return ``num`` evenly spaced values from ``start`` to ``stop``, which is left out if not ``endpoint``."""
    return node(_linspace, "_linspace", (), (start, stop, num, endpoint, _dtype(dtype)),
                _extra({"name": name, **kwargs}))


def histogram(a: Symbol, bins: Any = 10, range: Any = None, **kwargs: Any) -> Symbol:
    """Return the counts of a histogram and the edges of its bins, as two outputs.

    Parameters
    ----------
    a : Symbol
    bins : int or Symbol
        Number of equal bins, for which ``range`` is needed, or the edges.
    range : tuple of float, optional
        Outermost edges.
    """
    if isinstance(bins, Symbol):
        return node(_histogram, "_histogram", (a, bins), (_Null, _Null), _extra(kwargs))
    if not isinstance(bins, (int, np.integer)):
        raise ValueError("bins argument should be either an integer or a Symbol")
    if range is None:
        raise ValueError("null range is not supported in symbol mode")
    return node(_histogram, "_histogram", (a, None), (int(bins), tuple(range)), _extra(kwargs))


def split_v2(ary: Symbol, indices_or_sections: Any, axis: int = 0, squeeze_axis: bool = False,
             **kwargs: Any) -> Symbol:
    """Split along an axis into equal sections, or at the given positions.

    Parameters
    ----------
    ary : Symbol
    indices_or_sections : int or tuple of int
    axis : int, default 0
    squeeze_axis : bool, default False
        Drop the split axis from the pieces, which must have length 1 on it.
    """
    if isinstance(indices_or_sections, (int, np.integer)):
        values: tuple = ([], axis, squeeze_axis, int(indices_or_sections))
    elif isinstance(indices_or_sections, (tuple, list, set)):
        values = ([0, *indices_or_sections], axis, squeeze_axis, 0)
    else:
        raise ValueError("indices_or_sections must either int, or tuple / list / set of ints")
    return node(_split, "_split_v2", (ary,), values, kwargs)


def _two(kind: _Arithmetic, left: Any, right: Any, number: Any) -> Any:
    if isinstance(left, Symbol):
        return kind.forward(left, right)
    if isinstance(right, Symbol):
        return kind.reflected(right, left)
    if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
        return number(left, right)
    raise TypeError(f"types ({type(left)}, {type(right)}) not supported")


_power = _Arithmetic(("_power", "_power"), ("_power_scalar", "_power_scalar"), ("_rpower_scalar", "_rpower_scalar"))
_maximum = _Arithmetic(("_maximum", "_maximum"), ("_maximum_scalar", "_maximumscalar"))
_minimum = _Arithmetic(("_minimum", "_minimum"), ("_minimum_scalar", "_minimumscalar"))
_hypot = _Arithmetic(("_hypot", "_hypot"), ("_hypot_scalar", "_hypotscalar"))


def power(base: Any, exp: Any) -> Any:
    """Return ``base`` raised to ``exp``, element by element.

    Parameters
    ----------
    base, exp : Symbol or number
        Two numbers give a number.
    """
    return _two(_power, base, exp, lambda a, b: a ** b)


pow = power


def maximum(left: Any, right: Any) -> Any:
    """Return the larger value, element by element. Two numbers give a number."""
    return _two(_maximum, left, right, max)


def minimum(left: Any, right: Any) -> Any:
    """Return the smaller value, element by element. Two numbers give a number."""
    return _two(_minimum, left, right, min)


def hypot(left: Any, right: Any) -> Any:
    """Return ``sqrt(left**2 + right**2)``, element by element. Two numbers give a number."""
    return _two(_hypot, left, right, np.hypot)
