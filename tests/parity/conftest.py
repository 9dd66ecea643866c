"""Makes the harness importable from the tests of this folder."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
# The graph fusion of MXNet 1.9.1 is of no use for single operators, and noisy.
os.environ.setdefault("MXNET_SUBGRAPH_BACKEND", "NONE")
