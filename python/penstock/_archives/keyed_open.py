"""Open keyed archives: the graph of their objects, of which only that is read which you ask for."""

# ruff: noqa: SLF001 - the classes here are of one piece
from __future__ import annotations

import plistlib
from _collections_abc import Mapping, Sequence

from penstock._annotations.at import written
from penstock._archives import keyed as _keyed
from penstock._archives import keyed_read as _keyed_read
from penstock._archives.graph import Array, Dictionary, Part
from penstock._base.types import PLAIN, T

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any, NoReturn, Self, SupportsIndex, TypeAlias, overload

    from typing_extensions import TypeForm

    from penstock._base.types import Unknown

    Steps: TypeAlias = tuple[str | int, ...]

_UID = plistlib.UID
_ARRAYS = frozenset(
    f"NS{mutable}{kind}" for mutable in ("", "Mutable") for kind in ("Array", "Set", "OrderedSet")
)
# What an object has beside its fields.
_HIDDEN = frozenset({"$class", "$classhints"})
_DICTIONARIES = frozenset({"NSDictionary", "NSMutableDictionary"})


class _Objects:
    """The objects of an archive as plain values, each made when it is asked for."""

    def __init__(self, stored: Array, archive: _Archive) -> None:
        self.stored = stored
        self.archive = archive
        # What containers became, by their ids; none as long as one is being made. The property list
        # keeps the containers, so each of them is looked at once.
        self.made: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(self.stored)

    def __getitem__(self, number: int) -> Any:
        stored = self.stored[number]
        return self.plain(stored) if isinstance(stored, Part) else stored

    def plain(self, root: Part) -> Any:
        """Return a container as a dict or a list. Nothing recurses."""
        made = self.made.get(id(root))
        if made is not None:
            return made
        open_: list[tuple[Part, Iterator[tuple[Any, Any]], Any]] = []

        def begin(part: Part) -> None:
            self.made[id(part)] = None
            if isinstance(part, Dictionary):
                open_.append((part, iter(part.items()), {}))
            else:
                open_.append((part, enumerate(part), []))  # type: ignore[arg-type]  # an Array

        try:
            self.fill(root, open_, begin)
        finally:
            # What could not be made is looked at again.
            for part, _, _ in open_:
                del self.made[id(part)]
        return self.made[id(root)]

    def fill(
        self,
        root: Part,
        open_: list[tuple[Part, Iterator[tuple[Any, Any]], Any]],
        begin: Callable[[Part], None],
    ) -> None:
        begin(root)
        while open_:
            part, members, made = open_[-1]
            for key, item in members:
                value = item
                if isinstance(item, Part):
                    known = self.made.get(id(item), _Objects)
                    if known is None:
                        self.archive.malformed("a container contains itself", part._path)
                    if known is _Objects:
                        begin(item)
                        # This member comes again when the container is made.
                        open_[-2] = part, _again(key, item, members), made
                        break
                    value = known
                if isinstance(made, dict):
                    made[key] = value
                else:
                    made.append(value)
            else:
                open_.pop()
                self.made[id(part)] = made


