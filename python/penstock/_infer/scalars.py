"""The types of scalars, by what was seen of them."""

from __future__ import annotations

from penstock._infer import evidence as _evidence
from penstock._infer import names as _names
from penstock._infer import types as _types

TYPE_CHECKING = False

if TYPE_CHECKING:
    from penstock._infer.evidence import Place, Texts
    from penstock._infer.types import Type

# A place with at most so many different texts has these for a type, if each came so often on
# average.
# The public documentation gives these numbers.
_FEW = 12
_OFTEN = 10
# A longer text is none of a choice, and one of more words.
_LONGEST = 24
_WORDS = 2
# The last words of keys whose values name one thing, so that others have others.
_NAMING = frozenset({
    *("id", "ids", "uuid", "guid", "key", "name", "title", "label", "text", "description"),
    *("comment", "note", "url", "uri", "href", "path", "file", "hash", "sha"),
    *("code", "number", "version", "address", "city", "headsign", "author", "owner", "user"),
    *("source", "value"),
})  # fmt: skip
# So many digits behind the point are those of money.
_CENTS = 2


def numbers(place: Place) -> Type | None:
    """Return the type of the numbers of JSON or of a property list; None if there are none."""
    if place.floats.inexact:
        return _types.DECIMAL
    if place.floats.count:
        return _types.FLOAT
    return _types.INT if place.ints.count else None


def texts(
    seen: Texts, key: str, *, untyped: bool, has_numbers: bool = False, is_item: bool = False
) -> Type:
    """Return the type of the texts at a key: of a format without types, or of strings.

    `has_numbers` is whether there are numbers beside strings: then no string is one. `is_item` is
    whether they are items of arrays: tags and the like, of which there will be others.
    """
    if seen.count == seen.empty:
        return _types.STR
    last = (_names.words(key) or [""])[-1].lower()
    # An empty string is of no other type. An empty cell is no value.
    found = None if seen.empty and not untyped else _formed(seen, untyped)
    if found is not None:
        # 1.10 is a version behind 1.9.
        is_version = last == "version" and found in {_types.FLOAT, _types.DECIMAL}
        is_beside = has_numbers and found == _types.DECIMAL
        return _types.STR if is_version or is_beside else found
    choice = None if is_item or last in _NAMING else few(seen, untyped=untyped)
    return choice or _types.STR


def _formed(seen: Texts, untyped: bool) -> Type | None:
    forms = seen.forms
    if untyped:
        if forms & _evidence.BOOL:
            return _types.BOOL
        if forms & _evidence.INT:
            return _types.INT
        if number := _number(seen):
            return number
    elif _is_decimal(seen):
        return _types.DECIMAL
    for form, of in (
        (_evidence.DATE, _types.DATE),
        (_evidence.DATETIME, _types.DATETIME),
        (_evidence.TIME, _types.TIME),
        (_evidence.DURATION, _types.DURATION),
        (_evidence.UUID, _types.UUID),
    ):
        if forms & form:
            return of
    return None


def _number(seen: Texts) -> Type | None:
    """The type of untyped numbers that are no integers."""
    is_money = seen.floats.scale == (_CENTS, _CENTS) and not seen.ints.count
    is_decimal = seen.forms & _evidence.DECIMAL and (seen.floats.inexact or is_money)
    if is_decimal:
        return _types.DECIMAL
    return _types.FLOAT if seen.forms & _evidence.FLOAT else None


def _is_decimal(seen: Texts) -> bool:
    """Whether strings are decimal numbers, and neither versions nor identifiers."""
    if not seen.forms & _evidence.DECIMAL or seen.ints.count or seen.floats.scientific:
        return False
    scale = seen.floats.scale
    return scale is not None and scale[0] >= _CENTS


def few(seen: Texts, *, untyped: bool) -> Type | None:
    """Return the texts themselves, if they are few and come again and again."""
    values = seen.values
    if values is None or not seen.forms & _evidence.WORD:
        return None
    # White space around untyped text may be how the file is laid out.
    if untyped and not seen.forms & _evidence.TRIMMED:
        return None
    if not 1 < len(values) <= _FEW or min(values.values()) < 2:
        return None
    if sum(values.values()) < _OFTEN * len(values):
        return None
    if not all(_is_word(text) for text in values):
        return None
    some = sorted(values)
    if seen.empty and not untyped:
        some.insert(0, "")
    return _types.Literal(tuple(some))


def _is_word(text: str) -> bool:
    """Whether it names something: it is short, and has a letter."""
    is_short = len(text) <= _LONGEST and len(text.split()) <= _WORDS
    return is_short and any(map(str.isalpha, text)) and text.isprintable()


def keys(seen: Texts) -> Type:
    """Return the type of keys that are data."""
    if seen.empty or seen.count == 0:
        return _types.STR
    for form, of in (
        (_evidence.INT, _types.INT),
        (_evidence.DATE, _types.DATE),
        (_evidence.UUID, _types.UUID),
    ):
        if seen.forms & form:
            return of
    return _types.STR
