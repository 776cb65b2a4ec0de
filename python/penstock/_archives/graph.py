"""Open property lists: dictionaries and arrays of which only that is read which you ask for."""

# ruff: noqa: SLF001 - the classes here are of one piece
from __future__ import annotations

from _collections_abc import Mapping, Sequence

import penstock._rust as _rust
from penstock._annotations.at import unescaped, written
from penstock._base.types import PLAIN, T
from penstock._io import sources as _sources
from penstock._io import targets as _targets

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Any, Self, SupportsIndex, overload

    from typing_extensions import Buffer, TypeForm

    from penstock._base.limits import Limits
    from penstock._base.types import Compression, Source, Types, Unknown

# A dictionary with more members gets an index of its keys when it is asked for so many of them.
_FEW = 8


class _State:
    """What all parts of an open property list share."""

    __slots__ = ("graph", "name", "parts")

    def __init__(self, graph: _rust.Graph, name: str | None) -> None:
        self.graph = graph
        self.name = name
        # The containers that were asked for, by their numbers: each one is one object.
        self.parts: dict[int, Part] = {}

    def value(self, number: int, path: tuple[str | int, ...]) -> Any:
        """Return an object of the property list: a part, or a plain value."""
        part = self.parts.get(number)
        if part is not None:
            return part
        kind = self.graph.kind(number, path)
        if kind is None:
            return self.graph.to(number, PLAIN, "skip", False, path)
        is_map, count = kind
        made: Part = (Dictionary if is_map else Array)._new(self, number, count, path)
        return self.parts.setdefault(number, made)


class Part:
    """A dictionary or an array of an open property list; see `Dictionary` and `Array`."""

    __module__ = "penstock.plist"
    __slots__ = ("_count", "_number", "_path", "_state")

    _state: _State
    _number: int
    _count: int
    _path: tuple[str | int, ...]

    def __init__(self) -> None:
        """Refuse: `open` makes them."""
        raise TypeError("penstock.plist.open makes these")

    @classmethod
    def _new(cls, state: _State, number: int, count: int, path: tuple[str | int, ...]) -> Self:
        part = cls.__new__(cls)
        part._state, part._number, part._count, part._path = state, number, count, path
        return part

    @property
    def path(self) -> str:
        """The path by which this part was found first, written as for `at`; empty for the root."""
        return written(self._path)

    def to(
        self,
        into: TypeForm[T] = PLAIN,
        /,
        *,
        unknown: Unknown = "skip",
        all_errors: bool = False,
        types: Types | None = None,
    ) -> T:
        """Decode this part into a type; by default into plain values.

        Args:
            into: The type.
            unknown: What to do with keys that a class does not name; see `decode`.
            all_errors: Whether an error reports all problems.
            types: Functions that make values of types; see `penstock.json.decode`.

        Returns:
            A value of the type.

        Raises:
            ValidationError: It does not fit.
            MalformedInput: The property list is damaged there.
            PlanError: Penstock cannot decode into `into`.
            ValueError: The property list is closed.
        """
        if types is not None:
            from penstock._base import plan as _plan  # noqa: PLC0415 - as above

            into = _plan.with_types(into, types)
        state = self._state
        made: T = state.graph.to(self._number, into, unknown, all_errors, self._path)
        return made

    def close(self) -> None:
        """Release the file, for all parts."""
        self._state.parts.clear()
        self._state.graph.close()

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

    def __len__(self) -> int:
        return self._count

    def _member(self, place: int, step: str | int) -> Any:
        path = (*self._path, step)
        number = self._state.graph.member(self._number, place, path)
        if number is None:
            raise IndexError(place)
        return self._state.value(number, path)

    def _shown(self, what: str) -> str:
        parts = [] if self._state.name is None else [self._state.name]
        if self._path:
            parts.append(f"at {self.path!r}")
        return ", ".join([*parts, f"{what} of {self._count}"])


class Dictionary(Part, Mapping[str, "Any"]):
    """A dictionary of an open property list, as a read-only mapping.

    You get its dictionaries and arrays as parts, too, and its other values as plain ones.
    """

    __module__ = "penstock.plist"
    __slots__ = ("_asked", "_places")

    _asked: int
    _places: dict[str, int] | None

    @classmethod
    def _new(cls, state: _State, number: int, count: int, path: tuple[str | int, ...]) -> Self:
        part = super()._new(state, number, count, path)
        part._asked, part._places = 0, None
        return part

    def __getitem__(self, key: str, /) -> Any:
        place = self._place(key)
        if place is None:
            raise KeyError(key)
        return self._member(place, key)

    def __contains__(self, key: object, /) -> bool:
        return self._place(key) is not None

    def __iter__(self) -> Iterator[str]:
        for place in range(self._count):
            key = self._state.graph.key(self._number, place, self._path)
            # A key that comes again was returned where it counts: the last time.
            if key is not None and self._place(key) == place:
                yield key

    def __repr__(self) -> str:
        return f"Dictionary({self._shown('a dictionary')})"

    def __eq__(self, other: object, /) -> bool:
        return isinstance(other, Mapping) and dict(self.items()) == dict(other.items())

    __hash__ = None  # type: ignore[assignment]

    def _place(self, key: object) -> int | None:
        """Return the place of the last member with a key."""
        if not isinstance(key, str):
            return None
        if self._places is not None:
            return self._places.get(key)
        graph = self._state.graph
        self._asked += 1
        if self._asked > _FEW:
            found = ((graph.key(self._number, at, self._path), at) for at in range(self._count))
            self._places = {known: at for known, at in found if known is not None}
            return self._places.get(key)
        try:
            return graph.find(self._number, key, self._path)
        except UnicodeEncodeError:
            return None  # A lone surrogate, which no key has.


