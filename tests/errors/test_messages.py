"""The messages for bad input: their whole text, and the position of the caret.

A case is written as it is reported: the input, and below it the message, with the caret under the
position. Before the input there may be the call, where `_` is the input.
"""

import datetime
import decimal
import gzip
import itertools
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from shapes import Size

import penstock
from penstock import (
    DecodeError,
    LimitExceeded,
    Limits,
    MalformedInput,
    TruncatedInput,
    ValidationError,
    decode,
)


@dataclass
class City:
    name: str
    latitude: float
    tags: list[str] | None = None


@dataclass
class Positive:
    value: int

    def __post_init__(self) -> None:
        if self.value <= 0:
            raise ValueError("must be positive")


NAMES = {
    "City": City,
    "Limits": Limits,
    "Literal": Literal,
    "Positive": Positive,
    "Size": Size,
    "datetime": datetime,
    "decimal": decimal,
    "decode": decode,
    "uuid": uuid,
}

SYNTAX = r"""
[1, 2,]
      ^ expected a value after ',', found ']' (at 2)

{"a": 1,}
        ^ expected a key after ',', found '}'

[1 2]
   ^ expected ',' or ']', found '2' (at 1)

{"a": 1 "b": 2}
        ^ expected ',' or '}', found a string

{"a" 1}
     ^ expected ':' after the key, found '1' (at a)

["a": 1]
    ^ expected ',' or ']', found ':' (at 1)

{"a": }
      ^ expected a value, found '}' (at a)

{'a': 1}
 ^ expected a key in double quotes or '}', found a single quote

['a']
 ^ expected a value or ']', found a single quote (at 0)

{a: 1}
 ^ expected a key in double quotes or '}', found 'a'

{"a": 1, 2: 3}
         ^ expected a key in double quotes, found '2'

[“a”]
 ^ expected a value or ']', found '“' (at 0)

[1, /* two */ 2]
    ^ expected a value, found a comment (penstock.json takes it with comments=True) (at 1)

[NaN]
 ^ expected a value or ']', found 'NaN' (non_finite=True takes it) (at 0)

{"a": -Infinity}
       ^ expected a digit after '-', found 'Infinity' (non_finite=True takes it) (at a)

{"a": True}
      ^ expected a value, found 'True' (at a)

[nulls]
     ^ expected ',' or ']', found 's' (at 1)

[01]
  ^ a number cannot begin with 0 followed by digits (at 0)

[+1]
 ^ expected a value or ']', found '+' (at 0)

[.5]
 ^ expected a value or ']', found '.' (at 0)

[1.]
   ^ expected a digit after '.', found ']' (at 0)

[1e]
   ^ expected a digit in the exponent, found ']' (at 0)

[-]
  ^ expected a digit after '-', found ']' (at 0)

[0x1F]
  ^ expected ',' or ']', found 'x1F' (at 1)

["\x41"]
  ^ invalid escape '\x' (at 0)

["\u12G4"]
  ^ \u must be followed by four hexadecimal digits (at 0)

["\ud800"]
  ^ unpaired surrogate \ud800 (at 0)

["\udc00"]
  ^ unpaired surrogate \udc00 (at 0)

["\ud800\u0041"]
  ^ unpaired surrogate \ud800 (at 0)

{"a": [1, 2}
           ^ expected ',' or ']', found '}' (at a/2)

]
^ expected a value, found ']'

{"a": 1} {"b": 2}
         ^ expected the end of the document after the value, found '{'

cities.json
^ expected a value, found 'cities'
"""

TRUNCATED = r"""
[1
  ^ the input ends inside an array (at 1)

[1,
   ^ the input ends where a value is expected (at 1)

[
 ^ the input ends where a value is expected (at 0)

{
 ^ the input ends inside an object

{"a
   ^ the input ends inside a string

{"a"
    ^ the input ends after a key (at a)

{"a":
     ^ the input ends where a value is expected (at a)

{"a": 1
       ^ the input ends inside an object

{"a": 1,
        ^ the input ends inside an object

["abc
     ^ the input ends inside a string (at 0)

["abc\u12
         ^ the input ends inside a string (at 0)

["\ud83d
        ^ the input ends inside a string (at 0)

[tru
    ^ the input ends inside a literal (at 0)

-
 ^ the input ends inside a number

1.
  ^ the input ends inside a number

1e+
   ^ the input ends inside a number
"""

