"""`tag`, which names the key that selects the class of a union."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn


class tag:  # noqa: N801 - an annotation, like `at`
    """Say which key, or in XML which attribute, tells the classes of a union apart.

    Put it beside the union, `Annotated[Circle | Square, tag("type")]`, or pass it to a plan,
    `Plan(Circle | Square, tag="type")`, which leaves the classes alone. The classes need not have a
    field for the key.

    Attributes:
        key: The key. In XML the name of the attribute, as a path says it: `type`, `xsi:type` with
            `namespaces=`, or `{uri}type`.
        values: The values of the key, each with its class. By default the names of the classes
            are the values.
        other: The class of the union that takes every other object: one whose key has another
            value, or which lacks the key. By default, such an object is a `ValidationError`,
            unless the union has a `dict` or `Any`, which take it.

    Raises:
        TypeError: The key is not a `str`, or the values are not a mapping of `str` or `int` to
            classes.

    Example:
        >>> from dataclasses import dataclass
        >>> from typing import Annotated
        >>> import penstock
        >>> @dataclass
        ... class Circle:
        ...     radius: float
        >>> @dataclass
        ... class Square:
        ...     side: float
        >>> Shape = Annotated[Circle | Square, penstock.tag("type", {"o": Circle, "#": Square})]
        >>> penstock.json.decode('[{"side": 2, "type": "#"}]', list[Shape])
        [Square(side=2.0)]
        >>> @dataclass
        ... class Unknown:
        ...     type: str
        >>> shape = Annotated[Circle | Unknown, penstock.tag("type", {"o": Circle}, other=Unknown)]
        >>> penstock.json.decode('[{"type": "*"}]', list[shape])
        [Unknown(type='*')]
    """

    __module__ = "penstock"
    __slots__ = ("key", "other", "values")

    key: str
    values: dict[str | int, type] | None
    other: type | None

    def __init__(
        self, key: str, values: Mapping[Any, type] | None = None, /, *, other: type | None = None
    ) -> None:
        """Store the key and the values without checking them against the classes."""
        if not isinstance(key, str):
            raise TypeError(f"tag() takes a key as a str, not {type(key).__name__}")
        given: dict[Any, type] | None = None
        if values is not None:
            if not hasattr(values, "items"):
                kind = type(values).__name__
                raise TypeError(f"tag() takes a mapping of values to classes, not {kind}")
            given = dict(values.items())
            for word in given:
                if not isinstance(word, (str, int)) or isinstance(word, bool):
                    raise TypeError(f"tag() takes values that are str or int, not {word!r}")
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "values", given)
        object.__setattr__(self, "other", other)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse, because annotations are shared and hashed."""
        raise AttributeError(f"tag() cannot be changed once made (setting {name!r})")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse, as for setting."""
        raise AttributeError(f"tag() cannot be changed once made (deleting {name!r})")

    def __repr__(self) -> str:
        """Return the expression that creates it."""
        parts = [repr(self.key)]
        if self.values is not None:
            pairs = ", ".join(f"{value!r}: {name(cls)}" for value, cls in self.values.items())
            parts.append(f"{{{pairs}}}")
        if self.other is not None:
            parts.append(f"other={name(self.other)}")
        return f"tag({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        """Compare by key and values."""
        if not isinstance(other, tag):
            return NotImplemented
        same = self.key == other.key and self.values == other.values
        return same and self.other is other.other

    def __hash__(self) -> int:
        """Hash by value, as `Annotated` needs."""
        return hash((tag, self.key, self.values and tuple(self.values), self.other))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that creates it."""
        return _tag, (self.key, self.values, self.other)


def name(cls: type) -> str:
    """Return the name of a class for a `repr`."""
    return getattr(cls, "__name__", repr(cls))


def _tag(key: str, values: dict[str | int, type] | None, other: type | None) -> tag:
    """Make a `tag` from its parts: for pickles."""
    return tag(key, values, other=other)


_tag.__module__ = "penstock._tag"  # As pickles name it: see `penstock._pickled`.
