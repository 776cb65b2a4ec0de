"""Silent misreadings that were fixed, as numbered tests. Each docstring describes the fault."""

# ruff: noqa: UP044 - `Unpack` is one of the spellings

import enum
import gc
import pickle
import typing
import weakref
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NotRequired, TypeVar, TypeVarTuple, Unpack

import msgspec
import pydantic
import pytest
import typing_extensions

import penstock
from penstock import Plan, PlanError, ValidationError, decode

T = TypeVar("T")
U = TypeVar("U")
Ts = TypeVarTuple("Ts")


def refused(into: Any) -> str:
    with pytest.raises(PlanError) as caught:
        Plan(into)
    return str(caught.value)


def test_280_an_unpacked_tuple_is_no_tuple_of_its_own() -> None:
    """`tuple[int, *tuple[str, float]]` was read as `tuple[int, tuple[str, float]]`."""
    assert decode('[1, "a", 2]', tuple[int, *tuple[str, float]]) == (1, "a", 2.0)
    assert decode('[1, "a", 2]', tuple[int, Unpack[tuple[str, float]]]) == (1, "a", 2.0)
    assert decode("[1, 2]", tuple[*tuple[int, ...]]) == (1, 2)
    with pytest.raises(ValidationError):
        decode('[1, ["a", 2]]', tuple[int, *tuple[str, float]])
    between = tuple[int, *tuple[str, ...], float]
    assert refused(between) == "tuple[int, *tuple[str, ...], float] is not supported yet"
    assert refused(list[*tuple[int]]) == "*tuple[int] is only allowed in a tuple"


def test_281_variables_after_one_that_takes_any_number_of_arguments() -> None:
    """They got the argument of their own place from the front: here `last` was a `str`."""

    @dataclass
    class Ends(Generic[T, *Ts, U]):
        first: T
        last: U

    assert decode('{"first": 1, "last": 2}', Ends[int, str, bytes, float]) == Ends(1, 2.0)
    with pytest.raises(ValidationError, match="expected float, got a string"):
        decode('{"first": 1, "last": "a"}', Ends[int, str, bytes, float])
    many = typing_extensions.TypeAliasType("many", tuple[*Ts], type_params=(Ts,))
    # This was `tuple[int]`.
    # From CPython 3.15 on, it shows its variance.
    assert refused(many[int, str]).removeprefix("~") == "Ts is not supported yet"


def test_282_a_key_that_may_be_absent_in_a_class_that_has_no_such() -> None:
    """`NotRequired` in a dataclass was dropped, and its key was required."""

    @dataclass
    class Point:
        x: int
        y: NotRequired[int]

    assert refused(Point) == "field 'y' of Point: NotRequired is only for a TypedDict"


class Closed(typing_extensions.TypedDict):
    x: int


class ClosedBelow(Closed, total=False):
    y: int


@dataclass
class Named:
    name: str


@dataclass
class Open:
    name: str


@dataclass
class NamedBelow(Named):
    size: int = 0


@dataclass
class Aliased:
    name: str = pydantic.Field(alias="N")


pydantic.with_config(extra="forbid", title="a title", strict=True)(Closed)
pydantic.with_config(extra="forbid")(Named)


@pytest.mark.parametrize(
    ("into", "text", "made", "unknown"),
    [
        (Closed, '{"x": 1}', {"x": 1}, '{"x": 1, "q": 2}'),
        (ClosedBelow, '{"x": 1, "y": 2}', {"x": 1, "y": 2}, '{"x": 1, "q": 2}'),
        (Named, '{"name": "a"}', Named("a"), '{"name": "a", "q": 2}'),
        (NamedBelow, '{"name": "a"}', NamedBelow("a"), '{"name": "a", "q": 2}'),
    ],
)
def test_283_a_class_that_pydantic_shall_close(
    into: Any, text: str, made: object, unknown: str
) -> None:
    """`with_config(extra="forbid")` had no effect, except in a class of pydantic."""
    assert decode(text, into) == made
    with pytest.raises(ValidationError, match=f'{into.__name__} has no field for the key "q"'):
        decode(unknown, into)
    # Pydantic got the dict without the key, so it did not see it either.
    around = pydantic.create_model("around", a=into)
    assert decode(f'{{"a": {text}}}', around).a == made
    with pytest.raises(ValidationError, match=r' for the key "q" \(at a/q\)'):
        decode(f'{{"a": {unknown}}}', around)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"alias_generator": str.upper}, "alias_generator"),
        ({"extra": "allow"}, "extra"),
        ({"str_strip_whitespace": True}, "str_strip_whitespace"),
        ({"str_max_length": 0}, "str_max_length"),
        ({"coerce_numbers_to_str": True}, "coerce_numbers_to_str"),
        ({"allow_inf_nan": False}, "allow_inf_nan"),
        ({"title": "a", "use_enum_values": True}, "use_enum_values"),
        ({"a_setting_of_tomorrow": 1}, "a_setting_of_tomorrow"),
    ],
)
def test_283_settings_that_only_pydantic_obeys(settings: Any, name: str) -> None:
    """They had no effect."""
    kinds: list[Any] = [
        typing_extensions.TypedDict("C", {"x": str}),
        make_dataclass("C", [("x", str)]),
    ]
    for kind in kinds:
        configured = pydantic.with_config(settings)(kind)
        assert refused(configured) == (
            f"C has with_config({name}=...), which only works in a class of pydantic"
        )


