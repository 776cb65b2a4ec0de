DUPLICATES = duplicates
FILE = compression, member, limits
READ = all_errors, duplicates, unknown, types, encoding
OPEN = duplicates, unknown, all_errors, types, encoding, FILE
RECORDS = errors, max_errors, empty, where
TARGET = compression, level, sync
TEXT = sort_keys, canonical, ascii
NUMBERS = non_finite, decimals, large_ints, binary
ELEMENTS = root, record, declaration, ascii, indent, null, namespaces

"""What the verbs have in common in every format; see `scripts/verbs.py`."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NoReturn, Self, overload

from typing_extensions import Buffer, TypeForm, TypeIs

import penstock._rust as _rust
import penstock.json as json
from penstock._archives.graph import Array, Dictionary, Items
from penstock._archives.keyed_open import OpenedArray, OpenedDictionary, OpenedObject
from penstock._archives.keyed_values import ArchivedObject, AttributedString
from penstock._base import plan as _plan
from penstock._base import suggest as _suggest
from penstock._base.limits import Limits
from penstock._base.types import PLAIN
from penstock._io import dialect as _dialect
from penstock._io import formats as _formats
from penstock._annotations.marks import UNSET, UnsetType
from penstock._io import sources as _sources
from penstock._io.dialect import Dialect
from penstock._parts import rows as _rows
from penstock._parts.checkpoint import Checkpoint
from penstock._parts.rows import Rows
from penstock._parts.split import Split, Splits
from penstock._rust import Events, Reader, Records, Writer
from penstock._verbs import csv_encoder as _csv_encoder
from penstock._verbs import decoder as _decoder
from penstock._verbs import encoder as _encoder
from penstock._verbs import open as _open
from penstock._verbs import read as _read
from penstock._verbs import send as _send
from penstock._verbs import write as _write

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        """Say what to use in place of a name that there is not."""
        _suggest.attribute(__name__, name)


def decode():
    """
    Returns:
        A value of the type `into`.
    Raises:
        PlanError: Penstock cannot decode into `into`.
    """
    if types is not None:
        into = _plan.with_types(into, types)
    return _rust.decode(DIALECT, data, into, DUPLICATES, unknown, all_errors, encoding, limits)


def encode():
    """
    Returns:
        The document, in UTF-8.
    Raises:
        EncodeError: A value cannot be written. Its `path` says which.
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.
    """
    return Encoder(into, STYLE=STYLE).encode(value)


def dump():
    """
    Raises:
        OSError: The target cannot be written to.
        TypeError: `target` is none of the three.
        EncodeError: The value cannot be written. A file at a path stays as it was.
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.
    """
    encoder = Encoder(into, STYLE=STYLE)
    _write.dump(encoder, value, target, compression, level, sync)


def write():
    """
    Returns:
        A `Writer`; see `penstock.json.write`.
    Raises:
        OSError: The target cannot be written to.
        TypeError: `target` is none of the three.
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid, or `at` is not such a path.
    """
    encoder = Encoder(_write.declared(into), STYLE=STYLE)
    return _write.write("write", encoder, at, target, compression, level, sync)


def load():
    """
    Returns:
        A value of the type `into`.
    Raises:
        OSError: The file cannot be opened.
        TypeError: `source` is none of the three.
        ValueError: The archive does not hold exactly one file, or not `member`.
        DecodeError: As for `decode`; or a plain `DecodeError`, if the source raised while it was
            read.
        PlanError: As for `decode`.
    """
    if types is not None:
        into = _plan.with_types(into, types)
    given, name = _sources.locate("load", source, compression, member, limits)
    try:
        return _rust.load(DIALECT, _rust.Source(given, name, encoding, compression), into,
            DUPLICATES, unknown, all_errors, limits)
    finally:
        del given  # This closes an archive that was opened here.


def read():
    """
    Returns:
        An iterator over the records. It is also a context manager; without `with`, Penstock closes
        the file after the last record.
    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`.
        ValueError: As for `load`, or `at` is not a path.
        PlanError: Penstock cannot decode into `into`.
        DecodeError: While iterating, as for `decode`.
    """
    if types is not None:
        into, at = _plan.of_records(into, at, types)
    policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty, limit)
    return _read.read(
        source, FORMAT, DIALECT, into, at, policy, encoding, compression, member, limits, where=where)


def open():
    """
    Raises:
        OSError: The file cannot be opened.
        TypeError: `source` is none of these.
        PlanError: Penstock cannot decode into `into`.
    """


def send():
    """
    Returns:
        The result of the root's method, or the value of `Stop`; otherwise None.
    Raises:
        OSError: The file cannot be opened.
        TypeError: As for `load`, or a marked method cannot be called with one argument.
        ValueError: As for `load`, or no element can reach the handler, or two methods claim the
            same elements.
        DecodeError: As for `load`. An exception of a method passes through unchanged.
    """


class Encoder:
    """
    Raises:
        PlanError: Penstock cannot plan `into`.
        ValueError: An option is not valid.
    """

    def __new__():
        """Check the options and plan the type."""


class Decoder:
    """"""

    def __new__():
        """Compile the type and the path, before any byte."""
        if types is not None:
            into, at = _plan.of_records(into, at, types)
        policy = _rust.Policy(errors, max_errors, duplicates, unknown, all_errors, empty, limit)
        dialect = _read.wanting(DIALECT, where)
        return cls._make(dialect, into, at, policy, encoding, limits, compression)
