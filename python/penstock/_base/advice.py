"""What to do instead, by the names and the options of other libraries that programs try.

`penstock._base.suggest` looks here when something has failed.
"""

from __future__ import annotations

# Names that programs look for, of which nothing else is near.
_DECODE = "data in memory is read by penstock.decode"
_WRITER = "for one record at a time use write(), for a whole document dump()"
_READER = "for one record at a time use read(), for a whole document load()"
_CONVERTING = "penstock.convert writes a file in another format, and penstock.make takes values"
_COLUMNS = "penstock.columns reads a file into columns, which polars, pandas and DuckDB take"
_TABLES = "penstock.convert writes columns and frames to files"
_QUERIES = "DuckDB and polars do that with penstock.columns"
NAMES = {
    "loads": _DECODE,
    "parse": _DECODE,
    "fromstring": _DECODE,
    "from_string": _DECODE,
    "iterparse": "elements are read one by one by penstock.read, or sent by penstock.send",
    **dict.fromkeys(("read_json", "read_csv", "read_xml", "read_ndjson", "read_plist"), _READER),
    **dict.fromkeys(("DataFrame", "json_normalize", "read_table", "from_records"), _COLUMNS),
    **dict.fromkeys(("scan", "scan_csv", "scan_ndjson"), "penstock.polars.scan reads files lazily"),
    **dict.fromkeys(("sql", "query", "register"), "penstock.duckdb.register gives files a name"),
    **dict.fromkeys(("filter", "sort", "join", "merge", "dedupe", "groupby"), _QUERIES),
    **dict.fromkeys(("to_parquet", "to_csv", "write_csv", "write_parquet"), _TABLES),
    **dict.fromkeys(("reader", "DictReader"), "rows are read one by one by penstock.csv.read"),
    **dict.fromkeys(("writer", "DictWriter"), "rows are written by penstock.csv.write"),
    **dict.fromkeys(
        ("Struct", "BaseModel", "Model", "TypeAdapter"),
        "any class will do, such as a dataclass; penstock.Plan compiles it once",
    ),
    **dict.fromkeys(
        ("json_schema", "model_json_schema", "to_json_schema", "openapi"),
        "penstock.json_schema makes the JSON Schema of a type, and json_schemas those for OpenAPI",
    ),
    **dict.fromkeys(
        ("JSONDecodeError", "ParseError", "InvalidFileException"),
        "penstock.DecodeError is the error of all formats",
    ),
    "JSONEncoder": "penstock.json.Encoder writes many values, and default= what has no form",
    "JSONDecoder": "penstock.json.Decoder takes chunks, and decode() whole documents",
    "Sniffer": "penstock.csv.infer finds the dialect of a file",
    "stream": "for one record at a time use read()",
    "items": "for one record at a time use read() with at=",
    "dumps": "values become JSON with penstock.json.encode",
    "dump": "penstock.dump writes all formats to files",
    "encode": "penstock.encode writes all formats",
    "write": "penstock.write writes all formats",
    "Writer": _WRITER,
    "tostring": "values become bytes with penstock.encode",
    "to_json": "values become JSON with penstock.json.encode",
    "write_json": _WRITER,
    "convert": _CONVERTING,
    **dict.fromkeys(
        ("from_dict", "structure", "validate", "parse_obj", "model_validate"),
        "objects are made of values that are parsed already by penstock.make",
    ),
    **dict.fromkeys(
        ("asdict", "to_dict", "to_builtins", "unstructure", "model_dump"),
        "penstock.plain makes dicts, lists and scalars of objects",
    ),
}

