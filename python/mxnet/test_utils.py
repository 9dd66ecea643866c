"""Helpers for tests of operators and networks."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import ndarray as nd
from .context import Context, current_context
from .ndarray import NDArray
from .symbol import Symbol

__all__ = [
    "almost_equal",
    "assert_allclose",
    "assert_almost_equal",
    "assert_almost_equal_ignore_nan",
    "assert_exception",
    "check_consistency",
    "check_numeric_gradient",
    "check_symbolic_backward",
    "check_symbolic_forward",
    "default_atols",
    "default_context",
    "default_dtype",
    "default_rtols",
    "environment",
    "find_max_violation",
    "get_atol",
    "get_rtol",
    "list_gpus",
    "numeric_grad",
    "rand_ndarray",
    "rand_shape_2d",
    "rand_shape_3d",
    "rand_shape_nd",
    "random_arrays",
    "random_sample",
    "same",
    "same_symbol_structure",
    "set_default_context",
    "simple_forward",
]

_context: Context | None = None
_RTOL = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-5}
_ATOL = {"float16": 1e-1, "float32": 1e-3, "float64": 1e-20}


def default_context() -> Context:
    """Return the device on which the checks run."""
    return _context or current_context()


def set_default_context(ctx: Context) -> None:
    """Set the device on which the checks run."""
    global _context
    _context = ctx


def default_dtype() -> Any:
    """Return the type in which the checks compute."""
    return np.float32


def default_rtols() -> dict:
    """Return relative tolerances by type."""
    return {np.dtype(name): value for name, value in _RTOL.items()}


def default_atols() -> dict:
    """Return absolute tolerances by type."""
    return {np.dtype(name): value for name, value in _ATOL.items()}


def _tolerance(table: dict, arrays: tuple) -> float:
    names = [np.dtype(a.dtype).name for a in arrays if hasattr(a, "dtype") and not np.dtype(a.dtype).names]
    known = [table[n] for n in names if n in table]
    return max(known) if known else 0.0 if names else table["float64"]


def get_rtol(rtol: float | None = None, *arrays: Any) -> float:
    """Return ``rtol``, or the widest usual relative tolerance of the arrays' types."""
    return _tolerance(_RTOL, arrays or (np.zeros(1, np.float64),)) if rtol is None else rtol


def get_atol(atol: float | None = None, *arrays: Any) -> float:
    """Return ``atol``, or the widest usual absolute tolerance of the arrays' types."""
    return _tolerance(_ATOL, arrays or (np.zeros(1, np.float64),)) if atol is None else atol


def _host(array: Any) -> np.ndarray:
    return array.asnumpy() if isinstance(array, NDArray) else np.asarray(array)


def same(a: Any, b: Any) -> bool:
    """Tell whether two arrays have equal shapes and elements."""
    return np.array_equal(_host(a), _host(b))


def almost_equal(a: Any, b: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = False) -> bool:
    """Tell whether ``|a - b| <= atol + rtol * |b|`` everywhere."""
    rtol, atol = get_rtol(rtol, a, b), get_atol(atol, a, b)
    a, b = _host(a), _host(b)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol, atol, equal_nan))


def find_max_violation(a: Any, b: Any, rtol: float | None = None, atol: float | None = None) -> tuple[tuple, float]:
    """Return where two arrays differ most, and by how many tolerances."""
    rtol, atol = get_rtol(rtol, a, b), get_atol(atol, a, b)
    a, b = _host(a).astype(np.float64), _host(b).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        violation = np.abs(a - b) / (atol + rtol * np.abs(b) + 1e-20)
    violation = np.where(np.isnan(a) != np.isnan(b), np.inf, np.nan_to_num(violation, nan=0.0, posinf=np.inf))
    where = np.unravel_index(int(np.argmax(violation)), violation.shape) if violation.ndim else ()
    return tuple(int(i) for i in where), float(violation[where]) if violation.size else 0.0


