"""Decoding leaks nothing, whatever its result, however often it runs."""

from __future__ import annotations

import collections
import contextlib
import ctypes
import gc
import json
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, NamedTuple, TypedDict

import attrs
import msgspec
import pydantic
import pytest
from leaks import assert_nothing_left

import penstock

pytestmark = [
    pytest.mark.thread_unsafe(reason="what it counts is the whole process's"),
    pytest.mark.alone(reason="the link to the process that shares tests out makes objects, too"),
]

DEFAULT: tuple[int, ...] = (10_001, 10_002)


@dataclass(slots=True)
class Slots:
    number: int
    text: str = "a default that nobody else has"
    pair: tuple[int, ...] = DEFAULT
    items: list[Any] = field(default_factory=list)


@dataclass
class Attributes:
    number: int
    text: str = "a default that nobody else has"
    pair: tuple[int, ...] = DEFAULT
    items: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Frozen:
    number: int
    pair: tuple[int, ...] = DEFAULT


@dataclass
class Post:
    number: int
    items: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("negative")
        if self.number == 0:
            raise LookupError("nothing")


@dataclass(slots=True)
class PostSlots:
    number: int
    items: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("negative")
        if self.number == 0:
            raise LookupError("nothing")


@dataclass
class Called:
    number: int
    text: str = "t"
    items: list[Any] = field(default_factory=list)

    def __init__(self, number: int, text: str = "t", items: list[Any] | None = None) -> None:
        if number < 0:
            raise ValueError("negative")
        self.number, self.text, self.items = number, text, items or []


class Named(NamedTuple):
    number: int
    pair: tuple[int, ...] = DEFAULT
    items: Any = None


Untyped = collections.namedtuple("Untyped", ["number", "items"], defaults=[DEFAULT])  # noqa: PYI024 - the untyped kind is a kind


class Keys(TypedDict, total=False):
    number: int
    items: list[Any]


class Plain:
    number: int
    items: list[Any]
    pair: tuple[int, ...] = DEFAULT


class Stored:
    def __init__(self, number: int, items: list[Any] | None = None, pair: Any = DEFAULT) -> None:
        self.number = number
        self.items = items
        self.pair = pair


class Worked:
    def __init__(self, number: int, items: list[Any] | None = None, /) -> None:
        if number < 0:
            raise ValueError("negative")
        self.number, self.items = number, items or []


class Filled:
    number: int
    items: list[Any]

    def __init__(self) -> None:
        self.more = [1]

    def __setattr__(self, name: str, value: object) -> None:
        if value == -1:
            raise ValueError("negative")
        object.__setattr__(self, name, value)


@attrs.define
class Attrs:
    number: int
    items: list[Any] = attrs.Factory(list)
    pair: tuple[int, ...] = DEFAULT


@attrs.frozen(slots=False)
class AttrsConverted:
    number: int = attrs.field(validator=attrs.validators.ge(0))
    items: list[Any] = attrs.field(converter=list, factory=list)


class Struct(msgspec.Struct, tag="s"):
    number: int
    items: list[Any] = []
    pair: tuple[int, ...] = DEFAULT


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    number: int = pydantic.Field(ge=0)
    items: list[Any] = []
    pair: tuple[int, ...] = DEFAULT


class Everything(TypedDict):
    number: int
    items: list[Any]
    big: int
    decimal: Decimal
    choice: Literal["a", 1]
    pair: tuple[int, str]
    sets: set[tuple[int, ...]]
    named: dict[str, dict[Literal["x", "y"], float | None]]


THEIRS = [Stored, Worked, Filled, Attrs, AttrsConverted, Struct, Model]
CLASSES = [Slots, Attributes, Frozen, Post, PostSlots, Called, Named, Untyped, Keys, Plain]
ITEMS = [1.5, "wide: 東京 🏳", "ascii", None, True, [[], {}], {"key of a dict": [2**70]}]
GOOD = {"number": 10_003, "items": ITEMS, "unknown": {"skipped": ITEMS}}
EVERYTHING = {
    "number": 10_004,
    "items": ITEMS,
    "big": 2**80,
    "decimal": 1.25,
    "choice": "a",
    "pair": [1, "b"],
    "sets": [[1, 2], [3]],
    "named": {"n": {"x": 1.5, "y": None}},
}


