"""`Decoder`: records from chunks that you push."""


class Decoder(_rust.Decoder[T]):
    r"""Records from chunks of bytes that you push, cut anywhere.

    The records are exactly those of `read`. `feed(chunk)` returns a list of the records that the
    chunk completes. `finish()` ends the input, and returns the rest. A decoder never waits, so it
    works with any source and any event loop; `penstock.aio.read` uses one in a loop.

    `decode(data)` decodes a whole document that is in memory, like the function `decode` of the
    format, with the type and the options of this instance. You can call it any number of times,
    whatever you feed meanwhile, and it is the fastest way to decode many small documents. It is not
    for an instance with `at`, `errors` or `limit`: those are about records, which `decode` does not
    seek.

    Chunks may be compressed, as sources of `read` may. An instance is fed one input. You may pickle
    one that is unused. `penstock.json.Decoder`, `penstock.ndjson.Decoder` and
    `penstock.xml.Decoder` are subclasses that take every option of their format.

    Args:
        into: The type of a record; by default plain values.
        format: `"json"`, `"ndjson"` (one record per line), `"xml"` or `"csv"`.
        at: Where the records are; see `read`.
        errors: What to do with a record that does not fit; see `read`.
        duplicates: Which value of a repeated key counts; see `penstock.json.decode`.
        unknown: What to do with keys that the type does not name; see `penstock.json.read`.
        compression: How the chunks are compressed; see `penstock.json.load`. None takes them as
            they are. `decode` takes plain data only.
    Raises:
        PlanError: Penstock cannot decode into `into`.
        ValueError: An option or the path `at` is not valid.
    Example:
        >>> import penstock
        >>> decoder = penstock.Decoder(dict[str, int], format="ndjson")
        >>> decoder.feed(b'{"a": 1}\n{"a"')
        [{'a': 1}]
        >>> decoder.feed(b': 2}')
        []
        >>> decoder.finish()
        [{'a': 2}]
    """

    __module__ = "penstock"
    __slots__ = ()

    @_suggest.advised
    def __new__(cls, into, /, *, format, at, RECORDS, limit, READ, compression, limits) -> Self:
        if types is not None:
            into, at = _plan.of_records(into, at, types)
        dialect = _read.wanting(_formats.dialect(_formats.checked(format)), where)
        policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty, limit)
        return cls._make(dialect, into, at, policy, encoding, limits, compression)

    @classmethod
    def _make(cls, *arguments: Any) -> Self:
        """Call the extension's constructor, whatever the constructor of `cls` takes."""
        return _rust.Decoder.__new__(cls, *arguments)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call of the extension's constructor, for this class."""
        _, arguments = super().__reduce__()
        return self._make, arguments
