"""The symbol class."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import attribute
from .._op import Op
from ..base import (
    NULL,
    NotImplementedForSymbol,
    c_str,
    c_string,
    check_call,
    dtype_flag,
    dtype_of_flag,
    ffi,
    last_error,
    lib,
    local,
    str_list,
    stype_id,
)
from ..context import Context, current_context
from . import _compose
from ._binding import bind, infer_shape, simple_bind
from ._compose import node, wrap

__all__ = ["Group", "Symbol", "Variable", "load", "load_json", "var"]

_free = lib.MXSymbolFree
_NUMBERS = (int, float, np.number, np.bool_)


class _Arithmetic:
    """The nodes one Python operator makes for each kind of operand."""

    __slots__ = ("array", "hints", "left", "right")

    def __init__(self, array: tuple[str, str], right: tuple[str, str], left: tuple[str, str] | None = None):
        # (operator, name hint): the hints are those of the aliases that 1.x used.
        left = left or right
        self.array = Op(array[0], ("lhs", "rhs"))
        self.right = Op(right[0], ("data",), ("scalar",))
        self.left = Op(left[0], ("data",), ("scalar",))
        self.hints = array[1], right[1], left[1]

    def forward(self, lhs: Symbol, rhs: Any) -> Symbol:
        """Make ``lhs op rhs`` where ``lhs`` is a symbol."""
        if isinstance(rhs, Symbol):
            return node(self.array, self.hints[0], (lhs, rhs), ())
        if isinstance(rhs, _NUMBERS):
            return node(self.right, self.hints[1], (lhs,), (rhs,))
        raise TypeError(f"type {type(rhs)} not supported")

    def reflected(self, rhs: Symbol, lhs: Any) -> Symbol:
        """Make ``lhs op rhs`` where ``rhs`` is a symbol and ``lhs`` is not."""
        if isinstance(lhs, _NUMBERS):
            return node(self.left, self.hints[2], (rhs,), (lhs,))
        raise TypeError(f"type {type(lhs)} not supported")


_add = _Arithmetic(("elemwise_add", "_plus"), ("_plus_scalar", "_plusscalar"))
_sub = _Arithmetic(("elemwise_sub", "_minus"), ("_minus_scalar", "_minusscalar"), ("_rminus_scalar", "_rminusscalar"))
_mul = _Arithmetic(("elemwise_mul", "_mul"), ("_mul_scalar", "_mulscalar"))
_div = _Arithmetic(("elemwise_div", "_div"), ("_div_scalar", "_divscalar"), ("_rdiv_scalar", "_rdivscalar"))
_mod = _Arithmetic(("_mod", "_mod"), ("_mod_scalar", "_modscalar"), ("_rmod_scalar", "_rmodscalar"))
_pow = _Arithmetic(("_power", "_power"), ("_power_scalar", "_powerscalar"), ("_rpower_scalar", "_rpower_scalar"))
_eq = _Arithmetic(("_equal", "_equal"), ("_equal_scalar", "_equal_scalar"))
_ne = _Arithmetic(("_not_equal", "_not_equal"), ("_not_equal_scalar", "_not_equal_scalar"))
_gt = _Arithmetic(("_greater", "_greater"), ("_greater_scalar", "_greater_scalar"))
_ge = _Arithmetic(("_greater_equal", "_greater_equal"), ("_greater_equal_scalar", "_greater_equal_scalar"))
_lt = _Arithmetic(("_lesser", "_lesser"), ("_lesser_scalar", "_lesser_scalar"))
_le = _Arithmetic(("_lesser_equal", "_lesser_equal"), ("_lesser_equal_scalar", "_lesser_equal_scalar"))


class Symbol:
    """A node of a computation graph, or several outputs of one.

    Made by :func:`mxnet.sym.var`, :func:`mxnet.sym.Group`, :func:`mxnet.sym.load` and by operators. A symbol
    describes a computation; :meth:`bind` and :meth:`simple_bind` give an executor that performs it.
    """

    __slots__ = ("__weakref__", "_label", "_labels_outputs", "handle")
    __array_priority__ = 1000.0

    def __init__(self, handle: Any):
        self.handle = NULL if handle is None else handle

    def __del__(self, _free: Any = _free) -> None:
        try:
            handle = self.handle
        except AttributeError:  # construction failed
            return
        _free(handle)

    # --- Python protocol ---

    def __repr__(self) -> str:
        label = getattr(self, "_label", None) or self.name
        if label is None:
            return "<{} group [{}]>".format(type(self).__name__, ", ".join(str(s.name) for s in self))
        return f"<{type(self).__name__} {label}>"

    def __iter__(self) -> Iterator[Symbol]:
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        out = local.buffers.size
        check_call(lib.MXSymbolGetNumOutputs(self.handle, out))
        return out[0]

    def __getitem__(self, index: Any) -> Symbol:
        count = len(self)
        if isinstance(index, slice):
            start, stop, step = index.indices(count)
            if (start, stop, step) == (0, count, 1):
                return self
            return Group([self[i] for i in range(start, stop, step)])
        if isinstance(index, str):
            found = [i for i, name in enumerate(self.list_outputs()) if name == index]
            if not found:
                raise ValueError(f'Cannot find output that matches name "{index}"')
            if len(found) > 1:
                raise ValueError(f'There are multiple outputs with name "{index}"')
            index = found[0]
        if not isinstance(index, (int, np.integer)):
            raise TypeError("Symbol only support integer index to fetch i-th output")
        if index >= count or index < 0:
            raise IndexError(f"output {index} of a symbol with {count} outputs")
        out = local.buffers.handle
        check_call(lib.MXSymbolGetOutput(self.handle, int(index), out))
        output = wrap(out[0])
        if getattr(self, "_labels_outputs", False):  # stands for a composite of 1.9.1: its parts have their own names
            output._label = output.list_outputs()[0]
        return output

    def __bool__(self) -> bool:
        raise NotImplementedForSymbol("__bool__", "bool")

    __nonzero__ = __bool__
    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> Symbol:
        return self.__deepcopy__(None)

    def __deepcopy__(self, memo: Any) -> Symbol:
        out = local.buffers.handle
        check_call(lib.MXSymbolCopy(self.handle, out))
        return wrap(out[0])

    def __reduce__(self) -> tuple:
        return (Symbol, (None,), self.__getstate__())

    def __getstate__(self) -> dict:
        return {"handle": self.tojson() if self.handle else None}

    def __setstate__(self, state: dict) -> None:
        self.handle = NULL
        if state["handle"] is not None:
            out = local.buffers.handle
            check_call(lib.MXSymbolCreateFromJSON(c_str(state["handle"]), out))
            self.handle = out[0]

    # --- arithmetic ---

    def __add__(self, other: Any) -> Symbol:
        return _add.forward(self, other)

    def __radd__(self, other: Any) -> Symbol:
        return _add.reflected(self, other)

    def __sub__(self, other: Any) -> Symbol:
        return _sub.forward(self, other)

    def __rsub__(self, other: Any) -> Symbol:
        return _sub.reflected(self, other)

    def __mul__(self, other: Any) -> Symbol:
        return _mul.forward(self, other)

    def __rmul__(self, other: Any) -> Symbol:
        return _mul.reflected(self, other)

    def __truediv__(self, other: Any) -> Symbol:
        return _div.forward(self, other)

    def __rtruediv__(self, other: Any) -> Symbol:
        return _div.reflected(self, other)

    __div__, __rdiv__ = __truediv__, __rtruediv__

    def __mod__(self, other: Any) -> Symbol:
        return _mod.forward(self, other)

    def __rmod__(self, other: Any) -> Symbol:
        return _mod.reflected(self, other)

    def __pow__(self, other: Any) -> Symbol:
        return _pow.forward(self, other)

    def __rpow__(self, other: Any) -> Symbol:
        return _pow.reflected(self, other)

    def __neg__(self) -> Symbol:
        return _mul.forward(self, -1.0)

    def __abs__(self) -> Symbol:
        return self.abs()

    def __eq__(self, other: Any) -> Symbol:  # type: ignore[override]
        return _eq.forward(self, other)

    def __ne__(self, other: Any) -> Symbol:  # type: ignore[override]
        return _ne.forward(self, other)

    def __gt__(self, other: Any) -> Symbol:
        return _gt.forward(self, other)

    def __ge__(self, other: Any) -> Symbol:
        return _ge.forward(self, other)

    def __lt__(self, other: Any) -> Symbol:
        return _lt.forward(self, other)

    def __le__(self, other: Any) -> Symbol:
        return _le.forward(self, other)

    def __iadd__(self, other: Any) -> Symbol:
        raise NotImplementedForSymbol("__iadd__", "+=", other)

    def __isub__(self, other: Any) -> Symbol:
        raise NotImplementedForSymbol("__isub__", "-=", other)

    def __imul__(self, other: Any) -> Symbol:
        raise NotImplementedForSymbol("__imul__", "*=", other)

    def __itruediv__(self, other: Any) -> Symbol:
        raise NotImplementedForSymbol("__itruediv__", "/=", other)

    # --- composition ---

    def __call__(self, *args: Symbol, **kwargs: Any) -> Symbol:
        """Return a copy whose variables are replaced by other symbols.

        Parameters
        ----------
        *args : Symbol
            In the order of the inputs; only for an operator that has none yet.
        **kwargs : Symbol
            By the name of the variable to replace; ``name`` renames the head.
        """
        copy = self.__deepcopy__(None)
        copy._compose(*args, **kwargs)
        return copy

    def _compose(self, *args: Symbol, **kwargs: Any) -> None:
        name = kwargs.pop("name", None)
        if args and kwargs:
            raise TypeError("compose only accept input Symbols either as positional or keyword arguments, not both")
        inputs = list(args) or list(kwargs.values())
        for value in inputs:
            if not isinstance(value, Symbol):
                raise TypeError("Compose expect `Symbol` as arguments")
        keys = ffi.new("char *[]", texts) if (texts := [c_str(k) for k in kwargs]) else NULL
        handles = ffi.new("void *[]", [s.handle for s in inputs]) if inputs else NULL
        check_call(lib.MXSymbolCompose(self.handle, c_str(name) if name else NULL, len(inputs), keys, handles))

    # --- structure ---

    @property
    def name(self) -> str | None:
        """Name of the node, or None for a group of several."""
        buffers = local.buffers
        check_call(lib.MXSymbolGetName(self.handle, buffers.text, buffers.int_a))
        return c_string(buffers.text[0]) if buffers.int_a[0] else None

    def _names(self, function: Any) -> list[str]:
        buffers = local.buffers
        check_call(function(self.handle, buffers.size, buffers.names))
        return str_list(buffers.names[0], buffers.size[0])

    def list_arguments(self) -> list[str]:
        """Return the names of the variables to be given, in depth-first order."""
        return self._names(lib.MXSymbolListArguments)

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return self._names(lib.MXSymbolListOutputs)

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the variables that operators update, such as the running mean of a batch norm."""
        return self._names(lib.MXSymbolListAuxiliaryStates)

    def list_inputs(self) -> list[str]:
        """Return the names of all variables, arguments and auxiliary states, in depth-first order."""
        buffers = local.buffers
        size = ffi.cast("nn_uint *", buffers.size)
        check_call(lib.NNSymbolListInputNames(self.handle, 0, size, buffers.names))
        return str_list(buffers.names[0], buffers.size[0])

    def get_internals(self) -> Symbol:
        """Return a group of the outputs of every node below this symbol.

        Examples
        --------
        >>> net.get_internals()['fc1_output']
        <Symbol fc1>
        """
        out = local.buffers.handle
        check_call(lib.MXSymbolGetInternals(self.handle, out))
        return wrap(out[0])

    def get_children(self) -> Symbol | None:
        """Return a group of the inputs of the head nodes, or None for a variable."""
        out = local.buffers.handle
        check_call(lib.MXSymbolGetChildren(self.handle, out))
        children = wrap(out[0])
        return children if children.handle and len(children) else None

    # --- attributes ---

    def attr(self, key: str) -> str | None:
        """Return an attribute of the node, or None if it has no such attribute."""
        if not isinstance(key, str):
            raise TypeError(f"attribute names are strings, but got {key!r}")
        buffers = local.buffers
        check_call(lib.MXSymbolGetAttr(self.handle, c_str(key), buffers.text, buffers.int_a))
        return c_string(buffers.text[0]) if buffers.int_a[0] else None

    def list_attr(self, recursive: bool = False) -> dict[str, str]:
        """Return the attributes of the node; those of its inputs too are in :meth:`attr_dict`."""
        if recursive:
            raise DeprecationWarning("Symbol.list_attr with recursive=True has been deprecated. "
                                     "Please use attr_dict instead.")
        buffers = local.buffers
        check_call(lib.MXSymbolListAttrShallow(self.handle, buffers.size, buffers.names))
        texts = str_list(buffers.names[0], 2 * buffers.size[0])
        return dict(zip(texts[::2], texts[1::2]))

    def attr_dict(self) -> dict[str, dict[str, str]]:
        """Return the attributes of every node that has any, by node name."""
        buffers = local.buffers
        check_call(lib.MXSymbolListAttr(self.handle, buffers.size, buffers.names))
        texts = str_list(buffers.names[0], 2 * buffers.size[0])
        nodes: dict[str, dict[str, str]] = {}
        for path, value in zip(texts[::2], texts[1::2]):
            owner, _, key = path.rpartition("$")
            nodes.setdefault(owner, {})[key] = value
        return nodes

    def _set_attr(self, **kwargs: str) -> None:
        for key, value in kwargs.items():
            if not isinstance(value, str):
                raise ValueError("Set Attr only accepts string values")
            check_call(lib.MXSymbolSetAttr(self.handle, c_str(key), c_str(value)))

    # --- inference ---

    def infer_shape(self, *args: Any, **kwargs: Any) -> tuple:
        """Work out the shapes of all arguments, outputs and auxiliary states from those that are known.

        Parameters
        ----------
        *args : tuple of int or None
            Shapes of the arguments in order.
        **kwargs : tuple of int
            Shapes by argument name. 0 or None stands for an unknown length.

        Returns
        -------
        arg_shapes, out_shapes, aux_shapes : list of tuple, or all None if the shapes given do not suffice
        """
        result = infer_shape(self, False, args, kwargs)
        if result[1] is None:
            known = infer_shape(self, True, args, kwargs)[0] or []
            unknown = [f"\t{name}: {shape}" for name, shape in zip(self.list_arguments(), known)
                       if not shape or any(n <= 0 for n in shape)]
            import warnings
            warnings.warn("Cannot decide shape for the following arguments (0s in shape means unknown dimensions). "
                          "Consider providing them as input:\n" + "\n".join(unknown), stacklevel=2)
        return result

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> tuple:
        """Work out as many shapes as possible; see :meth:`infer_shape`. Unknown ones are ``()``."""
        return infer_shape(self, True, args, kwargs)

    def infer_type(self, *args: Any, **kwargs: Any) -> tuple:
        """Work out the types of all arguments, outputs and auxiliary states from those that are known.

        Parameters
        ----------
        *args : numpy.dtype or None
            Types of the arguments in order.
        **kwargs : numpy.dtype
            Types by argument name.

        Returns
        -------
        arg_types, out_types, aux_types : list of numpy type, or all None if the types given do not suffice
        """
        return self._infer_type(lib.MXSymbolInferType, args, kwargs)

    def infer_type_partial(self, *args: Any, **kwargs: Any) -> tuple:
        """Work out as many types as possible; see :meth:`infer_type`. Unknown ones are None."""
        return self._infer_type(lib.MXSymbolInferTypePartial, args, kwargs)

    def _infer_type(self, function: Any, args: tuple, kwargs: dict) -> tuple:
        if args and kwargs:
            raise ValueError("Can only specify known argument types either by positional or kwargs way.")
        texts = [c_str(k) for k, v in kwargs.items() if v is not None]
        flags = [dtype_flag(v) for v in args] or [dtype_flag(v) for v in kwargs.values() if v is not None]
        sizes = [ffi.new("uint32_t *") for _ in range(3)]
        types = [ffi.new("int const **") for _ in range(3)]
        complete = ffi.new("int *")
        check_call(function(self.handle, len(flags), ffi.new("char *[]", texts) if texts else NULL,
                            ffi.new("int[]", flags) if flags else ffi.new("int[1]"), sizes[0], types[0], sizes[1],
                            types[1], sizes[2], types[2], complete))
        if not complete[0] and function is lib.MXSymbolInferType:
            return None, None, None
        return tuple([dtype_of_flag(t[0][i]) for i in range(s[0])] for s, t in zip(sizes, types))

    # --- binding ---

    def simple_bind(self, ctx: Context, grad_req: Any = "write", type_dict: dict | None = None,
                    stype_dict: dict | None = None, group2ctx: dict | None = None,
                    shared_arg_names: list[str] | None = None, shared_exec: Any = None,
                    shared_buffer: dict | None = None, **kwargs: Any) -> Any:
        """Allocate all arrays and return an executor.

        Parameters
        ----------
        ctx : Context
        grad_req : {'write', 'add', 'null'}, or list or dict of them, default 'write'
            What to do with the gradient of each argument.
        type_dict : dict of str to numpy.dtype, optional
            Types by argument name.
        stype_dict : dict of str to str, optional
            Storage types by argument name.
        group2ctx : dict of str to Context, optional
            Devices by ``ctx_group`` attribute.
        shared_arg_names : list of str, optional
            Arguments whose arrays may be those of ``shared_exec``.
        shared_exec : Executor, optional
            Executor whose memory may be shared.
        shared_buffer : dict of str to NDArray, optional
            Arrays to use where they are large enough; new ones are added.
        **kwargs : tuple of int
            Shapes by argument name.

        Returns
        -------
        Executor

        Raises
        ------
        RuntimeError
            If shapes or types cannot be decided or clash; the text lists what was given.
        """
        return simple_bind(self, ctx, grad_req, type_dict, stype_dict, group2ctx, shared_arg_names, shared_exec,
                           shared_buffer, kwargs)

    def bind(self, ctx: Context, args: Any, args_grad: Any = None, grad_req: Any = "write", aux_states: Any = None,
             group2ctx: dict | None = None, shared_exec: Any = None) -> Any:
        """Return an executor on the given arrays.

        Parameters
        ----------
        ctx : Context
        args : list of NDArray or dict of str to NDArray
            An array for every argument.
        args_grad : list of NDArray or dict of str to NDArray, optional
            Where to put gradients; arguments without an array get none.
        grad_req : {'write', 'add', 'null'}, or list or dict of them, default 'write'
        aux_states : list of NDArray or dict of str to NDArray, optional
        group2ctx : dict of str to Context, optional
        shared_exec : Executor, optional

        Returns
        -------
        Executor
        """
        return bind(self, ctx, args, args_grad, grad_req, aux_states, group2ctx, shared_exec)

    def eval(self, ctx: Context | None = None, **kwargs: Any) -> list:
        """Return the outputs for the given arguments.

        Parameters
        ----------
        ctx : Context, optional
        **kwargs : NDArray
            All arguments by name.
        """
        return self.bind(ctx or current_context(), kwargs).forward()

    def gradient(self, wrt: list[str]) -> Symbol:
        """Not supported: bind the symbol and call ``backward`` on the executor."""
        raise NotImplementedError("Symbol.gradient is not supported; bind the symbol and call Executor.backward")

    # --- files and text ---

    def tojson(self, remove_amp_cast: bool = True) -> str:
        """Return the graph as JSON text.

        Parameters
        ----------
        remove_amp_cast : bool, default True
            Leave out the casts put in by automatic mixed precision.
        """
        symbol = self._without_amp_casts() if remove_amp_cast else self
        out = local.buffers.text
        check_call(lib.MXSymbolSaveToJSON(symbol.handle, out))
        return c_string(out[0])

    def save(self, fname: str | os.PathLike, remove_amp_cast: bool = True) -> None:
        """Write the graph to a JSON file. An existing file is replaced only once the new one is complete."""
        if not isinstance(fname, (str, os.PathLike)):
            raise TypeError("fname need to be string")
        symbol = self._without_amp_casts() if remove_amp_cast else self
        check_call(lib.MXSymbolSaveToFile(symbol.handle, c_str(os.fspath(fname))))

    def _without_amp_casts(self) -> Symbol:
        out = local.buffers.handle
        if lib.MXSymbolRemoveAmpCast(self.handle, out):
            raise last_error()
        return wrap(out[0])

    def debug_str(self) -> str:
        """Return a listing of the graph's nodes."""
        out = local.buffers.text
        check_call(lib.MXSymbolPrint(self.handle, out))
        return c_string(out[0])

    # --- what only arrays can do ---

    def _only_array(self, name: str) -> None:
        raise NotImplementedForSymbol(name, None)

    def wait_to_read(self) -> None:
        """Not available for symbols."""
        self._only_array("wait_to_read")

    def asnumpy(self) -> None:
        """Not available for symbols."""
        self._only_array("asnumpy")

    def asscalar(self) -> None:
        """Not available for symbols."""
        self._only_array("asscalar")

    def copy(self) -> None:
        """Not available for symbols; see :mod:`copy`."""
        self._only_array("copy")

    def as_in_context(self, *args: Any) -> None:
        """Not available for symbols."""
        self._only_array("as_in_context")

    def detach(self) -> None:
        """Not available for symbols."""
        self._only_array("detach")

    def backward(self, *args: Any) -> None:
        """Not available for symbols."""
        self._only_array("backward")

    # --- operators as methods ---

    def astype(self, dtype: Any, **kwargs: Any) -> Symbol:
        """Short for ``mx.sym.cast`` with this symbol as the first argument."""
        from . import op
        return op.cast(self, dtype=dtype, **kwargs)

    def expand_dims(self, axis: int, inplace: bool = False, **kwargs: Any) -> Symbol:
        """Short for ``mx.sym.expand_dims`` with this symbol as the first argument."""
        from . import op
        return op.expand_dims(self, axis=axis, **kwargs)

    def squeeze(self, axis: Any = None, inplace: bool = False, **kwargs: Any) -> Symbol:
        """Short for ``mx.sym.squeeze`` with this symbol as the first argument."""
        from . import op
        return op.squeeze(self, axis=axis, **kwargs)

    def flatten(self, inplace: bool = False, **kwargs: Any) -> Symbol:
        """Short for ``mx.sym.flatten`` with this symbol as the first argument."""
        from . import op
        return op.flatten(self, **kwargs)

    def split_v2(self, *args: Any, **kwargs: Any) -> Symbol:
        """Short for ``mx.sym.split_v2`` with this symbol as the first argument."""
        from ._creation import split_v2
        return split_v2(self, *args, **kwargs)

    def as_nd_ndarray(self) -> Symbol:
        """Return the symbol itself."""
        return self