def test_283_settings_without_an_effect() -> None:
    settings: Any = {"extra": "ignore", "str_to_lower": False, "alias_generator": None}
    closed = pydantic.with_config(settings)(make_dataclass("C", [("x", str)]))
    assert decode('{"x": "A", "y": 1}', closed) == closed("A")


def test_283_a_class_of_pydantic_obeys_them() -> None:
    """Pydantic got what Penstock had made without the settings."""
    upper = pydantic.with_config(alias_generator=str.upper)
    keys: Any = upper(typing_extensions.TypedDict("keys", {"x": str}))
    named: Any = upper(make_dataclass("named", [("x", int)]))
    around = pydantic.create_model("around", a=keys, b=named, c=Aliased)
    made: Any = decode('{"a": {"X": "x"}, "b": {"X": 1}, "c": {"N": "n"}}', around)
    assert (made.a, made.b, made.c) == ({"x": "x"}, named(1), Aliased("n"))


def test_284_a_default_that_is_for_pydantic() -> None:
    """The object of `Field(...)` became the field's value."""
    assert refused(Aliased) == (
        "the default of 'name' of Aliased is a Field(...), which only works in a class of pydantic"
    )
    assert refused(list[Aliased]) == refused(Aliased)


def by_first_item() -> tuple[Any, str, list[Any]]:
    class Kind(enum.StrEnum):
        A = "a"
        B = "b"

    class One(msgspec.Struct, array_like=True):
        kind: Literal[Kind.A]

    class Other(msgspec.Struct, array_like=True):
        kind: Literal[Kind.B]

    return One | Other, '["a"]', [Kind, One, Other]


def by_tag() -> tuple[Any, str, list[Any]]:
    class Kind(enum.StrEnum):
        A = "a"
        B = "b"

    @dataclass
    class One:
        kind: Literal[Kind.A]

    @dataclass
    class Other:
        kind: Literal[Kind.B]

    into = Annotated[One | Other, penstock.tag("kind", {"a": One, "b": Other})]
    return into, '{"kind": "a"}', [Kind, One, Other]


@pytest.mark.thread_unsafe(reason="the collector is the whole process's")
@pytest.mark.parametrize("made", [by_first_item, by_tag])
def test_285_the_collector_sees_the_values_that_distinguish_classes(made: Any) -> None:
    """A cycle through a member of an enum was never collected."""
    into, text, classes = made()
    plan = Plan(into)
    assert type(decode(text, plan)) is classes[1]
    classes[0].plan = plan
    watched = [weakref.ref(each) for each in classes]
    del into, plan, classes
    for clear in typing._cleanups:  # type: ignore[attr-defined]
        clear()
    for _ in range(3):
        gc.collect()
    assert [watch() for watch in watched] == [None, None, None]


class Street(pydantic.BaseModel):
    name: str


class Town(pydantic.BaseModel):
    wide: int = pydantic.Field(validation_alias=pydantic.AliasChoices("w", "width"))
    streets: list[Any] = []

    @pydantic.field_validator("streets")
    @classmethod
    def made(cls, streets: list[Any]) -> list[Any]:
        return pydantic.TypeAdapter(list[Street]).validate_python(streets)


def test_286_a_key_that_pydantic_misses() -> None:
    """Its code was "refused", and its path went on to the key."""
    with pytest.raises(ValidationError) as caught:
        decode('[{"x": 1}]', list[Town])
    error = caught.value
    assert str(error) == 'line 1, column 9: Field required: "w" (at 0)'
    assert (error.code, error.path, error.steps) == ("missing", "0", (0, "w"))
    assert isinstance(error.__cause__, pydantic.ValidationError)
    # A key that pydantic's own class misses further in.
    with pytest.raises(ValidationError) as caught:
        decode('{"w": 1, "streets": [{"name": "a"}, {}]}', Town)
    error = caught.value
    assert str(error) == 'line 1, column 39: Field required: "name" (at streets/1)'
    assert (error.code, error.steps) == ("missing", ("streets", 1, "name"))
    # Any other problem is as before.
    with pytest.raises(ValidationError) as caught:
        decode('{"w": 1, "streets": [{"name": 1}]}', Town)
    assert (caught.value.code, caught.value.path) == ("refused", "streets/0/name")


