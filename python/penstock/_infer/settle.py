"""Decides which evidence belongs together, and joins it.

- A key may tell of what class an object is. If that explains which other keys there are, each of
  its values has a class of its own.
- The keys of an object may be data. Then all of its values are one place.
- Objects with the same keys are of one class, wherever they are. So are those inside of others that
  look like them.
"""

from __future__ import annotations

from dataclasses import dataclass

from penstock._infer import evidence as _evidence
from penstock._infer import names as _names

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock._infer.evidence import Body, Place

# Keys that are words are data from so many on.
_MANY = 8
# Then so many objects show how rare each of them is.
_SHOWN = 10
# Objects at different keys have so many keys if they are of one class because of these.
_SAME = 3
# Objects inside of others have so many of their keys if they are of their class.
_ALIKE = 5
# How many levels of objects are compared to find out what a key tells.
_LEVELS = 3


def settle(record: Place, *, has_elements: bool) -> None:
    """Join what belongs together at a record and below it. In XML, no key is data."""
    _tell(record)
    if not has_elements:
        _open(record)
    _unify(record)
    if has_elements:
        _give_texts(record)


def _give_texts(record: Place) -> None:
    """Tell each body which elements have text only: these are of its class, too."""
    for use in _uses(record):
        texts = use.place.texts
        if texts is None or use.place.tag is not None:
            continue
        if use.body.texts is None:
            use.body.texts = texts.copy()
        else:
            use.body.texts.join(texts)


def below(place: Place) -> Iterator[Place]:
    """Iterate over the places of the members and items of a place."""
    if place.item is not None:
        yield place.item
    for body in place.bodies.values():
        yield from body.places.values()


def _tell(record: Place) -> None:
    """Join the objects of each place where no key tells them apart."""
    waiting = [record]
    while waiting:
        place = waiting.pop()
        if place.tag is not None:
            if _tells(place):
                _group(place)
            else:
                place.untag()
        waiting += below(place)


def _tells(place: Place) -> bool:
    """Whether the values of a tag explain which other keys there are."""
    if len(place.bodies) < 2 or place.objects() < 2 * len(place.bodies):
        return False
    kinds = [_paths(body) for body in place.bodies.values()]
    varying = explained = 0
    for path in dict.fromkeys(path for kind in kinds for path in kind):
        found = [kind.get(path) for kind in kinds]
        if all(found):
            continue
        varying += 1
        # Always there, or never: and both of that.
        explained += False not in found and None in found
    return explained > 0 and 2 * explained >= varying


def _paths(body: Body, level: int = 1) -> dict[tuple[str, ...], bool]:
    """The paths of values in objects, and whether each is always there."""
    if body.keys is not None:
        return {}
    found: dict[tuple[str, ...], bool] = {}
    for (step, key), place in body.places.items():
        is_always = place.present == body.count and not place.nulls
        found[f"{step}:{key}",] = is_always
        if level < _LEVELS and len(place.bodies) == 1 and place.kinds() == {"object"}:
            (inside,) = place.bodies.values()
            for path, always in _paths(inside, level + 1).items():
                found[f"{step}:{key}", *path] = is_always and always
    return found


def _group(place: Place) -> None:
    """Join the objects of those values of a tag that have the same keys."""
    groups: dict[frozenset[tuple[str, ...]], Body] = {}
    for value, body in list(place.bodies.items()):
        known = groups.setdefault(frozenset(_paths(body)), body)
        if known is not body:
            known.join(body)
            place.bodies[value] = known


def _open(record: Place) -> None:
    """Make one place of the values of objects whose keys are data."""
    waiting = [record]
    while waiting:
        place = waiting.pop()
        if len(place.bodies) > 1 and not all(map(_has_paths, place.bodies.values())):
            place.untag()
        for body in place.bodies.values():
            if body.keys is None and len(place.bodies) == 1 and _is_open(body):
                body.unite()
        waiting += below(place)


def _is_open(body: Body) -> bool:
    """Whether the keys of objects are data."""
    places = list(body.places.values())
    if not _has_paths(body):
        return True
    if body.is_row or not places or not _alike(places):
        return False
    keys = _evidence.of_keys([(place.key, place.present) for place in places])
    formed = _evidence.INT | _evidence.DATE | _evidence.UUID | _evidence.DATETIME
    if keys.forms & formed and not keys.empty:
        return True
    if len(places) < _MANY:
        return False
    if body.count >= _SHOWN:
        # Each is rare.
        present = [place.present for place in places]
        return 2 * max(present) < body.count and 4 * sum(present) < body.count * len(places)
    # There are few objects, so their values must have more in common than a type.
    inside = [body for place in places for body in place.bodies.values()]
    if len(inside) < len(places):
        return False
    every = {name for of in inside for name in of.places}
    return len(every) > 1 and all(10 * len(of.places) >= 7 * len(every) for of in inside)


