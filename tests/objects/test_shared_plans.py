"""Many threads use one plan, while other threads plan its classes and drop the plans again."""

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import ModuleType
from typing import Annotated, Any, Literal, NamedTuple

import attrs
import pydantic
import pytest

import penstock
from penstock import Plan, ValidationError, at, json, ndjson, xml

ROUNDS = 25


@dataclass(slots=True)
class Circle:
    kind: Literal["circle"]
    radius: int


@dataclass
class Group:
    kind: Literal["group"]
    parts: "list[Circle | Group]" = field(default_factory=list)
    name: str = ""


@dataclass
class Created:
    id: int
    author: str


class Moved(NamedTuple):
    id: int
    to: int
    by: str | None = None


def doubled(value: int) -> int:
    return 2 * value


@attrs.define
class Converted:
    number: int = attrs.field(converter=doubled, validator=attrs.validators.gt(0))
    _text: str = attrs.field(default="t", alias="text")
    both: str = attrs.Factory(lambda self: f"{self._text}{self.number}", takes_self=True)


class Model(pydantic.BaseModel):
    number: int = pydantic.Field(gt=0)
    parts: list["Model"] = []


@dataclass
class Marked:
    id: Annotated[int, at("@id")]
    names: Annotated[list[str], at("name")]
    inner: "Marked | None" = None


class Case(NamedTuple):
    """Documents with the same keys in different orders, and one that does not fit."""

    format: ModuleType
    into: Any
    documents: list[tuple[str, Any]]
    misfit: str
    problems: list[tuple[str | None, str]]


CASES = {
    "tagged": Case(
        json,
        Circle | Group,
        [
            ('{"kind": "circle", "radius": 1}', Circle("circle", 1)),
            ('{"radius": 2, "kind": "circle"}', Circle("circle", 2)),
            (
                '{"name": "n", "parts": [{"radius": 3, "kind": "circle"}, {"kind": "group"}], "kind": "group"}',
                Group("group", [Circle("circle", 3), Group("group")], "n"),
            ),
        ],
        '{"name": 1, "parts": [{"radius": "x", "kind": "circle"}], "kind": "group"}',
        [
            ("name", "expected str, got the integer 1"),
            ("parts/0/radius", "expected int, got a string"),
        ],
    ),
    "by their keys": Case(
        json,
        list[Created | Moved],
        [
            (
                '[{"id": 1, "author": "a"}, {"to": 3, "id": 2}]',
                [Created(1, "a"), Moved(2, 3)],
            ),
            (
                '[{"by": "b", "id": 2, "to": 3}, {"author": "a", "id": 1}]',
                [Moved(2, 3, "b"), Created(1, "a")],
            ),
        ],
        '[{"id": "x", "to": null}, {"author": 1}]',
        [
            ("0/id", "expected int, got a string"),
            ("0/to", "expected int, got null"),
            ("1/author", "expected str, got the integer 1"),
            ("1", 'Created lacks the required key "id"'),
        ],
    ),
    "attrs": Case(
        json,
        list[Converted],
        [
            ('[{"number": 1}, {"text": "u", "number": 2}]', [Converted(1), Converted(2, "u")]),
            ('[{"both": "b", "text": "v", "number": 3}]', [Converted(3, "v", "b")]),
        ],
        '[{"number": "x"}, {"text": 1, "number": 1}]',
        [("0/number", "expected int, got a string"), ("1/text", "expected str, got the integer 1")],
    ),
    "pydantic": Case(
        json,
        Model,
        [
            ('{"number": 1}', Model(number=1)),
            (
                '{"parts": [{"number": 2}, {"parts": [], "number": 3}], "number": 1}',
                Model(number=1, parts=[Model(number=2), Model(number=3)]),
            ),
        ],
        '{"parts": [{"number": "x"}], "number": 1.5}',
        [
            ("parts/0/number", "expected int, got a string"),
            ("number", "expected int, got a number with a fraction or an exponent"),
        ],
    ),
    "markup": Case(
        xml,
        Marked,
        [
            ('<m id="1"><name>a</name><name>b</name></m>', Marked(1, ["a", "b"])),
            (
                '<m id="2"><inner id="3"><name>c</name></inner><name>d</name></m>',
                Marked(2, ["d"], Marked(3, ["c"])),
            ),
        ],
        '<m id="x"><name>a</name><inner id="y"><name/></inner></m>',
        [
            ("m/@id", 'expected int, got "x"'),
            ("m/inner/@id", 'expected int, got "y"'),
        ],
    ),
}


