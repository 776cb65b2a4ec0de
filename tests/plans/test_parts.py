"""Classes whose fields are read from the object around them: `at(".")`."""

import json as plain_json
import pickle
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

import penstock
from penstock import Plan, PlanError, ValidationError, at, json, ndjson, rest, tag, via, xml

T = TypeVar("T")


@dataclass
class Address:
    street: str
    zip: int
    lat: Annotated[float, at("pos/lat")] = 0.0


@dataclass
class Person:
    name: str
    address: Annotated[Address, at(".")]
    lon: Annotated[float, at("pos/lon")] = 0.0
    tags: list[str] = field(default_factory=list)


@dataclass
class Maybe:
    name: str
    address: Annotated[Address | None, at(".")] = None


# The same, with the fields spelled out.
@dataclass
class Spelled:
    name: str
    street: str
    zip: int
    lat: Annotated[float, at("pos/lat")] = 0.0
    lon: Annotated[float, at("pos/lon")] = 0.0
    tags: list[str] = field(default_factory=list)


@dataclass
class MaybeSpelled:
    name: str
    street: str | None = None
    zip: int = 0
    lat: Annotated[float, at("pos/lat")] = 0.0


# The kinds of classes. Each is a part, and has one.


@dataclass
class Data:
    a: int
    b: str = "-"


@dataclass(slots=True, frozen=True)
class Frozen:
    a: int
    b: str = "-"


@dataclass
class Checked:
    a: int
    b: str = "-"

    def __post_init__(self) -> None:
        if self.a == 13:
            raise ValueError("unlucky")


class Tuple(NamedTuple):
    a: int
    b: str = "-"


class Keys(TypedDict):
    a: int
    b: str


class Plain:
    a: int
    b: str = "-"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and (self.a, self.b) == (other.a, other.b)

    __hash__ = None  # type: ignore[assignment]


class Init:
    def __init__(self, a: int, b: str = "-") -> None:
        self.a, self.b = a, b

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Init) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


@attrs.define
class Attrs:
    a: int
    b: str = "-"


class Struct(msgspec.Struct):
    a: int
    b: str = "-"


class Model(pydantic.BaseModel):
    a: int = pydantic.Field(lt=20)
    b: str = "-"


@pydantic.dataclasses.dataclass
class ModelData:
    a: int
    b: str = "-"


@dataclass
class Box(Generic[T]):
    a: T
    b: str = "-"


KINDS: list[Any] = [
    Data, Frozen, Checked, Tuple, Keys, Plain, Init, Attrs, Struct, Model, ModelData, Box[int]
]  # fmt: skip


def made(kind: Any, a: int, b: str) -> Any:
    if kind is Plain:
        plain = Plain()
        plain.a, plain.b = a, b
        return plain
    return kind(a=a, b=b)


def around(kind: Any, part: Any) -> Any:
    """A class of this kind with a part."""
    annotations = {"n": int, "part": Annotated[part, at(".")]}
    body: dict[str, Any] = {"__annotations__": annotations}
    if kind is Frozen:
        return dataclass(slots=True, frozen=True)(type("Around", (), body))
    if kind is Tuple:
        return NamedTuple("Around", list(annotations.items()))
    if kind is Keys:
        return TypedDict("Around", annotations)
    if kind is Attrs:
        return attrs.define(type("Around", (), body))
    if kind is Struct:
        return type("Around", (msgspec.Struct,), body)
    if kind is Model:
        body["model_config"] = {"arbitrary_types_allowed": True}
        return type("Around", (pydantic.BaseModel,), body)
    if kind is Plain:
        return type("Around", (), body)
    return dataclass(type("Around", (), body))


def contents(value: Any) -> Any:
    return (value["n"], value["part"]) if isinstance(value, dict) else (value.n, value.part)


