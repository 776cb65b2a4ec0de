"""The extension: the interface of `crates/penstock-python` for the Python modules.

Private. The public functions check and name their sources, then call these, by position. stubtest
compares this file with the built extension.
"""

from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    ValuesView,
)
from types import EllipsisType, GenericAlias, TracebackType
from typing import Any, Generic, Literal, Never, ParamSpec, Self, final, overload

import pandas as pd
import polars as pl
import pyarrow as pa
from typing_extensions import Buffer, CapsuleType, TypeForm, TypeVar, disjoint_base

from penstock import csv
from penstock._annotations.cells import cells
from penstock._base.limits import Limits
from penstock._base.place import Place
from penstock._base.repairs import Repair
from penstock._base.types import (
    ArrowColumns,
    At,
    Compression,
    Errors,
    Event,
    Format,
    Partial,
    Rename,
    Times,
    Types,
    Unix,
    Unknown,
)
from penstock._parts.checkpoint import Checkpoint, Files, Opened
from penstock._streams.pipeline import Pipeline
from penstock._streams.run import Summary

_T = TypeVar("_T", default=Any)
_P = ParamSpec("_P")
_D = TypeVar("_D")
_F = TypeVar("_F")
_U = TypeVar("_U")

__all__ = [
    "COMPRESSIONS",
    "FORMATS",
    "MOST_THREADS",
    "Chain",
    "ColumnBatch",
    "Columns",
    "Conversion",
    "Converted",
    "Decoder",
    "Dialect",
    "Document",
    "DocumentList",
    "DocumentMap",
    "Element",
    "Encoder",
    "Events",
    "Graph",
    "Items",
    "Lookup",
    "Operation",
    "Pieces",
    "Plan",
    "Policy",
    "Progress",
    "Ranges",
    "Raw",
    "Reader",
    "Recompressed",
    "Recompression",
    "Records",
    "Report",
    "RowFile",
    "Schema",
    "Source",
    "Style",
    "Target",
    "Timing",
    "Writer",
    "WriterProgress",
    "__build__",
    "__version__",
    "archive",
    "completed",
    "contradiction",
    "convert_columns",
    "decode",
    "direct",
    "direct_encode",
    "direct_json",
    "direct_other",
    "document_items",
    "document_records",
    "document_values",
    "dump",
    "end_rows",
    "facts",
    "fail_request",
    "infer",
    "load",
    "make",
    "mono_ns",
    "nothing",
    "open",
    "opening",
    "outline",
    "plain",
    "plan_tree",
    "read_columns",
    "read_on",
    "read_split",
    "report",
    "schema_of_seen",
    "send",
    "split_points",
    "split_schema",
    "split_size",
    "texts_seen",
    "unarchive",
    "wall_ns",
]

MOST_THREADS: int
__version__: str
__build__: Literal["release", "debug"]

COMPRESSIONS: tuple[tuple[Compression, str], ...]
FORMATS: tuple[tuple[Format, str, tuple[str, ...], tuple[str, ...], bool], ...]

@final
class Dialect:
    def __new__(
        cls, format: str, options: dict[str, Any] | None = None, /, **named: object
    ) -> Self: ...
    @property
    def format(self) -> str: ...
    def wanting(self, given: object, /) -> Dialect: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]: ...

@final
class Style:
    def __new__(
        cls, format: str, options: dict[str, Any] | None = None, /, **named: object
    ) -> Self: ...
    @property
    def format(self) -> str: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]: ...

@final
class Graph:
    @staticmethod
    def open(source: object, name: str | None, limits: Limits | None, /) -> Graph | None: ...
    def root(self) -> int: ...
    def kind(self, number: int, path: tuple[str | int, ...], /) -> tuple[bool, int] | None: ...
    def member(self, number: int, place: int, path: tuple[str | int, ...], /) -> int | None: ...
    def key(self, number: int, place: int, path: tuple[str | int, ...], /) -> str | None: ...
    def find(self, number: int, key: str, path: tuple[str | int, ...], /) -> int | None: ...
    def to(
        self,
        number: int,
        type: Any,
        unknown: object,
        all_errors: object,
        path: tuple[str | int, ...],
        /,
    ) -> Any: ...
    def close(self) -> None: ...

