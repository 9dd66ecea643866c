"""Drawings and tables of networks."""

from __future__ import annotations

import json
import re
import warnings
from typing import Any

from ._graph import Digraph
from .symbol import Symbol

__all__ = ["Digraph", "plot_network", "print_summary"]

_PARAMETER = ("_weight", "_bias", "_beta", "_gamma", "_moving_var", "_moving_mean", "_running_var", "_running_mean")
_COLORS = {"null": "#8dd3c7", "Convolution": "#fb8072", "FullyConnected": "#fb8072", "Activation": "#ffffb3",
           "LeakyReLU": "#ffffb3", "BatchNorm": "#bebada", "Pooling": "#80b1d3", "Concat": "#fdb462",
           "Flatten": "#fdb462", "Reshape": "#fdb462", "Softmax": "#b3de69"}
_OTHER = "#fccde5"


def _tuple(text: str) -> list[str]:
    return re.findall(r"\d+", text)


class _Shapes:
    """Shapes or types of the outputs inside a network, by node."""

    def __init__(self, symbol: Symbol, shape: dict | None, dtype: dict | None = None):
        internals = symbol.get_internals()
        self.shapes: dict[str, tuple] | None = None
        self.types: dict[str, Any] | None = None
        if shape is not None:
            found = internals.infer_shape(**shape)[1]
            if found is None:
                raise ValueError("Input shape is incomplete")
            self.shapes = dict(zip(internals.list_outputs(), found))
        if dtype is not None:
            found = internals.infer_type(**dtype)[1]
            if found is None:
                raise ValueError("Input type is incomplete")
            self.types = dict(zip(internals.list_outputs(), found))

    @staticmethod
    def _key(node: dict, table: dict, output: int) -> str:
        name = node["name"]
        if node["op"] == "null":
            return name
        numbered = f"{name}_output{output}"
        return numbered if numbered in table else f"{name}_output"

    def shape(self, node: dict, output: int = 0) -> tuple | None:
        """Shape of one output without its first axis, or None if not known."""
        if self.shapes is None:
            return None
        found = self.shapes.get(self._key(node, self.shapes, output))
        return None if found is None else found[1:]

    def type(self, node: dict, output: int = 0) -> Any:
        """Type of one output."""
        return None if self.types is None else self.types.get(self._key(node, self.types, output))


def _parameter_count(node: dict, channels: int, shapes: _Shapes) -> int:
    """Number of parameters of a layer that reads ``channels`` channels."""
    attrs = node.get("attrs", {})
    bias = attrs.get("no_bias") not in ("True", "1", "true")
    if node["op"] == "Convolution":
        count = channels * int(attrs["num_filter"]) // int(attrs.get("num_group", "1"))
        for length in _tuple(attrs["kernel"]):
            count *= int(length)
        return count + int(attrs["num_filter"]) * bias
    if node["op"] == "FullyConnected":
        return (channels + bias) * int(attrs["num_hidden"])
    if node["op"] == "BatchNorm":
        shape = shapes.shape(node)
        return 2 * int(shape[0]) if shape else 0
    if node["op"] == "Embedding":
        return int(attrs["input_dim"]) * int(attrs["output_dim"])
    return 0


def print_summary(symbol: Symbol, shape: dict | None = None, line_length: int = 120,
                  positions: Any = (.44, .64, .74, 1.)) -> None:
    """Print a table of a network's layers, their output shapes and numbers of parameters.

    Parameters
    ----------
    symbol : Symbol
    shape : dict of str to tuple of int, optional
        Shapes of the inputs. Without them no shapes are shown, and parameters are not counted right.
    line_length : int, default 120
    positions : sequence of float or int
        Ends of the columns, as fractions of the line or in characters.
    """
    if not isinstance(symbol, Symbol):
        raise TypeError("symbol must be Symbol")
    shapes = _Shapes(symbol, shape)
    graph = json.loads(symbol.tojson())
    nodes = graph["nodes"]
    heads = set(graph["heads"][0])
    ends = [int(line_length * p) for p in positions] if positions[-1] <= 1 else list(positions)

    def row(*fields: Any) -> None:
        line = ""
        for field, end in zip(fields, ends):
            line = (line + str(field))[:end].ljust(end)
        print(line)

    print("_" * line_length)
    row("Layer (type)", "Output Shape", "Param #", "Previous Layer")
    print("=" * line_length)
    total = 0
    for index, node in enumerate(nodes):
        op = node["op"]
        if op == "null" and index > 0:
            continue
        previous, channels = [], 0
        if op != "null":
            for source, output, *_ in node["inputs"]:
                before = nodes[source]
                if before["op"] == "null" and source not in heads:
                    continue
                previous.append(before["name"])
                found = shapes.shape(before, output)
                if found:
                    channels += int(found[0])
        out_shape = (shapes.shape(node) or ()) if op != "null" or index in heads else ()
        count = _parameter_count(node, channels, shapes)
        total += count
        row(f"{node['name']}({op})", "x".join(str(n) for n in out_shape), count, previous[0] if previous else "")
        for name in previous[1:]:
            row("", "", "", name)
        print(("=" if index == len(nodes) - 1 else "_") * line_length)
    print(f"Total params: {total}")
    print("_" * line_length)


