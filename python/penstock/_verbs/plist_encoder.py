# scripts/verbs.py writes this file from scripts/verbs/_verbs/plist_encoder.py: `make verbs`.
"""Writing property lists: the `Encoder`."""

from __future__ import annotations

import penstock._rust as _rust
from penstock._base import suggest as _suggest
from penstock._verbs import encoder as _encoder

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, Self

    from typing_extensions import TypeForm

    from penstock._base.types import Omit, PlistForm, Types


class Encoder(_rust.Encoder):
    r"""Writes values as property lists, with options that are checked once.

    `encode(value)` is the function `penstock.plist.encode` with the type and the options of this
    instance. Keep one for many calls: it is faster. Two threads cannot use one at the same time.

    Args:
        into: The type of the values; see `penstock.plist.encode`.
        form: The form of the property list; see `penstock.plist.encode`.
        indent: The spaces for each level of text; see `penstock.plist.encode`.
        sort_keys: Whether dictionaries are in the order of their keys; see `penstock.plist.encode`.
        ascii: Whether text has escapes for all other characters; see `penstock.plist.encode`.
        stream: Whether binary is written while it is made; see `penstock.plist.encode`.
        omit: The fields to leave out; see `penstock.plist.encode`.
        types: Functions that make values of types; see `penstock.json.encode`.
        default: What is written in place of an object that cannot be; see `penstock.plist.encode`.

    Raises:
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.

    Example:
        >>> import penstock
        >>> encoder = penstock.plist.Encoder(form="openstep")
        >>> encoder.encode(["Bern", "New York"])
        b'(\n\tBern,\n\t"New York"\n)\n'
    """

    __module__ = "penstock.plist"
    __slots__ = ()

    @_suggest.advised
    def __new__(
        cls,
        into: TypeForm[Any] | None = None,
        /,
        *,
        form: PlistForm = "xml",
        indent: int | Literal["\t"] | None = None,
        sort_keys: bool = False,
        ascii: bool = False,
        stream: bool = False,
        omit: Omit | None = None,
        types: Types | None = None,
        default: Callable[[Any], Any] | None = None,
    ) -> Self:
        """Check the options and plan the type."""
        style = _rust.Style(
            "plist",
            {
                "form": form,
                "indent": indent,
                "sort_keys": sort_keys,
                "ascii": ascii,
                "stream": stream,
            },
        )
        return _rust.Encoder.__new__(cls, _encoder.planned(into, types), style, omit, default)
