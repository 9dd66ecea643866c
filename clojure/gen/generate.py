#!/usr/bin/env python3
"""Write the operator functions of mxnet.symbol and mxnet.ndarray from ops.json.

    python clojure/gen/generate.py [--ops ops.json] [--check]

``ops.json`` is the registry of the native library. Each operator becomes a ``def`` of a closure with ``:doc`` and
``:arglists``, which loads ten times faster than a ``defn`` and is seen by editors. ``--check`` writes nothing and
fails when a file differs.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "clojure" / "src" / "mxnet"

# Operators of families that are private in the registry and public here.
FAMILIES = (("_contrib_", "contrib_"), ("_image_", "image_"))
# Two operators have one Clojure name; the one that can do more is taken.
PREFERRED = {"crop": "Crop", "make-loss": "MakeLoss"}


def kebab(name: str) -> str:
    """Return the Clojure name of an operator or parameter."""
    name = re.sub(r"([A-Z]+)([A-Z][a-z]+)", r"\1-\2", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1-\2", name)
    return name.lower().replace("_", "-").replace("/", "div")


def public_name(name: str) -> str | None:
    """Return the name under which a registered operator is public, or None."""
    for prefix, shown in FAMILIES:
        if name.startswith(prefix):
            return kebab(shown + name[len(prefix) :])
    return None if name.startswith("_") else kebab(name)


def hand_written(path: Path) -> set[str]:
    """Return the names that a source file defines itself."""
    return set(re.findall(r"^\(def[\w-]*\s+(?:\^\S+\s+)*([^\s()\[\]]+)", path.read_text(), re.M))


def operators(ops: dict) -> dict[str, tuple[str, dict]]:
    """Return for each Clojure name the registered name and the record of its operator."""
    chosen: dict[str, tuple[str, dict]] = {}
    for real in sorted(ops):
        record = ops[real]
        if record.get("internal") or real.startswith("_backward"):
            continue
        for name in sorted([real, *record["aliases"]]):
            shown = public_name(name)
            if shown is None:
                continue
            preferred = PREFERRED.get(shown)
            known = chosen.get(shown)
            # Of two spellings of one name the lower-case one is the operator of today.
            if known is None or name == preferred or (known[0] != preferred and name.islower()):
                chosen[shown] = (name, record)
        spare = {"LeakyReLU": "leaky-relu"}.get(real)
        if spare:
            chosen[spare] = (real, record)
    return dict(sorted(chosen.items()))


KINDS = {
    "Shape(tuple)": "tuple",
    "Shape or None": "tuple or nil",
    "int (non-negative)": "integer from 0",
    "long (non-negative)": "integer from 0",
    "int": "integer",
    "long": "integer",
    "int or None": "integer or nil",
    "float": "number",
    "double": "number",
    "real_t": "number",
    "float or None": "number or nil",
    "double or None": "number or nil",
    "boolean or None": "boolean or nil",
}


def describe_type(text: str) -> str:
    """Return a parameter's type and default in a reader's words."""
    if text.startswith("{"):
        end = text.index("}")
        kind = "one of " + " | ".join(part.strip().strip("'") for part in text[1:end].split(","))
        rest = text[end + 1 :]
    else:
        kind, _, rest = text.partition(",")
        kind = KINDS.get(kind.strip(), kind.strip())
        kind = re.sub(r"tuple of <.*>", "tuple", kind)
    default = re.search(r"default=(.*)$", rest)
    if "required" in rest:
        return f"{kind}, required"
    if default is None:
        return kind
    value = default[1].strip().strip("'")
    if kind == "boolean":
        value = {"0": "false", "1": "true"}.get(value, value)
    return f"{kind}, default {value or 'empty'}"


def markdown(text: str) -> str:
    """Return a description without reStructuredText mark-up."""
    text = re.sub(r":math:`([^`]*)`", r"`\1`", text)
    text = re.sub(r"``([^`]*)``", r"`\1`", text)
    return re.sub(r"^\.\. (\w+)::", lambda m: m[1].capitalize() + ":", text, flags=re.M).strip()


def docstring(name: str, record: dict) -> str:
    """Return the documentation of an operator, ready to stand between quotes."""
    lines = [markdown(record.get("doc") or f"The operator {name}.")]
    inputs = [kebab(row[0]) for row in record["inputs"]]
    if inputs:
        many = any("[]" in row[1] for row in record["inputs"])
        lines += ["", "Inputs: " + ", ".join(f"`{item}`" for item in inputs) + (" (any number)." if many else ".")]
    if record["params"]:
        lines += ["", "Parameters:"]
        for row in record["params"]:
            note = " ".join(row[2].split()) if len(row) > 2 else ""
            item = f"- `:{kebab(row[0])}` ({describe_type(row[1])})" + (f": {note}" if note else "")
            lines += textwrap.wrap(item, 112, subsequent_indent="  ")
    wrapped: list[str] = []
    for line in "\n".join(lines).split("\n"):
        wrapped += textwrap.wrap(line, 112) if len(line) > 112 else [line.rstrip()]
    text = "\n  ".join(wrapped)
    return re.sub(r"\n +\n", "\n\n", text).replace("\\", "\\\\").replace('"', '\\"')


def names_of(record: dict) -> tuple[list[str], list[str]]:
    return [kebab(row[0]) for row in record["inputs"]], [kebab(row[0]) for row in record["params"]]


def symbol_arglists(record: dict) -> str:
    inputs, params = names_of(record)
    taken = list(dict.fromkeys(["name", "attr", *inputs, *params]))
    return (
        f"([{{:keys [{' '.join(taken)}]}}] [name options] [name attributes options] [name attributes inputs options])"
    )


def array_arglists(record: dict) -> str:
    inputs, params = names_of(record)
    count = record.get("key_var_num_args")
    shown = [kebab(count)] if count else []
    by_position = inputs + [p for p in params if p not in shown]
    taken = list(dict.fromkeys([*inputs, *params, "out"]))
    # Clojure knows no more than 20 arguments before &, but arglists are for readers.
    return f"([{' '.join(dict.fromkeys(by_position))}] [{{:keys [{' '.join(taken)}]}}])"


def source(namespace: str, function: str, arglists, chosen: dict, skip: set[str]) -> str:
    """Return the text of a file of operators."""
    parts = [
        ";; Generated by clojure/gen/generate.py from ops.json. Do not edit.",
        f"(in-ns '{namespace})",
        "",
    ]
    for shown, (name, record) in chosen.items():
        if shown in skip:
            continue
        parts.append(
            f'(def ^{{:arglists \'{arglists(record)}\n  :added "1.10.0"\n  :doc\n  "{docstring(name, record)}"}}\n'
            f'  {shown} ({function} "{name}"))\n'
        )
    return "\n".join(parts)


def outputs(ops: dict) -> dict[Path, str]:
    """Return the generated files and their texts."""
    chosen = operators(ops)
    return {
        SOURCE / "symbol_ops.clj": source(
            "mxnet.symbol", "op/symbol-op", symbol_arglists, chosen, hand_written(SOURCE / "symbol.clj")
        ),
        SOURCE / "ndarray_ops.clj": source(
            "mxnet.ndarray", "op/array-op", array_arglists, chosen, hand_written(SOURCE / "ndarray.clj")
        ),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ops", type=Path, default=ROOT / "ops.json")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    args = parser.parse_args()
    stale = []
    for path, text in outputs(json.loads(args.ops.read_text())["ops"]).items():
        if path.exists() and path.read_text() == text:
            continue
        stale.append(path)
        if not args.check:
            path.write_text(text)
    for path in stale:
        print(("differs from ops.json: " if args.check else "wrote ") + str(path.relative_to(ROOT)))
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
