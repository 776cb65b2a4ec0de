"""`Dialect`: what it checks, shows and compares, and which one a name means."""

from __future__ import annotations

import gzip
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import penstock
from penstock.csv import Dialect

if TYPE_CHECKING:
    from pathlib import Path

SHOWN = [
    (Dialect(), "Dialect()"),
    (Dialect("\t"), "Dialect('\\t')"),
    (Dialect(quote=None, escape="\\"), "Dialect(quote=None, escape='\\\\')"),
    (
        Dialect(";", comment="#", terminator="any", trim=True, skip_rows=2, header=None),
        "Dialect(';', comment='#', terminator='any', trim=True, skip_rows=2, header=None)",
    ),
    (Dialect(header=["a", "b"]), "Dialect(header=['a', 'b'])"),
    (Dialect(header=2), "Dialect(header=2)"),
]


@pytest.mark.parametrize(("dialect", "shown"), SHOWN)
def test_its_repr_makes_it(dialect: Dialect, shown: str) -> None:
    assert repr(dialect) == shown
    again = eval(shown, {"Dialect": Dialect})
    copied = pickle.loads(pickle.dumps(dialect))
    assert dialect == again == copied
    assert hash(dialect) == hash(again) == hash(copied)
    assert sum(dialect == other for other, _ in SHOWN) == 1


def test_it_cannot_be_changed() -> None:
    dialect: Any = Dialect()
    with pytest.raises(AttributeError, match=r"^a Dialect cannot be changed \(setting 'trim'\)$"):
        dialect.trim = True
    with pytest.raises(AttributeError, match=r"^a Dialect cannot be changed \(deleting 'quote'\)$"):
        del dialect.quote
    assert (dialect.trim, dialect.quote) == (False, '"')


def test_a_verb_takes_no_other() -> None:
    for wrong in (";", 3, {"delimiter": ";"}):
        with pytest.raises(TypeError) as raised:
            penstock.csv.decode("a\n", dialect=wrong)  # type: ignore[arg-type]
        kind = type(wrong).__name__
        said = f"dialect must be a penstock.csv.Dialect, 'infer' or None, not {kind}"
        assert str(raised.value) == said


def test_an_option_of_the_csv_module_is_one_of_the_dialect() -> None:
    with pytest.raises(TypeError) as raised:
        penstock.csv.decode("a;b\n", delimiter=";")  # type: ignore[call-arg]
    assert str(raised.value) == (
        "decode() has no option delimiter=: it is one of penstock.csv.Dialect"
    )


@pytest.mark.parametrize(
    ("text", "dialect", "rows"),
    [
        ("a;b\n1;'2;3'\n", Dialect(";", quote="'"), [{"a": "1", "b": "2;3"}]),
        ("a||b\n1|2||3\n", Dialect("||"), [{"a": "1|2", "b": "3"}]),
        ('a,b\n"1\\"2",3\n', Dialect(escape="\\"), [{"a": '1"2', "b": "3"}]),
        ('a,b\n"1","2"\n', Dialect(quote=None), [{"a": '"1"', "b": '"2"'}]),
        ("#x\na\n#1\n2\n", Dialect(comment="#"), [{"a": "2"}]),
        ("a,b\r1,2\r3,4", Dialect(), [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]),
        ("a\r1\n2\r\n3", Dialect(terminator="any"), [{"a": "1"}, {"a": "2"}, {"a": "3"}]),
        ("a~b|1~2\n|", Dialect("~", terminator="|"), [{"a": "1", "b": "2\n"}]),
        ('a , "b"\n 1 ,\t"2 " \n', Dialect(trim=True), [{"a": "1", "b": "2 "}]),
        ('one "line\n\na\n1\n', Dialect(skip_rows=2), [{"a": "1"}]),
        ("1,2\n", Dialect(header=None), [{"0": "1", "1": "2"}]),
        ("1,2\n", Dialect(header=["x", "y"]), [{"x": "1", "y": "2"}]),
        ("a,,c\n,b,d\n1,2,3\n", Dialect(header=2), [{"a": "1", "b": "2", "c d": "3"}]),
    ],
)
def test_each_part(text: str, dialect: Dialect, rows: list[dict[str, str]]) -> None:
    assert penstock.csv.decode(text, dialect=dialect) == rows
    for size in range(1, len(text) + 1):
        pieces = [text[at : at + size].encode() for at in range(0, len(text), size)]
        assert list(penstock.csv.read(pieces, dialect=dialect)) == rows


@pytest.mark.parametrize(
    ("suffix", "delimiter"),
    [("csv", ","), ("tsv", "\t"), ("TAB", "\t"), ("psv", "|"), ("tsv.gz", "\t"), ("txt", ",")],
)
def test_the_dialect_of_a_suffix(tmp_path: Path, suffix: str, delimiter: str) -> None:
    path = tmp_path / f"n.{suffix}"
    text = f"a{delimiter}b\n1{delimiter}2\n".encode()
    path.write_bytes(gzip.compress(text) if suffix.endswith("gz") else text)
    rows = [{"a": "1", "b": "2"}]
    assert penstock.csv.load(path) == list(penstock.csv.read(path)) == rows
    assert penstock.load(path, format="csv") == list(penstock.read(path, format="csv")) == rows
    if suffix != "txt":
        assert penstock.load(path) == list(penstock.read(path)) == rows


def test_files_of_several_suffixes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n,m\n1,2\n")
    (tmp_path / "b.tsv").write_text("m\tn\n4\t3\n")
    rows = [{"n": 1, "m": 2}, {"n": 3, "m": 4}]
    assert list(penstock.csv.read(tmp_path, dict[str, int])) == rows
    assert list(penstock.read(tmp_path, dict[str, int])) == rows
