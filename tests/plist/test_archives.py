"""Keyed archives: the graph of their objects as plain values."""

from __future__ import annotations

import datetime
import decimal
import typing
import uuid
from pathlib import Path
from typing import Any

from keyed_archives import UID, Archive, plain

from penstock import plist
from penstock._archives import keyed_read as _keyed_read
from penstock._archives.keyed_values import ArchivedObject, AttributedString


class TestPlainValues:
    def test_scalars_are_themselves(self):
        archive = Archive()
        values = ["a", 1, -(2**63), 2**64 - 1, 1.5, True, b"x", "$null", ""]
        found = archive.load(archive.array(*map(archive.add, values)))
        assert found == ["a", 1, -(2**63), 2**64 - 1, 1.5, True, b"x", None, ""]
        assert archive.load(archive.array(UID(0))) == [None]

    def test_each_class(self):
        when = datetime.datetime(2001, 1, 2, 0, 0, 0, 250_000, tzinfo=datetime.UTC)
        mantissa = (1250).to_bytes(16, "little")
        for fields, expected in [
            ({"cls": "NSString", "NS_string": "é"}, "é"),
            ({"cls": "NSMutableString", "NS_string": "x"}, "x"),
            ({"cls": "NSString", "NS_bytes": "é".encode()}, "é"),
            ({"cls": "NSNumber", "NS_intval": 7}, 7),
            ({"cls": "NSNumber", "NS_dblval": 1.5}, 1.5),
            ({"cls": "NSDate", "NS_time": 86400.25}, when),
            ({"cls": "NSDate", "NS_time": 0}, when.replace(day=1, microsecond=0)),
            ({"cls": "NSMutableData", "NS_data": b"ab"}, b"ab"),
            ({"cls": "NSNull"}, None),
            ({"cls": "NSValue", "NS_pointval": "{1, -2.5e1}"}, (1.0, -25.0)),
            ({"cls": "NSValue", "NS_sizeval": "{1,2}"}, (1.0, 2.0)),
            (
                {
                    "cls": "NSDecimalNumber",
                    "NS_mantissa": mantissa,
                    "NS_exponent": -2,
                    "NS_length": 1,
                    "NS_negative": True,
                    "NS_mantissa.bo": 1,
                },
                decimal.Decimal("-12.50"),
            ),
            (
                {
                    "cls": "NSDecimalNumber",
                    "NS_mantissa": bytes([4, 226]) + bytes(14),
                    "NS_length": 1,
                    "NS_mantissa.bo": 2,
                },
                decimal.Decimal(1250),
            ),
            (
                {
                    "cls": "NSDecimalNumber",
                    "NS_mantissa": b"\xff" * 16,
                    "NS_length": 8,
                    "NS_exponent": 127,
                },
                decimal.Decimal(2**128 - 1).scaleb(127, decimal.Context(prec=60)),
            ),
        ]:
            assert plain(**fields) == expected, fields
        nan = plain(cls="NSDecimalNumber", NS_mantissa=bytes(16), NS_length=0, NS_negative=True)
        assert nan.is_nan()

    def test_a_subclass_is_read_as_what_it_extends(self):
        assert plain(cls=("XYTitle", "NSMutableString", "NSString"), NS_string="x") == "x"

    def test_collections(self):
        archive = Archive()
        a, b = archive.add("a"), archive.add("b")
        assert archive.load(archive.array(a, b, a, of="NSMutableSet")) == {"a", "b"}
        assert archive.load(archive.array(b, a, of="NSOrderedSet")) == ["b", "a"]
        # Python's sets have no lists.
        assert archive.load(archive.array(archive.array(a), b, of="NSSet")) == [["a"], "b"]
        one, two = archive.add(1), archive.add(2)
        found = archive.obj("NSMutableDictionary", NS_keys=[one, a], NS_objects=[b, two])
        assert archive.load(found) == {1: "b", "a": 2}
        old = archive.obj(
            "NSDictionary", **{"NS.key.0": a, "NS.object.0": one, "NS.key.1": b, "NS.object.1": two}
        )
        assert archive.load(old) == {"a": 1, "b": 2}
        assert archive.load(archive.obj("NSArray", **{"NS.object.0": a, "NS.object.1": b})) == [
            "a",
            "b",
        ]

    def test_urls(self):
        archive = Archive()

        def url(base: str | None, relative: str) -> str:
            above = UID(0)
            if base is not None:
                above = archive.obj("NSURL", NS_base=UID(0), NS_relative=archive.add(base))
            return archive.load(
                archive.obj("NSURL", NS_base=above, NS_relative=archive.add(relative))
            )

        assert url(None, "https://a.example/b") == "https://a.example/b"
        assert url("https://a.example/b/c", "d?e") == "https://a.example/b/d?e"
        assert url("file:///a/b/", "c%20d") == "file:///a/b/c%20d"
        assert url("x-app://host/a/b", "../c") == "x-app://host/c"
        assert url("https://a.example/", "mailto:x@y") == "mailto:x@y"

    def test_attributed_strings(self):
        archive = Archive()
        bold = archive.mapping(font=archive.add("Bold"))
        text = archive.add("a\U0001d11ebc")
        whole = archive.load(archive.obj("NSAttributedString", NSString=text, NSAttributes=bold))
        assert (whole.text, str(whole)) == ("a\U0001d11ebc", "a\U0001d11ebc")
        assert whole.runs == [(0, 4, {"font": "Bold"})]
        info = archive.obj("NSData", NS_data=bytes([3, 1, 2, 0]))
        attributes = archive.array(archive.mapping(), bold)
        parts = archive.load(
            archive.obj(
                "NSMutableAttributedString",
                NSString=text,
                NSAttributes=attributes,
                NSAttributeInfo=info,
            )
        )
        assert parts.runs == [(0, 2, {"font": "Bold"}), (2, 4, {})]
        assert (
            repr(parts)
            == "AttributedString('a\U0001d11ebc', [(0, 2, {'font': 'Bold'}), (2, 4, {})])"
        )
        assert type(parts) is AttributedString

    def test_other_classes(self):
        archive = Archive()
        found = archive.load(
            archive.obj(
                ("XYPerson", "XYThing"),
                name=archive.add("Ada"),
                age=36,
                tags=[archive.add("x"), UID(0)],
                **{"$$odd": {"inner": archive.add("y")}},
            )
        )
        assert type(found) is ArchivedObject
        assert found.class_name == "XYPerson"
        assert found.classes == ("XYPerson", "XYThing", "NSObject")
        assert found.fields == {
            "name": "Ada",
            "age": 36,
            "tags": ["x", None],
            "$odd": {"inner": "y"},
        }
        assert repr(ArchivedObject("A", fields={"b": 1})) == "ArchivedObject('A', {'b': 1})"

    def test_shared_objects_are_one(self):
        archive = Archive()
        shared = archive.array(archive.add("a"))
        person = archive.obj("XYPerson", tags=shared)
        found = archive.load(archive.array(shared, shared, person, person))
        assert found[0] is found[1] is found[2].fields["tags"]
        assert found[2] is found[3]

    def test_cycles(self):
        archive = Archive()
        number = len(archive.objects)
        array = archive.add(None)
        person = archive.obj("XYPerson", friends=array)
        archive.objects[number] = {"$class": archive.cls("NSArray"), "NS.objects": [array, person]}
        found = archive.load(array)
        assert found[0] is found
        assert found[1].fields["friends"] is found
        assert repr(found) == "[[...], ArchivedObject('XYPerson', {'friends': [...]})]"

    def test_more_roots_than_one(self):
        archive = Archive()
        document = archive.document(None)
        document["$top"] = {"a": archive.add("x"), "b": 2}
        assert _keyed_read.unarchive(document) == {"a": "x", "b": 2}
        document["$top"] = {"$0": archive.add("x")}
        assert _keyed_read.unarchive(document) == "x"

    def test_the_uids_of_json(self):
        archive = Archive()
        root = archive.array(archive.add("a"), archive.add("b"))

        def as_json(value: Any) -> Any:
            if isinstance(value, UID):
                return {"CF$UID": value.data}
            if isinstance(value, dict):
                return {key: as_json(each) for key, each in value.items()}
            return [as_json(each) for each in value] if isinstance(value, list) else value

        assert _keyed_read.unarchive(as_json(archive.document(root))) == ["a", "b"]


