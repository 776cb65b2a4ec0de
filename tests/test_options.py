"""The page of options is what its script writes, and has every option of every verb.

`python scripts/options.py` writes it again.
"""

import importlib
import inspect
import re
import sys
from pathlib import Path

import penstock

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
options, verbs = (importlib.import_module(name) for name in ("options", "verbs"))
PAGE = options.PAGE.read_text("utf-8")


def test_the_page_is_what_the_script_writes() -> None:
    assert options.page() == PAGE


def test_every_option_of_the_table_is_there() -> None:
    declared = {name for _, name, what in verbs.table() if what == "type"}
    positional = {"data", "handler", "source", "target", "value", "values"}
    shown = set(re.findall(r"^\| \[`(\w+)", PAGE, re.MULTILINE))
    assert declared - positional <= shown


def test_every_verb_of_the_reference_is_asked() -> None:
    reference = (ROOT / "docs/reference/penstock.md").read_text("utf-8")
    section = reference.partition("## The verbs\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"autofunction:: (\w+)", section)) <= set(options.VERBS)


def test_a_line_says_who_takes_the_option() -> None:
    (line,) = [line for line in PAGE.splitlines() if line.startswith('| [`duplicates="last"`]')]
    assert "#penstock.json.decode)" in line
    assert line.endswith(
        "<br><small>`decode` `load` `read` `Decoder`: json, ndjson, plist, any &middot; "
        "`open`: json, ndjson, any &middot; `columns` `convert`: any</small> |"
    )
    assert "duplicates" in inspect.signature(penstock.json.open).parameters
    assert "duplicates" not in inspect.signature(penstock.plist.open).parameters


def test_the_first_sentence_is_the_meaning() -> None:
    assert options.meaning("A, or `1.0`. B.") == "A, or `1.0`."
    assert options.meaning("A | b: see `Reader.columns`.") == "A \\| b."
