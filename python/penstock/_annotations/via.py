"""`via`, which names the function that makes a value."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn


class via:  # noqa: N801 - an annotation, like `at`
    """Say that a function of yours makes a value.

    Put it beside a type, `Annotated[Money, via(Money.parse)]`; or on a class, as its attribute
    `__penstock__`, for all uses of that class; or in `types={Money: via(...)}`, for one plan or
    call. Penstock decodes the value as the function's parameter is annotated, and calls the
    function. Its result is the value. If it raises a `ValueError` or `TypeError`, you get a
    `ValidationError` with the position.

    Attributes:
        decode: The function. It takes one argument.
        source: The type of the value in the document. By default it is the annotation of the
            function's parameter, and `Any` if there is none.
        encode: The way back, from a value to one of type `source`, for `penstock.json.encode`.

    Raises:
        TypeError: `decode` or `encode` cannot be called.

    Example:
        >>> from dataclasses import dataclass
        >>> from typing import Annotated
        >>> import penstock
        >>> def hours(text: str) -> int:
        ...     return int(text.removesuffix("h"))
        >>> @dataclass
        ... class Trip:
        ...     duration: Annotated[int, penstock.via(hours)]
        >>> penstock.json.decode('{"duration": "3h"}', Trip)
        Trip(duration=3)
    """

    __module__ = "penstock"
    __slots__ = ("decode", "encode", "source")

    decode: Callable[[Any], Any]
    source: Any
    encode: Callable[[Any], Any] | None

    def __init__(
        self,
        decode: Callable[[Any], Any],
        source: Any = ...,
        /,
        *,
        encode: Callable[[Any], Any] | None = None,
    ) -> None:
        """Store the function."""
        if not callable(decode):
            raise TypeError(f"via() takes a function, not {type(decode).__name__}")
        if encode is not None and not callable(encode):
            raise TypeError(f"via(encode=...) takes a function, not {type(encode).__name__}")
        object.__setattr__(self, "decode", decode)
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "encode", encode)

    def _takes(self, makes: object) -> Any:
        """The type that the function takes where it makes a `makes`; `...` if nothing says it."""
        if self.source is not ...:
            return self.source
        from penstock._annotations.parameters import taken  # noqa: PLC0415 - only if it is used

        return taken(self.decode, makes)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse, because annotations are shared and hashed."""
        raise AttributeError(f"via() cannot be changed once made (setting {name!r})")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse, as for setting."""
        raise AttributeError(f"via() cannot be changed once made (deleting {name!r})")

    def __repr__(self) -> str:
        """Return the expression that creates it."""
        parts = [getattr(self.decode, "__qualname__", repr(self.decode))]
        if self.source is not ...:
            parts.append(getattr(self.source, "__name__", repr(self.source)))
        if self.encode is not None:
            parts.append(f"encode={getattr(self.encode, '__qualname__', repr(self.encode))}")
        return f"via({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        """Compare by the functions and the type."""
        if not isinstance(other, via):
            return NotImplemented
        return (self.decode, self.source, self.encode) == (other.decode, other.source, other.encode)

    def __hash__(self) -> int:
        """Hash by value, as `Annotated` needs."""
        return hash((via, self.decode, self.encode))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that creates it."""
        return _from_parts, (self.decode, self.source, self.encode)


def _from_parts(
    decode: Callable[[Any], Any], source: Any, encode: Callable[[Any], Any] | None
) -> via:
    """Undo `via.__reduce__`: `pickle` has no other way to pass keywords."""
    return via(decode, source, encode=encode)


_from_parts.__module__ = "penstock._via"  # As pickles name it: see `penstock._pickled`.
