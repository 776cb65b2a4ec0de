"""Starting is cheap: nothing is imported that is not needed."""

import subprocess
import sys
from pathlib import Path

import pytest

# Each costs more than the work on a small file does.
SLOW = {
    "asyncio",
    "dataclasses",
    "inspect",
    "json",
    "pathlib",
    "rich",
    "shtab",
    "shutil",
    "subprocess",
    "threading",
    "traceback",
    "typing",
    "unicodedata",
    "zipfile",
}

# Without `site`, which imports some of them by itself; so the path is given.
PROGRAM = """\
import sys
sys.path[:0] = sys.argv[1].split("|")
from penstock.cli.__main__ import main
code = main(sys.argv[2:])
print(*sys.modules, file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (["count", "cities.json"], set()),
        (["check", "cities.json"], set()),
        (["head", "cities.json"], {"json"}),
        (["completion", "bash"], set()),
    ],
)
def test_nothing_slow_is_imported(
    folder: Path,
    command: list[str],
    environment: dict[str, str],
    words: list[str],
    needed: set[str],
):
    import penstock

    home = str(Path(penstock.__file__).parent.parent)
    done = subprocess.run(
        [command[0], "-I", "-S", "-c", PROGRAM, home, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0
    loaded = set(done.stderr.splitlines()[-1].split())
    assert f"penstock.cli.{words[0]}" in loaded
    assert loaded & SLOW == needed


def test_it_is_installed_as_a_program(folder: Path, environment: dict[str, str]):
    done = subprocess.run(
        [Path(sys.executable).parent / "penstock", "count", "cities.json"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("3\n", "")
