DIALECT = _dialect.chosen(dialect, name, repair)
DUPLICATES = "last"
READ = all_errors, unknown, types, encoding
STYLE = dialect, quoting, formulas, null, encoding, types, default

"""CSV and its kin: rows of cells, straight into your own types.

The verbs are those of `penstock.json`, and you pass the type of one row: `decode` and `load` return
a list, `read` returns one row at a time in constant memory. The first row is the header, whose
names find the fields of a class. Without a class, a row is a dict of text.

The text is that of RFC 4180: cells between commas, and quotes around cells that contain commas,
quotes or line ends. Pass a `Dialect` for other text. By default, the suffix of a file's name
says the delimiter: a tab for `.tsv` and `.tab`, a bar for `.psv`, else a comma.
"""

from penstock._verbs.csv_encoder import Encoder

__all__ = [
    "Decoder", "Dialect", "Encoder", "decode", "dump", "encode", "infer", "load", "open", "read",
    "send", "split", "write"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn: ...


def _mending(
    dialect: Dialect | Literal["infer"] | None, repair: CsvRepairs
) -> Callable[[str | None], _rust.Dialect]:
    """Return what the dialect of a file with some name is, with these repairs."""
    words = repair if isinstance(repair, str) else tuple(repair)
    return lambda name: _dialect.chosen(dialect, name, words)


@_rust.direct_other
def decode(data, into, /, *, dialect, repair, READ, limits) -> list[T]:
    r"""Decode all rows that are in memory.

    Args:
        data: The text: a `str`, or any object with the buffer protocol, such as `bytes`. Never a
            path; use `load` for that.
        into: The type of one row. By default, or with `Any` or `object`, a row is a dict of the
            columns' names and the text of its cells. You may pass a `penstock.Plan` for any type.
        dialect: How the text is cut into rows and cells; by default with commas. `"infer"` finds it
            in the first 64 KiB; see `infer`.
        repair: The faults to repair instead of refusing their rows, one name or several.
            `"short_rows"` takes the cells that a row lacks as empty. `"long_rows"` ignores cells
            behind the last column. `"trailing_delimiter"` ignores a delimiter behind the last cell,
            also in the header. `"stray_quotes"` keeps quotes that neither open nor close a cell as
            text. `"bare_cr"` keeps a carriage return that ends no line as text. `"nul"` removes NUL
            characters. `"all"` is all of them. A `RepairWarning` says what was repaired.
        all_errors: Whether an error reports all problems of its row, in its `problems`, and not
            only the first.
        unknown: Whether to `"skip"` columns that a class does not name, or to raise an `"error"`.
        encoding: The encoding of bytes if there is no byte order mark and it is not UTF-8: a name
            of the WHATWG table, or `"utf-16-le"` and similar.
    Returns:
        The rows, in their order.
    Raises:
        MalformedInput: A row is not CSV, or has another number of cells than there are columns.
        TruncatedInput: A quote is never closed.
        ValidationError: A row does not fit `into`.
        LimitExceeded: One of `limits` is exceeded.
    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        ...     population: int
        >>> penstock.csv.decode("name,country,population\nBern,CH,134591\n", City)
        [City(name='Bern', population=134591)]
        >>> penstock.csv.decode('name,note\nBern,"the ""City of Bears"", on the Aare"\n')
        [{'name': 'Bern', 'note': 'the "City of Bears", on the Aare'}]
    """
    if types is not None:
        into = _plan.with_types(into, types)
    form = _dialect.chosen(dialect, None, repair)
    return _rust.decode(form, data, into, "last", unknown, all_errors, encoding, limits)


@_suggest.advised
def encode(values, into, /, *, STYLE) -> bytes:
    r"""Write each value as a row, and a header before the first.

    A row is an object, whose fields are the columns; a dict, whose keys are; or a list or a tuple,
    whose items are cells. The columns are those of `into`, or of the first row. A later dict may
    have its keys in another order, and its missing keys are None; another key is an error. Lists
    need a dialect that has no header or names the columns.

    Args:
        values: The rows, from anything that can be iterated over.
        into: The type of one row. By default, each row is written by its own class.
        dialect: The delimiter, the quote, the end of a row, and the header; by default commas, LF
            and a header. `read` with the same dialect gets the same cells. With `header=None`, or
            with a list of the columns' names, no header is written.
        quoting: Which cells have quotes. `"minimal"`: those that need them. `"all"`: all but None.
            `"nonnumeric"`: all but numbers and None. `"none"`: no cell; what needs quotes is
            escaped, or is an error if the dialect has no escape.
        formulas: What becomes of text that a spreadsheet takes for a formula, because it begins
            with `=`, `+`, `-`, `@` or a control character. By default it is written as it is.
            `"escape"` writes an apostrophe before it, and `"refuse"` raises an error. Numbers
            are no formulas.
        null: The text of None. By default its cell is empty, and an empty text is `""`.
        encoding: `"utf-8"`, or `"utf-8-sig"` for a byte order mark at the beginning, by which
            spreadsheets recognise UTF-8.
    Returns:
        The rows, in UTF-8.
    Raises:
        EncodeError: A value cannot be written. Its `record` says which row, and its `path` which
            cell.
    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        ...     mayor: str | None
        >>> print(penstock.csv.encode([City("Bern", None), City("Biel, Bienne", "")]).decode())
        name,mayor
        Bern,
        "Biel, Bienne",""
        <BLANKLINE>
    """
    return Encoder(into, STYLE=STYLE).encode(values)


@_suggest.advised
def dump(values, target, into, /, *, STYLE, TARGET, append, torn) -> None:
    r"""Write each value of an iterable as a row of a file or a stream.

    Args:
        values: The rows; see `encode`.
        dialect: The delimiter, the quote and the header; see `encode`. By default, the suffix of a
            path says the delimiter, as for `load`.
        append: Whether the rows are written behind those of the file, instead of replacing it. They
            must have the columns of its header. After an exception, the whole rows before it stay.
        torn: What to do if the last row of the file is not whole, because a program was killed:
            `"error"` refuses it, `"cut"` removes the row.
    Raises:
        TypeError: `target` is none of the three, or `values` is no iterable of rows.
        EncodeError: A row cannot be written; its `record` says which. Or the file that is appended
            to has other columns.
        DecodeError: The file that is appended to ends inside a row, or is another kind of file.
    Example:
        >>> import pathlib, penstock
        >>> penstock.csv.dump([{"n": 1, "m": 2}], "log.csv")
        >>> penstock.csv.dump([{"m": 4, "n": 3}], "log.csv", append=True)
        >>> pathlib.Path("log.csv").read_bytes()
        b'n,m\n1,2\n3,4\n'
    """
    options = _csv_encoder.style_options(dialect, target, quoting, formulas, null, encoding)
    encoder = _csv_encoder.encoder(into, types, default, options, target, append, torn)
    with _write.write(
        "dump", encoder, None, target, compression, level, sync, append, torn
    ) as writer:
        writer.write_all(values)


@_suggest.advised
def write(target, into, /, *, STYLE, TARGET, append, torn) -> _rust.Writer[T]:
    r"""Write rows one at a time, in constant memory.

    Args:
        into: The type of a row; see `encode`. With it, the header is written even if there is no
            row.
        dialect: The delimiter, the quote and the header; see `dump`.
        append: Whether the rows are written behind those of the file; see `dump`.
        torn: What to do if the last row of the file is not whole; see `dump`.
    Raises:
        TypeError: `target` is none of the three.
        EncodeError: The file that is appended to has other columns than `into`.
        DecodeError: The file that is appended to ends inside a row, or is another kind of file.
        ValueError: An option is not valid.
    Example:
        >>> import pathlib, penstock
        >>> with penstock.csv.write("sizes.tsv") as writer:
        ...     writer.write({"city": "Bern", "size": 134591})
        >>> pathlib.Path("sizes.tsv").read_bytes()
        b'city\tsize\nBern\t134591\n'
    """
    options = _csv_encoder.style_options(dialect, target, quoting, formulas, null, encoding)
    encoder = _csv_encoder.encoder(
        _write.declared(into), types, default, options, target, append, torn
    )
    return _write.write("write", encoder, None, target, compression, level, sync, append, torn)


@_suggest.advised
def infer(source, into, /, *, encoding, FILE) -> Dialect:
    r"""Find the dialect of a file in its first 64 KiB, as `dialect="infer"` does.

    Penstock tries every dialect of which the sample has a trace, with the grammar that reads the
    file afterwards. Only those that read the sample without a fault remain. Of these, the one wins
    in which the table is shortest to write down. If a class is given and a row has the names of its
    fields, that decides first, and then whether the cells are values of the fields. Nothing is
    guessed: if no dialect reads the sample, or two are as likely, that is an error.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, of which only the
            beginning is read.
        into: The type of one row, if there is one.
    Returns:
        The dialect, for this file and others like it.
    Raises:
        OSError: The file cannot be opened.
        MalformedInput: No dialect reads the sample, or two are as likely.
        PlanError: Penstock cannot decode into `into`.
    Example:
        >>> import penstock
        >>> penstock.csv.infer([b"Sizes of 2024\n\nname;size\nBern;1,5\nChur;0,4\n"])
        Dialect(';', skip_rows=2)
    """
    return _inferred(source, into, (), encoding, compression, member, limits)


def _inferred(
    source: Source,
    into: object,
    repair: CsvRepairs,
    encoding: str | None,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
) -> Dialect:
    """Find the dialect of a source for a reader that makes these repairs."""
    given, name = _sources.locate("read", source, compression, member, limits)
    try:
        opened = _rust.Source(given, name, encoding, compression)
        form = _dialect.chosen("infer", None, repair)
        return _rust.infer(form, opened, into, limits)[0]
    finally:
        del given  # This closes an archive that was opened here.


@_suggest.advised
def load(source, into, /, *, dialect, repair, READ, FILE) -> list[T]:
    r"""Decode all rows of a file or a stream.

    Returns:
        The rows, in their order.
    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("sizes.tsv")
        >>> _ = path.write_text("size\tcolour\n36\tblue\n")
        >>> penstock.csv.load(path)
        [{'size': '36', 'colour': 'blue'}]
    """


@_suggest.advised
def read(source, into, /, *, dialect, repair, RECORDS, limit, READ, FILE, resume) -> _rust.Reader[T]:
    r"""Read the rows one at a time, in constant memory.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`. A file that
            you opened stays open. Or several files, which are read in order: a list of paths, a
            pattern such as `"data/*.csv"`, or a folder. Each has a header of its own.
        repair: The faults to repair; see `decode`. The reader has `repairs` and `repair_counts`.
        errors: What to do with a row that is malformed or does not fit `into`. `"raise"` raises its
            error. `"skip"` leaves it out and counts it in `reader.skipped`. `"collect"` raises an
            `ExceptionGroup` of the errors after the last good row. A function is called with
            each error.
        empty: `"error"` makes a file an error that has no row behind its header.
        unknown: What to do with columns that a class does not name; see `penstock.json.read`.
        resume: Where to go on; see `penstock.read`. A checkpoint holds the dialect that was given,
            which may be left out here.
    Returns:
        An iterator over the rows; see `penstock.json.read`.
    Raises:
        ValueError: As for `load`.
    Example:
        >>> import io, penstock
        >>> rows = io.BytesIO(b"n,m\n1,2\n3\n5,6\n")
        >>> reader = penstock.csv.read(rows, dict[str, int], errors="skip")
        >>> list(reader), reader.skipped
        ([{'n': 1, 'm': 2}, {'n': 5, 'm': 6}], 1)
    """
    if types is not None:
        into = _plan.with_types(into, types)
    policy = _rust.Policy(errors, max_errors, "last", unknown, all_errors, empty, limit)
    form = None if dialect is None else _dialect.checked(dialect)
    said = _dialect.options(dialect) if isinstance(dialect, Dialect) else None
    if resume is not None:
        from penstock._parts import checkpoint as _checkpoint  # noqa: PLC0415 - few programs keep their place

        others = {"repair": bool(repair), "encoding": encoding is not None,
            "compression": compression != "infer", "member": member is not None}

        def found(path: Found) -> dict[str, Any]:
            return _dialect.options(infer(path, into, limits=limits))

        return _checkpoint.read(
            resume, source, into, policy, None, limits, "csv", None, others,
            found if dialect == "infer" else said, where)
    return _read.read(
        source, "csv", _mending(dialect, repair) if repair else form, into, None, policy,
        encoding, compression, member, limits, None if repair else said, where)


@_suggest.advised
def split(source, /, *, parts, bytes, dialect, limits, threads, index) -> Splits:
    r"""Find the parts of files, each of which can be read on its own; see `penstock.split`.

    Each part holds the dialect.

    Args:
        source: A path, a list of paths, a pattern or a folder, as for `read`.
        parts: How many parts there shall be, at most; see `penstock.split`.
        bytes: About how many bytes a part shall have; see `penstock.split`.
        dialect: How the text is cut into rows and cells; by default as the suffix says. `"infer"`
            finds it in the first 64 KiB of each file; see `infer`.
        limits: As for `read`.
        threads: How many threads look at a file at once. The parts are the same for any number.
        index: Keep where parts may begin, in that dialect; see `penstock.split`.
    Returns:
        A sequence of parts. Printing it shows the plan.
    Raises:
        OSError: A file cannot be opened.
        FileExistsError: `index` names something else than what `split` has kept.
        TypeError: `source` is no path; or `parts` and `bytes` are both given.
        ValueError: One of them, or `threads`, is less than 1; or as for `penstock.split`.
        MalformedInput: No dialect reads the beginning of a file, or two are as likely.
    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("sizes.csv")
        >>> _ = path.write_text("# in cm\nsize;note\n36;\n38;'a;\nb'\n40;\n")
        >>> dialect = penstock.csv.Dialect(";", quote="'", comment="#")
        >>> parts = penstock.csv.split(path, parts=2, dialect=dialect)
        >>> [[row["size"] for row in part.read()] for part in parts]
        [['36'], ['38', '40']]
    """
    from penstock._parts.split import of_files  # noqa: PLC0415 - few programs do

    def choose(path: str) -> dict[str, Any]:
        is_inferred = isinstance(dialect, str) and dialect == "infer"
        return _dialect.options(infer(path, limits=limits) if is_inferred else dialect)

    chosen = None if dialect is None else choose
    return of_files(source, parts, bytes, "csv", None, limits, threads, chosen, index)


@_suggest.advised
def open(source, into, /, *, dialect, repair, index, all_errors, unknown, types, limits) -> Rows[T]:
    r"""Open a file to read its rows in any order.

    Penstock finds the rows in one pass, with the rules of the dialect and without making objects.
    For a large file it keeps the position of every n-th row, in 6 MiB at most. `rows[i]` then
    reads a few kilobytes at the position of the row. The rows are those of `read`: a malformed row
    counts, and asking for it raises its error.

    Args:
        repair: The faults to repair; see `decode`. A repaired row is read as any other: `read`
            says which rows were repaired.
        index: True to keep the index beside the file, in one whose name ends in
            `.penstock-index`; a path to keep it there. Penstock reuses it if the dialect, the
            repairs and `limits.row` are the same, and the file still has the same size,
            modification time and samples of its content; otherwise it makes a new one. It replaces
            an index only: any other file there is an error.
        limits: The limits to enforce instead of the default ones. `row` is the longest row.
    Returns:
        The rows as a sequence, which can also look them up by the text of a column
        (`Rows.index`). Also a context manager, which closes the file.
    Raises:
        OSError: The file cannot be opened, or the index cannot be written. `FileExistsError` if
            `index` names something else than an index, such as a data file or a symbolic link.
        TypeError: `source` is not a path.
        ValueError: The file is compressed, or is a pipe; or there is no such repair.
        PlanError: Penstock cannot decode into `into`.
        DecodeError: The file is not in UTF-8, or cannot be read; or a row is in error before the
            columns are known, such as the header.
    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("sizes.csv")
        >>> _ = path.write_text('size,note\n36,\n38,"two\nlines"\n40,\n')
        >>> with penstock.csv.open(path) as rows:
        ...     rows[1], len(rows), rows
        ({'size': '38', 'note': 'two\nlines'}, 3, <Rows of 'sizes.csv': 3 records>)
    """
    if types is not None:
        into = _plan.with_types(into, types)
    path, name = _sources.path("open", source)
    words = repair if isinstance(repair, str) else tuple(repair)
    # What is no regular file is refused, and reading it might wait for ever.
    if dialect == "infer" and (not isinstance(path, str) or os.path.isfile(path)):  # noqa: PTH113 - pathlib is slow to import
        dialect = _inferred(source, into, words, None, "infer", None, limits)
    form = _dialect.chosen(dialect, name, words)
    return _rows.open_rows(source, index, form, into, "last", unknown, all_errors, limits)


@_suggest.advised
def send(source, handler, /, *, dialect, repair, encoding, FILE) -> Any:
    r"""Send the cells of each row to an object's methods; see `penstock.json.send`.

    A method gets the cells of the column of its name. `@on("")` claims the rows themselves: their
    cells are in `element.attributes`, but for those that a method of their own takes, whose
    results are in `element.children`. A malformed row raises.

    Args:
        dialect: How the text is cut into rows and cells; by default as the suffix says.
    Returns:
        The result of the last row's method, or the value of `Stop`; otherwise None.
    Raises:
        TypeError: As for `penstock.json.send`.
        ValueError: As for `penstock.json.send`.
        DecodeError: As for `penstock.json.send`.
    Example:
        >>> import io, penstock
        >>> class Total:
        ...     total = 0
        ...     def population(self, cell: penstock.Element) -> None:
        ...         self.total += int(cell.text)
        >>> handler = Total()
        >>> penstock.csv.send(io.BytesIO(b"name,population\nBern,134591\nChur,37424\n"), handler)
        >>> handler.total
        172015
    """
    form: _rust.Dialect | Callable[[str | None], _rust.Dialect] = _mending(dialect, repair)
    return _send.send(form, source, handler, encoding, compression, member, limits)


class Decoder(_decoder.Decoder[T]):
    r"""Rows of CSV from chunks that you push; see `penstock.Decoder`.

    The rows and the options are those of `read`. ``decode()`` takes a whole text, with a header of
    its own.

    Example:
        >>> import penstock
        >>> decoder = penstock.csv.Decoder(list[int])
        >>> decoder.feed(b"a,b\n1,2\n3"), decoder.feed(b",4\n"), decoder.finish()
        ([[1, 2]], [[3, 4]], [])
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def decode(self, data: Data, /) -> list[T]:
            """Decode a whole text, whatever was fed before; see `penstock.Decoder`."""
            ...

    @_suggest.advised
    def __new__(cls, into, /, *, dialect, repair, RECORDS, limit, READ, compression, limits) -> Self:
        """Compile the type, before any byte."""
        if types is not None:
            into = _plan.with_types(into, types)
        policy = _rust.Policy(errors, max_errors, "last", unknown, all_errors, empty, limit)
        form = _read.wanting(_dialect.chosen(dialect, None, repair), where)
        return cls._make(form, into, None, policy, encoding, limits, compression)
