"""What there is not says what to do instead, in one line."""

from __future__ import annotations

import inspect
import io
from typing import Any

import pytest

import penstock


@pytest.mark.parametrize(
    ("module", "name", "advice"),
    [
        (penstock, "loads", "data in memory is read by penstock.decode"),
        (
            penstock,
            "dumps",
            "values become JSON with penstock.json.encode",
        ),
        (
            penstock.xml,
            "read_json",
            "for one record at a time use read(), for a whole document load()",
        ),
        (penstock.csv, "DictReader", "rows are read one by one by penstock.csv.read"),
        (penstock.csv, "writer", "rows are written by penstock.csv.write"),
        (penstock.csv, "Sniffer", "penstock.csv.infer finds the dialect of a file"),
        (penstock, "DataFrame", "penstock.columns reads a file into columns, which polars, pandas"),
        (penstock, "scan_csv", "penstock.polars.scan reads files lazily"),
        (penstock, "join", "DuckDB and polars do that with penstock.columns"),
        (penstock, "to_parquet", "penstock.convert writes columns and frames to files"),
        (penstock, "Struct", "any class will do, such as a dataclass; penstock.Plan compiles"),
        (penstock.json, "JSONDecodeError", "penstock.DecodeError is the error of all formats"),
        (penstock.json, "convert", "penstock.convert writes a file in another format, and pens"),
        (
            penstock,
            "read_csv",
            "for one record at a time use read(), for a whole document load()",
        ),
    ],
)
def test_names(module: Any, name: str, advice: str) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(module, name)
    expected = f"module {module.__name__!r} has no attribute {name!r}: {advice}"
    assert str(raised.value).startswith(expected)
    assert raised.value.name == name


@pytest.mark.parametrize(
    "module",
    [penstock, penstock.json, penstock.ndjson, penstock.xml, penstock.csv],
    ids=lambda m: m.__name__,
)
def test_names_that_nobody_means(module: Any) -> None:
    with pytest.raises(AttributeError) as raised:
        module.klingon  # noqa: B018 - it raises
    assert str(raised.value) == f"module {module.__name__!r} has no attribute 'klingon'"
    assert not hasattr(module, "dumps")
    with pytest.raises(ImportError, match="cannot import name 'loads' from 'penstock"):
        exec(f"from {module.__name__} import loads")


RECORDS = "penstock.read(), which reads records"
PATHS = "penstock.read(), and of penstock.open() for JSON: read(..., at=), open(...).at(...)"
XML = "the functions of penstock.xml"


@pytest.mark.parametrize(
    ("verb", "option", "where"),
    [
        (penstock.read, "namespaces", XML),
        (penstock.json.read, "repair", f"{XML}, penstock.plist and penstock.csv"),
        (penstock.csv.read, "delimiter", "penstock.csv.Dialect"),
        (penstock.csv.read, "skip_rows", "penstock.csv.Dialect"),
        (penstock.csv.load, "thousands", "penstock.cells"),
        (penstock.csv.encode, "rename", "penstock.Plan"),
        (penstock.load, "archive", "the functions of penstock.plist"),
        (penstock.json.open, "archive", "the functions of penstock.plist"),
        (penstock.split, "errors", RECORDS),
        (penstock.json.Decoder, "rename", "penstock.Plan"),
        (penstock.xml.Encoder, "dialect", "the functions of penstock.csv"),
        (penstock.read, "unions", "penstock.columns() and Reader.columns()"),
        (penstock.csv.read, "formulas", "the functions of penstock.csv that write"),
        (penstock.load, "at", PATHS),
        (penstock.ndjson.load, "errors", RECORDS),
        (penstock.xml.load, "at", PATHS),
        (penstock.open, "index", "penstock.ndjson.open() and penstock.csv.open()"),
        (penstock.read, "framing", "the functions of penstock.ndjson"),
        (penstock.xml.read, "duplicates", "the functions that read JSON and property lists"),
        (penstock.send, "rename", "penstock.Plan"),
        (penstock.xml.events, "format", "the functions of penstock itself"),
    ],
)
def test_options(verb: Any, option: str, where: str) -> None:
    with pytest.raises(TypeError) as raised:
        verb(io.BytesIO(b"[]"), **{option: None})
    assert str(raised.value) == f"{verb.__name__}() has no option {option}=: it is one of {where}"
    assert raised.value.__context__ is None


@pytest.mark.parametrize(
    "verb",
    [penstock.decode, penstock.json.decode, penstock.ndjson.decode, penstock.xml.decode],
    ids=lambda verb: verb.__module__,
)
def test_options_of_decode(verb: Any) -> None:
    """The extension calls these."""
    for data, call in [(b"[]", verb), (b"<a/>", verb), (b"[]", verb.__call__)]:
        with pytest.raises(TypeError) as raised:
            call(data, int, at="items/*")
        assert str(raised.value) == f"decode() has no option at=: it is one of {PATHS}"
        assert raised.value.__context__ is None
        with pytest.raises(TypeError) as raised:
            call(data, klingon=1)
        assert str(raised.value) == "decode() got an unexpected keyword argument 'klingon'"
        with pytest.raises(TypeError, match=r"unknown must be a str, not int"):
            call(data, unknown=1)


