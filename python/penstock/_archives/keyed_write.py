"""Writing keyed archives: a graph of objects as the property list of `NSKeyedArchiver`.

Each object gets its number when something first refers to it, and its place in the table later. So
nothing recurses, and shared objects and cycles are what they were.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import uuid
from collections.abc import Mapping

import penstock._rust as _rust
from penstock._archives.keyed import ARCHIVER, EPOCH, NULL, UID, VERSION
from penstock._archives.keyed_types import Kinds
from penstock._archives.keyed_values import ArchivedObject, AttributedString
from penstock._base.errors import EncodeError, PlanError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from penstock._archives.keyed_types import Class

    # How an object refers to a value: as a step of a path, by an index, or by a key in a tuple.
    Step: TypeAlias = str | int | tuple[Any]


def archive_of(value: Any, classes: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return an archive of a value, as the plain values of a property list.

    Args:
        value: The root.
        classes: The classes of archived objects, by the names that the archive has for them.
    """
    graph = _Graph({} if classes is None else classes)
    root = graph.reference(value, 0, "")
    _rust.archive(graph, UID, dt.UTC)
    return {
        "$archiver": ARCHIVER,
        "$objects": graph.objects,
        "$top": {"root": root},
        "$version": VERSION,
    }


def archived(
    value: Any, archive: bool, classes: Mapping[str, Any] | None, others: tuple[object, ...]
) -> dict[str, Any]:
    """Return an archive, for the options of `penstock.plist.encode`.

    Raises:
        ValueError: An option does not go with another one.
    """
    if not archive:
        raise ValueError("classes= is for archive=True")
    if any(other is not None for other in others):
        raise ValueError(
            "an archive has no type, omit=, types= or default=: classes= says how it is written"
        )
    return archive_of(value, classes)


