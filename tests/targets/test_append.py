"""Appending to files of lines: torn lines are found, and whole records stay."""

import bz2
import gzip
import lzma
import os
from pathlib import Path
from typing import Any

import pytest
from folders import names

import penstock
from penstock import MalformedInput, TruncatedInput
from penstock._io.targets import open_target

PACK = {None: bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}
SUFFIX = {None: "", "gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}
each = pytest.mark.parametrize("compression", SUFFIX)


def append(path: Path, *records: Any, **options: Any) -> None:
    with open_target("write", path, append=True, **options) as target:
        for record in records:
            target.write(b"%r" % record)
            target.write(b"\n")
            target.mark()


def rows(path: Path) -> list[Any]:
    return list(penstock.ndjson.read(path))


@each
def test_records_follow(compression: Any, tmp_path: Path) -> None:
    path = tmp_path / f"rows.ndjson{SUFFIX[compression]}"
    append(path, 1, 2)
    inode = path.stat().st_ino
    path.chmod(0o604)
    append(path)
    append(path, 3)
    append(path, 4, 5, sync=True)
    assert rows(path) == [1, 2, 3, 4, 5]
    assert path.stat().st_ino == inode
    assert path.stat().st_mode & 0o777 == 0o604
    assert names(tmp_path) == [path.name]
    link = tmp_path / f"link{SUFFIX[compression]}"
    link.symlink_to(path.name)
    append(link, 6)
    assert rows(path) == [1, 2, 3, 4, 5, 6]
    assert link.is_symlink()


@pytest.mark.parametrize("compression", PACK)
def test_behind_the_members_of_others(compression: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows"
    pack = PACK[compression]
    path.write_bytes(pack(b"1\n") + pack(b"2\n"))
    append(path, 3, compression=compression)
    assert rows(path) == [1, 2, 3]


@each
def test_an_exception_keeps_whole_records(compression: Any, tmp_path: Path) -> None:
    path = tmp_path / f"rows{SUFFIX[compression]}"
    append(path, 1)
    for error in (ValueError("mine"), KeyboardInterrupt()):
        with (  # noqa: PT012 - the block is what is tested
            pytest.raises(type(error)) as caught,
            open_target("write", path, append=True) as target,
        ):
            target.write(b"2\n3\n")
            target.mark()
            target.write(b"4\n[5, ")
            target.flush()
            raise error
        assert caught.value is error
    assert rows(path) == [1, 2, 3, 2, 3]
    target = open_target("write", path, append=True)
    target.write(b"[6")
    del target
    append(path, 7)
    assert rows(path) == [1, 2, 3, 2, 3, 7]


def test_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b'{"a": 1}\n{"a": 2}\n{"a"')
    with pytest.raises(TruncatedInput) as error:
        append(path, 3)
    reason = (
        "the last line, at byte 18, has no line feed: its record may be torn; torn='cut' removes "
        "it, a line feed at the end of the file keeps it"
    )
    assert (error.value.reason, error.value.source) == (reason, str(path))
    assert str(error.value) == f"{path}: {reason}"
    assert path.read_bytes() == b'{"a": 1}\n{"a": 2}\n{"a"'
    append(path, 3, torn="cut")
    assert rows(path) == [{"a": 1}, {"a": 2}, 3]
    path.write_bytes(b"1")
    append(path, 2, torn="cut")
    assert path.read_bytes() == b"2\n"


@pytest.mark.parametrize("compression", list(PACK)[1:])
def test_a_torn_line_in_compressed_data(compression: Any, tmp_path: Path) -> None:
    path = tmp_path / f"rows{SUFFIX[compression]}"
    before = PACK[compression](b"1\n2\n[3")
    path.write_bytes(before)
    for torn in ("error", "cut"):
        with pytest.raises(TruncatedInput) as error:
            append(path, 4, torn=torn)
        assert error.value.reason == (
            "the last line, at byte 4, has no line feed: its record may be torn; a compressed "
            "file must be written anew"
        )
    whole = PACK[compression](b"1\n2\n")
    for cut in (1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(TruncatedInput, match=f"the {compression} data ends early"):
            append(path, 4, torn="cut")
        assert path.read_bytes() == whole[:cut]


@pytest.mark.parametrize(
    ("before", "compression", "reason"),
    [
        (gzip.compress(b"1\n", mtime=0), None, "this is gzip data, and plain text would follow"),
        (b"1\n", "gzip", "this is not gzip data"),
        (gzip.compress(b"1\n", mtime=0), "xz", "this is gzip data, not xz data"),
        ("1\n".encode("utf-16"), None, "this looks like UTF-16 (little endian), and UTF-8 would follow"),
        (gzip.compress("1\n".encode("utf-16"), mtime=0), "gzip", "this looks like UTF-16 (little endian), and UTF-8 would follow"),
        (b"PK\3\4", None, "this is a zip archive, and plain text would follow"),
    ],
)  # fmt: skip
def test_another_kind_of_file(tmp_path: Path, before: bytes, compression: Any, reason: str) -> None:
    path = tmp_path / "rows"
    path.write_bytes(before)
    with pytest.raises(MalformedInput) as error:
        append(path, 2, compression=compression)
    assert error.value.reason == reason
    assert path.read_bytes() == before


def test_somebody_else_appends_too(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    with pytest.raises(ValueError, match="mine") as error:  # noqa: SIM117, PT012 - the order counts
        with open_target("write", path, append=True) as target:
            target.write(b"1\n")
            target.mark()
            target.write(b"2")
            with path.open("ab") as other:
                other.write(b"3\n")
            raise ValueError("mine")
    (note,) = error.value.__notes__
    assert note == (
        "The target could not be aborted: somebody else has written to the file meanwhile, so the "
        "unfinished record stays"
    )
    assert path.read_bytes() == b"1\n23\n"


def test_devices_are_not_checked() -> None:
    append(Path(os.devnull), 1, 2)
