"""Symbolic gradients against finite differences, on small float64 arrays."""

from __future__ import annotations

import harness
import mxnet as mx
import numpy as np
import pytest
from mxnet.test_utils import check_numeric_gradient

# Losses: their gradient is not that of their output.
LOSSES = {
    "LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput", "SoftmaxOutput", "Softmax", "MakeLoss", "make_loss", "SVMOutput",
    "IdentityAttachKLSparseReg", "BlockGrad", "stop_gradient", "_sparse_make_loss",
}
# Gradients that are not the derivative by design, or operators without float64.
SPECIAL = {
    "_contrib_round_ste", "_contrib_sign_ste", "_contrib_gradientmultiplier", "_sparse_LinearRegressionOutput", "_sparse_LogisticRegressionOutput",
    "_sparse_MAERegressionOutput", "_contrib_boolean_mask", "amp_cast", "amp_multicast", "Cast", "_image_to_tensor", "_image_resize", "Correlation",
}
# Only the symmetric part of their input matters, and of the gradient.
SYMMETRIC = {"_linalg_potrf", "_linalg_potri", "_linalg_syevd"}
# Inputs with more elements would take long.
LARGEST = 40


def smooth_cases() -> list:
    """The first cases of each operator that stores gradients and is small."""
    found = []
    for family, cases in harness.families().items():
        golden = harness.Golden(family)
        count: dict[str, int] = {}
        for case in cases:
            entry = golden.index.get(case.key, {})
            if case.op in LOSSES | SPECIAL or not entry.get("grad") or case.error is not None or case.imperative:
                continue
            # Gradients of the extra outputs mean and var are left out by design; composite cases fix the dtype.
            if ("output_mean_var", True) in case.params or case.build is not None:
                continue
            size = sum(int(np.prod(a.shape)) for a in case.inputs if a.grad)
            if size > LARGEST or any(a.dtype in ("float16",) for a in case.inputs) or not kinkless(case):
                continue
            if any(e[0] == "float16" or not e[0].startswith("float") for e in entry["out"]):
                continue
            if count.get(case.op, 0) < 3:
                count[case.op] = count.get(case.op, 0) + 1
                found.append(pytest.param(case, id=f"{family}/{case.key}"))
    return found


def kinkless(case: harness.Case) -> bool:
    """Whether the values keep clear of steps and ties."""
    return not any(a.grad and a.rule in ("half", "ties", "mixed", "nan") for a in case.inputs)


def wide(case: harness.Case) -> harness.Case:
    """The case in float64."""
    from dataclasses import replace

    inputs = tuple(replace(a, dtype="float64") if a.dtype == "float32" and a.grad else a for a in case.inputs)
    return replace(case, inputs=inputs)


@pytest.mark.parametrize("case", smooth_cases())
def test_numeric_gradient(case: harness.Case) -> None:
    double = wide(case)
    values = {f"x{i}": v for i, v in enumerate(double.values())}
    symbol = harness.symbol_of(mx, double)
    if double.op in SYMMETRIC:
        x = mx.sym.Variable("x0")
        half = (x + mx.sym.SwapAxis(x, dim1=len(double.inputs[0].shape) - 2, dim2=len(double.inputs[0].shape) - 1)) / 2
        symbol = symbol(x0=half)
    # Batch statistics etc. keep float32 states beside float64 data in some operators; the types must be those of the case.
    aux = {name: values[name] for name in symbol.list_auxiliary_states()}
    location = {name: values[name] for name in symbol.list_arguments()}
    # Counts have no gradient by design, though they are stored as floats.
    wanted = [f"x{i}" for i in harness.wanted(double) if f"x{i}" in location and double.inputs[i].rule[0] != "int"]
    check_numeric_gradient(symbol, location, aux_states=aux or None, numeric_eps=1e-5, rtol=1e-3, atol=1e-5, grad_nodes=wanted, dtype=np.float64)
