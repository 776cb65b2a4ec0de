"""`remote`: a source that every verb takes where it takes a path."""

from __future__ import annotations

import os

from penstock._io.remote.keep import SIZE
from penstock._io.remote.source import Remote

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from penstock._base.types import Path, Ranged

_FILE = "file"


def remote(
    address: str | Ranged,
    /,
    requests: int = 4,
    keep: Path | None = None,
    *,
    keep_bytes: int = SIZE,
    store: object = None,
    **options: Any,
) -> Remote:
    """Return a file behind an address: a source that every verb takes where it takes a path.

    Nothing is asked for yet. A verb that reads in order has several requests for ranges of bytes in
    flight: the first is small, so that the first record is there soon, and others are up to
    8 MiB long. So it holds at most `requests` times 8 MiB. A verb that reads at random asks for
    what it needs. If a connection breaks, Penstock asks for the rest, from the byte on that it has.

    The source is pinned to the state of the file that it meets first, by its entity tag or its
    version. If the file changes, reading ends with an error, and never with a mixture.

    A server that does not give ranges is read as one stream, with a `RemoteWarning`.

    Args:
        address: An address of `https`, `http`, `s3`, `gs` or `az`, which needs the package
            `obstore` (`pip install penstock-data[remote]`); or one that `fsspec` opens. Or an
            object with `size`, `version` and `read_range(start, end)`.
        requests: How many requests are in flight at most.
        keep: A folder for what was fetched. The file is fetched once, whole or not at all, and then
            read from there, until its address has another one. Without a network, what is kept is
            read, with a `RemoteWarning`. Processes may share the folder.
        keep_bytes: How many bytes the folder keeps. What nobody has asked for the longest is
            removed first.
        store: A store of `obstore`, or a file system of `fsspec`. The address is the key in it.
        options: What the store is made with, such as `region="eu-central-1"`,
            `skip_signature=True`, or `client_options={"default_headers": {...}}`. Credentials are
            those of the environment, as the tools of the store find them.

    Returns:
        A source that can be pickled, with its state and without credentials.

    Raises:
        TypeError: `address` is none.
        ValueError: A number is less than 1, or the address is one of a file.

    Example:
        >>> import penstock
        >>> source = penstock.remote("https://example.org/cities.ndjson", requests=2)
        >>> source
        penstock.remote('https://example.org/cities.ndjson')

        `penstock.ndjson.read(source, City)` would read it.
    """
    if not isinstance(address, str):
        missing = [name for name in ("size", "version", "read_range") if not hasattr(address, name)]
        if missing:
            kind = type(address).__name__
            raise TypeError(f"remote() takes an address, not {kind}: it has no {missing[0]}")
    elif store is None:
        scheme, mark, rest = address.partition("://")
        if not mark or not scheme:
            raise ValueError(f"{address!r} is no address: it has no scheme, such as https://")
        if scheme == _FILE:
            raise ValueError(f"remote() is for addresses: pass the path of a file, {rest!r}")
    for name, number in (("requests", requests), ("keep_bytes", keep_bytes)):
        if isinstance(number, bool) or not isinstance(number, int):
            raise TypeError(f"{name} must be an int, not {number!r}")
        if number < 1:
            raise ValueError(f"{name} must be at least 1, not {number}")
    folder = None if keep is None else (os.fsdecode(keep), keep_bytes)
    return Remote(address, store, requests, folder, options)


remote.__module__ = "penstock"
