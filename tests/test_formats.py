"""The table of formats: the only one, and every other list of formats agrees with it."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from penstock import _rust
from penstock._base import types as _types
from penstock._io import formats as _formats
from penstock.cli import parser

NAMES = ("json", "ndjson", "xml", "csv", "plist")


def test_names_and_suffixes() -> None:
    table = {name: suffixes for name, _, suffixes, _, _ in _rust.FORMATS}
    assert tuple(table) == NAMES == _formats.NAMES
    assert table["ndjson"] == (".ndjson", ".jsonl")
    suffixes = [suffix for each in table.values() for suffix in each]
    assert len(suffixes) == len(set(suffixes)), "a suffix names one format"
    assert all(re.fullmatch(r"\.[a-z0-9]+", suffix) for suffix in suffixes)
    for name, each in table.items():
        assert {_formats.of_name(f"a{suffix}.gz") for suffix in each} == {name}


def test_the_type_of_checkers_lists_the_same() -> None:
    source = Path(_types.__file__).read_text()
    literal = re.search(r"Format: TypeAlias = Literal\[(.*)\]", source)
    assert literal is not None
    assert tuple(re.findall(r'"(\w+)"', literal[1])) == NAMES


def test_the_command_line_offers_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser.parser().parse_args(["count", "--format", "cvs", "a"])
    assert (
        "'cvs' is not a format: 'json', 'ndjson', 'xml', 'csv' and 'plist' are"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("format", "options", "kind", "message"),
    [
        (
            "cvs",
            {},
            ValueError,
            "format must be 'json', 'ndjson', 'xml', 'csv' or 'plist', not 'cvs'",
        ),
        ("json", {"framing": "lines"}, TypeError, "there is no option framing"),
        ("ndjson", {"framing": 1}, TypeError, "framing must be a str, not int"),
        (
            "ndjson",
            {"framing": "line\n"},
            ValueError,
            "framing must be 'lines', 'sequence' or 'concatenated', not 'line\\n'",
        ),
        (
            "xml",
            {"namespaces": ["a"]},
            TypeError,
            "namespaces must be a mapping of prefixes to URIs, None or False, not list",
        ),
        ("xml", {"namespaces": {"a": 1}}, TypeError, "a namespace's URI must be a str, not int"),
        (
            "xml",
            {"unresolved": "skip"},
            ValueError,
            "unresolved must be 'error' or 'text', not 'skip'",
        ),
        (
            "xml",
            {"repair": ("surrogate_pair", "all ")},
            ValueError,
            (
                "repair must be 'all' or some of 'bare_ampersand', 'control_character', 'html_entity', "
                "'surrogate_pair', 'broken_subset', 'trailing_junk', not 'all '"
            ),
        ),
        ("csv", {"delimiter": 3}, TypeError, "delimiter must be a str, not int"),
        ("csv", {"quote": ""}, ValueError, "quote must be one character of ASCII, or None"),
        (
            "csv",
            {"escape": "\N{SECTION SIGN}"},
            ValueError,
            "escape must be one character of ASCII, or None",
        ),
        ("csv", {"comment": 3}, TypeError, "comment must be a str or None, not int"),
        ("csv", {"trim": 1}, TypeError, "trim must be a bool, not int"),
        ("csv", {"skip_rows": -1}, ValueError, "skip_rows must be at least 0"),
        ("csv", {"skip_rows": True}, TypeError, "skip_rows must be an int, not bool"),
        ("csv", {"header": "none"}, ValueError, "header must be 'first', not 'none'"),
        ("csv", {"header": 0}, ValueError, "header must have from 1 to 100 rows"),
        ("csv", {"header": ()}, ValueError, "header must name at least one column"),
        ("csv", {"header": ("a", 2)}, TypeError, "a name in header must be a str, not int"),
        (
            "csv",
            {"header": 1.0},
            TypeError,
            "header must be 'first', None, a list of names or an int, not float",
        ),
        (
            "csv",
            {"delimiter": '"'},
            ValueError,
            "delimiter, quote, escape and terminator must begin with different characters",
        ),
        ("csv", {"sep": ";"}, TypeError, "there is no option sep"),
        ("xml", {"repair": 3.5}, TypeError, "repair must be a str, not float"),
    ],
)
def test_an_option_that_cannot_be_taken(
    format: str, options: dict[str, object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        _rust.Dialect(format, options)
    assert str(caught.value) == message


def test_a_dialect_is_pickled_with_its_options() -> None:
    options = {"namespaces": {"p": "urn:p"}, "repeated": "last", "force_list": frozenset({"a"})}
    dialect = _rust.Dialect("xml", options)
    again = pickle.loads(pickle.dumps(dialect))
    assert (again.format, again.__getnewargs_ex__()) == ("xml", (("xml",), options))


def test_a_policy_is_pickled_as_it_was_made() -> None:
    words = ("skip", 7, "first", "collect", True, "error")
    assert pickle.loads(pickle.dumps(_rust.Policy(*words))).__getnewargs__() == words
