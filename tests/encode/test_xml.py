"""`xml.encode` writes what `xml.decode` reads, and refuses everything else."""

from __future__ import annotations

import enum
import re
import threading
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict
from xml.etree import ElementTree as ET

import pytest
import xmltodict
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

import penstock
from penstock import EncodeError, Plan, PlanError, at, rest, tag, times, via
from penstock.xml import Encoder, decode


def encode(value: Any, into: Any = None, **options: Any) -> str:
    return penstock.xml.encode(value, into, declaration=False, **options).decode()


@dataclass(slots=True)
class Price:
    amount: Annotated[float, at("text()")]
    currency: Annotated[str, at("@currency")]


@dataclass(slots=True)
class Item:
    id: Annotated[int, at("@id")]
    name: str
    price: Price
    tags: list[str] = field(default_factory=list)
    note: str | None = None
    count: int | None = 5


NAIL = Item(7, "Nut & <b>", Price(2.5, "CHF"), ["a", " b "])


def test_an_object_is_an_element_of_its_class() -> None:
    text = encode(NAIL)
    assert text == (
        '<Item id="7"><name>Nut &amp; &lt;b></name><price currency="CHF">2.5</price>'
        "<tags>a</tags><tags> b </tags><count>5</count></Item>"
    )
    assert decode(text, Item) == NAIL
    assert penstock.xml.encode(NAIL, root="i").startswith(
        b'<?xml version="1.0" encoding="UTF-8"?>\n<i id="7">'
    )


def test_none_is_absent_where_that_is_read_as_none() -> None:
    item = Item(1, "", Price(0.0, ""), [], None, None)
    text = encode(item)
    assert text == (
        '<Item id="1"><name/><price currency="">0.0</price><count xsi:nil="true" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"/></Item>'
    )
    assert decode(text, Item) == item
    assert encode(item, null="empty").endswith("<count/></Item>")
    assert encode(item, null="omit").endswith("</price></Item>")
    assert encode(item, omit="none").endswith("</price></Item>")
    item = Item(1, "n", Price(0.0, ""), [], None, 5)
    assert encode(item, omit="defaults").endswith("</price></Item>")


def test_indentation_changes_no_text() -> None:
    assert encode(NAIL, indent=2) == (
        '<Item id="7">\n  <name>Nut &amp; &lt;b></name>\n  <price currency="CHF">2.5</price>\n'
        "  <tags>a</tags>\n  <tags> b </tags>\n  <count>5</count>\n</Item>\n"
    )

    @dataclass
    class Text:
        text: Annotated[str, at("text()")]
        inner: int

    # A line break would be the text.
    assert encode(Text("", 1), indent=2) == "<Text><inner>1</inner></Text>\n"
    assert encode([Text("", 1)], indent=1) == ("<root>\n <Text><inner>1</inner></Text>\n</root>\n")


class Named(NamedTuple):
    x: int
    y: str | None


class Keys(TypedDict):
    a: int
    b: NotRequired[int | None]


def test_lists_tuples_and_dicts() -> None:
    for value, into, text in [
        ([NAIL], list[Item], None),
        (
            [[1, 2], []],
            list[list[int]],
            "<root><item><item>1</item><item>2</item></item><item/></root>",
        ),
        ((1, "a"), tuple[int, str], "<root><item>1</item><item>a</item></root>"),
        ({"a": [1, 2]}, dict[str, list[int]], "<root><a>1</a><a>2</a></root>"),
        ({"a": {"b": None}}, dict[str, dict[str, int | None]], None),
        ({date(2026, 1, 1): 1}, dict[date, int], PlanError),
        (Named(1, None), Named, None),
        ([Keys(a=1), Keys(a=1, b=None), Keys(a=1, b=2)], list[Keys], None),
        ({1, 2}, set[int], "<root><item>1</item><item>2</item></root>"),
    ]:
        if text is PlanError:
            with pytest.raises(EncodeError, match="is no name in XML"):
                encode(value, into)
            continue
        written = encode(value, into)
        assert text is None or written == text
        assert decode(written, into) == value
        assert decode(encode(value, into, root="r", record="x"), into) == value


def test_names_of_a_list() -> None:
    assert encode([NAIL], root="items").startswith('<items><Item id="7">')
    assert encode([1], list[int], root="items", record="n") == "<items><n>1</n></items>"
    assert encode([1], list[int], record="n") == "<root><n>1</n></root>"
    assert encode([[1]], list[list[int]], record="n") == "<root><n><item>1</item></n></root>"
    assert encode([{"a": 1}, 2]) == "<root><item><a>1</a></item><item>2</item></root>"


