"""Makes `docs/comparison_writing.md`: has every library write every value and judges the text.

.venv/bin/python tests/comparison/comparing_writing.py docs/comparison_writing.md
"""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import asked_markup
import asked_writing
import asked_writing_by_others
import asking_markup
from asking_writing import WRITERS, Cell, Written, cell, cut, written
from comparing import escaped
from folding import folded, score

TABLES = asked_writing.TABLES
OTHERS: Mapping[str, Sequence[Written]] = {
    f"Options of {library}": rows for library, rows in asked_writing_by_others.TABLES.items()
}

HEAD = """\
# Writing beside other libraries

This is a reference page: the picture says most, and each question can be looked up below.
[Beside other libraries](comparison.md) is about reading, with the same types.

Seven libraries get the same value and write it as JSON. A program runs every cell and writes the page, and a test compares it: {versions}.

There are two sorts of questions. We chose ours from Penstock's own promises, so it has to answer all of them right. The others are
options of the other libraries. [What Penstock does not do](#what-penstock-does-not-do) lists those that it lacks, with the reason.

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="_static/comparison_writing-dark.svg">
  <img alt="How many questions each library writes right, refuses, or gets wrong" src="_static/comparison_writing-light.svg">
</picture>
"""

WORDS = """
## What the words mean

- **writes**: the text is JSON, and the same library reads it back into the same type as an equal value, of the same types all the
  way down. orjson and json read no types: their text is right if one of the other five reads the value from it.
- **refuses**: the library raises an exception. In the table of values to refuse, that is right. If a library refuses a sound value
  of the same kind as well, a note says so.
- **does not read it back**: it writes, and refuses its own text.
- **gets it wrong**: no error, and another value or no JSON; the note has the text.
- **crashes**: the interpreter is killed, or a panic passes through `except Exception`. Such questions run in a process of their own.
- **cannot be asked**: the right text needs an option, and the library has none.

Each library is called by the function that its documentation names:

| library | call |
|---|---|
| Penstock | `penstock.json.encode(value, T)` |
| msgspec | `msgspec.json.encode(value)` |
| pydantic | `TypeAdapter(T).dump_json(value)` |
| cattrs | `cattrs.preconf.json.make_converter().dumps(value, unstructure_as=T)` |
| mashumaro | `mashumaro.codecs.json.JSONEncoder(T).encode(value)` |
| orjson | `orjson.dumps(value)` |
| json | `json.dumps(value, default=dataclasses.asdict)` |

If that is not right, the program also tries a documented option that needs no change of the class, and the cell says `with` it.
"""

LABELS = {
    "right": "right",
    "refuses": "refuses, or has no such thing",
    "does not read it back": "does not read it back",
    "gets it wrong": "gets it wrong",
    "crashes": "crashes",
}


def counted(found: Cell) -> str:
    """Return the row of the summary that counts a cell."""
    if found.right:
        return "right"
    return found.word if found.word in LABELS else "refuses"


def versions() -> str:
    """Return the versions with which the page was made."""
    found = [f"{platform.python_implementation()} {'.'.join(platform.python_version_tuple()[:2])}"]
    peers = [name for name in WRITERS if name not in {"Penstock", "json"}]
    return ", ".join(found + [f"{name} {importlib.metadata.version(name)}" for name in peers])


Answers = Mapping[str, Sequence[tuple[Written, Sequence[Cell]]]]


def ask(tables: Mapping[str, Sequence[Written]]) -> Answers:
    """Ask every library every question."""
    return {
        title: [(row, [cell(row, library) for library in WRITERS]) for row in rows]
        for title, rows in tables.items()
    }


def heads() -> Iterator[str]:
    """Yield the first two lines of a table."""
    yield f"| | {' | '.join(WRITERS)} |"
    yield "|---" * (len(WRITERS) + 1) + "|"