def assert_almost_equal(a: Any, b: Any, rtol: float | None = None, atol: float | None = None,
                        names: tuple[str, str] = ("a", "b"), equal_nan: bool = False, use_broadcast: bool = True,
                        mismatches: tuple[int, int] = (10, 10)) -> None:
    """Raise AssertionError unless ``|a - b| <= atol + rtol * |b|`` everywhere; the text shows the worst elements.

    Parameters
    ----------
    a, b : array_like or NDArray
    rtol, atol : float, optional
        By default the usual ones of the arrays' types.
    names : tuple of str
        How the text calls them.
    equal_nan : bool, default False
    use_broadcast : bool, default True
        Let a single number stand for an array.
    """
    rtol, atol = get_rtol(rtol, a, b), get_atol(atol, a, b)
    a, b = _host(a), _host(b)
    if a.shape != b.shape:
        if not use_broadcast or (a.size != 1 and b.size != 1):
            raise AssertionError(f"Shapes of {names[0]} and {names[1]} differ: {a.shape} and {b.shape}")
        a, b = np.broadcast_arrays(a, b)
    if np.allclose(a, b, rtol, atol, equal_nan):
        return
    where, worst = find_max_violation(a, b, rtol, atol)
    close = np.isclose(a, b, rtol, atol, equal_nan)
    places = np.argwhere(~np.atleast_1d(close))
    lines = [f"Error {worst:g} exceeds tolerance rtol={rtol:e}, atol={atol:e} (mismatch at least "
             f"{100.0 * len(places) / max(1, a.size):f}%).",
             f"Location of maximum error: {where}, {names[0]}={a[where]!s}, {names[1]}={b[where]!s}"]
    for place in places[:mismatches[0]]:
        index = tuple(int(i) for i in place) if close.ndim else ()
        lines.append(f"  {index}: {names[0]}={a[index]!s}, {names[1]}={b[index]!s}")
    raise AssertionError("\n".join(lines))


assert_allclose = assert_almost_equal


def assert_almost_equal_ignore_nan(a: Any, b: Any, rtol: float | None = None, atol: float | None = None,
                                   names: tuple[str, str] = ("a", "b")) -> None:
    """As :func:`assert_almost_equal`, but elements that are NaN on either side are not compared."""
    a, b = _host(a).copy(), _host(b).copy()
    skip = np.isnan(a) | np.isnan(b)
    a[skip] = 0
    b[skip] = 0
    assert_almost_equal(a, b, rtol, atol, names)


def assert_exception(f: Any, exception_type: type, *args: Any, **kwargs: Any) -> None:
    """Raise AssertionError unless ``f(*args, **kwargs)`` raises ``exception_type``."""
    try:
        f(*args, **kwargs)
    except exception_type:
        return
    raise AssertionError(f"did not raise {exception_type.__name__}")


# --- random inputs ------------------------------------------------------------------------------------------------


def rand_shape_2d(dim0: int = 10, dim1: int = 10, allow_zero_size: bool = False) -> tuple:
    """Return a random shape of two axes of at most the given lengths."""
    return rand_shape_nd(2, (dim0, dim1), allow_zero_size)


def rand_shape_3d(dim0: int = 10, dim1: int = 10, dim2: int = 10, allow_zero_size: bool = False) -> tuple:
    """Return a random shape of three axes of at most the given lengths."""
    return rand_shape_nd(3, (dim0, dim1, dim2), allow_zero_size)


def rand_shape_nd(num_dim: int, dim: Any = 10, allow_zero_size: bool = False) -> tuple:
    """Return a random shape of ``num_dim`` axes of length at most ``dim``."""
    most = [dim] * num_dim if isinstance(dim, int) else dim
    return tuple(int(np.random.randint(0 if allow_zero_size else 1, m + 1)) for m in most)


def rand_ndarray(shape: tuple, stype: str = "default", density: float | None = None, dtype: Any = None,
                 ctx: Context | None = None, scale: float = 1.0, **_: Any) -> NDArray:
    """Return an array of the given shape with elements uniform in ``[-scale, scale)``."""
    if stype != "default":
        raise NotImplementedError(f"random arrays of storage type {stype} are not available")
    return nd.array(np.random.uniform(-scale, scale, shape), ctx or default_context(), dtype or np.float32)


def random_arrays(*shapes: tuple) -> Any:
    """Return arrays of normal random numbers, or one array for one shape; ``()`` gives a number."""
    arrays = [np.array(np.random.randn(), dtype=np.float32) if s == () else
              np.random.randn(*s).astype(np.float32) for s in shapes]
    return arrays[0] if len(arrays) == 1 else arrays


def random_sample(population: Any, k: int) -> list:
    """Return ``k`` elements of a sequence, each at most once, in random order."""
    return [population[i] for i in np.random.permutation(len(population))[:k]]


# --- running symbols ----------------------------------------------------------------------------------------------


