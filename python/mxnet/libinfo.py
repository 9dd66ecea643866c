"""Where the native library, its headers and its version are."""

from __future__ import annotations

import os

__version__ = "1.10.0"

_HERE = os.path.dirname(os.path.abspath(__file__))
_LIBRARY = "libmxnet.so"


def find_lib_path() -> list[str]:
    """Return the paths at which the native library exists, best first.

    ``MXNET_LIBRARY_PATH`` (a file or a folder) comes before the copy inside the package.

    Returns
    -------
    list of str

    Raises
    ------
    RuntimeError
        If there is none; the message lists what was tried.
    """
    tried = []
    override = os.environ.get("MXNET_LIBRARY_PATH")
    if override:
        tried.append(os.path.join(override, _LIBRARY) if os.path.isdir(override) else override)
    tried.append(os.path.join(_HERE, _LIBRARY))
    found = [path for path in tried if os.path.isfile(path)]
    if not found:
        raise RuntimeError("Cannot find the MXNet library. Tried: " + ", ".join(tried))
    return found


def find_include_path() -> str:
    """Return the folder that holds ``mxnet/c_api.h``.

    ``MXNET_INCLUDE_PATH`` comes before the headers inside the package.
    """
    tried = [os.environ.get("MXNET_INCLUDE_PATH"), os.path.join(_HERE, "include"),
             os.path.join(os.path.dirname(os.path.dirname(_HERE)), "capi", "include")]
    for path in tried:
        if path and os.path.isdir(path):
            return path
    raise RuntimeError("Cannot find the C headers. Tried: " + ", ".join(p for p in tried if p))
