DIALECT = _dialect(non_finite, comments)
FORMAT = "json"
READ = all_errors, duplicates, unknown, non_finite, comments, types, encoding
STYLE = indent, TEXT, omit, NUMBERS, types, default

"""JSON (RFC 8259), straight into your own types.

Choose the verb by where the data is: `decode` for data in memory, `load` for a whole file or
stream, `read` for one record at a time in constant memory, `Decoder` for chunks that you push.

The grammar is strict: no comments and trailing commas unless `comments=True`, and no NaN unless
`non_finite=True`. Types are strict too: an integer may stand for a float, and nothing else for
anything else. Penstock skips keys that the type does not name, at scanning speed.
"""

__all__ = [
    "Decoder", "Encoder", "decode", "dump", "encode", "load", "open", "read", "send", "write"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn: ...


_DIALECT = _rust.Dialect("json")


def _dialect(non_finite: bool, comments: bool = False) -> _rust.Dialect:
    """Return the format with these options. The extension checks that they are bools."""
    if non_finite is False and comments is False:
        return _DIALECT
    return _rust.Dialect("json", {"non_finite": non_finite, "comments": comments})


@_rust.direct_json
def decode(data, into, /, *, READ, partial, limits) -> T:
    """Decode one JSON document that is in memory.

    Args:
        into: The type of the document. By default, or with `Any` or `object`, you get dicts, lists,
            strings, ints, floats, bools and None. You may pass a `penstock.Plan` for any type.
        duplicates: Which value counts if an object repeats a key: the `"last"` or the `"first"`.
            With `"error"`, a repeated key is an error. Skipped keys are not compared.
        non_finite: Whether `NaN`, `Infinity` and `-Infinity` are values: floats, or decimals where
            the type is `Decimal`. Python's `json` writes them, and JSON has no such numbers, so by
            default they are malformed.
        comments: Whether `// ...` up to the end of the line and `/* ... */` may be wherever white
            space may be, and a comma behind the last member or element, as in the settings of
            many editors and compilers. They are passed over.
        encoding: The encoding of bytes, if it is not UTF-8: `"utf-16"`, `"utf-32"`, or a name of
            the WHATWG table, such as `"latin1"`.
        partial: Whether `data`, in UTF-8, may be the beginning of a document, of which the rest
            has not come. What is open is closed, and what may go on is left out: a number or a
            string at the end, or a key without its value. With `"trailing-strings"`, a string
            counts as far as it has come. A number that is the whole document counts. Fields of
            a class that have not come need defaults. If there is nothing but such an end, the
            document is truncated.
    Raises:
        MalformedInput: `data` is not JSON.
        TruncatedInput: `data` is the beginning of a JSON document.
        ValidationError: `data` is JSON but does not fit `into`.
        LimitExceeded: One of `limits` is exceeded.
    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        ...     population: int
        >>> penstock.json.decode('{"name": "Bern", "population": 134591, "zip": 3000}', City)
        City(name='Bern', population=134591)
        >>> penstock.json.decode('[{"name": "Chur", "population": 37424}]', list[City])
        [City(name='Chur', population=37424)]
        >>> penstock.json.decode('{"strict": true, /* or not */}', comments=True)
        {'strict': True}
        >>> penstock.json.decode('{"n": [1, 23, 4', partial=True)
        {'n': [1, 23]}
        >>> penstock.json.decode('{"answer": "The ca', partial="trailing-strings")
        {'answer': 'The ca'}
    """
    if partial is not False:
        if encoding is not None:
            raise ValueError("partial is for text in UTF-8: leave out encoding")
        data = _rust.completed(data, partial, comments)
    if types is not None:
        into = _plan.with_types(into, types)
    dialect = _dialect(non_finite, comments)
    return _rust.decode(dialect, data, into, duplicates, unknown, all_errors, encoding, limits)


@_rust.direct_encode
def encode(value, into, /, *, STYLE) -> bytes:
    """Write a value as one JSON document.

    An object of a class is written as `decode` reads it: under the same keys and paths, with the
    same conversions. A value that does not fit the annotation of its field is refused, because what
    was written could not be read back.

    Args:
        into: The type of the value. By default each object is written by its own class. Pass it for
            what only an annotation says: a union with a `tag`, `Annotated[bytes, Hex]`, a `Plan`
            with `rename` or `unix`.
        indent: The spaces for each level, 0 to 64, or a tab. By default everything is on one line,
            without white space.
        sort_keys: Whether the members of objects are in the order of their keys. By default they
            are in the order of the fields, or of the dict.
        canonical: Whether to write the canonical form of RFC 8785, which is equal byte by byte
            wherever the value is equal. An int beyond 2^53 and a repeated key have none.
        ascii: Whether characters that are not ASCII are written as escapes.
        non_finite: What to write for NaN and infinities: `"error"` refuses them, `"null"` writes
            null, and `"literal"` writes `NaN`, `Infinity` and `-Infinity`, which are not JSON.
        decimals: Whether a `Decimal` is written as a `"number"` with all its digits, or as
            `"text"`.
        large_ints: Whether an int beyond 2^53 is written as a `"number"` or as `"text"`. Many
            readers round such numbers.
        binary: Whether bytes are written as `"base64"` or `"hex"`.
    Example:
        >>> from dataclasses import dataclass
        >>> import penstock
        >>> @dataclass
        ... class City:
        ...     name: str
        ...     population: int
        >>> penstock.json.encode([City("Bern", 134591)])
        b'[{"name":"Bern","population":134591}]'
        >>> penstock.json.encode([City("Chur", None)])
        Traceback (most recent call last):
        penstock.EncodeError: [0].population: expected int, got NoneType
    """


@_suggest.advised
def dump(value, target, into, /, *, STYLE, TARGET) -> None:
    """Write a value as one JSON document to a file or a stream.

    The text is written while the value is walked, so it need not fit into memory. If `into` is a
    list type, the value may be any iterable.

    A file at a path is replaced at once or not at all: the text is written beside it, and renamed
    when all of it is there. A link is followed to its file, whose mode is kept.

    Raises:
        EncodeError: The value cannot be written. A file at a path stays as it was. Whatever a pipe
            or another target got is not taken back.
    Example:
        >>> import pathlib, penstock
        >>> penstock.json.dump({"n": [1, 2]}, "numbers.json")
        >>> pathlib.Path("numbers.json").read_bytes()
        b'{"n":[1,2]}'
    """


@_suggest.advised
def write(target, into, /, *, at, STYLE, TARGET) -> _rust.Writer[T]:
    """Write records one at a time, in constant memory: the elements of an array.

    `read` of the same path, type and `at` returns the same records.

    Args:
        at: The path of the records inside of the document, as `read` takes it: `"features/*"` are
            the elements of an array, which is the member `features` of an object. Of the steps,
            only the last one is a `*`.
    Returns:
        A `Writer`, which is a context manager. The file gets its name at the end of the `with`
        block, unless an exception leaves it: then the old file stays as it was.
    Example:
        >>> import pathlib, penstock
        >>> with penstock.json.write("numbers.json", int, at="primes/*") as writer:
        ...     writer.write(2)
        ...     writer.write_all([3, 5])
        >>> pathlib.Path("numbers.json").read_bytes()
        b'{"primes":[2,3,5]}'
        >>> list(penstock.json.read("numbers.json", int, at="primes/*"))
        [2, 3, 5]
    """


@_suggest.advised
def load(source, into, /, *, READ, FILE) -> T:
    """Decode one JSON document from a file or a stream.

    Args:
        into: The type of the document, as for `decode`.
    Example:
        >>> import pathlib, penstock
        >>> path = pathlib.Path("sizes.json")
        >>> _ = path.write_text('{"S": 36, "M": 40}')
        >>> penstock.json.load(path, dict[str, int])
        {'S': 36, 'M': 40}
    """


@_suggest.advised
def read(source, into, /, *, at, RECORDS, limit, READ, FILE) -> _rust.Reader[T]:
    """Read the records of a JSON document one at a time, in constant memory.

    Without `at`, the elements of a top-level array are the records; a top-level object is one
    record, and so is a scalar.

    Args:
        at: The path of the records inside the document: steps separated by `/`, where `*` is every
            element of an array or every value of an object. `"*"` selects the values of a
            top-level object, `"features/*"` the elements of its array `features`. To read several
            kinds of records in one pass, in their order, pass a mapping of paths to types and no
            `into`.
        errors: What to do with a record that does not fit `into`. `"raise"` raises its
            `ValidationError`. `"skip"` leaves it out and counts it in `reader.skipped`.
            `"collect"` raises an `ExceptionGroup` of the errors after the last good record. A
            function is called with each error. Malformed JSON always raises and ends the reading.
        empty: What to do at the end of a document without a record. `"error"` makes that a
            `ValidationError`, of several files for each. `"warn"` issues an `EmptyWarning` if there
            is nothing at `at`, which may be misspelt; a list without elements is there. `"allow"`
            does nothing.
    Example:
        >>> import io, penstock
        >>> file = io.BytesIO(b'{"kind": "primes", "found": [2, 3, 5, 7]}')
        >>> sum(penstock.json.read(file, int, at="found/*"))
        17
    """


if TYPE_CHECKING:

    @overload
    def open(source, into: None = None, /, *, at: None = None, OPEN) -> _rust.Document: ...
    @overload
    def open(source, into: None = None, /, *, at: str, OPEN) -> _rust.Records[Any]: ...
    @overload
    def open(source, into: TypeForm[T], /, *, at, OPEN) -> _rust.Records[T]: ...


@_suggest.advised
def open(source, into, /, *, at, OPEN) -> _rust.Document | _rust.Records[Any]:
    """Open a JSON document and decode the parts that you ask for.

    Args:
        source: A path, a binary file, an iterable of chunks of bytes, or the document itself as
            `bytes`; as for `penstock.open`.
        into: The type of a record; see `penstock.open`.
        at: Where the records are; see `penstock.open`.
        duplicates: Which value of a repeated key counts, as for `decode`. All keys are compared.
    Returns:
        The `Document`, or with `into` or `at` its `Records`.
    Raises:
        TypeError: `source` is none of these.
        ValueError: As for `load`, or `at` is not a path.
        DecodeError: As for `load`. A record that does not fit raises when you ask for it.
    Example:
        >>> import penstock
        >>> cities = penstock.json.open(b'{"a": {"name": "Bern"}, "b": {"name": "Chur"}}', at="*")
        >>> cities[-1]["name"]
        'Chur'
    """
    given, name = _open.located(source, compression, member, limits)
    try:
        return _open.document(
            given, name, into, at, duplicates, unknown, all_errors, types, encoding, compression,
            limits)
    finally:
        del given  # This closes an archive that was opened here.


@_suggest.advised
def send(source, handler, /, *, encoding, FILE) -> Any:
    """Send the members of a JSON document to an object's methods; see `penstock.send`.

    The value of a key is an element of that name, and an array repeats its key. Scalars of an
    object are attributes of its element, with their types. If a method claims their key, they are
    elements with a `value` instead. The root has no name: `@on("")` claims it, and the first step
    of a path is a key of the root. If the root is an array, each of its elements is a root, and
    `send` returns the result of the last one.

    Example:
        >>> import io, penstock
        >>> class Cities:
        ...     def city(self, element: penstock.Element) -> None:
        ...         print(element.attributes["name"], element.attributes["zip"])
        >>> cities = b'[{"name": "Bern", "zip": 3000}, {"name": "Chur", "zip": 7000}]'
        >>> file = io.BytesIO(b'{"city": %b}' % cities)
        >>> penstock.json.send(file, Cities())
        Bern 3000
        Chur 7000
    """
    return _send.send(_DIALECT, source, handler, encoding, compression, member, limits)


Encoder = _encoder.Encoder


class Decoder(_decoder.Decoder[T]):
    """Records of a JSON document from chunks that you push; see `penstock.Decoder`.

    The records and the options are those of `read`.

    Example:
        >>> import penstock
        >>> decoder = penstock.json.Decoder(int)
        >>> decoder.feed(b"[1, 2"), decoder.feed(b"3]"), decoder.finish()
        ([1], [23], [])
        >>> decode = penstock.json.Decoder(dict[str, int]).decode
        >>> decode(b'{"S": 36}'), decode(b'{"M": 40}')
        ({'S': 36}, {'M': 40})
        >>> decoder = penstock.json.Decoder(partial="trailing-strings")
        >>> decoder.feed(b'{"tool": "search", "query": "lakes n')
        []
        >>> decoder.peek()
        {'tool': 'search', 'query': 'lakes n'}
    """

    __slots__ = ()

    def peek(self, into: TypeForm[U] = PLAIN, /) -> U | UnsetType:
        """Decode the record that has not ended, as far as it has come.

        It is for what a program shows while somebody still writes, such as the answer of a language
        model. The record is completed as `decode` does it with `partial`, and the decoder needs
        that option. It keeps the text of the record until it ends, and each call decodes that text
        from its beginning: calls after each of n pieces take time in proportion to n^2.

        Args:
            into: The type of the result, by default plain values. Fields of a class that have not
                come need defaults.

        Returns:
            The value, or `penstock.UNSET` if nothing of the record has come: before its first
            byte, and when it has ended and `feed` has returned it.

        Raises:
            ValidationError: What has come does not fit `into`.
            PlanError: Penstock cannot decode into `into`.
            ValueError: The decoder was made without `partial`.

        Example:
            >>> import penstock
            >>> decoder = penstock.json.Decoder(dict[str, int], partial=True)
            >>> decoder.feed(b'[{"a": 1}, {"b": 2, "c": 3')
            [{'a': 1}]
            >>> decoder.peek()
            {'b': 2}
            >>> decoder.feed(b"4}")
            [{'b': 2, 'c': 34}]
            >>> decoder.peek()
            UNSET
        """
        text = self._unfinished()
        return UNSET if text is None else self._decode_as(text, into)

    if TYPE_CHECKING:

        def decode(self, data: Data, /) -> T:
            """Decode one whole document, whatever was fed before; see `penstock.Decoder`."""
            ...

    @_suggest.advised
    def __new__(
        cls, into, /, *, at, RECORDS, limit, READ, partial, compression, limits
    ) -> Self:
        if types is not None:
            into, at = _plan.of_records(into, at, types)
        policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty, limit)
        # What is looked at is the text as it is fed.
        packing = compression if partial is False else None
        dialect = _read.wanting(_dialect(non_finite, comments), where)
        return cls._make(dialect, into, at, policy, encoding, limits, packing, partial)