@pytest.mark.parametrize("outer", [Data, Frozen, Tuple, Keys, Plain, Attrs, Struct, Model])
@pytest.mark.parametrize("inner", KINDS)
def test_each_kind_of_class(outer: Any, inner: Any) -> None:
    if outer is Model and inner is Keys:
        return  # Pydantic takes no `typing.TypedDict`.
    into = around(outer, inner)
    text = b'{"a": 7, "other": [], "n": 1, "b": "x"}'
    wanted = 1, made(inner, 7, "x")
    assert contents(json.decode(text, into)) == wanted
    assert contents(json.decode(text, into, all_errors=True)) == wanted
    [cut] = json.read([text[i : i + 1] for i in range(len(text))], into)
    assert contents(cut) == wanted
    markup = b"<r a='7'><n>1</n><other/><b>x</b></r>"
    assert contents(xml.decode(markup, into)) == wanted
    markup = b"<x>%b</x>" % markup
    [cut] = xml.read([markup[i : i + 1] for i in range(len(markup))], into)
    assert contents(cut) == wanted
    # What was read is written.
    value = json.decode(text, into)
    written = json.encode(value, into) if isinstance(value, dict) else json.encode(value)
    assert plain_json.loads(written) == {"n": 1, "a": 7, "b": "x"}
    if inner is not Keys:
        assert contents(json.decode('{"n": 1, "a": 7}', into)) == (1, made(inner, 7, "-"))
    with pytest.raises(ValidationError, match=r'lacks the required key "a"$') as caught:
        json.decode('{"n": 1, "b": "x"}', into)
    assert caught.value.steps == ("a",)
    with pytest.raises(ValidationError, match=r"expected int, got a string \(at a\)$"):
        json.decode('{"n": 1, "a": "x", "b": "x"}', into)
    assert "part: " in repr(Plan(into))


def test_the_fields_of_both() -> None:
    text = (
        '{"tags": ["t"], "street": "s", "pos": {"lon": 2, "x": 0, "lat": 1}, "zip": 8, "name": "n"}'
    )
    wanted = Person("n", Address("s", 8, 1.0), 2.0, ["t"])
    assert json.decode(text, Person) == wanted
    assert json.decode(text, Person, unknown="skip") == wanted
    assert json.decode(f"[{text}, {text}]", list[Person]) == [wanted, wanted]
    assert json.decode(f'{{"k": {text}}}', dict[str, Person]) == {"k": wanted}
    markup = "<p name='n' street='s'><zip>8</zip><pos lat='0'><lat>1</lat><lon>2</lon></pos></p>"
    assert xml.decode(markup, Person) == replace(wanted, tags=[])
    written = '{"name":"n","street":"s","zip":8,"pos":{"lon":2.0,"lat":1.0},"tags":["t"]}'
    assert plain_json.loads(json.encode(wanted)) == plain_json.loads(written)
    assert json.decode(json.encode(wanted), Person) == wanted


def test_every_verb() -> None:
    text = '{"name": "n", "street": "s", "zip": 8}'
    wanted = Person("n", Address("s", 8))
    lines = f"{text}\n{text}\n".encode()
    assert list(ndjson.read([lines], Person)) == [wanted, wanted]
    assert list(json.read([f'{{"a": [{text}]}}'.encode()], Person, at="a/*")) == [wanted]
    decoder = ndjson.Decoder(Person)
    got = [record for i in range(len(lines)) for record in decoder.feed(lines[i : i + 1])]
    assert got + decoder.finish() == [wanted, wanted]
    assert json.Decoder(Person).decode(text.encode()) == wanted
    document = json.open(f'{{"a": {text}}}'.encode())
    assert document["a"].to(Person) == wanted
    assert document.to(Person, at="a") == wanted


def test_optional_parts() -> None:
    assert json.decode('{"name": "n"}', Maybe) == Maybe("n")
    assert json.decode('{"name": "n", "pos": {"lon": 1}}', Maybe) == Maybe("n")
    assert json.decode('{"name": "n", "zip": 1, "street": "s"}', Maybe) == Maybe(
        "n", Address("s", 1)
    )
    for text in ('{"name": "n", "zip": 1}', '{"name": "n", "pos": {"lat": 1}, "zip": 1}'):
        with pytest.raises(ValidationError) as caught:
            json.decode(text, Maybe)
        reason = f'line 1, column {len(text)}: Address lacks the required key "street"'
        assert str(caught.value) == reason
    assert xml.decode("<p name='n'/>", Maybe) == Maybe("n")
    with pytest.raises(ValidationError) as caught:
        xml.decode("<p name='n' zip='1'/>", Maybe)
    assert str(caught.value) == (
        "line 1, column 20: Address lacks the required element or attribute 'street' (at p)"
    )

    @dataclass
    class Nullable:
        address: Annotated[Address | None, at(".")]

    assert json.decode("{}", Nullable) == Nullable(None)
    assert xml.decode("<p/>", Nullable) == Nullable(None)

    @dataclass
    class Default:
        address: Annotated[Address, at(".")] = field(default_factory=lambda: Address("-", 0))

    assert json.decode("{}", Default) == Default(Address("-", 0))
    assert json.decode('{"street": "s", "zip": 1}', Default) == Default(Address("s", 1))
    with pytest.raises(ValidationError, match="Address lacks"):
        json.decode('{"zip": 1}', Default)


