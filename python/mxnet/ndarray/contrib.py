"""Experimental operators, and loops and conditions over arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._op import missing_attribute
from . import _gen_contrib, _internal
from ._gen_contrib import *  # noqa: F403
from .ndarray import NDArray
from .random import uniform

__all__ = ["rand_zipfian", "foreach", "while_loop", "cond", "isinf", "isfinite", "isnan", "adamw_update",
           "mp_adamw_update", "multi_adamw_update", "multi_mp_adamw_update", "multi_lamb_update",
           "multi_mp_lamb_update", *_gen_contrib.__all__]


def rand_zipfian(true_classes: NDArray, num_sampled: int, range_max: int, ctx: Any = None) -> tuple:
    """Draw class numbers from an approximately log-uniform (Zipfian) distribution, with replacement.

    Class ``k`` of ``[0, range_max)`` has probability ``(log(k + 2) - log(k + 1)) / log(range_max + 1)``, which suits
    classes sorted by falling frequency.

    Parameters
    ----------
    true_classes : NDArray
        Class numbers whose expected counts are wanted.
    num_sampled : int
        How many to draw.
    range_max : int
        Number of classes.
    ctx : Context, optional

    Returns
    -------
    samples : NDArray
        int64, shape ``(num_sampled,)``.
    expected_count_true, expected_count_sample : NDArray
        float64: how often each true class and each drawn class is expected among the samples.
    """
    ctx = ctx or true_classes.context
    log_range = math.log(range_max + 1)
    draws = uniform(0, log_range, shape=(num_sampled,), dtype="float64", ctx=ctx)
    samples = (draws.exp() - 1).astype("int64") % range_max

    def expected(classes: NDArray) -> NDArray:
        classes = classes.as_in_context(ctx).astype("float64")
        return ((classes + 2.0) / (classes + 1.0)).log() / log_range * num_sampled

    return samples, expected(true_classes), expected(samples)


def _flat(value: Any) -> tuple[list, bool]:
    return (list(value), True) if isinstance(value, (list, tuple)) else ([value], False)


def foreach(body: Callable, data: Any, init_states: Any) -> tuple:
    """Run ``body(slice, states) -> (outputs, states)`` over the first axis of ``data`` and stack the outputs.

    Parameters
    ----------
    body : callable
    data : NDArray or list of NDArray
    init_states : NDArray or list of NDArray

    Returns
    -------
    outputs : NDArray or list of NDArray
    states : NDArray or list of NDArray
        Those of the last step.
    """
    from .op import stack
    arrays, many = _flat(data)
    for array in arrays:
        if not isinstance(array, NDArray):
            raise TypeError("data must be an NDArray or a list of NDArrays")
    steps = arrays[0].shape[0]
    if any(a.shape[0] != steps for a in arrays):
        raise ValueError("arrays of data must have the same length on the first axis, but have "
                         f"{[a.shape[0] for a in arrays]}")
    states, collected, out_many = init_states, [], False
    for step in range(steps):
        outputs, states = body([a[step] for a in arrays] if many else arrays[0][step], states)
        outputs, out_many = _flat(outputs)
        collected.append(outputs)
    stacked = [stack(*column, axis=0) for column in zip(*collected)]
    return (stacked if out_many or len(stacked) != 1 else stacked[0]), states


def while_loop(cond: Callable, func: Callable, loop_vars: Any, max_iterations: int | None = None) -> tuple:
    """Run ``func(*loop_vars) -> (outputs, loop_vars)`` while ``cond(*loop_vars)`` holds, at most ``max_iterations``
    times, and stack the outputs, padded to ``max_iterations`` rows.

    Returns
    -------
    outputs : list of NDArray
    loop_vars : NDArray or list of NDArray
    """
    from .op import concat, stack
    if max_iterations is None:
        raise ValueError("max_iterations should be specified")
    variables, many = _flat(loop_vars)
    if not variables:
        raise ValueError("loop_vars should contain at least one element")
    collected: list = []
    steps = 0
    out_many = False
    while steps < int(max_iterations) and bool(cond(*variables).asscalar()):
        outputs, updated = func(*variables)
        outputs, out_many = _flat([] if outputs is None else outputs)
        updated = _flat([] if updated is None else updated)[0]
        if len(updated) != len(variables):
            raise ValueError("the loop variables returned by func must be as many as those given")
        variables = updated
        collected.append(outputs)
        steps += 1
    stacked = []
    for column in zip(*collected):
        rows = stack(*column, axis=0)
        missing = int(max_iterations) - steps
        if missing:
            from ._creation import zeros
            rows = concat(rows, zeros((missing, *rows.shape[1:]), rows.ctx, rows.dtype), dim=0)
        stacked.append(rows)
    result = stacked if out_many or len(stacked) != 1 else stacked[0]
    return result, (variables if many else variables[0])


def cond(pred: NDArray, then_func: Callable, else_func: Callable) -> Any:
    """Return ``then_func()`` if the one element of ``pred`` is not zero, else ``else_func()``."""
    return then_func() if bool(pred.asscalar()) else else_func()


def _interleaved(*lists: Any) -> list:
    """Return the first array of every list, then the second of every list, and so on."""
    if len({len(arrays) for arrays in lists}) != 1:
        raise ValueError("weights, gradients and states must be equally many")
    return [array for group in zip(*lists) for array in group]


def _scale(rescale_grad: Any, weight: NDArray) -> NDArray:
    """Return the factor of the gradients as an array, which lets it stay on the device."""
    from ._creation import full
    if isinstance(rescale_grad, NDArray):
        return rescale_grad.as_in_context(weight.ctx)
    return full((1,), rescale_grad, ctx=weight.ctx)


def multi_lamb_update(weights: list, grads: list, mean: list, var: list, step_count: Any, lrs: Any, wds: Any,
                      out: Any = None, num_tensors: int = 0, **kwargs: Any) -> Any:
    """Update several weights by LAMB in one call. Other parameters as for ``_internal._multi_lamb_update``."""
    return _internal._multi_lamb_update(*_interleaved(weights, grads, mean, var), out=out, learning_rates=lrs, wds=wds,
                                        num_tensors=num_tensors or len(weights), step_count=step_count, **kwargs)


def multi_mp_lamb_update(weights: list, grads: list, mean: list, var: list, weights32: list, step_count: Any, lrs: Any,
                         wds: Any, out: Any = None, num_tensors: int = 0, **kwargs: Any) -> Any:
    """Update several low-precision weights and their float32 copies by LAMB in one call."""
    return _internal._multi_mp_lamb_update(
        *_interleaved(weights, grads, mean, var, weights32), out=out, learning_rates=lrs, wds=wds,
        num_tensors=num_tensors or len(weights), step_count=step_count, **kwargs)


def adamw_update(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray, rescale_grad: Any, lr: float, eta: float,
                 beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8, wd: float = 0,
                 clip_gradient: float = -1, out: Any = None, name: str | None = None, **kwargs: Any) -> Any:
    """Update a weight by AdamW. ``rescale_grad`` may be an array of one; not finite, it stops the update."""
    return _internal._adamw_update(weight, grad, mean, var, _scale(rescale_grad, weight), lr=lr, eta=eta, beta1=beta1,
                                   beta2=beta2, epsilon=epsilon, wd=wd, clip_gradient=clip_gradient, out=out, **kwargs)


def mp_adamw_update(weight: NDArray, grad: NDArray, mean: NDArray, var: NDArray, weight32: NDArray, rescale_grad: Any,
                    lr: float, eta: float, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                    wd: float = 0, clip_gradient: float = -1, out: Any = None, name: str | None = None,
                    **kwargs: Any) -> Any:
    """Update a low-precision weight and its float32 copy by AdamW."""
    return _internal._mp_adamw_update(weight, grad, mean, var, weight32, _scale(rescale_grad, weight), lr=lr, eta=eta,
                                      beta1=beta1, beta2=beta2, epsilon=epsilon, wd=wd, clip_gradient=clip_gradient,
                                      out=out, **kwargs)


def multi_adamw_update(weights: list, grads: list, mean: list, var: list, rescale_grad: Any, lrs: Any, wds: Any,
                       etas: Any, out: Any = None, name: str | None = None, size: int = 0, **kwargs: Any) -> Any:
    """Update several weights by AdamW in one call."""
    return _internal._multi_adamw_update(
        *_interleaved(weights, grads, mean, var), _scale(rescale_grad, weights[0]), out=out,
        num_weights=size or len(weights), lrs=lrs, wds=wds, etas=etas, **kwargs)


def multi_mp_adamw_update(weights: list, grads: list, mean: list, var: list, weights32: list, rescale_grad: Any,
                          lrs: Any, wds: Any, etas: Any, out: Any = None, name: str | None = None, size: int = 0,
                          **kwargs: Any) -> Any:
    """Update several low-precision weights and their float32 copies by AdamW in one call."""
    return _internal._multi_mp_adamw_update(
        *_interleaved(weights, grads, mean, var, weights32), _scale(rescale_grad, weights[0]), out=out,
        num_weights=size or len(weights), lrs=lrs, wds=wds, etas=etas, **kwargs)


def isinf(data: NDArray) -> NDArray:
    """Return 1 where an element is positive or negative infinity, else 0."""
    return data.abs() == np.inf


def isfinite(data: NDArray) -> NDArray:
    """Return 1 where an element is neither infinite nor NaN, else 0."""
    from ._creation import logical_and
    return logical_and(data == data, data.abs() != np.inf)


def isnan(data: NDArray) -> NDArray:
    """Return 1 where an element is NaN, else 0."""
    return data != data


def __getattr__(name: str) -> Any:
    raise missing_attribute(__name__, name, globals())
