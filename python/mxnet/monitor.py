"""Watching the values inside an executor."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable
from typing import Any

from .ndarray import NDArray

__all__ = ["Monitor"]


class Monitor:
    """Collects a statistic of operator outputs and parameters every few batches.

    Parameters
    ----------
    interval : int
        Number of batches from one collection to the next.
    stat_func : callable, optional
        Computes the statistic (NDArray or list of NDArray) of an array; by default the mean absolute size
        ``norm(x) / sqrt(x.size)``.
    pattern : str, default '.*'
        Regular expression at the start of the names to watch.
    sort : bool, default False
        Sort results by name.
    monitor_all : bool, default False
        Watch inputs of operators too.
    """

    def __init__(self, interval: int, stat_func: Callable | None = None, pattern: str = ".*", sort: bool = False,
                 monitor_all: bool = False):
        self.interval = interval
        self.stat_func = stat_func or (lambda x: x.norm() / math.sqrt(x.size))
        self.sort = sort
        self.monitor_all = monitor_all
        self.re_prog = re.compile(pattern)
        self.activated = False
        self.step = 0
        self.exes: list[Any] = []
        self.queue: list[tuple[int, str, Any]] = []

    def _collect(self, name: bytes, array: NDArray) -> None:
        text = name.decode()
        if self.activated and self.re_prog.match(text):
            self.queue.append((self.step, text, self.stat_func(array)))

    def install(self, exe: Any, monitor_all: bool | None = None) -> None:
        """Watch an executor."""
        exe.set_monitor_callback(self._collect, self.monitor_all if monitor_all is None else monitor_all)
        self.exes.append(exe)

    def tic(self) -> None:
        """Start collecting if this batch's turn has come; call before ``forward``."""
        if self.step % self.interval == 0:
            self.queue = []
            self.activated = True
        self.step += 1

    def toc(self) -> list[tuple[int, str, str]]:
        """Stop collecting and return ``(batch, name, statistic)`` for each array; call after ``backward``."""
        if not self.activated:
            return []
        for exe in self.exes:
            for names, arrays in ((exe._symbol.list_arguments(), exe.arg_arrays),
                                  (exe._symbol.list_auxiliary_states(), exe.aux_arrays)):
                for name, array in zip(names, arrays):
                    if self.re_prog.match(name):
                        self.queue.append((self.step, name, self.stat_func(array)))
        self.activated = False
        if self.sort:
            self.queue.sort(key=lambda entry: entry[1])
        results = []
        for step, name, values in self.queue:
            values = [values] if isinstance(values, NDArray) else values
            text = "\t".join(str(v.asscalar() if v.size == 1 else v.asnumpy()) for v in values)
            results.append((step, name, text + "\t"))
        self.queue = []
        return results

    def toc_print(self) -> None:
        """Stop collecting and log the results."""
        for step, name, text in self.toc():
            logging.info("Batch: %7d %30s %s", step, name, text)