CORPUS: dict[str, Any] = {
    "ArrayTest": ["baa", "baa", "black", "sheep"],
    "ComplexTest": {
        "array": [None, "hello", 34545, {"key": "val"}],
        "string": "hello",
        "url": "https://www.swift.org/index.xml",
        "uuid": uuid.UUID("71dc068e-3420-45ff-919e-3a267d55ec22"),
    },
    "ConcreteValueTest": [1, 2, 3],
    "EdgeInsetsTest": (1.0, 2.0, 3.0, 4.0),
    "NotificationTest": {
        "NS.name": "notification-name",
        "NS.object": "notification-object",
        "NS.userinfo": {"notification-key": "notification-val"},
    },
    "OrderedSetTest": ["valgeir", "nico", "puzzle"],
    "RangeTest": (97345, 98345),
    "RectTest": ((400.0, 300.0), (200.0, 300.0)),
    "URLTest": "https://www.example.com/foo.xml",
    "UUIDTest": uuid.UUID("0ad863ba-7584-40cf-8896-bd87b3280c34"),
}
"""What the archives of the corpora hold."""


def test_the_corpora(corpus: typing.Callable[[str], Path]):
    folder = corpus("plist") / "keyed-archives"
    names = {path.stem.removeprefix("NSKeyedUnarchiver-") for path in folder.iterdir()}
    assert names == set(CORPUS)
    for name, expected in CORPUS.items():
        data = (folder / f"NSKeyedUnarchiver-{name}.plist").read_bytes()
        found = _keyed_read.unarchive(plist.decode(data))
        if isinstance(found, ArchivedObject):
            found = found.fields
        assert found == expected, name
