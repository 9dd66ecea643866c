"""Loading and checking of the C ABI specification."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "capi" / "spec"
NULLABLE = {"never", "always", "if_empty"}
STATUS = {"full", "not_implemented"}
HEADERS = [
    "mxnet/c_api.h",
    "mxnet/c_predict_api.h",
    "mxnet/c_api_test.h",
    "mxnet/runtime/c_runtime_api.h",
    "nnvm/c_api.h",
]


@dataclass
class Arg:
    """One argument of an entry point."""

    name: str
    type: str
    dir: str
    kind: str | None = None
    len: str | None = None
    nullable: str | None = None
    owner: str | None = None

    @property
    def stars(self) -> int:
        return self.type.count("*")

    @property
    def base(self) -> str:
        return re.sub(r"\bconst\b|\bstruct\b|\*", "", self.type).strip()


@dataclass
class Function:
    """One entry point."""

    name: str
    header: str
    tier: int
    doc: str
    result: str
    status: str
    returns: str = "int"
    args: list[Arg] = field(default_factory=list)
    family: str = ""
    threads: str = ""

    def prototype(self) -> str:
        args = ", ".join(f"{a.type} {a.name}" for a in self.args) or "void"
        return f"{self.returns} {self.name}({args})"


@dataclass
class Spec:
    """The whole specification."""

    families: list[dict[str, Any]]
    functions: list[Function]
    types: dict[str, Any]
    ext: dict[str, Any]

    def callbacks(self) -> set[str]:
        return set(re.findall(r"typedef \w+ \(\*?(\w+)\)\(", self.types["callbacks"]))


def load(folder: Path = SPEC) -> Spec:
    """Read every family; raise ValueError where the specification contradicts itself."""
    types = yaml.safe_load((folder / "types.yaml").read_text())
    ext = yaml.safe_load((folder / "ext_api.yaml").read_text())
    families, functions = [], []
    for path in sorted(folder.glob("*.yaml")):
        if path.stem in ("types", "ext_api"):
            continue
        family = yaml.safe_load(path.read_text())
        if family["family"] != path.stem:
            raise ValueError(f"{path.name}: family is {family['family']}")
        families.append(family)
        for raw in family["functions"]:
            raw = dict(raw)
            args = [Arg(**a) for a in raw.pop("args", [])]
            f = Function(args=args, family=family["family"], threads=family["threads"], **raw)
            check(f)
            functions.append(f)
    names = [f.name for f in functions]
    if len(set(names)) != len(names):
        raise ValueError(f"declared twice: {sorted({n for n in names if names.count(n) > 1})}")
    return Spec(families, functions, types, ext)


def check(f: Function) -> None:
    """Raise ValueError for an entry that contradicts itself."""
    names = {a.name for a in f.args}
    if f.header not in HEADERS or f.status not in STATUS:
        raise ValueError(f"{f.name}: header {f.header}, status {f.status}")
    for a in f.args:
        if a.stars and a.nullable not in NULLABLE:
            raise ValueError(f"{f.name}: {a.name} must say nullable")
        if a.dir not in ("in", "out", "inout"):
            raise ValueError(f"{f.name}: {a.name} has direction {a.dir}")
        if a.len and a.len.split("+")[0] not in names:
            raise ValueError(f"{f.name}: length {a.len} of {a.name} is no argument")
        if a.nullable == "if_empty" and not a.len:
            raise ValueError(f"{f.name}: {a.name} is nullable if empty but has no length")
