"""Work that grew with the square of the input: each by its number."""

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from enum import Enum
from functools import partial
from typing import Annotated, Any

import pydantic
import pytest
from linear import Work, assert_linear

import penstock
from penstock import at, rest


@dataclass
class Row:
    x: int
    y: str


def rows(n: int) -> bytes:
    return b"[" + b",".join(b'{"x": %d, "y": "%s"}' % (k, b"v" * 90) for k in range(n)) + b"]"


def scalars(n: int) -> bytes:
    return b"{" + b",".join(b'"k%d": %d' % (k, k) for k in range(n)) + b"}"


def integers(n: int) -> bytes:
    return b"[" + b",".join(b"7" * 50 for _ in range(n)) + b"]"


def refusals(parts: Any) -> list[str]:
    """Return the path of the problem of each part, as none of them is an integer."""
    problems = []
    for part in parts:
        with pytest.raises(penstock.ValidationError) as caught:
            part.to(int)
        problems.append(caught.value.path)
    return problems


OPENED: dict[str, tuple[Callable[[int], bytes], Callable[[bytes], object]]] = {
    "records": (rows, lambda data: list(penstock.open(data, Row))),
    "parts": (rows, lambda data: [part.to(Row) for part in penstock.open(data)]),
    "positions": (rows, lambda data: [part.column for part in penstock.open(data)]),
    "paths": (rows, lambda data: [part.path for part in penstock.open(data)]),
    "refusals": (rows, lambda data: refusals(penstock.open(data))),
    "large integers": (integers, lambda data: list(penstock.open(data))),
    "scalars of an object": (scalars, lambda data: list(penstock.open(data, int, at="*"))),
}


@pytest.mark.parametrize("walk", OPENED)
def test_160_the_parts_of_an_open_document(walk: str) -> None:
    """All text before a part was counted, or read, again for each part."""
    document, look = OPENED[walk]
    assert_linear(lambda n: partial(look, document(n)), 4_000)


def test_160_positions_in_any_order() -> None:
    """They are those that counting from the beginning gives, on both sides of a known count."""
    lines = ["[", *(f'"é{"x" * (n % 90)}", [{n}],' for n in range(4_000)), "[]]"]
    text = "\n".join(lines)
    with penstock.open(text.encode()) as document:
        parts = [part for part in document if isinstance(part, penstock.Document)]
        found = {part.path: (part.line, part.column) for part in [*parts[1::2], *parts[::2]]}
    expected = {f"{2 * n + 1}": (n + 2, 6 + n % 90) for n in range(4_000)}
    assert found == expected | {"8000": (4_002, 1)}


@dataclass
class Joined:
    x: str = ""


def elements(n: int) -> bytes:
    return b"<r>" + b"<x>%s</x>" % (b"v" * 50) * n + b"</r>"


@pytest.mark.parametrize("into", [Joined, dict[str, str]], ids=["field", "dict"])
def test_161_joined_elements(into: Any) -> None:
    """Each element's text was joined to a copy of all texts before it."""
    decode = partial(penstock.xml.decode, repeated="join")
    assert_linear(lambda n: partial(decode, elements(n), into), 2_000)


def test_161_joined_texts_and_their_limit() -> None:
    """The joined text had no limit. `limits.token` bounds it, with the spaces between the texts."""

    @dataclass
    class Both:
        a: str = ""
        b: str | None = None
        inner: Joined | None = None
        by_name: dict[str, str] = field(default_factory=dict)

    document = (
        "<r a='attribute'><a>é</a><b/><a/><inner><x>1</x><x>2</x></inner><b>漢</b><a>3</a>"
        "<by_name><k>4</k><l>5</l><k>6</k></by_name></r>"
    )
    decode = partial(penstock.xml.decode, repeated="join")
    assert decode(document, Both) == Both("é  3", " 漢", Joined("1 2"), {"k": "4 6", "l": "5"})
    for into, kept in [(Joined, Joined("x y")), (dict[str, str], {"x": "x y"})]:
        limits = penstock.Limits(token=3)
        assert decode("<r><x>x</x><x>y</x></r>", into, limits=limits) == kept
        with pytest.raises(penstock.LimitExceeded) as caught:
            decode("<r><x>x</x>\n<x>y</x><x></x></r>", into, limits=limits)
        assert caught.value.reason == "the joined texts are longer than 3 bytes (limits.token)"
        assert (caught.value.line, caught.value.column, caught.value.path) == (2, 9, "r/x")
    # A record in error leaves nothing to the next one.
    records = "<r><row><x>1</x><x>2</x><x>3</x></row><row><x>4</x></row></r>"
    reader = penstock.xml.read(
        [records.encode()], Joined, repeated="join", errors="skip", limits=penstock.Limits(token=4)
    )
    assert list(reader) == [Joined("4")]