def _has_paths(body: Body) -> bool:
    """Whether each key can be that of a field."""
    return all(
        _names.has_path(place.key) for place in body.places.values() if place.step == "member"
    )


def _alike(places: list[Place]) -> bool:
    """Whether values are of the same types."""
    kinds = [kinds for place in places if (kinds := place.kinds())]
    if any(kind != kinds[0] for kind in kinds):
        return False
    inside = [body for place in places for body in place.bodies.values() if body.places]
    if len(inside) < 2:
        return True
    every = {name for body in inside for name in body.places}
    shared = sum(len(body.places) for body in inside)
    return 2 * shared >= len(every) * len(inside)


@dataclass(slots=True, eq=False)
class _Use:
    """Objects at a place."""

    body: Body
    place: Place
    name: str
    around: tuple[Body, ...]


def _unify(record: Place) -> None:
    """Make one body of objects that are of one class."""
    while pair := _pair(_uses(record)):
        known, other = pair
        # First all places get the one body, because it may be inside of the other.
        for use in _uses(record):
            for value, body in use.place.bodies.items():
                if body is other:
                    use.place.bodies[value] = known
        known.join(other)


def _uses(record: Place) -> list[_Use]:
    """All bodies where they are used, each entered once."""
    found: list[_Use] = []
    entered: set[int] = set()
    waiting: list[tuple[Place, str, tuple[Body, ...]]] = [(record, "", ())]
    for place, name, around in waiting:
        if place.item is not None:
            waiting.append((place.item, name, around))
        for body in place.bodies.values():
            found.append(_Use(body, place, name, around))
            if id(body) in entered:
                continue
            entered.add(id(body))
            inside = (*around, body)
            for child in body.places.values():
                waiting.append((child, child.key or name, inside))  # noqa: PERF401 - it grows
    return found


def _pair(uses: list[_Use]) -> tuple[Body, Body] | None:
    """Two bodies that are of one class."""
    known: dict[frozenset[tuple[str, str]], _Use] = {}
    first: dict[str, list[_Use]] = {}
    for use in uses:
        body = use.body
        if body.keys is not None or not body.places or use.place.tag is not None:
            continue
        for other in use.around:
            if other is not body and _is_again(use, other, uses):
                return other, body
        same = known.setdefault(frozenset(body.places), use)
        if same.body is not body and _is_same(same, use):
            return same.body, body
        named = first.setdefault(use.name, [])
        for other_use in named:
            if other_use.body is not body and _is_like(other_use.body, body):
                return other_use.body, body
        named.append(use)
    return None


def _is_again(use: _Use, other: Body, uses: list[_Use]) -> bool:
    """Whether objects are of the class of those around them: the same key, or most keys."""
    own, others = set(use.body.places), set(other.places)
    if other.keys is not None or not (own <= others or others <= own):
        return False
    is_named = any(around.body is other and around.name == use.name for around in uses)
    # The key that leads to them is in them again.
    is_named |= any(key == use.name for _, key in own & others)
    fewest, most = sorted((len(own), len(others)))
    is_alike = fewest >= _ALIKE and 5 * fewest >= 4 * most
    return (is_named or is_alike) and _agree(use.body, other)


def _is_same(one: _Use, other: _Use) -> bool:
    """Whether objects with the same keys are of one class."""
    places = one.body.places.values()
    is_named = one.name == other.name
    is_vector = len(places) > 1 and all(place.kinds() <= {"number"} for place in places)
    return (is_named or is_vector or len(places) >= _SAME) and _agree(one.body, other.body)


def _is_like(one: Body, other: Body) -> bool:
    """Whether objects at the same key have most of their keys in common."""
    own, others = set(one.places), set(other.places)
    return 5 * len(own & others) >= 3 * len(own | others) and _agree(one, other)


def _agree(one: Body, other: Body) -> bool:
    """Whether the values of common keys are of the same kinds."""
    for name in one.places.keys() & other.places.keys():
        left, right = one.places[name], other.places[name]
        if (left.tag is None) != (right.tag is None):
            return False
        kinds = left.kinds(), right.kinds()
        if all(kinds) and kinds[0] != kinds[1]:
            return False
        texts = _forms(left), _forms(right)
        if all(texts) and _evidence.WORD not in texts and texts[0] & texts[1] == 0:
            return False
    return True


def _forms(place: Place) -> int:
    """What texts are, if they are anything else than text."""
    if place.texts is None or place.texts.count == place.texts.empty:
        return 0
    types = place.texts.forms & (_evidence.WORD - 1)
    return types or _evidence.WORD
