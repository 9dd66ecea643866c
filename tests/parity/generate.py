"""Write tests/golden/*.npz with MXNet 1.9.1.

usage: REMXNET_ORACLE python tests/parity/generate.py [--all] [FAMILY ...]

Without --all, cases that are stored already stay, and those 1.9.1 refused before are tried again. Every case runs in two worker processes, one with memory filled with
garbage and other kernels switched on: a result that differs between them is not well defined in 1.9.1 and is left out. A
crash costs only the case it happened in. Everything left out is listed at the end.
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import harness  # noqa: E402
from harness import TOLERANCE, Case, Golden, Packer, Result  # noqa: E402

TIMEOUT = 900
# The graph fusion of 1.9.1 gives wrong numbers on some graphs; single operators do not need it.
COMMON = {"MXNET_SUBGRAPH_BACKEND": "NONE", "OMP_NUM_THREADS": "2"}
SECOND = {"MALLOC_PERTURB_": "173", "MXNET_MKLDNN_ENABLED": "0"}


def work(family: str, keys_file: str, start: int, out_file: str) -> None:
    """Worker: run cases from `start` on, append one pickle a case."""
    import mxnet as mx

    with open(keys_file) as file:
        keys = set(file.read().split("\n"))
    cases = [c for c in harness.families()[family] if c.key in keys]
    with open(out_file, "ab") as out:
        for number, case in enumerate(cases[start:], start):
            out.write(pickle.dumps(("start", number)))
            out.flush()
            out.write(pickle.dumps(("done", number, case.key, outcome(mx, case))))
            out.flush()


def outcome(mx: Any, case: Case) -> dict[str, Any]:
    expected = (mx.base.MXNetError, ValueError, TypeError, IndexError, AssertionError, RuntimeError, AttributeError, NotImplementedError)
    if case.error is not None:
        try:
            harness.run_case(mx, case)
        except expected as error:
            return {"status": "error", "raises": True, "message": first_line(error)}
        return {"status": "error", "raises": False}
    grad_message = ""
    try:
        result = harness.run_case(mx, case)
    except expected as error:
        grad_message = first_line(error)
        try:
            result = forward_only(mx, case)
        except expected as second:
            return {"status": "refused", "message": first_line(second)}
    inference = None
    if not case.imperative and not case.train_only:
        try:
            inference = harness.run_case(mx, case, is_train=False).outputs
        except expected as error:
            return {"status": "refused", "message": "inference: " + first_line(error)}
    return {"status": "ok", "result": result, "infer": inference, "grad_message": grad_message}


def forward_only(mx: Any, case: Case) -> Result:
    return harness.run_case(mx, case, is_train=False)


def first_line(error: BaseException) -> str:
    lines = [line for line in str(error).split("\n") if line.strip()]
    return f"{type(error).__name__}: {lines[-1][:200] if lines else ''}"


def run_workers(family: str, cases: list[Case], extra: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Run all cases in worker processes, starting a new one after each crash."""
    results: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        keys_file, out_file = Path(folder, "keys"), Path(folder, "out")
        keys_file.write_text("\n".join(c.key for c in cases))
        start = 0
        while start < len(cases):
            out_file.write_bytes(b"")
            command = [sys.executable, __file__, "--work", family, str(keys_file), str(start), str(out_file)]
            environment = {**os.environ, **COMMON, **extra}
            with open(Path(folder, "log"), "w") as log:
                try:
                    code = subprocess.run(command, env=environment, timeout=TIMEOUT, stdout=log, stderr=log).returncode
                except subprocess.TimeoutExpired:
                    code = "timeout"
            current = None
            with open(out_file, "rb") as file:
                while True:
                    try:
                        item = pickle.load(file)
                    except (EOFError, pickle.UnpicklingError):
                        break
                    if item[0] == "start":
                        current = item[1]
                    else:
                        results[item[2]] = item[3]
                        current = None
                        start = item[1] + 1
            if code == 0:
                break
            if current is None and start < len(cases) and not results:
                print(Path(folder, "log").read_text()[-3000:])
                raise SystemExit(f"the worker of {family} failed at once ({code})")
            if current is not None:
                results[cases[current].key] = {"status": "refused", "message": f"crash ({code})"}
                start = current + 1
            elif code != 0 and start < len(cases):
                results[cases[start].key] = {"status": "refused", "message": f"worker ended ({code})"}
                start += 1
    return results


def stable(case: Case, a: dict[str, Any], b: dict[str, Any]) -> str:
    """Empty when both workers agree, else where they differ."""
    if a["status"] != b["status"]:
        return f"{a['status']} versus {b['status']}: {b.get('message', '')}"
    if a["status"] != "ok":
        return ""
    one, two = a["result"], b["result"]
    pairs = [(f"output {i}", x, y) for i, (x, y) in enumerate(zip(one.outputs, two.outputs))]
    pairs += [(f"inference output {i}", x, y) for i, (x, y) in enumerate(zip(a["infer"] or [], b["infer"] or []))]
    pairs += [(f"gradient {i}", one.grads[i], two.grads[i]) for i in one.grads if i in two.grads]
    pairs += [(f"changed {i}", one.changed[i], two.changed[i]) for i in one.changed if i in two.changed]
    if set(one.changed) != set(two.changed):
        return "other inputs were changed"
    for what, x, y in pairs:
        if x.shape != y.shape or x.dtype != y.dtype:
            return f"{what}: {x.shape} {x.dtype} versus {y.shape} {y.dtype}"
        try:
            tol = 2 * TOLERANCE.get(x.dtype.name, 0.0) * case.tol
            harness.compare_arrays(x.reshape(-1), y.reshape(-1), tol, what, case.int_tol)
        except AssertionError as error:
            return str(error)
    return ""


