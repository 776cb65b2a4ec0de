"""Types with the functions that make their values: `types=` of the verbs."""

from __future__ import annotations

import penstock._rust as _rust
from penstock._base.types import PLAIN

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from typing_extensions import TypeForm

    from penstock._base.types import At, T, Types


def with_types(into: Any, types: Types) -> Any:
    """Return a plan of `into`, a type or a plan, that also has `types`."""
    return _rust.Plan(into, types=types)


def of_records(
    into: TypeForm[T], at: At[T] | None, types: Types
) -> tuple[TypeForm[T], At[T] | None]:
    """Return a plan of each type of a reader: one, or one for each path."""
    if at is None or isinstance(at, str):
        return with_types(into, types), at
    if into is not PLAIN or not hasattr(at, "keys"):
        return into, at  # It is refused by the same code as without types.
    kinds: Mapping[str, TypeForm[T]] = at
    return into, {path: with_types(kinds[path], types) for path in kinds}
