"""The values of JSON are the same as in other libraries, to the last bit.

The oracles are the standard library and, if it is installed, msgspec.
"""

import json
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import penstock
from penstock import DecodeError, LimitExceeded, MalformedInput, TruncatedInput, ValidationError
from penstock.json import decode

try:
    import msgspec
except ImportError:  # It is installed for the benchmarks.
    msgspec = None  # type: ignore[assignment]

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(2**64) - 2, max_value=2**64 + 2)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)
hands = st.randoms(use_true_random=False)


# --- Writing in every way that the grammar allows ----------------------------------------------

SHORT = {
    '"': '\\"',
    "\\": "\\\\",
    "/": "\\/",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}


def space(hand: Random) -> str:
    return "".join(hand.choices(" \t\r\n", k=hand.choice([0, 0, 0, 1, 2, 70])))


def number(value: float, hand: Random) -> str:
    if isinstance(value, int):
        return str(value)
    ways = [repr(value), f"{value:.17e}", f"{value:.16e}".replace("e", "E")]
    if abs(value) < 1e30:
        ways.append(f"{Decimal(value):f}")
    text = hand.choice(ways)
    return text if set(text) & set(".eE") else text + ".0"


def escaped(char: str, hand: Random) -> str:
    units = char.encode("utf-16-be")
    digits = hand.choice(["\\u{:04x}", "\\u{:04X}"])
    return "".join(
        digits.format(int.from_bytes(units[at : at + 2])) for at in range(0, len(units), 2)
    )


def string(value: str, hand: Random) -> str:
    rate = hand.choice([0, 0, 0.1, 1])
    parts = []
    for char in value:
        must = char < " " or char in '"\\'
        if char in SHORT and (must or hand.random() < rate):
            parts.append(hand.choice([SHORT[char], escaped(char, hand)]))
        elif must or hand.random() < rate:
            parts.append(escaped(char, hand))
        else:
            parts.append(char)
    return f'"{"".join(parts)}"'


def written(value: object, hand: Random) -> str:
    """Some JSON of the value: spaces, escapes and digits as `hand` likes them."""
    match value:
        case None | True | False:
            text = {None: "null", True: "true", False: "false"}[value]
        case int() | float():
            text = number(value, hand)
        case str():
            text = string(value, hand)
        case list():
            text = f"[{','.join(written(item, hand) for item in value) or space(hand)}]"
        case dict():
            members = (
                f"{space(hand)}{string(key, hand)}{space(hand)}:{written(item, hand)}"
                for key, item in value.items()
            )
            text = f"{{{','.join(members) or space(hand)}}}"
        case _:
            raise TypeError(value)
    return space(hand) + text + space(hand)


# --- The same as others ------------------------------------------------------------------------


@given(values, hands)
def test_plain_values_are_those_of_the_standard_library(value: object, hand: Random) -> None:
    text = written(value, hand)
    # `repr` distinguishes -0.0 from 0.0, True from 1 and each double from every other.
    assert repr(json.loads(text)) == repr(value)
    assert repr(decode(text)) == repr(value)
    assert repr(decode(text.encode())) == repr(value)
    assert repr(decode(bytearray(text.encode()))) == repr(value)


@pytest.mark.skipif(msgspec is None, reason="msgspec is not installed")
@given(values, hands)
def test_plain_values_are_those_of_msgspec(value: object, hand: Random) -> None:
    data = written(value, hand).encode()
    assert repr(decode(data)) == repr(msgspec.json.decode(data))


@dataclass
class Inner:
    text: str
    numbers: list[float]


@dataclass
class Outer:
    count: int
    size: float
    flag: bool
    name: str
    maybe: str | None
    inner: Inner
    others: list[Inner]
    table: dict[str, int]
    pair: tuple[int, str]
    extra: Any = None
    tags: list[str] = field(default_factory=list)


doubles = st.floats(allow_nan=False, allow_infinity=False)
int64 = st.integers(min_value=-(2**63), max_value=2**63 - 1)
inners = st.builds(Inner, st.text(), st.lists(doubles, max_size=3))
outers = st.builds(
    Outer,
    int64,
    doubles,
    st.booleans(),
    st.text(),
    st.none() | st.text(),
    inners,
    st.lists(inners, max_size=3),
    st.dictionaries(st.text(), int64, max_size=3),
    st.tuples(int64, st.text()),
    values,
    st.lists(st.text(), max_size=3),
)


