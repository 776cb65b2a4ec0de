"""`at`, which says where in the document a field's value is, and words without arguments."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn


class _Word:
    """The type of words without arguments, each of which is one object."""

    __module__ = "penstock"
    __slots__ = ("_name",)

    _name: str

    def __init__(self, name: str, /) -> None:
        """Store the name."""
        self._name = name

    def __repr__(self) -> str:
        """Return the name."""
        return self._name

    def __reduce__(self) -> str:
        """Pickle as the only instance of the name."""
        return self._name


Hex = _Word("Hex")
"""Says that a field of `bytes` is written as hexadecimal digits: `Annotated[bytes, Hex]`."""

Base64Url = _Word("Base64Url")
"""Says that a field of `bytes` is written as base64 for URLs, with `-` and `_`: as in tokens.

The padding may be absent.
"""

Base64Unpadded = _Word("Base64Unpadded")
"""Says that the base64 of a field of `bytes` may lack its padding."""

Base64Mime = _Word("Base64Mime")
"""Says that the base64 of a field of `bytes` may have line ends and other white space in it."""

rest = _Word("rest")
"""Says that a field of type `dict[str, Any]` takes all keys that the class does not name.

`Annotated[dict[str, Any], rest]`. In XML, these are child elements and, with an `@`, attributes.
"""


class at:  # noqa: N801 - an annotation, with the same name as read(at=)
    """Say where a field's value is, with a path that starts inside the record.

    Without it, a field's own name is its key. Steps are separated by `/`; `*` is any child or any
    element; a leading `//` matches at any depth, but not inside a match; a digit is an index in an
    array and a key in an object; `key()` is the key by which the object was found: by the last `*`
    of the path to it, or in a dict or a list.
    `~0 ~1 ~2 ~3` stand for `~ / * @` inside a key, and the step `~4` for the empty key.

    In XML, a step is the name of a child element, `@x` an attribute, `text()` the element's own
    text. `{uri}x` is a name in a namespace, `p:x` one whose prefix is in `namespaces=`, `*:x`
    one in any namespace, and `x` one that is written without a prefix.

    Several paths are places for one value: documents have it in one of them. If a JSON document has
    it in more than one, that counts as a repeated key (`duplicates=`); in XML, as a repeated
    element (`repeated=`).

    The path `.` is the object itself: the fields of the field's class are read from the members of
    the same object.

    Instead of a path, you may pass a mapping of paths to types, a choice: each element becomes the
    type of its path, in the order of the document. The path `text()` is the text between the
    elements.

    Attributes:
        path: The path as you passed it; several as a tuple; for a choice, pairs of a path and a
            type. Penstock compiles it with its class; a mistake in it is a `PlanError` then.
        key: For a field that is a dict of objects: the field of the objects that holds the key.
        value: For a field that is a dict whose keys and values are each in an element, or in an
            object: the path of the value in there. Then `key` is the path of the key in there.

    Raises:
        TypeError: The path is neither a `str` nor a mapping, or the key or the value is no `str`.
        ValueError: The mapping is empty.

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

        A key that has another name in older documents:

        >>> @dataclass
        ... class User:
        ...     name: Annotated[str, penstock.at("name", "userName")]
        >>> penstock.json.decode('[{"name": "Ada"}, {"userName": "Bo"}]', list[User])
        [User(name='Ada'), User(name='Bo')]

        A class that is read from the members of the same object:

        >>> @dataclass
        ... class Sale:
        ...     price: int
        ...     buyer: Annotated[User, penstock.at(".")]
        >>> penstock.json.decode('{"price": 7, "userName": "Bo"}', Sale)
        Sale(price=7, buyer=User(name='Bo'))

        A dict out of elements that have a key and a value each:

        >>> @dataclass
        ... class Node:
        ...     tags: Annotated[dict[str, str], penstock.at("tag", key="@k", value="@v")]
        >>> penstock.xml.decode('<node><tag k="place" v="town"/></node>', Node)
        Node(tags={'place': 'town'})

        A choice, for the mixed content of XML:

        >>> @dataclass
        ... class Link:
        ...     href: str
        >>> @dataclass
        ... class Paragraph:
        ...     content: Annotated[list[str | Link], penstock.at({"text()": str, "a": Link})]
        >>> penstock.xml.decode('<p>See <a href="/b"/>.</p>', Paragraph)
        Paragraph(content=['See ', Link(href='/b'), '.'])
    """

    __module__ = "penstock"
    __slots__ = ("key", "path", "value")

    path: str | tuple[str, ...] | tuple[tuple[str, Any], ...]
    key: str | None
    value: str | None

    def __init__(
        self,
        path: str | Mapping[str, Any],
        /,
        *more: str,
        key: str | None = None,
        value: str | None = None,
    ) -> None:
        """Store the path without parsing it."""
        if key is not None and not isinstance(key, str):
            raise TypeError(f"at(key=...) takes the name of a field, not {type(key).__name__}")
        if value is not None and not isinstance(value, str):
            raise TypeError(f"at(value=...) takes a path, not {type(value).__name__}")
        given: str | tuple[str, ...] | tuple[tuple[str, Any], ...]
        if more:
            for one in (path, *more):
                if not isinstance(one, str):
                    kind = type(one).__name__
                    raise TypeError(f"at() takes several paths as str, not {kind}")
            given = (str(path), *more)
        elif isinstance(path, str):
            given = path
        elif hasattr(path, "items"):
            given = tuple(path.items())
            if not given:
                raise ValueError("at() takes a path, or a mapping of paths to types: it is empty")
            if not all(isinstance(step, str) for step, _ in given):
                raise TypeError("at() takes a mapping whose keys are paths")
        else:
            kind = type(path).__name__
            raise TypeError(f"at() takes a path as a str, or a mapping of paths, not {kind}")
        object.__setattr__(self, "path", given)
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "value", value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse, because annotations are shared and hashed."""
        raise AttributeError(f"at() cannot be changed once made (setting {name!r})")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse, as for setting."""
        raise AttributeError(f"at() cannot be changed once made (deleting {name!r})")

    def _given(self) -> tuple[Any, ...]:
        """The paths, or the choice as a mapping."""
        if isinstance(self.path, str):
            return (self.path,)
        if isinstance(self.path[0], str):
            return self.path
        return (dict(self.path),)

    def __repr__(self) -> str:
        """Return the expression that creates it."""
        key = "" if self.key is None else f", key={self.key!r}"
        key += "" if self.value is None else f", value={self.value!r}"
        given = self._given()
        if isinstance(given[0], str):
            return f"at({', '.join(map(repr, given))}{key})"
        types = (
            (path, into.__name__ if isinstance(into, type) else repr(into))
            for path, into in given[0].items()
        )
        pairs = ", ".join(f"{path!r}: {into}" for path, into in types)
        return f"at({{{pairs}}}{key})"

    def __eq__(self, other: object) -> bool:
        """Compare by path, key and value."""
        if not isinstance(other, at):
            return NotImplemented
        return (self.path, self.key, self.value) == (other.path, other.key, other.value)

    def __hash__(self) -> int:
        """Hash by value, as `Annotated` needs."""
        return hash((at, self.path, self.key, self.value))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that creates it."""
        return _from_parts, (self._given(), self.key, self.value)


def _from_parts(given: tuple[Any, ...], key: str | None, value: str | None = None) -> at:
    """Undo `at.__reduce__`: `pickle` has no other way to pass keywords."""
    return at(*given, key=key, value=value)


_from_parts.__module__ = "penstock._at"  # As pickles name it: see `penstock._pickled`.


_SIGNS = (("~", "~0"), ("/", "~1"), ("*", "~2"), ("@", "~3"))


def written(steps: Sequence[str | int]) -> str:
    """Return a path of keys and indexes as `at` writes it."""
    return "/".join(map(_escaped, steps))


def _escaped(step: str | int) -> str:
    if not isinstance(step, str):
        return str(step)
    for sign, escape in _SIGNS:
        step = step.replace(sign, escape)
    return step or "~4"


def unescaped(step: str) -> str:
    """Return the key that a step of a path stands for."""
    if step == "~4":
        return ""
    for sign, escape in reversed(_SIGNS):
        step = step.replace(escape, sign)
    return step
