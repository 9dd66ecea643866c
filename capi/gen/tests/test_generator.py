"""The generator on a small specification, and the committed files against the committed specification."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

GEN = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(GEN))

import entries  # noqa: E402
import headers  # noqa: E402
import java  # noqa: E402
import negative  # noqa: E402
import spec as specification  # noqa: E402

FAMILY = """
family: toy
title: Toys
threads: object
functions:
- name: MXToyPaint
  header: mxnet/c_api.h
  tier: 1
  doc: Paint a toy.
  result: none
  status: full
  args:
  - {name: handle, type: NDArrayHandle, kind: NDArray, dir: in, nullable: never}
  - {name: num, type: int, dir: in}
  - {name: keys, type: "const char**", dir: in, len: num, nullable: if_empty}
  - {name: out, type: "SymbolHandle*", kind: Symbol, dir: out, nullable: never, owner: MXSymbolFree}
- name: MXToyBreak
  header: mxnet/c_api.h
  tier: 3
  doc: Break a toy.
  result: none
  status: not_implemented
  args:
  - {name: handle, type: NDArrayHandle, kind: NDArray, dir: in, nullable: never}
"""


@pytest.fixture
def toy(tmp_path: Path) -> specification.Spec:
    for name in ("types.yaml", "ext_api.yaml"):
        (tmp_path / name).write_text((specification.SPEC / name).read_text())
    (tmp_path / "toy.yaml").write_text(FAMILY)
    return specification.load(tmp_path)


def test_entry(toy: specification.Spec) -> None:
    assert entries.entry(toy.functions[0]) == (
        "int MXToyPaint(NDArrayHandle handle, int num, const char** keys, SymbolHandle* out) {\n"
        "  return guard([&] {\n"
        '    check_pointer(handle, "MXToyPaint", "handle");\n'
        '    check_array(keys, num, "MXToyPaint", "keys");\n'
        '    check_pointer(out, "MXToyPaint", "out");\n'
        '    check_count(num, "MXToyPaint", "num");\n'
        '    impl::MXToyPaint(deref<NDArrayObject>(handle, "MXToyPaint", "handle"), num, keys, out);\n'
        "  });\n"
        "}\n\n"
    )


def test_not_implemented(toy: specification.Spec) -> None:
    text = entries.not_implemented(toy)
    assert 'int MXToyBreak(NDArrayHandle) { return fail_not_implemented("MXToyBreak"); }' in text
    assert "MXToyPaint" not in text


def test_header(toy: specification.Spec) -> None:
    text = headers.header(toy, "mxnet/c_api.h")
    assert "MXNET_DLL int MXToyPaint(NDArrayHandle handle, int num, const char** keys, SymbolHandle* out);" in text
    assert "out: out, free with MXSymbolFree" in text
    assert "Not implemented: always fails." in text


def test_java(toy: specification.Spec) -> None:
    text = java.source(toy)
    assert "public static native int MXToyPaint(long handle, int num, long[] keys, long[] out);" in text
    assert "public static native int MXToyPaint(long handle, int num, long keys, long out);" in text


def test_negative(toy: specification.Spec) -> None:
    text = negative.source(toy)
    call = "MXToyPaint(NULL, 1, (const char**)fx.strings, (SymbolHandle*)fx.scratch)"
    assert f'EXPECT_ERROR({call}, "MXToyPaint", "handle");' in text
    assert "fx.freed_NDArray" in text
    assert 'EXPECT_ERROR(MXToyBreak(fx.NDArray), "not implemented: MXToyBreak", "");' in text


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("len: num, ", "len: count, ", "length count of keys is no argument"),
        ("dir: out", "dir: sideways", "direction sideways"),
        ("status: full", "status: half", "status half"),
        ("MXToyBreak", "MXToyPaint", "declared twice"),
    ],
)
def test_contradictions(tmp_path: Path, old: str, new: str, message: str) -> None:
    for name in ("types.yaml", "ext_api.yaml"):
        (tmp_path / name).write_text((specification.SPEC / name).read_text())
    (tmp_path / "toy.yaml").write_text(FAMILY.replace(old, new))
    with pytest.raises(ValueError, match=message):
        specification.load(tmp_path)


def test_all_functions_are_there() -> None:
    functions = specification.load().functions
    assert len(functions) == 298
    assert sum(f.tier == 1 for f in functions) == 100
    assert all(f.status == "full" for f in functions if f.tier == 1)


def test_no_drift() -> None:
    done = subprocess.run([sys.executable, str(GEN / "generate.py"), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