def simple_forward(sym: Symbol, ctx: Context | None = None, is_train: bool = False, **inputs: Any) -> Any:
    """Return the outputs of a symbol for NumPy inputs, as NumPy arrays (one array if there is one output)."""
    ctx = ctx or default_context()
    arrays = {k: nd.array(v, ctx, getattr(v, "dtype", None)) for k, v in inputs.items()}
    exe = sym.bind(ctx, args=arrays)
    exe.forward(is_train=is_train)
    outputs = [out.asnumpy() for out in exe.outputs]
    return outputs[0] if len(outputs) == 1 else outputs


def _location(sym: Symbol, location: Any, ctx: Context, dtype: Any) -> dict[str, NDArray]:
    names = sym.list_arguments()
    if isinstance(location, dict):
        if set(names) != set(location):
            raise ValueError(f"Symbol arguments and keys of the given location do not match. symbol args: {names}, "
                             f"location.keys(): {list(location)}")
        values = {name: location[name] for name in names}
    else:
        if len(location) != len(names):
            raise ValueError(f"location has {len(location)} arrays, but the symbol has arguments {names}")
        values = dict(zip(names, location))
    return {name: value.copyto(ctx) if isinstance(value, NDArray) else
            nd.array(value, ctx, dtype if np.asarray(value).dtype.kind == "f" else np.asarray(value).dtype)
            for name, value in values.items()}


def _aux(sym: Symbol, aux_states: Any, ctx: Context, dtype: Any) -> dict[str, NDArray]:
    names = sym.list_auxiliary_states()
    if aux_states is None:
        return {}
    values = aux_states if isinstance(aux_states, dict) else dict(zip(names, aux_states))
    if set(values) != set(names):
        raise ValueError(f"Symbol aux_states names and given aux_states do not match: {names} and {list(values)}")
    return {name: nd.array(_host(value), ctx, dtype) for name, value in values.items()}


def check_symbolic_forward(sym: Symbol, location: Any, expected: Any, rtol: float | None = None,
                           atol: float | None = None, aux_states: Any = None, ctx: Context | None = None,
                           equal_nan: bool = False, dtype: Any = np.float32) -> list:
    """Run a symbol forward and compare its outputs.

    Parameters
    ----------
    sym : Symbol
    location : list of array_like, or dict of str to array_like
        Arguments.
    expected : list of array_like, or dict of str to array_like
        Outputs.
    rtol, atol : float, optional
    aux_states : list or dict, optional

    Returns
    -------
    list of NDArray
        The outputs.
    """
    ctx = ctx or default_context()
    args = _location(sym, location, ctx, dtype)
    exe = sym.bind(ctx, args=args, args_grad={k: nd.zeros(v.shape, ctx, v.dtype) for k, v in args.items()},
                   aux_states=_aux(sym, aux_states, ctx, dtype))
    names = sym.list_outputs()
    wanted = [expected[n] for n in names] if isinstance(expected, dict) else list(expected)
    exe.forward(is_train=False)
    if len(wanted) != len(exe.outputs):
        raise AssertionError(f"expected {len(wanted)} outputs, but the symbol has {names}")
    for name, want, out in zip(names, wanted, exe.outputs):
        assert_almost_equal(want, out, rtol, atol, (f"EXPECTED_{name}", f"FORWARD_{name}"), equal_nan)
    return exe.outputs


