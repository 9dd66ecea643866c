"""Real models: graphs and parameters found in the wild, with what MXNet 1.9.1 makes of them.

The folder is REMXNET_MODELS, by default ../shared/models beside the repository; without it everything is skipped. A model
with operators this package does not have is skipped with their names. Forward passes need REMXNET_SLOW=1 where the stored
expectation calls them slow.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zlib
from pathlib import Path
from typing import Any

import mxnet as mx
import numpy as np
import pytest

MODELS = Path(os.environ.get("REMXNET_MODELS", Path(__file__).resolve().parents[2].parent / "shared" / "models"))
FOLDERS = sorted(p.parent for p in MODELS.glob("*/expected.json"))
EXPECTED = {folder.name: json.loads((folder / "expected.json").read_text()) for folder in FOLDERS}


def of_kind(*kinds: str) -> list:
    found = [pytest.param(folder, id=folder.name) for folder in FOLDERS if EXPECTED[folder.name]["kind"] in kinds]
    return found or [pytest.param(None, id="none", marks=pytest.mark.skip(reason=f"no models at {MODELS.name}: set REMXNET_MODELS"))]


def md5(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


def operators(graph: dict) -> set[str]:
    """Every operator of a symbol JSON, those of its subgraphs too."""
    found = set()
    for node in graph["nodes"]:
        if node["op"] != "null":
            found.add(node["op"])
        for inner in node.get("subgraphs") or []:
            found |= operators(inner)
    return found


def missing_operators(path: Path) -> list[str]:
    have = {"", *mx.base.list_all_op_names()} if hasattr(mx.base, "list_all_op_names") else all_names()
    return sorted(operators(json.loads(path.read_text())) - have)


def all_names() -> set[str]:
    root = Path(__file__).resolve().parents[2]
    ops = json.loads((root / "ops.json").read_text())
    return set(ops["ops"]) | {alias for op in ops["ops"].values() for alias in op["aliases"]}


def weight(name: str, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """The value of an argument without a stored one, made of its name."""
    rng = np.random.RandomState(zlib.crc32(name.encode()))
    if "label" in name:
        return np.zeros(shape, dtype)
    if dtype.kind in "iu":
        return rng.randint(0 if dtype.kind == "u" else -40, 40, size=shape).astype(dtype)
    u = rng.uniform(-1, 1, size=shape)
    if name.endswith("gamma"):
        value = 1 + 0.1 * u
    elif name.endswith(("moving_var", "running_var")):
        value = 1 + 0.2 * np.abs(u)
    elif name.endswith(("beta", "bias", "mean")):
        value = 0.1 * u
    elif name.endswith("parameters"):
        value = 0.2 * u
    else:
        fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else (shape or (1,))[0]
        value = u * np.sqrt(3.0 / max(fan_in, 1))
    return value.astype(dtype)


def model_input(spec: dict) -> np.ndarray:
    rng, shape, rule = np.random.RandomState(0), tuple(spec["shape"]), spec.get("gen", "uniform")
    if rule == "uniform":
        value = rng.uniform(-1, 1, size=shape)
    elif rule == "u8":
        value = rng.randint(0, 256, size=shape)
    elif rule.startswith("int:"):
        value = rng.randint(0, int(rule[4:]), size=shape)
    else:
        value = np.array(json.loads(rule.removeprefix("value:"))).reshape(shape)
    return value.astype(spec.get("dtype", "float32"))


def plain(shapes: Any) -> Any:
    return None if shapes is None else [None if s is None else [int(x) for x in s] for s in shapes]


def type_names(types: Any) -> Any:
    return None if types is None else [None if t is None else np.dtype(t).name for t in types]


def scope(expected: dict) -> Any:
    return mx.util.np_shape(True) if expected.get("np_shape") else contextlib.nullcontext()


@pytest.fixture
def expected(folder: Path) -> dict:
    found = EXPECTED[folder.name]
    if found["kind"] in ("model", "graph"):
        missing = missing_operators(folder / found["symbol"])
        if missing:
            pytest.skip(f"operators that are not there: {', '.join(missing)}")
    return found


@pytest.mark.parametrize("folder", of_kind("model", "graph"))
def test_graph(folder: Path, expected: dict) -> None:
    with scope(expected):
        symbol = mx.sym.load(str(folder / expected["symbol"]))
        for name in ("arguments", "auxiliary_states", "outputs"):
            assert list(getattr(symbol, f"list_{name}")()) == expected[name], f"list_{name}"
        if expected.get("infer_shape"):
            found = symbol.infer_shape(**{k: tuple(v) for k, v in expected["inputs"].items()})
            for name, shapes in zip(("arg", "out", "aux"), found, strict=True):
                assert plain(shapes) == expected["infer_shape"][name], f"shapes of {name}"
        if expected.get("infer_type"):
            found = symbol.infer_type(**expected["infer_type"]["given"])
            for name, types in zip(("arg", "out", "aux"), found, strict=True):
                assert type_names(types) == expected["infer_type"][name], f"types of {name}"
        text = symbol.tojson()
        canonical = json.dumps(json.loads(text), sort_keys=True)
        assert md5(canonical) == expected["tojson_canonical_md5"], "tojson: another graph"
        assert md5(text) == expected["tojson_md5"], "tojson: other bytes"
        if expected.get("internals_md5"):
            assert md5("\n".join(symbol.get_internals().list_outputs())) == expected["internals_md5"], "get_internals"
        if expected.get("attr_md5"):
            assert md5(json.dumps(symbol.attr_dict(), sort_keys=True)) == expected["attr_md5"], "attr_dict"


@pytest.mark.parametrize("folder", of_kind("model", "graph"))
def test_forward(folder: Path, expected: dict) -> None:
    forward = expected.get("forward")
    if not forward:
        pytest.skip("MXNet 1.9.1 cannot run it")
    if forward.get("slow") and os.environ.get("REMXNET_SLOW") != "1":
        pytest.skip("slow: set REMXNET_SLOW=1")
    with scope(expected), np.load(folder / "expected.npz") as stored:
        inputs = {name: model_input(spec) for name, spec in forward["inputs"].items()}
        inputs.update({name: stored[f"in_{name}"] for name in inputs if f"in_{name}" in stored.files})
        weights = load_weights(folder / expected["params"]) if expected.get("params") else {}
        symbol = mx.sym.load(str(folder / expected["symbol"]))
        outputs = run(symbol, inputs, weights, forward)
        assert len(outputs) == len(forward["outputs"])
        for i, (output, spec) in enumerate(zip(outputs, forward["outputs"], strict=True)):
            if not spec.get("skip"):
                compare(i, output, spec, stored[f"out_{i}"], forward)


def load_weights(path: Path) -> dict[str, np.ndarray]:
    """Arguments and auxiliary states by their bare names."""
    return {name.split(":", 1)[-1] if name[:4] in ("arg:", "aux:") else name: a.asnumpy() for name, a in mx.nd.load(str(path)).items()}


def run(symbol: Any, inputs: dict[str, np.ndarray], weights: dict[str, np.ndarray], forward: dict) -> list[np.ndarray]:
    if forward.get("api") == "bind":
        args = {name: mx.nd.array(value, dtype=value.dtype) for name, value in inputs.items()}
        executor = symbol.bind(mx.cpu(), args, grad_req="null")
        return [o.asnumpy() for o in executor.forward(is_train=False)]
    types = forward.get("type_dict") or {name: v.dtype.name for name, v in weights.items() if v.dtype != np.float32}
    if types and not forward.get("type_dict"):
        types.update({name: v.dtype.name for name, v in inputs.items()})
    extra = {"type_dict": types} if types else {}
    executor = symbol.simple_bind(ctx=mx.cpu(), grad_req="null", **extra, **{name: v.shape for name, v in inputs.items()})
    for name, array in (*executor.arg_dict.items(), *executor.aux_dict.items()):
        value = inputs.get(name, weights.get(name))
        if value is None:
            value = weight(name, tuple(array.shape), np.dtype(array.dtype))
        assert tuple(value.shape) == tuple(array.shape), f"{name}: stored {value.shape}, bound {array.shape}"
        array[:] = value
    return [o.asnumpy() for o in executor.forward(is_train=False)]


def compare(number: int, got: np.ndarray, spec: dict, expected: np.ndarray, forward: dict) -> None:
    assert list(got.shape) == spec["shape"]
    assert got.dtype.name == spec["dtype"]
    share, rtol = forward.get("match_frac", 1.0), forward.get("rtol", 1e-4)
    g, e = got.reshape(-1)[:: spec["stride"]].astype(np.float64), expected.astype(np.float64)
    odd = ~np.isfinite(e)
    assert share < 1 or np.array_equal(odd, ~np.isfinite(g)), f"output {number}: not finite elsewhere"
    g, e = np.where(np.isfinite(g), g, 0), np.where(odd, 0, e)
    if e.size == 0:
        return
    bound = rtol * max(float(np.abs(e).max()), 1e-6)
    wrong = np.abs(g - e) > bound
    assert wrong.mean() <= 1 - share + 1e-12, f"output {number}: {wrong.sum()} of {wrong.size} differ, by up to {np.abs(g - e).max():.3g} (allowed {bound:.3g})"
    if share >= 1 and spec["stride"] > 1 and np.isfinite(spec["abs_sum"]):
        total = float(np.abs(got.astype(np.float64)).sum())
        assert abs(total - spec["abs_sum"]) <= rtol * max(spec["abs_sum"], 1e-6), f"output {number}: sum of magnitudes {total}"


@pytest.mark.parametrize("folder", of_kind("params"))
def test_params(folder: Path, expected: dict, tmp_path: Path) -> None:
    if any(info["stype"] != "default" for info in expected["arrays"].values()):
        pytest.skip("sparse arrays are not there")
    with scope(expected):
        check_params(folder, expected, tmp_path)


def check_params(folder: Path, expected: dict, tmp_path: Path) -> None:
    loaded = mx.nd.load(str(folder / expected["params"]))
    assert isinstance(loaded, dict) == expected["named"]
    arrays = loaded if isinstance(loaded, dict) else {str(i): a for i, a in enumerate(loaded)}
    assert set(arrays) == set(expected["arrays"])
    for name, info in expected["arrays"].items():
        value = arrays[name].asnumpy()
        assert list(value.shape) == info["shape"], name
        assert np.dtype(arrays[name].dtype).name == info["dtype"], name
        assert zlib.crc32(np.ascontiguousarray(value).tobytes()) == info["crc32"], name
    if expected.get("resave_md5"):
        path = tmp_path / "again.params"
        mx.nd.save(str(path), loaded)
        assert hashlib.md5(path.read_bytes()).hexdigest() == expected["resave_md5"], "saved bytes differ"


@pytest.mark.parametrize("folder", of_kind("badgraph"))
def test_refused(folder: Path, expected: dict) -> None:
    with pytest.raises(mx.base.MXNetError) as error:
        mx.sym.load(str(folder / expected["symbol"]))
    if expected.get("message"):
        assert expected["message"] in str(error.value)
