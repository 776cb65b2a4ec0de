"""Each repair: an error without the option; with it, a value and a report."""

import io
import pickle
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest

import penstock
from penstock import MalformedInput, Repair, RepairWarning, at

TESTDATA = Path(__file__).parents[2] / "testdata" / "xml"

# A document with a fault, its value, and the repairs: offset, line and column.
REPAIRED: list[tuple[str, str, Any, list[tuple[int, int, int]]]] = [
    ("bare_ampersand", "<a>x & y</a>", "x & y", [(5, 1, 6)]),
    ("bare_ampersand", "<a>\né AT&T</a>", "é AT&T", [(9, 2, 5)]),
    ("bare_ampersand", "<a>&</a>", "&", [(3, 1, 4)]),
    ("bare_ampersand", "<a>&&amp;&;</a>", "&&&;", [(3, 1, 4), (9, 1, 10)]),
    ("bare_ampersand", "<a>&lt</a>", "&lt", [(3, 1, 4)]),
    ("bare_ampersand", "<a>&#;</a>", "&#;", [(3, 1, 4)]),
    ("bare_ampersand", '<a b="x & y"/>', {"@b": "x & y"}, [(8, 1, 9)]),
    ("control_character", "<a>x\x01y</a>", "xy", [(4, 1, 5)]),
    ("control_character", "<a>&#1;x</a>", "x", [(3, 1, 4)]),
    ("control_character", "<a>\ufffex\uffff</a>", "x", [(3, 1, 4), (7, 1, 6)]),
    ("control_character", "<a>&#xFFFE;x</a>", "x", [(3, 1, 4)]),
    ("control_character", "<a><![CDATA[q\x02]]></a>", "q", [(13, 1, 14)]),
    ("control_character", '<a b="\x0c&#x0B;z"/>', {"@b": "z"}, [(6, 1, 7), (7, 1, 8)]),
    ("surrogate_pair", "<a>&#xD83D;&#xDE00;</a>", "😀", [(3, 1, 4)]),
    ("surrogate_pair", "<a>&#55357;&#56832;!</a>", "😀!", [(3, 1, 4)]),
    ("surrogate_pair", '<a b="&#xD83D;&#xDE00;"/>', {"@b": "😀"}, [(6, 1, 7)]),
    (
        "broken_subset",
        "<!DOCTYPE a [<!ELEMENT a (b)><!ATTLIST a b CDATA #WHAT>]><a>x</a>",
        "x",
        [(49, 1, 50)],
    ),
    (
        "broken_subset",
        "<!DOCTYPE a [<!ENTITY e 'v'>\n<!ELEMENT a EMPTY ANY junk ] ]><a>&e;</a>",
        "v",
        [(47, 2, 19)],
    ),
    ("broken_subset", "<!DOCTYPE a [ junk ]><a>x</a>", "x", [(14, 1, 15)]),
    ("trailing_junk", "<a>x</a>junk", "x", [(8, 1, 9)]),
    ("trailing_junk", "<a>x</a>\n\n</a>", "x", [(10, 3, 1)]),
    ("trailing_junk", "<a>x</a><b/>", "x", [(8, 1, 9)]),
    ("trailing_junk", "<a>x</a>\0\0\0", "x", [(8, 1, 9)]),
    ("trailing_junk", "<a>x</a>&", "x", [(8, 1, 9)]),
]

# Similar faults that no repair fixes.
REFUSED = [
    "<a>&unknown;</a>",
    "<a>&#x110000;</a>",
    "<a>&#xD83D;x&#xDE00;</a>",
    "<a>&#xDE00;&#xD83D;</a>",
    "<a",
    "<a><b></a>",
    "<a b='1' b='2'/>",
    "junk<a/>",
    "<a>]]></a>",
    "<a><</a>",
]

NAMES = ["bare_ampersand", "control_character", "surrogate_pair", "broken_subset", "trailing_junk"]


def expected(kind: str, places: list[tuple[int, int, int]]) -> list[Repair]:
    return [Repair(kind, *place) for place in places]  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "document", "value", "places"), REPAIRED)
def test_off_is_an_error(
    kind: str, document: str, value: Any, places: list[tuple[int, int, int]]
) -> None:
    others = [name for name in NAMES if name != kind]
    for repair in ((), others):
        with pytest.raises(MalformedInput):
            penstock.xml.decode(document, repair=repair)
    del value, places


@pytest.mark.parametrize(("kind", "document", "value", "places"), REPAIRED)
def test_on_is_a_value_and_a_report(
    kind: str, document: str, value: Any, places: list[tuple[int, int, int]]
) -> None:
    repairs = expected(kind, places)
    for words in (kind, [kind], iter([kind]), "all", {"all", kind}):
        reader = penstock.xml.read(io.BytesIO(document.encode()), at="a", repair=words)
        assert list(reader) == [value]
        assert reader.repairs == repairs
        assert reader.repair_counts == {kind: len(repairs)}


@pytest.mark.parametrize("size", [1, 2, 3, 7])
@pytest.mark.parametrize(("kind", "document", "value", "places"), REPAIRED)
def test_in_chunks(
    kind: str, document: str, value: Any, places: list[tuple[int, int, int]], size: int
) -> None:
    data = document.encode()
    decoder = penstock.xml.Decoder(at="a", repair=kind)
    rows = []
    for start in range(0, len(data), size):
        rows += decoder.feed(data[start : start + size])
    assert rows + decoder.finish() == [value]
    assert decoder.repairs == expected(kind, places)
    assert decoder.repair_counts == {kind: len(places)}
    events = penstock.xml.events(
        [data[start : start + size] for start in range(0, len(data), size)], repair=kind
    )
    assert [event[0] for event in events].count("start") == 1
    assert events.repairs == expected(kind, places)


