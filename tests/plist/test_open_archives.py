"""Keyed archives of which only that is read which somebody asks for."""

from __future__ import annotations

import contextlib
import os
import plistlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from keyed_archives import UID, Archive, Person

import penstock
from penstock import plist


def data(archive: Archive, root: Any) -> bytes:
    return plistlib.dumps(archive.document(root), fmt=plistlib.FMT_BINARY, sort_keys=False)


def opened(archive: Archive, root: Any, **options: Any) -> Any:
    return plist.open(data(archive, root), archive=True, **options)


@pytest.fixture
def people() -> bytes:
    """Two people who know each other."""
    archive = Archive()
    ada = archive.obj("XYPerson", name=archive.add("Ada"), age=36)
    bob = archive.obj("XYPerson", name=archive.add("Bob"), age=41, boss=ada)
    archive.objects[ada.data]["friends"] = archive.array(bob, ada)
    return data(archive, ada)


def test_an_object_is_a_mapping_of_its_fields(people: bytes) -> None:
    with plist.open(people, archive=True) as ada:
        assert isinstance(ada, plist.OpenedObject)
        assert (ada.class_name, ada.classes) == ("XYPerson", ("XYPerson", "NSObject"))
        assert list(ada) == ["name", "age", "friends"]
        assert len(ada) == 3
        assert (ada["name"], ada["age"], "boss" in ada) == ("Ada", 36, False)
        assert repr(ada) == "OpenedObject(a XYPerson)"
        friends = ada["friends"]
        assert isinstance(friends, plist.OpenedArray)
        assert repr(friends) == "OpenedArray(at 'friends', an array of 2)"
        assert friends[0].path == "friends/0"
        with pytest.raises(KeyError):
            ada["$class"]
        with pytest.raises(IndexError, match="index 2 is out of range of 2"):
            friends[2]


def test_an_object_is_one_object_also_in_a_cycle(people: bytes) -> None:
    with plist.open(people, archive=True) as ada:
        assert ada["friends"] is ada["friends"]
        assert ada["friends"][-1] is ada
        assert ada["friends"][0]["boss"] is ada
        assert ada["friends"][0:1] == [ada["friends"][0]]
        assert ada["friends"][0]["boss"]["friends"][0]["boss"]["name"] == "Ada"


def test_a_part_is_decoded_into_classes(people: bytes) -> None:
    classes = {"XYPerson": Person}
    with plist.open(people, archive=True, classes=classes) as ada:
        bob = ada["friends"][0].to(Person)
        assert (bob.name, bob.age, bob.boss.name) == ("Bob", 41, "Ada")
        assert bob.boss.friends[0] is bob
        assert [it.name for it in ada["friends"].to(list[Person])] == ["Bob", "Ada"]
        plain = ada["friends"][0].to(classes={})
        assert isinstance(plain, plist.ArchivedObject)
        assert plain.fields["boss"].fields["friends"][0] is plain

        @dataclass
        class Named:
            name: int
            friends: list[Any] = field(default_factory=list)

        with pytest.raises(penstock.ValidationError) as caught:
            ada["friends"][0].to(classes={"XYPerson": Named})
        assert str(caught.value) == "expected int, got a string (at friends/0/name)"
        with pytest.raises(penstock.ValidationError, match='Named has no field for the key "age"'):
            ada["friends"][0].to(classes={"XYPerson": Named}, unknown="error")


def test_values_of_foundation_are_plain() -> None:
    archive = Archive()
    members = archive.mapping(
        text=archive.obj("NSString", NS_string=archive.add("x")),
        none=UID(0),
        data=archive.obj("NSMutableData", NS_data=b"x"),
        date=archive.obj("NSDate", NS_time=0.5),
        set=archive.array(archive.add(3), archive.add(5), of="NSSet"),
        empty=archive.array(),
    )
    with opened(archive, members) as root:
        assert isinstance(root, plist.OpenedDictionary)
        assert list(root) == ["text", "none", "data", "date", "set", "empty"]
        assert (root["text"], root["none"], root["data"]) == ("x", None, b"x")
        assert root["date"].isoformat() == "2001-01-01T00:00:00.500000+00:00"
        assert list(root["set"]) == [3, 5]
        assert root["set"].to() == {3, 5}
        assert len(root["empty"]) == 0
        assert repr(root) == "OpenedDictionary(a dictionary)"


def test_all_that_the_top_names() -> None:
    archive = Archive()
    document = archive.document(UID(0))
    document["$top"] = {"first": archive.add("a"), "second": archive.array(archive.add("b"))}
    root = plist.open(plistlib.dumps(document, fmt=plistlib.FMT_BINARY), archive=True)
    assert {key: root[key] for key in root} == {"first": "a", "second": root["second"]}
    assert root.to() == {"first": "a", "second": ["b"]}


