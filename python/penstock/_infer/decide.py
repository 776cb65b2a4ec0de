"""Decides the classes that read records, and the types of their fields."""

from __future__ import annotations

from penstock._infer import comments as _comments
from penstock._infer import names as _names
from penstock._infer import scalars as _scalars
from penstock._infer import types as _types
from penstock._infer.evidence import Floats, Ints, Place, Texts

TYPE_CHECKING = False

if TYPE_CHECKING:
    from penstock._infer.evidence import Body
    from penstock._infer.types import Class, Field, Made, Type

# An array of so few numbers, always as many, is a tuple.
_TUPLE = 4
# It takes so many arrays to see that.
_ARRAYS = 3


class Decided:
    """The type of a record, and the classes that it needs.

    `has_types` is whether the format tells types of scalars apart, and `has_elements` whether it
    has elements.
    """

    is_alias = True

    def __init__(self, record: Place, name: str, *, has_types: bool, has_elements: bool) -> None:
        self.classes: list[Made] = []
        self._untyped = not has_types
        self._has_elements = has_elements
        self._known: dict[int, Class] = {}
        self.type = self._type(record, name, "")

    def _type(self, place: Place, name: str, around: str) -> Type:
        """The type of the values at a place, without what absence makes of it."""
        members = self._members(place, name, around)
        if place.nulls:
            members.append(_types.NONE)
        return _types.union(members) if members else _types.ANY

    def _members(self, place: Place, name: str, around: str) -> list[Type]:
        if place.deep or place.uids:
            return [_types.ANY]
        members: list[Type] = []
        if place.falses or place.trues:
            members.append(_types.BOOL)
        if number := _scalars.numbers(place):
            members.append(number)
        texts = place.texts
        if texts is not None and not (self._has_elements and place.bodies):
            members.append(self._text(texts, place, name))
        if place.moments:
            members.append(_types.DATETIME)
        if place.bytes:
            members.append(_types.BYTES)
        if place.arrays:
            members.append(self._array(place, name, around))
        members += self._objects(place, name, around)
        return members

    def _text(self, texts: Texts, place: Place, key: str) -> Type:
        of = _scalars.texts(
            texts,
            key,
            untyped=self._untyped,
            has_numbers=bool(place.ints.count or place.floats.count),
            is_item=place.step == "item",
        )
        if not (self._untyped and texts.empty):
            return of
        if place.step == "member":
            # An empty cell.
            return _types.union([of, _types.NONE])
        if of == _types.STR or place.step == "text":
            return of
        return _types.Marked(_types.union([of, _types.NONE]), ('cells(null=[""])',))

    def _array(self, place: Place, name: str, around: str) -> Type:
        item = place.item
        if item is None:
            return _types.Generic("list", (_types.ANY,))
        of = self._type(item, _names.singular(name), around)
        least, most = place.lengths or (0, 0)
        is_tuple = least == most and 1 < most <= _TUPLE and place.arrays >= _ARRAYS
        if is_tuple and of in {_types.INT, _types.FLOAT, _types.DECIMAL}:
            return _types.Generic("tuple", (of,) * most)
        return _types.Generic("list", (of,))

    def _objects(self, place: Place, name: str, around: str) -> list[Type]:
        if place.tag is not None:
            return self._tagged(place, name, around)
        members: list[Type] = []
        for body in place.bodies.values():
            if body.keys is not None:
                values = self._type(body.values(), _names.singular(name), around)
                members.append(_types.Generic("dict", (_scalars.keys(body.keys), values)))
            elif not body.places:
                members.append(_types.Generic("dict", (_types.STR, _types.ANY)))
            elif self._has_elements and _is_mixed(body):
                members.append(self._mixed(body, place, name, around))
            else:
                members.append(self._class(body, place, name, around))
        return members

    def _tagged(self, place: Place, name: str, around: str) -> list[Type]:
        """A class for each value of the key that tells them apart, or for some of them."""
        by_body: dict[int, tuple[Body, list[str]]] = {}
        for value, body in place.bodies.items():
            by_body.setdefault(id(body), (body, []))[1].append(str(value))
        members: list[Type] = []
        for body, values in by_body.values():
            tag = _types.Literal(tuple(sorted(values)))
            wanted = _variant(values, name)
            members.append(self._class(body, place, wanted, around or name, tag))
        return members

    def _mixed(self, body: Body, place: Place, name: str, around: str) -> Type:
        """An element with text between its children: all text, and the attributes if it has any."""
        if not any(step == "attribute" for step, _ in body.places):
            return _types.STR
        return self._class(body, place, name, around)

    def _class(
        self, body: Body, place: Place, name: str, around: str, tag: Type | None = None
    ) -> Class:
        """The class of objects."""
        known = self._known.get(id(body))
        if known is not None:
            return known
        made = _types.Made(wanted=name, title=around)
        self._known[id(body)] = known = _types.Class(len(self.classes))
        self.classes.append(made)
        total = body.count
        own = body.texts
        if own is not None:
            # Elements without attributes and children.
            total += own.count
        made.count = total
        made.comment = f"seen {total:,} {'time' if total == 1 else 'times'}" if around else ""
        mixed = self._has_elements and _is_mixed(body)
        for (step, key), child in body.places.items():
            if step == "text" or (mixed and step == "element"):
                continue
            field = self._field(child, key, step, total, name)
            if tag is not None and (step, key) == place.tag:
                field.type, field.comment = tag, ""
            made.fields.append(field)
        if mixed:
            made.fields.append(
                _types.Field("text", "text", "string()", _types.STR, comment=_comments.MIXED)
            )
        elif text := self._own_text(body, own, total, name):
            made.fields.append(text)
        return known

    def _field(self, child: Place, key: str, step: str, total: int, around: str) -> Field:
        at, place = child.at, child
        if step == "element" and (collapsed := _only_list(child)):
            at, place = f"{child.at}/{collapsed.at}", collapsed
        name = key if place is child else place.key
        of = self._type(place, name, around)
        field = _types.Field(key, step, at, of, place=place)
        absent = child.present < total
        if step == "element" and place.most > 1:
            field.type = _types.Generic("list", (of,))
            if place is not child:
                (wrapper,) = child.bodies.values()
                absent |= place.present < wrapper.count or child.texts is not None
            field.is_absent, field.empty = absent, "list" if absent else None
        elif absent:
            field.is_absent = True
            if isinstance(of, _types.Generic) and of.name in {"list", "dict"}:
                field.empty = of.name
        field.comment = _comments.of(place, of, child.present, total)
        return field

    def _own_text(self, body: Body, own: Texts | None, total: int, around: str) -> Field | None:
        """The text of elements that have attributes or children, too."""
        child = body.places.get(("text", ""))
        if child is None and (own is None or own.count == own.empty):
            return None
        texts = Texts(0, 0, 0, 0, None, (1 << 11) - 1, Ints(), Floats(), {})
        if child is not None and child.texts is not None:
            texts.join(child.texts)
        if own is not None:
            texts.join(own)
        of = _scalars.texts(texts, around, untyped=True)
        present = texts.count - texts.empty
        field = _types.Field("text", "text", "text()", of)
        place = Place("text", "text()", "text", texts=texts)
        field.is_absent = present < total
        field.comment = _comments.of(place, of, present, total)
        field.place = place
        return field


def _variant(values: list[str], name: str) -> str:
    """The name of the class for some values of a tag."""
    if len(values) > 2:
        return f"other {name}"
    word = " or ".join(values)
    # A short word says little without what it is of.
    return word if len(word) > 4 and _names.camel(word)[:1].isalpha() else f"{word} {name}"


def _is_mixed(body: Body) -> bool:
    """Whether elements are mixed content: half of those with children have text between them."""
    children = [place.present for (step, _), place in body.places.items() if step == "element"]
    return body.mixed > 0 and 2 * body.mixed >= max(children, default=0)


def _only_list(place: Place) -> Place | None:
    """The one child of an element that has nothing else, and which is repeated there."""
    if place.most > 1 or (place.texts is not None and place.texts.count > place.texts.empty):
        return None
    if place.tag is not None or len(place.bodies) != 1 or place.nulls:
        return None
    (body,) = place.bodies.values()
    if len(body.places) != 1 or body.mixed:
        return None
    (child,) = body.places.values()
    return child if child.step == "element" and child.most > 1 else None
