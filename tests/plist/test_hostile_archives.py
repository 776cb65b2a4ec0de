"""Keyed archives that are made to do harm, and those that are damaged."""

from __future__ import annotations

import contextlib
import copy
import math
import time
from typing import Any

import pytest
from keyed_archives import CLASSES, UID, Archive, Node, Person, Tagged, everything, plain

import penstock
from penstock._archives import keyed_read as _keyed_read


class TestHostileArchives:
    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"$objects": None}, "the archive's $objects is no array, or its $top no dictionary"),
            ({"$top": []}, "the archive's $objects is no array, or its $top no dictionary"),
            ({"$archiver": "x"}, "the archive is one of 'x', not NSKeyedArchiver"),
            ({"$version": 1}, "the archive's version is 1"),
            ({"$top": {"root": UID(99)}}, "the archive refers to object 99, and has 6 objects"),
            (
                {"$top": {"root": UID(2**64 - 1)}},
                f"the archive refers to object {2**64 - 1}, and has 6 objects",
            ),
            ({"$top": {"root": UID(1)}}, "object 1 has no class"),
            ({"$top": {"root": UID(2)}}, "object 3 is no class, and object 2 says so"),
            ({"$top": {"root": UID(4)}}, "the class of object 4 is no UID"),
            ({"$top": {"root": UID(5)}}, "object 5 is a UID"),
        ],
    )
    def test_what_is_no_archive(self, change: dict[str, Any], message: str):
        objects = ["$null", {"a": 1}, {"$class": UID(3)}, "x", {"$class": 7}, UID(1)]
        document = Archive().document(UID(0)) | {"$objects": objects} | change
        with pytest.raises(penstock.MalformedInput) as caught:
            _keyed_read.unarchive(document)
        assert str(caught.value) == message

    def test_another_property_list(self):
        message = r"this is no keyed archive: it has no \$archiver, \$objects and \$top"
        for document in ([], {}, None, {"$objects": []}):
            with pytest.raises(penstock.MalformedInput, match=message):
                _keyed_read.unarchive(document)

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"cls": "NSString"}, "an object of NSString (object 2) has no string in NS.string"),
            ({"cls": "NSString", "NS_bytes": b"\xff"}, "the string of object 2 is not UTF-8"),
            (
                {"cls": "NSNumber", "NS_intval": "x"},
                "an object of NSNumber (object 2) has no number",
            ),
            (
                {"cls": "NSDate", "NS_time": "x"},
                "an object of NSDate (object 2) has no number in NS.time",
            ),
            (
                {"cls": "NSData", "NS_data": 1},
                "an object of NSData (object 2) has no data in NS.data",
            ),
            ({"cls": "NSUUID", "NS_uuidbytes": b"1"}, "the UUID of object 2 has 1 bytes"),
            (
                {"cls": "NSURL", "NS_relative": "x", "NS_base": 5},
                "the base of the URL of object 2 is no URL",
            ),
            (
                {"cls": "NSArray", "NS_objects": 5},
                "an object of NSArray (object 2) has no array in NS.objects",
            ),
            (
                {"cls": "NSDictionary", "NS_keys": ["a"], "NS_objects": []},
                "the dictionary of object 2 has 1 keys and 0 values",
            ),
            (
                {"cls": "NSDecimalNumber", "NS_mantissa": bytes(3)},
                "the decimal number of object 2 is none",
            ),
            (
                {"cls": "NSDecimalNumber", "NS_mantissa": bytes(16), "NS_exponent": 128},
                "the decimal number of object 2 is none",
            ),
            (
                {"cls": "NSValue", "NS_rectval": "{1, 2}"},
                "the structure of object 2 is not written as one",
            ),
            (
                {
                    "cls": "NSAttributedString",
                    "NSString": "ab",
                    "NSAttributes": [{}],
                    "NSAttributeInfo": b"\x03\x00",
                },
                "the parts of object 2 are not those of its text",
            ),
            (
                {
                    "cls": "NSAttributedString",
                    "NSString": "ab",
                    "NSAttributes": [{}],
                    "NSAttributeInfo": b"\x80" * 99,
                },
                "the lengths of the parts of object 2 are incomplete",
            ),
            (
                {"cls": "NSAttributedString", "NSString": "ab", "NSAttributes": 5},
                "the attributes of object 2 are no dictionary",
            ),
        ],
    )
    def test_objects_that_are_not_what_they_say(self, fields: dict[str, Any], message: str):
        with pytest.raises(penstock.MalformedInput) as caught:
            plain(**fields)
        assert caught.value.reason == message

    def test_dates_beyond_the_calendar(self):
        for seconds in (1e300, -1e300, math.inf, math.nan):
            with pytest.raises(
                penstock.ValidationError, match="expected a date in the years 1 to 9999"
            ):
                plain(cls="NSDate", NS_time=seconds)

    def test_the_keys_of_a_dict_can_be_hashed(self):
        archive = Archive()
        keys = [archive.array()]
        root = archive.obj("NSDictionary", NS_keys=keys, NS_objects=[UID(0)])
        with pytest.raises(penstock.ValidationError, match="a list cannot be the key of a dict"):
            archive.load(root)

    def test_an_array_without_a_class_in_itself(self):
        document = Archive().document(UID(1)) | {"$objects": ["$null", [UID(1), "a"]]}
        found = _keyed_read.unarchive(document)
        assert found[0] is found
        assert found[1] == "a"

    def test_depth_costs_no_stack(self):
        archive = Archive()
        node = UID(0)
        name = archive.add("n")
        for _ in range(100_000):
            node = archive.obj("XYNode", name=name, next=node)
        found = _keyed_read.unarchive(archive.document(node), Node, CLASSES)
        depth = 0
        while found is not None:
            found, depth = found.next, depth + 1
        assert depth == 100_000
        array = archive.array()
        for _ in range(100_000):
            array = archive.array(array)
        found = _keyed_read.unarchive(archive.document(array))
        assert len(found) == 1

    def test_shared_references_cost_nothing(self):
        begin = time.monotonic()
        archive = Archive()
        node = archive.add("a")
        for _ in range(60):
            node = archive.array(node, node)
        found = archive.load(node)
        assert found[0] is found[1]
        # All refer to one long list, which is looked at once for each type and not for each field.
        names = [archive.add(str(number)) for number in range(3_000)]
        people = archive.array()
        archive.objects[people.data]["NS.objects"] = [
            archive.obj("XYPerson", name=name, friends=people) for name in names
        ]
        assert len(archive.load(people, list[Person], classes=CLASSES)) == 3_000
        bag = archive.array(*names)
        owners = archive.array(*(archive.obj("XYTagged", tags=bag) for _ in names))
        found = archive.load(owners, classes={"XYTagged": Tagged})
        assert found[0].tags is found[-1].tags
        assert time.monotonic() - begin < 30

    def test_each_value_replaced(self):
        archive = Archive()
        root = everything(archive)
        document = archive.document(root)
        values = [
            None,
            5,
            -1.5,
            "x",
            b"",
            [],
            {},
            True,
            UID(1),
            UID(99),
            [UID(root.data)],
            {"CF$UID": 3},
        ]
        for number, stored in enumerate(document["$objects"]):
            places = list(stored) if isinstance(stored, dict) else [None]
            for key in places:
                for value in values:
                    changed = copy.deepcopy(document)
                    if key is None:
                        changed["$objects"][number] = value
                    else:
                        changed["$objects"][number][key] = value
                    for options in ({}, {"classes": CLASSES}):
                        refusals = penstock.MalformedInput, penstock.ValidationError
                        with contextlib.suppress(*refusals):
                            _keyed_read.unarchive(changed, **options)
