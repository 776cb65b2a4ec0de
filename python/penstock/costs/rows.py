"""The rows of the table, in its order.

A Python row is a statement as anybody would write it, and the name of the function in `given` that
provides its names. A row without a statement is native: the operation of that name in
`crates/penstock-costs`.
"""

from __future__ import annotations

from typing import NamedTuple

GROUPS = (
    "arithmetic",
    "calls",
    "memory",
    "counting",
    "threads",
    "objects",
    "records",
    "clocks",
    "files",
    "processes",
)
"""The groups of the table, in its order."""

FAULTS = "faults"
"""The group of rows that are wrong on purpose. It is not part of the table."""


class Row(NamedTuple):
    """One operation."""

    name: str
    """A short and unique name."""

    group: str
    """Its group in the table."""

    means: str
    """An exact description of the operation."""

    statement: str = ""
    """The statement of Python that is measured; none for a native operation."""

    given: str = ""
    """The function of `given` that returns the names for the statement."""

    floor: float = 1.0
    """The least cycles of the processor that it can take."""

    waits: bool = False
    """Whether it gives up the processor, so that interruptions are part of it."""

    catches: str = ""
    """For a row that is wrong on purpose: the fault that the checks must report."""


LOOP = "loop"
"""The native operation that is only the loop around the others."""

PYTHON_LOOP = Row(LOOP, "", "The loop that is around every statement.", "pass", "nothing")
NATIVE_LOOP = Row(LOOP, "", "The loop that is around every native operation.")

CYCLE = "integer add, latency"
"""The row that takes one cycle on every processor of today: an addition waits for the last."""

_ARITHMETIC = (
    Row(
        CYCLE,
        "arithmetic",
        "An integer addition or exclusive or that needs the result of the one before: one cycle of "
        "the processor. All ratios are to this row.",
    ),
    Row(
        "integer add, throughput",
        "arithmetic",
        "The same where eight of them wait for nothing: several are done in one cycle.",
        floor=1 / 8,
    ),
    Row(
        "integer multiply, latency",
        "arithmetic",
        "A 64-bit multiplication of the result of the one before.",
    ),
    Row(
        "integer divide, latency",
        "arithmetic",
        "A 64-bit division by the result of the one before.",
    ),
    Row(
        "integer divide, throughput",
        "arithmetic",
        "A 64-bit division while seven others are under way.",
    ),
    Row(
        "float divide, latency",
        "arithmetic",
        "A division of doubles by the result of the one before.",
    ),
    Row(
        "float divide, throughput",
        "arithmetic",
        "A division of doubles while seven others are under way.",
    ),
)

_CALLS = (
    Row(
        "call, direct",
        "calls",
        "A native function with two instructions in it, called with the result of the last call.",
    ),
    Row(
        "call, virtual",
        "calls",
        "The same through the table of methods of an object; two classes take turns.",
    ),
    Row(
        "call, cached pointer",
        "calls",
        "The same through a pointer to the function that was looked up once.",
    ),
    Row(
        "Python function",
        "calls",
        "A function of Python that returns its argument.",
        "function(value)",
        "calls",
    ),
    Row(
        "Python method",
        "calls",
        "A method that does the same, looked up in its class.",
        "thing.method(value)",
        "calls",
    ),
    Row(
        "Python method, cached",
        "calls",
        "The same method, bound to its object once.",
        "method(value)",
        "calls",
    ),
    Row(
        "Rust from Python",
        "calls",
        "A native function without arguments that does nothing.",
        "nothing()",
        "calls",
    ),
)

_MEMORY = (
    Row("copy 16 B", "memory", "The C library's copy, of a length that the compiler cannot know."),
    Row("copy 4 KiB", "memory", "The same for a page: both ends are in the fastest cache."),
    Row("copy 1 MiB", "memory", "The same where the fastest cache is too small."),
    Row("copy 16 MiB", "memory", "The same where most caches are too small."),
    Row(
        "allocate and free 16 B",
        "memory",
        "A small block that the allocator has just had back; it is not touched.",
    ),
    Row(
        "first touch of a page",
        "memory",
        "One byte written to 4 KiB that the operating system has promised and not yet given. With "
        "huge pages (see the line about the machine), one touch of many pays for all.",
    ),
    Row(
        "random load, 16 KiB",
        "memory",
        "A load from an address that the load before brought: the fastest cache.",
    ),
    Row("random load, 512 KiB", "memory", "The same from the next cache."),
    Row(
        "random load, 64 MiB",
        "memory",
        "The same from a shared cache or from memory; here most loads also have to "
        "find out where the page is.",
    ),
)

