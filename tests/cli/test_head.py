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
    [(["-n", "1"], BERN), (["-n1"], BERN), (["--limit", "2"], BERN + CHUR), (["-n", "0"], "")],
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
    # The names of the records are printed where the path leaves them open.
    assert done.out == '{"city": {"@zip": "3000", "#text": "Bern"}}\n{"city": {"name": "Chur"}}\n'
    assert penstock("head", "--at", "cities/*", "cities.xml.gz").out == done.out
    assert penstock("head", "--at", "cities/city/name", "cities.xml.gz").out == '"Chur"\n'


def test_an_object_that_is_not_long_is_one_record(penstock: Callable[..., Any], folder: Path):
    for text in ('{"a": 1, "b": [1.50, null]}', "{}", "7", '"x"', '{"a": {"b": 1}}'):
        (folder / "one.json").write_text(text)
        (folder / "one.json.gz").write_bytes(gzip.compress(text.encode()))
        assert penstock("head", "one.json") == (f"{text}\n", "", 0)
        assert penstock("head", "one.json.gz") == (f"{text}\n", "", 0)
        assert penstock("head", "--format", "json", stdin=text.encode()) == (f"{text}\n", "", 0)
    assert penstock("head", "--format", "json", stdin=b"[]") == ("", "", 0)


def test_a_long_object_is_shown_by_its_members(penstock: Callable[..., Any], folder: Path):
    document = {"type": "F", "a/b": [{"id": n} for n in range(1_000)], "name": "x" * 5_000}
    text = json.dumps(document)
    (folder / "long.json").write_text(text)
    done = penstock("head", "long.json")
    first, second, third = map(json.loads, done.out.splitlines())
    assert first == {"type": "F"}
    *elements, rest = second["a/b"]
    assert elements == document["a/b"][: len(elements)]
    assert rest == f"\u2026 {1_000 - len(elements)} more"
    assert third == {"name": "x" * 1_991 + "\u2026"}
    assert done.err == (
        "long.json is one object, and these are its members. 2 of them are shortened; see --full. "
        "--at 'a~1b/*' looks into 'a/b'.\n"
    )
    assert done.code == 0
    for words, out in (
        (["-q", "long.json"], done.out),
        (["-q", "-n", "1", "long.json"], '{"type": "F"}\n'),
        (["-q", "--at", "*", "-n", "1", "long.json"], '{"type": "F"}\n'),
        (["--at", "type", "long.json"], '"F"\n'),
        (["--at", "a~1b/*", "-n", "2", "long.json"], '{"id": 0}\n{"id": 1}\n'),
        (["--fields", "type,a~1b/999/id", "long.json"], '{"type": "F", "a~1b/999/id": 999}\n'),
    ):
        assert penstock("head", *words) == (out, "", 0)
    # All members, none of them shortened.
    lines = penstock("head", "-q", "--full", "long.json").out.splitlines()
    assert [json.loads(line) for line in lines] == [{key: document[key]} for key in document]
    piped = penstock("head", "-q", "--format", "json", stdin=text.encode())
    assert piped.out == done.out


def test_long_records_are_shortened(penstock: Callable[..., Any], folder: Path):
    short = {"text": "x" * 1_900, "n": [1, 2]}
    long = {"text": "x" * 3_000, "list": [1, 2], "map": {"a": 1}, "more": "y" * 100, "n": 1}
    wide = {f"key{n}": n for n in range(1_000)}
    nested = {"a": {"b": [{"c": [0] * 2_000}, 1, 2]}, "d": 1}
    records = [short, long, wide, nested]
    (folder / "a.json").write_text(json.dumps(records))
    done = penstock("head", "a.json")
    first, second, third, fourth = map(json.loads, done.out.splitlines())
    assert first == short
    assert second == {
        "text": "x" * 1_991 + "\u2026",
        "list": "[\u2026]",
        "map": "{\u2026}",
        "more": "y" * 40 + "\u2026",
        "n": 1,
    }
    *kept, last = third
    assert {key: third[key] for key in kept} == {key: wide[key] for key in kept}
    assert 200 < len(kept) < 400
    assert (last, third[last]) == ("\u2026", f"{1_000 - len(kept)} more")
    [inner, rest] = fourth["a"]["b"]
    assert rest == "\u2026 2 more"
    assert inner["c"][-1] == f"\u2026 {2_001 - len(inner['c'])} more"
    assert fourth["d"] == 1
    assert done.err == "a.json: 3 records are shortened; see --full.\n"
    lines = penstock("head", "--full", "a.json").out.splitlines()
    assert [json.loads(line) for line in lines] == records


