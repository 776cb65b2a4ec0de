"""The names of definitions: those of the classes, in letters that OpenAPI allows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

_ILLEGAL = re.compile(r"[^a-zA-Z0-9._-]+")


def legal(name: str) -> str:
    """Return a name without what `components` of OpenAPI refuses: `Page_City` for `Page[City]`."""
    return _ILLEGAL.sub("_", name).strip("_") or "Type"


def named(wanted: Iterable[tuple[Hashable, str, str]]) -> dict[Hashable, str]:
    """Return a name for each of some things, of which a short and a long one are wanted.

    Those whose short name another one wants, too, have the long one. If even that is not enough,
    they are numbered.
    """
    things = list(wanted)
    shorts: dict[str, int] = {}
    for _, short, _ in things:
        shorts[short] = shorts.get(short, 0) + 1
    names: dict[Hashable, str] = {}
    taken = {short for short, count in shorts.items() if count == 1}
    for thing, short, long in things:
        name = first = short if shorts[short] == 1 else long
        number = 2
        while shorts[short] > 1 and name in taken:
            name = f"{first}_{number}"
            number += 1
        taken.add(name)
        names[thing] = name
    return names
