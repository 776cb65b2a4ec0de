"""Rows that are too long, and bytes that are no text: the same however the source is cut."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest

import penstock
from penstock import DecodeError, Limits, MalformedInput, spread


@dataclass
class Part:
    name: str
    price: int


@dataclass
class Whole:
    parts: Annotated[list[Part], spread("parts_*_*")]


def outcomes(document: bytes, step: int, **how: object) -> list[object]:
    """Return the rows and the errors, in order."""
    found: list[object] = []
    errors: list[DecodeError] = []
    chunks = [document[start : start + step] for start in range(0, len(document), step)]
    reader = penstock.csv.read(chunks, errors=errors.append, **how)  # type: ignore[call-overload]
    for row in reader:
        found += [(error.line, error.column, error.reason) for error in errors]
        errors.clear()
        found.append(list(row.values()))
    return found + [(error.line, error.column, error.reason) for error in errors]


LONG = "a row is longer than 10 bytes (limits.row)"


def test_430_a_row_that_is_too_long() -> None:
    """If its end was at hand, reading went on behind it, and otherwise behind its first line.

    Which quote was open depended on how much of the row was at hand, and the line behind one that
    ended with the window was skipped.
    """
    document = b'a,b\n1,"2\n3,4\n5,6\n"\n7,"8"\n012345,"6789\n9,"0\n1,2\n'
    opened = f"{LONG}: its last quote is not closed"
    expected = [
        (2, 3, opened),
        ["3", "4"],
        ["5", "6"],
        (5, 1, "the row has 1 cell, and there are 2 columns"),
        ["7", "8"],
    ]
    del expected[3:]
    for step in range(1, len(document) + 1):
        found = outcomes(document, step, limits=Limits(row=10))
        assert found == outcomes(document, 1, limits=Limits(row=10)), step
        assert found[:3] == expected, step
    exactly = b"a,b\r\n12345,6789\r\n12345,67890\r\n1,2\r\n"
    for step in range(1, len(exactly) + 1):
        found = outcomes(exactly, step, limits=Limits(row=10))
        assert found == [["12345", "6789"], (3, 1, LONG), ["1", "2"]], step


def test_431_bytes_that_are_no_text_before_a_carriage_return() -> None:
    """If a window ended with the return, the next line was skipped as well.

    And if the bytes were the first of a line, the line before it was lost.
    """
    document = b"a,b\r1,\xff\r2,3\r\xff\r\n4,5\r"
    for step in range(1, len(document) + 1):
        found = outcomes(document, step)
        reason = "invalid UTF-8: byte 0xff"
        assert [row for row in found if isinstance(row, list)] == [["2", "3"], ["4", "5"]], step
        assert [error[2] for error in found if isinstance(error, tuple)] == [reason, reason]


def test_444_a_message_about_columns_that_are_not_there_is_short() -> None:
    """It listed all of them, and a header of many numbers makes many."""
    header = ",".join(f"parts_{number}_name" for number in range(1_000))
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.csv.decode(f"{header}\n", Whole)
    lacks, there = (
        ", ".join(f'"parts_{number}_{key}"' for number in range(8)) for key in ("price", "name")
    )
    assert caught.value.reason == (
        f"Whole requires the columns {lacks} and 992 more, which the header lacks; the columns are "
        f"{there} and 992 more"
    )


def test_446_a_header_that_is_given_is_told_when_there_is_text() -> None:
    """It was refused before the first bytes came, and so before they were found to be no text."""
    dialect = penstock.csv.Dialect(header=["name", "price", "size"])
    options: dict[str, Any] = {"dialect": dialect, "unknown": "error"}
    document = b"\0f0\r\n12\r\n"
    found = []
    for decode in (
        lambda: penstock.csv.decode(document, Part, **options),
        lambda: penstock.csv.load([document], Part, **options),
        lambda: penstock.csv.load([document[:1], document[1:]], Part, **options),
        lambda: penstock.csv.Decoder(Part, **options).feed(document),
    ):
        with pytest.raises(DecodeError) as caught:
            decode()
        found.append(caught.value.reason)
    assert found == ["this looks like UTF-16 (big endian); say encoding='utf-16-be'"] * 4
    # It is still known before the first row, which may be in error.
    rows = penstock.csv.read([b"\xff,1,2\nx,3,4\n"], dialect=dialect, errors="skip")
    assert list(rows) == [{"name": "x", "price": "3", "size": "4"}]


def test_449_repaired_rows_before_the_table() -> None:
    """They were still counted when the table began, and there were fewer rows than repairs."""
    with pytest.raises(penstock.MalformedInput) as caught:
        penstock.csv.decode(b'2"\n\r\r\n""7', list[str], dialect="infer", repair="stray_quotes")
    assert str(caught.value) == (
        "line 3, column 1: no dialect reads this as a table; Dialect(quote=None) fails here: cells "
        "begin with quotes"
    )


def test_451_a_dialect_is_not_found_in_bytes_that_are_no_text() -> None:
    """If the first bytes were none, the dialect was sought in the text before them: in nothing."""
    found = []
    for source in ([b"f\0;f;1;more"], [b"f", b"\0;f;1", b";more"]):
        with pytest.raises(DecodeError) as caught:
            penstock.csv.load(source, dialect="infer")
        found.append(caught.value.reason)
    assert found == ["this looks like UTF-16 (little endian); say encoding='utf-16-le'"] * 2
    with pytest.raises(DecodeError, match="invalid UTF-8: byte 0xff"):
        penstock.csv.load([b"\xff,b\n1,2\n"], dialect="infer")


@pytest.mark.parametrize("errors", ["skip", "collect"])
@pytest.mark.parametrize("data", [b"1,2\n", b"\n\n", b""])
def test_452_a_given_header_that_does_not_fit_ends_the_reading(errors: Any, data: bytes) -> None:
    """It was taken for a row in error and told again, without end."""
    dialect = penstock.csv.Dialect(header=["name", "size"])
    reader = penstock.csv.read([data], Part, dialect=dialect, errors=errors)
    with pytest.raises(penstock.ValidationError, match='Part requires the column "price"'):
        list(reader)


def test_512_a_part_of_rows_that_end_with_a_carriage_return(tmp_path: Path) -> None:
    """The last row of a part waited for the line feed that might follow, and the part failed."""
    path = tmp_path / "rows.csv"
    path.write_bytes(b"n,name\r" + b"".join(b'%d,"a\rb"\r' % n for n in range(9)))
    parts = penstock.split(path, parts=4)
    assert len(parts) == 4
    found = [row["n"] for part in parts for row in part.read()]
    assert found == [str(n) for n in range(9)]


def test_515_a_part_does_not_end_within_what_a_quote_leaves_open(tmp_path: Path) -> None:
    """Rows behind a quote that nothing closes began parts, and the part before them failed."""
    path = tmp_path / "rows.csv"
    path.write_bytes(b"n,name\n" + b"1,a\n2,b\n" * 9 + b'3,"\n' + b"4,d\n" * 9)
    whole = penstock.read(path, dict, errors="skip")
    rows = list(whole)
    assert len(rows) == 27
    parts = penstock.split(path, parts=9)
    assert len(parts) > 3
    readers = [part.read(dict, errors="skip") for part in parts]
    assert [row for reader in readers for row in reader] == rows
    assert sum(reader.skipped for reader in readers) == 1


def test_515_a_part_does_not_end_within_a_row_that_is_too_long(tmp_path: Path) -> None:
    """The same where the row is in error because of a limit: the rows up to there are read again."""
    path = tmp_path / "rows.csv"
    path.write_bytes(b"n,name\n" + b"1,a\n" * 9 + b'3,"\n' + b"4,d\n" * 40 + b'5,"e"\n' * 9)
    limits = penstock.Limits(row=64)
    whole = penstock.read(path, dict, errors="skip", limits=limits)
    rows = list(whole)
    assert (len(rows), whole.skipped) == (58, 1)
    parts = penstock.split(path, bytes=8, limits=limits)
    begins = [part.begin for part in parts]
    quote = 7 + 9 * 4
    assert [begin for begin in begins if quote < begin <= quote + 64] == []
    assert max(begins) > quote + 64
    readers = [part.read(dict, errors="skip", limits=limits) for part in parts]
    assert [row for reader in readers for row in reader] == rows
    assert sum(reader.skipped for reader in readers) == 1


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a,b;c\n3,2;\u00fc\n4,5;6\n", "line 2, column 5"),
        ("x\n\nname;b\n4;\u00fc\n5;2\n", "line 4, column 3"),
        ("a,b\n1\n\u00fc,2\n", "line 3, column 1"),
        ("x y z\n\u00fc;1\n3;2\n4;2\n", "line 2, column 1"),
        ("\u00fc\n4\n", "line 1, column 1"),
    ],
)
def test_805_a_dialect_of_text_that_is_no_utf8(text: str, place: str) -> None:
    """The few rows before a byte that is no UTF-8 were blamed: no dialect fitted them."""
    data = text.encode("latin-1")
    for errors in ("raise", "skip"):
        with pytest.raises(MalformedInput) as caught:
            list(penstock.csv.read([data], dialect="infer", errors=errors))  # type: ignore[arg-type]
        assert str(caught.value).startswith(f"{place}: invalid UTF-8: byte 0xfc")
    with pytest.raises(MalformedInput, match=f"^{place}: invalid UTF-8: byte 0xfc$"):
        penstock.csv.infer([data])
    # As without `infer`, other encodings are named.
    for encoding, told in (("utf-16-le", "UTF-16 (little"), ("utf-32-be", "UTF-32 (big")):
        with pytest.raises(MalformedInput) as caught:
            list(penstock.csv.read([text.encode(encoding)], dialect="infer"))
        assert str(caught.value) == (
            f"line 1, column 1: this looks like {told} endian); say encoding='{encoding}'"
        )
    # What was asked for: with the encoding, the dialect is found.
    found = penstock.csv.read(
        ["a;\u00fc\n3;2\n".encode("latin-1")], dialect="infer", encoding="latin-1"
    )
    assert list(found) == [{"a": "3", "\u00fc": "2"}]