_COUNTING = (
    Row("atomic add", "counting", "An addition to memory that other threads could see."),
    Row(
        "reference, take and drop",
        "counting",
        "A counted reference (`Rc`) taken and dropped: two additions to memory.",
    ),
    Row("atomic reference", "counting", "The same for references that threads share (`Arc`)."),
)

_THREADS = (
    Row("lock and unlock", "threads", "A native lock (`Mutex`) that nobody else wants."),
    Row("queue, put and get", "threads", "A native queue (`mpsc`), from and to the same thread."),
    Row(
        "queue, there and back",
        "threads",
        "A message to a thread that waits for it, and its answer: two threads are woken.",
        waits=True,
    ),
    Row("thread, start and join", "threads", "A native thread that does nothing.", waits=True),
    Row(
        "Python lock",
        "threads",
        "A `threading.Lock` that nobody else wants.",
        "with lock:\n    pass",
        "threads",
    ),
    Row(
        "Python queue, put and get",
        "threads",
        "A `queue.SimpleQueue`, from and to the same thread.",
        "queue.put(value)\nqueue.get()",
        "threads",
    ),
    Row(
        "Python thread",
        "threads",
        "A `threading.Thread` that does nothing, started and joined.",
        "thread = Thread(target=function)\nthread.start()\nthread.join()",
        "threads",
        waits=True,
    ),
)

_OBJECTS = (
    Row("int, add", "objects", "A sum that is too large to be kept ready.", "a + b", "numbers"),
    Row("str, add", "objects", "A text of 16 characters made of two.", "a + b", "texts"),
    Row("dict, look up", "objects", "A value by its key, in a dict of 16.", "table[key]", "texts"),
    Row("attribute", "objects", "An attribute of an object with slots.", "thing.size", "objects"),
    Row(
        "dict of three",
        "objects",
        "A dict with three keys, made and dropped.",
        '{"id": a, "name": b, "size": c}',
        "objects",
    ),
    Row(
        "slots object",
        "objects",
        "An object with `__slots__` and an `__init__` for three values, made and dropped.",
        "Slotted(a, b, c)",
        "objects",
    ),
    Row(
        "dataclass object",
        "objects",
        "An object of a `@dataclass`, made and dropped.",
        "Data(a, b, c)",
        "objects",
    ),
    Row(
        "exception",
        "objects",
        "An exception raised and caught.",
        "try:\n    raise error\nexcept ValueError:\n    pass",
        "objects",
    ),
)

_RECORDS = (
    Row(
        "JSON to dict, json",
        "records",
        "The small record as text, with `json.loads`.",
        "json.loads(text)",
        "json_record",
    ),
    Row(
        "JSON to object, penstock",
        "records",
        "The same into a dataclass, with `penstock.json.decode`. The first time, the plan of the "
        "class is made.",
        "decode(data, Record)",
        "json_record",
    ),
    Row("dict to JSON, json", "records", "With `json.dumps`.", "json.dumps(record)", "json_record"),
    Row(
        "XML to elements, etree",
        "records",
        "The same record as four elements, with `ElementTree.fromstring`.",
        "ET.fromstring(data)",
        "xml_record",
    ),
    Row(
        "XML to object, penstock",
        "records",
        "The same into a dataclass, with `penstock.xml.decode`.",
        "decode(data, Record)",
        "xml_record",
    ),
    Row(
        "elements to XML, etree",
        "records",
        "With `ElementTree.tostring`.",
        "ET.tostring(element)",
        "xml_record",
    ),
    Row(
        "CSV to list, csv",
        "records",
        "One line through a `csv.reader` made for it.",
        "next(csv.reader(lines))",
        "csv_record",
    ),
    Row(
        "list to CSV, csv",
        "records",
        "One `writerow` of a `csv.writer` that is there.",
        "writer.writerow(row)",
        "csv_record",
    ),
    Row(
        "XML plist to dict",
        "records",
        "An XML property list of the record, with `plistlib.loads`.",
        "plistlib.loads(text)",
        "plist_record",
    ),
    Row(
        "dict to XML plist",
        "records",
        "With `plistlib.dumps`.",
        "plistlib.dumps(record)",
        "plist_record",
    ),
    Row(
        "binary plist to dict",
        "records",
        "A binary one, with `plistlib.loads`.",
        "plistlib.loads(binary)",
        "plist_record",
    ),
    Row(
        "dict to binary plist",
        "records",
        "With `plistlib.dumps(fmt=FMT_BINARY)`.",
        "plistlib.dumps(record, fmt=FMT_BINARY)",
        "plist_record",
    ),
    Row("pickle to dict", "records", "With `pickle.loads`.", "pickle.loads(data)", "pickle_record"),
    Row(
        "dict to pickle", "records", "With `pickle.dumps`.", "pickle.dumps(record)", "pickle_record"
    ),
    Row(
        "struct to tuple",
        "records",
        "32 bytes with a `struct.Struct` that is there.",
        "packed.unpack(data)",
        "struct_record",
    ),
    Row("values to struct", "records", "The way back.", "packed.pack(a, b, c)", "struct_record"),
)

