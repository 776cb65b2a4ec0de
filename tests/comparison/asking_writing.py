"""How each library is asked to write a value as JSON, and how its text is judged.

A library writes a value of a type and reads its own text back into the type. json and orjson read
no types: their text is right if one of the others reads the value from it. `Written` is one
question, `cell` rates a library's answer.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import json
import os
import pickle
import re
import resource
import signal
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import cattrs.preconf.json
import mashumaro.codecs.json
import mashumaro.dialect
import msgspec
import orjson
import pydantic
from asking import LIBRARIES as READERS
from asking import REFUSED, Ask, alike, shown

import penstock

Write = Callable[[Any, Any], Any]
"""Takes the type and the value, and returns text or bytes."""


def penstock_(into: Any, value: Any) -> Any:
    return penstock.json.encode(value, into)


def msgspec_(_: Any, value: Any) -> Any:
    return msgspec.json.encode(value)


def pydantic_(into: Any, value: Any) -> Any:
    return pydantic.TypeAdapter(into).dump_json(value)


def cattrs_(into: Any, value: Any) -> Any:
    return cattrs.preconf.json.make_converter().dumps(value, unstructure_as=into)


def mashumaro_(into: Any, value: Any) -> Any:
    return mashumaro.codecs.json.JSONEncoder(into).encode(value)


def orjson_(_: Any, value: Any) -> Any:
    return orjson.dumps(value)


def json_(_: Any, value: Any) -> Any:
    return json.dumps(value, default=dataclasses.asdict)


WRITERS: Mapping[str, Write] = {
    "Penstock": penstock_,
    "msgspec": msgspec_,
    "pydantic": pydantic_,
    "cattrs": cattrs_,
    "mashumaro": mashumaro_,
    "orjson": orjson_,
    "json": json_,
}


@dataclass(frozen=True)
class Way:
    """A documented option, as the page spells it, which is tried if the plain call is not right."""

    said: str
    write: Write
    read: Ask | None = None


def penstock_with(said: str, read: Ask | None = None, **options: Any) -> Way:
    return Way(said, lambda into, value: penstock.json.encode(value, into, **options), read)


def plan(said: str, **options: Any) -> Way:
    """Penstock with an option beside the class."""
    return Way(
        said,
        lambda into, value: penstock.json.encode(value, penstock.Plan(into, **options)),
        lambda into, data: penstock.json.decode(data, penstock.Plan(into, **options)),
    )


def msgspec_with(said: str, **options: Any) -> Way:
    return Way(said, lambda _, value: msgspec.json.Encoder(**options).encode(value))


def pydantic_with(said: str, **options: Any) -> Way:
    """Pydantic with an argument of `dump_json`."""
    return Way(said, lambda into, value: pydantic.TypeAdapter(into).dump_json(value, **options))


def config(said: str, **options: Any) -> Way:
    """Pydantic with a configuration beside the type; it has none beside a class."""
    chosen = pydantic.ConfigDict(**options)  # type: ignore[typeddict-item]
    return Way(
        said,
        lambda into, value: pydantic.TypeAdapter(into, config=chosen).dump_json(value),
        lambda into, data: pydantic.TypeAdapter(into, config=chosen).validate_json(data),
    )


def converter(
    said: str, prepare: Callable[[Any, Any], None] = lambda *_: None, **options: Any
) -> Way:
    """A converter of cattrs with a hook; `prepare` gets the converter and the type."""

    def made(into: Any) -> Any:
        made = cattrs.preconf.json.make_converter(**options)
        prepare(made, into)
        return made

    return Way(
        said,
        lambda into, value: made(into).dumps(value, unstructure_as=into),
        lambda into, data: made(into).loads(data, into),
    )


def cattrs_with(said: str, **options: Any) -> Way:
    """Cattrs with an argument of `dumps`, which it hands on to json."""
    made = cattrs.preconf.json.make_converter
    return Way(said, lambda into, value: made().dumps(value, unstructure_as=into, **options))


def dialect(said: str, **options: Any) -> Way:
    """Mashumaro with a dialect."""
    chosen = type("Chosen", (mashumaro.dialect.Dialect,), options)
    codecs = mashumaro.codecs.json
    return Way(
        said,
        lambda into, value: codecs.JSONEncoder(into, default_dialect=chosen).encode(value),
        lambda into, data: codecs.JSONDecoder(into, default_dialect=chosen).decode(data),
    )


def mashumaro_with(said: str, write: Callable[[Any], Any]) -> Way:
    """Mashumaro with another function for the text."""
    made = mashumaro.codecs.json.JSONEncoder
    return Way(said, lambda into, value: made(into, post_encoder_func=write).encode(value))


def orjson_with(said: str, option: int = 0, default: Any = None) -> Way:
    return Way(said, lambda _, value: orjson.dumps(value, default, option))


def json_with(said: str, **options: Any) -> Way:
    options = {"default": dataclasses.asdict, **options}
    return Way(said, lambda _, value: json.dumps(value, **options))


class Same:
    """The right answer if the value must read back."""


SAME: Any = Same()


class Calm:
    """The right answer if any text and any refusal will do, as long as the process lives."""


CALM: Any = Calm()


@dataclass(frozen=True)
class Text:
    """The right answer if only this text will do, with or without a line feed at its end."""

    text: str


@dataclass(frozen=True)
class Document:
    """The right answer if it is a matter of keys and plain values, whatever the white space is."""

    value: Any
    ordered: bool = False


@dataclass(frozen=True)
class Written:
    """A question to all libraries: the type `into`, a value of it, and the right answer.

    `ways` are options to try if the plain call is not right. `look` extracts what to compare, for
    values that do not compare by their contents. With `fresh`, `value` is a function that makes it.
    """

    name: str
    into: Any
    value: Any
    want: Any = SAME
    ways: Mapping[str, Way] = field(default_factory=dict)
    look: Callable[[Any], Any] | None = None
    sound: Any = None
    """For what is to be refused: its sound twin. Who refuses both says nothing."""
    of: Mapping[str, Any] = field(default_factory=dict)
    """The type by library, where the question is how a library spells something."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """The value by library, likewise."""
    fresh: bool = False
    on_demand: bool = False
    """Whether the right answer has to be asked for, so that any other is no mistake."""
    apart: bool = False
    """Whether it may end the process, so that it is asked in another one."""
    told: tuple[str, ...] = ()
    """What the refusal has to mention: patterns."""
    asks: Mapping[str, Write] = field(default_factory=dict)
    """What to call instead of the encoder, by library."""
    remarks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cell:
    """The result of one question: a word for the table, and a note."""

    word: str
    note: str = ""

    @property
    def right(self) -> bool:
        return self.word in {"writes", "refuses as it should", "yes"}


class Refusal:
    """That a library raised an exception, and which."""

    def __init__(self, error: BaseException) -> None:
        self.kind = type(error).__name__
        self.panic = not isinstance(error, Exception)
        self.text = said(error)


def said(error: BaseException) -> str:
    """Return the text of an exception and of its causes, which a traceback shows with it."""
    texts = []
    seen: BaseException | None = error
    while seen is not None:
        texts += [f"{type(seen).__name__}: {seen}", *getattr(seen, "__notes__", ())]
        seen = seen.__cause__ or seen.__context__
    return "\n".join(texts)


def written(write: Write, into: Any, value: Any) -> bytes | Refusal:
    """Return the text of a value, or that there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = write(into, value)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return Refusal(error)
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object, in which no key is repeated."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key twice")
    return made


