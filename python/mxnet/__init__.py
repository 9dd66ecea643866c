"""MXNet's symbolic API on a new engine.

    import mxnet as mx

``mx.sym`` describes computations, ``mx.nd`` holds and computes arrays, and an executor (``symbol.bind``,
``symbol.simple_bind``) runs a symbol forward and backward.
"""

from __future__ import annotations

import importlib
from typing import Any

from . import attribute, base, context, engine, error, executor, libinfo, name, ndarray, random, symbol, util
from . import ndarray as nd
from . import random as rnd
from . import symbol as sym
from .attribute import AttrScope
from .base import MXNetError
from .context import Context, cpu, cpu_pinned, current_context, gpu, gpu_memory_info, num_gpus
from .libinfo import __version__
from .util import is_np_array, is_np_shape, np_shape, set_np_shape, use_np_shape

__all__ = [
    "AttrScope", "Context", "MXNetError", "__version__", "attribute", "base", "context", "cpu", "cpu_pinned",
    "current_context", "engine", "error", "executor", "gpu", "gpu_memory_info", "is_np_array", "is_np_shape",
    "libinfo", "name", "nd", "ndarray", "np_shape", "num_gpus", "random", "rnd", "set_np_shape", "sym", "symbol",
    "use_np_shape", "util",
]

# Loaded on first use, so that importing the package stays quick.
_LAZY = {"autograd": "autograd", "contrib": "contrib", "init": "initializer", "initializer": "initializer",
         "model": "model", "mon": "monitor", "monitor": "monitor", "runtime": "runtime", "test_utils": "test_utils",
         "visualization": "visualization", "viz": "visualization"}


def __getattr__(attribute_name: str) -> Any:
    target = _LAZY.get(attribute_name)
    if target is None:
        raise AttributeError(f"module {__name__!r} has no attribute {attribute_name!r}")
    module = importlib.import_module(f".{target}", __name__)
    globals()[attribute_name] = module
    return module


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
