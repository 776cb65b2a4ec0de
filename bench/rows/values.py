"""Python values to objects, and back: 200,000 dicts of four, as a database or a parser gives them.

Both the dicts and the objects are made before the clock starts.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any

from model import OURS, Case, Input, Row, Variant, faster, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from model import Call

OFF = "collector off"
COUNT = 200_000


@dataclasses.dataclass(slots=True)
class Place:
    """A row of a table."""

    number: int
    name: str
    height: float
    kind: str


DICTS = [{"number": n, "name": f"place {n}", "height": n / 8, "kind": "k"} for n in range(COUNT)]


def sized(made: Callable[[list[Any]], Any], values: list[Any], _: str) -> Call:
    """Return the call for all values, or for one of them."""
    small = values[:1]
    return lambda which: made(small if which == "small" else values)


def penstock_make() -> Callable[[list[Any]], Any]:
    """Penstock."""
    import penstock

    return lambda values: penstock.make(values, list[Place])


def msgspec_convert() -> Callable[[list[Any]], Any]:
    """msgspec, into the same dataclass."""
    import msgspec

    return lambda values: msgspec.convert(values, list[Place])


def pydantic_model() -> Callable[[list[Any]], Any]:
    """pydantic, into models."""
    import pydantic

    model = pydantic.create_model("Place", number=int, name=str, height=float, kind=str)
    adapter = pydantic.TypeAdapter(list[model])  # type: ignore[valid-type]
    return adapter.validate_python


def the_class() -> Callable[[list[Any]], Any]:
    """The class, called with each dict: nothing is checked."""
    return lambda values: [Place(**value) for value in values]


def penstock_plain() -> Callable[[list[Any]], Any]:
    """Penstock."""
    import penstock

    return penstock.plain


def msgspec_to_builtins() -> Callable[[list[Any]], Any]:
    """msgspec, from the same dataclass."""
    import msgspec

    return msgspec.to_builtins


def as_dict() -> Callable[[list[Any]], Any]:
    """The standard library."""
    return lambda values: [dataclasses.asdict(value) for value in values]


def made(library: Callable[[], Callable[[list[Any]], Any]], variant: str) -> Call:
    """Return the call that makes objects of the dicts."""
    return sized(library(), DICTS, variant)


def unmade(library: Callable[[], Callable[[list[Any]], Any]], variant: str) -> Call:
    """Return the call that makes dicts of the objects."""
    return sized(library(), [Place(**value) for value in DICTS], variant)


def fields(values: Any) -> Iterable[object]:
    """Return the values of all fields."""
    for value in values:
        if isinstance(value, dict):
            yield tuple(value.values())
        else:
            yield value.number, value.name, value.height, value.kind


def row(key: str, title: str, cases: tuple[Case, ...], bars: tuple[Any, ...]) -> Row:
    """Return a row."""
    variants = (Variant(OFF, collector=False),)
    return Row(key, title, variants, cases, lambda _: Input("large", "small"), fields, bars)


ROWS = (
    row(
        "values-make",
        f"{COUNT:,} dicts of four into slots dataclasses",
        (
            Case(OURS, partial(made, penstock_make), (OURS,)),
            Case("msgspec.convert", partial(made, msgspec_convert), ("msgspec",)),
            Case("pydantic", partial(made, pydantic_model), ("pydantic",)),
            Case("the class itself", partial(made, the_class)),
        ),
        (faster("msgspec.convert", OFF, 1.2), faster("pydantic", OFF, 5)),
    ),
    row(
        "values-plain",
        f"{COUNT:,} slots dataclasses of four into dicts",
        (
            Case(OURS, partial(unmade, penstock_plain), (OURS,)),
            Case("msgspec.to_builtins", partial(unmade, msgspec_to_builtins), ("msgspec",)),
            Case("dataclasses.asdict", partial(unmade, as_dict)),
        ),
        (within(1.0, "msgspec.to_builtins", OFF),),
    ),
)
