"""Unions of classes with a key that distinguishes them, from JSON. For XML see `test_markup`."""

import datetime
import enum
import itertools
import json as plain_json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import (
    LimitExceeded,
    Limits,
    MalformedInput,
    Plan,
    PlanError,
    TruncatedInput,
    ValidationError,
    at,
    json,
    ndjson,
    tag,
    xml,
)


class Sort(enum.Enum):
    LINE = "line"
    POINT = "point"


@dataclass
class Circle:
    kind: Literal["circle", "disc"]
    radius: int


@dataclass
class Rect:
    kind: Literal["rect"]
    width: int
    inner: "Shape | None" = None


@dataclass
class Line:
    kind: Literal["line"]
    length: int


@dataclass
class First:
    version: Literal[1]
    a: int


@dataclass
class Second:
    version: Literal[2, 3]
    a: int


@dataclass
class Created:
    id: int
    author: str


@dataclass
class Moved:
    id: int
    to: int
    by: str = ""


@dataclass
class Touched:
    id: int


@dataclass
class Alike:
    id: int


@dataclass
class Said:
    event: str
    id: int


@dataclass
class Open:
    all: Annotated[list[str | int], at("*")]


class Keys(TypedDict):
    id: int
    keys: list[str]


Shape = Circle | Rect
Event = Created | Moved | Touched
Tagged = Annotated[Created | Moved, tag("event", {"new": Created, "mv": Moved, "rename": Moved})]


def orders(record: dict[str, Any]) -> list[str]:
    """The record as text, with its keys in each order."""
    return [plain_json.dumps(dict(pairs)) for pairs in itertools.permutations(record.items())]


@pytest.mark.parametrize(
    ("into", "record", "value"),
    [
        (Shape, {"kind": "circle", "radius": 1, "more": [{"kind": "rect"}]}, Circle("circle", 1)),
        (Shape, {"kind": "disc", "radius": 1}, Circle("disc", 1)),
        (Shape, {"kind": "rect", "width": 2, "inner": None}, Rect("rect", 2)),
        (
            Shape,
            {"width": 2, "inner": {"radius": 1, "kind": "circle"}, "kind": "rect"},
            Rect("rect", 2, Circle("circle", 1)),
        ),
        (First | Second, {"version": 1, "a": 2}, First(1, 2)),
        (First | Second, {"version": 3, "a": 2}, Second(3, 2)),
        (Event, {"id": 1, "by": "me"}, Touched(1)),
        (Event, {"id": 1, "to": 2, "by": "me"}, Moved(1, 2, "me")),
        (Created | Keys, {"id": 1, "keys": ["a"], "other": 1}, {"id": 1, "keys": ["a"]}),
        (Created | Keys, {"id": 1, "author": "a"}, Created(1, "a")),
        (Tagged, {"event": "new", "id": 1, "author": "me"}, Created(1, "me")),
        (Tagged, {"event": "rename", "id": 1, "to": 2}, Moved(1, 2)),
        (Plan(Created | Moved, tag="type"), {"type": "Moved", "id": 1, "to": 2}, Moved(1, 2)),
        (Shape | int | None, {"kind": "disc", "radius": 1}, Circle("disc", 1)),
    ],
)
def test_the_class_is_found_wherever_its_key_stands(
    into: Any, record: dict[str, Any], value: object
) -> None:
    for text in orders(record):
        got = json.decode(text, into)
        assert got == value
        assert type(got) is type(value)


def test_in_other_values() -> None:
    text = '{"a": [{"radius": 1, "kind": "disc"}, 7, null], "b": []}'
    assert json.decode(text, dict[str, list[Shape | int | None]]) == {
        "a": [Circle("disc", 1), 7, None],
        "b": [],
    }


