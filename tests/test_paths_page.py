"""Each row of the tables of paths finds the same values in both languages."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import penstock

PAGE = (Path(__file__).parent.parent / "docs/paths.md").read_text("utf-8")
XML = b"""<shop xmlns:d="urn:d"><item id="1"><name>nut</name></item><d:item id="9"><name>pin</name></d:item>
<item id="2"><name>bolt</name></item><box><part><name>gear</name></part><name>lid</name></box></shop>"""
JSON: dict[str, Any] = {
    "name": "all",
    "shop": {"name": "Vila"},
    "items": [
        {"name": "nut", "tags": ["a", "b"]},
        {"name": "bolt", "tags": ["c"]},
    ],
    "a/b": 1,
    "a*": 2,
    "byId": {"x": 3, "y": 4},
}


def rows(table: str, columns: int) -> list[tuple[str, ...]]:
    """The rows of a table, whose cells are code."""
    cell = r" `((?:[^`])+)` \|"
    found = re.findall(rf"^\|{cell * columns}$", table, re.MULTILINE)
    return [tuple(text.replace("\\|", "|") for text in row) for row in found]


XPATH_TABLE, PREDICATE_TABLE = re.findall(r"^\| XPath.*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
(JSON_TABLE,) = re.findall(r"^\| JSONPath.*?\n\n", PAGE, re.MULTILINE | re.DOTALL)


def text_of(found: Any) -> str:
    """All text of an element, or a text, without the white space that layout makes."""
    text = str(found) if isinstance(found, str) else "".join(found.itertext())
    return text.strip()


@pytest.mark.parametrize(("xpath", "at"), rows(XPATH_TABLE, 2))
def test_xpath(xpath: str, at: str) -> None:
    names = {"d": "urn:d"}
    theirs = etree.fromstring(XML).xpath(xpath, namespaces=names)
    ours = penstock.xml.read([XML], str, at=at, namespaces=names)
    expected = [text_of(found) for found in theirs]
    assert expected
    assert [text.strip() for text in ours] == expected


@pytest.mark.parametrize(("xpath", "code"), rows(PREDICATE_TABLE, 2))
def test_what_is_said_in_python(xpath: str, code: str) -> None:
    def read(_: object, **options: Any) -> penstock.Reader[Any]:
        return penstock.xml.read([XML], **options)

    theirs = etree.fromstring(XML).xpath(xpath)
    ours = eval(code, {"read": read, "field": penstock.field})
    if isinstance(theirs, float):
        assert ours == theirs
    else:
        assert [each["@id"] for each in ours] == [each.get("id") for each in theirs]


def steps_of(path: str) -> list[str | int]:
    """The steps of a JSONPath: names, numbers, `*`, and `..` before a name."""
    parts = re.findall(r"(\.\.)|\.(\*)|\.?(\w+)|\[(\d+)\]|\[(\*)\]|\['(.+?)'\]", path[1:])
    return [
        int(number) if number else f"={quoted}" if quoted else deep or star or name or stars
        for deep, star, name, number, stars, quoted in parts
    ]


def below(value: Any) -> Iterator[Any]:
    yield value
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inside:
        yield from below(each)


def find(value: Any, steps: list[str | int]) -> list[Any]:
    """What a JSONPath finds, and jq: a naive twin."""
    found = [value]
    for step in steps:
        if step == "..":
            found = [deep for each in found for deep in below(each)]
        elif step == "*":
            found = [
                inside
                for each in found
                for inside in (each.values() if isinstance(each, dict) else each)
            ]
        elif isinstance(step, int):
            found = [each[step] for each in found]
        else:
            name = step.removeprefix("=")
            found = [each[name] for each in found if isinstance(each, dict) and name in each]
    return found


@pytest.mark.parametrize(("path", "jq", "at"), rows(JSON_TABLE, 3))
def test_jsonpath_and_jq(path: str, jq: str, at: str) -> None:
    document = JSON["items"] if path == "$[*]" else JSON
    steps = steps_of(path)
    theirs = find(document, steps)
    assert theirs
    assert list(penstock.json.read([json.dumps(document).encode()], at=at)) == theirs
    if ".." not in steps:
        # In jq, a name in quotes stands in brackets, and `[]` is each value.
        as_jsonpath = "$" + jq.replace('["', "['").replace('"]', "']").replace("[]", "[*]")
        assert find(document, steps_of(as_jsonpath.replace("$.[", "$["))) == theirs


def test_there_are_twenty() -> None:
    assert len(rows(XPATH_TABLE, 2)) + len(rows(JSON_TABLE, 3)) >= 20
    assert len(rows(PREDICATE_TABLE, 2)) == PREDICATE_TABLE.count("\n") - 3