def distinct_pairs(n: int) -> bytes:
    return b"<r>" + b"".join(b"<a%d>1</a%d><a%d>2</a%d>" % (k, k, k, k) for k in range(n)) + b"</r>"


def test_162_repeated_elements_that_a_model_does_not_name() -> None:
    """For each of them, all lists that were made before were searched."""

    class Open(pydantic.BaseModel, extra="allow"):
        pass

    assert penstock.xml.decode(distinct_pairs(2), Open).model_extra == {
        "a0": ["1", "2"],
        "a1": ["1", "2"],
    }
    assert_linear(lambda n: partial(penstock.xml.decode, distinct_pairs(n), Open), 1_000)


def of_fields(n: int) -> type:
    return make_dataclass(f"Wide{n}", [(f"f{k}", str, "") for k in range(n)])


@pytest.mark.parametrize(("module", "document"), [(penstock.json, "{}"), (penstock.xml, "<r/>")])
def test_163_plans_of_many_fields(module: Any, document: str) -> None:
    """For XML, a class of about a thousand fields was refused: "too many '*'"."""
    assert_linear(lambda n: lambda: module.decode(document, of_fields(n)), 500)


def test_163_many_fields_have_their_values() -> None:
    """A class may have several thousand fields, and a field may have its own namespace."""
    wide = of_fields(4_000)
    document = "<r f7='a'>" + "".join(f"<f{k}>{k}</f{k}>" for k in range(0, 4_000, 2)) + "</r>"
    expected = wide(**{f"f{k}": str(k) for k in range(0, 4_000, 2)}, f7="a")
    assert penstock.xml.decode(document, wide) == expected

    fields = [(f"f{k}", Annotated[str, at(f"{{u{k}}}x{k}")], "") for k in range(1_500)]
    spaced = make_dataclass("Spaced", fields)
    document = '<r><x7 xmlns="u7">a</x7><x8 xmlns="u7">b</x8><p:x9 xmlns:p="u9">c</p:x9></r>'
    assert penstock.xml.decode(document, spaced) == spaced(f7="a", f9="c")


REFERENCES: dict[str, Callable[[int], bytes]] = {
    "decimal": lambda n: b"<r>&#" + b"0" * n + b"65;</r>",
    "hexadecimal": lambda n: b"<r>&#x" + b"0" * n + b"41;</r>",
    "entity": lambda n: b"<r>&" + b"a" * n + b" </r>",
    "parameter entity": lambda n: b"<!DOCTYPE r [%" + b"a" * n + b" ]><r>A</r>",
    "in an attribute": lambda n: b"<r a='&#" + b"0" * n + b"65;'/>",
    "in an entity": lambda n: b"<!DOCTYPE r [<!ENTITY a '&#" + b"0" * n + b"65;'>]><r>&a;</r>",
}


@pytest.mark.parametrize("reference", REFERENCES)
def test_164_references_byte_by_byte(reference: str) -> None:
    """At each byte, the reference was read again from its beginning."""
    limits = penstock.Limits(name=1 << 24)

    def feed(document: bytes) -> object:
        decoder = penstock.xml.Decoder(limits=limits)
        try:
            for byte in range(len(document)):
                decoder.feed(document[byte : byte + 1])
            return decoder.finish()
        except penstock.MalformedInput as error:
            return error.reason

    assert_linear(lambda n: partial(feed, REFERENCES[reference](n)), 10_000)


