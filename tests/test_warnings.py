"""Each warning names the line of the user's code, whatever is between it and the reader."""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import polars as pl
import pyarrow as pa
import pytest

import penstock
from penstock import at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.thread_unsafe(reason="warnings are the process's")

LINES = b'{"id": 1}\n'
XML = b"<l><r>one <b>two</b> three</r></l>"


@dataclass
class Line:
    id: int


@dataclass
class Text:
    text: Annotated[str, at("text()")]


def issued(work: Callable[[], Any]) -> list[tuple[str, bool, int]]:
    """Return the classes of the warnings, whether they name this file, and the line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return [(each.category.__name__, each.filename == __file__, each.lineno) for each in caught]


def here() -> int:
    """Return the line of the caller."""
    return sys._getframe(1).f_lineno


def test_paths_that_match_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": []}')
    works = [
        lambda: list(penstock.read(path, Line, at="b/*")),
        lambda: list(penstock.read(path, Line, at="b/*").batches(2)),
        lambda: list(penstock.columns(path, Line, at="b/*")),
        lambda: penstock.columns(path, Line, at="b/*").to_polars(),
        lambda: pl.DataFrame(penstock.columns(path, Line, at="b/*")),
        lambda: pa.table(penstock.columns(path, Line, at="b/*")),
        lambda: penstock.convert(path, tmp_path / "b.ndjson", at="b/*"),
        lambda: penstock.convert(path, tmp_path / "b.ndjson", into=Line, at="b/*"),
    ]
    for number, work in enumerate(works):
        found = [each[:2] for each in issued(work)]
        assert found == [("EmptyWarning", True)], number


def test_the_line_is_that_of_the_call(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": []}')
    numbers = []

    def work() -> None:
        numbers.append(here() + 1)
        list(penstock.read(path, Line, at="b/*"))

    assert issued(work) == [("EmptyWarning", True, numbers[0])]


def test_broken_files(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'[{"id": 1}, {')
    (tmp_path / "b.json").write_bytes(b'[{"id": 1}]')
    for work in (
        lambda: list(penstock.columns(tmp_path, Line, errors="skip")),
        lambda: penstock.columns(tmp_path, Line, errors="skip").to_arrow(),
        lambda: penstock.schema(tmp_path, errors="skip"),
    ):
        assert [each[:2] for each in issued(work)] == [("BrokenFileWarning", True)]


def test_repairs() -> None:
    broken = b"<r><id>1</id>&nbsp;</r>"
    for work in (
        lambda: penstock.xml.decode(broken, Line, repair="html_entity"),
        lambda: penstock.xml.load([broken], Line, repair="html_entity"),
    ):
        assert [each[:2] for each in issued(work)] == [("RepairWarning", True)]


@pytest.mark.parametrize("threads", [1, 2])
def test_mixed_content_of_columns(threads: int) -> None:
    found: list[Any] = []

    def work() -> None:
        columns = penstock.xml.read([XML], Text, at="l/r").columns(threads=threads)
        found.extend(pa.table(columns)["text"].to_pylist())

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    assert found == ["one  three"]
    assert [(each.category, each.filename) for each in caught] == [
        (penstock.MixedContentWarning, __file__)
    ]
    assert str(caught[0].message) == (
        "Text.text is the text of an element without that of <b> in it, which is left out: "
        "at('string()') takes all of it"
    )
    # It is the warning of objects.
    with pytest.warns(penstock.MixedContentWarning) as warned:
        assert [each.text for each in penstock.xml.read([XML], Text, at="l/r")] == found
    assert str(warned[0].message) == str(caught[0].message)


def test_mixed_content_of_a_piece_that_a_thread_has_read() -> None:
    plain = (b"<r>" + b"x" * 5_000 + b"</r>") * 250
    columns = penstock.xml.read(
        [b"<l>" + plain + b"<r>one <b>two</b></r>" + plain + b"</l>"], Text, at="l/r"
    ).columns(threads=2)
    with pytest.warns(penstock.MixedContentWarning) as warned:
        assert sum(len(batch) for batch in columns) == 501
    assert len(warned) == 1


def test_white_space_around_elements_is_no_text() -> None:
    data = b"<l><r>\n <b>two</b>\n</r></l>"
    assert issued(lambda: list(penstock.xml.read([data], Text, at="l/r").columns())) == []
