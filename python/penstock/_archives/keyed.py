"""Keyed archives: the graph of objects in a property list of `NSKeyedArchiver`.

The property list has a table of objects, which refer to each other by UIDs. Each object is made
once, when something first refers to it. Nothing recurses: what makes an object is a generator that
yields the generators whose results it needs, and one loop runs them all. Nothing is imported or
called by a name in the archive: a name is looked up in `classes` and in the table of known names.
"""

from __future__ import annotations

import datetime as dt
import decimal
import plistlib
import re
import struct
import urllib.parse
import uuid

from penstock._annotations.at import written
from penstock._archives.keyed_types import Class, exactly
from penstock._archives.keyed_values import ArchivedObject, AttributedString
from penstock._base.errors import MalformedInput, ValidationError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn, TypeAlias

    from penstock._archives.keyed_types import Items, Kind, Pairs, Task

    # Makes an object of a known class from its fields.
    Maker: TypeAlias = Callable[["Graph", int, dict[str, Any]], Task]

VERSION = 100_000
ARCHIVER = "NSKeyedArchiver"
NULL = "$null"

UID = plistlib.UID
_SCALARS = frozenset({str, int, float, bool, bytes, dt.datetime, type(None)})
_ABSENT = object()
EPOCH = dt.datetime(2001, 1, 1, tzinfo=dt.UTC)


def is_archive(document: object) -> bool:
    """Return whether a property list is a keyed archive."""
    return isinstance(document, dict) and {"$archiver", "$objects", "$top"} <= document.keys()


