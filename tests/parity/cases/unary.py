"""Elementwise operators of one input."""

from __future__ import annotations

from cases import ALL, FLOATS, INTS, Case, arr, case

# Operator, rule of the values on which it is smooth and defined, whether 1.9.1 accepts whole numbers.
TABLE = {
    "_copy": "normal",
    "abs": "nonzero",
    "arccos": ("uniform", -0.9, 0.9),
    "arccosh": ("uniform", 1.2, 4),
    "arcsin": ("uniform", -0.9, 0.9),
    "arcsinh": "normal",
    "arctan": "normal",
    "arctanh": ("uniform", -0.9, 0.9),
    "cbrt": "nonzero",
    "ceil": "normal",
    "cos": "normal",
    "cosh": "normal",
    "degrees": "normal",
    "erf": "normal",
    "erfinv": ("uniform", -0.9, 0.9),
    "exp": "normal",
    "expm1": "normal",
    "fix": "normal",
    "floor": "normal",
    "gamma": "positive",
    "gammaln": "positive",
    "hard_sigmoid": "normal",
    "log": "positive",
    "log10": "positive",
    "log1p": ("uniform", -0.8, 3),
    "log2": "positive",
    "logical_not": "mixed",
    "negative": "normal",
    "radians": "normal",
    "rcbrt": "nonzero",
    "reciprocal": "nonzero",
    "relu": "nonzero",
    "rint": "normal",
    "round": "normal",
    "rsqrt": "positive",
    "sigmoid": "normal",
    "sign": "nonzero",
    "sin": "normal",
    "sinh": "normal",
    "softsign": "normal",
    "sqrt": "positive",
    "square": "normal",
    "tan": ("uniform", -1.3, 1.3),
    "tanh": "normal",
    "trunc": "normal",
}
# Every integer-valued input is sensible for these.
ROUNDING = ("ceil", "fix", "floor", "rint", "round", "trunc")
INTEGER = ("_copy", "abs", "negative", "relu", "sign", "square", "logical_not", *ROUNDING)


def table_cases() -> list[Case]:
    cases = []
    for op, rule in TABLE.items():
        # Low-precision results near a pole differ by the rounding of the argument alone.
        options = {"tol": 4.0} if op in ("gamma", "gammaln", "tan") else {}
        cases.append(case(op, (3, 4), rule=rule, options=options))
        cases.append(case(op, (1, 67, 3), rule=rule, options=options))
        # 1.9.1 has float32 constants in these, also for float64.
        wide = {"tol": 500.0} if op in ("degrees", "radians", "erf", "erfinv", "gamma", "gammaln") else options
        cases.append(case(op, (2, 5), rule=rule, dtype="float64", options=wide))
        cases.append(case(op, (2, 5), rule=rule, dtype="float16", options=options))
        if op in INTEGER:
            cases += [case(op, (2, 9), dtype=dtype, options={"probe": True}) for dtype in INTS]
    for op in ROUNDING:
        cases.append(case(op, (5, 5), rule="half"))
        cases.append(case(op, (4, 4), rule=("uniform", -1000, 1000)))
    for op in ("abs", "sign", "relu"):
        cases.append(case(op, (4, 6), rule="half"))
    special = ("values", [float("-inf"), -3.0, -0.5, -0.0, 0.0, 0.5, 2.0, float("inf"), float("nan"), 90.0, -90.0, 1e-30])
    for op in ("exp", "tanh", "sigmoid", "abs", "sqrt", "relu", "softsign", "erf", "log", "log1p", "expm1", "sign", "floor", "rsqrt", "square"):
        cases.append(case(op, (12,), rule=special, options={"grad": False}))
    large = ("uniform", -30, 30)
    for op in ("sigmoid", "tanh", "softsign", "erf", "sin", "cos", "arctan", "arcsinh"):
        cases.append(case(op, (4, 33), rule=large))
    cases.append(case("gamma", (9,), rule=("values", [-2.5, -1.5, -0.5, 0.5, 1.0, 2.0, 5.0, 7.5, 10.0])))
    cases.append(case("gammaln", (9,), rule=("values", [-2.5, -1.5, -0.5, 0.5, 1.0, 2.0, 5.0, 30.5, 100.0])))
    return cases


def cast_cases() -> list[Case]:
    cases = []
    for op in ("Cast", "amp_cast"):
        for source in ALL:
            for target in ALL:
                rule = "positive" if "uint8" in (source, target) else "nonzero"
                cases.append(case(op, (2, 5), rule=rule, dtype=source, dtype_=target, options={"kernels": "plain" if op == "amp_cast" else "both"}))
    cases += [case("Cast", (2, 4), rule="mixed", dtype_=t, dtype="bool") for t in ("float32", "int32")]
    cases += [case("Cast", (2, 4), rule="mixed", dtype=s, dtype_="bool", options={"grad": False}) for s in ("float32", "int32")]
    cases.append(case("Cast", (7,), rule=("values", [-3.7, -0.5, 0.5, 1.5, 2.5, 100.9, 65504.0]), dtype_="int32"))
    cases.append(case("Cast", (5,), rule=("values", [1e-8, 6e-5, 65519.0, 65520.0, 1e9]), dtype_="float16", options={"grad": False}))
    return [rename(c) for c in cases]


def rename(c: Case) -> Case:
    """`dtype` is an operator parameter here and a helper argument elsewhere."""
    from dataclasses import replace

    return replace(c, params=tuple((k.rstrip("_") if k == "dtype_" else k, v) for k, v in c.params))


def others() -> list[Case]:
    cases = []
    for low, high in ((-0.5, 0.5), (0, 6), (-1e30, 1e30), (1, 1)):
        cases.append(case("clip", (4, 9), a_min=low, a_max=high))
    cases += [case("clip", (2, 9), dtype=dtype, a_min=-2, a_max=3) for dtype in FLOATS[1:]]
    cases += [case("clip", (2, 9), dtype=dtype, a_min=1, a_max=3) for dtype in INTS]
    cases.append(case("clip", arr(3, 5, rule="half"), a_min=-1, a_max=1))
    cases += [case("hard_sigmoid", (4, 9), alpha=0.3, beta=0.4), case("hard_sigmoid", (4, 9), rule=("uniform", -5, 5))]
    cases += [case("hard_sigmoid", (2, 5), alpha=1, beta=0, dtype=dtype) for dtype in FLOATS]
    for shapes in (((3, 4), (3, 4)), ((2, 1), (2, 1))):
        cases.append(case("_identity_with_attr_like_rhs", *shapes))
    for alias in ("identity", "ceil", "_sparse_abs", "_sparse_exp", "_sparse_sin", "_sparse_sign", "_sparse_sigmoid", "stop_gradient"):
        cases.append(case(alias, (3, 5)))
    cases += [case("smooth_l1", (4, 9), scalar=s) for s in (0.5, 1.0, 3.0)]
    cases += [case("smooth_l1", (2, 5), scalar=1.0, dtype=dtype) for dtype in FLOATS[1:]]
    return cases


CASES = table_cases() + cast_cases() + others()
