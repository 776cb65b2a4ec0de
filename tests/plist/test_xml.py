"""Property lists in XML: beside `plistlib`, into classes, in chunks, and with errors."""

from __future__ import annotations

import datetime
import plistlib
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

import pytest

import penstock
from penstock import plist

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def any_value(rng: Random, depth: int = 6) -> Any:
    """Return a value that `plistlib` can write."""
    match rng.randrange(12 if depth else 9):
        case 0 | 1:
            texts = ["", "a", "<&>\"'", "\u00e9\u6c34\U0001d11e", "x" * 100, "a\n\tb", "]]>"]
            return rng.choice(texts)
        case 2:
            return rng.randrange(-(2**63), 2**64)
        case 3:
            special = [0.0, -0.0, 1.5, 1e300, 1e-7, 1e16, float("inf"), float("nan")]
            return rng.choice([*special, rng.random() * 10 ** rng.randrange(-20, 20)])
        case 4:
            return rng.random() < 0.5
        case 5:
            return rng.randbytes(rng.randrange(300))
        case 6:
            day = datetime.datetime(rng.randrange(1, 9999), rng.randrange(1, 13), 1)  # noqa: DTZ001 - as plistlib has it
            return day + datetime.timedelta(microseconds=rng.randrange(86_400_000_000))
        case 7 | 8:
            return rng.randrange(1000)
        case 9:
            return [any_value(rng, depth - 1) for _ in range(rng.randrange(5))]
        case _:
            keys = [
                rng.choice(["a", "b<", "\u00e9", ""]) + str(key) for key in range(rng.randrange(5))
            ]
            rng.shuffle(keys)
            return {key: any_value(rng, depth - 1) for key in keys}


def comparable(value: Any) -> Any:
    """Return a value in which NaN equals itself, and dates have no zone, as `plistlib` makes them."""
    match value:
        case datetime.datetime():
            return value.replace(tzinfo=None)
        case float():
            return repr(value)
        case list():
            return [comparable(each) for each in value]
        case dict():
            return {key: comparable(value[key]) for key in value}
    return value


def to_the_second(value: Any) -> Any:
    """Return a value with the dates that XML has."""
    match value:
        case datetime.datetime():
            return value.replace(microsecond=0)
        case list():
            return [to_the_second(each) for each in value]
        case dict():
            return {key: to_the_second(value[key]) for key in value}
    return value


class TestBesidePlistlib:
    def test_any_value(self):
        rng = Random(9)
        for _ in range(500):
            value = any_value(rng)
            theirs = plistlib.dumps(value, sort_keys=False)
            assert plist.encode(value, form="xml") == theirs
            assert plist.encode(value, form="xml", sort_keys=True) == plistlib.dumps(value)
            assert comparable(plist.decode(theirs)) == comparable(to_the_second(value))

    def test_the_corpora(self, corpus: Callable[[str], Path]):
        folder = corpus("plist")
        written = 0
        for path in [*folder.glob("libplist/*.plist"), folder / "iTunes-Library.xml"]:
            if path.name not in {"amp.plist", "invalid_tag.plist"}:
                value = plistlib.loads(path.read_bytes())
                assert plist.encode(value, form="xml") == plistlib.dumps(value, sort_keys=False)
                written += 1
        assert written == 16

    def test_what_differs(self):
        # What plistlib changes, Penstock keeps.
        text = plist.encode("a\r\nb", form="xml")
        assert b"<string>a&#13;\nb</string>" in text
        assert plist.decode(text) == plistlib.loads(text) == "a\r\nb"
        text = plist.encode(plistlib.UID(7), form="xml")
        assert plistlib.loads(text) == {"CF$UID": 7}
        assert plist.decode(text) == plistlib.UID(7)
        east = datetime.timezone(datetime.timedelta(hours=1))
        when = datetime.datetime(2026, 1, 1, 0, 30, tzinfo=east)
        assert plist.decode(plist.encode(when, form="xml")) == when
        assert b"<date>2025-12-31T23:30:00Z</date>" in plist.encode(when, form="xml")


@dataclass
class Cat:
    name: str
    lives: int = 9


@dataclass
class Dog:
    name: str
    legs: list[str]


Pet = Annotated[Cat | Dog, penstock.tag("kind")]

