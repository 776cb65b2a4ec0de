"""The schema of a file is that of its parts, wherever each of them was found."""

from __future__ import annotations

import csv
import io
import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock

# Folder, suffixes, format, and how many files there are at least that have a schema.
SUITES = [
    ("json", {".json"}, "json", 20),
    ("csv", {".csv"}, "csv", 20),
    ("xml", {".xml", ".nxml"}, "xml", 150),
]


def merged(parts: penstock.Splits, **options: Any) -> penstock.Schema:
    """Return the schema of all parts, each of which comes from elsewhere."""
    first, *others = [pickle.loads(pickle.dumps(part.schema(**options))) for part in parts]
    both: penstock.Schema = first.merge(*others)
    return both


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=3),
    st.lists(st.integers(0, 9), max_size=2),
    st.dictionaries(st.sampled_from("xy"), st.integers(0, 9), max_size=2),
)
KEYS = st.sampled_from(["a", "b", "c d", "é"])
# Values of one kind stand at most keys.
RECORDS = st.lists(
    st.one_of(
        st.fixed_dictionaries({"n": st.integers(-5, 2**64)}, optional={"late": st.booleans()}),
        st.fixed_dictionaries({"n": st.floats(-9, 9)}, optional={"s": st.text(max_size=2)}),
        st.dictionaries(KEYS, VALUES, max_size=2),
    ),
    min_size=1,
    max_size=30,
)


def lines(records: list[dict[str, Any]]) -> tuple[Any, str | None, str]:
    return "ndjson", None, "".join(json.dumps(each) + "\n" for each in records)


def array(records: list[dict[str, Any]]) -> tuple[Any, str | None, str]:
    return "json", "page/items/*", json.dumps({"page": {"items": records}, "n": 1})


def markup(records: list[dict[str, Any]]) -> tuple[Any, str | None, str]:
    def element(record: dict[str, Any]) -> str:
        inner = "".join(f"<n{len(k)}>{escape(str(v))}</n{len(k)}>" for k, v in record.items())
        return f"<item k='{len(record)}'>{inner}</item>"

    text = "".join(map(element, records))
    clean = "".join(each if each.isprintable() else "?" for each in text)
    return "xml", "list/item", f"<list>{clean}</list>"


def rows(records: list[dict[str, Any]]) -> tuple[Any, str | None, str]:
    names = ["n", "late", "s", "a"]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", escapechar=None)
    writer.writerow(names)
    for record in records:
        writer.writerow(
            [str(record.get(name, "")).replace("\0", "").replace("\r", "") for name in names]
        )
    return "csv", None, out.getvalue()


@pytest.mark.parametrize("form", [lines, array, markup, rows])
@given(records=RECORDS, parts=st.integers(1, 9), threads=st.integers(1, 2))
def test_the_schema_of_the_whole(
    form: Callable[[list[dict[str, Any]]], tuple[Any, str | None, str]],
    records: list[dict[str, Any]],
    parts: int,
    threads: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    kind, at, text = form(records)
    path = tmp_path_factory.getbasetemp() / f"whole.{kind}"
    path.write_text(text)
    splits = penstock.split(path, parts=parts, at=at, format=kind)
    try:
        whole = penstock.schema(path, at=at, format=kind)
    except (penstock.DecodeError, penstock.PlanError):
        # Which of several errors is found first depends on the parts.
        with pytest.raises((penstock.DecodeError, penstock.PlanError)):
            merged(splits, threads=threads)
    else:
        assert merged(splits, threads=threads) == whole


@pytest.mark.parametrize(
    ("folder", "suffixes", "kind", "least"), SUITES, ids=[folder for folder, *_ in SUITES]
)
def test_every_file(
    corpus: Callable[[str], Path], folder: str, suffixes: set[str], kind: Any, least: int
) -> None:
    found = 0
    for path in sorted(corpus(folder).rglob("*")):
        if path.suffix not in suffixes:
            continue
        splits = penstock.split(path, parts=4, format=kind)
        try:
            whole = penstock.schema(path, format=kind)
        except (penstock.DecodeError, penstock.PlanError) as error:
            with pytest.raises(type(error)):
                merged(splits)
        else:
            found += 1
            assert merged(splits) == whole, path
    assert found >= least


def test_a_conflict_says_where_both_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = [f" {n} " if n < 30 else f'"{n}"' for n in range(10, 50)]
    text = "".join(f'{{"id": 7, "size": {{"x": [{value}]}}}}\n' for value in values)
    Path("a.ndjson").write_text(text)
    first, last = (part.schema() for part in penstock.split("a.ndjson", parts=2))
    with pytest.raises(penstock.ValidationError) as found:
        first.merge(last)
    reason = (
        "expected a number as in record 1 of a.ndjson, got a string as in record 21 of a.ndjson"
    )
    assert str(found.value) == f"{reason} (at size/x/*)"
    assert (found.value.path, found.value.code) == ("size/x/*", "type")


def test_records_in_error_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    path.write_text("".join(f'{{"n": {n}}}\n' for n in range(20)) + '{"late": tru}\n{"n": 0.5}\n')
    splits = penstock.split(path, parts=3)
    with pytest.raises(penstock.MalformedInput):
        merged(splits)
    skipped = merged(splits, errors="skip")
    assert skipped == penstock.schema(path, errors="skip")
    assert repr(skipped) == "Schema(n: Float64)"
    with pytest.raises(ValueError, match="errors must be 'raise' or 'skip', not 'collect'"):
        splits[0].schema(errors="collect")  # type: ignore[arg-type]  # on purpose
    path.write_text("{}")
    with pytest.raises(ValueError, match="has changed since it was split"):
        splits[0].schema()


def test_files_of_several_formats(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_text('{"n": 1}\n')
    (tmp_path / "b.json").write_text('[{"n": 2.5, "m": "x"}]')
    one, other = (penstock.schema(tmp_path / name) for name in ("a.ndjson", "b.json"))
    assert repr(one.merge(other)) == "Schema(n: Float64, m: Utf8 | null)"
    assert repr(other.merge(one)) == "Schema(n: Float64, m: Utf8 | null)"
    assert one.merge() == one


def test_what_cannot_be_merged() -> None:
    @dataclass
    class Item:
        n: int

    def found(line: bytes) -> penstock.Schema:
        return penstock.schema(io.BytesIO(line), format="ndjson")

    one = found(b'{"n": 1}')
    of_class: Any = penstock.read(io.BytesIO(b"{}"), Item, format="json")
    of_class = of_class._schema(1)
    why = "this schema is that of a class, and was not found in records"
    for merge in (lambda: one.merge(of_class), lambda: of_class.merge(one)):
        with pytest.raises(TypeError, match=why):
            merge()
    with pytest.raises(TypeError, match=why):
        pickle.dumps(of_class)
    with pytest.raises(TypeError, match="expected a Schema, got int"):
        one.merge(7)  # type: ignore[arg-type]  # on purpose
    wide = b"".join(b'{"n": %d}\n' % (10**80 if n else 1) for n in range(2))
    with pytest.raises(penstock.PlanError, match="no column holds all the numbers at n exactly"):
        found(wide)
    function, (parts, seen, skipped) = one.__reduce__()  # type: ignore[misc]  # it has two
    assert skipped == 0
    assert function(parts, seen) == one
    with pytest.raises(ValueError, match="this is no schema that was found"):
        function(parts, [])
