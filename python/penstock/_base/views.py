"""The views of an object of a document: the results of `keys()`, `values()` and `items()`."""

from __future__ import annotations

from collections.abc import ItemsView, KeysView, ValuesView

from penstock._rust import document_items, document_values

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from penstock._rust import DocumentMap


class Keys(KeysView[str]):
    """The keys, in the order of their first occurrence in the text."""

    __slots__ = ()
    _mapping: DocumentMap


class Values(ValuesView["Any"]):
    """The values, in the order of their keys."""

    __slots__ = ()
    _mapping: DocumentMap

    def __iter__(self) -> Iterator[Any]:
        """Iterate without a look-up for each key."""
        return document_values(self._mapping)


class Items(ItemsView[str, "Any"]):
    """The keys with their values."""

    __slots__ = ()
    _mapping: DocumentMap

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Iterate without a look-up for each key."""
        return document_items(self._mapping)