PETS = """<plist version="1.0">
<array>
<dict><key>legs</key><array><string>front</string></array><key>name</key><string>Rex</string><key>kind</key><string>Dog</string></dict>
<dict><key>name</key><string>Mia</string><key>kind</key><string>Cat</string></dict>
<dict><key>kind</key><string>Cat</string><key>name</key><integer>5</integer><key>more</key><dict><key>a</key><true/></dict></dict>
<dict/>
<dict><key>kind</key><string>Cat</string><key>lives</key><integer>0x7</integer><key>name</key><string>Tom</string></dict>
</array>
</plist>
"""


class TestClasses:
    def test_the_class_is_told_by_a_key_wherever_it_stands(self):
        found = plist.read([PETS.encode()], Pet, errors="skip")
        expected = [Dog("Rex", ["front"]), Cat("Mia"), Cat("Tom", 7)]
        assert list(found) == expected
        assert found.skipped == 2
        for size in (1, 7, 64):
            decoder = plist.Decoder(Pet, errors="skip")
            data = PETS.encode()
            pets: list[Any] = []
            for at in range(0, len(data), size):
                pets += decoder.feed(data[at : at + size])
            pets += decoder.finish()
            assert pets == expected

    def test_errors_have_their_place(self):
        with pytest.raises(penstock.ValidationError) as caught:
            plist.decode(PETS, list[Pet])
        assert str(caught.value) == "line 5, column 57: expected str, got the integer 5 (at 2/name)"

    def test_records_inside(self):
        text = f"<dict><key>x</key><true/><key>pets</key>{PETS[22:-10]}<key>y</key><data/></dict>"
        names = plist.read([text.encode()], dict[str, Any], at="pets/*")
        assert [pet.get("name") for pet in names] == ["Rex", "Mia", 5, None, "Tom"]
        kinds = plist.read([text.encode()], str, at="pets/*/kind")
        assert list(kinds) == ["Dog", "Cat", "Cat", "Cat"]

    def test_what_is_skipped_is_only_checked_to_be_xml(self):
        text = "<dict><key>a</key><nonsense>x</nonsense><key>name</key><string>Mia</string></dict>"
        assert plist.decode(text.replace("nonsense", "integer"), Cat) == Cat("Mia")
        with pytest.raises(penstock.MalformedInput, match="is no element of a property list"):
            plist.decode(text, Cat)
        with pytest.raises(
            penstock.MalformedInput, match="the end tag of 'x', but 'integer' is open"
        ):
            plist.decode(text.replace("nonsense>x</nonsense", "integer></x"), Cat)

    def test_a_repeated_key(self):
        text = "<dict><key>name</key><string>a</string><key>name</key><string>b</string></dict>"
        assert plist.decode(text, Cat) == Cat("b")
        assert plist.decode(text, Cat, duplicates="first") == Cat("a")
        with pytest.raises(penstock.ValidationError, match='the key "name" occurs more than once'):
            plist.decode(text, Cat, duplicates="error")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<plist>\n  <true/>\n  x</plist>", "line 3, column 3: text in <plist>, which has only elements"),
        ("<plist/>", "line 1, column 1: <plist> has no value"),
        ("<plist><dict>\n<key>a</key>\n</dict></plist>",
         "line 3, column 1: expected a value after the key, got </dict> (at a)"),
        ("<array>\n<integer>x</integer></array>", "line 2, column 1: <integer> has no integer (at 0)"),
        ("<dict><key>a</key>\n<date>2026-02-30Z</date></dict>",
         "line 2, column 1: <date> has no date: day 30 is not in 1..28 of February 2026 (at a)"),
    ],
)  # fmt: skip
def test_what_is_no_property_list(text: str, message: str):
    for whole in (plist.decode, lambda data: plist.load([data[:9].encode(), data[9:].encode()])):
        with pytest.raises(penstock.MalformedInput) as caught:
            whole(text)
        assert str(caught.value) == message


def test_encodings():
    declared = '<?xml version="1.0" encoding="{}"?><plist><string>\u00e9</string></plist>'
    for encoding in ("utf-8", "utf-16", "iso-8859-1", "utf-8-sig"):
        name = encoding.removesuffix("-sig")
        assert plist.decode(declared.format(name).encode(encoding)) == "\u00e9", encoding
