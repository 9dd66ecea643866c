"""First values of parameters."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np

from . import ndarray as nd
from .ndarray import random as ndrandom

__all__ = [
    "Bilinear",
    "Constant",
    "InitDesc",
    "Initializer",
    "LSTMBias",
    "Load",
    "MSRAPrelu",
    "Mixed",
    "Normal",
    "One",
    "Orthogonal",
    "Uniform",
    "Xavier",
    "Zero",
    "create",
    "register",
]

_registry: dict[str, type] = {}


class InitDesc(str):
    """The name of a parameter to initialize, with what its variable says about it.

    Parameters
    ----------
    name : str
    attrs : dict of str to str, optional
        Attributes of the variable; ``__init__`` names an initializer of its own.
    global_init : Initializer, optional
        Used where the variable names none.
    """

    attrs: dict[str, str]
    global_init: Any

    def __new__(cls, name: str, attrs: dict | None = None, global_init: Any = None) -> InitDesc:
        desc = super().__new__(cls, name)
        desc.attrs = attrs or {}
        desc.global_init = global_init
        return desc


def register(cls: type) -> type:
    """Make an initializer class known by its lower-case name."""
    _registry[cls.__name__.lower()] = cls
    return cls


def _alias(*names: str) -> Any:
    def decorate(cls: type) -> type:
        _registry.update((n, cls) for n in names)
        return cls
    return decorate


def create(name: Any, **kwargs: Any) -> Initializer:
    """Return an initializer by name, or from the JSON text ``["name", {...}]`` that ``dumps`` writes."""
    if isinstance(name, Initializer):
        return name
    if name.startswith("["):
        name, kwargs = json.loads(name)
    found = _registry.get(name.lower())
    if found is None:
        import difflib
        near = difflib.get_close_matches(name.lower(), _registry, 1, 0.6)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise ValueError(f"{name} is not a known initializer{hint} Known: {', '.join(sorted(_registry))}")
    return found(**kwargs)


class Initializer:
    """Base of initializers. Subclasses override :meth:`_init_weight`.

    Calling one fills an array according to its name: ``..._bias``, ``..._beta`` and running means with 0,
    ``..._gamma`` and running variances with 1, weights with the initializer's own values.
    """

    def __init__(self, **kwargs: Any):
        self._kwargs = kwargs
        self._verbose = False
        self._print_func: Any = None

    def set_verbosity(self, verbose: bool = False, print_func: Any = None) -> Initializer:
        """Report each initialization through ``print_func(array) -> str``."""
        self._verbose = verbose
        self._print_func = print_func or (lambda x: str((x.norm() / math.sqrt(x.size)).asscalar()))
        return self

    def dumps(self) -> str:
        """Return JSON text from which :func:`create` makes an equal initializer."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._kwargs == other._kwargs  # type: ignore[attr-defined]

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._kwargs.items())})"

    def __call__(self, desc: str, arr: Any) -> None:
        """Fill ``arr``, the parameter called ``desc``."""
        if not isinstance(desc, str):
            raise TypeError("desc must be the name of a parameter (str or InitDesc)")
        own = desc.attrs.get("__init__") if isinstance(desc, InitDesc) else None
        if own:
            create(own)._init_weight(desc, arr)
        elif desc.endswith("upsampling") or desc.startswith("upsampling"):
            Bilinear()._init_weight(desc, arr)
        elif desc.endswith(("bias", "beta", "moving_mean", "running_mean", "moving_inv_var", "moving_avg", "min")):
            self._init_zero(desc, arr)
        elif desc.endswith(("gamma", "moving_var", "running_var", "max")):
            self._init_one(desc, arr)
        elif desc.endswith("weight"):
            self._init_weight(desc, arr)
        else:
            self._init_default(desc, arr)
        if self._verbose and self._print_func:
            import logging
            logging.info("Initialized %s as %s: %s", desc, own or self, self._print_func(arr))

    def _init_zero(self, name: str, arr: Any) -> None:
        arr[:] = 0.0

    def _init_one(self, name: str, arr: Any) -> None:
        arr[:] = 1.0

    def _init_weight(self, name: str, arr: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} must override _init_weight")

    def _init_default(self, name: str, arr: Any) -> None:
        raise ValueError(
            f'Unknown initialization pattern for {name}. Default initialization is now limited to "weight", "bias", '
            '"gamma" (1.0), and "beta" (0.0). Please use mx.sym.Variable(init=mx.init.*) to set initialization pattern')


