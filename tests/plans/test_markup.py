"""Plans for XML: which elements and attributes lead to fields, and which classes are refused."""

from __future__ import annotations

import datetime as dt
import enum
import gc
import io
import weakref
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, Optional, TypedDict, Union

import pytest

import penstock
from penstock import Hex, Plan, PlanError, ValidationError, at, tag, xml

MEDIA = "urn:media"


@dataclass
class Circle:
    kind: Literal["circle"]
    radius: float


@dataclass
class Rect:
    kind: Literal["rect", "square"]
    width: int = 0


@dataclass
class Bold:
    text: Annotated[str, at("text()")]


@dataclass
class Item:
    id: int
    name: str = ""


def refused(cls: Any, **options: Any) -> str:
    """Why the class has no plan for XML."""
    with pytest.raises(PlanError) as caught:
        xml.decode("<x/>", cls, **options)
    return str(caught.value)


def of(annotation: object, *, name: str = "x") -> type:
    """A class with one field."""
    return dataclass(
        type("Doc", (), {"__annotations__": {name: annotation}, "__module__": __name__})
    )


def two(first: object, second: object) -> type:
    """A class with the fields `a` and `b`."""
    annotations = {"a": first, "b": second}
    return dataclass(type("Doc", (), {"__annotations__": annotations, "__module__": __name__}))


# Names.


@dataclass
class Named:
    id: int
    title: str
    tags: list[str] = field(default_factory=list)
    inner: Item | None = None


def test_a_field_is_the_element_of_its_name() -> None:
    text = "<n><id>3</id><title>t</title><tags>a</tags><tags>b</tags><inner><id>4</id></inner></n>"
    assert xml.decode(text, Named) == Named(3, "t", ["a", "b"], Item(4))


def test_a_scalar_is_the_attribute_of_its_name_too() -> None:
    assert xml.decode('<n id="3" title="t"/>', Named) == Named(3, "t")
    # Only a field that holds one value also takes an attribute.
    assert xml.decode('<n id="3" title="t" tags="a" inner="b"/>', Named) == Named(3, "t")


def test_the_element_counts_before_the_attribute() -> None:
    assert xml.decode('<n id="3" title="t"><title>u</title></n>', Named) == Named(3, "u")


def test_an_attribute_is_for_the_field_that_asks_for_it() -> None:
    @dataclass
    class Doc:
        key: Annotated[int, at("@id")]
        id: int = 0

    assert xml.decode('<x id="3"/>', Doc) == Doc(3)
    assert xml.decode('<x id="3"><id>4</id></x>', Doc) == Doc(3, 4)


@pytest.mark.parametrize("path", ["@*:id", "@{}id", "//@id"])
def test_other_ways_to_ask_for_an_attribute(path: str) -> None:
    cls = two(Annotated[int, at(path)], int)
    cls.__annotations__["id"] = cls.__annotations__.pop("b")
    doc: Any = dataclass(type("Doc", (), {"__annotations__": cls.__annotations__}))
    assert vars(xml.decode('<x id="3"><id>4</id></x>', doc)) == {"a": 3, "id": 4}


def test_an_attribute_of_a_namespace_is_another_one() -> None:
    @dataclass
    class Link:
        other: Annotated[str, at("@{urn:x}href")]
        href: str

    text = '<a xmlns:x="urn:x" x:href="1" href="2"/>'
    assert xml.decode(text, Link) == Link("1", "2")


def test_an_exact_name_beside_a_plain_one() -> None:
    @dataclass
    class Entry:
        title: str = ""
        credit: Annotated[str, at("{urn:media}title")] = ""

    text = '<e xmlns:m="urn:media"><title>t</title><m:title>u</m:title></e>'
    assert xml.decode(text, Entry) == Entry("t", "u")
    # If both match, the exact one wins.
    assert xml.decode('<e xmlns="urn:media"><title>t</title></e>', Entry) == Entry("", "t")