class Graph:
    """An archive and the objects that were made of it."""

    def __init__(
        self,
        document: Any,
        source: str | None,
        mapped: dict[str, Class] | None = None,
        *,
        strict: bool = False,
        objects: Any = None,
        steps: Iterable[str | int] = (),
    ) -> None:
        # The path to what is being made.
        self.steps: list[str | int] = list(steps)
        self.source = source
        self.mapped: dict[str, Class] = {} if mapped is None else mapped
        self.strict = strict
        self.document = document
        if not is_archive(document):
            self.malformed("this is no keyed archive: it has no $archiver, $objects and $top")
        if document["$archiver"] != ARCHIVER:
            self.malformed(f"the archive is one of {document['$archiver']!r:.60}, not {ARCHIVER}")
        if document.get("$version") != VERSION:
            self.malformed(f"the archive's version is {document.get('$version')!r:.60}")
        self.objects: Any = document["$objects"]
        self.top: Any = document["$top"]
        if not (exactly(self.objects, list) and exactly(self.top, dict)):
            self.malformed("the archive's $objects is no array, or its $top no dictionary")
        if objects is not None:
            self.objects = objects
        # The objects that are complete, and the containers that are not, by their numbers.
        self.made: dict[int, Any] = {0: None}
        # What containers became that are within an object, by their ids: an archive may have one in
        # many places. The document keeps them.
        self.inline: dict[int, Any] = {}
        # What is being made: how to make an empty object that is filled later, if there is a way.
        self.open: dict[int, Callable[[], Any] | None] = {}
        self.open_ids: set[int] = set()
        # The names of the classes by the number of their description.
        self.names: dict[int, tuple[str, ...]] = {}
        # The containers that types have seen; they are kept, so that their ids are theirs.
        self.first: dict[int, tuple[object, Kind]] = {}
        self.fitted: dict[tuple[int, int], tuple[object, Any]] = {}
        self.due: list[tuple[Items | Pairs, Any, tuple[str | int, ...]]] = []

    def again(self, mapped: dict[str, Class] | None = None, *, strict: bool = False) -> Graph:
        """Return the same archive, of which nothing is made yet.

        Args:
            mapped: The caller's classes by the names that the archive has for them.
            strict: Whether keys that these do not name are errors.
        """
        return Graph(
            self.document,
            self.source,
            mapped,
            strict=strict,
            objects=self.objects,
            steps=self.steps,
        )

    # Running.

    def made_of(self, stored: Any, kind: Kind) -> Any:
        """Return what a value in the archive stands for, as a kind."""
        return self.run(self.whole(stored, kind))

    def run(self, task: Task) -> Any:
        """Return what a generator returns, after running those that it needs."""
        stack = [task]
        value: Any = None
        while stack:
            try:
                needed = stack[-1].send(value)
            except StopIteration as done:
                stack.pop()
                value = done.value
            else:
                stack.append(needed)
                value = None
        return value

    def whole(self, stored: Any, kind: Kind) -> Task:
        """Return what a field holds, or all that `$top` names, with all that it leads to."""
        if stored is self.top:
            self.open_ids.add(id(stored))
            value = yield self.inline_dict(stored)
        else:
            value = yield self.value(stored)
        return (yield self.fit(value, kind))

    def fit(self, value: Any, kind: Kind) -> Task:
        """Return a value that is complete, as a kind."""
        try:
            value = kind.quick(value)
        except LookupError:
            value = yield kind.fit(value, self)
        # What is in cycles is complete now.
        for late, container, steps in self.due:
            self.steps[:] = steps
            yield late.within(container, self)
        return value

    # Errors.

    def path(self) -> str | None:
        """Return the path to what is being made, as `at` would write it."""
        return written(self.steps) or None

    def malformed(self, reason: str) -> NoReturn:
        raise MalformedInput(
            reason,
            format="plist",
            source=self.source,
            path=self.path(),
            steps=tuple(self.steps),
        )

    def refuse(
        self, reason: str, *, expected: str | None = None, got: str | None = None
    ) -> ValidationError:
        """Return the error for a value that does not fit where it stands."""
        return ValidationError(
            reason,
            expected=expected,
            got=got,
            format="plist",
            source=self.source,
            path=self.path(),
            steps=tuple(self.steps),
        )

    # What kinds ask.

    def is_open(self, value: object) -> bool:
        """Return whether a container is still being filled."""
        return id(value) in self.open_ids

    def later(self, kind: Items | Pairs, value: Any) -> None:
        """Have a container fitted when everything is complete."""
        self.due.append((kind, value, tuple(self.steps)))

    def known(self, kind: Kind, value: object) -> list[Any]:
        """Return what a container became for a type, in a list; an empty one if it is new."""
        found = self.fitted.get((id(value), id(kind)))
        return [] if found is None else [found[1]]

    def learn(self, kind: Kind, value: object, fitted: object) -> None:
        """Note what a container became for a type: what is shared is looked at once."""
        self.fitted[id(value), id(kind)] = value, fitted

    def keeps(self, kind: Kind, value: object) -> bool:
        """Return whether a container may be changed in place: for the first type that sees it."""
        return self.first.setdefault(id(value), (value, kind))[1] is kind

    # References.

    def ready(self, stored: Any) -> Any:
        """Return the value of what a field holds, if it is there already."""
        if type(stored) in _SCALARS:
            return stored
        if not exactly(stored, UID):
            return self.inline.get(id(stored), _ABSENT)
        number = stored.data
        found = self.made.get(number, _ABSENT)
        if found is not _ABSENT:
            return found
        if number >= len(self.objects):
            return _ABSENT
        found = self.objects[number]
        if type(found) in _SCALARS:
            found = self.made[number] = None if found == NULL else found
            return found
        shell = self.open.get(number)
        if shell is None:
            return _ABSENT
        found = self.made[number] = shell()
        return found

    def value(self, stored: Any) -> Task:
        """Return the value of what a field holds."""
        value = self.ready(stored)
        if value is _ABSENT:
            value = yield self.task(stored)
        return value

    def task(self, stored: Any) -> Task:
        """Return what makes the value of a field."""
        if exactly(stored, UID):
            return self.construct(stored.data)
        if exactly(stored, list):
            return self.inline_list(stored)
        if exactly(stored, dict):
            # JSON has no UIDs, and writes them as Apple does.
            number = stored.get("CF$UID")
            if len(stored) == 1 and exactly(number, int) and number >= 0:
                return self.value(UID(number))
            return self.inline_dict(stored)
        return self.malformed(f"the archive has a {type(stored).__name__}")

    def inline_list(self, stored: list[Any]) -> Task:
        made = self.inline[id(stored)] = []
        yield self.items(stored, made)
        return made

    def inline_dict(self, stored: dict[str, Any]) -> Task:
        made = self.inline[id(stored)] = {}
        for key, item in stored.items():
            self.steps.append(key)
            made[key] = yield self.value(item)
            self.steps.pop()
        return made

    # Objects.

    def class_names(self, number: int, stored: dict[str, Any]) -> tuple[str, ...]:
        """Return the names of an object's class and of those above it."""
        reference = stored["$class"]
        if exactly(reference, dict) and exactly(reference.get("CF$UID"), int):
            reference = UID(reference["CF$UID"])
        if not exactly(reference, UID):
            self.malformed(f"the class of object {number} is no UID")
        at = reference.data
        known = self.names.get(at)
        if known is not None:
            return known
        described: Any = self.objects[at] if at < len(self.objects) else None
        if not exactly(described, dict) or not exactly(described.get("$classname"), str):
            self.malformed(f"object {at} is no class, and object {number} says so")
        name = described["$classname"]
        above = described.get("$classes", [])
        if not exactly(above, list) or not all(exactly(each, str) for each in above):
            self.malformed(f"the classes of object {at} are no array of names")
        names = self.names[at] = (name, *(each for each in above if each != name))
        return names

    def name_of(self, number: int) -> str:
        """Return the name of an object's class, for messages."""
        return f"an object of {self.class_names(number, self.objects[number])[0]}"

    def construct(self, number: int) -> Task:
        """Make the object of this number, or say why that is not possible."""
        if number >= len(self.objects):
            count = len(self.objects)
            self.malformed(f"the archive refers to object {number}, and has {count} objects")
        if number in self.open:
            name = self.name_of(number)
            reason = f"a cycle leads through {name}, which must be complete when it is made"
            raise self.refuse(reason)
        stored = self.objects[number]
        if exactly(stored, list):
            bare: list[Any] = []
            self.begin(number, bare)
            yield self.items(stored, bare)
            self.end(bare)
            return bare
        if exactly(stored, UID):
            self.malformed(f"object {number} is a UID")
        if not exactly(stored, dict) or "$class" not in stored:
            self.malformed(f"object {number} has no class")
        names = self.class_names(number, stored)
        self.open[number] = None
        for name in names:
            kind = self.mapped.get(name)
            if kind is not None:
                value = yield self.mapped_object(number, stored, kind)
                break
            maker = _MAKERS.get(name)
            if maker is not None:
                value = yield maker(self, number, stored)
                break
        else:
            value = yield self.other_object(number, stored, names)
        self.made[number] = value
        del self.open[number]
        return value

    def begin(self, number: int, shell: Any) -> None:
        """Let others refer to a container that is being filled."""
        self.made[number] = shell
        self.open_ids.add(id(shell))

    def end(self, shell: Any) -> None:
        """Say that a container is filled."""
        self.open_ids.discard(id(shell))

    def fields(self, stored: dict[str, Any], made: dict[str, Any]) -> Task:
        """Fill a dict with the values of an object by their keys."""
        for key, item in stored.items():
            if key in {"$class", "$classhints"}:
                continue
            # The archiver puts another $ before one of the program's.
            name = key[1:] if key.startswith("$$") else key
            value = self.ready(item)
            if value is _ABSENT:
                self.steps.append(name)
                value = yield self.task(item)
                self.steps.pop()
            made[name] = value

    def other_object(self, number: int, stored: dict[str, Any], names: tuple[str, ...]) -> Task:
        made = ArchivedObject(names[0], names)
        self.begin(number, made)
        yield self.fields(stored, made.fields)
        self.end(made)
        return made

    def mapped_object(self, number: int, stored: dict[str, Any], kind: Class) -> Task:
        """Make an object of the caller's class."""
        shell = kind.shell
        shells: list[Any] = []

        def begun() -> Any:
            made = shell() if shell is not None else None
            shells.append(made)
            return made

        self.open[number] = None if shell is None else begun
        if self.strict:
            for key in stored:
                name = key[1:] if key.startswith("$$") else key
                if name not in kind.keys and key not in {"$class", "$classhints"}:
                    self.steps.append(name)
                    raise self.refuse(f'{kind.label} has no field for the key "{name}"')
        wanted: dict[str, Any] = {}
        for key, item in stored.items():
            name = key[1:] if key.startswith("$$") else key
            if name in kind.keys and key not in {"$class", "$classhints"}:
                wanted[name] = item
        found: dict[str, Any] = {}
        yield self.fields(wanted, found)
        return (yield kind.made(found, self, lambda: shells))

    # What the classes of Foundation keep.

    def text(self, number: int, stored: dict[str, Any], key: str) -> Task:
        """Return a field that is a string."""
        value = yield self.value(stored.get(key))
        if not exactly(value, str):
            self.malformed(f"{self.name_of(number)} (object {number}) has no string in {key}")
        return value

    def binary(self, number: int, stored: dict[str, Any], key: str) -> Task:
        """Return a field that is binary data."""
        value = yield self.value(stored.get(key))
        if not exactly(value, bytes):
            self.malformed(f"{self.name_of(number)} (object {number}) has no data in {key}")
        return value

    def numeric(self, number: int, stored: dict[str, Any], key: str) -> Task:
        """Return a field that is a number."""
        value = yield self.value(stored.get(key))
        if type(value) not in {int, float}:
            self.malformed(f"{self.name_of(number)} (object {number}) has no number in {key}")
        return value

    def listed(self, number: int, stored: dict[str, Any], keys: str, one: str) -> list[Any]:
        """Return references that are in one array, or each under a key of its own."""
        found: Any = stored.get(keys)
        if found is None:
            single: list[Any] = []
            while (key := f"{one}{len(single)}") in stored:
                single.append(stored[key])
            return single
        if not exactly(found, list):
            self.malformed(f"{self.name_of(number)} (object {number}) has no array in {keys}")
        return list(found)

    def items(self, references: list[Any], into: list[Any]) -> Task:
        """Append the objects of references to a list."""
        for index, reference in enumerate(references):
            value = self.ready(reference)
            if value is _ABSENT:
                self.steps.append(index)
                value = yield self.task(reference)
                self.steps.pop()
            into.append(value)

    def string(self, number: int, stored: dict[str, Any]) -> Task:
        if "NS.bytes" in stored and "NS.string" not in stored:
            found = yield self.binary(number, stored, "NS.bytes")
            try:
                return found.decode()
            except UnicodeDecodeError:
                self.malformed(f"the string of object {number} is not UTF-8")
        return (yield self.text(number, stored, "NS.string"))

    def any_number(self, number: int, stored: dict[str, Any]) -> Task:
        for key in ("NS.number", "NS.boolval", "NS.intval", "NS.dblval"):
            if key in stored:
                value = yield self.value(stored[key])
                if type(value) in {int, float, bool}:
                    return value
        self.malformed(f"{self.name_of(number)} (object {number}) has no number")

    def date(self, number: int, stored: dict[str, Any]) -> Task:
        seconds = yield self.numeric(number, stored, "NS.time")
        try:
            return EPOCH + dt.timedelta(seconds=seconds)
        except (OverflowError, ValueError):
            got = f"{seconds!r} seconds since 2001"
            reason = f"expected a date in the years 1 to 9999, got {got}"
            raise self.refuse(reason, expected="datetime", got=got) from None

    def data(self, number: int, stored: dict[str, Any]) -> Task:
        key = "NS.bytes" if "NS.bytes" in stored and "NS.data" not in stored else "NS.data"
        return (yield self.binary(number, stored, key))

    def ident(self, number: int, stored: dict[str, Any]) -> Task:
        found = yield self.binary(number, stored, "NS.uuidbytes")
        if len(found) != 16:
            self.malformed(f"the UUID of object {number} has {len(found)} bytes")
        return uuid.UUID(bytes=found)

    def url(self, number: int, stored: dict[str, Any]) -> Task:
        relative = yield self.text(number, stored, "NS.relative")
        self.steps.append("NS.base")
        base = yield self.value(stored.get("NS.base"))
        self.steps.pop()
        if base is None:
            return relative
        if not exactly(base, str):
            self.malformed(f"the base of the URL of object {number} is no URL")
        return _joined(base, relative)

    def null(self, number: int, stored: dict[str, Any]) -> Task:  # noqa: ARG002 - one of many
        return None
        yield

    def array(self, number: int, stored: dict[str, Any]) -> Task:
        references = self.listed(number, stored, "NS.objects", "NS.object.")
        made: list[Any] = []
        self.begin(number, made)
        yield self.items(references, made)
        self.end(made)
        return made

    def unordered(self, number: int, stored: dict[str, Any]) -> Task:
        references = self.listed(number, stored, "NS.objects", "NS.object.")
        made: list[Any] = []
        yield self.items(references, made)
        try:
            return set(made)
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - the caller's classes have hashes of their own
            # Python's sets have no lists and dicts.
            return made

    def dictionary(self, number: int, stored: dict[str, Any]) -> Task:
        keys = self.listed(number, stored, "NS.keys", "NS.key.")
        references = self.listed(number, stored, "NS.objects", "NS.object.")
        if len(keys) != len(references):
            counts = f"{len(keys)} keys and {len(references)} values"
            self.malformed(f"the dictionary of object {number} has {counts}")
        made: dict[Any, Any] = {}
        self.begin(number, made)
        for stored_key, reference in zip(keys, references, strict=True):
            key = self.ready(stored_key)
            if key is _ABSENT:
                key = yield self.task(stored_key)
            try:
                hash(key)
            except MemoryError:
                raise
            except Exception as error:
                reason = f"a {type(key).__name__} cannot be the key of a dict"
                raise self.refuse(reason) from error
            value = self.ready(reference)
            if value is _ABSENT:
                self.steps.append(key if exactly(key, str) else _shown(key))
                value = yield self.task(reference)
                self.steps.pop()
            made[key] = value
        self.end(made)
        return made

    def attributed(self, number: int, stored: dict[str, Any]) -> Task:
        text = yield self.text(number, stored, "NSString")
        made = AttributedString(text, [])
        self.begin(number, made)
        self.steps.append("NSAttributes")
        attributes = yield self.value(stored.get("NSAttributes"))
        self.steps.pop()
        if "NSAttributeInfo" in stored:
            info = yield self.value(stored["NSAttributeInfo"])
            if not exactly(info, bytes) or not exactly(attributes, list):
                self.malformed(f"the attributes of object {number} are no array with data")
            made.runs.extend(self.runs(number, text, info, attributes))
        elif text:
            if attributes is not None and not exactly(attributes, dict):
                self.malformed(f"the attributes of object {number} are no dictionary")
            made.runs.append((0, len(text), attributes or {}))
        self.end(made)
        return made

    def runs(
        self, number: int, text: str, info: bytes, attributes: list[Any]
    ) -> list[tuple[int, int, dict[str, Any]]]:
        """Return the parts of a text: their lengths, in units of UTF-16, and their attributes."""
        units = text.encode("utf-16-le", "surrogatepass")
        numbers = _integers(info)
        if numbers is None or len(numbers) % 2:
            self.malformed(f"the lengths of the parts of object {number} are incomplete")
        found: list[tuple[int, int, dict[str, Any]]] = []
        begin = at = 0
        for length, index in zip(numbers[::2], numbers[1::2], strict=True):
            end = at + 2 * length
            if end > len(units) or index >= len(attributes) or not exactly(attributes[index], dict):
                self.malformed(f"the parts of object {number} are not those of its text")
            behind = begin + len(units[at:end].decode("utf-16-le", "replace"))
            found.append((begin, behind, attributes[index]))
            begin, at = behind, end
        return found

    def decimal_number(self, number: int, stored: dict[str, Any]) -> Task:
        mantissa = yield self.binary(number, stored, "NS.mantissa")
        exponent = yield self.value(stored.get("NS.exponent", 0))
        length = yield self.value(stored.get("NS.length", 8))
        order = yield self.value(stored.get("NS.mantissa.bo", 1))
        negative = yield self.value(stored.get("NS.negative", False))
        valid = exactly(exponent, int) and -128 <= exponent <= 127 and length in range(9)
        if not valid or len(mantissa) != 16 or order not in {0, 1, 2}:
            self.malformed(f"the decimal number of object {number} is none")
        if length == 0 and negative:
            return decimal.Decimal("NaN")
        units = struct.unpack(f"{'>' if order == 2 else '<'}{length}H", mantissa[: 2 * length])
        digits = sum(unit << 16 * place for place, unit in enumerate(units))
        return decimal.Decimal((int(bool(negative)), tuple(map(int, str(digits))), exponent))

    def value_object(self, number: int, stored: dict[str, Any]) -> Task:
        """Return an `NSValue`: a structure as a tuple, or what else it holds."""
        for key, count in (("NS.pointval", 2), ("NS.sizeval", 2), ("NS.rectval", 4)):
            if key in stored:
                text = yield self.text(number, stored, key)
                return self.structure(number, text, count)
        if "NS.rangeval.location" in stored:
            location = yield self.numeric(number, stored, "NS.rangeval.location")
            return location, (yield self.numeric(number, stored, "NS.rangeval.length"))
        if "NS.edgeval.top" in stored:
            edges: list[float] = []
            for edge in ("top", "left", "bottom", "right"):
                edges.append((yield self.numeric(number, stored, f"NS.edgeval.{edge}")))  # noqa: PERF401 - of a generator
            return tuple(edges)
        if "$1" in stored:
            self.steps.append("$1")
            value = yield self.value(stored["$1"])
            self.steps.pop()
            return value
        return (yield self.other_object(number, stored, ("NSValue", "NSObject")))

    def structure(self, number: int, text: str, count: int) -> object:
        """Return the numbers of `{x, y}` or `{{x, y}, {width, height}}`."""
        found = (_RECT if count == 4 else _PAIR).fullmatch(text)
        if found is None:
            self.malformed(f"the structure of object {number} is not written as one")
        numbers = tuple(map(float, found.groups()))
        return (numbers[:2], numbers[2:]) if count == 4 else numbers

    def old_array(self, number: int, stored: dict[str, Any]) -> Task:
        """Return an array of C."""
        made: list[Any] = []
        yield self.items(self.listed(number, stored, "$objects", "$"), made)
        return made


