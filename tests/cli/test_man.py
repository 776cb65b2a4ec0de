"""The manual page matches the parser."""

import importlib.util
from pathlib import Path

from penstock.cli.parser import parser

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "man.py"
PAGE = ROOT / "docs" / "penstock.1"


def test_the_page_is_what_is_generated() -> None:
    spec = importlib.util.spec_from_file_location("man", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    man = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(man)
    assert man.PAGE == PAGE
    assert PAGE.read_text(encoding="utf-8") == man.generated()


def test_it_has_all_commands_and_flags() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, command in parser().commands.items():
        section = page.partition(f".SS penstock {name}\n")[2].partition("\n.S")[0]
        for action in command._actions:
            for flag in action.option_strings:
                assert flag.replace("-", "\\-") in section
        for example in command.examples:
            assert example.replace("-", "\\-") in section


def test_no_line_of_text_is_a_request() -> None:
    known = {".TH", ".SH", ".SS", ".B", ".I", ".TP", ".PP", ".nf", ".fi", ".RS", ".RE", '.\\"'}
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    requests = {line.split()[0] for line in lines if line.startswith((".", "'"))}
    assert requests <= known
