"""Densities of samples: the certain ones among the random operators."""

from __future__ import annotations

from cases import Case, arr, case

COUNTS = ("int", 0, 6)
# Operator: rule of the samples, rules of the parameters.
ROWS = {
    "uniform": (("uniform", 0.1, 0.9), (("uniform", -1, 0), ("uniform", 1, 2))),
    "normal": ("normal", ("normal", "positive")),
    "gamma": ("positive", ("positive", "positive")),
    "exponential": ("positive", ("positive",)),
    "poisson": (COUNTS, ("positive",)),
    "negative_binomial": (COUNTS, (("int", 1, 6), ("uniform", 0.1, 0.9))),
    "generalized_negative_binomial": (COUNTS, ("positive", "positive")),
}


def densities() -> list[Case]:
    cases = []
    for name, (sample, rules) in ROWS.items():
        op = f"_random_pdf_{name}"
        for dtype in ("float32", "float64"):
            # 1.9.1 computes logarithms of gamma functions in float32.
            options = {"tol": 20.0 if dtype == "float32" else 1e6, "probe": True}
            for is_log in (False, True):
                for shape, batch in (((3, 4), (3,)), ((1, 5), (1,)), ((2, 3, 2), (2, 3))):
                    parameters = [arr(*batch, rule=r, dtype=dtype) for r in rules]
                    cases.append(case(op, arr(*shape, rule=sample, dtype=dtype), *parameters, is_log=is_log, options=options))
    for is_log in (False, True):
        inputs = arr(2, 3, 4, rule="prob"), arr(2, 4, rule="positive")
        cases.append(case("_random_pdf_dirichlet", *inputs, is_log=is_log, options={"tol": 20.0}))
    return cases


CASES = densities()