def never(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def parsed(text: bytes) -> Any:
    """Return what the text is to a reader of the standard, or REFUSED."""
    try:
        return json.loads(
            text.decode("utf-8"),
            object_pairs_hook=once,
            parse_constant=never,
            parse_int=lambda digits: int(digits) if len(digits) < 4_000 else digits,
        )
    except ValueError:
        return REFUSED


def read_back(
    library: str, way: Way | None, into: Any, text: bytes, look: Callable[[Any], Any], kept: Any
) -> Any:
    """Return what the library reads from its text, or REFUSED.

    For a library that reads no types it is what one of the others reads, if that is right.
    """
    if way and way.read:
        readers = [way.read]
    elif library in READERS:
        readers = [READERS[library]]
    else:
        readers = list(READERS.values())
    found = REFUSED
    for read in readers:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                back = look(read(into, text))
        except Exception:  # noqa: BLE001 - likewise
            continue
        if alike(back, kept):
            return back
        if found is REFUSED:
            found = back
    return found


def rated(row: Written, library: str, way: Way | None) -> Cell:
    """Rate one answer, as if there were no other way."""
    into, given = row.of.get(library, row.into), row.values.get(library, row.value)
    value = given() if row.fresh else given
    look = row.look or (lambda it: it)
    write = way.write if way else row.asks.get(library, WRITERS[library])
    text = written(write, into, value)
    if isinstance(text, Refusal):
        if text.panic:
            return Cell("crashes", f"raises `{text.kind}`, which is no `Exception`")
        if row.told:
            found = all(re.search(pattern, text.text) for pattern in row.told)
            return Cell("yes" if found else "no")
        if row.want is REFUSED or row.want is CALM:
            kind = text.kind if text.kind in {"RecursionError", "MemoryError"} else ""
            return Cell("refuses as it should", kind and f"with a `{kind}`")
        return Cell("refuses")
    plain = parsed(text)
    writes = f"writes `{cut(text)}`"
    if row.told:
        return Cell("no", writes)
    if row.want is CALM:
        return Cell("writes") if plain is not REFUSED else Cell("gets it wrong", writes)
    if row.want is REFUSED:
        return Cell("gets it wrong", writes)
    if isinstance(row.want, Text):
        ends = {row.want.text, row.want.text + "\n"}
        right = text.decode("utf-8", "replace") in ends
        return Cell("writes") if right else Cell("gets it wrong", writes)
    if isinstance(row.want, Document):
        right = plain == row.want.value
        if row.want.ordered:
            right = alike(plain, row.want.value)
        return Cell("writes") if right else Cell("gets it wrong", writes)
    if plain is REFUSED:
        return Cell("gets it wrong", f"{writes}, which is no JSON")
    kept = look(given() if row.fresh else given)
    back = read_back(library, way, into, text, look, kept)
    if back is REFUSED:
        return Cell("does not read it back", writes)
    if alike(back, kept):
        return Cell("writes")
    return Cell("gets it wrong", f"{writes}, and reads {shown(back)}")


def cut(text: bytes) -> str:
    """Return the text as a note shows it: short, and visible."""
    found = text.decode("utf-8", "backslashreplace")
    found = "".join(
        each if each.isprintable() else f"\\x{ord(each):02x}" for each in found
    ).replace("`", "'")
    return found if len(found) <= 72 else found[:60] + "..."


def cell(row: Written, library: str) -> Cell:
    """Rate a library's answer, with an option if it needs one."""
    if row.apart:
        return apart(lambda: asked(row, library))
    return asked(row, library)


def asked(row: Written, library: str) -> Cell:
    if row.sound is not None:
        into = row.of.get(library, row.into)
        if isinstance(written(WRITERS[library], into, row.sound), Refusal):
            return Cell("refuses", "refuses sound values too")
    plain = rated(row, library, None)
    remark = row.remarks.get(library, "")
    if plain.right:
        return Cell(plain.word, joined(plain.note, "" if row.want is REFUSED else remark))
    way = row.ways.get(library)
    if way is not None:
        other = rated(row, library, way)
        if other.right:
            silent = row.on_demand or row.told or not plain.note
            without = "" if silent else f"; without, {plain.note}"
            return Cell(other.word, f"with {way.said}{without}")
    if row.on_demand and plain.word != "refuses":
        return Cell("cannot be asked")
    return Cell(plain.word, joined(plain.note, remark if plain.word == "gets it wrong" else ""))


def joined(*notes: str) -> str:
    return ", ".join(note for note in notes if note)


def apart(ask: Callable[[], Cell], *, again: bool = True) -> Cell:
    """Ask in a process of its own, which may die of it or not end."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        found = Cell("crashes", "an exception outside of the call")
        try:
            os.close(here)
            faulthandler.disable()
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            _, most = resource.getrlimit(resource.RLIMIT_STACK)
            resource.setrlimit(resource.RLIMIT_STACK, (8 << 20, most))
            for number in (signal.SIGXCPU, signal.SIGSEGV, signal.SIGABRT):
                signal.signal(number, signal.SIG_DFL)
            # Not by the clock: other processes may have the processor.
            resource.setrlimit(resource.RLIMIT_CPU, (60, 61))
            found = ask()
        finally:
            os.write(there, pickle.dumps(found))
            os._exit(0)
    os.close(there)
    with os.fdopen(here, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        if name == "SIGXCPU":
            return Cell("does not end")
        if name == "SIGKILL" and again:
            return apart(ask, again=False)  # The system needed the memory for others.
        return Cell("crashes", f"the process ends by {name}")
    return pickle.loads(answer) if answer else Cell("crashes", "the process ends")