def test_other_mistakes_are_as_they_are() -> None:
    with pytest.raises(TypeError, match=r"read\(\) got an unexpected keyword argument 'klingon'"):
        penstock.read([b"[]"], klingon=1)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"read\(\) missing 1 required positional argument"):
        penstock.read()  # type: ignore[call-arg]
    assert str(inspect.signature(penstock.xml.load)).startswith("(source: 'Source', into:")
    assert penstock.load.__doc__ is not None


@pytest.mark.parametrize(
    ("option", "advice"),
    [
        ("predicate", "where= of read(), columns() and convert() says which records are"),
        ("n_rows", "limit=n of read(), columns(), schema() and convert() takes the first n"),
        ("nrows", "limit=n of read(), columns(), schema() and convert() takes the first n"),
        ("usecols", "the class says which fields are read"),
        ("object_hook", "pass the class as the second argument"),
        ("chunksize", "read(...).batches(n) gives lists of n records"),
        ("cells", "it is one of penstock.Plan, and penstock.cells stands beside a type"),
        ("sep", "it is delimiter= of penstock.csv.Dialect, which is dialect= of the functions of"),
        ("skiprows", "it is skip_rows= of penstock.csv.Dialect"),
        (
            "na_values",
            "it is null= of penstock.cells, which stands beside a type, and is cells= of",
        ),
        ("dtype", "the class that is the second argument says the types"),
        ("parse_dates", "the class says which fields are dates, and penstock.times their form"),
        ("ignore_errors", "errors='skip' of read() and columns() leaves out records in error"),
        ("include_file_paths", "file_column= of penstock.columns(), penstock.polars.scan() and p"),
        ("ensure_ascii", "it is ascii= of the functions that write JSON"),
        ("record_path", "at= of read() and columns() is the path of records"),
        ("exclude_none", "omit='none' or omit='defaults' of the functions that write leaves out"),
    ],
)
@pytest.mark.parametrize(
    "verb",
    [
        penstock.json.decode,
        penstock.json.encode,
        penstock.read,
        penstock.csv.load,
        penstock.csv.encode,
        penstock.make,
        penstock.columns,
        penstock.convert,
        penstock.xml.Decoder,
    ],
    ids=lambda verb: f"{verb.__module__}.{verb.__name__}",
)
def test_an_option_of_other_libraries_leads_on(option: str, advice: str, verb: Any) -> None:
    with pytest.raises(TypeError) as raised:
        verb("rows.csv", list[int], **{option: 1})
    assert str(raised.value).startswith(f"{verb.__name__}() has no option {option}=: {advice}")


@pytest.mark.parametrize(
    ("option", "advice"),
    [
        ("sep", "it is delimiter= of penstock.csv.Dialect"),
        ("quotechar", "it is quote= of penstock.csv.Dialect"),
        ("decimal", "it is one of penstock.cells"),
        ("encoding", "it is one of the functions that read"),
    ],
)
def test_an_option_of_a_dialect(option: str, advice: str) -> None:
    with pytest.raises(TypeError) as raised:
        penstock.csv.Dialect(**{option: ","})  # type: ignore[arg-type]
    assert str(raised.value).startswith(f"Dialect() has no option {option}=: {advice}")


def test_a_type_has_no_name() -> None:
    verbs: list[Any] = [penstock.decode, penstock.json.read, penstock.csv.encode]
    for verb in verbs:
        with pytest.raises(TypeError, match="has no option into=: a type is the second argument"):
            verb([], into=int)


def test_an_option_that_must_be_given_is_known() -> None:
    with pytest.raises(TypeError, match=r"^encode\(\) has no option indent=: it is one of"):
        penstock.encode(1, format="json", indent=2)  # type: ignore[call-arg]


def test_values_that_are_parsed_already_lead_to_make() -> None:
    for value in ({"a": 1}, [1]):
        with pytest.raises(TypeError, match=r"got (dict|list): .* are for penstock\.make\(\)"):
            penstock.decode(value, dict)  # type: ignore[arg-type]


OF_READER = penstock.read(io.BytesIO(b"[]"), format="json")
OF_DOCUMENT = penstock.json.open(b"{}")


@pytest.mark.parametrize(
    ("call", "name", "option", "advice"),
    [
        (lambda **it: penstock.Plan(int, **it), "Plan", "errors", f"it is one of {RECORDS}"),
        (lambda **it: penstock.Plan(int, **it), "Plan", "by_alias", "penstock.Plan(T, rename=...)"),
        (OF_READER.columns, "columns", "errors", f"it is one of {RECORDS}"),
        (
            OF_READER.columns,
            "columns",
            "usecols",
            "the class says which fields are read; columns()",
        ),
        (OF_DOCUMENT.to, "to", "rename", "it is one of penstock.Plan"),
        (lambda **it: OF_DOCUMENT.at("*", **it), "at", "limit", "limit=n of read(), columns("),
        (
            lambda **it: penstock.aio.write(print, **it),
            "write",
            "indent",
            "it is one of penstock.j",
        ),
        (lambda **it: penstock.describe(1, **it), "describe", "indent", "it is one of penstock.j"),
    ],
)
def test_an_option_of_a_method(call: Any, name: str, option: str, advice: str) -> None:
    with pytest.raises(TypeError) as raised:
        call(**{option: 1})
    assert str(raised.value).startswith(f"{name}() has no option {option}=: {advice}")
    assert raised.value.__context__ is None
    with pytest.raises(TypeError) as raised:
        call(klingon=1)
    assert str(raised.value) == f"{name}() got an unexpected keyword argument 'klingon'"
