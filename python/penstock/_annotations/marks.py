"""Small annotations: `pattern` and `typecode`; and `UNSET`."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Final, NoReturn, Self


class Mark:
    """An annotation with one argument, which compares by it."""

    __module__ = "penstock"
    __slots__ = ("_said",)

    _said: Any

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse, because annotations are shared and hashed."""
        word = type(self).__name__
        raise AttributeError(f"{word}() cannot be changed once made (setting {name!r})")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse, as for setting."""
        word = type(self).__name__
        raise AttributeError(f"{word}() cannot be changed once made (deleting {name!r})")

    def __repr__(self) -> str:
        """Return the expression that creates it."""
        return f"{type(self).__name__}({self._said!r})"

    def __eq__(self, other: object) -> bool:
        """Compare by the argument."""
        if type(other) is not type(self):
            return NotImplemented
        return self._said == other._said

    def __hash__(self) -> int:
        """Hash by value, as `Annotated` needs."""
        return hash((type(self), self._said))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that creates it."""
        return type(self), (self._said,)


class pattern(Mark):  # noqa: N801 - an annotation, like `at`
    r"""Require that a regular expression is found in a string.

    It may match anywhere in the string, as for `re.search`; use `^` and `$` to anchor it.

    Attributes:
        regex: The regular expression.

    Raises:
        TypeError: `regex` is not a `str`.
        ValueError: `regex` is not a regular expression.

    Example:
        >>> from typing import Annotated
        >>> import penstock
        >>> Plate = Annotated[str, penstock.pattern(r"^[A-Z]+ [0-9]+")]
        >>> penstock.decode('["ZH 7", "BE 1"]', list[Plate])
        ['ZH 7', 'BE 1']
        >>> penstock.decode('"ZH"', Plate)
        Traceback (most recent call last):
        penstock.ValidationError: line 1, column 1: expected str matching "^[A-Z]+ [0-9]+", got "ZH"
    """

    __module__ = "penstock"
    __slots__ = ()

    def __init__(self, regex: str, /) -> None:
        """Store the expression, and compile it to check it."""
        import re  # noqa: PLC0415 - only if it is used

        if not isinstance(regex, str):
            raise TypeError(f"pattern() takes a str, not {type(regex).__name__}")
        try:
            re.compile(regex)
        except re.error as error:
            raise ValueError(f"pattern({regex!r}): {error}") from error
        object.__setattr__(self, "_said", regex)

    @property
    def regex(self) -> str:
        """The regular expression."""
        regex: str = self._said
        return regex


class typecode(Mark):  # noqa: N801 - as above
    """Say which type of numbers an `array.array` holds, or a `memoryview`.

    Penstock refuses a number that the type cannot hold exactly; it never rounds or cuts.

    Attributes:
        code: The letter, as `array.array` takes it.

    Raises:
        ValueError: There is no such code for numbers.

    Example:
        >>> from array import array
        >>> from typing import Annotated
        >>> import penstock
        >>> penstock.decode("[1, 2, 300]", Annotated[array, penstock.typecode("H")])
        array('H', [1, 2, 300])
    """

    __module__ = "penstock"
    __slots__ = ()

    def __init__(self, code: str, /) -> None:
        """Store the letter."""
        if code not in tuple("bBhHiIlLqQfd"):
            raise ValueError(f"typecode() takes a code of array.array for numbers, not {code!r}")
        object.__setattr__(self, "_said", code)

    @property
    def code(self) -> str:
        """The letter."""
        code: str = self._said
        return code


class Exact:
    """The type of plain values whose numbers keep all their digits.

    Like `Any`, but a number with a fraction or an exponent becomes a `Decimal`. It serves
    validators that see plain values and make decimals of them.
    """


class UnsetType:
    """The type of `UNSET`: the value of a field that is not there.

    Give a field the type `T | UnsetType` and the default `UNSET` where it matters whether a
    document has its key. If it has not, the field is `UNSET`; if the value is null, it is None, if
    the type allows that. A field that is `UNSET` is left out when its object is written.

    There is one object of the class. It is false.

    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass
        ... class Change:
        ...     name: str | penstock.UnsetType = penstock.UNSET
        ...     phone: str | penstock.UnsetType | None = penstock.UNSET
        >>> change = penstock.decode('{"phone": null}', Change)
        >>> change
        Change(name=UNSET, phone=None)
        >>> penstock.json.encode(change)
        b'{"phone":null}'
    """

    __module__ = "penstock"
    __slots__ = ()

    _only: Any = None

    def __new__(cls) -> Self:
        """Return the only object."""
        if cls._only is None:
            cls._only = super().__new__(cls)
        only: Self = cls._only
        return only

    def __init_subclass__(cls) -> NoReturn:
        """Refuse, because a value is unset or not."""
        raise TypeError("UnsetType has no subclasses")

    def __bool__(self) -> bool:
        """Return False, as None does."""
        return False

    def __repr__(self) -> str:
        """Return its name."""
        return "UNSET"

    def __reduce__(self) -> str:
        """Pickle as its name."""
        return "UNSET"

    def __copy__(self) -> UnsetType:
        """Return the only object."""
        return self

    def __deepcopy__(self, _: object) -> UnsetType:
        """Return the only object."""
        return self


UNSET: Final = UnsetType()
"""The value of a field whose key was not there."""