@pytest.fixture(autouse=True, scope="module")
def only_what_is_new() -> Iterator[None]:
    """Freeze the objects that exist already, so that they are not visited again and again."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def grows(work: Callable[[], object], watched: tuple[object, ...] = (), runs: int = 40) -> None:
    """Fail if the work leaks, or releases a reference too many, that to the default included."""
    assert_nothing_left(work, (DEFAULT, *watched), runs)


def fails(
    work: Callable[[], object], kind: type[BaseException] = penstock.DecodeError
) -> Callable[[], None]:
    """Return the work, which must raise."""

    def run() -> None:
        with pytest.raises(kind):
            work()

    return run


def ways(document: str, asked: Any) -> dict[str, Callable[[], object]]:
    """Every verb over a list of the same document."""
    many = f"[{document}, {document}, {document}]".encode()
    lines = f"{document}\n{document}\n{document}".encode()
    split = [many[: len(many) // 2], many[len(many) // 2 :]]

    def feed() -> object:
        decoder = penstock.Decoder(asked)
        return [decoder.feed(piece) for piece in split], decoder.finish()

    return {
        "decode": lambda: penstock.json.decode(many, list[asked]),
        "buffer": lambda: penstock.json.decode(bytearray(many), list[asked]),
        "load": lambda: penstock.json.load(iter(split), list[asked]),
        "lines": lambda: penstock.ndjson.decode(lines, asked),
        "read": lambda: [None for _ in penstock.json.read(iter(split), asked)],
        "kept": lambda: list(penstock.ndjson.read([lines], asked)),
        "batches": lambda: list(penstock.json.read(iter(split), asked).batches(2)),
        "feed": feed,
    }


WAYS = list(ways("", Any))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "cls", [*CLASSES, *THEIRS, Everything, Any], ids=lambda cls: getattr(cls, "__name__", "Any")
)
def test_success(cls: Any, way: str) -> None:
    document = json.dumps(EVERYTHING if cls is Everything else GOOD, ensure_ascii=False)
    grows(ways(document, cls)[way], (cls,))


MISFITS = [
    '{"items": [1, "two", [3]]}',  # lacks a key
    '{"items": [1, "two"], "number": "x"}',
    '{"items": [1, "two"], "number": null}',
    '{"items": [1, "two"], "number": {"a": [1]}}',
    '{"items": {"a": [1, "two"]}, "number": [1]}',
    '[["two"]]',
    '"a string"',
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cls", [*CLASSES, *THEIRS], ids=lambda cls: cls.__name__)
def test_what_does_not_fit(cls: Any, way: str) -> None:
    works = []
    for document in MISFITS:
        try:
            penstock.json.decode(document, cls)
        except penstock.DecodeError:
            works.append(fails(ways(document, cls)[way]))
    assert len(works) >= 4 or cls in (Untyped, Keys)
    grows(lambda: [work() for work in works], (cls,), runs=20)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("number", 1.5),
        ("items", {"a": [1]}),
        ("big", "x"),
        ("decimal", "x"),
        ("decimal", [1]),
        ("choice", "b"),
        ("choice", 1.0),
        ("pair", [1, "b", 2]),
        ("pair", [1]),
        ("pair", ["b"]),
        ("sets", [[1, 2], [3, "x"]]),
        ("sets", [[1], {}]),
        ("named", {"n": {"x": 1.5}, "m": {"z": 1}}),
        ("named", {"n": {"x": 1.5}, "m": {"y": [1]}}),
    ],
)
def test_what_does_not_fit_deep_inside(key: str, value: object) -> None:
    members = EVERYTHING | {key: value}
    # The bad member after all the others, and before all of them.
    last = json.dumps({name: members[name] for name in members if name != key} | {key: value})
    first = json.dumps({key: value} | members)
    for document in (first, last):
        grows(
            fails(
                lambda document=document: penstock.json.decode(document, Everything),
                penstock.ValidationError,
            ),
            (Everything,),
        )
        grows(
            fails(
                lambda document=document: list(
                    penstock.ndjson.read([document.encode()], Everything)
                )
            )
        )


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_input_that_ends_or_breaks_midway(cls: Any) -> None:
    document = json.dumps([GOOD, GOOD], ensure_ascii=False).encode()
    broken = [document[:at] for at in range(1, len(document), 37)]
    broken += [document[:at] + b"!" + document[at:] for at in range(1, len(document), 41)]

    def work() -> None:
        for data in broken:
            with contextlib.suppress(penstock.DecodeError):
                penstock.json.decode(data, list[cls])
            with contextlib.suppress(penstock.DecodeError):
                for _ in penstock.json.read([data], cls):
                    pass

    grows(work, (cls,))


@pytest.mark.parametrize("cls", [Slots, Attributes, Named, Keys, Called])
def test_duplicate_and_unknown_keys(cls: Any) -> None:
    twice = '{"number": 1, "items": [[1], "x"], "items": [[2], "y"], "number": 2}'
    for duplicates in ("last", "first"):
        grows(
            lambda duplicates=duplicates: penstock.json.decode(twice, cls, duplicates=duplicates),
            (cls,),
        )
    grows(fails(lambda: penstock.json.decode(twice, cls, duplicates="error")), (cls,))
    more = '{"number": 1, "items": [[1], "x"], "more": [[1]]}'
    grows(fails(lambda: penstock.json.decode(more, cls, unknown="error")), (cls,))

    def collected() -> object:
        reader = penstock.json.read([more.encode()], cls, unknown="collect")
        return list(reader), reader.unknown

    grows(collected, (cls,))
    plain = '{"a": [1.5], "b": {"a": "x", "a": "y"}, "a": [2.5]}'
    for asked in (Any, dict[str, Any]):
        grows(lambda asked=asked: penstock.json.decode(plain, asked, duplicates="first"))
        grows(fails(lambda asked=asked: penstock.json.decode(plain, asked, duplicates="error")))


@pytest.mark.parametrize("cls", [Post, PostSlots, Called, Worked, Filled, AttrsConverted, Model])
def test_exceptions_of_the_class(cls: Any) -> None:
    grows(
        fails(
            lambda: penstock.json.decode(
                '[{"number": 1}, {"items": ["x"], "number": -1}]', list[cls]
            ),
            penstock.ValidationError,
        ),
        (cls,),
    )
    if cls in (Post, PostSlots):
        grows(
            fails(
                lambda: penstock.json.decode(
                    '[{"number": 1}, {"items": ["x"], "number": 0}]', list[cls]
                ),
                LookupError,
            ),
            (cls,),
        )


def test_exceptions_of_factories_hashes_and_enums() -> None:
    def refuse() -> Any:
        raise ValueError("no default today")

    @dataclass
    class Refusing:
        items: list[Any]
        other: Any = field(default_factory=refuse)

    @dataclass(frozen=True)
    class Unhashable:
        number: int

        def __hash__(self) -> int:
            raise ValueError("no hash")

    plan: Any = penstock.Plan(Refusing)
    grows(fails(lambda: penstock.json.decode('{"items": [[1.5]]}', plan), penstock.ValidationError))
    hashes: Any = penstock.Plan(set[Unhashable])
    grows(fails(lambda: penstock.json.decode('[{"number": 1}]', hashes), penstock.ValidationError))


@pytest.mark.parametrize("errors", ["skip", "collect", list])
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_records_that_are_passed_over(cls: Any, errors: Any) -> None:
    # A member that a typed named tuple refuses is a missing item without types.
    bad = (
        '{"items": [[1.5], "x"]}'
        if cls is Untyped
        else '{"items": [[1.5], "x", {"a": "b"}], "number": {"x": ["y"]}}'
    )
    lines = "\n".join([json.dumps(GOOD), bad, "{malformed", json.dumps(GOOD), bad]).encode()
    target: Any = (lambda _: None) if errors is list else errors

    def work() -> None:
        reader = penstock.ndjson.read([lines], cls, errors=target)
        with contextlib.suppress(ExceptionGroup):
            for _ in reader:
                pass
        assert reader.skipped == 3

    grows(work, (cls,))


def test_readers_that_are_given_up() -> None:
    data = json.dumps([GOOD] * 50).encode()

    def opened() -> None:
        penstock.json.read([data], Slots)

    def begun() -> None:
        reader = penstock.json.read([data[:100], data[100:]], Slots)
        next(reader)

    def closed() -> None:
        with penstock.json.read([data], Slots) as reader:
            next(reader)
            next(reader.batches(3))

    def half_fed() -> None:
        decoder = penstock.Decoder(Slots)
        decoder.feed(data[: len(data) // 2])

    def raising() -> None:
        def chunks() -> Any:
            yield data[:500]
            raise OSError("the line is dead")

        with contextlib.suppress(penstock.DecodeError):
            list(penstock.json.read(chunks(), Slots))

    for work in (opened, begun, closed, half_fed, raising):
        grows(work, (Slots,))


def test_paths() -> None:
    document = json.dumps({"a": {"rows": {"k1": GOOD, "k2": GOOD}}, "b": ITEMS}).encode()
    grows(lambda: list(penstock.json.read([document], Slots, at="a/rows/*")), (Slots,))

    @dataclass
    class Picked:
        numbers: list[int] = field(default_factory=list)

    assert len(list(penstock.json.read([document], Slots, at="a/rows/*"))) == 2
    grows(lambda: list(penstock.json.read([document], Picked, at="a/rows")), ())


def test_types_that_are_written_anew_each_time() -> None:
    def work() -> None:
        @dataclass
        class Local:
            number: int

        penstock.json.decode('[{"number": 1}]', list[Local])
        penstock.json.decode('{"number": 1}', Local)
        penstock.json.decode('{"number": 1}', penstock.Plan(Local))
        with contextlib.suppress(penstock.DecodeError):
            penstock.json.decode('{"number": []}', Local | None)

    # Enough runs to stand out from the objects that come and go with the types.
    grows(work, runs=150)


# Classes and objects that die.


@pytest.mark.parametrize(
    "kind",
    [
        "slots",
        "attributes",
        "called",
        "plain",
        "named",
        "keys",
        "init",
        "attrs",
        "converted",
        "struct",
        "model",
    ],
)
@pytest.mark.parametrize("use", ["decode", "error", "read", "half read", "feed", "list", "plan"])
def test_a_local_class_can_be_collected(kind: str, use: str) -> None:
    def define() -> Any:
        if kind == "named":
            return collections.namedtuple("Local", ["number"])  # noqa: PYI024 - the untyped kind is a kind
        if kind == "keys":
            return TypedDict("Local", {"number": int})  # type: ignore[misc]
        body: dict[str, Any] = {"__annotations__": {"number": int}}
        if kind == "struct":
            return msgspec.defstruct("Local", [("number", int)])
        if kind == "model":
            return pydantic.create_model("Local", number=(int, 1))
        if kind == "attrs":
            return attrs.define(type("Local", (), body))
        if kind == "converted":
            return attrs.make_class("Local", {"number": attrs.field(converter=float)})
        if kind == "init":

            def init(self: Any, number: int) -> None:
                self.number = number * 2

            return type("Local", (), {"__init__": init})
        if kind == "called":
            body["__init__"] = lambda self, number: setattr(self, "number", number)
        cls = type("Local", (), body)
        return cls if kind == "plain" else dataclass(slots=kind == "slots")(cls)

    def work() -> weakref.ref[type]:
        cls: Any = define()
        data = b'[{"number": 1}, {"number": 2}]'
        if use == "decode":
            penstock.json.decode(b'{"number": 1}', cls)
        elif use == "list":
            penstock.json.decode(data, list[cls])
        elif use == "error":
            with contextlib.suppress(penstock.DecodeError):
                penstock.json.decode(b'{"number": [}', cls)
        elif use == "read":
            list(penstock.json.read([data], cls))
        elif use == "half read":
            next(penstock.json.read([data], cls))
        elif use == "feed":
            penstock.Decoder(cls).feed(data)
        else:
            penstock.json.decode(data, penstock.Plan(list[cls]))
        return weakref.ref(cls)

    reference = work()
    for _ in range(3):
        gc.collect()
    assert reference() is None


def held(use: str) -> weakref.ref[object]:
    """An object that is part of a cycle through what it holds."""

    class Holder:
        def __init__(self) -> None:
            if use == "decoder":
                self.part: object = penstock.Decoder(Slots, errors=self.note)
            elif use == "reader":
                self.part = penstock.json.read([b"[]"], Slots, errors=self.note)
            elif use == "source":
                self.part = penstock.json.read(self.chunks(), Slots)
            elif use == "batches":
                self.part = penstock.json.read(self.chunks(), Slots).batches(2)
            elif use == "plan":
                cls = dataclass(type("Local", (), {"__annotations__": {"number": int}}))
                cls.plan = penstock.Plan(cls)
                cls.holder = self
                self.part = cls
            else:
                self.part = None

        def note(self, error: Exception) -> None: ...

        def chunks(self) -> Any:
            yield b"["
            yield repr(self).encode()

    holder = Holder()
    holder.itself = holder
    return weakref.ref(holder)


@pytest.mark.parametrize("use", ["nothing", "decoder", "reader", "source", "batches", "plan"])
def test_a_cycle_through_a_part_of_ours_can_be_collected(use: str) -> None:
    reference = held(use)
    for _ in range(3):
        gc.collect()
    assert reference() is None


def test_memory_outside_of_python_does_not_grow() -> None:
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "mallinfo2"):
        pytest.skip("this C library does not say what it has handed out")

    class Info(ctypes.Structure):
        _fields_ = [
            (name, ctypes.c_size_t)
            for name in (
                "arena",
                "ordblks",
                "smblks",
                "hblks",
                "hblkhd",
                "usmblks",
                "fsmblks",
                "uordblks",
                "fordblks",
                "keepcost",
            )
        ]

    libc.mallinfo2.restype = Info
    good = json.dumps([GOOD] * 3).encode()
    bad = good[:-4] + b"]"

    def work() -> None:
        penstock.json.decode(good, list[Slots])
        with contextlib.suppress(penstock.DecodeError):
            penstock.json.decode(bad, list[Slots])
        list(penstock.json.read([good], Slots, unknown="collect"))
        penstock.Decoder(Slots, at="*").feed(good)
        penstock.json.decode(good, penstock.Plan(list[Attributes]))
        with contextlib.suppress(penstock.PlanError):
            penstock.Plan(int | str)

    def used() -> int:
        gc.collect()
        return libc.mallinfo2().uordblks

    for _ in range(50):
        work()
    before = used()
    for _ in range(1000):
        work()
    # A leak of a hundred bytes in each run would be more.
    assert used() - before < 100_000