@dataclass
class Paths:
    y: Annotated[str, at("a/y")]
    x: Annotated[int, at("a/b/@x")]
    z: Annotated[int | None, at("a/b/z")]
    text: Annotated[str, at("a/b/text()")] = ""
    hrefs: Annotated[list[str], at("link/@href")] = field(default_factory=list)
    rows: Annotated[list[int], at("rows/*")] = field(default_factory=list)
    guid: str | None = None
    link: Annotated[bool | None, at("guid/@isPermaLink")] = None


def test_paths_share_their_elements() -> None:
    paths = Paths("y", 1, None, "t", ["h", "i"], [1, 2], "g", True)
    text = encode(paths)
    assert text == (
        '<Paths><a><y>y</y><b x="1">t</b></a><link href="h"/><link href="i"/>'
        '<rows><item>1</item><item>2</item></rows><guid isPermaLink="true">g</guid></Paths>'
    )
    assert decode(text, Paths) == paths
    for paths in [
        Paths("", 1, 2),
        Paths("", 1, 2, guid="", link=None),
        Paths("", 1, 2, guid=None, link=False),
        Paths("", 1, 2, guid="g"),
    ]:
        assert decode(encode(paths), Paths) == paths
    assert "guid" not in encode(Paths("", 1, 2))


def test_paths_that_cannot_be_written() -> None:
    def refused(path: str, of: Any) -> str:
        @dataclass
        class Odd:
            a: Any = field(metadata={"penstock": at(path)})

        Odd.__annotations__["a"] = of
        with pytest.raises(EncodeError) as caught:
            encode(Odd(["x"]))
        return str(caught.value)

    assert refused("//x", list[str]) == (
        "field 'a': the path '//x' does not say in which element its value is"
    )
    assert refused("*/x", list[str]) == "field 'a': the path '*/x' has a '*' before its last step"
    assert refused("{urn:x}*", list[str]) == (
        "field 'a': the path '{urn:x}*' does not say the name of its element"
    )

    @dataclass
    class Parts:
        whole: Annotated[str, at("p")]
        part: Annotated[str, at("p/name")]

    with pytest.raises(EncodeError) as caught:
        encode(Parts("a b", "b"))
    assert str(caught.value) == (
        "field 'whole' is all text of an element of which other fields have parts, and nothing "
        "says where in the text these are"
    )


@dataclass
class Circle:
    r: float


@dataclass
class Rect:
    w: float
    h: float


@dataclass
class Drawing:
    shapes: Annotated[list[Circle | Rect], at({"circle": Circle, "rect": Rect})]
    main: Annotated[Circle | Rect | None, at({"m/c": Circle, "m/r": Rect})] = None


@dataclass
class Link:
    to: Annotated[str, at("@href")]
    label: Annotated[str, at("text()")]


@dataclass
class Paragraph:
    parts: Annotated[list[str | Link], at({"text()": str, "a": Link})]


def test_choices_and_mixed_content() -> None:
    drawing = Drawing([Circle(1.0), Rect(2.0, 3.0), Circle(4.0)], Rect(5.0, 6.0))
    text = encode(drawing)
    assert text == (
        "<Drawing><circle><r>1.0</r></circle><rect><w>2.0</w><h>3.0</h></rect>"
        "<circle><r>4.0</r></circle><m><r><w>5.0</w><h>6.0</h></r></m></Drawing>"
    )
    assert decode(text, Drawing) == drawing
    see = Paragraph(["See ", Link("/a", "here"), ", please.\n"])
    text = encode(see, indent=2)
    assert text == '<Paragraph>See <a href="/a">here</a>, please.\n</Paragraph>\n'
    assert decode(text, Paragraph) == see
    links = Paragraph([Link("/a", ""), Link("/b", "")])
    assert encode(links, indent=2) == '<Paragraph><a href="/a"/><a href="/b"/></Paragraph>\n'
    for parts, reason in [
        (["a", "b"], "parts[1]: two texts in a row would be read back as one"),
        ([""], "parts[0]: an empty text between elements is no value"),
        ([7], "parts[0]: expected str | Link, got int"),
    ]:
        with pytest.raises(EncodeError) as caught:
            encode(Paragraph(parts))
        assert str(caught.value) == reason


@dataclass
class Cat:
    kind: Literal["cat"]
    lives: int


