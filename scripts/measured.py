"""What the charts of docs/performance.md show: the panels of each, by rows of the records."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from chart import Panel


def dated(day: str) -> str:
    """Return the name of a record."""
    return f"intel-xeon-processor-2026-11-{day}.json"


NEW = dated("26-cpython-3.14")
ROWS = dated("21-all-rows")
XML = dated("21-xml")
MESSAGES = dated("22-messages")
PLAIN = dated("21")
KINDS = dated("21-documents-and-kinds")
WRITING = dated("23-writing")
CSV_ROWS = dated("23-csv-rows")
CSV = dated("23-csv")
PLIST = dated("23-property-lists")
COLUMNS = dated("26-columns")
OLD_COLUMNS = dated("23-columns")
THREADS = dated("26-threads")

TWO_THREADS = {"penstock": "two threads", "one thread": "one thread"}
ELEMENTS = {"element form": "penstock, element form"}

PANELS: dict[str, tuple[str, tuple[Panel, ...]]] = {
    "json": (
        "JSON into objects: Penstock and other libraries",
        (
            Panel("80 MB of city records, all nine fields", NEW, "cities", "collector on"),
            Panel("The same, two of the nine fields", NEW, "two-fields", "collector on"),
            Panel("A million tiny objects", NEW, "objects", "collector on"),
        ),
    ),
    "streams": (
        "Large files, one record at a time: the time and the memory",
        (
            Panel("1 GB of JSON", ROWS, "stream", "1 GB"),
            Panel("The memory for it", ROWS, "stream", "1 GB", "MiB"),
            Panel("200 MB of XML, five fields of each record", XML, "xml-records", "pubmed"),
        ),
    ),
    "messages": (
        "Small documents of JSON, one call each",
        (
            Panel("60 bytes", NEW, "messages", "60 B", "ns"),
            Panel("500 bytes", NEW, "messages", "500 B", "ns"),
            Panel("60 bytes that do not fit: the error", MESSAGES, "messages-error", "60 B", "ns"),
        ),
    ),
    "kinds": (
        "Other documents, and other kinds of classes and types",
        (
            Panel("Plain values: a file of numbers", PLAIN, "plain", "canada"),
            Panel("200,000 dataclasses without slots", KINDS, "attributes", "collector on"),
            Panel("200,000 TypedDicts", KINDS, "typed-dict", "collector on"),
            Panel("200,000 records of three dates", KINDS, "datetimes", "collector on"),
            Panel("200,000 members of a tagged union", KINDS, "tagged", "collector on"),
            Panel("One record of 80 MB, opened", KINDS, "open", "cities500"),
            Panel("The memory for it", KINDS, "open", "cities500", "MiB"),
        ),
    ),
    "writing": (
        "Objects into text: Penstock and other libraries",
        (
            Panel("A million tiny objects as JSON", NEW, "encode-objects", "collector off"),
            Panel("80 MB of cities as JSON", NEW, "encode-cities", "collector off"),
            Panel("The same from dicts", NEW, "encode-cities-dicts", "collector off"),
            Panel("50,000 cities as XML", WRITING, "encode-xml", "collector off"),
            Panel("20,000 in canonical JSON", WRITING, "encode-canonical", "collector off"),
            Panel("60 bytes of JSON, one call", WRITING, "messages-encode", "60 B", "ns"),
        ),
    ),
    "converting": (
        "One format to another, without objects",
        (
            Panel("200 MB of XML", WRITING, "convert-xml", "200 MB", names=ELEMENTS),
            Panel("200 MB of lines into one array", WRITING, "convert-lines", "200 MB"),
            Panel("200 MB of one array into lines", WRITING, "convert-array", "200 MB"),
            Panel("The memory for 1 GB of XML", WRITING, "convert-xml", "1 GB", "MiB", ELEMENTS),
            Panel("The memory for 1 GB of one array", WRITING, "convert-array", "1 GB", "MiB"),
        ),
    ),
    "csv": (
        "CSV: Penstock and other libraries",
        (
            Panel("1.9 million rows, all eight columns", CSV_ROWS, "csv", "collector off"),
            Panel("Two of the columns", CSV_ROWS, "csv-two-columns", "collector off"),
            Panel("The rows counted", CSV_ROWS, "csv-count", "cities"),
            Panel("The memory for 1 GB, row by row", CSV, "csv-stream", "1 GB", "MiB"),
            Panel("The objects written", CSV, "csv-write", "collector off"),
            Panel("1,000 rows at random places of 1 GB", CSV, "rows-at", "1 GB"),
            Panel("The memory for it", CSV, "rows-at", "1 GB", "MiB"),
        ),
    ),
    "plist": (
        "200,000 tracks in property lists: Penstock and plistlib",
        (
            Panel("Binary into plain values", PLIST, "plist-binary", "collector off"),
            Panel("Binary into dataclasses", PLIST, "plist-binary-typed", "collector off"),
            Panel("XML into dataclasses", PLIST, "plist-xml-typed", "collector off"),
            Panel("Binary written", PLIST, "plist-binary-write", "collector off"),
            Panel("XML written", PLIST, "plist-xml-write", "collector off"),
            Panel("One track of 100 MB, opened", PLIST, "plist-open", "100 MB"),
        ),
    ),
    "columns": (
        "Arrow columns, one thread: Penstock and other libraries",
        (
            Panel("61 MB of JSON in lines", COLUMNS, "columns-lines", "one thread"),
            Panel("100 MB of JSON in one array", COLUMNS, "columns-array", "one thread"),
            Panel("120 MB of CSV", COLUMNS, "columns-table", "all columns in one thread"),
            Panel(
                "Two of its eight columns",
                COLUMNS,
                "columns-table",
                "two of eight columns in one thread",
            ),
            Panel("200 MB of XML", COLUMNS, "columns-xml", "one thread"),
            Panel("A binary property list", OLD_COLUMNS, "columns-plist", "one thread"),
            Panel("The memory for 61 MB of lines", COLUMNS, "columns-lines", "one thread", "MiB"),
            Panel(
                "Columns as lines of JSON", OLD_COLUMNS, "columns-to-ndjson", "from pyarrow's table"
            ),
            Panel("Columns as CSV", COLUMNS, "columns-to-csv", "from pyarrow's table"),
        ),
    ),
    "threads": (
        "Columns by two threads of Penstock, and by one",
        tuple(
            Panel(title, THREADS, "threads", variant, names=TWO_THREADS)
            for title, variant in (
                ("200 MB of XML", "200 MB of XML"),
                ("100 MB of one JSON array", "100 MB of one JSON array"),
                ("61 MB of NDJSON", "61 MB of NDJSON"),
                ("120 MB of CSV", "120 MB of CSV"),
                ("Two of its eight columns", "two of eight columns of it"),
                ("500,000 tracks of a property list", "half a million tracks of a property list"),
            )
        ),
    ),
}
