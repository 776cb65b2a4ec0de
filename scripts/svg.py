"""What all drawn pictures of the documentation share: the colours, the font and the frame.

Each picture is drawn twice, for light and for dark pages. It is plain SVG without fonts, scripts or
anything from a network, and its text is text: it can be selected, and screen readers find a title
and a description. A test compares each picture in `docs/_static` with what its script draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "_static"

FONT = '-apple-system, BlinkMacSystemFont, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif'
FIXED = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'

COLOURS = {
    "light": {
        "ink": "#1f2328",
        "faint": "#59636e",
        "own": "#0e7490",
        "other": "#c4cbd3",
        "slow": "#b45309",
        "line": "#8c959f",
        "box": "#f2f5f8",
        "tint": "#d3eef5",
    },
    "dark": {
        "ink": "#f0f6fc",
        "faint": "#9198a1",
        "own": "#22b8d6",
        "other": "#3d444d",
        "slow": "#f0a25a",
        "line": "#7d8590",
        "box": "#1e2329",
        "tint": "#0c3a47",
    },
}

Draw = Callable[[str], str]
"""Draws a picture for a colour scheme."""


def document(
    size: tuple[float, float], title: str, description: str, style: str, lines: Iterable[str]
) -> str:
    """Return a picture of a width and a height."""
    width, height = (f"{length:g}" for length in size)
    box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-labelledby="title what">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="what">{escape(description)}</desc>',
        f"<style>\n{style}</style>",
    )
    return "\n".join((*head, *lines, "</svg>", ""))


def text(kind: str, x: float, y: float, content: str) -> str:
    """Return a text of a class of the style. The content is markup."""
    return f'<text class="{kind}" x="{round(x, 1):g}" y="{round(y, 1):g}">{content}</text>'


def rect(kind: str, x: float, y: float, width: float, height: float) -> str:
    """Return a rectangle of a class of the style."""
    numbers = zip(("x", "y", "width", "height"), (x, y, width, height), strict=True)
    placed = " ".join(f'{name}="{round(number, 1):g}"' for name, number in numbers)
    return f'<rect class="{kind}" {placed}/>'


def line(kind: str, start: tuple[float, float], end: tuple[float, float]) -> str:
    """Return a line of a class of the style."""
    (x1, y1), (x2, y2) = ((round(x, 1), round(y, 1)) for x, y in (start, end))
    return f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>'


def path(name: str, scheme: str) -> Path:
    """Return where a picture is kept."""
    return PICTURES / f"{name}-{scheme}.svg"


def write(pictures: Mapping[str, Draw]) -> None:
    """Draw pictures by their names, each for all schemes."""
    for name, draw in pictures.items():
        for scheme in COLOURS:
            path(name, scheme).write_text(draw(scheme), "utf-8")


def markdown(name: str, text: str, folder: str = "_static") -> str:
    """Return what shows a picture in a page, on GitHub and in the documentation."""
    return (
        "<picture>\n"
        f'  <source media="(prefers-color-scheme: dark)" srcset="{folder}/{name}-dark.svg">\n'
        f'  <img alt="{escape(text)}" src="{folder}/{name}-light.svg">\n'
        "</picture>\n"
    )


def folded(title: str, text: str) -> str:
    """Return a part of a page that opens when its title is clicked."""
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n</details>\n"
