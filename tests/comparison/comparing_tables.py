"""Makes `docs/csv_pollution.md`: has every library read every polluted file.

.venv/bin/python tests/comparison/comparing_tables.py docs/csv_pollution.md
"""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from folding import folded, score
from pollution import ALL
from reading_tables import FOUND, TOLD, Cell, cell

PEERS = ["pandas", "polars", "duckdb"]

HEAD = """\
# Polluted CSV files

This is a reference page: the picture says most, and each file can be looked up below.

Real CSV files are not always as the standard says. The Pollock benchmark (Vitagliano et al., 2023) counted what is wrong with them. This page
shows what Penstock and other libraries make of such files. A program makes each file from eight rows of a real transit feed and adds one
fault, so it knows the rows that were meant. It has every library read every file and compares the text of all cells. It writes the page, and a
test compares it: {versions}.

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="_static/csv_pollution-dark.svg">
  <img alt="How many polluted files of CSV each library reads right, refuses, or gets wrong" src="_static/csv_pollution-light.svg">
</picture>

- **right**: every cell is as it was meant.
- **error**: the library raises.
- **wrong**: no error, and other cells. Such a file goes into a program unnoticed.
- **warns**: other cells, but the library warns.
- **no option**: the library cannot be told how the file is written.

## With the dialect told

The library is told everything about the file that it has options for: the delimiter, the quote, the escape, the encoding, the lines to skip. It
is not told the fault. `csv` is Python's module with its defaults; the others read text (`dtype=str`, `infer_schema=False`, `all_varchar`).
The second column is Penstock with `repair="all"`: it counts what it repairs, and warns. DuckDB is lenient with `strict_mode=false` and
`null_padding`; for encodings it fetches an extension, which is not installed here.

"""

FOUND_HEAD = """
## With the dialect found

The library finds the dialect by itself: Penstock with [`dialect="infer"`](csv_infer.md), alone and with `repair="all"`, `csv.Sniffer` with
`has_header`, pandas with `sep=None`, and DuckDB by default. All of them are told the encoding.

"""

WHY = """
## Where Penstock is wrong

A row that sums up the rows above it has as many cells as they have, so nothing in the text distinguishes it. Your class does: `Total` is no
`int`.
"""


def versions() -> str:
    """Return the versions with which the page was made."""
    python = ".".join(platform.python_version_tuple()[:2])
    peers = [f"{name} {importlib.metadata.version(name)}" for name in PEERS]
    return ", ".join([f"{platform.python_implementation()} {python}", *peers])


def table(prefix: str, names: Sequence[str]) -> Iterator[str]:
    """Yield a table, with the sums first."""
    found: list[tuple[str, str, list[Cell]]] = [
        (title, asked.name, [cell(prefix + name, title, place) for name in names])
        for title, files in ALL.items()
        for place, asked in enumerate(files)
    ]
    yield f"| {len(found)} files | {' | '.join(names)} |"
    yield "|---" * (len(names) + 1) + "|"
    counts = [Counter(cells[place].word for *_, cells in found) for place in range(len(names))]
    for word in ("right", "error", "warns", "wrong", "no option"):
        if any(count[word] for count in counts):
            shown = f"**{word}**" if word == "wrong" else word
            yield f"| {shown} | {' | '.join(str(count[word]) for count in counts)} |"
    for title in ALL:
        rows = [(name, cells) for group, name, cells in found if group == title]
        right = [[cell.word == "right" for cell in cells] for _, cells in rows]
        lines = [f"| | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
        for name, cells in rows:
            words = ["**wrong**" if found.word == "wrong" else found.word for found in cells]
            lines.append(f"| {name} | {' | '.join(words)} |")
        yield f"\n### {title}\n" if prefix else f"\n### {title}, without being told\n"
        yield from folded(score(names, right, "file"), lines)


def lines() -> Iterator[str]:
    """Yield the page, line by line."""
    yield HEAD.format(versions=versions()).rstrip("\n")
    yield ""
    yield from table("told ", list(TOLD))
    yield FOUND_HEAD.rstrip("\n")
    yield ""
    yield from table("", list(FOUND))
    yield WHY.rstrip("\n")


def page() -> str:
    """Return the page."""
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