def test_values_that_are_not_behind_uids() -> None:
    archive = Archive()
    inner = {"a": [archive.add("x"), 2], "b": {"CF$UID": 1}}
    root = opened(archive, archive.obj("XYOther", inner=inner))
    assert isinstance(root["inner"], plist.OpenedDictionary)
    assert list(root["inner"]["a"]) == ["x", 2]
    assert root["inner"]["a"].to() == ["x", 2]
    assert root["inner"]["b"] == "x"


def test_the_archives_of_foundation(corpus: Callable[[str], Path]) -> None:
    found = sorted(corpus("plist/keyed-archives").glob("*.plist"))
    assert len(found) == 10
    for path in found:
        whole = plist.load(path, archive=True)
        root = plist.open(path, archive=True)
        if isinstance(root, (plist.OpenedArray, plist.OpenedDictionary, plist.OpenedObject)):
            assert repr(root.to()) == repr(whole)
            root.close()
            with pytest.raises(ValueError, match="closed"):
                root.to()
        else:
            assert root == whole


def test_other_forms_are_read_as_a_whole(people: bytes) -> None:
    for form in ("xml", "json"):
        text = plist.encode(plist.decode(people), form="xml")
        if form == "json":
            text = (
                b'{"$archiver": "NSKeyedArchiver", "$version": 100000, "$top": {"root": {"CF$UID": '
                b'1}}, "$objects": ["$null", {"$class": {"CF$UID": 3}, "NS.objects": [{"CF$UID": 2}'
                b', {"CF$UID": 1}]}, "x", {"$classname": "NSArray", "$classes": ["NSArray"]}]}'
            )
        with plist.open(text, archive=True) as root:
            if form == "json":
                assert (root[0], root[1] is root) == ("x", True)
                made = root.to()
                assert (made[0], made[1] is made) == ("x", True)
            else:
                assert root["friends"][1] is root


def test_little_is_read(tmp_path: Path) -> None:
    archive = Archive()
    items = [
        archive.obj("XYItem", number=number, text=f"{number:0100}") for number in range(20_000)
    ]
    path = tmp_path / "large.plist"
    path.write_bytes(data(archive, archive.array(*items)))
    assert path.stat().st_size > 1_000_000
    with plist.open(path, archive=True) as root:
        before = int(Path("/proc/self/io").read_text().split("rchar: ")[1].split()[0])
        assert (len(root), root[10_000]["number"], root[-1]["number"]) == (20_000, 10_000, 19_999)
        after = int(Path("/proc/self/io").read_text().split("rchar: ")[1].split()[0])
    assert after - before < 500_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"$objects": None}, "the archive's $objects is no array, or its $top no dictionary"),
        ({"$top": []}, "the archive's $objects is no array, or its $top no dictionary"),
        ({"$archiver": "x"}, "the archive is one of 'x', not NSKeyedArchiver"),
        ({"$version": 1}, "the archive's version is 1"),
        ({"$top": {"root": UID(99)}}, "the archive refers to object 99, and has 7 objects"),
        ({"$top": {"root": UID(1)}}, "object 1 has no class"),
        ({"$top": {"root": UID(2)}}, "object 3 is no class, and object 2 says so"),
        ({"$top": {"root": UID(4)}}, "the class of object 4 is no UID"),
        ({"$top": {"root": UID(5)}}, "object 5 is a UID"),
    ],
)
def test_what_is_no_archive(change: dict[str, Any], message: str) -> None:
    objects = ["$null", {"a": 1}, {"$class": UID(3)}, "x", {"$class": 7}, UID(1), 0]
    document = Archive().document(UID(0)) | {"$objects": objects} | change
    if document["$objects"] is None:
        document["$objects"] = 5
    with pytest.raises(penstock.MalformedInput) as caught:
        plist.open(plistlib.dumps(document, fmt=plistlib.FMT_BINARY), archive=True)
    assert str(caught.value) == message


def test_another_property_list() -> None:
    message = r"^this is no keyed archive: it has no \$archiver, \$objects and \$top$"
    for document in ([], {}, 5, {"$objects": []}):
        with pytest.raises(penstock.MalformedInput, match=message):
            plist.open(plistlib.dumps(document, fmt=plistlib.FMT_BINARY), archive=True)