def plain(value: Any) -> Any:
    match value:
        case Inner() | Outer():
            return {key: plain(item) for key, item in vars(value).items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case dict():
            return {key: plain(item) for key, item in value.items()}
    return value


@settings(max_examples=40)
@given(st.lists(outers, max_size=2), hands, st.dictionaries(st.text(), values, max_size=2))
def test_typed_values_are_those_that_were_written(
    rows: list[Outer], hand: Random, unknown: dict[str, object]
) -> None:
    tables = []
    for row in rows:
        table = {key: item for key, item in unknown.items() if not hasattr(row, key)}
        table |= plain(row)
        keys = list(table)
        hand.shuffle(keys)
        tables.append({key: table[key] for key in keys})
    data = written(tables, hand).encode()
    assert repr(decode(data, list[Outer])) == repr(rows)
    assert repr(list(penstock.json.read([data], Outer))) == repr(rows)
    if msgspec is not None:
        assert repr(msgspec.json.decode(data, type=list[Outer])) == repr(rows)


@pytest.mark.parametrize("depth", [1, 63, 64, 65, 500, 999])
def test_deep(depth: int) -> None:
    # Comparison recurses, so walk down in a loop.
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        value = decode(opening * depth + "7" + closing * depth)
        for _ in range(depth):
            value = value[0] if opening == "[" else value["a"]
        assert value == 7


# --- Numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        sign * (2**power + step)
        for power in (0, 8, 31, 32, 52, 53, 62, 63, 64, 65, 127, 128)
        for step in (-2, -1, 0, 1, 2)
        for sign in (1, -1)
    ]
    + [10**k for k in (17, 18, 19, 20, 21, 38, 100)]
    + [10**k - 1 for k in (17, 18, 19, 20, 21, 38, 100)],
)
def test_integers_are_exact(value: int) -> None:
    for into in (Any, int):
        for text in (str(value), f"[{value}]"):
            found = decode(text, into if text[0] != "[" else list[into])
            found = found[0] if text[0] == "[" else found
            assert (type(found), found) == (int, value)


def test_an_integer_may_have_as_many_digits_as_the_limit() -> None:
    text = "9" * 4300
    assert decode(text) == decode(text, int) == int(text)
    assert decode("-" + text[1:]) == -int(text[1:])
    for into in (Any, int, Decimal, float):
        with pytest.raises(LimitExceeded, match=r"limits\.number"):
            decode(text + "9", into)
    more = penstock.Limits(number=5000)
    before = sys.get_int_max_str_digits()
    assert decode(text + "9", int, limits=more) == int(text) * 10 + 9
    assert sys.get_int_max_str_digits() == before


def test_minus_zero() -> None:
    assert repr(decode("-0")) == "0"
    assert repr(decode("-0", int)) == "0"
    for text in ("-0", "-0.0", "-0e5"):
        assert repr(decode(text, float)) == "-0.0"
    assert repr(decode("-0.0")) == repr(decode("-0e5")) == "-0.0"
    assert repr(decode("-0", Decimal)) == "Decimal('-0')"


HARD = [
    "5e-324",
    "2.4703282292062327e-324",
    "2.4703282292062328e-324",
    "2.2250738585072011e-308",
    "2.2250738585072014e-308",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "9007199254740993.0",
    "9007199254740992.99999999999999999999999999999999",
    "0.1",
    "0.30000000000000004",
    "1e23",
    "8.5e22",
    "6.02214076e23",
    "123456789012345678901234567890.5",
    "1e-400",
    "-1e-400",
    "0e999999999999999999999",
    "1e-999999999999999999999",
    "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000001e85",
    "1" + "0" * 400 + "e-400",
    "0." + "0" * 400 + "1e401",
    # Halfway between two doubles, and a little more and less in a late digit.
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203126",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203125" + "0" * 700 + "1",
]


@pytest.mark.parametrize("text", HARD)
def test_doubles_are_the_nearest(text: str) -> None:
    for into in (Any, float):
        assert repr(decode(text, into)) == repr(float(text))
        assert repr(decode(f"[{text}]")[0]) == repr(float(text))


@given(
    st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True)
)
@example("1.7976931348623159e308")
def test_any_number_is_that_of_python(text: str) -> None:
    if not set(text) & set(".eE"):
        assert repr(decode(text)) == repr(int(text))
    elif math.isfinite(float(text)):
        assert repr(decode(text)) == repr(float(text))
    if math.isfinite(float(text)):
        assert repr(decode(text, float)) == repr(float(text))
    else:
        with pytest.raises(ValidationError, match="beyond the range of a double"):
            decode(text, float)
    assert str(decode(text, Decimal)) == str(Decimal(text))


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1.7976931348623159e308", "1e99999999999"])
def test_what_no_double_can_hold_is_never_an_infinity(text: str) -> None:
    for into in (Any, float, int):
        with pytest.raises(ValidationError) as caught:
            decode(f"[{text}]", list[into])
        assert (caught.value.offset, caught.value.path) == (1, "0")
    assert decode(text, Decimal) == Decimal(text)


