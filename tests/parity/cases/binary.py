"""Elementwise operators of two inputs: equal shapes, broadcasting, and with a scalar."""

from __future__ import annotations

from harness import Array

from cases import FLOATS, INTS, Case, case, forward

# Name without prefix: rule of the left and of the right values.
ARITHMETIC = {
    "add": ("normal", "normal"),
    "sub": ("normal", "normal"),
    "mul": ("normal", "normal"),
    "div": ("normal", "nonzero"),
    "mod": ("normal", "nonzero"),
    "power": ("positive", "normal"),
    "maximum": ("distinct", ("uniform", -2, 2)),
    "minimum": ("distinct", ("uniform", -2, 2)),
    "hypot": ("nonzero", "nonzero"),
}
COMPARISON = ("equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal")
LOGIC = ("logical_and", "logical_or", "logical_xor")
ELEMWISE = {"add": "elemwise_add", "sub": "elemwise_sub", "mul": "elemwise_mul", "div": "elemwise_div"}
# A broadcast that reaches each way of lining up the axes.
SHAPES = [
    ((2, 3), (2, 3)),
    ((2, 3), (1, 3)),
    ((2, 1), (1, 3)),
    ((3, 1, 2), (1, 4, 1)),
    ((2, 1, 4, 1), (1, 3, 1, 5)),
    ((1,), (7,)),
    ((2, 3, 4), (1, 1, 1)),
    ((1, 1), (4, 17)),
    ((5, 1, 3), (5, 19, 3)),
    ((2, 3, 1, 2, 2), (1, 3, 4, 1, 2)),
]


def pair(shapes: tuple, rules: tuple, dtype: str) -> tuple[Array, Array]:
    return Array(shapes[0], rules[0], dtype), Array(shapes[1], rules[1], dtype)


def whole(rules: tuple) -> tuple:
    """Rules that mean something for whole numbers."""
    return tuple(r if isinstance(r, str) else "normal" for r in rules)


def elemwise_cases() -> list[Case]:
    cases = []
    rows = {ELEMWISE.get(n, f"_{n}"): rules for n, rules in ARITHMETIC.items()}
    for op, rules in rows.items():
        for shape in ((3, 4), (1, 5, 1), (67,), (2, 3, 2, 2)):
            cases.append(case(op, *pair((shape, shape), rules, "float32")))
        cases += [case(op, *pair(((2, 5), (2, 5)), rules, d)) for d in FLOATS[1:]]
        cases += [case(op, *pair(((2, 5), (2, 5)), whole(rules), d), options={"probe": True}) for d in INTS]
    for op in (f"_{n}" for n in (*COMPARISON, *LOGIC)):
        rule = ("mixed", "mixed") if "logical" in op else ("half", "half")
        cases += [case(op, *pair((s, s), rule, "float32")) for s in ((3, 4), (5, 13))]
        cases += [case(op, *pair(((2, 5), (2, 5)), ("mixed", "mixed"), d), options={"probe": True}) for d in (*FLOATS[1:], *INTS)]
    cases += [case(op, *pair(((4, 5), (4, 5)), ("half", "half"), "float32")) for op in ("_maximum", "_minimum")]
    cases.append(case("_mod", *pair(((6, 6), (6, 6)), (("uniform", -9, 9), "nonzero"), "float32")))
    cases.append(case("_mod", *pair(((6, 6), (6, 6)), ("normal", "nonzero"), "int32"), options={"probe": True}))
    cases.append(case("_power", *pair(((3, 5), (3, 5)), ("nonzero", ("int", -3, 4)), "float32"), options={"grad": False}))
    cases.append(forward("_grad_add", (3, 4), (3, 4)))
    cases.append(case("_hypot", *pair(((3, 4), (3, 4)), ("normal", "normal"), "float64")))
    for alias in ("_Plus", "_Minus", "_Mul", "_Div", "_sparse_elemwise_add", "_sparse_elemwise_mul", "_add", "_sub"):
        cases.append(case(alias, *pair(((3, 4), (3, 4)), ("normal", "nonzero"), "float32")))
    for op in ("elemwise_add", "elemwise_mul", "_power", "_equal"):
        cases.append(case(op, (2, 3), (2, 4), options={"error": ("node", "3", "4")}))
    same = {"x": lambda mx, x: x + x, "x*x": lambda mx, x: x * x, "x-x": lambda mx, x: x - x, "x/x": lambda mx, x: x / x}
    for tag, build in same.items():
        cases.append(case("elemwise_add", (3, 4), rule="nonzero", build=build, options={"tag": f"same-{tag}"}))
    for count in (1, 2, 3, 7):
        cases.append(case("add_n", *[(3, 4)] * count))
    cases.append(case("add_n", *[(2, 19)] * 5))
    cases += [case("add_n", *[(2, 5)] * 3, dtype=d) for d in (*FLOATS[1:], "int32")]
    cases += [case(a, *[(2, 5)] * 3) for a in ("ElementWiseSum", "_sparse_ElementWiseSum")]
    return cases


