# scripts/verbs.py writes this file from scripts/verbs/_verbs/encoder.py: `make verbs`.
"""Writing: the options of `encode`, and the `Encoder` of each format, which keeps them."""

from __future__ import annotations

import penstock._rust as _rust
from penstock._base import plan as _plan
from penstock._base import suggest as _suggest

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Literal, Self

    from typing_extensions import TypeForm

    from penstock._base.types import Binary, Digits, Namespaces, NonFinite, Null, Omit, Types


class Encoder(_rust.Encoder):
    """Writes values as JSON, with options that are checked once.

    `encode(value)` is the function `penstock.json.encode` with the type and the options of this
    instance. Keep one for many calls: it is faster. Two threads cannot use one at the same time.

    Args:
        into: The type of the values; see `penstock.json.encode`.
        indent: The spaces for each level; see `penstock.json.encode`.
        sort_keys: Whether members are in the order of their keys; see `penstock.json.encode`.
        canonical: Whether to write RFC 8785's form; see `penstock.json.encode`.
        ascii: Whether all other characters are escaped; see `penstock.json.encode`.
        omit: The fields to leave out; see `penstock.json.encode`.
        non_finite: What to write for NaN and infinities; see `penstock.json.encode`.
        decimals: How to write a `Decimal`; see `penstock.json.encode`.
        large_ints: How to write ints beyond 2^53; see `penstock.json.encode`.
        binary: How to write bytes; see `penstock.json.encode`.
        types: Functions that make values of types; see `penstock.json.encode`.
        default: What is written in place of an object that cannot be; see `penstock.json.encode`.

    Raises:
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.

    Example:
        >>> import penstock
        >>> encoder = penstock.json.Encoder(sort_keys=True)
        >>> encoder.encode({"b": 1, "a": [True, None]})
        b'{"a":[true,null],"b":1}'
    """

    __module__ = "penstock.json"
    __slots__ = ()

    @_suggest.advised
    def __new__(
        cls,
        into: TypeForm[Any] | None = None,
        /,
        *,
        indent: int | Literal["\t"] | None = None,
        sort_keys: bool = False,
        canonical: bool = False,
        ascii: bool = False,
        omit: Omit | None = None,
        non_finite: NonFinite = "error",
        decimals: Digits = "number",
        large_ints: Digits = "number",
        binary: Binary = "base64",
        types: Types | None = None,
        default: Callable[[Any], Any] | None = None,
    ) -> Self:
        """Check the options and plan the type."""
        style = _rust.Style(
            "json",
            {
                "indent": indent,
                "sort_keys": sort_keys,
                "canonical": canonical,
                "ascii": ascii,
                "non_finite": non_finite,
                "decimals": decimals,
                "large_ints": large_ints,
                "binary": binary,
            },
        )
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

    Args:
        into: The type of one record; see `penstock.json.encode`.
        framing: What separates records; see `penstock.ndjson.encode`.
        sort_keys: Whether members are in the order of their keys; see `penstock.json.encode`.
        canonical: Whether to write RFC 8785's form; see `penstock.json.encode`.
        ascii: Whether all other characters are escaped; see `penstock.json.encode`.
        omit: The fields to leave out; see `penstock.json.encode`.
        non_finite: What to write for NaN and infinities; see `penstock.json.encode`.
        decimals: How to write a `Decimal`; see `penstock.json.encode`.
        large_ints: How to write ints beyond 2^53; see `penstock.json.encode`.
        binary: How to write bytes; see `penstock.json.encode`.
        types: Functions that make values of types; see `penstock.json.encode`.
        default: What is written in place of an object that cannot be; see `penstock.json.encode`.

    Raises:
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.

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
    def __new__(
        cls,
        into: TypeForm[Any] | None = None,
        /,
        *,
        framing: Literal["lines", "sequence"] = "lines",
        sort_keys: bool = False,
        canonical: bool = False,
        ascii: bool = False,
        omit: Omit | None = None,
        non_finite: NonFinite = "error",
        decimals: Digits = "number",
        large_ints: Digits = "number",
        binary: Binary = "base64",
        types: Types | None = None,
        default: Callable[[Any], Any] | None = None,
    ) -> Self:
        """Check the options and plan the type."""
        style = _rust.Style(
            "ndjson",
            {
                "framing": framing,
                "sort_keys": sort_keys,
                "canonical": canonical,
                "ascii": ascii,
                "non_finite": non_finite,
                "decimals": decimals,
                "large_ints": large_ints,
                "binary": binary,
            },
        )
        return _rust.Encoder.__new__(cls, planned(into, types), style, omit, default)

    def encode(self, values: Iterable[Any], /) -> bytes:
        """Write each value as a line."""
        return self.encode_all(values)


class ElementsEncoder(_rust.Encoder):
    r"""Writes values as XML, with options that are checked once.

    `encode(value)` is the function `penstock.xml.encode` with the type and the options of this
    instance. Keep one for many calls: it is faster. Two threads cannot use one at the same time.

    Args:
        into: The type of the values; see `penstock.xml.encode`.
        root: The name of the root element; see `penstock.xml.encode`.
        record: The name of the elements of a list; see `penstock.xml.encode`.
        declaration: Whether to begin with an XML declaration; see `penstock.xml.encode`.
        ascii: Whether other characters are references; see `penstock.xml.encode`.
        indent: The spaces for each level; see `penstock.xml.encode`.
        null: How to write None; see `penstock.xml.encode`.
        namespaces: The URIs of prefixes; see `penstock.xml.encode`.
        omit: The fields to leave out; see `penstock.xml.encode`.
        types: Functions that make values of types; see `penstock.xml.encode`.
        default: What is written in place of an object that cannot be; see `penstock.xml.encode`.

    Raises:
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.

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
    def __new__(
        cls,
        into: TypeForm[Any] | None = None,
        /,
        *,
        root: str | None = None,
        record: str | None = None,
        declaration: bool = True,
        ascii: bool = False,
        indent: int | Literal["\t"] | None = None,
        null: Null = "nil",
        namespaces: Namespaces | None = None,
        omit: Omit | None = None,
        types: Types | None = None,
        default: Callable[[Any], Any] | None = None,
    ) -> Self:
        """Check the options and plan the type."""
        style = _rust.Style(
            "xml",
            {
                "root": root,
                "record": record,
                "declaration": declaration,
                "ascii": ascii,
                "indent": indent,
                "null": null,
                "namespaces": namespaces,
            },
        )
        return _rust.Encoder.__new__(cls, planned(into, types), style, omit, default)
