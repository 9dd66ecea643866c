"""Attributes given to every symbol made in a scope."""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["AttrScope"]


class _Meta(type):
    """Gives the class the attribute ``current``, by which older programs reach the scope in force."""

    @property
    def current(cls) -> AttrScope:
        return _current.value

    @current.setter
    def current(cls, scope: AttrScope) -> None:
        _current.value = scope


class AttrScope(metaclass=_Meta):
    """Adds attributes to all symbols created inside a ``with`` statement; nested scopes add up.

    Parameters
    ----------
    **attributes : str
        Names and values. Names of the form ``__key__`` are safe on every node; ``ctx_group``, ``lr_mult``,
        ``wd_mult``, ``force_mirroring`` and ``mirror_stage`` are known by their plain names.

    Examples
    --------
    >>> with mx.AttrScope(__group__='4', ctx_group='dev1'):
    ...     a = mx.sym.Variable('a')
    >>> a.attr('__group__')
    '4'
    """

    def __init__(self, **attributes: str):
        for key, value in attributes.items():
            if not isinstance(value, str):
                raise ValueError(f"Attributes need to be string, but {key} is {type(value).__name__}")
        self._attr = attributes
        self._outer: list[AttrScope] = []

    def get(self, attr: dict[str, str] | None) -> dict[str, str]:
        """Return the scope's attributes updated by ``attr``, as a new dictionary."""
        return {**self._attr, **attr} if attr else dict(self._attr)

    def __enter__(self) -> AttrScope:
        outer = _current.value
        self._outer.append(outer)
        inner = AttrScope()
        inner._attr = {**outer._attr, **self._attr}
        _current.value = inner
        return self

    def __exit__(self, *exc: Any) -> None:
        _current.value = self._outer.pop()


class _Current(threading.local):
    def __init__(self) -> None:
        self.value = AttrScope()


_current = _Current()


def current() -> AttrScope:
    """Return the attribute scope in force on this thread."""
    return _current.value
