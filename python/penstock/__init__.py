"""Penstock parses JSON, NDJSON, XML, CSV and property lists straight into your own classes.

They may be dataclasses, attrs classes, pydantic models, named tuples, typed dictionaries, or plain
classes with annotations. Penstock builds no dict and no tree in between.

    import penstock

    cities = penstock.load("cities.json", list[City])
    for city in penstock.read("cities.ndjson.gz", City):
        ...

The verbs of this module take the format from the file's name, its first bytes, or `format=`. Those
of `penstock.json`, `penstock.ndjson` and `penstock.xml` have every option of their format.
"""

from __future__ import annotations

import penstock._rust as _rust
from penstock import aio, clock, json, ndjson, xml
from penstock._annotations.at import Base64Mime, Base64Unpadded, Base64Url, Hex, at, rest
from penstock._annotations.marks import UNSET, UnsetType, pattern, typecode
from penstock._annotations.on import Stop, on
from penstock._annotations.tag import tag
from penstock._annotations.times import times, unix
from penstock._annotations.via import via
from penstock._any_format.verbs import decode, dump, encode, load, open, read, send, write
from penstock._arrow import methods as _methods
from penstock._base import suggest as _suggest
from penstock._base.empty import EmptyWarning, MixedContentWarning
from penstock._base.errors import (
    DecodeError,
    EncodeError,
    InternalError,
    LimitExceeded,
    MalformedInput,
    PenstockError,
    PlanError,
    TruncatedInput,
    ValidationError,
)
from penstock._base.limits import Limits
from penstock._base.repairs import Repair, RepairWarning
from penstock._parts.rows import Rows
from penstock._rust import (
    ColumnBatch,
    Columns,
    Document,
    Element,
    Items,
    Progress,
    Raw,
    Reader,
    Recompressed,
    Records,
    Schema,
    Timing,
    Writer,
    WriterProgress,
    __version__,
)
from penstock._verbs.decoder import Decoder

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from typing_extensions import TypeForm

    from penstock import csv, plist, stores, streams
    from penstock._annotations.cells import cells, separated, spread
    from penstock._any_format.columns import columns, schema
    from penstock._arrow.types import (
        decimal,
        dictionary,
        float32,
        int8,
        int16,
        int32,
        int64,
        timestamp,
        uint8,
        uint16,
        uint32,
        uint64,
    )
    from penstock._base.broken import BrokenFileWarning
    from penstock._base.conditions import Condition, Field, field
    from penstock._base.types import Rename, T, Times, Types, Unix
    from penstock._infer.verb import infer
    from penstock._io.remote.make import remote
    from penstock._io.remote.source import Remote
    from penstock._io.remote.warned import RemoteWarning
    from penstock._json_schema.verbs import json_schema, json_schemas
    from penstock._log.cursor import LogPlace
    from penstock._log.follow import Follower
    from penstock._log.log import Log
    from penstock._log.warned import LogWarning
    from penstock._parts.checkpoint import Checkpoint
    from penstock._parts.lookup import Lookup
    from penstock._parts.map import Map, MapProgress, map
    from penstock._parts.split import Split, Splits, split
    from penstock._streams.describe import describe
    from penstock._verbs.convert import convert
    from penstock._verbs.converted import Converted
    from penstock._verbs.recompress import recompress
    from penstock._verbs.values import make, plain

    # To a checker, a plan is another way to write the type that it is made from. So one signature
    # accepts both, and the checker still infers what a verb returns.
    def Plan(  # noqa: N802 - it is a class
        cls: TypeForm[T],
        /,
        *,
        namespace: Mapping[str, object] | None = None,
        rename: Rename | None = None,
        strict: bool = True,
        types: Types | None = None,
        tag: object | None = None,
        unix: Unix | None = None,
        times: Times = "rfc3339",
        cells: cells | None = None,
    ) -> TypeForm[T]:
        """Compile a type; see `penstock.Plan`."""

else:
    from penstock._rust import Plan

__all__ = [
    "UNSET",
    "Base64Mime",
    "Base64Unpadded",
    "Base64Url",
    "BrokenFileWarning",
    "Checkpoint",
    "ColumnBatch",
    "Columns",
    "Condition",
    "Converted",
    "DecodeError",
    "Decoder",
    "Document",
    "Element",
    "EmptyWarning",
    "EncodeError",
    "Field",
    "Follower",
    "Hex",
    "InternalError",
    "Items",
    "LimitExceeded",
    "Limits",
    "Log",
    "LogPlace",
    "LogWarning",
    "Lookup",
    "MalformedInput",
    "Map",
    "MapProgress",
    "MixedContentWarning",
    "PenstockError",
    "Plan",
    "PlanError",
    "Progress",
    "Raw",
    "Reader",
    "Recompressed",
    "Records",
    "Remote",
    "RemoteWarning",
    "Repair",
    "RepairWarning",
    "Rows",
    "Schema",
    "Split",
    "Splits",
    "Stop",
    "Timing",
    "TruncatedInput",
    "UnsetType",
    "ValidationError",
    "Writer",
    "WriterProgress",
    "__version__",
    "aio",
    "at",
    "cells",
    "clock",
    "columns",
    "convert",
    "csv",
    "decimal",
    "decode",
    "describe",
    "dictionary",
    "dump",
    "encode",
    "field",
    "float32",
    "infer",
    "int8",
    "int16",
    "int32",
    "int64",
    "json",
    "json_schema",
    "json_schemas",
    "load",
    "make",
    "map",
    "ndjson",
    "on",
    "open",
    "pattern",
    "plain",
    "plist",
    "read",
    "recompress",
    "remote",
    "rest",
    "schema",
    "send",
    "separated",
    "split",
    "spread",
    "stores",
    "streams",
    "tag",
    "times",
    "timestamp",
    "typecode",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unix",
    "via",
    "write",
    "xml",
]

