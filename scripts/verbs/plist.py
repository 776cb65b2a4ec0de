DIALECT = _dialect(form, repair)
FORMAT = "plist"
READ = all_errors, duplicates, unknown, repair, types, encoding
STYLE = form, indent, sort_keys, ascii, stream

"""Property lists, straight into your own types.

All forms are read: binary, XML, the text of OpenStep and GNUstep (`.strings`, `.glyphs` and Xcode's
project files), and JSON. Penstock finds the form by looking; `form` says it.

The verbs are those of `penstock.json`. A dictionary becomes a dict or your class, data become
`bytes`, and a date becomes an aware `datetime` in UTC. A UID, which only archives contain, becomes
a `plistlib.UID`, or an int where the type asks for one. The text of OpenStep has strings only, so
there `"42"` or `42` stands for an int if the type asks for one.
"""

from penstock._verbs.plist_encoder import Encoder

__all__ = [
    "ArchivedObject", "Array", "AttributedString", "Decoder", "Dictionary", "Encoder", "Items",
    "OpenedArray", "OpenedDictionary", "OpenedObject", "decode", "dump", "encode", "load", "open",
    "read", "send", "write"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import what few programs use; say what to use in place of a name that there is not."""
        if name in {"ArchivedObject", "AttributedString"}:
            from penstock._archives import keyed_values as values  # noqa: PLC0415 - only for archives
        elif name in {"OpenedArray", "OpenedDictionary", "OpenedObject"}:
            from penstock._archives import keyed_open as values  # noqa: PLC0415 - only for archives
        elif name in {"Array", "Dictionary", "Items"}:
            from penstock._archives import graph as values  # noqa: PLC0415 - only for `open`
        else:
            _suggest.attribute(__name__, name)
        found = globals()[name] = getattr(values, name)
        return found


_DIALECT = _rust.Dialect("plist")


def _dialect(
    form: PlistForm | None, repair: RepairWord | Iterable[RepairWord] = ()
) -> _rust.Dialect:
    """Return the format with these options."""
    if form is None and repair == ():
        return _DIALECT
    words = (repair,) if isinstance(repair, str) else tuple(repair)
    return _rust.Dialect("plist", {"form": form, "repair": words})


@_rust.direct_other
def decode(data, into, /, *, form, archive, classes, READ, limits) -> T:
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
            first. With `archive`, all those of one object.
        duplicates: Which value counts if a dictionary repeats a key: the `"last"` or the `"first"`.
            With `"error"`, a repeated key is an error. Skipped keys are not compared.
        repair: The faults of a property list in XML to repair instead of refusing them; see
            `penstock.xml.decode`. The other forms have none: what the first bytes show to be one of
            them is read as it is.
        encoding: The encoding of text that is not UTF-8 and does not say so itself by a byte order
            mark. It overrules an XML declaration.
    Raises:
        MalformedInput: `data` is no property list.
        TruncatedInput: `data` is the beginning of one.
        ValidationError: `data` is a property list but does not fit `into`.
        LimitExceeded: One of `limits` is exceeded.
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
    if archive or classes is not None:
        from penstock._archives import keyed_read as _keyed_read  # noqa: PLC0415 - few programs read archives

        given = decode(
            data, form=form, duplicates=duplicates, repair=repair, encoding=encoding, limits=limits)
        return _keyed_read.unarchived(
            given, into, archive, classes, types, unknown, None, all_errors=all_errors)
    if types is not None:
        into = _plan.with_types(into, types)
    return _rust.decode(
        _dialect(form, repair), data, into, duplicates, unknown, all_errors, encoding, limits
    )


@_suggest.advised
def encode(value, into, /, *, STYLE, archive, classes, omit, types, default) -> bytes:
    """Write a value as one property list.

    An object of a class is written as `decode` reads it. A property list has no null, so a field
    that is None is left out if None is its default, and refused otherwise. A naive datetime is
    taken as UTC, and an aware one is converted to it.

    Args:
        into: The type of the value. By default each object is written by its own class; see
            `penstock.json.encode`.
        form: `"xml"`, as Apple lays it out; `"binary"`, in which equal values are stored once; the
            text of `"openstep"`, which has only strings and data, or of `"gnustep"`, which has
            numbers and dates besides; `"strings"` for a file of strings, which is OpenStep's text
            without the outer braces; or `"json"`.
        indent: The spaces for each level, 0 to 64, of the forms of text, which have tabs by
            default, or of JSON, which is on one line by default.
        sort_keys: Whether dictionaries are in the order of their keys. By default they are in the
            order of the fields, or of the dict.
        ascii: Whether the forms of text, or JSON, have an escape for every other character.
        stream: Whether a binary property list is written while it is made, with references of four
            bytes, and not when all of it is known. That takes less memory and makes it larger.
    Returns:
        The property list.
    Raises:
        EncodeError: The form cannot hold a value. Its `path` says which.
    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        ...     population: int
        >>> text = penstock.plist.encode(City("Bern", 134591))
        >>> print(text.decode().splitlines()[7].strip())
        <integer>134591</integer>
        >>> penstock.plist.decode(penstock.plist.encode([City("Chur", 3)], form="binary"))
        [{'name': 'Chur', 'population': 3}]
        >>> penstock.plist.encode({"open": True}, form="openstep")
        Traceback (most recent call last):
        penstock.EncodeError: ['open']: an OpenStep property list has no booleans
    """
    if archive or classes is not None:
        from penstock._archives import keyed_write as _keyed_write  # noqa: PLC0415 - few programs write archives

        value = _keyed_write.archived(value, archive, classes, (into, omit, types, default))
    return Encoder(into, STYLE=STYLE, omit=omit, types=types, default=default).encode(value)


@_suggest.advised
def dump(value, target, into, /, *, STYLE, archive, classes, omit, types, default, TARGET) -> None:
    """Write a value as one property list to a file or a stream.

    A file at a path is replaced at once or not at all; see `penstock.json.dump`.

    Args:
        form: The form; see `encode`. By default that of the suffix: binary for `.bplist`, OpenStep
            for `.pbxproj` and `.glyphs`, a file of strings for `.strings`, otherwise XML.
    Example:
        >>> import pathlib, plistlib, penstock
        >>> penstock.plist.dump({"Tracks": [2, 3]}, "Library.plist", form="binary")
        >>> plistlib.loads(pathlib.Path("Library.plist").read_bytes())
        {'Tracks': [2, 3]}
    """
    if archive or classes is not None:
        from penstock._archives import keyed_write as _keyed_write  # noqa: PLC0415 - few programs write archives

        value = _keyed_write.archived(value, archive, classes, (into, omit, types, default))
    form = _formats.form_for(target) if form is None else form
    encoder = Encoder(into, STYLE=STYLE, omit=omit, types=types, default=default)
    _write.dump(encoder, value, target, compression, level, sync)


@_suggest.advised
def write(target, into, /, *, at, STYLE, omit, types, default, TARGET) -> _rust.Writer[T]:
    """Write records one at a time: the elements of an array.

    `read` of the same path, type and `at` returns the same records. Text is written in constant
    memory, and binary with `stream`.

    Args:
        at: The path of the records inside of the property list, as `read` takes it: `"Tracks/*"`
            are the elements of an array. Of the steps, only the last one is a `*`.
        form: The form; see `dump`.
    Returns:
        A `Writer`, which is a context manager. The file gets its name at the end of the `with`
        block, unless an exception leaves it: then the old file stays as it was.
    Example:
        >>> import penstock
        >>> with penstock.plist.write("primes.plist", int, at="found/*") as writer:
        ...     writer.write_all([2, 3, 5])
        >>> list(penstock.plist.read("primes.plist", int, at="found/*"))
        [2, 3, 5]
    """
    form = _formats.form_for(target) if form is None else form
    encoder = Encoder(_write.declared(into), STYLE=STYLE, omit=omit, types=types, default=default)
    return _write.write("write", encoder, at, target, compression, level, sync)


@_suggest.advised
def load(source, into, /, *, form, archive, classes, READ, FILE) -> T:
    """Decode one property list from a file or a stream.

    Args:
        into: The type of the property list, as for `decode`.
    Example:
        >>> import pathlib, plistlib, penstock
        >>> path = pathlib.Path("Info.plist")
        >>> _ = path.write_bytes(plistlib.dumps({"Tracks": [3, 5]}, fmt=plistlib.FMT_BINARY))
        >>> penstock.plist.load(path)
        {'Tracks': [3, 5]}
    """
    is_archive = archive or classes is not None
    if types is not None and not is_archive:
        into = _plan.with_types(into, types)
    given, name = _sources.locate("load", source, compression, member, limits)
    try:
        loaded = _rust.load(
            _dialect(form, repair), _rust.Source(given, name, encoding, compression),
            PLAIN if is_archive else into, duplicates, unknown, all_errors, limits)
    finally:
        del given  # This closes a zip archive that was opened here.
    if not is_archive:
        return loaded
    from penstock._archives import keyed_read as _keyed_read  # noqa: PLC0415 - few programs read archives

    return _keyed_read.unarchived(
        loaded, into, archive, classes, types, unknown, name, all_errors=all_errors
    )


@_suggest.advised
def read(source, into, /, *, at, form, RECORDS, limit, READ, FILE) -> _rust.Reader[T]:
    """Read the records of a property list one at a time, in constant memory.

    Without `at`, the elements of a root array are the records; a root dictionary is one record. A
    binary property list ends with the table of its objects. At a path, Penstock reads it at
    positions; from a stream, all of it must come first.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`. A file that
            you opened stays open. Or several files, which are read in order: a list of paths, a
            pattern such as `"apps/*/Info.plist"`, or a folder.
        at: The path of the records inside the property list, as for `penstock.json.read`: the
            tracks of an iTunes library are at `"Tracks/*"`.
        errors: What to do with a record that does not fit `into`; see `penstock.json.read`. A
            malformed property list always raises and ends the reading.
        empty: `"error"` makes it a `ValidationError` at the end if there was no record.
        repair: The faults of XML to repair, as for `decode`. The reader has `repairs` and
            `repair_counts`; see `penstock.xml.read`.
    Example:
        >>> import io, plistlib, penstock
        >>> library = {"Tracks": {"17": {"Name": "Fog"}, "23": {"Name": "Rain"}}}
        >>> file = io.BytesIO(plistlib.dumps(library))
        >>> [track["Name"] for track in penstock.plist.read(file, at="Tracks/*")]
        ['Fog', 'Rain']
    """


@_suggest.advised
def open(
    source, into, /, *, at, archive, classes, unknown, all_errors, repair, types, encoding, FILE
) -> Any:
    """Open a property list and read the parts that you ask for.

    A binary property list at a path is not read as a whole, but at the positions of what you ask
    for. It must not change meanwhile: if it does, what was not read yet is an error. Any other
    property list is read, and made binary in memory.

    Args:
        source: A path, a binary file, an iterable of chunks of bytes, or the property list itself
            as `bytes`.
        into: The type of a record. With it, you get `Items`, a sequence of the elements of the root
            array, or of what is at `at`. Each is decoded when you ask for it.
        at: Where the records are: keys, and `*` at the end, such as `"Tracks/*"`. Without `into`,
            records are plain values.
        archive: Whether the property list is a keyed archive: then you get the objects in it, as
            for `decode`, each when you come to it. Arrays and sets are an `OpenedArray`,
            dictionaries an `OpenedDictionary`, objects of other classes an `OpenedObject`. Their
            `to` makes objects of your classes. It has a path of its own, so `into`, `at` and the
            options of records are not for it.
        classes: With `archive`, your classes by the names that the archive has for them, for `to`.
    Returns:
        A `Dictionary` or an `Array`, which are context managers; `Items`, with `into` or `at`; or
        the value itself, if the root is none of both.
    Raises:
        TypeError: `source` is none of these.
        ValueError: As for `load`; or there is nothing at `at`; or an option is not for archives.
        DecodeError: As for `load`. What is damaged elsewhere raises when you ask for it.
    Example:
        >>> import plistlib, penstock
        >>> data = plistlib.dumps({"Tracks": [{"Name": "Fog"}]}, fmt=plistlib.FMT_BINARY)
        >>> library = penstock.plist.open(data)
        >>> library["Tracks"][0]["Name"], len(library["Tracks"])
        ('Fog', 1)
        >>> library["Tracks"].to(list[dict[str, str]])
        [{'Name': 'Fog'}]
    """
    from penstock._archives import graph as _graph  # noqa: PLC0415 - few programs look into property lists

    dialect = _dialect(None, repair)
    if archive or classes is not None:
        from penstock._archives import keyed_open as _keyed_open  # noqa: PLC0415 - few programs read archives

        _keyed_open.check(archive, (into, at, types), unknown, all_errors)
        root = _graph.located(source, dialect, encoding, compression, member, limits)
        return _keyed_open.opened(root, classes)
    root = _graph.located(source, dialect, encoding, compression, member, limits)
    if into is None and at is None:
        return root
    record: Any = PLAIN if into is None else into
    if types is not None:
        record = _plan.with_types(record, types)
    return _graph.items(root, record, at, unknown, all_errors)


@_suggest.advised
def send(source, handler, /, *, form, repair, encoding, FILE) -> Any:
    """Send the members of a property list to an object's methods; see `penstock.json.send`.

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
    return _send.send(
        _dialect(form, repair), source, handler, encoding, compression, member, limits
    )


class Decoder(_decoder.Decoder[T]):
    """Records of a property list from chunks that you push; see `penstock.Decoder`.

    The records and the options are those of `read`. The records of a binary property list come when
    all of it is there, at the end.

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

    @_suggest.advised
    def __new__(cls, into, /, *, at, form, RECORDS, limit, READ, compression, limits) -> Self: ...