@pytest.mark.parametrize(("kind", "document", "value", "places"), REPAIRED)
def test_decode_and_load_warn_once(
    kind: str, document: str, value: Any, places: list[tuple[int, int, int]]
) -> None:
    count = len(places)
    _, line, column = places[0]
    message = (
        f"{count} {'repair' if count == 1 else 'repairs'} ({count} {kind}); "
        f"the first at line {line}, column {column}"
    )
    file = io.BytesIO(document.encode())
    file.name = "a.xml"  # type: ignore[attr-defined]
    for call, said in [
        (lambda: penstock.xml.decode(document, repair=kind), message),
        (lambda: penstock.xml.decode(document.encode(), repair=kind), message),
        (lambda: penstock.xml.decode(bytearray(document.encode()), repair=kind), message),
        (lambda: penstock.xml.load(file, repair=kind), f"a.xml: {message}"),
    ]:
        with pytest.warns(RepairWarning) as caught:
            assert call() == {"a": value}
        assert [str(warning.message) for warning in caught] == [said]
        # The warning names the caller, and not the library.
        assert caught[0].filename == __file__


@pytest.mark.parametrize("document", REFUSED)
def test_nothing_else_is_repaired(document: str) -> None:
    with pytest.raises(penstock.DecodeError):
        penstock.xml.decode(document, repair="all")


def test_good_documents_are_left_alone() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert penstock.xml.decode("<a>x &amp; &#x1F600;</a>\n<!---->", repair="all") == {
            "a": "x & 😀"
        }


def test_a_warning_may_be_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RepairWarning, match=r"^1 repair \(1 bare_ampersand\)"):
            penstock.xml.decode("<a>&</a>", repair="all")


def test_send_warns_too() -> None:
    class Handler:
        def a(self, element: penstock.Element) -> str:
            return element.text

    with pytest.warns(RepairWarning, match=r"^1 repair \(1 bare_ampersand\)") as caught:
        assert penstock.xml.send(io.BytesIO(b"<a>&</a>"), Handler(), repair="all") == "&"
    assert caught[0].filename == __file__


def test_the_first_thousand_are_kept_and_all_are_counted() -> None:
    document = b"<a>" + b"<b>\n&</b>" * 700 + b"<b>\x01</b>" * 700 + b"</a>"
    reader = penstock.xml.read(io.BytesIO(document), str, repair="all")
    assert sum(1 for _ in reader) == 1_400
    assert reader.repair_counts == {"bare_ampersand": 700, "control_character": 700}
    assert len(reader.repairs) == 1_000
    assert reader.repairs[699] == Repair("bare_ampersand", 3 + 699 * 9 + 4, 701, 1)
    assert reader.repairs[700] == Repair("control_character", 3 + 700 * 9 + 3, 701, 9)


def test_repair_is_a_value() -> None:
    repair = Repair("bare_ampersand", 5, 1, 6)
    assert (repair.kind, repair.offset, repair.line, repair.column) == ("bare_ampersand", 5, 1, 6)
    assert repr(repair) == "Repair(kind='bare_ampersand', offset=5, line=1, column=6)"
    assert repair == Repair("bare_ampersand", 5, 1, 6)
    assert repair != Repair("bare_ampersand", 5, 1, 7)
    assert repair != (5, 1, 6)
    assert len({repair, Repair("bare_ampersand", 5, 1, 6)}) == 1
    assert pickle.loads(pickle.dumps(repair)) == repair
    with pytest.raises(AttributeError, match=r"^a Repair cannot be changed \(setting 'line'\)$"):
        repair.line = 2
    with pytest.raises(AttributeError, match=r"^a Repair cannot be changed \(deleting 'line'\)$"):
        del repair.line


def test_unknown_words() -> None:
    message = (
        "repair must be 'all' or some of 'bare_ampersand', 'control_character', 'html_entity', "
        "'surrogate_pair', 'broken_subset', 'trailing_junk', not 'everything'"
    )
    for repair in ("everything", ["bare_ampersand", "everything"]):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - compared below
            penstock.xml.decode("<a/>", repair=repair)  # type: ignore[arg-type]
        assert str(caught.value) == message


@dataclass
class Record:
    type: str
    value: Annotated[float, at("@value")]


def test_apple_health() -> None:
    """The exports of iOS 16: a broken document type, and a vertical tab in the name of a source."""
    path = TESTDATA / "apple_health_ios16.xml"
    with pytest.raises(MalformedInput) as caught:
        list(penstock.xml.read(path, Record, at="HealthData/Record"))
    assert (caught.value.line, caught.value.column) == (21, 3)
    reader = penstock.xml.read(
        path, Record, at="HealthData/Record", repair=("broken_subset", "control_character")
    )
    assert [(record.type.removeprefix("HKQuantityType"), record.value) for record in reader] == [
        ("IdentifierStepCount", 412.0),
        ("IdentifierBodyMass", 70.5),
    ]
    assert [(repair.kind, repair.line, repair.column) for repair in reader.repairs] == [
        ("broken_subset", 21, 3),
        ("control_character", 32, 67),
    ]
