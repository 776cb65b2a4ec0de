"""`describe`: any object graph as short readable text.

A walk over the graph, with a stack of its own, tells a layout what there is: texts, groups and
places between two values. It goes over the graph twice: first to find the objects that it meets
again, because their mark stands where they are first shown. The layout is that of Oppen's
"Prettyprinting": it holds back at most as much text as fits into a line.
"""

from __future__ import annotations

import sys
from collections import deque
from enum import Enum
from itertools import islice
from types import (
    BuiltinFunctionType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)

from penstock._base import suggest as _suggest

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, overload

    from penstock._base.types import TextWritable

    Entry = tuple[str, Any, Any]

_MORE = "\u2026"
_AGAIN = "\u2192"
_INDENT = 4
_ABSENT = object()
# Text is handed over in pieces of about so many characters.
_PIECE = 4096
# An int with more bits takes noticeable time to become decimal digits.
_BITS = 4096
# Modules of values whose own text is short, and made by nobody else's code.
_VALUES = {
    *("datetime", "decimal", "fractions", "ipaddress", "pathlib", "re", "uuid", "zoneinfo"),
    "pathlib._local",  # In CPython 3.13.
}
_NAMED = (FunctionType, BuiltinFunctionType, MethodType)
_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))

# Looked up in `type`, so that no metaclass answers instead.
_mro = type.__dict__["__mro__"].__get__
_dict = type.__dict__["__dict__"].__get__
_qualname = type.__dict__["__qualname__"].__get__
_module_dict: Callable[[ModuleType], dict[str, Any]] = vars(ModuleType)["__dict__"].__get__


if TYPE_CHECKING:

    @overload
    def describe(
        value: object,
        /,
        *,
        depth: int | None = 6,
        length: int | None = 20,
        items: int | None = 1_000,
        width: int = 100,
        to: None = None,
    ) -> str: ...
    @overload
    def describe(
        value: object,
        /,
        *,
        depth: int | None = 6,
        length: int | None = 20,
        items: int | None = 1_000,
        width: int = 100,
        to: TextWritable | Callable[[str], object],
    ) -> None: ...


@_suggest.advised
def describe(
    value: object,
    /,
    *,
    depth: int | None = 6,
    length: int | None = 20,
    items: int | None = 1_000,
    width: int = 100,
    to: TextWritable | Callable[[str], object] | None = None,
) -> str | None:
    """Return any object, with those that it refers to, as short readable text.

    An object is shown with the values of its fields: those of dataclasses, attrs, msgspec and
    pydantic that are meant to be shown, otherwise its attributes. An object that is met again,
    because it is shared or part of a cycle, is marked `<1>` where it is shown, and later only
    referred to as `→1`. What is left out is marked `…`.

    It runs no property and no method of your classes, except the repr of objects that have no
    fields. If that raises, the text says so. The time is proportional to what is shown.

    Args:
        value: The object.
        depth: How many containers may be inside each other; None for any number.
        length: How many elements of one container are shown; None for all.
        items: How many values are shown in all; None for all.
        width: How many characters a line has, and about how many are shown of a text.
        to: Where the text goes as it is made, without all of it in memory: a text file, or a
            function that takes `str`. If it returns False, the description ends.

    Returns:
        The text, or None if `to` has got it.

    Raises:
        ValueError: One of the numbers is negative, or the width is less than 10.

    Example:
        >>> from dataclasses import dataclass, field
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        ...     twins: list["City"] = field(default_factory=list)
        >>> bern, chur = City("Bern"), City("Chur")
        >>> bern.twins += [chur, chur]
        >>> chur.twins += [bern]
        >>> print(penstock.describe({"capital": bern, "note": "x" * 1000}, width=40))
        {
            'capital': <1>City(
                name='Bern',
                twins=[
                    <2>City(
                        name='Chur',
                        twins=[→1],
                    ),
                    →2,
                ],
            ),
            'note': 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'… (1,000 characters),
        }
    """
    for name, number in {"depth": depth, "length": length, "items": items}.items():
        if number is not None and number < 0:
            raise ValueError(f"{name} must not be negative")
    if width < 10:
        raise ValueError("width must be at least 10")
    bounds = (
        sys.maxsize if depth is None else depth,
        length,
        sys.maxsize if items is None else items,
        width,
    )
    found = _Walk(*bounds, None)
    found.go(value, _Nothing())
    if to is None:
        texts: list[str] = []
        _Walk(*bounds, found.again).go(value, _Layout(width, texts.append))
        return "".join(texts)
    write: Callable[[str], object] = getattr(to, "write", to)  # type: ignore[arg-type]
    _Walk(*bounds, found.again).go(value, _Layout(width, write))
    return None


