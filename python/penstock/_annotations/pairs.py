"""Dicts out of elements that have a key and a value each: `at("tag", key="@k", value="@v")`."""

from __future__ import annotations

from penstock._annotations.at import at
from penstock._annotations.via import via

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def pairs(annotation: object, key: str | None, value: str) -> via:
    """Return what reads the dict of this annotation from a list of pairs, and writes it as one.

    Raises:
        TypeError: The annotation is not that of a dict, or there is no path for the key.
    """
    from dataclasses import make_dataclass  # noqa: PLC0415 - it takes time, and is seldom needed
    from typing import Annotated, get_args, get_origin  # noqa: PLC0415

    if key is None:
        raise TypeError("value= needs key=, the path of the key in the same element")
    types = get_args(annotation)
    if get_origin(annotation) is not dict or getattr(annotation, "__parameters__", None):
        shown = annotation.__name__ if isinstance(annotation, type) else repr(annotation)
        raise TypeError(f"value= is for a dict of types, dict[K, V], not {shown}")
    fields = [
        ("key", Annotated[types[0], at(key)]),
        ("value", Annotated[types[1], at(value)]),
    ]
    pair = make_dataclass("Pair", fields, slots=True)

    def collected(found: list[Any]) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for each in found:
            if each.key in made:
                raise ValueError(f"two elements have the key {each.key!r}")
            made[each.key] = each.value
        return made

    def spelled(values: Mapping[Any, Any]) -> list[Any]:
        return [pair(each, values[each]) for each in values]

    return via(collected, list[pair], encode=spelled)  # type: ignore[valid-type]
