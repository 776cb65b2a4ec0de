"""An earlier fault wins over later bytes that are no text, in any chunking."""

from typing import Any

import pytest

import penstock

UTF8 = "invalid UTF-8: byte 0xff"
END = "expected ',' or ']', found"


def problem(document: bytes, step: int, module: Any, into: Any) -> tuple[int | None, str] | None:
    decoder = module.Decoder(into)
    try:
        for start in range(0, len(document), step):
            decoder.feed(document[start : start + step])
        decoder.finish()
    except penstock.DecodeError as error:
        return error.offset, error.reason
    return None


@pytest.mark.parametrize(
    ("document", "offset", "reason"),
    [
        (b"[1, 12-3\xff4]", 6, f"{END} '-'"),
        (b"[01\xff]", 2, "a number cannot begin with 0 followed by digits"),
        (b"[0.e\xff]", 3, "expected a digit after '.', found 'e'"),
        (b"[1e+-\xff]", 4, "expected a digit in the exponent, found '-'"),
        (b"[1234.5.5\xff]", 7, f"{END} '.'"),
        (b"[12ab\xff]", 3, f"{END} 'ab'"),
        (b"[1 abc\xff]", 3, f"{END} 'abc'"),
        (b"[1/\xff]", 2, f"{END} '/'"),
        (b"[trx\xff]", 1, "expected a value, found 'trx'"),
        (b'{"a"x\xff', 4, "expected ':' after the key, found 'x'"),
        (b'{"a\\x\xff', 3, "invalid escape '\\x'"),
        (b'["a\\u0x\xff', 3, "\\u must be followed by four hexadecimal digits"),
        (b'["\\ud800x\xff', 2, "unpaired surrogate \\ud800"),
        # Nothing is wrong before the byte.
        (b"[1.\xff]", 3, UTF8),
        (b"[-\xff]", 2, UTF8),
        (b"[123456\xff]", 7, UTF8),
        (b"[tru\xff]", 4, UTF8),
        (b'["a\\u00\xff"]', 7, UTF8),
        (b'["\\ud800\xff"]', 8, UTF8),
    ],
)
def test_166_json(document: bytes, offset: int, reason: str) -> None:
    """What was scanned of a cut token hid its fault behind the byte."""
    for step in (1, 2, 3, 5, len(document)):
        assert problem(document, step, penstock.json, Any) == (offset, reason), step
        # Whatever comes first counts.
        for into in (int, float, str):
            whole = problem(document, len(document), penstock.json, into)
            assert problem(document, step, penstock.json, into) == whole, (step, into)


@pytest.mark.parametrize(
    ("document", "offset", "reason"),
    [
        (b"<r><a b c\xff", 8, "expected '=' after the attribute's name"),
        (b'<r><a b="<\xff', 9, "'<' is not allowed in an attribute's value: write '&lt;'"),
        (b"<r></r x\xff", 7, "expected '>' at the end of the end tag"),
        (b'<r a="1"b\xff', 8, "expected white space, '>' or '/>' after the attribute"),
        (b'<r a="1" a="2"\xff', 9, "the attribute 'a' occurs more than once"),
        (b"<r><a/ \xff", 6, "expected '>' after '/'"),
        (b"<r>&#12a\xff", 7, "expected ';' at the end of the character reference"),
        (b"<r><a b\xff", 7, UTF8),
        (b"<r>&#12\xff", 7, UTF8),
    ],
)
def test_166_xml(document: bytes, offset: int, reason: str) -> None:
    """A start tag was parsed only as a whole, if its first bytes came alone."""
    for step in (1, 2, 3, 5, len(document)):
        assert problem(document, step, penstock.xml, Any) == (offset, reason), step


def test_166_lines_in_error() -> None:
    """Lines are skipped as before, whatever hides what in them."""
    lines = [
        b'{"a": 12-3\xff}',
        b"1",
        b"01\xff\xff 2",
        b'"\\x\xff',
        b"2",
        b"\xff3",
        b"[tru\xff",
        b"3",
    ]
    document = b"\n".join(lines)
    for step in (1, 2, 3, 7, len(document)):
        chunks = [document[start : start + step] for start in range(0, len(document), step)]
        reader = penstock.ndjson.read(chunks, errors="collect")
        with pytest.raises(ExceptionGroup) as caught:
            list(reader)
        found = [(error.line, error.column) for error in caught.value.exceptions]
        assert found == [(1, 9), (3, 2), (4, 2), (6, 1), (7, 5)], step


LONG = "a string longer than 4 bytes (limits.token)"


@pytest.mark.parametrize(
    ("document", "offset", "reason"),
    [
        (b'"\\n\\u000 "', 3, "\\u must be followed by four hexadecimal digits"),
        (b'"abcd\\x"', 5, "invalid escape '\\x'"),
        (b'"abcd\\n"', 0, LONG),
        (b'"abcde\\x"', 0, LONG),
        (b'"\\n\\n\\n\\n\\x"', 0, LONG),
        (b'"abc\\ud834\\u0020"', 4, "unpaired surrogate \\ud834"),
        (b'"abc\\u00', 8, "the input ends inside a string"),
    ],
)
def test_367_a_bad_escape_in_a_string_that_is_too_long(
    document: bytes, offset: int, reason: str
) -> None:
    """Which of the two faults was reported depended on where the input was cut."""
    limits = penstock.Limits(token=4)
    for step in range(1, len(document) + 1):
        chunks = [document[start : start + step] for start in range(0, len(document), step)]
        with pytest.raises(penstock.DecodeError) as caught:
            penstock.json.load(chunks, limits=limits)
        assert (caught.value.offset, caught.value.reason) == (offset, reason), step
