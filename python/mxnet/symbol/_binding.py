"""From a symbol to an executor."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import NULL, MXNetError, StrArray, check_call, dtype_flag, ffi, lib, str_list, stype_id
from ..context import Context

GRAD_REQS = {"null": 0, "write": 1, "add": 3}


def _lengths(name: str, shape: Any) -> list[int]:
    """Return a shape's lengths, unknown ones as 0."""
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"Arguments need to be shapes (tuple), but {name} is {type(shape)}.")
    try:
        lengths = [0 if n is None else int(n) for n in shape]
    except (TypeError, ValueError):
        raise TypeError(f"lengths of a shape must be integers, but {name} is {shape}") from None
    if any(abs(n) >= 1 << 63 for n in lengths):
        raise ValueError(f"{name}: shape {tuple(shape)} is out of range")
    return lengths


def _describe(kwargs: dict) -> str:
    return "\n".join(f"{k}: {v}" for k, v in kwargs.items())


def infer_shape(symbol: Any, partial: bool, args: tuple, kwargs: dict) -> tuple:
    """Return the shapes of arguments, outputs and auxiliary states, or three times None."""
    if args and kwargs:
        raise ValueError("Can only specify known argument shapes either by positional or kwargs way.")
    data: list[int] = []
    ends = [0]
    given = [(f"#{i}", s) for i, s in enumerate(args)] or list(kwargs.items())
    for name, shape in given:
        if shape is not None or not args:
            data += _lengths(name, shape)
        ends.append(len(data))
    keys = StrArray(kwargs)
    sizes = [ffi.new("size_t *") for _ in range(3)]
    ndims = [ffi.new("int const **") for _ in range(3)]
    shapes = [ffi.new("int64_t const ***") for _ in range(3)]
    complete = ffi.new("int *")
    function = lib.MXSymbolInferShapePartialEx64 if partial else lib.MXSymbolInferShapeEx64
    try:
        check_call(function(symbol.handle, len(given), keys.data, ffi.new("int64_t[]", ends),
                            ffi.new("int64_t[]", data or 1), sizes[0], ndims[0], shapes[0], sizes[1], ndims[1],
                            shapes[1], sizes[2], ndims[2], shapes[2], complete))
    except MXNetError as error:
        raise type(error)("infer_shape error. Arguments:\n"
                          + "\n".join(f"  {k}: {v}" for k, v in given) + f"\n{error}") from None
    if not complete[0]:
        return None, None, None
    return tuple([tuple(ffi.unpack(s[0][i], n[0][i])) if n[0][i] > 0 else () if n[0][i] == 0 else None
                  for i in range(z[0])] for z, n, s in zip(sizes, ndims, shapes))


class _Groups:
    """``group2ctx`` as the library takes it."""

    __slots__ = ("count", "ids", "keys", "types")

    def __init__(self, group2ctx: dict | None):
        groups = group2ctx or {}
        for name, ctx in groups.items():
            _check_context(ctx, f"group2ctx[{name!r}]")
        self.count = len(groups)
        self.keys = StrArray(groups)
        self.types = ffi.new("int[]", [c.device_typeid for c in groups.values()]) if groups else NULL
        self.ids = ffi.new("int[]", [c.device_id for c in groups.values()]) if groups else NULL


def _check_context(ctx: Any, what: str = "ctx") -> None:
    if not isinstance(ctx, Context):
        raise TypeError(f"{what} must be a Context such as mx.cpu(), but got {ctx!r}")


def _wrap_all(handles: Any, count: int) -> list:
    from ..ndarray._invoke import wrap
    return [wrap(handles[i]) if handles[i] else None for i in range(count)]


