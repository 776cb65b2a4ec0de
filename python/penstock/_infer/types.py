"""Types and classes, before they are written."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock._infer.evidence import Place


@dataclass(frozen=True, slots=True)
class Name:
    """A type with a name, and the module that it is imported from."""

    name: str
    module: str | None = None


@dataclass(frozen=True, slots=True)
class Literal:
    """Some texts, or other scalars."""

    values: tuple[str | int | bool | None, ...]


@dataclass(frozen=True, slots=True)
class Generic:
    """`list[...]`, `tuple[...]` or `dict[...]`."""

    name: str
    arguments: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """One of several types, each once."""

    members: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """A type with calls of Penstock or another library beside it: `cells(null=[""])`."""

    type: Type
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Class:
    """A class by its number."""

    number: int


Type = Name | Literal | Generic | Union | Marked | Class

NONE = Name("None")
ANY = Name("Any", "typing")
STR = Name("str")
INT = Name("int")
FLOAT = Name("float")
BOOL = Name("bool")
BYTES = Name("bytes")
DECIMAL = Name("Decimal", "decimal")
DATE = Name("dt.date", "datetime")
DATETIME = Name("dt.datetime", "datetime")
TIME = Name("dt.time", "datetime")
DURATION = Name("dt.timedelta", "datetime")
UUID = Name("UUID", "uuid")


@dataclass(slots=True)
class Field:
    """A field of a class."""

    key: str
    """The key in the file."""
    step: str
    """What leads to it: a member, an element, an attribute, or text."""
    at: str
    """The path in the record."""
    type: Type
    is_absent: bool = False
    """Whether some objects lack it."""
    empty: str | None = None
    """`"list"` or `"dict"`, if an absent one is that."""
    comment: str = ""
    default: str | None = None
    """An absent one, as Python writes it, if that is neither empty nor None."""
    name: str = ""
    """The name of the field."""
    is_plain: bool = False
    """Whether its name finds it, without a path."""
    place: Place | None = None
    """Where it was seen."""


@dataclass(slots=True)
class Made:
    """A class that is to be written."""

    fields: list[Field] = field(default_factory=list[Field])
    name: str = ""
    wanted: str = ""
    """The name that it would have, if it is free."""
    count: int = 0
    title: str = ""
    """The name of what it is in."""
    comment: str = ""
    doc: str = ""
    """What it is, for its docstring."""


def union(members: list[Type]) -> Type:
    """Return one of these types, None as the last."""
    flat: list[Type] = []
    for member in members:
        inside = member.members if isinstance(member, Union) else (member,)
        flat += [of for of in inside if of not in flat]
    if ANY in flat:
        return ANY
    flat.sort(key=lambda of: of == NONE)
    return flat[0] if len(flat) == 1 else Union(tuple(flat))


def inside(of: Type) -> Iterator[Type]:
    """Iterate over a type and all that it consists of."""
    yield of
    match of:
        case Generic(_, parts) | Union(parts):
            for part in parts:
                yield from inside(part)
        case Marked(part, _):
            yield from inside(part)
        case _:
            pass
