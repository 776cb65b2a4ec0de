"""Finds the format of a source if the caller does not name it."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

    from penstock._types import Format, Grammar

_SUFFIXES: dict[str, Format] = {
    ".json": "json",
    ".geojson": "json",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".atom": "xml",
    ".fb2": "xml",
    ".gml": "xml",
    ".gpx": "xml",
    ".graphml": "xml",
    ".kml": "xml",
    ".mathml": "xml",
    ".musicxml": "xml",
    ".nxml": "xml",
    ".osm": "xml",
    ".owl": "xml",
    ".rdf": "xml",
    ".rss": "xml",
    ".svg": "xml",
    ".tei": "xml",
    ".tmx": "xml",
    ".wsdl": "xml",
    ".xhtml": "xml",
    ".xlf": "xml",
    ".xliff": "xml",
    ".xml": "xml",
    ".xsd": "xml",
    ".xsl": "xml",
    ".xslt": "xml",
}
# First bytes that leave no doubt.
_FIRST: dict[bytes, Format] = {b"{": "json", b"[": "json", b'"': "json", b"<": "xml"}
_PACKED = (".gz", ".zst", ".bz2", ".xz", ".zip")
_UNREADABLE = {".plist": "property lists", ".csv": "CSV", ".tsv": "CSV"}

# The options of each format for the verbs of `penstock`, which do not offer them.
GRAMMAR: dict[Format, Grammar] = {
    "json": "document",
    "ndjson": "lines",
    "xml": (None, "error", (), "error", False),
}


def checked(format: str) -> Format:
    """Check a format that the caller has named.

    Raises:
        ValueError: Penstock cannot read it.
    """
    for known in GRAMMAR:
        if format == known:
            return known
    if f".{format}" in _UNREADABLE:
        _refuse(_UNREADABLE[f".{format}"])
    raise ValueError(f"format={format!r} is not a format: 'json', 'ndjson' and 'xml' are")


def of_source(source: object, name: str | None) -> Format:
    """Find the format from the name's suffix, or else from the first bytes of a file at a path.

    Raises:
        ValueError: Neither says, or Penstock cannot read the format yet.
    """
    kind = None if name is None else of_name(name)
    if kind is not None:
        return kind
    # Reading from a pipe would take bytes from it; `open` reports a missing file.
    if isinstance(source, str) and (os.path.isfile(source) or not os.path.exists(source)):  # noqa: PTH110, PTH113 - as above
        with open(source, "rb") as file:  # noqa: PTH123 - importing pathlib is slow
            first = file.read(64)
        if _opening(first).startswith(("{", "[", "<", "bplist")):
            return of_data(first)
    what = "a stream without a name" if name is None else repr(name)
    raise ValueError(f"cannot tell the format of {what}: pass format='json', 'ndjson' or 'xml'")


def of_name(name: str) -> Format | None:
    """Return the format of a name's suffix, or None if the suffix does not say.

    Raises:
        ValueError: Penstock cannot read the format yet.
    """
    stem = name.lower()
    for packed in _PACKED:
        stem = stem.removesuffix(packed)
    suffix = os.path.splitext(stem)[1]  # noqa: PTH122 - importing pathlib is slow
    if suffix in _UNREADABLE:
        _refuse(_UNREADABLE[suffix])
    return _SUFFIXES.get(suffix)


def of_data(data: object) -> Format:
    """Find the format from the first bytes: JSON, unless it is plainly another.

    Raises:
        ValueError: Penstock cannot read the format yet.
    """
    if type(data) is bytes and (known := _FIRST.get(data[:1])):
        return known
    if isinstance(data, str):
        start = data[:64].removeprefix("\ufeff").lstrip()
    else:
        try:
            start = _opening(bytes(memoryview(data)[:64]))  # type: ignore[arg-type]  # see below
        except TypeError:
            # Not data at all: the verb itself raises the error for that.
            return "json"
    if start.startswith("bplist"):
        _refuse(_UNREADABLE[".plist"])
    return "xml" if start.startswith("<") else "json"


def _opening(data: bytes) -> str:
    """The first significant characters of bytes in UTF-8, UTF-16 or UTF-32."""
    for mark in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"):
        data = data.removeprefix(mark)
    return data.replace(b"\0", b"").decode("latin-1").lstrip()


def record_type(verb: str, into: object) -> object:
    """Return the type of one record if a whole NDJSON document is asked for as `into`.

    The whole document is a list. A checker takes `into` for the result, so it must be a list type,
    such as `list[City]`.

    Raises:
        TypeError: `into` is another type than a list.
    """
    # Whoever passes `Any` has imported `typing`, so there is no need to do it here.
    typing = sys.modules.get("typing")
    if into is object or into is list or (typing is not None and into is typing.Any):
        return object
    if getattr(into, "__origin__", None) is list:
        return into.__args__[0]  # type: ignore[attr-defined]  # every alias of list has it
    shown = getattr(into, "__name__", None) or repr(into)
    message = (
        f"{verb}() of NDJSON gives a list: ask for list[{shown}], "
        f"or call penstock.ndjson.{verb}() with {shown}"
    )
    raise TypeError(message)


def _refuse(what: str) -> NoReturn:
    raise ValueError(f"{what} cannot be read yet: JSON, NDJSON and XML can")
