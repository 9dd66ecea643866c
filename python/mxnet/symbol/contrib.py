"""Experimental operators."""

from __future__ import annotations

from typing import Any

from .._op import Op, missing_attribute
from . import _gen_contrib, _internal
from ._compose import node
from ._gen_contrib import *  # noqa: F403
from .symbol import Symbol

__all__ = ["adamw_update", "mp_adamw_update", "rand_zipfian", *[n for n in _gen_contrib.__all__ if n != "rand_zipfian"]]

_rand_zipfian = Op("_contrib_rand_zipfian", ("true_classes",), ("num_sampled", "range_max"))


def rand_zipfian(true_classes: Symbol, num_sampled: int, range_max: int, name: str | None = None, attr: Any = None,
                 out: Any = None, **kwargs: Any) -> Symbol:
    """Draw class numbers from an approximately log-uniform (Zipfian) distribution, with replacement.

    Class ``k`` of ``[0, range_max)`` has probability ``(log(k + 2) - log(k + 1)) / log(range_max + 1)``, which suits
    classes sorted by falling frequency.

    Parameters
    ----------
    true_classes : Symbol
        Class numbers whose expected counts are wanted.
    num_sampled : int
        How many to draw.
    range_max : int
        Number of classes.

    Returns
    -------
    Symbol
        Three outputs: the samples (int64, shape ``(num_sampled,)``), and how often each true class and each drawn
        class is expected among them (float64).
    """
    drawn = node(_rand_zipfian, "rand_zipfian", (true_classes,), (num_sampled, range_max),
                 {"name": name, "attr": attr, **kwargs})
    drawn._labels_outputs = True
    return drawn


def _scale(rescale_grad: Any) -> Symbol:
    """Return the factor of the gradients as a symbol."""
    from ._creation import full
    return rescale_grad if isinstance(rescale_grad, Symbol) else full((1,), rescale_grad)


def adamw_update(weight: Symbol, grad: Symbol, mean: Symbol, var: Symbol, rescale_grad: Any, lr: float, eta: float,
                 beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8, wd: float = 0,
                 clip_gradient: float = -1, out: Any = None, name: str | None = None, **kwargs: Any) -> Symbol:
    """Update a weight by AdamW. ``rescale_grad`` may be a symbol of one element; not finite, it stops the update."""
    return _internal._adamw_update(weight, grad, mean, var, _scale(rescale_grad), lr=lr, eta=eta, beta1=beta1,
                                   beta2=beta2, epsilon=epsilon, wd=wd, clip_gradient=clip_gradient, name=name,
                                   **kwargs)


def mp_adamw_update(weight: Symbol, grad: Symbol, mean: Symbol, var: Symbol, weight32: Symbol, rescale_grad: Any,
                    lr: float, eta: float, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                    wd: float = 0, clip_gradient: float = -1, out: Any = None, name: str | None = None,
                    **kwargs: Any) -> Symbol:
    """Update a low-precision weight and its float32 copy by AdamW."""
    return _internal._mp_adamw_update(weight, grad, mean, var, weight32, _scale(rescale_grad), lr=lr, eta=eta,
                                      beta1=beta1, beta2=beta2, epsilon=epsilon, wd=wd, clip_gradient=clip_gradient,
                                      name=name, **kwargs)


def __getattr__(name: str) -> Any:
    raise missing_attribute(__name__, name, globals())
