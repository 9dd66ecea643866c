"""Recording of operators run on arrays, and their gradients."""

from __future__ import annotations

from typing import Any

from .base import NULL, check_call, ffi, handle_array, lib, local
from .ndarray import NDArray
from .ndarray._invoke import wrap
from .symbol._binding import GRAD_REQS

__all__ = [
    "backward",
    "grad",
    "is_recording",
    "is_training",
    "mark_variables",
    "pause",
    "predict_mode",
    "record",
    "set_recording",
    "set_training",
    "train_mode",
]


def set_recording(is_recording: bool) -> bool:
    """Switch recording on or off; return whether it was on."""
    before = local.buffers.int_a
    check_call(lib.MXAutogradSetIsRecording(int(is_recording), before))
    return bool(before[0])


def set_training(train_mode: bool) -> bool:
    """Switch training mode on or off; return whether it was on."""
    before = local.buffers.int_a
    check_call(lib.MXAutogradSetIsTraining(int(train_mode), before))
    return bool(before[0])


def is_recording() -> bool:
    """Tell whether operators are being recorded."""
    now = ffi.new("bool *")
    check_call(lib.MXAutogradIsRecording(now))
    return bool(now[0])


def is_training() -> bool:
    """Tell whether operators run in training mode."""
    now = ffi.new("bool *")
    check_call(lib.MXAutogradIsTraining(now))
    return bool(now[0])


class _Scope:
    """Sets recording and training mode for a ``with`` statement."""

    def __init__(self, recording: bool | None, training: bool | None):
        self._new = recording, training
        self._old: list[tuple] = []

    def __enter__(self) -> _Scope:
        recording, training = self._new
        self._old.append((None if recording is None else set_recording(recording),
                          None if training is None else set_training(training)))
        return self

    def __exit__(self, *exc: Any) -> None:
        recording, training = self._old.pop()
        if recording is not None:
            set_recording(recording)
        if training is not None:
            set_training(training)


def record(train_mode: bool = True) -> _Scope:
    """Return a scope in which operators are recorded, in training mode unless told otherwise."""
    return _Scope(True, train_mode)


def pause(train_mode: bool = False) -> _Scope:
    """Return a scope in which operators are not recorded."""
    return _Scope(False, train_mode)


def train_mode() -> _Scope:
    """Return a scope of training mode."""
    return _Scope(None, True)


def predict_mode() -> _Scope:
    """Return a scope of prediction mode."""
    return _Scope(None, False)


def mark_variables(variables: Any, gradients: Any, grad_reqs: Any = "write") -> None:
    """Give arrays gradient buffers.

    Parameters
    ----------
    variables, gradients : NDArray or list of NDArray
    grad_reqs : {'write', 'add', 'null'}, or list of them, default 'write'
    """
    variables = [variables] if isinstance(variables, NDArray) else list(variables)
    gradients = [gradients] if isinstance(gradients, NDArray) else list(gradients)
    reqs = [grad_reqs] * len(variables) if isinstance(grad_reqs, str) else list(grad_reqs)
    if not len(variables) == len(gradients) == len(reqs):
        raise ValueError("variables, gradients and grad_reqs must be equally many")
    for req in reqs:
        if req not in GRAD_REQS:
            raise ValueError(f"grad_req={req} is not one of {', '.join(GRAD_REQS)}")
    check_call(lib.MXAutogradMarkVariables(len(variables), handle_array(variables),
                                           ffi.new("uint32_t[]", [GRAD_REQS[r] for r in reqs]),
                                           handle_array(gradients)))


def _heads(heads: Any, head_grads: Any) -> tuple[list, Any]:
    heads = [heads] if isinstance(heads, NDArray) else list(heads)
    if head_grads is None:
        return heads, NULL
    head_grads = [head_grads] if isinstance(head_grads, NDArray) else list(head_grads)
    if len(head_grads) != len(heads):
        raise ValueError("heads and head_grads must be equally many")
    return heads, handle_array(head_grads)


def backward(heads: Any, head_grads: Any = None, retain_graph: bool = False, train_mode: bool = True) -> None:
    """Compute gradients of ``heads`` into the buffers of the marked variables they were computed from.

    Parameters
    ----------
    heads : NDArray or list of NDArray
    head_grads : NDArray or list of NDArray, optional
        Gradients of the heads; ones by default.
    retain_graph : bool, default False
        Keep the recording, to call this again.
    train_mode : bool, default True
    """
    heads, grads = _heads(heads, head_grads)
    check_call(lib.MXAutogradBackwardEx(len(heads), handle_array(heads), grads, 0, NULL, int(retain_graph), 0,
                                        int(train_mode), NULL, NULL))


def grad(heads: Any, variables: Any, head_grads: Any = None, retain_graph: bool | None = None,
         create_graph: bool = False, train_mode: bool = True) -> Any:
    """Return the gradients of ``heads`` with respect to ``variables``.

    Parameters
    ----------
    heads, variables : NDArray or list of NDArray
    head_grads : NDArray or list of NDArray, optional
    retain_graph : bool, optional
        Keep the recording; by default what ``create_graph`` is.
    create_graph : bool, default False
        Record the computation of the gradients too, for higher derivatives.
    train_mode : bool, default True
    """
    heads, grads = _heads(heads, head_grads)
    single = isinstance(variables, NDArray)
    variables = [variables] if single else list(variables)
    if not variables:
        raise ValueError("variables cannot be an empty list.")
    made, stypes = ffi.new("void ***"), ffi.new("int **")
    retain = create_graph if retain_graph is None else retain_graph
    check_call(lib.MXAutogradBackwardEx(len(heads), handle_array(heads), grads, len(variables),
                                        handle_array(variables), int(retain), int(create_graph), int(train_mode),
                                        made, stypes))
    results = [wrap(made[0][i]) for i in range(len(variables))]
    return results[0] if single else results