@pytest.mark.parametrize("limit", [8, 1 << 16])
@pytest.mark.parametrize("repair", [(), "all"])
@pytest.mark.parametrize(
    "text",
    [
        *("&#65;&#x41;&amp;", "&#00065;x", "&#x0041", "&#12a;", "&#xD83D;&#xDE00;", "&#", "&#x;"),
        *(
            "&#xD83D;&#12a;",
            "&#55357;&#xDE00;",
            "&a.b-c_d;",
            "&a:b;",
            "&1;",
            "&aé;",
            "&a b;",
            "&é;",
        ),
        *("&#1114112;", "&#9;&#", "& x", "&amp", "&", "&#00000000065;", "&aaaaaaaaaaaaa;"),
    ],
)
def test_164_references_are_the_same_in_any_chunking(text: str, repair: Any, limit: int) -> None:
    """Each of them, whole and byte by byte, and before bytes that are no text."""
    options = {"repair": repair, "limits": penstock.Limits(name=limit)}
    for end in (b"</r>", b"", b"\xff</r>", b"\x01</r>"):
        document = b"<r>" + text.encode() + end
        assert outcome(document, 1, penstock.xml, options) == outcome(
            document, len(document), penstock.xml, options
        )


def outcome(document: bytes, step: int, module: Any, options: dict[str, Any]) -> object:
    """Feed a document in pieces of a size: its records, or where and what the error is."""
    decoder = module.Decoder(**options)
    records = []
    try:
        for start in range(0, len(document), step):
            records += decoder.feed(document[start : start + step])
        return records + decoder.finish()
    except penstock.DecodeError as error:
        return type(error), error.offset, error.reason


@dataclass
class Named:
    name: str = ""


ASKED: list[str] = []


class Kind(Enum):
    """Records each time somebody asks a member for its value."""

    DOG = "dog"
    CAT = "cat"

    def __getattribute__(self, name: str) -> Any:
        if name == "_value_":
            ASKED.append(name)
        return super().__getattribute__(name)


def unknown(n: int) -> Work:
    """Skip n records, each with a key that none of n fields has."""
    data = b"[" + b",".join([b'{"g7": 1}'] * n) + b"]"
    wide = of_fields(n)

    def skip() -> None:
        reader = penstock.json.read([data], wide, unknown="error", errors="skip")
        assert list(reader) == []
        assert reader.skipped == n

    return skip


def test_165_names_are_compared_only_for_messages() -> None:
    """For records that are skipped, the nearest known name was looked for, and nobody saw it."""
    assert_linear(unknown, 250)
    assert list(penstock.json.read([b'["dog"]'], Kind)) == [Kind.DOG]
    for errors, asked in [("skip", 0), ("collect", 2), ("raise", 2)]:
        ASKED.clear()
        with contextlib.suppress(penstock.ValidationError, ExceptionGroup):
            list(penstock.json.read([b'["dgo"]'], Kind, errors=errors))
        assert len(ASKED) == asked


@dataclass
class Rest:
    name: str = ""
    more: Annotated[dict[str, Any], rest] = field(default_factory=dict)


REST: dict[str, tuple[Any, Callable[[int], bytes], Any]] = {
    "keys": (penstock.json, scalars, 3),
    "a repeated key": (
        penstock.json,
        lambda n: b"{" + b",".join(b'"k": %d' % k for k in range(n)) + b"}",
        1,
    ),
    "elements": (penstock.xml, distinct_pairs, 3),
    "a repeated element": (penstock.xml, lambda n: b"<r>" + b"<x>1</x>" * n + b"</r>", 1),
    "attributes": (
        penstock.xml,
        lambda n: b"<r %b/>" % b" ".join(b'a%d="1"' % k for k in range(n)),
        3,
    ),
}


