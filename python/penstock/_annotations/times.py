"""Annotations of dates and times: `times` and `unix`."""

from __future__ import annotations

from penstock._annotations.marks import Mark

TYPE_CHECKING = False

if TYPE_CHECKING:
    from penstock._base.types import Unix


class _Form(Mark):
    """An annotation with one argument and whether digits beyond microseconds are dropped."""

    __module__ = "penstock"
    __slots__ = ()

    _said: tuple[str, bool]

    @property
    def cut(self) -> bool:
        """Whether digits beyond microseconds are dropped."""
        return self._said[1]

    def __repr__(self) -> str:
        """Return the expression that creates it."""
        cut = ", cut=True" if self.cut else ""
        return f"{type(self).__name__}({self._said[0]!r}{cut})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that creates it."""
        return _made, (type(self), *self._said)


class times(_Form):  # noqa: N801 - an annotation, like `at`
    """Say in which form a `datetime`, `date` or `time` is written.

    Without it, text must be RFC 3339. Beside a type it is for that type; `Plan(times=)` takes it,
    or the name of the form alone, for all dates and times of a plan.

    Attributes:
        form: `"rfc3339"`; `"iso"`, which is ISO 8601 as `datetime.fromisoformat` of Python 3.13
            reads it; or a pattern as for `datetime.strptime`, such as `"%d.%m.%Y"`.
        cut: Whether digits beyond microseconds are dropped. Otherwise they are an error, unless
            they are zeros.

    Raises:
        TypeError: `form` is not a `str`.
        ValueError: `form` is no form.

    Example:
        >>> from datetime import date, datetime
        >>> from typing import Annotated
        >>> import penstock
        >>> penstock.decode('"20260301T1230"', Annotated[datetime, penstock.times("iso")])
        datetime.datetime(2026, 3, 1, 12, 30)
        >>> penstock.decode('"1.3.2026"', Annotated[date, penstock.times("%d.%m.%Y")])
        datetime.date(2026, 3, 1)
    """

    __module__ = "penstock"
    __slots__ = ()

    def __init__(self, form: str = "rfc3339", /, *, cut: bool = False) -> None:
        """Store the form. Its pattern is checked when the type is planned."""
        if not isinstance(form, str):
            raise TypeError(f"times() takes a str, not {type(form).__name__}")
        if form not in {"rfc3339", "iso"} and "%" not in form:
            raise ValueError(f"times() takes 'rfc3339', 'iso' or a pattern with %, not {form!r}")
        object.__setattr__(self, "_said", (form, bool(cut)))

    @property
    def form(self) -> str:
        """The form."""
        return self._said[0]


class unix(_Form):  # noqa: N801 - as above
    """Say that a `datetime` may be a number of units since the beginning of 1970, in UTC.

    Penstock converts the number exactly, and refuses one with more digits than microseconds unless
    you say `cut=True`. The `datetime` is aware, in UTC. The number may stand in a string. Other
    text is decoded as usual.

    Attributes:
        unit: `"s"`, `"ms"`, `"us"` or `"ns"`.
        cut: Whether digits beyond microseconds are dropped.

    Raises:
        ValueError: `unit` is none of these.

    Example:
        >>> from datetime import datetime
        >>> from typing import Annotated
        >>> import penstock
        >>> penstock.decode("1767225600.25", Annotated[datetime, penstock.unix("s")])
        datetime.datetime(2026, 1, 1, 0, 0, 0, 250000, tzinfo=datetime.timezone.utc)
    """

    __module__ = "penstock"
    __slots__ = ()

    def __init__(self, unit: Unix, /, *, cut: bool = False) -> None:
        """Store the unit."""
        if unit not in {"s", "ms", "us", "ns"}:
            raise ValueError(f"unix() takes 's', 'ms', 'us' or 'ns', not {unit!r}")
        object.__setattr__(self, "_said", (unit, bool(cut)))

    @property
    def unit(self) -> Unix:
        """The unit of the number."""
        return self._said[0]  # type: ignore[return-value]


def _made(cls: type[times | unix], said: str, cut: bool) -> times | unix:
    """Make an annotation from its parts: for pickles."""
    return cls(said, cut=cut)  # type: ignore[arg-type]


_made.__module__ = "penstock._times"  # As pickles name it: see `penstock._pickled`.
