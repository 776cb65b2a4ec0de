"""The pages that compare Penstock with its peers show the real behaviour."""

import importlib.metadata
import sys
from pathlib import Path

import asked_by_others
import asked_markup
import asked_writing_by_others
import asking
import asking_markup
import asking_writing
import comparing
import comparing_writing
import pytest

ROOT = Path(__file__).parents[2]
QUESTIONS = [
    pytest.param(row, id=f"{title}: {row.name}")
    for title, rows in comparing.TABLES.items()
    for row in rows
]
WRITTEN = [
    pytest.param(row, id=f"{title}: {row.name}")
    for title, rows in comparing_writing.TABLES.items()
    for row in rows
]


@pytest.mark.parametrize("row", QUESTIONS)
def test_penstock_is_right(row: asking.Row):
    assert asking.cell(row, "Penstock").right


@pytest.mark.thread_unsafe(reason="some of them fork")
@pytest.mark.parametrize("row", WRITTEN)
def test_penstock_writes_what_is_right(row: asking_writing.Written):
    assert asking_writing.cell(row, "Penstock").right


def test_what_penstock_does_not_do_has_its_reason():
    """A reason that is no longer needed is a mistake in the page, too."""
    rows = [row for rows in comparing.OTHERS.values() for row in rows]
    wrong = {row.name for row in rows if not asking.cell(row, "Penstock").right}
    assert wrong == set(asked_by_others.WHY)


@pytest.mark.parametrize("question", asked_markup.QUESTIONS, ids=lambda asked: asked.name)
def test_penstock_writes_xml_that_is_right(question: asking_markup.Question):
    assert asking_markup.cell(question, "Penstock").right


def test_what_penstock_does_not_write_has_its_reason():
    rows = [row for rows in comparing_writing.OTHERS.values() for row in rows]
    wrong = {row.name for row in rows if not asking_writing.cell(row, "Penstock").right}
    assert wrong == set(asked_writing_by_others.WHY)


def tells_of_another(page: str) -> bool:
    """Tell whether a page was made with another version of Python than this."""
    version = ".".join(map(str, sys.version_info[:2]))
    return f"CPython {version}," not in (ROOT / "docs" / page).read_text(encoding="utf-8")


def pinned() -> bool:
    """Tell whether the installed versions are those with which the page was made."""
    wanted = dict(
        line.partition(";")[0].split("==")
        for line in (ROOT / "requirements" / "bench.txt").read_text().splitlines()
        if "==" in line
    )
    peers = [*list(asking.LIBRARIES)[1:], "orjson", "lxml", "xmltodict"]
    return all(importlib.metadata.version(name) == wanted[name] for name in peers)


@pytest.mark.skipif(tells_of_another("comparison.md"), reason="the page tells of another Python")
def test_the_page_says_what_happens():
    assert pinned(), "requirements/bench.txt says what the page is made with"
    assert (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8") == comparing.page()


@pytest.mark.thread_unsafe(reason="some questions are asked in a forked process")
@pytest.mark.skipif(
    tells_of_another("comparison_writing.md"), reason="the page tells of another Python"
)
def test_the_page_about_writing_says_what_happens():
    assert pinned(), "requirements/bench.txt says what the page is made with"
    page = (ROOT / "docs" / "comparison_writing.md").read_text(encoding="utf-8")
    assert page == comparing_writing.page()
