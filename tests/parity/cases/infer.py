"""Inference of shapes and types: forward, backward through the graph, and from part of what is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Infer:
    """A symbol and what is known of its arguments. `error` words must be in our message when it clashes."""

    name: str
    build: Callable[[Any], Any]
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    error: tuple[str, ...] | None = None


def mlp(mx: Any) -> Any:
    x = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=8, name="fc1")
    x = mx.sym.Activation(x, act_type="relu", name="relu1")
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(x, num_hidden=3, name="fc2"), name="softmax")


def convnet(mx: Any) -> Any:
    x = mx.sym.Convolution(mx.sym.Variable("data"), kernel=(3, 3), num_filter=4, pad=(1, 1), name="conv")
    x = mx.sym.BatchNorm(x, name="bn")
    x = mx.sym.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max", name="pool")
    return mx.sym.FullyConnected(mx.sym.Flatten(x), num_hidden=5, name="fc")


def of(op: str, *names: str, **params: Any) -> Callable[[Any], Any]:
    """A call of one operator; names become variables."""
    return lambda mx: getattr(mx.sym, op)(*[mx.sym.Variable(n) for n in names], name="node", **params)


def add(mx: Any) -> Any:
    return mx.sym.elemwise_add(mx.sym.Variable("a"), mx.sym.Variable("b"), name="node")


def shaped(mx: Any) -> Any:
    a = mx.sym.Variable("a", shape=(0, 4))
    return mx.sym.elemwise_add(a, mx.sym.Variable("b"), name="node")


def recurrent(mx: Any) -> Any:
    """The state's batch comes from the data, two nodes on."""
    data, state = mx.sym.Variable("data"), mx.sym.Variable("state", shape=(0, 6))
    x = mx.sym.FullyConnected(data, num_hidden=6, name="i2h")
    return mx.sym.elemwise_add(x, mx.sym.FullyConnected(state, num_hidden=6, name="h2h"), name="node")


