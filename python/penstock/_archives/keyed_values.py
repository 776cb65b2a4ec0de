"""The values in keyed archives for which Python has no class."""

from __future__ import annotations

import reprlib

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any


class ArchivedObject:
    """An object in a keyed archive whose class Penstock does not know.

    It equals only itself, because it may be part of a cycle.

    Attributes:
        class_name: The name of its class, as the archive has it.
        classes: The names of its class and of the classes above it.
        fields: Its values by their keys.

    Example:
        >>> import penstock
        >>> penstock.plist.ArchivedObject("XYPerson", fields={"name": "Ada"})
        ArchivedObject('XYPerson', {'name': 'Ada'})
    """

    __module__ = "penstock.plist"
    __slots__ = ("class_name", "classes", "fields")

    def __init__(
        self,
        class_name: str,
        classes: tuple[str, ...] = (),
        fields: dict[str, Any] | None = None,
    ) -> None:
        """Make an object. Without `classes`, the class is a subclass of `NSObject`."""
        self.class_name = class_name
        self.classes = classes or (class_name, "NSObject")
        self.fields = {} if fields is None else fields

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        return f"ArchivedObject({self.class_name!r}, {self.fields!r})"


class AttributedString:
    """The text of an `NSAttributedString`, with the attributes of its parts.

    Attributes:
        text: The whole text.
        runs: For each part, in order: where it begins and ends in `text`, and its attributes.

    Example:
        >>> import penstock
        >>> penstock.plist.AttributedString("bold", [(0, 4, {"NSFont": "Helvetica-Bold"})])
        AttributedString('bold', [(0, 4, {'NSFont': 'Helvetica-Bold'})])
    """

    __module__ = "penstock.plist"
    __slots__ = ("runs", "text")

    def __init__(self, text: str, runs: list[tuple[int, int, dict[str, Any]]]) -> None:
        """Make an attributed string."""
        self.text = text
        self.runs = runs

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        return f"AttributedString({self.text!r}, {self.runs!r})"

    def __str__(self) -> str:
        """Return the text without its attributes."""
        return self.text
