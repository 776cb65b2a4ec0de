"""Changes of single values in an XML document; everything else is copied byte for byte.

The events of `penstock.xml.events` say where each tag is. What changes is put together from the
bytes around it, and the result is read once more before it is written.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field

import penstock._rust as _rust
from penstock._annotations.at import unescaped as _unescaped
from penstock._io import sources as _sources
from penstock._io import targets as _targets

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from penstock._base.limits import Limits
    from penstock._base.types import Packing, Source, Target

_TAG = re.compile(rb"""<([^\s/>]+)((?:\s+[^\s=/>]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(/?)>""")
_ATTRIBUTE = re.compile(rb"""(\s+)([^\s=/>]+)(\s*=\s*)("[^"]*"|'[^']*')""")
_DECLARED = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_CONTENT = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_QUOTED = {**_CONTENT, '"': "&quot;", "\t": "&#9;", "\n": "&#10;"}
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(slots=True)
class _Step:
    """The test of a step: a local name or any, and a namespace, none, or any."""

    local: str | None
    # None is any namespace, and an empty one a name that is written without a prefix.
    uri: str | None

    def admits(self, written: str, spaces: Mapping[str, str], attribute: bool = False) -> bool:
        prefix, colon, local = written.rpartition(":")
        if self.local is not None and local != self.local:
            return False
        if self.uri is None:
            return True
        if self.uri == "":
            return not colon
        return (spaces.get(prefix) if colon or not attribute else None) == self.uri


@dataclass(slots=True)
class _Path:
    """A path with what is to be done where it leads."""

    text: str
    steps: list[_Step]
    anywhere: bool
    attribute: _Step | None
    # The name of the attribute or the new element, as it is written, and its namespace.
    name: str
    uri: str | None
    value: Any
    adds: bool
    found: int = 0


@dataclass(slots=True)
class _Open:
    """An element that has not ended."""

    name: str
    tag: re.Match[bytes] | None
    at: int
    spaces: Mapping[str, str]
    # How many steps of each path lead here.
    states: list[set[int]]
    matched: list[_Path] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    # Where its last child begins.
    last: int | None = None
    dropped: bool = False


def edit(
    source: Source,
    target: Target,
    changes: Mapping[str, Any],
    add: Mapping[str, Any],
    namespaces: Mapping[str, str] | None,
    compression: Packing | None,
    limits: Limits | None,
    encode: Callable[..., bytes],
    events: Callable[..., Any],
) -> dict[str, int]:
    """Change a document; see `penstock.xml.edit`."""
    given, name = _sources.locate("edit", source, None, None, limits)
    data = _read(given)
    mark, codec = _encoding(data)
    plain = data[len(mark) :]
    if codec != "utf-8":
        text = plain.decode(codec)
        if text.encode(codec) != plain:
            raise ValueError(f"edit() cannot write {codec} as it is here, byte for byte")
        plain = text.encode()
    paths = [
        *(_path(each, changes[each], False, namespaces) for each in changes),
        *(_path(each, add[each], True, namespaces) for each in add),
    ]
    pieces = sorted(_pieces(plain, paths, encode, events, limits), key=lambda each: each[:2])
    for path in paths:
        if not path.found:
            where = "" if name is None else f"{name}: "
            raise ValueError(f"{where}there is nothing at {path.text!r}")
    made, done = [], 0
    for begin, end, instead in pieces:
        if begin < done:
            continue  # An attribute of an element that is dropped.
        made += [plain[done:begin], instead]
        done = end
    result = b"".join([*made, plain[done:]])
    # What is not well-formed, such as a prefix that is not declared, is not written.
    read = {"unresolved": "text", "encoding": "utf-8", "compression": None, "limits": limits}
    for _ in events([result], **read):
        pass
    if codec != "utf-8":
        result = result.decode().encode(codec, "xmlcharrefreplace")
    with _targets.open_target("edit", target, compression=compression) as opened:
        opened.write(mark + result)
    return {path.text: path.found for path in paths}


def _read(given: object) -> bytes:
    """Return all bytes of a source."""
    if isinstance(given, str):
        from pathlib import Path  # noqa: PLC0415 - a source may be none

        return Path(given).read_bytes()
    read = getattr(given, "read", None)
    if read is not None:
        return bytes(read())
    return b"".join(given)  # type: ignore[arg-type]


def _encoding(data: bytes) -> tuple[bytes, str]:
    """Return the byte order mark of a document, and the codec of what is behind it.

    Raises:
        ValueError: Python has no codec for the encoding that the document declares.
    """
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return mark, codec
    if data.startswith((b"<\0", b"\0<")):
        return b"", "utf-16-le" if data.startswith(b"<\0") else "utf-16-be"
    declared = _DECLARED.match(data)
    if declared is None:
        return b"", "utf-8"
    try:
        return b"", codecs.lookup(declared[1].decode()).name
    except LookupError:
        raise ValueError(f"edit() does not know the encoding {declared[1].decode()!r}") from None


def _path(text: str, value: Any, adds: bool, namespaces: Mapping[str, str] | None) -> _Path:
    """Compile a path.

    Raises:
        ValueError: It leads to no element or attribute by its name.
    """

    def wrong(reason: str) -> ValueError:
        return ValueError(f"edit() of {text!r}: {reason}")

    if not isinstance(text, str):
        raise TypeError(f"edit() takes paths as str, not {type(text).__name__}")
    rest = text.removeprefix("//")
    steps = re.findall(r"(?:\{[^}]*\}|[^/{])+", rest)
    if not rest or "/".join(steps) != rest:
        raise wrong("it is no path of names, such as 'a/b' or 'a/@x'")
    tests = []
    for step in steps:
        name = step.removeprefix("@")
        test = _step(name, namespaces, step != name)
        if test is None or (step != name and step is not steps[-1]):
            raise wrong(
                f"{step!r} is no name of an element or attribute"
                if ":" not in name
                else f"the prefix of {step!r} is not in namespaces="
            )
        tests.append(test)
    last, uri = steps[-1], tests[-1].uri
    attribute = tests.pop() if last.startswith("@") else None
    new = _unescaped(last.removeprefix("@"))
    if adds:
        if attribute is not None:
            raise wrong("an attribute is not added but set: in changes=")
        tests.pop()
        if not tests or not re.fullmatch(r"[^\s*{}/<>&'\"=]+", new):
            raise wrong(
                "it ends with the name of the new element, behind that of the one around it"
            )
    if attribute is not None and not tests:
        raise wrong("an attribute is that of an element: 'a/@x'")
    return _Path(text, tests, text != rest, attribute, new, uri, value, adds)


def _step(name: str, namespaces: Mapping[str, str] | None, attribute: bool) -> _Step | None:
    if name == "*":
        return _Step(None, None)
    if name.startswith("{"):
        uri, _, local = name[1:].partition("}")
        return _Step(_unescaped(local), uri) if local else None
    prefix, colon, local = name.rpartition(":")
    if not local or not re.fullmatch(r"[^\s()\[\]*@]+", local):
        return None
    if prefix == "*":
        return _Step(_unescaped(local), None)
    known = namespaces or {}
    if not colon:
        return _Step(_unescaped(local), "" if attribute else known.get("", ""))
    return _Step(_unescaped(local), known[prefix]) if prefix in known else None


def _pieces(
    data: bytes,
    paths: list[_Path],
    encode: Callable[..., bytes],
    events: Callable[..., Any],
    limits: Limits | None,
) -> Iterator[tuple[int, int, bytes]]:
    """Find what changes: from which byte to which, and what comes instead."""
    start: list[set[int]] = [{0} for _ in paths]
    opened = [_Open("", None, 0, {"xml": "http://www.w3.org/XML/1998/namespace"}, start)]
    # The attributes of a tag come after its name, and they declare its namespaces.
    begun: tuple[str, int] | None = None
    spaces: dict[str, str] = {}
    read = {"unresolved": "text", "encoding": "utf-8", "compression": None, "limits": limits}
    for kind, value, at in events([data], namespaces=False, **read):
        if kind == "attribute":
            name, uri = value
            if name == "xmlns" or name.startswith("xmlns:"):
                spaces[name[6:]] = uri
            continue
        if begun is not None:
            element = _begin(data, opened[-1], begun, spaces, paths)
            opened.append(element)
            begun = None
            if not element.dropped:
                yield from _attributes(data, element, encode)
        if kind == "start":
            begun, spaces = (value, at), {}
            opened[-1].last = at
        elif kind == "text":
            opened[-1].texts.append(value)
        elif kind == "end":
            yield from _end(data, opened.pop(), at, encode)


def _begin(
    data: bytes,
    around: _Open,
    begun: tuple[str, int],
    declared: Mapping[str, str],
    paths: list[_Path],
) -> _Open:
    """Open an element, and find the paths that lead to it."""
    name, at = begun
    spaces = {**around.spaces, **declared} if declared else around.spaces
    states: list[set[int]] = []
    element = _Open(name, _TAG.match(data, at), at, spaces, states, dropped=around.dropped)
    for path, before in zip(paths, around.states, strict=True):
        after = {
            reached + 1
            for reached in before
            if reached < len(path.steps) and path.steps[reached].admits(name, spaces)
        }
        if len(path.steps) in after and not around.dropped:
            element.matched.append(path)
        if path.anywhere:
            after.add(0)
        states.append(after)
    if element.matched and element.tag is None:
        raise ValueError(f"<{name}> comes from an entity, which edit() does not change")
    for path in element.matched:
        if path.attribute is None and not path.adds and path.value is None:
            element.dropped = True
            path.found += 1
    return element


def _changed(path: _Path, old: str | None) -> Any:
    """Return the new value, which a function may make of the old one."""
    return path.value(old) if callable(path.value) else path.value


def _text(value: Any, signs: Mapping[str, str], encode: Callable[..., bytes]) -> bytes:
    """Return a scalar as text of an element or an attribute.

    Raises:
        EncodeError: It cannot be written.
    """
    # The encoder knows dates, numbers, and which characters XML has.
    written = encode(value, root="x", declaration=False)
    if not isinstance(value, str):
        if written == b"<x/>":
            return b""
        inside = written.removeprefix(b"<x>").removesuffix(b"</x>")
        if b"<" in inside or not written.startswith(b"<x>"):
            raise TypeError(f"edit() sets text, and not {type(value).__name__}: see add=")
        return inside.replace(b'"', b"&quot;")
    return "".join(signs.get(sign, sign) for sign in value).encode()


def _attributes(
    data: bytes, element: _Open, encode: Callable[..., bytes]
) -> Iterator[tuple[int, int, bytes]]:
    """Set, add or drop attributes."""
    taken: dict[int, str] = {}
    for path in element.matched:
        if path.attribute is None or element.tag is None:
            continue
        known = False
        for each in _ATTRIBUTE.finditer(data, element.tag.start(2), element.tag.end(2)):
            if not path.attribute.admits(each[2].decode(), element.spaces, attribute=True):
                continue
            if each.start() in taken:
                raise _twice(taken[each.start()], path)
            known, taken[each.start()] = True, path.text
            path.found += 1
            value = _changed(path, _resolved(each[4]))
            if value is None:
                yield each.start(), each.end(), b""
            else:
                yield each.start(4), each.end(4), b'"%s"' % _text(value, _QUOTED, encode)
        if known or path.value is None or callable(path.value):
            continue
        if path.attribute.local is None or "{" in path.name or path.name.startswith("*"):
            raise ValueError(f"edit() of {path.text!r}: a new attribute needs its name as written")
        _declared(path, element)
        path.found += 1
        new = b' %s="%s"' % (path.name.encode(), _text(path.value, _QUOTED, encode))
        yield element.tag.end(2), element.tag.end(2), new


def _declared(path: _Path, element: _Open) -> None:
    """Refuse a new name whose prefix stands for another namespace in the document.

    Raises:
        ValueError: It does.
    """
    prefix, colon, _ = path.name.partition(":")
    if colon and element.spaces.get(prefix) != path.uri:
        raise ValueError(
            f"edit() of {path.text!r}: the prefix of a new name is that of the document, "
            f"where {prefix!r} is not {path.uri!r}"
        )


def _twice(one: str, other: _Path) -> ValueError:
    return ValueError(f"edit(): {one!r} and {other.text!r} lead to the same value")


def _resolved(quoted: bytes) -> str:
    """Return the value of an attribute, of which the document is well-formed."""
    whole = b"<x y=%s/>" % quoted
    dialect = _rust.Dialect("xml", {"unresolved": "text"})
    made: Any = _rust.decode(dialect, whole, object, "last", "skip", False, None, None)
    return str(made["x"]["@y"])


def _end(
    data: bytes, element: _Open, at: int, encode: Callable[..., bytes]
) -> Iterator[tuple[int, int, bytes]]:
    """Change the content of an element that ends, or drop the element."""
    tag = element.tag
    if tag is None or not element.matched:
        return
    is_empty = bool(tag[3])
    end = tag.end() if is_empty else data.index(b">", at) + 1
    inside: list[bytes] = []
    setter: _Path | None = None
    for path in element.matched:
        if path.attribute is not None:
            continue
        if path.adds:
            _declared(path, element)
            path.found += 1
            values = path.value if isinstance(path.value, list) else [path.value]
            inside += [_element(path.name, each, encode) for each in values]
            continue
        if setter is not None:
            raise _twice(setter.text, path)
        setter = path
    if setter is not None:
        if setter.value is None:
            yield _dropped(data, tag.start(), end)
            return
        if element.last is not None or inside:
            line = data.count(b"\n", 0, tag.start()) + 1
            reason = f"<{element.name}> in line {line} has elements inside"
            raise ValueError(f"edit() of {setter.text!r}: {reason}")
        setter.found += 1
        value = _changed(setter, "".join(element.texts))
        if value is None:
            yield _dropped(data, tag.start(), end)
        elif is_empty:
            yield tag.end(2), end, b">%s</%s>" % (_text(value, _CONTENT, encode), tag[1])
        else:
            yield tag.end(), at, _text(value, _CONTENT, encode)
    elif is_empty and inside:
        yield tag.end(2), end, b">%s</%s>" % (b"".join(inside), tag[1])
    elif inside:
        # New elements stand as the last one does, each in a line of its own if that does.
        lead = b"" if element.last is None else _indent(data, element.last)
        place = at
        while place > tag.end() and data[place - 1 : place] in b" \t\r\n":
            place -= 1
        yield place, place, b"".join(lead + each for each in inside)


def _element(name: str, value: Any, encode: Callable[..., bytes]) -> bytes:
    """Return a new element."""
    written = encode(value, root="x", declaration=False).removeprefix(b"<x")
    name_ = name.encode()
    if written.endswith(b"</x>"):
        written = b"%s</%s>" % (written[: -len(b"</x>")], name_)
    return b"<%s%s" % (name_, written)


def _indent(data: bytes, at: int) -> bytes:
    """Return the line end and the blanks before a place; nothing if it does not begin its line."""
    begin = at
    while begin > 0 and data[begin - 1 : begin] in b" \t":
        begin -= 1
    if begin == 0 or data[begin - 1 : begin] != b"\n":
        return b""
    begin -= 2 if data[begin - 2 : begin - 1] == b"\r" else 1
    return data[begin:at]


def _dropped(data: bytes, begin: int, end: int) -> tuple[int, int, bytes]:
    """Drop an element, with the line that it has for itself."""
    if re.compile(rb"[ \t]*\r?\n").match(data, end):
        begin -= len(_indent(data, begin))
    return begin, end, b""
