"""Operators whose names start with an underscore."""

from __future__ import annotations

from typing import Any

from .._op import find_op, missing_attribute
from ..base import _Null
from . import _gen_internal
from ._gen_internal import *  # noqa: F403
from ._invoke import invoke, invoke_list

__all__ = list(_gen_internal.__all__)


def __getattr__(name: str) -> Any:
    """Make the function of an operator that has no generated one (backward operators, extensions)."""
    op = None if name.startswith("__") else find_op(name)
    if op is None:
        raise missing_attribute(__name__, name, globals())

    def function(*arrays: Any, out: Any = None, name: str | None = None, **params: Any) -> Any:
        values = tuple(params.pop(key, _Null) for key in op.params)
        run = invoke if op.count_key is None else invoke_list
        return run(op, arrays, values, out, params)

    function.__name__ = function.__qualname__ = op.name
    globals()[name] = function
    return function