@dataclass
class Dog:
    kind: Annotated[Literal["dog"], at("@kind")]
    name: str


@dataclass
class New:
    id: int


@dataclass
class Gone:
    id: int


def test_the_attribute_of_a_union() -> None:
    pets = [Cat("cat", 9), Dog("dog", "Rex")]
    text = encode(pets, list[Cat | Dog])
    assert text == (
        '<root><Cat kind="cat"><lives>9</lives></Cat><Dog kind="dog"><name>Rex</name></Dog></root>'
    )
    assert decode(text, list[Cat | Dog]) == pets
    # By its own class, an object has an element.
    assert encode(Cat("cat", 9)) == "<Cat><kind>cat</kind><lives>9</lives></Cat>"
    events = Annotated[New | Gone | dict, tag("event", {"new": New, "gone": Gone})]
    values = [New(1), Gone(2), {"id": {"x": "1"}}]
    text = encode(values, list[events])
    assert text == (
        '<root><New event="new"><id>1</id></New><Gone event="gone"><id>2</id></Gone>'
        "<item><id><x>1</x></id></item></root>"
    )
    assert decode(text, list[events]) == values


@dataclass
class Contact:
    name: str
    more: Annotated[dict[str, Any], rest] = field(default_factory=dict)


@dataclass
class Zoo:
    items: Annotated[dict[int, Item], at("all/item", key="id")] = field(default_factory=dict)


def test_the_rest_and_dicts_by_a_key() -> None:
    contact = Contact("Ada", {"phone": ["1", "2"], "@vip": "yes", "x": {"@a": "1", "#text": "t"}})
    text = encode(contact)
    assert text == (
        '<Contact vip="yes"><name>Ada</name><phone>1</phone><phone>2</phone><x a="1">t</x></Contact>'
    )
    assert decode(text, Contact) == contact
    for more, reason in [
        ({"name": "b"}, "the rest has the key 'name' of a field"),
        ({"@name": "b"}, "the rest has the key '@name' of a field"),
        ({"#text": "b"}, "the rest has no text: no class reads it"),
        ({1: "b"}, "a key of the rest must be text, not int"),
    ]:
        with pytest.raises(EncodeError) as caught:
            encode(Contact("a", more))
        assert str(caught.value) == reason
    zoo = Zoo({7: NAIL})
    assert decode(encode(zoo), Zoo) == zoo
    with pytest.raises(EncodeError) as caught:
        encode(Zoo({8: NAIL}))
    assert str(caught.value) == "items: the value under the key 8 has another key itself"


@dataclass
class Feed:
    title: str
    by: Annotated[str, at("dc:creator")]
    mark: Annotated[str, at("{urn:z}mark")] = "m"
    tone: Annotated[str, at("@{urn:z}tone")] = "t"
    bare: Annotated[str, at("{}bare")] = ""


def test_namespaces() -> None:
    spaces = {"dc": "urn:dc"}
    feed = Feed("t", "b")
    text = encode(feed, namespaces=spaces)
    assert text == (
        '<Feed ns0:tone="t" xmlns:dc="urn:dc" xmlns:ns0="urn:z"><title>t</title>'
        "<dc:creator>b</dc:creator><ns0:mark>m</ns0:mark><bare/></Feed>"
    )
    assert decode(text, Feed, namespaces=spaces) == feed
    text = encode(feed, namespaces={**spaces, "": "urn:d", "z": "urn:z"})
    assert text == (
        '<Feed z:tone="t" xmlns:dc="urn:dc" xmlns:z="urn:z" xmlns="urn:d"><title>t</title>'
        '<dc:creator>b</dc:creator><z:mark>m</z:mark><bare xmlns=""/></Feed>'
    )
    assert decode(text, Feed, namespaces=spaces) == feed
    assert etree.fromstring(text)[0].tag == "{urn:d}title"
    with pytest.raises(EncodeError, match=r"pass namespaces=\{prefix: uri\}"):
        encode(feed)

    @dataclass
    class Plain:
        x: Annotated[int, at("p:x")]

    assert encode(Plain(1), namespaces=False) == "<Plain><p:x>1</p:x></Plain>"


class Size(enum.Enum):
    SMALL = "1"
    LARGE = 1


