#!/usr/bin/env python3
"""Write every file that derives from capi/spec; with --check only report the ones that differ."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import cffi_source
import entries
import headers
import java
import negative
from spec import HEADERS, ROOT, Spec, load

import docs


def outputs(spec: Spec) -> dict[str, str | None]:
    """Path relative to the repository root -> content (None: cannot be made here)."""
    files: dict[str, str | None] = {
        "capi/include/mxnet/c_types.h": headers.types_header(spec),
        "capi/include/mxnet/ext_api.h": headers.ext_header(spec),
        "capi/libmxnet.map": headers.version_script(),
        "capi/src/generated/kinds.h": entries.kinds_header(spec),
        "capi/src/generated/impl.h": entries.impl_header(spec),
        "capi/src/generated/not_implemented.cc": entries.not_implemented(spec),
        "python/mxnet/_cdef.h.txt": cffi_source.cdef(spec),
        "python/mxnet/_capi.c": cffi_source.c_source(spec),
        "clojure/java/mxnet/LibMXNet.java": java.source(spec),
        "docs/c-api.md": docs.page(spec),
        "tests/capi/generated/negative_test.c": negative.source(spec),
        "tests/capi/generated/fixture.h": negative.fixture_header(spec),
    }
    for name in HEADERS:
        files[f"capi/include/{name}"] = headers.header(spec, name)
    for family in spec.families:
        name = family["family"]
        if any(f.status == "full" and f.name not in entries.UNGUARDED for f in spec.functions if f.family == name):
            files[f"capi/src/generated/entries_{name}.cc"] = entries.entries(spec, name)
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 and list files that differ")
    args = parser.parse_args()
    files = outputs(load())
    stale = []
    for extra in (ROOT / "capi/src/generated").glob("*"):
        if str(extra.relative_to(ROOT)) not in files:
            stale.append(str(extra.relative_to(ROOT)))
            if not args.check:
                extra.unlink()
    for name, text in files.items():
        path = ROOT / name
        if text is None:
            print(f"skipped (cffi is not installed): {name}")
            continue
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if not args.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    for name in stale:
        print(("differs: " if args.check else "wrote: ") + name)
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
