"""`Dialect`: how the text of a CSV file is cut into rows and cells."""

from __future__ import annotations

import penstock._rust as _rust
from penstock._base import suggest as _suggest
from penstock._io import formats as _formats

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, NoReturn

    from penstock._base.types import CsvRepairs, Terminator


class Dialect:
    r"""How the text of a CSV file is cut into rows and cells, and where its columns get names.

    An instance cannot be changed, compares and hashes by value, and can be pickled. Its `repr` is
    the expression that makes it, with the arguments that differ from their defaults.

    Args:
        delimiter: The text between two cells: one or more characters of ASCII.
        quote: The quote, or None if quotes have no meaning. Between two quotes, delimiters and line
            ends are text, and a doubled quote is one quote.
        escape: The character that makes the next one text, inside quotes and outside. If there is
            one, a quote is escaped with it and not doubled. A backslash is that of databases:
            before `b`, `f`, `n`, `r`, `t`, `v`, `0` and `Z` it stands for a character, and a cell
            that is `\N` keeps it, so that `cells(null=)` can name NULL.
        comment: A line that begins with this text is no row.
        terminator: The end of a row. By default LF or CRLF; or CR, if the first line ends with one.
            `"any"` takes all three, mixed. Any other text of ASCII is the only end.
        trim: Whether spaces and tabs around a cell, or around its quotes, are no part of it.
        skip_rows: How many lines before the header are skipped, whatever they contain.
        header: Where the columns get their names: `"first"` takes the first row. None says that
            there is no header: the columns are `"0"`, `"1"` and so on, and all rows are data.
            A list has the names of a file without a header. A number says that so many rows are the
            header; the names are their cells, joined by spaces.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is not possible, or the text could be read in two ways.

    Example:
        >>> import penstock
        >>> semicolons = penstock.csv.Dialect(";", comment="#")
        >>> semicolons
        Dialect(';', comment='#')
        >>> penstock.csv.decode("# of 2024\ncity;size\nBern;134591\n", dialect=semicolons)
        [{'city': 'Bern', 'size': '134591'}]
    """

    __module__ = "penstock.csv"
    __slots__ = (
        "_rust",
        "comment",
        "delimiter",
        "escape",
        "header",
        "quote",
        "skip_rows",
        "terminator",
        "trim",
    )

    delimiter: str
    quote: str | None
    escape: str | None
    comment: str | None
    terminator: str | None
    trim: bool
    skip_rows: int
    header: str | tuple[str, ...] | int | None
    _rust: _rust.Dialect

    @_suggest.advised
    def __init__(
        self,
        delimiter: str = ",",
        *,
        quote: str | None = '"',
        escape: str | None = None,
        comment: str | None = None,
        terminator: Terminator | None = None,
        trim: bool = False,
        skip_rows: int = 0,
        header: Literal["first"] | Sequence[str] | int | None = "first",
    ) -> None:
        """Check the arguments."""
        words: dict[str, object] = {
            "delimiter": delimiter,
            "quote": quote,
            "escape": escape,
            "comment": comment,
            "terminator": terminator,
            "trim": trim,
            "skip_rows": skip_rows,
            "header": tuple(header) if isinstance(header, list) else header,
        }
        set_slot = object.__setattr__
        set_slot(self, "_rust", _rust.Dialect("csv", words))
        for name, value in words.items():
            set_slot(self, name, value)

    def _options(self) -> dict[str, object]:
        """The arguments that differ from their defaults, by name, in the order of the signature."""
        given = {name: getattr(self, name) for name in _DEFAULTS}
        return {name: value for name, value in given.items() if value != _DEFAULTS[name]}

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse, because readers share it."""
        raise AttributeError(f"a Dialect cannot be changed (setting {name!r})")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse, as for setting."""
        raise AttributeError(f"a Dialect cannot be changed (deleting {name!r})")

    def __repr__(self) -> str:
        """Return the expression that creates it."""
        options = self._options()
        delimiter = options.pop("delimiter", None)
        if isinstance(header := options.get("header"), tuple):
            options["header"] = list(header)
        shown = [] if delimiter is None else [repr(delimiter)]
        shown += [f"{name}={value!r}" for name, value in options.items()]
        return f"Dialect({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        return self._options() == other._options() if isinstance(other, Dialect) else NotImplemented

    def __hash__(self) -> int:
        """Hash by value."""
        return hash(tuple(self._options().items()))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that creates it."""
        return of_options, (self._options(),)


_DEFAULTS: dict[str, object] = {
    "delimiter": ",",
    "quote": '"',
    "escape": None,
    "comment": None,
    "terminator": None,
    "trim": False,
    "skip_rows": 0,
    "header": "first",
}


def of_options(options: dict[str, object]) -> Dialect:
    """Undo `Dialect.__reduce__`: `pickle` has no other way to pass keywords."""
    return Dialect(**options)  # type: ignore[arg-type]  # each is checked by the constructor


of_options.__module__ = "penstock._dialect"  # As pickles name it: see `penstock._pickled`.


def inferring() -> _rust.Dialect:
    """Return the dialect whose reader finds the options in the source."""
    return _rust.Dialect("csv", {"infer": True})


def chosen(
    dialect: Dialect | Literal["infer"] | None, name: str | None, repair: CsvRepairs = ()
) -> _rust.Dialect:
    """Return the dialect that the caller names, or that of the suffix of the source's name.

    Raises:
        TypeError: It is none, or `repair` has the wrong type.
        ValueError: There is no such repair.
    """
    if not repair:
        return _formats.dialect("csv", name) if dialect is None else checked(dialect)
    words = (repair,) if isinstance(repair, str) else tuple(repair)
    known = _formats.dialect("csv", name) if dialect is None else checked(dialect)
    return _rust.Dialect("csv", {**known.__getnewargs_ex__()[1], "repair": words})


def options(dialect: object, option: str = "dialect") -> dict[str, object]:
    """Return the options of the dialect that the caller names, for the extension.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(dialect, Dialect):
        kind = type(dialect).__name__
        raise TypeError(f"{option} must be a penstock.csv.Dialect or None, not {kind}")
    return dialect._options()  # noqa: SLF001 - it is of this file


def checked(dialect: Dialect | Literal["infer"]) -> _rust.Dialect:
    """Return the dialect that the caller names, for the extension.

    Raises:
        TypeError: It is none.
    """
    if isinstance(dialect, str) and dialect == "infer":
        return inferring()
    if not isinstance(dialect, Dialect):
        kind = type(dialect).__name__
        raise TypeError(f"dialect must be a penstock.csv.Dialect, 'infer' or None, not {kind}")
    return dialect._rust  # noqa: SLF001 - it is of this file
