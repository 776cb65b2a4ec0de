"""The extension reads and writes archives as the Python code does that it stands in for."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import uuid
from dataclasses import dataclass, field, fields
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from keyed_archives import UID, Archive

import penstock
from penstock._archives import keyed, keyed_read, keyed_write
from penstock._archives.keyed_types import ANY, Kinds


@dataclass
class Part:
    name: str
    size: float = 0.0
    tags: list[str] = field(default_factory=list)
    inner: Part | None = None
    more: dict[str, Part] = field(default_factory=dict)


@dataclass(slots=True)
class Whole:
    count: int
    parts: list[Part]
    when: dt.datetime | None = None
    ident: uuid.UUID | None = None
    anything: Any = None
    numbers: tuple[float, ...] = ()
    words: frozenset[str] = frozenset()
    price: decimal.Decimal | int | None = None


CLASSES = {"XYPart": Part, "XYWhole": Whole}
FIELDS = {
    "XYPart": ("name", "size", "tags", "inner", "more", "else"),
    "XYWhole": (
        "count",
        "parts",
        "when",
        "ident",
        "anything",
        "numbers",
        "words",
        "price",
    ),
    "XYOther": ("a", "$b", "count"),
}
SCALARS: list[Any] = [None, "text", "", "$null", 0, 7, -1.5, True, b"\0", 2**63]


def by_kinds(document: Any, into: Any, classes: dict[str, Any], unknown: str) -> Any:
    """Make the root without the extension."""
    kinds = Kinds()
    mapped = {name: kinds.of_class(classes[name]) for name in classes}
    kind = ANY if into is Any else kinds.of(into, "the root")
    graph = keyed.Graph(document, None, mapped, strict=unknown == "error")
    return graph.made_of(document["$top"]["root"], kind)


def outcome(make: Any, *arguments: Any) -> tuple[Any, Any]:
    try:
        return make(*arguments), None
    except penstock.PenstockError as error:
        return None, (type(error), str(error), getattr(error, "path", None))


@st.composite
def archives(draw: st.DrawFn) -> tuple[dict[str, Any], Any, dict[str, Any], str]:
    archive = Archive()
    made: list[UID] = [archive.add(value) for value in SCALARS[1:]]

    people: list[UID] = []
    lists: list[UID] = [archive.array()]

    def fitting(key: str) -> Any:
        """Return what fits a field."""
        part = draw(st.sampled_from([UID(0), *people]))
        match key:
            case "parts" | "tags" | "numbers":
                if draw(st.booleans()):
                    return lists[-1]
                items = {"parts": people[-2:], "tags": [UID(1)], "numbers": [UID(5)]}[key]
                lists.append(archive.array(*items))
                return lists[-1]
            case "inner":
                return part
            case "more":
                return archive.mapping(k=part) if people else archive.mapping()
            case "when":
                return archive.obj("NSDate", NS_time=draw(st.floats(-1e9, 1e9)))
            case "ident":
                return archive.obj("NSUUID", NS_uuidbytes=bytes(range(16)))
            case "words":
                return archive.array(UID(1), UID(2), of="NSSet")
            case "name":
                return UID(1)
            case "size":
                return draw(st.sampled_from([1.5, 2, UID(6)]))
            case _:
                return draw(st.sampled_from([3, UID(5)]))

    def any_one() -> Any:
        which = draw(st.integers(0, 9))
        if which == 0:
            return UID(0)
        if which == 1:
            return draw(st.sampled_from([4, 2.5, False]))
        # What was made last is there more often: objects deep in each other.
        return made[-1 - draw(st.integers(0, min(len(made) - 1, 6)))]

    for _ in range(draw(st.integers(1, 10))):
        name = draw(
            st.sampled_from(
                [
                    *("XYPart", "XYPart", "XYWhole", "NSArray", "NSMutableArray", "NSSet", "list"),
                    *("NSDictionary", "NSDate", "NSUUID", "NSString", "XYOther", "NSNumber"),
                    "NSURL",
                ]
            )
        )
        match name:
            case "NSDate":
                uid = archive.obj(name, NS_time=draw(st.floats(-1e9, 1e9)))
            case "NSUUID":
                uid = archive.obj(name, NS_uuidbytes=bytes([draw(st.integers(0, 255))] * 16))
            case "NSString":
                uid = archive.obj(name, NS_string=draw(st.sampled_from(["$null", "x"])))
            case "NSNumber":
                uid = archive.obj(name, NS_number=UID(5))
            case "NSURL":
                uid = archive.obj(name, NS_base=UID(0), NS_relative=archive.add("a:b"))
            case "list":
                uid = archive.add([any_one() for _ in range(draw(st.integers(0, 2)))])
            case "NSSet":
                # Sets of objects have no order of their own.
                uid = archive.obj(name, NS_objects=draw(st.lists(st.sampled_from(made[:9]))))
            case "NSArray" | "NSMutableArray":
                items = [any_one() for _ in range(draw(st.integers(0, 3)))]
                uid = archive.obj(name, NS_objects=items)
            case "NSDictionary":
                items = [any_one() for _ in range(draw(st.integers(0, 2)))]
                keys = [archive.add(key) for key in ["k", "l"][: len(items)]]
                uid = archive.obj(name, NS_keys=keys, NS_objects=items)
            case _:
                stored: dict[str, Any] = {}
                for key in FIELDS[name]:
                    if draw(st.integers(0, 15)):
                        stored[key] = fitting(key)
                    elif draw(st.booleans()):
                        stored[key] = any_one()
                uid = archive.obj((name,), **stored)
                if name == "XYPart":
                    people.append(uid)
        made.append(uid)
    if not draw(st.integers(0, 5)):
        # A cycle, or a class or an object that is none.
        place = draw(st.integers(0, len(archive.objects) - 1))
        damaged = archive.objects[place]
        if isinstance(damaged, dict) and "$class" in damaged:
            key = draw(st.sampled_from(sorted(damaged)))
            archive.objects[place] = damaged | {key: draw(st.sampled_from([made[-1], [], 5]))}
    into = draw(st.sampled_from([Any, Any, Part, list[Part], dict[str, Any], Whole]))
    classes = draw(st.sampled_from([CLASSES, CLASSES, {"XYPart": Part}, {}]))
    unknown = draw(st.sampled_from(["skip", "skip", "error"]))
    return archive.document(made[-1]), into, classes, unknown


def known(value: Any) -> list[Any]:
    """Return the fields of an object."""
    match value:
        case Part():
            return [value.name, value.size, value.tags, value.inner, value.more]
        case _:
            return [getattr(value, each.name) for each in fields(value)]


def flat(value: Any) -> list[Any]:
    """Return all values of a graph, with what each is and which ones it refers to."""
    numbers: dict[int, int] = {}
    kept: list[Any] = []
    out: list[Any] = []
    due = [value]

    def refer(one: Any) -> Any:
        if isinstance(one, (str, int, float, bytes, dt.datetime, uuid.UUID, decimal.Decimal)):
            return type(one), repr(one)
        if one is None or isinstance(one, (tuple, frozenset, set)):
            return type(one), len(one or ()), [refer(each) for each in one or ()][:1]
        if id(one) not in numbers:
            numbers[id(one)] = len(numbers)
            kept.append(one)
            due.append(one)
        return "object", numbers[id(one)]

    refer(due.pop())
    while due:
        one = due.pop(0)
        match one:
            case list():
                out.append([refer(each) for each in one])
            case dict():
                out.append([(refer(key), refer(each)) for key, each in one.items()])
            case penstock.plist.ArchivedObject():
                out.append([one.class_name, one.classes, refer(one.fields)])
            case _:
                out.append([type(one), *map(refer, known(one))])
    return out


@given(archives())
def test_both_make_the_same(case: Any):
    document, into, classes, unknown = case
    expected, refused = outcome(by_kinds, document, into, classes, unknown)
    given_into = keyed_read.PLAIN if into is Any else into
    found, error = outcome(
        lambda: keyed_read.unarchive(document, given_into, classes, unknown=unknown)
    )
    assert error == refused
    assert flat(found) == flat(expected)


def by_python(value: Any, classes: dict[str, Any]) -> dict[str, Any]:
    """Write an archive without the extension."""
    graph = keyed_write._Graph(classes)
    root = graph.reference(value, 0, "")
    due = iter(graph.due)
    for uid, each in zip(due, due, strict=True):
        graph.objects[uid.data] = graph.stored(each, uid.data)
    return {"$objects": graph.objects, "$top": {"root": root}}


def written(value: Any, classes: dict[str, Any]) -> tuple[Any, Any]:
    """Return the table, or the error, of the extension and of Python code."""

    def table(make: Any) -> str | tuple[Any, Any]:
        made, error = outcome(make, value, classes)
        return repr((made["$objects"], made["$top"])) if error is None else error

    return table(keyed_write.archive_of), table(by_python)


class Color(enum.Enum):
    RED = "red"
    ONE = 1


class Texts(list[str]):
    pass


EAST = dt.timezone(dt.timedelta(hours=3))
VALUES: list[Any] = [
    *SCALARS,
    *(1.0, -0.0, 0.0, float("nan"), 2**64 - 1, -(2**63), -5, "\u00e9", bytearray(b"x")),
    *(Color.RED, Color.ONE, (1, "text"), [], {}, {1, 2}, frozenset({"text"}), Texts("ab")),
    *(dt.datetime(2001, 1, 1), dt.datetime(1, 1, 1)),  # noqa: DTZ001 - without a zone it is UTC
    *(dt.datetime(2001, 1, 1, tzinfo=EAST), dt.datetime(9999, 12, 31, tzinfo=dt.UTC)),
    *(dt.datetime(2000, 2, 29, 23, 59, 59, 999_999, dt.UTC), dt.datetime(2024, 3, 1, tzinfo=EAST)),
    *(uuid.UUID(int=5), decimal.Decimal("1.5"), penstock.plist.ArchivedObject("XYElse")),
    *(penstock.plist.AttributedString("ab", [(0, 2, {})]), {1: "a", "b": None, (2,): [3]}),
]
BAD: list[Any] = [2**64, -(2**63) - 1, "\udc80", object(), {"a": [0, {7: object()}]}, Part]


@given(st.data())
def test_both_write_the_same(data: st.DataObject):
    made: list[Any] = [*VALUES, *(BAD if data.draw(st.integers(0, 3)) == 0 else ())]
    any_one = st.integers(0, 50).map(lambda place: made[-1 - place % len(made)])
    for _ in range(data.draw(st.integers(1, 8))):
        match data.draw(st.integers(0, 4)):
            case 0:
                found: Any = Part(*data.draw(st.lists(any_one, min_size=1, max_size=5)))
            case 1:
                found = Whole(*data.draw(st.lists(any_one, min_size=2, max_size=8)))
            case 2:
                found = data.draw(st.lists(any_one, max_size=4))
            case 3:
                found = dict(zip("abc", data.draw(st.lists(any_one, max_size=3)), strict=False))
            case _:
                found = made[-1]
                if isinstance(found, Part):
                    found.inner = found
        made.append(found)
    root = made[len(VALUES) :]
    ours, expected = written(root, data.draw(st.sampled_from([CLASSES, {"XYPart": Part}])))
    assert ours == expected


def test_both_write_each_value():
    for value in [*VALUES, *BAD]:
        ours, expected = written([value, Part("x", value), value], CLASSES)
        assert ours == expected
    unset = Whole(1, [])
    del unset.when
    ours, expected = written({"a": [unset]}, CLASSES)
    assert ours == expected
    assert expected[1] == "['a'][0]: Whole has no attribute 'when'"
