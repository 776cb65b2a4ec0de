"""Random classes for rows of CSV, tables for them in any dialect, and damage."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Callable
from dataclasses import dataclass, make_dataclass
from decimal import Decimal
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

from shapes import integer_text, number_text

import penstock
from penstock import cells, csv, separated, spread


class Color(enum.Enum):
    """An enum of texts."""

    RED = "red"
    BLUE = "blue"


ALPHABET = [
    "a",
    "b",
    " ",
    "é",
    "水",
    "\U0001d11e",
    '"',
    "'",
    "\\",
    "\n",
    "\r\n",
    "\r",
    "\t",
    ",",
    ";",
]
ALPHABET += ["|", "#", "=", "-", "1", ".", "NA", "x" * 20, "\ufeff"]


def text(rng: Random) -> str:
    """Return any text."""
    return "".join(rng.choice(ALPHABET) for _ in range(rng.choice([0, 1, 1, 2, 3, 9])))


def word(rng: Random) -> str:
    """Return text that needs no quotes."""
    return rng.choice(["", "a", "some text", "é", "水", "x" * 40])


def flag(rng: Random) -> str:
    """Return a flag as people write it."""
    return rng.choice(["true", "false", "1", "0", "yes"])


def words(*choices: str) -> Callable[[Random], str]:
    """Draw one of these."""
    return lambda rng: rng.choice(choices)


def moment(rng: Random) -> str:
    """Return a date or a time."""
    return rng.choice(["2024-02-29", "2024-02-30", "2024-01-01T00:00:00Z", "12:30:00", ""])


Cell = tuple[Any, Callable[[Random], str]]
CELLS: list[Cell] = [
    (str, text),
    (str, word),
    (str | None, word),
    (int, integer_text),
    (int | None, words("", "7", "07", " 7", "+7")),
    (float, number_text),
    (Decimal, number_text),
    (bool, flag),
    (
        Annotated[bool, cells(true=("yes",), false=("no",))],
        lambda rng: rng.choice(["yes", "no", "true"]),
    ),
    (
        Annotated[float | None, cells(decimal=",", null=("NA",))],
        lambda rng: rng.choice(["1,5", "NA"]),
    ),
    (dt.date, moment),
    (dt.datetime | None, moment),
    (Color, words("red", "blue", "rde")),
    (Literal["a", 7], words("a", "7", "b")),
    (bytes, words("", "YQ==", "YQ")),
    (int | str, words("7", "x", "")),
    (Annotated[list[int], separated("|")], words("", "1|2", "1|", "x")),
    (Annotated[list[str], separated(" ")], word),
    (Any, text),
]


@dataclass
class Inner:
    """A class inside a class."""

    x: int
    y: str = "none"


# Fields of several columns: their names, and what stands in them.
GROUPS: list[tuple[Any, list[str]]] = [
    (Inner, ["{}.x", "{}.y"]),
    (Inner | None, ["{}.y", "{}.x"]),
    (Annotated[Inner, spread("{}_*")], ["{}_x", "{}_y"]),
    (Annotated[list[int | None], spread("{}*")], ["{}1", "{}2", "{}3"]),
    (Annotated[list[Inner], spread("{}_*_*")], ["{}_1_x", "{}_2_x", "{}_2_y"]),
]


class Table(NamedTuple):
    """A class, and what its columns have."""

    annotation: Any
    names: list[str]
    cells: list[Callable[[Random], str]]


def table(rng: Random) -> Table:
    """Draw a class."""
    fields: list[Any] = []
    names: list[str] = []
    texts: list[Callable[[Random], str]] = []
    for number in range(rng.randrange(1, 5)):
        name = f"f{number}"
        if rng.random() < 0.2:
            annotation, columns = grouped(rng, name)
            names += columns
            texts += [lambda rng: rng.choice(["", "7", "x"])] * len(columns)
        else:
            annotation, cell = rng.choice(CELLS)
            names.append(name)
            texts.append(cell)
        fields.append((name, annotation))
    kind = rng.randrange(6)
    if kind == 0:
        return Table(rng.choice([dict[str, Any], list[str], dict[str, str], Any]), names, texts)
    if kind == 1:
        return Table(TypedDict("Made", dict(fields)), names, texts)  # type: ignore[operator]
    if kind == 2:
        return Table(NamedTuple("Made", fields), names, texts)  # type: ignore[misc]
    if rng.random() < 0.3:
        fields[-1] += (None,)
    return Table(make_dataclass("Made", fields), names, texts)


def grouped(rng: Random, name: str) -> tuple[Any, list[str]]:
    """Return the type of a field of several columns, and these."""
    annotation, columns = rng.choice(GROUPS)
    if metadata := getattr(annotation, "__metadata__", None):
        pattern = metadata[0].pattern.format(name)
        annotation = Annotated[annotation.__origin__, spread(pattern)]
    return annotation, [column.format(name) for column in columns]


DIALECTS: list[csv.Dialect | Literal["infer"] | None] = [
    None,
    None,
    "infer",
    csv.Dialect(";"),
    csv.Dialect("||", comment="#"),
    csv.Dialect("\t", quote=None),
    csv.Dialect(quote="'", trim=True),
    csv.Dialect(escape="\\"),
    csv.Dialect(quote=None, escape="\\", terminator="\r"),
    csv.Dialect(terminator="any"),
    csv.Dialect(terminator="|\n"),
    csv.Dialect(header=None),
    csv.Dialect(header=2, skip_rows=1),
    csv.Dialect(header=["f0", "f1", "f2"]),
]
REPAIRS: list[Any] = [(), (), (), "all", "short_rows", ("long_rows", "nul"), "stray_quotes"]


def written(rng: Random, made: Table, dialect: csv.Dialect | Literal["infer"] | None) -> str:
    """Write a table as text."""
    like = dialect if isinstance(dialect, csv.Dialect) else csv.Dialect(rng.choice([",", ";"]))
    order = list(range(len(made.names)))
    if rng.random() < 0.3:
        rng.shuffle(order)
    if rng.random() < 0.2:
        order = order[: rng.randrange(len(order) + 1)]
    rows = [[made.names[place] for place in order]]
    rows += [[made.cells[place](rng) for place in order] for _ in range(rng.randrange(6))]
    if rng.random() < 0.2:
        rows = [[*row, "more"] for row in rows]
    end = {None: rng.choice(["\n", "\r\n"]), "any": "\r"}.get(like.terminator, like.terminator)
    always = rng.random() < 0.2

    def cell(text: str) -> str:
        """Quote or escape as the dialect does."""
        special = (like.delimiter[0], like.quote, like.escape, "\n", "\r", "#", " ")
        needs = any(each and each in text for each in special)
        if like.quote and (needs or always):
            doubled = like.escape or like.quote
            text = text.replace(doubled, doubled * 2)
            if like.escape:
                text = text.replace(like.quote, like.escape + like.quote)
            return f"{like.quote}{text}{like.quote}"
        if needs and like.escape:
            return "".join(like.escape + each if each in special else each for each in text)
        return text

    lines = ["any line"] * like.skip_rows
    lines += [like.delimiter.join(map(cell, row)) for row in rows]
    return end.join(lines) + rng.choice([end, end, "", end * 2])


TOKENS = [
    ",",
    ";",
    '"',
    '""',
    "'",
    "\\",
    "\n",
    "\r",
    "\r\n",
    "\0",
    "#",
    "|",
    "\t",
    " ",
    "7",
    "x",
    "",
]


def damage(rng: Random, text: str) -> str:
    """Change a text a little."""
    for _ in range(rng.randrange(1, 3)):
        at, token = rng.randrange(len(text) + 1), rng.choice(TOKENS)
        text = text[:at] + token + text[at + rng.randrange(2) :]
    return text


def back_again(records: list[Any], into: Any) -> None:
    """Assert that rows which can be written are read again."""
    try:
        data = csv.encode(records, into)
    except (penstock.EncodeError, penstock.PlanError):
        return
    again = csv.decode(data, into)
    if repr(again) != repr(records):
        raise AssertionError(f"{records!r}\n {data!r}\n {again!r}\n {into!r}")
