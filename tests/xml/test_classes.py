"""How elements and attributes find the fields of a class, and the messages for the rest."""

import contextlib
import gc
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import ValidationError, at
from penstock.xml import decode

XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


def refused(text: str, kind: Any, **options: Any) -> tuple[str, str | None, int | None]:
    """Return why a text is refused, its path in the document, and the byte."""
    with pytest.raises(ValidationError) as caught:
        decode(text, kind, **options)
    error = caught.value
    return str(error.reason), error.path, error.offset


# --- Kinds of classes --------------------------------------------------------------------------


@dataclass
class Plain:
    id: int
    name: str = "?"
    tags: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Slots:
    id: int
    name: str = "?"
    tags: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Frozen:
    id: int
    name: str = "?"
    tags: list[str] = field(default_factory=list)


class Named(NamedTuple):
    id: int
    name: str = "?"
    tags: list[str] = []  # noqa: RUF012 - never changed


class Typed(TypedDict):
    id: int
    name: NotRequired[str]
    tags: NotRequired[list[str]]


class Annotations:
    id: int
    name: str = "?"
    tags: list[str]


@dataclass
class Called:
    """A class that must be called, because its own `__init__` may do anything."""

    id: int
    name: str = "?"
    tags: list[str] = field(default_factory=list)

    def __init__(self, id: int, name: str = "?", tags: list[str] | None = None) -> None:
        self.id, self.name, self.tags = id, name, tags or []


def parts(value: Any) -> tuple[Any, ...]:
    """The fields of an object of any of these classes."""
    if isinstance(value, dict):
        return value["id"], value.get("name", "?"), value.get("tags", [])
    return value.id, value.name, value.tags


KINDS: list[type[Any]] = [Plain, Slots, Frozen, Named, Typed, Annotations, Called]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_class(kind: type[Any]) -> None:
    found = decode("<x id='7'><tags>a</tags><name>n</name><no/><tags>b</tags></x>", kind)
    assert isinstance(found, dict if kind is Typed else kind)
    assert parts(found) == (7, "n", ["a", "b"])
    assert parts(decode("<x><id>8</id></x>", kind)) == (8, "?", [])
    reason, path, offset = refused("<x><name/></x>", kind)
    assert reason == f"{kind.__name__} lacks the required element or attribute 'id'"
    assert (path, offset) == ("x", 10)


@dataclass(slots=True)
class After:
    id: int
    double: int = field(init=False)

    def __post_init__(self) -> None:
        if self.id < 0:
            message = "id is negative"
            raise ValueError(message)
        self.double = 2 * self.id


def test_post_init_is_called() -> None:
    assert decode("<x id='4'/>", After).double == 8
    assert refused("<r><x id='-4'/></r>", list[After])[:2] == (
        "ValueError: id is negative",
        "r/x",
    )


# --- Fields ------------------------------------------------------------------------------------


@dataclass
class Item:
    id: int
    name: str = ""


def test_an_element_counts_before_an_attribute() -> None:
    assert decode("<x id='1' name='a'/>", Item) == Item(1, "a")
    assert decode("<x id='1'><id>2</id></x>", Item) == Item(2)
    assert decode("<x id='1'><id>2</id><name>b</name></x>", Item) == Item(2, "b")
    assert refused("<x id='1'><id>2</id><id>3</id></x>", Item) == (
        "the element 'id' is repeated; ask for list[int] or say repeated='first'",
        "x/id",
        20,
    )


@dataclass
class Wide:
    """More fields than a word has bits."""

    a: Annotated[list[int], at("a")]


WIDE: Any = dataclass(type("Wide70", (), {"__annotations__": {f"f{n}": int for n in range(70)}}))


