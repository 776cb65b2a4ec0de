"""Repeated keys: `duplicates=` of `convert`."""

from __future__ import annotations

import json
import plistlib
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from converting import converted
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import Limits, ValidationError

CHOICES = ["first", "last", "error"]
KEYS = st.sampled_from(["a", "b", "c", "\u00e4", ""])
# Objects as lists of their members, so that keys may be repeated.
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(st.tuples(KEYS, inner), max_size=4).map(tuple)
    ),
    max_leaves=12,
)


def written(value: Any) -> str:
    if isinstance(value, tuple):
        return "{" + ",".join(f"{json.dumps(key)}:{written(inner)}" for key, inner in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value)


def chosen(value: Any, duplicates: str) -> Any:
    """Return a value without the members that do not count, as a text has them."""
    if isinstance(value, list):
        return [chosen(each, duplicates) for each in value]
    if not isinstance(value, tuple):
        return value
    kept: dict[str, Any] = {}
    for key, inner in value:
        if key in kept:
            if duplicates == "first":
                continue
            del kept[key]
        kept[key] = inner
    return tuple((key, chosen(inner, duplicates)) for key, inner in kept.items())


def repeats(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(repeats, value))
    if not isinstance(value, tuple):
        return False
    keys = [key for key, _ in value]
    return len(keys) > len(set(keys)) or any(repeats(inner) for _, inner in value)


@given(VALUES)
def test_which_members_are_written(value: Any) -> None:
    text = written(value)
    for duplicates in ("first", "last"):
        expected = written(chosen(value, duplicates))
        found = converted(text.encode(), "json", "json", duplicates=duplicates)
        assert json.loads(found, object_pairs_hook=list) == json.loads(
            expected, object_pairs_hook=list
        )
    if repeats(value):
        with pytest.raises(
            ValidationError, match=r"^line 1, column \d+: the key .* occurs more than"
        ):
            converted(text.encode(), "json", "json", duplicates="error")
    else:
        expected = converted(text.encode(), "json", "json")
        assert converted(text.encode(), "json", "json", duplicates="error") == expected


LINES = b'{"a": 1, "a": 2}\n{"a": 3}\n{"b": {"a": [1, {"c": 4, "c": 5}]}, "a": 6}\n'


def test_records_are_left_out() -> None:
    seen: list[str] = []
    target = BytesIO()
    done = penstock.convert(
        BytesIO(LINES),
        target,
        format="ndjson",
        to="json",
        duplicates="error",
        errors=lambda error: seen.append(str(error)),
    )
    assert (done.records, done.skipped, target.getvalue()) == (1, 2, b'[{"a":3}]')
    assert seen == [
        'line 1, column 10: the key "a" occurs more than once (record 1, at a)',
        'line 3, column 26: the key "c" occurs more than once (record 3, at b/a/1/c)',
    ]
    errors = [error.code for error in collected(LINES, duplicates="error")]
    assert errors == ["repeated", "repeated"]


def collected(data: bytes, **options: Any) -> list[Any]:
    found: list[Any] = []
    penstock.convert(
        BytesIO(data), BytesIO(), format="ndjson", to="json", errors=found.append, **options
    )
    return found


def test_numbers_and_strings() -> None:
    text = b'{"a": 0, "a": 1.500, "b": "\\u0041", "c": 12345678901234567890123}'
    assert converted(text, "json", "json", duplicates="first") == (
        '{"a":0,"b":"\\u0041","c":12345678901234567890123}'
    )
    # What waits is written anew.
    assert converted(text, "json", "json", duplicates="last") == (
        '{"a":1.500,"b":"A","c":12345678901234567890123}'
    )
    # Keys are compared, whatever escapes they have.
    escaped = b'{"a": 1, "\\u0061": 2}'
    assert converted(escaped, "json", "json", duplicates="first") == '{"a":1}'
    assert converted(escaped, "json", "json", duplicates="last") == '{"a":2}'


def test_other_targets(tmp_path: Path) -> None:
    lines = b'{"a": 1, "a": 2}\n{"a": 3}\n'
    for duplicates, first in (("first", 1), ("last", 2)):
        table = converted(lines, "ndjson", "csv", duplicates=duplicates)
        assert table == f"a\n{first}\n3\n"
        markup = converted(lines, "ndjson", "xml", declaration=False, duplicates=duplicates)
        assert markup == f"<root><item><a>{first}</a></item><item><a>3</a></item></root>"
        target = BytesIO()
        options: dict[str, Any] = {"to_form": "binary", "duplicates": duplicates}
        penstock.convert(BytesIO(lines), target, format="ndjson", to="plist", **options)
        assert plistlib.loads(target.getvalue()) == [{"a": first}, {"a": 3}]
        path = tmp_path / f"{duplicates}.parquet"
        penstock.convert(BytesIO(lines), path, format="ndjson", duplicates=duplicates)  # type: ignore[arg-type]
        assert pyarrow.parquet.read_table(path)["a"].to_pylist() == [first, 3]
    path = tmp_path / "error.parquet"
    with pytest.raises(ValidationError, match="occurs more than once"):
        penstock.convert(BytesIO(lines), path, format="ndjson", duplicates="error")


