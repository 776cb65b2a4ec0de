"""Bad lines: raised, skipped, collected or given to a function, and never a good one with them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import DecodeError, LimitExceeded, MalformedInput, TruncatedInput, ValidationError
from penstock.ndjson import read

GOOD = [b'{"n": 1}', b' {"n":-5, "x": [1, {"n": "no"}]}\r', b'{"x": "\\u00e9\xc3\xa9", "n": 0}']
BAD = {
    b"x": MalformedInput,
    b"{": MalformedInput,
    b'{"n": 1} 2': MalformedInput,
    b'{"n": 1}}': MalformedInput,
    b'{"n": 01}': MalformedInput,
    b'{"n": 1, "x": "\xff"}': MalformedInput,
    b"\x80\xfe": MalformedInput,
    b'{"n": 1, "x": "a\tb"}': MalformedInput,
    b'{"n": 1, "x": "\\ud800"}': MalformedInput,
    b'{"n": 1, "x": [[[}': MalformedInput,
    b'{"n": "1"}': ValidationError,
    b"{}": ValidationError,
    b"[]": ValidationError,
    b"null": ValidationError,
    b'{"n": null, "x": [1, 2]}': ValidationError,
    # Does not fit, and is malformed further on: still one error of one record.
    b'{"n": "1", "x": [1 2]}': ValidationError,
    b'{"n": "1", "x": "\xff"}': ValidationError,
    b'{"n": "1"': ValidationError,
    b'{"n": "1"} x': ValidationError,
    b'{"n": 1, "x": ' + b"[" * 1001: LimitExceeded,
}
LINES = b'{"n": 1}\n{"n": "two"}\n\n{"n": 3}\nx\n{"n": 5}\n{"n": 6} 7\n{"n": 8}\n"\xff"\n{"n": 10}'


class Row:
    n: int


def numbers(rows: Any) -> list[int]:
    return [row.n for row in rows]


def test_raise_is_the_default() -> None:
    reader = read([LINES], Row)
    assert next(reader).n == 1
    with pytest.raises(ValidationError) as caught:
        next(reader)
    assert (caught.value.record, caught.value.line, caught.value.column) == (2, 2, 7)
    assert (caught.value.path, caught.value.format) == ("n", "ndjson")
    assert list(reader) == []


@pytest.mark.parametrize("make", [bytes, bytearray, bytes.decode])
def test_load_and_decode_number_their_records(make: Any) -> None:
    bad = b'{"n": 1}\n\n{"n": [1]}\n{"n": 3}\n'
    malformed = b'{"n": 1}\n\n{"n": 1,}\n{"n": 3}\n'
    for data, kind, column in ((bad, ValidationError, 7), (malformed, MalformedInput, 9)):
        for call in (
            lambda data=data: penstock.ndjson.decode(make(data), Row),
            lambda data=data: penstock.ndjson.load([data], Row),
            lambda data=data: list(read([data], Row)),
        ):
            with pytest.raises(kind) as caught:
                call()
            error = caught.value
            assert (error.record, error.line, error.column) == (2, 3, column)


def test_skip_counts() -> None:
    reader = read([LINES], Row, errors="skip")
    assert numbers(reader) == [1, 3, 5, 8, 10]
    assert reader.skipped == 4
    assert reader.progress.records == 5
    decoder = penstock.ndjson.Decoder(Row, errors="skip")
    fed = [row for byte in LINES for row in decoder.feed(bytes([byte]))] + decoder.finish()
    assert numbers(fed) == [1, 3, 5, 8, 10]
    assert decoder.skipped == 4


PLACES = [
    (ValidationError, 2, 2, 7),
    (MalformedInput, 4, 5, 1),
    (MalformedInput, 6, 7, 10),
    (MalformedInput, 8, 9, 2),
]


def places(errors: Any) -> list[tuple[type[DecodeError], int, int, int]]:
    return [(type(error), error.record, error.line, error.column) for error in errors]


def test_collect_raises_all_together_behind_the_last_good_record() -> None:
    reader = read([LINES], Row, errors="collect")
    rows = []
    with pytest.raises(ExceptionGroup) as caught:
        rows.extend(iter(lambda: next(reader).n, None))
    assert places(caught.value.exceptions) == PLACES
    assert caught.value.message == "4 records in error"
    assert reader.skipped == 4
    assert list(reader) == []


def test_collect_delivers_the_good_ones_first() -> None:
    reader = read([LINES], Row, errors="collect")
    assert [next(reader).n for _ in range(5)] == [1, 3, 5, 8, 10]
    with pytest.raises(ExceptionGroup):
        next(reader)
    batches = read([LINES], Row, errors="collect").batches(100)
    assert numbers(next(batches)) == [1, 3, 5, 8, 10]
    with pytest.raises(ExceptionGroup):
        next(batches)
    decoder = penstock.ndjson.Decoder(Row, errors="collect")
    assert numbers(decoder.feed(LINES + b"\n")) == [1, 3, 5, 8, 10]
    with pytest.raises(ExceptionGroup) as caught:
        decoder.finish()
    assert places(caught.value.exceptions) == PLACES


def test_collect_of_good_records_is_silent() -> None:
    assert numbers(read([b'{"n": 1}\n'], Row, errors="collect")) == [1]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_collect_gives_up_at_max_errors(most: int) -> None:
    reader = read([LINES], Row, errors="collect", max_errors=most)
    rows: list[int] = []
    with pytest.raises(ExceptionGroup) as caught:  # noqa: PT012 - the rows before it count
        for row in reader:
            rows.append(row.n)  # noqa: PERF401 - as above
    # It raises as soon as there is one error more than it keeps.
    assert places(caught.value.exceptions) == PLACES[:most]
    assert rows == [1, 3, 5, 8][: most + 1]
    assert list(reader) == []


def test_collect_keeps_a_hundred() -> None:
    reader = read([b"x\n" * 100 + b"1\n"], errors="collect")
    assert next(reader) == 1
    with pytest.raises(ExceptionGroup) as caught:
        next(reader)
    assert len(caught.value.exceptions) == 100


def test_what_was_collected_is_not_lost_to_a_fault() -> None:
    for at, data in (("*", b'{"a": 1}\n{"a": "x"}\n'), (None, b'1\n"x"\n')):
        reader = read([data, b"[1]"], int, at=at, errors="collect", framing="concatenated")
        assert next(reader) == 1
        with pytest.raises(ExceptionGroup):
            list(reader)
    reader = penstock.json.read([b'[1, "x", 3, oops'], int, errors="collect")
    assert [next(reader), next(reader)] == [1, 3]
    with pytest.raises(ExceptionGroup) as caught:
        next(reader)
    assert [type(error) for error in caught.value.exceptions] == [ValidationError, MalformedInput]


def test_errors_can_be_given_away() -> None:
    given: list[DecodeError] = []
    reader = read([LINES], Row, errors=given.append)
    rows = [(row.n, len(given)) for row in reader]
    assert rows == [(1, 0), (3, 1), (5, 2), (8, 3), (10, 4)]
    assert places(given) == PLACES
    assert reader.skipped == 4


def test_what_the_receiver_raises_passes_through() -> None:
    def receiver(error: DecodeError) -> None:
        raise KeyError(error.line)

    reader = read([LINES], Row, errors=receiver)
    assert next(reader).n == 1
    with pytest.raises(KeyError) as caught:
        next(reader)
    assert caught.value.args == (2,)
    with pytest.raises(
        ValueError, match=r"^this Reader was broken off by KeyError: make a new one$"
    ):
        list(reader)


def test_errors_is_a_word_or_a_function() -> None:
    with pytest.raises(ValueError, match="errors must be 'raise', 'skip', 'collect' or a callable"):
        read([b""], errors="ignore")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="or a callable, not int"):
        read([b""], errors=3)  # type: ignore[arg-type]


def test_records_before_an_error_are_delivered() -> None:
    data = b'{"n": 1}\n{"n": 2}\nx\n{"n": 4}\n'
    decoder = penstock.ndjson.Decoder(Row)
    assert numbers(decoder.feed(data)) == [1, 2]
    with pytest.raises(MalformedInput):
        decoder.feed(b"")
    batches = read([data], Row).batches(10)
    assert numbers(next(batches)) == [1, 2]
    with pytest.raises(MalformedInput):
        next(batches)
    with pytest.raises(StopIteration):
        next(batches)


def test_an_error_found_at_the_end_is_raised_and_the_records_before_it_stay() -> None:
    for errors, kind in (("raise", TruncatedInput), ("collect", ExceptionGroup)):
        decoder = penstock.ndjson.Decoder(Row, errors=errors, at="*")
        data = b'{"a": {"n": 1}, "b"' if errors == "raise" else b'x\n{"a": {"n": 1}}'
        fed = decoder.feed(data)
        with pytest.raises(kind):
            decoder.finish()
        assert numbers(fed + decoder.finish()) == [1]
        assert decoder.finish() == []


def test_the_last_line_cut_short() -> None:
    reader = read([b'{"n": 1}\n{"n": 2'], Row, errors="skip")
    assert numbers(reader) == [1]
    assert reader.skipped == 1
    given: list[DecodeError] = []
    assert numbers(read([b'{"n": 1}\n{"n": "\xc3'], Row, errors=given.append)) == [1]
    assert [(type(error), error.record) for error in given] == [(TruncatedInput, 2)]


@pytest.mark.parametrize("bad", BAD, ids=lambda line: repr(line[:24]))
def test_each_kind_of_bad_line(bad: bytes) -> None:
    data = b"\n".join([GOOD[0], bad, GOOD[1], bad, bad, GOOD[2], bad])
    for pieces in ([data], [data[at : at + 1] for at in range(len(data))]):
        given: list[DecodeError] = []
        reader = read(pieces, Row, errors=given.append)
        assert numbers(reader) == [1, -5, 0]
        kinds = [type(error) for error in given]
        # A last line without a line feed may be truncated.
        assert kinds[:3] == [BAD[bad]] * 3
        assert kinds[3] in {BAD[bad], TruncatedInput}
        assert [error.line for error in given] == [2, 4, 5, 7]
        assert [error.record for error in given] == [2, 4, 5, 7]
        assert reader.skipped == 4


@given(
    st.lists(st.sampled_from([*GOOD, *BAD, b"", b" \t\r"]), max_size=14),
    st.lists(st.integers(min_value=0, max_value=3000), max_size=9),
    st.booleans(),
)
def test_exactly_the_good_lines_are_delivered(
    lines: list[bytes], cuts: list[int], final: bool
) -> None:
    data = b"\n".join(lines) + b"\n" * final
    ends = [*sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    pieces = [data[a:b] for a, b in zip([0, *ends], ends, strict=False)]
    values = dict(zip(GOOD, [1, -5, 0], strict=True))
    good = [values[line] for line in lines if line in values]
    bad = [number for number, line in enumerate(lines, 1) if line in BAD]

    given: list[DecodeError] = []
    reader = read(pieces, Row, errors=given.append)
    assert numbers(reader) == good
    assert [error.line for error in given] == bad
    assert reader.skipped == len(bad)

    decoder = penstock.ndjson.Decoder(Row, errors="skip")
    fed = [row for piece in pieces for row in decoder.feed(piece)] + decoder.finish()
    assert numbers(fed) == good
    assert decoder.skipped == len(bad)

    batches = read(pieces, Row, errors="skip").batches(3)
    assert [row.n for batch in batches for row in batch] == good


def test_a_line_with_several_records() -> None:
    data = b'{"rows": [1, "x", 3]}\n{"rows": [4, {"a"\n{"no": 0}\n{"rows": [5, [6]]}\n'
    given: list[DecodeError] = []
    reader = read([data], int, at="rows/*", errors=given.append)
    assert list(reader) == [1, 3, 4, 5]
    assert [(type(error), error.line, error.path) for error in given] == [
        (ValidationError, 1, "rows/1"),
        (ValidationError, 2, "rows/1"),
        (ValidationError, 4, "rows/1"),
    ]