def test_an_element_counts_before_an_attribute_in_wide_classes() -> None:
    attributes = " ".join(f"f{n}='{n}'" for n in range(70))
    assert decode(f"<x {attributes}/>", WIDE).f69 == 69
    assert decode(f"<x {attributes}><f69>1</f69><f3>4</f3></x>", WIDE).f69 == 1
    text = f"<x {attributes}><f69>1</f69><f69>2</f69></x>"
    assert refused(text, WIDE)[0].startswith("the element 'f69' is repeated")


@dataclass
class Claimed:
    value: str
    unit: Annotated[str, at("@unit")]
    value_id: Annotated[int | None, at("value/@id")] = None


@dataclass
class Explicit:
    id: Annotated[int, at("@id")]
    inner: Annotated[int | None, at("id")] = None


def test_an_attribute_by_name() -> None:
    assert decode("<x id='1'><id>2</id></x>", Explicit) == Explicit(1, 2)
    assert decode("<x id='1'/>", Explicit) == Explicit(1, None)
    reason, path, _ = refused("<x><id>2</id></x>", Explicit)
    assert (reason, path) == ("Explicit lacks the required attribute '@id'", "x")
    assert refused("<x id='one'/>", Explicit) == ('expected int, got "one"', "x/@id", 6)


@dataclass
class Money:
    amount: Annotated[float, at("text()")]
    currency: Annotated[str, at("@currency")] = "CHF"


@dataclass
class Note:
    own: Annotated[str, at("text()")]
    bold: Annotated[list[str], at("b")]


@dataclass
class MaybeMoney:
    amount: Annotated[float | None, at("text()")] = None
    currency: Annotated[str | None, at("@currency")] = None


def test_own_text() -> None:
    assert decode("<m currency='EUR'> 12.50\n</m>", Money) == Money(12.5, "EUR")
    assert decode("<n>one <b>two</b> three<b>four</b></n>", Note) == Note(
        "one  three", ["two", "four"]
    )
    assert decode("<n/>", Note) == Note("", [])
    assert decode("<m currency='EUR'>\n</m>", MaybeMoney) == MaybeMoney(None, "EUR")
    assert refused("<m>\n</m>", Money)[:2] == ("Money lacks the required text 'text()'", "m")
    assert refused("<m>x</m>", Money)[:2] == ('expected float, got "x"', "m")


@dataclass
class Texts:
    one: Annotated[str, at("one/text()")]
    many: Annotated[list[str], at("many/text()")]
    numbers: Annotated[list[int], at("number/text()")]


@pytest.mark.filterwarnings("ignore::penstock.MixedContentWarning")
def test_own_text_of_other_elements() -> None:
    text = "<t><one>a<b>x</b>c</one><many>d<b/>e</many><many/><number>1</number><number/></t>"
    assert decode(text, Texts) == Texts("ac", ["de", ""], [1])
    again = text.replace("</t>", "<one>f</one></t>")
    assert refused(again, Texts)[:2] == (
        "the text is repeated; ask for list[str] or say repeated='first'",
        "t/one",
    )
    assert decode(again, Texts, repeated="join").one == "ac f"
    assert decode(again, Texts, repeated="first").one == "ac"
    assert decode(again, Texts, repeated="last").one == "f"


@dataclass
class Spaces:
    exact: Annotated[str, at("{urn:x}a")]
    bound: Annotated[str, at("p:a")]
    any: Annotated[list[str], at("*:b")]
    attribute: Annotated[str, at("@{urn:x}d")] = ""


def test_stars_and_namespaces() -> None:
    text = "<r><q><x>1</x></q><x>2</x><b><c><x>3</x><y/></c></b></r>"
    assert decode("<r><a>1</a><b>2<c>x</c></b><a/></r>", Stars) == Stars(["1", "2x", ""])
    assert decode(text, Deep) == Deep([1, 2, 3])
    text = """<r xmlns='urn:x' xmlns:q='urn:p' xmlns:z='urn:x' z:d='D' q:d='E'>
      <a>1</a><q:a>2</q:a><q:b>3</q:b><b>4</b></r>"""
    assert decode(text, Spaces, namespaces={"p": "urn:p"}) == Spaces("1", "2", ["3", "4"], "D")