class Array(Part, Sequence["Any"]):
    """An array or a set of an open property list, as a read-only sequence.

    Sorted arrays can be searched with `bisect`, which looks at few of their elements.
    """

    __module__ = "penstock.plist"
    __slots__ = ()

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: SupportsIndex, /) -> Any: ...
        @overload
        def __getitem__(self, index: slice, /) -> list[Any]: ...

    def __getitem__(self, index: SupportsIndex | slice, /) -> Any:
        return _item(self, index, lambda at: self._member(at, at))

    def __repr__(self) -> str:
        return f"Array({self._shown('an array')})"

    def __eq__(self, other: object, /) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, (str, bytes)):
            return NotImplemented
        same = len(self) == len(other)
        return same and all(one == another for one, another in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


class Items(Sequence[T]):
    """The records of an open property list, each decoded into a type when you ask for it."""

    __module__ = "penstock.plist"
    __slots__ = ("_how", "_into", "_part")

    _part: Part
    _into: Any
    _how: tuple[Unknown, bool]

    def __init__(self) -> None:
        """Refuse: `open` makes them."""
        raise TypeError("penstock.plist.open makes these")

    @classmethod
    def _new(cls, part: Part, into: Any, unknown: Unknown, all_errors: bool) -> Self:
        made = cls.__new__(cls)
        made._part, made._into, made._how = part, into, (unknown, all_errors)
        return made

    def __len__(self) -> int:
        return len(self._part)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: SupportsIndex, /) -> T: ...
        @overload
        def __getitem__(self, index: slice, /) -> list[T]: ...

    def __getitem__(self, index: SupportsIndex | slice, /) -> Any:
        return _item(self, index, self._decoded)

    def __repr__(self) -> str:
        return f"Items({self._part._shown('records')})"

    def close(self) -> None:
        """Release the file, for all parts."""
        self._part.close()

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

    def _decoded(self, place: int) -> Any:
        part = self._part
        graph = part._state.graph
        step: str | int = place
        if isinstance(part, Dictionary):
            step = graph.key(part._number, place, part._path) or ""
        path = (*part._path, step)
        number = graph.member(part._number, place, path)
        if number is None:
            raise IndexError(place)
        return graph.to(number, self._into, *self._how, path)


def _item(items: Any, index: SupportsIndex | slice, get: Any) -> Any:
    """Return the item at an index, or those of a slice."""
    count = len(items)
    if isinstance(index, slice):
        return [get(at) for at in range(*index.indices(count))]
    at = index.__index__()
    if at < 0:
        at += count
    if not 0 <= at < count:
        raise IndexError(f"index {index} is out of range of {count}")
    return get(at)


def items(root: Any, into: Any, at: str | None, unknown: Unknown, all_errors: bool) -> Any:
    """Return the records at a path of an open property list.

    Raises:
        ValueError: The path is not one of keys, indexes and a final `*`, or nothing is there.
    """
    part = root
    if at is not None:
        *steps, last = at.split("/")
        if last != "*":
            raise ValueError(f"at={at!r}: the path of an open property list ends with '*'")
        for step in map(unescaped, steps):
            if isinstance(part, Array) and step.isdecimal() and int(step) < len(part):
                part = part[int(step)]
            elif isinstance(part, Dictionary) and step in part:
                part = part[step]
            else:
                raise ValueError(f"at={at!r}: there is no {step!r} in {part!r}")
    if not isinstance(part, Array) and (at is None or not isinstance(part, Dictionary)):
        what = "the root is no array: say at='KEY/*'" if at is None else f"{part!r} has no members"
        raise ValueError(what)
    return Items._new(part, into, unknown, all_errors)


def located(
    source: Source | Buffer,
    dialect: _rust.Dialect,
    encoding: str | None,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
) -> Any:
    """Open a source of any kind, and return its root."""
    given: Any
    if isinstance(source, (bytes, bytearray, memoryview)) and member is None:
        given, name = bytes(source), None
    else:
        given, name = _sources.locate("open", source, compression, member, limits)  # type: ignore[arg-type]  # that refuses any other buffer
    graph = None
    if isinstance(given, (str, bytes)):
        graph = _rust.Graph.open(given, name, limits)
    if graph is None:
        graph = _rust.Graph.open(
            _binary(given, name, dialect, encoding, compression, limits), name, limits
        )
    if graph is None:
        raise AssertionError("what was written as binary is binary")
    return _State(graph, name).value(graph.root(), ())


def _binary(
    given: Any,
    name: str | None,
    dialect: _rust.Dialect,
    encoding: str | None,
    compression: Compression | None,
    limits: Limits | None,
) -> bytes:
    """Return a property list of any form as a binary one."""
    out: list[bytes] = []
    chunks = [given] if isinstance(given, bytes) else given
    opened = _rust.Source(chunks, name, encoding, compression)
    style = _rust.Style("plist", {"form": "binary"})
    policy = _rust.Policy("raise", 1, "last", "skip", False, "allow")
    with _targets.open_target("open", out.append) as writing:
        _rust.Conversion(
            dialect, opened, style, writing, None, "plain", policy, limits, None, None
        ).run(True)
    return b"".join(out)
