"""Small documents: calls without options take a fast path, with the same results.

A call with an option takes the general path, so it gives the expected result.
"""

from __future__ import annotations

import copy
import functools
import gc
import inspect
import json
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from typing import Any

import pytest

import penstock


@dataclass(slots=True)
class City:
    name: str
    population: int
    latitude: float = 0.0
    names: list[str] = field(default_factory=list)


GOOD = '{"name": "Vila", "population": 1418, "latitude": 42.5, "names": ["Casas", "Vila"]}'
DOCUMENTS: list[bytes | str] = [
    GOOD,
    GOOD.encode(),
    f"  {GOOD}\n",
    b"\xef\xbb\xbf" + GOOD.encode(),
    "\ufeff" + GOOD,
    GOOD.replace("Vila", "Vil\u00e4").encode(),
    GOOD.replace("Vila", "\U0001f3d4").encode(),
    GOOD.replace("Vila", "\\u00e4\\n").encode(),
    GOOD.encode("utf-16"),
    GOOD.encode("utf-16-be"),
    GOOD.encode("utf-32-le"),
    GOOD.encode("latin-1").replace(b"Vila", b"Vil\xe4"),
    GOOD.encode()[:-1],
    GOOD.encode()[:20],
    GOOD.encode() + b"x",
    GOOD.encode() + b" {}",
    GOOD.replace("1418", '"1418"'),
    GOOD.replace("1418", "null"),
    GOOD.replace("1418", "1" * 5_000),
    GOOD.replace("population", "people"),
    GOOD.replace('"Vila",', '"Vila", "name": "Soldeu",', 1),
    GOOD.replace("1418", "[" * 1_100),
    "\ud800",
    '"\ud800"',
    "",
    " ",
    b"",
    b"1",
    b"12",
    b"null",
    b"true",
    b"nul",
    b"[]",
    b"{}",
    b"{",
    b'"\xc3',
    b'"\xff"',
    b"\x1f\x8b\x08\x00 something",
    b"<city/>",
    b"bplist00",
    bytearray(GOOD.encode()),  # type: ignore[list-item]
    memoryview(GOOD.encode()),  # type: ignore[list-item]
]
TYPES: list[Any] = [City, object, Any, list[City], dict[str, Any], City | None, int, str]


def outcome(call: Callable[[], Any]) -> Any:
    """The result of a call, or all attributes of its error."""
    try:
        return call()
    except (penstock.DecodeError, ValueError, TypeError) as error:
        return type(error), str(error), getattr(error, "offset", None), getattr(error, "path", None)


def shown(data: object) -> str:
    """The name of a document, without the address that the `repr` of a memoryview has."""
    return "memoryview" if isinstance(data, memoryview) else repr(data)[:40]


@pytest.mark.parametrize("data", DOCUMENTS, ids=shown)
@pytest.mark.parametrize("into", TYPES, ids=str)
def test_it_is_the_same_with_and_without_an_option(data: Any, into: Any) -> None:
    expected = outcome(lambda: penstock.json.decode(data, into, unknown="skip"))
    assert outcome(lambda: penstock.json.decode(data, into)) == expected
    decoder = penstock.json.Decoder(into)
    # No state remains after an error.
    for _ in range(3):
        assert outcome(lambda: decoder.decode(data)) == expected


@pytest.mark.parametrize("data", DOCUMENTS, ids=shown)
def test_it_is_the_same_where_the_format_is_told_from_the_text(data: Any) -> None:
    expected = outcome(lambda: penstock.decode(data, City, unknown="skip"))
    assert outcome(lambda: penstock.decode(data, City)) == expected


def test_without_a_type_it_is_plain_values() -> None:
    assert penstock.json.decode(GOOD) == penstock.decode(GOOD) == json.loads(GOOD)
    assert penstock.json.Decoder().decode(GOOD) == json.loads(GOOD)


def test_neither_arguments_too_few_nor_too_many() -> None:
    for call in (penstock.json.decode, penstock.decode):
        with pytest.raises(TypeError, match="missing 1 required positional"):
            call()  # type: ignore[call-arg]
        with pytest.raises(TypeError, match="takes from 1 to 2 positional"):
            call(b"1", int, int)  # type: ignore[call-arg,misc]
        with pytest.raises(TypeError, match="unexpected keyword"):
            call(b"1", int, option=True)  # type: ignore[call-overload]