def test_property_lists() -> None:
    text = (
        b"<plist><array><dict><key>a</key><integer>1</integer><key>a</key><dict/></dict>"
        b"<dict><key>a</key><true/></dict></array></plist>"
    )
    for duplicates, first in (("first", "1"), ("last", "{}")):
        found = converted(text, "plist", "json", duplicates=duplicates)
        assert found == f'[{{"a":{first}}},{{"a":true}}]'
    old = b"{a = 1; b = 2; a = (3);}"
    assert converted(old, "plist", "json", duplicates="last") == '{"b":"2","a":["3"]}'
    with pytest.raises(ValidationError, match=r'the key "a" occurs more than once'):
        converted(old, "plist", "json", duplicates="error")


def test_by_a_class() -> None:
    for duplicates, first in ((None, 2), ("first", 1), ("last", 2)):
        text = converted(
            LINES[:26], "ndjson", "json", into=dict[str, int], objects=True, duplicates=duplicates
        )
        assert text == f'[{{"a":{first}}},{{"a":3}}]'
    with pytest.raises(ValidationError, match="occurs more than once"):
        converted(LINES, "ndjson", "json", into=object, objects=True, duplicates="error")
    with pytest.raises(penstock.PlanError) as caught:
        converted(LINES, "ndjson", "json", into=dict[str, int], duplicates="error")
    assert str(caught.value) == (
        "duplicates= compares all keys, so convert() must make objects: pass objects=True"
    )


@pytest.mark.parametrize("duplicates", CHOICES)
@pytest.mark.parametrize("errors", ["skip", "collect"])
def test_threads_write_the_same(duplicates: str, errors: Any) -> None:
    lines = [
        json.dumps({"n": n, "text": "x" * (50 + n % 50)})[:-1]
        + (f', "n": {-n}}}\n' if n % 1000 == 7 else "}\n")
        for n in range(30_000)
    ]
    data = "".join(lines).encode()
    assert len(data) > 2 << 20

    def run(threads: int) -> tuple[bytes, Any]:
        target = BytesIO()
        options: dict[str, Any] = {"errors": errors, "max_errors": 1000, "threads": threads}
        try:
            done: Any = penstock.convert(
                BytesIO(data), target, format="ndjson", to="json", duplicates=duplicates, **options
            )
        except ExceptionGroup as group:
            return target.getvalue(), [str(error) for error in group.exceptions]
        return target.getvalue(), (done.records, done.skipped)

    text, told = run(1)
    assert run(3) == (text, told)
    found = [record["n"] for record in json.loads(text)]
    sign = {"first": 1, "last": -1}
    assert found == [
        n if n % 1000 != 7 else n * sign[duplicates]
        for n in range(30_000)
        if n % 1000 != 7 or duplicates in sign
    ]


def test_a_record_that_waits_is_bounded() -> None:
    data = b'{"a": [' + b"1," * 100_000 + b"1]}"
    limits = Limits(memory=1 << 20)
    assert len(converted(data, "json", "json", duplicates="first", limits=limits)) == 200_009
    with pytest.raises(penstock.LimitExceeded, match=r"more than 1048576 bytes .*limits\.memory"):
        converted(data, "json", "json", duplicates="last", limits=limits)
    # The keys of an object are kept, too, and no longer than the object.
    one = b"{" + b",".join(b'"key %d":1' % n for n in range(50_000)) + b"}"
    many = b"[" + b",".join(b'{"key %d":1}' % n for n in range(50_000)) + b"]"
    for duplicates in ("first", "error"):
        with pytest.raises(penstock.LimitExceeded, match=r"limits\.memory"):
            converted(one, "json", "json", duplicates=duplicates, limits=limits)
        written = converted(many, "json", "json", duplicates=duplicates, limits=limits)
        assert written.encode() == many


def test_where_it_has_no_meaning() -> None:
    for data, source in ((b"<a/>", "xml"), (b"a\n1\n", "csv")):
        with pytest.raises(TypeError) as caught:
            converted(data, source, "json", duplicates="first")
        assert (
            str(caught.value) == f"duplicates= is no option for a source of the format {source!r}"
        )
    with pytest.raises(ValueError, match=r"^duplicates= has no meaning with form='element': "):
        converted(b'["a", {"b": "1"}]', "json", "xml", form="element", duplicates="last")
    with pytest.raises(ValueError, match="'last', 'first' or 'error'"):
        converted(b"{}", "json", "json", duplicates="none")
    with pytest.raises(TypeError, match="duplicates= is no option for Arrow columns"):
        penstock.convert(pyarrow.table({"a": [1]}), BytesIO(), to="json", duplicates="last")
