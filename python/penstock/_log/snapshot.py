"""A snapshot: a state, and the place in the log behind it, in one file.

The first line is JSON that says what it is; the second one is the state. The file is replaced
whole, and the first line has a digest of the second.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from typing import Any

import penstock.json as json
from penstock._base.errors import EncodeError
from penstock._io import targets as _targets
from penstock._log.cursor import LogPlace


@dataclass(frozen=True, slots=True)
class _Head:
    """The first line of a snapshot."""

    version: str
    digest: str
    place: dict[str, Any]


def keep(path: str, state: Any, kind: Any, place: LogPlace, version: str, sync: bool) -> None:
    """Write a snapshot: all of it or nothing.

    Raises:
        EncodeError: The state cannot be written, or would not be read as what it is.
        OSError: The file cannot be written.
    """
    text = json.encode(state, kind)
    if json.decode(text, kind) != state:
        raise EncodeError(
            "the state is not the same when it is read again: name all types in state=, as in "
            "state=dict[str, Job], and let their classes have an __eq__"
        )
    head = _Head(version, _digest(text), asdict(place))
    with _targets.open_target("snapshot", path, compression=None, sync=sync) as target:
        target.write(json.encode(head) + b"\n" + text + b"\n")


def kept(path: str, kind: Any, version: str) -> tuple[Any, LogPlace] | None:
    """Return the state and the place of a snapshot; None if there is none of this version.

    Raises:
        Exception: It cannot be read. Classes of the caller's may raise anything.
    """
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib is slow to import
            first, text, rest = file.readline(), file.readline(), file.read(1)
    except FileNotFoundError:
        return None
    head = json.decode(first, _Head)
    if head.version != version:
        return None
    text = text.removesuffix(b"\n")
    if rest or _digest(text) != head.digest:
        raise ValueError("its bytes are not those that were written")
    return json.decode(text, kind), LogPlace.from_dict(head.place)


def _digest(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=16).hexdigest()
