"""Small words for annotations: `pattern`, `unix` and `typecode`."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

    from penstock._types import Unix


class _Mark:
    """A word with one argument, which is compared by it."""

    __module__ = "penstock"
    __slots__ = ("_said",)

    _said: str

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: annotations are shared and hashed."""
        word = type(self).__name__
        raise AttributeError(f"{word}() cannot be changed once made (setting {name!r})")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse, as for setting."""
        word = type(self).__name__
        raise AttributeError(f"{word}() cannot be changed once made (deleting {name!r})")

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return f"{type(self).__name__}({self._said!r})"

    def __eq__(self, other: object) -> bool:
        """Compare by what is said."""
        if type(other) is not type(self):
            return NotImplemented
        return self._said == other._said

    def __hash__(self) -> int:
        """Hash by value, as `Annotated` needs."""
        return hash((type(self), self._said))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that makes it."""
        return type(self), (self._said,)


class pattern(_Mark):  # noqa: N801 - a word in the language of annotations, like `at`
    r"""Say that a string is one in which a regular expression is found.

    It is looked for anywhere in the string, as `re.search` does: `^` and `$` say where.

    Attributes:
        regex: The regular expression.

    Raises:
        TypeError: `regex` is no `str`.
        ValueError: `regex` is no regular expression.

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
        """Take the expression, compiled to see whether it can be."""
        import re  # noqa: PLC0415 - only for those who use it

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
        return self._said


class unix(_Mark):  # noqa: N801 - as above
    """Say that a `datetime` may be a number of units since the beginning of 1970, in UTC.

    The number is taken exactly: one that says more than microseconds is refused, and the
    `datetime` is aware, in UTC. Text is taken as without it.

    Attributes:
        unit: `"s"`, `"ms"`, `"us"` or `"ns"`.

    Raises:
        ValueError: `unit` is none of them.

    Example:
        >>> from datetime import datetime
        >>> from typing import Annotated
        >>> import penstock
        >>> penstock.decode("1767225600.25", Annotated[datetime, penstock.unix("s")])
        datetime.datetime(2026, 1, 1, 0, 0, 0, 250000, tzinfo=datetime.timezone.utc)
    """

    __module__ = "penstock"
    __slots__ = ()

    def __init__(self, unit: Unix, /) -> None:
        """Take the unit."""
        if unit not in {"s", "ms", "us", "ns"}:
            raise ValueError(f"unix() takes 's', 'ms', 'us' or 'ns', not {unit!r}")
        object.__setattr__(self, "_said", unit)

    @property
    def unit(self) -> Unix:
        """The unit of the number."""
        return self._said  # type: ignore[return-value]


class typecode(_Mark):  # noqa: N801 - as above
    """Say which type of numbers an `array.array` holds.

    A number that the type cannot hold exactly is refused, and never rounded or cut.

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
        """Take the letter."""
        if code not in tuple("bBhHiIlLqQfd"):
            raise ValueError(f"typecode() takes a code of array.array for numbers, not {code!r}")
        object.__setattr__(self, "_said", code)

    @property
    def code(self) -> str:
        """The letter."""
        return self._said


class Exact:
    """The type of plain values whose numbers keep all their digits.

    As `Any`, but that a number with a fraction or an exponent is a `Decimal`. It is for what makes
    decimals of values that it wants to see before they are decoded.
    """
