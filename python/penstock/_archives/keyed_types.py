"""The types of classes that are filled from keyed archives.

A class is called with its fields as keywords, as `inspect.signature` names them. A `Kind` says of
an annotation which values fit, and changes those that fit only almost: an int for a float.

Nothing recurses: `Kind.fit` is a generator that yields the generators whose results it needs.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import inspect
import types
import typing
import uuid
from collections import abc

from penstock._annotations.at import at
from penstock._archives.keyed_values import ArchivedObject
from penstock._base.errors import PlanError, ValidationError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any, Protocol, TypeAlias

    # Yields the tasks whose results it needs.
    Task: TypeAlias = Generator["Task", Any, Any]

    class Place(Protocol):
        """Where a value stands in the graph, and what is known of the graph."""

        steps: list[str | int]

        def refuse(
            self, reason: str, *, expected: str | None = None, got: str | None = None
        ) -> ValidationError: ...
        def is_open(self, value: object) -> bool: ...
        def later(self, kind: Items | Pairs, value: Any) -> None: ...
        def known(self, kind: Kind, value: object) -> list[Any]: ...
        def learn(self, kind: Kind, value: object, fitted: object) -> None: ...
        def keeps(self, kind: Kind, value: object) -> bool: ...


def exactly(value: object, cls: type) -> bool:
    """Return whether a value is of this class and of none below it.

    A type checker learns nothing from it: it would make unknown items of a list.
    """
    return type(value) is cls


class Kind:
    """A type, as an annotation names it."""

    label = "Any"

    def holds(self, value: object) -> bool:  # noqa: ARG002 - of any type
        """Return whether a value is of this type, as far as it shows without its items."""
        return True

    def quick(self, value: Any) -> Any:
        """Return the value if it fits as it is; otherwise raise `LookupError`."""
        return value

    def fit(self, value: Any, place: Place) -> Task:
        """Return the value as one of this type."""
        raise refused(self, value, place)
        yield


def refused(kind: Kind, value: object, place: Place) -> ValidationError:
    """Return the error for a value of another type."""
    got = described(value)
    reason = f"expected {kind.label}, got {got}"
    if type(value) is ArchivedObject:
        reason += ": classes= has no class for it"
    return place.refuse(reason, expected=kind.label, got=got)


def incomplete(label: str, place: Place) -> ValidationError:
    """Return the error for a cycle through what cannot be filled later."""
    return place.refuse(f"a cycle leads through {label}, which must be complete when it is made")


def described(value: object) -> str:
    """Return a value's name in messages."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            digits = hex(value) if value.bit_length() > 200 else str(value)
            return f"the integer {digits}"
        case float():
            return f"the number {value!r}"
        case str():
            return "a string"
        case bytes():
            return "binary data"
        case list():
            return "an array"
        case set():
            return "a set"
        case dict():
            return "a dictionary"
        case dt.datetime():
            return "a date and time"
        case ArchivedObject():
            return f"an object of {value.class_name}"
        case _:
            return f"a {type(value).__name__}"


class Scalar(Kind):
    """A class without items. Values of `others` are changed by `change`."""

    def __init__(
        self,
        cls: type,
        label: str,
        others: tuple[type, ...] = (),
        change: Callable[[Any], Any] | None = None,
    ) -> None:
        self.cls = cls
        self.label = label
        self.others = others
        self.change = change

    def holds(self, value: object) -> bool:
        return type(value) is self.cls or type(value) in self.others

    def quick(self, value: Any) -> Any:
        if type(value) is self.cls:
            return value
        raise LookupError

    def fit(self, value: Any, place: Place) -> Task:
        if self.change is None or type(value) not in self.others:
            raise refused(self, value, place)
        try:
            return self.change(value)
        except (ValueError, ArithmeticError) as error:
            raise refused(self, value, place) from error
        yield


ANY = Kind()
NONE = Scalar(type(None), "None")
_DECIMAL: Callable[[Any], Any] = lambda value: decimal.Decimal(str(value))  # noqa: E731 - it is short
SCALARS: dict[object, Scalar] = {
    kind.cls: kind
    for kind in (
        NONE,
        Scalar(str, "str"),
        Scalar(bool, "bool"),
        Scalar(int, "int"),
        Scalar(float, "float", (int, decimal.Decimal), float),
        Scalar(bytes, "bytes"),
        Scalar(bytearray, "bytearray", (bytes,), bytearray),
        Scalar(dt.datetime, "datetime"),
        Scalar(uuid.UUID, "UUID", (str,), uuid.UUID),
        Scalar(decimal.Decimal, "Decimal", (int, float), _DECIMAL),
    )
}


