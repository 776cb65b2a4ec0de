"""Binary files and functions as targets: short writes, none, refusals, and their exceptions."""

import codecs
import gc
import io
import os
import socket
import sys
import tempfile
import weakref
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from folders import names

from penstock._io.targets import open_target

DATA = os.urandom(300_001)
each_packing = pytest.mark.parametrize("compression", [None, "gzip"])


class File:
    """A file whose `write` returns what a script says."""

    def __init__(self, *answers: Any) -> None:
        self.answers = iter(answers)
        self.data: list[bytes] = []

    def write(self, data: bytes) -> Any:
        answer = next(self.answers, len(data))
        if isinstance(answer, BaseException):
            raise answer
        taken = answer if type(answer) is int else len(data)
        self.data.append(data[:taken])
        return answer

    def __repr__(self) -> str:
        return "<File>"


class Raw(io.RawIOBase):
    """A raw file that takes a few bytes at a time."""

    def __init__(self, *answers: int | None) -> None:
        self.answers = iter(answers)
        self.data = b""

    def write(self, data: Any) -> int | None:
        answer = next(self.answers, 1_000)
        if answer is not None:
            self.data += bytes(data[:answer])
        return None if answer is None else min(answer, len(data))


def write(file: Any, *data: bytes, **options: Any) -> None:
    with open_target("write", file, **options) as target:
        for piece in data:
            target.write(piece)


def test_files(tmp_path: Path) -> None:
    memory = io.BytesIO()
    write(memory, b"ab", b"", b"c")
    assert memory.getvalue() == b"abc"
    path = tmp_path / "rows.gz"  # The name of a file does not say what it compresses itself.
    for buffering in (0, -1):
        with path.open("wb", buffering) as file:
            write(file, DATA)
            assert not file.closed
            assert file.tell() == len(DATA)
        assert path.read_bytes() == DATA
    with path.open("rb") as file, pytest.raises(io.UnsupportedOperation, match="write"):
        write(file, b"x")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed, packed.open("rows", "w") as member:
        write(member, DATA)
    assert zipfile.ZipFile(archive).read("rows") == DATA


def test_functions() -> None:
    chunks: list[bytes] = []
    write(chunks.append, b"ab", b"c")
    assert chunks == [b"ab", b"c"]
    assert all(type(chunk) is bytes for chunk in chunks)
    one, other = socket.socketpair()
    with one, other:
        # It returns how many bytes it has sent; Penstock sends the rest.
        write(one.send, b"x" * 1_000)
        assert other.recv(2_000) == b"x" * 1_000
    with pytest.raises(ZeroDivisionError):
        write(lambda _: 1 // 0, b"x")


def test_flush_is_passed_on() -> None:
    class Flushed(File):
        flushed = 0

        def flush(self) -> None:
            self.flushed += 1

    file = Flushed()
    target = open_target("write", file)
    target.write(b"x")
    target.flush()
    assert file.flushed == 1
    target.finish()
    assert file.flushed == 1
    unflushed = open_target("write", File())
    unflushed.flush()
    function = open_target("write", Flushed().write)
    function.flush()


@each_packing
def test_short_writes(compression: Any) -> None:
    for answers in ([1, 2, 3], [7] * 100, [None, 5, 1]):
        file = File(*answers)
        write(file, DATA, compression=compression)
        whole = io.BytesIO()
        write(whole, DATA, compression=compression)
        assert b"".join(file.data) == whole.getvalue()
    raw = Raw(1, 2, 3)
    write(raw, DATA)
    assert raw.data == DATA


def test_a_file_that_takes_nothing() -> None:
    with pytest.raises(OSError, match=r"^none of 3 bytes could be written$"):
        write(File(0), b"abc")
    with pytest.raises(BlockingIOError) as error:
        write(Raw(2, None), b"abc")
    reason = "[Errno 11] the file takes no bytes now and does not wait (non-blocking)"
    assert str(error.value) == reason
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with open(writer, "wb", 0) as pipe, open(reader, "rb"):  # noqa: PTH123 - descriptors
        target = open_target("write", pipe)
        with pytest.raises(BlockingIOError, match="does not wait"):
            target.write(b"x" * 1_000_000)
        with pytest.raises(OSError, match=r"^an earlier write failed, so the target was aborted$"):
            target.write(b"x")
        with pytest.raises(OSError, match=r"^an earlier write failed, so the target was aborted$"):
            target.finish()


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (4, OSError, "<File> said that it took 4 of 3 bytes"),
        (-1, OSError, "<File> said that it took -1 of 3 bytes"),
        (1 << 99, OSError, f"<File> said that it took {1 << 99} of 3 bytes"),
        (True, TypeError, "<File> returned bool for 3 bytes: it must return how many it took, or None for all"),
        ("3", TypeError, "<File> returned str for 3 bytes: it must return how many it took, or None for all"),
        (3.0, TypeError, "<File> returned float for 3 bytes: it must return how many it took, or None for all"),
    ],
)  # fmt: skip
def test_answers_that_are_no_count(answer: Any, kind: type[Exception], reason: str) -> None:
    with pytest.raises(kind) as error:
        write(File(answer), b"abc")
    assert str(error.value) == reason


