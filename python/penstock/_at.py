"""`at`: the word for "where in the document" in a field's annotation."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn


class at:  # noqa: N801 - a word in the language of annotations, and the same word as read(at=)
    """Say where a field's value stands, by a path that starts inside the record.

    Without it, a field's own name is its key. Steps are separated by `/`; `*` is any child or any
    element; a leading `//` is anywhere below; a digit is an index in an array and a key in an
    object; `key()` is the key that a `*` of the record's own path matched. `~0 ~1 ~2 ~3` stand for
    `~ / * @` inside a key.

    Attributes:
        path: The path, as it was given. It is compiled when its class is planned, and a mistake in
            it is a `PlanError` then.

    Raises:
        TypeError: The path is not a `str`.

    Example:
        >>> from dataclasses import dataclass
        >>> from typing import Annotated
        >>> import penstock
        >>> @dataclass
        ... class Station:
        ...     name: str
        ...     latitude: Annotated[float, penstock.at("position/lat")]
        >>> penstock.json.decode('{"name": "Bern", "position": {"lat": 46.9}}', Station)
        Station(name='Bern', latitude=46.9)
    """

    __module__ = "penstock"
    __slots__ = ("path",)

    path: str

    def __init__(self, path: str, /) -> None:
        """Take the path, unread."""
        if not isinstance(path, str):
            raise TypeError(f"at() takes a path as a str, not {type(path).__name__}")
        object.__setattr__(self, "path", path)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: annotations are shared and hashed."""
        raise AttributeError(f"at() cannot be changed once made (setting {name!r})")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse, as for setting."""
        raise AttributeError(f"at() cannot be changed once made (deleting {name!r})")

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return f"at({self.path!r})"

    def __eq__(self, other: object) -> bool:
        """Compare by path."""
        return self.path == other.path if isinstance(other, at) else NotImplemented

    def __hash__(self) -> int:
        """Hash by value, as `Annotated` needs."""
        return hash((at, self.path))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that makes it."""
        return at, (self.path,)
