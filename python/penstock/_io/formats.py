"""Finds the format of a source if the caller does not name it."""

from __future__ import annotations

import errno
import os
import sys

import penstock._rust as _rust
from penstock._io import sources as _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock._base.types import Format, PlistForm, TableFormat

# The table of formats is the extension's. Of each format it has the name, the name that people use,
# the suffixes, the characters that only this format begins with, and whether it is a list.
_TITLES: dict[Format, str] = {}
_SUFFIXES: dict[str, Format] = {}
_FIRST: dict[str, Format] = {}
_STREAMS: set[Format] = set()
for _name, _title, _suffixes, _begins, _is_stream in _rust.FORMATS:
    _TITLES[_name] = _title
    _SUFFIXES.update(dict.fromkeys(_suffixes, _name))
    _FIRST.update(dict.fromkeys(_begins, _name))
    if _is_stream:
        _STREAMS.add(_name)

_FIRST_BYTES = {character.encode(): name for character, name in _FIRST.items()}

NAMES: tuple[Format, ...] = tuple(_TITLES)
TITLES = tuple(_TITLES.values())
"""What people call the formats, in the same order."""
TABLES: tuple[TableFormat, ...] = ("parquet", "arrow")
"""The formats of columns, which `convert` writes."""

# What each format, and each suffix that says more, is without an option of its own.
_DIALECTS: dict[str, _rust.Dialect] = {}

# As the extension says it.
IS_A_FOLDER = "Is a directory; penstock.read() reads the files in it"

_PACKED = (*(suffix for _, suffix in _rust.COMPRESSIONS), ".bgz", ".zip")
# The identifier of signed data, such as a configuration profile, in DER.
_SIGNED = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"
# How many bytes show whether XML is a property list.
_LOOKED_AT = 1024
# What the suffixes of CSV say of the text, besides the format.
_DELIMITERS = {".psv": "|", ".tab": "\t", ".tsv": "\t"}
# What the suffixes of property lists say of the form in which they are written.
_FORMS: dict[str, PlistForm] = {
    ".bplist": "binary",
    ".glyphs": "openstep",
    ".pbxproj": "openstep",
    ".strings": "strings",
}


def dialect(format: Format, name: str | None = None) -> _rust.Dialect:
    """Return a format without any option but those that the suffix of a name says."""
    key: str = format
    if format == "csv" and name is not None and (end := suffix(name)) in _DELIMITERS:
        key = end
    known = _DIALECTS.get(key)
    if known is None:
        options = {} if key == format else {"delimiter": _DELIMITERS[key]}
        known = _DIALECTS[key] = _rust.Dialect(format, options)
    return known


def form_for(target: object) -> PlistForm:
    """Return the form of a property list that the suffix of a path says; XML if it says nothing."""
    if not isinstance(target, (str, os.PathLike)):
        return "xml"
    return _FORMS.get(suffix(os.fsdecode(target)), "xml")


def delimited(name: str) -> dict[str, object]:
    """Return the options that the suffix of a name says, besides the format."""
    delimiter = _DELIMITERS.get(suffix(name))
    return {} if delimiter is None else {"delimiter": delimiter}


def checked(format: str) -> Format:
    """Check a format that the caller has named.

    Raises:
        ValueError: Penstock does not know it.
    """
    for known in NAMES:
        if format == known:
            return known
    names = listed([repr(name) for name in NAMES], "and")
    raise ValueError(f"format={format!r} is not a format: {names} are")


def of_source(source: object, name: str | None) -> Format:
    """Find the format from the name's suffix, or else from the first bytes of a file at a path.

    XML may be a property list, which only its root element says.

    Raises:
        ValueError: Neither says.
    """
    kind = None if name is None else of_name(name)
    if kind is not None:
        is_plist = kind == "xml" and of_data(_beginning(source)) == "plist"
        return "plist" if is_plist else kind
    if _sources.is_remote(source):
        first = _beginning(source)
        if _opening(first).startswith((*_FIRST, "bplist")):
            return of_data(first)
        refuse_signed(repr(name), first)
    # Reading from a pipe would take bytes from it; `open` reports a missing file.
    if isinstance(source, str) and (os.path.isfile(source) or not os.path.exists(source)):  # noqa: PTH110, PTH113 - as above
        with open(source, "rb") as file:  # noqa: PTH123 - importing pathlib is slow
            first = file.read(_LOOKED_AT)
        if _opening(first).startswith((*_FIRST, "bplist")):
            return of_data(first)
        refuse_signed(repr(source), first)
    if isinstance(source, str) and os.path.isdir(source):  # noqa: PTH112 - as above
        raise IsADirectoryError(errno.EISDIR, IS_A_FOLDER, source)
    raise unknown(name)


