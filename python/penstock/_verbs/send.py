"""`send`: finds the methods that a document may reach, and passes them to the extension."""

from __future__ import annotations

import sys

import penstock._rust as _rust
from penstock._annotations.on import MARK, Stop
from penstock._io import formats as _formats
from penstock._io import sources as _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FunctionType
    from typing import Any

    from penstock._base.limits import Limits
    from penstock._base.types import Compression, Format, Source

# Flags of code objects, as `inspect` names them.
_VARARGS = 0x04
_ASYNC = 0x80 | 0x200


def send(
    dialect: _rust.Dialect | Callable[[str | None], _rust.Dialect] | Format | None,
    source: Source,
    handler: object,
    encoding: str | None,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
) -> Any:
    """Find the handler's methods, then the source, and send the source to the methods.

    Instead of a dialect, it may be the name of a format, or a function of the source's name.
    Without any, find it from the source.
    """
    claims = reachable(handler)
    given, name = _sources.locate("send", source, compression, member, limits)
    try:
        if dialect is None or isinstance(dialect, str):
            kind = _formats.of_source(given, name) if dialect is None else dialect
            dialect = _formats.dialect(kind, name)
        elif callable(dialect):
            dialect = dialect(name)
        return _rust.send(
            dialect, _rust.Source(given, name, encoding, compression), claims, Stop, limits
        )
    finally:
        del given  # This closes an archive that was opened here.


def reachable(handler: object) -> list[tuple[str, bool, Callable[[Any], object]]]:
    """Return the paths that reach the handler, whether they come from `on`, and the methods.

    A document must not reach a method that its author did not mean to expose. So only functions
    written in Python count, in classes of the handler outside the standard library. Their name
    alone reaches only those that are public and take one argument. All others need an `on`.

    Raises:
        TypeError: A method cannot be called with one argument, or is asynchronous; or the handler
            is a class.
        ValueError: There is none.
    """
    kind = type(handler)
    found: list[tuple[str, bool, Callable[[Any], object]]] = []
    seen: set[str] = set()
    for owner in kind.__mro__:
        foreign = str(owner.__module__).partition(".")[0] in sys.stdlib_module_names
        for name, value in vars(owner).items():
            if name in seen:
                continue
            seen.add(name)
            if foreign:
                continue
            function = _function(value)
            if function is None:
                if getattr(getattr(value, "__func__", value), MARK, None):
                    what = type(value).__name__
                    raise TypeError(f"on() marks methods, and {kind.__name__}.{name} is a {what}")
                continue
            paths: tuple[str, ...] = getattr(function, MARK, ())
            if not paths and (name.startswith("_") or not _takes_one(function.__code__)):
                continue
            _check(function)
            # Look in the class only: not in the instance, and not through `__getattr__`.
            method = function.__get__(handler, kind)
            found += [(path, True, method) for path in paths] or [(name, False, method)]
    if found:
        return found
    if isinstance(handler, type):
        raise TypeError(f"send() takes an object, not a class: did you mean {handler.__name__}()?")
    raise ValueError(
        f"no element can reach {kind.__name__}: name a public method with one argument after an "
        "element, or mark one with penstock.on"
    )


def _function(value: object) -> FunctionType | None:
    """Return a plain function, and None for anything else."""
    return value if type(value) is type(_function) else None  # type: ignore[return-value]  # it is


def _takes_one(code: CodeType) -> bool:
    """Whether a method has `self` and one parameter, and no others."""
    return code.co_argcount == 2 and not code.co_kwonlyargcount and not code.co_flags & _VARARGS


def _check(function: FunctionType) -> None:
    """Refuse a method that could not be called, before anything is read.

    Raises:
        TypeError: As for `reachable`.
    """
    code = function.__code__
    if code.co_flags & _ASYNC:
        raise TypeError(f"{function.__qualname__} is asynchronous: nobody would wait for it")
    required = code.co_argcount - len(function.__defaults__ or ())
    enough = code.co_argcount >= 2 or code.co_flags & _VARARGS
    named = code.co_kwonlyargcount - len(function.__kwdefaults__ or {})
    if not enough or required > 2 or named:
        raise TypeError(f"{function.__qualname__} cannot be called with one element")
