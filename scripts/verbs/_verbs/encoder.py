"""Writing: the options of `encode`, and the `Encoder` of each format, which keeps them."""


class Encoder(_rust.Encoder):
    """Writes values as JSON, with options that are checked once.

    `encode(value)` is the function `penstock.json.encode` with the type and the options of this
    instance. Keep one for many calls: it is faster. Two threads cannot use one at the same time.

    Example:
        >>> import penstock
        >>> encoder = penstock.json.Encoder(sort_keys=True)
        >>> encoder.encode({"b": 1, "a": [True, None]})
        b'{"a":[true,null],"b":1}'
    """

    __module__ = "penstock.json"
    __slots__ = ()

    @_suggest.advised
    def __new__(cls, into, /, *, indent, TEXT, omit, NUMBERS, types, default) -> Self:
        style = _rust.Style("json", {"indent": indent, "TEXT": TEXT, "NUMBERS": NUMBERS})
        return _rust.Encoder.__new__(cls, planned(into, types), style, omit, default)


def planned(into: Any, types: Types | None) -> Any:
    """The type with its functions; None says that each value is written by its own class."""
    if types is None:
        return into
    return _plan.with_types(object if into is None else into, types)


class LinesEncoder(_rust.Encoder):
    r"""Writes records as lines, with options that are checked once.

    `encode(values)` is the function `penstock.ndjson.encode` with the type and the options of this
    instance.

    Example:
        >>> import penstock
        >>> encoder = penstock.ndjson.Encoder(sort_keys=True)
        >>> encoder.encode([{"b": 1, "a": 2}, 3])
        b'{"a":2,"b":1}\n3\n'
    """

    __module__ = "penstock.ndjson"
    __qualname__ = "Encoder"
    __slots__ = ()

    @_suggest.advised
    def __new__(cls, into, /, *, framing, TEXT, omit, NUMBERS, types, default) -> Self:
        style = _rust.Style("ndjson", {"framing": framing, "TEXT": TEXT, "NUMBERS": NUMBERS})
        return _rust.Encoder.__new__(cls, planned(into, types), style, omit, default)

    def encode(self, values: Iterable[Any], /) -> bytes:
        """Write each value as a line."""
        return self.encode_all(values)


class ElementsEncoder(_rust.Encoder):
    r"""Writes values as XML, with options that are checked once.

    `encode(value)` is the function `penstock.xml.encode` with the type and the options of this
    instance. Keep one for many calls: it is faster. Two threads cannot use one at the same time.

    Args:
        record: The name of the elements of a list; see `penstock.xml.encode`.
        declaration: Whether to begin with an XML declaration; see `penstock.xml.encode`.
    Example:
        >>> import penstock
        >>> encoder = penstock.xml.Encoder(root="point", declaration=False)
        >>> encoder.encode({"@id": 1, "x": [2, 3]})
        b'<point id="1"><x>2</x><x>3</x></point>'
    """

    __module__ = "penstock.xml"
    __qualname__ = "Encoder"
    __slots__ = ()

    @_suggest.advised
    def __new__(cls, into, /, *, ELEMENTS, omit, types, default) -> Self:
        style = _rust.Style("xml", {"ELEMENTS": ELEMENTS})
        return _rust.Encoder.__new__(cls, planned(into, types), style, omit, default)
