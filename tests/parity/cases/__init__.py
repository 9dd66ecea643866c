"""Parity cases, one module a family of operators, each with a list CASES."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness import Array, Case

FLOATS = ("float32", "float64", "float16")
INTS = ("int32", "int64", "int8", "uint8")
ALL = FLOATS + INTS


def arr(*shape: int, rule: Any = "normal", dtype: str = "float32", grad: bool = True) -> Array:
    return Array(tuple(shape), rule, dtype, grad)


def index(*shape: int, high: int, low: int = 0, dtype: str = "float32") -> Array:
    """Whole numbers in [low, high), without a gradient."""
    return Array(tuple(shape), ("int", low, high), dtype, False)


def literal(values: list[Any], shape: tuple[int, ...] | None = None, dtype: str = "float32", grad: bool = False) -> Array:
    def count(v: Any) -> tuple[int, ...]:
        return (len(v), *count(v[0])) if isinstance(v, list) and v else ((0,) if isinstance(v, list) else ())

    return Array(shape if shape is not None else count(values), ("values", values), dtype, grad)


def case(
    op: str,
    *inputs: Array | tuple[int, ...],
    dtype: str = "float32",
    rule: Any = "normal",
    build: Callable[..., Any] | None = None,
    options: dict[str, Any] | None = None,
    **params: Any,
) -> Case:
    """A case; plain shapes become arrays of `dtype` and `rule`; `options` are fields of Case."""
    arrays = tuple(i if isinstance(i, Array) else Array(tuple(i), rule, dtype) for i in inputs)
    return Case(op, arrays, tuple(params.items()), build=build, **(options or {}))


def forward(op: str, *inputs: Array | tuple[int, ...], options: dict[str, Any] | None = None, **rest: Any) -> Case:
    """A case whose gradient is not looked at."""
    return case(op, *inputs, options={"grad": False, **(options or {})}, **rest)