@pytest.mark.parametrize(
    ("into", "text", "path", "column", "reason"),
    [
        (
            Shape,
            '{"kind": "oval"}',
            "kind",
            10,
            'the key "kind" is "oval", expected "circle", "disc" or "rect"',
        ),
        (
            Shape,
            '{"kind": 7}',
            "kind",
            10,
            'the key "kind" is 7, expected "circle", "disc" or "rect"',
        ),
        (
            Shape,
            '{"kind": null}',
            "kind",
            10,
            'the key "kind" is null, expected "circle", "disc" or "rect"',
        ),
        (
            Shape,
            '{"kind": ["rect"]}',
            "kind",
            10,
            'the key "kind" is an array or an object, expected "circle", "disc" or "rect"',
        ),
        (
            Shape,
            '{"radius": 1}',
            None,
            13,
            'expected Circle | Rect, got an object without the key "kind" ("circle", "disc" or "rect")',
        ),
        (Shape, "[]", None, 1, "expected Circle | Rect, got an array"),
        (Shape, '{"radius": "a", "kind": "disc"}', "radius", 12, "expected int, got a string"),
        (Shape, '{"kind": "disc"}', None, 16, 'Circle lacks the required key "radius"'),
        (
            First | Second,
            '{"version": 4}',
            "version",
            13,
            'the key "version" is 4, expected 1, 2 or 3',
        ),
        (
            Created | Moved,
            '{"id": 1}',
            None,
            9,
            'expected Created | Moved, got an object without a key of theirs ("author" or "to")',
        ),
        (
            Tagged,
            '{"event": "old"}',
            "event",
            11,
            'the key "event" is "old", expected "new", "mv" or "rename"',
        ),
    ],
)
def test_what_does_not_fit(
    into: Any, text: str, path: str | None, column: int, reason: str
) -> None:
    for prefix, suffix, steps, asked in [("", "", [], into), ("[", "]", ["0"], list[into])]:
        with pytest.raises(ValidationError) as caught:
            json.decode(prefix + text + suffix, asked)
        error = caught.value
        where = "/".join(steps + ([path] if path else [])) or None
        assert (error.reason, error.path, error.column) == (reason, where, column + len(prefix))


def test_records_behind_one_that_does_not_fit() -> None:
    lines = b'{"radius": 1, "kind": "disc"}\n{"kind": "x"}\n{"a": 1}\n{"radius":\n{"kind": "rect", "width": 1}\n'
    rows = ndjson.read([lines], Shape, errors="skip")
    assert list(rows) == [Circle("disc", 1), Rect("rect", 1)]
    assert rows.skipped == 3


@pytest.mark.parametrize(
    "text",
    [
        '{"radius": tru, "kind": "disc"}',
        '{"radius" 1, "kind": "disc"}',
        '{"radius": 1 "kind": "disc"}',
    ],
)
def test_malformed_while_looking(text: str) -> None:
    with pytest.raises(MalformedInput) as looking:
        json.decode(text, Shape)
    with pytest.raises(MalformedInput) as plain:
        json.decode(text)
    assert (looking.value.offset, looking.value.reason) == (plain.value.offset, plain.value.reason)


@given(st.data())
def test_however_it_is_cut(data: st.DataObject) -> None:
    text = (
        b'[{"a": {"kind": [1, {"kind": "rect"}]}, "\\u00e9": "\\ud834\\udd1e", "radius": 12, '
        b'"kind": "disc"}, {"inner": {"width": 1, "kind": "rect"}, "width": -3, "kind": "rect"}]'
    )
    ends = sorted(data.draw(st.sets(st.integers(1, len(text) - 1), max_size=12)))
    pieces = [text[a:b] for a, b in itertools.pairwise([0, *ends, len(text)])]
    expected = [Circle("disc", 12), Rect("rect", -3, Rect("rect", 1))]
    assert list(json.read(pieces, Shape)) == expected
    # A truncated document gives the first rows, and then TruncatedInput.
    decoder = json.Decoder(Shape)
    rows = [row for piece in pieces[:-1] for row in decoder.feed(piece)]
    assert rows == expected[: len(rows)]
    with pytest.raises(TruncatedInput):
        decoder.finish()


@given(st.data())
def test_as_by_hand(data: st.DataObject) -> None:
    """A naive twin: parse everything, look up the key, call the class."""
    extra = st.dictionaries(
        st.text(max_size=3).filter(lambda key: key not in {"kind", "radius", "width", "inner"}),
        st.recursive(st.none() | st.integers() | st.text(max_size=3), st.lists, max_leaves=4),
        max_size=3,
    )
    record = data.draw(extra) | data.draw(
        st.sampled_from(
            [{"kind": "disc", "radius": 1}, {"kind": "rect", "width": 2}, {"radius": 1}]
        )
    )
    keys = data.draw(st.permutations(list(record)))
    text = plain_json.dumps({key: record[key] for key in keys})
    if "kind" not in record:
        with pytest.raises(ValidationError, match="without the key"):
            json.decode(text, Shape)
    elif record["kind"] == "disc":
        assert json.decode(text, Shape) == Circle("disc", 1)
    else:
        assert json.decode(text, Shape) == Rect("rect", 2)