@dataclass
class Stars:
    all: Annotated[list[str], at("*")]


@dataclass
class Deep:
    x: Annotated[list[int], at("//x")]


@dataclass
class Article:
    pmid: Annotated[int, at("MedlineCitation/PMID")]
    status: Annotated[str, at("MedlineCitation/@Status")]
    authors: Annotated[list[str], at("MedlineCitation/Article/AuthorList/Author/LastName")]
    title: Annotated[str | None, at("MedlineCitation/Article/ArticleTitle")] = None


def test_paths_and_wrappers() -> None:
    text = """<PubmedArticle><MedlineCitation Status="ok"><PMID>7</PMID><Article>
      <AuthorList><Author><LastName>A</LastName><No/></Author></AuthorList>
      <ArticleTitle>CO<sub>2</sub> in m<sup>3</sup></ArticleTitle>
      <AuthorList><Author><LastName>B</LastName></Author><Author/></AuthorList>
    </Article></MedlineCitation></PubmedArticle>"""
    assert decode(text, Article) == Article(7, "ok", ["A", "B"], "CO2 in m3")
    reason, path, _ = refused(text.replace(">7<", ">x<"), Article)
    assert (reason, path) == ('expected int, got "x"', "PubmedArticle/MedlineCitation/PMID")
    reason, path, _ = refused(text.replace("<PMID>7</PMID>", ""), Article)
    assert reason == "Article lacks the required element 'MedlineCitation/PMID'"
    again = text.replace("<No/>", "").replace(
        "</MedlineCitation>", "<PMID>8</PMID></MedlineCitation>"
    )
    assert refused(again, Article)[:2] == (
        "the element 'PMID' is repeated; ask for list[int] or say repeated='first'",
        "PubmedArticle/MedlineCitation/PMID",
    )


# --- Repeats -----------------------------------------------------------------------------------


@dataclass
class Line:
    text: str = ""
    number: int = 0
    item: Item | None = None


def test_repeated_elements_in_a_field_of_one() -> None:
    text = "<x><text>a</text><number>1</number><item id='1'/><text>b</text>{}</x>"
    more = "<number>2</number><item id='2'/><text>c</text>"
    assert refused(text.format(""), Line) == (
        "the element 'text' is repeated; ask for list[str] or say repeated='first'",
        "x/text",
        49,
    )
    document = text.format(more)
    assert decode(document, Line, repeated="first") == Line("a", 1, Item(1))
    assert decode(document, Line, repeated="last") == Line("c", 2, Item(2))
    assert decode(text.format(""), Line, repeated="join") == Line("a b", 1, Item(1))
    assert decode("<x><text/><text>b</text><text/></x>", Line, repeated="join").text == " b "
    assert refused(document, Line, repeated="join")[0].startswith(
        "the element 'number' is repeated"
    )
    assert decode("<x text='q'><text>a</text></x>", Line, repeated="join") == Line("a")


@dataclass
class Many:
    a: list[int]
    b: tuple[int, ...]
    c: set[int]
    d: frozenset[str]
    e: list[Item] | None = None


def test_repeated_elements_in_collections() -> None:
    text = "<x><a>1</a><c>2</c><b>3</b><d>x</d><a>4</a><b>5</b><c>2</c><e id='1'/><e id='2'/></x>"
    assert decode(text, Many) == Many([1, 4], (3, 5), {2}, frozenset("x"), [Item(1), Item(2)])
    assert decode("<x/>", Many) == Many([], (), set(), frozenset(), None)
    assert refused("<x><a>1</a><a>one</a></x>", Many) == ('expected int, got "one"', "x/a", 11)


@dataclass
class Keyed:
    items: Annotated[dict[int, Item], at("list/item", key="id")]


