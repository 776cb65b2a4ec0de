"""Conditions on records: `field`, and what `where=` takes.

The reader tests a record while it reads it, so a record that is left out is never built. A
condition is data: it can be pickled, compared, and written as text, which `where=` takes as well.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Literal, NoReturn, TypeAlias

    Quantifier: TypeAlias = Literal["one", "any", "all"]
    # The numbers of the terms, and words that join them.
    Formula: TypeAlias = "int | tuple[str, list[Formula]]"
    # The terms, the formula, and both as text: what the extension takes.
    Given: TypeAlias = "tuple[list[tuple[str, str, str, object, str]], Formula, str]"

_INT = range(-(1 << 63), 1 << 63)
# What a text means that names these: they are no fields.
RESERVED = frozenset(
    {*("field", "any", "all", "date", "datetime", "time", "timedelta", "UUID", "Decimal"), "exists"}
)
_METHODS = {
    "in": "isin",
    "between": "between",
    "startswith": "startswith",
    "endswith": "endswith",
    "contains": "contains",
    "matches": "matches",
    "is_none": "is_none",
    "exists": "exists",
}


class Condition:
    """Which records are wanted: a comparison of a field, or several that `&`, `|` and `~` join.

    `field` makes the comparisons. `str` of a condition is text that `where=` takes.

    Example:
        >>> import penstock
        >>> large = penstock.field("population") > 5_000_000
        >>> ~large | penstock.field("country").isin("CH", "AT")
        ~(field('population') > 5000000) | field('country').isin('CH', 'AT')
    """

    __module__ = "penstock"
    __slots__ = ("_parts", "_word")

    def __init__(self, word: str, parts: tuple[Any, ...]) -> None:
        """Join parts by a word, or make a term of a path, a quantifier, a test and a value."""
        self._word = word
        self._parts = parts

    def __and__(self, other: Condition) -> Condition:
        """Both are true."""
        return _joined("and", self, other)

    def __or__(self, other: Condition) -> Condition:
        """At least one is true."""
        return _joined("or", self, other)

    def __invert__(self) -> Condition:
        """It is not true."""
        return Condition("not", (self,))

    def __bool__(self) -> NoReturn:
        """Refuse `and`, `or`, `not` and chains of comparisons, which Python does not pass on.

        Raises:
            TypeError: Always.
        """
        raise TypeError(
            "a condition is neither true nor false: join conditions with & | ~, each in brackets, "
            "and use between() for a range"
        )

    def __eq__(self, other: object) -> bool:
        """Whether both have the same parts."""
        if not isinstance(other, Condition):
            return NotImplemented
        return repr(self) == repr(other)

    def __hash__(self) -> int:
        """As `__eq__`."""
        return hash(repr(self))

    def __repr__(self) -> str:
        """Show the condition as Python would make it."""
        return _shown(self, _as_call)

    def __str__(self) -> str:
        """Return it as text, which `where=` takes as well."""
        return _shown(self, _as_text)

    def _given(self) -> Given:
        """Return what the extension takes."""
        terms: list[tuple[str, str, str, object, str]] = []
        formula = _formula(self, terms)
        return terms, formula, str(self)


class Field:
    """A field of a record, to be compared: see `field`."""

    __module__ = "penstock"
    __slots__ = ("_path", "_quantifier")

    def __init__(self, path: str, quantifier: Quantifier = "one") -> None:
        """Name a field."""
        self._path = path
        self._quantifier: Quantifier = quantifier

    def __repr__(self) -> str:
        """Show the field."""
        return _of_field(self._path, self._quantifier)

    def __hash__(self) -> int:
        """By its path."""
        return hash((self._path, self._quantifier))

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]  # a condition, and no bool
        """It is equal to a value."""
        return self.is_none() if other is None else self._term("==", _literal(other))

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]  # as above
        """It is there, and not equal to a value."""
        if other is None:
            return self.exists() & ~self.is_none()
        return self._term("!=", _literal(other))

    def __lt__(self, other: object) -> Condition:
        """It is less than a value."""
        return self._term("<", _literal(other))

    def __le__(self, other: object) -> Condition:
        """It is less than a value, or equal to it."""
        return self._term("<=", _literal(other))

    def __gt__(self, other: object) -> Condition:
        """It is greater than a value."""
        return self._term(">", _literal(other))

    def __ge__(self, other: object) -> Condition:
        """It is greater than a value, or equal to it."""
        return self._term(">=", _literal(other))

    def __bool__(self) -> NoReturn:
        """Refuse a field without a comparison.

        Raises:
            TypeError: Always.
        """
        raise TypeError(f"{self!r} is no condition: compare it, for example with == True")

    def __contains__(self, _: object) -> NoReturn:
        """Refuse `value in field`, which Python does not pass on.

        Raises:
            TypeError: Always.
        """
        raise TypeError(f"Python does not pass on `in`: use contains() or isin() of {self!r}")

    def isin(self, *values: object) -> Condition:
        """It is equal to one of these values."""
        return self._term("in", [_literal(value) for value in values])

    def between(self, least: object, most: object) -> Condition:
        """It is neither less than one value nor greater than the other."""
        return self._term("between", (_literal(least), _literal(most)))

    def startswith(self, text: str) -> Condition:
        """It is text that starts so."""
        return self._term("startswith", _text("startswith", text))

    def endswith(self, text: str) -> Condition:
        """It is text that ends so."""
        return self._term("endswith", _text("endswith", text))

    def contains(self, text: str) -> Condition:
        """It is text that has this in it."""
        return self._term("contains", _text("contains", text))

    def matches(self, pattern: str) -> Condition:
        """It is text in which a regular expression is found: `^` and `$` stand for its ends.

        The syntax is that of the Rust crate `regex`, which matches in linear time, whatever the
        text is. It has neither references to groups nor looks ahead and back.
        """
        return self._term("matches", _text("matches", pattern))

    def is_none(self) -> Condition:
        """It is null, or not there."""
        return self._term("is_none", None)

    def exists(self) -> Condition:
        """It is there, whatever its value is."""
        return self._term("exists", None)

    def any(self) -> Field:
        """At least one of its values: of a list, or of an element that is repeated."""
        return Field(self._path, "any")

    def all(self) -> Field:
        """Each of its values. That is true if there are none."""
        return Field(self._path, "all")

    def _term(self, test: str, value: object) -> Condition:
        return Condition("term", (self._path, self._quantifier, test, value))


def field(path: str, /) -> Field:
    """Name a field of a record, to compare it in a condition for `where=`.

    A comparison means what it means for the objects that are read: numbers compare by value, text
    by its code points, a date with a date. A field that is missing makes each comparison false;
    `is_none` is true of it. So `~(field("age") > 30)` is true of a record without `age`.

    Args:
        path: The name of a field of the class; or a path as in `at=`, such as `"position/lat"` or
            `"@id"`, of a value that the class need not have.

    Returns:
        The field. `== != < <= > >=` compare it with a value; `isin`, `between`, `startswith`,
        `endswith`, `contains`, `matches`, `is_none` and `exists` ask for more. `any` and `all` ask
        about several values.

    Raises:
        TypeError: `path` is no text.

    Example:
        >>> import io, penstock
        >>> from penstock import field
        >>> cities = io.BytesIO(b'{"name":"Bern","size":134} {"name":"Rom","size":2873}')
        >>> large = field("size") > 1000
        >>> list(penstock.ndjson.read(cities, framing="concatenated", where=large))
        [{'name': 'Rom', 'size': 2873}]
    """
    if not isinstance(path, str):
        raise TypeError(f"a field is named by a str, and not by {type(path).__name__!r}")
    return Field(path)


field.__module__ = "penstock"


def given(where: object) -> Given:
    """Return what the extension takes of a condition, or of its text.

    Raises:
        TypeError: It is neither.
        ValueError: The text is no condition.
    """
    return condition(where)._given()  # noqa: SLF001 - of this module


def condition(where: object) -> Condition:
    """Return a condition that is one already, or its text.

    Raises:
        TypeError: It is neither.
        ValueError: The text is no condition.
    """
    if isinstance(where, Condition):
        return where
    if isinstance(where, str):
        from penstock._base.conditions_text import parsed  # noqa: PLC0415 - it imports `ast`

        return parsed(where)
    if isinstance(where, Field):
        raise TypeError(f"where={where!r} is no condition: compare it, for example with == True")
    kind = type(where).__name__
    raise TypeError(
        f"where must be a condition, such as field('size') > 3, or its text, and not {kind!r}"
    )


def _joined(word: str, one: Condition, other: object) -> Condition:
    if not isinstance(other, Condition):
        kind = type(other).__name__
        raise TypeError(f"a condition is joined with another one, and not with {kind!r}")
    parts: list[Condition] = []
    for part in (one, other):
        parts += part._parts if part._word == word else (part,)  # noqa: SLF001 - of this module
    return Condition(word, tuple(parts))


def _formula(of: Condition, terms: list[tuple[str, str, str, object, str]]) -> Formula:
    if of._word == "term":  # noqa: SLF001 - of this module
        path, quantifier, test, value = of._parts  # noqa: SLF001 - as above
        term = (path, quantifier, test, value, str(of))
        if term not in terms:
            terms.append(term)
        return terms.index(term)
    return of._word, [_formula(part, terms) for part in of._parts]  # noqa: SLF001 - as above


def _literal(value: object) -> tuple[str, object]:
    """Return a value as its kind and what it is made of.

    Raises:
        TypeError: A condition cannot compare such a value.
    """
    if isinstance(value, bool):
        return "bool", value
    kind = type(value)
    if kind is int:
        return ("int", value) if value in _INT else ("digits", str(value))
    if kind is float or kind is str:
        return kind.__name__, value
    import datetime as dt  # noqa: PLC0415 - most programs have it
    import decimal  # noqa: PLC0415 - as above
    import enum  # noqa: PLC0415 - as above
    import uuid  # noqa: PLC0415 - as above

    if isinstance(value, enum.Enum):
        return _literal(value.value)
    if isinstance(value, decimal.Decimal):
        return ("digits", str(value)) if value.is_finite() else ("float", float(value))
    if isinstance(value, dt.datetime):
        return "datetime", value.isoformat()
    if isinstance(value, (dt.date, dt.time)):
        return ("date" if isinstance(value, dt.date) else "time"), value.isoformat()
    if isinstance(value, dt.timedelta):
        return "timedelta", (value.days, value.seconds, value.microseconds)
    if isinstance(value, uuid.UUID):
        return "UUID", str(value)
    if isinstance(value, (int, float, str)):
        base = next(base for base in (int, float, str) if isinstance(value, base))
        return _literal(base(value))
    if value is None:
        raise TypeError("None has no order: use is_none()")
    raise TypeError(f"a condition cannot compare a field with {kind.__name__!r}")


def _text(method: str, text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{method} takes a str, and not {type(text).__name__!r}")
    return text


# --- As text


def _shown(of: Condition, term: Any) -> str:
    word, parts = of._word, of._parts  # noqa: SLF001 - of this module
    if word == "term":
        return str(term(*parts))
    by_words = term is _as_text
    if word == "not":
        inner = _shown(parts[0], term)
        bare = by_words and parts[0]._word in {"term", "not"}  # noqa: SLF001 - as above
        return f"{'not ' if by_words else '~'}{inner if bare else f'({inner})'}"
    sign = f" {word} " if by_words else {"and": " & ", "or": " | "}[word]
    return sign.join(_within(part, word, term) for part in parts)


def _within(part: Condition, word: str, term: Any) -> str:
    """Show a part of a condition, in brackets if it needs some."""
    shown = _shown(part, term)
    inner = part._word  # noqa: SLF001 - of this module
    is_weaker = inner == "or" and word == "and"
    is_operator = inner == "term" and term is _as_call and part._parts[2] not in _METHODS  # noqa: SLF001 - as above
    return f"({shown})" if is_weaker or is_operator else shown


def _of_field(path: str, quantifier: str) -> str:
    return f"field({path!r})" + ("" if quantifier == "one" else f".{quantifier}()")


def _as_call(path: str, quantifier: str, test: str, value: Any) -> str:
    field = _of_field(path, quantifier)
    method = _METHODS.get(test)
    if method is None:
        return f"{field} {test} {_value(value)}"
    return f"{field}.{method}({', '.join(_arguments(test, value))})"


def _as_text(path: str, quantifier: str, test: str, value: Any) -> str:
    import keyword  # noqa: PLC0415 - few programs show a condition

    names = path.split("/")
    is_bare = all(
        name.isidentifier() and not keyword.iskeyword(name) and name not in _METHODS.values()
        for name in names
    )
    is_bare = is_bare and path.isascii() and names[0] not in RESERVED
    field = ".".join(names) if is_bare else f"field({path!r})"
    if quantifier != "one":
        field = f"{quantifier}({field})"
    if test == "in":
        values = list(_arguments(test, value))
        return f"{field} in ({', '.join(values)}{',' if len(values) == 1 else ''})"
    if test == "contains":
        return f"{value!r} in {field}"
    if test == "is_none":
        return f"{field} is None"
    method = _METHODS.get(test)
    if method is None:
        return f"{field} {test} {_value(value)}"
    return f"{field}.{method}({', '.join(_arguments(test, value))})"


def _arguments(test: str, value: Any) -> Iterator[str]:
    if test in {"in", "between"}:
        return map(_value, value)
    return iter(() if value is None else (repr(value),))


def _value(literal: tuple[str, Any]) -> str:
    kind, value = literal
    if kind == "digits":
        return str(value) if str(value).lstrip("-").isdigit() else f"Decimal({value!r})"
    if kind == "float" and (value != value or value in {float("inf"), float("-inf")}):  # noqa: PLR0124 - not a number
        return f"float({str(value)!r})"
    if kind in {"bool", "int", "float", "str"}:
        return repr(value)
    if kind == "timedelta":
        return f"timedelta{value!r}"
    return f"{kind}({value!r})"
