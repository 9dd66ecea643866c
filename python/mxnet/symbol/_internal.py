"""Operators whose names start with an underscore."""

from __future__ import annotations

from typing import Any

from .._op import find_op, missing_attribute
from ..base import _Null
from . import _gen_internal
from ._compose import compose, compose_list
from ._gen_internal import *  # noqa: F403

__all__ = list(_gen_internal.__all__)


def __getattr__(name: str) -> Any:
    """Make the function of an operator that has no generated one (backward operators, extensions)."""
    op = None if name.startswith("__") else find_op(name)
    if op is None:
        raise missing_attribute(__name__, name, globals())

    def function(*arrays: Any, name: str | None = None, attr: Any = None, out: Any = None, **params: Any) -> Any:
        values = tuple(params.pop(key, _Null) for key in op.params)
        if op.count_key is None and op.arrays:
            return compose(op, hint, name, attr, params, arrays, values)
        return compose_list(op, hint, name, attr, params, arrays, values)

    hint = name.lower()
    function.__name__ = function.__qualname__ = op.name
    globals()[name] = function
    return function
