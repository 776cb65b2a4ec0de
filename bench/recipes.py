"""How each format is written and read, with each library's best recipe.

A recipe writes objects of a class to a path, and reads three things from there: all objects, one
field of every record, and the record in the middle. The collector is off for all of them.
"""

# ruff: noqa: PLC0415 - each process imports only what it measures
from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from songs import Kind


@dataclass(frozen=True, slots=True)
class Recipe:
    """One format, as one library writes and reads it."""

    name: str
    modules: tuple[str, ...]
    write: Callable[[Kind, list[Any], Path], object]
    read: Callable[[Kind, Path], list[Any]]
    field: Callable[[Kind, Path], list[Any]]
    middle: Callable[[Kind, Path, int], Any]


def of_all(read: Callable[[Kind, Path], list[Any]]) -> tuple[Any, Any]:
    """Return how to get a field, and the record in the middle, from all objects."""

    def field(kind: Kind, path: Path) -> list[Any]:
        name = kind.field
        return [getattr(it, name) for it in read(kind, path)]

    def middle(kind: Kind, path: Path, place: int) -> Any:
        return read(kind, path)[place]

    return field, middle


# Penstock.


def narrowly(
    load: Callable[[Path, Any], list[Any]],
) -> Callable[[Kind, Path], list[Any]]:
    """Return how to read one field: by a class that has no other."""

    def field(kind: Kind, path: Path) -> list[Any]:
        name = kind.field
        return [getattr(it, name) for it in load(path, kind.narrow)]

    return field


def json_write(_: Kind, made: list[Any], path: Path) -> None:
    """JSON, as one array."""
    import penstock.json

    penstock.json.dump(made, path)


def json_load(path: Path, into: Any) -> Any:
    """JSON into a list of a class."""
    import penstock.json

    return penstock.json.load(path, list[into])


def json_middle(kind: Kind, path: Path, place: int) -> Any:
    """Validate all of JSON, and decode one record."""
    import penstock.json

    return penstock.json.open(path, kind.cls)[place]


def lines_write(_: Kind, made: list[Any], path: Path) -> None:
    """NDJSON."""
    import penstock.ndjson

    penstock.ndjson.dump(made, path)


def lines_load(path: Path, into: Any) -> Any:
    """NDJSON into a list of a class."""
    import penstock.ndjson

    return penstock.ndjson.load(path, into)


def lines_middle(kind: Kind, path: Path, place: int) -> Any:
    """Find the lines, and decode one."""
    import penstock.ndjson

    with penstock.ndjson.open(path, kind.cls) as rows:
        return rows[place]


def xml_write(_: Kind, made: list[Any], path: Path) -> None:
    """XML, with an element for each field."""
    import penstock.xml

    penstock.xml.dump(made, path, root="records", record="record")


def xml_load(path: Path, into: Any) -> Any:
    """XML into a list of a class."""
    import penstock.xml

    return penstock.xml.load(path, list[into])


def xml_middle(kind: Kind, path: Path, place: int) -> Any:
    """Read as far as the record."""
    import penstock.xml

    return next(islice(penstock.xml.read(path, kind.cls, at="records/record"), place, None))


def csv_write(_: Kind, made: list[Any], path: Path) -> None:
    """CSV."""
    import penstock.csv

    penstock.csv.dump(made, path)


def csv_load(path: Path, into: Any) -> Any:
    """CSV into a list of a class."""
    import penstock.csv

    return penstock.csv.load(path, into)


def csv_middle(kind: Kind, path: Path, place: int) -> Any:
    """Find the rows, and decode one."""
    import penstock.csv

    with penstock.csv.open(path, kind.cls) as rows:
        return rows[place]


def plist_write(form: Any) -> Callable[[Kind, list[Any], Path], None]:
    """Return the writer of a form of property lists."""

    def write(_: Kind, made: list[Any], path: Path) -> None:
        import penstock.plist

        penstock.plist.dump(made, path, form=form)

    return write


def plist_load(path: Path, into: Any) -> Any:
    """Decode a property list of any form into a list of a class."""
    import penstock.plist

    return penstock.plist.load(path, list[into])


def plist_middle(kind: Kind, path: Path, place: int) -> Any:
    """Read as far as the record."""
    import penstock.plist

    return next(islice(penstock.plist.read(path, kind.cls), place, None))


