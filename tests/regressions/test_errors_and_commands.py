"""Bugs of messages and of the command line that were fixed, as in `test_regressions.py`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import penstock

# ESC begins a command of a terminal, U+009B does the same in one character, and U+202E turns the
# rest of a line around.
HOSTILE = "a\x1b[2J\x9b2J\u202eb"


def run(*words: str, cwd: Path) -> tuple[str, str, int]:
    """Run the command line; return its output, its errors and its exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "penstock", *words],
        cwd=cwd,
        capture_output=True,
        check=False,
        timeout=60,
    )
    return done.stdout.decode(), done.stderr.decode(), done.returncode


def test_240_what_is_printed_cannot_drive_a_terminal(tmp_path: Path) -> None:
    """A `repr`, a name of a file and a value of `head` kept control characters of the input."""
    path = tmp_path / f"{HOSTILE}.json"
    path.write_text('{"k\x9b\u202e": ["v\x9b\u202e\U000e0001\u3000"]}', encoding="utf-8")
    name = r"a\x1b[2J\x9b2J\u202eb.json"
    shown = f"{tmp_path}/{name}"
    with penstock.open(path) as document:
        assert repr(document) == f"Document({shown}, an object of 1)"
        part = document["k\x9b\u202e"]
        assert repr(part) == rf"Document({shown}, at 'k\x9b\u202e', an array of 1)"
    with penstock.open(path, str, at="*/*") as records:
        assert repr(records) == f"Records({shown} -> str, 1 of them)"
    with penstock.read(path) as reader:
        assert repr(reader).startswith(f"Reader({shown} -> Any, ")
    with penstock.xml.events(path) as events:
        assert repr(events) == f"Events({shown})"

    out, err, code = run("check", path.name, cwd=tmp_path)
    assert (out, err, code) == ("", f"{name}: no problems in 1 record\n", 0)
    # The ideographic space is no danger, and stays.
    value = '"v\\u009b\\u202e\\udb40\\udc01\u3000"'
    assert run("head", "--at", "*/*", path.name, cwd=tmp_path) == (f"{value}\n", "", 0)
    out, err, code = run("count", path.name, f"--{HOSTILE}", cwd=tmp_path)
    assert (out, code) == ("", 2)
    assert err == (
        "penstock count: there is no option '--a\\x1b[2J\\x9b2J\\u202eb'\nTry 'penstock count --help'.\n"
    )

    (tmp_path / "models.py").write_text(
        "class Loud:\n"
        "    def __init__(self, text: str): self.text = text\n"
        "    def __repr__(self): return self.text\n"
        "class Broken(Loud):\n"
        "    def __repr__(self): raise RuntimeError(self.text)\n"
    )
    (tmp_path / "one.json").write_text('[{"text": "\x9b\u202e\\n"}]', encoding="utf-8")
    out, err, code = run("head", "--into", "models:Loud", "one.json", cwd=tmp_path)
    assert (out, err, code) == ("\\x9b\\u202e\\n\n", "", 0)
    out, err, code = run("head", "--into", "models:Broken", "one.json", cwd=tmp_path)
    assert "RuntimeError: \\x9b\\u202e" in err
    assert (out, code, err.replace("\n", "").isprintable()) == ("", 2, True)


PEAK = """\
import resource, sys
from penstock.cli.__main__ import main
code = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


def peak(*words: str, cwd: Path) -> int:
    """Run the command line; return the most memory that it had, in KiB."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *words],
        cwd=cwd,
        capture_output=True,
        check=True,
        timeout=120,
    )
    return int(done.stderr.splitlines()[-1])


def test_241_head_of_one_long_object_needs_little_memory(tmp_path: Path) -> None:
    """It was printed on one line, and took twelve times as much memory as its text."""
    row = '{"id": 7, "at": [1.5, 2.5], "text": "x"}'
    for name, count in (("short", 10), ("long", 200_000)):
        rows = ", ".join([row] * count)
        (tmp_path / f"{name}.json").write_text(f'{{"rows": [{rows}], "n": 1}}')
    short, long = (peak("head", "-q", f"{name}.json", cwd=tmp_path) for name in ("short", "long"))
    # The file has 8 MB, and as objects it would have about 100 MB.
    assert long - short < 4_000
    out, _, code = run("head", "-q", "long.json", cwd=tmp_path)
    assert code == 0
    rows, number = out.splitlines()
    assert rows.startswith(f'{{"rows": [{row}, {row}, ')
    assert rows.endswith(' more"]}')
    assert (number, len(rows) < 3_000) == ('{"n": 1}', True)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("dumps", ": values become JSON with penstock.json.encode"),
        ("loads", ": data in memory is read by penstock.decode"),
        ("iterparse", ": elements are read one by one by penstock.read, or sent by penstock.send"),
        ("nonsense", ""),
    ],
)
def test_242_names_that_other_libraries_have(name: str, hint: str) -> None:
    """Python's own words said nothing about what to use."""
    with pytest.raises(AttributeError) as caught:
        getattr(penstock, name)
    assert str(caught.value) == f"module 'penstock' has no attribute {name!r}{hint}"


def test_290_the_path_of_a_member_whose_key_is_empty(tmp_path: Path) -> None:
    """The path that `head` proposed was `/*`, which is none."""
    (tmp_path / "long.json").write_text(json.dumps({"a": 1, "": list(range(1_000))}))
    out, err, code = run("head", "long.json", cwd=tmp_path)
    assert err == (
        "long.json is one object, and these are its members. 1 of them is shortened; see --full. "
        "--at '~4/*' looks into ''.\n"
    )
    assert (len(out.splitlines()), code) == (2, 0)
    assert run("head", "-n", "2", "--at", "~4/*", "long.json", cwd=tmp_path) == ("0\n1\n", "", 0)
