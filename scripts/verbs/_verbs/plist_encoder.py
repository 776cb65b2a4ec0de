STYLE = form, indent, sort_keys, ascii, stream

"""Writing property lists: the `Encoder`."""


class Encoder(_rust.Encoder):
    r"""Writes values as property lists, with options that are checked once.

    `encode(value)` is the function `penstock.plist.encode` with the type and the options of this
    instance. Keep one for many calls: it is faster. Two threads cannot use one at the same time.

    Args:
        form: The form of the property list; see `penstock.plist.encode`.
    Example:
        >>> import penstock
        >>> encoder = penstock.plist.Encoder(form="openstep")
        >>> encoder.encode(["Bern", "New York"])
        b'(\n\tBern,\n\t"New York"\n)\n'
    """

    __module__ = "penstock.plist"
    __slots__ = ()

    @_suggest.advised
    def __new__(cls, into, /, *, STYLE, omit, types, default) -> Self:
        style = _rust.Style("plist", {"STYLE": STYLE})
        return _rust.Encoder.__new__(cls, _encoder.planned(into, types), style, omit, default)
