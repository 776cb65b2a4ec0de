"""`penstock.infer`: the code of classes that read a file."""

from __future__ import annotations

import keyword

from penstock._any_format import verbs as _verbs
from penstock._base import suggest as _suggest
from penstock._infer import code as _code
from penstock._infer import evidence as _evidence
from penstock._infer import kinds as _kinds
from penstock._infer import settle as _settle
from penstock._infer.decide import Decided
from penstock._io import sources as _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Literal

    from penstock._base.limits import Limits
    from penstock._base.types import At, ClassKind, Compression, Format, Sources, Where
    from penstock._infer.evidence import Texts


# So many names of elements are said.
_NAMED = 4


@_suggest.advised
def infer(
    source: Sources,
    /,
    *,
    name: str = "Record",
    kind: ClassKind = "dataclass",
    threads: int = 1,
    format: Format | None = None,
    at: At[Any] | None = None,
    errors: Literal["raise", "skip"] = "raise",
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
    where: Where | None = None,
) -> str:
    _sources.check("infer", source)
    check(name, kind)
    reader: Any = _verbs.read(
        source,
        format=format,
        at=at,
        errors=errors,
        encoding=encoding,
        compression=compression,
        member=member,
        limits=limits,
        where=where,
    )
    return of_reader(reader, name, kind, threads)


def check(name: str, kind: str) -> None:
    """Refuse a name that no class can have, and a kind of class that there is not.

    Raises:
        ValueError: It is one.
    """
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"name= is the name of a class, and {name!r} is none")
    if kind not in _kinds.KINDS:
        known = ", ".join(map(repr, _kinds.KINDS))
        raise ValueError(f"kind={kind!r} is no kind of class; the kinds are {known}")


def of_reader(reader: Any, name: str, kind: str, threads: int) -> str:
    """Return the code of classes that read what a reader without a class reads."""
    told = reader._evidence(threads)  # noqa: SLF001 - it is ours
    record, names, count, format = _evidence.record(told)
    has_elements = format == "xml"
    _settle.settle(record, has_elements=has_elements)
    decided = Decided(
        record, name, has_types=format not in {"xml", "csv"}, has_elements=has_elements
    )
    return _code.Module(decided, kind, name, _title(count, names)).code()


def _title(count: int, names: Texts) -> list[str]:
    """What is said first: how many records there were, and of which elements."""
    said = [f"# {count:,} {'record' if count == 1 else 'records'}"]
    if names.values is not None and len(names.values) > 1:
        often = sorted(names.values, key=lambda name: (-names.values[name], name))
        told = ", ".join(f"{name} {names.values[name]:,}" for name in often[:_NAMED])
        more = ", ..." if len(often) > _NAMED else ""
        said.append(f"# of several elements, of which at= chooses one: {told}{more}")
    return said


infer.__module__ = "penstock"