def plist_open(kind: Kind, path: Path, place: int) -> Any:
    """Read only the record, from the file."""
    import penstock.plist

    with penstock.plist.open(path, kind.cls) as rows:
        return rows[place]


def ours(
    name: str, write: Any, load: Callable[[Path, Any], Any], middle: Any, module: str
) -> Recipe:
    """Return the recipe of one of Penstock's formats."""

    def read(kind: Kind, path: Path) -> list[Any]:
        made: list[Any] = load(path, kind.cls)
        return made

    return Recipe(name, (f"penstock.{module}",), write, read, narrowly(load), middle)


# The peers.


def stdlib_json_write(kind: Kind, made: list[Any], path: Path) -> None:
    """Module `json`, of dicts."""
    import json

    path.write_text(json.dumps([kind.as_json(it) for it in made]), "utf-8")


def stdlib_json_read(kind: Kind, path: Path) -> list[Any]:
    """Module `json`, and the class called for each dict."""
    import json

    return [kind.of_json(it) for it in json.loads(path.read_bytes())]


def stdlib_json_field(kind: Kind, path: Path) -> list[Any]:
    """Module `json`, of whose dicts one key is taken."""
    import json

    name = kind.field
    return [it[name] for it in json.loads(path.read_bytes())]


def stdlib_json_middle(kind: Kind, path: Path, place: int) -> Any:
    """Module `json`, and the class called once."""
    import json

    return kind.of_json(json.loads(path.read_bytes())[place])


def orjson_write(_: Kind, made: list[Any], path: Path) -> None:
    """Orjson, which writes dataclasses."""
    import orjson

    path.write_bytes(orjson.dumps(made))


def orjson_read(kind: Kind, path: Path) -> list[Any]:
    """Orjson, and the class called for each dict."""
    import orjson

    return [kind.of_json(it) for it in orjson.loads(path.read_bytes())]


def orjson_field(kind: Kind, path: Path) -> list[Any]:
    """Orjson, of whose dicts one key is taken."""
    import orjson

    name = kind.field
    return [it[name] for it in orjson.loads(path.read_bytes())]


def orjson_middle(kind: Kind, path: Path, place: int) -> Any:
    """Orjson, and the class called once."""
    import orjson

    return kind.of_json(orjson.loads(path.read_bytes())[place])


def msgspec(name: str, module: str) -> Recipe:
    """Return the recipe of one of the formats of msgspec, into the same dataclass."""
    import importlib

    def codec() -> Any:
        return importlib.import_module(f"msgspec.{module}")

    def write(_: Kind, made: list[Any], path: Path) -> None:
        path.write_bytes(codec().encode(made))

    def read(kind: Kind, path: Path) -> list[Any]:
        made: list[Any] = codec().decode(path.read_bytes(), type=list[kind.cls])  # type: ignore[name-defined]
        return made

    def field(kind: Kind, path: Path) -> list[Any]:
        import msgspec

        one = msgspec.defstruct("One", [(kind.field, int)], gc=False)
        name = kind.field
        return [getattr(it, name) for it in codec().decode(path.read_bytes(), type=list[one])]  # type: ignore[valid-type]

    def middle(kind: Kind, path: Path, place: int) -> Any:
        import msgspec

        raw = codec().decode(path.read_bytes(), type=list[msgspec.Raw])
        return codec().decode(raw[place], type=kind.cls)

    return Recipe(name, (f"msgspec.{module}",), write, read, field, middle)


def pickle_write(_: Kind, made: list[Any], path: Path) -> None:
    """Module `pickle`."""
    import pickle

    with path.open("wb") as file:
        pickle.dump(made, file, protocol=5)


def pickle_read(_: Kind, path: Path) -> list[Any]:
    """Module `pickle`."""
    import pickle

    with path.open("rb") as file:
        made: list[Any] = pickle.load(file)
    return made


def marshal_write(kind: Kind, made: list[Any], path: Path) -> None:
    """Module `marshal`, of tuples."""
    import marshal

    path.write_bytes(marshal.dumps([kind.as_row(it) for it in made]))


def marshal_rows(path: Path) -> Any:
    """Return the tuples."""
    import marshal

    return marshal.loads(path.read_bytes())


def marshal_read(kind: Kind, path: Path) -> list[Any]:
    """Module `marshal`, and the class called for each tuple."""
    return [kind.of_row(row) for row in marshal_rows(path)]


