"""Python and Clojure in one process, on one loaded library: handles pass between them without a copy."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

mx = pytest.importorskip("mxnet")
jpype = pytest.importorskip("jpype")

ROOT = Path(__file__).resolve().parent.parent.parent
JARS = sorted((ROOT / ".deps" / "jars").glob("*.jar"))
CLASSES = ROOT / "build" / "java"


def loaded_library() -> str:
    """Return the file of the library that this process has loaded."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        if line.endswith("/libmxnet.so"):
            return line.split(maxsplit=5)[5]
    raise AssertionError("libmxnet.so is not loaded")


class Clojure:
    """Functions of Clojure namespaces, called with Python values."""

    def __init__(self, api):
        self.api = api
        self.require = api.var("clojure.core", "require")

    def fn(self, name: str):
        """Return the function of a name such as ``mxnet.symbol/bind``."""
        namespace, _, var = name.partition("/")
        self.require.invoke(self.api.read(namespace))
        found = self.api.var(namespace, var)
        return lambda *args: found.invoke(*args)

    def eval(self, code: str, *namespaces: str):
        """Evaluate one form, which may use the namespaces by their full names."""
        for namespace in namespaces:
            self.require.invoke(self.api.read(namespace))
        return self.api.var("clojure.core", "eval").invoke(self.api.read(code))


@pytest.fixture(scope="module")
def clojure():
    if not JARS or not CLASSES.is_dir():
        pytest.skip("the jars and classes of the Clojure library are not built")
    mx.nd.zeros((1,))
    if not jpype.isJVMStarted():
        paths = [ROOT / "clojure" / "src", ROOT / "clojure" / "resources", CLASSES, *JARS]
        jpype.startJVM(
            "-Xrs",
            f"-Dmxnet.library.path={loaded_library()}",
            classpath=os.pathsep.join(map(str, paths)),
        )
    return Clojure(jpype.JClass("clojure.java.api.Clojure"))


def number(handle) -> jpype.JLong:
    """Return a Python handle as Clojure takes it."""
    from mxnet._capi import ffi

    return jpype.JLong(int(ffi.cast("intptr_t", handle)))


def array_of(handle: int):
    """Return a Python array that shares memory with a handle of Clojure's."""
    from mxnet._capi import ffi, lib

    out = ffi.new("NDArrayHandle*")
    assert lib.MXNDArraySlice64(ffi.cast("void*", handle), 0, 2, out) == 0
    return mx.nd.NDArray(out[0])


def test_both_use_the_same_library(clojure):
    assert str(clojure.fn("mxnet.lib/path")()) == loaded_library()
    assert clojure.fn("mxnet.lib/instance-id")() is not None
    before = clojure.fn("mxnet.lib/live-handles")("NDArray")
    array = mx.nd.ones((3,))
    assert clojure.fn("mxnet.lib/live-handles")("NDArray") == before + 1
    del array


def test_an_array_of_python_is_seen_and_changed_by_clojure(clojure):
    array = mx.nd.array([[1, 2], [3, 4]])
    shared = clojure.fn("mxnet.ndarray/from-handle")(number(array.handle))
    assert [float(x) for x in clojure.fn("mxnet.ndarray/->vec")(shared)] == [1, 2, 3, 4]
    clojure.fn("mxnet.ndarray/set")(shared, jpype.JLong(7))
    assert np.array_equal(array.asnumpy(), np.full((2, 2), 7, np.float32))
    array[0, 1] = 9
    assert float(clojure.fn("mxnet.ndarray/->vec")(shared)[1]) == 9
    clojure.fn("mxnet.ndarray/dispose")(shared)
    assert array.asnumpy()[0, 1] == 9


def test_a_symbol_of_python_is_bound_and_run_in_clojure(clojure):
    x = mx.sym.Variable("x")
    symbol = mx.sym.sum(x * x)
    foreign = clojure.fn("mxnet.symbol/from-handle")(number(symbol.handle))
    executor = clojure.eval(
        """(fn [symbol]
             (let [executor (mxnet.symbol/simple-bind symbol (mxnet.context/cpu) {"x" [2 2]})]
               (mxnet.executor/forward executor true {"x" [1 2 3 4]})
               (mxnet.executor/backward executor (mxnet.ndarray/ones (mxnet.ndarray/shape-vec
                                                                      (first (mxnet.executor/outputs executor)))))
               executor))""",
        "mxnet.symbol",
        "mxnet.executor",
        "mxnet.ndarray",
        "mxnet.context",
    ).invoke(foreign)
    output = clojure.fn("mxnet.executor/outputs")(executor)[0]
    assert float(clojure.fn("mxnet.ndarray/->vec")(output)[0]) == 30
    gradient = clojure.fn("mxnet.executor/get-grad")(executor, "x")
    shared = array_of(int(clojure.fn("mxnet.ndarray/handle")(gradient)))
    assert np.array_equal(shared.asnumpy(), [[2, 4], [6, 8]])
    clojure.fn("mxnet.ndarray/set")(gradient, jpype.JLong(0))
    assert np.array_equal(shared.asnumpy(), np.zeros((2, 2)))


def test_a_symbol_of_clojure_is_read_in_python(clojure):
    symbol = clojure.eval(
        '(mxnet.symbol/fully-connected "fc" {:data (mxnet.symbol/variable "data") :num-hidden 3})',
        "mxnet.symbol",
    )
    text = str(clojure.fn("mxnet.symbol/to-json")(symbol))
    loaded = mx.sym.load_json(text)
    assert loaded.list_arguments() == ["data", "fc_weight", "fc_bias"]
    assert loaded.tojson() == text


def test_seeds_are_shared(clojure):
    clojure.fn("mxnet.random/seed")(jpype.JLong(5))
    first = mx.nd.random.uniform(shape=(4,)).asnumpy()
    mx.random.seed(5)
    uniform = clojure.eval(
        "(fn [] (mxnet.ndarray/->vec (mxnet.random/uniform 0 1 [4])))", "mxnet.random", "mxnet.ndarray"
    )
    assert np.array_equal(first, np.array([float(x) for x in uniform.invoke()], np.float32))


def test_errors_stay_on_their_side(clojure):
    with pytest.raises(jpype.JException, match="not a live|handle"):
        clojure.fn("mxnet.ndarray/from-handle")(jpype.JLong(123456789))
    with pytest.raises(mx.base.MXNetError):
        mx.nd.dot(mx.nd.ones((2, 3)), mx.nd.ones((2, 3)))
