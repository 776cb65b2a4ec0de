"""`comments=True`: comments and trailing commas in a JSON document, in every verb of JSON."""

from __future__ import annotations

import io
import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import penstock

SETTINGS = """// Settings of an editor
{
    "editor.tabSize": 4, /* in spaces */
    "files.exclude": {"**/*.pyc": true, "// no comment": "/* nor this */",},
    "rulers": [80, 100,],  // columns
}
"""

EXPECTED = {
    "editor.tabSize": 4,
    "files.exclude": {"**/*.pyc": True, "// no comment": "/* nor this */"},
    "rulers": [80, 100],
}


@dataclass
class Row:
    id: int
    name: str = ""


def test_decode_and_load(tmp_path: Path) -> None:
    assert penstock.json.decode(SETTINGS, comments=True) == EXPECTED
    assert (
        penstock.json.decode(SETTINGS.encode("utf-16"), comments=True, encoding="utf-16")
        == EXPECTED
    )
    path = tmp_path / "settings.json"
    path.write_text(SETTINGS)
    assert penstock.json.load(path, comments=True) == EXPECTED
    assert penstock.json.load(io.BytesIO(SETTINGS.encode()), comments=True) == EXPECTED


def test_into_a_class_and_what_it_does_not_name() -> None:
    text = '{"id": 1, /* a */ "other": {"x": [1,], // "name": "no"\n}, "name": "b",}'
    assert penstock.json.decode(text, Row, comments=True) == Row(1, "b")
    with pytest.raises(penstock.ValidationError, match="other"):
        penstock.json.decode(text, Row, comments=True, unknown="error")


def test_a_tag_behind_a_comment() -> None:
    @dataclass
    class Cat:
        lives: int

    @dataclass
    class Dog:
        tricks: list[str]

    text = (
        '[{/* a */"tricks": ["sit",], // kind\n"kind": "Dog",}, {"lives": 9, "kind": /**/ "Cat"}]'
    )
    kinds = penstock.Plan(list[Cat | Dog], tag="kind")
    assert penstock.json.decode(text, kinds, comments=True) == [Dog(["sit"]), Cat(9)]


def test_records_one_at_a_time_at_every_cut() -> None:
    text = b'// rows\n{"rows": [{"id": 1}, /* {"id": 0}, */ {"id": 2, "name": "b",}, // last\n],}'
    expected = [Row(1), Row(2, "b")]
    reader = penstock.json.read(io.BytesIO(text), Row, at="rows/*", comments=True)
    assert list(reader) == expected
    for size in range(1, len(text)):
        decoder = penstock.json.Decoder(Row, at="rows/*", comments=True)
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        found = list(itertools.chain.from_iterable(map(decoder.feed, chunks)))
        assert found + list(decoder.finish()) == expected, size


def test_positions_are_those_of_the_text() -> None:
    with pytest.raises(penstock.ValidationError) as caught:
        penstock.json.decode('// a\n[\n  1, /* b */ "c",\n]', list[int], comments=True)
    assert (caught.value.line, caught.value.column, caught.value.path) == (3, 14, "1")


def test_several_threads_read_the_same(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    rows = (
        f'{{"id": {n}, /* }}, {{"id": -1}} */ "name": "{n}",}}, // {{"id": 0}},\n'
        for n in range(60_000)
    )
    path.write_text("[\n" + "".join(rows) + "]")
    reader: Any = penstock.json.read(path, Row, comments=True).columns(threads=2)
    table = reader.to_arrow()
    assert table.num_rows == 60_000
    assert table["id"].to_pylist() == list(range(60_000))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1 /* 2]", "the input ends inside a comment"),
        ("[,]", "expected a value or ']', found ','"),
        ("[1,,]", "expected a value, found ','"),
        ("# a\n1", "expected a value, found '#'"),
    ],
)
def test_what_is_none(text: str, reason: str) -> None:
    with pytest.raises(penstock.DecodeError) as caught:
        penstock.json.decode(text, comments=True)
    assert caught.value.reason == reason


def test_the_message_leads_here() -> None:
    with pytest.raises(
        penstock.MalformedInput,
        match=r"found a comment \(penstock.json takes it with comments=True\)",
    ):
        penstock.json.decode("[1, // a\n2]")
    with pytest.raises(TypeError, match="comments"):
        penstock.json.decode("1", comments="yes")  # type: ignore[call-overload]
