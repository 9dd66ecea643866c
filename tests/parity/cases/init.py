"""Operators that make arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cases import ALL, Case, arr, case


def with_dtype(c: Case, dtype: str) -> Case:
    return replace(c, params=(*c.params, ("dtype", dtype)))


def makers() -> list[Case]:
    cases = []
    for op in ("_zeros", "_ones"):
        cases += [case(op, shape=s) for s in ((2, 3), (4,), (1, 1, 2))]
        cases += [with_dtype(case(op, shape=(2, 3)), d) for d in (*ALL, "bool")]
    cases += [case("_full", shape=(2, 3), value=v) for v in (1.5, -2, 0)]
    cases += [with_dtype(case("_full", shape=(2, 3), value=3), d) for d in ALL]
    # Its dtype is that of the array it writes.
    write = {"imperative": True, "out": (0,), "tag": "out"}
    for dtype in ("float32", "int32"):
        array = arr(2, 3, dtype=dtype)
        cases.append(case("_zeros_without_dtype", array, build=fill_with_zeros, options=write))
    for params in ({"N": 3}, {"N": 3, "M": 4}, {"N": 4, "M": 2, "k": -1}, {"N": 3, "k": 2}, {"N": 1}):
        cases.append(case("_eye", **params))
    cases += [with_dtype(case("_eye", N=3), d) for d in ALL]
    for params in (
        {"start": 0, "stop": 5}, {"start": 5}, {"start": 2, "stop": 10, "step": 3}, {"start": 1, "stop": 0, "step": -0.25}, {"start": 0, "stop": 3, "repeat": 2},
        {"start": 0.5, "stop": 4}, {"start": 0, "stop": 1, "step": 0.1}, {"start": -3, "stop": 300, "step": 7},
    ):
        cases.append(case("_arange", **params))
    cases += [with_dtype(case("_arange", start=1, stop=9, step=2), d) for d in ALL]
    cases.append(case("_arange", arr(2, 3), build=lambda mx, x: mx.sym.arange(0, infer_range=True) + x.reshape((-1,)), options={"tag": "range"}))
    for params in ({"start": 0, "stop": 1, "num": 5}, {"start": 0, "stop": 1, "num": 5, "endpoint": False}, {"start": 3, "stop": -2, "num": 7}, {"start": 1, "stop": 2, "num": 1}):
        cases.append(case("_linspace", **params))
    cases += [with_dtype(case("_linspace", start=0, stop=8, num=5), d) for d in ALL]
    for op in ("zeros_like", "ones_like"):
        cases += [case(op, s) for s in ((2, 3), (1,))]
        cases += [case(op, (2, 3), dtype=d) for d in ALL[1:]]
    cases.append(case("_sparse_zeros_like", (2, 3)))
    return cases


def fill_with_zeros(mx: Any, _: Any, out: Any) -> Any:
    return mx.nd._internal._zeros_without_dtype(shape=(2, 3), out=out)


def front_ends() -> list[Case]:
    rows = {
        "zeros": ("_zeros", lambda mx: mx.sym.zeros((2, 3))),
        "zeros-int": ("_zeros", lambda mx: mx.sym.zeros(shape=4, dtype="int32")),
        "ones": ("_ones", lambda mx: mx.sym.ones((2, 3), dtype="float64")),
        "full": ("_full", lambda mx: mx.sym.full((2, 3), 2.5)),
        "arange": ("_arange", lambda mx: mx.sym.arange(4)),
        "arange-all": ("_arange", lambda mx: mx.sym.arange(1, 9, 2.0, repeat=2, dtype="int32")),
        "linspace": ("_linspace", lambda mx: mx.sym.linspace(0, 1, 5)),
        "linspace-open": ("_linspace", lambda mx: mx.sym.linspace(0, 1, 5, endpoint=False)),
        "eye": ("_eye", lambda mx: mx.sym.eye(3, 4, 1)),
    }
    return [case(op, build=build, options={"tag": f"front-{tag}"}) for tag, (op, build) in rows.items()]


CASES = makers() + front_ends()
