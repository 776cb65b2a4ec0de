"""Files, pipes and chunks, well behaved and not: their results, and errors while reading."""

import io
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import DecodeError, TruncatedInput
from penstock.json import load, read

DATA = '[{"a": "東京"}, [1, 2.5], null]'.encode()
VALUE = [{"a": "東京"}, [1, 2.5], None]


def both(make: Callable[[], Any], **options: Any) -> list[Any]:
    """The result of `load` and `read` for a source, which must be the same."""
    whole = load(make(), **options)
    assert list(read(make(), **options)) == whole
    return whole


def refused(make: Callable[[], Any], kind: type[BaseException]) -> list[BaseException]:
    errors = []
    for verb in (load, lambda source: list(read(source))):
        with pytest.raises(kind) as caught:
            verb(make())
        errors.append(caught.value)
    return errors


class Scripted:
    """A file whose `read` returns and raises what a script says."""

    def __init__(self, *answers: Any) -> None:
        self.answers = iter(answers)
        self.sizes: list[int] = []

    def read(self, size: int = -1) -> Any:
        self.sizes.append(size)
        answer = next(self.answers, b"")
        if isinstance(answer, BaseException):
            raise answer
        return answer


class Sparse(io.RawIOBase):
    """A raw file that gives one byte at a time."""

    def __init__(self, data: bytes) -> None:
        self.data = iter(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        for byte in self.data:
            buffer[0] = byte
            return 1
        return 0


class Readinto:
    """A file with only `readinto`."""

    def __init__(self, data: bytes, lies: int = 0) -> None:
        self.file, self.lies = io.BytesIO(data), lies

    def readinto(self, buffer: bytearray) -> int:
        return self.file.readinto(memoryview(buffer)[:7]) + self.lies


# --- Well behaved ------------------------------------------------------------------------------


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "n"
    path.write_bytes(DATA)

    class Named:
        def __fspath__(self) -> str:
            return str(path)

    assert both(lambda: path) == both(lambda: str(path)) == both(Named) == VALUE
    assert both(lambda: io.BytesIO(DATA)) == VALUE
    assert both(lambda: io.BufferedReader(Sparse(DATA))) == both(lambda: Sparse(DATA)) == VALUE
    assert both(lambda: Readinto(DATA)) == VALUE
    assert both(lambda: Scripted(*(bytes([byte]) for byte in DATA))) == VALUE
    assert both(lambda: Scripted(bytearray(DATA[:9]), memoryview(DATA[9:]))) == VALUE


def test_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.json"
    with open(path, "wb") as file:  # noqa: PTH123 - pathlib takes no bytes
        file.write(DATA)
    assert both(lambda: os.fsdecode(path)) == VALUE


def test_a_file_is_read_from_where_it_stands() -> None:
    file = io.BytesIO(b"xx" + DATA)
    file.seek(2)
    assert load(file) == VALUE
    assert not file.closed


def test_chunks() -> None:
    def pieces() -> Iterator[Any]:
        yield b""
        yield bytearray(DATA[:5])
        yield memoryview(DATA)[5:9]
        yield b""
        yield memoryview(DATA[9:])[::1]

    assert both(pieces) == both(lambda: list(pieces())) == both(lambda: tuple(pieces())) == VALUE
    assert both(lambda: iter([DATA])) == VALUE


def test_chunks_are_asked_for_one_at_a_time() -> None:
    asked = []

    def pieces() -> Iterator[bytes]:
        for piece in (b"[1, 2", b", 3, 4", b", 5]"):
            asked.append(piece)
            yield piece

    rows = read(pieces())
    assert next(rows) == 1
    assert len(asked) == 1
    assert [next(rows), next(rows)] == [2, 3]
    assert len(asked) == 2
    rows.close()
    assert len(asked) == 2


def test_a_chunk_that_is_changed_later_does_not_matter() -> None:
    buffer = bytearray(b"[1, 2, ")

    def pieces() -> Iterator[bytearray]:
        yield buffer
        buffer[:] = b"3, 4]  "
        yield buffer

    assert list(read(pieces())) == [1, 2, 3, 4]


def test_pipes(tmp_path: Path) -> None:
    def fed(open_end: Callable[[], int]) -> threading.Thread:
        def feed() -> None:
            with open(open_end(), "wb", buffering=0) as file:  # noqa: PTH123 - it may be a number
                file.writelines(bytes([byte]) for byte in DATA)

        thread = threading.Thread(target=feed)
        thread.start()
        return thread

    out, into = os.pipe()
    thread = fed(lambda: into)
    with open(out, "rb") as file:  # noqa: PTH123 - its name is a number
        assert load(file) == VALUE
    thread.join()

    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    thread = fed(lambda: os.open(fifo, os.O_WRONLY))
    assert list(read(fifo)) == VALUE
    thread.join()


def test_the_first_record_of_a_pipe_does_not_wait_for_more() -> None:
    out, into = os.pipe()
    with open(out, "rb") as file, open(into, "wb", buffering=0) as feeder:  # noqa: PTH123
        feeder.write(b"[1, ")
        rows = read(file)
        assert next(rows) == 1
        feeder.write(b"2, ")
        assert next(rows) == 2


def test_nothing_is_read_beyond_the_request() -> None:
    file = Scripted(DATA)
    assert load(file) == VALUE
    assert all(0 < size <= 1 << 20 for size in file.sizes)


# --- Not well behaved --------------------------------------------------------------------------


def test_a_missing_file_and_a_directory(tmp_path: Path) -> None:
    for error in refused(lambda: tmp_path / "no.json", FileNotFoundError):
        assert error.filename == str(tmp_path / "no.json")  # type: ignore[attr-defined]
    with pytest.raises(IsADirectoryError) as raised:
        load(tmp_path)
    assert raised.value.filename == str(tmp_path)
    with pytest.raises(ValueError, match=r"embedded null (byte|character)"):
        load("a\0b")


def test_what_gives_no_bytes() -> None:
    for make, message in [
        (lambda: Scripted("[1]"), "the file gives text, not bytes: open it with 'rb'"),
        (lambda: Scripted(1), "expected chunks of bytes, got int"),
        (lambda: iter(["[1]"]), "expected chunks of bytes, got str"),
        (lambda: [b"[1", 2], "expected chunks of bytes, got int"),
        (lambda: [[b"1"]], "expected chunks of bytes, got list"),
        (lambda: [None], "expected chunks of bytes, got NoneType"),
    ]:
        assert [str(error) for error in refused(make, TypeError)] == [message] * 2


@pytest.mark.parametrize("raised", [OSError(5, "disk"), EOFError("gone"), ValueError("closed")])
def test_a_source_that_raises(raised: Exception) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"[1,\n2, "
        raise raised

    for make in (lambda: Scripted(b"[1,\n", b"2, ", raised), pieces):
        for error in refused(make, DecodeError):
            assert type(error) is DecodeError
            assert error.__cause__ is raised
            assert error.reason == f"reading failed: {type(raised).__name__}: {raised}"
            assert (error.offset, error.line, error.column) == (7, 2, 4)
            assert error.excerpt == "2, "
        rows = read(make())
        assert [next(rows), next(rows)] == [1, 2]
        with pytest.raises(DecodeError, match="reading failed"):
            next(rows)
        assert list(rows) == []


def test_an_interrupt_passes_through() -> None:
    for raised in (KeyboardInterrupt(), SystemExit(3)):
        for error in refused(lambda raised=raised: Scripted(b"[1", raised), type(raised)):
            assert error is raised


def test_an_error_of_ours_passes_through() -> None:
    inner = penstock.LimitExceeded("inner")
    for error in refused(lambda: Scripted(b"[1", inner), penstock.LimitExceeded):
        assert error is inner


def test_a_file_that_does_not_wait() -> None:
    for make in (lambda: Scripted(b"[1", None),):
        for error in refused(make, DecodeError):
            assert "has no bytes at hand" in error.reason  # type: ignore[attr-defined]
            assert isinstance(error.__cause__, OSError)
    out, into = os.pipe()
    os.set_blocking(out, False)
    with (
        open(out, "rb", buffering=0) as file,  # noqa: PTH123 - its name is a number
        open(into, "wb"),  # noqa: PTH123 - its name is a number
        pytest.raises(DecodeError, match="has no bytes at hand"),
    ):
        load(file)


def test_a_file_that_gives_more_than_was_asked_for() -> None:
    for error in refused(lambda: Scripted(b"1" * (1 << 21)), DecodeError):
        assert "were asked for" in error.reason  # type: ignore[attr-defined]
    with pytest.raises(DecodeError):
        load(Readinto(b"[1]", lies=1 << 40))


def test_a_file_that_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "n.json"
    path.write_bytes(DATA)
    with path.open("rb") as file:
        pass
    for error in refused(lambda: file, DecodeError):
        assert isinstance(error.__cause__, ValueError)


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "n.json"
    path.write_bytes(b"[" + b"1234567, " * 200_000 + b"1]")
    rows = read(path)
    assert [next(rows) for _ in range(10)] == [1234567] * 10
    os.truncate(path, 1000)
    left = []
    with pytest.raises(TruncatedInput) as caught:
        left.extend(iter(rows.__next__, None))
    assert caught.value.source == str(path)
    assert 0 < rows.progress.records < 200_000
    assert set(left) <= {1234567, 1, 12, 123, 1234, 12345, 123456}


def test_a_file_that_is_replaced_or_removed_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "n.json"
    path.write_bytes(b"[" + b"1, " * 200_000 + b"1]")
    rows = read(path)
    assert next(rows) == 1
    path.unlink()
    path.write_bytes(b"no")
    assert sum(rows) == 200_000


def test_a_source_that_uses_its_own_reader() -> None:
    rows: Any = None

    def pieces() -> Iterator[bytes]:
        yield b"[1, "
        with pytest.raises(RuntimeError, match="already at work"):
            next(rows)
        yield b"2]"

    rows = read(pieces())
    assert list(rows) == [1, 2]


def test_after_an_error_a_reader_has_ended() -> None:
    rows = read([b"[1, x, 2]"])
    assert next(rows) == 1
    with pytest.raises(penstock.MalformedInput):
        next(rows)
    assert list(rows) == []


def test_a_reader_that_is_closed() -> None:
    file = io.BytesIO(DATA)
    with read(file) as rows:
        assert next(rows) == VALUE[0]
    with pytest.raises(ValueError, match="this Reader is closed"):
        next(rows)
    rows.close()
    assert not file.closed
