DIALECT = _dialect(framing, non_finite)
FORMAT = "ndjson"
READ = all_errors, duplicates, unknown, non_finite, types, encoding
STYLE = framing, TEXT, omit, NUMBERS, types, default

"""NDJSON: one JSON document per line, straight into your own types.

It is also known as JSON Lines. The verbs are those of `penstock.json`, and you pass the type of one
record: `decode` and `load` return a list, `read` returns one record at a time in constant memory. A
blank line is not a record. A malformed line spoils only itself, because the next record starts
after the next newline.

`framing=` selects related formats: `"sequence"` is JSON text sequences (RFC 7464), where a record
separator (0x1E) starts each document; `"concatenated"` is documents one after the other, with
or without white space between them.
"""

__all__ = [
    "Decoder", "Encoder", "decode", "dump", "encode", "load", "open", "read", "send", "write"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn: ...


_LINES = _rust.Dialect("ndjson")


def _dialect(framing: Framing, non_finite: bool = False) -> _rust.Dialect:
    """Return the format with these options. The extension checks them."""
    if framing == "lines" and non_finite is False:
        return _LINES
    return _rust.Dialect("ndjson", {"framing": framing, "non_finite": non_finite})


@_rust.direct_other
def decode(data, into, /, *, framing, READ, limits) -> list[T]:
    r"""Decode all records that are in memory.

    Args:
        data: The records: a `str`, or any object with the buffer protocol, such as `bytes`. Never a
            path; use `load` for that.
        framing: What separates records: `"lines"`, `"sequence"` or `"concatenated"`.
    Returns:
        The records, in their order.
    Raises:
        MalformedInput: A record is not JSON.
        TruncatedInput: The last record is the beginning of a JSON document.
        ValidationError: A record does not fit `into`.
        LimitExceeded: One of `limits` is exceeded.
    Example:
        >>> import penstock
        >>> penstock.ndjson.decode('{"a": 1}\n{"a": 2}\n', dict[str, int])
        [{'a': 1}, {'a': 2}]
        >>> penstock.ndjson.decode("1 2[3]", framing="concatenated")
        [1, 2, [3]]
    """
    if types is not None:
        into = _plan.with_types(into, types)
    dialect = _dialect(framing, non_finite)
    return _rust.decode(dialect, data, into, duplicates, unknown, all_errors, encoding, limits)


@_suggest.advised
def encode(values, into, /, *, STYLE) -> bytes:
    r"""Write each value as a line.

    Args:
        values: The records, from anything that can be iterated over. Each is written as by
            `penstock.json.encode`.
        framing: What separates records: `"lines"`, or `"sequence"` for RFC 7464.
    Returns:
        The records, in UTF-8.
    Raises:
        EncodeError: A value cannot be written. Its `record` says which.
    Example:
        >>> import penstock
        >>> penstock.ndjson.encode({"n": n} for n in range(2))
        b'{"n":0}\n{"n":1}\n'
    """
    return Encoder(into, STYLE=STYLE).encode(values)


@_suggest.advised
def dump(values, target, into, /, *, STYLE, TARGET, append, torn) -> None:
    r"""Write each value of an iterable as a line of a file or a stream.

    Args:
        values: The records, from anything that can be iterated over.
    Raises:
        TypeError: `target` is none of the three, or `values` is no iterable of records.
        EncodeError: A record cannot be written; its `record` says which.
        DecodeError: The file that is appended to ends inside a line, or is another kind of file.
    Example:
        >>> import pathlib, penstock
        >>> penstock.ndjson.dump([{"n": 1}], "log.ndjson")
        >>> penstock.ndjson.dump([{"n": 2}], "log.ndjson", append=True)
        >>> pathlib.Path("log.ndjson").read_bytes()
        b'{"n":1}\n{"n":2}\n'
    """
    encoder = Encoder(into, STYLE=STYLE)
    with _write.write(
        "dump", encoder, None, target, compression, level, sync, append, torn
    ) as writer:
        writer.write_all(values)


@_suggest.advised
def write(target, into, /, *, STYLE, TARGET, append, torn) -> _rust.Writer[T]:
    r"""Write records one at a time, in constant memory: each is a line.

    Raises:
        TypeError: `target` is none of the three.
        DecodeError: The file that is appended to ends inside a line, or is another kind of file.
        ValueError: An option is not valid.
    Example:
        >>> import pathlib, penstock
        >>> with penstock.ndjson.write("new.ndjson", append=True) as writer:
        ...     writer.write({"n": 1})
        >>> pathlib.Path("new.ndjson").read_bytes()
        b'{"n":1}\n'
    """
    encoder = Encoder(_write.declared(into), STYLE=STYLE)
    return _write.write("write", encoder, None, target, compression, level, sync, append, torn)


@_suggest.advised
def load(source, into, /, *, framing, READ, FILE) -> list[T]:
    r"""Decode all records of a file or a stream.

    Returns:
        The records, in their order.
    Example:
        >>> import gzip, pathlib, penstock
        >>> path = pathlib.Path("log.ndjson.gz")
        >>> _ = path.write_bytes(gzip.compress(b'{"ms": 12}\n{"ms": 7}\n'))
        >>> penstock.ndjson.load(path, dict[str, int])
        [{'ms': 12}, {'ms': 7}]
    """


@_suggest.advised
def read(source, into, /, *, framing, at, RECORDS, limit, READ, FILE) -> _rust.Reader[T]:
    r"""Read the records one at a time, in constant memory.

    Args:
        at: The path of the records inside each line; see `penstock.json.read`. Without it, a line
            is a record.
        errors: What to do with a line that is malformed or does not fit `into`. `"raise"` raises
            its error. `"skip"` leaves it out and counts it in `reader.skipped`.
            `"collect"` raises an `ExceptionGroup` of the errors after the last good record. A
            function is called with each error. Malformed input that is `"concatenated"` always
            raises and ends the reading, because nothing says where the next record starts.
    Returns:
        An iterator over the records; see `penstock.json.read`.
    Example:
        >>> import io, penstock
        >>> reader = penstock.ndjson.read(io.BytesIO(b"1\n2.5\n3\n"), int, errors="skip")
        >>> list(reader), reader.skipped
        ([1, 3], 1)
    """


@_suggest.advised
def open(source, into, /, *, index, all_errors, duplicates, unknown, types, limits) -> Rows[T]:
    r"""Open a file to read its records in any order.

    Penstock finds the records in one pass, at the speed of finding newlines, and decodes nothing.
    For a large file it keeps the position of every n-th record, in 6 MiB at most. `rows[i]` then
    reads a few kilobytes at the position of the record.

    Args:
        index: True to keep the index beside the file, in one whose name ends in
            `.penstock-index`; a path to keep it there. Penstock reuses it if the file still has
            the same size, modification time and samples of its content; otherwise it makes a new
            one. It replaces an index only: any other file there is an error.
        limits: The limits to enforce instead of the default ones. `token` is the longest record.
    Returns:
        The records as a sequence. Also a context manager, which closes the file.
    Raises:
        OSError: The file cannot be opened, or the index cannot be written. `FileExistsError` if
            `index` names something else than an index, such as a data file or a symbolic link.
        TypeError: `source` is not a path.
        ValueError: The file is compressed, or is a pipe.
        PlanError: Penstock cannot decode into `into`.
        DecodeError: The file is not in UTF-8, or cannot be read.
    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("sizes.ndjson")
        >>> _ = path.write_text('{"size": 36}\n{"size": 38}\n{"size": 40}\n')
        >>> with penstock.ndjson.open(path, dict[str, int]) as rows:
        ...     rows[2], len(rows), rows
        ({'size': 40}, 3, <Rows of 'sizes.ndjson': 3 records>)
    """
    if types is not None:
        into = _plan.with_types(into, types)
    return _rows.open_rows(source, index, _LINES, into, duplicates, unknown, all_errors, limits)


@_suggest.advised
def send(source, handler, /, *, framing, encoding, FILE) -> Any:
    r"""Send the members of each record to an object's methods; see `penstock.json.send`.

    `@on("")` claims the records themselves. A malformed record raises.

    Returns:
        The result of the last record's method, or the value of `Stop`; otherwise None.
    Raises:
        TypeError: As for `penstock.json.send`.
        ValueError: As for `penstock.json.send`.
        DecodeError: As for `penstock.json.send`.
    Example:
        >>> import io, penstock
        >>> class Total:
        ...     total = 0
        ...     def population(self, element: penstock.Element) -> None:
        ...         self.total += element.value
        >>> handler = Total()
        >>> lines = io.BytesIO(b'{"population": 134591}\n{"population": 37424}')
        >>> penstock.ndjson.send(lines, handler)
        >>> handler.total
        172015
    """
    dialect = _dialect(framing)
    return _send.send(dialect, source, handler, encoding, compression, member, limits)


Encoder = _encoder.LinesEncoder


class Decoder(_decoder.Decoder[T]):
    r"""Records of NDJSON from chunks that you push; see `penstock.Decoder`.

    The records and the options are those of `read`.

    Example:
        >>> import penstock
        >>> decoder = penstock.ndjson.Decoder(int)
        >>> decoder.feed(b"1\n2"), decoder.feed(b"3\n"), decoder.finish()
        ([1], [23], [])
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def decode(self, data: Data, /) -> list[T]:
            """Decode a whole document, whatever was fed before; see `penstock.Decoder`."""
            ...

    @_suggest.advised
    def __new__(cls, into, /, *, framing, at, RECORDS, limit, READ, compression, limits) -> Self: ...