CASES_INFER = [
    Infer("mlp", mlp, {"data": (7, 5)}),
    Infer("mlp-nothing", mlp),
    Infer("mlp-weight", mlp, {"data": (7, 5), "fc1_weight": (8, 5)}),
    Infer("mlp-unknown-batch", mlp, {"data": (0, 5)}),
    Infer("mlp-clash", mlp, {"data": (7, 5), "fc1_weight": (8, 6)}, error=("fc1", "5", "6")),
    Infer("mlp-float16", mlp, {"data": (7, 5)}, {"data": "float16"}),
    Infer("mlp-float64-weight", mlp, {"data": (7, 5)}, {"fc1_weight": "float64"}),
    Infer("convnet", convnet, {"data": (2, 3, 8, 8)}),
    Infer("convnet-unknown-batch", convnet, {"data": (0, 3, 8, 8)}),
    Infer("convnet-3d", convnet, {"data": (3, 8, 8)}, error=("conv",)),
    Infer("convnet-float16", convnet, {"data": (2, 3, 8, 8)}, {"data": "float16"}),
    Infer("add-left", add, {"a": (2, 3)}, {"a": "float64"}),
    Infer("add-right", add, {"b": (2, 3)}, {"b": "int32"}),
    Infer("add-halves", add, {"a": (2, 0), "b": (0, 3)}),
    Infer("add-clash", add, {"a": (2, 3), "b": (2, 4)}, error=("node", "3", "4")),
    Infer("add-rank-clash", add, {"a": (2, 3), "b": (2, 3, 1)}, error=("node",)),
    Infer("add-type-clash", add, {"a": (2, 3)}, {"a": "float32", "b": "float64"}, error=("node", "float32", "float64")),
    Infer("shaped-variable", shaped, {"b": (5, 0)}),
    Infer("recurrent", recurrent, {"data": (3, 4)}),
    Infer("transpose", of("transpose", "x", axes=(1, 0, 2)), {"x": (2, 3, 4)}),
    Infer("transpose-partial", of("transpose", "x", axes=(1, 0, 2)), {"x": (2, 0, 4)}),
    Infer("reshape", of("Reshape", "x", shape=(0, -1)), {"x": (2, 3, 4)}),
    Infer("reshape-clash", of("Reshape", "x", shape=(5, 5)), {"x": (2, 3)}, error=("node",)),
    Infer("concat", of("Concat", "a", "b", dim=1), {"a": (2, 3), "b": (2, 5)}),
    Infer("concat-clash", of("Concat", "a", "b", dim=1), {"a": (2, 3), "b": (3, 5)}, error=("node", "2", "3")),
    Infer("split", of("SliceChannel", "x", num_outputs=3), {"x": (2, 6)}),
    Infer("embedding", of("Embedding", "x", input_dim=10, output_dim=4), {"x": (2, 6)}),
    Infer("embedding-type", of("Embedding", "x", input_dim=10, output_dim=4), {"x": (2, 6)}, {"x": "int32"}),
    Infer("broadcast", of("broadcast_add", "a", "b"), {"a": (2, 1), "b": (1, 3)}),
    Infer("broadcast-clash", of("broadcast_add", "a", "b"), {"a": (2, 4), "b": (2, 3)}, error=("node", "4", "3")),
    Infer("dot", of("dot", "a", "b"), {"a": (2, 4), "b": (4, 3)}),
    Infer("dot-clash", of("dot", "a", "b"), {"a": (2, 4), "b": (5, 3)}, error=("node", "4", "5")),
    Infer("cast", of("Cast", "x", dtype="int32"), {"x": (2, 3)}, {"x": "float64"}),
    Infer("layernorm", of("LayerNorm", "x"), {"x": (2, 3)}, {"x": "float16"}),
    Infer("deconvolution", of("Deconvolution", "x", kernel=(4, 4), stride=(2, 2), num_filter=6), {"x": (1, 3, 4, 4)}),
    Infer("prelu", of("LeakyReLU", "x", act_type="prelu"), {"x": (2, 3, 4)}),
    Infer("regression", of("LinearRegressionOutput", "x", "y"), {"x": (4, 2)}),
    Infer("softmax-output", of("SoftmaxOutput", "x", "y"), {"x": (4, 2)}),
    Infer("softmax-output-multi", of("SoftmaxOutput", "x", "y", multi_output=True), {"x": (4, 2, 3)}),
    Infer("sum-axis", of("sum", "x", axis=1), {"x": (2, 3, 4)}),
    Infer("argmax", of("argmax", "x", axis=1), {"x": (2, 3, 4)}, {"x": "float64"}),
    Infer("one_hot", of("one_hot", "x", depth=4, dtype="float64"), {"x": (2, 3)}, {"x": "int32"}),
    Infer("take", of("take", "a", "i"), {"a": (5, 2), "i": (3, 4)}, {"a": "float16", "i": "int32"}),
    Infer("batch_dot", of("batch_dot", "a", "b"), {"a": (2, 3, 4), "b": (2, 4, 5)}),
    Infer("where", of("where", "c", "x", "y"), {"x": (2, 3)}),
    Infer("stack", of("stack", "a", "b", axis=1), {"a": (2, 3)}),
    Infer("upsampling", of("UpSampling", "x", scale=2, sample_type="nearest"), {"x": (1, 2, 3, 4)}),
]


def result(mx: Any, case: Infer) -> dict[str, Any]:
    """What inference finds: null where unknown; "error" where it raises."""
    import numpy as np

    symbol = case.build(mx)
    try:
        shapes = symbol.infer_shape_partial(**case.shapes) if case.shapes else symbol.infer_shape_partial()
        types = symbol.infer_type_partial(**case.types) if case.types else symbol.infer_type_partial()
    except (mx.base.MXNetError, ValueError, TypeError) as error:
        return {"error": True, "message": str(error)}
    plain = None if shapes[0] is None else [[list(map(int, s)) for s in part] for part in shapes]
    names = None if types[0] is None else [[None if t is None else np.dtype(t).name for t in part] for part in types]
    return {"shapes": plain, "types": names}


def agrees(found: Any, stored: Any) -> bool:
    """Whether everything 1.9.1 found is found; more may be known than it knew."""
    if stored is None or (isinstance(stored, list) and not stored and isinstance(found, list)):
        return True
    if isinstance(stored, dict):
        return not found.get("error") and all(agrees(found[key], value) for key, value in stored.items())
    if isinstance(stored, list):
        return isinstance(found, list) and len(found) == len(stored) and all(map(agrees, found, stored))
    # 0 is an unknown dimension
    return stored == 0 or found == stored
