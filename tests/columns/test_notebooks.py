"""What notebooks show: small tables of HTML, escaped, bounded, and without reading a source."""

from __future__ import annotations

import html
import io
import json
import re
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock

if TYPE_CHECKING:
    from pathlib import Path


def table(shown: Any) -> tuple[str, list[list[str]]]:
    """Return the caption and the cells, and check that nothing else is in it."""
    text = shown._repr_html_()
    tags = set(re.findall(r"<[^>]*>", text))
    cell = ' style="text-align: left; vertical-align: top"'
    assert tags <= {
        *("<table>", "</table>", "<thead>", "</thead>", "<tbody>", "</tbody>", "<tr>", "</tr>"),
        *(f"<{name}{cell}>" for name in ("caption", "th", "td")),
        *("</caption>", "</th>", "</td>", f'<td{cell} colspan="3">'),
    }
    # Colours are those of the page.
    assert "color" not in text
    caption = html.unescape(re.findall(r"<caption[^>]*>(.*)</caption>", text)[0])
    rows = [
        [html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row)]
        for row in re.findall(r"<tr>(.*?)</tr>", text, re.DOTALL)
    ]
    return caption, rows


LINES = b'{"name": "Bern", "position": {"lat": 46.9}, "founded": null, "<b>": [1, 2]}\n' * 3
SCHEMA = pa.schema(
    [
        pa.field("name", pa.string(), nullable=False),
        pa.field("position", pa.struct([("a, b", pa.float64()), ("c)", pa.list_(pa.int8()))])),
        pa.field("size (m), a: b", pa.decimal128(9, 2)),
        pa.field("<i>", pa.dictionary(pa.int32(), pa.string())),
    ]
)


def test_columns_show_their_types_and_read_no_row() -> None:
    columns = penstock.columns(io.BytesIO(LINES), SCHEMA, format="ndjson")
    caption, rows = table(columns)
    assert caption == "Columns: 4"
    assert rows[0] == ["column", "type", "null"]
    assert [row[0] for row in rows[1:]] == SCHEMA.names
    assert [row[2] for row in rows[1:]] == ["", "null", "null", "null"]
    assert [row[1] for row in rows[1:]] == [
        "Utf8",
        'Struct("a, b": Float64, "c)": List(Int8))',
        "Decimal128(9, 2)",
        "Dictionary(Int32, Utf8)",
    ]
    assert sum(len(batch) for batch in columns) == 3
    # Also when they are read.
    assert table(columns) == (caption, rows)


NAMES = st.lists(
    st.text(st.sampled_from("ab ,:<&é_-"), min_size=1, max_size=8), min_size=1, unique=True
)


@given(NAMES)
def test_any_names(names: list[str]) -> None:
    schema = pa.schema([(name, pa.timestamp("us", "UTC")) for name in names])
    columns = penstock.columns(io.BytesIO(), schema, format="ndjson")
    caption, rows = table(columns)
    shown = ", ".join(row[0] for row in rows[1:])
    if not any(", " in name or name.endswith((",", ":")) or ": " in name for name in names):
        assert [row[0] for row in rows[1:]] == names
        assert caption == f"Columns: {len(names)}"
    # Whatever a name is, it is there, and the cells are as in the text.
    assert all(name in shown for name in names)


def test_a_schema_shows_what_is_inside(tmp_path: Path) -> None:
    path = tmp_path / "cities.ndjson"
    path.write_bytes(LINES)
    caption, rows = table(penstock.schema(path))
    assert caption == "Schema: 4"
    assert rows == [
        ["column", "type", "null"],
        ["name", "Utf8", ""],
        ["position", "Struct", ""],
        ["\u2003lat", "Float64", ""],
        ["founded", "Null", "null"],
        ["<b>", "List(Int64)", ""],
    ]


def test_many_columns_are_cut_off() -> None:
    schema = pa.schema([(f"c{n}", pa.int64()) for n in range(1_234)])
    columns = penstock.columns(io.BytesIO(), schema, format="ndjson")
    caption, rows = table(columns)
    assert caption == "Columns: 1,234"
    assert (len(rows), rows[-2], rows[-1]) == (102, ["c99", "Int64", "null"], ["and 1,134 more"])


def opened(path: Path, value: Any) -> penstock.Document:
    path.write_text(json.dumps(value))
    document = penstock.open(path)
    assert isinstance(document, penstock.Document)
    return document


def test_documents(tmp_path: Path) -> None:
    value = {
        "<script>": "x" * 500,
        "list": [1, 2, 3],
        "object": {"a": 1},
        "half": 0.5,
        "none": None,
        **{f"k{n}": n for n in range(30)},
    }
    with opened(tmp_path / "some.json", value) as document:
        caption, rows = table(document)
        assert caption == repr(document)
        assert rows[:6] == [
            ["key", "value"],
            ["<script>", "'" + "x" * 79 + "…"],
            ["list", "an array of 3"],
            ["object", "an object of 1"],
            ["half", "0.5"],
            ["none", "None"],
        ]
        assert len(rows) == 22
        assert rows[-2:] == [["k14", "14"], ["and 15 more"]]
        assert table(document["list"])[1] == [
            ["index", "value"],
            ["0", "1"],
            ["1", "2"],
            ["2", "3"],
        ]
    assert table(document) == ("Document(closed)", [])


@pytest.mark.parametrize(("value", "rows"), [([], []), ({}, []), ("x", [])])
def test_documents_without_members(tmp_path: Path, value: Any, rows: list[list[str]]) -> None:
    with opened(tmp_path / "some.json", value) as document:
        assert table(document) == (repr(document), rows)
