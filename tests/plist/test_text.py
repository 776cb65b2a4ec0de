"""OpenStep, GNUstep and files of strings: plain, into classes, in any pieces, beside openstep-plist."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest

import penstock
from penstock import plist

if TYPE_CHECKING:
    from collections.abc import Callable

SAMPLES = Path(__file__).parents[2] / "testdata" / "plist"
NAMES = ["project.pbxproj", "Weir.glyphs", "Localizable.strings"]


def comparable(value: Any) -> Any:
    """Return a value as `expected.json` has it."""
    if isinstance(value, bytes):
        return {"data": value.hex()}
    if isinstance(value, dict):
        return {key: comparable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [comparable(each) for each in value]
    return value


def fed(data: bytes, size: int, into: Any = Any) -> list[Any]:
    """Return the records of a document that comes in pieces."""
    decoder = plist.Decoder(into)
    found = []
    for start in range(0, len(data), size):
        found += decoder.feed(data[start : start + size])
    return found + decoder.finish()


@pytest.mark.parametrize("name", NAMES)
def test_samples(name: str) -> None:
    expected = json.loads((SAMPLES / "expected.json").read_text("utf-8"))[name]
    data = (SAMPLES / name).read_bytes()
    assert comparable(plist.decode(data)) == expected
    assert comparable(plist.decode(data.decode())) == expected
    assert comparable(plist.decode(data, form="openstep")) == expected
    assert comparable(plist.load(SAMPLES / name)) == expected
    for encoding in ("utf-16", "utf-16-be", "utf-16-le"):
        marked = data.decode().encode(encoding)
        # With a byte order mark, and without one.
        said = None if encoding == "utf-16" else encoding
        assert comparable(plist.decode(marked, encoding=said)) == expected, encoding
    for size in (1, 7, 100):
        assert comparable(fed(data, size)) == [expected]


def test_as_openstep_plist_reads(corpus: Callable[[str], Path]) -> None:
    peer = pytest.importorskip("openstep_plist")
    files = sorted(corpus("plist/libplist").glob("*.ostep"))
    files += [corpus("plist/libplist") / "test.strings", *(SAMPLES / name for name in NAMES)]
    assert len(files) == 7
    for path in files:
        theirs = peer.loads(path.read_text("utf-8"))
        assert plist.load(path) == theirs, path.name


def test_as_openstep_plist_writes() -> None:
    peer = pytest.importorskip("openstep_plist")
    value = {
        "a": ["b c", "", {}, [], "é😀\n\t\x01\"\\\x7f'"],
        "1": "1",
        "-x": b"\x00\x01\x02\x03\x04",
        "e": {"f": {"g": ["//", "/* */", "a/b", "1.5", "$x", "ab.c_d"]}},
    }
    for options in ({}, {"indent": 4}, {"indent": 0}, {"unicode_escape": False}):
        assert plist.decode(peer.dumps(value, **options)) == value


@dataclass
class Build:
    isa: str
    buildActionMask: int  # noqa: N815
    files: list[str] = field(default_factory=list)
    runOnlyForDeploymentPostprocessing: bool = True  # noqa: N815


@dataclass
class Configuration:
    isa: Literal["XCBuildConfiguration"]
    name: str
    target: Annotated[Decimal | None, penstock.at("buildSettings/MACOSX_DEPLOYMENT_TARGET")] = None


@dataclass
class Group:
    isa: Literal["PXBGroup", "PBXGroup"]
    children: list[str]
    path: str | None = None


def test_untyped_text_is_what_the_class_says() -> None:
    found = plist.decode((SAMPLES / "project.pbxproj").read_bytes(), dict[str, Any])
    phase = found["objects"]["4A0C10012B00000100AB0042"]
    assert phase["buildActionMask"] == "2147483647"
    sources = list(
        plist.read(SAMPLES / "project.pbxproj", Build, at="objects/4A0C10012B00000100AB0042")
    )
    files = ["4A0C10012B00000100AB0001", "4A0C10012B00000100AB0002"]
    assert sources == [Build("PBXSourcesBuildPhase", 2147483647, files, False)]


def test_the_key_that_tells_the_class_may_come_late() -> None:
    text = """(
        { children = (a, /* isa = x; */ b); isa = PBXGroup; },
        {
            name = Debug;
            buildSettings = { MACOSX_DEPLOYMENT_TARGET = 13.0; };
            isa = XCBuildConfiguration;
        }
    )"""
    expected = [
        Group("PBXGroup", ["a", "b"]),
        Configuration("XCBuildConfiguration", "Debug", Decimal("13.0")),
    ]
    assert plist.decode(text, list[Group | Configuration]) == expected
    assert list(plist.read([text.encode()], Group | Configuration)) == expected
    for size in (1, 3, 50):
        assert fed(text.encode(), size, Group | Configuration) == expected
    strings = "children = (); /* a */ isa = PBXGroup;"
    assert plist.decode(strings, Group | Configuration) == Group("PBXGroup", [])
    assert fed(strings.encode(), 1, Group | Configuration) == [Group("PBXGroup", [])]


@dataclass
class Typed:
    count: int
    size: float
    on: bool
    at: datetime
    data: bytes


def test_gnustep() -> None:
    text = """{ count = <*I5>; size = <*R1.5>; on = <*BY>; at = <*D2001-01-01 01:00:00 +0100>; data = <[Zm9v]>; }"""
    at = datetime(2001, 1, 1, tzinfo=UTC)
    assert plist.decode(text) == {"count": 5, "size": 1.5, "on": True, "at": at, "data": b"foo"}
    assert plist.decode(text, Typed) == Typed(5, 1.5, True, at, b"foo")
    assert plist.decode("(<*I99999999999999999999>)") == [99999999999999999999]
    untyped = (
        '{ count = 5; size = "1.5"; on = true; at = "2001-01-01T00:00:00Z"; data = <66 6f6f>; }'
    )
    assert plist.decode(untyped, Typed) == Typed(5, 1.5, True, at, b"foo")


def message(text: str, into: Any = Any) -> str:
    with pytest.raises(penstock.DecodeError) as caught:
        plist.decode(text, into)
    return str(caught.value).splitlines()[0]


def test_messages() -> None:
    for text, into, expected in (
        ("{\n  a = (b, c;\n}", dict, "line 2, column 12: expected ',' or ')', found ';' (at a/2)"),
        (
            '// c\n{ "a" = "b',
            dict,
            "line 2, column 11: the input ends inside a string that begins at byte 13 (at a)",
        ),
        (
            "{ isa = X; buildActionMask = many; }",
            Build,
            'line 1, column 30: expected int, got "many" (at buildActionMask)',
        ),
        ("x = y;\nisa = (b);", Build, "line 2, column 7: expected str, got an array (at isa)"),
        ("isa =\n'\\Ud800';", Build, "line 2, column 2: unpaired surrogate \\Ud800 (at isa)"),
        ("alone", Build, 'line 1, column 1: expected Build, got "alone"'),
        (
            "a; é = 5;",
            dict,
            "line 1, column 4: expected a key, found 'é', which stands only in quotes",
        ),
    ):
        assert message(text, into) == expected


def test_repeated_keys() -> None:
    assert plist.decode("{a = 1; a = 2; b;}") == {"a": "2", "b": "b"}
    assert plist.decode("{a = 1; a = 2;}", duplicates="first") == {"a": "1"}
    with pytest.raises(penstock.DecodeError, match="a"):
        plist.decode("a = 1;\na;", duplicates="error")


def test_nothing() -> None:
    assert plist.decode(" /* nothing */ ") == {}
    assert plist.decode("a") == "a"
    with pytest.raises(penstock.TruncatedInput, match="the input is empty"):
        plist.decode(b"")


def test_forms_that_look_alike() -> None:
    assert plist.decode('{"a": 1}') == {"a": 1}
    assert plist.decode('{"a" = 1;}') == {"a": "1"}
    assert plist.decode('{"a" : 1}', form="json") == {"a": 1}
    assert plist.decode("{}") == {}
    assert plist.decode("<0f>") == b"\x0f"
    with pytest.raises(
        penstock.MalformedInput, match="expected '=' or ';' after the key, found ':'"
    ):
        plist.decode('{"a" : 1}', form="openstep")


FORMS: list[Literal["openstep", "gnustep", "strings"]] = ["openstep", "gnustep", "strings"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_samples_are_written_again(name: str, form: Literal["openstep", "gnustep"]) -> None:
    value = plist.load(SAMPLES / name)
    for sort_keys in (False, True):
        written = plist.encode(value, form=form, sort_keys=sort_keys)
        assert plist.decode(written) == value
        order = sorted(value) if sort_keys else list(value)
        assert list(plist.decode(written)) == order


@pytest.mark.parametrize("form", FORMS)
def test_openstep_plist_reads_what_is_written(form: Literal["openstep", "strings"]) -> None:
    peer = pytest.importorskip("openstep_plist")
    values: list[Any] = [plist.load(SAMPLES / name) for name in NAMES]
    values.append({"a": ["b c", "", {}, [], "é😀\n\t\x01\"\\\x7f'"], "-x": {"1": "1.5", "/": "//"}})
    for value in values:
        # It has no base64.
        if form != "gnustep" or b"" not in value.get("userData", {}).values():
            assert peer.loads(plist.encode(value, form=form).decode()) == value
    numbers = plist.encode({"a": 5, "b": "5", "c": [-1.5, "-1.5"]}, form="openstep").decode()
    assert peer.loads(numbers, use_numbers=True) == {"a": 5, "b": "5", "c": [-1.5, "-1.5"]}


def test_the_layout_of_openstep_plist() -> None:
    peer = pytest.importorskip("openstep_plist")
    value = {"a": "b c", "l": ["1", {}, {"k": ["é"]}], "d": b"\0\1\2\3\4", "n": [5, -1.5], "": []}
    for indent, only in ((4, False), (2, True), (0, False)):
        theirs = peer.dumps(value, indent=indent, sort_keys=False, unicode_escape=only)
        ours = plist.encode(value, form="openstep", indent=indent, ascii=only)
        assert ours.decode() == theirs + "\n"
    tabs = peer.dumps(value, indent=1, sort_keys=False, unicode_escape=False)
    lines = [line.lstrip(" ") for line in tabs.splitlines()]
    levels = [len(line) - len(line.lstrip(" ")) for line in tabs.splitlines()]
    expected = "".join(
        "\t" * level + line + "\n" for level, line in zip(levels, lines, strict=True)
    )
    assert plist.encode(value, form="openstep").decode() == expected


def test_objects_are_written_and_read() -> None:
    at = datetime(2001, 1, 1, tzinfo=UTC)
    typed = Typed(5, 1.5, True, at, b"foo")
    assert plist.decode(plist.encode(typed, form="gnustep"), Typed) == typed
    with pytest.raises(penstock.EncodeError, match="an OpenStep property list has no booleans"):
        plist.encode(typed, form="openstep")
    groups = [Group("PBXGroup", ["a", "b/c"]), Group("PXBGroup", [], "d e")]
    for form in ("openstep", "gnustep"):
        assert plist.decode(plist.encode(groups, form=form), list[Group]) == groups


def test_through_other_forms(tmp_path: Path) -> None:
    """Text is the same after XML and the binary form."""
    for name in NAMES:
        value = plist.load(SAMPLES / name)
        paths = [SAMPLES / name, tmp_path / "a.plist", tmp_path / "b.plist", tmp_path / "c.plist"]
        for source, target, form in zip(
            paths, paths[1:], ("xml", "binary", "openstep"), strict=False
        ):
            target.write_bytes(plist.encode(plist.load(source), form=form))
            assert plist.load(target) == value
        assert paths[-1].read_bytes() == plist.encode(value, form="openstep")


def test_indent_and_ascii(tmp_path: Path) -> None:
    value = {"é": [{"a": "b"}]}
    text = b'{\n  "\\U00E9" = (\n    {\n      a = b;\n    }\n  );\n}\n'
    assert plist.encode(value, form="gnustep", indent=2, ascii=True) == text
    plist.dump(value, tmp_path / "a.glyphs", indent=2, ascii=True)
    assert (tmp_path / "a.glyphs").read_bytes() == text
    with plist.write(
        tmp_path / "b", at="\u00e9/*", form="openstep", indent=2, ascii=True
    ) as writer:
        writer.write({"a": "b"})
    assert (tmp_path / "b").read_bytes() == text
    (tmp_path / "c.plist").write_bytes(plist.encode(value))
    penstock.convert(tmp_path / "c.plist", tmp_path / "d.glyphs", indent=2, ascii=True)
    assert (tmp_path / "d.glyphs").read_bytes() == text
    assert plist.encode(value, form="json", indent=1).startswith(b"{\n ")
    for form in ("xml", "binary"):
        with pytest.raises(ValueError, match="indent is for the forms of text, and for JSON"):
            plist.encode(value, form=form, indent=2)
        with pytest.raises(ValueError, match="ascii is for the forms of text, and for JSON"):
            plist.Encoder(form=form, ascii=True)


@dataclass
class One:
    kind: Literal["one"]
    n: int


@dataclass
class Two:
    kind: Literal["two"]
    n: int


def test_records_in_error_are_passed_over() -> None:
    """Those too that are refused while the reader looks for the key that tells the class."""
    text = b"""(
        {kind = one; n = 1;}, {kind = x; n = 2;}, {n = 3; kind /* c */; z;}, {n = 4; kind = two;},
        {n = q; kind = one;}, {n = (1, {kind = one;}); kind = two;}, hello, {n = 5;},
        {n = 6; "kind" /* */ = "two"; junk = {kind = <0f>;}; }, {kind = one; n = 7;}
    )"""
    expected = [One("one", 1), Two("two", 4), Two("two", 6), One("one", 7)]
    for size in (1, 2, 7, 1000):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert list(plist.read(pieces, One | Two, errors="skip")) == expected
    with pytest.raises(ExceptionGroup) as caught:
        list(plist.read([text], One | Two, errors="collect"))
    assert [str(error).splitlines()[0] for error in caught.value.exceptions] == [
        'line 2, column 39: the key "kind" is "x", expected "one" or "two" (record 2, at 1/kind)',
        'line 2, column 59: the key "kind" is "kind", expected "one" or "two" (record 3, at 2/kind)',
        'line 3, column 14: expected int, got "q" (record 5, at 4/n)',
        "line 3, column 36: expected int, got an array (record 6, at 5/n)",
        'line 3, column 70: expected One | Two, got "hello" (record 7, at 6)',
        (
            'line 3, column 84: expected One | Two, got an object without the key "kind" '
            '("one" or "two") (record 8, at 7)'
        ),
    ]


def test_bytes_that_are_no_text() -> None:
    for data, where in ((b'{a = "\xff";}', 7), (b"{ \xff", 3), (b"\xff{", 1), (b'"\\U12\xff', 6)):
        for size in (1, 100):
            with pytest.raises(penstock.MalformedInput) as caught:
                fed(data, size)
            assert caught.value.column == where
