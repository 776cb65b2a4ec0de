"""What is written is read back as equal objects, in every dialect and from every kind of class."""

from __future__ import annotations

import csv
import io
from dataclasses import field, make_dataclass
from random import Random
from typing import Annotated, Any, NamedTuple, TypedDict

import attrs
import msgspec
import pandas
import polars
import pydantic
import pytest
import random_classes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import penstock
from penstock import separated
from penstock.csv import Dialect

PATIENT = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
RANDOM = st.randoms(use_true_random=False)

CELLS = st.text(st.sampled_from(list(",;|\t \"'\\#a\r\n\N{SNOWMAN}=-1")), max_size=6)
ROWS = st.lists(st.fixed_dictionaries({"x": CELLS, "the, y": CELLS, "z": CELLS}), max_size=5)


def impossible(**options: Any) -> bool:
    """Whether a text would have two meanings."""
    try:
        Dialect(**options)
    except ValueError:
        return True
    return False


DIALECTS = (
    st.fixed_dictionaries(
        {
            "delimiter": st.sampled_from([",", ";", "\t", "|", "||", " ", "a"]),
            "quote": st.sampled_from(['"', '"', "'", None]),
            "escape": st.sampled_from([None, None, "\\"]),
            "comment": st.sampled_from([None, "#", "a"]),
            "terminator": st.sampled_from([None, "any", "\r\n", ";", "\r"]),
            "trim": st.booleans(),
        }
    )
    .filter(lambda options: not impossible(**options))
    .map(lambda options: Dialect(**options))
)
QUOTING = st.sampled_from(["minimal", "all", "nonnumeric", "none"])

# What no text of the dialect stands for.
REFUSED = (
    "needs quotes",
    "would be read as a comment",
    "would be read back as",
    "would be read as no item",
    "it is read as none",
    "an empty value would be read as none",
)


def encoded(rows: list[Any], into: Any, dialect: Dialect, quoting: Any) -> bytes | None:
    """The text, or None if a row has none in this dialect."""
    try:
        return penstock.csv.encode(rows, into, dialect=dialect, quoting=quoting)
    except penstock.EncodeError as error:
        reason = str(error)
    assert any(known in reason for known in REFUSED), reason
    if "quotes" in reason:
        assert dialect.quote is None or quoting == "none", reason
    return None


@given(ROWS, DIALECTS, QUOTING)
@PATIENT
def test_plain_rows(rows: list[dict[str, str]], dialect: Dialect, quoting: Any) -> None:
    text = encoded(rows, None, dialect, quoting)
    if text is not None:
        assert penstock.csv.decode(text, dialect=dialect) == rows


@given(ROWS, DIALECTS, QUOTING)
@PATIENT
def test_lists(rows: list[dict[str, str]], dialect: Dialect, quoting: Any) -> None:
    cells = [list(row.values()) for row in rows]
    options = {name: getattr(dialect, name) for name in Dialect.__slots__ if name[0] != "_"}
    dialect = Dialect(**{**options, "header": ["x", "y", "z"]})
    text = encoded(cells, None, dialect, quoting)
    if text is not None:
        assert penstock.csv.decode(text, list[str], dialect=dialect) == cells


@given(ROWS, st.sampled_from([",", ";", "\t"]))
@PATIENT
def test_the_standard_library_reads_the_same(rows: list[dict[str, str]], delimiter: str) -> None:
    text = penstock.csv.encode(rows, dialect=Dialect(delimiter, terminator="\r\n")).decode()
    found = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    assert list(found) == rows
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, ["x", "the, y", "z"], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    assert penstock.csv.decode(file.getvalue(), dialect=Dialect(delimiter)) == rows


@given(ROWS.filter(len), st.sampled_from([",", ";", "\t"]))
@PATIENT
def test_pandas_and_polars_read_the_same(rows: list[dict[str, str]], delimiter: str) -> None:
    text = penstock.csv.encode(rows, dialect=Dialect(delimiter))
    frame = pandas.read_csv(io.BytesIO(text), sep=delimiter, dtype=str, keep_default_na=False)
    assert frame.to_dict("records") == rows
    table = polars.read_csv(
        io.BytesIO(text),
        separator=delimiter,
        infer_schema=False,
    )
    assert table.to_dicts() == rows


def made(kind: str, members: dict[str, Any]) -> Any:
    """Make a class with these fields."""
    match kind:
        case "dataclass" | "slots":
            return make_dataclass("Row", list(members.items()), slots=kind == "slots")
        case "attrs":
            return attrs.make_class("Row", {n: attrs.field(type=t) for n, t in members.items()})
        case "msgspec":
            return msgspec.defstruct("Row", list(members.items()))
        case "pydantic":
            return pydantic.create_model("Row", **{n: (t, ...) for n, t in members.items()})
        case "tuple":
            return NamedTuple("Row", list(members.items()))  # type: ignore[misc]  # not known before
    return TypedDict("Row", members)  # type: ignore[misc,operator]  # as above


def drawn(rng: Random, kind: random_classes.Kind) -> tuple[Any, Any]:
    """A type that may have no value or several in one cell, and a value of it."""
    match rng.randrange(6):
        case 0 if kind.annotation is not type(None):
            return kind.annotation | None, rng.choice([None, kind.make(rng)])
        case 1 if kind.annotation in {int, float, bool}:
            items = [kind.make(rng) for _ in range(rng.randrange(4))]
            return Annotated[list[kind.annotation], separated(" ; ")], items
    return kind.annotation, kind.make(rng)


# pydantic and msgspec do not take all types of the catalogue.
SIMPLE = [kind for kind in random_classes.SCALARS if kind.annotation in {bool, int, float, str}]


@pytest.mark.parametrize(
    "word", ["dataclass", "slots", "attrs", "msgspec", "pydantic", "tuple", "dict"]
)
@given(RANDOM, DIALECTS, QUOTING)
@PATIENT
def test_every_kind_of_class(word: str, random: Random, dialect: Dialect, quoting: Any) -> None:
    kinds = SIMPLE if word in {"pydantic", "msgspec"} else random_classes.SCALARS
    chosen = [drawn(random, random.choice(kinds)) for _ in range(random.randint(1, 4))]
    names = [f"field {at}" if word == "dict" else f"f{at}" for at in range(len(chosen))]
    row = made(word, {name: kind for name, (kind, _) in zip(names, chosen, strict=True)})
    values = {name: value for name, (_, value) in zip(names, chosen, strict=True)}
    rows = [row(**values)] * random.randint(1, 3)
    text = encoded(rows, row, dialect, quoting)
    if text is None:
        return
    back = penstock.csv.decode(text, row, dialect=dialect)
    assert len(back) == len(rows)
    for one, other in zip(back, rows, strict=True):
        read = one if word == "dict" else {name: getattr(one, name) for name in names}
        written = other if word == "dict" else {name: getattr(other, name) for name in names}
        assert random_classes.same(read, written), (text, one, other)


@given(RANDOM)
@PATIENT
def test_defaults(random: Random) -> None:
    texts = ["", "x", " ", "NA"]
    row = make_dataclass(
        "Row",
        [
            ("a", str, field(default=random.choice(texts))),
            ("b", str | None, field(default=random.choice([None, *texts]))),
            ("c", int | None, field(default=random.choice([None, 7]))),
        ],
    )
    rows = [
        row(random.choice(texts), random.choice([None, *texts]), random.choice([None, 0, 7]))
        for _ in range(4)
    ]
    assert penstock.csv.decode(penstock.csv.encode(rows, row), row) == rows
    assert penstock.csv.decode(penstock.csv.encode(rows, row, quoting="all"), row) == rows
