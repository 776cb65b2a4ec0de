"""The commands that read take CSV like other formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = 'name,size,note\nBern,3,"x, y"\nChur,4,\n'
BAD = "name,size\nBern,3\nChur\nBasel,x\n"
MODEL = "from dataclasses import dataclass\n@dataclass\nclass Size:\n    name: str\n    size: int\n"


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    (folder / "a.csv").write_text(TEXT)
    (folder / "b.tsv").write_text("name\tsize\nBern\t3\n")
    (folder / "bad.csv").write_text(BAD)
    (folder / "sizes.py").write_text(MODEL)


@pytest.mark.parametrize(
    ("words", "out"),
    [
        (
            ["head", "a.csv"],
            (
                '{"name": "Bern", "size": "3", "note": "x, y"}\n'
                '{"name": "Chur", "size": "4", "note": ""}\n'
            ),
        ),
        (["head", "-n", "1", "b.tsv"], '{"name": "Bern", "size": "3"}\n'),
        (["head", "--fields", "size,name", "b.tsv"], '{"size": "3", "name": "Bern"}\n'),
        (["head", "--at", "size", "a.csv"], '"3"\n"4"\n'),
        (
            ["head", "--into", "sizes:Size", "a.csv"],
            "Size(name='Bern', size=3)\nSize(name='Chur', size=4)\n",
        ),
        (["count", "a.csv", "b.tsv"], "2\ta.csv\n1\tb.tsv\n3\ttotal\n"),
        (
            ["outline", "a.csv"],
            (
                '(row)  2  object\nname   2  text    "Bern"\nsize   2  text    "3"\n'
                'note   2  text    "x, y"\n'
            ),
        ),
        (["check", "-q", "a.csv"], ""),
    ],
)
def test_what_is_printed(penstock: Callable[..., Any], words: list[str], out: str) -> None:
    done = penstock(*words)
    assert (done.out, done.code) == (out, 0)


def test_check(penstock: Callable[..., Any], folder: Path) -> None:
    done = penstock("check", "bad.csv")
    assert done.code == 1
    assert "bad.csv:3:5: the row has 1 cell, and there are 2 columns (record 2)" in done.out
    assert done.err == "bad.csv: 1 problem in 3 records\n"
    done = penstock("check", "--into", "sizes:Size", "bad.csv")
    assert 'bad.csv:4:7: expected int, got "x" (record 3, at size)' in done.out
    assert done.err == "bad.csv: 2 problems in 3 records\n"
    (folder / "c.csv").write_text("name,Size\nBern,3\n")
    done = penstock("check", "--into", "sizes:Size", "c.csv")
    error = 'Size requires the column "size", which the header lacks; did you mean "Size"?'
    assert done.out.startswith(f"c.csv:1:1: {error}\n")
    assert done.code == 1


def test_plan(penstock: Callable[..., Any]) -> None:
    done = penstock("plan", "sizes:Size")
    assert done.out.startswith("Plan(Size)\n")
    assert "CSV" not in done.out
