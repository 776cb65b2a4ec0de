"""`penstock.xml.edit`: single values change, and everything else is copied byte for byte."""

from __future__ import annotations

import gzip
import io
import random
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import pytest
from lxml import etree

import penstock
from penstock import at

POM = """<?xml version='1.0' encoding='UTF-8'?>
<!DOCTYPE project [ <!ENTITY me "Ada &amp; Co"> <!ENTITY part "<x>1</x>"> ]>
<!-- ours -->
<project   xmlns="http://maven.apache.org/POM/4.0.0"
           xmlns:p='urn:p' a = "1"  p:b='2'>
\t<version>1.0</version><?pi?>
  <name><![CDATA[R & D]]></name>
  <empty/>
  <dependencies >
    <dependency><artifactId>one</artifactId><version>1</version></dependency>
    <dependency>
      <artifactId>two</artifactId>\r
      <version>2</version>
    </dependency>
  </dependencies>
  <mixed>a<b>c</b>d</mixed>
  <owner>&me;</owner>
</project>
<!-- end -->
"""


def edited(changes: Any, source: str = POM, **options: Any) -> str:
    target = io.BytesIO()
    penstock.xml.edit(io.BytesIO(source.encode()), target, changes, **options)
    return target.getvalue().decode()


def replaced(*pairs: tuple[str, str]) -> str:
    text = POM
    for old, new in pairs:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("changes", "pairs"),
    [
        ({}, []),
        ({"project/version": "1.1"}, [("<version>1.0<", "<version>1.1<")]),
        ({"project/version": Decimal("1.50")}, [("<version>1.0<", "<version>1.50<")]),
        ({"project/version": True}, [("<version>1.0<", "<version>true<")]),
        ({"project/version": 'a<b>&"c'}, [("<version>1.0<", '<version>a&lt;b&gt;&amp;"c<')]),
        ({"project/version": ""}, [("<version>1.0<", "<version><")]),
        ({"project/version": lambda old: old + "-beta"}, [("<version>1.0<", "<version>1.0-beta<")]),
        ({"project/name": str.lower}, [("<![CDATA[R & D]]>", "r &amp; d")]),
        ({"project/owner": str.upper}, [("&me;", "ADA &amp; CO")]),
        ({"project/empty": "x"}, [("<empty/>", "<empty>x</empty>")]),
        ({"project/empty": None}, [("\n  <empty/>", "")]),
        ({"project/version": None}, [("<version>1.0</version>", "")]),
        (
            {"project/dependencies": None},
            [(POM[POM.index("\n  <dep") : POM.index("\n  <mixed")], "")],
        ),
        ({"project/@a": "3"}, [('a = "1"', 'a = "3"')]),
        ({"project/@a": lambda old: int(old) + 1}, [('a = "1"', 'a = "2"')]),
        ({"project/@a": None}, [(' a = "1"', "")]),
        ({"project/@p:b": 'x"y\n'}, [("p:b='2'", 'p:b="x&quot;y&#10;"')]),
        ({"project/@new": 5}, [("p:b='2'>", "p:b='2' new=\"5\">")]),
        ({"project/empty/@n": 1, "project/empty": "x"}, [("<empty/>", '<empty n="1">x</empty>')]),
        (
            {"//dependency/version": "3"},
            [("<version>1<", "<version>3<"), ("<version>2<", "<version>3<")],
        ),
        ({"*/*/*/artifactId": str.upper}, [(">one<", ">ONE<"), (">two<", ">TWO<")]),
        ({"project/mixed/b": "e"}, [("<b>c</b>", "<b>e</b>")]),
        (
            {"{http://maven.apache.org/POM/4.0.0}project/version": "2"},
            [("<version>1.0<", "<version>2<")],
        ),
        ({"m:project/m:version": "2"}, [("<version>1.0<", "<version>2<")]),
        ({"*:project/*:version": "2"}, [("<version>1.0<", "<version>2<")]),
    ],
)
def test_what_changes_and_nothing_else(changes: Any, pairs: list[tuple[str, str]]) -> None:
    namespaces = {"m": "http://maven.apache.org/POM/4.0.0", "p": "urn:p"}
    assert edited(changes, namespaces=namespaces) == replaced(*pairs)