def test_the_keys_of_a_typed_dict() -> None:
    Row = TypedDict("Row", {"@id": int, "media:title": str, "first-name": str})
    text = f'<r id="3" xmlns:m="{MEDIA}"><m:title>t</m:title><first-name>f</first-name></r>'
    row = xml.decode(text, Row, namespaces={"media": MEDIA})
    assert row == {"@id": 3, "media:title": "t", "first-name": "f"}
    prefix = "the prefix 'media' is not among the namespaces (column 1)"
    assert refused(Row) == (
        f"field 'media:title' of Row: 'media:title': {prefix}: pass namespaces={{prefix: uri}}"
    )


def test_a_name_that_no_element_has() -> None:
    Row = TypedDict("Row", {"3": int})
    assert refused(Row) == "field '3' of Row: the name '3' cannot be an element's: say at(...)"


def test_named_tuples() -> None:
    class Point(NamedTuple):
        x: int
        y: Annotated[int, at("@why")]

    assert xml.decode('<p why="2"><x>1</x></p>', Point) == Point(1, 2)


# Prefixes.


class Credit(NamedTuple):
    name: Annotated[str, at("m:credit/@m:name")]


CREDIT = f'<x xmlns:m="{MEDIA}"><m:credit m:name="n"/></x>'
OTHER = f'<x xmlns:q="{MEDIA}"><q:credit q:name="n"/></x>'


def test_prefixes_are_bound() -> None:
    assert xml.decode(CREDIT, Credit, namespaces={"m": MEDIA}) == Credit("n")
    # The document's own prefixes do not matter.
    assert xml.decode(OTHER, Credit, namespaces={"m": MEDIA}) == Credit("n")


def test_prefixes_that_are_not_bound() -> None:
    prefix = "the prefix 'm' is not among the namespaces (column 1)"
    reason = f"at('m:credit/@m:name'): {prefix}: pass namespaces={{prefix: uri}}"
    assert refused(Credit) == f"field 'name' of Credit: {reason}"
    assert refused(Credit, namespaces={"n": MEDIA}) == f"field 'name' of Credit: {reason}"


def test_prefixes_as_written() -> None:
    assert xml.decode(CREDIT, Credit, namespaces=False) == Credit("n")
    with pytest.raises(penstock.ValidationError, match="lacks the required attribute"):
        xml.decode(OTHER, Credit, namespaces=False)


def test_each_binding_has_its_plan() -> None:
    for _ in range(2):
        assert xml.decode(CREDIT, Credit, namespaces={"m": MEDIA}) == Credit("n")
        with pytest.raises(penstock.ValidationError):
            xml.decode(CREDIT, Credit, namespaces={"m": "urn:other"})


def test_xml_is_bound_already() -> None:
    cls = of(Annotated[str, at("@xml:lang")], name="lang")
    assert vars(xml.decode('<x xml:lang="de"/>', cls)) == {"lang": "de"}


# Paths.


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("a//b", "'//' is only allowed at the beginning (column 3)"),
        ("a/3", "an element has no name that is a number (column 3)"),
        ("text()/a", "text() must be the last step (column 1)"),
        ("@*", "an attribute is named; '*' matches children only (column 2)"),
    ],
)
def test_refused_paths(path: str, reason: str) -> None:
    assert refused(of(Annotated[int, at(path)])) == f"field 'x' of Doc: at('{path}'): {reason}"


@pytest.mark.parametrize(
    ("first", "second", "hint"),
    [
        ("u", "u", ""),
        ("u", "*", ""),
        ("@u", "@*:u", ""),
        ("text()", "text()", ""),
        ("u", "u/text()", "; 'u/text()' is the element's own text only"),
        ("u/v/w/text()", "u/v", "; 'u/v/text()' is the element's own text only"),
    ],
)
def test_paths_to_one_value(first: str, second: str, hint: str) -> None:
    cls = two(Annotated[str, at(first)], Annotated[str, at(second)])
    claim = "fields 'a' and 'b' of Doc claim the same value"
    assert refused(cls) == f"{claim}: '{first}' and '{second}'{hint}"


def test_a_name_and_a_path_to_one_value() -> None:
    cls = two(Annotated[str, at("b/c")], Item)
    assert refused(cls) == "fields 'a' and 'b' of Doc claim the same value: 'b/c' and 'b'"


def test_the_text_beside_an_attribute() -> None:
    cls = two(Annotated[float, at("price/text()")], Annotated[str, at("price/@currency")])
    doc = xml.decode('<x><price currency="EUR">1.5</price></x>', cls)
    assert vars(doc) == {"a": 1.5, "b": "EUR"}


