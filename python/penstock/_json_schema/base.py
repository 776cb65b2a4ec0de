"""What the parts of the renderer share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock._json_schema.tree import Mode, Schema, Step, Tree


class Base:
    """A renderer, as its parts know it."""

    tree: Tree
    mode: Mode

    def schema(self, number: int, steps: Iterable[Step] = ()) -> Schema:
        """Return the schema of a node, with more checks of its values."""
        raise NotImplementedError

    def of_class(self, number: int) -> Schema:
        """Return a reference to the definition of a class."""
        raise NotImplementedError