@_alias("zeros")
@register
class Zero(Initializer):
    """Zeros."""

    def _init_weight(self, name: str, arr: Any) -> None:
        arr[:] = 0.0


@_alias("ones")
@register
class One(Initializer):
    """Ones."""

    def _init_weight(self, name: str, arr: Any) -> None:
        arr[:] = 1.0


@register
class Constant(Initializer):
    """One value, or the values of an array.

    Parameters
    ----------
    value : float or array_like
    """

    def __init__(self, value: Any = 0):
        super().__init__(value=value)
        self.value = value

    def _init_weight(self, name: str, arr: Any) -> None:
        arr[:] = self.value

    def dumps(self) -> str:
        """Return JSON text; arrays are written as nested lists."""
        value = self.value.asnumpy() if isinstance(self.value, nd.NDArray) else self.value
        value = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
        return json.dumps(["constant", {"value": value}])


@register
class Uniform(Initializer):
    """Uniform on ``[-scale, scale)``.

    Parameters
    ----------
    scale : float, default 0.07
    """

    def __init__(self, scale: float = 0.07):
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, name: str, arr: Any) -> None:
        ndrandom.uniform(-self.scale, self.scale, out=arr)


@register
class Normal(Initializer):
    """Normal with mean 0.

    Parameters
    ----------
    sigma : float, default 0.01
        Standard deviation.
    """

    def __init__(self, sigma: float = 0.01):
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, name: str, arr: Any) -> None:
        ndrandom.normal(0, self.sigma, out=arr)


@register
class Orthogonal(Initializer):
    """A random matrix whose rows or columns, whichever are fewer, are orthonormal (Saxe et al., 2013).

    Parameters
    ----------
    scale : float, default 1.414
    rand_type : {'uniform', 'normal'}, default 'uniform'
    """

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform"):
        super().__init__(scale=scale, rand_type=rand_type)
        if rand_type not in ("uniform", "normal"):
            raise ValueError(f"rand_type must be 'uniform' or 'normal', but got {rand_type!r}")
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, name: str, arr: Any) -> None:
        rows, columns = arr.shape[0], int(np.prod(arr.shape[1:]))
        draw = ndrandom.uniform(-1, 1, (rows, columns)) if self.rand_type == "uniform" else \
            ndrandom.normal(0, 1, (rows, columns))
        u, _, v = np.linalg.svd(draw.asnumpy(), full_matrices=False)
        arr[:] = (self.scale * (u if u.shape == (rows, columns) else v)).reshape(arr.shape)


@register
class Xavier(Initializer):
    """Values scaled to the number of connections of a neuron (Glorot and Bengio, 2010).

    With ``n`` connections the scale is ``sqrt(magnitude / n)``: the bound of a uniform distribution, or the standard
    deviation of a normal one.

    Parameters
    ----------
    rnd_type : {'uniform', 'gaussian'}, default 'uniform'
    factor_type : {'avg', 'in', 'out'}, default 'avg'
        Which connections count.
    magnitude : float, default 3
    """

    def __init__(self, rnd_type: str = "uniform", factor_type: str = "avg", magnitude: float = 3):
        super().__init__(rnd_type=rnd_type, factor_type=factor_type, magnitude=magnitude)
        if rnd_type not in ("uniform", "gaussian"):
            raise ValueError(f"Unknown random type {rnd_type!r}; use 'uniform' or 'gaussian'")
        if factor_type not in ("avg", "in", "out"):
            raise ValueError(f"Incorrect factor type {factor_type!r}; use 'avg', 'in' or 'out'")
        self.rnd_type = rnd_type
        self.factor_type = factor_type
        self.magnitude = float(magnitude)

    def _init_weight(self, name: str, arr: Any) -> None:
        shape = arr.shape
        if len(shape) < 2:
            raise ValueError(f"Xavier initializer cannot be applied to vector {name}. It requires at least 2D.")
        area = float(np.prod(shape[2:])) if len(shape) > 2 else 1.0
        fan_in, fan_out = shape[1] * area, shape[0] * area
        factor = {"avg": (fan_in + fan_out) / 2.0, "in": fan_in, "out": fan_out}[self.factor_type]
        scale = math.sqrt(self.magnitude / factor)
        if self.rnd_type == "uniform":
            ndrandom.uniform(-scale, scale, out=arr)
        else:
            ndrandom.normal(0, scale, out=arr)


