"""`send`: which method gets an element, and what the element holds then."""

from __future__ import annotations

import bz2
import gzip
import io
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import penstock
import penstock.xml
from penstock import Element, on


def xml(text: str, handler: object, **options: Any) -> Any:
    return penstock.xml.send(io.BytesIO(text.encode()), handler, **options)


def json(text: str, handler: object) -> Any:
    return penstock.json.send(io.BytesIO(text.encode()), handler)


class Log:
    """Notes which method was called, and with which argument."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []

    def note(self, method: str, element: Element) -> None:
        self.calls.append((method, element.text))


class Order:
    def item(self, element: Element) -> tuple[str, int]:
        return element.attributes["sku"], int(element.attributes.get("count", "1"))

    def note(self, element: Element) -> str:
        return element.text

    def order(self, element: Element) -> dict[str, object]:
        return {
            "id": element.attributes["id"],
            "items": element.children.all("item"),
            "note": element.children.get("note"),
            "text": element.text,
        }


ORDER = """<order id="7">
  <items><item sku="a" count="2"/><item sku="b"/></items>
  <note>Leave at <b>the</b> door</note>
</order>"""


def test_children_are_what_methods_returned() -> None:
    expected = {
        "id": "7",
        "items": [("a", 2), ("b", 1)],
        "note": "Leave at the door",
        "text": "",
    }
    assert xml(ORDER, Order()) == expected


def test_any_chunking_gives_the_same() -> None:
    data = ORDER.encode()
    whole = xml(ORDER, Order())
    for size in (1, 2, 3, 7, 50):
        chunks = [data[at : at + size] for at in range(0, len(data), size)]
        assert penstock.xml.send(chunks, Order()) == whole


def test_text_is_without_what_methods_took() -> None:
    class Handler(Log):
        def p(self, element: Element) -> None:
            self.note("p", element)

        def b(self, element: Element) -> None:
            self.note("b", element)

    handler = Handler()
    xml("<r><p>one <b>two</b> <i>three<b>four</b></i> &amp; <![CDATA[<five>]]></p>six</r>", handler)
    assert handler.calls == [("b", "two"), ("b", "four"), ("p", "one  three & <five>")]


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("<p/>", ""),
        ("<p></p>", ""),
        ("<p> </p>", " "),
        ("<p>\n\t</p>", "\n\t"),
        ("<p> <i/> </p>", ""),
        ("<p> <i> </i> </p>", ""),
        ("<p> <i>x</i> </p>", " x "),
        ("<p>\u00a0<i/></p>", "\u00a0"),
        ("<p> <b>x</b> </p>", ""),
        ("<p> <!-- x --> </p>", "  "),
        ("<p>a\r\nb&#13;</p>", "a\nb\r"),
    ],
)
def test_white_space_between_elements_is_no_text(document: str, text: str) -> None:
    class Handler(Log):
        def p(self, element: Element) -> None:
            self.note("p", element)

        def b(self, element: Element) -> None:
            pass

    handler = Handler()
    xml(document, handler)
    assert handler.calls == [("p", text)]


def test_results_rise_to_the_nearest_method_and_no_further() -> None:
    class Handler:
        def leaf(self, element: Element) -> str | None:
            return element.text or None

        def outer(self, element: Element) -> list[tuple[str, Any]]:
            return element.children.items()

    document = (
        "<r><leaf>lost</leaf><outer><x><leaf>1</leaf><y><leaf>2</leaf></y></x><leaf/></outer></r>"
    )
    handler = Handler()
    assert xml(document, handler) is None, "the root has no method"
    assert xml(f"<outer>{document}</outer>", handler) == [
        ("leaf", "lost"),
        ("outer", [("leaf", "1"), ("leaf", "2")]),
    ]


def test_elements_of_one_name_within_one_another() -> None:
    class Handler:
        def d(self, element: Element) -> list[object]:
            return [element.attributes["n"], *element.children.values()]

    assert xml('<d n="1"><d n="2"><d n="3"/></d><x><d n="4"/></x></d>', Handler()) == [
        "1",
        ["2", ["3"]],
        ["4"],
    ]


def test_the_document_itself() -> None:
    class Handler:
        def a(self, element: Element) -> str:
            return element.text

        @on("")
        def document(self, element: Element) -> tuple[str, object]:
            return element.name, element.children.items()

    assert xml("<a>1</a>", Handler()) == ("", [("a", "1")])
    assert xml("<r><a>1</a><a>2</a></r>", Handler()) == ("", [("a", "1"), ("a", "2")])


PATHS = "<r><a><b>1</b><c><b>2</b></c></a><c><a><b>3</b></a></c><b>4</b></r>"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("b", "1234"),
        ("//b", "1234"),
        ("r/a/b", "1"),
        ("a/b", ""),
        ("//a/b", "13"),
        ("//a/*/b", "2"),
        ("r/*/b", "1"),
        ("*/b", "4"),
        ("//*/b", "1234"),
        ("r/b", "4"),
        ("//c/a/b", "3"),
        ("r/c/a/b", "3"),
        ("r/b/b", ""),
        ("//c/b", "2"),
        ("x/b", ""),
        ("{}b", "1234"),
        ("*:b", "1234"),
        ("b/text()", "1234"),
    ],
)
def test_paths(path: str, found: str) -> None:
    class Handler:
        found = ""

        @on(path)
        def _found(self, element: Any) -> None:
            self.found += element if isinstance(element, str) else element.text

    handler = Handler()
    xml(PATHS, handler)
    assert handler.found == found
    # Other paths change how the document is skipped, and nothing else.
    for other in ("zzz", "//zzz/b", "*", "r/zzz/b", "//*/zzz"):

        class More(Handler):
            @on(other)
            def _other(self, element: Element) -> None:
                pass

        handler = More()
        xml(PATHS, handler)
        assert handler.found == found, other


def test_of_several_paths_the_most_exact_one() -> None:
    class Handler(Log):
        @on("*")
        def star(self, element: Element) -> None:
            self.note("*", element)

        def b(self, element: Element) -> None:
            self.note("b", element)

        @on("//a/b")
        def a_b(self, element: Element) -> None:
            self.note("//a/b", element)

        @on("r/b")
        def r_b(self, element: Element) -> None:
            self.note("r/b", element)

        @on("//r/b")
        def any_r_b(self, element: Element) -> None:
            self.note("//r/b", element)

        @on("r/*")
        def r_star(self, element: Element) -> None:
            self.note("r/*", element)

    handler = Handler()
    xml("<r><a><b>1</b></a><b>2</b><x><b>3</b><r><b>4</b></r></x></r>", handler)
    names = [(name, text) for name, text in handler.calls if text]
    assert names == [("//a/b", "1"), ("r/b", "2"), ("b", "3"), ("//r/b", "4")]
    assert [name for name, text in handler.calls if not text] == ["r/*", "*", "r/*", "*"]


def test_namespaces() -> None:
    class Handler:
        def __init__(self) -> None:
            self.seen: list[tuple[str, str, str, str | None, str | None]] = []

        def note(self, method: str, element: Element) -> None:
            value = (method, element.text, element.name, element.prefix, element.namespace)
            self.seen.append(value)

        def x(self, element: Element) -> None:
            self.note("x", element)

        @on("{urn:a}x")
        def exact(self, element: Element) -> None:
            self.note("{urn:a}x", element)

        @on("b:x")
        def bound(self, element: Element) -> None:
            self.note("b:x", element)

        @on("{urn:c}*")
        def any_of(self, element: Element) -> None:
            self.note("{urn:c}*", element)

        @on("*:y")
        def anywhere(self, element: Element) -> None:
            self.note("*:y", element)

    handler = Handler()
    document = (
        '<r xmlns:p="urn:a" xmlns:q="urn:b" xmlns:c="urn:c"><x>1</x><p:x>2</p:x><q:x>3</q:x><c:x>4</c:x>'
        '<c:y>5</c:y><p:y>6</p:y><p:z>7</p:z><x xmlns="urn:d">8</x><x xmlns="urn:a">9</x></r>'
    )
    xml(document, handler, namespaces={"b": "urn:b"})
    assert handler.seen == [
        ("x", "1", "x", None, None),
        ("{urn:a}x", "2", "x", "p", "urn:a"),
        ("b:x", "3", "x", "q", "urn:b"),
        ("{urn:c}*", "4", "x", "c", "urn:c"),
        ("*:y", "5", "y", "c", "urn:c"),
        ("*:y", "6", "y", "p", "urn:a"),
        ("x", "8", "x", None, "urn:d"),
        ("{urn:a}x", "9", "x", None, "urn:a"),
    ]


def test_names_as_they_are_written() -> None:
    class Handler(Log):
        def x(self, element: Element) -> None:
            self.note("x", element)

        @on("p:x")
        def prefixed(self, element: Element) -> None:
            self.note(element.name, element)
            assert element.prefix is None
            assert element.attributes.items() == [("xmlns:p", "urn:a"), ("q:z", "1")]

    handler = Handler()
    xml('<r><x>1</x><p:x xmlns:p="urn:a" q:z="1">2</p:x><q:x/></r>', handler, namespaces=False)
    assert handler.calls == [("x", "1"), ("p:x", "2")]


def test_attributes_by_their_names() -> None:
    class Handler:
        def a(self, element: Element) -> None:
            attributes = element.attributes
            assert attributes.items() == [("x", "1"), ("p:x", "2"), ("xml:lang", "de"), ("y", "&")]
            assert attributes["p:x"] == attributes["{urn:p}x"] == "2"
            assert attributes["{}x"] == "1"
            assert attributes["{http://www.w3.org/XML/1998/namespace}lang"] == "de"
            assert attributes.get("{urn:q}x") is None
            element.seen = True  # type: ignore[attr-defined]

    document = '<a xmlns:p="urn:p" x="1" p:x="2" xml:lang="de" y="&amp;"/>'
    with pytest.raises(AttributeError, match="seen"):
        xml(document, Handler())


def test_a_method_for_several_paths() -> None:
    class Handler:
        def __init__(self) -> None:
            self.found: list[object] = []

        @on("b/text()")
        @on("//a/c")
        @on("d")
        def take(self, element: Any) -> None:
            self.found.append(element if isinstance(element, str) else element.name)

    handler = Handler()
    xml("<r><a><b>x<i>y</i></b><c/></a><c/><d/></r>", handler)
    assert handler.found == ["xy", "c", "d"]


def test_elements_may_be_kept() -> None:
    class Handler:
        def __init__(self) -> None:
            self.kept: list[Element] = []
            self.attributes: list[penstock.Items[str]] = []

        def a(self, element: Element) -> Element:
            self.kept.append(element)
            return element

        def b(self, element: Element) -> str:
            self.attributes.append(element.attributes)
            return element.text

    handler = Handler()
    count = 50
    parts = "".join(f'<a n="{n}">t{n}<b m="{n}">{n}</b></a>' for n in range(count))
    xml(f"<r>{parts}</r>", handler)
    assert [element.text for element in handler.kept] == [f"t{n}" for n in range(count)]
    assert [element.attributes["n"] for element in handler.kept] == [str(n) for n in range(count)]
    assert [element.children["b"] for element in handler.kept] == [str(n) for n in range(count)]
    assert [items["m"] for items in handler.attributes] == [str(n) for n in range(count)]
    assert len(set(map(id, handler.kept))) == count


def test_a_handler_may_send() -> None:
    class Inner:
        def b(self, element: Element) -> str:
            return element.text

        def r(self, element: Element) -> list[object]:
            return element.children.values()

    class Outer:
        def a(self, element: Element) -> object:
            inner = xml("<r><b>1</b><b>2</b></r>", Inner())
            return (element.text, inner, element.attributes["x"])

        def r(self, element: Element) -> list[object]:
            return element.children.values()

    outer = '<r><a x="1">first</a><a x="2">second</a></r>'
    assert xml(outer, Outer()) == [("first", ["1", "2"], "1"), ("second", ["1", "2"], "2")]


def test_what_a_method_raises_comes_out_with_its_place() -> None:
    class Handler:
        def b(self, element: Element) -> int:
            return int(element.text)

    with pytest.raises(ValueError, match="invalid literal") as caught:
        xml("<r>\n <b>1</b>\n <b>two</b>\n</r>", Handler())
    assert type(caught.value) is ValueError
    assert caught.value.__notes__ == ["line 3, column 8: raised here"]
    assert caught.traceback[-1].name == "b"
    with pytest.raises(ValueError, match="invalid literal") as caught:
        json('{"b": 1,\n "b": "two"}', Handler())
    assert caught.value.__notes__ == ["line 2, column 7: raised here"]
    assert "raised here" in "".join(traceback.format_exception(caught.value))


def test_errors_of_the_document_come_after_what_stands_before_them(tmp_path: Path) -> None:
    class Handler(Log):
        def b(self, element: Element) -> None:
            self.note("b", element)

    handler = Handler()
    path = tmp_path / "bad.xml"
    path.write_text("<r><b>1</b>\n<b>2</c></r>")
    with pytest.raises(penstock.MalformedInput) as caught:
        penstock.xml.send(path, handler)
    assert (caught.value.line, caught.value.format) == (2, "xml")
    assert str(caught.value).startswith(f"{path}:2:")
    assert handler.calls == [("b", "1")]
    # Skipped elements are validated as well.
    for text in ("<r><x><y></x></r>", "<r>&nope;</r>", "<r", "<r><x a='1' a='2'/></r>"):
        with pytest.raises(penstock.DecodeError):
            xml(text, handler)


def test_sources(tmp_path: Path) -> None:
    class Handler:
        def r(self, element: Element) -> str:
            return element.text

    data = "<r>caf\u00e9</r>".encode()
    plain, packed = tmp_path / "a.xml", tmp_path / "a.xml.gz"
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data))
    for source in (plain, str(plain), packed, io.BytesIO(bz2.compress(data)), [data]):
        assert penstock.xml.send(source, Handler()) == "caf\u00e9"
    assert penstock.send(plain, Handler()) == penstock.send(packed, Handler()) == "caf\u00e9"
    assert penstock.send([data], Handler(), format="xml") == "caf\u00e9"
    with pytest.raises(TypeError, match=r"wrap data in memory in io\.BytesIO\(\)"):
        penstock.xml.send(data, Handler())  # type: ignore[arg-type]  # what is tested
    with pytest.raises(OSError, match="nowhere"):
        penstock.xml.send(tmp_path / "nowhere.xml", Handler())


# JSON.


class Record:
    """Shows everything that an element of JSON holds."""

    def item(self, element: Element) -> tuple[object, ...]:
        values = element.attributes.items()
        return values, element.children.items(), element.value, element.text

    def part(self, element: Element) -> object:
        return element.value

    @on("")
    def root(self, element: Element) -> list[object]:
        return element.children.all("item")


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ('{"item": {}}', [([], [], None, "")]),
        ('{"item": "x\\u00e9"}', [([], [], "x\u00e9", "x\u00e9")]),
        ('{"item": 12}', [([], [], 12, "12")]),
        ('{"item": -0}', [([], [], 0, "-0")]),
        (
            '{"item": 12345678901234567890123}',
            [([], [], 12345678901234567890123, "12345678901234567890123")],
        ),
        ('{"item": 2.50}', [([], [], 2.5, "2.50")]),
        ('{"item": true}', [([], [], True, "true")]),
        ('{"item": null}', [([], [], None, "")]),
        ('{"item": []}', []),
        (
            '{"item": [1, [2, [3]], {"a": 4}]}',
            [([], [], 1, "1"), ([], [], 2, "2"), ([], [], 3, "3"), ([("a", 4)], [], None, "")],
        ),
        (
            '{"item": {"a": "x", "b": [1, [2.5], true], "c": null, "d": {"e": 1}, "a": "y"}}',
            [
                (
                    [("a", "x"), ("b", 1), ("b", 2.5), ("b", True), ("c", None), ("a", "y")],
                    [],
                    None,
                    "",
                )
            ],
        ),
        (
            '{"item": {"part": 1, "a": 2, "x": {"part": [3, {"b": 4}], "a": 5}, "part": null}}',
            [([("a", 2)], [("part", 1), ("part", 3)], None, "")],
        ),
        ('{"x": [{"item": 1}, {"y": {"item": 2}}]}', [([], [], 1, "1"), ([], [], 2, "2")]),
        ('{"item": {"x": [{}, {}], "y": [[], {}], "z": 1}}', [([("z", 1)], [], None, "")]),
    ],
)
def test_json(document: str, expected: list[object]) -> None:
    assert json(document, Record()) == expected
    data = document.encode()
    chunks = [data[at : at + 1] for at in range(len(data))]
    assert penstock.json.send(chunks, Record()) == expected


def test_an_array_at_the_root_is_many_roots() -> None:
    class Roots:
        def __init__(self) -> None:
            self.seen: list[object] = []

        @on("")
        def root(self, element: Element) -> object:
            self.seen.append(element.attributes.get("a", element.value))
            return element.attributes.get("a")

    handler = Roots()
    assert json('[{"a": 1}, 2, [{"a": 3}]]', handler) == 3
    assert handler.seen == [1, 2, 3]
    handler = Roots()
    lines = io.BytesIO(b'{"a": 1}\n\n{"b": 0}\n{"a": 4}\n')
    assert penstock.ndjson.send(lines, handler) == 4
    assert handler.seen == [1, None, 4]
    lines = io.BytesIO(b'\x1e{"a": 1}\n')
    assert penstock.ndjson.send(lines, handler, framing="sequence") == 1


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("b", [1, 2, 3, 4]),
        ("a/b", [1, 2]),
        ("//a/b", [1, 2, 3]),
        ("*/b", [1, 2]),
        ("c/*/b", [3]),
        ("//*/b", [1, 2, 3]),
        ("{u}b", []),
        ("b/text()", ["1", "2", "3", "4"]),
    ],
)
def test_paths_in_json(path: str, found: list[object]) -> None:
    class Handler:
        def __init__(self) -> None:
            self.found: list[object] = []

        @on(path)
        def _found(self, element: Any) -> None:
            self.found.append(element if isinstance(element, str) else element.value)

    handler = Handler()
    json('{"a": [{"b": 1}, [{"b": 2}]], "c": {"a": {"b": 3}}, "b": 4}', handler)
    assert handler.found == found


def test_keys_of_json_are_keys() -> None:
    class Handler(Log):
        @on("a:b")
        def colon(self, element: Element) -> None:
            self.note("a:b", element)

        @on("a~1b")
        def slash(self, element: Element) -> None:
            self.note(element.name, element)

        @on("{u}c")
        def braces(self, element: Element) -> None:
            self.note(element.name, element)

    handler = Handler()
    json('{"a:b": 1, "a/b": 2, "{u}c": 3, "b": 4, "c": 5}', handler)
    assert handler.calls == [("a:b", "1"), ("a/b", "2"), ("{u}c", "3")]


def test_a_float_beyond_all_floats() -> None:
    class Handler:
        def x(self, element: Element) -> object:
            assert element.text == "1e999"
            return element.value

    with pytest.raises(ValueError, match=r"1e999 is beyond the range of a float"):
        json('{"x": 1e999}', Handler())


@pytest.mark.parametrize(
    ("send", "source"),
    [
        (penstock.json.send, b'{"x": 1'),
        (penstock.json.send, b'{"x": 1}}'),
        (penstock.json.send, b'{"y": [1, 2, {"z": tru}], "x": 1}'),
        (penstock.ndjson.send, b'{"x": 1}\n{"x"}\n'),
    ],
)
def test_malformed_json(send: Callable[..., object], source: bytes) -> None:
    with pytest.raises(penstock.DecodeError):
        send(io.BytesIO(source), Order())


def test_the_format_is_told_by_the_name(tmp_path: Path) -> None:
    class Handler:
        def __init__(self) -> None:
            self.found: list[object] = []

        def x(self, element: Element) -> None:
            self.found.append(element.value)

    handler = Handler()
    for name, data in (
        ("a.json", '{"x": 1}'),
        ("b.jsonl", '{"x": 2}\n{"x": 3}'),
        ("c.xml", "<x>4</x>"),
    ):
        (tmp_path / name).write_text(data)
        penstock.send(tmp_path / name, handler)
    assert handler.found == [1, 2, 3, "4"]


def test_repairs_are_warned_of() -> None:
    class Shops:
        def shop(self, element: Element) -> str:
            return element.text

        def shops(self, element: Element) -> list[object]:
            return element.children.values()

    document = "<shops>\n<shop>Marks & Spencer</shop><shop>AT&T</shop></shops>"
    with pytest.raises(penstock.MalformedInput):
        xml(document, Shops())
    data = io.BytesIO(document.encode())
    expected = r"2 repairs \(2 bare_ampersand\); the first at line 2, column 13"
    with pytest.warns(penstock.RepairWarning, match=expected) as caught:
        found = penstock.xml.send(data, Shops(), repair="bare_ampersand")
    assert found == ["Marks & Spencer", "AT&T"]
    assert [warning.filename for warning in caught] == [__file__]


def test_encodings() -> None:
    class Word:
        def w(self, element: Element) -> str:
            return element.text

    for encoding in ("utf-8", "utf-16", "iso-8859-1", "windows-1252"):
        text = f'<?xml version="1.0" encoding="{encoding}"?><w>caf\u00e9</w>'
        assert penstock.xml.send(io.BytesIO(text.encode(encoding)), Word()) == "caf\u00e9"
    text = "<w>caf\u00e9</w>"
    found = penstock.xml.send([text.encode("latin-1")], Word(), encoding="latin-1")
    assert found == "caf\u00e9"


def test_entities_and_defaults_of_the_document_type() -> None:
    class Word:
        def w(self, element: Element) -> tuple[str, list[tuple[str, Any]], list[tuple[str, Any]]]:
            return element.text, element.attributes.items(), element.children.items()

        def b(self, element: Element) -> str:
            return element.text

    document = (
        "<!DOCTYPE w [<!ATTLIST w lang CDATA 'en'><!ENTITY caf 'caf&#233; <b>x</b><i>y</i>'>]>"
        "<w kind=' a b '>&caf;!</w>"
    )
    assert xml(document, Word()) == (
        "caf\u00e9 y!",
        [("kind", " a b "), ("lang", "en")],
        [("b", "x")],
    )


def test_limits() -> None:
    class Word:
        def w(self, element: Element) -> None:
            pass

    with pytest.raises(penstock.LimitExceeded, match=r"limits\.depth"):
        xml("<w>" * 5 + "</w>" * 5, Word(), limits=penstock.Limits(depth=4))
