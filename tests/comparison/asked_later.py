"""Classes whose annotations are strings, one of them naming what is imported for checkers only."""

from __future__ import annotations

import datetime
from dataclasses import dataclass


@dataclass
class Item:
    """Annotations are strings here, and the class of the last one stands below."""

    id: int
    made: datetime.date
    parent: Group | None = None


@dataclass
class Group:
    name: str


@dataclass
class Derived(Item):
    """Its inherited annotations are those of another module, where it is used."""

    label: str = ""