def marshal_field(_: Kind, path: Path) -> list[Any]:
    """Module `marshal`, of whose tuples the first item is taken."""
    return [row[0] for row in marshal_rows(path)]


def marshal_middle(kind: Kind, path: Path, place: int) -> Any:
    """Module `marshal`, and the class called once."""
    return kind.of_row(marshal_rows(path)[place])


def plistlib(name: str, form: str) -> Recipe:
    """Return the recipe of the standard library's module."""

    def load(path: Path) -> Any:
        import plistlib

        with path.open("rb") as file:
            return plistlib.load(file)

    def write(kind: Kind, made: list[Any], path: Path) -> None:
        import plistlib

        fmt = plistlib.PlistFormat[form]
        with path.open("wb") as file:
            plistlib.dump([kind.as_dict(it) for it in made], file, fmt=fmt, sort_keys=False)

    def read(kind: Kind, path: Path) -> list[Any]:
        return [kind.of_dict(it) for it in load(path)]

    def field(kind: Kind, path: Path) -> list[Any]:
        return [it[kind.field] for it in load(path)]

    def middle(kind: Kind, path: Path, place: int) -> Any:
        return kind.of_dict(load(path)[place])

    return Recipe(name, ("plistlib",), write, read, field, middle)


def stdlib_csv_write(kind: Kind, made: list[Any], path: Path) -> None:
    """Module `csv`."""
    import csv
    from dataclasses import fields

    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([field.name for field in fields(kind.cls)])
        writer.writerows(map(kind.as_row, made))


def stdlib_csv_read(kind: Kind, path: Path) -> list[Any]:
    """Module `csv`, and the class called for each row."""
    import csv

    with path.open(encoding="utf-8", newline="") as file:
        return [kind.of_row(row) for row in islice(csv.reader(file), 1, None)]


def stdlib_csv_field(_: Kind, path: Path) -> list[Any]:
    """Module `csv`, of whose rows the first cell is taken."""
    import csv

    with path.open(encoding="utf-8", newline="") as file:
        return [int(row[0]) for row in islice(csv.reader(file), 1, None)]


def stdlib_csv_middle(kind: Kind, path: Path, place: int) -> Any:
    """Module `csv`, as far as the row."""
    import csv

    with path.open(encoding="utf-8", newline="") as file:
        return kind.of_row(next(islice(csv.reader(file), place + 1, None)))


def lxml_write(kind: Kind, made: list[Any], path: Path) -> None:
    """Lxml, with an element made for each record."""
    from dataclasses import fields

    from lxml import etree

    names = [field.name for field in fields(kind.cls)]
    with etree.xmlfile(str(path), encoding="UTF-8") as file:
        file.write_declaration()
        with file.element("records"):
            for it in made:
                record = etree.Element("record")
                for name, value in zip(names, kind.as_row(it), strict=True):
                    etree.SubElement(record, name).text = str(value)
                file.write(record)


def lxml_rows(path: Path) -> Any:
    """Yield the elements of the records, which are cleared afterwards."""
    from lxml import etree

    for _, record in etree.iterparse(str(path), tag="record"):
        yield record
        record.clear()
        while record.getprevious() is not None:
            del record.getparent()[0]


def lxml_made(kind: Kind, record: Any) -> Any:
    """Return the object of an element."""
    return kind.of_row([child.text or "" for child in record])


def lxml_read(kind: Kind, path: Path) -> list[Any]:
    """Lxml, and the class called for each element."""
    return [lxml_made(kind, record) for record in lxml_rows(path)]


def lxml_field(_: Kind, path: Path) -> list[Any]:
    """Lxml, of whose elements the first child is taken."""
    return [int(record[0].text) for record in lxml_rows(path)]


def lxml_middle(kind: Kind, path: Path, place: int) -> Any:
    """Lxml, as far as the record."""
    return lxml_made(kind, next(islice(lxml_rows(path), place, None)))


def arrow_write(kind: Kind, made: list[Any], path: Path) -> None:
    """Pyarrow: columns of the fields, as an IPC file."""
    from dataclasses import fields

    import pyarrow as pa

    names = [field.name for field in fields(kind.cls)]
    columns = {name: [getattr(it, name) for it in made] for name in names}
    table = pa.table(columns)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def arrow_table(path: Path) -> Any:
    """Return the columns, which are mapped into memory."""
    import pyarrow as pa

    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()


