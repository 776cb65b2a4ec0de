"""`penstock.infer`: the code of classes that read a file."""

from __future__ import annotations

import keyword

import penstock._rust as _rust
from penstock._any_format import verbs as _verbs
from penstock._base import suggest as _suggest
from penstock._infer import code as _code
from penstock._infer import evidence as _evidence
from penstock._infer import kinds as _kinds
from penstock._infer import settle as _settle
from penstock._infer.decide import Decided
from penstock._infer.json_schema import Described
from penstock._io import sources as _sources

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, Literal

    from penstock._base.limits import Limits
    from penstock._base.types import At, ClassKind, Compression, Format, Sources, Where
    from penstock._infer.evidence import Place, Texts
    from penstock._rust import Reader


# So many names of elements are said.
_NAMED = 4


@_suggest.advised
def infer(
    source: Sources | Reader[Any],
    /,
    *,
    name: str = "Record",
    kind: ClassKind = "dataclass",
    threads: int = 1,
    format: Format | Literal["json-schema"] | None = None,
    at: At[Any] | None = None,
    errors: Literal["raise", "skip"] = "raise",
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
    where: Where | None = None,
) -> str:
    r"""Write the code of a class that reads the records of a file.

    All of the source is read, once, and nothing of it is kept. A comment beside each field says
    what was seen of its values. The code is formatted, and passes strict type checkers. Paste it
    into a module, and change what you know better: it is the code of a class like any other.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, or several files. Or a
            reader without a class of which nothing was read, for the options of a format:
            `penstock.csv.read(path, dialect="infer")`. Then the options below `threads` are its
            own.
        name: The name of the class. The classes inside of it get theirs from the keys.
        kind: Which kind of class: `"dataclass"`, `"attrs"`, `"pydantic"`, `"msgspec"` or
            `"typeddict"`.
        threads: How many threads parse at once. The code is the same for any number.
        format: As for `read`, and so are all that follow. With `"json-schema"`, the source is a
            JSON Schema (draft 7 or 2020-12) or a document of OpenAPI, and the classes read what
            that describes. If it has definitions only, they are the one that is called `name`, or
            all.
        at: As for `read`.
        errors: With `"skip"`, records in error do not count. Of several files, one that is broken
            counts up to there: with a `BrokenFileWarning`.
        encoding: As for `read`.
        compression: As for `read`.
        member: As for `read`.
        limits: As for `read`.
        where: Which records count: a condition, or its text; see `penstock.field`.

    Returns:
        The code of a module.

    Raises:
        OSError: The file cannot be opened.
        DecodeError: A record is in error; or there are more than 100,000 different places.
        ValueError: `name` is no name of a class, `kind` is not known, or `threads` is less than 1;
            or as for `penstock.read`.

    Example:
        >>> import io, penstock
        >>> lines = io.BytesIO(b'{"name": "Bern", "size": 134591}\n{"name": "Chur"}\n')
        >>> print(penstock.infer(lines, name="City", format="ndjson"))
        # 2 records
        <BLANKLINE>
        from dataclasses import dataclass
        <BLANKLINE>
        <BLANKLINE>
        @dataclass(slots=True)
        class City:
            name: str  # text of 4 characters
            size: int | None = None  # 50.0 % of 2; int 134591
        <BLANKLINE>
    """
    check(name, kind)
    if isinstance(source, _rust.Reader):
        return of_reader(source, name, kind, threads)
    _sources.check("infer", source)
    if format == "json-schema":
        document = _verbs.load(
            source,  # type: ignore[arg-type]  # several files are none
            format="json",
            encoding=encoding,
            compression=compression,
            member=member,
            limits=limits,
        )
        return of_schema(document, name, kind)
    reader = _verbs.read(
        source,
        format=format,
        at=at,
        errors=errors,
        encoding=encoding,
        compression=compression,
        member=member,
        limits=limits,
        where=where,
        empty="allow",
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
    record, names, count, format = settled(reader, threads)
    decided = Decided(
        record, name, has_types=format not in {"xml", "csv"}, has_elements=format == "xml"
    )
    return _code.Module(decided, kind, name, _title(count, names)).code()


def of_schema(document: Any, name: str, kind: str) -> str:
    """Return the code of classes that read what a JSON Schema describes.

    Raises:
        ValueError: It is none, or refers to other documents.
    """
    described = Described(document, name)
    return _code.Module(described, kind, name, ["# of a JSON Schema"]).code()


def settled(reader: Any, threads: int) -> tuple[Place, Texts, int, str]:
    """Return what is known of the records of a reader without a class, with what belongs together.

    That is the place of the record, the names of its elements, how many records there were, and the
    name of the format.
    """
    told = _evidence.record(reader._evidence(threads))  # noqa: SLF001 - it is ours
    _settle.settle(told[0], has_elements=told[3] == "xml")
    return told


def _title(count: int, names: Texts) -> list[str]:
    """What is said first: how many records there were, and of which elements."""
    said = [f"# {count:,} {'record' if count == 1 else 'records'}"]
    seen = names.values or {}
    if len(seen) > 1:
        often = sorted(seen, key=lambda name: (-seen[name], name))
        told = ", ".join(f"{name} {seen[name]:,}" for name in often[:_NAMED])
        more = ", ..." if len(often) > _NAMED else ""
        said.append(f"# of several elements, of which at= chooses one: {told}{more}")
    return said


infer.__module__ = "penstock"
