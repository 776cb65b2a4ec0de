"""`error.raw`: the bytes of a record in error."""

import gzip
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import ndjson


@dataclass
class Row:
    a: int
    b: int = 0


GOOD = b'{"a": 1, "b": 2}'
BAD = [
    b'{"a": "1", "b": 2}',
    b'{"b": 2}',
    b'{"a": 1',
    b'{"a": tru, "b": 2}  \r',
    b'{"a": 1} x',
    b'"text"',
    b"NaN",
    b'{"a": 1, "b": "\xff\xfe"}',
    b'\xff{"a": 1}',
    b'{"a": "1", "b": "\xff"} \xff',
    b'{"a": 1, "b": \xe2\x82',
    '{"a": "größer"}'.encode(),
]
LINES = b"".join(b"%b\n  %b\n" % (GOOD, bad) for bad in BAD) + GOOD


def in_chunks(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def errors_of(chunks: Any, **options: Any) -> tuple[list[Any], list[penstock.DecodeError]]:
    errors: list[penstock.DecodeError] = []
    return list(ndjson.read(chunks, Row, errors=errors.append, **options)), errors


@pytest.mark.parametrize("size", [1, 2, 3, 7, 16, 64, 1000])
def test_the_same_however_it_is_cut(size: int) -> None:
    rows, errors = errors_of(in_chunks(LINES, size))
    assert [error.raw for error in errors] == BAD
    assert rows == [Row(1, 2)] * (len(BAD) + 1)
    assert [error.line for error in errors] == [2 * n + 2 for n in range(len(BAD))]
    assert [error.record for error in errors] == [2 * n + 2 for n in range(len(BAD))]
    decoder = ndjson.Decoder(Row, errors=errors.append)
    errors.clear()
    for chunk in in_chunks(LINES, size):
        decoder.feed(chunk)
    decoder.finish()
    assert [error.raw for error in errors] == BAD


def test_problems_and_rows_are_in_order() -> None:
    """A problem waits for the end of its line, and the rows behind it wait for the problem."""
    seen: list[Any] = []
    decoder = ndjson.Decoder(Row, errors=lambda error: seen.append(error.raw))
    assert decoder.feed(b'{"a": 1}\n{"a": "2"') == [Row(1)]
    assert seen == []
    assert decoder.feed(b', "b": 3}') == []
    assert seen == []
    assert decoder.feed(b'\n{"a": 4}\n') == [Row(4)]
    assert seen == [b'{"a": "2", "b": 3}']


def test_collect_and_raise(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_bytes(LINES)
    with pytest.raises(ExceptionGroup) as group:
        list(ndjson.read(path, Row, errors="collect"))
    assert [error.raw for error in group.value.exceptions] == BAD  # type: ignore[attr-defined]
    for bad in BAD:
        for work in (
            lambda text: list(ndjson.read([text], Row)),
            lambda text: list(ndjson.read(in_chunks(text, 1), Row)),
            lambda text: ndjson.decode(text, Row),
            lambda text: ndjson.load([text], Row),
        ):
            with pytest.raises(penstock.DecodeError) as caught:
                work(GOOD + b"\n" + bad + b"\n" + GOOD)
            assert caught.value.raw == bad
            copied = pickle.loads(pickle.dumps(caught.value))
            assert copied.raw == bad
            assert "raw" not in caught.value.to_dict()


def test_at_the_end_of_the_input() -> None:
    _, errors = errors_of([b'{"a": 1}\n{"a": [1, 2'])
    assert [(type(error), error.raw) for error in errors] == [
        (penstock.ValidationError, b'{"a": [1, 2')
    ]


def test_all_errors_have_it_once() -> None:
    text = b'{"a": "1", "b": "2"}'
    _, [error] = errors_of(in_chunks(text, 1), all_errors=True)
    assert error.raw == text
    assert [problem.path for problem in error.problems] == ["a", "b"]
    assert [problem.raw for problem in error.problems] == [text, None]


def test_in_a_sequence() -> None:
    text = b'\x1e{"a": "1"}\n\x1e{"a": 2}\n\x1e{"a": tru}\n\x1e{"a": 3}\n'
    rows, errors = errors_of(in_chunks(text, 1), framing="sequence")
    assert rows == [Row(2), Row(3)]
    assert [error.raw for error in errors] == [b'{"a": "1"}\n', b'{"a": tru}\n']


def test_a_long_record_has_none() -> None:
    """65,536 bytes and no more, wherever in the record the problem is."""
    for length, has in ((65_536, True), (65_537, False)):
        for text in (b'{"a": "%b"}', b'{"z": "%b", "a": ""}', b'{"a": "", "z": "%b"}'):
            line = text % (b"x" * (length - len(text) + 2))
            assert len(line) == length
            for size in (1000, 10_000, 1 << 20):
                rows, [error] = errors_of(in_chunks(line + b"\n" + GOOD, size))
                assert error.raw == (line if has else None)
                assert rows == [Row(1, 2)]


def test_it_does_not_wait_for_a_long_record() -> None:
    errors: list[penstock.DecodeError] = []
    decoder = ndjson.Decoder(Row, errors=errors.append)
    decoder.feed(b'{"a": "", "b": "')
    for _ in range(6):
        decoder.feed(b"x" * 10_000)
    assert errors == []
    decoder.feed(b"x" * 10_000)
    assert [(error.path, error.raw) for error in errors] == [("a", None)]


def test_there_is_none_elsewhere() -> None:
    for text, work in (
        (b'[{"a": "1"}]', lambda text: penstock.json.decode(text, list[Row])),
        (b'{"a": [{"a": "1"}]}', lambda text: list(ndjson.read([text], Row, at="a/*"))),
        (b"<r><a>x</a></r>", lambda text: penstock.xml.decode(text, Row)),
        (b'{"a": "1"}', lambda text: ndjson.decode(text, Row, framing="concatenated")),
    ):
        with pytest.raises(penstock.ValidationError) as caught:
            work(text)
        assert caught.value.raw is None


def test_a_source_that_fails_before_the_end_of_the_line() -> None:
    def chunks() -> Iterator[bytes]:
        yield b'{"a": "1"'
        raise OSError("gone")

    with pytest.raises(penstock.DecodeError) as caught:
        list(ndjson.read(chunks(), Row))
    error = caught.value
    assert error.reason == "reading failed: OSError: gone"
    assert [problem.reason for problem in error.problems] == [
        "expected int, got a string",
        "reading failed: OSError: gone",
    ]
    assert [problem.raw for problem in error.problems] == [None, None]


def test_more_than_the_limit_before_the_end_of_the_line() -> None:
    decoder = ndjson.Decoder(Row, limits=penstock.Limits(total=12))
    with pytest.raises(penstock.LimitExceeded) as caught:
        decoder.feed(b'{"a": "1", "b": 2}\n')
    assert [problem.reason for problem in caught.value.problems] == [
        "expected int, got a string",
        "the input is longer than 12 bytes (limits.total)",
    ]


def test_270_a_record_in_error_before_damage_ends() -> None:
    """The run waited for the end of the record, which the damaged source never gave."""
    rest = b"".join(b'{"a": %d, "b": 2} ' % number for number in range(2_000))
    packed = bytearray(gzip.compress(b'{"a": tru, "b": 2' + rest))
    packed[len(packed) // 2] ^= 0x55
    with pytest.raises(penstock.MalformedInput) as caught:
        list(ndjson.read([bytes(packed)], Row))
    first, last = caught.value.problems
    assert (first.reason, first.offset) == ("expected a value, found 'tru'", 6)
    assert last.reason.startswith("the gzip data is damaged")