def test_all_errors() -> None:
    text = '{"name": 1, "zip": "x", "pos": {"lon": "x", "lat": null}}'
    for into, paths in (
        (Person, "name zip pos/lon pos/lat street"),
        (Maybe, "name zip pos/lat street"),
    ):
        with pytest.raises(ValidationError) as caught:
            json.decode(text, into, all_errors=True)
        got = ["/".join(error.steps) for error in (caught.value, *caught.value.others)]
        assert sorted(got) == sorted(paths.split())

    @dataclass
    class Two:
        one: Annotated[Checked, at(".")]
        two: Annotated[Model2, at(".")]
        n: int = 0

    with pytest.raises(ValidationError) as caught:
        json.decode('{"a": 13, "c": 50, "d": 60}', Two, all_errors=True)
    assert [error.reason for error in (caught.value, *caught.value.others)] == [
        "Input should be less than 20",
        "Input should be less than 20",
        "ValueError: unlucky",
    ]
    assert [error.column for error in (caught.value, *caught.value.others)] == [16, 25, 27]
    with pytest.raises(ValidationError, match="Checked lacks") as caught:
        json.decode("{}", Two, all_errors=True)
    assert [error.steps for error in (caught.value, *caught.value.others)] == [
        ("a",),
        ("c",),
        ("d",),
    ]


class Model2(pydantic.BaseModel):
    c: int = pydantic.Field(lt=20)
    d: int = pydantic.Field(lt=20)


def test_own_code_says_where() -> None:
    for part, place in ((Checked, "(at x)"), (Model, "(at x/a)")):

        @dataclass
        class Outer:
            x: Annotated[around(Data, part), at("x")]  # type: ignore[valid-type]

        with pytest.raises(ValidationError) as caught:
            json.decode('{"x": {"n": 1, "a": 13}}' if part is Checked else BIG, Outer)
        assert str(caught.value).endswith(place)


BIG = '{"x": {"n": 1, "a": 99}}'


def test_a_part_of_a_part() -> None:
    @dataclass
    class Inner:
        a: int
        b: Annotated[int, at("deep/b")] = 0

    @dataclass
    class Middle:
        c: int
        inner: Annotated[Inner | None, at(".")] = None
        d: list[int] = field(default_factory=list)

    @dataclass
    class Outer:
        middle: Annotated[Middle, at(".")]
        e: Annotated[int, at("deep/e")] = 0
        last: Annotated[Data2 | None, at(".")] = None

    text = '{"deep": {"e": 5, "b": 2}, "d": [4], "c": 3, "a": 1, "z": 9}'
    wanted = Outer(Middle(3, Inner(1, 2), [4]), 5, Data2(9))
    assert json.decode(text, Outer) == wanted
    assert json.decode(json.encode(wanted), Outer) == wanted
    markup = "<o><d>4</d><deep><e>5</e><b>2</b></deep><c>3</c><a>1</a><z>9</z></o>"
    assert xml.decode(markup, Outer) == wanted
    assert json.decode('{"c": 3}', Outer) == Outer(Middle(3))
    assert json.encode(Outer(Middle(3))) == b'{"deep":{"e":0},"c":3,"d":[]}'
    with pytest.raises(ValidationError, match='Inner lacks the required key "a"'):
        json.decode('{"c": 3, "deep": {"b": 1}}', Outer)


@dataclass
class Data2:
    z: int


def test_unknown_keys_and_the_rest() -> None:
    text = '{"name": "n", "street": "s", "zip": 8, "other": 1}'
    with pytest.raises(ValidationError) as caught:
        json.decode(text, Person, unknown="error")
    assert str(caught.value) == (
        'line 1, column 40: Person has no field for the key "other" (at other)'
    )
    with pytest.raises(ValidationError, match='did you mean "street"'):
        json.decode('{"stret": "s"}', Person, unknown="error")
    reader = ndjson.read([text.encode()], Person, unknown="collect")
    assert list(reader) == [Person("n", Address("s", 8))]
    assert reader.unknown == {"Person.other": 1}

    @dataclass
    class Whole:
        address: Annotated[Address, at(".")]
        more: Annotated[dict[str, Any], rest] = field(default_factory=dict)

    wanted = Whole(Address("s", 8), {"name": "n", "other": 1})
    assert json.decode(text, Whole, unknown="error") == wanted
    assert json.decode(json.encode(wanted), Whole) == wanted
    with pytest.raises(penstock.EncodeError) as refused:
        json.encode(Whole(Address("s", 8), {"zip": 1}))
    assert str(refused.value) == "the rest has the key 'zip' of a field"