def _fluent(name: str) -> Any:
    def method(self: Symbol, *args: Any, **kwargs: Any) -> Any:
        from . import op
        return getattr(op, name)(self, *args, **kwargs)

    method.__name__ = name
    method.__qualname__ = f"Symbol.{name}"
    method.__doc__ = f"Short for ``mx.sym.{name}`` with this symbol as the first argument."
    return method


_FLUENT = (
    "abs", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "argmax", "argmax_channel", "argmin",
    "argsort", "broadcast_axes", "broadcast_like", "broadcast_to", "cbrt", "ceil", "clip", "cos", "cosh", "degrees",
    "depth_to_space", "diag", "exp", "expm1", "fix", "flip", "floor", "log", "log10", "log1p", "log2",
    "log_softmax", "max", "mean", "min", "nanprod", "nansum", "norm", "one_hot", "ones_like", "pad", "pick", "prod",
    "radians", "rcbrt", "reciprocal", "relu", "repeat", "reshape", "reshape_like", "rint", "round", "rsqrt",
    "shape_array", "sigmoid", "sign", "sin", "sinh", "size_array", "slice", "slice_axis", "slice_like", "softmax",
    "softmin", "sort", "space_to_depth", "split", "sqrt", "square", "sum", "swapaxes", "take", "tan", "tanh",
    "tile", "topk", "transpose", "trunc", "zeros_like")