_CLOCKS = (
    Row("monotonic clock, native", "clocks", "`Instant::now`."),
    Row("wall clock, native", "clocks", "`SystemTime::now`, as nanoseconds since 1970."),
    Row("Mono, penstock-clock", "clocks", "`penstock_clock::Mono::now`, for moments in order."),
    Row("Wall, penstock-clock", "clocks", "`penstock_clock::Wall::now`, nanoseconds since 1970."),
    Row(
        "monotonic clock, Python",
        "clocks",
        "`time.perf_counter_ns`.",
        "time.perf_counter_ns()",
        "clocks",
    ),
    Row("wall clock, Python", "clocks", "`time.time_ns`.", "time.time_ns()", "clocks"),
    Row(
        "mono_ns, penstock",
        "clocks",
        "`penstock.clock.mono_ns`.",
        "clock.mono_ns()",
        "clocks",
    ),
    Row("wall_ns, penstock", "clocks", "`penstock.clock.wall_ns`.", "clock.wall_ns()", "clocks"),
    Row("datetime, Python", "clocks", "`datetime.now`.", "datetime.now()", "clocks"),
)

_FILES = (
    Row(
        "read 16 B",
        "files",
        "A file opened, read and closed that the operating system has in memory.",
        'with open(small, "rb") as file:\n    file.read()',
        "files",
    ),
    Row(
        "read 16 MiB",
        "files",
        "The same with more in it, into memory that is new each time.",
        'with open(large, "rb") as file:\n    file.read()',
        "files",
    ),
    Row(
        "write 16 B",
        "files",
        "A file that is there opened, emptied, written and closed.",
        'with open(target, "wb") as file:\n    file.write(few)',
        "files",
        waits=True,
    ),
    Row(
        "write 16 MiB",
        "files",
        "The same with more.",
        'with open(target, "wb") as file:\n    file.write(many)',
        "files",
        waits=True,
    ),
    Row(
        "replace 16 B",
        "files",
        "A new file written beside the old one and given its name, so that nobody ever sees half "
        "of it.",
        'with open(beside, "wb") as file:\n    file.write(few)\nos.replace(beside, target)',
        "files",
        waits=True,
    ),
    Row(
        "replace 16 MiB",
        "files",
        "The same with more.",
        'with open(beside, "wb") as file:\n    file.write(many)\nos.replace(beside, target)',
        "files",
        waits=True,
    ),
    Row(
        "write 16 B, fsync",
        "files",
        "16 bytes written in place, and waited for until the disk says that it has them.",
        "os.pwrite(descriptor, few, 0)\nos.fsync(descriptor)",
        "files",
        waits=True,
    ),
    Row(
        "write 16 MiB, fsync",
        "files",
        "The same with more.",
        "os.pwrite(descriptor, many, 0)\nos.fsync(descriptor)",
        "files",
        waits=True,
    ),
)

_PROCESSES = (
    Row(
        "process, true",
        "processes",
        "The program `true` started and waited for, with `subprocess.run`.",
        "subprocess.run(nothing)",
        "processes",
        waits=True,
    ),
    Row(
        "process, Python",
        "processes",
        "An interpreter that is started to do nothing (`-I -S -c pass`).",
        "subprocess.run(interpreter)",
        "processes",
        waits=True,
    ),
)

ROWS = (
    *_ARITHMETIC,
    *_CALLS,
    *_MEMORY,
    *_COUNTING,
    *_THREADS,
    *_OBJECTS,
    *_RECORDS,
    *_CLOCKS,
    *_FILES,
    *_PROCESSES,
)
"""All rows of the table."""

WRONG = (
    Row(
        "fault: work and loop left out",
        FAULTS,
        "A division whose result nobody uses: the compiler leaves out the loop with it.",
        catches="twice the work took",
    ),
    Row(
        "fault: work left out",
        FAULTS,
        "The same in a loop that has to stay.",
        catches="faster than",
    ),
    Row(
        "fault: work done once",
        FAULTS,
        "A division that is the same each time: the compiler does it once.",
        catches="twice the work took",
    ),
    Row(
        "fault: quadratic",
        FAULTS,
        "A list that is copied to add to it: the more there is, the longer it takes.",
        "items = [*items, value]",
        "quadratic",
        catches="twice the work took",
    ),
)
"""Rows that are wrong on purpose."""


def named(name: str) -> Row:
    """Return the row of a name; raises KeyError if there is none."""
    for row in (*ROWS, *WRONG):
        if row.name == name:
            return row
    raise KeyError(name)
