"""Plain values as JSON text, one per line."""

from __future__ import annotations

from json.encoder import encode_basestring, encode_basestring_ascii

from penstock import json
from penstock._base.errors import PlanError
from penstock._rust import Plan
from penstock.cli import CommandError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from penstock._base.types import Format

# Spaces of other widths, which Python does not count as printable, and which harm no terminal.
_SPACES = {*"\u00a0\u1680\u202f\u205f\u3000", *map(chr, range(0x2000, 0x200B))}
_END = object()
# The classes of values in property lists for which JSON has no type.
_OTHERS = {"UID", "bytes", "datetime"}

WHOLE = 2_000
"""How many characters of a record are printed unchanged."""

_DOTS = "\u2026"
# The characters that are left of a text in a long record.
_REST = 40


def exact(format: Format) -> Any:
    """Return the type of plain values in which numbers keep their digits, and text is text."""
    if format in {"xml", "csv", "plist"}:
        return object
    value = _exact()
    return Plan(value, namespace={"Value": value})


def _exact() -> Any:
    from decimal import Decimal  # noqa: PLC0415 - not for XML

    return bool | int | Decimal | str | list["Value"] | dict[str, "Value"] | None  # type: ignore[name-defined]  # noqa: F821 - see the namespace


def chosen(format: Format, fields: list[str]) -> Any:
    """Return the type of a dict that has the values at some paths of a record.

    Raises:
        CommandError: One of them is not a path, or two of them claim the same value.
    """
    from typing import Annotated, NotRequired, TypedDict  # noqa: PLC0415 - slow, and only for this

    from penstock._annotations.at import at  # noqa: PLC0415 - only for this

    value = _exact()
    members: dict[str, Any] = {}
    for field in fields:
        kind = _markup(field) if format == "xml" else str if format == "csv" else value
        members[field] = NotRequired[Annotated[kind, at(field)]]
    record = TypedDict("record", members)  # type: ignore[misc]  # the fields are not known before
    try:
        return Plan(record, namespace={"Value": value})
    except PlanError as error:
        raise CommandError(f"--fields: {error}") from error


def members(names: list[str]) -> Any:
    """Return the type of a dict that has the members at some places of a record of JSON.

    A name is a path in which only `~` and `/` of keys are escaped.
    """
    from typing import Annotated, NotRequired, TypedDict  # noqa: PLC0415 - as above

    from penstock._annotations.at import at  # noqa: PLC0415 - as above

    value = _exact()
    found: dict[str, Any] = {}
    for name in names:
        steps = [step.replace("*", "~2").replace("@", "~3") or "~4" for step in name.split("/")]
        found[name] = NotRequired[Annotated[value, at("/".join(steps))]]
    record = TypedDict("record", found)  # type: ignore[misc]  # as above
    return Plan(record, namespace={"Value": value})


def _markup(field: str) -> Any:
    """The type of a part of an element: attributes and text are not repeated, elements may be."""
    return object if field.endswith("text()") or "@" in field else list[object]


def text(value: Any) -> str:
    r"""Return a plain value as JSON, in one line.

    Numbers are written with all their digits. Nothing recurses: a document may nest deeper than
    Python calls.

    Example:
        >>> from decimal import Decimal
        >>> text({"size": Decimal("1.50"), "name": "B\u00e4r", "of": [1, None]})
        '{"size": 1.50, "name": "B\u00e4r", "of": [1, null]}'
    """
    return written(value, None)[0]


def written(value: Any, whole: int | None) -> tuple[str, bool]:
    """Return a plain value as JSON, and whether a string in it was cut.

    With `whole`, a string is cut if there are more characters than that: to what is left of them,
    and at least to forty. An ellipsis marks the cut.
    """
    is_cut = False
    pieces: list[str] = []
    write = pieces.append
    length = seen = 0
    # The rest of the containers around the value, and the closing bracket of each.
    around: list[tuple[Iterator[Any], str]] = []
    while True:
        if value is None:
            write("null")
        elif isinstance(value, str):
            if whole is not None:
                length = sum(map(len, pieces[seen:]), length)
                seen = len(pieces)
                left = max(whole - length, _REST)
                if len(value) > left:
                    value, is_cut = f"{value[:left]}{_DOTS}", True
            write(_string(value))
        elif isinstance(value, bool):
            write("true" if value else "false")
        elif isinstance(value, dict):
            write("{")
            around.append((iter(value.items()), "}"))
        elif isinstance(value, list):
            write("[")
            around.append((iter(value), "]"))
        elif type(value).__name__ in _OTHERS:
            write(json.encode(value).decode())
        else:
            write(str(value))
        while around:
            rest, end = around[-1]
            value = next(rest, _END)
            if value is not _END:
                break
            write(end)
            around.pop()
        else:
            return "".join(pieces), is_cut
        if pieces[-1] not in {"{", "["}:
            write(", ")
        if end == "}":
            key, value = value
            write(f"{_string(key)}: ")


def _string(value: str) -> str:
    written = encode_basestring(value)
    return written if written.isprintable() else harmless(written)


def harmless(text: str) -> str:
    r"""Return JSON in which characters of strings that drive a terminal are escapes.

    JSON allows such characters, and those that turn the text around.

    Example:
        >>> harmless('{\n  "a": "\u202e"\n}')
        '{\n  "a": "\\u202e"\n}'
    """
    kept = _SPACES | {"\n"}
    return "".join(c if c.isprintable() or c in kept else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    r"""Write a character as JSON does in ASCII: `\u202e`, or two of them beyond the first plane."""
    return encode_basestring_ascii(character)[1:-1]
