"""The type of the value that a user's function takes.

The extension imports this when it first meets a `via` or a converter.
"""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from penstock._annotations.marks import Exact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# The most parts of an annotation, or of a function, that are searched.
_MOST_PARTS = 1_000
# Their names, for annotations in quotes.
_NAMES = ("Decimal", "Fraction")


def taken(function: Any, makes: object) -> Any:
    """Return the annotation of the function's first parameter, or `...` for plain values.

    If the function takes anything and makes decimals or fractions, it gets plain values with all
    their digits. It is known to make them if the type of its result is one of these, if it is
    such a type itself, or if it mentions one.
    """
    said = _annotation(function)
    if said is not ... and said is not Any and said is not object:
        return said
    return Exact if has_digits(makes) or _makes_digits(function) else said


def _annotation(function: Any) -> Any:
    if isinstance(function, type):
        return ...
    plain = getattr(function, "__func__", function)
    code = getattr(plain, "__code__", None)
    if code is None or not code.co_argcount:
        return ...
    bound = getattr(function, "__self__", None) is not None
    names = code.co_varnames[: code.co_argcount][int(bound) :]
    if not names:
        return ...
    annotation = getattr(plain, "__annotations__", {}).get(names[0], ...)
    if isinstance(annotation, str):
        return typing.ForwardRef(annotation, module=plain.__module__)
    return annotation


def _makes_digits(function: Any) -> bool:
    """Return whether the function, or one that it passes its argument to, makes such numbers."""
    return any(_is_one(part) or _mentions_digits(part) for part in _parts(function))


def _parts(function: Any) -> Iterator[Any]:
    """Yield the function, and those that `partial`, or attrs' `optional` and `pipe`, wrap."""
    found = [function]
    for _ in range(_MOST_PARTS):
        if not found:
            return
        part = found.pop()
        yield part
        if isinstance(part, tuple):
            found += part
        elif isinstance(part, functools.partial):
            found.append(part.func)
        elif isinstance(part, MethodType):
            found += (part.__func__, part.__self__)
        elif (type(part).__module__, type(part).__name__) == ("attr._make", "Converter"):
            found.append(part.converter)
        elif isinstance(part, FunctionType):
            found += (cell.cell_contents for cell in part.__closure__ or () if _is_set(cell))


def _is_set(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - an empty cell raises
    except ValueError:
        return False
    return True


def _mentions_digits(function: Any) -> bool:
    """Return whether a function's result, or its code, names such a type."""
    if not isinstance(function, FunctionType):
        return False
    if has_digits(function.__annotations__.get("return")):
        return True
    found: list[Any] = [function.__code__]
    while found:
        code = found.pop()
        found += (constant for constant in code.co_consts if hasattr(constant, "co_names"))
        for name in code.co_names:
            if name in _NAMES or _is_one(function.__globals__.get(name)):
                return True
    return False


def has_union(annotation: object) -> bool:
    """Return whether a union of several types is part of an annotation."""
    return _has_part(annotation, _is_union, ("Union", "Optional", "|"))


def has_keys(annotation: object) -> bool:
    """Return whether a mapping whose keys are no text is part of an annotation."""
    return _has_part(annotation, _has_other_keys, ())


def _has_other_keys(part: object) -> bool:
    origin, arguments = typing.get_origin(part), typing.get_args(part)
    is_mapping = isinstance(origin, type) and issubclass(origin, Mapping)
    return is_mapping and bool(arguments) and arguments[0] is not str


def has_digits(annotation: object) -> bool:
    """Return whether a `Decimal` or a `Fraction` is part of an annotation."""
    return _has_part(annotation, _is_one, _NAMES)


def _has_part(annotation: object, is_one: Callable[[object], bool], names: Sequence[str]) -> bool:
    found = [annotation]
    for _ in range(_MOST_PARTS):
        if not found:
            break
        part = found.pop()
        if is_one(part):
            return True
        part = getattr(part, "__forward_arg__", part)
        if isinstance(part, str):
            if any(name in part for name in names):
                return True
        elif getattr(part, "__origin__", None) is not typing.Literal:
            # The arguments, and what an alias, a `NewType` or a type variable stands for.
            for name in ("__value__", "__supertype__", "__bound__", "__origin__"):
                more = getattr(part, name, None)
                found += () if more is None else (more,)
            for name in ("__args__", "__constraints__"):
                more = getattr(part, name, ())
                found += more if isinstance(more, tuple) else ()
    return False


def _is_union(part: object) -> bool:
    return typing.get_origin(part) in {typing.Union, types.UnionType}


def _is_one(object_: object) -> bool:
    return isinstance(object_, type) and any(
        base is Decimal or base is Fraction for base in object_.__mro__
    )
