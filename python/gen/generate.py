"""Write the operator functions of mxnet.sym and mxnet.nd, and their type stubs, from the operator registry.

    python gen/generate.py [--ops ops.json] [--check]

``ops.json`` is the registry of the native library, written by its operator dump. The functions are ordinary source
files, so that importing the package compiles and executes nothing. With ``--check`` nothing is written; the exit status
is 1 if a file is not what the registry says.
"""

from __future__ import annotations

import argparse
import ast
import json
import keyword
import re
import struct
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent / "mxnet"
NAMESPACES = ("op", "internal", "contrib", "linalg", "image", "sparse", "random")
PREFIXES = ("_contrib_", "_linalg_", "_image_", "_sparse_")
NUMPY_PREFIXES = ("_np_", "_npi_", "_npx_")
RESERVED = {"symbol": ("name", "attr", "out"), "ndarray": ("out", "name")}
LINE = 118
_IN_WORDS = {"Shape": "int or tuple of int", "Sequence[float]": "tuple of float", "Any": "object"}


def place(name: str) -> tuple[str, str] | None:
    """Return the namespace and the function name under which an operator name is exposed, or None."""
    if name.startswith(NUMPY_PREFIXES) or "_backward" in name or name.startswith("_contrib_backward"):
        return None
    for prefix in PREFIXES:
        if name.startswith(prefix) and not name.startswith(prefix + "_"):
            return prefix.strip("_"), name[len(prefix):]
    if name.startswith("_random_") and name.endswith("_like"):
        return "random", name[len("_random_"):]
    return ("internal" if name.startswith("_") else "op"), name


def short_float(text: str) -> str:
    """Return the shortest number that is the same float32 as ``text``."""
    value = float(text)
    bits = struct.pack("f", value)
    for digits in range(1, 9):
        candidate = f"{value:.{digits}g}"
        if struct.pack("f", float(candidate)) == bits:
            return repr(float(candidate))
    return repr(value)


class Param:
    """One parameter: its name, kind, default as Python text (None if required), and help."""

    def __init__(self, name: str, spec: str, doc: str):
        self.name = name
        self.doc = doc
        self.required = "required" in spec
        self.choices: list[str] = []
        kind = spec
        if spec.startswith("{"):
            inner, _, rest = spec[1:].partition("}")
            self.choices = [c.strip().strip("'") for c in inner.split(",")]
            kind = "enum"
        else:
            rest = spec
        self.optional_none = "or None" in spec or "None" in self.choices
        self.kind = self._kind(kind)
        found = re.search(r"default=(.*)$", rest)
        self.default = self._default(found.group(1).strip()) if found else None
        if self.default is None and not self.required:
            self.default = "None"
        if self.default == "None":
            self.optional_none = True

    @staticmethod
    def _kind(spec: str) -> str:
        head = spec.split(",")[0].strip()
        if head == "enum":
            return "str"
        if head.startswith("tuple of"):
            return "Sequence[float]"
        for word, kind in (("Shape", "Shape"), ("bool", "bool"), ("float", "float"), ("double", "float"),
                           ("real_t", "float"), ("int", "int"), ("long", "int"), ("string", "str")):
            if head.startswith(word):
                return kind
        return "Any"

    def _default(self, text: str) -> str:
        bare = text.strip("'")
        if bare == "None":
            return "None"
        if self.kind == "bool":
            return "True" if bare in ("1", "True", "true") else "False"
        if self.kind == "float":
            return short_float(bare)
        if self.kind == "int":
            return bare
        if self.kind in ("Shape", "Sequence[float]"):
            inner = bare.strip("[]()").strip().rstrip(",")
            items = [short_float(i) if self.kind != "Shape" else i.strip() for i in inner.split(",")] if inner else []
            return "(" + ", ".join(items) + (",)" if len(items) == 1 else ")")
        return repr(bare)

    def annotation(self) -> str:
        choices = [c for c in self.choices if c != "None"]
        kind = f"Literal[{', '.join(repr(c) for c in choices)}]" if choices and self.name != "dtype" else self.kind
        if self.name == "dtype":
            kind = "DType"
        return kind + (" | None" if self.optional_none else "")

    def describe(self) -> str:
        choices = [c for c in self.choices if c != "None"]
        kind = "{" + ", ".join(repr(c) for c in choices) + "}" if choices else \
            _IN_WORDS.get(self.kind, self.kind)
        if self.required:
            return f"{self.name} : {kind}"
        return f"{self.name} : {kind}, default {self.default}"


