"""What the pictures that explain share: their style, code and arrows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import svg

WIDTH = 760
MARGIN = 8
CODE = 7.8
"""How wide a character of code is: every text has its length, whatever the font is."""


def style(scheme: str) -> str:
    """Return the style of all of these pictures."""
    colours = svg.COLOURS[scheme]
    return (
        f"text {{ font: 13px {svg.FONT}; fill: {colours['ink']} }}\n"
        f".code {{ font: 13px {svg.FIXED}; white-space: pre }}\n"
        ".title { font-weight: 600 }\n"
        f".path {{ font: 600 13px {svg.FIXED}; fill: {colours['own']} }}\n"
        f".small {{ font: 11px {svg.FONT}; fill: {colours['faint']} }}\n"
        f".faint {{ fill: {colours['faint']} }}\n"
        f".slow {{ fill: {colours['slow']} }}\n"
        ".middle { text-anchor: middle }\n"
        f".box {{ fill: {colours['box']}; stroke: {colours['other']}; rx: 5px }}\n"
        f".own {{ fill: {colours['tint']}; stroke: {colours['own']}; rx: 5px }}\n"
        f".tint {{ fill: {colours['tint']}; stroke: {colours['own']}; rx: 2px }}\n"
        f".even {{ fill: {colours['box']} }}\n"
        f".odd {{ fill: {colours['other']} }}\n"
        f".arrow {{ stroke: {colours['line']}; stroke-width: 1.5 }}\n"
        f".head {{ fill: {colours['line']} }}\n"
        f".wire {{ stroke: {colours['own']}; stroke-width: 1.5; fill: none }}\n"
        f".cut {{ stroke: {colours['own']}; stroke-width: 2 }}\n"
        f".guess {{ stroke: {colours['slow']}; stroke-width: 1.5; stroke-dasharray: 4 3 }}\n"
    )


def code(x: float, y: float, text: str, kind: str = "code", size: float = CODE) -> Iterator[str]:
    """Yield a text of code, each run between two spaces at its place."""
    column = 0
    for run in text.split("  "):
        lead = len(run) - len(run.lstrip(" "))
        if shown := run.strip(" "):
            placed = x + (column + lead) * size
            yield (
                f'<text class="{kind}" x="{placed:.1f}" y="{y:g}"'
                f' textLength="{len(shown) * size:.1f}">{escape(shown, quote=False)}</text>'
            )
        column += len(run) + 2


def arrow(start: tuple[float, float], end: tuple[float, float]) -> Iterator[str]:
    """Yield a line, horizontal or vertical, with a head at its end."""
    (x1, y1), (x2, y2) = start, end
    yield svg.line("arrow", start, end)
    dx, dy = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
    points = ((0, 0), (-8 * dx - 4 * dy, -8 * dy - 4 * dx), (-8 * dx + 4 * dy, -8 * dy + 4 * dx))
    placed = " ".join(f"{x2 + x:g},{y2 + y:g}" for x, y in points)
    yield f'<polygon class="head" points="{placed}"/>'
