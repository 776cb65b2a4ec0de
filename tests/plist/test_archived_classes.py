"""Keyed archives in classes."""

from __future__ import annotations

import datetime as dt
import decimal
import plistlib
import typing
import uuid
from dataclasses import dataclass
from typing import Annotated, Any

import annotated_types
import msgspec
import pytest
from keyed_archives import (
    CLASSES,
    UID,
    Archive,
    Color,
    Counted,
    Deep,
    Everything,
    Named,
    Node,
    Person,
    Row,
    Strict,
    Two,
    Wrong,
    everything,
)

import penstock
from penstock import plist
from penstock._archives import keyed_read as _keyed_read


class TestClasses:
    def test_every_kind_of_field(self):
        archive = Archive()
        found = archive.load(everything(archive), Everything, classes=CLASSES)
        other = found.other
        assert found == Everything(
            "text",
            3.0,
            Color.RED,
            "b",
            None,
            uuid.UUID(int=0),
            decimal.Decimal(2),
            (1.0, 2.0),
            (1, 2),
            frozenset("x"),
            {"a": [1.0, 2.5]},
            {"size": 3.0},
            other,
            Person("Ada", 36),
        )
        assert [
            type(number) for number in (found.number, *found.table["a"], found.options["size"])
        ] == [float] * 4
        assert (other.class_name, other.fields) == ("XYElse", {"a": 1})

    @pytest.mark.parametrize(
        ("fields", "message", "path"),
        [
            ({"number": "3"}, "expected float, got a string", "number"),
            ({"color": "blue"}, "expected Color, got a string", "color"),
            ({"kind": "c"}, "expected Literal['a', 'b'], got a string", "kind"),
            ({"when": 5}, "expected datetime | None, got the integer 5", "when"),
            ({"price": "x"}, "expected Decimal, got a string", "price"),
            ({"row": 1}, "expected tuple[int, ...], got the integer 1", "row"),
            ({"boss": "Bo"}, "expected Person, got a string", "boss"),
            ({"names": ["x", 1]}, "expected str, got the integer 1", "names/1"),
            ({"point": [1, "y"]}, "expected float, got a string", "point/1"),
            ({"options": {"size": True}}, "expected float, got true", "options/size"),
            ({"table": {"a/b": [1, None]}}, "expected float, got null", "table/a~1b/1"),
            ({"XYOldText": None}, "expected str, got null", "XYOldText"),
        ],
    )
    def test_what_does_not_fit(self, fields: dict[str, Any], message: str, path: str):
        archive = Archive()

        def stored(value: Any) -> Any:
            match value:
                case list():
                    return archive.array(*map(stored, value))
                case dict():
                    return archive.mapping(**{key: stored(value[key]) for key in value})
                case None:
                    return UID(0)
            return archive.add(value)

        root = archive.array(everything(archive, **{key: stored(fields[key]) for key in fields}))
        with pytest.raises(penstock.ValidationError) as caught:
            archive.load(root, list[Everything], classes=CLASSES)
        assert caught.value.reason == message
        assert caught.value.path == f"0/{path}"
        assert str(caught.value) == f"{message} (at 0/{path})"
        assert caught.value.format == "plist"

    def test_missing_and_unknown_keys(self):
        archive = Archive()
        nobody = archive.obj("XYPerson", age=3)
        with pytest.raises(
            penstock.ValidationError, match='Person lacks the required key "name"'
        ) as caught:
            archive.load(archive.array(nobody), classes=CLASSES)
        assert caught.value.steps == (0, "name")
        shown = archive.obj("XYPerson", name=archive.add("Ada"), size=3)
        assert archive.load(shown, classes=CLASSES) == Person("Ada")
        with pytest.raises(
            penstock.ValidationError, match='Person has no field for the key "size"'
        ):
            archive.load(shown, classes=CLASSES, unknown="error")

    def test_a_class_without_a_name_in_classes(self):
        archive = Archive()
        root = everything(archive, boss=archive.obj("XYBoss"))
        with pytest.raises(penstock.ValidationError) as caught:
            archive.load(root, classes=CLASSES)
        message = "expected Person, got an object of XYBoss: classes= has no class for it (at boss)"
        assert str(caught.value) == message

    def test_the_class_of_a_known_name(self):
        archive = Archive()
        assert archive.load(
            archive.obj("NSNotification", **{"NS.name": archive.add("x")}),
            classes={"NSNotification": Named},
        ) == Named("x")

    def test_a_subclass_becomes_the_class_above_it(self):
        archive = Archive()
        boss = archive.obj(("XYBoss", "XYPerson"), name=archive.add("Ada"))
        assert archive.load(boss, classes=CLASSES) == Person("Ada")

    def test_shared_objects_are_one(self):
        archive = Archive()
        ada = archive.obj("XYPerson", name=archive.add("Ada"))
        friends = archive.array(ada)
        bo = archive.obj("XYPerson", name=archive.add("Bo"), friends=friends, boss=ada)
        cy = archive.obj("XYPerson", name=archive.add("Cy"), friends=friends)
        found = archive.load(archive.array(ada, bo, cy), list[Person], classes=CLASSES)
        assert found[0] is found[1].boss is found[1].friends[0]
        assert found[1].friends is found[2].friends

    def test_a_shared_list_of_two_types_becomes_two(self):
        archive = Archive()
        numbers = archive.array(archive.add(1))
        found = archive.load(
            archive.obj("XYTwo", a=numbers, b=numbers, c=numbers), classes={"XYTwo": Two}
        )
        assert (found.a, found.b, found.c) == ([1], [1.0], [1])
        assert type(found.b[0]) is float
        assert found.a is found.c
        assert type(found.a[0]) is int

    def test_cycles_are_filled_in(self):
        archive = Archive()
        ada, friends = archive.add(None), archive.add(None)
        bo = archive.obj("XYPerson", name=archive.add("Bo"), boss=ada, friends=friends)
        of = {"$class": archive.cls("XYPerson"), "name": archive.add("Ada"), "friends": friends}
        archive.objects[ada.data] = of | {"boss": ada}
        archive.objects[friends.data] = {"$class": archive.cls("NSArray"), "NS.objects": [ada, bo]}
        for root in (ada, bo):
            found = archive.load(root, Person, classes=CLASSES)
            found = found if root is ada else found.boss
            assert found.boss is found
            assert found.friends[0] is found
            assert found.friends[1].boss is found
            assert found.friends[1].friends is found.friends
        everybody = archive.load(friends, list[Person], classes=CLASSES)
        assert everybody[0].friends is everybody

    def test_the_items_of_cycles_are_checked(self):
        archive = Archive()
        ada, friends = archive.add(None), archive.add(None)
        of = {"$class": archive.cls("XYPerson"), "name": archive.add("Ada"), "friends": friends}
        archive.objects[ada.data] = of
        items = [ada, archive.add("Bo")]
        archive.objects[friends.data] = {"$class": archive.cls("NSArray"), "NS.objects": items}
        with pytest.raises(penstock.ValidationError) as caught:
            archive.load(friends, classes=CLASSES)
        assert str(caught.value) == "expected Person, got a string (at 0/friends/1)"

    def test_frozen_classes_in_cycles(self):
        archive = Archive()
        node = archive.add(None)
        archive.objects[node.data] = {
            "$class": archive.cls("XYNode"),
            "name": archive.add("a"),
            "next": node,
        }
        found = archive.load(node, Node, classes=CLASSES)
        assert found.next is found

    @pytest.mark.parametrize("name", ["XYPair", "NSSet", "NSURL", "NSOld"])
    def test_cycles_that_cannot_be_filled_in(self, name: str):
        archive = Archive()
        looped = archive.add(None)
        fields: dict[str, Any] = {
            "XYPair": {"left": looped},
            "NSSet": {"NS.objects": [looped]},
            "NSURL": {"NS.base": looped, "NS.relative": archive.add("x")},
            "NSOld": {"left": archive.array(looped)},
        }[name]
        names = ("XYPair",) if name == "NSOld" else (name,)
        archive.objects[looped.data] = {"$class": archive.cls(*names)} | fields
        path = {"XYPair": "left", "NSSet": "0", "NSURL": "NS.base", "NSOld": "left/0"}[name]
        with pytest.raises(penstock.ValidationError) as caught:
            archive.load(looped, classes=CLASSES)
        message = (
            f"a cycle leads through an object of {names[0]}, which must be complete when it is made"
        )
        assert str(caught.value) == f"{message} (at {path})"

    def test_a_cycle_through_a_tuple(self):
        archive = Archive()
        holder = archive.add(None)
        row = archive.array(holder)
        archive.objects[holder.data] = {"$class": archive.cls("XYRow"), "row": row}
        found = archive.load(holder, classes={"XYRow": Row})
        assert found.row == (found,)
        with pytest.raises(penstock.ValidationError) as caught:
            archive.load(row, classes={"XYRow": Row})
        message = "a cycle leads through tuple[Any, ...], which must be complete when it is made"
        assert str(caught.value) == f"{message} (at 0/row)".replace("tuple[Any, ...]", "tuple")

    def test_what_a_class_refuses(self):
        archive = Archive()
        root = archive.obj("XYStrict", size=-1)
        with pytest.raises(penstock.ValidationError) as caught:
            archive.load(archive.array(root), classes={"XYStrict": Strict})
        assert str(caught.value) == "Strict cannot be made: ValueError: too small (at 0)"
        assert isinstance(caught.value.__cause__, ValueError)

    def test_post_init_is_called_once(self):
        archive = Archive()
        counted = archive.add(None)
        archive.objects[counted.data] = {"$class": archive.cls("XYCounted"), "me": counted}
        Counted.calls = 0
        found = archive.load(counted, classes={"XYCounted": Counted})
        assert found.me is found
        assert Counted.calls == 1

    def test_types_that_cannot_be_filled(self):
        message = "the root: an archive cannot fill a field of the type typing.Generator"
        with pytest.raises(penstock.PlanError, match=message):
            _keyed_read.unarchive(Archive().document(UID(0)), typing.Generator[int])
        # In a cycle, classes are filled without their plans.
        for cls, message in [
            (Deep, "Deep.name: the path 'a/b' is no key of an archived object"),
            (Wrong, "Wrong.data: an archive cannot fill a field with Hex"),
        ]:
            archive = Archive()
            looped = archive.add(None)
            archive.objects[looped.data] = {"$class": archive.cls("X"), "data": looped, "a": looped}
            with pytest.raises(penstock.PlanError) as caught:
                archive.load(looped, classes={"X": cls})
            assert str(caught.value) == message
            # Whatever is wrong with the archive comes first.
            with pytest.raises(penstock.MalformedInput, match="has 4 objects"):
                archive.load(archive.obj("X", data=UID(9), a=UID(9)), classes={"X": cls})
        with pytest.raises(
            penstock.PlanError, match="the class for 'X' must be a class, not 'Person'"
        ):
            _keyed_read.unarchive({}, classes={"X": "Person"})
        with pytest.raises(TypeError, match="classes must be a mapping of names to classes, not 5"):
            _keyed_read.unarchive({}, classes=typing.cast("Any", 5))

    def test_nothing_is_called_by_its_name(self):
        archive = Archive()
        found = archive.load(archive.obj("os.system", command=archive.add("true")))
        assert found.class_name == "os.system"