def test_it_is_the_same_however_it_is_called() -> None:
    for call in (penstock.json.decode, penstock.decode):
        positional: tuple[Any, ...] = (GOOD, City)
        expected = call(GOOD, City, unknown="skip")
        assert call(*positional) == expected
        assert call.__call__(*positional) == expected
        assert call.__call__(*positional, unknown="skip") == expected
        assert functools.partial(call, GOOD)(City) == expected
        assert functools.partial(call, unknown="skip")(GOOD, City) == expected
        assert list(map(call, [GOOD, b"[1]"], [City, list[int]])) == [expected, [1]]


def test_it_is_called_while_the_interpreter_ends() -> None:
    program = """
import atexit
import penstock

class Late:
    def __del__(self, decode=penstock.json.decode):
        print(decode(b"[1]"), decode(b"[2]", list), decode(b"[3]", unknown="skip"))

late = Late()
late.itself = late
atexit.register(lambda: print(penstock.decode(b"[0]")))
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"[0]\n[1] [2] [3]\n", b"")


def test_what_a_document_leaves_does_not_reach_the_next() -> None:
    full = penstock.json.decode(GOOD, City)
    for _ in range(3):
        with pytest.raises(penstock.TruncatedInput):
            penstock.json.decode(GOOD[:60], City)
        with pytest.raises(penstock.ValidationError):
            penstock.json.decode(GOOD.replace('"Casas"', "7"), City)
        bare = penstock.json.decode('{"name": "Pal", "population": 1}', City)
        assert bare == City("Pal", 1)
        assert penstock.json.decode(GOOD, City) == full


# Calls within calls.


@dataclass
class Nested:
    text: str
    made: Any = None

    def __post_init__(self) -> None:
        if self.text:
            self.made = penstock.json.decode(self.text, Nested)


def nested(depth: int) -> str:
    text = ""
    for _ in range(depth):
        text = json.dumps({"text": text})
    return text


def test_a_call_within_a_call() -> None:
    made: Any = penstock.json.decode(nested(6), Nested)
    for _ in range(5):
        made = made.made
    assert made == Nested("")


def test_a_call_within_a_call_of_the_same_decoder() -> None:
    @dataclass
    class Inner:
        text: str
        made: Any = None

        def __post_init__(self) -> None:
            if self.text:
                self.made = decoder.decode(self.text)

    decoder = penstock.json.Decoder(Inner)
    made = decoder.decode(nested(4))
    assert made.made.made.made == Inner("")


def test_an_error_of_a_call_within_a_call() -> None:
    @dataclass
    class Guarded:
        text: str

        def __post_init__(self) -> None:
            with pytest.raises(penstock.MalformedInput):
                penstock.json.decode(b"{1}", Guarded)
            if self.text == "raise":
                raise ValueError("not this one")

    assert penstock.json.decode(b'{"text": "a"}', Guarded).text == "a"
    with pytest.raises(penstock.ValidationError, match="not this one"):
        penstock.json.decode(b'{"text": "raise"}', Guarded)
    assert penstock.json.decode(b'{"text": "b"}', Guarded).text == "b"


def test_threads() -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        for turn in range(300):
            name = f"city {number} {turn}"
            city = penstock.json.decode(f'{{"name": "{name}", "population": {turn}}}', City)
            if city != City(name, turn):
                wrong.append(city)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_threads_that_change_within_a_call() -> None:
    barrier = threading.Barrier(3)

    @dataclass
    class Waiting:
        number: int

        def __post_init__(self) -> None:
            barrier.wait(10)

    made: list[int] = []

    def work(number: int) -> None:
        made.extend(
            penstock.json.decode(f'{{"number": {number}}}', Waiting).number for _ in range(5)
        )

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == sorted([0, 1, 2] * 5)


# Classes that change or die.


def test_a_class_that_was_changed_is_noticed() -> None:
    @dataclass
    class Changing:
        name: str

    assert penstock.json.decode(b'{"name": "a"}', Changing).name == "a"

    def loud(self: Any, name: str) -> None:
        self.name = name.upper()

    Changing.__init__ = loud  # type: ignore[method-assign]
    assert penstock.json.decode(b'{"name": "a"}', Changing).name == "A"


@pytest.mark.thread_unsafe(reason="other threads keep the collector's generations busy")
def test_classes_are_let_go() -> None:
    gone = []
    for number in range(100):
        cls = make_dataclass(f"Once{number}", [("a", int)])
        penstock.json.decode(b'{"a": 1}', cls)
        penstock.json.Decoder(cls).decode(b'{"a": 1}')
        gone.append(weakref.ref(cls))
        del cls
    gc.collect()
    assert not [ref for ref in gone if ref() is not None]


# The functions look as before.


@pytest.mark.parametrize("function", [penstock.decode, penstock.json.decode])
def test_it_shows_what_a_function_shows(function: Any) -> None:
    parameters = list(inspect.signature(function).parameters)
    assert parameters[:2] == ["data", "into"]
    assert {"all_errors", "duplicates", "unknown", "types", "encoding", "limits"} < set(parameters)
    assert inspect.isroutine(function)
    assert (inspect.getdoc(function) or "").startswith("Decode one")
    assert function.__name__ == function.__qualname__ == "decode"
    assert function.__annotations__["data"] == "Data"
    assert "decode" in repr(function)
    assert inspect.getsourcefile(inspect.unwrap(function))


@pytest.mark.parametrize("function", [penstock.decode, penstock.json.decode])
def test_it_is_copied_and_pickled_by_its_name(function: Any) -> None:
    assert copy.deepcopy(function) is copy.copy(function) is function
    assert pickle.loads(pickle.dumps(function)) is function


def test_in_a_class_it_is_a_method() -> None:
    class Bytes(bytes):
        plain = penstock.json.decode
        apart = staticmethod(penstock.json.decode)

    assert Bytes(b"[1]").plain() == Bytes.apart(b"[1]") == [1]  # type: ignore[call-arg]
    assert Bytes.plain(b"[1]") == [1]


def test_it_can_be_referred_to_weakly() -> None:
    assert weakref.ref(penstock.decode)() is penstock.decode


# `decode` of a Decoder.


def test_a_decoder_decodes_again_and_again_whatever_it_was_fed() -> None:
    decoder = penstock.json.Decoder(list[int])
    assert decoder.decode(b"[1, 2]") == [1, 2]
    assert decoder.feed(b"[[3") == []
    assert decoder.decode(b"[4]") == [4]
    assert decoder.feed(b"], [5]]") == [[3], [5]]
    assert decoder.finish() == []
    assert decoder.decode(b"[6]") == [6]


def test_a_decoder_has_its_options_and_raises_the_same_errors() -> None:
    decoder = penstock.json.Decoder(City, duplicates="error", unknown="error", all_errors=True)
    for data in ('{"name": "a", "name": "b", "population": 1}', '{"nam": 1, "population": "x"}'):
        expected = outcome(
            lambda data=data: penstock.json.decode(  # type: ignore[misc]
                data, City, duplicates="error", unknown="error", all_errors=True
            )
        )
        assert outcome(lambda data=data: decoder.decode(data)) == expected  # type: ignore[misc]
    assert decoder.decode(GOOD) == penstock.json.decode(GOOD, City)


def test_a_decoder_has_its_limits() -> None:
    decoder = penstock.json.Decoder(limits=penstock.Limits(depth=3))
    assert decoder.decode(b"[[[1]]]") == [[[1]]]
    with pytest.raises(penstock.LimitExceeded):
        decoder.decode(b"[[[[1]]]]")


def test_a_decoder_of_a_plan_and_of_types() -> None:
    assert penstock.json.Decoder(penstock.Plan(City, strict=False)).decode(
        '{"name": "a", "population": "5"}'
    ) == City("a", 5)
    decoder = penstock.json.Decoder(list[complex], types={complex: complex})
    assert decoder.decode('["1+2j"]') == [1 + 2j]


def test_decoders_of_other_formats() -> None:
    assert penstock.ndjson.Decoder(int).decode(b"1\n2\n") == [1, 2]
    assert penstock.xml.Decoder(City).decode(
        b"<city><name>Vila</name><population>7</population></city>"
    ) == City("Vila", 7)
    assert penstock.Decoder(int, format="xml").decode(b"<size>36</size>") == 36


def test_a_decoder_warns_of_repairs_where_it_is_called() -> None:
    decoder = penstock.xml.Decoder(str, repair=["bare_ampersand"])
    for decode in (decoder.decode, lambda data: penstock.xml.decode(data, str, repair="all")):
        with pytest.warns(penstock.RepairWarning) as warned:
            assert decode(b"<a>B & B</a>") == "B & B"
        assert [warning.filename for warning in warned] == [__file__]


def test_a_decoder_of_records_decodes_no_document() -> None:
    with pytest.raises(ValueError, match="reads the records at a path"):
        penstock.json.Decoder(int, at="*").decode(b"[1]")
    with pytest.raises(ValueError, match="without errors="):
        penstock.json.Decoder(int, errors="skip").decode(b"1")