@pytest.fixture(autouse=True)
def _often() -> Iterator[None]:
    """Let the interpreter switch threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*works: Callable[[], None]) -> None:
    """Run each work again and again in a thread of its own, all of them at once."""
    barrier = threading.Barrier(len(works))

    def run(work: Callable[[], None]) -> None:
        barrier.wait(60)
        for _ in range(ROUNDS):
            work()

    with ThreadPoolExecutor(len(works)) as pool:
        for done in [pool.submit(run, work) for work in works]:
            done.result(100)


def problems(error: ValidationError) -> list[tuple[str | None, str]]:
    """All problems of a record."""
    return [(each.path, each.reason) for each in (error, *error.others)]


@pytest.mark.parametrize("name", CASES)
def test_a_plan_is_shared_while_others_are_made(name: str) -> None:
    case = CASES[name]
    shared: Any = Plan(case.into)

    def decode(plan: Any = shared) -> None:
        for text, value in case.documents:
            assert case.format.decode(text, plan) == value

    def refuse(plan: Any = shared) -> None:
        with pytest.raises(ValidationError) as caught:
            case.format.decode(case.misfit, plan, all_errors=True)
        assert problems(caught.value) == case.problems

    def anew() -> None:
        plan = Plan(case.into)
        decode(plan)
        refuse(plan)

    def by_class() -> None:
        decode(case.into)
        refuse(case.into)

    together(decode, refuse, decode, anew, by_class, anew)


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].format is json])
def test_readers_and_decoders_share_a_plan(name: str) -> None:
    case = CASES[name]
    shared: Any = Plan(case.into)
    texts = [text for text, _ in case.documents] * 3
    values = [value for _, value in case.documents] * 3
    lines = "\n".join(texts).encode()
    array = f"[{','.join(texts)}]".encode()
    pieces = [array[start : start + 7] for start in range(0, len(array), 7)]

    def read() -> None:
        assert list(ndjson.read([lines[:20], lines[20:]], shared)) == values

    def push() -> None:
        decoder = json.Decoder(shared)
        fed = [record for piece in pieces for record in decoder.feed(piece)]
        assert fed + decoder.finish() == values

    def skip() -> None:
        reader = ndjson.read([lines, b"\n", case.misfit.encode()], shared, errors="skip")
        assert list(reader) == values
        assert reader.skipped == 1

    together(read, push, skip, read, push)


def test_plans_of_one_class_that_differ() -> None:
    @dataclass
    class Row:
        first_name: str
        number: int = 7

    plans: list[tuple[Any, str]] = [
        (Row, '{"first_name": "a", "number": 1}'),
        (Plan(Row, rename="camel"), '{"number": 1, "firstName": "a"}'),
        (Plan(Row, rename={"first_name": "name"}), '{"name": "a", "number": 1}'),
        (Plan(Row, strict=False), '{"number": "1", "first_name": "a"}'),
    ]

    def decode(plan: Any, text: str) -> Callable[[], None]:
        def work() -> None:
            assert json.decode(text, plan) == Row("a", 1)

        return work

    together(*(decode(plan, text) for plan, text in plans * 2))


def test_a_handler_s_plans_in_threads() -> None:
    class Sum:
        def __init__(self) -> None:
            self.numbers: list[int] = []

        @penstock.on("rows/row/n")
        def number(self, element: penstock.Element) -> None:
            self.numbers.append(int(element.text))

    document = b"<rows>" + b"".join(b"<row><n>%d</n></row>" % n for n in range(50)) + b"</rows>"

    def send() -> None:
        handler = Sum()
        xml.send([document[:70], document[70:]], handler)
        assert handler.numbers == list(range(50))

    together(send, send, send, send)
