"""Making operator nodes."""

from __future__ import annotations

from typing import Any

from .. import attribute
from .. import name as naming
from .._op import Op, collect, param_text
from ..base import NULL, Default, c_params, c_str, c_text, ffi, last_error, lib, local

# Set by symbol.py, which cannot be imported from here.
Symbol: Any = None


def set_symbol_class(cls: type) -> None:
    """Tell this module what to wrap nodes in."""
    global Symbol
    Symbol = cls


def wrap(handle: Any) -> Any:
    """Make the symbol object that owns ``handle``."""
    symbol = Symbol.__new__(Symbol)
    symbol.handle = handle
    return symbol


def _create(op: Op, keys: list[str], texts: list[str]) -> Any:
    count, key_array, text_array, _owners = c_params(tuple(keys), tuple(texts))
    out = local.buffers.handle
    if lib.MXSymbolCreateAtomicSymbol(op.handle or op.resolve(), count, key_array, text_array, out):
        raise last_error()
    return wrap(out[0])


def _join(symbol: Any, name: str, keys: list[str] | None, inputs: list) -> Any:
    count = len(inputs)
    names = ffi.new("char *[]", [c_text(k) for k in keys]) if keys else NULL
    handles = ffi.new("void *[]", [s.handle for s in inputs]) if inputs else NULL
    if lib.MXSymbolCompose(symbol.handle, c_str(name), count, names, handles):
        raise last_error()
    return symbol


def _sort_kwargs(kwargs: dict, keys: list, texts: list, inputs: dict) -> None:
    for key, value in kwargs.items():
        if isinstance(value, Symbol):
            inputs[key] = value
        else:
            keys.append(key)
            texts.append(param_text(key, value))


def compose(op: Op, hint: str, name: str | None, attr: Any, kwargs: dict, arrays: tuple, values: tuple) -> Any:
    """Make a node of an operator with a fixed list of inputs; those that are ``None`` become variables."""
    keys, texts = collect(op.params, values)
    inputs: dict[str, Any] = {}
    _sort_kwargs(attribute.current().get(attr), keys, texts, inputs)
    _sort_kwargs(kwargs, keys, texts, inputs)
    for key, value in zip(op.arrays, arrays):
        if value is not None:
            if not isinstance(value, Symbol):
                raise AssertionError(f"Argument {key} of {op.name} must be Symbol instances, but got {value}")
            inputs[key] = value
    name = naming.current().get(name, hint)
    return _join(_create(op, keys, texts), name, list(inputs), list(inputs.values()))


def compose_list(op: Op, hint: str, name: str | None, attr: Any, kwargs: dict, arrays: Any, values: tuple) -> Any:
    """Make a node of a variadic operator."""
    if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)):
        arrays = arrays[0]
    for value in arrays:
        if not isinstance(value, Symbol):
            raise AssertionError(f"Positional arguments of {op.name} must be Symbol instances, but got {value}")
    keys, texts = collect(op.params, values)
    inputs: dict[str, Any] = {}
    _sort_kwargs(attribute.current().get(attr), keys, texts, inputs)
    _sort_kwargs(kwargs, keys, texts, inputs)
    if arrays and inputs:
        raise TypeError(f"{op.name} takes its input symbols either as positional or as keyword arguments, not both")
    count = op.count_key
    if count and count not in keys:
        keys.append(count)
        texts.append(str(len(arrays) + len(inputs)))
    name = naming.current().get(name, hint)
    symbol = _create(op, keys, texts)
    if inputs:
        return _join(symbol, name, list(inputs), list(inputs.values()))
    return _join(symbol, name, None, list(arrays))


def node(op: Op, hint: str, inputs: tuple, values: tuple, kwargs: dict | None = None) -> Any:
    """Make a node with an automatic name; ``kwargs`` may hold ``name``, ``attr`` and further parameters."""
    kwargs = dict(kwargs or ())
    name, attr = kwargs.pop("name", None), kwargs.pop("attr", None)
    kwargs.pop("out", None)
    given = {k: v for k, v in kwargs.items() if v.__class__ is not Default}
    return compose(op, hint, name, attr, given, inputs, values)
