"""The cost of `import`: an interpreter that imports one module and ends, less one that does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model import OURS, Case, Input, Row, Variant, below

if TYPE_CHECKING:
    from model import Call


def nothing(_: str) -> Call:
    """Stand in for a call: the rounds start the interpreters themselves."""
    return lambda data: data


PEERS = ("json", "orjson", "msgspec", "ijson", "pydantic")

ROWS = (
    Row(
        "import",
        "import, over the bare interpreter",
        (Variant(""),),
        tuple(Case(name, nothing, (name,), checked=False) for name in (OURS, *PEERS)),
        lambda _: Input(None),
        None,
        (below(10, "ms", "", "ms"),),
        measure="start",
    ),
)
