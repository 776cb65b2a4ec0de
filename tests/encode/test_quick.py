"""The encoder writes the usual values in a loop of its own, and all others value by value.

With an indentation there is no such loop. So the same value is written twice, and must be the same
text, but for the white space, or be refused for the same reason at the same place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock

encode = penstock.json.encode


@dataclass(slots=True)
class Slots:
    """Nothing but scalars."""

    number: int
    amount: float
    text: str
    flag: bool = False
    maybe: int | None = None


@dataclass
class Attributes:
    """The same without slots."""

    number: int
    amount: float
    text: str
    flag: bool = False
    maybe: int | None = None


class Struct(msgspec.Struct):
    """The same of msgspec."""

    number: int
    amount: float
    text: str
    flag: bool = False
    maybe: int | None = None


class Tuple(NamedTuple):
    """The same as a tuple."""

    number: int
    amount: float
    text: str
    flag: bool = False
    maybe: int | None = None


@dataclass(slots=True)
class Nested:
    """Containers between scalars, and a path."""

    before: Any
    lists: list[Any]
    here: Slots | None
    between: str
    names: list[str] = field(default_factory=list)
    table: dict[str, Any] = field(default_factory=dict)
    key: Any = None
    deep: Annotated[Any, penstock.at("a/b")] = 1
    after: Annotated[Any, penstock.at("a/c")] = None
    more: Any = None


@dataclass(slots=True)
class Parent:
    """Objects of declared types."""

    one: Slots
    many: list[Slots]
    by_name: dict[str, Slots]
    rest: list[Attributes | None]


texts = (
    st.text(max_size=5)
    | st.text(st.characters(max_codepoint=0x7F), max_size=70)
    | st.text(st.characters(exclude_categories=[]), max_size=20)
    | st.text(st.characters(max_codepoint=0xFF, exclude_categories=["Cc"]), max_size=40)
    | st.text('abc"\\\n', max_size=40)
)
numbers = st.integers(-(2**70), 2**70) | st.integers(-1000, 1000) | st.booleans()
floats = st.floats() | st.integers(-5, 5)
# Some of the values do not fit their fields.
fields = {
    "number": numbers,
    "amount": floats,
    "text": texts,
    "flag": st.booleans(),
    "maybe": st.none() | numbers | st.just("none"),
}
flat = st.one_of([st.builds(kind, **fields) for kind in (Slots, Attributes, Struct, Tuple)])
scalars = st.none() | numbers | floats | texts | st.binary(max_size=3)


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return containers of such values."""
    some = st.lists(inner, max_size=4)
    table = st.dictionaries(texts | st.integers(0, 3), inner, max_size=4)
    nested = st.builds(
        Nested,
        inner,
        some | some.map(tuple),
        st.none() | flat,
        texts,
        st.lists(texts, max_size=4),
        table,
        inner,
        inner,
        inner,
        inner,
    )
    parent = st.builds(
        Parent,
        st.builds(Slots, **fields),
        st.lists(st.builds(Slots, **fields), max_size=3),
        st.dictionaries(texts, st.builds(Slots, **fields) | inner, max_size=3),
        st.lists(flat | st.none(), max_size=3),
    )
    return some | some.map(tuple) | table | nested | parent | st.lists(flat, max_size=5)


values = st.recursive(scalars | flat, containers, max_leaves=8)


def compact(text: bytes) -> bytes:
    """Return an indented text on one line. A line feed never stands inside a string."""
    keys = re.sub(rb'(?m)^( *"(?:[^"\\]|\\.)*"): ', rb"\1:", text)
    return re.sub(rb"\n *", b"", keys)


def outcome(value: Any, write: Callable[..., bytes] = encode, **options: Any) -> bytes | str:
    """Return the text, or what is wrong."""
    try:
        return write(value, **options)
    except penstock.EncodeError as error:
        return str(error)