def test_damage_matters_where_it_is() -> None:
    archive = Archive()
    good = archive.add("good")
    bad = archive.obj("NSString", NS_string=5)
    cycle = archive.add(None)
    archive.objects[cycle.data] = {"$class": archive.cls("NSURL"), "NS.relative": cycle}
    odd = archive.obj("NSDictionary", NS_keys=[good], NS_objects=[])
    listed = archive.obj("NSDictionary", NS_keys=[archive.array()], NS_objects=[good])
    nothing = archive.obj("NSArray", NS_objects=5)
    root = opened(archive, archive.array(good, bad, cycle, odd, listed, nothing))
    assert root[0] == "good"
    for place, message in [
        (1, "an object of NSString (object 3) has no string in NS.string (at 1)"),
        (2, "a cycle leads through an object of NSURL, which must be complete when it is made"),
        (3, "the dictionary of object 7 has 1 keys and 0 values (at 3)"),
        (4, "a list cannot be the key of a dict (at 4)"),
        (5, "has no array in NS.objects (at 5)"),
    ]:
        for _ in range(2):
            with pytest.raises(penstock.DecodeError) as caught:
                len(root[place])
            assert message in str(caught.value)


@pytest.mark.parametrize("options", [{"at": "*"}, {"types": {}}, {"unknown": "error"}])
def test_options_of_records(people: bytes, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="an open archive has no records: decode its parts with"):
        plist.open(people, archive=True, **options)
    with pytest.raises(ValueError, match="an open archive has no records"):
        plist.open(people, Person, archive=True)
    with pytest.raises(ValueError, match=r"^classes= is for archive=True$"):
        plist.open(people, classes={})
    with pytest.raises(penstock.PlanError, match="the class for 'X' must be a class, not 5"):
        plist.open(people, archive=True, classes={"X": 5})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="makes these"):
        plist.OpenedArray()


def bomb(levels: int) -> bytes:
    """An archive with a list that holds another one twice, and so on."""
    inner: Any = [1]
    for _ in range(levels):
        inner = [inner, inner]
    archive = Archive()
    return data(archive, archive.obj("XYOther", inner=inner))


def test_a_bomb_of_shared_lists() -> None:
    written = bomb(60)
    assert len(written) < 1_000
    start = time.perf_counter()
    root = plist.open(written, archive=True)
    assert root["inner"][0][1][0].path == "inner/0/1/0"
    made = root.to().fields["inner"]
    assert made[0] is made[1]
    assert time.perf_counter() - start < 5


def test_truncated_and_flipped(people: bytes) -> None:
    def touch(data: bytes) -> None:
        root = plist.open(data, archive=True)
        if isinstance(root, plist.OpenedObject):
            ahead, seen = [root], set()
            while ahead:
                part = ahead.pop()
                if id(part) in seen or not hasattr(part, "to"):
                    continue
                seen.add(id(part))
                ahead += part.values() if hasattr(part, "values") else list(part)
            root.to()

    touch(people)
    for end in range(len(people)):
        with pytest.raises(penstock.DecodeError):
            touch(people[:end])
    for place in range(len(people)):
        for flip in (1, 0x80, 0xFF):
            changed = bytearray(people)
            changed[place] ^= flip
            with contextlib.suppress(penstock.DecodeError):
                touch(bytes(changed))


def test_a_container_within_itself() -> None:
    # Object 0 is the document; its `$objects` has an object whose field leads to the object.
    archive = Archive()
    written = bytearray(data(archive, archive.obj("XYOther", inner=[[77]])))
    inner = written.index(b"\x10\x4d")
    trailer = written[-32:]
    width, objects = trailer[6], int.from_bytes(trailer[8:16], "big")
    table = int.from_bytes(trailer[24:], "big")
    offsets = [
        int.from_bytes(written[table + width * n : table + width * (n + 1)], "big")
        for n in range(objects)
    ]
    number = offsets.index(inner)
    holder = next(at for at in offsets if written[at] == 0xA1 and written[at + 1] == number)
    written[holder + 1] = offsets.index(holder)
    root = plist.open(bytes(written), archive=True)
    again = root["inner"][0]
    assert again[0] is not None
    with pytest.raises(penstock.DecodeError, match="contains itself"):
        root.to()
    with pytest.raises(penstock.DecodeError, match="contains itself"):
        root.to()


def test_a_file_that_changed(tmp_path: Path, people: bytes) -> None:
    path = tmp_path / "people.plist"
    path.write_bytes(people)
    with plist.open(path, archive=True) as root:
        assert root["name"] == "Ada"
        path.write_bytes(people + b" ")
        os.utime(path, ns=(1, 1))
        with pytest.raises(penstock.DecodeError):
            root["friends"][0]
