"""The types in the annotations of the verbs.

They cost nothing at run time: the aliases exist for type checkers only, so that
`import penstock` imports neither `typing` nor any third-party package.
"""

from __future__ import annotations

# Type checkers treat this name as true wherever it is bound; importing it would import `typing`.
TYPE_CHECKING = False

if TYPE_CHECKING:
    import os
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
    from typing import Any, BinaryIO, Literal, Protocol, TypeAlias

    from typing_extensions import Buffer, TypeForm, TypeVar

    from penstock._annotations.times import times
    from penstock._annotations.via import via
    from penstock._base.conditions import Condition
    from penstock._base.errors import DecodeError

    # A call without a type returns plain values, so a checker sees `Any`.
    T = TypeVar("T", default=Any)
    # The type of a method's result, where `T` is that of the class.
    U = TypeVar("U", default=Any)

    class Readable(Protocol):
        """A binary file; Penstock uses its `read`."""

        def read(self, size: int, /) -> bytes:
            """Return at most `size` bytes; none at the end."""

    class ReadableInto(Protocol):
        """A binary file; Penstock uses its `readinto`, which saves a copy."""

        def readinto(self, buffer: bytearray | memoryview, /) -> int | None:
            """Fill `buffer` from its start and return how many bytes; 0 at the end."""

    class Ranged(Protocol):
        """A file that gives any range of its bytes: what `remote` takes of the caller's own."""

        @property
        def size(self) -> int:
            """How many bytes it has."""

        @property
        def version(self) -> str | None:
            """A text that is another one once the bytes are others; None if nobody knows."""

        def read_range(self, start: int, end: int, /) -> bytes:
            """Return the bytes from `start` up to `end`."""

    class Addressed(Protocol):
        """A file behind an address, of `penstock.remote`."""

        @property
        def name(self) -> str:
            """What messages call it."""

        def read_range(self, start: int, end: int, /) -> bytes:
            """Return the bytes from `start` up to `end`."""

        def kept(self) -> str | None:
            """Return the path of what is kept of it, if anything shall be kept."""

        def stat(self) -> Any:
            """Return its state, in the words of `os.stat`."""

        def as_dict(self) -> dict[str, Any]:
            """Return what JSON can have of it."""

        def as_file(self) -> BinaryIO:
            """Return a file that can seek."""

    class HasSchema(Protocol):
        """Anything with an Arrow schema."""

        def __arrow_c_schema__(self) -> object:
            """Return the schema, in a capsule."""

    class Writable(Protocol):
        """A binary file; Penstock uses its `write`."""

        def write(self, data: bytes, /) -> int | None:
            """Take bytes; return how many of them, or None for all."""

    class AsyncWritable(Protocol):
        """A stream; Penstock uses its `write`, and `drain` if it has one."""

        def write(self, data: bytes, /) -> Awaitable[int | None] | int | None:
            """Take bytes; return how many of them, or None for all."""

    class ArrowStream(Protocol):
        """Arrow columns in batches: of polars, pyarrow, DuckDB, pandas, or of Penstock."""

        def __arrow_c_stream__(self, requested_schema: Any = None, /) -> object:
            """Give a stream of batches, in a capsule."""

    class ArrowArray(Protocol):
        """One batch of Arrow columns."""

        def __arrow_c_array__(self, requested_schema: Any = None, /) -> Any:
            """Give a schema and an array, each in a capsule."""

    class TextWritable(Protocol):
        """A text file; Penstock uses its `write`."""

        def write(self, text: str, /) -> object:
            """Take text; `False` ends it."""

    # Arrow columns of others.
    ArrowColumns: TypeAlias = ArrowStream | ArrowArray
    # A document in memory: text, or bytes of any kind.
    Data: TypeAlias = str | Buffer
    # Where a document is read from: a path, a binary file, or chunks of bytes.
    Source: TypeAlias = (
        str
        | os.PathLike[str]
        | os.PathLike[bytes]
        | Readable
        | ReadableInto
        | Iterable[Buffer]
        | Addressed
    )
    # A file whose records are read in any order.
    Path: TypeAlias = str | os.PathLike[str] | os.PathLike[bytes]
    # A file that was found: its path, or an address.
    Found: TypeAlias = str | Addressed
    # Where a document is written to: a path, a binary file, or a function that takes bytes.
    Target: TypeAlias = Path | Writable | Callable[[bytes], int | None]
    # The same, where whatever takes the bytes is awaited.
    AsyncTarget: TypeAlias = AsyncWritable | Callable[[bytes], Awaitable[object] | int | None]
    # What `read` takes: a source, or several files.
    Sources: TypeAlias = Source | Sequence[Path | Addressed]
    # Whether the index of a file is kept: beside the file, or at a path.
    Index: TypeAlias = bool | Path | None
    # Which records are wanted.
    Where: TypeAlias = str | Condition
    # Where the records are: a path or, for several kinds of records, paths with their types.
    At: TypeAlias = str | Mapping[str, TypeForm[T]]
    # The formats by name.
    Format: TypeAlias = Literal["json", "ndjson", "xml", "csv", "plist"]
    # The formats of columns, which `convert` writes.
    # What kinds of classes there is code for.
    ClassKind: TypeAlias = Literal["dataclass", "attrs", "pydantic", "msgspec", "typeddict"]
    TableFormat: TypeAlias = Literal["parquet", "arrow"]
    # The forms of property lists.
    PlistForm: TypeAlias = Literal["binary", "xml", "openstep", "gnustep", "strings", "json"]
    # How a source is compressed; `"infer"` looks at its first bytes.
    Compression: TypeAlias = Literal["infer", "gzip", "zstd", "bzip2", "xz"]
    # How a target is compressed; `"infer"` looks at the suffix of its path.
    Packing: TypeAlias = Compression
    # What to do if the last line of a file has no line feed when records are appended to it.
    Torn: TypeAlias = Literal["error", "cut"]
    # Which value of a repeated key of JSON counts.
    Duplicates: TypeAlias = Literal["last", "first", "error"]
    # Whether a document may be unfinished, and whether a string counts that has not ended.
    Partial: TypeAlias = bool | Literal["trailing-strings"]
    # How the documents of a stream of JSON stand one after the other.
    Framing: TypeAlias = Literal["lines", "sequence", "concatenated"]
    # The end of a row of CSV.
    Terminator: TypeAlias = Literal["any"] | str  # noqa: PYI051 - a word among texts
    # Which cells of CSV have quotes.
    Quoting: TypeAlias = Literal["minimal", "all", "nonnumeric", "none"]
    # What becomes of text that a spreadsheet takes for a formula.
    Formulas: TypeAlias = Literal["escape", "refuse"]
    # What to do with keys that a class does not name.
    Unknown: TypeAlias = Literal["skip", "error"]
    # The same if there is a reader or a decoder to count them.
    CountedUnknown: TypeAlias = Literal["skip", "error", "collect"]
    # The URIs of the prefixes in paths; False for names as they are written.
    Namespaces: TypeAlias = Mapping[str, str] | Literal[False]
    # What to do with references to entities that only another file could declare.
    Unresolved: TypeAlias = Literal["error", "text"]
    # The faults that may be repaired in XML, and all of them.
    XmlRepair: TypeAlias = Literal[
        "bare_ampersand",
        "control_character",
        "html_entity",
        "surrogate_pair",
        "broken_subset",
        "trailing_junk",
    ]
    RepairWord: TypeAlias = XmlRepair | Literal["all"]
    # The faults that may be repaired in CSV, and all of them; one or several.
    CsvRepair: TypeAlias = Literal[
        "short_rows",
        "long_rows",
        "stray_quotes",
        "bare_cr",
        "nul",
        "trailing_delimiter",
    ]
    CsvRepairs: TypeAlias = CsvRepair | Literal["all"] | Iterable[CsvRepair | Literal["all"]]
    # A repair of any format.
    RepairKind: TypeAlias = XmlRepair | CsvRepair
    # How to make the keys of fields from their names.
    Style: TypeAlias = Literal["camel", "pascal", "kebab", "snake", "upper"]
    # A style, a mapping of the names of fields to keys, or a function of the name.
    Renaming: TypeAlias = Style | Mapping[str, str] | Callable[[str], str]
    # One of them for all classes, or one for each class.
    Rename: TypeAlias = Renaming | Mapping[type, Renaming]
    # Types, and the functions that make their values.
    Types: TypeAlias = Mapping[Any, Callable[[Any], Any] | via]
    # The unit of numbers that stand for a `datetime`, counted from 1970.
    Unix: TypeAlias = Literal["s", "ms", "us", "ns"]
    # The form of dates and times in text.
    Times: TypeAlias = Literal["rfc3339", "iso"] | times
    # What to do with repeated elements if a field holds one.
    Repeated: TypeAlias = Literal["error", "first", "last", "join"]
    # The elements that are lists even if there is only one: all, none, or by name.
    ForceList: TypeAlias = bool | Iterable[str]
    # An event of `penstock.xml.events`: a kind, a value and an offset.
    Event: TypeAlias = (
        tuple[Literal["start"], str, int]
        | tuple[Literal["attribute"], tuple[str, str], int]
        | tuple[Literal["text"], str, int]
        | tuple[Literal["end"], str, int]
        | tuple[Literal["comment"], str, int]
        | tuple[Literal["instruction"], tuple[str, str], int]
    )
    # The fields that are not written.
    Omit: TypeAlias = Literal["none", "defaults"]
    # What JSON gets for a float that it has no number for.
    NonFinite: TypeAlias = Literal["error", "null", "literal"]
    # Whether digits are written as a number or in a string.
    Digits: TypeAlias = Literal["number", "text"]
    # How elements stand in JSON.
    Form: TypeAlias = Literal["plain", "element"]
    # What XML gets for null.
    Null: TypeAlias = Literal["nil", "empty", "omit"]
    # How JSON gets bytes.
    Binary: TypeAlias = Literal["base64", "hex"]
    # What to do if there is no record.
    Empty: TypeAlias = Literal["allow", "warn", "error"]
    # What to do with a record that does not fit.
    Errors: TypeAlias = Literal["raise", "skip", "collect"] | Callable[[DecodeError], object]
else:
    # For the bases of generic classes, the only place where a type variable is used at run time.
    T = object

# The default of every type parameter. It is `object`, which asks for plain values like `Any`. By
# the annotation, checkers see `Any` for a call without a type; they could do nothing with `object`.
PLAIN: Any = object
