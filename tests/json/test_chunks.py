"""Any chunking gives the same values, and the same errors at the same positions."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock
from penstock import DecodeError, TruncatedInput, at


@dataclass(slots=True)
class City:
    name: str
    size: float
    code: int | None = None
    tags: list[str] = field(default_factory=list)
    near: Annotated[str | None, at("links/near")] = None


CITY = (
    '{"name": "Zür\\u0069ch \U0001f3d4\\ud83c\\udfd4\\n", "size": -4.4e+05, "code": 8001, "other": [1, '
    '"sk\\"ip\\u00e9é", {"deep": null}], "tags": ["a\\/b", "東"], "links": {"far": {}, "near": "Bern"}}'
)
CITIES = f'\ufeff [ {CITY} ,\n\t{{"size":1,"name":""}}, {CITY}\r\n]\n'.encode()
PLAIN = (
    b'{"a": [true, false, null, -0, 0.5e-3, 123456789012345678901234567890],\r\n'
    b'\t"b\\u00e9\xc3\xa9": {"c": "\xf0\x9f\x98\x80\\ud83d\\ude00\\"", "d": {}, "e": []}, "": 1e2 }'
)
LONE = [b"12345.678e+2 ", b'"\\u00e9\xe6\x9d\xb1"', b" null", b"true\n", b"false", b"[[[]]]"]

Given = tuple[str, Any, dict[str, str], bytes]
WAYS: list[Given] = [
    ("cities", City, {}, CITIES),
    ("plain", Any, {}, PLAIN),
    ("inside", list[Any], {"at": "*"}, b'{"k": [' + CITY.encode() + b'], "l": [1, "x"]}'),
    ("anywhere", str, {"at": "//near"}, CITIES),
    ("keys", Any, {"at": "*/tags/*"}, CITIES),
]
each_way = pytest.mark.parametrize(
    ("into", "options", "data"), [way[1:] for way in WAYS], ids=[way[0] for way in WAYS]
)


def outcome(rows: Iterable[Any]) -> tuple[str, tuple[object, ...] | None]:
    """The records before the error, and the error with its whole position and reason."""
    came = []
    try:
        for row in rows:
            came.append(repr(row))  # noqa: PERF401 - those before the error count
    except DecodeError as error:
        where = (error.offset, error.line, error.column, error.record, error.path)
        # The text after the position may not have come yet, so it cannot be shown.
        before = (error.excerpt or "")[: error.caret]
        return "; ".join(came), (type(error), error.reason, *where, before)
    return "; ".join(came), None


def read(data: bytes, into: Any, options: dict[str, str]) -> tuple[object, object]:
    return outcome(penstock.json.read([data], into, **options))


def rest(decoder: penstock.Decoder[Any]) -> Iterator[Any]:
    """The records that the end completes, and then the error if there is one."""
    try:
        yield from decoder.finish()
    except DecodeError:
        # The error comes first; a second call returns the records before it.
        yield from decoder.finish()
        raise


def fed(pieces: Iterable[bytes], into: Any, options: dict[str, str]) -> tuple[object, object]:
    def rows() -> Iterable[Any]:
        decoder = penstock.json.Decoder(into, **options)
        for piece in pieces:
            yield from decoder.feed(piece)
        yield from rest(decoder)

    return outcome(rows())


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    """The data in pieces; equal places give empty ones."""
    ends = sorted(place % (len(data) + 1) for place in places)
    return [data[a:b] for a, b in zip([0, *ends], [*ends, len(data)], strict=True)]


def test_what_the_examples_hold() -> None:
    plain = json.loads(PLAIN)
    assert penstock.json.decode(PLAIN) == plain
    rows = penstock.json.decode(CITIES, list[City])
    assert [row.name for row in rows] == ["Zürich \U0001f3d4\U0001f3d4\n", "", rows[0].name]
    assert rows[0] == City(rows[0].name, -440000.0, 8001, ["a/b", "東"], "Bern")


# --- Whole documents ---------------------------------------------------------------------------


@each_way
def test_byte_by_byte(into: Any, options: dict[str, str], data: bytes) -> None:
    bytewise = [data[at : at + 1] for at in range(len(data))]
    whole = read(data, into, options)
    assert whole[0]
    assert whole[1] is None
    assert fed(bytewise, into, options) == whole
    assert outcome(penstock.json.read(bytewise, into, **options)) == whole


@each_way
def test_split_at_every_byte(into: Any, options: dict[str, str], data: bytes) -> None:
    whole = read(data, into, options)
    for place in range(len(data) + 1):
        pieces = cut(data, [place])
        assert fed(pieces, into, options) == whole
        assert outcome(penstock.json.read(pieces, into, **options)) == whole


@each_way
@given(places=st.lists(st.integers(min_value=0, max_value=2000), max_size=40))
def test_split_anywhere(into: Any, options: dict[str, str], data: bytes, places: list[int]) -> None:
    pieces = cut(data, places)
    whole = read(data, into, options)
    assert fed(pieces, into, options) == whole
    assert outcome(penstock.json.read(pieces, into, **options)) == whole
    assert outcome(penstock.json.read(map(bytearray, pieces), into, **options)) == whole
    assert outcome(iter([penstock.json.load(pieces)])) == outcome(
        iter([penstock.json.decode(data)])
    )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(json_values, st.booleans(), st.lists(st.integers(min_value=0, max_value=5000), max_size=20))
def test_any_document_split_anywhere(value: Any, ascii_only: bool, places: list[int]) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=1).encode()
    decoder = penstock.json.Decoder()
    rows = [row for piece in cut(data, places) for row in decoder.feed(piece)] + decoder.finish()
    assert repr(rows) == repr(value if isinstance(value, list) else [value])


@pytest.mark.parametrize("length", [15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 4095])
def test_tokens_around_the_width_of_a_vector(length: int) -> None:
    for filling in ("x", "é", "\\n", "\\ud83d\\ude00", "东"):
        text = (filling * length)[:length] if len(filling) == 1 else filling * (length // 6 + 1)
        data = f'{{"{text}": "{text}", "k": 0.{"1" * length}, "s":{" " * length}1}}'.encode()
        whole = (repr(json.loads(data)), None)
        for place in range(0, len(data), 1 if length < 100 else 97):
            assert fed(cut(data, [place]), Any, {}) == whole


# --- Cut short ---------------------------------------------------------------------------------


def truncated(data: bytes, check: Callable[[bytes], Any]) -> None:
    for length in range(len(data)):
        with pytest.raises(TruncatedInput) as caught:
            check(data[:length])
        assert caught.value.offset is not None
        assert caught.value.offset <= length


@pytest.mark.parametrize("data", [CITIES.rstrip(), PLAIN, *LONE[1:]], ids=lambda data: data[:9])
def test_cut_short_at_every_byte(data: bytes) -> None:
    data = data.rstrip()
    truncated(data, penstock.json.decode)
    truncated(data, lambda head: penstock.json.load([head]))
    truncated(data, lambda head: list(penstock.json.read([head])))


def test_cut_short_where_it_is_skipped() -> None:
    class Nothing:
        missing: int = 0

    truncated(PLAIN, lambda head: penstock.json.decode(head, Nothing))
    truncated(CITIES.rstrip(), lambda head: penstock.json.decode(head, list[Nothing]))
    truncated(PLAIN, lambda head: list(penstock.json.read([head], int, at="no/*")))


def test_a_number_at_the_top_may_end_with_the_input() -> None:
    for length in range(1, 13):
        head = LONE[0][:length]
        if head[-1:].isdigit():
            assert penstock.json.decode(head) == json.loads(head)
        else:
            with pytest.raises(TruncatedInput):
                penstock.json.decode(head)


@each_way
def test_cut_short_is_the_same_in_pieces(into: Any, options: dict[str, str], data: bytes) -> None:
    for length in range(len(data)):
        head = data[:length]
        whole = read(head, into, options)
        assert fed((head[at : at + 1] for at in range(length)), into, options) == whole
        assert fed(cut(head, [length // 2]), into, options) == whole


# --- Damaged -----------------------------------------------------------------------------------


@each_way
@pytest.mark.parametrize("mask", [0x01, 0x20, 0x80, 0xFF])
def test_each_byte_damaged(into: Any, options: dict[str, str], data: bytes, mask: int) -> None:
    for place in range(len(data)):
        bad = bytearray(data)
        bad[place] ^= mask
        whole = read(bytes(bad), into, options)
        if whole[1] is not None:
            assert issubclass(whole[1][0], DecodeError)
        bytewise = (bad[at : at + 1] for at in range(len(bad)))
        assert fed(bytewise, into, options) == whole, bytes(bad)
        assert fed(cut(bytes(bad), [place, place + 1]), into, options) == whole, bytes(bad)


@pytest.mark.parametrize("mask", [0x01, 0x20, 0x80, 0xFF])
def test_each_byte_damaged_whole_and_streamed(mask: int) -> None:
    for data, into in ((PLAIN, Any), (CITIES, list[City])):
        for place in range(len(data)):
            bad = bytearray(data)
            bad[place] ^= mask
            whole = outcome(penstock.json.decode(b, into) for b in [bytes(bad)])
            other = outcome(penstock.json.decode(b, into) for b in [bad])
            streamed = outcome(
                penstock.json.load(pieces, into)
                for pieces in [[bytes(bad[:place]), bytes(bad[place:])]]
            )
            assert whole == other == streamed, bytes(bad)


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [
                *'[]{},:" \n\\-+.eE0123456789tfnu/',
                "true",
                "null",
                "é",
                '"a"',
                '"a":',
                "\x00",
                "\ufeff",
            ]
        ),
        max_size=14,
    ),
    st.lists(st.integers(min_value=0, max_value=60), max_size=6),
)
def test_any_soup_of_tokens(soup: list[str], places: list[int]) -> None:
    data = "".join(soup).encode()
    whole = read(data, Any, {})
    assert fed(cut(data, places), Any, {}) == whole
    try:
        json.loads(data.decode(), parse_constant=pytest.fail)
    except ValueError:
        assert whole[1] is not None
    else:
        assert whole[1] is None
