"""What pydantic does not obey in the annotation of a value that it makes itself.

The extension imports this when it meets a value that it leaves to pydantic.
"""

from __future__ import annotations

import datetime as dt
import typing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# The most parts of an annotation that are searched.
_MOST_PARTS = 1_000
_MOMENTS = (dt.date, dt.time)


def without_effect(
    annotations: Iterable[object],
    renames: bool,
    moments: str | None,
    types: Mapping[Any, object] | None,
) -> str | None:
    """Return what has no effect in these annotations, and in the classes that they name.

    That is an annotation of Penstock's, or an option of the plan: `rename=`, `unix=` or `times=`
    (the name in `moments`), or a function of `types=`.
    """
    # They are kept, so that no other part gets the identity of one that is gone.
    found, seen = [*annotations], dict[int, object]()
    for _ in range(_MOST_PARTS):
        if not found:
            break
        part = found.pop()
        if id(part) in seen:
            continue
        seen[id(part)] = part
        if _is_unknown(part):
            return repr(part)
        if types and _is_hashable(part) and part in types:
            return f"the function of types= for {getattr(part, '__name__', part)}"
        if isinstance(part, type):
            if moments and issubclass(part, _MOMENTS):
                return f"{moments}="
            of_fields = [*_of_fields(part)]
            if renames and of_fields:
                return f"rename= for {part.__name__}"
            found += of_fields
        found += _parts(part)
    return None


def _is_unknown(part: object) -> bool:
    """Return whether an object in an annotation is a word that pydantic does not know.

    That is one of Penstock's, such as `at(...)` and `Hex`, or a `Meta` of msgspec.
    """
    cls = type(part)
    is_meta = (cls.__module__, cls.__name__) == ("msgspec", "Meta")
    return not isinstance(part, type) and (cls.__module__ == "penstock" or is_meta)


def _is_hashable(part: object) -> bool:
    try:
        hash(part)
    except TypeError:
        return False
    return True


def _parts(part: object) -> Iterator[object]:
    """Yield the arguments of an annotation, and what an alias or a `NewType` stands for."""
    if getattr(part, "__origin__", None) is typing.Literal:
        return
    for name in ("__value__", "__supertype__", "__bound__", "__origin__"):
        more = getattr(part, name, None)
        if more is not None:
            yield more
    for name in ("__args__", "__constraints__", "__metadata__"):
        more = getattr(part, name, ())
        if isinstance(more, tuple):
            yield from more


def _of_fields(cls: Any) -> Iterator[object]:
    """Yield the annotations of a class with fields."""
    fields: Any = getattr(cls, "__pydantic_fields__", None)
    if fields is not None:
        for info in fields.values():
            yield info.annotation
            yield from info.metadata
        return
    marks = ("__dataclass_fields__", "_fields", "__total__")
    if any(hasattr(cls, mark) for mark in marks):
        yield from typing.get_type_hints(cls, include_extras=True).values()