class Strict(msgspec.Struct, forbid_unknown_fields=True):
    c: int


def test_the_class_around_decides_on_unknown_keys() -> None:
    @dataclass
    class Around:
        name: str
        part: Annotated[Strict, at(".")]

    assert json.decode('{"name": "n", "c": 1, "x": 0}', Around) == Around("n", Strict(1))


def test_duplicates() -> None:
    text = '{"name": "n", "zip": 8, "street": "s", "zip": 9}'
    assert json.decode(text, Person).address.zip == 9
    assert json.decode(text, Person, duplicates="first").address.zip == 8
    with pytest.raises(ValidationError, match='the key "zip" occurs more than once') as caught:
        json.decode(text, Person, duplicates="error")
    assert caught.value.path == "zip"


def test_plans() -> None:
    text = '{"Name": "n", "Street": "s", "Zip": "8"}'
    plan = Plan(Person, rename="pascal", strict=False)
    assert json.decode(text, plan) == Person("n", Address("s", 8))
    plan = Plan(Person, rename={Address: {"zip": "name"}, "name": "zip"})
    swapped = json.decode('{"zip": "n", "street": "s", "name": 8}', plan)
    assert swapped == Person("n", Address("s", 8))
    assert repr(Plan(Person)) == (
        "Plan(Person)\n"
        "Person, fast: attributes\n"
        "    name: str\n"
        "    address: Address at '.'\n"
        "    lon: float at 'pos/lon' = 0.0\n"
        "    tags: list[str] = list()\n"
        "Address, fast: attributes\n"
        "    street: str\n"
        "    zip: int\n"
        "    lat: float at 'pos/lat' = 0.0"
    )


def test_constraints_and_conversions() -> None:
    seen = []

    def check(address: Address) -> Address:
        seen.append(address)
        if address.zip == 0:
            raise ValueError("no zip")
        return replace(address, street=address.street.upper())

    @dataclass
    class Around:
        name: str
        address: Annotated[Address, at("."), via(check, Address)]

    assert json.decode('{"zip": 1, "name": "n", "street": "s"}', Around) == Around(
        "n", Address("S", 1)
    )
    with pytest.raises(ValidationError) as caught:
        json.decode('{"zip": 0, "name": "n", "street": "s"}', Around)
    assert str(caught.value) == "line 1, column 38: ValueError: no zip"
    with pytest.raises(penstock.EncodeError, match="field 'address' is converted from Address"):
        json.encode(Around("n", Address("s", 1)))


def test_unions() -> None:
    @dataclass
    class Circle:
        shape: Annotated[Tagged1, at(".")]
        r: int

    @dataclass
    class Square:
        shape: Annotated[Tagged2, at(".")]
        r: int

    assert json.decode('{"r": 1, "kind": "circle"}', Circle | Square) == Circle(
        Tagged1("circle"), 1
    )
    assert json.decode('{"kind": "square", "r": 1}', Circle | Square) == Square(
        Tagged2("square"), 1
    )
    assert json.decode('{"z": 1, "n": 2}', OneKey | OtherKey) == OneKey(2, Data2(1))
    assert json.decode('{"n": 2}', OneKey | OtherKey) == OtherKey(2)
    event = Annotated[OneKey | OtherKey, tag("t")]
    assert json.decode('{"z": 1, "n": 2, "t": "OneKey"}', event) == OneKey(2, Data2(1))  # type: ignore[comparison-overlap]


@dataclass
class Tagged1:
    kind: Literal["circle"]


@dataclass
class Tagged2:
    kind: Literal["square"]


@dataclass
class OneKey:
    n: int
    z: Annotated[Data2, at(".")]


@dataclass
class Data3:
    y: int


@dataclass
class OtherKey:
    n: int
    y: Annotated[Data3 | None, at(".")] = None


def refusal(into: Any, form: str = "json") -> str:
    with pytest.raises(PlanError) as caught:
        (json if form == "json" else xml).decode("{}" if form == "json" else "<a/>", into)
    return str(caught.value)


class Array(msgspec.Struct, array_like=True):
    c: int


class Open(pydantic.BaseModel, extra="allow"):
    c: int


