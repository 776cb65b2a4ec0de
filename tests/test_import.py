"""`import penstock` is cheap, and all public names exist."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

import penstock

# Importing any of these costs more than all of Penstock, or imports a module that does.
SLOW = {
    "asyncio",
    "dataclasses",
    "enum",
    "inspect",
    "pathlib",
    "re",
    "rich",
    "typing",
    "typing_extensions",
    "unicodedata",
    "warnings",
    "zipfile",
}


@pytest.mark.thread_unsafe(reason="it is about a process of its own")
def test_import_draws_in_nothing_slow() -> None:
    # `site` imports some of them itself, so the program runs without it and gets the path.
    program = f"import sys; sys.path.insert(0, {str(Path(penstock.__file__).parent.parent)!r}); import penstock; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "penstock.ndjson" in loaded
    assert {"penstock.csv", "penstock.plist"}.isdisjoint(loaded)
    assert SLOW.isdisjoint(loaded)


@pytest.mark.thread_unsafe(reason="it is about a process of its own")
def test_engines_are_imported_by_their_names_only() -> None:
    program = "import penstock, sys; print(hasattr(penstock, 'split'), *sys.modules)"
    program += "\ntry:\n    penstock.spark\nexcept ImportError as error:\n    print(error.name)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded, missing = done.stdout.splitlines()
    assert {"penstock.spark", "penstock.ray", "pyarrow"}.isdisjoint(loaded.split())
    # The tests' own environment has no engine.
    assert missing == "pyspark"


def test_every_public_name_exists_and_says_where_it_is_from() -> None:
    for name in penstock.__all__:
        public = getattr(penstock, name)
        if isinstance(public, type):
            assert (public.__module__, public.__qualname__) == ("penstock", name)
        elif name not in {
            "__version__",
            "aio",
            "clock",
            "csv",
            "json",
            "ndjson",
            "plist",
            "stores",
            "streams",
            "xml",
        }:
            assert public.__module__ == "penstock"
            assert public.__doc__


def test_what_is_imported_is_the_installed_release() -> None:
    assert penstock.__version__ == importlib.metadata.version("penstock-data")
    assert penstock._rust.__build__ == "release"
    assert "site-packages" in Path(penstock.__file__).parts


def test_every_format_has_the_same_verbs() -> None:
    assert penstock.json.__all__ == penstock.ndjson.__all__
    assert penstock.json.__all__ == [
        *("Decoder", "Encoder", "decode", "dump", "encode", "load", "open", "read", "send", "write")
    ]
    assert set(penstock.json.__all__) <= set(penstock.csv.__all__)
    # Only JSON is opened.
    assert set(penstock.json.__all__) - {"dump", "open", "write"} <= set(penstock.xml.__all__)
    reading = set(penstock.json.__all__) - {"Encoder", "encode", "dump", "write"}
    assert reading <= set(penstock.__all__)