def refuse_signed(name: str, first: bytes) -> None:
    """Say what takes the content out of signed data, such as a configuration profile.

    Raises:
        ValueError: The first bytes are those of signed data.
    """
    if first[:1] == b"0" and _SIGNED in first[:32]:
        raise ValueError(
            f"{name} is signed: 'openssl cms -verify -noverify -inform der -in FILE' writes its "
            "content"
        )


def _beginning(source: object) -> bytes:
    """Return the beginning of a file; nothing of one where looking would take it."""
    if isinstance(source, str):
        is_file = os.path.isfile(source)  # noqa: PTH113 - as above
        return _rust.opening(source, _LOOKED_AT) if is_file else b""
    if _sources.is_remote(source):
        return _rust.opening(source, _LOOKED_AT)
    peek = getattr(source, "peek", None)
    return b"" if peek is None else peek(_LOOKED_AT)[:_LOOKED_AT]


def unknown(name: str | None) -> ValueError:
    """Return the error for a format that nothing says."""
    what = "a stream without a name" if name is None else repr(name)
    names = listed([repr(name) for name in NAMES], "or")
    return ValueError(f"cannot tell the format of {what}: pass format={names}")


def of_name(name: str) -> Format | None:
    """Return the format of a name's suffix, or None if the suffix does not say."""
    return _SUFFIXES.get(suffix(name))


def suffix(name: str) -> str:
    """Return the suffix of a name, in lower case, without the suffixes of compressions."""
    stem = name.lower()
    for packed in _PACKED:
        stem = stem.removesuffix(packed)
    return os.path.splitext(stem)[1]  # noqa: PTH122 - importing pathlib is slow


def of_data(data: object) -> Format:
    """Find the format from the first bytes: JSON, unless it is plainly another."""
    if type(data) is bytes and (known := _FIRST_BYTES.get(data[:1])) == "json":
        return known
    if isinstance(data, str):
        start = data[:_LOOKED_AT].removeprefix("\ufeff").lstrip()
    else:
        try:
            start = _opening(bytes(memoryview(data)[:_LOOKED_AT]))  # type: ignore[arg-type]  # see below
        except TypeError:
            # Not data at all: the verb itself raises the error for that.
            return "json"
    known = _FIRST.get(start[:1], "json")
    is_plist = _has_plist_root(start) if known == "xml" else start.startswith("bplist")
    return "plist" if is_plist else known


def _has_plist_root(text: str) -> bool:
    """Whether the root element, or the document type, of XML is a property list's."""
    while (start := text.find("<!--")) >= 0:
        end = text.find("-->", start)
        text = text[:start] + (text[end + 3 :] if end >= 0 else "")
    for tag in text.split("<")[1:]:
        if not tag.startswith(("?", "!")) or tag.startswith("!DOCTYPE"):
            return tag.removeprefix("!DOCTYPE").split(">")[0].split()[:1] == ["plist"]
    return False


def _opening(data: bytes) -> str:
    """The first significant characters of bytes in UTF-8, UTF-16 or UTF-32."""
    for mark in (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff"):
        data = data.removeprefix(mark)
    return data.replace(b"\0", b"").decode("latin-1").lstrip()


def record_type(verb: str, format: Format, into: object) -> object:
    """Return the type of one record if a whole source is asked for as `into`.

    A format of many values, such as NDJSON, is a list as a whole. A checker takes `into` for the
    result, so it must be a list type, such as `list[City]`. For other formats it is `into`.

    Raises:
        TypeError: `into` is another type than a list.
    """
    if format not in _STREAMS:
        return into
    # Whoever passes `Any` has imported `typing`, so there is no need to do it here.
    typing = sys.modules.get("typing")
    if into is object or into is list or (typing is not None and into is typing.Any):
        return object
    if getattr(into, "__origin__", None) is list:
        return into.__args__[0]  # type: ignore[attr-defined]  # every alias of list has it
    shown = getattr(into, "__name__", None) or repr(into)
    what = "takes a list: pass" if verb in {"encode", "dump"} else "gives a list: ask for"
    message = (
        f"{verb}() of {_TITLES[format]} {what} list[{shown}], "
        f"or call penstock.{format}.{verb}() with {shown}"
    )
    raise TypeError(message)


def is_stream(format: Format) -> bool:
    """Whether a format is one value after the other, as NDJSON is."""
    return format in _STREAMS


def listed(words: Sequence[str], last: str) -> str:
    """Join words as a sentence does: `a, b and c`."""
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