def _label(node: dict) -> str:
    op, attrs = node["op"], node.get("attrs", {})
    if op == "null":
        return node["name"]
    if op == "Convolution":
        stride = "x".join(_tuple(attrs["stride"])) if "stride" in attrs else "1"
        return f"Convolution\n{'x'.join(_tuple(attrs['kernel']))}/{stride}, {attrs['num_filter']}"
    if op == "FullyConnected":
        return f"FullyConnected\n{attrs['num_hidden']}"
    if op == "Activation":
        return f"Activation\n{attrs['act_type']}"
    if op == "LeakyReLU":
        return f"LeakyReLU\n{attrs.get('act_type', 'Leaky')}"
    if op == "Pooling":
        kernel = "x".join(_tuple(attrs["kernel"])) if "kernel" in attrs else "[]"
        stride = "x".join(_tuple(attrs["stride"])) if "stride" in attrs else "1"
        return f"Pooling\n{attrs.get('pool_type', 'max')}, {kernel}/{stride}"
    if op == "Custom":
        return attrs.get("op_type", op)
    return node["name"]


def plot_network(symbol: Symbol, title: str = "plot", save_format: str = "pdf", shape: dict | None = None,
                 dtype: dict | None = None, node_attrs: dict | None = None, hide_weights: bool = True) -> Digraph:
    """Return a drawing of a network.

    Parameters
    ----------
    symbol : Symbol
    title : str, default 'plot'
        Name of the drawing and of the file it is saved to.
    save_format : str, default 'pdf'
        Format that ``render`` writes.
    shape : dict of str to tuple of int, optional
        Shapes of the inputs; with them edges carry shapes (without the first axis).
    dtype : dict of str to numpy.dtype, optional
        Types of the inputs; with them edges carry types.
    node_attrs : dict of str to str, optional
        Graphviz attributes for all nodes.
    hide_weights : bool, default True
        Leave parameters out.

    Returns
    -------
    Digraph
        Shown in notebooks; ``save_svg(path)`` writes it as SVG without Graphviz, ``render()`` through Graphviz where
        that is installed, and ``source`` is its DOT text.
    """
    if not isinstance(symbol, Symbol):
        raise TypeError("symbol must be a Symbol")
    shapes = _Shapes(symbol, shape, dtype)
    nodes = json.loads(symbol.tojson())["nodes"]
    names = [node["name"] for node in nodes]
    repeated = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) != len(names) else []
    if repeated:
        warnings.warn("There are multiple variables with the same name in your graph, this may result in cyclic "
                      f"graph. Repeated names: {','.join(repeated)}", RuntimeWarning, stacklevel=2)
    common = {"shape": "box", "fixedsize": "true", "width": "1.3", "height": "0.8034", "style": "filled",
              **(node_attrs or {})}
    dot = Digraph(name=title, format=save_format)
    hidden = set()
    for node in nodes:
        op, name = node["op"], node["name"]
        parameter = op == "null" and name.endswith(_PARAMETER)
        if parameter and hide_weights:
            hidden.add(name)
            continue
        attrs = {**common, "fillcolor": _COLORS.get(op, _OTHER)}
        if op == "null":
            attrs["shape"] = "oval"
        dot.node(name, _label(node), **attrs)
    for node in nodes:
        for source, output, *_ in node["inputs"] if node["op"] != "null" else ():
            before = nodes[source]
            if before["name"] in hidden:
                continue
            found, kind = shapes.shape(before, output), shapes.type(before, output)
            label = "" if found is None else "x".join(str(n) for n in found)
            if kind is not None:
                label += f"({kind.__name__})"
            dot.edge(node["name"], before["name"], dir="back", arrowtail="open", label=label)
    return dot
