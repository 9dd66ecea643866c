"""Executors: symbols bound to arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .base import NULL, StrArray, c_string, check_call, ffi, last_error, lib, local
from .ndarray import NDArray, array
from .ndarray._indexing import fill
from .ndarray._invoke import wrap
from .symbol._binding import _describe, _Groups, _lengths, _wrap_all

__all__ = ["Executor"]

_forward = lib.MXExecutorForward
_backward = lib.MXExecutorBackwardEx
_free = lib.MXExecutorFree

# What the library passes back to a monitor is a number that stands for the executor's callback here.
_monitors: dict[int, Callable] = {}


@ffi.def_extern()
def mx_py_monitor(name: Any, handle: Any, payload: Any) -> None:
    """Hand one array to the Python callback of an executor."""
    callback = _monitors.get(int(ffi.cast("intptr_t", payload)))
    piece = wrap(handle)  # ours to free
    if callback is not None:
        callback(ffi.string(name), piece)


class Executor:
    """A symbol bound to arrays, which computes its outputs and gradients.

    Made by :meth:`Symbol.bind` and :meth:`Symbol.simple_bind`.

    Attributes
    ----------
    arg_arrays, grad_arrays : list of NDArray
        By position in ``symbol.list_arguments()``; a gradient that is not kept is None.
    aux_arrays : list of NDArray
    outputs : list of NDArray
        Overwritten by every forward pass.
    """

    def __init__(self, handle: Any, symbol: Any, ctx: Any, grad_req: Any, group2ctx: Any, arg_arrays: list,
                 grad_arrays: list, aux_arrays: list):
        self.handle = handle
        self._symbol = symbol.__deepcopy__(None)
        self._ctx = ctx
        self._grad_req = grad_req
        self._group2ctx = group2ctx
        self.arg_arrays = arg_arrays
        self.grad_arrays = grad_arrays
        self.aux_arrays = aux_arrays
        self._arg_dict: dict | None = None
        self._grad_dict: dict | None = None
        self._aux_dict: dict | None = None
        self._output_dict: dict | None = None
        self._monitor_key = 0
        self.outputs = self._get_outputs()

    def __del__(self, _free: Any = _free, _monitors: dict = _monitors) -> None:
        try:
            handle = self.handle
        except AttributeError:  # construction failed
            return
        _free(handle)
        if self._monitor_key:
            _monitors.pop(self._monitor_key, None)

    def _get_outputs(self) -> list[NDArray]:
        buffers = local.buffers
        check_call(lib.MXExecutorOutputs(self.handle, buffers.size, buffers.handles))
        made = buffers.handles[0]
        return [wrap(made[i]) for i in range(buffers.size[0])]

    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Compute the outputs.

        Parameters
        ----------
        is_train : bool, default False
            Whether a backward pass is to follow; also the mode of dropout and batch normalization.
        **kwargs : NDArray or numpy.ndarray
            New values of arguments.

        Returns
        -------
        list of NDArray
            The executor's own arrays, which the next forward pass overwrites.
        """
        if kwargs:
            self._feed(kwargs)
        if _forward(self.handle, 1 if is_train else 0):
            raise last_error()
        return self.outputs

    def _feed(self, values: dict) -> None:
        args = self.arg_dict
        for name, value in values.items():
            if not isinstance(value, (NDArray, np.ndarray)):
                raise ValueError("only accept keyword argument of NDArrays and numpy.ndarray, "
                                 f"but {name} is {type(value)}")
            target = args.get(name)
            if target is None:
                import difflib
                near = difflib.get_close_matches(name, args, 1, 0.6)
                raise TypeError(f"Unknown argument {name}" + (f"; did you mean {near[0]}?" if near else ""))
            shape = target.shape
            if shape != value.shape:
                raise ValueError(f"Shape not match! Argument {name}, need: {shape}, received: {value.shape}")
            fill(target, shape, value)

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Compute the gradients of the last forward pass into the gradient arrays.

        Parameters
        ----------
        out_grads : NDArray, list of NDArray, or dict of str to NDArray, optional
            Gradients of the outputs. Not needed where every output is a loss.
        is_train : bool, default True
        """
        if out_grads is None:
            if _backward(self.handle, 0, NULL, 1 if is_train else 0):
                raise last_error()
            return
        if isinstance(out_grads, NDArray):
            out_grads = [out_grads]
        elif isinstance(out_grads, dict):
            names = self._symbol.list_outputs()
            missing = [name for name in names if name not in out_grads]
            if missing:
                raise ValueError(f"out_grads lacks {', '.join(missing)}")
            out_grads = [out_grads[name] for name in names]
        heads = local.buffers.inputs if len(out_grads) <= 256 else ffi.new("void *[]", len(out_grads))
        for position, grad in enumerate(out_grads):
            if not isinstance(grad, NDArray):
                raise TypeError(f"out_grads must be NDArrays, but got {type(grad)}")
            heads[position] = grad.handle
        if _backward(self.handle, len(out_grads), heads, 1 if is_train else 0):
            raise last_error()

    def set_monitor_callback(self, callback: Callable[[bytes, NDArray], None], monitor_all: bool = False) -> None:
        """Call a function with the name and value of every operator output.

        Parameters
        ----------
        callback : callable
            Takes the output's name (bytes) and an NDArray.
        monitor_all : bool, default False
            Report inputs of operators too.
        """
        if not callable(callback):
            raise TypeError(f"callback must be callable, but got {type(callback)}")
        if not self._monitor_key:
            self._monitor_key = id(self)
        _monitors[self._monitor_key] = callback
        check_call(lib.MXExecutorSetMonitorCallbackEX(self.handle, lib.mx_py_monitor,
                                                      ffi.cast("void *", self._monitor_key), monitor_all))

    @staticmethod
    def _get_dict(names: list[str], arrays: list) -> dict:
        if len(set(names)) != len(names):
            double = sorted({n for n in names if names.count(n) > 1})
            raise ValueError(f"Duplicate names detected, {', '.join(double)} in {names}")
        return dict(zip(names, arrays))

    @property
    def arg_dict(self) -> dict[str, NDArray]:
        """Arguments by name."""
        if self._arg_dict is None:
            self._arg_dict = self._get_dict(self._symbol.list_arguments(), self.arg_arrays)
        return self._arg_dict

    @property
    def grad_dict(self) -> dict[str, NDArray | None]:
        """Gradients by argument name."""
        if self._grad_dict is None:
            self._grad_dict = self._get_dict(self._symbol.list_arguments(), self.grad_arrays)
        return self._grad_dict

    @property
    def aux_dict(self) -> dict[str, NDArray]:
        """Auxiliary states by name."""
        if self._aux_dict is None:
            self._aux_dict = self._get_dict(self._symbol.list_auxiliary_states(), self.aux_arrays)
        return self._aux_dict

    @property
    def output_dict(self) -> dict[str, NDArray]:
        """Outputs by name."""
        if self._output_dict is None:
            self._output_dict = self._get_dict(self._symbol.list_outputs(), self.outputs)
        return self._output_dict

    def copy_params_from(self, arg_params: dict, aux_params: dict | None = None,
                         allow_extra_params: bool = False) -> None:
        """Copy arrays into arguments and auxiliary states of the same names, converting their types.

        Parameters
        ----------
        arg_params : dict of str to NDArray
        aux_params : dict of str to NDArray, optional
        allow_extra_params : bool, default False
            Ignore names that the symbol does not have instead of raising ValueError.
        """
        for given, own, what in ((arg_params, self.arg_dict, "arguments"),
                                 (aux_params or {}, self.aux_dict, "auxiliary states")):
            for name, value in given.items():
                target = own.get(name)
                if target is not None:
                    value = value if isinstance(value, NDArray) else array(value)
                    if value.shape != target.shape:
                        raise ValueError(f"shape of {name} is {target.shape}, but the parameter has {value.shape}")
                    target[:] = value
                elif not allow_extra_params:
                    raise ValueError(f'Find name "{name}" that is not in the {what}')

    def reshape(self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any) -> Executor:
        """Return an executor of the same symbol for other shapes, which shares memory with this one.

        Parameters
        ----------
        partial_shaping : bool, default False
            Allow shapes of arguments that are not named to change.
        allow_up_sizing : bool, default False
            Allow arrays to become larger, which allocates them anew.
        **kwargs : tuple of int
            New shapes by argument name.
        """
        ends, data = [0], []
        for name, shape in kwargs.items():
            data += _lengths(name, shape)
            ends.append(len(data))
        names = StrArray(kwargs)
        groups = _Groups(self._group2ctx)
        arg_count, aux_count = ffi.new("uint32_t *"), ffi.new("uint32_t *")
        args, grads, auxes = (ffi.new("void ***") for _ in range(3))
        out = ffi.new("void **")
        try:
            shape_data = ffi.new("int[]", data or 1)
        except OverflowError:
            raise ValueError(f"shapes are out of range: {_describe(kwargs)}") from None
        check_call(lib.MXExecutorReshapeEx(
            int(partial_shaping), int(allow_up_sizing), self._ctx.device_typeid, self._ctx.device_id, groups.count,
            groups.keys.data, groups.types, groups.ids, len(kwargs), names.data, shape_data,
            ffi.new("uint32_t[]", ends), arg_count, args, grads, aux_count, auxes, self.handle, out))
        return Executor(out[0], self._symbol, self._ctx, self._grad_req, self._group2ctx,
                        _wrap_all(args[0], arg_count[0]), _wrap_all(grads[0], arg_count[0]),
                        _wrap_all(auxes[0], aux_count[0]))

    def get_optimized_symbol(self) -> Any:
        """Return the graph as the library rewrote it for execution."""
        from .symbol._compose import wrap as wrap_symbol
        out = local.buffers.handle
        check_call(lib.MXExecutorGetOptimizedSymbol(self.handle, out))
        return wrap_symbol(out[0])

    def debug_str(self) -> str:
        """Return a listing of the graph, its memory and its plan."""
        out = local.buffers.text
        check_call(lib.MXExecutorPrint(self.handle, out))
        return c_string(out[0])
