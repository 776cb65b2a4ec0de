"""Classes with string annotations, one of which names something imported for checkers only."""

from __future__ import annotations

import datetime
from dataclasses import dataclass


@dataclass
class Item:
    """All annotations are strings; the class in the last one is defined below."""

    id: int
    made: datetime.date
    parent: Group | None = None


@dataclass
class Group:
    name: str


@dataclass
class Derived(Item):
    """The names in its inherited annotations are those of another module."""

    label: str = ""
