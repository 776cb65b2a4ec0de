"""Plain values as JSON text, one per line."""

from __future__ import annotations

from json.encoder import encode_basestring, encode_basestring_ascii

from penstock._rust import Plan

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from penstock._types import Format

# Spaces of other widths, which Python does not count as printable, and which harm no terminal.
_SPACES = {*"\u00a0\u1680\u202f\u205f\u3000", *map(chr, range(0x2000, 0x200B))}
_END = object()


def exact(format: Format) -> Any:
    """Return the type of plain values in which numbers keep their digits."""
    if format == "xml":
        return object
    from decimal import Decimal  # noqa: PLC0415 - not for XML

    value = bool | int | Decimal | str | list["Value"] | dict[str, "Value"] | None  # type: ignore[name-defined]  # noqa: F821 - see the namespace
    return Plan(value, namespace={"Value": value})


def text(value: Any) -> str:
    r"""Return a plain value as JSON, in one line.

    Numbers are written with all their digits. Nothing recurses: a document may nest deeper than
    Python calls.

    Example:
        >>> from decimal import Decimal
        >>> text({"size": Decimal("1.50"), "name": "B\u00e4r", "of": [1, None]})
        '{"size": 1.50, "name": "B\u00e4r", "of": [1, null]}'
    """
    pieces: list[str] = []
    write = pieces.append
    # The rest of the containers around the value, and the closing bracket of each.
    around: list[tuple[Iterator[Any], str]] = []
    while True:
        if value is None:
            write("null")
        elif isinstance(value, str):
            write(_string(value))
        elif isinstance(value, bool):
            write("true" if value else "false")
        elif isinstance(value, dict):
            write("{")
            around.append((iter(value.items()), "}"))
        elif isinstance(value, list):
            write("[")
            around.append((iter(value), "]"))
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
            return "".join(pieces)
        if pieces[-1] not in {"{", "["}:
            write(", ")
        if end == "}":
            key, value = value
            write(f"{_string(key)}: ")


def _string(value: str) -> str:
    written = encode_basestring(value)
    if written.isprintable():
        return written
    # JSON allows characters in a string that drive a terminal, or turn the text around.
    return "".join(c if c.isprintable() or c in _SPACES else _escaped(c) for c in written)


def _escaped(character: str) -> str:
    r"""Write a character as JSON does in ASCII: `\u202e`, or two of them beyond the first plane."""
    return encode_basestring_ascii(character)[1:-1]
