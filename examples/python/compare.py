"""Compare the probabilities that the Python, the Clojure and the C example computed for the test images."""

import sys
from pathlib import Path

import numpy as np

TOLERANCE = 1e-5


def main(folder):
    tables = {name: np.loadtxt(folder / f"{name}.csv", delimiter=",") for name in ("python", "clojure", "c")}
    reference = tables["python"]
    agree = True
    for name in ("clojure", "c"):
        if tables[name].shape != reference.shape:
            print(f"{name} wrote {tables[name].shape} probabilities, python {reference.shape}")
            agree = False
            continue
        difference = np.abs(tables[name] - reference).max()
        agree = agree and bool(difference <= TOLERANCE)
        print(f"python and {name}: {reference.shape[0]} images, largest difference {difference:.2g}")
    print(f"all three agree to {TOLERANCE:g}" if agree else f"they do NOT agree to {TOLERANCE:g}")
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