def test_a_dict_by_a_field_of_its_objects() -> None:
    text = "<x><list><item id='3'/><item name='b'><id>1</id></item></list><list/></x>"
    found = decode(text, Keyed)
    assert found == Keyed({3: Item(3), 1: Item(1, "b")})
    assert list(found.items) == [3, 1]
    assert decode("<x/>", Keyed) == Keyed({})
    reason, path, _ = refused("<x><list><item id='3'/><item id='3'/></list></x>", Keyed)
    assert (reason, path) == ("two objects have the key 3", "x/list/item")


# --- Elements that are collections -------------------------------------------------------------


def test_an_element_as_a_collection() -> None:
    assert decode("<x> <a>1</a><b>2</b> </x>", list[int]) == [1, 2]
    assert decode("<x><a>1</a><b>1</b></x>", set[int]) == {1}
    assert decode("<x><a>1</a><b>2</b></x>", tuple[int, ...]) == (1, 2)
    assert decode("<x><a>1</a><b>2</b></x>", tuple[int, str]) == (1, "2")
    assert decode("<x><a><i>1</i></a><a/></x>", list[list[int]]) == [[1], []]
    assert refused("<x><a>1</a></x>", tuple[int, str])[:2] == (
        "expected 2 child elements, got 1",
        "x",
    )
    assert refused("<x><a>1</a><b/><c/></x>", tuple[int, str])[0].endswith("elements, got 3")
    assert refused("<x><a>1</a><b>q</b></x>", list[int]) == ('expected int, got "q"', "x/b", 11)


def test_an_element_as_a_dict() -> None:
    assert decode("<x><a>1</a><p:b xmlns:p='u'>2</p:b></x>", dict[str, int]) == {"a": 1, "p:b": 2}
    text = "<x><a>1</a><b/><a>2</a></x>"
    assert decode(text, dict[str, list[str]]) == {"a": ["1", "2"], "b": [""]}
    assert decode(text, dict[str, set[str]]) == {"a": {"1", "2"}, "b": {""}}
    assert refused(text, dict[str, str]) == (
        "the element 'a' is repeated; ask for dict[str, list[str]] or say repeated='first'",
        "x/a",
        15,
    )
    assert decode(text, dict[str, str], repeated="first") == {"a": "1", "b": ""}
    assert decode(text, dict[str, str], repeated="last") == {"a": "2", "b": ""}
    assert decode(text, dict[str, str], repeated="join") == {"a": "1 2", "b": ""}


# --- Choices -----------------------------------------------------------------------------------


@dataclass
class Circle:
    r: float


@dataclass
class Rect:
    w: float
    h: float


@dataclass
class Shapes:
    shapes: Annotated[list[Circle | Rect], at({"circle": Circle, "rect": Rect})]


@dataclass
class OneShape:
    shape: Annotated[Circle | Rect | None, at({"circle": Circle, "rect": Rect})] = None


def test_a_choice_by_name() -> None:
    text = "<x><rect w='1' h='2'/><circle r='3'/><other/><rect w='4'><h>5</h></rect></x>"
    assert decode(text, Shapes).shapes == [Rect(1, 2), Circle(3), Rect(4, 5)]
    assert decode("<x><circle r='3'/></x>", OneShape) == OneShape(Circle(3))
    assert decode("<x/>", OneShape) == OneShape(None)
    assert refused(text, OneShape)[0].startswith("the element 'circle' is repeated; ask for list[")
    assert refused("<x><rect w='1'/></x>", Shapes)[:2] == (
        "Rect lacks the required element or attribute 'h'",
        "x/rect",
    )


@dataclass
class Value:
    value: Annotated[int | str, at({"number": int, "text": str, "text()": str})]


def test_a_choice_of_one() -> None:
    assert decode("<v> <number>4</number> </v>", Value) == Value(4)
    assert decode("<v><text/></v>", Value) == Value("")
    assert decode("<v>x y</v>", Value) == Value("x y")
    assert refused("<v/>", Value)[0].startswith(
        "Value lacks the required element 'number' or 'text'"
    )
    assert refused("<v><number>4</number>x</v>", Value)[:2] == (
        "the text is repeated; ask for list[str] or say repeated='first'",
        "v",
    )


