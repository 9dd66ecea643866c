"""Running operators on arrays."""

from __future__ import annotations

from typing import Any

from .._op import Op, collect, param_text
from ..base import NULL, Default, c_params, c_text, check_call, ffi, last_error, lib, local

_invoke_native = lib.MXImperativeInvoke
_MAX_SCRATCH = 256

# Set by ndarray.py, which cannot be imported from here.
NDArray: Any = None


def set_array_class(cls: type) -> None:
    """Tell this module what to wrap results in."""
    global NDArray
    NDArray = cls


def wrap(handle: Any) -> Any:
    """Make the array object that owns ``handle``."""
    array = NDArray.__new__(NDArray)
    array.handle = handle
    return array


def _bad_argument(op: Op, position: int, value: Any) -> AssertionError:
    if len(op.arrays) > position and op.count_key is None:
        return AssertionError(f"Argument {op.arrays[position]} of {op.name} must have NDArray type, but got {value}")
    return AssertionError(f"Positional arguments of {op.name} must have NDArray type, but got {value}")


def _run(handle: Any, count: int, inputs: Any, params: tuple, out: Any, buffers: Any) -> Any:
    number, outputs = buffers.count, buffers.outputs
    if out is None:
        number[0] = 0
        outputs[0] = NULL
        if _invoke_native(handle, count, inputs, number, outputs, params[0], params[1], params[2]):
            raise last_error()
        made = outputs[0]
        if number[0] == 1:
            return wrap(made[0])
        return [wrap(made[i]) for i in range(number[0])]
    if isinstance(out, NDArray):
        given = buffers.given
        given[0] = out.handle
        number[0] = 1
    else:
        for array in out:
            if not isinstance(array, NDArray):
                raise TypeError(f"out must be an NDArray or a list of them, but got {array!r}")
        given = ffi.new("void *[]", [array.handle for array in out])
        number[0] = len(out)
    outputs[0] = given
    if _invoke_native(handle, count, inputs, number, outputs, params[0], params[1], params[2]):
        raise last_error()
    return out


_NO_PARAMS = (0, NULL, NULL, None)


_CACHEABLE = frozenset((Default, int, float, bool, str, tuple, type(None)))


def _params(op: Op, values: tuple, kwargs: dict) -> tuple:
    if kwargs:
        return _pack(op, values, kwargs)
    classes = tuple(map(type, values))
    try:
        found = op.cache.get((classes, values))
    except TypeError:  # a list among the values
        return _pack(op, values, kwargs)
    if found is None:
        found = _pack(op, values, kwargs)
        # 0.0 and -0.0 are equal but not the same text.
        if _CACHEABLE.issuperset(classes) and not (float in classes and 0.0 in values):
            if len(op.cache) >= 256:
                op.cache.clear()
            op.cache[(classes, values)] = found
    return found


def _pack(op: Op, values: tuple, kwargs: dict) -> tuple:
    keys, texts = collect(op.params, values)
    for key, value in kwargs.items():
        if key == "attr":
            continue
        if isinstance(value, NDArray):
            raise TypeError(f"{op.name} got an unexpected array argument {key!r}; its arrays are "
                            f"{', '.join(op.arrays) or 'none'}")
        keys.append(key)
        texts.append(param_text(key, value))
    return c_params(tuple(keys), tuple(texts)) if keys else _NO_PARAMS


def invoke(op: Op, arrays: tuple, values: tuple, out: Any, kwargs: dict) -> Any:
    """Run an operator with a fixed list of inputs; those that are ``None`` are left out."""
    buffers = local.buffers
    inputs = buffers.inputs
    count = 0
    for position, array in enumerate(arrays):
        if array.__class__ is NDArray or isinstance(array, NDArray):
            inputs[count] = array.handle
            count += 1
        elif array is not None:
            raise _bad_argument(op, position, array)
    params = _params(op, values, kwargs) if values or kwargs else _NO_PARAMS
    if out is not None and not isinstance(out, (NDArray, list, tuple)):
        raise TypeError(f"out must be an NDArray or a list of them, but got {out!r}")
    return _run(op.handle or op.resolve(), count, inputs, params, out, buffers)


def invoke_list(op: Op, arrays: Any, values: tuple, out: Any, kwargs: dict) -> Any:
    """Run a variadic operator."""
    if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)):
        arrays = arrays[0]
    for position, array in enumerate(arrays):
        if not isinstance(array, NDArray):
            raise _bad_argument(op, position, array)
    count = len(arrays)
    key = op.count_key
    if key and key not in kwargs and (key not in op.params or values[op.params.index(key)].__class__ is Default):
        kwargs = {**kwargs, key: count}
    buffers = local.buffers
    if count <= _MAX_SCRATCH:
        inputs = buffers.inputs
        for position, array in enumerate(arrays):
            inputs[position] = array.handle
    else:
        inputs = ffi.new("void *[]", [array.handle for array in arrays])
    return _run(op.handle or op.resolve(), count, inputs, _params(op, values, kwargs), out, buffers)


class Fixed:
    """An operator of one or two inputs called without the generic machinery: what arithmetic uses."""

    __slots__ = ("handle", "name")

    def __init__(self, name: str):
        self.name = name
        self.handle: Any = None

    def resolve(self) -> Any:
        """Look the operator up and return its handle."""
        out = local.buffers.handle
        check_call(lib.NNGetOpHandle(c_text(self.name), out))
        self.handle = out[0]
        return self.handle

    def binary(self, lhs: Any, rhs: Any, out: Any = None) -> Any:
        """Run on two arrays."""
        buffers = local.buffers
        inputs = buffers.inputs
        inputs[0] = lhs.handle
        inputs[1] = rhs.handle
        if out is not None:
            return _run(self.handle or self.resolve(), 2, inputs, _NO_PARAMS, out, buffers)
        number, outputs = buffers.count, buffers.outputs
        number[0] = 0
        outputs[0] = NULL
        if _invoke_native(self.handle or self.resolve(), 2, inputs, number, outputs, 0, NULL, NULL):
            raise last_error()
        array = NDArray.__new__(NDArray)
        array.handle = outputs[0][0]
        return array

    def scalar(self, data: Any, value: Any, out: Any = None) -> Any:
        """Run on an array and a number."""
        buffers = local.buffers
        buffers.inputs[0] = data.handle
        params = c_params(("scalar",), (str(float(value)),))
        return _run(self.handle or self.resolve(), 1, buffers.inputs, params, out, buffers)


def unary(op: Op, data: Any, out: Any, kwargs: dict) -> Any:
    """Run an operator of one input and no parameters."""
    if data.__class__ is not NDArray or out is not None or kwargs:
        return invoke(op, (data,), (), out, kwargs)
    buffers = local.buffers
    buffers.inputs[0] = data.handle
    return _run(op.handle or op.resolve(), 1, buffers.inputs, _NO_PARAMS, None, buffers)
