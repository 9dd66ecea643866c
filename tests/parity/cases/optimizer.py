"""Optimizer updates: imperative calls that write weights and states."""

from __future__ import annotations

from typing import Any

from harness import Array

from cases import Case, arr, case

LR = {"lr": 0.1}
# Operator: the rule of every state after weight and gradient, and the parameters to try.
SINGLE: dict[str, tuple[tuple[Any, ...], list[dict[str, Any]]]] = {
    "sgd_update": ((), [{}, {"wd": 0.01}, {"rescale_grad": 0.5, "clip_gradient": 0.3}, {"lazy_update": False}]),
    "sgd_mom_update": (("normal",), [{}, {"momentum": 0.9}, {"momentum": 0.9, "wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.3}]),
    "nag_mom_update": (("normal",), [{}, {"momentum": 0.9}, {"momentum": 0.9, "wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.3}]),
    "adam_update": (("normal", "positive"), [{}, {"beta1": 0.8, "beta2": 0.9, "epsilon": 1e-3}, {"wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.3}]),
    "rmsprop_update": (("positive",), [{}, {"gamma1": 0.9, "epsilon": 1e-3}, {"wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.3, "clip_weights": 0.8}]),
    "rmspropalex_update": (
        (("uniform", 2, 4), ("uniform", -1, 1), "normal"),
        [{}, {"gamma1": 0.9, "gamma2": 0.7, "epsilon": 1e-3}, {"wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.3, "clip_weights": 0.8}],
    ),
    "ftrl_update": (("normal", "positive"), [{}, {"lamda1": 0.5, "beta": 0.5}, {"wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.3}]),
    "signsgd_update": ((), [{}, {"wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.3}]),
    "signum_update": (("normal",), [{}, {"momentum": 0.9}, {"momentum": 0.9, "wd": 0.01, "wd_lh": 0.02, "rescale_grad": 0.5, "clip_gradient": 0.3}]),
    "ftml_update": (("positive", "positive", "normal"), [{"t": 2}, {"t": 3, "wd": 0.01, "rescale_grad": 0.5, "clip_grad": 0.3}]),
    "_sparse_adagrad_update": (("positive",), [{}, {"wd": 0.0, "rescale_grad": 0.5, "clip_gradient": 0.3}]),
}
WRITE = {"imperative": True, "out": (0,)}
SHAPES = ((3, 4), (67,), (1, 1))


def single() -> list[Case]:
    cases = []
    for op, (states, rows) in SINGLE.items():
        for params in rows:
            cases.append(update(op, (3, 4), states, {**LR, **params}))
        for shape in SHAPES[1:]:
            cases.append(update(op, shape, states, {**LR, **rows[-1]}))
        cases += [update(op, (2, 5), states, {**LR, **rows[-1]}, dtype) for dtype in ("float64", "float16")]
    for op in ("_sparse_sgd_update", "_sparse_adam_update"):
        states, rows = SINGLE[op.removeprefix("_sparse_")]
        cases.append(update(op, (3, 4), states, {**LR, **rows[-1]}))
    return cases


def update(op: str, shape: tuple[int, ...], states: tuple[Any, ...], params: dict[str, Any], dtype: str = "float32") -> Case:
    inputs = [arr(*shape, dtype=dtype), arr(*shape, dtype=dtype), *[arr(*shape, rule=rule, dtype=dtype) for rule in states]]
    # 1.9.1 rounds every intermediate result of these to half precision.
    tol = 8.0 if dtype == "float16" and op in ("ftml_update", "ftrl_update") else 1.0
    return case(op, *inputs, options={**WRITE, "probe": True, "sparse_oracle": op == "_sparse_adagrad_update", "tol": tol}, **params)


def mixed() -> list[Case]:
    """Low-precision weights beside their float32 copies."""
    cases = []
    clipped = {"wd": 0.01, "rescale_grad": 0.5, "clip_gradient": 0.3}
    for op, moments in (("mp_sgd_update", 0), ("mp_sgd_mom_update", 1), ("mp_nag_mom_update", 1)):
        momentum = {"momentum": 0.9} if moments else {}
        for params in ({}, clipped):
            for dtype in ("float16", "float32"):
                inputs = [arr(3, 4, dtype=dtype), arr(3, 4, dtype=dtype), *[arr(3, 4) for _ in range(moments + 1)]]
                cases.append(case(op, *inputs, options={**WRITE, "probe": True}, **LR, **momentum, **params))
    return cases


def lamb() -> list[Case]:
    cases = []
    for bias in (True, False):
        for extra in ({}, {"rescale_grad": 0.5, "clip_gradient": 0.3}):
            states = [arr(3, 4), arr(3, 4, rule="positive")]
            params = {"t": 2, "wd": 0.01, "bias_correction": bias, **extra}
            cases.append(case("lamb_update_phase1", arr(3, 4), arr(3, 4), *states, options={"imperative": True}, **params))
            low = [arr(3, 4, dtype="float16"), arr(3, 4, dtype="float16")]
            cases.append(case("mp_lamb_update_phase1", *low, *states, arr(3, 4), options={"imperative": True}, **params))
    for bounds in ({}, {"lower_bound": 2.0, "upper_bound": 2.5}):
        norms = [arr(1, rule="positive"), arr(1, rule="positive")]
        cases.append(case("lamb_update_phase2", arr(3, 4), arr(3, 4), *norms, options=WRITE, **LR, **bounds))
        # 1.9.1 leaves the float32 weight as it was.
        mixed_inputs = [arr(3, 4, dtype="float16"), arr(3, 4), *norms, arr(3, 4)]
        cases.append(case("mp_lamb_update_phase2", *mixed_inputs, options={**WRITE, "unlike": (4,)}, **LR, **bounds))
    cases.append(case("lamb_update_phase2", arr(3, 4), arr(3, 4), arr(1, rule=("fill", 0)), arr(1), options=WRITE, **LR))
    for extra in ({}, {"bias_correction": False, "rescale_grad": 0.5, "clip_gradient": 0.4}, {"lower_bound": 1.0, "upper_bound": 1.5}):
        params = {"learning_rates": (0.1, 0.2), "wds": (0.01, 0.0), "step_count": (2, 3), "num_tensors": 2, **extra}
        for op, dtype in (("_multi_lamb_update", "float32"), ("_multi_mp_lamb_update", "float16")):
            inputs, out = [], []
            for shape in ((3, 4), (5,)):
                out.append(len(inputs))
                inputs += [arr(*shape, dtype=dtype), arr(*shape, dtype=dtype), arr(*shape), arr(*shape, rule="positive")]
                if "mp" in op:
                    inputs.append(arr(*shape))
            cases.append(case(op, *inputs, options={"imperative": True, "out": tuple(out), "probe": True}, **params))
    return cases


def several() -> list[Case]:
    """Many weights in one call; preloaded ones take learning rates and decays as arrays."""
    cases = []
    shapes = ((3, 4), (5,), (2, 1, 3))
    for momentum in (False, True):
        for low in (False, True):
            for preloaded in (False, True):
                name = f"multi_{'mp_' if low else ''}sgd_{'mom_' if momentum else ''}update"
                op = f"preloaded_{name}" if preloaded else name
                inputs: list[Array] = []
                out = []
                dtype = "float16" if low else "float32"
                for shape in shapes:
                    out.append(len(inputs))
                    inputs += [arr(*shape, dtype=dtype), arr(*shape, dtype=dtype)]
                    inputs += [arr(*shape) for _ in range(momentum + low)]
                params: dict[str, Any] = {"num_weights": len(shapes)}
                if preloaded:
                    inputs += [arr(3, rule="positive"), arr(3, rule=("uniform", 0, 0.1))]
                else:
                    params |= {"lrs": (0.1, 0.2, 0.3), "wds": (0.0, 0.01, 0.02)}
                if momentum:
                    params["momentum"] = 0.9
                options = {"imperative": True, "out": tuple(out)}
                cases.append(case(op, *inputs, options=options, **params))
                cases.append(case(op, *inputs, options=options, rescale_grad=0.5, clip_gradient=0.3, **params))
    return cases


def helpers() -> list[Case]:
    cases = [case("multi_sum_sq", (3, 4), (5,), options={"imperative": True}, num_arrays=2)]
    lars = [arr(3, rule="positive") for _ in range(4)]
    cases.append(case("multi_lars", *lars, options={"imperative": True}, eta=0.1, eps=1e-6, rescale_grad=0.5))
    for op, dtype in (("_adamw_update", "float32"), ("_mp_adamw_update", "float16")):
        inputs = [arr(3, 4, dtype=dtype), arr(3, 4, dtype=dtype), arr(3, 4), arr(3, 4, rule="positive")]
        if "mp" in op:
            inputs.append(arr(3, 4))
        # 1.9.1 writes the rescaled gradient over the gradient.
        options = {**WRITE, "unlike": () if "mp" in op else (1,)}
        cases.append(case(op, *inputs, arr(1, rule="positive"), options=options, lr=0.1, eta=0.5, wd=0.01, clip_gradient=0.5))
    return cases


CASES = single() + mixed() + lamb() + several() + helpers()