VALUES = r"""
decode(_, None)
0
^ expected None, got the integer 0

decode(_, bool)
"true"
^ expected bool, got a string

decode(_, int)
1.0
^ expected int, got a number with a fraction or an exponent

decode(_, int)
true
^ expected int, got true

decode(_, int)
"1"
^ expected int, got a string

decode(_, int)
{"a": 1}
^ expected int, got an object

decode(_, float)
1e999
^ expected float, got a number beyond the range of a double

decode(_, float)
"1.5"
^ expected float, got a string

decode(_, str)
1
^ expected str, got the integer 1

decode(_, str)
null
^ expected str, got null

decode(_, bytes)
"a b"
^ expected bytes, got "a b": not a character of base64

decode(_, decimal.Decimal)
"1,5"
^ expected Decimal, got "1,5": it is no decimal number

decode(_, datetime.date)
"2026-02-30"
^ expected date, got "2026-02-30": day 30 is not in 1..28 of February 2026

decode(_, datetime.time)
"25:00:00"
^ expected time, got "25:00:00": hour 25 is not in 0..23

decode(_, datetime.datetime)
"2026-01-01"
^ expected datetime, got "2026-01-01": expected 'T' between date and time

decode(_, uuid.UUID)
"x"
^ expected UUID, got "x": it is no UUID

decode(_, Size)
"LARGE"
^ expected Size ("S" or "L"), got "LARGE"

decode(_, Literal["a", 1])
2
^ expected Literal['a', 1], got the integer 2

decode(_, int | None)
"x"
^ expected int | None, got a string

decode(_, list[int])
null
^ expected list[int], got null

decode(_, list[int])
[1, "two"]
    ^ expected int, got a string (at 1)

decode(_, tuple[int, str])
[1]
  ^ expected an array of 2, got one of 1

decode(_, tuple[int, str])
[1, "a", "b"]
            ^ expected an array of 2, got one of 3

decode(_, tuple[int, str])
[1, "a", 2]
          ^ expected an array of 2, got one of 3

decode(_, tuple[()])
[1]
  ^ expected an array of 0, got one of 1

decode(_, dict[str, int])
[]
^ expected dict[str, int], got an array

decode(_, dict[str, dict[str, int]])
{"a/b": {"*": "x"}}
              ^ expected int, got a string (at a~1b/~2)

decode(_, list[list[int]])
[[1], [2, null]]
          ^ expected int, got null (at 1/1)

decode(_, City)
[]
^ expected City, got an array; for its elements ask for list[City], or end the path in '/*'

decode(_, City)
"Bern"
^ expected City, got a string

decode(_, City)
{"name": "Bern"}
               ^ City lacks the required key "latitude"

decode(_, list[City])
[{"name": "Bern", "latitude": "46.95"}]
                              ^ expected float, got a string (at 0/latitude)

decode(_, City)
{"name": "Bern", "latitude": 46.95, "tags": ["a", 1]}
                                                  ^ expected str, got the integer 1 (at tags/1)

decode(_, list[Positive])
[{"value": 1}, {"value": -1}]
                           ^ ValueError: must be positive (at 1)
"""

KEYS = r"""
decode(_, City, unknown="error")
{"name": "Bern", "latitude": 46.95, "zip": 3000}
                                    ^ City has no field for the key "zip" (at zip)

decode(_, list[City], unknown="error")
[{"zip": {"x": 1}, "name": "Bern"}]
  ^ City has no field for the key "zip" (at 0/zip)

decode(_, City, duplicates="error")
{"name": "Bern", "name": "Chur", "latitude": 1}
                 ^ the key "name" occurs more than once (at name)

decode(_, dict[str, int], duplicates="error")
{"a": 1, "a": 2}
         ^ the key "a" occurs more than once (at a)

decode(_, object, duplicates="error")
[{"a": 1, "a": 2}]
          ^ the key "a" occurs more than once (at 0/a)
"""

LIMITS = r"""
decode(_, limits=Limits(depth=3))
[[[[1]]]]
   ^ nested deeper than 3 levels (limits.depth) (at 0/0/0)

decode(_, limits=Limits(token=5))
["a string"]
 ^ a string longer than 5 bytes (limits.token) (at 0)

decode(_, limits=Limits(token=5))
{"a string": 1}
 ^ a string longer than 5 bytes (limits.token)

decode(_, limits=Limits(number=10))
[12345678901]
 ^ a number longer than 10 bytes (limits.number) (at 0)

decode(_, limits=Limits(total=5))
[1, 2, 3]
     ^ the input is longer than 5 bytes (limits.total)
"""


def cases(kind: type[DecodeError], texts: str) -> Iterator[Any]:
    for case in texts.strip("\n").split("\n\n"):
        *call, data, message = case.split("\n")
        caret = message.index("^")
        yield pytest.param(
            *call or ["decode(_)"],
            data,
            kind,
            f"line 1, column {caret + 1}: {message[caret + 2 :]}",
            f"1 | {data}",
            f"  | {message[: caret + 1]}",
            id=" ".join([*call, data]),
        )