def test_an_integer_for_a_float_is_the_nearest_double() -> None:
    for value in (0, 1, -1, 2**53 + 1, 2**63, 2**64 - 1, 10**22, 10**23, 10**300, -(10**300)):
        assert repr(decode(str(value), float)) == repr(float(str(value)))
    with pytest.raises(ValidationError, match="beyond the range of a double"):
        decode(str(10**309), float)


@pytest.mark.parametrize(
    "text", ["NaN", "Infinity", "-Infinity", "+1", "01", "-01", "1.", ".5", "1.e5", "0x10", "1_0"]
)
def test_what_is_no_number(text: str) -> None:
    for into in (Any, int, float, Decimal):
        with pytest.raises(MalformedInput):
            decode(f"[{text}]", list[into])


# --- Repeated keys -----------------------------------------------------------------------------


class Pair:
    a: int
    b: int = 0

    def __eq__(self, other: object) -> bool:
        return vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


REPEATED = '{"a": 1, "b": 2,\n "a": 3, "\\u0062": 4}'


@pytest.mark.parametrize("into", [Any, dict[str, int], Pair])
def test_repeated_keys(into: Any) -> None:
    def shown(**options: Any) -> object:
        value = decode(REPEATED, into, **options)
        return value if isinstance(value, dict) else vars(value)

    assert shown() == shown(duplicates="last") == {"a": 3, "b": 4}
    assert shown(duplicates="first") == {"a": 1, "b": 2}
    with pytest.raises(ValidationError) as caught:
        decode(REPEATED, into, duplicates="error")
    error = caught.value
    assert (error.offset, error.line, error.column) == (18, 2, 2)
    assert error.reason == 'the key "a" occurs more than once'


def test_repeated_keys_in_depth_keep_their_first_place() -> None:
    text = '{"x": [{"k": {"deep": 1}, "l": 0, "k": {"other": 2}}], "y": 1, "x": 5}'
    assert repr(decode(text)) == repr(json.loads(text)) == "{'x': 5, 'y': 1}"
    first = decode(text, duplicates="first")
    assert first == {"x": [{"k": {"deep": 1}, "l": 0}], "y": 1}
    with pytest.raises(ValidationError) as caught:
        decode(text, duplicates="error")
    assert (caught.value.offset, caught.value.path) == (text.index('"k": {"other'), "x/0/k")


def test_a_repeated_key_that_nobody_wants_is_no_matter() -> None:
    text = '{"a": 1, "no": 1, "no": 2, "skip": {"p": 1, "p": 2}}'
    assert decode(text, Pair, duplicates="error").a == 1


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "", "é", "\n"]), st.integers()), max_size=8),
    hands,
)
def test_any_repeated_keys(members: list[tuple[str, int]], hand: Random) -> None:
    body = ",".join(f"{string(key, hand)}:{value}" for key, value in members)
    text = f"{{{body}}}"
    assert repr(decode(text)) == repr(json.loads(text)) == repr(dict(members))
    assert decode(text, duplicates="first") == dict(reversed(members))
    if len(dict(members)) == len(members):
        assert decode(text, duplicates="error") == dict(members)
    else:
        with pytest.raises(ValidationError, match="occurs more than once"):
            decode(text, duplicates="error")


# --- Encodings ---------------------------------------------------------------------------------


def test_a_byte_order_mark_is_passed_over_once_at_the_start() -> None:
    bom = b"\xef\xbb\xbf"
    assert decode(bom + b" [1]") == decode("\ufeff[1]") == [1]
    assert decode(bom + b'"\xef\xbb\xbf"') == "\ufeff"
    for data in (bom + bom + b"[1]", b" " + bom + b"[1]", b"[" + bom + b"1]", b"[1]" + bom):
        with pytest.raises(MalformedInput):
            decode(data)
    with pytest.raises(TruncatedInput):
        decode(bom)


TEXT = '{"é": ["東京", "\U0001f600", "\\u00e9"], "a": 1}'