def test_287_repairs_of_several_files(tmp_path: Path) -> None:
    """They did not say in which file; a reader that was closed forgot all but the last file's."""
    paths = [tmp_path / "a.xml", tmp_path / "b.xml"]
    for path in paths:
        path.write_text(f"<r><i>{path.stem} & co</i></r>")
    with penstock.xml.read(paths, str, repair="bare_ampersand", unknown="collect") as reader:
        assert list(reader) == ["a & co", "b & co"]
    expected = [penstock.Repair("bare_ampersand", 8, 1, 9, str(path)) for path in paths]
    assert reader.repairs == expected
    assert reader.repair_counts == {"bare_ampersand": 2}
    shown = f"Repair(kind='bare_ampersand', offset=8, line=1, column=9, source={str(paths[0])!r})"
    assert repr(reader.repairs[0]) == shown
    assert pickle.loads(pickle.dumps(expected)) == expected
    # Also of one file, and in its events.
    with penstock.xml.read(paths[0], str, repair="bare_ampersand") as reader:
        assert (list(reader), reader.repairs) == (["a & co"], expected[:1])
    with penstock.xml.events(paths[1], repair="bare_ampersand") as events:
        assert (len(list(events)) > 0, events.repairs) == (True, expected[1:])


def test_287_unknown_keys_of_several_files_after_the_end(tmp_path: Path) -> None:
    """A reader that was closed forgot all but the last file's."""
    paths = [tmp_path / "a.ndjson", tmp_path / "b.ndjson"]
    for path in paths:
        path.write_text(f'{{"name": "x", "{path.stem}": 1}}\n')
    with penstock.read(paths, Open, unknown="collect") as reader:
        assert list(reader) == [Open("x"), Open("x")]
    assert reader.unknown == {"Open.a": 1, "Open.b": 1}


def test_287_how_a_reader_of_several_formats_is_shown(tmp_path: Path) -> None:
    """It showed what the records of the first file's format are."""
    paths = [tmp_path / "a.json", tmp_path / "b.xml"]
    paths[0].write_text('[{"name": "a"}]')
    paths[1].write_text("<r><i><name>b</name></i></r>")
    with penstock.read(paths, Named) as reader:
        assert repr(reader) == (
            "Reader(2 files -> Named, the records of each format, 0 records, 0 %)"
        )
        assert list(reader) == [Named("a"), Named("b")]
    with penstock.read(paths[:1], Named) as reader:
        assert "the elements of a top-level array" in repr(reader)
    with penstock.read(paths, str, at="*/name") as reader:
        assert repr(reader) == 'Reader(2 files -> str, at "*/name", 0 records, 0 %)'


NIL = '<x xsi:nil="true"/>'


@pytest.mark.parametrize(
    ("elements", "joined"),
    [
        ("<x>a</x><x>b</x>", "a b"),
        (f"<x>a</x>{NIL}", "a"),
        (f"{NIL}<x>a</x>", "a"),
        (f"<x>a</x>{NIL}<x>b</x>", "a b"),
        (f"<x>a</x><x>b</x>{NIL}<x>c</x>{NIL}", "a b c"),
        (f"{NIL}{NIL}", None),
        (f"<x/>{NIL}<x>a</x>", " a"),
    ],
)
def test_288_an_element_with_nil_has_no_text_to_join(elements: str, joined: str | None) -> None:
    """It took the place of the texts before it; after two of them, the next one was lost."""

    @dataclass
    class Joined:
        x: str | None
        y: int = 0

    space = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    text = f"<r {space}>{elements}</r>"
    assert penstock.xml.decode(text, Joined, repeated="join") == Joined(joined)
    assert penstock.xml.decode(text, dict[str, str | None], repeated="join") == {"x": joined}


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def test_289_a_key_longer_than_the_limit_in_any_chunks() -> None:
    """A known key was compared in place, whatever its length, if it was whole in the window."""

    @dataclass
    class Place:
        longitude: str

    data = b'{"longitude": "a"}'
    reason = r"column 2: a string longer than 8 bytes \(limits\.token\)"
    for size in (1, 5, 100):
        with pytest.raises(penstock.LimitExceeded, match=reason):
            penstock.json.load(cut(data, size), Place, limits=penstock.Limits(token=8))
        made = penstock.json.load(cut(data, size), Place, limits=penstock.Limits(token=9))
        assert made == Place("a")


@pytest.mark.parametrize("end", [b"\0", b"\0\xd8\0\xd8"])
def test_289_a_fault_before_the_end_of_damaged_text_in_any_chunks(end: bytes) -> None:
    """In some chunks the damage further on was reported, and not the fault before it."""
    data = ("<r><a></b" + "ЖЖ\u2000ЖЖ" * 30).encode("utf-16") + end
    for size in range(1, len(data) + 1):
        with pytest.raises(penstock.MalformedInput, match=r"^line 1, column 7: the end tag of 'b"):
            list(penstock.xml.read(cut(data, size), encoding="utf-16"))
