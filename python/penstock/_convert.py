"""What `convert` does before the extension takes over: it finds the formats and checks options."""

from __future__ import annotations

import os

from penstock import _format, _rust, _sources, _targets

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from penstock._limits import Limits
    from penstock._types import Compression, Empty, Errors, Form, Format, Source, Target

# The options of each format, for writing and for reading.
_WRITES = {
    "json": frozenset({"indent", "sort_keys", "canonical", "ascii"}),
    "ndjson": frozenset({"sort_keys", "canonical", "ascii"}),
    "xml": frozenset({"indent", "root", "record", "null", "declaration", "namespaces"}),
}
_READS = {"xml": frozenset({"force_list", "namespaces"})}


def convert(
    source: Source,
    target: Target,
    format: Format | None,
    to: Format | None,
    at: str | None,
    form: Form,
    errors: Errors,
    max_errors: int,
    empty: Empty,
    reads: Mapping[str, object],
    writes: Mapping[str, object],
    encoding: str | None,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
    watch: Callable[[_rust.Conversion], AbstractContextManager[object]] | None = None,
    into: object = None,
    objects: bool = False,
) -> _rust.Converted:
    """Convert a source, in the context of `watch` if it is given; see `penstock.convert`."""
    policy = _rust.Policy(errors, max_errors, "last", "skip", False, empty)
    style_of = _written(target) if to is None else _format.checked(to)
    given, name = _sources.locate("convert", source, compression, member, limits)
    try:
        opened = _rust.Source(given, name, encoding, compression)
        kind = _format.of_source(given, name) if format is None else _format.checked(format)
    finally:
        del given  # This closes an archive that was opened here.
    dialect, style = sides(kind, style_of, form, reads, writes, into)
    by = None if into is None else (into, _rust.Encoder(into, style, None), objects)
    with _targets.open_target("convert", target) as writing:
        conversion = _rust.Conversion(dialect, opened, style, writing, at, form, policy, limits, by)
        if watch is None:
            return conversion.run()
        with watch(conversion):
            return conversion.run()


def sides(
    format: Format,
    to: Format,
    form: Form,
    reads: Mapping[str, object],
    writes: Mapping[str, object],
    into: object = None,
) -> tuple[_rust.Dialect, _rust.Style]:
    """Return how the source is read and how the target is written.

    Raises:
        TypeError: A format has no such option.
        ValueError: An option is not valid.
    """
    if into is not None:
        reads, writes = _by_class(format, to, form, reads, writes)
    for options, known, kind in (
        (reads, _READS.get(format, frozenset()), format),
        (writes, _WRITES.get(to, frozenset()), to),
    ):
        for option in options:
            if option not in known:
                side = "a source" if options is reads else "a target"
                raise TypeError(f"{option}= is no option for {side} of the format {kind!r}")
    if form == "element" and (format == "xml") == (to == "xml"):
        raise ValueError(
            "form='element' is for XML on one side: "
            + ("XML to XML loses nothing" if to == "xml" else "there is none here")
        )
    if to == "xml" and reads.get("namespaces") is False:
        writes = {**writes, "namespaces": False}
    return _rust.Dialect(format, **reads), _rust.Style(to, **writes)


def _by_class(
    format: Format,
    to: Format,
    form: Form,
    reads: Mapping[str, object],
    writes: Mapping[str, object],
) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """Return the options of both sides by a class, whose paths may have prefixes."""
    if form != "plain":
        raise ValueError("form= is for conversions without a class")
    if "namespaces" in reads and "xml" in {format, to}:
        if to == "xml":
            writes = {**writes, "namespaces": reads["namespaces"]}
        if format != "xml":
            reads = {option: value for option, value in reads.items() if option != "namespaces"}
    return reads, writes


def _written(target: Target) -> Format:
    """Find the format of a target from its name."""
    if isinstance(target, (str, os.PathLike)):
        name = _sources.printable(os.fsdecode(target))
        found = _format.of_name(name)
        if found is not None:
            return found
        what = repr(name)
    else:
        what = "a target without a path"
    names = _format.listed([repr(name) for name in _format.NAMES], "or")
    raise ValueError(f"cannot tell the format of {what}: pass to={names}")