@dataclass
class Dependency:
    artifactId: str  # noqa: N815 - as the file has it
    scope: Annotated[str, at("@scope")] = "test"


THREE = """    </dependency>
    <dependency scope="test"><artifactId>three</artifactId></dependency>
  </dependencies>"""


@pytest.mark.parametrize(
    ("add", "pairs"),
    [
        ({"project/name2": "R & D"}, [("</owner>\n", "</owner>\n  <name2>R &amp; D</name2>\n")]),
        (
            {"project/dependencies/dependency": Dependency("three")},
            [
                (
                    "    </dependency>\n  </dependencies>",
                    THREE,
                )
            ],
        ),
        ({"project/empty/n": [1, 2]}, [("<empty/>", "<empty><n>1</n><n>2</n></empty>")]),
        ({"project/version/x": None}, [("1.0</version>", "1.0<x/></version>")]),
        ({"project/mixed/b": "e"}, [("d</mixed>", "d<b>e</b></mixed>")]),
    ],
)
def test_what_is_added(add: Any, pairs: list[tuple[str, str]]) -> None:
    assert edited({}, add=add) == replaced(*pairs)


def test_it_counts() -> None:
    found = penstock.xml.edit(
        io.BytesIO(POM.encode()), io.BytesIO(), {"//version": "1", "project/@a": None}
    )
    assert found == {"//version": 3, "project/@a": 1}


@pytest.mark.parametrize(
    ("changes", "add", "reason"),
    [
        ({"project/versoin": "1"}, {}, "there is nothing at 'project/versoin'"),
        ({"project/empty/@n": None}, {}, "there is nothing at 'project/empty/@n'"),
        ({"project/empty/@n": str.lower}, {}, "there is nothing at 'project/empty/@n'"),
        ({}, {"x/y": "1"}, "there is nothing at 'x/y'"),
        ({"project/dependencies": "1"}, {}, "<dependencies> in line 9 has elements inside"),
        ({"project/mixed": "1"}, {}, "<mixed> in line 16 has elements inside"),
        ({"project/version": "1", "*/version": "2"}, {}, "lead to the same value"),
        ({"project/@a": "1", "*/@*": "2"}, {}, "lead to the same value"),
        ({"project/@{u}a": "1"}, {}, "a new attribute needs its name as written"),
        ({"p:a": "1"}, {}, "the prefix of 'p:a' is not in namespaces="),
        ({"": "1"}, {}, "it is no path of names"),
        ({"a//b": "1"}, {}, "it is no path of names"),
        ({"@a": "1"}, {}, "an attribute is that of an element: 'a/@x'"),
        ({"a/@b/c": "1"}, {}, "'@b' is no name of an element or attribute"),
        ({"a/text()": "1"}, {}, "'text()' is no name of an element or attribute"),
        ({"a[1]": "1"}, {}, "'a[1]' is no name of an element or attribute"),
        ({}, {"a": "1"}, "it ends with the name of the new element"),
        ({}, {"a/*": "1"}, "it ends with the name of the new element"),
        ({}, {"a/@b": "1"}, "an attribute is not added but set"),
    ],
)
def test_what_cannot_be(tmp_path: Path, changes: Any, add: Any, reason: str) -> None:
    path = tmp_path / "pom.xml"
    path.write_bytes(POM.encode())
    with pytest.raises(ValueError, match=r"edit|there is nothing") as caught:
        penstock.xml.edit(path, path, changes, add=add)
    assert reason in str(caught.value)
    assert path.read_bytes() == POM.encode()
    assert [each.name for each in tmp_path.iterdir()] == ["pom.xml"]