class _Graph:
    """The objects of an archive, as far as they are known."""

    def __init__(self, classes: Any) -> None:
        if not isinstance(classes, Mapping):
            raise TypeError(f"classes must be a mapping of names to classes, not {classes!r}")
        kinds = Kinds()
        names: Any = classes
        self.names: dict[type, str] = {}
        self.kinds: dict[type, Class] = {}
        for name, cls in names.items():
            if not isinstance(name, str):
                raise TypeError(f"the name of an archived class must be a str, not {name!r}")
            if not isinstance(cls, type):
                raise PlanError(f"the class for {name!r} must be a class, not {cls!r}")
            kind = kinds.of_class(cls)
            if not issubclass(cls, enum.Enum):
                self.kinds[cls] = kind
            # Of several names, the first is written.
            self.names.setdefault(cls, name)
        self.objects: list[Any] = [NULL]
        # The numbers of equal scalars of each type, of objects, and of descriptions of classes.
        self.scalars: dict[type, dict[object, UID]] = {}
        self.known: dict[int, UID] = {}
        self.described: dict[tuple[str, ...], UID] = {}
        # What is to be written, behind its UID. It stays here, so that its id stays its own.
        self.due: list[Any] = []
        # For each object, what refers to it first, and how.
        self.origin: list[Any] = [0, ""]

    # Numbers.

    def new(self, stored: Any, origin: int, step: Step) -> UID:
        """Return the UID of a new object."""
        self.objects.append(stored)
        self.origin += origin, step
        return UID(len(self.objects) - 1)

    def reference(self, value: Any, origin: int, step: Step) -> UID:
        """Return the UID of a value, to which the object `origin` refers by `step`."""
        if isinstance(value, enum.Enum):
            value = value.value
        cls = type(value)
        if cls in _SCALARS:
            return self.scalar(value, origin, step)
        if value is None:
            return self.null()
        found = self.known.get(id(value))
        if found is None:
            found = self.known[id(value)] = self.new(None, origin, step)
            self.due += found, value
        return found

    def null(self) -> UID:
        """Return the UID of an `NSNull`."""
        nulls = self.scalars.setdefault(type(None), {})
        if None not in nulls:
            stored = {"$class": self.description(("NSNull", "NSObject"))}
            nulls[None] = self.new(stored, 0, "")
        return nulls[None]

    def scalar(self, value: Any, origin: int, step: Step) -> UID:
        """Return the UID of a value that stands in the table as it is."""
        # Floats are equal if they have the same sign and digits.
        key = repr(value) if type(value) is float else value
        known = self.scalars.setdefault(type(value), {})
        found = known.get(key)
        if found is None:
            stored = self.plain(value, origin, step)
            found = known[key] = self.new(stored, origin, step)
        return found

    def plain(self, value: Any, origin: int, step: Step) -> Any:
        """Return what the table has for a scalar."""
        self.check(value, origin, step)
        if value == NULL:
            # As it stands, it would mean that there is nothing.
            return {"$class": self.description(("NSString", "NSObject")), "NS.string": value}
        return value

    def description(self, names: tuple[str, ...]) -> UID:
        """Return the UID of a class."""
        found = self.described.get(names)
        if found is None:
            stored = {"$classes": list(names), "$classname": names[0]}
            found = self.described[names] = self.new(stored, 0, "")
        return found

    # Errors.

    def place(self, number: int) -> tuple[int, Step]:
        """Return which object refers to another one first, and how."""
        origin, step = self.origin[2 * number : 2 * number + 2]
        return origin, step

    def refuse(self, reason: str, origin: int, step: Step) -> EncodeError:
        """Return the error for a value that cannot be written."""
        steps = [_shown(step)]
        while origin:
            origin, step = self.place(origin)
            steps.append(_shown(step))
        path = "".join(reversed(steps))
        return EncodeError._at(reason, path=path.removeprefix(".") or None)  # noqa: SLF001 - an error of ours

    def check(self, value: Any, origin: int, step: Step) -> None:
        """Refuse what a property list cannot hold."""
        if type(value) is int and not -(2**63) <= value < 2**64:
            reason = "a property list has integers from -2^63 to 2^64 - 1 only"
            raise self.refuse(reason, origin, step)
        if type(value) is str and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                reason = "a str with a surrogate is no text"
                raise self.refuse(reason, origin, step) from error

    # Objects.

    def stored(self, value: Any, number: int) -> Any:
        """Return what the table has for an object."""
        kind = self.kinds.get(type(value))
        if kind is not None:
            return self.mapped(value, number, kind)
        write = _WRITERS.get(type(value))
        if write is not None:
            return write(self, value, number)
        for cls in type(value).__mro__[1:]:
            # A subclass of a class that is written is written as that.
            write = _WRITERS.get(cls)
            if write is not None:
                return write(self, value, number)
            if cls in _SCALARS:
                return self.plain(cls(value), *self.place(number))
        reason = f"an archive cannot hold a {type(value).__qualname__}"
        raise self.refuse(f"{reason}: classes= has no name for it", *self.place(number))

    def layout(self, cls: type) -> tuple[UID, list[tuple[str, str, str]]]:
        """Return the UID of a class of the caller's: and for each field name, key and step."""
        names = [self.names[each] for each in cls.__mro__ if each in self.names]
        described = self.description((*names, "NSObject"))
        fields = self.kinds[cls].fields
        return described, [(each.name, _key(each.keys[0]), f".{each.name}") for each in fields]

    def mapped(self, value: Any, number: int, kind: Class) -> dict[str, Any]:
        """Write an object of the caller's class."""
        stored: dict[str, Any] = {"$class": self.layout(type(value))[0]}
        for field in kind.fields:
            try:
                each = getattr(value, field.name)
            except AttributeError:
                reason = f"{kind.label} has no attribute {field.name!r}"
                raise self.refuse(reason, *self.place(number)) from None
            stored[_key(field.keys[0])] = self.field(each, number, f".{field.name}")
        return stored

    def other(self, value: ArchivedObject, number: int) -> dict[str, Any]:
        stored: dict[str, Any] = {"$class": self.description(tuple(value.classes))}
        for key, each in value.fields.items():
            stored[_key(key)] = self.inline(each, number, f".{key}")
        return stored

    def field(self, value: Any, number: int, step: Step) -> Any:
        """Return what a field holds: numbers stand there themselves."""
        if isinstance(value, enum.Enum):
            value = value.value
        if value is None:
            return UID(0)
        if type(value) in {bool, int, float}:
            self.check(value, number, step)
            return value
        return self.reference(value, number, step)

    inline = field

    def items(self, values: Any, number: int) -> list[UID]:
        return [self.reference(each, number, at) for at, each in enumerate(values)]

    def array(self, value: Any, number: int) -> dict[str, Any]:
        of = self.description(("NSArray", "NSObject"))
        return {"$class": of, "NS.objects": self.items(value, number)}

    def unordered(self, value: Any, number: int) -> dict[str, Any]:
        of = self.description(("NSSet", "NSObject"))
        return {"$class": of, "NS.objects": self.items(value, number)}

    def dictionary(self, value: dict[Any, Any], number: int) -> dict[str, Any]:
        keys = [self.reference(key, number, (key,)) for key in value]
        items = [self.reference(each, number, (key,)) for key, each in value.items()]
        of = self.description(("NSDictionary", "NSObject"))
        return {"$class": of, "NS.keys": keys, "NS.objects": items}

    def date(self, value: dt.datetime, number: int) -> dict[str, Any]:  # noqa: ARG002 - one of many
        # One without a zone is in UTC, as everywhere in property lists.
        there = value if value.tzinfo is not None else value.replace(tzinfo=dt.UTC)
        seconds = (there - EPOCH).total_seconds()
        return {"$class": self.description(("NSDate", "NSObject")), "NS.time": seconds}

    def ident(self, value: uuid.UUID, number: int) -> dict[str, Any]:  # noqa: ARG002 - as above
        of = self.description(("NSUUID", "NSObject"))
        return {"$class": of, "NS.uuidbytes": value.bytes}

    def decimal_number(self, value: decimal.Decimal, number: int) -> dict[str, Any]:
        sign, digits, exponent = value.as_tuple()
        size = int("".join(map(str, digits[:200])) or "0")
        if exponent == "n":
            # One that is none has a sign and no digits.
            sign, size, exponent = 1, 0, 0
        elif isinstance(exponent, int):
            exponent += max(len(digits) - 200, 0)
            while exponent > 127 and 0 < size < 2**128:
                size, exponent = size * 10, exponent - 1
            while size and size % 10 == 0 and (exponent < -128 or size >= 2**128):
                size, exponent = size // 10, exponent + 1
            if not size:
                sign, exponent = 0, max(-128, min(exponent, 127))
        fits = isinstance(exponent, int) and -128 <= exponent <= 127 and size < 2**128
        if not fits or any(digits[200:]):
            reason = f"an archive has no decimal number for {value!r:.60}"
            raise self.refuse(reason, *self.place(number))
        names = ("NSDecimalNumber", "NSNumber", "NSValue", "NSObject")
        return {
            "$class": self.description(names),
            "NS.compact": True,
            "NS.exponent": exponent,
            "NS.length": (size.bit_length() + 15) // 16,
            "NS.mantissa": size.to_bytes(16, "little"),
            "NS.mantissa.bo": 1,
            "NS.negative": bool(sign),
        }

    def attributed(self, value: AttributedString, number: int) -> dict[str, Any]:
        stored = {
            "$class": self.description(("NSAttributedString", "NSObject")),
            "NSString": self.reference(value.text, number, ".text"),
        }
        at, info = 0, bytearray()
        attributes: list[Any] = []
        for place, (begin, end, each) in enumerate(value.runs):
            if begin != at or not at < end <= len(value.text):
                reason = "the runs of an AttributedString are not the parts of its text"
                raise self.refuse(reason, number, f".runs[{place}]")
            if not any(each is known for known in attributes[-1:]):
                attributes.append(each)
            length = len(value.text[begin:end].encode("utf-16-le", "surrogatepass")) // 2
            info += _digits(length) + _digits(len(attributes) - 1)
            at = end
        if at != len(value.text):
            reason = "the runs of an AttributedString are not the parts of its text"
            raise self.refuse(reason, number, ".runs")
        if len(value.runs) == 1:
            stored["NSAttributes"] = self.reference(attributes[0], number, ".runs[0][2]")
        elif value.runs:
            stored["NSAttributes"] = self.reference(attributes, number, ".runs")
            stored["NSAttributeInfo"] = self.reference(bytes(info), number, ".runs")
        return stored


_SCALARS = frozenset({str, bool, int, float, bytes})

_WRITERS: dict[type, Callable[[_Graph, Any, int], dict[str, Any]]] = {
    list: _Graph.array,
    tuple: _Graph.array,
    set: _Graph.unordered,
    frozenset: _Graph.unordered,
    dict: _Graph.dictionary,
    dt.datetime: _Graph.date,
    uuid.UUID: _Graph.ident,
    decimal.Decimal: _Graph.decimal_number,
    ArchivedObject: _Graph.other,
    AttributedString: _Graph.attributed,
}


def _shown(step: Step) -> str:
    """Return a step as it stands in a path."""
    if isinstance(step, tuple):
        return f"[{step[0]!r:.60}]"
    return f"[{step}]" if isinstance(step, int) else step


def _key(name: str) -> str:
    """Return a key of an object as the archiver writes it: with another $ before one of its own."""
    return f"${name}" if name.startswith("$") and not name[1:].isdecimal() else name


def _digits(value: int) -> bytes:
    """Return an integer in groups of seven bits, the lowest first."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)