@dataclass
class Rest:
    c: int
    more: Annotated[dict[str, Any], rest]


@dataclass
class Keyed:
    c: int
    key: Annotated[str, at("key()")] = ""


@dataclass
class Nothing:
    c: int = field(default=0, init=False)


@dataclass
class Loop:
    n: int
    loop: Annotated["Loop | None", at(".")] = None


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        (str, "at('.') takes a class with fields, not str"),
        (dict[str, Any], "at('.') takes a class with fields, not dict[str, Any]; rest takes all other keys"),
        (list[Data2], "at('.') takes a class with fields, not list[Data2]"),
        (Data | Data2, "at('.') takes a class with fields, not Data | Data2"),
        (Array, "at('.'): Array is an array, which has no keys"),
        (Open, "at('.'): Open takes all other keys, and these would be those of Around"),
        (Rest, "at('.'): Rest takes all other keys, and these would be those of Around"),
        (Keyed, "at('.'): the field 'key' of Keyed takes the key() of an object of its own"),
        (Nothing, "at('.'): Nothing has no field that is read"),
    ],
)  # fmt: skip
def test_refused_parts(part: Any, reason: str) -> None:
    assert refusal(around(Data, part)) == f"field 'part' of Around: {reason}"


def test_refused_classes() -> None:
    assert refusal(Loop) == "field 'loop' of Loop: at('.'): Loop would be a part of itself"
    several = type("Around", (), {"__annotations__": {"x": Annotated[Data, at(".", "x")]}})
    assert refusal(dataclass(several)) == (
        "field 'x' of Around: at('.') stands alone: it takes no other path and no key="
    )

    class Row(msgspec.Struct, array_like=True):
        n: int
        part: Annotated[Data, at(".")]

    assert refusal(Row) == "field 'part' of Row: at('.'): Row is an array, which has no keys"
    assert refusal(around(Data, str), "xml") == (
        "field 'part' of Around: at('.') takes a class with fields, not str; "
        "all text of an element has the path string()"
    )
    with pytest.raises(ValidationError, match="expected Around, got an array"):
        json.decode("[1, 2]", around(Tuple, Data))


def test_two_fields_for_one_key() -> None:
    both = around(Data, around(Data, Data))
    assert refusal(both) == "fields 'n' and 'part.n' of Around claim the same value: 'n' and 'n'"
    assert refusal(both, "xml") == (
        "fields 'n' and 'part.n' of Around claim the same value: 'n' and 'n'"
    )

    @dataclass
    class Twice:
        one: Annotated[Address, at(".")]
        two: Annotated[Address, at(".")]

    assert refusal(Twice) == (
        "fields 'one.street' and 'two.street' of Twice claim the same value: 'street' and 'street'"
    )

    @dataclass
    class ByRename:
        name: str
        data: Annotated[Data2, at(".")]

    with pytest.raises(PlanError, match=r"'name' and 'data\.z' of ByRename claim the same value"):
        Plan(ByRename, rename={"name": "z"})

    @dataclass
    class Items:
        data: Annotated[dict[str, OneKey], at("x/*", key="z")]

    assert "OneKey has no such field" not in refusal(around(Data, Items))


def test_what_cannot_be_written() -> None:
    @dataclass
    class Sub(Data):
        c: int = 0

    @dataclass
    class Around:
        part: Annotated[Data, at(".")]

    @dataclass
    class Other:
        part: Annotated[Data | None, at(".")] = field(default_factory=lambda: Data(1))

    @dataclass
    class Defaults:
        part: Annotated[Defaulted | None, at(".")] = None

    for value, reason in (
        (Around(Sub(1)), "part.a: expected Data, got Sub"),
        (Around(None), "part.a: expected Data, got NoneType"),  # type: ignore[arg-type]
        (Around(Data("x")), "part.a: expected int, got str"),  # type: ignore[arg-type]
        (Other(None), "part.a: None is left out here, and would not be read as None"),
        (Partial({}), "field 'part' may be absent, and nothing tells that from an empty Total"),
    ):
        with pytest.raises(penstock.EncodeError) as caught:
            json.encode(value)
        assert str(caught.value) == reason
    # An object on the path to a field is always written.
    assert json.encode(Maybe("n")) == b'{"name":"n","pos":{}}'
    assert json.decode(json.encode(Maybe("n")), Maybe) == Maybe("n")
    # A part that may be absent is written whole: without its members, it would be.
    assert json.encode(Defaults(Defaulted()), omit="defaults") == b'{"a":1,"b":null}'
    assert json.encode(Defaults(Defaulted()), omit="none") == b'{"a":1,"b":null}'
    assert json.encode(Around(Data(1)), omit="defaults") == b'{"a":1}'