def pack(case: Case, found: dict[str, Any], packer: Packer) -> dict[str, Any]:
    if found["status"] == "error":
        return {"status": "error", "raises": found["raises"]}
    if found["status"] != "ok":
        return {"status": found["status"]}
    result: Result = found["result"]
    values = case.values()
    entry: dict[str, Any] = {"status": "ok", "names": result.names, "out": [packer.put(o) for o in result.outputs]}
    entry["grad"] = {str(i): packer.put(g) for i, g in result.grads.items()}
    entry["changed"] = {str(i): packer.put(c) for i, c in result.changed.items() if not harness.same_bytes(c, values[i])}
    if found["infer"] is not None and not all(harness.same_bytes(x, y) for x, y in zip(found["infer"], result.outputs)):
        entry["infer"] = [packer.put(o) for o in found["infer"]]
    return entry


def repack(entry: dict[str, Any], old: Golden, packer: Packer) -> dict[str, Any]:
    """Carry a stored entry over into a new file."""

    def move(e: list[Any]) -> list[Any]:
        part = old.part(e)
        identity = (e[0] + str(e[1]) + str(e[4:]), part.tobytes())
        if identity in packer.seen:
            return packer.seen[identity]
        offset = packer.lengths.get(e[0], 0)
        moved = [e[0], e[1], offset, *e[3:]]
        packer.parts.setdefault(e[0], []).append(part)
        packer.lengths[e[0]] = offset + part.size
        packer.seen[identity] = moved
        return moved

    new = dict(entry)
    for name in ("out", "infer"):
        if name in new:
            new[name] = [move(e) for e in new[name]]
    for name in ("grad", "changed"):
        if name in new:
            new[name] = {i: move(e) for i, e in new[name].items()}
    return new


def generate(family: str, cases: list[Case], everything: bool) -> list[str]:
    old = Golden(family)
    todo = [c for c in cases if everything or old.index.get(c.key, {"status": ""})["status"] not in ("ok", "error")]
    report = []
    first = run_workers(family, todo, {}) if todo else {}
    second = run_workers(family, todo, SECOND) if todo else {}
    packer, index = Packer(), {}
    for case in cases:
        if case.key not in first:
            if case.key in old.index and not everything:
                index[case.key] = repack(old.index[case.key], old, packer)
            continue
        found = (second if case.kernels == "plain" else first)[case.key]
        difference = stable(case, found, second.get(case.key, {"status": "missing"})) if case.kernels == "both" else ""
        if difference:
            found = {"status": "unstable"}
            report.append(f"unstable  {case.key}: {difference}")
        elif found["status"] == "error" and not found["raises"]:
            report.append(f"no error  {case.key}")
        elif found["status"] == "refused":
            report.append(f"{'left out' if case.probe else 'REFUSED'}  {case.key}: {found['message']}")
        elif found.get("grad_message"):
            report.append(f"NO GRADIENT  {case.key}: {found['grad_message']}")
        elif found["status"] == "ok" and any(not np.isfinite(o).all() for o in found["result"].outputs if o.dtype.kind == "f"):
            report.append(f"not finite  {case.key}")
        index[case.key] = pack(case, found, packer)
    old.save(index, packer)
    good = sum(e["status"] in ("ok", "error") for e in index.values())
    size = (harness.GOLDEN / f"{family}.npz").stat().st_size
    print(f"{family}: {good} of {len(cases)} cases stored ({len(todo)} run now), {size / 1024:.0f} KiB", flush=True)
    return report


def generate_inference() -> None:
    """Write infer.json. Inference runs no kernel: this process can do it."""
    import json

    import mxnet as mx
    from cases.infer import CASES_INFER, result

    found = {case.name: result(mx, case) for case in CASES_INFER if case.error is None}
    for name, value in found.items():
        if value.get("error"):
            print(f"REFUSED  infer/{name}: {value.pop('message')[-200:]}")
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
    (harness.GOLDEN / "infer.json").write_text("{\n" + lines + "\n}\n")


def main() -> None:
    if len(sys.argv) > 1 and sys.argv[1] == "--work":
        work(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*")
    parser.add_argument("--all", action="store_true", help="run stored cases again too")
    options = parser.parse_args()
    found = harness.families()
    unknown = set(options.families) - set(found) - {"infer"}
    if unknown:
        parser.error(f"no such family: {sorted(unknown)}; there are {[*sorted(found), 'infer']}")
    if not options.families or "infer" in options.families:
        generate_inference()
    report = []
    for name, cases in found.items():
        if not options.families or name in options.families:
            report += generate(name, cases, options.all)
    print("\n".join(report))


if __name__ == "__main__":
    main()
