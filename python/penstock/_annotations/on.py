"""`on` and `Stop`, for the handlers of `send`."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Method = TypeVar("Method", bound=Callable[..., Any])

# The attribute of a function that holds its paths. Decorators that call `functools.wraps` copy it.
MARK = "__penstock_on__"


def on(path: str, /) -> Callable[[Method], Method]:
    """Mark a method of a handler with the path of the elements that it is called for.

    A path of one step is the name of elements at any depth, like a method's own name. If a path has
    several steps, the first is the root element in XML, and a key of the root in JSON; a leading
    `//` finds the first step at any depth. `*` is any element; `{uri}name` is exact, `p:name` takes
    the prefix from `namespaces=`, `*:name` is in any namespace, and a name alone matches elements
    that are written without a prefix. With `text()` as last step the method gets the text of the
    element, a `str`, and no `Element`. The empty path is the document itself.

    A marked method is not called for elements of its own name. You may mark a method several times.

    Args:
        path: The path. Penstock parses it when the handler is used; a mistake in it is a
            `ValueError` then.

    Returns:
        A decorator that returns the function itself.

    Raises:
        TypeError: The path is not a `str`, or the marked object is not a function.

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
        # Decorators are applied from below; the paths are stored in reading order.
        setattr(method, MARK, (path, *getattr(method, MARK, ())))
        return method

    return mark


on.__module__ = "penstock"


class Stop(Exception):
    """Raise or return it in a handler's method to end the reading.

    `send` then returns the value that you gave to it, or None.

    Attributes:
        value: The result of `send`.

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
        """Store the value."""
        super().__init__(value)
        self.value = value