@dataclass
class Defaulted:
    a: int = 1
    b: int | None = None


class Total(TypedDict, total=False):
    a: int


@dataclass
class Partial:
    part: Annotated[Total | None, at(".")] = None


KEYS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["n", "", 1]),
        "street": st.sampled_from(["s", "é", None]),
        "zip": st.sampled_from([1, 2**70, "x"]),
        "pos": st.sampled_from([{"lat": 1, "lon": 2}, {"lon": 2}, {"lat": "x"}, 1, {}]),
        "tags": st.sampled_from([["a"], [], [1]]),
        "other": st.sampled_from([1, [{}], {"zip": 1}]),
    },
)


def outcome(text: bytes, into: Any, cut: int | None, options: dict[str, Any]) -> Any:
    """What a record becomes, with the members of its part spelled out; or its problems."""
    try:
        if cut is None:
            value = json.decode(text, into, **options)
        else:
            [value] = json.read([text[:cut], text[cut:]], into, **options)
    except ValidationError as error:
        return sorted((it.steps, it.code, it.column) for it in (error, *error.others))
    members = dict(vars(value))
    if "address" in members:
        address = members.pop("address")
        members |= vars(address) if address else {"street": None, "zip": 0, "lat": 0.0}
    return members


@given(KEYS, st.randoms(use_true_random=False), st.data())
def test_as_if_spelled_out(keys: dict[str, Any], random: Any, data: st.DataObject) -> None:
    members = list(keys.items())
    random.shuffle(members)
    text = plain_json.dumps(dict(members), ensure_ascii=False).encode()
    cut = data.draw(st.none() | st.integers(0, len(text)))
    for all_errors in (False, True):
        for duplicates in ("last", "error"):
            options = {"all_errors": all_errors, "duplicates": duplicates}
            got = outcome(text, Person, cut, options)
            wanted = outcome(text, Spelled, cut, options)
            # Without all errors, which of several missing keys is told first is left open.
            if all_errors or isinstance(wanted, dict) or wanted[0][1] != "missing":
                assert got == wanted
            else:
                assert got[0][1] == "missing"
    if not any(key in keys for key in ("street", "zip")) and keys.get("pos") != {
        "lat": 1,
        "lon": 2,
    }:
        assert outcome(text, Maybe, cut, {}) == outcome(text, MaybeSpelled, cut, {})


@given(KEYS, st.data())
def test_as_if_spelled_out_in_xml(keys: dict[str, Any], data: st.DataObject) -> None:
    parts = []
    for name in data.draw(st.permutations(list(keys))):
        match keys[name]:
            case dict(members):
                inner = "".join(f"<{key}>{value}</{key}>" for key, value in members.items())
                parts.append(f"<{name}>{inner}</{name}>")
            case list(items):
                parts += [f"<{name}>{item}</{name}>" for item in items]
            case value:
                parts.append(f"<{name}>{value}</{name}>")
    text = f"<x><r>{''.join(parts)}</r></x>".encode()

    def read(into: Any) -> Any:
        try:
            [value] = xml.read([text[:cut], text[cut:]], into, all_errors=True)
        except ValidationError as error:
            return sorted((it.steps, it.code, it.column) for it in (error, *error.others))
        members = dict(vars(value))
        if "address" in members:
            members |= vars(members.pop("address"))
        return members

    cut = data.draw(st.integers(0, len(text)))
    assert read(Person) == read(Spelled)


def test_rows_are_recycled_with_their_parts() -> None:
    @dataclass(slots=True)
    class Row:
        n: int
        part: Annotated[Slot, at(".")]

    lines = b"".join(b'{"n": %d, "a": %d}\n' % (i, -i) for i in range(1000))
    assert [(row.n, row.part.a) for row in ndjson.read([lines], Row)] == [
        (i, -i) for i in range(1000)
    ]
    assert [row.part.a for row in list(ndjson.read([lines], Row))] == [-i for i in range(1000)]
    kept = [row.part for row in ndjson.read([lines], Row)]
    assert [part.a for part in kept] == [-i for i in range(1000)]


@dataclass(slots=True)
class Slot:
    a: int


def test_pickled_words() -> None:
    assert pickle.loads(pickle.dumps(at("."))) == at(".")
