"""Says what to do instead, where a program uses a name or an option that there is not."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])


def attribute(module: str, name: str) -> NoReturn:
    """Refuse an attribute of a module.

    Raises:
        AttributeError: Always.
    """
    from penstock._base.advice import NAMES  # noqa: PLC0415 - few programs are wrong

    advice = NAMES.get(name)
    message = f"module {module!r} has no attribute {name!r}"
    raise AttributeError(message if advice is None else f"{message}: {advice}", name=name)


def elsewhere(
    function: Callable[..., Any], options: Iterable[str], name: str | None = None
) -> str | None:
    """Return where the first of these options is that the function does not have.

    None if it has them all, or nobody has them. The extension asks it, for the functions that it
    calls itself, when such a call has raised a `TypeError`.
    """
    code = function.__code__
    known = code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
    unknown = [option for option in options if option not in known]
    return _advice(name or function.__name__, unknown)


def refusal(name: str, options: Iterable[str]) -> str:
    """Return what is wrong with a call of a method of the extension, which has no such options."""
    options = list(options)
    return _advice(name, options) or f"{name}() got an unexpected keyword argument {options[0]!r}"


def _advice(name: str, options: Iterable[str]) -> str | None:
    """Say where the first of these options is, which a function does not have."""
    from penstock._base.advice import INSTEAD, OPTIONS  # noqa: PLC0415 - few programs are wrong

    for option in options:
        where = OPTIONS.get(option)
        advice = INSTEAD.get(option) if where is None else f"it is one of {where}"
        if advice is not None:
            return f"{name}() has no option {option}=: {advice}"
    return None


def advised(function: F) -> F:
    """Make a function say where an option is that it does not have itself."""

    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError:
            message = elsewhere(function, options, _of_class(function, arguments))
            if message is None:
                raise
        raise TypeError(message)

    for kept in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(call, kept, getattr(function, kept))
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def _of_class(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str | None:
    """Return the name of the class whose objects a function makes; None if it makes none."""
    if function.__name__ not in {"__new__", "__init__"}:
        return None
    made: type = arguments[0] if function.__name__ == "__new__" else type(arguments[0])
    return made.__name__
