"""The extension: what `crates/penstock-python` gives to the Python side.

Private. The public functions check and name their sources, then call these, by position; stubtest
holds this file against the built extension.
"""

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, ValuesView
from types import GenericAlias, TracebackType
from typing import Any, Generic, Literal, Self, final, overload

from typing_extensions import Buffer, TypeForm, TypeVar, disjoint_base

from penstock._limits import Limits
from penstock._repairs import Repair
from penstock._types import At, Errors, Event, Grammar, Rename, Types, Unix, Unknown

_T = TypeVar("_T", default=Any)
_D = TypeVar("_D")

__all__ = [
    "Decoder",
    "Document",
    "DocumentList",
    "DocumentMap",
    "Element",
    "Events",
    "Items",
    "Lines",
    "Operation",
    "Plan",
    "Progress",
    "Reader",
    "Records",
    "__build__",
    "__version__",
    "decode",
    "document_items",
    "document_records",
    "document_values",
    "load",
    "nothing",
    "open",
    "send",
]

__version__: str
__build__: Literal["release", "debug"]

def decode(
    format: str,
    data: str | Buffer,
    type: object,
    duplicates: str,
    unknown: str,
    all_errors: bool,
    encoding: str | None,
    grammar: Grammar,
    limits: Limits | None,
    /,
) -> Any: ...
def load(
    format: str,
    source: object,
    type: object,
    duplicates: str,
    unknown: str,
    all_errors: bool,
    encoding: str | None,
    grammar: Grammar,
    compression: str | None,
    limits: Limits | None,
    name: str | None,
    /,
) -> Any: ...
def send(
    format: str,
    source: object,
    claims: list[tuple[str, bool, Callable[[Any], object]]],
    stop: type[BaseException],
    encoding: str | None,
    grammar: Grammar,
    compression: str | None,
    limits: Limits | None,
    name: str | None,
    /,
) -> Any: ...
def nothing() -> None: ...

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
    def __new__(
        cls,
        source: object,
        encoding: str | None,
        grammar: Grammar,
        compression: str | None,
        limits: Limits | None,
        name: str | None,
        /,
    ) -> Self: ...
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
class Lines:
    def __new__(
        cls,
        path: str,
        name: str,
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
    def close(self) -> None: ...

@final
class Reader(Generic[_T]):
    def __new__(
        cls,
        format: str,
        source: object,
        type: object,
        at: At[_T] | None,
        errors: Errors,
        max_errors: int,
        duplicates: str,
        unknown: str,
        all_errors: bool,
        encoding: str | None,
        grammar: Grammar,
        compression: str | None,
        limits: Limits | None,
        name: str | None,
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
    def close(self) -> None: ...
    @property
    def progress(self) -> Progress: ...
    @property
    def skipped(self) -> int: ...
    @property
    def unknown(self) -> dict[str, int]: ...
    @property
    def repairs(self) -> list[Repair]: ...
    @property
    def repair_counts(self) -> dict[str, int]: ...

def open(
    source: object,
    duplicates: str,
    encoding: str | None,
    compression: str | None,
    limits: Limits | None,
    name: str | None,
    /,
) -> Document: ...

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
        into: None = None,
        /,
        *,
        at: str | None = None,
        unknown: Unknown = "skip",
        all_errors: bool = False,
        types: Types | None = None,
    ) -> Any: ...
    def at(self, path: str, /) -> Iterator[Any]: ...
    @property
    def path(self) -> str: ...
    @property
    def offset(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
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
    # `keys`, `values`, `items` and `get` of an object, `index` and `count` of an array: what a
    # document is, only its text says.
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
        format: str,
        type: object,
        at: At[_T] | None,
        errors: Errors,
        max_errors: int,
        duplicates: str,
        unknown: str,
        all_errors: bool,
        encoding: str | None,
        grammar: Grammar,
        limits: Limits | None,
        /,
    ) -> Self: ...
    @classmethod
    def __class_getitem__(cls, key: object) -> GenericAlias: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def feed(self, chunk: Buffer, /) -> list[_T]: ...
    def finish(self) -> list[_T]: ...
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
    ) -> Self: ...
    def __format__(self, spec: str, /) -> str: ...

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
