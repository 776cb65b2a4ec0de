"""The extension: what `crates/penstock-python` gives to the Python side.

Private. The public functions check and name their sources, then call these, by position; stubtest
holds this file against the built extension.
"""

from collections.abc import Iterator, Mapping
from types import GenericAlias, TracebackType
from typing import Any, Generic, Literal, Self, final

from typing_extensions import Buffer, TypeVar, disjoint_base

from penstock._limits import Limits
from penstock._types import Errors

_T = TypeVar("_T", default=Any)

__all__ = ["Decoder", "Plan", "Progress", "Reader", "__build__", "__version__", "decode", "load"]

__version__: str
__build__: Literal["release", "debug"]

def decode(
    format: str,
    data: str | Buffer,
    type: object,
    duplicates: str,
    unknown: str,
    encoding: str | None,
    framing: str,
    limits: Limits | None,
    /,
) -> Any: ...
def load(
    format: str,
    source: object,
    type: object,
    duplicates: str,
    unknown: str,
    encoding: str | None,
    framing: str,
    compression: str | None,
    limits: Limits | None,
    name: str | None,
    /,
) -> Any: ...

@final
class Reader(Generic[_T]):
    def __new__(
        cls,
        format: str,
        source: object,
        type: object,
        at: str | None,
        errors: Errors,
        max_errors: int,
        duplicates: str,
        unknown: str,
        encoding: str | None,
        framing: str,
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

@disjoint_base
class Decoder(Generic[_T]):
    def __new__(
        cls,
        format: str,
        type: object,
        at: str | None,
        errors: Errors,
        max_errors: int,
        duplicates: str,
        unknown: str,
        encoding: str | None,
        framing: str,
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

@final
class Plan:
    def __new__(cls, type: object, /, *, namespace: Mapping[str, object] | None = None) -> Self: ...

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
