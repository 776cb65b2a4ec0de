"""Annotations of values in untyped text: `cells`, `separated` and `spread`."""

from __future__ import annotations

import penstock._rust as _rust
from penstock._annotations.marks import Mark

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable

    _Said = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], str, str | None, str | None]


class cells(Mark):  # noqa: N801 - an annotation, like `at`
    """Say in which other forms a value may be written where all values are text: CSV and XML.

    Penstock guesses nothing. Without it, numbers and truth values have the forms of XML Schema:
    `1234.5`, `true`, `false`, `1` and `0`. Beside a type it is for that type, or for the items of a
    `separated(...)`; `Plan(cells=)` takes it for all values of a plan. One beside a type stands in
    place of the plan's. Numbers keep all their digits. In JSON it has no effect, because there
    numbers, truth values and null have forms of their own.

    Attributes:
        null: Texts that mean that there is no value: then it is None if the field takes None,
            otherwise the field's default. If there is none either, the text is a text like any
            other.
        true: The texts that mean true, in place of `true` and `1`.
        false: The texts that mean false, in place of `false` and `0`.
        decimal: The character between a number and its fraction.
        thousands: The character that may separate groups of three digits. A number in which it
            stands anywhere else is an error.
        currency: A text that may stand before or behind a number.

    Raises:
        TypeError: A text is not a `str`.
        ValueError: A text would have two meanings.

    Example:
        >>> from dataclasses import dataclass
        >>> from decimal import Decimal
        >>> from typing import Annotated
        >>> import penstock
        >>> Price = Annotated[Decimal, penstock.cells(decimal=",", thousands=".", currency="€")]
        >>> @dataclass
        ... class Item:
        ...     name: str
        ...     price: Price
        >>> penstock.xml.decode('<item name="Uhr" price="1.290,00 €"/>', Item)
        Item(name='Uhr', price=Decimal('1290.00'))
    """

    __module__ = "penstock"
    __slots__ = ()

    _said: _Said

    def __init__(
        self,
        *,
        null: Iterable[str] = (),
        true: Iterable[str] = (),
        false: Iterable[str] = (),
        decimal: str = ".",
        thousands: str | None = None,
        currency: str | None = None,
    ) -> None:
        """Store the forms, and check that no text has two meanings."""
        said = (
            _words("null", null),
            _words("true", true),
            _words("false", false),
            _text("decimal", decimal),
            None if thousands is None else _text("thousands", thousands),
            None if currency is None else _text("currency", currency),
        )
        for name, character in (("decimal", said[3]), ("thousands", said[4])):
            if character is not None and len(character) != 1:
                raise ValueError(f"cells(): {name} is one character, not {character!r}")
        reason = _rust.contradiction(*said)
        if reason is not None:
            raise ValueError(f"cells(): {reason}")
        object.__setattr__(self, "_said", said)

    @property
    def null(self) -> tuple[str, ...]:
        """The texts that mean that there is no value."""
        return self._said[0]

    @property
    def true(self) -> tuple[str, ...]:
        """The texts that mean true."""
        return self._said[1]

    @property
    def false(self) -> tuple[str, ...]:
        """The texts that mean false."""
        return self._said[2]

    @property
    def decimal(self) -> str:
        """The character between a number and its fraction."""
        return self._said[3]

    @property
    def thousands(self) -> str | None:
        """The character that may separate groups of three digits."""
        return self._said[4]

    @property
    def currency(self) -> str | None:
        """The text that may stand before or behind a number."""
        return self._said[5]

    def __repr__(self) -> str:
        """Return the expression that creates it, with what differs from the defaults."""
        names = ("null", "true", "false", "decimal", "thousands", "currency")
        defaults: tuple[object, ...] = ((), (), (), ".", None, None)
        given = zip(names, self._said, defaults, strict=True)
        return f"cells({', '.join(f'{name}={it!r}' for name, it, by in given if it != by)})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that creates it."""
        return _made, (self._said,)


