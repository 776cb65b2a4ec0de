"""Draws what the command line prints: `python scripts/terminal.py`.

The picture is made of a real run, of what the commands write to a terminal with its colours. A test
runs them again and compares.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import svg

NAME = "terminal"
TITLE = "Four commands of penstock: the paths of a file, the columns of a class, objects, a problem"

FILES = {
    "cities.json": """\
[
  {"name": "Bern", "population": 134591, "position": {"lat": 46.950}},
  {"name": "Chur", "population": "37,424", "position": {"lat": 46.850}},
  {"name": "Zug", "population": 30542, "position": {"lat": 47.166}}
]
""",
    "models.py": """\
from dataclasses import dataclass
from typing import Annotated

import penstock


@dataclass
class City:
    name: str
    population: int
    latitude: Annotated[float, penstock.at("position/lat")]
""",
}
COMMANDS = (
    "penstock outline cities.json",
    "penstock schema --into models:City",
    "penstock head -n 1 --into models:City cities.json",
    "penstock check --into models:City cities.json",
)

WIDTH = 760
LEFT = 20
TOP = 20
COLUMN = 8.4
"""How wide a character is: every span has its place and its length, whatever the font is."""
LINE = 20
GAP = 12
"""Before the next command."""

# The colours of a terminal, by the codes that the command line uses.
ANSI = {
    "light": {
        "31": "#b42318",
        "32": "#1a7f37",
        "34": "#0b5cad",
        "36": "#0e7490",
        "ground": "#f6f8fa",
    },
    "dark": {
        "31": "#ff7b72",
        "32": "#57c97a",
        "34": "#79b8ff",
        "36": "#4fd1e5",
        "ground": "#161b22",
    },
}


class Span(NamedTuple):
    """Some characters of one look."""

    codes: str
    """The codes of the look, as `1;31`; nothing if there is none."""
    text: str


# One process runs all commands, because starting it takes longest.
ALL = """\
import sys
from penstock.cli.__main__ import main
for command in sys.argv[1:]:
    main(command.split()[1:])
    print(end="\\0", flush=True)
"""


def captured() -> dict[str, str]:
    """Run all commands; return what each writes to a terminal."""
    settings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    settings |= {"FORCE_COLOR": "1", "COLUMNS": "80", "TERM": "xterm-256color"}
    with TemporaryDirectory() as folder:
        for name, text in FILES.items():
            Path(folder, name).write_text(text, "utf-8")
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", ALL, *COMMANDS],
            cwd=folder,
            env=settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=True,
        )
    return dict(zip(COMMANDS, done.stdout.decode().split("\0"), strict=False))


def spans(line: str) -> Iterator[Span]:
    """Take a line apart at its colours."""
    codes = ""
    for part in re.split(r"(\x1b\[[\d;]*m)", line):
        if found := re.fullmatch(r"\x1b\[([\d;]*)m", part):
            codes = "" if found[1] in {"", "0"} else found[1]
        elif part:
            yield Span(codes, part)


def plain(text: str) -> str:
    """Return a text without its colours."""
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def placed(line: list[Span], y: float) -> str:
    """Return the text of a line."""
    column = 0
    found = []
    for codes, text in line:
        start = len(text) - len(text.lstrip(" "))
        shown = text.strip(" ")
        if shown:
            look = " ".join(f"c{code}" for code in codes.split(";") if code)
            kind = f' class="{look}"' if look else ""
            x, long = LEFT + (column + start) * COLUMN, len(shown) * COLUMN
            content = escape(shown, quote=False)
            found.append(f'<tspan{kind} x="{x:.1f}" textLength="{long:.1f}">{content}</tspan>')
        column += len(text)
    return f'<text y="{y:g}">{"".join(found)}</text>'


def drawn(scheme: str, session: dict[str, str]) -> str:
    """Return the picture of a session."""
    colours, ansi = svg.COLOURS[scheme], ANSI[scheme]
    lines = []
    y = TOP + 14.0
    for command, output in session.items():
        lines.append(placed([Span("2", "$ "), Span("1", command)], y))
        for text in output.splitlines():
            y += LINE
            lines.append(placed(list(spans(text)), y))
        y += LINE + GAP
    height = y - LINE - GAP + TOP
    ground = f'<rect class="ground" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:g}"/>'
    painted = "".join(
        f".c{code} {{ fill: {colour} }}\n" for code, colour in ansi.items() if code != "ground"
    )
    style = (
        f"text {{ font: 14px {svg.FIXED}; fill: {colours['ink']}; white-space: pre }}\n"
        f".ground {{ fill: {ansi['ground']}; stroke: {colours['other']}; rx: 8px }}\n"
        ".c1 { font-weight: 700 }\n"
        f".c2 {{ fill: {colours['faint']} }}\n"
        f"{painted}"
    )
    said = "\n".join(f"$ {command}\n{plain(output)}" for command, output in session.items())
    return svg.document((WIDTH, height), TITLE, said, style, [ground, *lines])


def main() -> None:
    """Draw it."""
    session = captured()
    svg.write({NAME: lambda scheme: drawn(scheme, session)})


if __name__ == "__main__":
    main()