@dataclass
class Order:
    total: Annotated[int, annotated_types.Gt(0)]
    code: Annotated[str, penstock.via(str.upper)]
    size: Annotated[str, penstock.at("box/size")] = ""
    key: Annotated[bytes, penstock.Hex] = b""


@dataclass
class Money:
    amount: decimal.Decimal


class TestPlans:
    """The plan of a class holds in archives as in other property lists."""

    def load(self, archive: Archive, root: Any, into: Any, **options: Any) -> Any:
        data = plistlib.dumps(archive.document(root), fmt=plistlib.FMT_BINARY)
        return plist.decode(data, into, archive=True, **options)

    def test_marks_of_fields(self):
        archive = Archive()
        box = archive.mapping(size=archive.add("XL"))
        order = archive.obj("XYOrder", total=3, code=archive.add("ab"), box=box, key=b"x")
        found = archive.load(archive.array(order), list[Order], classes={"XYOrder": Order})
        assert found == [Order(3, "AB", "XL", b"x")]

    @pytest.mark.parametrize(
        ("into", "text", "value"),
        [
            (dt.date, "2020-01-02", dt.date(2020, 1, 2)),
            (dt.datetime, "2020-01-02T00:00:00Z", dt.datetime(2020, 1, 2, tzinfo=dt.UTC)),
            (decimal.Decimal, "5.20", decimal.Decimal("5.20")),
            (bytes, "eHg=", b"xx"),
        ],
    )
    def test_values_in_strings(self, into: Any, text: str, value: object):
        archive = Archive()
        root = archive.array(archive.add(text))
        assert self.load(archive, root, list[into]) == [value]
        assert plist.decode(plist.encode([text]), list[into]) == [value]

    def test_what_a_constraint_refuses(self):
        archive = Archive()
        order = archive.obj("XYOrder", total=0, code=archive.add("ab"))
        root = archive.mapping(first=archive.array(archive.add("x"), order))
        with pytest.raises(penstock.ValidationError) as caught:
            archive.load(root, classes={"XYOrder": Order})
        assert caught.value.steps == ("first", 1, "total")
        assert caught.value.reason == "expected int > 0, got 0"
        assert caught.value.offset is None
        assert caught.value.format == "plist"

    def test_all_errors(self):
        archive = Archive()
        order = archive.obj("XYOrder", total=0, code=5)
        with pytest.raises(penstock.ValidationError) as caught:
            self.load(
                archive, archive.array(order), Any, classes={"XYOrder": Order}, all_errors=True
            )
        assert [problem.path for problem in caught.value.problems] == ["0/code", "0/total"]

    def test_types(self):
        archive = Archive()
        root = archive.array(archive.obj("XYMoney", amount=archive.add("5,20")))
        found = self.load(
            archive,
            root,
            list[Money],
            classes={"XYMoney": Money},
            types={decimal.Decimal: lambda text: decimal.Decimal(text.replace(",", "."))},
        )
        assert found == [Money(decimal.Decimal("5.20"))]

    def test_types_in_a_cycle(self):
        archive = Archive()
        looped = archive.add(None)
        archive.objects[looped.data] = {"$class": archive.cls("XYCounted"), "me": looped}
        with pytest.raises(penstock.PlanError, match="types= does not hold in this archive"):
            self.load(archive, looped, Any, classes={"XYCounted": Counted}, types={int: int})

    def test_parts_of_an_open_archive(self):
        archive = Archive()
        order = archive.obj("XYOrder", total=-1, code=archive.add("ab"))
        good = archive.obj("XYOrder", total=1, code=archive.add("ab"))
        root = archive.array(archive.array(good), archive.array(order))
        data = plistlib.dumps(archive.document(root), fmt=plistlib.FMT_BINARY)
        opened = plist.open(data, archive=True, classes={"XYOrder": Order})
        assert opened[0].to(list[Order]) == [Order(1, "AB")]
        with pytest.raises(penstock.ValidationError) as caught:
            opened[1].to(list[Order])
        assert caught.value.path == "1/0/total"

    def test_an_interrupt_ends_it(self):
        def interrupt(_: object) -> str:
            raise KeyboardInterrupt

        archive = Archive()
        money = archive.obj("XYMoney", amount=archive.add("5"))
        with pytest.raises(KeyboardInterrupt):
            self.load(
                archive,
                money,
                Any,
                classes={"XYMoney": Money},
                types={decimal.Decimal: interrupt},
            )


class TestConstraints:
    """A constraint that only the plan knows was lost where the older way had no word for it."""

    class Limited(msgspec.Struct):
        n: Annotated[int, msgspec.Meta(gt=0)]
        next: Any = None

    def test_what_the_plan_refuses_stays_refused(self):
        archive = Archive()
        array = archive.array(archive.obj("XYLimited", n=-1))
        with pytest.raises(penstock.ValidationError, match="expected int > 0, got -1"):
            archive.load(array, classes={"XYLimited": self.Limited})

    def test_in_a_cycle_it_is_refused_by_name(self):
        archive = Archive()
        number = archive.obj("XYLimited", n=1)
        archive.objects[number.data]["next"] = number
        with pytest.raises(penstock.PlanError, match="an archive cannot fill a field with"):
            archive.load(archive.array(number), classes={"XYLimited": self.Limited})
