"""Makes `docs/comparison.md`: asks every question of every library and writes down the answers.

.venv/bin/python tests/comparison/comparing.py docs/comparison.md
"""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import asked_abilities
import asked_by_others
import asked_classes
import asked_refusals
import asked_types
from asking import LIBRARIES, Cell, Row, cell
from folding import folded, score

TABLES: Mapping[str, Sequence[Row]] = {
    "Scalars": asked_types.SCALARS,
    "Containers": asked_types.CONTAINERS,
    "Unions": asked_types.UNIONS,
    "Generics and other annotations": asked_types.GENERICS,
    "Kinds of classes": asked_classes.KINDS,
    "What a class does when it is called": asked_classes.BEHAVIOUR,
    "Without changing the class": asked_classes.WITHOUT_TOUCHING,
    "Values to refuse": asked_refusals.VALUES,
    "Documents to refuse": asked_refusals.DOCUMENTS,
    "What an error reports": asked_abilities.ERRORS,
    "Data that is not one document in memory": asked_abilities.ABILITIES,
}

OTHERS: Mapping[str, Sequence[Row]] = {
    f"Asked by the tests of {library}": rows for library, rows in asked_by_others.TABLES.items()
}

HEAD = """\
# Beside other libraries

This is a reference page: the picture says most, and each question can be looked up below.
[Writing beside other libraries](comparison_writing.md) is a page of its own.

Five libraries that decode JSON into typed objects get the same bytes and the same type. A program runs every cell and writes the page, and
a test compares it: {versions}.

There are two sorts of questions. We chose ours from Penstock's own promises, so it has to answer all of them right. The others are
questions that msgspec, pydantic, cattrs and mashumaro ask in their own tests. There, the right answer is the one that the library with the
test asks for. [What Penstock does not do](#what-penstock-does-not-do) lists those that it refuses or gets wrong, with the reason.

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="_static/comparison-dark.svg">
  <img alt="How many questions each library decodes right, refuses, or gets wrong" src="_static/comparison-light.svg">
</picture>
"""

WORDS = """
## What the words mean

- **decodes**: the value equals the one that calling the class would have made, with the same types, all the way down.
- **refuses**: the library says that it cannot, before or while it decodes. In the two tables of input to refuse, that is
  right. If a library refuses valid input of the same kind as well, a note says so. Some libraries take such input on purpose.
- **gets it wrong**: no error, and another value; the note says which.
- **cannot be asked**: the right result needs an option, and the library has none.

Each library is called by the JSON function that its documentation names, with the class as it is:

| library | call |
|---|---|
| Penstock | `penstock.json.decode(data, T)` |
| msgspec | `msgspec.json.decode(data, type=T)` |
| pydantic | `TypeAdapter(T).validate_json(data)` |
| cattrs | `cattrs.preconf.json.make_converter().loads(data, T)` |
| mashumaro | `mashumaro.codecs.json.JSONDecoder(T).decode(data)` |

If that is not right, the program also tries a documented option that needs no change of the class, and the cell says `with` it. A base
class of the library's own, or a hook for each type, would make more cells right in most libraries; the tables include a question about
hooks. pydantic takes a configuration beside a type, but not beside a dataclass.
"""

COUNTED = ("right", "refuses", "gets it wrong")


def counted(found: Cell) -> str:
    """Return the column of the summary that counts a cell."""
    if found.right:
        return "right"
    return "gets it wrong" if found.word == "gets it wrong" else "refuses"


def versions() -> str:
    """Return the versions with which the page was made."""
    found = [f"{platform.python_implementation()} {'.'.join(platform.python_version_tuple()[:2])}"]
    found += [f"{name} {importlib.metadata.version(name)}" for name in list(LIBRARIES)[1:]]
    return ", ".join(found)


Answers = Mapping[str, Sequence[tuple[Row, Sequence[Cell]]]]


def ask(tables: Mapping[str, Sequence[Row]]) -> Answers:
    """Ask every library every question."""
    return {
        title: [(row, [cell(row, library) for library in LIBRARIES]) for row in rows]
        for title, rows in tables.items()
    }


def lines() -> Iterator[str]:
    """Yield the page, line by line."""
    ours, others = ask(TABLES), ask(OTHERS)
    yield HEAD.format(versions=versions())
    yield from summary("Of our {} questions", ours)
    yield ""
    yield from summary("Of the {} questions of the others' tests", others)
    yield WORDS.rstrip("\n")
    number = 0
    for title, rows in {**ours, **others}.items():
        table = [
            f"| | {' | '.join(LIBRARIES)} |",
            "|---" * (len(LIBRARIES) + 1) + "|",
        ]
        notes = []
        for row, cells in rows:
            words = []
            for library, found in zip(LIBRARIES, cells, strict=True):
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
            score(list(LIBRARIES), right, "question"), [*table, *(["", *notes] if notes else [])]
        )
    yield "\n## What Penstock does not do\n"
    yield "| | Penstock | right | why |"
    yield "|---|---|---|---|"
    for row, (own, *rest) in (pair for rows in others.values() for pair in rows):
        if not own.right:
            names = zip(list(LIBRARIES)[1:], rest, strict=True)
            right = ", ".join(name for name, found in names if found.right)
            yield f"| {escaped(row.name)} | {own.word} | {right} | {asked_by_others.WHY[row.name]} |"


def escaped(text: str) -> str:
    """Return the text for a cell of a table."""
    return text.replace("|", "\\|")


def summary(asked: str, tables: Answers) -> Iterator[str]:
    """Yield how many answers of each sort each library gave."""
    cells = [cells for rows in tables.values() for _, cells in rows]
    yield f"{asked.format(len(cells))}:\n"
    yield f"| | {' | '.join(LIBRARIES)} |"
    yield "|---" * (len(LIBRARIES) + 1) + "|"
    counts = [Counter(map(counted, column)) for column in zip(*cells, strict=True)]
    labels = {
        "right": "right",
        "refuses": "refuses, or has no such thing",
        "gets it wrong": "gets it wrong",
    }
    for key, label in labels.items():
        yield f"| {label} | {' | '.join(str(each[key]) for each in counts)} |"


def page() -> str:
    """Return the page."""
    return "\n".join(lines()) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
