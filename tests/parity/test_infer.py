"""Inference of shapes and types against MXNet 1.9.1."""

from __future__ import annotations

import json

import harness
import pytest
from cases.infer import CASES_INFER, Infer, result

import mxnet as mx

STORED = json.loads((harness.GOLDEN / "infer.json").read_text())


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES_INFER])
def test_infer(case: Infer) -> None:
    found = result(mx, case)
    if case.error is None:
        assert found == STORED[case.name]
        return
    assert found.get("error"), f"no error was raised: {found}"
    if not harness.is_oracle(mx):
        for word in case.error:
            assert word in found["message"], found["message"]
