"""Every property list of the corpora, beside `plistlib`."""

from __future__ import annotations

import datetime
import math
import plistlib
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock import plist

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BAD = {
    "amp.plist": "expected ';' at the end of the reference",
    "invalid_tag.plist": "expected a comment or a CDATA section",
    "malformed_dict.bplist": "the key of a dictionary is a dictionary, not a string",
    "recursion.bplist": "the offsets of 5 objects do not fit",
}
"""Files that are no property list, and what Penstock says of them."""


def comparable(value: Any) -> Any:
    """Return a value as `plistlib` makes it of XML, in which NaN equals itself."""
    if isinstance(value, plistlib.UID):
        return {"CF$UID": value.data}
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, float):
        return "nan" if math.isnan(value) else (value, math.copysign(1, value))
    if isinstance(value, dict):
        return {key: comparable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [comparable(each) for each in value]
    return value


def files(folder: Path) -> list[Path]:
    """Return the property lists in binary and XML."""
    found = sorted(folder.rglob("*.plist")) + sorted(folder.rglob("*.bplist"))
    return [*found, folder / "iTunes-Library.xml"]


def test_every_file(corpus: Callable[[str], Path]) -> None:
    read = 0
    for path in files(corpus("plist")):
        data = path.read_bytes()
        if path.name in BAD:
            with pytest.raises(penstock.DecodeError, match=BAD[path.name]):
                plist.decode(data)
            continue
        ours = comparable(plist.decode(data))
        assert comparable(plist.load(path)) == ours, path.name
        assert comparable(plist.load([data[i : i + 7] for i in range(0, len(data), 7)])) == ours
        assert ours == comparable(plistlib.loads(data)), path.name
        read += 1
    assert read >= 45