def test_text_is_of_xml_only() -> None:
    with pytest.raises(PlanError, match=r"text\(\) is a step of XML paths \(column 1\)$"):
        penstock.json.decode("{}", Bold)


# Choices of types by path.


@dataclass
class Drawing:
    shapes: Annotated[list[Circle | Rect], at({"circle": Circle, "rect": Rect})]


def test_a_choice() -> None:
    text = '<d><rect kind="rect"/><circle kind="circle" radius="2"/><line/></d>'
    expected = Drawing([Rect("rect"), Circle("circle", 2)])
    assert xml.decode(text, Drawing) == expected
    assert repr(Plan(Drawing)).splitlines()[:3] == [
        "Plan(Drawing)",
        "Drawing, fast: attributes",
        "    shapes: list[Circle | Rect] at 'circle or rect'",
    ]


def test_mixed_content() -> None:
    cls = of(Annotated[list[str | Bold], at({"text()": str, "b": Bold})])
    assert vars(xml.decode("<p>one <b>two</b><b>three</b> four</p>", cls)) == {
        "x": ["one ", Bold("two"), Bold("three"), " four"]
    }


def test_a_choice_of_one() -> None:
    cls = of(Annotated[Circle | Rect | None, at({"circle": Circle, "rect": Rect})])
    doc = xml.decode('<d><rect kind="square" width="2"/></d>', cls)
    assert vars(doc) == {"x": Rect("square", 2)}
    nil = '<d xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><rect i:nil="true"/></d>'
    assert vars(xml.decode(nil, cls)) == {"x": None}
    twice = '<d><rect kind="rect"/><circle kind="circle" radius="1"/></d>'
    with pytest.raises(penstock.ValidationError, match="the element 'circle' is repeated"):
        xml.decode(twice, cls)


@pytest.mark.parametrize(
    "annotation",
    [
        tuple[Item | str, ...],
        list[Any],
        list,
        Optional[list[Union["Item", str]]],
        list["Item | str"],
        "list[Item | str]",
    ],
)
def test_spellings_of_a_choice(annotation: Any) -> None:
    cls = of(Annotated[annotation, at({"i": Item, "s": "str"})])
    found = vars(xml.decode('<d><s>a</s><i id="3"/></d>', cls))["x"]
    assert list(found) == ["a", Item(3)]


def test_a_choice_of_equal_types() -> None:
    cls = of(Annotated[list[list[int] | str], at({"n": list[int], "s": str})])
    doc = xml.decode("<d><n><i>1</i><i>2</i></n><s>a</s></d>", cls)
    assert vars(doc) == {"x": [[1, 2], "a"]}


@pytest.mark.parametrize(
    ("annotation", "missing", "members"),
    [
        (list[Circle | Rect], "Item", "Circle | Rect"),
        (list[Circle], "Item", "Circle"),
        (Circle | None, "Item", "Circle | None"),
        (dict[str, Item], "Item", "dict[str, test_markup.Item]"),
    ],
)
def test_a_choice_that_the_annotation_does_not_cover(
    annotation: Any, missing: str, members: str
) -> None:
    cls = of(Annotated[annotation, at({"i": Item})])
    reason = f"at(...) leads to {missing}, which is not one of {members}"
    assert refused(cls).replace(f"{__name__}.", "test_markup.") == f"field 'x' of Doc: {reason}"


def test_one_annotation_for_a_choice_and_a_union() -> None:
    shapes = list[Circle | Rect]
    cls = two(Annotated[shapes, at({"c": Circle, "r": Rect})], Annotated[shapes, at("s")])
    doc = xml.decode('<d><r kind="rect"/><s kind="rect"/><s kind="circle" radius="1"/></d>', cls)
    assert vars(doc) == {"a": [Rect("rect")], "b": [Rect("rect"), Circle("circle", 1)]}


def test_a_choice_whose_paths_meet() -> None:
    cls = of(Annotated[list[Any], at({"i": Item, "//i": str})])
    assert refused(cls) == "field 'x' of Doc: 'i' and '//i' lead to the same value"