def test_the_limit_does_not_depend_on_the_windows() -> None:
    text = '{"radius": 1, "more": "' + "x" * 50 + '", "kind": "disc"}'
    for lookahead in range(60, 100):
        limits = Limits(lookahead=lookahead)
        outcomes = []
        for size in (1, 7, 1000):
            chunks = [text[i : i + size].encode() for i in range(0, len(text), size)]
            try:
                outcomes.append(str(list(json.read(chunks, Shape, limits=limits))))
            except LimitExceeded as error:
                outcomes.append(f"{error.offset}: {error.reason}")
        assert len(set(outcomes)) == 1
        assert outcomes[0].startswith(("0: the first ", "[Circle("))
    assert outcomes[0] == "[Circle(kind='disc', radius=1)]"
    with pytest.raises(
        LimitExceeded, match=r"\(limits.lookahead\): the key that does should come first"
    ):
        json.decode(text, Shape, limits=Limits(lookahead=60))


@pytest.mark.parametrize(
    ("union", "reason"),
    [
        (Touched | Alike, "nothing tells the classes of Touched | Alike apart"),
        (Annotated[Created | Moved, tag("t", {"a": Created})], "tag(...) has no value for Moved"),
        (
            Annotated[Created | Moved, tag("t", {"a": Created, "b": Rect})],
            "tag(...) names Rect, which is not in the union",
        ),
        (Annotated[int | str, tag("t")], "tag(...) is only for a union of classes"),
    ],
)
def test_unions_that_cannot_be_planned(union: Any, reason: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan(union)
    assert str(caught.value).startswith(reason)


# A member for all other objects.


@dataclass
class Unheard:
    event: str = ""
    id: int = 0


Known = {"new": Created, "mv": Moved}
Spelled = Annotated[Created | Moved, tag("event", Known)]


@pytest.mark.parametrize(
    ("into", "record", "value"),
    [
        (
            Annotated[Created | Moved | Unheard, tag("event", Known, other=Unheard)],
            {"event": "gone", "id": 7, "by": "me"},
            Unheard("gone", 7),
        ),
        (
            Annotated[Created | Unheard, tag("event", other=Unheard)],
            {"event": "Moved", "id": 7},
            Unheard("Moved", 7),
        ),
        (
            Annotated[Created | Unheard, tag("event", other=Unheard)],
            {"event": "Created", "id": 7, "author": "me"},
            Created(7, "me"),
        ),
        (
            Plan(Created | Unheard, tag=tag("event", {"new": Created}, other=Unheard)),
            {"id": 7},
            Unheard("", 7),
        ),
        (Annotated[Created | Moved | dict, tag("event", Known)], {"event": 7}, {"event": 7}),
        (Annotated[Created | Moved | dict, tag("event", Known)], {"id": [7]}, {"id": [7]}),
        (Spelled | dict, {"event": None, "id": 7}, {"event": None, "id": 7}),
        (
            Spelled | dict[str, int] | None,
            {"event": 1, "id": 7, "to": 3},
            {"event": 1, "id": 7, "to": 3},
        ),
        (Spelled | dict, {"event": "mv", "id": 1, "to": 2}, Moved(1, 2)),
        (Spelled | Any, {"event": "gone", "to": 3.5}, {"event": "gone", "to": 3.5}),
        (Spelled | Any, {"event": "mv", "id": 1, "to": 2}, Moved(1, 2)),
        (Shape | dict, {"kind": "oval", "radius": 1}, {"kind": "oval", "radius": 1}),
        (Shape | dict, {"kind": "disc", "radius": 1}, Circle("disc", 1)),
        (Circle | dict, {"kind": "rect", "radius": 1}, {"kind": "rect", "radius": 1}),
        (First | Second | dict, {"version": 4, "a": 1}, {"version": 4, "a": 1}),
        (First | Second | dict, {"version": 2, "a": 1}, Second(2, 1)),
        # By the keys that are there.
        (Created | Moved | dict, {"id": 1}, {"id": 1}),
        (Created | Moved | dict, {"id": 1, "to": 2}, Moved(1, 2)),
        (Created | dict, {"author": "me", "id": 1}, Created(1, "me")),
        (Created | Keys | Any, {"id": 1, "author": "a"}, Created(1, "a")),
        (Created | Keys | Any, {}, {}),
    ],
)
def test_a_member_for_all_other_objects(into: Any, record: dict[str, Any], value: object) -> None:
    for text in orders(record):
        got = json.decode(text, into)
        assert got == value
        assert type(got) is type(value)
        cut = [text[i : i + 1].encode() for i in range(len(text))]
        assert list(json.read(cut, into)) == [value]
        assert json.open(text.encode()).to(into) == value


def test_any_beside_classes_takes_every_other_value() -> None:
    text = '[{"to": 2, "id": 1}, {"z": [1]}, [{"to": 2}], "a", 7, 1.5, true, null, 123456789012345678901]'
    others = [{"z": [1]}, [{"to": 2}], "a", 7, 1.5, True, None, 123456789012345678901]
    assert json.decode(text, list[Moved | Any]) == [Moved(1, 2), *others]
    assert json.decode(text, list[Moved | dict[str, list[int]] | Any]) == [Moved(1, 2), *others]
    got = json.decode('[1, "2026-03-01", 2.5, {}]', list[Moved | datetime.date | float | Any])
    assert got == [1, datetime.date(2026, 3, 1), 2.5, {}]
    assert [type(value) for value in got] == [float, datetime.date, float, dict]
    assert repr(Plan(list[Moved | Any])).splitlines()[0] == "Plan(list[Moved | Any])"
    assert repr(Plan(Created | dict | None)).splitlines()[0] == "Plan(Created | dict | None)"


def test_an_object_of_a_class_that_does_not_fit_it_is_no_other_object() -> None:
    for into in (Spelled | dict, Spelled | Any):
        with pytest.raises(ValidationError) as caught:
            json.decode('{"event": "mv", "id": 1, "to": "b"}', into)
        assert (caught.value.path, caught.value.reason) == ("to", "expected int, got a string")
    with pytest.raises(ValidationError) as caught:
        json.decode('{"event": "gone", "id": "a"}', Spelled | dict[str, int])
    assert (caught.value.path, caught.value.reason) == ("event", "expected int, got a string")
    with pytest.raises(ValidationError, match=r"expected Created \| Moved \| dict, got an array"):
        json.decode("[]", Spelled | dict)


def test_what_is_done_with_an_object_of_no_class() -> None:
    def kind(value: Moved | dict[str, Any]) -> str:
        return type(value).__name__

    into = Annotated[Moved | dict[str, Any], penstock.via(kind)]
    assert json.decode('[{"id": 1, "to": 2}, {"z": 1}]', list[into]) == ["Moved", "dict"]
    other = Annotated[Moved | Unheard, tag("event", {"mv": Moved}, other=Unheard)]
    lines = b'{"event": "mv", "id": 1, "to": 2}\n{"event": "x", "z": 1}\n{"z": 1}\n'
    # The tag is known, and an unknown key in an object of any class.
    rows = ndjson.read([lines], other, unknown="collect")
    assert list(rows) == [Moved(1, 2), Unheard("x"), Unheard()]
    assert rows.unknown == {"Unheard.z": 2}


def test_the_key_by_which_an_object_of_no_class_was_found() -> None:
    @dataclass
    class Named:
        name: Annotated[str, at("key()")]
        id: int = 0

    into = Annotated[Moved | Named, tag("event", {"mv": Moved}, other=Named)]
    text = '{"a": {"event": "mv", "id": 1, "to": 2}, "b": {"id": 3}}'
    assert list(json.read([text.encode()], into, at="*")) == [Moved(1, 2), Named("b", 3)]


@pytest.mark.parametrize(
    ("union", "reason"),
    [
        (
            Annotated[Created | Moved, tag("t", {"a": Created, "b": Moved}, other=Rect)],
            "tag(...) names other=Rect, which is not in the union",
        ),
        (
            Annotated[Created | Moved, tag("t", {"a": Created, "b": Moved}, other=dict)],
            "tag(...) names other=dict, which is not in the union",
        ),
        (
            Annotated[Created | Moved | dict, tag("t", {"a": Created}, other=Moved)],
            "tag(...) has other=, and dict also takes all other objects",
        ),
        (
            Created | dict[str, int] | dict[str, str],
            "dict[str, int] | dict[str, str]: nothing tells them apart in an object",
        ),
        (Alike | Unheard | dict, "nothing tells the classes of Alike | Unheard | dict apart"),
    ],
)
def test_members_for_all_other_objects_that_cannot_be_planned(union: Any, reason: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan(union)
    assert str(caught.value).startswith(reason)


def test_a_key_of_one_class_alone_is_enough() -> None:
    plan = Plan(Touched | Keys)
    assert json.decode('{"id": 1}', plan) == Touched(1)
    assert json.decode('{"id": 1, "keys": ["a"]}', plan) == {"id": 1, "keys": ["a"]}


def test_a_class_beside_itself() -> None:
    assert json.decode('{"author": "me", "id": 1}', Plan(Created | Created)) == Created(1, "me")


def test_a_tag_that_the_plan_is_given_is_that_of_the_unions_in_it() -> None:
    plan = Plan(list[Created | Moved], tag=tag("type"))
    text = '[{"id": 1, "to": 2, "type": "Moved"}, {"type": "Created", "id": 1, "author": "me"}]'
    assert json.decode(text, plan) == [Moved(1, 2), Created(1, "me")]


def test_from_xml_by_what_the_tag_says() -> None:
    text = '<e event="mv"><id>1</id><to>2</to></e>'
    assert xml.decode(text, Tagged) == Moved(1, 2)


def test_the_word() -> None:
    word = tag("type", {"a": Circle, 1: Rect})
    assert repr(word) == "tag('type', {'a': Circle, 1: Rect})"
    assert repr(tag("type")) == "tag('type')"
    assert word == tag("type", {"a": Circle, 1: Rect})
    assert hash(word) == hash(tag("type", {"a": Circle, 1: Rect}))
    assert word != tag("type")
    more = tag("type", {"a": Circle}, other=Rect)
    assert repr(more) == "tag('type', {'a': Circle}, other=Rect)"
    assert repr(tag("type", other=Rect)) == "tag('type', other=Rect)"
    assert more != tag("type", {"a": Circle})
    assert (pickle.loads(pickle.dumps(more)), hash(more)) == (
        more,
        hash(pickle.loads(pickle.dumps(more))),
    )
    wrong: Any = 3
    with pytest.raises(TypeError, match=r"^tag\(\) takes a key as a str, not int$"):
        tag(wrong)
    with pytest.raises(TypeError, match=r"takes a mapping of values to classes, not int"):
        tag("a", wrong)
    with pytest.raises(TypeError, match=r"takes values that are str or int, not 1.5"):
        tag("a", {1.5: Circle})
    with pytest.raises(AttributeError, match="cannot be changed"):
        word.key = "b"
    assert penstock.tag is tag


def test_what_is_done_with_an_object_of_the_union() -> None:
    def area(shape: Shape) -> int:
        return shape.radius if isinstance(shape, Circle) else shape.width

    alone = Annotated[int, penstock.via(area)]
    text = '[{"kind": "disc", "radius": 3}, {"width": 4, "kind": "rect"}]'
    assert json.decode(text, list[alone]) == [3, 4]
    assert json.decode(text[:-1] + ', "a"]', list[alone | str]) == [3, 4, "a"]


@dataclass
class Named:
    name: Annotated[str, penstock.at("key()")]
    id: int


@dataclass
class Unnamed:
    name: Annotated[str, penstock.at("key()")] = "no name"


@dataclass
class Numbered:
    number: int
    inner: Unnamed | None = None


def test_the_key_by_which_an_object_was_found() -> None:
    text = '{"a": {"id": 1}, "b": {"number": 2}}'
    assert list(json.read(text.encode().split(b"\n"), Named | Numbered, at="*")) == [
        Named("a", 1),
        Numbered(2),
    ]
    assert next(iter(json.read([text.encode()], Named | Numbered | int, at="*"))) == Named("a", 1)
    # The key is for the object itself, and not for one inside it.
    rows = json.read([b'{"a": {"number": 2, "inner": {"id": 1}}}'], Unnamed | Numbered, at="*")
    assert list(rows) == [Numbered(2, Unnamed())]


@pytest.mark.parametrize("text", ['{"event": "%s", "id": 1}', '{"id": 1, "event": "%s"}'])
def test_the_tag_is_a_field_only_of_the_classes_that_take_it(text: str) -> None:
    into = Annotated[Alike | Said | Open, tag("event", {"a": Alike, "s": Said, "o": Open})]
    assert json.decode(text % "a", into) == Alike(1)
    assert json.decode(text % "s", into) == Said("s", 1)
    assert set(json.decode(text % "o", into).all) == {"o", 1}


def outcome(read: Callable[[], object]) -> object:
    try:
        return read()
    except ValidationError as error:
        return str(error)


@pytest.mark.parametrize("second", ['"disc"', '"rect"', '"oval"', "7", '"di\\u0073c"'])
@pytest.mark.parametrize("duplicates", ["last", "first", "error"])
@pytest.mark.parametrize("first_place", [0, 1, 2])
def test_a_tag_met_twice(
    second: str, duplicates: Literal["last", "first", "error"], first_place: int
) -> None:
    members = ['"radius": 3', '"other": "x"']
    members.insert(first_place, '"kind": "disc"')
    text = "[{" + ", ".join([*members, f'"kind": {second}']) + '}, {"radius": 4, "kind": "disc"}]'

    def streamed() -> list[object]:
        pieces = [text[place : place + 1].encode() for place in range(len(text))]
        return list(json.read(pieces, Shape, at="*", duplicates=duplicates))

    whole = outcome(lambda: json.decode(text, list[Shape], duplicates=duplicates))
    if duplicates == "first" or (second == '"disc"' and duplicates == "last"):
        assert whole == [Circle("disc", 3), Circle("disc", 4)] == streamed()
    elif duplicates == "error":
        assert 'the key "kind" occurs more than once' in str(whole)
    piecewise = outcome(streamed)
    assert isinstance(whole, str) == isinstance(piecewise, str)
    if isinstance(whole, str):
        assert str(piecewise).split(" (")[0] == whole.split(" (")[0]


def test_the_tag_is_not_an_unknown_key() -> None:
    text = '{"event": "new", "id": 1, "author": "me"}'
    assert json.decode(text, Tagged, unknown="error") == Created(1, "me")
    rows = json.read([text.encode()], Tagged, unknown="collect")
    assert list(rows) == [Created(1, "me")]
    assert rows.unknown == {}
    with pytest.raises(ValidationError, match='Created has no field for the key "event"'):
        json.decode(text, Created, unknown="error")
    with pytest.raises(ValidationError, match='Created has no field for the key "events"'):
        json.decode(text.replace('"id"', '"events": 1, "id"'), Tagged, unknown="error")
    assert xml.decode('<e event="mv"><id>1</id><to>2</to></e>', Tagged, unknown="error") == Moved(
        1, 2
    )


def test_looking_again_and_again_is_bounded() -> None:
    """Unions in unions, the key last in each: each object around a byte looks ahead over it."""

    def nested(depth: int, inside: str) -> str:
        return '{"inner": ' * depth + inside + ', "width": 1, "kind": "rect"}' * depth

    inside = '{"more": "' + "x" * 10_000 + '", "radius": 1, "kind": "disc"}'
    value = json.decode(nested(50, inside), Shape, limits=Limits(lookahead=20_000))
    assert isinstance(value, Rect)
    with pytest.raises(LimitExceeded, match=r"looked over too many times \(limits.lookahead\)"):
        json.decode(nested(900, inside), Shape, limits=Limits(lookahead=60_000))


@dataclass
class Other:
    kind: str


def test_an_object_without_the_key_is_none_for_all_others_that_need_it() -> None:
    kinds = Annotated[Circle | Other, tag("kind", {"circle": Circle}, other=Other)]
    assert json.decode('{"kind": "star"}', kinds) == Other("star")
    with pytest.raises(ValidationError) as caught:
        json.decode('{"id": 1}', kinds)
    assert caught.value.reason == (
        'expected Circle | Other, got an object without the key "kind" ("circle")'
    )