class Operator:
    """An operator as the generator needs it."""

    def __init__(self, name: str, record: dict):
        self.name = name
        self.aliases = list(record.get("aliases", ()))
        self.doc = (record.get("doc") or record.get("description") or "").strip()
        self.count_key = record.get("key_var_num_args") or ""
        inputs = [self._entry(i) for i in record.get("inputs", ())]
        self.variadic = any(t.endswith("[]") for _, t, _ in inputs)
        self.inputs = [(n, d) for n, t, d in inputs if not self.variadic or t.endswith("[]")]
        self.lead = [n for n, t, _ in inputs if self.variadic and not t.endswith("[]")]
        taken = {n for n, _, _ in inputs}
        self.params = [Param(*self._entry(p)) for p in record.get("params", ()) if self._entry(p)[0] not in taken]

    @staticmethod
    def _entry(entry: object) -> tuple[str, str, str]:
        if isinstance(entry, dict):
            return entry["name"], entry.get("type", "NDArray-or-Symbol"), entry.get("doc", "") or ""
        name, kind, *rest = entry  # type: ignore[misc]
        return name, kind, (rest[0] if rest else "")

    def names(self) -> list[str]:
        return [self.name, *self.aliases]


def safe(name: str) -> str:
    """Return a parameter name that Python accepts."""
    return name + "_" if keyword.iskeyword(name) else name


def wrap(text: str, indent: str) -> list[str]:
    """Break a text into lines."""
    lines, line = [], ""
    for word in text.split():
        if line and len(indent) + len(line) + 1 + len(word) > LINE:
            lines.append(indent + line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, indent + line] if line else lines


def docstring(op: Operator, side: str) -> list[str]:
    thing = "Symbol" if side == "symbol" else "NDArray"
    summary = op.doc.replace("\\", "\\\\").replace('"""', "'''") or f"Apply the operator ``{op.name}``."
    first, *others = [p for p in summary.split("\n\n") if p.strip()]
    head = wrap(first, "    ")
    lines = ['    """' + head[0].strip(), *head[1:]]
    for other in others:
        lines += ["", *wrap(other, "    ")]
    if op.inputs or op.params:
        lines += ["", "    Parameters", "    ----------"]
    for name, doc in op.inputs:
        lines.append(f"    {'*' if op.variadic else ''}{name} : {thing}")
        lines += wrap(doc.replace("\\", "\\\\").replace('"""', "'''"), "        ")
    for p in op.params:
        lines.append("    " + p.describe())
        lines += wrap(p.doc.replace("\\", "\\\\").replace('"""', "'''"), "        ")
    if len(lines) == 1 and len(lines[0]) < LINE - 3:
        return [lines[0] + '"""']
    return [*lines, '    """']


def fold(head: str, items: list[str], tail: str) -> list[str]:
    """Write a call or signature, broken after commas."""
    lines, line = [], head
    pad = " " * len(head) if len(head) < 40 else " " * 8
    for i, item in enumerate(items):
        piece = item + (", " if i + 1 < len(items) else tail)
        if len(line) + len(piece.rstrip()) > LINE and line != head:
            lines.append(line.rstrip())
            line = pad
        line += piece
    if not items:
        line += tail
    return [*lines, line]


