"""What `read` and `load` do with Arrow columns of others."""

from __future__ import annotations

import sys

import penstock._rust as _rust
from penstock._base import plan as _plan

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from penstock._base.limits import Limits
    from penstock._base.types import ArrowColumns, Types


def read(
    columns: ArrowColumns,
    into: object,
    policy: _rust.Policy,
    types: Types | None,
    limits: Limits | None,
    others: Mapping[str, bool],
) -> _rust.Reader[Any]:
    """Return a reader of the rows. `others` says which other options the caller gave.

    Raises:
        TypeError: One of them is for files.
    """
    for option, given in others.items():
        if given:
            raise TypeError(f"{option}= is no option for Arrow columns")
    if types is not None:
        into = _plan.with_types(into, types)
    return _rust.read_columns(columns, into, policy, limits)


def load(
    columns: ArrowColumns,
    into: object,
    policy: _rust.Policy,
    types: Types | None,
    limits: Limits | None,
    others: Mapping[str, bool],
) -> list[Any]:
    """Return all rows.

    Raises:
        TypeError: `into` is no list, or as for `read`.
    """
    typing = sys.modules.get("typing")
    if into is object or into is list or (typing is not None and into is typing.Any):
        record: object = object
    elif getattr(into, "__origin__", None) is list:
        record = into.__args__[0]  # type: ignore[attr-defined]  # every alias of list has it
    else:
        shown = getattr(into, "__name__", None) or repr(into)
        raise TypeError(f"load() of Arrow columns gives a list: ask for list[{shown}]")
    rows: list[Any] = []
    for batch in read(columns, record, policy, types, limits, others).batches(10_000):
        rows += batch
    return rows
