"""JSON in colour, for terminals."""

from __future__ import annotations

import re

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable

# Colours of a terminal (ECMA-48, "select graphic rendition").
_KEY = b"1;34"
_TEXT = b"32"
_NUMBER = b"36"
_WORDS = {b"true": b"33", b"false": b"33", b"null": b"2"}

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(rb"[-+.0-9A-Za-z]+")
_BETWEEN = re.compile(rb"[^\"\-+.0-9A-Za-z]+")
_IS_KEY = re.compile(rb"\s*:")
_BEHIND = re.compile(rb"\s*\S")


def painted(text: str) -> str:
    r"""Return JSON in colour.

    Example:
        >>> painted('{"a": 1}')
        '{\x1b[1;34m"a"\x1b[0m: \x1b[36m1\x1b[0m}'
    """
    pieces: list[bytes] = []
    painter = Painter(pieces.append)
    painter.write(text.encode("utf-8", "backslashreplace"))
    painter.end()
    return b"".join(pieces).decode()


class Painter:
    """Takes JSON in pieces, and gives it on in colour."""

    def __init__(self, give: Callable[[bytes], object]) -> None:
        """Begin with nothing."""
        self._give = give
        # What cannot be painted before more is known: a string whose end is not there.
        self._rest = b""

    def write(self, data: bytes) -> None:
        """Paint all of it but a last token, which may go on, or be a key."""
        self._paint(self._rest + data, is_last=False)

    def end(self) -> None:
        """Give the rest on."""
        self._paint(self._rest, is_last=True)

    def _paint(self, data: bytes, *, is_last: bool) -> None:
        pieces: list[bytes] = []
        at = 0
        while at < len(data):
            between = _BETWEEN.match(data, at)
            if between is not None:
                pieces.append(between[0])
                at = between.end()
                continue
            token = (_STRING if data[at] == ord('"') else _SCALAR).match(data, at)
            if token is None or not (is_last or _BEHIND.match(data, token.end())):
                break
            pieces += (b"\x1b[", _colour(data, token), b"m", token[0], b"\x1b[0m")
            at = token.end()
        self._rest = data[at:]
        if is_last and self._rest:
            pieces.append(self._rest)
        if pieces:
            self._give(b"".join(pieces))


def _colour(data: bytes, token: re.Match[bytes]) -> bytes:
    if token[0].startswith(b'"'):
        return _KEY if _IS_KEY.match(data, token.end()) else _TEXT
    return _WORDS.get(token[0], _NUMBER)