def broadcast_cases() -> list[Case]:
    cases = []
    for name, rules in ARITHMETIC.items():
        op = f"broadcast_{name}"
        cases += [case(op, *pair(s, rules, "float32")) for s in SHAPES]
        cases += [case(op, *pair(((2, 1, 3), (1, 4, 3)), rules, d)) for d in FLOATS[1:]]
        cases += [case(op, *pair(((2, 1), (1, 5)), whole(rules), d), options={"probe": True}) for d in INTS]
    for name in (*COMPARISON, *LOGIC):
        op = f"broadcast_{name}"
        rule = ("mixed", "mixed") if "logical" in op else ("half", "half")
        cases += [case(op, *pair(s, rule, "float32")) for s in SHAPES[::3]]
        cases += [case(op, *pair(((2, 1), (1, 5)), ("mixed", "mixed"), d), options={"probe": True}) for d in (*FLOATS[1:], *INTS)]
    for alias in ("broadcast_plus", "broadcast_minus"):
        cases.append(case(alias, (2, 1), (1, 3)))
    cases += [case(op, (2, 3), (4, 3), options={"error": ("node", "2", "4")}) for op in ("broadcast_add", "broadcast_mul", "broadcast_equal")]
    for axis, size in ((0, 4), (1, 3), (2, 5), ((0, 2), (4, 5)), ((0, 1, 2), (2, 3, 4)), ((2, 0), (5, 4))):
        for op in ("broadcast_axis", "broadcast_axes"):
            cases.append(case(op, (1, 1, 1), axis=axis, size=size))
    cases.append(case("broadcast_axis", (3, 1, 2), axis=1, size=4))
    cases += [case("broadcast_axis", (2, 1), axis=1, size=3, dtype=d) for d in (*FLOATS[1:], *INTS)]
    cases.append(case("broadcast_axis", (2, 3), axis=0, size=4, options={"error": ("node",)}))
    for shape in ((4, 3), (1, 3), (0, 3), (4, 0)):
        cases.append(case("broadcast_to", (1, 3), shape=shape))
    cases.append(case("broadcast_to", (1, 3, 1, 2), shape=(5, 3, 4, 2)))
    cases += [case("broadcast_to", (1, 3), shape=(2, 3), dtype=d) for d in (*FLOATS[1:], *INTS)]
    cases.append(case("broadcast_to", (2, 3), shape=(4, 3), options={"error": ("node", "4")}))
    cases.append(case("broadcast_like", (1, 3), (4, 3)))
    cases.append(case("broadcast_like", (1, 3, 1), (4, 3, 5)))
    cases.append(case("broadcast_like", (1, 2, 3), (4, 5), lhs_axes=(0,), rhs_axes=(1,)))
    cases.append(case("broadcast_like", (1, 2, 1), (4, 5, 6), lhs_axes=(0, -1), rhs_axes=(-1, 0)))
    cases.append(case("broadcast_like", (1, 3), (2, 3), dtype="float64"))
    return cases