# Options, and the functions that have them.
_OF_RECORDS = "penstock.read(), which reads records"
_OF_PATHS = "penstock.read(), and of penstock.open() for JSON: read(..., at=), open(...).at(...)"
_OF_PLISTS = "the functions of penstock.plist"
OPTIONS = {
    "at": _OF_PATHS,
    "errors": _OF_RECORDS,
    "max_errors": _OF_RECORDS,
    "empty": _OF_RECORDS,
    "form": _OF_PLISTS,
    "archive": _OF_PLISTS,
    "classes": _OF_PLISTS,
    "to_form": "penstock.convert()",
    "framing": "the functions of penstock.ndjson",
    "dialect": "the functions of penstock.csv",
    **dict.fromkeys(
        ("delimiter", "quote", "escape", "comment", "terminator", "trim", "skip_rows", "header"),
        "penstock.csv.Dialect",
    ),
    **dict.fromkeys(("decimal", "thousands", "currency"), "penstock.cells"),
    "quoting": "the functions of penstock.csv that write",
    "formulas": "the functions of penstock.csv that write",
    "append": "penstock.write() and penstock.dump(), for NDJSON and CSV",
    "torn": "penstock.write() and penstock.dump(), for NDJSON and CSV",
    "indent": "penstock.json.encode(), dump() and write()",
    "sort_keys": "the functions of penstock.json, penstock.ndjson and penstock.plist that write",
    "canonical": "the functions of penstock.json and penstock.ndjson that write",
    "ascii": "the functions that write JSON, XML and property lists",
    "non_finite": "the functions of penstock.json and penstock.ndjson",
    "omit": "the functions that write",
    "default": "the functions that write",
    "level": "dump() and write()",
    "sync": "dump() and write()",
    "index": "penstock.ndjson.open() and penstock.csv.open()",
    "namespaces": "the functions of penstock.xml",
    "root": "penstock.xml.decode() and load(), and of the functions that write XML",
    "unresolved": "the functions of penstock.xml",
    "repair": "the functions of penstock.xml, penstock.plist and penstock.csv",
    "repeated": "the functions of penstock.xml",
    "force_list": "the functions of penstock.xml",
    "comments": "the functions of penstock.json that read",
    "partial": "penstock.json.decode() and Decoder",
    "duplicates": "the functions that read JSON and property lists",
    "encoding": "the functions that read, and of those of penstock.csv that write",
    "format": "the functions of penstock itself",
    "member": "load(), read(), open() and send()",
    "compression": "load(), read(), open() and send()",
    "rename": "penstock.Plan",
    "strict": "penstock.Plan",
    "tag": "penstock.Plan",
    "unix": "penstock.Plan",
    "columns": "penstock.columns() and Reader.columns()",
    "unions": "penstock.columns() and Reader.columns()",
    "rows": "penstock.columns() and Reader.columns()",
    "threads": "penstock.columns(), penstock.schema() and penstock.convert()",
    "processes": "penstock.map()",
    "from_attributes": "penstock.make()",
}

# Options that no function has, or that have another name, and what to do instead.
_SECOND = "a type is the second argument of the functions that read and write, without a name"
_FILTER = "where= of read(), columns() and convert() says which records are wanted"
_FIRST = "limit=n of read(), columns(), schema() and convert() takes the first n records"
_TYPES = "the class that is the second argument says the types"
_FUNCTIONS = "pass the class as the second argument, or types= for functions that make values"
_BAD = "errors='skip' of read() and columns() leaves out records in error"
_FILES = (
    "file_column= of penstock.columns(), penstock.polars.scan() and penstock.duckdb.register() is "
    "a column of paths; of objects, reader.place.source says the file"
)
_OMIT = "omit='none' or omit='defaults' of the functions that write leaves out fields"


def _renamed(name: str, of: str) -> str:
    return f"it is {name}= of {of}"


