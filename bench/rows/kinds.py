"""Every kind of class and type that users have: the same class in each library, if possible.

If msgspec refuses the class (a union of dataclasses), both get msgspec's own Structs, so that
penstock and msgspec are compared with the same class.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import kinds
from model import BOTH_COLLECTORS, OURS, Case, Input, Row, faster

if TYPE_CHECKING:
    from kinds import Kind
    from model import Call


def penstock(kind: Kind, _: str) -> Call:
    """Penstock, into the class as it is."""
    import penstock.json

    shape: Any = list[kind.into()]  # type: ignore[misc]
    return lambda data: penstock.json.decode(data, shape)


def into_structs(kind: Kind, _: str) -> Call:
    """Penstock, into the Structs for msgspec."""
    import penstock.json

    assert kind.struct
    shape: Any = list[kind.struct()]  # type: ignore[misc]
    return lambda data: penstock.json.decode(data, shape)


def msgspec(kind: Kind, _: str) -> Call:
    """Msgspec into the same class, with a decoder made beforehand."""
    import msgspec

    shape: Any = list[(kind.struct or kind.into)()]  # type: ignore[misc]
    return msgspec.json.Decoder(shape).decode


def pydantic(kind: Kind, _: str) -> Call:
    """Pydantic into the same class, with an adapter made beforehand."""
    from pydantic import TypeAdapter

    shape: Any = list[kind.into()]  # type: ignore[misc]
    return TypeAdapter(shape).validate_json


def source(kind: Kind, _: str) -> Input:
    """Return the records' bytes, read before the clock starts."""
    return Input(kind.path().read_bytes(), kind.small())


def row(kind: Kind) -> Row:
    """Return the row of one kind."""
    peer = "msgspec Struct" if kind.struct else "msgspec"
    cases = [
        Case(OURS, partial(penstock, kind), (OURS,)),
        Case(peer, partial(msgspec, kind), ("msgspec",)),
    ]
    ours = OURS
    if kind.struct:
        ours = "penstock into Structs"
        cases.append(Case(ours, partial(into_structs, kind), (OURS, "msgspec")))
    # Pydantic does not know attrs.
    if kind.key != "attrs":
        cases.append(Case("pydantic", partial(pydantic, kind), ("pydantic",)))
    return Row(
        kind.key,
        f"{kinds.RECORDS:,} records, {kind.title}",
        BOTH_COLLECTORS,
        tuple(cases),
        partial(source, kind),
        kinds.values,
        tuple(faster(peer, variant.name, 1, ours) for variant in BOTH_COLLECTORS),
        same=("collector off",),
    )


ROWS = tuple(map(row, kinds.ALL))
