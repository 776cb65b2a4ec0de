"""Answers that were empty or short without a word, as numbered tests."""

import functools
import gzip
import io
import plistlib
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Annotated, Any, Literal

import pyarrow
import pytest
import urllib3

import penstock
from penstock import EmptyWarning, TruncatedInput, at, csv, json, xml

LINES = b"".join(b'{"n": %d}\n' % n for n in range(10_000))
HALF = LINES.index(b"\n", len(LINES) // 2) + 1


@contextmanager
def served(body: bytes, declared: int, head: bytes = b"") -> Iterator[int]:
    """A server of one response, which ends after `body`, whatever length it has declared."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                while b"\r\n\r\n" not in connection.recv(65_536):
                    pass
                connection.sendall(
                    b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n" % (head, declared)
                )
                connection.sendall(body)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            thread.join()


@contextmanager
def response(body: bytes, declared: int, head: bytes = b"") -> Iterator[HTTPResponse]:
    with served(body, declared, head) as port:
        connection = HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/")
        try:
            yield connection.getresponse()
        finally:
            connection.close()


def through_nothing(response: HTTPResponse) -> Any:
    return response


def through_a_buffer(response: HTTPResponse) -> Any:
    return io.BufferedReader(response)


WAYS = [through_nothing, through_a_buffer]


@pytest.mark.parametrize("through", WAYS)
def test_700_a_response_that_ends_early(through: Callable[[HTTPResponse], Any]) -> None:
    """A response that ended at the end of a line was half of the records, and no error."""
    with response(LINES[:HALF], len(LINES)) as short:
        rows = penstock.ndjson.read(through(short))
        with pytest.raises(TruncatedInput) as caught:
            list(rows)
        line = LINES[:HALF].count(b"\n") + 1
        assert str(caught.value) == (
            f"line {line}, column 1: the response ends here, and {len(LINES) - HALF} bytes of the "
            f"length that it declares are missing (record {line})"
        )
    with response(LINES, len(LINES)) as whole:
        assert len(list(penstock.ndjson.read(through(whole)))) == 10_000


def test_700_what_came_before_is_delivered() -> None:
    with response(LINES[:HALF], len(LINES)) as short:
        seen: list[Any] = []
        rows = penstock.ndjson.read(short)
        with pytest.raises(TruncatedInput):
            seen.extend(iter(rows))
    assert [row["n"] for row in seen] == list(range(LINES[:HALF].count(b"\n")))


def test_700_one_byte_is_missing_of_json() -> None:
    text = b"[1, 2] "
    with response(text, len(text) + 1) as short, pytest.raises(TruncatedInput) as caught:
        json.load(short)
    assert str(caught.value) == (
        "line 1, column 8: the response ends here, and 1 byte of the length that it declares is missing"
    )


def test_700_of_a_compressed_response() -> None:
    packed = gzip.compress(LINES)
    with response(packed[:-4], len(packed)) as short, pytest.raises(TruncatedInput):
        list(penstock.ndjson.read(short))
    with response(packed, len(packed)) as whole:
        assert len(list(penstock.ndjson.read(whole))) == 10_000


def test_700_of_urllib3(tmp_path: Path) -> None:
    """It counts along itself, unless it is told not to: older versions did not."""
    with served(LINES[:HALF], len(LINES)) as port, urllib3.PoolManager() as pool:
        short = pool.request(
            "GET", f"http://127.0.0.1:{port}/", preload_content=False, enforce_content_length=False
        )
        with pytest.raises(TruncatedInput):
            penstock.convert(short, tmp_path / "a.json", format="ndjson")
    assert list(tmp_path.iterdir()) == []


def test_700_a_response_without_a_length_and_one_that_was_begun() -> None:
    with response(LINES, len(LINES)) as begun:
        assert begun.readline() == b'{"n": 0}\n'
        assert len(list(penstock.ndjson.read(begun))) == 9_999


@dataclass
class Point:
    v: Annotated[str, at("@v")]


ODD = {
    "r/s[@id='1']/e": (3, "'s[@id='1']' is no name of an element or attribute"),
    "r/s[1]/e": (3, "'s[1]' is no name of an element or attribute"),
    "r/s|r/t": (3, "'s|r' is no name of an element or attribute"),
    "r/s/..": (5, "'..' is no name of an element or attribute"),
    "r/./s": (
        3,
        "'.' is no element: the element itself has no path, and its text has the path text()",
    ),
    "r/2": (3, "an element has no name that is a number"),
    " r/s/e": (1, "' r' is no name of an element or attribute"),
    "//s[@id]": (3, "'s[@id]' is no name of an element or attribute"),
}


@pytest.mark.parametrize("path", ODD)
def test_701_paths_that_nothing_in_xml_can_match(path: str, tmp_path: Path) -> None:
    """An expression of XPath found no records, in silence. In a field it was a PlanError."""
    file = tmp_path / "a.xml"
    file.write_bytes(b'<r><s id="1"><e v="a"/></s></r>')
    column, reason = ODD[path]
    text = f'at="{path}", column {column}: {reason}'

    class Handler:
        @penstock.on(path)
        def found(self, element: object) -> None:
            raise AssertionError(element)

    verbs: list[Callable[[], object]] = [
        lambda: list(xml.read(file, Point, at=path)),
        lambda: list(penstock.read(file, at={path: Point})),
        lambda: list(penstock.columns(file, Point, at=path)),
        lambda: penstock.schema(file, at=path),
        lambda: penstock.convert(file, tmp_path / "a.ndjson", at=path),
        lambda: penstock.convert(file, tmp_path / "a.ndjson", at=path, into=Point),
        lambda: penstock.split(file, parts=2, at=path),
        lambda: xml.Decoder(Point, at=path),
    ]
    for verb in verbs:
        with pytest.raises(ValueError, match=r"^at=") as caught:
            verb()
        assert str(caught.value) == text
    with pytest.raises(ValueError, match=r"^@on\(") as caught:
        penstock.send(file, Handler())
    assert str(caught.value).endswith(f": {reason} (column {column})")
    with pytest.raises(penstock.PlanError) as refused:
        xml.decode(b"<r/>", type("F", (), {"__annotations__": {"v": Annotated[str, at(path)]}}))
    assert str(refused.value).endswith(f": {reason} (column {column})")


GPX = "http://www.topografix.com/GPX/1/1"
OTHER = "urn:other"


@dataclass
class Waypoint:
    lat: float
    ele: float | None = None


def test_702_the_empty_prefix_of_namespaces() -> None:
    """`namespaces={"": uri}` was accepted for reading and had no effect."""
    usual = f'<gpx xmlns="{GPX}"><trkpt lat="1.5"><ele>3</ele></trkpt></gpx>'
    swapped = (
        f'<g:gpx xmlns:g="{GPX}" xmlns="{OTHER}"><g:trkpt lat="1.5"><g:ele>3</g:ele>'
        "<ele>4</ele></g:trkpt></g:gpx>"
    )
    foreign = f'<gpx xmlns="{OTHER}"><trkpt lat="1.5"><ele>3</ele></trkpt></gpx>'
    names = {"": GPX}
    for text in (usual, swapped):
        rows = list(xml.read([text.encode()], Waypoint, at="gpx/trkpt", namespaces=names))
        assert rows == [Waypoint(1.5, 3.0)]
    assert (
        list(
            xml.read([foreign.encode()], Waypoint, at="gpx/trkpt", namespaces=names, empty="allow")
        )
        == []
    )
    point = f'<g:trkpt xmlns:g="{GPX}" lat="1.5"><g:ele>3</g:ele></g:trkpt>'
    assert xml.decode(point, Waypoint, namespaces=names) == Waypoint(1.5, 3.0)
    assert xml.decode("<trkpt lat='1.5'><ele>3</ele></trkpt>", Waypoint, namespaces=names) == (
        Waypoint(1.5, None)
    )
    assert xml.decode("<trkpt lat='1.5'><ele>3</ele></trkpt>", Waypoint, namespaces={"": ""}) == (
        Waypoint(1.5, 3.0)
    )


def test_702_and_back() -> None:
    written = xml.encode(Waypoint(1.5, 3.0), Waypoint, root="trkpt", namespaces={"": GPX})
    assert f'xmlns="{GPX}"'.encode() in written
    assert xml.decode(written, Waypoint, namespaces={"": GPX}) == Waypoint(1.5, 3.0)


def test_702_messages_by_the_empty_prefix() -> None:
    class Handler:
        seen: list[str]

        def ele(self, element: Any) -> None:
            self.seen.append(element.text)

    handler = Handler()
    handler.seen = []
    text = f'<g:t xmlns:g="{GPX}"><g:ele>3</g:ele><ele xmlns="{OTHER}">4</ele></g:t>'
    xml.send(io.BytesIO(text.encode()), handler, namespaces={"": GPX})
    assert handler.seen == ["3"]


@dataclass
class Entry:
    a: int = 0


LIBRARY = {"Major Version": 1, "Tracks": {"1": {"Name": "Vila"}}}


@pytest.mark.parametrize("form", ["plain", "gzip", "utf-16", "opened"])
def test_703_xml_that_is_a_property_list(form: str, tmp_path: Path) -> None:
    """`load("Library.xml")` separated keys from values; `decode` of the same bytes was right."""
    path = tmp_path / ("Library.xml.gz" if form == "gzip" else "Library.xml")
    text = plistlib.dumps(LIBRARY)
    if form == "utf-16":
        text = text.decode().replace('encoding="UTF-8"', 'encoding="UTF-16"').encode("utf-16")
    path.write_bytes(gzip.compress(text) if form == "gzip" else text)

    opened: list[Any] = []

    def source() -> Any:
        if form != "opened":
            return path
        opened.append(path.open("rb"))
        return opened[-1]

    assert penstock.decode(text, encoding="utf-16" if form == "utf-16" else None) == LIBRARY
    assert penstock.load(source()) == LIBRARY
    assert list(penstock.read(source(), at="Tracks/*")) == [{"Name": "Vila"}]
    target = tmp_path / "a.json"
    penstock.convert(source(), target)
    assert penstock.load(target) == LIBRARY
    if form != "opened":
        assert penstock.schema(path, at="Tracks/*") is not None
        assert [part.load() for part in penstock.split(path, parts=1, at="Tracks/*")] == [
            [{"Name": "Vila"}]
        ]
    # Whoever says the format has it.
    with pytest.raises(penstock.ValidationError):
        penstock.load(source(), dict[str, int], format="xml")
    for file in opened:
        file.close()
    other = tmp_path / "other.xml"
    other.write_bytes(b"<plists><a>1</a></plists>")
    assert penstock.load(other) == {"plists": {"a": "1"}}


def warned(verb: Callable[[], object]) -> str | None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        verb()
    assert all(each.category is EmptyWarning for each in caught)
    return str(caught[0].message) if caught else None


WARNING = (
    'there is nothing at "%s"; '
    "empty='allow' says that this is right, and empty='error' that it is not"
)


def test_704_a_path_that_finds_nothing(tmp_path: Path) -> None:
    """A misspelt path or root was an empty result."""
    document = tmp_path / "a.json"
    document.write_text('{"items": [{"a": 1}], "none": [], "lone": {}}')
    feed = tmp_path / "a.xml"
    feed.write_text("<feed><entry><a>1</a></entry></feed>")
    target = tmp_path / "out.ndjson"

    def verbs(path: Path, at: str, **options: Any) -> list[Callable[[], object]]:
        def pushed() -> None:
            decoder = penstock.Decoder(at=at, format=path.suffix[1:], **options)  # type: ignore[call-overload]
            decoder.feed(path.read_bytes())
            decoder.finish()

        return [
            lambda: list(penstock.read(path, at=at, **options)),
            lambda: list(penstock.read(path, dict[str, int], at=at, **options).batches(10)),
            lambda: list(penstock.columns(path, Entry, at=at, **options)),
            lambda: penstock.convert(path, target, at=at, **options),
            lambda: penstock.convert(path, target, at=at, into=Entry, objects=True, **options),
            pushed,
        ]

    for path, where in (
        (document, "item/*"),
        (document, "items/*/b"),
        (feed, "feeds/entry"),
        (feed, "feed/entri"),
        (feed, "rss/*"),
    ):
        for verb in (*verbs(path, where), *verbs(path, where, empty="warn")):
            message = warned(verb)
            assert message is not None
            assert message.removeprefix(f"{path}: ") == WARNING % where
        for verb in verbs(path, where, empty="allow"):
            assert warned(verb) is None
        for verb in verbs(path, where, empty="error"):
            with pytest.raises(penstock.ValidationError, match="there is nothing at"):
                verb()
    # What is there, and empty, is no reason to warn.
    for path, where in (
        (document, "none/*"),
        (document, "lone/*"),
        (document, "items/*"),
        (document, "none/*/items/*"),
        (document, "lone/*/b"),
        (feed, "feed/*"),
    ):
        for verb in verbs(path, where, empty="warn")[:1]:
            assert warned(verb) is None
    # Nor are parts, of which each has some of the records.
    for part in penstock.split(document, parts=3, at="items/*"):
        assert warned(lambda part=part: list(part.read(empty="warn"))) is None  # type: ignore[misc]


DEAD = [
    (("Sts/Cd", "Sts"), "the path 'Sts/Cd' goes on where 'Sts' ends", "Sts"),
    (("n", "n/numberLong"), "the path 'n/numberLong' goes on where 'n' ends", "n"),
    (("a/b", "x", "a/b/*/c"), "the path 'a/b/*/c' goes on where 'a/b' ends", "a/b"),
]


@pytest.mark.parametrize(("paths", "text", "shorter"), DEAD)
def test_705_a_path_that_goes_on_where_another_of_its_field_ends(
    paths: tuple[str, ...], text: str, shorter: str
) -> None:
    """The shorter path took the value as a whole, and the longer one found nothing."""
    into = type("Entry", (), {"__annotations__": {"status": Annotated[str, at(*paths)]}})
    for decode in (lambda: json.decode("{}", into), lambda: xml.decode("<Ntry/>", into)):
        with pytest.raises(penstock.PlanError) as caught:
            decode()
        assert str(caught.value) == (
            f"field 'status' of Entry: at(...): {text}, and a field takes one of them; give each a "
            f"field of its own, or '{shorter}' a type that has both"
        )


def test_705_paths_beside_each_other() -> None:
    status = Annotated[str, at("a/b", "a/c", "ab")]
    into: Any = type("Entry", (), {"__annotations__": {"status": status}})
    assert json.decode('{"a": {"c": "x"}}', into).status == "x"
    assert json.decode('{"ab": "y"}', into).status == "y"


TWICE = ':1:5: the column "a" occurs more than once'


@pytest.mark.parametrize("rows", ["", "1,2,3\n"])
def test_706_two_columns_of_one_name_are_an_error_of_every_verb(tmp_path: Path, rows: str) -> None:
    """`convert` wrote the key twice, and `schema` and `check` saw one of the columns."""
    path = tmp_path / "f.csv"
    path.write_text("a,b,a\n" + rows)

    def converted(to: str) -> Callable[[], object]:
        return lambda: penstock.convert(path, io.BytesIO(), to=to, errors="skip")

    loads: list[Callable[[], object]] = [
        lambda: penstock.load(path),
        lambda: list(penstock.read(path, errors="skip")),
        lambda: penstock.schema(path),
        lambda: list(penstock.columns(path)),
        lambda: list(penstock.columns(path, threads=2)),
        *map(converted, ("json", "ndjson", "xml", "plist")),
    ]
    for verb in loads:
        with pytest.raises(penstock.ValidationError) as caught:
            verb()
        assert TWICE in str(caught.value)
        assert caught.value.steps == ("a",)
        assert caught.value.code == "repeated"
    # Columns that become columns keep their names.
    out = io.BytesIO()
    penstock.convert(path, out, to="csv")
    assert out.getvalue() == path.read_bytes()
    # Rows as lists have all cells.
    assert csv.load(path, list[str]) == [row.split(",") for row in rows.split()]


@pytest.mark.parametrize(("columns", "error"), [("b", False), ("0,1", False), ("0:", True)])
def test_706_the_columns_that_are_cut(tmp_path: Path, columns: str, error: bool) -> None:
    path = tmp_path / "f.csv"
    path.write_text("a,b,a\n1,2,3\n")
    command = [sys.executable, "-W", "ignore", "-m", "penstock"]
    run = functools.partial(subprocess.run, capture_output=True, text=True, check=False)
    done = run([*command, "cut", str(path), columns, "--to", "ndjson"])
    if error:
        assert (done.returncode, done.stdout) == (1, "")
        assert 'the column "a" occurs more than once' in done.stderr
    else:
        assert (done.returncode, done.stderr) == (0, "")
    checked = run([*command, "check", str(path)])
    assert checked.returncode == 1
    assert "1 problem in 1 record" in checked.stdout + checked.stderr


RECORDS = '<r><i id="1">x<n>2</n><n>3</n></i><i id="2">text</i><i/><i><m k="1"/></i></r>'
PLAIN: list[dict[str, Any]] = [
    {"@id": "1", "n": ["2", "3"], "#text": "x"},
    {"@id": "2", "#text": "text"},
    {},
    {"m": {"@k": "1"}},
]


@pytest.mark.parametrize("into", [dict, dict[str, Any], dict[str, object], dict[Any, Any]])
def test_707_a_dict_has_all_of_an_element(into: Any) -> None:
    """It had the child elements only."""
    assert list(xml.read([RECORDS.encode()], into)) == PLAIN

    @dataclass
    class Rows:
        i: list[into]

    assert xml.decode(RECORDS, Rows).i == PLAIN
    assert xml.decode(RECORDS, Rows, unknown="error").i == PLAIN
    assert xml.decode(xml.encode(Rows(PLAIN)), Rows) == Rows(PLAIN)
    # Without a type, an element without anything is None, and one of text is that text.
    assert list(xml.read([RECORDS.encode()]))[2] is None
    assert xml.decode("<r>text</r>", into) == {"#text": "text"}


def test_707_dicts_that_are_one_of_several() -> None:
    @dataclass
    class Cat:
        kind: Annotated[Literal["cat"], at("@kind")]

    either: Any = Cat | dict[str, Any]
    assert xml.decode('<pet kind="newt">Eft</pet>', either) == {"@kind": "newt", "#text": "Eft"}
    assert xml.decode('<pet kind="cat"/>', either) == Cat("cat")
    nil = '<r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><i xsi:nil="true"><n/></i></r>'
    assert xml.decode(nil, dict[str, dict[str, Any] | None]) == {"i": None}
    with pytest.raises(
        penstock.ValidationError, match=r"expected dict.*got an element with xsi:nil"
    ):
        xml.decode(nil, dict[str, dict[str, Any]])
    # A dict whose values have a type takes child elements, as a class does.
    assert xml.decode('<r id="1"><n>2</n></r>', dict[str, int]) == {"n": 2}
    with pytest.raises(penstock.ValidationError, match="no place for the attribute 'id'"):
        xml.decode('<r id="1"><n>2</n></r>', dict[str, int], unknown="error")


@pytest.mark.parametrize("unions", ["text", "json"])
def test_708_several_types_without_a_class(tmp_path: Path, unions: Any) -> None:
    """The option had no effect: values of several types were an error all the same."""
    path = tmp_path / "mixed.ndjson"
    path.write_text('{"id": 1}\n{"id": "B 2"}\n')
    expected = ["1", "B 2"] if unions == "text" else ["1", '"B 2"']
    assert pyarrow.table(penstock.columns(path, unions=unions))["id"].to_pylist() == expected

    @dataclass
    class Row:
        id: int | str

    assert pyarrow.table(penstock.columns(path, Row, unions=unions))["id"].to_pylist() == expected