class separated(Mark):  # noqa: N801 - as above
    """Say that the items of a list, set or tuple stand in one text, where all values are text.

    That is one cell of CSV, or one element or attribute of XML. Each item is converted as a value
    of its own. An empty text is an empty list. JSON has arrays, so there it has no effect.

    Attributes:
        by: The text between two items. None, as for `str.split`, means white space: any number of
            spaces, tabs and line ends, also around the items. That is how XML Schema writes lists.
            They are written with one space between two items, so an item may not be empty or have
            white space in it.
        trim: Whether white space around an item is no part of it. With None it never is.

    Raises:
        TypeError: `by` is not a `str` or None.
        ValueError: `by` is empty.

    Example:
        >>> from dataclasses import dataclass
        >>> from typing import Annotated
        >>> import penstock
        >>> @dataclass
        ... class Shape:
        ...     points: Annotated[list[float], penstock.separated(";", trim=True)]
        >>> penstock.xml.decode('<shape points="0; 1.5; 2"/>', Shape)
        Shape(points=[0.0, 1.5, 2.0])
        >>> @dataclass
        ... class Ring:
        ...     corners: Annotated[list[float], penstock.separated(None)]
        >>> penstock.xml.decode('<ring corners=" 1.5  2.5 "/>', Ring)
        Ring(corners=[1.5, 2.5])
    """

    __module__ = "penstock"
    __slots__ = ()

    _said: tuple[str | None, bool]

    def __init__(self, by: str | None, /, *, trim: bool = False) -> None:
        """Store the separator."""
        if by is not None and not isinstance(by, str):
            raise TypeError(f"separated() takes a str or None, not {type(by).__name__}")
        if by == "":
            raise ValueError("separated() takes a text that is not empty")
        object.__setattr__(self, "_said", (by, bool(trim)))

    @property
    def by(self) -> str | None:
        """The text between two items, or None for white space."""
        return self._said[0]

    @property
    def trim(self) -> bool:
        """Whether white space around an item is no part of it."""
        return self._said[1]

    def __repr__(self) -> str:
        """Return the expression that creates it."""
        return f"separated({self.by!r}{', trim=True' if self.trim else ''})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that creates it."""
        return _split, self._said


class spread(Mark):  # noqa: N801 - as above
    r"""Say that the value of a field comes from several columns of CSV.

    For a class, the `*` of the pattern stands for the names of its fields; without `spread`, a
    class inside a class has the pattern `"<key>.*"`. For a list, set or `tuple[X, ...]`, the `*`
    stands for anything: the items are the cells of all such columns, in their order, without the
    empty ones at the end. For a list of classes there are two stars: a number, and the name of a
    field. Formats that have objects and arrays ignore it.

    Attributes:
        pattern: The names of the columns.

    Raises:
        TypeError: `pattern` is not a `str`.
        ValueError: It has no star, or more than two, or nothing between two.

    Example:
        >>> from dataclasses import dataclass
        >>> from typing import Annotated
        >>> import penstock
        >>> @dataclass
        ... class Address:
        ...     street: str
        ...     zip: int
        >>> @dataclass
        ... class Person:
        ...     name: str
        ...     home: Annotated[Address, penstock.spread("home_*")]
        ...     tags: Annotated[list[str], penstock.spread("tag*")]
        >>> text = "name,home_street,home_zip,tag1,tag2\nAda,Dorf 1,7000,x,\n"
        >>> penstock.csv.decode(text, Person)
        [Person(name='Ada', home=Address(street='Dorf 1', zip=7000), tags=['x'])]
    """

    __module__ = "penstock"
    __slots__ = ()

    _said: str

    def __init__(self, pattern: str, /) -> None:
        """Store the pattern."""
        if not isinstance(pattern, str):
            raise TypeError(f"spread() takes a str, not {type(pattern).__name__}")
        if pattern.count("*") not in {1, 2}:
            raise ValueError(f"spread() takes a pattern with one or two stars, not {pattern!r}")
        if "**" in pattern:
            raise ValueError(f"spread() takes two stars with a text between them, not {pattern!r}")
        object.__setattr__(self, "_said", pattern)

    @property
    def pattern(self) -> str:
        """The names of the columns."""
        return self._said


def _words(name: str, words: Iterable[str]) -> tuple[str, ...]:
    """Return the texts of an option."""
    if isinstance(words, str):
        raise TypeError(f"cells() takes {name} as several texts, such as ({words!r},)")
    return tuple(_text(name, word) for word in words)


def _text(name: str, text: object) -> str:
    """Return a text of an option."""
    if not isinstance(text, str):
        raise TypeError(f"cells() takes {name} as a str, not {type(text).__name__}")
    return text


def _made(said: _Said) -> cells:
    """Make a `cells` from its parts: for pickles."""
    null, true, false, decimal, thousands, currency = said
    return cells(
        null=null,
        true=true,
        false=false,
        decimal=decimal,
        thousands=thousands,
        currency=currency,
    )


def _split(by: str | None, trim: bool) -> separated:
    """Make a `separated` from its parts: for pickles."""
    return separated(by, trim=trim)


_made.__module__ = _split.__module__ = "penstock._cells"  # See `penstock._pickled`.