for _name in _FLUENT:
    setattr(Symbol, _name, _fluent(_name))
del _name
_compose.set_symbol_class(Symbol)


def var(name: str, attr: dict[str, str] | None = None, shape: Any = None, lr_mult: float | None = None,
        wd_mult: float | None = None, dtype: Any = None, init: Any = None, stype: str | None = None,
        **kwargs: Any) -> Symbol:
    """Make a variable: an input of the graph.

    Parameters
    ----------
    name : str
    attr : dict of str to str, optional
    shape : tuple of int, optional
        Shape to assume unless another is given when shapes are inferred; 0 or None stands for an unknown length.
    lr_mult, wd_mult : float, optional
        Factors that an optimizer applies to the learning rate and the weight decay.
    dtype : str or numpy.dtype, optional
    init : str or Initializer, optional
    stype : {'default', 'row_sparse', 'csr'}, optional
    **kwargs : str
        Further attributes, whose names start and end with two underscores.
    """
    if not isinstance(name, str):
        raise TypeError("Expect a string for variable `name`")
    out = local.buffers.handle
    check_call(lib.MXSymbolCreateVariable(c_str(name), out))
    variable = wrap(out[0])
    attrs = attribute.current().get(attr)
    if shape is not None:
        lengths = (shape,) if isinstance(shape, (int, np.integer)) else shape
        attrs["__shape__"] = str(tuple(0 if n is None else int(n) for n in lengths))
    if lr_mult is not None:
        attrs["__lr_mult__"] = str(lr_mult)
    if wd_mult is not None:
        attrs["__wd_mult__"] = str(wd_mult)
    if dtype is not None:
        attrs["__dtype__"] = str(dtype_flag(dtype))
    if init is not None:
        attrs["__init__"] = init if isinstance(init, str) else init.dumps()
    if stype is not None:
        attrs["__storage_type__"] = str(stype_id(stype))
    for key, value in kwargs.items():
        if not (key.startswith("__") and key.endswith("__")):
            raise ValueError(f"Attribute name={key} is not supported. Additional attributes must start and end with "
                             "double underscores, e.g, __yourattr__")
        attrs[key] = str(value)
    variable._set_attr(**attrs)
    return variable


Variable = var


def Group(symbols: Any, create_fn: Any = None) -> Symbol:
    """Return a symbol with the outputs of all the given ones.

    Parameters
    ----------
    symbols : list of Symbol
    """
    symbols = None if isinstance(symbols, Symbol) else list(symbols)
    if not symbols or not all(isinstance(s, Symbol) for s in symbols):
        raise TypeError("Expected a list of symbols as input")
    out = local.buffers.handle
    check_call(lib.MXSymbolCreateGroup(len(symbols), ffi.new("void *[]", [s.handle for s in symbols]), out))
    return wrap(out[0])


def load(fname: str | os.PathLike) -> Symbol:
    """Read a graph from a JSON file, of any version of the format."""
    if not isinstance(fname, (str, os.PathLike)):
        raise TypeError("fname need to be string")
    out = local.buffers.handle
    check_call(lib.MXSymbolCreateFromFile(c_str(os.fspath(fname)), out))
    return wrap(out[0])


def load_json(json_str: str) -> Symbol:
    """Read a graph from JSON text."""
    if not isinstance(json_str, str):
        raise TypeError("json_str required to be string")
    out = local.buffers.handle
    check_call(lib.MXSymbolCreateFromJSON(c_str(json_str), out))
    return wrap(out[0])