def simple_bind(symbol: Any, ctx: Context, grad_req: Any, type_dict: dict | None, stype_dict: dict | None,
                group2ctx: dict | None, shared_arg_names: list | None, shared_exec: Any, shared_buffer: dict | None,
                kwargs: dict) -> Any:
    """Allocate the arrays of a symbol and bind it."""
    from ..executor import Executor

    _check_context(ctx)
    shapes: dict[str, list[int]] = {}
    for name, shape in kwargs.items():
        if isinstance(shape, (int, np.integer)):
            shape = (shape,)
        shapes[name] = _lengths(name, shape)
    ends, data = [0], []
    for lengths in shapes.values():
        data += lengths
        ends.append(len(data))
    shape_names = StrArray(shapes)
    types = {k: v for k, v in (type_dict or {}).items() if v is not None}
    type_names = StrArray(types)
    type_flags = ffi.new("int[]", [dtype_flag(t) for t in types.values()]) if types else NULL
    stypes = stype_dict or {}
    stype_names = StrArray(stypes)
    stype_ids = ffi.new("int[]", [stype_id(s) for s in stypes.values()]) if stypes else NULL

    req_names, req_count = NULL, 0
    if grad_req is None:
        reqs = StrArray(())
    elif isinstance(grad_req, str):
        reqs = StrArray([grad_req])
    elif isinstance(grad_req, (list, tuple, dict)):
        if not grad_req:
            raise RuntimeError(f"grad_req in simple_bind cannot be an empty {type(grad_req).__name__}")
        if isinstance(grad_req, dict):
            owners = StrArray(grad_req)
            req_names, reqs = owners.data, StrArray(grad_req.values())
        else:
            reqs = StrArray(grad_req)
        req_count = len(grad_req)
    else:
        raise TypeError(f"grad_req must be a string, a list or a dict, but got {type(grad_req)}")

    if shared_arg_names is not None and not isinstance(shared_arg_names, list):
        raise ValueError("shared_arg_names in simple_bind must be a list or None")
    shared_names = StrArray(shared_arg_names or ())
    if shared_buffer is not None and not isinstance(shared_buffer, dict):
        raise ValueError("shared_buffer in simple_bind must be dict or None")
    buffer_len = ffi.new("int *", -1 if shared_buffer is None else len(shared_buffer))
    buffer_names = StrArray(shared_buffer or ())
    buffer_handles = ffi.new("void *[]", [a.handle for a in shared_buffer.values()]) if shared_buffer else NULL
    new_names, new_handles = ffi.new("char const ***"), ffi.new("void ***")

    groups = _Groups(group2ctx)
    arg_count, aux_count = ffi.new("uint32_t *"), ffi.new("uint32_t *")
    args, grads, auxes = (ffi.new("void ***") for _ in range(3))
    out = ffi.new("void **")
    try:
        check_call(lib.MXExecutorSimpleBindEx64(
            symbol.handle, ctx.device_typeid, ctx.device_id, groups.count, groups.keys.data, groups.types, groups.ids,
            req_count, req_names, reqs.data, len(shapes), shape_names.data, ffi.new("int64_t[]", data or 1),
            ffi.new("uint32_t[]", ends), len(types), type_names.data, type_flags, len(stypes), stype_names.data,
            stype_ids, len(shared_names.items), shared_names.data, buffer_len, buffer_names.data, buffer_handles,
            new_names, new_handles, arg_count, args, grads, aux_count, auxes,
            NULL if shared_exec is None else shared_exec.handle, out))
    except MXNetError as error:
        raise MXNetError(f"simple_bind error. Arguments:\n{_describe(kwargs)}\n{error}") from error
    arg_arrays = _wrap_all(args[0], arg_count[0])
    grad_arrays = _wrap_all(grads[0], arg_count[0])
    aux_arrays = _wrap_all(auxes[0], aux_count[0])
    if shared_buffer is not None:
        names = str_list(new_names[0], buffer_len[0])
        shared_buffer.update(zip(names, _wrap_all(new_handles[0], buffer_len[0])))
    return Executor(out[0], symbol, ctx, grad_req, group2ctx, arg_arrays, grad_arrays, aux_arrays)


def _arrays(what: str, arrays: Any, names: list[str], allow_missing: bool) -> list:
    """Return an array (or None) for every name."""
    from ..ndarray import NDArray
    if isinstance(arrays, (list, tuple)):
        if len(arrays) != len(names):
            raise ValueError(f"Length of {what} does not match the number of arguments: "
                             f"{len(arrays)} given, {len(names)} needed ({', '.join(names)})")
        found = list(arrays)
    elif isinstance(arrays, dict):
        found = []
        for name in names:
            if name not in arrays and not allow_missing:
                raise ValueError(f"key `{name}` is missing in `{what}`")
            found.append(arrays.get(name))
    else:
        raise TypeError(f"Only accept list of NDArrays or dict of str to NDArray for {what}, but got {type(arrays)}")
    for name, array in zip(names, found):
        if not (isinstance(array, NDArray) or (array is None and allow_missing)):
            raise TypeError(f"{what}: only NDArrays can be bound, but {name} is {type(array)}")
    return found


def _grad_reqs(grad_req: Any, names: list[str]) -> list[int]:
    if isinstance(grad_req, str):
        words = [grad_req] * len(names)
    elif isinstance(grad_req, (list, tuple)):
        if len(grad_req) != len(names):
            raise ValueError(f"Length of grad_req does not match the number of arguments: "
                             f"{len(grad_req)} given, {len(names)} needed ({', '.join(names)})")
        words = list(grad_req)
    elif isinstance(grad_req, dict):
        words = [grad_req.get(name, "null") for name in names]
    else:
        raise TypeError(f"grad_req must be a string, a list or a dict, but got {type(grad_req)}")
    for word in words:
        if word not in GRAD_REQS:
            raise ValueError(f"grad_req={word} is not a valid input in bind; only 'null', 'write', and 'add' are "
                             "supported")
    return [GRAD_REQS[word] for word in words]


def bind(symbol: Any, ctx: Context, args: Any, args_grad: Any, grad_req: Any, aux_states: Any, group2ctx: dict | None,
         shared_exec: Any) -> Any:
    """Bind a symbol to arrays."""
    from ..executor import Executor

    _check_context(ctx)
    names = symbol.list_arguments()
    aux_names = symbol.list_auxiliary_states()
    arg_arrays = _arrays("args", args, names, False)
    grad_arrays = [None] * len(names) if args_grad is None else _arrays("args_grad", args_grad, names, True)
    aux_arrays = _arrays("aux_states", aux_states if aux_states is not None else [], aux_names, False) \
        if aux_names or aux_states else []
    reqs = _grad_reqs(grad_req, names)

    def handles(arrays: list) -> Any:
        return ffi.new("void *[]", [NULL if a is None else a.handle for a in arrays]) if arrays else NULL

    groups = _Groups(group2ctx)
    out = ffi.new("void **")
    check_call(lib.MXExecutorBindEX(
        symbol.handle, ctx.device_typeid, ctx.device_id, groups.count, groups.keys.data, groups.types, groups.ids,
        len(names), handles(arg_arrays), handles(grad_arrays), ffi.new("uint32_t[]", reqs or 1), len(aux_arrays),
        handles(aux_arrays), NULL if shared_exec is None else shared_exec.handle, out))
    return Executor(out[0], symbol, ctx, grad_req, group2ctx, arg_arrays, grad_arrays, aux_arrays)
