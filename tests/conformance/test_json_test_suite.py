"""JSONTestSuite: Penstock accepts what it must accept, and refuses what it must refuse.

The verdict is the same however a document comes: whole, in two pieces or byte by byte, from memory
or from a file, as a document, as an NDJSON line or in a skipped value.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import DecodeError

Corpus = Callable[[str], Path]
Document = tuple[str, bytes]

# The suite leaves these to the implementation: our verdict, and why.
OURS = {
    # Exact integers of any size; a double that is too small is zero, as everywhere.
    "i_number_too_big_neg_int": "accepted",
    "i_number_too_big_pos_int": "accepted",
    "i_number_very_big_negative_int": "accepted",
    "i_number_double_huge_neg_exp": "accepted",
    "i_number_real_underflow": "accepted",
    # JSON, but beyond the range of a double: readable as Decimal only, and never an infinity.
    "i_number_huge_exp": "does not fit",
    "i_number_neg_int_huge_exp": "does not fit",
    "i_number_pos_double_huge_exp": "does not fit",
    "i_number_real_neg_overflow": "does not fit",
    "i_number_real_pos_overflow": "does not fit",
    # A lone surrogate is no character, and no encoding can write a str that holds one.
    "i_object_key_lone_2nd_surrogate": "malformed",
    "i_string_1st_surrogate_but_2nd_missing": "malformed",
    "i_string_1st_valid_surrogate_2nd_invalid": "malformed",
    "i_string_incomplete_surrogate_and_escape_valid": "malformed",
    "i_string_incomplete_surrogate_pair": "malformed",
    "i_string_incomplete_surrogates_escape_valid": "malformed",
    "i_string_invalid_lonely_surrogate": "malformed",
    "i_string_invalid_surrogate": "malformed",
    "i_string_inverted_surrogates_U+1D11E": "malformed",
    "i_string_lone_second_surrogate": "malformed",
    # RFC 8259, 8.1: UTF-8. Invalid bytes are never replaced.
    "i_string_UTF-8_invalid_sequence": "malformed",
    "i_string_UTF8_surrogate_U+D800": "malformed",
    "i_string_invalid_utf-8": "malformed",
    "i_string_iso_latin_1": "malformed",
    "i_string_lone_utf8_continuation_byte": "malformed",
    "i_string_not_in_unicode_range": "malformed",
    "i_string_overlong_sequence_2_bytes": "malformed",
    "i_string_overlong_sequence_6_bytes": "malformed",
    "i_string_overlong_sequence_6_bytes_null": "malformed",
    "i_string_truncated-utf-8": "malformed",
    # Other encodings are refused by name; `encoding=` reads them.
    "i_string_UTF-16LE_with_BOM": "malformed",
    "i_string_utf16BE_no_BOM": "malformed",
    "i_string_utf16LE_no_BOM": "malformed",
    # Half of the limit of depth.
    "i_structure_500_nested_arrays": "accepted",
    # A byte order mark at the start is skipped.
    "i_structure_UTF-8_BOM_empty_object": "accepted",
}


class OnlyX:
    x: int


@pytest.fixture(scope="module")
def suite(corpus: Corpus) -> list[Document]:
    files = sorted(corpus("json/JSONTestSuite").glob("*.json"))
    return [(file.stem, file.read_bytes()) for file in files]


def verdict(call: Callable[[], Any]) -> tuple[object, ...]:
    """The value, exactly; or the error with its whole position and reason."""
    try:
        return "accepted", repr(call())
    except DecodeError as error:
        word = {"ValidationError": "does not fit"}.get(type(error).__name__, "malformed")
        return word, type(error), error.offset, error.line, error.column, error.reason


def records(data: bytes) -> Callable[[list[object]], object]:
    """Make the document again from its records: the elements of a top-level array, or the root."""
    is_array = data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    return (lambda rows: rows) if is_array else (lambda rows: rows[0])


def rest(decoder: penstock.Decoder[Any]) -> Iterator[Any]:
    """The records that the end completes, and then the error if there is one."""
    try:
        yield from decoder.finish()
    except DecodeError:
        # The error comes first; a second call returns the records before it.
        yield from decoder.finish()
        raise


def drained(decoder: penstock.Decoder[Any], pieces: Iterable[bytes]) -> list[Any]:
    return [row for piece in pieces for row in decoder.feed(piece)] + list(rest(decoder))


def fed(data: bytes, pieces: Iterable[bytes]) -> tuple[object, ...]:
    def call() -> object:
        return records(data)(drained(penstock.json.Decoder(), pieces))

    return verdict(call)


def test_all_of_the_suite_is_there(suite: list[Document]) -> None:
    kinds = [name[0] for name, _ in suite]
    assert [kinds.count(kind) for kind in "yni"] == [95, 188, 35]
    assert {name for name, _ in suite if name[0] == "i"} == OURS.keys()


def test_none_is_wrong(suite: list[Document]) -> None:
    wrong = []
    for name, data in suite:
        found = verdict(lambda data=data: penstock.json.decode(data))
        right = {"y": "accepted", "n": "malformed"}.get(name[0]) or OURS[name]
        if found[0] != right:
            wrong.append((name, found))
        if found[0] == "accepted" and found[1] != repr(json.loads(data.decode("utf-8-sig"))):
            wrong.append((name, found))
    assert wrong == []


def test_the_same_byte_by_byte(suite: list[Document]) -> None:
    for name, data in suite:
        whole = verdict(lambda data=data: penstock.json.decode(data))
        assert fed(data, (bytes([byte]) for byte in data)) == whole, name


def test_the_same_split_at_every_byte(suite: list[Document]) -> None:
    for name, data in suite:
        whole = verdict(lambda data=data: penstock.json.decode(data))
        step = 1 if len(data) < 2048 else len(data) // 20
        for cut in range(0, len(data) + 1, step):
            assert fed(data, (data[:cut], data[cut:])) == whole, (name, cut)


def test_the_same_from_a_file(suite: list[Document], tmp_path: Path) -> None:
    path = tmp_path / "document.json"
    for name, data in suite:
        path.write_bytes(data)
        whole = verdict(lambda data=data: penstock.json.decode(data))
        assert verdict(lambda: penstock.json.load(path)) == whole, name
        assert verdict(lambda data=data: records(data)(list(penstock.json.read(path)))) == whole, (
            name
        )


def test_the_same_in_text(suite: list[Document]) -> None:
    for name, data in suite:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        whole = verdict(lambda data=data: penstock.json.decode(data))
        assert verdict(lambda text=text: penstock.json.decode(text)) == whole, name


def test_the_same_where_nobody_wants_it(suite: list[Document]) -> None:
    for name, data in suite:
        whole = verdict(lambda data=data: penstock.json.decode(data))[0]
        if name == "i_structure_UTF-8_BOM_empty_object":
            whole = "malformed"  # A byte order mark counts as one only at the very start.
        elif whole == "does not fit":
            whole = "accepted"  # A skipped number need not fit a double.
        wrapped = b'{"x": 1, "skip": ' + data + b', "y": 2}'
        found = verdict(lambda data=wrapped: penstock.json.decode(data, OnlyX).x)
        assert found[0] == whole, (name, found)
        if whole == "accepted":
            assert found == ("accepted", "1"), name
        bytewise = (bytes([byte]) for byte in wrapped)
        again = verdict(lambda pieces=bytewise: drained(penstock.json.Decoder(OnlyX), pieces)[0].x)
        assert again == found, name


def test_the_same_as_a_line(suite: list[Document]) -> None:
    blank = {"n_structure_no_data", "n_single_space", "n_structure_UTF8_BOM_no_data"}
    for name, data in suite:
        if b"\n" in data.rstrip(b"\n") or b"\0\n" in data or name in blank:
            continue
        whole = verdict(lambda data=data: penstock.json.decode(data.rstrip(b"\n")))[0]
        found = verdict(
            lambda data=data: penstock.ndjson.decode(data.rstrip(b"\n") + b"\n" + b"[7]")
        )
        assert found[0] == whole, (name, found)
        if whole == "accepted":
            value = repr([json.loads(data.decode("utf-8-sig")), [7]])
            assert found == ("accepted", value), name
