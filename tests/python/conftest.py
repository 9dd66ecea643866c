"""Shared fixtures."""

from __future__ import annotations

import mxnet as mx
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def fresh_state():
    """Names start from 0, and random numbers are the same, in every test."""
    np.random.seed(7)
    mx.random.seed(7)
    with mx.name.NameManager():
        yield