def lines() -> Iterator[str]:
    """Yield the page, line by line."""
    ours, others = ask(TABLES), ask(OTHERS)
    yield HEAD.format(versions=versions())
    yield from summary("Of our {} questions", ours)
    yield ""
    yield from summary("Of the {} options of others", others)
    yield WORDS.rstrip("\n")
    number = 0
    for title, rows in {**ours, **others}.items():
        table, notes = list(heads()), []
        for row, cells in rows:
            words = []
            for library, found in zip(WRITERS, cells, strict=True):
                word = found.word.removesuffix(" as it should")
                word = word if found.right else f"**{word}**"
                if found.note:
                    number += 1
                    notes.append(f"{number}. {library}, {row.name}: {found.note}")
                    word += f" ({number})"
                words.append(word)
            table.append(f"| {escaped(row.name)} | {' | '.join(words)} |")
        right = [[found.right for found in cells] for _, cells in rows]
        yield f"\n## {title}\n"
        yield from folded(
            score(list(WRITERS), right, "question"), [*table, *(["", *notes] if notes else [])]
        )
    yield from texts()
    yield from markup()
    yield "\n## What Penstock does not do\n"
    yield "| | Penstock | right | why |"
    yield "|---|---|---|---|"
    for row, (own, *rest) in (pair for rows in others.values() for pair in rows):
        if not own.right:
            names = zip(list(WRITERS)[1:], rest, strict=True)
            right = ", ".join(name for name, found in names if found.right)
            why = asked_writing_by_others.WHY[row.name]
            yield f"| {escaped(row.name)} | {own.word} | {right} | {why} |"


def texts() -> Iterator[str]:
    """Yield the table of texts, which says who is right about nothing."""
    yield "\n## What each writes\n"
    yield "JSON leaves open how most values are written. This is the text of each library without options, white space removed.\n"
    table = list(heads())
    for name, into, value in asked_writing.SHOWN:
        cells = []
        for write in WRITERS.values():
            text = written(write, into, value)
            shown = (
                f"`{cut(text.replace(b', ', b',').replace(b': ', b':'))}`"
                if isinstance(text, bytes)
                else "**refuses**"
            )
            cells.append(shown)
        table.append(f"| {escaped(name)} | {' | '.join(map(escaped, cells))} |")
    yield from folded(f"The text of {len(asked_writing.SHOWN)} values", table)


MARKUP = """
## XML

Four libraries write a small tree as XML: Penstock (`penstock.xml.encode`) and xmltodict (`unparse`) take a dict, lxml and ElementTree
take elements. Expat reads the text. It is right if the same tree comes back. Text and names that XML cannot have must be refused,
because they would be no XML or other markup: {versions}.
"""


def markup() -> Iterator[str]:
    """Yield the tables of the writers of XML."""
    names = ["lxml", "xmltodict"]
    found = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)
    yield MARKUP.format(versions=found)
    table = [
        f"| | {' | '.join(asking_markup.WRITERS)} |",
        "|---" * (len(asking_markup.WRITERS) + 1) + "|",
    ]
    notes, right = [], []
    for question in [*asked_markup.QUESTIONS, *asked_markup.COMMENTS]:
        words = []
        answers = [asking_markup.cell(question, library) for library in asking_markup.WRITERS]
        for library, answer in zip(asking_markup.WRITERS, answers, strict=True):
            word = answer.word.removesuffix(" as it should")
            word = word if answer.right else f"**{word}**"
            if answer.note:
                notes.append(f"{len(notes) + 1}. {library}, {question.name}: {answer.note}")
                word += f" ({len(notes)})"
            words.append(word)
        right.append([answer.right for answer in answers])
        table.append(f"| {question.name} | {' | '.join(words)} |")
    yield from folded(score(list(asking_markup.WRITERS), right, "question"), [*table, "", *notes])
    yield "\nPenstock does not write comments."


def summary(asked: str, tables: Answers) -> Iterator[str]:
    """Yield how many answers of each sort each library gave."""
    cells = [cells for rows in tables.values() for _, cells in rows]
    yield f"{asked.format(len(cells))}:\n"
    yield from heads()
    counts = [Counter(map(counted, column)) for column in zip(*cells, strict=True)]
    for key, label in LABELS.items():
        yield f"| {label} | {' | '.join(str(each[key]) for each in counts)} |"


def page() -> str:
    """Return the page."""
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