def check_symbolic_backward(sym: Symbol, location: Any, out_grads: Any, expected: Any, rtol: float | None = None,
                            atol: float | None = None, aux_states: Any = None, grad_req: Any = "write",
                            ctx: Context | None = None, grad_stypes: Any = None, equal_nan: bool = False,
                            dtype: Any = np.float32) -> dict:
    """Run a symbol forward and backward and compare its gradients.

    Parameters
    ----------
    sym : Symbol
    location : list of array_like, or dict of str to array_like
        Arguments.
    out_grads : list of array_like, dict of str to array_like, or None
        Gradients of the outputs.
    expected : list of array_like, or dict of str to array_like
        Gradients of the arguments.
    grad_req : {'write', 'add', 'null'}, or list or dict of them, default 'write'
        With 'add' the gradient arrays start with random numbers, which must be added to.

    Returns
    -------
    dict of str to NDArray
        The gradients.
    """
    ctx = ctx or default_context()
    names = sym.list_arguments()
    args = _location(sym, location, ctx, dtype)
    wanted = dict(expected) if isinstance(expected, dict) else dict(zip(names, expected))
    if isinstance(grad_req, str):
        reqs = dict.fromkeys(names, grad_req)
    else:
        reqs = dict(grad_req) if isinstance(grad_req, dict) else dict(zip(names, grad_req))
    before = {k: np.random.normal(size=args[k].shape).astype(np.dtype(args[k].dtype)) for k in wanted}
    grads = {k: nd.array(v, ctx, v.dtype) for k, v in before.items()}
    exe = sym.bind(ctx, args=args, args_grad=grads, grad_req={k: r for k, r in reqs.items() if k in wanted},
                   aux_states=_aux(sym, aux_states, ctx, dtype))
    exe.forward(is_train=True)
    if isinstance(out_grads, (tuple, list)):
        heads: Any = [g.copyto(ctx) if isinstance(g, NDArray) else nd.array(g, ctx, dtype) for g in out_grads]
    elif isinstance(out_grads, dict):
        heads = [nd.array(_host(out_grads[n]), ctx, dtype) for n in sym.list_outputs()]
    elif out_grads is None:
        heads = None
    else:
        heads = nd.array(_host(out_grads), ctx, dtype)
    exe.backward(heads)
    for name, want in wanted.items():
        base = before[name]
        req = reqs.get(name, "null")
        if req not in ("write", "add", "null"):
            raise ValueError(f"Invalid grad_req {req} for argument {name}")
        target = base if req == "null" else base + _host(want) if req == "add" else want
        assert_almost_equal(target, grads[name], rtol, atol, (f"EXPECTED_{name}", f"BACKWARD_{name}"), equal_nan)
    return {k: v for k, v in exe.grad_dict.items() if v is not None}


def numeric_grad(executor: Any, location: dict, aux_states: Any = None, eps: float = 1e-4,
                 use_forward_train: bool = True, dtype: Any = np.float32) -> dict[str, np.ndarray]:
    """Return the gradients of the sum of an executor's first output by central differences of step ``eps``."""
    grads = {}
    for name, value in location.items():
        host = _host(value).astype(np.float64)
        if host.dtype.kind != "f" or np.dtype(executor.arg_dict[name].dtype).kind != "f":
            continue
        grad = np.zeros(host.shape, dtype)
        flat, out = host.reshape(-1), grad.reshape(-1)
        for i in range(flat.size):
            kept, sums = flat[i], []
            for step in (eps / 2, -eps / 2):
                flat[i] = kept + step
                executor.arg_dict[name][:] = host
                for key, state in (aux_states or {}).items():
                    executor.aux_dict[key][:] = state
                sums.append(executor.forward(is_train=use_forward_train)[0].asnumpy().astype(np.float64).sum())
            flat[i] = kept
            out[i] = (sums[0] - sums[1]) / eps
        executor.arg_dict[name][:] = host
        grads[name] = grad
    return grads


def check_numeric_gradient(sym: Symbol, location: Any, aux_states: Any = None, numeric_eps: float | None = None,
                           rtol: float | None = None, atol: float | None = None, grad_nodes: Any = None,
                           use_forward_train: bool = True, ctx: Context | None = None, grad_stype_dict: Any = None,
                           dtype: Any = np.float32) -> None:
    """Compare the gradients of a symbol with central differences.

    The outputs are weighted with random numbers and summed, so that every output matters.

    Parameters
    ----------
    sym : Symbol
    location : list of array_like, or dict of str to array_like
        Arguments.
    aux_states : list or dict, optional
    numeric_eps : float, optional
        Step of the differences; 1e-3 by default, 1e-5 in float64.
    rtol, atol : float, optional
        1e-2 and 1e-3 by default.
    grad_nodes : list of str, or dict of str to str, optional
        Arguments to check (and their ``grad_req``); all by default.
    use_forward_train : bool, default True
        Compute the differences in training mode.
    dtype : numpy.dtype, default float32
    """
    ctx = ctx or default_context()
    double = np.dtype(dtype) == np.float64
    eps = numeric_eps or (1e-5 if double else 1e-3)
    rtol = 1e-2 if rtol is None else rtol
    atol = 1e-3 if atol is None else atol
    args = _location(sym, location, ctx, dtype)
    aux = _aux(sym, aux_states, ctx, dtype)
    if grad_nodes is None:
        reqs = {k: "write" for k, v in args.items() if np.dtype(v.dtype).kind == "f"}
    else:
        reqs = dict(grad_nodes) if isinstance(grad_nodes, dict) else dict.fromkeys(grad_nodes, "write")

    exe = sym.bind(ctx, args=args, args_grad={k: nd.zeros(args[k].shape, ctx, args[k].dtype) for k in reqs},
                   grad_req=reqs, aux_states={k: v.copy() for k, v in aux.items()})
    outputs = exe.forward(is_train=True)
    weights = [np.random.normal(size=out.shape).astype(np.float64) + 0.1 for out in outputs]
    start = {k: v.asnumpy() for k, v in aux.items()}
    exe.backward([nd.array(w, ctx, out.dtype) for w, out in zip(weights, outputs)])
    symbolic = {k: exe.grad_dict[k].asnumpy() for k in reqs}

    def value() -> float:
        for key, state in start.items():
            exe.aux_dict[key][:] = state
        made = exe.forward(is_train=use_forward_train)
        return sum(float((w * o.asnumpy().astype(np.float64)).sum()) for w, o in zip(weights, made))

    for name, req in reqs.items():
        if req == "null":
            continue
        host = args[name].asnumpy().astype(np.float64)
        numeric = np.zeros(host.shape)
        flat, out = host.reshape(-1), numeric.reshape(-1)
        for i in range(flat.size):
            kept = flat[i]
            flat[i] = kept + eps / 2
            exe.arg_dict[name][:] = host
            above = value()
            flat[i] = kept - eps / 2
            exe.arg_dict[name][:] = host
            out[i] = (above - value()) / eps
            flat[i] = kept
        exe.arg_dict[name][:] = host
        assert_almost_equal(numeric, symbolic[name], rtol, atol, (f"NUMERICAL_{name}", f"BACKWARD_{name}"))