def test_a_set_of_what_has_no_hash() -> None:
    cls = of(Annotated[set[Circle | Rect], at({"c": Circle, "r": Rect})])
    reason = "Circle has no hash, so it cannot be an element of a set"
    assert refused(cls) == f"field 'x' of Doc: {reason}"
    assert refused(of(set[Circle | Rect])) == (
        "field 'x' of Doc: Circle | Rect has no hash, so it cannot be an element of a set"
    )


# Unions by an attribute.


def test_a_union() -> None:
    cls = two(Circle | Rect | None, list[Circle | Rect])
    text = '<d><b kind="square"/><a radius="2" kind="circle"/><b kind="rect" width="1"/></d>'
    expected = {"a": Circle("circle", 2), "b": [Rect("square"), Rect("rect", 1)]}
    assert vars(xml.decode(text, cls)) == expected
    assert repr(Plan(cls)).splitlines()[2:4] == [
        "    a: Circle | Rect | None",
        "    b: list[Circle | Rect]",
    ]
    nil = '<d xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><a i:nil="true"/><b kind="rect"/></d>'
    assert vars(xml.decode(nil, cls)) == {"a": None, "b": [Rect("rect")]}


@dataclass
class Unheard:
    kind: Annotated[str, at("@kind")] = ""
    note: list[str] = field(default_factory=list)
    text: Annotated[str, at("text()")] = ""


@pytest.mark.parametrize(
    ("union", "others"),
    [
        (
            Annotated[
                Circle | Rect | Unheard,
                tag("kind", {"circle": Circle, "rect": Rect}, other=Unheard),
            ],
            [Unheard("oval", ["a", "b"]), Unheard(), Unheard("", ["c"]), Unheard("", [], "hi")],
        ),
        (
            Circle | Rect | Any,
            [{"@kind": "oval", "@z": "1", "note": ["a", "b"]}, None, {"note": "c"}, "hi"],
        ),
        (Circle | Rect | dict[str, list[str]], [{"note": ["a", "b"]}, {}, {"note": ["c"]}, {}]),
    ],
)
def test_a_member_for_all_other_elements(union: Any, others: list[object]) -> None:
    text = (
        '<d><a>1</a><b kind="rect" width="1"/><b z="1" kind="oval"><note>a</note><note>b</note></b><b/>'
        '<b><note>c</note></b><b>hi</b><b radius="2" kind="circle"/></d>'
    )
    expected = [Rect("rect", 1), *others, Circle("circle", 2)]
    assert xml.decode(text, two(int, list[union])).b == expected
    assert (
        list(xml.read([text[i : i + 1].encode() for i in range(len(text))], union, at="d/b"))
        == expected
    )
    assert xml.decode('<b kind="rect"/>', union) == Rect("rect")


def test_an_element_for_no_class_that_does_not_fit() -> None:
    with pytest.raises(ValidationError) as caught:
        xml.decode(
            '<d><a>1</a><b kind="oval"><n>x</n></b></d>', two(int, list[Rect | dict[str, int]])
        )
    assert (caught.value.path, caught.value.reason) == ("d/b/n", 'expected int, got "x"')
    with pytest.raises(ValidationError) as caught:
        xml.decode('<d><a>1</a><b kind="rect" width="x"/></d>', two(int, list[Rect | Any]))
    assert (caught.value.path, caught.value.reason) == ("d/b/@width", 'expected int, got "x"')


def test_a_union_at_the_root() -> None:
    assert xml.decode('<s kind="square"/>', Circle | Rect) == Rect("square")


class Sort(enum.StrEnum):
    A = "a"


class Other(enum.StrEnum):
    B = "b"


@dataclass
class First:
    sort: Annotated[Sort, at("@s")]


@dataclass
class Second:
    sort: Annotated[Other, at("@s")]


def test_a_union_by_an_enum_of_text() -> None:
    assert xml.decode('<x s="b"/>', First | Second) == Second(Other.B)


class Plain(enum.Enum):
    A = "a"


@dataclass
class WithPlain:
    kind: Plain


@dataclass
class Prefixed:
    kind: Annotated[Literal["prefixed"], at("@{urn:x}kind")]