def test_errors_of_values_and_documents(tmp_path: Path) -> None:
    with pytest.raises(penstock.EncodeError, match="U\\+0001"):
        edited({"project/version": "a\x01"})
    with pytest.raises(TypeError, match="edit\\(\\) sets text, and not Dependency: see add="):
        edited({"project/version": Dependency("x")})
    with pytest.raises(penstock.MalformedInput):
        edited({"a": "1"}, "<a><b></a>")
    with pytest.raises(penstock.MalformedInput, match="UTF-8"):
        penstock.xml.edit([b"<a>\xff</a>"], io.BytesIO(), {"a": "1"})
    with pytest.raises(UnicodeDecodeError):
        penstock.xml.edit(
            [b'<?xml version="1.0" encoding="ascii"?><a>\xff</a>'], io.BytesIO(), {"a": "1"}
        )
    for document in ("<a/>", '<a xmlns:p="urn:other"/>'):
        with pytest.raises(ValueError, match="where 'p' is not 'urn:p'"):
            edited({}, document, add={"a/p:b": 1}, namespaces={"p": "urn:p"})
        with pytest.raises(ValueError, match="where 'p' is not 'urn:p'"):
            edited({"a/@p:b": 1}, document, namespaces={"p": "urn:p"})
    names = {"p": "urn:p"}
    made = edited({}, '<a xmlns:p="urn:p"/>', add={"a/p:b": 1}, namespaces=names)
    assert made == '<a xmlns:p="urn:p"><p:b>1</p:b></a>'
    with pytest.raises(
        ValueError, match="<x> comes from an entity, which edit\\(\\) does not change"
    ):
        edited({"a/x": "1"}, '<!DOCTYPE a [<!ENTITY e "<x>1</x>">]><a>&e;</a>')
    with pytest.raises(FileNotFoundError):
        penstock.xml.edit(tmp_path / "none.xml", io.BytesIO(), {})


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "latin1", "windows-1252"])
def test_encodings(codec: str) -> None:
    name = "UTF-16" if codec.startswith("utf-16") else "UTF-8" if "8-sig" in codec else codec
    text = f'<?xml version="1.0" encoding="{name}"?>\n<a é="ü">\n  <n>Zürich</n>\n</a>\n'
    target = io.BytesIO()
    penstock.xml.edit(io.BytesIO(text.encode(codec)), target, {"a/n": "Genf ü 水", "a/@é": "ö"})
    new = "Genf ü 水" if "utf" in codec else "Genf ü &#27700;"
    assert target.getvalue() == text.replace("Zürich", new).replace('"ü"', '"ö"').encode(codec)
    assert penstock.xml.decode(target.getvalue(), dict[str, str])["n"] == "Genf ü 水"


def test_paths_and_compression(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<a>1</a>")
    assert penstock.xml.edit(path, path, {"a": lambda old: int(old) + 1}) == {"a": 1}
    assert path.read_text() == "<a>2</a>"
    penstock.xml.edit(str(path), tmp_path / "b.xml.gz", {"a": 3})
    assert gzip.decompress((tmp_path / "b.xml.gz").read_bytes()) == b"<a>3</a>"
    chunks: list[bytes] = []
    penstock.xml.edit([b"<a>", b"1</a>"], chunks.append, {"a": None} | {"a": "x"})
    assert b"".join(chunks) == b"<a>x</a>"


def tree(state: random.Random, depth: int = 0) -> etree._Element:
    element = etree.Element(state.choice("abc"), {state.choice("xy"): str(state.random())})
    element.text = state.choice(["", "t & u", "\n  "])
    for _ in range(state.randrange(4) if depth < 3 else 0):
        child = tree(state, depth + 1)
        child.tail = state.choice(["", " ", "\n "])
        element.append(child)
    return element


def canonical(root: etree._Element) -> bytes:
    return etree.tostring(root, method="c14n")


@pytest.mark.parametrize("seed", range(40))
def test_lxml_makes_the_same(seed: int) -> None:
    before = etree.tostring(tree(random.Random(seed))).decode()
    for depth in range(4):
        path = "/".join("*" * (depth + 1))
        root = etree.fromstring(before)
        reached = [each for each in root.iter() if len(list(each.iterancestors())) == depth]
        if not reached:
            break
        for each in reached:
            each.set("x", "1 <")
        found = edited({f"{path}/@x": "1 <"}, before)
        assert canonical(etree.fromstring(found)) == canonical(root)
        if any(len(each) for each in reached):
            continue
        root = etree.fromstring(before)
        for each in root.iter():
            if len(list(each.iterancestors())) == depth:
                each.text = "new & old"
        found = edited({path: "new & old"}, before)
        assert canonical(etree.fromstring(found)) == canonical(root)