class Instance(Kind):
    """An object of a class that no other kind knows, whoever made it."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.label = cls.__qualname__

    def holds(self, value: object) -> bool:
        return isinstance(value, self.cls)

    def quick(self, value: Any) -> Any:
        if isinstance(value, self.cls):
            return value
        raise LookupError


class OneOf(Kind):
    """A `Literal`, or an `Enum` by its values."""

    def __init__(self, label: str, values: list[tuple[object, object]]) -> None:
        self.label = label
        self.values = values

    def _find(self, value: object) -> object:
        for stored, member in self.values:
            if type(stored) is type(value) and stored == value:
                return member
        raise LookupError

    def holds(self, value: object) -> bool:
        return any(type(stored) is type(value) and stored == value for stored, _ in self.values)

    def quick(self, value: Any) -> Any:
        return self._find(value)


class Union(Kind):
    """One of several types: the first that holds the value."""

    def __init__(self, members: list[Kind]) -> None:
        self.members = members
        self.label = " | ".join(member.label for member in members)

    def holds(self, value: object) -> bool:
        return any(member.holds(value) for member in self.members)

    def quick(self, value: Any) -> Any:
        for member in self.members:
            try:
                return member.quick(value)
            except LookupError:
                continue
        raise LookupError

    def fit(self, value: Any, place: Place) -> Task:
        for member in self.members:
            if member.holds(value):
                return (yield member.fit(value, place))
        raise refused(self, value, place)


class Items(Kind):
    """A container of items of one type: `of` makes one of a list of them."""

    def __init__(self, label: str, item: Kind, of: Any) -> None:
        self.label = label if item is ANY else f"{label}[{item.label}{', ...' * (of is tuple)}]"
        self.item = item
        self.of = of

    def holds(self, value: object) -> bool:
        return type(value) in {list, set, self.of}

    def quick(self, value: Any) -> Any:
        if self.item is ANY and type(value) is self.of:
            return value
        raise LookupError

    def fit(self, value: Any, place: Place) -> Task:
        if type(value) not in {list, set, self.of}:
            raise refused(self, value, place)
        if place.is_open(value):
            if self.of is list and exactly(value, list):
                # It is filled already when its items are looked at.
                place.later(self, value)
                return value
            raise incomplete(self.label, place)
        for known in place.known(self, value):
            return known
        fitted = yield self.within(value, place)
        place.learn(self, value, fitted)
        return fitted

    def within(self, value: Any, place: Place) -> Task:
        """Return the container with its items as those of the type."""
        made: list[Any] = []
        changed = False
        for index, item in enumerate(value):
            try:
                fitted = self.item.quick(item)
            except LookupError:
                place.steps.append(index)
                fitted = yield self.item.fit(item, place)
                place.steps.pop()
            changed = changed or fitted is not item
            made.append(fitted)
        if self.of is list and exactly(value, list):
            if not (place.keeps(self, value) and changed):
                return made if changed else value
            value[:] = made
            return value
        try:
            whole: Any = self.of(made)
        except MemoryError:
            raise
        except Exception as error:
            reason = f"{self.label} cannot hold its items: {_cause(error)}"
            raise place.refuse(reason, expected=self.label) from error
        return whole


class Row(Kind):
    """A tuple of a fixed length."""

    def __init__(self, items: list[Kind]) -> None:
        self.items = items
        self.label = f"tuple[{', '.join(item.label for item in items) or '()'}]"

    def holds(self, value: object) -> bool:
        held: Any = value
        return type(value) in {list, tuple} and len(held) == len(self.items)

    def quick(self, value: Any) -> Any:  # noqa: ARG002 - it is looked at in any case
        raise LookupError

    def fit(self, value: Any, place: Place) -> Task:
        if not self.holds(value):
            raise refused(self, value, place)
        if place.is_open(value):
            raise incomplete(self.label, place)
        for known in place.known(self, value):
            return known
        made: list[Any] = []
        for index, (item, kind) in enumerate(zip(value, self.items, strict=True)):
            place.steps.append(index)
            try:
                made.append(kind.quick(item))
            except LookupError:
                made.append((yield kind.fit(item, place)))
            place.steps.pop()
        fitted = tuple(made)
        place.learn(self, value, fitted)
        return fitted


class Pairs(Kind):
    """A dict."""

    def __init__(self, key: Kind, item: Kind) -> None:
        self.key = key
        self.item = item
        self.label = "dict" if key is item is ANY else f"dict[{key.label}, {item.label}]"

    def holds(self, value: object) -> bool:
        return exactly(value, dict)

    def quick(self, value: Any) -> Any:
        if self.key is self.item is ANY and exactly(value, dict):
            return value
        raise LookupError

    def fit(self, value: Any, place: Place) -> Task:
        if not exactly(value, dict):
            raise refused(self, value, place)
        if place.is_open(value):
            place.later(self, value)
            return value
        for known in place.known(self, value):
            return known
        fitted = yield self.within(value, place)
        place.learn(self, value, fitted)
        return fitted

    def within(self, value: Any, place: Place) -> Task:
        """Return the dict with its keys and items as those of the types."""
        made: dict[Any, Any] = {}
        changed = False
        for key, item in list(value.items()):
            place.steps.append(str(key))
            try:
                name = self.key.quick(key)
            except LookupError:
                name = yield self.key.fit(key, place)
            try:
                fitted = self.item.quick(item)
            except LookupError:
                fitted = yield self.item.fit(item, place)
            place.steps.pop()
            changed = changed or name is not key or fitted is not item
            made[name] = fitted
        if not (place.keeps(self, value) and changed):
            return made if changed else value
        value.clear()
        value.update(made)
        return value


class Field:
    """A field of a class: the keyword, the keys that it may have, and its type."""

    def __init__(self, name: str, keys: tuple[str, ...], kind: Kind, *, required: bool) -> None:
        self.name = name
        self.keys = keys
        self.kind = kind
        self.required = required


class Class(Kind):
    """A class that is called with its fields. Dictionaries and archived objects become it."""

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.label = cls.__qualname__
        self.is_dict = typing.is_typeddict(cls)
        # Its fields may have its own type.
        self.fields: list[Field] = []
        self.keys: set[str] = set()

    def holds(self, value: object) -> bool:
        return exactly(value, dict) or (not self.is_dict and isinstance(value, self.cls))

    def quick(self, value: Any) -> Any:
        if not self.is_dict and isinstance(value, self.cls):
            return value
        raise LookupError

    def fit(self, value: Any, place: Place) -> Task:
        if not exactly(value, dict):
            raise refused(self, value, place)
        if place.is_open(value):
            raise incomplete(self.label, place)
        for known in place.known(self, value):
            return known
        fitted = yield self.made(value, place, list)
        place.learn(self, value, fitted)
        return fitted

    @property
    def shell(self) -> Callable[[], Any] | None:
        """What makes an object whose fields come later, if the class allows it."""
        if self.is_dict:
            return dict
        if type(self.cls).__call__ is type.__call__ and self.cls.__new__ is object.__new__:
            return lambda: self.cls.__new__(self.cls)
        return None

    def made(self, stored: dict[str, Any], place: Place, begun: Callable[[], list[Any]]) -> Task:
        """Return an object with these fields: a list of one, if `begun` has it already."""
        found: dict[str, Any] = {}
        for field in self.fields:
            for key in field.keys:
                if key in stored:
                    value = stored[key]
                    try:
                        found[field.name] = field.kind.quick(value)
                    except LookupError:
                        place.steps.append(key)
                        found[field.name] = yield field.kind.fit(value, place)
                        place.steps.pop()
                    break
            else:
                if field.required:
                    key = field.keys[0]
                    place.steps.append(key)
                    reason = f'{self.label} lacks the required key "{key}"'
                    raise place.refuse(reason)
        try:
            shells = begun()
            if not shells:
                return self.cls(**found)
            if self.is_dict:
                shells[0].update(found)
            else:
                shells[0].__init__(**found)
        except MemoryError:
            raise
        except Exception as error:
            reason = f"{self.label} cannot be made: {_cause(error)}"
            raise place.refuse(reason, expected=self.label) from error
        return shells[0]


def _cause(error: Exception) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class Kinds:
    """Finds the kinds of annotations; those of a class once."""

    def __init__(self) -> None:
        self.classes: dict[object, Class] = {}

    def of_class(self, cls: Any) -> Class:
        """Return the kind of a class that is called with its fields."""
        known = self.classes.get(cls)
        if known is not None:
            return known
        made = self.classes[cls] = Class(cls)
        # A class may be among its own fields, and so on; these are not many.
        for name, annotation, required in _parameters(cls):
            keys, kind = self._field(cls, name, annotation)
            made.fields.append(Field(name, keys, kind, required=required))
            made.keys.update(keys)
        return made

    def _field(self, cls: Any, name: str, annotation: object) -> tuple[tuple[str, ...], Kind]:
        where = f"{cls.__qualname__}.{name}"
        keys: tuple[str, ...] = (name,)
        for extra in _metadata(annotation):
            if isinstance(extra, at):
                paths = (extra.path,) if isinstance(extra.path, str) else extra.path
                keys = tuple(_key(path, where) for path in paths)
            elif _says_something(extra):
                raise PlanError(f"{where}: an archive cannot fill a field with {extra!r}")
        return keys, self.of(annotation, where)

    def of(self, annotation: Any, where: str) -> Kind:
        """Return the kind of an annotation."""
        while True:
            if isinstance(annotation, typing.NewType):
                annotation = annotation.__supertype__
            elif typing.get_origin(annotation) in _WRAPPERS:
                annotation = typing.get_args(annotation)[0]
            elif type(annotation).__name__ == "TypeAliasType":
                annotation = annotation.__value__
            else:
                break
        if annotation in {typing.Any, object} or isinstance(annotation, typing.TypeVar):
            return ANY
        if annotation is None:
            return NONE
        scalar = SCALARS.get(annotation) if isinstance(annotation, type) else None
        if scalar is not None:
            return scalar
        origin = typing.get_origin(annotation) or annotation
        arguments = typing.get_args(annotation)
        if origin in {typing.Union, types.UnionType}:
            return Union([self.of(member, where) for member in arguments])
        if origin is typing.Literal:
            label = f"Literal[{', '.join(map(repr, arguments))}]"
            return OneOf(label, [(value, value) for value in arguments])
        if origin in _LISTS:
            label, of = _LISTS[origin]
            if of is tuple and arguments and arguments[-1] is not Ellipsis:
                items = () if arguments == ((),) else arguments
                return Row([self.of(item, where) for item in items])
            return Items(label, self.of(arguments[0] if arguments else typing.Any, where), of)
        if origin in _DICTS:
            key, item = arguments or (typing.Any, typing.Any)
            return Pairs(self.of(key, where), self.of(item, where))
        if isinstance(annotation, type):
            cls: Any = annotation
            if issubclass(cls, enum.Enum):
                return OneOf(cls.__qualname__, [(member.value, member) for member in cls])
            if cls.__module__.partition(".")[0] == "penstock":
                return Instance(cls)
            if cls.__module__ != "builtins" and not inspect.isabstract(cls):
                return self.of_class(cls)
        raise PlanError(f"{where}: an archive cannot fill a field of the type {annotation!r}")


_WRAPPERS = {typing.Annotated, typing.Required, typing.NotRequired, typing.Final, typing.ClassVar}
_LISTS: dict[object, tuple[str, type]] = {
    list: ("list", list),
    abc.Sequence: ("list", list),
    abc.MutableSequence: ("list", list),
    abc.Collection: ("list", list),
    abc.Iterable: ("list", list),
    tuple: ("tuple", tuple),
    set: ("set", set),
    abc.MutableSet: ("set", set),
    frozenset: ("frozenset", frozenset),
    abc.Set: ("frozenset", frozenset),
}
_DICTS = {dict, abc.Mapping, abc.MutableMapping}


# What `msgspec.Meta` may ask of a value; the rest of it is for people.
_ASKED = ("gt", "ge", "lt", "le", "multiple_of", "pattern", "min_length", "max_length", "tz")


def _says_something(extra: object) -> bool:
    """Whether an annotation beside a type says what a value must be, or how it is read."""
    package = type(extra).__module__.partition(".")[0]
    if package == "msgspec":
        return any(getattr(extra, name, None) is not None for name in _ASKED)
    return package in {"penstock", "annotated_types"}


def _metadata(annotation: Any) -> tuple[object, ...]:
    if typing.get_origin(annotation) is typing.Annotated:
        metadata: tuple[object, ...] = annotation.__metadata__
        return metadata
    return ()


def _key(path: object, where: str) -> str:
    """Return the one key of a path."""
    text = str(path)
    if not isinstance(path, str) or any(sign in text for sign in "/*@(") or text in {"", "."}:
        raise PlanError(f"{where}: the path {text!r} is no key of an archived object")
    if text == "~4":
        return ""
    for sign, meant in (("~1", "/"), ("~2", "*"), ("~3", "@"), ("~0", "~")):
        text = text.replace(sign, meant)
    return text


def _parameters(cls: Any) -> list[tuple[str, object, bool]]:
    """Return the keywords of a class: name, annotation, and whether it is required."""
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
        if typing.is_typeddict(cls):
            required = cls.__required_keys__
            return [(name, hint, name in required) for name, hint in hints.items()]
        signature = inspect.signature(cls)
        hints = typing.get_type_hints(cls.__init__, include_extras=True) | hints
    except (NameError, TypeError, ValueError) as error:
        name = getattr(cls, "__qualname__", repr(cls))
        raise PlanError(f"the fields of {name} are not known: {_cause(error)}") from error
    found: list[tuple[str, object, bool]] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}:
            continue
        required = parameter.default is parameter.empty
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise PlanError(f"{cls.__qualname__}.{name}: it cannot be passed by its name")
        annotation = hints.get(name, parameter.annotation)
        if annotation is parameter.empty:
            annotation = typing.Any
        found.append((name, annotation, required))
    return found