ALL = [
    *cases(MalformedInput, SYNTAX),
    *cases(TruncatedInput, TRUNCATED),
    *cases(ValidationError, VALUES),
    *cases(ValidationError, KEYS),
    *cases(LimitExceeded, LIMITS),
]


def reported(call: Callable[[], object]) -> tuple[type[DecodeError], list[str]]:
    with pytest.raises(DecodeError) as caught:
        call()
    error = caught.value
    report = error.report().split("\n")
    assert report[0] == str(error)
    return type(error), report


@pytest.mark.parametrize(("call", "data", "kind", "message", "line", "caret"), ALL)
def test_one_line(
    call: str, data: str, kind: type[DecodeError], message: str, line: str, caret: str
) -> None:
    got = reported(lambda: eval(call, NAMES, {"_": data}))
    assert got == (kind, [message, "  |", line, caret])
    # The same from bytes.
    assert reported(lambda: eval(call, NAMES, {"_": data.encode()})) == got


@pytest.mark.parametrize(
    ("data", "kind", "report"),
    [
        # Characters that must be escaped.
        (
            '["a\tb"]',
            MalformedInput,
            r"""
line 1, column 4: a tab in a string must be written \t (at 0)
  |
1 | ["a␉b"]
  |    ^""",
        ),
        (
            '["a\nb"]',
            MalformedInput,
            r"""
line 1, column 4: a line feed in a string must be written \n (at 0)
  |
1 | ["a
  |    ^""",
        ),
        (
            '["a\x1b[2J"]',
            MalformedInput,
            r"""
line 1, column 4: a control character in a string must be written \u001b (at 0)
  |
1 | ["a␛[2J"]
  |    ^""",
        ),
        (
            "[1]\x00",
            MalformedInput,
            """
line 1, column 4: expected the end of the document after the value, found byte 0x00
  |
1 | [1]␀
  |    ^""",
        ),
        (
            b'["\xe9"]',
            MalformedInput,
            """
line 1, column 3: invalid UTF-8: byte 0xe9 (at 0)
  |
1 | ["\ufffd"]
  |   ^""",
        ),
        (
            b'["\xc3',
            TruncatedInput,
            """
line 1, column 3: invalid UTF-8: the input ends inside a character (at 0)
  |
1 | ["
  |   ^""",
        ),
        (
            "[1]".encode("utf-16-le"),
            MalformedInput,
            """
line 1, column 1: this looks like UTF-16 (little endian); say encoding='utf-16-le'
  |
1 | [␀1␀]␀
  | ^""",
        ),
        (
            '["\ud800"]',
            MalformedInput,
            """
line 1, column 3: the str has a lone surrogate, which is not text
  |
1 | ["?"]
  |   ^""",
        ),
        # Inputs of several lines, and of none.
        (
            '{\n  "a": 1,\n  "b": oops\n}',
            MalformedInput,
            """
line 3, column 8: expected a value, found 'oops' (at b)
  |
3 |   "b": oops
  |        ^""",
        ),
        (
            "[1 // one\n]",
            MalformedInput,
            """
line 1, column 4: expected ',' or ']', found a comment (penstock.json takes it with comments=True) (at 1)
  |
1 | [1 // one
  |    ^""",
        ),
        (
            "# one\n1",
            MalformedInput,
            """
line 1, column 1: expected a value, found '#'
  |
1 | # one
  | ^""",
        ),
        (
            "",
            TruncatedInput,
            """
line 1, column 1: the input is empty""",
        ),
        (
            "[" + '"a", ' * 30 + "1" + ', "b"' * 30 + ",",
            TruncatedInput,
            """
line 1, column 304: the input ends where a value is expected (at 61)
  |
1 | … "b", "b", "b", "b", "b", "b", "b", "b", "b", "b", "b", "b",
  |                                                              ^""",
        ),
        # A wide character takes two columns of the terminal and one of the text.
        (
            '{"名前": "東京", "緯度": x}',
            MalformedInput,
            """
line 1, column 20: expected a value, found 'x' (at 緯度)
  |
1 | {"名前": "東京", "緯度": x}
  |                          ^""",
        ),
    ],
    ids=itertools.count(1),
)
def test_other_texts(data: str | bytes, kind: type[DecodeError], report: str) -> None:
    assert reported(lambda: decode(data)) == (kind, report[1:].split("\n"))