def scalar_cases() -> list[Case]:
    cases = []
    rows = {
        "_plus_scalar": "normal", "_minus_scalar": "normal", "_rminus_scalar": "normal", "_mul_scalar": "normal",
        "_div_scalar": "normal", "_rdiv_scalar": "nonzero", "_mod_scalar": "normal", "_rmod_scalar": "nonzero",
        "_power_scalar": "positive", "_rpower_scalar": "normal", "_maximum_scalar": "distinct", "_minimum_scalar": "distinct",
        "_hypot_scalar": "nonzero",
    }
    for op, rule in rows.items():
        for scalar in (2.0, 0.75) if "power" in op else (2.0, 0.75, -1.5):
            cases.append(case(op, (3, 5), rule=rule, scalar=scalar))
        cases.append(case(op, (1, 67), rule=rule, scalar=3))
        cases.append(case(op, (2, 3), rule=rule))
        cases += [case(op, (2, 5), rule=rule, dtype=d, scalar=1.25) for d in FLOATS[1:]]
        cases += [case(op, (2, 5), rule=rule, dtype=d, scalar=3, options={"probe": True}) for d in INTS]
        cases += [case(op, (2, 5), rule=rule, dtype=d, scalar=2.5, is_int=False, options={"probe": True}) for d in ("int32", "int64")]
    cases += [case("_power_scalar", (3, 5), rule="nonzero", scalar=s) for s in (2, 3, -1, -2, 0, 1)]
    cases += [case("_power_scalar", (3, 5), rule="positive", scalar=s) for s in (0.5, -0.5, 1.7)]
    cases += [case("_maximum_scalar", (3, 5), rule="half", scalar=0.5), case("_minimum_scalar", (3, 5), rule="half", scalar=0.5)]
    for name in COMPARISON:
        op = f"_{name}_scalar"
        cases += [case(op, (4, 5), rule="half", scalar=s) for s in (0, 0.5, -1)]
        cases += [case(op, (2, 5), rule="ties", dtype=d, scalar=1, options={"probe": True}) for d in (*FLOATS[1:], *INTS)]
    for name in LOGIC:
        op = f"_{name}_scalar"
        cases += [case(op, (4, 5), rule="mixed", scalar=s) for s in (0, 1, -2)]
        cases += [case(op, (2, 5), rule="mixed", dtype=d, scalar=1, options={"probe": True}) for d in (*FLOATS[1:], *INTS)]
    for alias in ("_PlusScalar", "_MinusScalar", "_RMinusScalar", "_MulScalar", "_DivScalar", "_RDivScalar", "_PowerScalar", "_RPowerScalar"):
        cases.append(case(alias, (2, 5), rule="positive", scalar=1.5))
    operators = {
        "2-x": lambda mx, x: 2 - x, "x%2": lambda mx, x: x % 2, "2/x": lambda mx, x: 2 / x, "x**3": lambda mx, x: x**3,
        "2**x": lambda mx, x: 2**x, "-x": lambda mx, x: -x, "x>1": lambda mx, x: x > 1, "1>x": lambda mx, x: x < 1,
        "pow": lambda mx, x: mx.sym.power(x, 3), "rpow": lambda mx, x: mx.sym.power(4, x),
        "max": lambda mx, x: mx.sym.maximum(x, 1), "min": lambda mx, x: mx.sym.minimum(1, x), "hyp": lambda mx, x: mx.sym.hypot(x, 3),
    }
    for tag, build in operators.items():
        cases.append(case("_plus_scalar", (3, 4), rule="positive", build=build, options={"tag": tag}))
    return cases


CASES = elemwise_cases() + broadcast_cases() + scalar_cases()
