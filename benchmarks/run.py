"""Run the workloads under this interpreter and under MXNet 1.9.1's, in turns, and print the ratio of the medians.

The interpreter of 1.9.1 is given by ``--reference`` or the environment variable REMXNET_ORACLE.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKLOADS = Path(__file__).resolve().parent / "workloads.py"
NAMES = ["symbol_add_2x2", "ndarray_add_2x2", "chain_of_100", "bind_100_layers", "mlp_training_step",
         "lenet_training_step", "import_time"]


def run(interpreter, name, ours):
    """Return one process's time of a workload in microseconds, or None where it fails."""
    environment = dict(os.environ)
    if not ours:
        environment.pop("PYTHONPATH", None)
    result = subprocess.run(
        [interpreter, WORKLOADS, name], capture_output=True, text=True, env=environment, check=False
    )
    if result.returncode != 0:
        print(f"{name} failed under {interpreter}:\n{result.stderr[-2000:]}", file=sys.stderr)
        return None
    return json.loads(result.stdout.splitlines()[-1])["microseconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=NAMES, help="workloads; all when none is given")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--reference", default=os.environ.get("REMXNET_ORACLE", str(ROOT / "../oracle/bin/python")))
    options = parser.parse_args()
    sides = {"remxnet": sys.executable}
    if Path(options.reference).exists():
        sides["1.9.1"] = options.reference
    print(f"threads: OMP_NUM_THREADS={os.environ.get('OMP_NUM_THREADS', '2')}, "
          f"OMP_WAIT_POLICY={os.environ.get('OMP_WAIT_POLICY', 'unset')}; {options.rounds} rounds in turns, medians")
    header = f"{'workload':24}" + "".join(f"{side + ' us':>14}" for side in sides)
    print(header + (f"{'ratio':>8}" if len(sides) > 1 else ""))
    failed = False
    for name in options.names:
        times = {side: [] for side in sides}
        for _ in range(options.rounds):
            for side, interpreter in sides.items():
                times[side].append(run(interpreter, name, side == "remxnet"))
        row = f"{name:24}"
        if any(t is None for side in sides for t in times[side]):
            failed = True
            print(row + "  failed")
            continue
        medians = {side: statistics.median(values) for side, values in times.items()}
        row += "".join(f"{medians[side]:14.1f}" for side in sides)
        if "1.9.1" in medians:
            row += f"{medians['remxnet'] / medians['1.9.1']:8.2f}"
        print(row, flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
