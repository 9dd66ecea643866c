"""Automatic names of operators."""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["NameManager", "Prefix"]


class _Meta(type):
    """Gives the class the attribute ``current``, by which older programs reach the manager in force."""

    @property
    def current(cls) -> NameManager:
        return _current.value

    @current.setter
    def current(cls, manager: NameManager) -> None:
        _current.value = manager


class NameManager(metaclass=_Meta):
    """Gives names to operators that were created without one: ``<hint><number>``.

    A ``with`` statement starts new counters. Subclass and override :meth:`get` for other schemes.
    """

    def __init__(self) -> None:
        self._counter: dict[str, int] = {}
        self._outer: list[NameManager] = []

    def get(self, name: str | None, hint: str) -> str:
        """Return ``name``, or the next automatic name for ``hint`` if ``name`` is empty."""
        if name:
            return name
        number = self._counter.get(hint, 0)
        self._counter[hint] = number + 1
        return f"{hint}{number}"

    def __enter__(self) -> NameManager:
        self._outer.append(_current.value)
        _current.value = self
        return self

    def __exit__(self, *exc: Any) -> None:
        _current.value = self._outer.pop()


class Prefix(NameManager):
    """A name manager that puts a prefix before every operator name, given or automatic.

    Examples
    --------
    >>> data = mx.sym.Variable('data')
    >>> with mx.name.Prefix('mynet_'):
    ...     net = mx.sym.FullyConnected(data, num_hidden=10, name='fc1')
    >>> net.list_arguments()
    ['data', 'mynet_fc1_weight', 'mynet_fc1_bias']
    """

    def __init__(self, prefix: str):
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """Return the prefixed name."""
        return self._prefix + super().get(name, hint)


class _Current(threading.local):
    def __init__(self) -> None:
        self.value: NameManager = NameManager()


_current = _Current()


def current() -> NameManager:
    """Return the name manager in force on this thread."""
    return _current.value
