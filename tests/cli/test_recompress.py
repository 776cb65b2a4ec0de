"""`penstock recompress`: files that can be split."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]

LINES = "".join(f'{{"n": {n}}}\n' for n in range(30_000))


def test_files_and_pipes(penstock: Command, shell: Command, folder: Path) -> None:
    (folder / "a.ndjson").write_text(LINES)
    done = penstock("recompress", "a.ndjson", "b.bgz", "--index")
    assert (done.out, done.err, done.code) == ("", "", 0)
    assert gzip.decompress((folder / "b.bgz").read_bytes()).decode() == LINES
    assert (folder / "b.bgz.gzi").stat().st_size % 16 == 8
    assert penstock("recompress", "b.bgz", "a.ndjson.zst", "--level", "-1").code == 0
    assert penstock("count", "a.ndjson.zst").out == "30000\n"
    piped = shell(
        "cat a.ndjson.zst | penstock recompress - - --to gzip | gzip -dc | cmp - a.ndjson"
    )
    assert (piped.out, piped.err, piped.code) == ("", "", 0)


def test_progress(penstock: Command, folder: Path) -> None:
    (folder / "a.ndjson").write_text(LINES)
    done = penstock("recompress", "a.ndjson", "b.gz", "--progress", "always")
    assert "MB/s" in done.err
    assert "record" not in done.err


def test_mistakes(penstock: Command, folder: Path) -> None:
    (folder / "a.ndjson").write_text(LINES)
    for words, message in (
        (
            ["a.ndjson", "b.json"],
            "cannot tell the compression of 'b.json': end it in .gz, .bgz or .zst, or say --to",
        ),
        (["a.ndjson", "-"], "standard output has no suffix: say --to"),
        (["a.ndjson", "b.zst", "--index"], "--index is for gzip: a file of zstd has a seek table"),
        (
            ["a.ndjson", "-", "--to", "gzip", "--index"],
            "--index needs a target with a path",
        ),
        (["a.ndjson", "b.gz", "--level", "12"], "level must be from 0 to 9 for gzip, not 12"),
        (["c.ndjson", "b.gz"], "c.ndjson: No such file or directory"),
    ):
        done = penstock("recompress", *words)
        assert (done.out, done.code) == ("", 2)
        assert done.err == f"penstock recompress: {message}\n"
    done = penstock("recompress", "a.ndjson", "b.gz", "--level", "high")
    assert done.err == (
        "penstock recompress: argument --level: 'high' is not a level of a compression\n"
        "Try 'penstock recompress --help'.\n"
    )


def test_damage_leaves_the_old_file(penstock: Command, folder: Path) -> None:
    (folder / "a.gz").write_bytes(gzip.compress(LINES.encode())[:-4])
    (folder / "b.gz").write_bytes(b"old")
    done = penstock("recompress", "a.gz", "b.gz")
    assert done.code == 1
    size = len(LINES)
    assert done.err == f"a.gz:byte {size}: the gzip data ends early\n"
    assert (folder / "b.gz").read_bytes() == b"old"
