"""Compare ops.json of this package with the facts of MXNet 1.9.1.

usage: python tests/parity/compare_ops.py FACTS_OPS_JSON [--all]

For every operator of required_ops.json (with --all: every one that both have): equal aliases, inputs, parameters and defaults,
numbers of outputs, output names, auxiliary states, mutated inputs. Lists what 1.9.1 has and we lack. Exit status 1 when a
required operator is missing or differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FIELDS = ("key_var_num_args", "num_inputs", "num_visible_outputs", "output_suffixes", "auto_inputs", "list_arguments", "list_auxiliary_states", "mutated_inputs")


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """What differs between two descriptions of one operator."""
    found = []
    lacking = sorted(set(theirs["aliases"]) - set(ours["aliases"]))
    if lacking:
        found.append(f"aliases lacking: {', '.join(lacking)}")
    for field in ("inputs", "params"):
        mine, want = ([tuple(p[:2]) for p in side[field]] for side in (ours, theirs))
        if mine != want:
            lost = [f"{n}: {t}" for n, t in want if (n, t) not in mine]
            extra = [f"{n}: {t}" for n, t in mine if (n, t) not in want]
            found.append(f"{field}: " + (f"expected {lost}, found {extra}" if lost or extra else "another order"))
    # Facts were probed with example parameters; what they leave out cannot be compared.
    if not theirs.get("outputs_vary") and not theirs.get("inputs_vary"):
        for field in FIELDS:
            want = theirs.get(field)
            if want not in (None, [], "") and ours.get(field) is not None and ours[field] != want:
                found.append(f"{field}: expected {want}, found {ours[field]}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facts", type=Path)
    parser.add_argument("--ops", type=Path, default=ROOT / "ops.json")
    parser.add_argument("--all", action="store_true", help="compare every operator both sides have")
    options = parser.parse_args()
    ours = json.loads(options.ops.read_text())["ops"]
    theirs = json.loads(options.facts.read_text())["ops"]
    required = {op for group in json.loads((Path(__file__).parent / "required_ops.json").read_text()).values() for op in group}
    names = sorted(required | (set(ours) & set(theirs) if options.all else set()))
    missing = [n for n in names if n not in ours]
    differing = 0
    for name in names:
        if name in ours and (found := differences(ours[name], theirs[name])):
            differing += 1
            for line in found:
                print(f"{name}: {line}")
    for name in missing:
        print(f"{name}: missing")
    absent = sorted(n for n, op in theirs.items() if n not in ours and op["group"] != "backward")
    print(f"\n{len(names)} operators compared: {len(missing)} missing, {differing} differ")
    print(f"Not required and not there yet ({len(absent)}): {', '.join(absent)}")
    return 1 if missing or differing else 0


if __name__ == "__main__":
    sys.exit(main())