@register
class MSRAPrelu(Xavier):
    """Normal values for layers followed by (parametric) rectifiers (He et al., 2015).

    Parameters
    ----------
    factor_type : {'avg', 'in', 'out'}, default 'avg'
    slope : float, default 0.25
        First slope of the rectifier's negative part.
    """

    def __init__(self, factor_type: str = "avg", slope: float = 0.25):
        super().__init__("gaussian", factor_type, 2.0 / (1 + slope ** 2))
        self._kwargs = {"factor_type": factor_type, "slope": slope}


@register
class Bilinear(Initializer):
    """Weights of a transposed convolution that interpolates linearly."""

    def _init_weight(self, name: str, arr: Any) -> None:
        height, width = arr.shape[2:]
        factor = math.ceil(width / 2.0)
        center = (2 * factor - 1 - factor % 2) / (2.0 * factor)
        y = 1 - np.abs(np.arange(height) / factor - center)
        x = 1 - np.abs(np.arange(width) / factor - center)
        arr[:] = np.broadcast_to(np.outer(y, x).astype(np.float32), arr.shape)


@register
class LSTMBias(Initializer):
    """Zeros, but for the forget gate of an LSTM.

    Parameters
    ----------
    forget_bias : float, default 1.0
    """

    def __init__(self, forget_bias: float = 1.0):
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, name: str, arr: Any) -> None:
        arr[:] = 0.0
        hidden = arr.shape[0] // 4
        arr[hidden:2 * hidden] = self.forget_bias  # gates in order: input, forget, cell, output

    _init_zero = _init_weight


class Mixed(Initializer):
    """Different initializers by parameter name.

    Parameters
    ----------
    patterns : list of str
        Regular expressions; the first that matches the start of a name decides.
    initializers : list of Initializer
    """

    def __init__(self, patterns: list[str], initializers: list):
        super().__init__()
        if len(patterns) != len(initializers):
            raise ValueError("patterns and initializers must be equally many")
        self.map = [(re.compile(p), i) for p, i in zip(patterns, initializers)]

    def __call__(self, desc: str, arr: Any) -> None:
        for pattern, initializer in self.map:
            if pattern.match(desc):
                initializer(desc, arr)
                return
        raise ValueError(f'Parameter name {desc} did not match any pattern. Consider adding a ".*" pattern at the '
                         "end with default Initializer.")


class Load:
    """Values from a file or a dictionary.

    Parameters
    ----------
    param : str or dict of str to NDArray
        Names may carry the prefixes ``arg:`` and ``aux:``.
    default_init : Initializer, optional
        For names that are not in ``param``.
    verbose : bool, default False
        Log where each parameter comes from.
    """

    def __init__(self, param: Any, default_init: Any = None, verbose: bool = False):
        loaded = param if isinstance(param, dict) else nd.load(param)
        if not isinstance(loaded, dict):
            raise ValueError("the file has no names")
        self.param = {n[4:] if n.startswith(("arg:", "aux:")) else n: v for n, v in loaded.items()}
        self.default_init = default_init
        self.verbose = verbose

    def __call__(self, name: str, arr: Any) -> None:
        found = self.param.get(name)
        if found is not None:
            if tuple(found.shape) != arr.shape:
                raise ValueError(f"Parameter {name} cannot be initialized from loading. Shape mismatch, target "
                                 f"{arr.shape} vs loaded {found.shape}")
            arr[:] = found
        elif self.default_init is None:
            raise ValueError(f"Cannot Initialize {name}. Not found in loaded param and no default Initializer is "
                             "provided.")
        else:
            self.default_init(name, arr)
        if self.verbose:
            import logging
            logging.info("Initialized %s by %s", name, "default" if found is None else "loading")