def _again(key: Any, item: Any, rest: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    yield key, item
    yield from rest


class _Archive:
    """What all parts of an open archive share."""

    def __init__(self, document: Any, classes: Mapping[str, Any] | None) -> None:
        self.document = document
        self.classes = classes
        self.source: str | None = None if not isinstance(document, Part) else document._state.name
        # This refuses whatever is no archive, and classes that are none.
        head: dict[str, Any] = {}
        if isinstance(document, Dictionary):
            head = {key: document[key] for key in ("$archiver", "$version") if key in document}
            for key, kind, empty in (("$objects", Array, []), ("$top", Dictionary, {})):
                if key in document:
                    found = document[key]
                    head[key] = empty if isinstance(found, kind) else None
        _keyed_read.checked(classes)
        _keyed.Graph(head, self.source)
        self.objects = _Objects(document["$objects"], self)
        self.head = head
        # The parts and values that were asked for, by the numbers of their objects.
        self.known: dict[int, Any] = {0: None}

    def root(self) -> Any:
        """Return what `$top` names: one object, or a dict of all of them."""
        top: Dictionary = self.document["$top"]
        names = list(top)
        if names in (["root"], ["$0"]):
            return self.value(top[names[0]], ())
        return OpenedDictionary._inline(self, top, ())

    def malformed(self, reason: str, steps: Steps) -> NoReturn:
        graph = self.graph(steps)
        graph.malformed(reason)

    def graph(self, steps: Steps) -> _keyed.Graph:
        """Return what makes the values of objects that are no containers."""
        return _keyed.Graph(self.head, self.source, objects=self.objects, steps=steps)

    def value(self, stored: Any, steps: Steps) -> Any:
        """Return what a field holds: a part, or a plain value."""
        if isinstance(stored, Dictionary):
            if len(stored) == 1 and type(number := stored.get("CF$UID")) is int and number >= 0:
                stored = _UID(number)
            else:
                return OpenedDictionary._inline(self, stored, steps)
        if isinstance(stored, Array):
            return OpenedArray._new(self, None, stored, steps)
        return self.object(stored.data, steps) if type(stored) is _UID else stored

    def object(self, number: int, steps: Steps) -> Any:
        """Return an object: a part, or a plain value."""
        try:
            return self.known[number]
        except KeyError:
            made = self.known[number] = self.made(number, steps)
            return made

    def made(self, number: int, steps: Steps) -> Any:
        if number >= len(self.objects):
            count = len(self.objects)
            self.malformed(f"the archive refers to object {number}, and has {count} objects", steps)
        stored = self.objects.stored[number]
        if isinstance(stored, Array):
            return OpenedArray._new(self, number, stored, steps)
        graph = self.graph(steps)
        if isinstance(stored, Dictionary) and "$class" in stored:
            reference = stored["$class"]
            if isinstance(reference, Dictionary):
                reference = dict(reference)
            names = graph.class_names(number, {"$class": reference})
            mine = self.classes or {}
            for name in names:
                if name in mine:
                    # Your class goes before what the class is derived from, as in `decode`.
                    return OpenedObject._named(self, number, stored, steps, names)
                if name in _ARRAYS:
                    return self.array(number, stored, steps)
                if name in _DICTIONARIES:
                    return OpenedDictionary._of(self, number, stored, steps)
                if name in _keyed._MAKERS:
                    break
            else:
                return OpenedObject._named(self, number, stored, steps, names)
        # A scalar, an object with a value of its own, or none at all.
        return graph.run(graph.value(_UID(number)))

    def array(self, number: int, stored: Dictionary, steps: Steps) -> OpenedArray:
        found = stored.get("NS.objects")
        if not isinstance(found, Array):
            found = self.graph(steps).listed(
                number, self.objects[number], "NS.objects", "NS.object."
            )
        return OpenedArray._new(self, number, found, steps)


class OpenedPart:
    """A part of an open archive; see `OpenedObject`, `OpenedDictionary` and `OpenedArray`."""

    __module__ = "penstock.plist"
    __slots__ = ("_archive", "_number", "_steps", "_stored")

    _archive: _Archive
    _number: int | None
    _stored: Any
    _steps: Steps

    def __init__(self) -> None:
        """Refuse: `open` makes them."""
        raise TypeError("penstock.plist.open makes these")

    @classmethod
    def _new(cls, archive: _Archive, number: int | None, stored: Any, steps: Steps) -> Self:
        made = cls.__new__(cls)
        made._archive, made._number, made._stored, made._steps = archive, number, stored, steps
        return made

    @property
    def path(self) -> str:
        """The path by which this part was found first; empty for the root."""
        return written(self._steps)

    def to(
        self,
        into: TypeForm[T] = PLAIN,
        /,
        *,
        classes: Mapping[str, type] | None = None,
        unknown: Unknown = "skip",
    ) -> T:
        """Make this part, and all that it leads to, as `decode` makes the whole archive.

        Args:
            into: The type.
            classes: Your classes by the names that the archive has for them. By default those that
                were given to `open`.
            unknown: Whether to `"skip"` keys that a class does not name, or to raise an `"error"`.

        Returns:
            A value of the type. What two calls return is not shared.

        Raises:
            ValidationError: It does not fit.
            MalformedInput: The archive is damaged there.
            PlanError: Penstock cannot decode into `into`.
            ValueError: The archive is closed.
        """
        archive = self._archive
        stored = self._stored if self._number is None else _UID(self._number)
        if isinstance(stored, Part):
            stored = archive.objects.plain(stored)
        made: T = _keyed_read.filled(
            archive.graph(self._steps),
            stored,
            into,
            _keyed_read.checked(archive.classes if classes is None else classes),
            unknown,
            None,
            all_errors=False,
        )
        return made

    def close(self) -> None:
        """Release the file, for all parts."""
        self._archive.known.clear()
        self._archive.objects.made.clear()
        self._archive.document.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None:
        self.close()

    def _shown(self, what: str) -> str:
        parts = [] if self._archive.source is None else [self._archive.source]
        if self._steps:
            parts.append(f"at {self.path!r}")
        return f"{type(self).__name__}({', '.join([*parts, what])})"


class OpenedArray(OpenedPart, Sequence["Any"]):
    """An array or a set of an open archive, as a read-only sequence."""

    __module__ = "penstock.plist"
    __slots__ = ()

    def __len__(self) -> int:
        return len(self._stored)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: SupportsIndex, /) -> Any: ...
        @overload
        def __getitem__(self, index: slice, /) -> list[Any]: ...

    def __getitem__(self, index: SupportsIndex | slice, /) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = index.__index__()
        if place < 0:
            place += len(self)
        if not 0 <= place < len(self):
            raise IndexError(f"index {index} is out of range of {len(self)}")
        return self._archive.value(self._stored[place], (*self._steps, place))

    def __repr__(self) -> str:
        return self._shown(f"an array of {len(self)}")