@pytest.mark.parametrize(
    ("data", "kind", "report"),
    [
        (
            b"1\n2,\n3\n",
            MalformedInput,
            """
n.ndjson:2:2: expected the end of the line after the value, found ',' (record 2)
  |
2 | 2,
  |  ^""",
        ),
        (
            b"1\n[2,\n3]\n",
            MalformedInput,
            """
n.ndjson:2:4: the line ends inside a value (record 2, at 1)
  |
2 | [2,
  |    ^""",
        ),
        (
            b'1\n\n{"a": "x"}\n',
            ValidationError,
            """
n.ndjson:3:1: expected int, got an object (record 2)
  |
3 | {"a": "x"}
  | ^""",
        ),
        (
            b"1\n[",
            ValidationError,
            """
n.ndjson:2:1: expected int, got an array (record 2)
  |
2 | [
  | ^""",
        ),
        (
            b"1\n-",
            TruncatedInput,
            """
n.ndjson:2:2: the input ends inside a number (record 2)
  |
2 | -
  |  ^""",
        ),
        (
            b"id;size\n1;2\n",
            MalformedInput,
            """
n.ndjson:1:1: expected a value, found 'id' (record 1)
  |
1 | id;size
  | ^""",
        ),
    ],
    ids=itertools.count(1),
)
def test_lines(
    data: bytes,
    kind: type[DecodeError],
    report: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("n.ndjson").write_bytes(data)
    into: Any = object if b"[2" in data else int
    expected = (kind, report[1:].split("\n"))
    assert reported(lambda: list(penstock.read("n.ndjson", into))) == expected
    # The same when loaded as a whole.
    assert reported(lambda: penstock.ndjson.load("n.ndjson", into)) == expected


@pytest.mark.parametrize(
    ("data", "at", "kind", "message"),
    [
        (
            b'{"a": [1, "x"]}',
            "a/*",
            ValidationError,
            "column 11: expected int, got a string (record 2, at a/1)",
        ),
        (
            b'{"a": {"k/1": "x"}}',
            "a/*",
            ValidationError,
            "column 15: expected int, got a string (record 1, at a/k~11)",
        ),
        (
            b'[1, "x"]',
            None,
            ValidationError,
            "column 5: expected int, got a string (record 2, at 1)",
        ),
        (b'"x"', None, ValidationError, "column 1: expected int, got a string (record 1)"),
        (
            b"[1, 2, x]",
            None,
            MalformedInput,
            "column 8: expected a value, found 'x'",
        ),
        (
            b"[1, 2] x",
            None,
            MalformedInput,
            "column 8: expected the end of the document after the value, found 'x'",
        ),
    ],
)
def test_records(data: bytes, at: str | None, kind: type[DecodeError], message: str) -> None:
    got, report = reported(lambda: list(penstock.json.read([data], int, at=at)))
    assert (got, report[0]) == (kind, f"line 1, {message}")


PACKED = gzip.compress(b"[1, 2, 3]", mtime=0)


def failing() -> Iterator[bytes]:
    yield b"[1, 2"
    raise RuntimeError("no connection")


@pytest.mark.parametrize(
    ("source", "options", "kind", "message"),
    [
        ([PACKED[:-9]], {}, TruncatedInput, "column 10: the gzip data ends early"),
        (
            [PACKED[:-8], bytes(8)],
            {},
            MalformedInput,
            "column 10: the gzip data is damaged: incorrect data check",
        ),
        (
            [PACKED, b"tail"],
            {},
            MalformedInput,
            "column 10: the gzip data is followed by something else",
        ),
        (
            [b"[1]"],
            {"compression": "gzip"},
            MalformedInput,
            "column 1: this is not gzip data",
        ),
        (
            [b'["\x81\xff"]'],
            {"encoding": "shift_jis"},
            MalformedInput,
            "column 3: invalid Shift_JIS: these bytes are not a character (at 0)",
        ),
        (
            [b"[1, 2, 3]"],
            {"limits": Limits(total=5)},
            LimitExceeded,
            "column 6: the source is longer than 5 bytes (limits.total) (at 1)",
        ),
        (
            [gzip.compress(b" " * (20 << 20), mtime=0)],
            {"limits": Limits(ratio=100)},
            LimitExceeded,
            "column 16842753: the gzip data expands to more than 100 times its size (limits.ratio)",
        ),
    ],
    ids=itertools.count(1),
)
def test_sources(
    source: list[bytes], options: dict[str, Any], kind: type[DecodeError], message: str
) -> None:
    got, report = reported(lambda: penstock.json.load(source, **options))
    assert (got, report[0]) == (kind, f"line 1, {message}")


def test_a_source_that_raises() -> None:
    with pytest.raises(DecodeError) as caught:
        penstock.json.load(failing())
    assert str(caught.value) == "line 1, column 6: reading failed: RuntimeError: no connection"
    assert repr(caught.value.__cause__) == "RuntimeError('no connection')"
