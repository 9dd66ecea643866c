"""Every case against the results MXNet 1.9.1 gave.

Select a family or an operator with -k: `-k 'unary'`, `-k 'broadcast_add'`, `-k 'Pooling and float64'`. The tests also pass
under MXNet 1.9.1 itself: run them with its interpreter.
"""

from __future__ import annotations

import json
from pathlib import Path

import harness
import mxnet as mx
import pytest

REQUIRED = {op for group in json.loads((Path(__file__).parent / "required_ops.json").read_text()).values() for op in group}
FAMILIES = harness.families()
GOLDEN = {family: harness.Golden(family) for family in FAMILIES}


def cases() -> list:
    return [
        pytest.param(family, case, id=f"{family}/{case.key}")
        for family, listed in FAMILIES.items()
        for case in listed
        if GOLDEN[family].index.get(case.key, {"status": "ok"})["status"] in ("ok", "error")
    ]


def exists(case: harness.Case) -> bool:
    """Whether the operator is there. A required one always counts as there, so that its lack fails."""
    if case.op in REQUIRED:
        return True
    try:
        function = harness.function(mx.sym, case.op)
        function(*[mx.sym.Variable(f"x{i}") for i in range(len(case.inputs))], **dict(case.params))
    except AttributeError:
        return False
    except mx.base.MXNetError as error:
        return "is not registered" not in str(error)
    except TypeError:
        return True
    return True


@pytest.mark.parametrize(("family", "case"), cases())
def test_case(family: str, case: harness.Case) -> None:
    golden = GOLDEN[family]
    assert case.key in golden.index, "no stored result: run tests/parity/generate.py with MXNet 1.9.1"
    if not exists(case):
        pytest.skip(f"operator {case.op} is not there yet")
    if case.kernels == "plain" and harness.is_oracle(mx):
        pytest.skip("stored from the plain kernels of 1.9.1")
    harness.check_case(mx, case, golden)


def is_random(group: str, op: str) -> bool:
    """Whether test_random.py checks the operator."""
    return group in ("random", "sample") and not op.startswith("_random_pdf_")


# Operators that give no stored result: random ones, and those 1.9.1 cannot run on dense arrays.
UNCHECKED = {
    "_contrib_getnnz",
    "_image_random_color_jitter",
    "_image_random_flip_left_right",
    "_image_random_flip_top_bottom",
}


def test_every_required_operator_has_a_case() -> None:
    required = json.loads((Path(__file__).parent / "required_ops.json").read_text())
    covered = {
        case.op
        for family, listed in FAMILIES.items()
        for case in listed
        if case.error is None and GOLDEN[family].index.get(case.key, {}).get("status") == "ok"
    }
    lacking = {
        group: missing
        for group, ops in required.items()
        if (missing := sorted(op for op in set(ops) - covered - UNCHECKED if not is_random(group, op)))
    }
    assert not lacking, f"operators without a stored case: {lacking}"


def test_no_stale_results() -> None:
    for family, listed in FAMILIES.items():
        stale = set(GOLDEN[family].index) - {case.key for case in listed}
        assert not stale, f"{family}: stored results without a case: {sorted(stale)[:5]}"


def test_case_names_are_unique() -> None:
    names = [(family, case.key) for family, listed in FAMILIES.items() for case in listed]
    assert len(names) == len(set(names))