class OpenedDictionary(OpenedPart, Mapping["Any", "Any"]):
    """A dictionary of an open archive, as a read-only mapping."""

    __module__ = "penstock.plist"
    __slots__ = ("_members",)

    # What the keys hold, once somebody asks for one.
    _members: Mapping[Any, Any] | None

    @classmethod
    def _of(cls, archive: _Archive, number: int, stored: Any, steps: Steps) -> Self:
        made = cls._new(archive, number, stored, steps)
        made._members = None
        return made

    @classmethod
    def _inline(cls, archive: _Archive, stored: Dictionary, steps: Steps) -> Self:
        made = cls._new(archive, None, stored, steps)
        made._members = stored
        return made

    def _found(self) -> Mapping[Any, Any]:
        """Return what the keys hold."""
        if self._members is not None:
            return self._members
        archive, number = self._archive, self._number or 0
        graph, stored = archive.graph(self._steps), archive.objects[number]
        keys = graph.listed(number, stored, "NS.keys", "NS.key.")
        items = graph.listed(number, stored, "NS.objects", "NS.object.")
        if len(keys) != len(items):
            counts = f"{len(keys)} keys and {len(items)} values"
            graph.malformed(f"the dictionary of object {number} has {counts}")
        found: dict[Any, Any] = {}
        for key, item in zip(keys, items, strict=True):
            made = archive.value(key, self._steps)
            if isinstance(made, (OpenedArray, OpenedDictionary)):
                name = "list" if isinstance(made, OpenedArray) else "dict"
                raise graph.refuse(f"a {name} cannot be the key of a dict")
            found[made] = item
        self._members = found
        return found

    def __len__(self) -> int:
        return len(self._found())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._found())

    def __contains__(self, key: object, /) -> bool:
        return key in self._found()

    def __getitem__(self, key: Any, /) -> Any:
        step = key if type(key) is str else _keyed._shown(key)
        return self._archive.value(self._found()[key], (*self._steps, step))

    def __repr__(self) -> str:
        return self._shown("a dictionary")

    __eq__ = object.__eq__
    __hash__ = object.__hash__


class OpenedObject(OpenedPart, Mapping[str, "Any"]):
    """An object of an open archive whose class has no plain value: its fields, as a mapping.

    Attributes:
        class_name: The name of its class, as the archive has it.
        classes: The names of its class and of the classes above it.
    """

    __module__ = "penstock.plist"
    __slots__ = ("class_name", "classes")

    class_name: str
    classes: tuple[str, ...]

    @classmethod
    def _named(
        cls,
        archive: _Archive,
        number: int,
        stored: Dictionary,
        steps: Steps,
        names: tuple[str, ...],
    ) -> Self:
        made = cls._new(archive, number, stored, steps)
        made.class_name, made.classes = names[0], names
        return made

    def __iter__(self) -> Iterator[str]:
        for key in self._stored:
            if key not in _HIDDEN:
                # The archiver puts another $ before one of the program's.
                yield key[1:] if key.startswith("$$") else key

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, key: str, /) -> Any:
        stored = f"${key}"
        if not str(key).startswith("$") or (stored not in self._stored and key not in _HIDDEN):
            stored = key
        return self._archive.value(self._stored[stored], (*self._steps, key))

    def __repr__(self) -> str:
        return self._shown(f"a {self.class_name}")

    __eq__ = object.__eq__
    __hash__ = object.__hash__


def check(archive: bool, of_records: tuple[Any, ...], unknown: str, all_errors: bool) -> None:
    """Refuse options that do not go with an archive.

    Raises:
        ValueError: An option does not go with another one.
    """
    if not archive:
        raise ValueError("classes= is for archive=True")
    if any(given is not None for given in of_records) or unknown != "skip" or all_errors:
        raise ValueError(
            "an open archive has no records: decode its parts with their to(), without into, at, "
            "types, unknown and all_errors"
        )


def opened(document: Any, classes: Mapping[str, Any] | None) -> Any:
    """Return the root of an archive that is open as a property list.

    Raises:
        MalformedInput: It is no archive.
    """
    return _Archive(document, classes).root()