def arrow_objects(kind: Kind, table: Any) -> list[Any]:
    """Return the objects of all rows."""
    columns = [column.to_pylist() for column in table.columns]
    if kind.cls.__name__ != "Song":
        return list(map(kind.cls, *columns))
    for place in (5, 6):
        columns[place] = [date.replace(tzinfo=dt.UTC) for date in columns[place]]
    return list(map(kind.cls, *columns))


def arrow_read(kind: Kind, path: Path) -> list[Any]:
    """Pyarrow: lists of all columns, and the class called for each row."""
    return arrow_objects(kind, arrow_table(path))


def arrow_field(kind: Kind, path: Path) -> list[Any]:
    """Pyarrow: the list of one column."""
    made: list[Any] = arrow_table(path).column(kind.field).to_pylist()
    return made


def arrow_middle(kind: Kind, path: Path, place: int) -> Any:
    """Pyarrow: one row of the columns."""
    return arrow_objects(kind, arrow_table(path).slice(place, 1))[0]


def sqlite_write(kind: Kind, made: list[Any], path: Path) -> None:
    """Module `sqlite3`: one table, one transaction."""
    import sqlite3
    from contextlib import closing
    from dataclasses import fields

    path.unlink(missing_ok=True)
    names = ", ".join(field.name for field in fields(kind.cls))
    holes = ", ".join("?" for _ in fields(kind.cls))
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")
        base.execute(f"CREATE TABLE records (place INTEGER PRIMARY KEY, {names})")
        rows = ((place, *kind.as_row(it)) for place, it in enumerate(made))
        base.executemany(f"INSERT INTO records VALUES (?, {holes})", rows)
        base.commit()


def sqlite_rows(path: Path, question: str, *values: object) -> list[Any]:
    """Return the rows of an answer."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(path)) as base:
        return base.execute(question, values).fetchall()


def sqlite_read(kind: Kind, path: Path) -> list[Any]:
    """Module `sqlite3`, and the class called for each row."""
    rows = sqlite_rows(path, "SELECT * FROM records ORDER BY place")
    return [kind.of_row(row[1:]) for row in rows]


def sqlite_field(kind: Kind, path: Path) -> list[Any]:
    """Module `sqlite3`: one column."""
    rows = sqlite_rows(path, f"SELECT {kind.field} FROM records ORDER BY place")
    return [row[0] for row in rows]


def sqlite_middle(kind: Kind, path: Path, place: int) -> Any:
    """Module `sqlite3`: one row, by its key."""
    return kind.of_row(sqlite_rows(path, "SELECT * FROM records WHERE place = ?", place)[0][1:])


RECIPES = (
    ours("penstock json", json_write, json_load, json_middle, "json"),
    ours("penstock ndjson", lines_write, lines_load, lines_middle, "ndjson"),
    ours("penstock xml", xml_write, xml_load, xml_middle, "xml"),
    ours("penstock csv", csv_write, csv_load, csv_middle, "csv"),
    ours("penstock plist binary", plist_write("binary"), plist_load, plist_open, "plist"),
    ours("penstock plist xml", plist_write("xml"), plist_load, plist_middle, "plist"),
    ours("penstock plist gnustep", plist_write("gnustep"), plist_load, plist_middle, "plist"),
    Recipe(
        "json",
        ("json",),
        stdlib_json_write,
        stdlib_json_read,
        stdlib_json_field,
        stdlib_json_middle,
    ),
    Recipe("orjson", ("orjson",), orjson_write, orjson_read, orjson_field, orjson_middle),
    msgspec("msgspec json", "json"),
    msgspec("msgspec msgpack", "msgpack"),
    Recipe("pickle", ("pickle",), pickle_write, pickle_read, *of_all(pickle_read)),
    Recipe("marshal", ("marshal",), marshal_write, marshal_read, marshal_field, marshal_middle),
    plistlib("plistlib binary", "FMT_BINARY"),
    plistlib("plistlib xml", "FMT_XML"),
    Recipe("csv", ("csv",), stdlib_csv_write, stdlib_csv_read, stdlib_csv_field, stdlib_csv_middle),
    Recipe("lxml", ("lxml",), lxml_write, lxml_read, lxml_field, lxml_middle),
    Recipe("pyarrow ipc", ("pyarrow",), arrow_write, arrow_read, arrow_field, arrow_middle),
    Recipe("sqlite3", ("sqlite3",), sqlite_write, sqlite_read, sqlite_field, sqlite_middle),
)
