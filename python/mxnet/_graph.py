"""Directed graphs as DOT text and as SVG."""

from __future__ import annotations

import os
import shutil
import subprocess
from html import escape
from typing import Any

_FONT = 12
_CHAR = 6.7  # mean width of a character of the font
_GAP_X, _GAP_Y = 24.0, 44.0


def _quote(text: str) -> str:
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _attrs(attrs: dict) -> str:
    return " ".join(f"{k}={_quote(v)}" for k, v in attrs.items())


class Digraph:
    """A directed graph, with the methods of ``graphviz.Digraph`` that programs use on it.

    Parameters
    ----------
    name : str
    format : str, default 'pdf'
        What :meth:`render` writes.
    """

    def __init__(self, name: str = "plot", format: str = "pdf"):
        self.name = name
        self.format = format
        self.nodes: dict[str, dict[str, str]] = {}
        self.edges: list[tuple[str, str, dict[str, str]]] = []

    def node(self, name: str, label: str | None = None, **attrs: Any) -> None:
        """Add a node; one of that name is replaced."""
        self.nodes[name] = {"label": name if label is None else label, **attrs}

    def edge(self, tail_name: str, head_name: str, **attrs: Any) -> None:
        """Add an edge. The head is drawn below the tail."""
        self.edges.append((tail_name, head_name, attrs))

    @property
    def source(self) -> str:
        """DOT text."""
        lines = [f"digraph {_quote(self.name)} {{"]
        lines += [f"\t{_quote(name)} [{_attrs(attrs)}]" for name, attrs in self.nodes.items()]
        lines += [f"\t{_quote(tail)} -> {_quote(head)} [{_attrs(attrs)}]" for tail, head, attrs in self.edges]
        return "\n".join([*lines, "}"]) + "\n"

    def __str__(self) -> str:
        return self.source

    def save(self, filename: str | None = None, directory: str | None = None) -> str:
        """Write the DOT text to a file (``<name>.gv`` by default) and return its path."""
        path = os.path.join(directory or "", filename or f"{self.name}.gv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.source)
        return path

    def save_svg(self, path: str) -> str:
        """Write the drawing as SVG, laid out here, and return the path."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg())
        return path

    def render(self, filename: str | None = None, directory: str | None = None, view: bool = False,
               cleanup: bool = False, format: str | None = None) -> str:
        """Write the drawing and return its path.

        Graphviz (the program ``dot``) draws it. Without Graphviz the drawing is written as SVG, whatever the format
        asked for.
        """
        kind = format or self.format
        source = self.save(filename, directory)
        dot = shutil.which("dot")
        if dot is None:
            if kind != "svg":
                import warnings
                warnings.warn(f"Graphviz is not installed: writing SVG instead of {kind}", stacklevel=2)
            path = self.save_svg(f"{source}.svg")
        else:
            path = f"{source}.{kind}"
            subprocess.run([dot, f"-T{kind}", "-o", path, source], check=True)
        if cleanup:
            os.remove(source)
        if view:
            self._open(path)
        return path

    def view(self, filename: str | None = None, directory: str | None = None, cleanup: bool = False) -> str:
        """Write the drawing and open it in the system's viewer."""
        return self.render(filename, directory, True, cleanup)

    @staticmethod
    def _open(path: str) -> None:
        opener = shutil.which("xdg-open") or shutil.which("open")
        if opener:
            subprocess.Popen([opener, path])

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **_: Any) -> dict:
        return {"image/svg+xml": self.svg()}

    def svg(self) -> str:
        """Return the drawing as SVG text."""
        return _Layout(self).svg()


