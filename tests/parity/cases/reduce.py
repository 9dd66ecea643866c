"""Reductions."""

from __future__ import annotations

from cases import FLOATS, INTS, Case, arr, case, forward

SUMS = ("sum", "mean", "prod", "nansum", "nanprod", "max", "min")
AXES = (
    {}, {"axis": 0}, {"axis": 1}, {"axis": -1}, {"axis": (0, 2)}, {"axis": (1, 2), "keepdims": True}, {"axis": (-1, 0)},
    {"axis": 1, "exclude": True}, {"axis": (0, 1), "exclude": True, "keepdims": True}, {"axis": ()}, {"keepdims": True}, {"axis": (0, 1, 2)},
)


def rule_of(op: str) -> str:
    return {"prod": "nonzero", "nanprod": "nonzero", "max": "distinct", "min": "distinct"}.get(op, "normal")


def reductions() -> list[Case]:
    cases = []
    for op in SUMS:
        rule = rule_of(op)
        for params in AXES:
            cases.append(case(op, (2, 3, 4), rule=rule, **params))
        for shape, axis in (((1,), 0), ((5, 1), 1), ((3, 67), 1), ((67, 3), 0), ((2, 3, 4, 5), (1, 3)), ((2, 1, 3, 1, 2), (0, 4))):
            cases.append(case(op, shape, rule=rule, axis=axis))
        cases += [case(op, (3, 7), rule=rule, dtype=d, axis=1) for d in FLOATS[1:]]
        cases += [case(op, (3, 4), rule=rule, dtype=d, axis=0, options={"probe": True}) for d in INTS]
    for op in ("max", "min"):
        cases.append(case(op, (3, 8), rule="ties", axis=1))
        cases.append(case(op, (3, 8), rule="ties"))
    for op in ("nansum", "nanprod"):
        cases += [case(op, (4, 5), rule="nan", axis=a) for a in (0, 1)]
        cases.append(case(op, (4, 5), rule="nan"))
    for op in ("sum", "mean"):
        cases.append(case(op, (37, 41)))
        cases.append(case(op, (5, 9, 33), axis=(0, 2)))
        cases.append(case(op, (64, 65), dtype="float16", axis=0, options={"tol": 2.0}))
    cases += [case(a, (3, 4), axis=1) for a in ("sum_axis", "max_axis", "min_axis", "_sparse_sum", "_sparse_mean")]
    cases += [case(op, (2, 3), axis=a, options={"error": ("node", "axis", "2")}) for op, a in (("sum", 2), ("mean", -3), ("max", 5))]
    return cases


def norms() -> list[Case]:
    cases = []
    for order in (1, 2):
        for params in ({}, {"axis": 0}, {"axis": -1}, {"axis": 1, "keepdims": True}, {"axis": (0, 1)}, {"axis": (1, 2)}):
            cases.append(case("norm", (2, 3, 4), rule="nonzero", ord=order, **params))
        cases += [case("norm", (3, 5), rule="nonzero", ord=order, axis=1, dtype=d) for d in FLOATS[1:]]
    cases.append(case("norm", (67,), rule="nonzero"))

    return cases


def arguments() -> list[Case]:
    cases = []
    for op in ("argmax", "argmin"):
        for params in ({}, {"axis": 0}, {"axis": 1}, {"axis": -1}, {"axis": 1, "keepdims": True}, {"axis": 2}):
            cases.append(case(op, (2, 3, 4), rule="distinct", **params))
        cases.append(case(op, (3, 67), rule="ties", axis=1))
        cases.append(case(op, (1, 5), rule="ties", axis=0))
        cases += [case(op, (3, 9), rule="distinct", axis=1, dtype=d) for d in FLOATS[1:]]
        cases += [forward(op, (3, 9), rule="distinct", axis=1, dtype=d, options={"probe": True}) for d in INTS]
    cases += [forward("argmax_channel", s, rule="distinct") for s in ((3, 5), (2, 3, 4))]
    cases.append(forward("argmax_channel", (3, 5), rule="ties"))
    for params in ({"axes": (0,)}, {"axes": (1,)}, {"axes": (0, 2)}, {"axes": (1, 2), "keepdims": True}):
        cases.append(case("moments", arr(2, 3, 4), **params))
    cases.append(case("moments", arr(3, 4, dtype="float64"), axes=(1,)))
    return cases


CASES = reductions() + norms() + arguments()
