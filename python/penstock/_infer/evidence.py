"""What was seen at each place of a file's records.

The extension collects it and hands it over as tuples: see `extension/verbs/evidence.rs`. Evidence
of two places joins, and is then the evidence of both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

# The forms of texts, as in `core/evidence/texts.rs`.
INT, FLOAT, DECIMAL, BOOL, DATE, DATETIME, TIME, DURATION, UUID, WORD, TRIMMED = (
    1 << bit for bit in range(11)
)
# So many different texts of one place are kept.
VALUES = 32


@dataclass(slots=True)
class Ints:
    """The integers."""

    count: int = 0
    range: tuple[int, int] | None = None
    beyond: int = 0

    def join(self, other: Ints) -> None:
        """Add others."""
        self.count += other.count
        self.range = _wider(self.range, other.range)
        self.beyond = max(self.beyond, other.beyond)


@dataclass(slots=True)
class Floats:
    """The other numbers."""

    count: int = 0
    range: tuple[float, float] | None = None
    scale: tuple[int, int] | None = None
    inexact: bool = False
    scientific: bool = False

    def join(self, other: Floats) -> None:
        """Add others."""
        self.count += other.count
        self.range = _wider(self.range, other.range)
        self.scale = _wider(self.scale, other.scale)
        self.inexact |= other.inexact
        self.scientific |= other.scientific


@dataclass(slots=True)
class Texts:
    """The texts, and of which types all of them are."""

    count: int
    empty: int
    marked: int
    blank: int
    length: tuple[int, int] | None
    forms: int
    ints: Ints
    floats: Floats
    values: dict[str, int] | None

    def join(self, other: Texts) -> None:
        """Add others."""
        self.count += other.count
        self.empty += other.empty
        self.marked += other.marked
        self.blank += other.blank
        self.length = _wider(self.length, other.length)
        self.forms &= other.forms
        self.ints.join(other.ints)
        self.floats.join(other.floats)
        if self.values is None or other.values is None:
            self.values = None
            return
        for text, count in other.values.items():
            self.values[text] = self.values.get(text, 0) + count
        if len(self.values) > VALUES:
            self.values = None

    def copy(self) -> Texts:
        """Return the same, to join others to it."""
        made = Texts(0, 0, 0, 0, None, (1 << 11) - 1, Ints(), Floats(), {})
        made.join(self)
        return made


@dataclass(slots=True, eq=False)
class Body:
    """Objects, or elements with attributes or children: the places of their values by keys."""

    count: int = 0
    mixed: int = 0
    most: int = 0
    keys: Texts | None = None
    """The keys, if they are data. Then the one place is that of all values."""
    is_row: bool = False
    texts: Texts | None = None
    """Of XML, the elements at the same places that have text only."""
    places: dict[tuple[str, str], Place] = field(default_factory=dict[tuple[str, str], "Place"])
    """By step and key, in the order of their first appearance."""

    def join(self, other: Body) -> None:
        """Add others."""
        if (self.keys is None) != (other.keys is None):
            self.unite()
            other.unite()
        self.count += other.count
        self.mixed += other.mixed
        self.most = max(self.most, other.most)
        if self.keys is not None and other.keys is not None:
            self.keys.join(other.keys)
        for name, place in list(other.places.items()):
            known = self.places.get(name)
            if known is None:
                self.places[name] = place
            elif known is not place:
                known.join(place)

    def unite(self) -> None:
        """Make one place of all keys: they are data."""
        if self.keys is not None:
            return
        places = list(self.places.values())
        self.keys = of_keys([(place.key, place.present) for place in places])
        united = Place("", "*", "any")
        for place in places:
            united.join(place)
        self.places = {("any", ""): united}

    def values(self) -> Place:
        """Return the place of all values, if the keys are data."""
        return self.places["any", ""]


@dataclass(slots=True, eq=False)
class Place:
    """A place, and which values were there."""

    key: str
    at: str
    step: str
    present: int = 0
    most: int = 0
    nulls: int = 0
    falses: int = 0
    trues: int = 0
    moments: int = 0
    bytes: int = 0
    uids: int = 0
    deep: int = 0
    ints: Ints = field(default_factory=Ints)
    floats: Floats = field(default_factory=Floats)
    texts: Texts | None = None
    arrays: int = 0
    lengths: tuple[int, int] | None = None
    item: Place | None = None
    tag: tuple[str, str] | None = None
    """The step and the key of the tag, if one tells objects apart."""
    bodies: dict[str | None, Body] = field(default_factory=dict[str | None, Body])
    """The objects by the value of the tag, or all of them by None."""
    declared: str | None = None
    """What a schema says about it."""

    def join(self, other: Place) -> None:
        """Add what was seen at another place."""
        self.present += other.present
        self.most = max(self.most, other.most)
        self.nulls += other.nulls
        self.falses += other.falses
        self.trues += other.trues
        self.moments += other.moments
        self.bytes += other.bytes
        self.uids += other.uids
        self.deep += other.deep
        self.ints.join(other.ints)
        self.floats.join(other.floats)
        if self.texts is not None and other.texts is not None:
            self.texts.join(other.texts)
        elif other.texts is not None:
            self.texts = other.texts.copy()
        self.arrays += other.arrays
        self.lengths = _wider(self.lengths, other.lengths)
        if self.item is None:
            self.item = other.item
        elif other.item is not None and other.item is not self.item:
            self.item.join(other.item)
        if self.bodies and other.bodies and self.tag != other.tag:
            self.untag()
            other.untag()
        if not self.bodies:
            self.tag = other.tag
        for value, body in list(other.bodies.items()):
            known = self.bodies.get(value)
            if known is None:
                self.bodies[value] = body
            elif known is not body:
                known.join(body)

    def untag(self) -> None:
        """Make one body of all objects: no key tells them apart."""
        bodies = list(self.bodies.values())
        self.tag = None
        if bodies:
            for body in bodies[1:]:
                if body is not bodies[0]:
                    bodies[0].join(body)
            self.bodies = {None: bodies[0]}

    def objects(self) -> int:
        """Return how many objects there were."""
        return sum(body.count for body in self.bodies.values())

    def kinds(self) -> set[str]:
        """Return the kinds of its values, without null."""
        found = {
            "bool": self.trues + self.falses,
            "number": self.ints.count + self.floats.count,
            "text": 0 if self.texts is None else self.texts.count,
            "moment": self.moments,
            "bytes": self.bytes,
            "array": self.arrays,
            "object": self.objects(),
            "other": self.uids + self.deep,
        }
        return {kind for kind, count in found.items() if count}


def of_keys(keys: list[tuple[str, int]]) -> Texts:
    """Return what there is to say of keys, each with how often it came."""
    import penstock._rust as _rust  # noqa: PLC0415 - it is asked for few files

    return texts(_rust.texts_seen(keys))


def record(told: tuple[Any, ...]) -> tuple[Place, Texts, int, str]:
    """Return the place of the record, its elements' names, how many there were, and the format."""
    told_place, names, count, format = told
    return place(told_place), texts(names), count, format