class Module:
    """One generated module of one side, with its stub."""

    def __init__(self, side: str, namespace: str):
        self.side = side
        self.namespace = namespace
        self.functions: dict[str, tuple[Operator, str]] = {}

    def add(self, function: str, op: Operator, registered: str) -> None:
        self.functions[function] = (op, registered)

    def source(self) -> str:
        symbol = self.side == "symbol"
        helpers = "compose as _compose, compose_list as _compose_list" if symbol else \
            "invoke as _invoke, invoke_list as _invoke_list, unary as _unary"
        defaults: dict[str, str] = {}
        body: list[str] = []
        for number, (function, (op, registered)) in enumerate(sorted(self.functions.items())):
            body += self.function(function, op, registered, f"_o{number}", defaults)
        lines = [f'"""Operators of mxnet.{self.side} ({self.namespace}); generated by gen/generate.py, do not edit."""',
                 "# ruff: noqa", ""]
        lines += ["from .._op import Op as _Op", "from ..base import Default as _Default",
                  f"from .{'_compose' if symbol else '_invoke'} import {helpers}", ""]
        lines += fold("__all__ = [", [repr(f) for f in sorted(self.functions)], "]")
        lines += [""]
        lines += [f"{name} = _Default({text!r})" for text, name in defaults.items()]
        return "\n".join(lines + body) + "\n"

    def parameters(self, op: Operator, default_of: object) -> list[str]:
        symbol = self.side == "symbol"
        arrays = [f"*{op.inputs[0][0]}"] if op.variadic else [f"{safe(n)}=None" for n, _ in op.inputs]
        params = [f"{safe(p.name)}={default_of(p)}" for p in op.params]
        extra = [f"{n}=None" for n in RESERVED["symbol" if symbol else "ndarray"]]
        return [*arrays, *params, *extra, "**kwargs"]

    def function(self, function: str, op: Operator, registered: str, handle: str, defaults: dict) -> list[str]:
        names = [n for n, _ in op.inputs] + [p.name for p in op.params]
        clash = set(names) & {*RESERVED[self.side], "kwargs"}
        if clash or len(set(names)) != len(names):
            raise SystemExit(f"operator {op.name}: parameter names clash: {sorted(clash) or names}")

        def default_of(p: Param) -> str:
            text = "<required>" if p.default is None else p.default
            return defaults.setdefault(text, f"_d{len(defaults)}")

        array_names = tuple(n for n, _ in op.inputs)
        param_names = tuple(p.name for p in op.params)
        made = [repr(registered)]
        if array_names or param_names or op.variadic:
            made.append(repr(array_names))
        if param_names or op.variadic:
            made.append(repr(param_names))
        if op.variadic:
            made.append(repr(op.count_key))
        lines = ["", "", *fold(f"{handle} = _Op(", made, ")"), "", "",
                 *fold(f"def {function}(", self.parameters(op, default_of), "):"), *docstring(op, self.side)]
        values = "(" + "".join(safe(p) + ", " for p in param_names).rstrip() + ")"
        if op.variadic:
            arrays = array_names[0]
        else:
            arrays = "(" + "".join(safe(a) + ", " for a in array_names).rstrip() + ")"
        arrays, values = (re.sub(r",\)$", ")", t) if t.count(",") > 1 else t for t in (arrays, values))
        if self.side == "symbol":
            call = "_compose_list" if op.variadic else "_compose"
            args = [handle, repr(function.lower()), "name", "attr", "kwargs", arrays, values]
        elif not op.variadic and len(array_names) == 1 and not param_names:
            call, args = "_unary", [handle, array_names[0], "out", "kwargs"]
        else:
            call = "_invoke_list" if op.variadic else "_invoke"
            args = [handle, arrays, values, "out", "kwargs"]
        return lines + fold(f"    return {call}(", args, ")")

    def stub(self) -> str:
        symbol = self.side == "symbol"
        thing = "Symbol" if symbol else "NDArray"
        module = "symbol" if symbol else "ndarray"
        lines = ["# Generated by gen/generate.py, do not edit.", "# ruff: noqa",
                 "from typing import Any, Literal, Sequence",
                 "", f"from .{module} import {thing}", "", "Shape = int | Sequence[int]", "DType = Any", "",
                 "__all__: list[str]", ""]
        for function, (op, _) in sorted(self.functions.items()):
            arrays = [f"*{op.inputs[0][0]}: {thing}"] if op.variadic else \
                [f"{safe(n)}: {thing} | None = ..." for n, _ in op.inputs]
            params = [f"{safe(p.name)}: {p.annotation()} = {p.default if p.default is not None else '...'}"
                      for p in op.params]
            result = thing if symbol else "Any"
            if symbol:
                extra = ["name: str | None = ...", "attr: dict[str, str] | None = ...", "out: Any = ..."]
            else:
                extra = ["out: NDArray | list[NDArray] | None = ...", "name: str | None = ..."]
            lines += fold(f"def {function}(", [*arrays, *params, *extra, "**kwargs: Any"], f") -> {result}: ...")
        return "\n".join(lines) + "\n"


def modules(registry: dict) -> list[Module]:
    """Sort the operators of a registry into the modules to write."""
    table = {(side, ns): Module(side, ns) for side in ("symbol", "ndarray") for ns in NAMESPACES}
    for name, record in registry["ops"].items():
        if record.get("internal") or record.get("group") == "backward":
            continue
        op = Operator(name, record)
        for registered in op.names():
            where = place(registered)
            if where and not keyword.iskeyword(where[1]) and where[1].isidentifier():
                for side in ("symbol", "ndarray"):
                    table[side, where[0]].add(where[1], op, registered)
    return list(table.values())


def outputs(registry: dict) -> dict[Path, str]:
    """Return every generated file and its text."""
    files = {}
    for module in modules(registry):
        base = PACKAGE / module.side / f"_gen_{module.namespace}"
        source = module.source()
        ast.parse(source)
        stub = module.stub()
        ast.parse(stub)
        files[base.with_suffix(".py")] = source
        files[base.with_suffix(".pyi")] = stub
    return files


def load(path: Path) -> dict:
    """Read a registry: a map of records by name, or a list of records with names."""
    data = json.loads(path.read_text())
    ops = data.get("ops", data) if isinstance(data, dict) else data
    if isinstance(ops, list):
        ops = {record["name"]: record for record in ops}
    return {"ops": ops}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ops", type=Path, default=HERE.parent.parent / "ops.json")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    stale = []
    for path, text in outputs(load(args.ops)).items():
        if path.exists() and path.read_text() == text:
            continue
        stale.append(path)
        if not args.check:
            path.write_text(text)
    for path in stale:
        print(("differs from the registry: " if args.check else "wrote ") + str(path.relative_to(HERE.parent)))
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
