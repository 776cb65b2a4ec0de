"""The commands that read take CSV like other formats."""

from __future__ import annotations

import gzip
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


@pytest.mark.parametrize(
    ("words", "stdout"),
    [(["check"], True), (["head"], False), (["schema"], False), (["convert"], False)],
)
def test_columns_with_one_name(
    penstock: Callable[..., Any], folder: Path, words: list[str], stdout: bool
) -> None:
    (folder / "twice.csv").write_text("a,b,a\n1,2,3\n")
    behind = ["-", "--to", "json"] if words == ["convert"] else []
    done = penstock(*words, "twice.csv", *behind)
    said = done.out if stdout else done.err
    assert said.startswith('twice.csv:1:5: the column "a" occurs more than once')
    assert (done.out == "", done.code) == (not stdout, 1)


SEMICOLONS = "name;size\nBern;3\nChur;4\n"


@pytest.mark.parametrize("given", [["-d", ";"], ["--dialect", "infer"]])
@pytest.mark.parametrize(
    ("words", "out"),
    [
        (["head"], '{"name": "Bern", "size": "3"}\n{"name": "Chur", "size": "4"}\n'),
        (["head", "--at", "size"], '"3"\n"4"\n'),
        (["count"], "2\n"),
        (["schema"], "name  Utf8\nsize  Int64\n"),
        (
            ["outline"],
            '(row)  2  object\nname   2  text    "Bern"\nsize   2  text    "3"\n',
        ),
        (["check", "--into", "sizes:Size"], ""),
        (["convert", "--to", "ndjson"], '{"name":"Bern","size":"3"}\n{"name":"Chur","size":"4"}\n'),
    ],
)
def test_another_delimiter(
    penstock: Callable[..., Any], folder: Path, given: list[str], words: list[str], out: str
) -> None:
    (folder / "s.csv").write_text(SEMICOLONS)
    target = ["-"] if words[0] == "convert" else []
    done = penstock(*words, *given, "s.csv", *target)
    assert (done.out, done.code) == (out, 0)


@pytest.mark.parametrize("command", ["head", "count", "schema", "outline", "check"])
def test_a_delimiter_that_may_be_another_one(
    penstock: Callable[..., Any], folder: Path, command: str
) -> None:
    (folder / "s.csv").write_text("name;size\nBern;1,5\n")
    hint = "The delimiter seems to be ';': say -d ';', or --dialect infer to find it.\n"
    for done in (
        penstock(command, "s.csv"),
        penstock(command, "--format", "csv", stdin=b"name;size\nBern;1,5\n"),
    ):
        assert hint in done.err
        assert done.code == 1
    # Whoever has said it needs no advice.
    assert "say -d" not in penstock(command, "-d", ",", "s.csv").err
    (folder / "t.csv").write_bytes(gzip.compress(b"name\tsize, in m\tid\nBern\t1,5\t6,5\n"))
    hint = "The delimiter seems to be a tab: say -d '\\t', or --dialect infer to find it.\n"
    assert hint in penstock(command, "t.csv").err
    (folder / "p.csv").write_text("name|size\nBern|1,5\n")
    hint = "If the delimiter is another one, say -d ';', or --dialect infer to find it.\n"
    assert hint in penstock(command, "p.csv").err
    # These are commas.
    (folder / "c.csv").write_text("name,size\nBern\n")
    assert "say -d" not in penstock(command, "c.csv").err
    assert penstock(command, "-d", ";", "a.json").code == 2


@pytest.mark.parametrize("text", ['{\n "a": 1\n}\n{\n "a": 2\n}\n', '{"a":1}{"a":2}'])
@pytest.mark.parametrize(
    ("words", "out"),
    [
        (["count"], "2\n"),
        (["head"], '{"a": 1}\n{"a": 2}\n'),
        (["head", "--at", "a"], "1\n2\n"),
        (["schema"], "a  Int64\n"),
        (["outline"], "(line)  2  object\na       2  integer  1\n"),
        (["convert", "--to", "csv"], "a\n1\n2\n"),
    ],
)
def test_documents_one_after_the_other(
    penstock: Callable[..., Any], folder: Path, text: str, words: list[str], out: str
) -> None:
    (folder / "many.json").write_text(text)
    target = ["-"] if words[0] == "convert" else []
    done = penstock(*words, "--framing", "concatenated", "many.json", *target)
    assert (done.out, done.code) == (out, 0)
    assert "say --framing concatenated" in penstock("count", "many.json").err
    assert penstock("count", "--framing", "concatenated", "a.csv", "--format", "csv").code == 2