# What `penstock._arrow.types` has.
_COLUMNS = {
    "decimal",
    "dictionary",
    "float32",
    "int8",
    "int16",
    "int32",
    "int64",
    "timestamp",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
}

# The public modules that need another library, which must be there for `dir` to name them.
_NEED = {"duckdb": "duckdb", "polars": "polars", "ray": "ray", "spark": "pyspark"}

_methods.attach()

# Where the modules are that pickles name.
__path__.append(f"{__path__[0]}/_pickled")

if not TYPE_CHECKING:
    # Checkers must not believe that every name exists.

    def __getattr__(name: str) -> Any:
        """Import what few programs use; say what to use in place of a name that there is not."""
        if name == "csv":
            import penstock.csv as found  # noqa: PLC0415 - as the next ones
        elif name == "plist":
            import penstock.plist as found  # noqa: PLC0415 - few programs read property lists
        elif name == "duckdb":
            import penstock.duckdb as found  # noqa: PLC0415 - it imports DuckDB
        elif name == "polars":
            import penstock.polars as found  # noqa: PLC0415 - it imports polars
        elif name == "ray":
            import penstock.ray as found  # noqa: PLC0415 - it imports Ray
        elif name == "spark":
            import penstock.spark as found  # noqa: PLC0415 - it imports PySpark
        elif name == "convert":
            from penstock._verbs.convert import convert as found  # noqa: PLC0415 - few programs convert
        elif name == "Converted":
            from penstock._verbs import converted as _converted  # noqa: PLC0415 - as above

            found = _converted.Converted
        elif name in {"Condition", "Field", "field"}:
            from penstock._base import conditions as _conditions  # noqa: PLC0415 - few programs have one

            found = getattr(_conditions, name)
        elif name in {"make", "plain"}:
            from penstock._verbs import values as _values  # noqa: PLC0415 - for what others have parsed

            found = getattr(_values, name)
        elif name in {"json_schema", "json_schemas"}:
            from penstock._json_schema import verbs as _schemas  # noqa: PLC0415 - asked for when a program starts

            found = getattr(_schemas, name)
        elif name == "remote":
            from penstock._io.remote.make import remote as found  # noqa: PLC0415 - few programs ask a server
        elif name == "Remote":
            from penstock._io.remote import source as _remote  # noqa: PLC0415 - as above

            found = _remote.Remote
        elif name == "RemoteWarning":
            from penstock._io.remote import warned as _warned  # noqa: PLC0415 - as above

            found = _warned.RemoteWarning
        elif name == "Log":
            from penstock._log import log as _log  # noqa: PLC0415 - few programs keep their state so

            found = _log.Log
        elif name == "Follower":
            from penstock._log import follow as _follow  # noqa: PLC0415 - as above

            found = _follow.Follower
        elif name == "LogPlace":
            from penstock._log import cursor as _cursor  # noqa: PLC0415 - as above

            found = _cursor.LogPlace
        elif name == "LogWarning":
            from penstock._log import warned as _log_warned  # noqa: PLC0415 - as above

            found = _log_warned.LogWarning
        elif name == "recompress":
            from penstock._verbs.recompress import recompress as found  # noqa: PLC0415 - few programs do
        elif name == "Checkpoint":
            from penstock._parts import checkpoint as _checkpoint  # noqa: PLC0415 - few programs keep their place

            found = _checkpoint.Checkpoint
        elif name in {"Split", "Splits", "split"}:
            from penstock._parts import split as _split  # noqa: PLC0415 - few programs do

            found = getattr(_split, name)
        elif name in {"Map", "MapProgress", "map"}:
            from penstock._parts import map as _map  # noqa: PLC0415 - few programs have several processes

            found = getattr(_map, name)
        elif name == "BrokenFileWarning":
            from penstock._base import broken as _broken  # noqa: PLC0415 - few files are broken

            found = _broken.BrokenFileWarning
        elif name == "describe":
            from penstock._streams.describe import describe as found  # noqa: PLC0415 - slow to import
        elif name == "infer":
            from penstock._infer.verb import infer as found  # noqa: PLC0415 - programs have their classes
        elif name == "Lookup":
            from penstock._parts import lookup as _lookup  # noqa: PLC0415 - few programs look rows up

            found = _lookup.Lookup
        elif name == "stores":
            import penstock.stores as found  # noqa: PLC0415 - few programs have stores
        elif name == "streams":
            import penstock.streams as found  # noqa: PLC0415 - slow to import
        elif name in {"cells", "separated", "spread"}:
            from penstock._annotations import cells as _cells  # noqa: PLC0415 - few classes are read from text alone

            found = getattr(_cells, name)
        elif name in {"columns", "schema"}:
            from penstock._any_format import columns as _columns  # noqa: PLC0415 - few programs read columns

            found = getattr(_columns, name)
        elif name in _COLUMNS:
            from penstock._arrow import types as _types  # noqa: PLC0415 - as above

            found = getattr(_types, name)
        else:
            _suggest.attribute(__name__, name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        """Return the public names, also those that nobody has asked for yet."""
        from importlib.util import find_spec  # noqa: PLC0415 - only people ask for the names

        marks = (name for name in globals() if name.startswith("__") and name.endswith("__"))
        modules = (name for name, library in _NEED.items() if find_spec(library) is not None)
        return sorted({*__all__, *marks, *modules})


if _rust.__build__ == "debug":
    import warnings

    warnings.warn(
        "this build of penstock is for debugging and many times slower than a release",
        RuntimeWarning,
        stacklevel=2,
    )