@pytest.mark.parametrize(
    "union",
    [Circle | Item, Rect | Bold, WithPlain | Item, Circle | Prefixed],
)
def test_unions_that_nothing_tells_apart(union: Any) -> None:
    names = " | ".join(cls.__name__ for cls in union.__args__)
    assert refused(of(union)) == (
        f"field 'x' of Doc: no attribute tells the classes of {names} apart: give each of them a "
        "field of a Literal type for the same attribute, or choose by the element's name with "
        'at({"name": Class, ...})'
    )


def test_unions_that_share_a_value() -> None:
    @dataclass
    class Disc:
        kind: Literal["disc", "circle"]

    assert refused(Circle | Disc).startswith(
        "no attribute tells the classes of Circle | Disc apart"
    )


@pytest.mark.parametrize(
    ("union", "part"), [(Circle | int, "Circle"), (Circle | list[Rect], "list[Rect]")]
)
def test_unions_of_other_types(union: Any, part: str) -> None:
    names = " | ".join(getattr(arg, "__name__", str(arg)) for arg in union.__args__)
    assert refused(of(union)).endswith(f"in XML nothing tells {part} from the others"), names


# Dicts by a key.


@dataclass
class Shelf:
    items: Annotated[dict[int, Item], at("item", key="id")] = field(default_factory=dict)


def test_a_dict_by_a_key() -> None:
    text = '<s><item id="3"><name>c</name></item><item id="1"/></s>'
    assert xml.decode(text, Shelf) == Shelf({3: Item(3, "c"), 1: Item(1)})
    assert xml.decode("<s/>", Shelf) == Shelf()
    with pytest.raises(penstock.ValidationError, match="two objects have the key 3"):
        xml.decode('<s><item id="3"/><item id="3"/></s>', Shelf)


def test_a_dict_by_a_key_in_json() -> None:
    cls = of(Annotated[dict[int, Item], at("items/*", key="id")])
    doc = penstock.json.decode('{"items": [{"id": 3}, {"id": 1, "name": "a"}]}', cls)
    assert vars(doc) == {"x": {3: Item(3), 1: Item(1, "a")}}
    with pytest.raises(PlanError, match=r"end it in '/\*'$"):
        penstock.json.decode("{}", Shelf)


class Partial(TypedDict, total=False):
    id: int


class Keyless(NamedTuple):
    id: list[int]


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        (list[Item], "at(key='id') is for a dict[K, V], not list[test_markup.Item]"),
        (Item, "at(key='id') is for a dict[K, V], not Item"),
        (dict, "at(key='id') is for a dict[K, V], not dict"),
        (dict[int, int], "at(key='id') takes objects, not int"),
        (dict[int, Item | None], "at(key='id') takes objects, not Item | None"),
        (dict[int, Bold], "at(key='id'): Bold has no such field"),
        (dict[str, Item], "at(key='id'): the keys are str, and id is int"),
        (dict[int, Partial], "at(key='id'): Partial may lack it"),
        (dict[list[int], Keyless], "list[int] has no hash, so it cannot be a key"),
    ],
)
def test_refused_keys(annotation: Any, reason: str) -> None:
    message = refused(of(Annotated[annotation, at("i", key="id")]))
    assert message.replace(f"{__name__}.", "test_markup.") == f"field 'x' of Doc: {reason}"


def test_one_annotation_with_and_without_a_key() -> None:
    items = dict[int, Item]
    cls = two(Annotated[items, at("i", key="id")], Annotated[items, at("j")])
    doc = xml.decode('<x><i id="1"/><i id="2"/><j/></x>', cls)
    assert list(doc.a) == [1, 2]
    assert doc.b == {}


# Types.


def test_hexadecimal_digits() -> None:
    cls = two(Annotated[bytes, Hex], list[Annotated[bytes | None, Hex]])
    doc = xml.decode("<x><a>00fF</a><b/><b>20</b></x>", cls)
    assert vars(doc) == {"a": b"\x00\xff", "b": [b"", b" "]}
    assert penstock.json.decode('{"a": "00ff", "b": []}', cls) == cls(b"\x00\xff", [])
    assert refused(of(Annotated[str, Hex])) == "field 'x' of Doc: Hex is only for bytes"
    assert refused(of(list[Annotated[int, Hex]])) == "field 'x' of Doc: Hex is only for bytes"