@dataclass
class Bold:
    text: Annotated[str, at("text()")]


@dataclass
class Link:
    href: Annotated[str, at("@href")]
    content: "Annotated[list[str | Bold | Link], at({'text()': str, 'b': Bold, 'a': Link})]"


@dataclass
class Paragraph:
    content: Annotated[list[str | Bold | Link], at({"text()": str, "b": Bold, "a": Link})]


def test_mixed_content_in_order() -> None:
    text = (
        "<p>one <b>two</b><a href='#'>three <b>four</b></a> <i>no</i>five &amp; <![CDATA[six]]></p>"
    )
    assert decode(text, Paragraph).content == [
        "one ",
        Bold("two"),
        Link("#", ["three ", Bold("four")]),
        # What has no path is text like that around it.
        " nofive & six",
    ]
    assert decode("<p/>", Paragraph).content == []


@dataclass
class Round:
    kind: Literal["circle", "disc"]
    r: float


@dataclass
class Square:
    kind: Annotated[Literal["square"], at("@kind")]
    side: float
    colour: str = "black"


@dataclass
class Tagged:
    shape: list[Round | Square]
    one: Round | Square | None = None


def test_a_union_by_an_attribute() -> None:
    text = """<x><shape r="1" kind="disc"/><shape colour="red" side="2" kind="square"><side>3</side>
    </shape><one kind="circle"><r>4</r></one></x>"""
    assert decode(text, Tagged) == Tagged(
        [Round("disc", 1), Square("square", 3, "red")], Round("circle", 4)
    )
    for content in ("<shape r='1'><r>1</r></shape>", "<shape r='1'/>", "<shape>q</shape>"):
        reason, path, _ = refused(f"<x>{content}</x>", Tagged)
        assert reason == (
            "expected Round | Square, got an element without the attribute 'kind' "
            '("circle", "disc" or "square")'
        )
        assert path == "x/shape"
    reason, _, offset = refused("<x><shape kind='cube'/></x>", Tagged)
    assert reason == 'the attribute \'kind\' is "cube", expected "circle", "disc" or "square"'
    assert offset == 15
    assert decode(f"<x {XSI}><one xsi:nil='1'/></x>", Tagged) == Tagged([], None)


@dataclass
class Tree:
    name: str
    node: "list[Tree]"


def test_recursive_elements() -> None:
    text = "<node name='0'>" * 500 + "</node>" * 500
    found = decode(text, Tree)
    for _ in range(499):
        assert found.name == "0"
        (found,) = found.node
    assert found == Tree("0", [])


# --- Nil, unknown names, markup in values ------------------------------------------------------


@dataclass
class Nullable:
    number: int | None
    item: Item | None = None
    text: str = ""


def test_nil() -> None:
    text = (
        f"<x {XSI}><number xsi:nil=' true '/><item id='1' xsi:nil='1'/><text xsi:nil='false'/></x>"
    )
    assert decode(text, Nullable) == Nullable(None, None, "")
    other = text.replace("xsi:", "i:").replace(":xsi", ":i")
    assert decode(other, Nullable) == Nullable(None, None, "")
    reason, path, _ = refused(f"<x {XSI} number='1'><text xsi:nil='true'/></x>", Nullable)
    assert (reason, path) == ("expected str, got an element with xsi:nil", "x/text")
    assert refused("<x><number/></x>", Nullable)[0] == 'expected int | None, got ""'