_DIALECT = "penstock.csv.Dialect, which is dialect= of the functions of penstock.csv"
_CELLS = "penstock.cells, which stands beside a type, and is cells= of penstock.Plan"
INSTEAD = {
    **dict.fromkeys(("into", "type", "model", "schema"), _SECOND),
    **dict.fromkeys(("where", "filter", "predicate"), _FILTER),
    **dict.fromkeys(("limit", "n_rows", "nrows", "head", "max_records", "max_rows"), _FIRST),
    **dict.fromkeys(
        ("usecols", "fields", "select"),
        "the class says which fields are read; columns() has columns=",
    ),
    **dict.fromkeys(
        (
            "object_hook",
            "object_pairs_hook",
            "parse_float",
            "parse_int",
            "use_decimal",
            "dec_hook",
            "cls",
        ),
        _FUNCTIONS,
    ),
    "enc_hook": "default= is a function for objects that cannot be written",
    "chunksize": "read(...).batches(n) gives lists of n records",
    "batch_size": "read(...).batches(n) gives lists of n records, and columns() has rows=",
    **dict.fromkeys(("file_column", "include_file_paths", "filename", "include_filename"), _FILES),
    **dict.fromkeys(("ignore_errors", "on_bad_lines", "skip_bad_lines"), _BAD),
    **dict.fromkeys(("workers", "n_jobs"), "penstock.map() has processes=, and columns() threads="),
    "n_threads": "penstock.columns() and penstock.convert() have threads=",
    "infer_schema_length": "all records are looked at, or the class says the columns",
    "progress": "reader.progress says how far a reader is",
    "lines": "penstock.ndjson, and format='ndjson', read JSON a line at a time",
    "orient": "at= says where the records are: at='*' takes the values of an object",
    **dict.fromkeys(
        ("record_path", "xpath", "item_depth"), "at= of read() and columns() is the path of records"
    ),
    "meta": "a class says where its fields are: name: Annotated[str, penstock.at('user/name')]",
    # CSV
    **dict.fromkeys(("sep", "separator"), _renamed("delimiter", _DIALECT)),
    **dict.fromkeys(("quotechar", "quote_char"), _renamed("quote", _DIALECT)),
    "escapechar": _renamed("escape", _DIALECT),
    **dict.fromkeys(("comment_char", "comment_prefix"), _renamed("comment", _DIALECT)),
    "lineterminator": _renamed("terminator", _DIALECT),
    "skipinitialspace": _renamed("trim", _DIALECT),
    **dict.fromkeys(("skiprows", "skip_lines"), _renamed("skip_rows", _DIALECT)),
    **dict.fromkeys(
        ("names", "has_header", "fieldnames", "new_columns"), _renamed("header", _DIALECT)
    ),
    **dict.fromkeys(("na_values", "null_values"), _renamed("null", _CELLS)),
    **dict.fromkeys(("true_values",), _renamed("true", _CELLS)),
    **dict.fromkeys(("false_values",), _renamed("false", _CELLS)),
    "decimal_comma": _renamed("decimal", _CELLS),
    "cells": "it is one of penstock.Plan, and penstock.cells stands beside a type",
    **dict.fromkeys(("dtype", "dtypes", "schema_overrides", "converters"), _TYPES),
    **dict.fromkeys(
        ("parse_dates", "try_parse_dates", "date_format"),
        "the class says which fields are dates, and penstock.times their form",
    ),
    # JSON
    **dict.fromkeys(
        ("allow_comments", "allow_trailing_commas", "allow_partial"),
        "penstock.json.decode() has comments= and partial=",
    ),
    "ensure_ascii": "it is ascii= of the functions that write JSON",
    "allow_nan": "it is non_finite= of the functions of penstock.json and penstock.ndjson",
    "separators": "JSON has no spaces unless indent= says otherwise",
    **dict.fromkeys(("exclude_none", "exclude_unset", "exclude_defaults", "omit_defaults"), _OMIT),
    "by_alias": "penstock.Plan(T, rename=...) says the keys, in both directions",
    # XML and property lists
    "recover": "repair= of penstock.xml names the faults to repair",
    "huge_tree": "limits=penstock.Limits(...) sets each limit",
    **dict.fromkeys(("pretty", "pretty_print"), "indent= says how many spaces each level has"),
    "fmt": "it is form= of the functions of penstock.plist",
}