def test_text_that_would_be_another_value() -> None:
    for value, into, reason in [
        ("12", int | str, "its text would be read back as int"),
        ("true", bool | str, "its text would be read back as bool"),
        ("2026-01-01", date | str, "its text would be read back as date"),
        (1, Literal["1", 1], "its text would be read back as '1'"),
        (Size.LARGE, Size, "its text would be read back as <Size.SMALL: '1'>"),
        (Decimal("NaN"), Decimal, "XML has no form for a decimal number that is not finite"),
        (Decimal("-Infinity"), Decimal, "XML has no form for a decimal number that is not finite"),
        ("\x00", str, "the character U+0000 is not allowed in XML"),
        ("\ufffe", str, "the character U+FFFE is not allowed in XML"),
        ("\ud800", str, "the str has a lone surrogate, which no encoding has"),
        (None, int, "expected int, got NoneType"),
    ]:
        with pytest.raises(EncodeError) as caught:
            encode(value, into)
        assert (str(caught.value), caught.value.path) == (reason, None)
    assert encode(Size.SMALL) == "<root>1</root>"
    assert encode(float("-inf"), float) == "<root>-INF</root>"
    assert encode(Decimal("1E+3"), Decimal) == "<root>1000</root>"
    with pytest.raises(EncodeError, match="its text would be read back as date"):
        penstock.json.encode("2026-01-01", date | str)


@dataclass
class Absent:
    attribute: Annotated[int | None, at("@a")] = 1
    items: list[int] = field(default_factory=lambda: [1])
    data: Annotated[bytes, at("d/text()")] = b"x"
    one: Annotated[list[int], at("@one")] = field(default_factory=list)


def test_what_would_be_read_back_as_absent() -> None:
    assert decode(encode(Absent(2, [2], b"y", [3])), Absent) == Absent(2, [2], b"y", [3])
    no_place = "would not be read back: XML has no element or attribute for it"
    for value, reason in [
        (Absent(None), f"attribute: None {no_place}"),
        (Absent(items=[]), f"items: an empty collection {no_place}"),
        (Absent(data=b""), "data: its text is empty, and would be read back as absent"),
        (Absent(one=[1, 2]), "one: an attribute has one value, and here are several"),
    ]:
        with pytest.raises(EncodeError) as caught:
            encode(value)
        assert str(caught.value) == reason
    with pytest.raises(EncodeError) as caught:
        encode({"a": []}, dict[str, list[int]])
    assert str(caught.value) == f"['a']: an empty collection {no_place}"


# Nothing is injected.