def check_consistency(sym: Any, ctx_list: list[dict], scale: float = 1.0, grad_req: Any = "write",
                      arg_params: dict | None = None, aux_params: dict | None = None, rtol: float | None = None,
                      atol: float | None = None, **_: Any) -> list:
    """Run a symbol (or one per entry) in several settings and compare outputs and gradients with the last's.

    Parameters
    ----------
    sym : Symbol or list of Symbol
    ctx_list : list of dict
        Arguments of ``simple_bind``: ``ctx``, shapes, and optionally ``type_dict``.
    scale : float, default 1.0
        Spread of the random arguments.

    Returns
    -------
    list of numpy.ndarray
        Outputs of the last setting.
    """
    syms = list(sym) if isinstance(sym, (list, tuple)) else [sym] * len(ctx_list)
    executors = [s.simple_bind(grad_req=grad_req, **settings) for s, settings in zip(syms, ctx_list)]
    values = {name: np.random.normal(size=array.shape, scale=scale) for name, array in executors[-1].arg_dict.items()}
    values.update(arg_params or {})
    for exe in executors:
        for name, array in exe.arg_dict.items():
            array[:] = _host(values[name])
        for name, array in exe.aux_dict.items():
            array[:] = _host(aux_params[name]) if aux_params and name in aux_params else 0
        exe.forward(is_train=grad_req != "null")
        if grad_req != "null":
            exe.backward([nd.ones(o.shape, o.ctx, o.dtype) for o in exe.outputs])
    reference = executors[-1]
    for exe in executors[:-1]:
        for name, out, want in zip(reference.output_dict, exe.outputs, reference.outputs):
            assert_almost_equal(out, want, rtol, atol, (name, "reference"))
        for name, want in reference.grad_dict.items():
            if want is not None and grad_req != "null":
                assert_almost_equal(exe.grad_dict[name], want, rtol, atol, (f"gradient of {name}", "reference"))
    return [out.asnumpy() for out in reference.outputs]


def same_symbol_structure(sym1: Symbol, sym2: Symbol) -> bool:
    """Tell whether two graphs have the same operators in the same places, whatever their names."""
    import json
    one, two = (json.loads(s.tojson()) for s in (sym1, sym2))
    if len(one["nodes"]) != len(two["nodes"]) or one["heads"] != two["heads"]:
        return False
    return all(a["op"] == b["op"] and [i[:2] for i in a["inputs"]] == [i[:2] for i in b["inputs"]]
               for a, b in zip(one["nodes"], two["nodes"]))


def list_gpus() -> range:
    """Return the numbers of the GPUs."""
    from .context import num_gpus
    return range(num_gpus())


@contextlib.contextmanager
def environment(*args: Any) -> Iterator[None]:
    """Set environment variables for a ``with`` statement: a name and a value, or a dictionary; None removes one."""
    from .util import setenv
    changes = args[0] if isinstance(args[0], dict) else {args[0]: args[1]}
    before = {name: os.environ.get(name) for name in changes}

    def apply(values: dict) -> None:
        for name, value in values.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
            setenv(name, value)

    apply(changes)
    try:
        yield
    finally:
        apply(before)
