"""Property lists, straight into your own types.

All forms are read: binary, XML, the text of OpenStep and GNUstep (`.strings`, `.glyphs` and Xcode's
project files), and JSON. Penstock finds the form by looking; `form` says it.

The verbs are those of `penstock.json`. A dictionary becomes a dict or your class, data become
`bytes`, and a date becomes an aware `datetime` in UTC. A UID, which only archives contain, becomes
a `plistlib.UID`, or an int where the type asks for one. The text of OpenStep has strings only, so
there `"42"` or `42` stands for an int if the type asks for one.
"""

from __future__ import annotations

from penstock import (
    _decoder,
    _missing,
    _plan,
    _read,
    _rust,
    _send,
    _sources,
)
from penstock._types import PLAIN, T

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, NoReturn, Self

    from typing_extensions import TypeForm

    from penstock._limits import Limits
    from penstock._types import (
        At,
        Compression,
        CountedUnknown,
        Data,
        Duplicates,
        Empty,
        Errors,
        PlistForm,
        Source,
        Sources,
        Types,
        Unknown,
    )

__all__ = [
    "Decoder",
    "decode",
    "load",
    "read",
    "send",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        """Say what to use in place of a name that there is not."""
        _missing.attribute(__name__, name)


_DIALECT = _rust.Dialect("plist")


def _dialect(form: PlistForm | None) -> _rust.Dialect:
    """Return the format with this option."""
    return _DIALECT if form is None else _rust.Dialect("plist", form=form)


@_rust.direct_other
def decode(
    data: Data,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    form: PlistForm | None = None,
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: Unknown = "skip",
    types: Types | None = None,
    encoding: str | None = None,
    limits: Limits | None = None,
) -> T:
    """Decode one property list that is in memory.

    Args:
        data: The property list: any object with the buffer protocol, such as `bytes`, or a `str` if
            it is text. Never a path; use `load` for that.
        into: The type of the property list. By default, or with `Any` or `object`, you get dicts,
            lists, strings, ints, floats, bools, bytes, datetimes and UIDs. You may pass a
            `penstock.Plan` for any type.
        form: `"binary"`, `"xml"`, `"openstep"`, `"gnustep"` or `"json"`. By default the first bytes
            say it. The two forms of text are read in the same way.
        all_errors: Whether an error reports all problems, in its `problems`, and not only the
            first.
        duplicates: Which value counts if a dictionary repeats a key: the `"last"` or the `"first"`.
            With `"error"`, a repeated key is an error. Skipped keys are not compared.
        unknown: Whether to `"skip"` keys that a class does not name, or to raise an `"error"`.
        types: Functions that make values of types; see `penstock.json.decode`.
        encoding: The encoding of text that is not UTF-8 and does not say so itself, by a byte order
            mark or an XML declaration.
        limits: The limits to enforce instead of the default ones.

    Returns:
        A value of the type `into`.

    Raises:
        MalformedInput: `data` is no property list.
        TruncatedInput: `data` is the beginning of one.
        ValidationError: `data` is a property list but does not fit `into`.
        LimitExceeded: One of `limits` is exceeded.
        PlanError: Penstock cannot decode into `into`.

    Example:
        >>> from dataclasses import dataclass
        >>> from typing import Annotated
        >>> import penstock
        >>> @dataclass
        ... class App:
        ...     name: Annotated[str, penstock.at("CFBundleName")]
        ...     build: Annotated[int, penstock.at("CFBundleVersion")]
        >>> info = "{ CFBundleName = Ledger; CFBundleVersion = 42; }"
        >>> penstock.plist.decode(info, App)
        App(name='Ledger', build=42)
    """
    if types is not None:
        into = _plan.with_types(into, types)
    return _rust.decode(
        _dialect(form), data, into, duplicates, unknown, all_errors, encoding, limits
    )


@_missing.advised
def load(
    source: Source,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    form: PlistForm | None = None,
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: Unknown = "skip",
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> T:
    """Decode one property list from a file or a stream.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes. Never the data itself;
            use `decode` for that.
        into: The type of the property list, as for `decode`.
        form: The form, as for `decode`.
        all_errors: Whether an error reports all problems, as for `decode`.
        duplicates: Which value of a repeated key counts, as for `decode`.
        unknown: What to do with keys that a class does not name, as for `decode`.
        types: Functions that make values of types, as for `decode`.
        encoding: The encoding of text, as for `decode`.
        compression: How the source is compressed: `"gzip"`, `"zstd"`, `"bzip2"` or `"xz"`. By
            default Penstock looks at the first bytes. None takes the source as it is.
        member: The member of a zip archive. Not needed if the name ends in `.zip` and the
            archive holds one file.
        limits: The limits to enforce instead of the default ones.

    Returns:
        A value of the type `into`.

    Raises:
        OSError: The file cannot be opened.
        TypeError: `source` is none of the three.
        ValueError: The archive does not hold exactly one file, or not `member`.
        DecodeError: As for `decode`; or a plain `DecodeError`, if the source raised while it was
            read.
        PlanError: As for `decode`.

    Example:
        >>> import pathlib, plistlib, penstock
        >>> path = pathlib.Path("Info.plist")
        >>> _ = path.write_bytes(plistlib.dumps({"Tracks": [3, 5]}, fmt=plistlib.FMT_BINARY))
        >>> penstock.plist.load(path)
        {'Tracks': [3, 5]}
    """
    if types is not None:
        into = _plan.with_types(into, types)
    given, name = _sources.locate("load", source, compression, member, limits)
    try:
        return _rust.load(
            _dialect(form),
            _rust.Source(given, name, encoding, compression),
            into,
            duplicates,
            unknown,
            all_errors,
            limits,
        )
    finally:
        del given  # This closes an archive that was opened here.


@_missing.advised
def read(
    source: Sources,
    into: TypeForm[T] = PLAIN,
    /,
    *,
    at: At[T] | None = None,
    form: PlistForm | None = None,
    errors: Errors = "raise",
    max_errors: int = 100,
    empty: Empty = "allow",
    all_errors: bool = False,
    duplicates: Duplicates = "last",
    unknown: CountedUnknown = "skip",
    types: Types | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> _rust.Reader[T]:
    """Read the records of a property list one at a time, in constant memory.

    Without `at`, the elements of a root array are the records; a root dictionary is one record. A
    binary property list ends with the table of its objects. At a path, Penstock reads it at
    positions; from a stream, all of it must come first.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`. A file that
            you opened stays open. Or several files, which are read in order: a list of paths, a
            pattern such as `"apps/*/Info.plist"`, or a folder.
        into: The type of a record, as for `decode`.
        at: The path of the records inside the property list, as for `penstock.json.read`: the
            tracks of an iTunes library are at `"Tracks/*"`.
        form: The form, as for `decode`.
        errors: What to do with a record that does not fit `into`; see `penstock.json.read`. A
            malformed property list always raises and ends the reading.
        max_errors: How many errors `"collect"` keeps; at one more it raises at once.
        empty: `"error"` makes it a `ValidationError` at the end if there was no record.
        all_errors: Whether the error of a record reports all of its problems, in `problems`, and
            not only the first.
        duplicates: Which value of a repeated key counts, as for `decode`.
        unknown: What to do with keys that a class does not name, as for `decode`; `"collect"` skips
            them and counts each in `reader.unknown`.
        types: Functions that make values of types, as for `decode`.
        encoding: The encoding of text, as for `decode`.
        compression: How the source is compressed, as for `load`.
        member: The member of a zip archive, as for `load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        An iterator over the records. It is also a context manager; without `with`, Penstock closes
        the file after the last record.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`.
        ValueError: As for `load`, or `at` is not a path.
        PlanError: Penstock cannot decode into `into`.
        DecodeError: While iterating, as for `decode`.

    Example:
        >>> import io, plistlib, penstock
        >>> library = {"Tracks": {"17": {"Name": "Fog"}, "23": {"Name": "Rain"}}}
        >>> file = io.BytesIO(plistlib.dumps(library))
        >>> [track["Name"] for track in penstock.plist.read(file, at="Tracks/*")]
        ['Fog', 'Rain']
    """
    if types is not None:
        into, at = _plan.of_records(into, at, types)
    policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty)
    return _read.read(
        source,
        "plist",
        _dialect(form),
        into,
        at,
        policy,
        encoding,
        compression,
        member,
        limits,
    )


@_missing.advised
def send(
    source: Source,
    handler: object,
    /,
    *,
    form: PlistForm | None = None,
    encoding: str | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> Any:
    """Send the members of a property list to an object's methods; see `penstock.json.send`.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`.
        handler: The object whose methods are called.
        form: The form, as for `decode`.
        encoding: The encoding of text, as for `decode`.
        compression: How the source is compressed, as for `load`.
        member: The member of a zip archive, as for `load`.
        limits: The limits to enforce instead of the default ones.

    Returns:
        The result of the root's method, or the value of `Stop`; otherwise None.

    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`, or a marked method cannot be called with one argument.
        ValueError: As for `load`, or no element can reach the handler, or two methods claim the
            same elements.
        DecodeError: As for `load`. An exception of a method passes through unchanged.

    Example:
        >>> import io, plistlib, penstock
        >>> class Apps:
        ...     def app(self, element: penstock.Element) -> None:
        ...         print(element.attributes["name"])
        >>> apps = {"app": [{"name": "Ledger"}, {"name": "Chart"}]}
        >>> penstock.plist.send(io.BytesIO(plistlib.dumps(apps)), Apps())
        Ledger
        Chart
    """
    return _send.send(_dialect(form), source, handler, encoding, compression, member, limits)


class Decoder(_decoder.Decoder[T]):
    """Records of a property list from chunks that you push; see `penstock.Decoder`.

    The records and the options are those of `read`. The records of a binary property list come when
    all of it is there: at `finish`.

    Example:
        >>> import penstock
        >>> decoder = penstock.plist.Decoder(int)
        >>> decoder.feed(b"( 12, 3"), decoder.feed(b"4 )"), decoder.finish()
        ([12], [34], [])
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def decode(self, data: Data, /) -> T:
            """Decode one whole property list, whatever was fed before; see `penstock.Decoder`."""
            ...

    def __new__(
        cls,
        into: TypeForm[T] = PLAIN,
        /,
        *,
        at: At[T] | None = None,
        form: PlistForm | None = None,
        errors: Errors = "raise",
        max_errors: int = 100,
        empty: Empty = "allow",
        all_errors: bool = False,
        duplicates: Duplicates = "last",
        unknown: CountedUnknown = "skip",
        types: Types | None = None,
        encoding: str | None = None,
        compression: Compression | None = "infer",
        limits: Limits | None = None,
    ) -> Self:
        """Compile the type and the path, before any byte."""
        if types is not None:
            into, at = _plan.of_records(into, at, types)
        policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty)
        return cls._make(_dialect(form), into, at, policy, encoding, limits, compression)