@pytest.mark.parametrize("document", REST)
def test_261_keys_for_the_rest(document: str) -> None:
    """All keys that a class does not name go into one dict."""
    module, of_size, count = REST[document]
    assert len(module.decode(of_size(3), Rest).more) == count
    limits = penstock.Limits(attributes=1 << 20)
    decode = partial(module.decode, limits=limits)
    assert_linear(lambda n: partial(decode, of_size(n), Rest), 4_000)


@pytest.mark.parametrize("errors", ["collect", "skip"])
def test_262_bad_lines_byte_by_byte(errors: Any) -> None:
    """The end of a line in error is looked for once in each of its bytes."""

    def feed(data: bytes) -> None:
        decoder = penstock.ndjson.Decoder(Named, errors=errors)
        for byte in range(len(data)):
            decoder.feed(data[byte : byte + 1])
        with contextlib.suppress(ExceptionGroup):
            decoder.finish()

    def lines(n: int) -> bytes:
        return b'{"name": 1, "x": "' + b"x" * n + b'"}\n'

    assert_linear(lambda n: partial(feed, lines(n)), 15_000)


@pytest.mark.parametrize(
    ("module", "document"), [(penstock.json, b'{"nmae": 1}'), (penstock.xml, b"<r><nmae/></r>")]
)
def test_165_messages_still_suggest_names(module: Any, document: bytes) -> None:
    """Whatever somebody sees has the suggestion."""
    calls: list[Work] = [
        lambda: module.decode(document, Named, unknown="error"),
        lambda: module.load([document], Named, unknown="error"),
    ]
    for call in calls:
        with pytest.raises(penstock.ValidationError, match="did you mean"):
            call()


REPAIRED = {
    "short rows": b"1\n",
    "long rows": b"1,2,3\n",
    "stray quotes": b'x",2\n',
    "several in a row": b'x",2\r,3\0,4\n',
}


@pytest.mark.filterwarnings("ignore::penstock.RepairWarning")
@pytest.mark.parametrize("row", REPAIRED)
def test_440_repairs_of_rows(row: str) -> None:
    """The repairs of all rows before were sorted again for each row."""

    def make(n: int) -> Work:
        document = b"a,b\n" + REPAIRED[row] * n
        return partial(penstock.csv.decode, document, list[str], repair="all")

    assert_linear(make, 4_000)


def test_441_rows_in_another_order_than_the_columns() -> None:
    """For each key, all cells of the row so far were searched."""

    def make(n: int) -> Work:
        row = dict.fromkeys(map(str, range(n)), 1)
        return partial(penstock.csv.encode, [row, dict(reversed(row.items()))])

    assert_linear(make, 4_000)


def test_442_a_row_of_many_columns_in_many_windows() -> None:
    """For each window, the keys of all columns were made."""

    def make(n: int) -> Work:
        header, row = b",".join(b"%d" % name for name in range(n)), b"12345678," * (n - 1)
        return partial(penstock.csv.decode, header + b"\n" + row + b"1\n", list[str])

    assert_linear(make, 240_000)


def test_443_a_dialect_for_a_class_with_many_fields() -> None:
    """Each row in each dialect was searched for the name of each field."""

    def make(n: int) -> Work:
        document = b"a;b\tc|d,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n" * n
        fields = [*((f"field{name}", str, "") for name in range(n)), ("last", str)]
        plan = penstock.Plan(make_dataclass("Fields", fields, kw_only=True))
        return partial(refused, plan, document)

    def refused(plan: Any, document: bytes) -> None:
        with pytest.raises(penstock.ValidationError, match='Fields requires the column "last"'):
            penstock.csv.decode(document, plan, dialect="infer")

    assert_linear(make, 300)


def test_518_rows_of_many_columns_into_columns() -> None:
    """For each field of a class, all columns of the table were looked through, for each few rows."""

    def make(n: int) -> Work:
        wide = make_dataclass("Wide", [(f"c{k}", int) for k in range(n)])
        names = ",".join(f"c{k}" for k in range(n))
        data = f"{names}\n".encode() + (b",".join([b"7"] * n) + b"\n") * 40
        return lambda: list(penstock.csv.read(io.BytesIO(data), wide).columns())

    assert_linear(make, 500)