def place(told: tuple[Any, ...]) -> Place:
    """Return a place as the extension tells it."""
    (key, at, step, present, most), counts, told_ints, told_floats, told_texts, arrays, bodies = (
        told
    )
    nulls, falses, trues, moments, in_bytes, uids, deep = counts
    count, lengths, item = arrays
    tag, told_bodies = bodies
    return Place(
        *(key, at, step, present, most, nulls, falses, trues, moments, in_bytes, uids, deep),
        ints=Ints(*told_ints),
        floats=Floats(*told_floats),
        texts=None if told_texts is None else texts(told_texts),
        arrays=count,
        lengths=lengths,
        item=None if item is None else place(item),
        tag=None if tag is None else (tag[1], tag[0]),
        bodies={value: _body(body) for value, body in told_bodies},
    )


def _body(told: tuple[Any, ...]) -> Body:
    count, mixed, most, keys, is_row, children = told
    places = [place(child) for child in children]
    known = None if keys is None else texts(keys)
    by_name = {(place.step, place.key): place for place in places}
    return Body(count, mixed, most, known, is_row, places=by_name)


def texts(told: tuple[Any, ...]) -> Texts:
    """Return texts as the extension tells them."""
    (count, empty, marked, blank), length, forms, told_ints, told_floats, values = told
    known = None if values is None else dict(values)
    return Texts(
        *(count, empty, marked, blank, length, forms),
        *(Ints(*told_ints), Floats(*told_floats), known),
    )


def _wider(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return one if other is None else other
    return min(one[0], other[0]), max(one[1], other[1])
