"""Linear algebra on the last two axes."""

from __future__ import annotations

from cases import Case, arr, case

# float32 results of factorisations differ by their conditioning.
LOOSE = {"tol": 20.0}


def gemms() -> list[Case]:
    cases = []
    for dtype in ("float32", "float64"):
        for a, b, c, params in (
            ((2, 3), (3, 4), (2, 4), {}), ((3, 2), (3, 4), (2, 4), {"transpose_a": True}), ((2, 3), (4, 3), (2, 4), {"transpose_b": True}),
            ((3, 2), (4, 3), (2, 4), {"transpose_a": True, "transpose_b": True, "alpha": 2.0, "beta": 0.5}),
            ((2, 2, 3), (2, 3, 4), (2, 2, 4), {"alpha": -1.0}), ((2, 2, 2, 3), (2, 2, 3, 1), (2, 2, 2, 1), {"beta": 0.0}),
            ((3, 2, 4), (4, 2, 5), (3, 2, 5), {"axis": 0}), ((2, 3, 2, 4), (2, 4, 2, 5), (2, 3, 2, 5), {"axis": 1}), ((1, 1), (1, 1), (1, 1), {}),
        ):
            cases.append(case("_linalg_gemm", a, b, c, dtype=dtype, **params))
            rest = {k: v for k, v in params.items() if k != "beta"}
            cases.append(case("_linalg_gemm2", a, b, dtype=dtype, **rest))
        cases.append(case("_linalg_gemm2", (33, 17), (17, 19), dtype=dtype))
    cases += [case("linalg_gemm2", (2, 3), (3, 2)), case("_linalg_gemm2", (2, 3), (4, 2), options={"error": ("node", "3", "4")})]
    return cases


def factors() -> list[Case]:
    cases = []
    for dtype in ("float32", "float64"):
        for shape in ((3, 3), (1, 1), (2, 4, 4), (2, 2, 2, 2), (9, 9)):
            spd, well = arr(*shape, rule="spd", dtype=dtype), arr(*shape, rule="well", dtype=dtype)
            cases += [case("_linalg_potrf", spd, options=LOOSE), case("_linalg_inverse", well, options=LOOSE), case("_linalg_det", well, options=LOOSE)]
            cases += [case("_linalg_slogdet", well, options=LOOSE), case("_linalg_sumlogdiag", spd, options=LOOSE)]
        cases.append(case("_linalg_potri", arr(3, 3, rule="spd", dtype=dtype), options=LOOSE))
        cases.append(case("_linalg_potrf", arr(3, 3, rule="spd", dtype=dtype), lower=False, options={**LOOSE, "probe": True}))
        for transpose in (False, True):
            for alpha in (1.0, -0.5):
                cases += [case("_linalg_syrk", s, transpose=transpose, alpha=alpha, dtype=dtype, options=LOOSE) for s in ((3, 4), (2, 4, 2), (1, 3))]
        for right in (False, True):
            for transpose in (False, True):
                for lower in (False, True):
                    b = (2, 4, 3) if right else (2, 3, 4)
                    params = {"rightside": right, "transpose": transpose, "lower": lower, "alpha": 1.5}
                    for op in ("_linalg_trsm", "_linalg_trmm"):
                        cases.append(case(op, arr(2, 3, 3, rule="well", dtype=dtype), arr(*b, dtype=dtype), options=LOOSE, **params))
        cases.append(case("_linalg_trsm", arr(3, 3, rule="well", dtype=dtype), arr(3, 2, dtype=dtype), options=LOOSE))
        cases.append(case("_linalg_gelqf", arr(2, 3, dtype=dtype), options={**LOOSE, "probe": True}))
        cases.append(case("_linalg_syevd", arr(3, 3, rule="spd", dtype=dtype), options={**LOOSE, "probe": True}))
        for op in ("_linalg_extractdiag", "_linalg_extracttrian"):
            cases += [case(op, (2, 3, 3), dtype=dtype, offset=k) for k in (0, 1, -1)]
        cases += [case("_linalg_makediag", (2, 3), dtype=dtype, offset=k) for k in (0, 1, -1)]
        cases += [case("_linalg_maketrian", (2, 6), dtype=dtype), case("_linalg_maketrian", (2, 3), dtype=dtype, offset=1)]
    for op in ("_linalg_potrf", "_linalg_inverse", "_linalg_det"):
        cases.append(case(op, (2, 3), options={"error": ("node", "2", "3")}))
    return cases


CASES = gemms() + factors()
