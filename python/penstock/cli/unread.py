"""A type for records whose contents are only validated and skipped."""

from __future__ import annotations

from collections import namedtuple

from penstock.cli.threads import chosen

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from penstock._rust import Reader

UNREAD: Any = namedtuple("UNREAD", ())  # noqa: PYI024 - it has no field to annotate


def pass_over(reader: Reader[Any], threads: int | None, *, distinct: bool = False) -> None:
    """Read all records of a reader into the type, in so many threads, and keep none.

    With `distinct`, no two columns of a table may have one name.
    """
    reader._pass_over(chosen(threads), distinct)  # noqa: SLF001 - it is for this