HOSTILE = [
    "a><b",
    'a b="',
    "a/",
    "",
    "1",
    "a\n",
    "-a",
    "a\x00",
    "<",
    "&",
    "a:b:c",
    ":",
    "{urn:x}a",
    "@",
    "a;",
    "x=y",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_is_injected_by_a_name(name: str) -> None:
    for value, into, options in [
        ({"r": {name: 1}}, None, {}),
        ({"r": {f"@{name}": 1}}, None, {}),
        ({name: 1}, dict[str, int], {}),
        (Contact("a", {f"@{name}": "x"}), None, {}),
        (Contact("a", {name: "x"}), None, {}),
    ]:
        with pytest.raises(EncodeError):
            encode(value, into, **options)
    allowed = {"{urn:x}a"}
    for option in ("root", "record", "namespaces"):
        given: Any = {name: "urn:x"} if option == "namespaces" else name
        if (name in allowed and option != "namespaces") or (name == "" and option != "root"):
            continue
        with pytest.raises(ValueError, match=r"."):
            encode(1, **{option: given})


def test_nothing_is_injected_by_a_prefix_or_a_uri() -> None:
    for name in ("p:a", "@p:a", "@xmlns:xml", "@xmlns:xmlns"):
        with pytest.raises(EncodeError):
            encode({"r": {name: "x"}})
    uri = 'u"><x a="&'
    text = encode({"r": {"@xmlns:p": uri, "p:a": "1"}})
    assert ET.fromstring(text)[0].tag == f"{{{uri}}}a"
    text = encode(1, root="p:r", namespaces={"p": uri})
    assert ET.fromstring(text).tag == f"{{{uri}}}r"


REFUSED_TEXT = re.compile("is not allowed in XML|lone surrogate")


@given(st.text(), st.text())
def test_any_text_is_itself_or_refused(text: str, value: str) -> None:
    link = Link(value, text)
    try:
        written = penstock.xml.encode(link, root="a")
    except EncodeError as error:
        assert REFUSED_TEXT.search(str(error))  # noqa: PT017 - or it is written
        return
    assert decode(written, Link) == link
    tree = etree.fromstring(written)
    assert (tree.text or "", dict(tree.attrib), len(tree)) == (text, {"href": value}, 0)


PLAIN = st.recursive(
    st.none() | st.text("ab<&>'\"\u00e9\U0001d11e", min_size=1),
    lambda inner: st.dictionaries(
        st.sampled_from(["a", "b", "c-d"]),
        inner | st.lists(inner, min_size=2, max_size=3),
        min_size=1,
    ),
    max_leaves=8,
)


@given(PLAIN, st.sampled_from([None, 2]))
def test_plain_values_as_xmltodict_reads_them(value: Any, indent: int | None) -> None:
    text = penstock.xml.encode({"r": value}, indent=indent)
    assert decode(text) == {"r": value} == xmltodict.parse(text)


def test_plain_values() -> None:
    value = {"a": {"b": ["x", 1, True, None, 2.5], "@id": 7, "#text": "t", "c": {}, "d": []}}
    text = encode(value)
    assert text == '<a id="7"><b>x</b><b>1</b><b>true</b><b/><b>2.5</b>t<c/></a>'
    assert encode(value, root="r") == f"<r>{text}</r>"
    for value, reason in [
        (
            {"a": 1, "b": 2},
            "['b']: a second root element: XML has one, so name an element around them with root",
        ),
        ({}, "there is no root element"),
        (
            {"a": {"b": [[1]]}},
            (
                "['a']['b'][0]: XML has no list here that could be read back: annotate the "
                "value as one, list[...], or write its items under a key"
            ),
        ),
        ({"a": {"@b": {}}}, "['a']['@b']: the value of an attribute is no map"),
        ({"a": {"@b": [1]}}, "['a']['@b']: the value of an attribute is no list"),
    ]:
        with pytest.raises(EncodeError) as caught:
            encode(value)
        assert str(caught.value) == reason
    value = {"a": {}}
    value["a"]["b"] = value
    with pytest.raises(EncodeError, match=r"it contains itself: it is the whole value"):
        encode(value)


def test_errors_have_their_path() -> None:
    with pytest.raises(EncodeError) as caught:
        encode({"shop": {"items": [NAIL, Item(1, "n", Price("x", ""))]}})  # type: ignore[arg-type]
    assert caught.value.path == "['shop']['items'][1].price.amount"
    assert caught.value.reason == "expected float, got str"


Words = Annotated[list[str], via(lambda text: text.split(), str, encode=" ".join)]


@dataclass
class Line:
    names: Annotated[Words, at("@class")]
    first_word: str


def test_types_of_your_own_and_plans() -> None:
    plan = Plan(Line, rename="camel")
    line = Line(["a", "b"], "x")
    text = encode(line, plan)
    assert text == '<Line class="a b"><firstWord>x</firstWord></Line>'
    assert decode(text, plan) == line


def test_times_in_a_form_of_your_own() -> None:
    form = Annotated[datetime, times("%d/%b/%Y:%H:%M %z")]
    moment = datetime(2026, 3, 1, 12, 30, tzinfo=timezone(timedelta(hours=-1)))
    assert encode(moment, form) == "<root>01/Mar/2026:12:30 -0100</root>"
    assert penstock.json.encode([moment], list[form]) == b'["01/Mar/2026:12:30 -0100"]'  # type: ignore[valid-type]
    assert decode(encode(moment, form), form) == moment
    for lost in (moment.replace(second=1), moment.replace(tzinfo=None)):
        with pytest.raises(EncodeError) as caught:
            encode(lost, form)
        assert str(caught.value) == (
            "times(...) has no place for a part of it: it would be read back as another value"
        )
    with pytest.raises(EncodeError, match="got datetime"):
        encode(moment, Annotated[date, times("%d.%m.%Y")])


def test_the_encoder_is_used_again() -> None:
    encoder = Encoder(Item, root="i", declaration=False)
    with pytest.raises(EncodeError):
        encoder.encode(Item(1, "\x00", Price(1.0, "")))
    assert encoder.encode(NAIL) == encoder.encode(NAIL)
    assert encoder.encode(NAIL).startswith(b'<i id="7"><name>')
    with pytest.raises(ValueError, match=r"^null must be 'nil', 'empty' or 'omit', not 'x'$"):
        Encoder(null="x")  # type: ignore[arg-type]
    found = []
    threads = [threading.Thread(target=lambda: found.append(encode(NAIL))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [encode(NAIL)] * 4


def test_a_long_document() -> None:
    items = [NAIL] * 5_000
    text = penstock.xml.encode(items, indent=1)
    assert len(text) > 500_000
    assert decode(text, list[Item]) == items
