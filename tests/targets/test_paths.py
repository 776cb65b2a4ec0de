"""Paths: replaced at once or not at all, behind links, with their mode, in any state."""

import errno
import gc
import io
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from folders import has_nameless_files, names

from penstock._io.targets import open_target


def write(path: Any, *data: bytes, **options: Any) -> None:
    with open_target("write", path, **options) as target:
        for piece in data:
            target.write(piece)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def in_child(work: Callable[[], None]) -> str:
    """What a forked process says of its work: nothing, or the exception."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - it is passed on
            os.write(writer, f"{type(error).__name__}: {error}".encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:  # noqa: PTH123 - a descriptor
        said = file.read().decode()
    os.waitpid(child, 0)
    return said


@pytest.mark.parametrize("sync", [False, True])
@pytest.mark.parametrize("make", [str, Path, os.fspath])
def test_replaced_at_the_end(tmp_path: Path, sync: bool, make: Callable[[Path], Any]) -> None:
    path = tmp_path / "rows.json"
    for text in (b"first", b"second"):
        before = path.read_bytes() if path.exists() else None
        with open_target("write", make(path), sync=sync) as target:
            target.write(text[:3])
            target.flush()
            # Where the file system can do that, the new file has no name yet.
            parts = {*names(tmp_path)} - {"rows.json"}
            assert len(parts) == (not has_nameless_files(tmp_path))
            assert all(part.startswith("rows.json.") for part in parts)
            assert all(part.endswith(".part") for part in parts)
            assert (path.read_bytes() if path.exists() else None) == before
            target.write(bytearray(text[3:]))
            target.write(memoryview(b"..")[::2])
            assert (target.taken, target.given) == (len(text) + 1,) * 2
            assert not target.closed
        assert target.closed
        assert path.read_bytes() == text + b"."
        assert names(tmp_path) == ["rows.json"]


def test_the_paths_may_be_bytes_or_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Odd:
        def __fspath__(self) -> bytes:
            return os.fsencode(tmp_path / "odd") + b"\xff"

    write(Odd(), b"x")
    assert [os.fsencode(name) for name in names(tmp_path)] == [b"odd\xff"]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with open_target("write", "relative") as target:
        target.write(b"y")
        monkeypatch.chdir("elsewhere")
    assert (tmp_path / "relative").read_bytes() == b"y"
    assert names(".") == []
    with pytest.raises(FileNotFoundError) as error:
        write(os.fsdecode(b"none\xff/x"))
    assert error.value.filename == os.fsdecode(b"none\xff/x")


def test_after_the_end(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    target = open_target("write", path)
    target.finish()
    target.finish()
    target.abort()
    finished = "^the target is finished: nothing more can be written$"
    for work in (lambda: target.write(b"x"), target.flush, target.mark):
        with pytest.raises(ValueError, match=finished):
            work()
    assert path.read_bytes() == b""
    target = open_target("write", path)
    target.abort()
    target.abort()
    aborted = "^the target was aborted: nothing more can be written$"
    for work in (lambda: target.write(b"x"), target.flush, target.mark, target.finish):
        with pytest.raises(ValueError, match=aborted):
            work()
    with pytest.raises(TypeError, match=r"^expected a bytes-like object, got str$"):
        open_target("write", path).write("text")  # type: ignore[arg-type]


def test_an_exception_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"old")
    inode = path.stat().st_ino
    for error in (ValueError("mine"), KeyboardInterrupt(), SystemExit(3)):
        with pytest.raises(type(error)) as caught, open_target("write", path) as target:  # noqa: PT012 - the block is what is tested
            target.write(b"new")
            raise error
        assert caught.value is error
        assert path.read_bytes() == b"old"
        assert path.stat().st_ino == inode
        assert names(tmp_path) == ["rows"]


def test_nobody_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    target = open_target("write", path)
    target.write(b"new")
    del target
    assert names(tmp_path) == []

    class Holder:
        pass

    holder = Holder()
    holder.target, holder.itself = open_target("write", path), holder  # type: ignore[attr-defined]
    assert len(names(tmp_path)) == (not has_nameless_files(tmp_path))
    del holder
    gc.collect()
    assert names(tmp_path) == []


@pytest.mark.thread_unsafe(reason="it starts processes")
@pytest.mark.parametrize(
    ("end", "code"), [("", 0), ("sys.exit(4)", 4), ("raise KeyboardInterrupt", -signal.SIGINT)]
)
def test_the_interpreter_ends_first(tmp_path: Path, end: str, code: int) -> None:
    program = f"""if True:
        import sys
        from penstock._io.targets import open_target
        sys.modules["kept"] = [open_target("write", {str(tmp_path / "rows")!r})]
        sys.modules["kept"][0].write(b"new")
        {end}
    """
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert ended.returncode == code
    assert names(tmp_path) == []


@pytest.mark.thread_unsafe(reason="the mask is the process's")
def test_the_mode_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    with umask(0o027):
        write(path, b"1")
        assert mode(path) == 0o640
    for kept in (0o600, 0o664, 0o755, 0o444, 0o200):
        path.chmod(kept)
        with umask(0o077), open_target("write", path) as target:
            target.write(b"2")
            assert [mode(part) for part in tmp_path.glob("*.part")] == [kept] * (
                not has_nameless_files(tmp_path)
            )
        assert mode(path) == kept
    # Like writing into a file, replacing it takes the special bits away.
    path.chmod(0o6755)
    write(path, b"3")
    assert mode(path) == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.thread_unsafe(reason="it forks")
def test_the_owner_is_kept_if_the_system_permits_it(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"")
    path.chmod(0o654)
    os.chown(path, 1234, 4321)
    write(path, b"1")
    about = path.stat()
    assert (about.st_uid, about.st_gid, mode(path)) == (1234, 4321, 0o654)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and len(folder.parts) > 2:
            folder.chmod(0o777)

    def as_another() -> None:
        os.setgroups([])
        os.setgid(777)
        os.setuid(777)
        write(path, b"2")

    path.chmod(0o676)
    assert in_child(as_another) == ""
    about = path.stat()
    # The new group gets no more than everybody.
    assert (about.st_uid, about.st_gid, mode(path)) == (777, 777, 0o666)
    assert path.read_bytes() == b"2"


@pytest.mark.skipif(os.geteuid() != 0, reason="root becomes somebody who may not write")
@pytest.mark.thread_unsafe(reason="it forks")
def test_files_and_folders_that_nobody_may_write_to(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and len(folder.parts) > 2:
            folder.chmod(0o755)
    path = tmp_path / "rows"
    path.write_bytes(b"old")
    path.chmod(0o666)

    def as_another() -> None:
        os.setuid(777)
        write(path, b"new")

    told = f"PermissionError: [Errno 13] Permission denied for a new file beside it: '{path}'"
    assert in_child(as_another) == told
    tmp_path.chmod(0o777)
    path.chmod(0o644)
    assert in_child(as_another) == f"PermissionError: [Errno 13] Permission denied: '{path}'"
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["rows"]


def test_links_are_followed_to_their_file(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    file, link, chain = folder / "file", tmp_path / "link", folder / "chain"
    link.symlink_to("folder/file")
    chain.symlink_to("../link")
    for number, path in enumerate((link, chain, link)):
        write(path, b"%d" % number)
        assert file.read_bytes() == b"%d" % number
        assert (link.is_symlink(), chain.is_symlink()) == (True, True)
        assert names(folder) == ["chain", "file"]
    # Another name of the same file is not a link to it.
    hard = tmp_path / "hard"
    hard.hardlink_to(file)
    write(file, b"new")
    assert hard.read_bytes() == b"2"
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="Too many levels of symbolic links") as error:
        write(loop, b"x")
    assert (error.value.errno, error.value.filename) == (errno.ELOOP, str(loop))


@pytest.mark.parametrize(
    ("name", "kind", "number"),
    [
        ("", FileNotFoundError, errno.ENOENT),
        (".", IsADirectoryError, errno.EISDIR),
        ("new/", IsADirectoryError, errno.EISDIR),
        ("none/file", FileNotFoundError, errno.ENOENT),
        ("file/file", NotADirectoryError, errno.ENOTDIR),
        ("x" * 256, OSError, errno.ENAMETOOLONG),
    ],
)
def test_errors_of_the_system_name_the_path(
    tmp_path: Path, name: str, kind: type[OSError], number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_bytes(b"")
    for append in (False, True):
        with pytest.raises(kind) as error:
            open_target("write", name, append=append)
        assert str(error.value) == f"[Errno {number}] {os.strerror(number)}: {name!r}"
        assert error.value.filename == name
    assert names(".") == ["file"]
    longest = "€" * 85
    write(longest, b"x")
    assert Path(longest).read_bytes() == b"x"


def test_devices_are_written_through(tmp_path: Path) -> None:
    write(os.devnull, b"x" * 100_000)
    assert Path(os.devnull).is_char_device()
    link = tmp_path / "null"
    link.symlink_to(os.devnull)
    write(link, b"x")
    assert names(tmp_path) == ["null"]
    with (
        pytest.raises(OSError, match=r"No space left on device: '/dev/full'$"),
        open_target("write", "/dev/full") as target,
    ):
        target.write(b"x")
    with (
        pytest.raises(OSError, match=r"No space left on device: '/dev/full'$"),
        open_target("write", "/dev/full", compression="xz") as target,
    ):
        target.write(b"x")


@pytest.mark.thread_unsafe(reason="it starts processes")
def test_what_is_open_already_is_written_through(tmp_path: Path) -> None:
    path = tmp_path / "out"
    program = """if True:
        import sys
        from penstock._io.targets import open_target
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            with open_target("write", name) as target:
                target.write(b"new")
    """
    with path.open("wb") as file:
        file.write(b"old")
        file.flush()
        subprocess.run([sys.executable, "-c", program], stdout=file, check=True)
    assert path.read_bytes() == b"oldnewnewnew"
    ended = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True)
    assert ended.stdout == b"newnewnew"


def test_pipes(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    data = os.urandom(1_000_000)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(path.read_bytes)
        write(path, data[:400_000], data[400_000:])
        assert read.result() == data
    assert path.is_fifo()
    # The reader goes away.
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    target = open_target("write", path)
    target.write(b"x")
    os.close(reader)
    with pytest.raises(BrokenPipeError) as error:
        target.write(b"y")
    assert str(error.value) == f"[Errno 32] Broken pipe: '{path}'"
    with pytest.raises(OSError, match=r"^an earlier write failed, so the target was aborted$"):
        target.finish()


@pytest.mark.thread_unsafe(reason="signals are the process's")
@pytest.mark.parametrize("opened", [False, True])
def test_a_pipe_waits_and_a_signal_ends_that(tmp_path: Path, opened: bool) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    keeper = os.open(path, os.O_RDWR) if opened else None
    before = len(names("/proc/self/fd"))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    usual = signal.signal(signal.SIGUSR1, interrupt)
    this = threading.get_ident()
    timer = threading.Timer(0.3, lambda: signal.pthread_kill(this, signal.SIGUSR1))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt), open_target("write", path) as target:
            target.write(b"x" * 1_000_000)
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, usual)
    assert len(names("/proc/self/fd")) == before
    if keeper is not None:
        os.close(keeper)


@pytest.mark.thread_unsafe(reason="it counts what the process has open")
def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"torn")

    def attempts() -> None:
        write(tmp_path / "a", b"x\n", sync=True)
        write(tmp_path / "b.gz", b"x\n", append=True)
        write(os.devnull, b"x")
        for path, options in [(tmp_path / "a", {}), (tmp_path / "a", {"append": True})]:
            target = open_target("write", path, **options)
            target.write(b"x")
            target.abort()
            open_target("write", path, **options)
        with pytest.raises(ValueError, match="torn"):
            open_target("write", tmp_path / "file", append=True)
        with pytest.raises(ValueError, match="this is not xz data"):
            open_target("write", tmp_path / "file", append=True, compression="xz")
        with pytest.raises(OSError, match="No space"), open_target("write", "/dev/full") as full:
            full.write(b"x")

    attempts()
    before = names("/proc/self/fd")
    for _ in range(20):
        attempts()
    assert len(names("/proc/self/fd")) == len(before)
    assert names(tmp_path) == ["a", "b.gz", "file"]


@pytest.mark.thread_unsafe(reason="it starts many threads of its own")
def test_many_threads_replace_one_file(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    texts = [b"%d\n" % number * 20_000 for number in range(8)]
    path.write_bytes(texts[0])
    seen: set[bytes] = set()

    def replace(number: int) -> None:
        for _ in range(15):
            write(path, texts[number][:30_000], texts[number][30_000:])

    with ThreadPoolExecutor(8) as pool:
        writing = [pool.submit(replace, number) for number in range(8)]
        while not all(each.done() for each in writing):
            seen.add(path.read_bytes())
        for each in writing:
            each.result()
    assert seen <= set(texts)
    assert names(tmp_path) == ["rows"]


@pytest.mark.thread_unsafe(reason="it starts a thread of its own")
def test_one_target_is_for_one_thread_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    keeper = os.open(path, os.O_RDWR)
    target = open_target("write", path)
    thread = threading.Thread(target=target.write, args=(b"x" * 200_000,))
    thread.start()
    time.sleep(0.1)
    busy = "this Target is already at work: in another thread, or in code that it is calling"
    for work in (lambda: target.write(b"x"), target.finish, target.abort, lambda: target.taken):
        with pytest.raises(RuntimeError, match=busy):
            work()
    left = 200_000
    while left:
        left -= len(os.read(keeper, 65_536))
    thread.join()
    target.finish()
    assert target.given == 200_000
    os.close(keeper)

    class Recursive(io.RawIOBase):
        def write(self, data: Any) -> int:
            with pytest.raises(RuntimeError, match=busy):
                outer.write(b"y")
            return len(data)

    outer = open_target("write", Recursive())
    outer.write(b"x")
    outer.finish()


@pytest.mark.thread_unsafe(reason="it forks")
@pytest.mark.parametrize("append", [False, True])
def test_a_forked_process_leaves_its_parents_target_alone(tmp_path: Path, append: bool) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"old\n")
    target = open_target("write", path, append=append)
    target.write(b"new")
    before = names(tmp_path)
    for work in (lambda: target.write(b"x"), target.finish, target.flush):
        said = "ValueError: only the process that opened the target can write to it"
        assert in_child(work) == said

    def end() -> None:
        nonlocal target
        target.abort()
        del target
        gc.collect()

    assert in_child(end) == ""
    assert names(tmp_path) == before
    target.write(b"\n")
    target.finish()
    assert path.read_bytes() == b"old\n" * append + b"new\n"


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("s3://bucket/x", r"write\(\) opens files, not URLs: pass the binary file that a client for s3 opens"),
        ("https://x.y/z", r"write\(\) opens files, not URLs: pass a function that takes bytes"),
        ("a\0b", "embedded null byte"),
        ("rows.json.zip", r"zip archives cannot be written: the suffix may be .gz, .zst, .bz2 or .xz"),
    ],
)  # fmt: skip
def test_paths_that_are_none(target: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        open_target("write", target)
