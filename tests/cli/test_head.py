"""`penstock head`."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BERN = '{"name": "Bern", "population": 134591, "position": {"lat": 46.950}}\n'
CHUR = '{"name": "Chur", "population": "37,424", "position": {"lat": null}}\n'
TOKYO = '{"name": "東京", "population": 13960000, "position": {"lat": 35.68}}\n'


def test_records_are_json_with_the_digits_of_their_numbers(penstock: Callable[..., Any]):
    done = penstock("head", "cities.json")
    assert (done.out, done.err, done.code) == (BERN + CHUR + TOKYO, "", 0)


@pytest.mark.parametrize(
    ("words", "expected"),
    [(["-n", "1"], BERN), (["-n1"], BERN), (["--records", "2"], BERN + CHUR), (["-n", "0"], "")],
)
def test_as_many_as_are_asked_for(penstock: Callable[..., Any], words: list[str], expected: str):
    done = penstock("head", *words, "cities.json")
    assert (done.out, done.err, done.code) == (expected, "", 0)


def test_ten_unless_asked_otherwise(penstock: Callable[..., Any], folder: Path):
    (folder / "numbers.ndjson").write_text("".join(f"{n}\n" for n in range(100)))
    assert penstock("head", "numbers.ndjson").out == "".join(f"{n}\n" for n in range(10))


def test_what_is_behind_them_is_not_looked_at(penstock: Callable[..., Any], folder: Path):
    (folder / "bad.ndjson").write_text("1\n2\nthree\n")
    assert penstock("head", "-n", "2", "bad.ndjson").out == "1\n2\n"
    done = penstock("head", "bad.ndjson")
    assert done.out == "1\n2\n"
    assert done.err == (
        "bad.ndjson:3:1: expected a value, found 'three' (record 3)\n  |\n3 | three\n  | ^\n"
    )
    assert done.code == 1


def test_numbers_are_exact(penstock: Callable[..., Any], folder: Path):
    exact = "[1.50, 1E+400, -0.0, 123456789012345678901234567890, 0.1000000000000000055511151]"
    (folder / "exact.ndjson").write_text(exact)
    assert penstock("head", "exact.ndjson").out == f"{exact}\n"


def test_deep_values_and_strange_strings(penstock: Callable[..., Any], folder: Path):
    deep = "[" * 999 + "]" * 999
    strange = json.dumps({"a\n": '\x00\x1b[31m\x7f\x9b\u2028 \U0001f600\u00e4\u3000\\"'})
    (folder / "deep.ndjson").write_text(f"{deep}\n{strange}\n")
    first, second = penstock("head", "deep.ndjson").out.splitlines()
    assert first == deep
    assert json.loads(second) == json.loads(strange)
    assert second == (
        r'{"a\n": "\u0000\u001b[31m\u007f\u009b\u2028 ' + "\U0001f600\u00e4\u3000" + r'\\\""}'
    )


def test_objects_are_their_repr(penstock: Callable[..., Any]):
    done = penstock("head", "-n", "1", "--into", "models:City", "cities.json")
    assert (done.out, done.err, done.code) == (
        "City(name='Bern', population=134591, latitude=46.95, twins=[])\n",
        "",
        0,
    )


def test_a_record_that_does_not_fit_is_told_with_all_its_problems(penstock: Callable[..., Any]):
    done = penstock("head", "--into", "models:City", "cities.json")
    assert done.out == "City(name='Bern', population=134591, latitude=46.95, twins=[])\n"
    assert done.err == (
        "cities.json:3:34: expected int, got a string (record 2, at 1/population)\n"
        "  |\n"
        '3 |   {"name": "Chur", "population": "37,424", "position": {"lat": null}},\n'
        "  |                                  ^\n"
        "\n"
        "cities.json:3:64: expected float, got null (record 2, at 1/position/lat)\n"
        "  |\n"
        '3 | …"name": "Chur", "population": "37,424", "position": {"lat": null}},\n'
        "  |                                                              ^\n"
    )
    assert done.code == 1


def test_at_says_where_the_records_are(penstock: Callable[..., Any]):
    assert penstock("head", "--at", "*/position/lat", "cities.json").out == "46.950\nnull\n35.68\n"


def test_xml(penstock: Callable[..., Any], folder: Path):
    document = '<cities><city zip="3000">Bern</city><city><name>Chur</name></city></cities>'
    (folder / "cities.xml.gz").write_bytes(gzip.compress(document.encode()))
    done = penstock("head", "cities.xml.gz")
    assert done.out == '{"@zip": "3000", "#text": "Bern"}\n{"name": "Chur"}\n'
    assert penstock("head", "--at", "cities/city/name", "cities.xml.gz").out == '"Chur"\n'
