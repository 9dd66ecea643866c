"""Parity cases: how they are written down, run and compared.

The same code runs under this package and under MXNet 1.9.1: both are `import mxnet`. A case is a pure description (operator,
parameters, input shapes, value rule and dtype); its input values come from a seed made of its text, so that only expected
results are stored.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden"
# Relative tolerance of each floating dtype. The integer dtypes must be equal.
TOLERANCE = {"float64": 1e-9, "float32": 2e-5, "float16": 5e-3}
# Results longer than this are stored thinned out, with their sum and the sum of their magnitudes.
STORED = 320


@dataclass(frozen=True)
class Array:
    """An input: its shape, the rule its values follow, its dtype, and whether a gradient of it is asked for."""

    shape: tuple[int, ...]
    rule: Any = "normal"
    dtype: str = "float32"
    grad: bool = True

    def text(self) -> str:
        rule = self.rule if isinstance(self.rule, str) else "({})".format(",".join(str(r) for r in self.rule))
        return f"{'x'.join(map(str, self.shape))}:{self.dtype}:{rule}" + ("" if self.grad else ":nograd")


@dataclass(frozen=True)
class Case:
    """One operator call.

    `imperative` calls `mx.nd` with `out` (optimizer updates, which write their inputs); otherwise a symbol is bound. `error`
    holds words that our message must contain when the call must fail.
    `probe` cases may be refused by 1.9.1, which then leaves them out. `kernels` "plain" or "mkldnn": only those of 1.9.1
    are right here, else both must agree. `sparse_oracle`: 1.9.1 takes only row_sparse arrays, so it gets them with every row
    present.
    """

    op: str
    inputs: tuple[Array, ...]
    params: tuple[tuple[str, Any], ...] = ()
    grad: bool = True
    imperative: bool = False
    out: tuple[int, ...] | None = None
    error: tuple[str, ...] | None = None
    tol: float = 1.0
    int_tol: int = 0
    probe: bool = False
    kernels: str = "both"
    sparse_oracle: bool = False
    train_only: bool = False
    # Inputs whose update is on purpose not that of 1.9.1: see docs/differences.md.
    unlike: tuple[int, ...] = ()
    build: Callable[..., Any] | None = field(default=None, compare=False)
    tag: str = ""

    @property
    def key(self) -> str:
        params = ",".join(f"{k}={v}" for k, v in self.params).replace(" ", "")
        arrays = ";".join(a.text() for a in self.inputs)
        extra = "".join(f"-{t}" for t in [self.tag, "fwd" if not self.grad else "", "error" if self.error is not None else ""] if t)
        return f"{self.op}[{params}][{arrays}]{extra}"

    def values(self) -> list[np.ndarray]:
        return [make_value(a, seed_of(f"{self.key}#{i}")) for i, a in enumerate(self.inputs)]


def seed_of(text: str) -> int:
    return zlib.crc32(text.encode())


def make_value(array: Array, seed: int) -> np.ndarray:
    """The values of an input, from its rule and a seed."""
    rng = np.random.RandomState(seed)
    rule, *arguments = (array.rule,) if isinstance(array.rule, str) else array.rule
    shape, dtype = array.shape, np.dtype(array.dtype)
    size = int(np.prod(shape, dtype=np.int64))
    kind = dtype.kind
    if rule == "normal":
        if kind == "f":
            value = rng.normal(size=shape)
        else:
            value = rng.randint(0, 2, size=shape) if kind == "b" else rng.randint(0 if kind == "u" else -5, 7, size=shape)
    elif rule == "uniform":
        value = rng.uniform(arguments[0], arguments[1], size=shape)
    elif rule == "int":
        value = rng.randint(arguments[0], arguments[1], size=shape)
    elif rule == "positive":
        value = rng.uniform(0.3, 3, size=shape) if kind == "f" else rng.randint(1, 7, size=shape)
    elif rule == "nonzero":
        signs = rng.choice([-1, 1], size=shape) if kind in "fi" else 1
        value = signs * (rng.uniform(0.3, 2, size=shape) if kind == "f" else rng.randint(1, 6, size=shape))
    elif rule == "distinct":
        value = (rng.permutation(size).reshape(shape) - size // 2) * (0.37 if kind == "f" else 1)
        if kind in "ub":
            value = value + size // 2
    elif rule == "half":
        value = rng.randint(-6, 7, size=shape) * 0.5 if kind == "f" else rng.randint(0, 7, size=shape)
    elif rule == "mixed":
        value = rng.normal(size=shape) if kind == "f" else rng.randint(0 if kind in "ub" else -3, 4, size=shape)
        value = value * rng.randint(0, 3, size=shape).clip(0, 1)
    elif rule == "ties":
        value = rng.randint(0, 3, size=shape)
    elif rule == "spd":
        a = rng.normal(size=shape)
        value = np.matmul(a, np.swapaxes(a, -1, -2)) + shape[-1] * np.eye(shape[-1])
    elif rule == "well":
        value = rng.normal(size=shape) * 0.5 + shape[-1] * np.eye(shape[-1])
    elif rule == "nan":
        value = np.where(rng.randint(0, 4, size=shape) == 0, np.nan, rng.normal(size=shape))
    elif rule == "values":
        value = np.array(arguments[0], dtype=np.float64 if kind == "f" else None).reshape(shape)
    elif rule == "fill":
        value = np.full(shape, arguments[0])
    elif rule == "permutation":
        value = rng.permutation(size).reshape(shape)
    elif rule == "prob":
        value = rng.uniform(0.05, 1, size=shape)
        value = value / value.sum(axis=-1, keepdims=True)
    else:
        raise ValueError(f"unknown rule {rule}")
    return np.asarray(value).astype(dtype)


def head_gradient(case: Case, index: int, shape: Sequence[int], dtype: Any) -> np.ndarray:
    kind = np.dtype(dtype).kind
    rng = np.random.RandomState(seed_of(f"{case.key}#head{index}"))
    value = rng.normal(size=shape) if kind == "f" else rng.randint(-3, 4, size=shape)
    return np.asarray(value).astype(dtype)


def function(namespace: Any, op: str) -> Any:
    """The generated function of an operator in mx.sym or mx.nd."""
    for prefix, module in (("_contrib_", "contrib"), ("_linalg_", "linalg"), ("_sparse_", "sparse"), ("_image_", "image")):
        if op.startswith(prefix):
            return getattr(getattr(namespace, module), op[len(prefix) :])
    if op.startswith("_random_") and op.endswith("_like"):
        return getattr(namespace.random, op[len("_random_") :])
    return getattr(namespace._internal if op.startswith("_") else namespace, op)


@dataclass
class Result:
    """What one run gave. Keys of `grads` and `changed` are input numbers."""

    names: list[str]
    outputs: list[np.ndarray]
    grads: dict[int, np.ndarray]
    changed: dict[int, np.ndarray]
    untouched: bool = True


def is_oracle(mx: Any) -> bool:
    return mx.__version__ == "1.9.1"


def array_of(mx: Any, value: np.ndarray) -> Any:
    return mx.nd.array(value, dtype=value.dtype)


def symbol_of(mx: Any, case: Case) -> Any:
    variables = [mx.sym.Variable(f"x{i}") for i in range(len(case.inputs))]
    if case.build is not None:
        return case.build(mx, *variables)
    return function(mx.sym, case.op)(*variables, name="node", **dict(case.params))


def wanted(case: Case) -> list[int]:
    """The inputs whose gradient is asked for."""
    return [i for i, a in enumerate(case.inputs) if case.grad and a.grad and np.dtype(a.dtype).kind == "f"]


def run_case(mx: Any, case: Case, is_train: bool = True, req: str = "write", only: int | None = None) -> Result:
    """Bind, run forward (and backward when is_train and gradients are wanted), collect everything."""
    values = case.values()
    if case.imperative:
        return run_imperative(mx, case, values)
    symbol = symbol_of(mx, case)
    aux_names = symbol.list_auxiliary_states()
    arrays = {f"x{i}": array_of(mx, v) for i, v in enumerate(values)}
    args = {name: arrays[name] for name in symbol.list_arguments()}
    aux = {name: arrays[name] for name in aux_names}
    asked = [i for i in wanted(case) if f"x{i}" in args and is_train]
    reqs = {name: "null" for name in args}
    for i in asked:
        reqs[f"x{i}"] = req if only is None or only == i else "null"
    grads = {f"x{i}": array_of(mx, initial_gradient(case, i)) for i in asked}
    executor = symbol.bind(mx.cpu(), args, args_grad=grads, grad_req=reqs, aux_states=aux)
    executor.forward(is_train=is_train)
    outputs = [o.asnumpy() for o in executor.outputs]
    if asked:
        heads = [array_of(mx, head_gradient(case, i, o.shape, o.dtype)) for i, o in enumerate(outputs)]
        executor.backward(heads)
    # 1.9.1 updates auxiliary states in backward without telling its scheduler.
    mx.nd.waitall()
    after = {i: arrays[f"x{i}"].asnumpy() for i in range(len(values)) if f"x{i}" in aux}
    changed = {i: v for i, v in after.items() if not same_bytes(v, values[i])}
    same = all(same_bytes(arrays[name].asnumpy(), values[int(name[1:])]) for name in args)
    return Result(symbol.list_outputs(), outputs, {i: grads[f"x{i}"].asnumpy() for i in asked}, changed, same)


def run_imperative(mx: Any, case: Case, values: list[np.ndarray]) -> Result:
    arrays = [array_of(mx, v) for v in values]
    if case.sparse_oracle and is_oracle(mx):
        arrays = [a.tostype("row_sparse") for a in arrays]
    extra = {}
    if case.out is not None:
        targets = [arrays[i] for i in case.out]
        extra["out"] = targets if len(targets) > 1 else targets[0]
    call = function(mx.nd, case.op) if case.build is None else partial(case.build, mx)
    result = call(*arrays, **dict(case.params), **extra)
    outputs = [] if case.out is not None else [o.asnumpy() for o in (result if isinstance(result, (list, tuple)) else [result])]
    after = [a.asnumpy() for a in arrays]
    changed = {i: a for i, a in enumerate(after) if not same_bytes(a, values[i])}
    return Result([], outputs, {}, changed)


def initial_gradient(case: Case, index: int) -> np.ndarray:
    """What gradient arrays hold before backward: it must vanish for write, stay for null, be added to for add."""
    a = case.inputs[index]
    return np.random.RandomState(seed_of(f"{case.key}#grad{index}")).normal(size=a.shape).astype(a.dtype)


def same_bytes(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


# ---- stored results ------------------------------------------------------------------------------------------------


class Packer:
    """Puts arrays end to end, one long array a dtype; equal arrays are stored once."""

    def __init__(self) -> None:
        self.parts: dict[str, list[np.ndarray]] = {}
        self.lengths: dict[str, int] = {}
        self.seen: dict[tuple[str, bytes], list[Any]] = {}

    def put(self, value: np.ndarray) -> list[Any]:
        name = value.dtype.name
        flat = np.ascontiguousarray(value).reshape(-1)
        stride = 1 if flat.size <= STORED else -(-flat.size // STORED) | 1
        part = flat[::stride]
        identity = (name + str(value.shape), flat.tobytes())
        if identity in self.seen:
            return self.seen[identity]
        offset = self.lengths.get(name, 0)
        entry: list[Any] = [name, list(value.shape), offset, int(part.size), stride]
        if stride > 1:
            wide = flat.astype(np.float64)
            entry += [float(wide.sum()), float(np.abs(wide).sum())]
        self.parts.setdefault(name, []).append(part)
        self.lengths[name] = offset + part.size
        self.seen[identity] = entry
        return entry

    def arrays(self) -> dict[str, np.ndarray]:
        return {name: np.concatenate(parts) for name, parts in self.parts.items()}


class Golden:
    """The stored results of one family."""

    def __init__(self, family: str) -> None:
        self.family = family
        path = GOLDEN / f"{family}.npz"
        self.index: dict[str, Any] = {}
        self.data: dict[str, np.ndarray] = {}
        if path.exists():
            with np.load(path) as file:
                self.data = {name: file[name] for name in file.files if name != "index"}
                self.index = json.loads(bytes(file["index"]).decode())

    def part(self, entry: Sequence[Any]) -> np.ndarray:
        return self.data[entry[0]][entry[2] : entry[2] + entry[3]]

    def save(self, index: dict[str, Any], packer: Packer) -> None:
        text = json.dumps(index, separators=(",", ":"), allow_nan=True).encode()
        GOLDEN.mkdir(exist_ok=True)
        np.savez_compressed(GOLDEN / f"{self.family}.npz", index=np.frombuffer(text, np.uint8), **packer.arrays())


def compare_arrays(got: np.ndarray, expected: np.ndarray, tol: float, what: str, int_tol: int = 0) -> None:
    """Raise AssertionError where `got` differs from `expected` (equally long arrays of one dtype)."""
    if got.dtype.kind not in "fc":
        difference = np.abs(got.astype(np.int64) - expected.astype(np.int64))
        worst = int(difference.max(initial=0))
        assert worst <= int_tol, f"{what}: {describe(got, expected, difference > int_tol)}"
        return
    got, expected = got.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(expected)
    odd = np.where(finite, ~np.isfinite(got), ~((got == expected) | (np.isnan(got) & np.isnan(expected))))
    assert not odd.any(), f"{what}: not finite in other places: {describe(got, expected, odd)}"
    if not finite.any():
        return
    e, g = expected[finite], got[finite]
    bound = tol * (np.abs(e) + max(float(np.abs(e).mean()), 0.1))
    wrong = np.abs(g - e) > bound
    assert not wrong.any(), f"{what}: {describe(g, e, wrong)}, largest error over bound {float((np.abs(g - e) / bound).max()):.3g}"


def describe(got: np.ndarray, expected: np.ndarray, wrong: np.ndarray) -> str:
    at = np.flatnonzero(wrong)[:4]
    pairs = ", ".join(f"[{i}] got {got[i]} expected {expected[i]}" for i in at)
    return f"{int(wrong.sum())} of {wrong.size} differ: {pairs}"


def compare_stored(got: np.ndarray, golden: Golden, entry: Sequence[Any], case: Case, what: str, base: np.ndarray | None = None) -> None:
    """Compare a result with its stored one (plus `base`, for grad_req add)."""
    name, shape, _, _, stride = entry[:5]
    assert list(got.shape) == shape, f"{what}: shape {list(got.shape)}, expected {shape}"
    assert got.dtype.name == name, f"{what}: dtype {got.dtype.name}, expected {name}"
    # A float64 result of float32 inputs is no more exact than they are.
    tol = max(TOLERANCE.get(d, 0.0) for d in (name, *(a.dtype for a in case.inputs))) * case.tol if name in TOLERANCE else 0.0
    flat = got.reshape(-1)
    expected = golden.part(entry)
    if base is not None:
        # The sum is compared as a difference, so that the added part does not hide an error.
        with np.errstate(all="ignore"):
            expected = (expected.astype(np.float64) + base.reshape(-1)[::stride]).astype(name)
        tol *= 2
    compare_arrays(flat[::stride], expected, tol, what, case.int_tol)
    if stride > 1 and base is None and np.isfinite(entry[5]) and name in TOLERANCE:
        wide = flat.astype(np.float64)
        for text, value, want in (("sum", wide.sum(), entry[5]), ("sum of magnitudes", np.abs(wide).sum(), entry[6])):
            assert abs(value - want) <= tol * (entry[6] + 0.1), f"{what}: {text} {value}, expected {want}"


def check_case(mx: Any, case: Case, golden: Golden) -> None:
    """Run a case every way and compare."""
    stored = golden.index[case.key]
    if case.error is not None:
        if stored["raises"] or not is_oracle(mx):
            check_error(mx, case)
        return
    result = run_case(mx, case)
    if stored["names"] and case.build is None:
        assert result.names == stored["names"], f"output names {result.names}, expected {stored['names']}"
    assert len(result.outputs) == len(stored["out"]), f"{len(result.outputs)} outputs, expected {len(stored['out'])}"
    for i, entry in enumerate(stored["out"]):
        compare_stored(result.outputs[i], golden, entry, case, f"output {i}")
    changed = {int(k): v for k, v in stored["changed"].items() if int(k) not in case.unlike}
    for i, entry in changed.items():
        assert i in result.changed, f"input {i} was not updated"
        compare_stored(result.changed[i], golden, entry, case, f"updated input {i}")
    for i in set(result.changed) - set(changed) - set(case.unlike):
        raise AssertionError(f"input {i} was changed")
    # 1.9.1 itself writes 1 into gamma where fix_gamma is set.
    assert result.untouched or is_oracle(mx), "an argument was changed"
    if case.imperative:
        return
    grads = {int(k): v for k, v in stored["grad"].items()}
    for i, entry in grads.items():
        compare_stored(result.grads[i], golden, entry, case, f"gradient of input {i}")
    if not case.train_only:
        inference = run_case(mx, case, is_train=False)
        for i, entry in enumerate(stored.get("infer", stored["out"])):
            compare_stored(inference.outputs[i], golden, entry, case, f"inference output {i}")
    if not grads:
        return
    if is_oracle(mx):
        # 1.9.1 itself loses what was there before in several operators (mean, clip, elemwise_add), and does not write the
        # only gradient asked for in others (FullyConnected).
        return
    added = run_case(mx, case, req="add")
    for i, entry in grads.items():
        compare_stored(added.grads[i], golden, entry, case, f"added gradient of input {i}", initial_gradient(case, i))
    if len(grads) > 1:
        for only in grads:
            single = run_case(mx, case, only=only)
            compare_stored(single.grads[only], golden, grads[only], case, f"gradient of input {only} alone")
            for i in set(grads) - {only}:
                assert same_bytes(single.grads[i], initial_gradient(case, i)), f"null gradient of input {i} was written"


def check_error(mx: Any, case: Case) -> None:
    """The call must raise; our own message must hold the words of the case."""
    try:
        run_case(mx, case)
    except (mx.base.MXNetError, ValueError, TypeError, IndexError, RuntimeError, NotImplementedError) as error:
        message = str(error)
    else:
        raise AssertionError("no error was raised")
    if not is_oracle(mx):
        for word in case.error or ():
            assert word in message, f"the message lacks {word!r}: {message}"


# ---- families ------------------------------------------------------------------------------------------------------


def families() -> dict[str, list[Case]]:
    """Every module of cases/ and its CASES."""
    import cases

    found = {}
    for info in pkgutil.iter_modules(cases.__path__):
        module = importlib.import_module(f"cases.{info.name}")
        if hasattr(module, "CASES"):
            found[info.name] = unique(module.CASES)
    return found


def unique(items: Iterable[Case]) -> list[Case]:
    """Cases in order, repeated ones dropped."""
    return list({case.key: case for case in items}.values())