def test_unknown_names() -> None:
    text = f'<x {XSI} xsi:type="t" id="1" b="2"><c/><p:d xmlns:p="u"/></x>'
    assert decode(text, Item) == Item(1)
    assert refused(text, Item, unknown="error")[:2] == (
        "Item has no field for the attribute 'b'",
        "x/@b",
    )
    assert refused(text.replace('b="2"', ""), Item, unknown="error")[:2] == (
        "Item has no field for the element 'c'",
        "x/c",
    )
    assert refused("<x a='1'><b>2</b></x>", dict[str, int], unknown="error")[:2] == (
        "dict[str, int] has no place for the attribute 'a'",
        "x/@a",
    )
    rest = text.replace('b="2"', "").replace("<c/>", "")
    assert refused(rest, Item, unknown="error")[0] == "Item has no field for the element 'p:d'"
    inner = "<x id='1'><name lang='en'>n<b/></name></x>"
    assert decode(inner, Item) == Item(1, "n")
    assert refused(inner, Item, unknown="error")[:2] == (
        "str has no place for the attribute 'lang'",
        "x/name",
    )


def test_unknown_names_are_counted() -> None:
    reader = penstock.xml.read(
        [b"<r><x id='1' b='2'><c/><c/></x><x id='2'><c/><name q=''/></x></r>"],
        Item,
        unknown="collect",
    )
    assert list(reader) == [Item(1), Item(2)]
    assert dict(reader.unknown) == {"Item.@b": 1, "Item.c": 3, "name.@q": 1}


def test_markup_in_values() -> None:
    text = "<x id='1'><name>a<b x='1'>b<c>c</c></b><d/>d</name></x>"
    assert decode(text, Item) == Item(1, "abcd")
    reason, path, offset = refused("<x><id>1<b/></id></x>", Item)
    assert reason == "expected int, got an element with child elements"
    assert (path, offset) == ("x/id", 3)


def test_elements_where_none_is_expected() -> None:
    assert decode("<x><a><b/></a></x>", dict[str, str]) == {"a": ""}
    assert refused("<x/>", int) == ('expected int, got ""', "x", 0)
    assert decode("<x/>", str) == ""


# --- Chunks, memory ----------------------------------------------------------------------------

DOCUMENT = f"""<r {XSI}><x a="1"><rect w="1" h="2"/><circle r="3"/></x>
<p>one <b>two</b><a href='#&#233;'>thr&amp;ee</a> five</p><t><shape r="1" kind="disc"/></t>
<n><number xsi:nil="true"/><item><id>12345678901234567890</id></item></n></r>"""


@dataclass
class All:
    x: Shapes
    p: Paragraph
    t: Tagged
    n: Nullable


def test_each_byte_alone() -> None:
    whole = decode(DOCUMENT, All)
    decoder = penstock.xml.Decoder(All, at="r")
    rows = [row for byte in DOCUMENT.encode() for row in decoder.feed(bytes([byte]))]
    assert rows + decoder.finish() == [whole]


@given(st.integers(0, len(DOCUMENT)), st.integers(0, 6), st.sampled_from(["", "<", "x", "&", "é"]))
def test_errors_do_not_depend_on_chunks(place: int, length: int, insert: str) -> None:
    data = (DOCUMENT[:place] + insert + DOCUMENT[place + length :]).encode()
    said = []
    for chunks in ([data], [data[n : n + 1] for n in range(len(data))]):
        decoder = penstock.xml.Decoder(All, at="r")
        try:
            for chunk in chunks:
                decoder.feed(chunk)
            decoder.finish()
            said.append(None)
        except penstock.DecodeError as error:
            found = (type(error), str(error), error.offset, error.line, error.column, error.path)
            said.append(found)
    assert said[0] == said[1]


@pytest.mark.thread_unsafe(reason="what it counts is the whole process's")
def test_nothing_leaks() -> None:
    broken = [DOCUMENT, DOCUMENT.replace("disc", "cube"), DOCUMENT.replace("w=", "v=")]

    def run() -> None:
        for text in broken:
            with contextlib.suppress(ValidationError):
                decode(text, All)
            decode(text)

    run()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(50):
        run()
    gc.collect()
    assert abs(len(gc.get_objects()) - before) < 30