@final
class Policy:
    def __new__(
        cls,
        errors: Errors,
        max_errors: int,
        duplicates: str,
        unknown: str,
        all_errors: bool,
        empty: str,
        limit: int | None = None,
        /,
    ) -> Self: ...
    def __getnewargs__(self) -> tuple[object, ...]: ...

@final
class Source:
    def __new__(
        cls,
        source: object,
        name: str | None,
        encoding: str | None,
        compression: str | None,
        /,
    ) -> Self: ...

def opening(file: object, size: int, /) -> bytes: ...
def end_rows(path: str, name: str, dialect: Dialect, torn: str, /) -> None: ...

@final
class Target:
    def __new__(
        cls,
        target: object,
        name: str | None,
        compression: str | None,
        level: int | None,
        append: bool,
        torn: str,
        sync: bool,
        follow: bool,
        pieces: bool = False,
        /,
    ) -> Self: ...
    @property
    def gzi(self) -> bytes | None: ...
    @property
    def taken(self) -> int: ...
    @property
    def given(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    def write(self, data: Buffer) -> None: ...
    def mark(self) -> None: ...
    def flush(self) -> None: ...
    def finish(self, new: bool = False, /) -> None: ...
    def abort(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        class_: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...

def decode(
    dialect: Dialect,
    data: str | Buffer,
    type: object,
    duplicates: str,
    unknown: str,
    all_errors: bool,
    encoding: str | None,
    limits: Limits | None,
    /,
) -> Any: ...
def direct(function: _F, /) -> _F: ...
def direct_encode(function: _F, /) -> _F: ...
def direct_json(function: _F, /) -> _F: ...
def direct_other(function: _F, /) -> _F: ...
def load(
    dialect: Dialect,
    source: Source,
    type: object,
    duplicates: str,
    unknown: str,
    all_errors: bool,
    limits: Limits | None,
    /,
) -> Any: ...
def send(
    dialect: Dialect,
    source: Source,
    claims: list[tuple[str, bool, Callable[[Any], object]]],
    stop: type[BaseException],
    limits: Limits | None,
    /,
) -> Any: ...
def infer(
    dialect: Dialect, source: Source, into: object, limits: Limits | None, /
) -> tuple[
    csv.Dialect,
    list[tuple[str, str]],
    int,
    str,
    list[tuple[str, tuple[int, int] | None, tuple[int, str] | None]],
]: ...
def make(
    value: object,
    type: TypeForm[_T],
    unknown: str,
    all_errors: bool,
    from_attributes: bool,
    limits: Limits | None,
    /,
) -> _T: ...
def archive(graph: Any, uid: type, utc: object, /) -> None: ...
def texts_seen(keys: list[tuple[str, int]], /) -> tuple[Any, ...]: ...
def unarchive(
    graph: Any,
    known: tuple[type, type, Any],
    stored: Any,
    type: TypeForm[Any] | None,
    classes: Mapping[str, Any],
    how: tuple[str, bool],
    /,
) -> tuple[Any] | None: ...
def plain(
    value: object, type: object | None, omit: str | None, limits: Limits | None, /
) -> Any: ...
def plan_tree(types: Sequence[object], writes: bool, /) -> dict[str, Any]: ...
def outline(
    dialect: Dialect, source: Source, policy: Policy, /
) -> tuple[list[tuple[str, list[tuple[str, int]], tuple[str, bool] | None]], int, int]: ...
def nothing() -> None: ...
def completed(data: str | Buffer, partial: Partial, comments: bool, /) -> str | Buffer: ...
def contradiction(
    null: Sequence[str],
    true: Sequence[str],
    false: Sequence[str],
    decimal: str,
    thousands: str | None,
    currency: str | None,
) -> str | None: ...
def facts() -> dict[str, bool]: ...
def fail_request(n: int, least: int, /) -> int: ...

@final
class Element:
    @property
    def name(self) -> str: ...
    @property
    def prefix(self) -> str | None: ...
    @property
    def namespace(self) -> str | None: ...
    @property
    def text(self) -> str: ...
    @property
    def value(self) -> Any: ...
    @property
    def attributes(self) -> Items[Any]: ...
    @property
    def children(self) -> Items[Any]: ...

@final
class Items(Generic[_T]):
    @classmethod
    def __class_getitem__(cls, key: object) -> GenericAlias: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: str | int, /) -> _T: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __eq__(self, other: object, /) -> bool: ...
    @overload
    def get(self, name: str, /) -> _T | None: ...
    @overload
    def get(self, name: str, default: _D, /) -> _T | _D: ...
    def all(self, name: str, /) -> list[_T]: ...
    def keys(self) -> list[str]: ...
    def values(self) -> list[_T]: ...
    def items(self) -> list[tuple[str, _T]]: ...

@final
class Events:
    def __new__(cls, dialect: Dialect, source: Source, limits: Limits | None, /) -> Self: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> Event: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def close(self) -> None: ...
    @property
    def repairs(self) -> list[Repair]: ...
    @property
    def repair_counts(self) -> dict[str, int]: ...

@final
class Lookup:
    def __len__(self) -> int: ...
    def rows(self, text: str) -> bytes: ...
    def has(self, text: str) -> bool: ...

@final
class RowFile:
    def __new__(
        cls,
        path: str,
        name: str,
        dialect: Dialect,
        type: object,
        duplicates: str,
        unknown: str,
        all_errors: bool,
        limits: Limits | None,
        index: bytes | None,
        required: bool,
        /,
    ) -> Self: ...
    @property
    def is_kept(self) -> bool: ...
    @property
    def closed(self) -> bool: ...
    def __len__(self) -> int: ...
    def index(self) -> bytes: ...
    def get(self, record: int) -> Any: ...
    def get_as(self, record: int, type: object) -> Any: ...
    def raw(self, record: int) -> bytes: ...
    def through(self, first: int, behind: int) -> Iterator[Any]: ...
    def look_up(self, by: str, first: int, behind: int, step: int) -> Lookup: ...
    def close(self) -> None: ...

@final
class Reader(Generic[_T]):
    def __new__(
        cls,
        dialect: Dialect,
        source: Source,
        type: object,
        at: At[_T] | None,
        policy: Policy,
        limits: Limits | None,
        timing: bool = True,
        several: tuple[str, bool, int | None, Iterator[tuple[Dialect, Source]]] | None = None,
        kept: tuple[dict[str, Any] | None] | None = None,
        /,
    ) -> Self: ...
    @classmethod
    def __class_getitem__(cls, key: object) -> GenericAlias: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> _T: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def batches(self, n: int, /) -> Iterator[list[_T]]: ...
    def columns(
        self,
        rows: int = 65_536,
        columns: Sequence[str] | None = None,
        unions: Literal["error", "text", "json"] = "error",
        threads: int = 1,
        *,
        flatten: bool = False,
        key_column: str | None = None,
        file_column: str | None = None,
    ) -> Columns: ...
    def checkpoint(self) -> Checkpoint: ...
    def _schema(
        self,
        threads: int,
        reports: bool = True,
        unions: Literal["error", "text", "json"] = "error",
        most: int | None = None,
        /,
    ) -> Schema: ...
    def _evidence(self, threads: int, reports: bool = True, /) -> tuple[Any, ...]: ...
    def _pass_over(self, threads: int, distinct: bool, /) -> None: ...
    def _check(self, threads: int, /) -> bool: ...
    def _pieces(self) -> int: ...
    def close(self) -> None: ...
    @property
    def progress(self) -> Progress: ...
    @property
    def dialect(self) -> csv.Dialect | None: ...
    @property
    def place(self) -> Place: ...
    def into(self, pipeline: object, /) -> Summary: ...
    @overload
    def __or__(self, stage: Pipeline[_U], /) -> Pipeline[_U]: ...
    @overload
    def __or__(self, stage: Callable[[_T], Iterator[_U]], /) -> Pipeline[_U]: ...
    @overload
    def __or__(self, stage: Callable[[_T], _U | None], /) -> Pipeline[_U]: ...
    @overload
    def __or__(self, stage: object, /) -> Pipeline[Any]: ...
    # Nothing can stand before a reader.
    def __ror__(self, value: Never, /) -> Any: ...
    @property
    def timing(self) -> Timing: ...
    def _shorten(self, whole: int | None, /) -> None: ...
    def _last(self) -> tuple[str | None, bool]: ...
    @property
    def filtered(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def unknown(self) -> dict[str, int]: ...
    @property
    def repairs(self) -> list[Repair]: ...
    @property
    def repair_counts(self) -> dict[str, int]: ...

@final
class Columns:
    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> CapsuleType: ...
    def __iter__(self) -> Self: ...
    def __next__(self) -> ColumnBatch: ...
    def checkpoint(self) -> Checkpoint: ...
    @property
    def reader(self) -> Reader[Any]: ...
    # What `penstock._arrow.methods` sets.
    def to_polars(self) -> pl.DataFrame: ...
    def to_pandas(self) -> pd.DataFrame: ...
    def to_arrow(self) -> pa.Table: ...
    def _repr_html_(self) -> str: ...

@final
class ColumnBatch:
    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[CapsuleType, CapsuleType]: ...
    def __len__(self) -> int: ...

@final
class Schema:
    def __arrow_c_schema__(self) -> CapsuleType: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def skipped(self) -> int: ...
    def merge(self, *others: Schema) -> Schema: ...
    def _lines(self) -> list[tuple[int, str, str, bool]]: ...
    # What `penstock._arrow.methods` sets.
    def _repr_html_(self) -> str: ...

@final
class Converted:
    @property
    def records(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def bytes_read(self) -> int: ...
    @property
    def bytes_written(self) -> int: ...
    @property
    def repair_counts(self) -> dict[str, int]: ...

@final
class Conversion:
    def __new__(
        cls,
        dialect: Dialect,
        source: Source,
        style: Style,
        target: Target,
        at: str | None,
        form: str,
        policy: Policy,
        limits: Limits | None,
        into: tuple[Any, Encoder, bool] | None = None,
        cut: tuple[str, bool] | None = None,
        threads: int = 1,
        most: int | None = None,
        duplicates: str | None = None,
        /,
    ) -> Self: ...
    def run(self, warns: bool = False, /) -> Converted: ...
    @property
    def progress(self) -> Progress: ...

@final
class Recompressed:
    @property
    def bytes_read(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def bytes_written(self) -> int: ...

@final
class Recompression:
    def __new__(
        cls, source: Source, target: Target, is_table: bool, limits: Limits | None, /
    ) -> Self: ...
    def run(self) -> Recompressed: ...
    @property
    def progress(self) -> Progress: ...

@disjoint_base
class Encoder:
    def __new__(
        cls,
        into: Any,
        style: Style,
        omit: str | None,
        default: Callable[[Any], Any] | None = None,
        /,
    ) -> Self: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def encode(self, value: Any, /) -> bytes: ...
    def encode_all(self, values: Iterable[Any], /) -> bytes: ...
    def chunks(self, values: Iterable[Any], /, *, size: int = 65536) -> Iterator[bytes]: ...

def dump(encoder: Encoder, value: Any, target: Target, /) -> None: ...
def read_columns(
    columns: ArrowColumns, type: object, policy: Policy, limits: Limits | None, /
) -> Reader[Any]: ...
def read_split(
    dialect: Dialect,
    source: Source,
    type: object,
    at: object,
    policy: Policy,
    limits: Limits | None,
    version: tuple[int, int],
    start: tuple[Any, ...] | None,
    end: int | None,
    until: Sequence[int] | None,
    pieces: tuple[str, str] | None,
    /,
) -> Reader[Any]: ...
def read_on(
    opened: Opened,
    type: object,
    at: object,
    policy: Policy,
    limits: Limits | None,
    files: Files | None,
    shown: str,
    /,
) -> Reader[Any]: ...

@final
class Pieces:
    def __new__(cls, text: str, /) -> Self: ...
    def kept(self, begins: Sequence[int], /) -> str: ...
    def part(self, begin: int, end: int | None, purpose: str, /) -> str: ...

def split_size(
    source: Source, limits: Limits | None, threads: int | None, /
) -> tuple[int, str | None, Pieces | None]: ...
def split_points(
    dialect: Dialect,
    source: Source,
    type: object,
    at: object,
    limits: Limits | None,
    offsets: Sequence[int],
    size: int,
    /,
) -> tuple[list[tuple[Any, ...]], str | None]: ...

@final
class Ranges:
    @staticmethod
    def of(
        dialect: Dialect,
        source: Source,
        type: object,
        at: object,
        limits: Limits | None,
        size: int,
        pieces: Pieces | None,
        /,
    ) -> Ranges | None: ...
    def chain(self, offsets: Sequence[int]) -> Chain: ...
    def scan(
        self,
        start: tuple[Any, ...],
        place: int | None,
        offsets: Sequence[int],
        until: int | None,
        /,
    ) -> tuple[list[tuple[Any, ...]], bool]: ...

@final
class Chain:
    @property
    def at(self) -> tuple[Any, ...]: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def points(self) -> list[tuple[Any, ...]]: ...
    def wanted(self, begin: int, until: int | None, /) -> list[int]: ...
    def take(self, answer: tuple[list[tuple[Any, ...]], bool], /) -> bool: ...
    def meeting(self, answer: tuple[list[tuple[Any, ...]], bool], until: int, /) -> int | None: ...

def split_schema(
    dialect: Dialect,
    source: Source,
    at: object,
    skip: bool,
    limits: Limits | None,
    version: tuple[int, int],
    start: tuple[Any, ...] | None,
    end: int | None,
    until: Sequence[int] | None,
    pieces: tuple[str, str] | None,
    threads: int,
    /,
) -> Schema: ...
def schema_of_seen(
    parts: Sequence[str], seen: Sequence[tuple[Any, ...]], skipped: int = 0, /
) -> Schema: ...
def convert_columns(encoder: Encoder, columns: ArrowColumns, target: Target, /) -> Converted: ...

@final
class Writer(Generic[_T]):
    def __new__(
        cls,
        encoder: Encoder,
        at: str | None,
        open: Callable[_P, Target],
        /,
        *arguments: _P.args,
        **options: _P.kwargs,
    ) -> Self: ...
    @classmethod
    def __class_getitem__(cls, key: object) -> GenericAlias: ...
    @property
    def progress(self) -> WriterProgress: ...
    @property
    def closed(self) -> bool: ...
    def write(self, record: _T, /) -> None: ...
    def write_all(self, records: Iterable[_T], /) -> None: ...
    def columns(self, columns: ArrowColumns, /) -> None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...

def open(source: Source, duplicates: str, limits: Limits | None, /) -> Document: ...

@disjoint_base
class Document:
    @overload
    def to(
        self,
        into: TypeForm[_T],
        /,
        *,
        at: str | None = None,
        unknown: Unknown = "skip",
        all_errors: bool = False,
        types: Types | None = None,
    ) -> _T: ...
    @overload
    def to(
        self,
        into: EllipsisType = ...,
        /,
        *,
        at: str | None = None,
        unknown: Unknown = "skip",
        all_errors: bool = False,
        types: Types | None = None,
    ) -> Any: ...
    def at(self, path: str, /, *, nested: bool = False) -> Iterator[Any]: ...
    @property
    def path(self) -> str: ...
    @property
    def offset(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    # What `penstock._arrow.methods` sets.
    def _repr_html_(self) -> str: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: str | int | slice, /) -> Any: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __reversed__(self) -> Iterator[Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    # `keys`, `values`, `items` and `get` of an object, `index` and `count` of an array: only the
    # document's text says which of the two it is.
    def __getattribute__(self, name: str, /) -> Any: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, _memo: object, /) -> Self: ...

def document_values(map: DocumentMap, /) -> Iterator[Any]: ...
def document_items(map: DocumentMap, /) -> Iterator[tuple[str, Any]]: ...
def document_records(
    document: Document, into: object, at: str | None, unknown: str, all_errors: bool, /
) -> Records[Any]: ...

@final
class DocumentMap(Document):
    def get(self, key: str, default: Any = None, /) -> Any: ...
    def keys(self) -> KeysView[str]: ...
    def values(self) -> ValuesView[Any]: ...
    def items(self) -> ItemsView[str, Any]: ...

@final
class DocumentList(Document):
    def index(self, value: object, start: int = 0, stop: int = ..., /) -> int: ...
    def count(self, value: object, /) -> int: ...

@final
class Records(Generic[_T]):
    @classmethod
    def __class_getitem__(cls, key: object) -> GenericAlias: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[_T]: ...
    def __iter__(self) -> Iterator[_T]: ...
    def __contains__(self, value: object, /) -> bool: ...
    def index(self, value: object, start: int = 0, stop: int = ..., /) -> int: ...
    def count(self, value: object, /) -> int: ...
    @property
    def document(self) -> Document: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...
    def __copy__(self) -> Self: ...

@disjoint_base
class Decoder(Generic[_T]):
    def __new__(
        cls,
        dialect: Dialect,
        type: object,
        at: At[_T] | None,
        policy: Policy,
        encoding: str | None,
        limits: Limits | None,
        compression: str | None,
        partial: Partial | None = None,
        /,
    ) -> Self: ...
    @classmethod
    def __class_getitem__(cls, key: object) -> GenericAlias: ...
    def _decode_as(self, data: str | Buffer, type: object, /) -> Any: ...
    def _fail(self, error: BaseException, /) -> None: ...
    def _unfinished(self) -> bytes | None: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def feed(self, chunk: Buffer, /) -> list[_T]: ...
    def finish(self) -> list[_T]: ...
    def decode(self, data: str | Buffer, /) -> Any: ...
    @property
    def filtered(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def unknown(self) -> dict[str, int]: ...
    @property
    def repairs(self) -> list[Repair]: ...
    @property
    def repair_counts(self) -> dict[str, int]: ...

@final
class Operation:
    def __new__(cls, name: str, /) -> Self: ...
    @staticmethod
    def names() -> list[str]: ...
    @property
    def per_turn(self) -> int: ...
    def time(self, turns: int, /) -> int: ...

@final
class Raw:
    def __new__(cls, data: Buffer | str) -> Self: ...
    @property
    def data(self) -> bytes: ...
    def __bytes__(self) -> bytes: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Plan:
    def __new__(
        cls,
        cls_: object,
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
    ) -> Self: ...
    def __format__(self, spec: str, /) -> str: ...
    def __class_getitem__(cls, item: object) -> Any: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def wall_ns() -> int: ...
def mono_ns() -> int: ...
def report() -> Report: ...

@final
class Report:
    @property
    def source(self) -> Literal["counter", "kernel"]: ...
    @property
    def reason(self) -> str: ...
    @property
    def wall(self) -> float: ...
    @property
    def mono(self) -> float: ...
    @property
    def kernel(self) -> float: ...
    @property
    def bound(self) -> int: ...
    @property
    def looks(self) -> int: ...
    @property
    def leaps(self) -> int: ...
    @property
    def jumps(self) -> int: ...
    @property
    def steps(self) -> int: ...
    @property
    def largest(self) -> int: ...

@final
class Timing:
    @property
    def source(self) -> float: ...
    @property
    def scan(self) -> float: ...
    @property
    def build(self) -> float: ...

@final
class WriterProgress:
    @property
    def records(self) -> int: ...
    @property
    def bytes_encoded(self) -> int: ...
    @property
    def bytes_written(self) -> int: ...
    @property
    def elapsed(self) -> float: ...

@final
class Progress:
    @property
    def bytes_read(self) -> int: ...
    @property
    def bytes_total(self) -> int | None: ...
    @property
    def records(self) -> int: ...
    @property
    def elapsed(self) -> float: ...