_NUMBER = r"\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*"
_PAIR = re.compile(rf"\{{{_NUMBER},{_NUMBER}\}}")
_RECT = re.compile(rf"\{{\s*\{{{_NUMBER},{_NUMBER}\}}\s*,\s*\{{{_NUMBER},{_NUMBER}\}}\s*\}}")

_MAKERS: dict[str, Maker] = {
    "NSString": Graph.string,
    "NSNumber": Graph.any_number,
    "NSDate": Graph.date,
    "NSData": Graph.data,
    "NSUUID": Graph.ident,
    "NSURL": Graph.url,
    "NSNull": Graph.null,
    "NSArray": Graph.array,
    "NSSet": Graph.unordered,
    "NSOrderedSet": Graph.array,
    "NSDictionary": Graph.dictionary,
    "NSAttributedString": Graph.attributed,
    "NSDecimalNumber": Graph.decimal_number,
    "NSValue": Graph.value_object,
    "_NSKeyedCoderOldStyleArray": Graph.old_array,
}
# What can be changed is kept in the same way.
for _name in ("String", "Data", "Array", "Set", "OrderedSet", "Dictionary", "AttributedString"):
    _MAKERS[f"NSMutable{_name}"] = _MAKERS[f"NS{_name}"]


def _shown(key: object) -> str:
    """Return a key that is no string as a step of a path."""
    return str(key) if type(key) in _SCALARS or type(key) is uuid.UUID else type(key).__name__


def _joined(base: str, relative: str) -> str:
    """Return a URL relative to another one (RFC 3986, section 5.2), whatever its scheme."""
    scheme, colon, rest = base.partition(":")
    if not colon or urllib.parse.urlsplit(relative).scheme:
        return urllib.parse.urljoin(base, relative)
    # The library knows which schemes have paths, and an app has one of its own.
    joined = urllib.parse.urljoin(f"http:{rest}", relative)
    return f"{scheme}:{joined.removeprefix('http:')}"


def _integers(data: bytes) -> list[int] | None:
    """Return integers in groups of seven bits, the lowest first; none if the last is cut."""
    found: list[int] = []
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            found.append(value)
            value = shift = 0
        elif shift > 63:
            return None
    return None if shift else found