@each_packing
@pytest.mark.parametrize(
    "error", [ValueError("mine"), OSError(5, "mine"), KeyboardInterrupt(), MemoryError(), InterruptedError(4, "mine")]
)  # fmt: skip
def test_exceptions_pass_as_they_are(compression: Any, error: BaseException) -> None:
    file = File(2, error)
    with pytest.raises(type(error)) as caught:
        write(file, DATA, compression=compression)
    assert caught.value is error
    assert b"".join(file.data) in {DATA[:2], b"\x1f\x8b"}
    file = File(error)
    with (  # noqa: PT012 - the block is what is tested
        pytest.raises(OSError, match=r"^an earlier write failed, so the target was aborted$"),
        open_target("write", file) as target,
    ):
        try:
            target.write(b"x")
        except type(error):
            pass  # Whoever swallows it is told at the end.
    assert file.data == []


def test_an_aborted_target_gets_no_end() -> None:
    file = File()
    target = open_target("write", file, compression="gzip")
    with pytest.raises(ValueError, match="mine"), target:  # noqa: PT012 - the block is what is tested
        target.write(DATA)
        raise ValueError("mine")
    data = b"".join(file.data)
    assert data[:2] == b"\x1f\x8b"
    assert len(data) < len(DATA)


def test_text_files_are_refused(tmp_path: Path) -> None:
    told = (
        r"^write\(\) takes a binary file, not a text file: open it with 'wb', or pass its .buffer$"
    )
    files: list[Any] = [io.StringIO(), sys.__stdout__]
    with (tmp_path / "text").open("w") as text, tempfile.NamedTemporaryFile("w") as temporary:
        for file in (*files, text, temporary):
            with pytest.raises(TypeError, match=told):
                open_target("write", file)
        write(text.buffer, b"x")
        with tempfile.NamedTemporaryFile("wb") as binary:
            write(binary, b"x")
            binary.flush()
            assert Path(binary.name).read_bytes() == b"x"
    encoder = codecs.getwriter("utf-8")(io.BytesIO())
    with pytest.raises(TypeError):
        write(encoder, b"x")


@pytest.mark.parametrize(
    ("target", "what"),
    [
        (b"rows.json", "a path, a binary file or a function; for data in memory pass io.BytesIO()"),
        (bytearray(), "a path, a binary file or a function; for data in memory pass io.BytesIO()"),
        (3, "a path, a binary file or a function that takes bytes, not int"),
        (None, "a path, a binary file or a function that takes bytes, not NoneType"),
        ([], "a path, a binary file or a function that takes bytes, not list"),
        (list, "a path, a binary file or a function that takes bytes, not the class list"),
        (io.BytesIO, "a path, a binary file or a function that takes bytes, not the class BytesIO"),
    ],
)
def test_what_is_no_target(target: Any, what: str) -> None:
    with pytest.raises(TypeError) as error:
        open_target("dump", target)
    assert str(error.value) == f"dump() takes {what}"


@pytest.mark.parametrize(
    ("options", "kind", "reason"),
    [
        ({"append": True}, ValueError, "append= needs a path: write() does not open this target itself"),
        ({"sync": True}, ValueError, "sync= needs a path: write() does not open this target itself"),
        ({"level": 3}, ValueError, "level= needs a compression"),
        ({"compression": "gzip", "level": 10}, ValueError, "level must be from 0 to 9 for gzip, not 10"),
        ({"compression": "gzip", "level": 1 << 70}, ValueError, "level must be from 0 to 9 for gzip, not 9223372036854775807"),
        ({"compression": "zstd", "level": 23}, ValueError, "level must be from -131072 to 22 for zstd, not 23"),
        ({"compression": "gzip", "level": True}, TypeError, "level must be an int or None, not bool"),
        ({"compression": "gzip", "level": "9"}, TypeError, "level must be an int or None, not str"),
        ({"compression": "gz"}, ValueError, "compression must be 'infer', None, 'gzip', 'zstd', 'bzip2' or 'xz', not 'gz'"),
        ({"compression": 9}, TypeError, "compression must be a str or None, not int"),
        ({"torn": "keep"}, ValueError, "torn must be 'error' or 'cut', not 'keep'"),
    ],
)  # fmt: skip
def test_options_that_do_not_fit(options: Any, kind: type[Exception], reason: str) -> None:
    with pytest.raises(kind) as error:
        open_target("write", io.BytesIO(), **options)
    assert str(error.value) == reason


@pytest.mark.parametrize("option", ["append", "sync"])
def test_flags(tmp_path: Path, option: str) -> None:
    with pytest.raises(TypeError, match=f"^{option} must be a bool, not int$"):
        open_target("write", tmp_path / "rows", **{option: 1})  # type: ignore[arg-type]
    assert names(tmp_path) == []


def test_a_file_and_its_target_are_collected_together() -> None:
    def collected(make: Callable[[], Any]) -> bool:
        file = make()
        file.target = open_target("write", file)
        file.target.write(b"x")
        alive = weakref.ref(file)
        del file
        gc.collect()
        return alive() is None

    class Memory(io.BytesIO):
        target: Any

    assert collected(File)
    assert collected(Memory)
