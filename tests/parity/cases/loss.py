"""Outputs with a loss, and relatives. Their gradients do not depend on the head gradients unless they say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cases import FLOATS, Case, arr, case, index, literal


def regression() -> list[Case]:
    cases = []
    for op in ("LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput"):
        for shape in ((3, 4), (5, 1), (2, 3, 2), (67,)):
            cases.append(case(op, arr(*shape), arr(*shape, rule="half", grad=False)))
        cases.append(case(op, arr(4, 1), arr(4, rule="half", grad=False)))
        cases.append(case(op, arr(3, 4), arr(3, 4, grad=False), grad_scale=0.25))
        # The scale of the gradient is float32 in 1.9.1.
        cases += [case(op, arr(2, 3, dtype=d), arr(2, 3, dtype=d, grad=False), options={"tol": 100.0 if d == "float64" else 1.0}) for d in FLOATS[1:]]
        cases.append(case(op, arr(3, 4), arr(3, 5, grad=False), options={"error": ("node", "4", "5")}))
        cases.append(case(f"_sparse_{op}", arr(3, 4), arr(3, 4, grad=False)))
    return cases


def softmax_output() -> list[Case]:
    op, cases = "SoftmaxOutput", []
    cases += [case(op, arr(4, 5), index(4, high=5)), case("Softmax", arr(4, 5), index(4, high=5)), case(op, arr(1, 2), index(1, high=2))]
    cases.append(case(op, arr(3, 131), index(3, high=131)))
    for params in (
        {"grad_scale": 0.5}, {"normalization": "batch"}, {"normalization": "valid"}, {"normalization": "null"}, {"use_ignore": True, "ignore_label": 1},
        {"use_ignore": True, "ignore_label": 0, "normalization": "valid"}, {"smooth_alpha": 0.1}, {"use_ignore": True}, {"smooth_alpha": 0.2, "normalization": "batch"},
    ):
        cases.append(case(op, arr(5, 4), index(5, high=4), **params))
    for params in ({}, {"normalization": "valid"}, {"normalization": "batch"}, {"use_ignore": True, "ignore_label": 1}, {"use_ignore": True, "ignore_label": 2, "normalization": "valid"}):
        cases.append(case(op, arr(2, 3, 4), index(2, 4, high=3), multi_output=True, **params))
    cases.append(case(op, arr(2, 3, 2, 3), index(2, 2, 3, high=3), multi_output=True))
    cases.append(case(op, arr(2, 3, 2, 3), index(2, 6, high=3), multi_output=True))
    cases.append(case(op, arr(2, 3, 4), index(2, 3, high=4), preserve_shape=True, options={"kernels": "plain"}))
    cases.append(case(op, arr(4, 5), arr(4, 5, rule="prob", grad=False)))
    cases += [case(op, arr(4, 5, dtype=d), index(4, high=5, dtype=d), options={"probe": True}) for d in FLOATS[1:]]
    cases.append(case(op, arr(4, 5), index(3, high=5), options={"error": ("node", "4", "3")}))
    return cases


def others() -> list[Case]:
    cases = []
    for params in ({}, {"grad_scale": 0.5}, {"normalization": "batch"}, {"normalization": "valid", "valid_thresh": 0.2}):
        cases += [case("MakeLoss", s, **params) for s in ((3, 4), (5,))]
    for op in ("make_loss", "_sparse_make_loss", "BlockGrad", "stop_gradient"):
        cases += [case(op, s) for s in ((3, 4), (5,))]
        cases.append(case(op, (2, 3), dtype="float64"))
    cases += [case("MakeLoss", (2, 3), dtype=d) for d in FLOATS[1:]]
    for shape in ((4, 5), (1, 2)):
        cases.append(case("softmax_cross_entropy", arr(*shape), index(shape[0], high=shape[1])))
    cases.append(case("softmax_cross_entropy", arr(3, 4, dtype="float64"), index(3, high=4, dtype="float64")))
    for params in ({}, {"margin": 0.5}, {"regularization_coefficient": 0.3}, {"use_linear": True}, {"use_linear": True, "margin": 2.0}):
        cases.append(case("SVMOutput", arr(5, 4), index(5, high=4), **params))
    cases.append(case("SVMOutput", arr(3, 4, dtype="float64"), index(3, high=4, dtype="float64")))
    for penalty in (0.001, 0.5):
        inputs = arr(4, 3, rule=("uniform", 0.1, 0.9)), arr(3, rule=("uniform", 0.2, 0.8))
        cases.append(case("IdentityAttachKLSparseReg", *inputs, build=sparse_reg(penalty), options={"tag": f"penalty{penalty}"}))
    lengths = {"use_data_lengths": True, "use_label_lengths": True}
    data = arr(6, 2, 5)
    cases.append(case("CTCLoss", data, literal([[1.0, 2.0, 3.0], [2.0, 2.0, 0.0]])))
    cases.append(case("ctc_loss", data, literal([[1.0, 2.0], [4.0, 0.0]])))
    cases.append(case("CTCLoss", data, literal([[0.0, 2.0, 3.0], [2.0, 1.0, -1.0]]), blank_label="last"))
    cases.append(case("CTCLoss", data, literal([[1.0, 2.0, 3.0], [2.0, 3.0, 0.0]]), literal([6.0, 4.0]), literal([3.0, 2.0]), **lengths))
    cases.append(case("CTCLoss", data, literal([[1.0, 2.0, 3.0], [2.0, 3.0, 1.0]]), literal([5.0, 6.0]), use_data_lengths=True))
    cases.append(case("CTCLoss", arr(5, 1, 3), literal([[1.0, 1.0]])))
    return cases


def sparse_reg(penalty: float) -> Callable[..., Any]:
    params = {"sparseness_target": 0.2, "penalty": penalty, "momentum": 0.7}
    return lambda mx, x, average: mx.sym.IdentityAttachKLSparseReg(x, moving_avg=average, name="node", **params)


CASES = regression() + softmax_output() + others()