class _Layout:
    """Places nodes in rows: every edge leads downwards, long ones bend round the rows between."""

    def __init__(self, graph: Digraph):
        self.graph = graph
        self.sizes = {name: self._size(attrs["label"]) for name, attrs in graph.nodes.items()}
        for tail, head, _ in graph.edges:
            for name in (tail, head):
                self.sizes.setdefault(name, self._size(name))
        self.rows = self._order(self._ranks())
        self.center = self._place()
        self.left, self.right = 0.0, self.width  # grown by edges that pass outside

    @staticmethod
    def _size(label: str) -> tuple[float, float]:
        lines = label.split("\n")
        return max(64.0, max(len(line) for line in lines) * _CHAR + 20), 14.0 + 16.0 * len(lines) + 8

    def _ranks(self) -> dict[str, int]:
        """Longest path from above; an edge that would close a cycle is not counted."""
        below: dict[str, list[str]] = {name: [] for name in self.sizes}
        for tail, head, _ in self.graph.edges:
            if head != tail:
                below[tail].append(head)
        done: list[str] = []
        state: dict[str, int] = {}
        for root in self.sizes:
            stack = [(root, iter(below[root]))] if root not in state else []
            state.setdefault(root, 1)
            while stack:
                name, following = stack[-1]
                for head in following:
                    if head not in state:
                        state[head] = 1
                        stack.append((head, iter(below[head])))
                        break
                else:
                    state[name] = 2
                    done.append(name)
                    stack.pop()
        position = {name: i for i, name in enumerate(reversed(done))}
        rank = dict.fromkeys(self.sizes, 0)
        for name in reversed(done):
            for head in below[name]:
                if position[head] > position[name]:
                    rank[head] = max(rank[head], rank[name] + 1)
        return rank

    def _order(self, rank: dict[str, int]) -> list[list[str]]:
        rows: list[list[str]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
        for name in self.sizes:
            rows[rank[name]].append(name)
        near: dict[str, list[str]] = {name: [] for name in self.sizes}
        for tail, head, _ in self.graph.edges:
            near[tail].append(head)
            near[head].append(tail)
        place = {name: i for row in rows for i, name in enumerate(row)}
        for sweep in range(4):  # each row by the mean place of its neighbours, down and up
            for row in rows if sweep % 2 == 0 else reversed(rows):
                row.sort(key=lambda n: sum(place[m] for m in near[n]) / len(near[n]) if near[n] else place[n])
                place.update((name, i) for i, name in enumerate(row))
        return rows

    def _place(self) -> dict[str, tuple[float, float]]:
        widths = [sum(self.sizes[n][0] for n in row) + _GAP_X * (len(row) - 1) for row in self.rows]
        self.width = max(widths, default=0) + 2 * _GAP_X
        center = {}
        y = _GAP_X
        for row, width in zip(self.rows, widths):
            x = (self.width - width) / 2
            height = max(self.sizes[n][1] for n in row)
            for name in row:
                w = self.sizes[name][0]
                center[name] = x + w / 2, y + height / 2
                x += w + _GAP_X
            y += height + _GAP_Y
        self.height = y - _GAP_Y + _GAP_X
        return center

    def _detour(self, x1: float, y1: float, x2: float, y2: float) -> float:
        """How far sideways an edge goes to pass the boxes that lie in its way; 0 if there are none."""
        left = right = 0.0
        for name, (x, y) in self.center.items():
            w, h = self.sizes[name]
            if y1 < y - h / 2 and y + h / 2 < y2:
                line = x1 + (x2 - x1) * (y - y1) / (y2 - y1)
                if abs(x - line) < w / 2 + 4:
                    left = max(left, line - (x - w / 2) + 12)
                    right = max(right, x + w / 2 - line + 12)
        nearer = right if right <= left else -left
        self.right = max(self.right, max(x1, x2) + max(0.0, nearer))
        self.left = min(self.left, min(x1, x2) + min(0.0, nearer))
        return nearer

    def _edge(self, tail: str, head: str, attrs: dict) -> list[str]:
        (x1, y1), (x2, y2) = self.center[tail], self.center[head]
        y1 += self.sizes[tail][1] / 2
        y2 -= self.sizes[head][1] / 2
        back = attrs.get("dir") == "back"
        marker = 'marker-start="url(#arrow)"' if back else 'marker-end="url(#arrow)"'
        side = self._detour(x1, y1, x2, y2)
        middle = (x1 + x2) / 2 + side, (y1 + y2) / 2
        if side:  # out in the gap below the tail, straight down, and back in the gap above the head
            upper, lower, half = y1 + _GAP_Y, y2 - _GAP_Y, _GAP_Y / 2
            path = (f"M{x1:.1f},{y1:.1f} C{x1:.1f},{y1 + half:.1f} {x1 + side:.1f},{y1 + half:.1f} "
                    f"{x1 + side:.1f},{upper:.1f} L{x2 + side:.1f},{lower:.1f} C{x2 + side:.1f},{y2 - half:.1f} "
                    f"{x2:.1f},{y2 - half:.1f} {x2:.1f},{y2:.1f}")
        else:
            path = f"M{x1:.1f},{y1:.1f} C{x1:.1f},{middle[1]:.1f} {x2:.1f},{middle[1]:.1f} {x2:.1f},{y2:.1f}"
        parts = [f'<path d="{path}" fill="none" stroke="#555" {marker}/>']
        if attrs.get("label"):
            anchor = "end" if side < 0 else "start"
            parts.append(f'<text x="{middle[0] + (-6 if side < 0 else 6):.1f}" y="{middle[1] + 4:.1f}" font-size="10" '
                         f'fill="#333" text-anchor="{anchor}">{escape(attrs["label"])}</text>')
            wide = len(attrs["label"]) * _CHAR
            self.left = min(self.left, middle[0] - wide if side < 0 else middle[0])
            self.right = max(self.right, middle[0] + wide if side >= 0 else middle[0])
        return parts

    def _node(self, name: str) -> list[str]:
        attrs = self.graph.nodes.get(name, {"label": name})
        (x, y), (w, h) = self.center[name], self.sizes[name]
        fill = escape(attrs.get("fillcolor", "#ffffff"), quote=True)
        if attrs.get("shape") in ("oval", "ellipse"):
            box = f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{w / 2:.1f}" ry="{h / 2:.1f}"'
        else:
            box = f'<rect x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:.1f}" height="{h:.1f}" rx="4"'
        lines = attrs["label"].split("\n")
        first = y - 8.0 * (len(lines) - 1) + 4
        texts = [f'<text x="{x:.1f}" y="{first + 16 * i:.1f}" text-anchor="middle">{escape(line)}</text>'
                 for i, line in enumerate(lines)]
        return [f"<g><title>{escape(name)}</title>{box} fill=\"{fill}\" stroke=\"#333\"/>", *texts, "</g>"]

    def svg(self) -> str:
        """Return the SVG text."""
        drawn = [part for tail, head, attrs in self.graph.edges for part in self._edge(tail, head, attrs)]
        drawn += [part for name in self.sizes for part in self._node(name)]
        left, width = self.left - _GAP_X, self.right - self.left + 3 * _GAP_X
        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{self.height:.0f}" '
                 f'viewBox="{left:.0f} 0 {width:.0f} {self.height:.0f}" font-family="Helvetica,Arial,sans-serif" '
                 f'font-size="{_FONT}">',
                 f"<title>{escape(self.graph.name)}</title>",
                 '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
                 'orient="auto-start-reverse"><path d="M0,0 L10,5 L0,10 z" fill="#555"/></marker></defs>']
        return "\n".join([*parts, *drawn, "</svg>"]) + "\n"
