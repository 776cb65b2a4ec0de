"""`on` and `Stop`: the two words that a handler of `send` may say."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Method = TypeVar("Method", bound=Callable[..., Any])

# Where a function keeps the paths that it is marked with. Decorators that call `functools.wraps`
# carry it over.
MARK = "__penstock_on__"


def on(path: str, /) -> Callable[[Method], Method]:
    """Mark a method of a handler with the path of the elements that it is called for.

    A path of one step is the name of elements, wherever they stand, as a method's own name is. Of
    several steps, the first is the root element in XML, and a key of the root in JSON; a leading
    `//` finds the first step anywhere. `*` is any element; `{uri}name` is exact, `p:name` takes the
    prefix from `namespaces=`, `*:name` is in any namespace, and a name alone matches elements
    that are written without a prefix. With `text()` as last step the method gets the text of the
    element, a `str`, and no `Element`. The empty path is the document itself.

    A marked method is not reached by its own name. A method may be marked several times.

    Args:
        path: The path. It is read when the handler is used, and a mistake in it is a `ValueError`
            then.

    Returns:
        A decorator that returns the function itself.

    Raises:
        TypeError: The path is not a `str`, or what is marked is not a function.

    Example:
        >>> import io, penstock
        >>> class Feed:
        ...     @penstock.on("//entry/title/text()")
        ...     def headline(self, text: str) -> None:
        ...         print(text)
        >>> feed = io.BytesIO(b'{"title": "News", "entry": [{"title": "One"}, {"title": "Two"}]}')
        >>> penstock.json.send(feed, Feed())
        One
        Two
    """
    if not isinstance(path, str):
        raise TypeError(f"on() takes a path as a str, not {type(path).__name__}")

    def mark(method: Method) -> Method:
        if not hasattr(method, "__code__"):
            raise TypeError(f"on() marks a function, not {type(method).__name__}")
        # Decorators are applied from below; the paths are kept as they are read.
        setattr(method, MARK, (path, *getattr(method, MARK, ())))
        return method

    return mark


on.__module__ = "penstock"


class Stop(Exception):
    """Raised or returned by a handler's method: nothing more of the source is read.

    `send` returns the value that it is made with, or None.

    Attributes:
        value: What `send` returns.

    Example:
        >>> import io, penstock
        >>> class First:
        ...     def name(self, element: penstock.Element) -> None:
        ...         raise penstock.Stop(element.value)
        >>> penstock.json.send(io.BytesIO(b'[{"name": "Bern"}, {"name": "Chur"}]'), First())
        'Bern'
    """

    __module__ = "penstock"

    value: object

    def __init__(self, value: object = None, /) -> None:
        """Keep the value."""
        super().__init__(value)
        self.value = value
