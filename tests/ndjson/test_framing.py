"""The framing of records: lines, record separators, or nothing."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import DecodeError, MalformedInput, TruncatedInput
from penstock.ndjson import decode

Outcome = tuple[list[str], tuple[object, ...] | None]


def outcome(rows: Iterable[Any]) -> Outcome:
    came = []
    try:
        for row in rows:
            came.append(repr(row))  # noqa: PERF401 - those before the error count
    except DecodeError as error:
        place = (error.offset, error.line, error.column, error.record, error.path)
        return came, (type(error), error.reason, *place)
    return came, None


def rest(decoder: penstock.Decoder[Any]) -> Iterator[Any]:
    """The records that the end completes, and then the error if there is one."""
    try:
        yield from decoder.finish()
    except DecodeError:
        # The error comes first; a second call returns the records before it.
        yield from decoder.finish()
        raise


def fed(pieces: Iterable[bytes], **options: Any) -> Outcome:
    def rows() -> Iterable[Any]:
        decoder = penstock.ndjson.Decoder(**options)
        for piece in pieces:
            yield from decoder.feed(piece)
        yield from rest(decoder)

    return outcome(rows())


def each_way(data: bytes, **options: Any) -> Outcome:
    """The result for the data, which must not depend on how it comes."""
    whole = outcome(penstock.ndjson.read([data], **options))
    bytewise = [data[at : at + 1] for at in range(len(data))]
    assert outcome(penstock.ndjson.read(bytewise, **options)) == whole
    assert fed(bytewise, **options) == whole
    for cut in range(len(data) + 1):
        assert fed([data[:cut], data[cut:]], **options) == whole
    loaded = outcome(penstock.ndjson.load([data], **options) for _ in [0])
    decoded = outcome(decode(data, **options) for _ in [0])
    if whole[1] is None:
        assert loaded == decoded == ([f"[{', '.join(whole[0])}]"], None)
    else:
        assert loaded[1] is not None
        assert decoded[1] is not None
        # The results are equal except for the record number: the same value is a record here and
        # part of one there.
        assert loaded[1][:5] == decoded[1][:5] == whole[1][:5]
    return whole


@pytest.mark.parametrize(
    "data",
    [
        b'1\n[2]\n{"a": 3}\n',
        b'1\n[2]\n{"a": 3}',
        b'1\r\n[2]\r\n{"a": 3}\r\n',
        b'\n\n1\n\n \t\r\n[2]\n{"a": 3}\n\n',
        b' 1 \n\t[2]\t\r\n{ "a" :\t3 }  ',
        b'\xef\xbb\xbf1\n[2]\n{"a": 3}\n',
    ],
)
def test_lines(data: bytes) -> None:
    assert each_way(data) == (["1", "[2]", "{'a': 3}"], None)
    assert decode(data.decode()) == decode(bytearray(data)) == [1, [2], {"a": 3}]


@pytest.mark.parametrize("data", [b"", b"\n", b" \t\r\n\n", b"\xef\xbb\xbf", b"\r\n" * 70])
def test_no_record_at_all(data: bytes) -> None:
    assert each_way(data) == ([], None)
    assert each_way(data, framing="concatenated") == ([], None)
    assert each_way(data, framing="sequence") == ([], None)


def test_each_kind_of_value_is_a_line() -> None:
    data = b'1\n-2.5e3\n"a\\nb"\ntrue\nfalse\nnull\n[]\n{}\n""\n0'
    assert each_way(data)[0] == [repr(json.loads(line)) for line in data.split(b"\n")]


@pytest.mark.parametrize(
    ("data", "came", "reason", "column"),
    [
        (b"1\n2 3\n", 1, "expected the end of the line after the value, found '3'", 3),
        (b"1\n[2][3]\n", 1, "expected the end of the line after the value, found '['", 4),
        (b"1\n{},\n", 1, "expected the end of the line after the value, found ','", 3),
        (b'1\n"a" \r x\n', 1, "expected the end of the line after the value, found 'x'", 7),
        (b"1\n2x\n", 1, "expected the end of the line after the value, found 'x'", 2),
        (b"1\ntruex\n", 1, "expected the end of the line after the value, found 'x'", 5),
        (b"1\n[2,\n3]\n", 1, "the line ends inside a value", 4),
        (b'1\n{"a":\r\n3}\n', 1, "the line ends inside a value", 7),
        (b'1\n{"a"\n', 1, "the line ends inside a value", 5),
        (b'1\n"a\nb"\n', 1, "a line feed in a string must be written \\n", 3),
        (b"1\n\x1e2\n", 1, "expected a value, found byte 0x1e", 1),
        (b"1\nx\n", 1, "expected a value, found 'x'", 1),
        (b"1\n\xef\xbb\xbfx\n", 1, "expected a value, found 'x'", 2),
        (b'1\n"\xff"\n', 1, "invalid UTF-8: byte 0xff", 2),
    ],
)
def test_malformed_lines(data: bytes, came: int, reason: str, column: int) -> None:
    rows, error = each_way(data)
    assert len(rows) == came
    assert error is not None
    assert error[:2] == (MalformedInput, reason)
    assert error[3:6] == (2, column, 2)


@pytest.mark.parametrize("last", [b"[2", b'"a', b"tr", b"-", b"1e", b'{"a":', b'"\xc3', b'"\\u00'])
def test_the_last_line_may_be_cut_short(last: bytes) -> None:
    rows, error = each_way(b"1\n" + last)
    assert rows == ["1"]
    assert error is not None
    assert (error[0], error[5]) == (TruncatedInput, 2)


# --- RFC 7464 ----------------------------------------------------------------------------------


def test_sequences() -> None:
    for data in (b'\x1e1\n\x1e[2,\n3]\n\x1e{"a"\n: 4}\n', b'\x1e\x1e 1 \n\x1e[2,3]\x1e\n{"a":4}'):
        assert each_way(data, framing="sequence") == (["1", "[2, 3]", "{'a': 4}"], None)


@pytest.mark.parametrize(
    ("data", "kind", "offset"),
    [
        (b"1\n", MalformedInput, 0),
        (b"\x1e1\n2\n", MalformedInput, 3),
        (b"\x1e1 2\n", MalformedInput, 3),
        (b'\x1e{"a":\x1e2\n', MalformedInput, 6),
        (b"\x1e1\x1e2\n", MalformedInput, 2),
        # RFC 7464, 2.4: such a value may have been longer.
        (b"\x1e12", TruncatedInput, 3),
        (b"\x1etrue", TruncatedInput, 5),
        (b"\x1e[1", TruncatedInput, 3),
    ],
)
def test_bad_sequences(data: bytes, kind: type[DecodeError], offset: int) -> None:
    error = each_way(data, framing="sequence")[1]
    assert error is not None
    assert (error[0], error[2]) == (kind, offset)


def test_a_sequence_goes_on_at_the_next_separator() -> None:
    data = b'\x1e1\n\x1e{"a":\x1e3\n\x1e[4\n\n,x\n\x1e5\n\x1e"\xff"\n\x1e6\n\x1e7'
    reader = penstock.ndjson.read([data], framing="sequence", errors="skip")
    assert list(reader) == [1, 3, 5, 6]
    assert reader.skipped == 4


# --- Concatenated ------------------------------------------------------------------------------


def test_concatenated() -> None:
    data = b'{"a":1}{"a":2} [3]"4"5 6\n7\n\n true[]null"x""y"-8'
    came = ["{'a': 1}", "{'a': 2}", "[3]", "'4'", "5", "6", "7", "True", "[]", "None", "'x'", "'y'"]
    assert each_way(data, framing="concatenated") == ([*came, "-8"], None)


@pytest.mark.parametrize(
    ("data", "came", "kind", "offset"),
    [
        (b"1,2", 0, MalformedInput, 1),
        (b"[1],[2]", 1, MalformedInput, 3),
        (b"1true", 0, MalformedInput, 1),
        (b"truefalse", 0, MalformedInput, 4),
        (b"1-2", 0, MalformedInput, 1),
        (b"{}\n]", 1, MalformedInput, 3),
        (b"[1][2", 1, TruncatedInput, 5),
    ],
)
def test_bad_concatenations(data: bytes, came: int, kind: type[DecodeError], offset: int) -> None:
    for errors in ("raise", "skip"):
        rows, error = fed([data], framing="concatenated", errors=errors)
        assert error is not None
        assert (len(rows), error[0], error[2]) == (came, kind, offset)
    assert each_way(data, framing="concatenated") == (rows, error)


def test_framing_is_a_word() -> None:
    with pytest.raises(ValueError, match="framing must be 'lines', 'sequence' or 'concatenated'"):
        decode(b"1", framing="commas")  # type: ignore[arg-type]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.lists(values, max_size=6),
    st.sampled_from(["\n", "\r\n", " \n\n", "\n\t\n"]),
    st.lists(st.integers(min_value=0, max_value=400), max_size=8),
)
def test_any_lines_in_any_pieces(rows: list[Any], end: str, places: list[int]) -> None:
    data = "".join(json.dumps(row) + end for row in rows).encode()
    ends = [*sorted(place % (len(data) + 1) for place in places), len(data)]
    pieces = [data[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    expected = [repr(row) for row in rows]
    assert fed(pieces) == (expected, None)
    assert outcome(penstock.ndjson.read(pieces)) == (expected, None)
    marked = "".join("\x1e" + json.dumps(row, indent=1) + "\n" for row in rows).encode()
    assert fed([marked], framing="sequence") == (expected, None)
    together = " ".join(json.dumps(row, indent=1) for row in rows).encode()
    assert fed([together[:9], together[9:]], framing="concatenated") == (expected, None)
