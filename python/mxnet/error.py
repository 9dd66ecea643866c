"""The errors this package raises.

Each of them is a ``MXNetError``; those named like a built-in are also that built-in, so that both
``except mx.MXNetError`` and ``except ValueError`` catch them.
"""

from __future__ import annotations

from .base import MXNetError, error_types, register_error

__all__ = ["InternalError", "MXNetError", "register"]

register = register_error


@register_error
class InternalError(MXNetError):
    """A fault inside the library rather than in the call."""


def __getattr__(name: str) -> type:
    try:
        return error_types[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
