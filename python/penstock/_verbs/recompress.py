"""`recompress`: a compressed file again, so that it can be read from the middle."""

from __future__ import annotations

import os

import penstock._rust as _rust
from penstock._base import suggest as _suggest
from penstock._io import formats as _formats
from penstock._io import sources as _sources
from penstock._io import targets as _targets

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Literal

    from penstock._base.limits import Limits
    from penstock._base.types import Compression, Format, Source, Target
    from penstock._rust import Recompressed

# What the suffix of a target says.
_SUFFIXES: dict[str, Literal["gzip", "zstd"]] = {".gz": "gzip", ".bgz": "gzip", ".zst": "zstd"}


@_suggest.advised
def recompress(
    source: Source,
    target: Target,
    /,
    *,
    to: Literal["gzip", "zstd"] | None = None,
    level: int | None = None,
    index: bool = False,
    format: Format | None = None,
    compression: Compression | None = "infer",
    member: str | None = None,
    limits: Limits | None = None,
) -> Recompressed:
    """Compress a file in pieces, so that a reader can begin with any of them.

    The bytes are those of the source: whatever their format and encoding are, and whether they are
    valid or not. Other tools read the result as any other file of gzip or zstd. gzip is written as
    BGZF, in blocks of at most 64 KiB of text. zstd is written in frames of at most 1 MiB of text,
    with a seek table. A piece ends where a line ends, and in CSV, where a row ends. Inside of a
    line that is longer than half of a piece, it ends anywhere.

    The memory that this takes does not grow with the source. Other threads run meanwhile.

    Args:
        source: A path, a binary file, or an iterable of chunks of bytes, as for `load`: plain, or
            compressed in any way that Penstock reads.
        target: A path, a binary file, or a function that takes bytes. A file at a path is replaced
            at the end, or not at all; it may be the source.
        to: The compression; by default that of the suffix of the target: `.gz`, `.bgz` or `.zst`.
        level: How well it compresses; by default as the compression's own tool does it.
        index: Also write the index of `bgzip`: a file beside the target, named like it with `.gzi`
            behind. With it, nobody needs to look for the blocks. A file of zstd has its own.
        format: The format of the source; by default that of its suffix. It only matters whether
            that is `"csv"`, where a line feed may be in quotes.
        compression: How the source is compressed; see `penstock.json.load`.
        member: The member of a zip archive; see `penstock.json.load`.
        limits: The limits to enforce instead of the default ones: `total`, `ratio` and `window`.

    Returns:
        The bytes that were read, without any compression, and written.

    Raises:
        OSError: The source cannot be read, or the target cannot be written to. If only the index
            cannot be written, the target is complete.
        TypeError: As for `load`.
        ValueError: As for `load`, or the suffix of the target is another one.
        DecodeError: The compressed data is damaged, cut, or over a limit. The old file stays.

    Example:
        >>> import pathlib, penstock
        >>> lines = "".join(f'{{"n": {n}}}' + chr(10) for n in range(20_000))
        >>> _ = pathlib.Path("numbers.ndjson").write_text(lines)
        >>> penstock.recompress("numbers.ndjson", "numbers.ndjson.gz").bytes
        248890
        >>> sum(1 for _ in penstock.read("numbers.ndjson.gz"))
        20000
    """
    return run(source, target, to, level, index, format, compression, member, limits)


recompress.__module__ = "penstock"


def run(
    source: Source,
    target: Target,
    to: Literal["gzip", "zstd"] | None,
    level: int | None,
    index: bool,
    format: Format | None,
    compression: Compression | None,
    member: str | None,
    limits: Limits | None,
    watch: Callable[[_rust.Recompression], AbstractContextManager[object]] | None = None,
) -> Recompressed:
    """Recompress, in the context of `watch` if it is given; see `penstock.recompress`."""
    path = os.fsdecode(target) if isinstance(target, (str, os.PathLike)) else None
    if to is None:
        to = _by_suffix(path)
    elif to not in {"gzip", "zstd"}:
        raise ValueError(f"to must be 'gzip' or 'zstd', not {to!r}")
    if index and to != "gzip":
        raise ValueError("index= is for gzip: a file of zstd has a seek table")
    if index and path is None:
        raise ValueError("index= needs a target with a path")
    given, name = _sources.locate("recompress", source, compression, member, limits)
    try:
        kind = _formats.checked(format) if format is not None else name and _formats.of_name(name)
        opened = _rust.Source(given, name, None, compression)
    finally:
        del given  # This closes an archive that was opened here.
    with _targets.open_target(
        "recompress", target, compression=to, level=level, pieces=True
    ) as writing:
        recompression = _rust.Recompression(opened, writing, kind == "csv", limits)
        if watch is None:
            done = recompression.run()
        else:
            with watch(recompression):
                done = recompression.run()
    if index and path is not None and (gzi := writing.gzi) is not None:
        with _targets.open_target("recompress", f"{path}.gzi", compression=None) as beside:
            beside.write(gzi)
    return done


def _by_suffix(path: str | None) -> Literal["gzip", "zstd"]:
    """Return the compression of a path."""
    if path is None:
        raise ValueError("a target without a path has no suffix: pass to='gzip' or to='zstd'")
    for suffix, compression in _SUFFIXES.items():
        if path.lower().endswith(suffix):
            return compression
    name = _sources.printable(path)
    raise ValueError(
        f"cannot tell the compression of {name!r}: end it in .gz, .bgz or .zst, or pass to="
    )
