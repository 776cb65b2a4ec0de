"""The exception classes: text, report, pickling, hierarchy."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

import penstock
from penstock import (
    DecodeError,
    InternalError,
    LimitExceeded,
    MalformedInput,
    PenstockError,
    PlanError,
    TruncatedInput,
    ValidationError,
)

DECODE_ERRORS = [MalformedInput, TruncatedInput, ValidationError, LimitExceeded]


def example(kind: type[DecodeError] = ValidationError) -> DecodeError:
    return kind(
        "expected float, got a string",
        format="json",
        source="cities.json",
        offset=2344,
        line=1,
        column=2345,
        record=17,
        path="3038832/latitude",
        excerpt='"latitude": "42.5", "longitude": 1.49',
        caret=12,
    )


def test_family() -> None:
    assert all(
        kind.__mro__[1:4] == (DecodeError, PenstockError, ValueError) for kind in DECODE_ERRORS
    )
    assert issubclass(PlanError, (PenstockError, TypeError))
    assert issubclass(InternalError, (PenstockError, RuntimeError))
    assert not issubclass(PlanError, ValueError)


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ({}, "unexpected end"),
        ({"offset": 12}, "byte 12: unexpected end"),
        ({"line": 3, "column": 4, "offset": 12}, "line 3, column 4: unexpected end"),
        ({"source": "a.json"}, "a.json: unexpected end"),
        ({"source": "a.json", "offset": 12}, "a.json:byte 12: unexpected end"),
        ({"source": "a.json", "line": 3, "column": 4}, "a.json:3:4: unexpected end"),
        ({"record": 17}, "unexpected end (record 17)"),
        ({"path": "a/b"}, "unexpected end (at a/b)"),
        ({"path": ""}, "unexpected end"),
        ({"record": 17, "path": "a/b"}, "unexpected end (record 17, at a/b)"),
    ],
)
def test_text_says_what_is_known(known: dict[str, object], text: str) -> None:
    error = TruncatedInput("unexpected end", **known)  # type: ignore[arg-type]
    assert str(error) == text
    assert error.args == (text,)
    assert error.reason == "unexpected end"


def test_text_is_one_line() -> None:
    assert str(example()) == (
        "cities.json:1:2345: expected float, got a string (record 17, at 3038832/latitude)"
    )


def test_text_and_report_cannot_drive_the_terminal() -> None:
    error = ValidationError(
        "no", path="a\n\x1b[2J\udc80", excerpt="\x1b]0;pwned\x07\u202e", caret=1
    )
    assert str(error) == r"no (at a\n\x1b[2J\udc80)"
    assert all(line.isprintable() for line in error.report().split("\n"))


def test_report() -> None:
    assert example().report() == (
        "cities.json:1:2345: expected float, got a string (record 17, at 3038832/latitude)\n"
        "  |\n"
        '1 | "latitude": "42.5", "longitude": 1.49\n'
        "  |             ^"
    )


def test_report_counts_wide_and_combining_characters_as_they_are_drawn() -> None:
    error = MalformedInput(
        "bad", line=10, column=4, excerpt="東e\N{COMBINING ACUTE ACCENT}!", caret=3
    )
    assert error.report() == (
        "line 10, column 4: bad\n   |\n10 | 東e\N{COMBINING ACUTE ACCENT}!\n   |    ^"
    )


@pytest.mark.parametrize("excerpt", [None, ""])
def test_report_without_an_excerpt_is_the_text(excerpt: str | None) -> None:
    assert MalformedInput("bad", source="x.json", excerpt=excerpt).report() == "x.json: bad"


def test_a_long_path_is_shortened_in_the_text_only() -> None:
    path = "/".join(["0"] * 1000)
    error = LimitExceeded("nested deeper than 1000 levels", path=path)
    assert str(error) == f"nested deeper than 1000 levels (at {path[:40]}\u2026{path[-60:]})"
    assert error.path == path
    assert str(MalformedInput("bad", path="k" * 120)) == f"bad (at {'k' * 120})"


@pytest.mark.parametrize("kind", DECODE_ERRORS)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_everything(kind: type[DecodeError], protocol: int) -> None:
    error = example(kind)
    error.add_note("while reading the second file")
    copy = pickle.loads(pickle.dumps(error, protocol))
    assert type(copy) is kind
    assert str(copy) == str(error)
    assert copy.report() == error.report()
    assert vars(copy) == vars(error)


def test_a_validation_error_says_what_was_expected_and_what_came() -> None:
    error = ValidationError("expected float, got a string", expected="float", got="a string")
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.expected, copy.got) == (error.expected, error.got) == ("float", "a string")


class StrictError(ValidationError):
    """A user's subclass whose constructor takes other arguments than the base's."""

    def __init__(self, *, field: str) -> None:
        super().__init__(f"{field} is bad", path=field)
        self.field = field


def test_pickle_does_not_call_the_constructor_of_a_subclass() -> None:
    copy = pickle.loads(pickle.dumps(StrictError(field="size")))
    assert (type(copy), copy.field, copy.path, str(copy)) == (
        StrictError,
        "size",
        "size",
        "size is bad (at size)",
    )


@pytest.mark.parametrize("kind", [PenstockError, PlanError, InternalError])
def test_other_errors_pickle_too(kind: type[PenstockError]) -> None:
    copy = pickle.loads(pickle.dumps(kind("City.size: complex is not supported")))
    assert (type(copy), str(copy)) == (kind, "City.size: complex is not supported")


def test_an_error_crosses_a_process_pool() -> None:
    # For each start method, the child has imported other modules.
    for method in ("fork", "spawn"):
        with ProcessPoolExecutor(1, mp_context=get_context(method)) as pool:
            error = pool.submit(penstock.json.decode, "[1, true]", list[int]).exception()
        assert isinstance(error, ValidationError)
        assert (error.format, error.offset, error.line, error.column, error.path) == (
            "json",
            4,
            1,
            5,
            "1",
        )
        assert str(error) == "line 1, column 5: expected int, got true (at 1)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"duplicates": 3}, "duplicates must be a str, not int"),
        ({"unknown": None}, "unknown must be a str, not NoneType"),
        ({"encoding": b"utf-8"}, "encoding must be a str or None, not bytes"),
        ({"limits": 3}, "limits must be a Limits, not int"),
    ],
)
def test_an_option_of_another_type(options: dict[str, Any], message: str) -> None:
    calls: list[Any] = [
        lambda: penstock.json.decode("1", **options),
        lambda: penstock.json.load([b"1"], **options),
        lambda: penstock.json.read([b"1"], **options),
        lambda: penstock.json.Decoder(**options),
    ]
    for call in calls:
        with pytest.raises(TypeError) as caught:
            call()
        assert str(caught.value) == message


def test_a_framing_of_another_type() -> None:
    framing: Any = 3
    calls: list[Any] = [
        lambda: penstock.ndjson.decode("1", framing=framing),
        lambda: penstock.ndjson.load([b"1"], framing=framing),
        lambda: penstock.ndjson.read([b"1"], framing=framing),
        lambda: penstock.ndjson.Decoder(framing=framing),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="framing must be a str, not int"):
            call()
