"""Writing CSV: the options, the file that rows are appended to, and the `Encoder`."""


class Encoder(_rust.Encoder):
    r"""Writes rows as CSV, with options that are checked once.

    `encode(values)` is the function `penstock.csv.encode` with the type and the options of this
    instance. Two threads cannot use one at the same time.

    Args:
        encoding: `"utf-8"`, or `"utf-8-sig"` with a byte order mark.
    Example:
        >>> import penstock
        >>> encoder = penstock.csv.Encoder(quoting="nonnumeric")
        >>> encoder.encode([{"city": "Bern", "size": 134591}])
        b'"city","size"\n"Bern",134591\n'
    """

    __module__ = "penstock.csv"
    __slots__ = ()

    @_suggest.advised
    def __new__(cls, into, /, *, dialect, quoting, formulas, null, encoding, types, default) -> Self:
        options = style_options(dialect, None, quoting, formulas, null, encoding)
        style = _rust.Style("csv", options)
        return _rust.Encoder.__new__(cls, _encoder.planned(into, types), style, None, default)

    def encode(self, values: Iterable[Any], /) -> bytes:
        """Write each value as a row."""
        return self.encode_all(values)


def style_options(
    dialect: Dialect | None,
    target: object,
    quoting: Quoting,
    formulas: Formulas | None,
    null: str,
    encoding: str,
) -> dict[str, object]:
    """Return the options of a style; without a dialect, the delimiter is that of the suffix.

    Raises:
        TypeError: `dialect` is none.
    """
    if dialect is not None:
        from penstock._io import dialect as _dialect  # noqa: PLC0415 - few programs pass one

        options = _dialect.options(dialect)
    elif isinstance(target, (str, os.PathLike)):
        options = _formats.delimited(os.fsdecode(target))
    else:
        options = {}
    if quoting != "minimal":
        options["quoting"] = quoting
    if formulas is not None:
        options["formulas"] = formulas
    if null != "":
        options["null"] = null
    if encoding != "utf-8":
        options["encoding"] = encoding
    return options


def encoder(
    into: Any,
    types: Types | None,
    default: Callable[[Any], Any] | None,
    options: dict[str, object],
    target: object,
    append: bool,
    torn: Torn = "error",
) -> _rust.Encoder:
    """Make the encoder of rows for a target, behind the rows that are there if it is appended to.

    Raises:
        ValueError: An option is not valid, or the rows in the file end in another way.
        DecodeError: The file has no header that can be read, or ends inside a row.
    """
    if append and isinstance(target, (str, os.PathLike)):
        options = {**options, **_behind(os.fsdecode(target), options, torn)}
    style = _rust.Style("csv", options)
    return _rust.Encoder(_encoder.planned(into, types), style, None, default)


def plain(
    verb: str,
    into: Any,
    omit: Omit | None,
    types: Types | None,
    default: Callable[[Any], Any] | None,
    target: object,
    append: bool,
    torn: Torn,
) -> _rust.Encoder:
    """Make the encoder for a verb of all formats, without an option of CSV's own.

    Raises:
        ValueError: `omit` has no meaning for rows.
    """
    if omit is not None:
        raise ValueError(
            "omit= leaves out members of objects, and a row has a cell for each column"
        )
    if verb != "write" and into is not None:
        into = _formats.record_type(verb, "csv", into)
    options = style_options(None, target, "minimal", None, "", "utf-8")
    return encoder(into, types, default, options, target, append, torn)


def _behind(path: str, options: dict[str, object], torn: Torn) -> dict[str, object]:
    """Return the options for rows that follow those of a file, if it has any.

    Raises:
        ValueError: Its rows end in another way than the target's lines.
        DecodeError: The first row cannot be read, or the last one is torn.
    """
    if options.get("terminator") not in {None, "any", "\n", "\r\n"}:
        raise ValueError("append= needs rows that end with a line feed")
    try:
        if os.path.getsize(path) == 0:  # noqa: PTH202 - importing pathlib is slow
            return {}
    except FileNotFoundError:
        return {}
    from penstock._io import dialect as _dialect  # noqa: PLC0415 - few programs append rows
    from penstock._verbs import read as _read  # noqa: PLC0415 - as above

    # What cannot be written is refused before anything is cut off.
    _rust.Style("csv", options)
    known = {name: options[name] for name in _dialect.Dialect.__slots__ if name in options}
    dialect = _dialect.Dialect(**{**known, "header": None})  # type: ignore[arg-type]  # checked there
    form = _dialect.checked(dialect)
    _rust.end_rows(path, _sources.printable(path), form, torn)
    policy = _rust.Policy("raise", 100, "last", "skip", False, "allow")
    with _read.read(
        path, "csv", form, dict[str, str], None, policy, None, "infer", None, None
    ) as reader:
        first = next(reader, None)
    # A mark would stand behind the one that is there.
    return {"behind": None if first is None else tuple(first.values()), "encoding": "utf-8"}
