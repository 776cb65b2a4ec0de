"""Random documents: the class reads them, and how they are cut makes no difference."""

import io
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import penstock
from tests.infer.modules import executed

KINDS = ["dataclass", "attrs", "pydantic", "msgspec", "typeddict"]
KEYS = [
    *("a", "b", "type", "kind", "id", "self", "class", "None", "", "1", "22", "2026-03-01"),
    *("a b", "a-b", "a_b", "A", "_x", "__x", "__init__", "é", "ﬁ", "list", "int", "dt", "field"),
    *("at", "Record", "children", "x/y", "x*", "~", "@t", "text()", "key()", ".", "//a", "{u}v"),
    *("model_config", "copy", "mro", "match", "#", "\n", '"', "\\", "\0", "\U0001f600", "Any"),
]
TEXTS = ["", "a", "2026-03-01", "2026-03-01T00:00:00Z", "12.50", "1", "x y"]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(TEXTS)
    | st.text(max_size=3)
)
VALUES: SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=12,
)


@settings(max_examples=60)
@given(st.lists(VALUES, max_size=6), st.sampled_from(KINDS))
def test_the_class_reads_all_records(records: list[Any], kind: Any):
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    code = penstock.infer(io.BytesIO(data), format="ndjson", kind=kind)
    read = list(penstock.ndjson.read(io.BytesIO(data), executed(code).Record, empty="allow"))
    assert len(read) == len(records)


CELLS = [
    *("", "1", "2.5", "true", "2026-03-01", "x y", "12.50", " ", "  7", "a\nb", "007", "-0"),
    *("1e5", "1e400", "99999999999999999999", "0.123456789012345678901", '"', "NaN", "INF"),
]


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(["a", "A b", "1", "#", "x/y", "*", "list", "text()"]),
        min_size=1,
        max_size=4,
        unique=True,
    ),
    st.data(),
    st.sampled_from(KINDS),
)
def test_the_class_reads_all_rows(header: list[str], data: st.DataObject, kind: Any):
    row = st.lists(st.sampled_from(CELLS), min_size=len(header), max_size=len(header))
    rows = data.draw(st.lists(row, max_size=5))
    encoder = penstock.csv.encode([dict(zip(header, cells, strict=True)) for cells in rows])
    code = penstock.infer(io.BytesIO(encoder), format="csv", kind=kind)
    record = executed(code).Record
    read = list(penstock.csv.read(io.BytesIO(encoder), record, empty="allow"))
    assert len(read) == len(list(penstock.csv.read(io.BytesIO(encoder), empty="allow")))


NAMES = st.sampled_from(["a", "b", "A", "type", "B-c", "class", "x.y", "list"])
CONTENTS = st.sampled_from(["", " ", "1", "2.5", "true", "2026-03-01", "x y", "007", "P1D"])


def _element(name: str, attributes: dict[str, str], parts: list[str], *, is_nil: bool) -> str:
    written = "".join(f' {key}="{value}"' for key, value in attributes.items())
    if is_nil:
        return f'<{name}{written} xsi:nil="true"/>'
    return f"<{name}{written}>{''.join(parts)}</{name}>"


ELEMENTS: SearchStrategy[str] = st.recursive(
    st.builds(
        _element,
        NAMES,
        st.dictionaries(NAMES, CONTENTS, max_size=2),
        st.lists(CONTENTS, max_size=1),
        is_nil=st.booleans(),
    ),
    lambda inner: st.builds(
        _element,
        NAMES,
        st.dictionaries(NAMES, CONTENTS, max_size=1),
        st.lists(inner | CONTENTS, max_size=4),
        is_nil=st.just(value=False),
    ),
    max_leaves=8,
)


@settings(max_examples=60)
@given(st.lists(ELEMENTS, max_size=5), st.sampled_from(KINDS))
def test_the_class_reads_all_elements(elements: list[str], kind: Any):
    space = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    data = f"<r {space}>{''.join(elements)}</r>".encode()
    code = penstock.infer(io.BytesIO(data), format="xml", kind=kind)
    record = executed(code).Record
    read = list(penstock.read(io.BytesIO(data), record, format="xml", empty="allow"))
    assert len(read) == len(elements)


@settings(max_examples=100)
@given(st.lists(VALUES, max_size=6), st.integers(0, 6))
def test_evidence_of_two_parts_is_that_of_the_whole(records: list[Any], cut: int):
    lines = [json.dumps(record).encode() + b"\n" for record in records]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("1.ndjson", "2.ndjson", "all.ndjson")]
        for path, part in zip(paths, (lines[:cut], lines[cut:], lines), strict=True):
            path.write_bytes(b"".join(part))
        parts: Any = penstock.read(paths[:2], empty="allow")
        whole: Any = penstock.read(paths[2], empty="allow")
        assert parts._evidence(1) == whole._evidence(1)


def test_evidence_without_records_in_error_is_that_of_the_others():
    records = [{"type": "a", "x": 1}, {"y": [1, "x"], "type": "b"}, {"type": "b", "z": {"1": None}}]
    good = "".join(json.dumps(record) + "\n" for record in records).encode()
    bad = good.replace(b"\n", b'\n{"type": "c", "w": [7, \n')
    skipping: Any = penstock.ndjson.read(io.BytesIO(bad), errors="skip")
    others: Any = penstock.ndjson.read(io.BytesIO(good))
    assert skipping._evidence(1) == others._evidence(1)


def test_threads_make_no_difference():
    record = {"id": 0, "type": "a", "tags": ["x"], "at": "2026-03-01", "note": None, "map": {}}
    lines = []
    for number in range(14_000):
        more = {"map": {f"k{number % 400}": number}, f"only{number // 3_000}": number, "id": number}
        kind = {"type": "b", "extra": number / 4} if number % 7 == 0 else {}
        lines.append(json.dumps(record | more | kind))
    data = "\n".join(lines).encode()
    assert len(data) > 1 << 20
    alone = penstock.infer(io.BytesIO(data), format="ndjson")
    assert penstock.infer(io.BytesIO(data), format="ndjson", threads=3) == alone
    assert "    map: dict[str, int]" in alone
