"""Operators as the generated functions see them."""

from __future__ import annotations

from typing import Any

from .base import Default, attr_text, c_text, check_call, dtype_name, lib, local

_DTYPE_KEYS = ("dtype", "out_dtype")


class Op:
    """An operator of the native library, looked up on first use.

    Parameters
    ----------
    name : str
        Registered name or alias.
    arrays : tuple of str
        Names of the array inputs; for a variadic operator, the one name.
    params : tuple of str
        Names of the parameters, in the order in which the generated function passes their values.
    count_key : str or None
        Parameter that carries the number of inputs of a variadic operator.
    """

    __slots__ = ("arrays", "cache", "count_key", "handle", "name", "params")

    def __init__(self, name: str, arrays: tuple = (), params: tuple = (), count_key: str | None = None):
        self.name = name
        self.arrays = arrays
        self.params = params
        self.count_key = count_key
        self.handle: Any = None
        self.cache: dict[tuple, tuple] = {}  # packed parameters by values, see ndarray/_invoke.py

    def resolve(self) -> Any:
        """Look the operator up and return its handle."""
        out = local.buffers.handle
        check_call(lib.NNGetOpHandle(c_text(self.name), out))
        self.handle = out[0]
        return self.handle

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


def param_text(key: str, value: Any) -> str:
    """Text of the value of the operator parameter ``key``."""
    if key in _DTYPE_KEYS and not isinstance(value, int):
        return dtype_name(value)
    return attr_text(value)


def collect(params: tuple, values: tuple) -> tuple[list[str], list[str]]:
    """Return the names and texts of the values that were given."""
    keys, texts = [], []
    for key, value in zip(params, values):
        if value.__class__ is not Default:
            keys.append(key)
            texts.append(param_text(key, value))
    return keys, texts


def list_op_names() -> list[str]:
    """Return every operator name the library knows, aliases included."""
    buffers = local.buffers
    check_call(lib.MXListAllOpNames(buffers.size, buffers.names))
    from .base import str_list
    return str_list(buffers.names[0], buffers.size[0])


_all_names: set[str] = set()


def find_op(name: str) -> Op | None:
    """Return the operator called ``name`` with its signature read from the library, or ``None``."""
    if not _all_names:
        _all_names.update(list_op_names())
    if name not in _all_names:
        return None
    from .base import ffi, str_list
    op = Op(name)
    text = [ffi.new("char const **") for _ in range(4)]
    names, types, docs = (ffi.new("char const ***") for _ in range(3))
    size = ffi.new("uint32_t *")
    check_call(lib.MXSymbolGetAtomicSymbolInfo(op.resolve(), text[0], text[1], size, names, types, docs,
                                               text[2], text[3]))
    args = list(zip(str_list(names[0], size[0]), str_list(types[0], size[0])))
    is_array = [t.startswith(("NDArray", "Symbol")) for _, t in args]
    op.arrays = tuple(n for (n, _), a in zip(args, is_array) if a)
    op.params = tuple(n for (n, _), a in zip(args, is_array) if not a)
    if any(t.endswith("[]") for _, t in args):
        op.arrays = op.arrays[-1:]
        op.count_key = (ffi.string(text[2][0]).decode() if text[2][0] else "") or ""
    return op


class MissingAttribute(AttributeError):
    """The error for an unknown function of an operator namespace; its text names the nearest one.

    The search waits until the text is wanted: importing a submodule first asks for it as an attribute.
    """

    def __init__(self, module: str, missing: str, known: dict):
        super().__init__(module, missing)
        self._known = known

    def __str__(self) -> str:
        import difflib

        module, missing = self.args
        near = difflib.get_close_matches(missing, [k for k in self._known if not k.startswith("__")], 1, 0.7)
        text = f"module {module!r} has no attribute {missing!r}"
        return text + (f". Did you mean {near[0]!r}?" if near else "")


def missing_attribute(module: str, name: str, known: dict) -> AttributeError:
    """Build the error for an unknown function of an operator namespace."""
    return MissingAttribute(module, name, known)
