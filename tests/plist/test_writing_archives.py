"""Keyed archives that are written, and read again."""

from __future__ import annotations

import datetime
import decimal
import enum
import plistlib
import random
import uuid
from typing import Any

import pytest
from keyed_archives import CLASSES, UID, Color, Everything, Node, Person, any_graph, same

import penstock
from penstock import plist
from penstock._archives import keyed_read as _keyed_read
from penstock._archives import keyed_write as _keyed_write
from penstock._archives.keyed_values import ArchivedObject, AttributedString


def again(value: Any, into: Any = object, classes: Any = None) -> Any:
    """Return a value that was written and read."""
    document = _keyed_write.archive_of(value, classes)
    data = plistlib.dumps(document, fmt=plistlib.FMT_BINARY, sort_keys=False)
    return _keyed_read.unarchive(plist.decode(data), into, classes)


def test_the_table():
    shared = ["a"]
    assert _keyed_write.archive_of([shared, shared, "a", None]) == {
        "$archiver": "NSKeyedArchiver",
        "$version": 100000,
        "$top": {"root": UID(1)},
        "$objects": [
            "$null",
            {"$class": UID(2), "NS.objects": [UID(3), UID(3), UID(4), UID(6)]},
            {"$classes": ["NSArray", "NSObject"], "$classname": "NSArray"},
            {"$class": UID(2), "NS.objects": [UID(4)]},
            "a",
            {"$classes": ["NSNull", "NSObject"], "$classname": "NSNull"},
            {"$class": UID(5)},
        ],
    }


def test_each_kind_of_value():
    when = datetime.datetime(2024, 2, 29, 23, 59, 1, 250_001, tzinfo=datetime.UTC)
    for value in [
        "", "é", "$null", "$class", 0, -(2**63), 2**64 - 1, 1.5, -0.0, True, False, None, b"", b"ab",
        when, uuid.UUID(int=7), decimal.Decimal("-12.50"), decimal.Decimal(0), decimal.Decimal(2**128 - 1),
        decimal.Decimal("1E+165"), decimal.Decimal("-1E-128"), decimal.Decimal("1E+100") * 3,
        [], [1, [2, "x"], None], {}, {"a": 1, 2: {"b": None}}, set(), {"a", 1}, [True, 1, 1.0, "1", b"1"],
    ]:  # fmt: skip
        found = again(value)
        assert (found, type(found)) == (value, type(value))
        assert repr(found) == repr(value) or isinstance(value, (set, decimal.Decimal))
    assert again((1, frozenset({2}))) == [1, {2}]
    assert again(decimal.Decimal("nan")).is_nan()
    assert again(when.replace(tzinfo=None)) == when
    east = datetime.timezone(datetime.timedelta(hours=5))
    assert again(when.astimezone(east)) == when
    assert again([Color.RED, Size.LARGE]) == ["red", 3]
    assert [type(each) for each in again([Title("x"), Count(3)])] == [str, int]


class Size(enum.IntEnum):
    LARGE = 3


class Title(str):
    __slots__ = ()


class Count(int):
    pass


def test_shared_objects_and_cycles():
    loop: list[Any] = [1]
    loop.append(loop)
    found = again({"a": loop, "b": loop})
    assert found["a"] is found["b"] is found["a"][1]


def test_attributed_strings():
    bold, plain = {"font": "Bold"}, {"font": "Plain"}
    for text in [
        AttributedString("", []),
        AttributedString("a\U0001d11eb", [(0, 3, bold)]),
        AttributedString(
            "a\U0001d11eb" * 100, [(0, 200, bold), (200, 299, plain), (299, 300, bold)]
        ),
    ]:
        found = again(text)
        assert (found.text, found.runs) == (text.text, text.runs)
    for runs in ([], [(0, 1, bold)], [(1, 2, bold)], [(0, 1, bold), (1, 3, bold)], [(0, 0, bold)]):
        with pytest.raises(
            penstock.EncodeError, match="the runs of an AttributedString are not the parts"
        ):
            again(AttributedString("ab", runs))


def test_objects_of_other_classes():
    value = ArchivedObject(
        "XYPen", ("XYPen", "XYTool", "NSObject"), {"size": 3, "$x": [1], "$0": None}
    )
    value.fields["self"] = value
    found = again(value)
    assert (found.class_name, found.classes) == (value.class_name, value.classes)
    assert found.fields.pop("self") is found
    assert found.fields == {"size": 3, "$x": [1], "$0": None}
    keys = set(_keyed_write.archive_of(value)["$objects"][1])
    assert keys == {"$class", "size", "$$x", "$0", "self"}


def test_classes():
    ada = Person("Ada", 36)
    bo = Person("Bo", friends=[ada], boss=ada)
    ada.friends = [bo, ada]
    found = again(ada, Person, CLASSES)
    assert (found.name, found.age, found.boss) == ("Ada", 36, None)
    assert found.friends[0].name == "Bo"
    assert found.friends[0].boss is found.friends[1] is found
    value = Everything(
        "text", 3.0, Color.RED, "b", None, uuid.UUID(int=0), decimal.Decimal(2), (1.0, 2.0),
        (1, 2), frozenset("x"), {"a": [1.0, 2.5]}, {"size": 3.0, "color": Color.RED}, None, Person("x"), b"y",
    )  # fmt: skip
    assert again(value, Everything, CLASSES) == value
    table = _keyed_write.archive_of(value, CLASSES)["$objects"]
    assert table[1]["XYText"] == UID(3)
    assert table[3] == "text"


class Boss(Person):
    pass


def test_the_classes_above_a_class():
    table = _keyed_write.archive_of(Boss("Ada"), {"XYBoss": Boss, "XYPerson": Person})["$objects"]
    names = ["XYBoss", "XYPerson", "NSObject"]
    assert {"$classes": names, "$classname": "XYBoss"} in table


def test_what_cannot_be_written():
    integers = "a property list has integers from -2^63 to 2^64 - 1 only"
    for value, message in [
        ([1, {"a": 2**64}], f"[1]['a']: {integers}"),
        (Person("Ada", friends=[Person("Bo", -(2**63) - 1)]), f"friends[0].age: {integers}"),
        ("\ud800", "a str with a surrogate is no text"),
        (["x", "\ud800"], "[1]: a str with a surrogate is no text"),
        (object(), "an archive cannot hold a object: classes= has no name for it"),
        (
            [datetime.date(2024, 1, 1)],
            "[0]: an archive cannot hold a date: classes= has no name for it",
        ),
        (decimal.Decimal("1E+200"), "an archive has no decimal number for Decimal('1E+200')"),
        (decimal.Decimal("Infinity"), "an archive has no decimal number for Decimal('Infinity')"),
        (decimal.Decimal(2**128), f"an archive has no decimal number for Decimal('{2**128}')"),
    ]:
        with pytest.raises(penstock.EncodeError) as caught:
            _keyed_write.archive_of(value, CLASSES)
        assert str(caught.value) == message
    with pytest.raises(
        penstock.EncodeError, match="cannot hold a Person: classes= has no name for it"
    ):
        _keyed_write.archive_of(Person("Ada"))


def test_depth_costs_no_stack():
    node = None
    for _ in range(100_000):
        node = Node("n", node)
    found = _keyed_read.unarchive(_keyed_write.archive_of(node, CLASSES), Node, CLASSES)
    for _ in range(100_000):
        found = found.next
    assert found is None


def test_any_graph():
    rng = random.Random(8)
    for _ in range(300):
        graph = any_graph(rng)
        assert same(graph, again(graph, classes=CLASSES))