def test_durations() -> None:
    cls = of(dt.timedelta)
    expected = {"x": dt.timedelta(days=1, hours=2)}
    assert vars(xml.decode('<d x="P1DT2H"/>', cls)) == expected
    assert vars(penstock.json.decode('{"x": "P1DT2H"}', cls)) == expected


# Plans as objects, and how long they are cached.


def test_a_plan_serves_both_families() -> None:
    plan = Plan(Item)
    assert repr(plan).splitlines()[0] == "Plan(Item)"
    assert format(plan, "json") == format(plan, "ndjson") == format(plan) == repr(plan)
    assert format(plan, "xml").splitlines()[0] == "Plan(Item) for XML"
    assert format(plan, "csv").splitlines()[0] == "Plan(Item) for CSV"
    assert format(plan, "plist") == repr(plan)
    formats = "'json', 'ndjson', 'xml', 'csv' and 'plist' are formats of a plan"
    with pytest.raises(ValueError, match=formats):
        format(plan, "yaml")
    for _ in range(2):
        assert xml.decode('<i id="3"/>', plan) == Item(3)
        assert penstock.json.decode('{"id": 3}', plan) == Item(3)
    drawing = Plan(Drawing)
    assert xml.decode("<d><rect kind='rect'/></d>", drawing) == Drawing([Rect("rect")])
    made = penstock.json.decode('{"rect": {"kind": "rect"}}', drawing)
    assert made == Drawing([Rect("rect")])


def test_a_plan_with_names_and_prefixes() -> None:
    @dataclass
    class Local:
        items: Annotated[list[Unknown], at("m:i")]  # type: ignore[name-defined]  # noqa: F821

    plan = Plan(Local, namespace={"Unknown": Item})
    text = f'<x xmlns:m="{MEDIA}"><m:i id="3"/></x>'
    assert xml.decode(text, plan, namespaces={"m": MEDIA}) == Local([Item(3)])


def test_what_neither_family_has() -> None:
    with pytest.raises(PlanError, match=r"nothing tells them apart in an array$"):
        Plan(list[int] | list[str])


def test_a_changed_class_is_planned_again_for_each_family() -> None:
    class Doc:
        x: int

    cls: Any = Doc
    plan = Plan(cls)

    def values() -> list[object]:
        read = [xml.decode("<d><x>3</x><y>4</y></d>", into) for into in (cls, plan)]
        read += [penstock.json.decode('{"x": 3, "y": 4}', into) for into in (cls, plan)]
        return [vars(doc) for doc in read]

    assert values() == [{"x": 3}] * 4
    cls.__annotations__ = {"x": int, "y": int}
    assert values() == [{"x": 3, "y": 4}] * 4


def test_plans_do_not_keep_classes() -> None:
    def use() -> weakref.ref[type]:
        cls = of(Annotated[str, at("m:x")])
        for prefixes in ({"m": "urn:a"}, {"m": "urn:b"}):
            assert vars(
                xml.decode(
                    f'<d xmlns:m="{prefixes["m"]}"><m:x>a</m:x></d>', cls, namespaces=prefixes
                )
            ) == {"x": "a"}
        plan = Plan(list[cls])  # type: ignore[valid-type]
        assert xml.decode("<d/>", plan, namespaces=False) == []
        return weakref.ref(cls)

    kept = use()
    gc.collect()
    gc.collect()
    assert kept() is None


# Several kinds of records.


def test_several_kinds() -> None:
    text = b'<l><i id="1"/><shape kind="rect"/><x/><i id="2"/></l>'
    kinds: dict[str, Any] = {"l/i": Plan(Item), "l/shape": Circle | Rect}
    assert list(xml.read(io.BytesIO(text), at=kinds)) == [Item(1), Rect("rect"), Item(2)]


def test_the_key_of_several_kinds() -> None:
    class Found(NamedTuple):
        name: Annotated[str, at("key()")]
        id: int

    kinds = {"l/a/*": Found, "l/b/*": Item}
    text = b'<l><a><x id="1"/></a><b><y id="2"/></b><a><z id="3"/></a></l>'
    assert list(xml.read(io.BytesIO(text), at=kinds)) == [Found("x", 1), Item(2), Found("z", 3)]