@given(values, st.sampled_from([None, "none", "defaults"]))
def test_the_loop_writes_what_the_walk_writes(value: Any, omit: Any) -> None:
    plain, indented = outcome(value, omit=omit), outcome(value, omit=omit, indent=1)
    if isinstance(indented, bytes):
        indented = compact(indented)
    assert plain == indented
    # The second time all classes are known.
    encoder = penstock.json.Encoder(omit=omit)
    assert [outcome(value, encoder.encode) for _ in range(2)] == [plain, plain]


@given(st.lists(st.builds(Slots, **fields), max_size=5))
def test_declared_types_are_checked_in_the_loop(rows: list[Slots]) -> None:
    plain, indented = (
        outcome(rows, penstock.json.Encoder(list[Slots], indent=indent).encode)
        for indent in (None, 0)
    )
    if isinstance(indented, bytes):
        indented = compact(indented)
    assert plain == indented


def test_errors_in_the_loop_have_their_paths() -> None:
    rows = [Slots(1, 1.5, "a"), Slots(2, 2.5, "b")]
    for name, value, reason in (
        ("number", "x", "expected int, got str"),
        ("number", True, "expected int, got bool"),
        ("amount", float("nan"), "JSON has no number for NaN"),
        ("text", "\ud800", "the str has a lone surrogate, which no encoding has"),
        ("maybe", 1.5, "expected int | None, got float"),
    ):
        wrong = Slots(3, 3.5, "c")
        setattr(wrong, name, value)
        for whole, into, path in (
            ([*rows, wrong], None, f"[2].{name}"),
            ([*rows, wrong], list[Slots], f"[2].{name}"),
            ({"a": rows[0], "b": wrong}, None, f"['b'].{name}"),
            ([{"a": 1, "b": wrong}], None, f"[0]['b'].{name}"),
            ((rows[0], wrong), tuple[Slots, ...], f"[1].{name}"),
        ):
            with pytest.raises(penstock.EncodeError) as caught:
                encode(whole, into)
            assert str(caught.value) == f"{path}: {reason}"


def test_a_slot_without_a_value_in_the_loop() -> None:
    rows = [Slots(1, 1.5, "a"), Slots(2, 2.5, "b"), Slots(3, 3.5, "c")]
    del rows[1].text
    with pytest.raises(penstock.EncodeError) as caught:
        encode(rows)
    assert str(caught.value) == "[1].text: the object has no value for the field"


def test_code_that_empties_the_containers_around_it() -> None:
    """What the loop has begun is kept alive for the walk."""
    rows: list[Any] = []
    table: dict[str, Any] = {}

    class Emptying:
        number: int

        @property
        def __dict__(self) -> Any:  # type: ignore[override]
            return {}

        def __getattr__(self, name: str) -> int:
            rows.clear()
            table.clear()
            holder.table = {}
            return 7

    for _ in range(50):
        holder = Nested("new" * 9, [1], None, "b", key=Emptying(), more="m" * 20)
        holder.table = {"a" * 30: "b" * 30, "k": Emptying(), "z": 1}
        table.update(a=holder)
        rows[:] = [Nested(0, [], None, ""), holder, table, "gone"]
        del holder.table["k"], holder.table["z"]
        assert encode(rows).endswith(
            b'"key":{"number":7},"a":{"b":1,"c":null},"more":"' + b"m" * 20 + b'"}]'
        )


def test_more_than_one_buffer() -> None:
    """The text is handed on while lists and dicts are open."""
    rows = [Slots(number, number / 7, "é" * (number % 40)) for number in range(20_000)]
    for value in (rows, {str(at): row for at, row in enumerate(rows)}, [["x" * 50] * 10_000] * 3):
        text = encode(value)
        assert text == compact(encode(value, indent=0))
        assert len(text) > 1 << 20
    wide = {str(at): at for at in range(50_000)}
    assert encode([wide, wide]) == compact(encode([wide, wide], indent=1))
    holder = Nested(1, [wide], None, "b", ["é" * 9] * 20_000, wide, ["a"] * 50_000)
    assert encode([holder] * 2) == compact(encode([holder] * 2, indent=1))