@pytest.mark.parametrize(
    ("encoding", "family"),
    [
        ("utf-16-le", "UTF-16 (little endian)"),
        ("utf-16-be", "UTF-16 (big endian)"),
        ("utf-32-le", "UTF-32 (little endian)"),
        ("utf-32-be", "UTF-32 (big endian)"),
    ],
)
@pytest.mark.parametrize("marked", [False, True])
def test_wide_encodings_are_refused_by_name_and_read_when_told(
    encoding: str, family: str, marked: bool
) -> None:
    data = (("\ufeff" if marked else "") + TEXT).encode(encoding)
    message = f"this looks like {family}; say encoding='{encoding}'"
    bytewise = [bytes([byte]) for byte in data]
    decoder = penstock.json.Decoder()
    for call in (
        lambda: decode(data),
        lambda: decode(bytearray(data)),
        lambda: penstock.json.load(bytewise),
        lambda: list(penstock.json.read(bytewise)),
        lambda: [decoder.feed(piece) for piece in bytewise],
    ):
        with pytest.raises(MalformedInput) as caught:
            call()
        assert caught.value.reason == message
        assert (caught.value.offset, caught.value.line, caught.value.column) == (0, 1, 1)
    names = [encoding, encoding.upper().replace("-", "_")] + [encoding[:6]] * marked
    for name in names:
        assert decode(data, encoding=name) == json.loads(TEXT)
        assert penstock.json.load(bytewise, encoding=name) == json.loads(TEXT)
        assert list(penstock.json.read(bytewise, encoding=name)) == [json.loads(TEXT)]
        with pytest.raises(DecodeError):
            decode(data[:-1], encoding=name)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "shift_jis", "gb18030", "koi8-r"])
def test_other_encodings(encoding: str) -> None:
    text = {"shift_jis": "東京", "gb18030": "東京\U0001f600", "koi8-r": "Москва"}.get(encoding, "é")
    data = json.dumps([text], ensure_ascii=False).encode(encoding)
    assert decode(data, encoding=encoding) == [text]
    assert list(penstock.json.read([data], encoding=encoding)) == [text]


def test_text_is_text_whatever_encoding_says() -> None:
    assert decode('["é"]', encoding="latin-1") == ["é"]
    with pytest.raises(
        ValueError, match="encoding must be a name of the WHATWG table, not 'klingon'"
    ):
        decode("1", encoding="klingon")


def test_a_lone_surrogate_in_a_str_is_malformed() -> None:
    with pytest.raises(MalformedInput, match="lone surrogate") as caught:
        decode('["é\ud800"]')
    assert (caught.value.offset, caught.value.line, caught.value.column) == (4, 1, 4)


BAD_UTF8 = [
    b"\xff",
    b"\x80",
    b"\xc0\xaf",
    b"\xc3",
    b"\xe2\x82",
    b"\xe0\x80\xaf",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98",
    b"\xf4\x90\x80\x80",
    b"\xf8\x88\x80\x80\x80",
]
PLACES: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("a wanted string", lambda bad: b'{"a": 1, "s": "ab' + bad + b'cd"}'),
    ("a skipped string", lambda bad: b'{"a": 1, "no": "ab' + bad + b'cd"}'),
    ("a skipped key", lambda bad: b'{"a": 1, "no' + bad + b'": 1}'),
    ("a key in what is skipped", lambda bad: b'{"a": 1, "no": {"k' + bad + b'": 1}}'),
    ("deep in what is skipped", lambda bad: b'{"a": 1, "no": [[["' + bad + b'"]]]}'),
    ("between tokens", lambda bad: b'{"a": 1, ' + bad + b'"s": ""}'),
    ("in a number", lambda bad: b'{"a": 1' + bad + b"}"),
    ("behind the document", lambda bad: b'{"a": 1} ' + bad),
    ("far inside", lambda bad: b'{"a": 1, "no": "' + b"x" * 300_000 + bad + b'"}'),
]


class Wanted:
    a: int
    s: str = ""


@pytest.mark.parametrize("into", [Any, Wanted])
@pytest.mark.parametrize("make", [make for _, make in PLACES], ids=[name for name, _ in PLACES])
@pytest.mark.parametrize("bad", BAD_UTF8, ids=[bad.hex() for bad in BAD_UTF8])
def test_utf8_is_checked_everywhere(
    bad: bytes, make: Callable[[bytes], bytes], into: type[Any]
) -> None:
    data = make(bad)
    size = 7 if len(data) < 100 else 70_000
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    decoder = penstock.json.Decoder(into)
    for call in (
        lambda: decode(data, into),
        lambda: decode(bytearray(data), into),
        lambda: penstock.json.load(pieces, into),
        lambda: list(penstock.json.read(pieces, into)),
        lambda: [*map(decoder.feed, pieces), decoder.finish(), decoder.finish()],
    ):
        with pytest.raises(DecodeError) as caught:
            call()
        assert type(caught.value) in {MalformedInput, TruncatedInput}
        assert caught.value.offset == data.index(bad)
        assert caught.value.reason.startswith("invalid UTF-8: ")