describe.__module__ = "penstock"


class _Nothing:
    """A layout that lays nothing out, for the first walk."""

    stopped = False

    def text(self, text: str) -> None:
        pass

    def open(self, text: str) -> None:
        pass

    def close(self, text: str) -> None:
        pass

    def between(self) -> None:
        pass

    def end(self) -> None:
        pass


class _Layout(_Nothing):
    """Lays groups out: one fits into its line, or has each of its elements on a line."""

    def __init__(self, width: int, write: Callable[[str], object]) -> None:
        self._width = width
        self._write = write
        self._piece: list[str] = []
        self._size = 0
        self._column = 0
        # Whether each open group is broken.
        self._broken: list[bool] = []
        self._indent = 0
        # What waits until it is known whether the group around it fits: kind, text, and the width
        # up to its end for an opening one. That is negative as long as it is not known.
        self._waiting: deque[list[Any]] = deque()
        self._unknown: deque[list[Any]] = deque()
        self._given = self._taken = 0

    def text(self, text: str) -> None:
        self._add("text", text)

    def open(self, text: str) -> None:
        if not self._unknown:
            self._given = self._taken = 0
        token = ["open", text, -1 - self._given]
        self._waiting.append(token)
        self._unknown.append(token)
        self._given += len(text)
        self._check()

    def close(self, text: str) -> None:
        self._waiting.append(["close", text, 0])
        self._given += len(text)
        if self._unknown:
            token = self._unknown.pop()
            token[2] += 1 + self._given
        self._settle()
        self._check()

    def between(self) -> None:
        self._add("between", ", ")

    def _add(self, kind: str, text: str) -> None:
        if not self._unknown:
            self._put(kind, text, 0)
            return
        self._waiting.append([kind, text, 0])
        self._given += len(text)
        self._check()

    def _check(self) -> None:
        # The comma behind a group must fit as well.
        while self._unknown and self._given - self._taken >= self._width - self._column:
            token = self._unknown.popleft()
            token[2] = sys.maxsize
            self._settle()

    def _settle(self) -> None:
        while self._waiting and self._waiting[0][2] >= 0:
            kind, text, size = self._waiting.popleft()
            self._taken += len(text)
            self._put(kind, text, size)

    def _put(self, kind: str, text: str, size: int) -> None:
        if kind == "open":
            is_broken = size >= self._width - self._column
            self._out(text)
            self._broken.append(is_broken)
            if is_broken:
                self._indent += 1
                self._line()
        elif kind == "close":
            if self._broken.pop():
                self._indent -= 1
                self._out(",")
                self._line()
                # A tuple of one has its comma already.
                text = text.removeprefix(",")
            self._out(text)
        elif kind == "between" and self._broken and self._broken[-1]:
            self._out(",")
            self._line()
        else:
            self._out(text)

    def _line(self) -> None:
        # Deep inside, lines begin at half the width: each would be longer than the one before.
        self._column = min(self._indent * _INDENT, self._width // 2)
        self._piece.append("\n" + " " * self._column)
        self._size += 1 + self._column
        if self._size >= _PIECE:
            self._hand_over()

    def _out(self, text: str) -> None:
        self._piece.append(text)
        self._size += len(text)
        self._column += len(text)

    def _hand_over(self) -> None:
        if self._piece and not self.stopped and self._write("".join(self._piece)) is False:
            self.stopped = True
        self._piece.clear()
        self._size = 0

    def end(self) -> None:
        self._settle()
        self._hand_over()


class _Frame:
    """A container that is being shown."""

    __slots__ = ("closing", "entries", "is_first", "value")

    def __init__(self, entries: Iterator[Entry], closing: str) -> None:
        self.entries = entries
        self.closing = closing
        self.is_first = True
        # The value that follows a key.
        self.value: Any = _ABSENT


class _Walk:
    """Goes over a graph, and tells a layout of it."""

    def __init__(
        self, depth: int, length: int | None, items: int, width: int, again: set[int] | None
    ) -> None:
        self._depth = depth
        self._length = length
        self._left = items
        self._width = width
        # The objects that were met so far. Holding them keeps their ids theirs.
        self._seen: dict[int, object] = {}
        # Those that are met again: found by the first walk, and numbered by the second.
        self.again: set[int] = set() if again is None else again
        self._is_first_walk = again is None
        self._numbers: dict[int, int] = {}

    def go(self, value: object, layout: _Nothing) -> None:
        stack: list[_Frame] = []
        self._visit(value, stack, layout)
        while stack and not layout.stopped:
            frame = stack[-1]
            if frame.value is not _ABSENT:
                layout.text(": ")
                value, frame.value = frame.value, _ABSENT
                self._visit(value, stack, layout)
                continue
            entry = next(frame.entries, None)
            if entry is None:
                stack.pop()
                layout.close(frame.closing)
                continue
            if not frame.is_first:
                layout.between()
            frame.is_first = False
            if self._left <= 0:
                layout.text(_MORE)
                frame.entries = iter(())
                continue
            kind, name, value = entry
            if kind == "note":
                layout.text(name)
            elif kind == "pair":
                frame.value = value
                self._visit(name, stack, layout)
            else:
                if kind == "field":
                    layout.text(f"{name}=")
                self._visit(value, stack, layout)
        layout.end()

    def _visit(self, value: object, stack: list[_Frame], layout: _Nothing) -> None:
        self._left -= 1
        if value is _ABSENT:
            layout.text("<unset>")
            return
        kind = type(value)
        parts = self._parts(value, kind)
        if parts is None:
            if not self._is_first_walk:
                layout.text(self._leaf(value, kind))
            return
        opening, entries, closing = parts
        first = next(entries, None)
        if first is None:
            layout.text("set()" if kind is set else f"{opening}{closing.removeprefix(',')}")
            return
        known = id(value)
        if known in self._seen:
            self.again.add(known)
            number = self._numbers.get(known)
            layout.text(_MORE if number is None else f"{_AGAIN}{number}")
            return
        if len(stack) >= self._depth:
            layout.text(f"{opening}{_MORE}{closing.removeprefix(',')}")
            return
        self._seen[known] = value
        mark = ""
        if not self._is_first_walk and known in self.again:
            self._numbers[known] = len(self._numbers) + 1
            mark = f"<{self._numbers[known]}>"
        layout.open(f"{mark}{opening}")
        stack.append(_Frame(_before(first, entries), closing))

    def _parts(self, value: Any, kind: type) -> tuple[str, Iterator[Entry], str] | None:
        """Return the text before, the entries and the text behind; None for a plain value."""
        if id(kind) in _PLAIN or issubclass(kind, _TEXTS):
            return None
        name = _name(kind)
        if issubclass(kind, dict):
            opening, closing = ("{", "}") if kind is dict else (f"{name}({{", "})")
            return opening, self._pairs(value), closing
        if issubclass(kind, tuple):
            fields = _static(kind, "_fields")
            if isinstance(fields, tuple) and len(fields) == tuple.__len__(value):
                pairs = zip(fields, tuple.__iter__(value), strict=True)
                return f"{name}(", self._cut(_fields(pairs), len(fields)), ")"
            closing = ",)" if tuple.__len__(value) == 1 else ")"
            opening, closing = ("(", closing) if kind is tuple else (f"{name}((", f"{closing})")
            return opening, self._elements(tuple, value), closing
        for base, plain in _SEQUENCES.items():
            if issubclass(kind, base):
                opening, closing = plain if plain and kind is base else (f"{name}([", "])")
                return opening, self._elements(base, value), closing
        if issubclass(kind, _VIEWS) or kind is _array():
            return f"{name}([", self._elements(kind, value), "])"
        if issubclass(kind, (Enum, ModuleType, MappingProxyType, *_NAMED)):
            return None
        module = _static(kind, "__module__")
        if isinstance(module, str) and module in _VALUES:
            return None
        fields = _own_fields(value, kind)
        if issubclass(kind, BaseException):
            args = BaseException.args.__get__(value)  # type: ignore[attr-defined]  # a descriptor
            both = [*(("item", None, arg) for arg in args), *_fields(fields)]
            return f"{name}(", self._cut(iter(both), len(both)), ")"
        if not fields and _static(kind, "__repr__") is not object.__repr__:
            return None
        return f"{name}(", self._cut(_fields(fields), len(fields)), ")"

    def _elements(self, base: type, value: Any) -> Iterator[Entry]:
        """The elements of a container, a copy: it may change while they are shown."""
        try:
            elements = list(islice(base.__iter__(value), self._length))  # type: ignore[attr-defined]
        except RuntimeError:
            return iter((("note", "<changed meanwhile>", None),))
        entries = (("item", None, element) for element in elements)
        return self._marked(entries, base.__len__(value) - len(elements))  # type: ignore[attr-defined]

    def _pairs(self, value: dict[Any, Any]) -> Iterator[Entry]:
        try:
            pairs = list(islice(dict.items(value), self._length))
        except RuntimeError:
            return iter((("note", "<changed meanwhile>", None),))
        return self._marked(
            (("pair", key, element) for key, element in pairs), dict.__len__(value) - len(pairs)
        )

    def _cut(self, entries: Iterator[Entry], count: int) -> Iterator[Entry]:
        shown = count if self._length is None else min(count, self._length)
        return self._marked(islice(entries, shown), count - shown)

    @staticmethod
    def _marked(entries: Iterator[Entry], more: int) -> Iterator[Entry]:
        yield from entries
        if more > 0:
            yield "note", f"{_MORE} {more:,} more", None

    def _leaf(self, value: Any, kind: type) -> str:
        """Return the text of a plain value."""
        if issubclass(kind, type):
            return f"<class {_name(value)}>"
        if issubclass(kind, Enum):
            name = _instance_dict(value).get("_name_")
            return f"{_name(kind)}.{_printable(str(name))}"
        if issubclass(kind, str):
            return self._shortened(str, "characters", value)
        if issubclass(kind, bytes):
            return self._shortened(bytes, "bytes", value)
        if issubclass(kind, bytearray):
            return self._shortened(bytearray, "bytes", value)
        if issubclass(kind, bool):
            return str(value)
        if issubclass(kind, int):
            bits = int.bit_length(value)
            return int.__repr__(value) if bits <= _BITS else f"<int of {bits:,} bits>"
        if issubclass(kind, float):
            return float.__repr__(value)
        if issubclass(kind, _NAMED):
            what = "method" if issubclass(kind, MethodType) else "function"
            name = getattr(value, "__qualname__", "?")
            return f"<{what} {_printable(str(name))}>"
        if issubclass(kind, ModuleType):
            return f"<module {_printable(str(_module_dict(value).get('__name__')))}>"
        if issubclass(kind, MappingProxyType):
            return f"{_name(kind)}({_MORE})"
        try:
            text = repr(value)
        except Exception as error:  # noqa: BLE001 - whatever the class does
            return f"<{_name(kind)}: its repr raised {_name(type(error))}>"
        text = text.partition(" at 0x")[0] + ">" if " at 0x" in text else text
        limit = 2 * self._width
        text = _printable(" ".join(text[: limit + 1].split("\n")))
        return text if len(text) <= limit else f"{text[:limit]}{_MORE}"

    def _shortened(self, base: Any, unit: str, value: Any) -> str:
        size = base.__len__(value)
        if size <= self._width:
            return str(base.__repr__(value))
        # A little more than fits is not worth a note.
        start = base.__getitem__(value, slice(0, self._width))
        return f"{base.__repr__(start)}{_MORE} ({size:,} {unit})"


# By their ids, because a class may have a hash of its own. Everywhere the class is asked and not
# the object, which may have a `__class__` of its own.
_PLAIN = {
    id(kind)
    for kind in (type(None), bool, int, float, str, bytes, complex, range, slice, type(...))
}
_TEXTS = (str, bytes, bytearray, int, float, type)
# How they are written, and None for a name with brackets.
_SEQUENCES: dict[type, tuple[str, str] | None] = {
    list: ("[", "]"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
    deque: None,
}


def _before(first: Entry, rest: Iterator[Entry]) -> Iterator[Entry]:
    yield first
    yield from rest


def _array() -> type | None:
    module = sys.modules.get("array")
    return None if module is None else module.array


def _name(kind: type) -> str:
    # A class made in a function: its own name is enough.
    return _printable(str(_qualname(kind)).rpartition("<locals>.")[2])


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _static(kind: type, name: str) -> Any:
    """Look an attribute up in a class without running anything."""
    for owner in _mro(kind):
        found = _dict(owner).get(name, _ABSENT)
        if found is not _ABSENT:
            return found
    return _ABSENT


def _instance_dict(value: Any) -> dict[Any, Any]:
    for owner in _mro(type(value)):
        found = _dict(owner).get("__dict__")
        if type(found) in {GetSetDescriptorType, MemberDescriptorType}:
            own: dict[Any, Any] = found.__get__(value)
            return own
    return {}


def _own_fields(value: Any, kind: type) -> list[tuple[str, Any]]:
    """Return the names and values of the fields of an object that are meant to be shown."""
    own = _instance_dict(value)
    names = _declared(kind)
    if names is not None:
        extra = _read(value, kind, own, "__pydantic_extra__")
        more = list(extra.items()) if type(extra) is dict else []
        return [(name, _read(value, kind, own, name)) for name in names] + more
    slots = [
        (name, _slot(found, value))
        for owner in reversed(_mro(kind))
        for name, found in _own_slots(owner)
        if type(found) is MemberDescriptorType and not name.startswith("__")
    ]
    return slots + [(name, each) for name, each in list(own.items()) if isinstance(name, str)]


def _own_slots(owner: type) -> Iterable[tuple[str, Any]]:
    # Members of classes written in C are not meant to be seen.
    own = _dict(owner)
    return own.items() if "__slots__" in own else ()


def _declared(kind: type) -> list[str] | None:
    """Return the names of the fields that a class declares to be shown, if it declares any."""
    try:
        fields = _static(kind, "__dataclass_fields__")
        if isinstance(fields, dict):
            # Class variables and arguments of `__init__` alone are listed as well.
            kinds = ((each, getattr(each, "_field_type", None)) for each in fields.values())
            return [each.name for each, kind_of in kinds if each.repr and str(kind_of) == "_FIELD"]
        fields = _static(kind, "__attrs_attrs__")
        if isinstance(fields, tuple):
            return [each.name for each in fields if each.repr]
        fields = _static(kind, "__pydantic_fields__")
        if isinstance(fields, dict):
            return [name for name, each in fields.items() if each.repr]
        fields = _static(kind, "__struct_fields__")
        return list(fields) if isinstance(fields, tuple) else None
    except Exception:  # noqa: BLE001 - a class that only looks like one of these
        return None


def _read(value: Any, kind: type, own: dict[Any, Any], name: str) -> Any:
    """Return the value of a field without running anything."""
    found = _static(kind, name)
    if type(found) is MemberDescriptorType:
        return _slot(found, value)
    return own.get(name, _ABSENT)


def _slot(found: Any, value: Any) -> Any:
    try:
        return found.__get__(value)
    except Exception:  # noqa: BLE001 - it has no value
        return _ABSENT


def _fields(pairs: Any) -> Iterator[Entry]:
    return (("field", _printable(str(name)), value) for name, value in pairs)
