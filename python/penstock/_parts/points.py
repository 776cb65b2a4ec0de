"""Where the parts of a file may begin, kept beside it: another `split` needs no pass over the file.

A point stands every few megabytes. Parts of any size begin at the points that are nearest to where
they were wanted, so they are the same whether the points were found now or another time.
"""

from __future__ import annotations

import hashlib
import json
import os
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise

import penstock._rust as _rust
from penstock._base import sidecar as _sidecar
from penstock._parts.checkpoint import hash_of
from penstock._parts.split import LIMIT, as_start

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from penstock._base.limits import Limits
    from penstock._base.types import At, Format, Found

SUFFIX = ".penstock-splits"
"""The suffix of the points beside their file."""

MAGIC = b"PENSTSP"
"""The first bytes in any version; the next one is the version."""

VERSION = b"\2"

CHECK = 16
"""The bytes of the hash that follows, of all that comes behind it."""

NEAREST, FARTHEST = 4 << 10, 4 << 20
"""How many bytes are between two points: the 1024th part of the text, within these bounds."""

MOST = 1 << 18
"""The most points: of a text of more than a terabyte, they are farther apart."""

LARGEST = 32 << 20
"""The most bytes of the file with the points: if they need more, every other one is left out."""


@dataclass(frozen=True, slots=True)
class Points:
    """The size of a text, where parts may begin, and why it is one part, if it is.

    Of a compressed file, also where its pieces are.
    """

    text: int
    starts: list[Any]
    why: str | None
    pieces: str | None = None

    def those_of_parts(self) -> _rust.Pieces | None:
        """Return where the pieces of the file are, if it is compressed."""
        return None if self.pieces is None else _rust.Pieces(self.pieces)

    def nearest(self, offsets: Sequence[int]) -> list[Any]:
        """Return the points at which parts begin that are wanted at these offsets."""
        begins = [start[0] for start in self.starts]
        found: list[Any] = []
        last = -1
        for offset in offsets:
            if last + 1 == len(begins):
                break
            behind = bisect_left(begins, offset)
            near = (place for place in (behind - 1, behind) if last < place < len(begins))
            place = min(near, key=lambda place: abs(begins[place] - offset), default=None)
            if place is not None:
                found.append(self.starts[place])
                last = place
        return found


def spread(text: int) -> list[int]:
    """Return the offsets of a text at which points are looked for."""
    apart = min(max(text // 1024, NEAREST), FARTHEST)
    apart = max(apart, text // MOST)
    return list(range(apart, text, apart))


def found(find: Callable[[Any], tuple[int, list[Any], str | None, _rust.Pieces | None]]) -> Points:
    """Return the points that a pass over a file finds, and as much of its pieces as they need."""
    text, starts, why, pieces = find(spread)
    kept = None if pieces is None else pieces.kept([start[0] for start in starts])
    return Points(text, starts, why, kept)


def key(
    path: Found,
    about: os.stat_result,
    format: Format,
    at: At[Any] | None,
    dialect: dict[str, Any] | None,
    limits: Limits | None,
) -> dict[str, Any]:
    """Return all that the points of a file depend on.

    The name of a table says its delimiter, if no dialect does.
    """
    sample = None
    if isinstance(path, str):
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            sample = hash_of(file, about.st_size)
    name = path if isinstance(path, str) else path.name
    named = os.path.splitext(name)[1] if dialect is None and format == "csv" else None  # noqa: PTH122 - as above
    of = {
        "size": about.st_size,
        "mtime_ns": about.st_mtime_ns,
        "sample": sample,
        "format": format,
        "at": at if at is None or isinstance(at, str) else list(at),
        "dialect": dialect,
        "suffix": named,
        "limits": None if limits is None else repr(limits),
    }
    # As they come back from the file: with lists for tuples.
    return json.loads(json.dumps(of))


def of(kept: str, key: dict[str, Any], find: Callable[[], Points]) -> Points:
    """Return the points that are kept at a path; or find them, and keep them there.

    Raises:
        FileExistsError: There is something else.
        OSError: They cannot be read or written.
        ValueError: They are damaged.
    """
    content = _sidecar.kept(kept, MAGIC)
    if content is not None and content[len(MAGIC) :][:1] == VERSION:
        known = _decoded(kept, content[len(MAGIC) + 1 :], key)
        if known is not None:
            return known
    found, body = _encoded(key, find())
    _sidecar.keep(kept, MAGIC + VERSION + _hash(body) + body, MAGIC)
    return found


def _encoded(key: dict[str, Any], points: Points) -> tuple[Points, bytes]:
    """Return points, as many of them as there is room for, and their bytes."""
    text, starts, why, pieces = points.text, points.starts, points.why, points.pieces
    while True:
        values = {"of": key, "text": text, "why": why, "pieces": pieces, "starts": starts}
        body = json.dumps(values, separators=(",", ":")).encode()
        if len(body) <= LARGEST or not starts:
            return Points(text, starts, why, pieces), body
        starts = starts[1::2]


def _decoded(kept: str, content: bytes, key: dict[str, Any]) -> Points | None:
    """Return the points, or None if they are those of another state of the file or other records.

    Raises:
        ValueError: They are damaged.
    """
    damaged = f"{kept} is damaged: if you delete it, split() makes it again"
    body = content[CHECK:]
    if content[:CHECK] != _hash(body):
        raise ValueError(damaged)
    # Whoever can write the file can write its hash.
    try:
        values = json.loads(body)
        if values["of"] != key:
            return None
        return _checked(values)
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(damaged) from error


def _checked(values: dict[str, Any]) -> Points:
    """Return the points that were kept.

    Raises:
        LookupError: Something is missing.
        TypeError: Something is of another type.
        ValueError: These are no points.
    """
    text, why, pieces = values["text"], values["why"], values["pieces"]
    if type(text) is not int or not 0 <= text < LIMIT or not isinstance(why, (str, type(None))):
        raise ValueError("these are no points")
    starts = [as_start(start) for start in values["starts"]]
    if None in starts or any(one[0] > after[0] for one, after in pairwise(starts)):
        raise ValueError("the points are not in their order")
    points = Points(text, starts, why, pieces)
    # Nobody has looked whether its pieces are any.
    points.those_of_parts()
    return points


def _hash(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=CHECK).digest()
