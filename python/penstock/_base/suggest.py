"""Says what to do instead, where a program uses a name or an option that there is not."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, NoReturn, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

# Names that programs look for, of which nothing else is near.
_DECODE = "data in memory is read by penstock.decode"
_WRITER = "for one record at a time use write(), for a whole document dump()"
_READER = "for one record at a time use read(), for a whole document load()"
_CONVERTING = "read() the records of the one, and write() them: write_all(read(...))"
_NAMES = {
    "loads": _DECODE,
    "parse": _DECODE,
    "fromstring": _DECODE,
    "from_string": _DECODE,
    "iterparse": "elements are read one by one by penstock.read, or sent by penstock.send",
    **dict.fromkeys(("read_json", "read_csv"), _READER),
    **dict.fromkeys(("reader", "DictReader"), "rows are read one by one by penstock.csv.read"),
    **dict.fromkeys(("writer", "DictWriter"), "rows are written by penstock.csv.write"),
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

# Options, and where they are.
_OF_RECORDS = "penstock.read(), which reads records"
_OF_PATHS = "penstock.read(), and of penstock.open() for JSON: read(..., at=), open(...).at(...)"
_OPTIONS = {
    "at": _OF_PATHS,
    "errors": _OF_RECORDS,
    "max_errors": _OF_RECORDS,
    "empty": _OF_RECORDS,
    "form": "the functions of penstock.plist",
    "to_form": "penstock.convert()",
    "framing": "the functions of penstock.ndjson",
    "dialect": "the functions of penstock.csv",
    **dict.fromkeys(
        ("delimiter", "sep", "quotechar", "escapechar", "comment", "skiprows", "header", "names"),
        "penstock.csv.Dialect",
    ),
    **dict.fromkeys(("decimal", "thousands", "na_values"), "penstock.cells"),
    "quoting": "the functions of penstock.csv that write",
    "formulas": "the functions of penstock.csv that write",
    "append": "penstock.write() and penstock.dump(), for NDJSON and CSV",
    "torn": "penstock.write() and penstock.dump(), for NDJSON and CSV",
    "indent": "penstock.json.encode(), dump() and write()",
    "sort_keys": "the functions of penstock.json, penstock.ndjson and penstock.plist that write",
    "canonical": "the functions of penstock.json and penstock.ndjson that write",
    "omit": "the functions that write",
    "default": "the functions of penstock.json, penstock.ndjson and penstock.xml that write",
    "level": "dump() and write()",
    "sync": "dump() and write()",
    "index": "penstock.ndjson.open() and penstock.csv.open()",
    "namespaces": "the functions of penstock.xml",
    "unresolved": "the functions of penstock.xml",
    "repair": "the functions of penstock.xml, penstock.plist and penstock.csv",
    "repeated": "the functions of penstock.xml",
    "force_list": "the functions of penstock.xml",
    "duplicates": "the functions that read JSON and property lists",
    "format": "the functions of penstock itself",
    "member": "load(), read(), open() and send()",
    "compression": "load(), read(), open() and send()",
    "rename": "penstock.Plan",
    "strict": "penstock.Plan",
    "tag": "penstock.Plan",
    "unix": "penstock.Plan",
}

# Options that no function has, and what to do instead.
_FIRST = "itertools.islice(penstock.read(...), n) takes the first n records, and reads no more"
_FILTER = "write an `if` in the loop over read(), or a stage of penstock.streams"
_NOT_THERE = {
    **dict.fromkeys(("where", "filter", "predicate"), _FILTER),
    **dict.fromkeys(("limit", "n_rows", "nrows", "head", "max_records"), _FIRST),
    **dict.fromkeys(
        ("usecols", "fields", "select"),
        "the class says which fields are read; columns() has columns=",
    ),
    **dict.fromkeys(
        ("object_hook", "object_pairs_hook", "parse_float", "dec_hook", "cls"),
        "pass the class as the second argument, or types= for functions that make values",
    ),
    "enc_hook": "default= is a function for objects that cannot be written",
    "chunksize": "read(...).batches(n) gives lists of n records",
}


def attribute(module: str, name: str) -> NoReturn:
    """Refuse an attribute of a module.

    Raises:
        AttributeError: Always.
    """
    advice = _NAMES.get(name)
    message = f"module {module!r} has no attribute {name!r}"
    raise AttributeError(message if advice is None else f"{message}: {advice}", name=name)


def elsewhere(function: Callable[..., Any], options: Iterable[str]) -> str | None:
    """Return where the first of these options is that the function does not have.

    None if it has them all, or nobody has them. The extension asks it, for the functions that it
    calls itself, when such a call has raised a `TypeError`.
    """
    known = function.__kwdefaults__ or {}
    for option in options:
        if option in known:
            continue
        if option in _OPTIONS:
            return f"{function.__name__}() has no option {option}=: it is one of {_OPTIONS[option]}"
        if option in _NOT_THERE:
            return f"{function.__name__}() has no option {option}=: {_NOT_THERE[option]}"
    return None


def advised(function: F) -> F:
    """Make a function say where an option is that it does not have itself."""

    def call(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except TypeError:
            message = elsewhere(function, options)
            if message is None:
                raise
        raise TypeError(message)

    for kept in ("__module__", "__name__", "__qualname__", "__doc__", "__annotations__"):
        setattr(call, kept, getattr(function, kept))
    call.__wrapped__ = function  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]