def test_long_elements_are_shortened(penstock: Callable[..., Any], folder: Path):
    rows = "<row><x>1</x></row>" * 1_000
    (folder / "a.xml").write_text(
        f"<r><t id='1'>{rows}<last><z/></last></t><p>{'text ' * 900}</p></r>"
    )
    done = penstock("head", "a.xml")
    table, text = map(json.loads, done.out.splitlines())
    kept = len(table["t"]["row"])
    assert table == {
        "t": {
            "@id": "1",
            # One of them was begun before the record was long.
            "row": [{"x": "1"}] * (kept - 1) + [{"\u2026": "1 more"}],
            "last": {"\u2026": "1 more"},
            "\u2026": f"{1_000 - kept} more",
        }
    }
    assert 100 < kept < 300
    assert text["p"] == ("text " * 900)[:1_994] + "\u2026"
    assert done.err == "a.xml: 2 records are shortened; see --full.\n"


def test_fields(penstock: Callable[..., Any], folder: Path):
    done = penstock("head", "--fields", "position/lat, name,zip", "cities.json")
    assert done.out == (
        '{"position/lat": 46.950, "name": "Bern"}\n'
        '{"position/lat": null, "name": "Chur"}\n'
        '{"position/lat": 35.68, "name": "東京"}\n'
    )
    (folder / "a.xml").write_text("<r><a id='1'><b>1</b><b>2</b><c><d>3</d></c></a><a/></r>")
    done = penstock("head", "--fields", "@id,b,c/d", "--at", "r/a", "a.xml")
    assert done.out == '{"@id": "1", "b": ["1", "2"], "c/d": "3"}\n{}\n'
    done = penstock("head", "--fields", "c,c/d", "a.xml")
    assert (done.out, done.code) == ("", 2)
    assert done.err == (
        "penstock head: --fields: fields 'c' and 'c/d' of record claim the same value: "
        "'c' and 'c/d'\n"
    )


def test_rename(penstock: Callable[..., Any], folder: Path):
    (folder / "people.py").write_text(
        "from dataclasses import dataclass\n"
        "@dataclass\n"
        "class Person:\n"
        "    first_name: str\n"
        "    age: int = 0\n"
    )
    (folder / "a.json").write_text('[{"firstName": "Ada", "years": 36}]')
    into = ("head", "--into", "people:Person", "a.json")
    assert penstock(*into, "--rename", "camel").out == "Person(first_name='Ada', age=0)\n"
    words = ("--rename", "first_name=firstName", "--rename", "age=years")
    assert penstock(*into, *words).out == "Person(first_name='Ada', age=36)\n"
    assert penstock("check", *into[1:], "--rename", "camel").code == 0
    for words, message in (
        ([*into, "--rename", "loud"], "--rename: rename must be "),
        ([*into, "--rename", "camel", "--rename", "age=years"], "--rename takes one style, or "),
        ([*into, "--rename", "agee=years"], "people:Person: rename names 'agee', and Person "),
        (["head", "a.json", "--rename", "camel"], "--rename says the keys of a class: name "),
    ):
        done = penstock(*words)
        assert (done.out, done.code) == ("", 2)
        assert done.err.startswith(f"penstock head: {message}"), done.err


def test_all_records(penstock: Callable[..., Any], folder: Path):
    (folder / "many.ndjson").write_text("".join(f"{n}\n" for n in range(25)))
    assert penstock("head", "many.ndjson").out.split() == [str(n) for n in range(10)]
    done = penstock("head", "--all", "many.ndjson", "cities.ndjson")
    assert done.out.splitlines() == [*map(str, range(25)), '{"name": "Bern"}', '{"name": "Chur"}']
    done = penstock("head", "--all", "-n", "3", "many.ndjson")
    assert "argument -n/--limit: not allowed with argument --all" in done.err
    assert done.code == 2


def test_text_without_quotes(penstock: Callable[..., Any], folder: Path):
    assert (
        penstock("head", "-r", "--at", "*/name", "cities.json").out == "Bern\nChur\n\u6771\u4eac\n"
    )
    # Text is whole and exact, and other values stay as they are.
    long = "x" * 5_000
    (folder / "a.json").write_text(f'["{long}", "a\\n\\u001b\\"", 1.50, null, {{"b": "c"}}]')
    done = penstock("head", "--raw", "a.json")
    assert done.out == f'{long}\na\n\x1b"\n1.50\nnull\n{{"b": "c"}}\n'
    assert (done.err, done.code) == ("", 0)
    for words in (["--fields", "name"], ["--into", "models:City"]):
        done = penstock("head", "-r", *words, "cities.json")
        assert done.err == (
            f"penstock head: --raw is for records that are text, and {words[0]} makes objects: "
            "use 'penstock cut -r'\n"
        )
        assert done.code == 2
