r"""Text files of databases: `\N` is NULL, and a backslash before a letter stands for a character."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pyarrow
import pytest

import penstock
from penstock import Plan, cells, csv
from penstock.csv import Dialect


@dataclass
class Row:
    id: int | None
    name: str | None
    kind: Literal["a", "\\N"] | None = None
    note: str = "none"


DUMP = Dialect("\t", quote=None, escape="\\")
QUOTED = Dialect(escape="\\")
NULL = cells(null=("\\N",))
PLAN = Plan(Row, cells=NULL)
TEXT = "id\tname\tkind\tnote\n1\t\\N\ta\ta\\tb\n\\N\t\\\\N\t\\\\N\t\\N\n2\tx\\\ny\t\\N\t\\\\N\n"
ROWS = [Row(1, None, "a", "a\tb"), Row(None, "\\N", "\\N"), Row(2, "x\ny", None, "\\N")]


def test_710() -> None:
    r"""With a backslash as the escape, NULL was read as "N", and the text `\N` as None."""
    assert csv.decode(TEXT, PLAN, dialect=DUMP) == ROWS
    for size in range(1, len(TEXT)):
        chunks = [TEXT[at : at + size].encode() for at in range(0, len(TEXT), size)]
        assert list(csv.read(chunks, PLAN, dialect=DUMP)) == ROWS
    reader: Any = csv.read([TEXT.encode()], PLAN, dialect=DUMP)
    assert pyarrow.table(reader.columns()).to_pylist() == [asdict(row) for row in ROWS]


def test_711() -> None:
    """Letters behind a backslash were read as themselves: a tab of a database came as "t"."""
    text = "a\n\\t\\n\\r\\b\\0\\Z\\f\\v|\\,\\q\\\\t\n"
    assert csv.decode(text, tuple[str], dialect=QUOTED) == [("\t\n\r\b\0\x1a\f\v|,q\\t",)]
    quoted = '"\\t","\\N","\\\\N"\n'
    rows = csv.decode(quoted, list[str], dialect=Dialect(escape="\\", header=None))
    assert rows == [["\t", "N", "\\N"]]
    other = Dialect(escape="^", header=None)
    assert csv.decode("^t,^N,^\\N\n", list[str], dialect=other) == [["t", "N", "\\N"]]
    with pytest.raises(ValueError, match="behind a backslash, 0, b, f, n, r, t, v, N and Z"):
        Dialect("t", escape="\\")


def test_712() -> None:
    r"""`null="\\N"` could not be written, although the dialect has the escape for it."""
    rows = [("blah", None, 3), ("\\N", "", None)]
    given = Dialect(escape="\\", header=None)
    written = csv.encode(rows, dialect=given, null="\\N")
    assert written == b'blah,\\N,3\n"\\\\N","",\\N\n'
    row = tuple[str | None, str | None, int | None]
    assert csv.decode(written, Plan(row, cells=NULL), dialect=given) == rows
    assert csv.encode(ROWS, PLAN, dialect=DUMP, null="\\N") == (
        b"id\tname\tkind\tnote\n1\t\\N\ta\ta\\\tb\n\\N\t\\\\N\t\\\\N\tnone\n2\tx\\\ny\t\\N\t\\\\N\n"
    )
    written = csv.encode(ROWS, PLAN, dialect=DUMP, null="\\N")
    assert csv.decode(written, PLAN, dialect=DUMP) == ROWS
    with pytest.raises(ValueError, match="null must be a text that needs no quotes"):
        csv.encode(rows, dialect=given, null="\\x")
    for other in (None, Dialect(escape="^")):
        with pytest.raises(penstock.EncodeError, match="would be read back as None"):
            csv.encode([ROWS[1]], PLAN, dialect=other)


def test_713(tmp_path: Path) -> None:
    r"""Lists, unions and conversions know the two: `\N` is NULL, and `\\N` is text."""
    source = tmp_path / "dump.txt"
    source.write_text("a,b\n\\N,\\\\N\n")
    either = Annotated[str, NULL] | int | None
    plan = Plan(tuple[either, either])
    assert csv.decode(source.read_text(), plan, dialect=QUOTED) == [(None, "\\N")]
    target = tmp_path / "copy.csv"
    how: Any = {"format": "csv", "dialect": QUOTED, "to_dialect": QUOTED}
    penstock.convert(source, target, **how)
    assert target.read_bytes() == b'a,b\n\\N,"\\\\N"\n'
    into: Any = Plan(Row, cells=NULL)
    source.write_text(TEXT)
    penstock.convert(source, target, into=into, format="csv", dialect=DUMP, to_dialect=QUOTED)
    assert csv.load(target, Row, dialect=QUOTED) == ROWS
    lines = tmp_path / "dump.ndjson"
    penstock.convert(source, lines, into=into, format="csv", dialect=DUMP)
    assert penstock.load(lines, list[Row]) == ROWS
