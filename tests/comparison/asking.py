"""How each library is asked for a value of a type, from the same bytes of JSON.

Each library is called by the JSON function that its documentation names, and the class stays as it
is: nothing is added to it for any library. `Row` is one question, `cell` rates a library's answer.
"""

from __future__ import annotations

import array
import dataclasses
import datetime
import decimal
import io
import re
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import attrs
import cattrs.preconf.json
import mashumaro.codecs.json
import mashumaro.dialect
import msgspec
import pydantic
from cattrs.cols import namedtuple_dict_structure_factory
from cattrs.gen import make_dict_structure_fn, override
from cattrs.strategies import configure_tagged_union

import penstock

Ask = Callable[[Any, bytes], Any]


def penstock_(into: Any, data: bytes) -> Any:
    return penstock.json.decode(data, into)


def msgspec_(into: Any, data: bytes) -> Any:
    return msgspec.json.decode(data, type=into)


def pydantic_(into: Any, data: bytes) -> Any:
    return pydantic.TypeAdapter(into).validate_json(data)


def cattrs_(into: Any, data: bytes) -> Any:
    return cattrs.preconf.json.make_converter().loads(data, into)


def mashumaro_(into: Any, data: bytes) -> Any:
    return mashumaro.codecs.json.JSONDecoder(into).decode(data)


LIBRARIES: Mapping[str, Ask] = {
    "Penstock": penstock_,
    "msgspec": msgspec_,
    "pydantic": pydantic_,
    "cattrs": cattrs_,
    "mashumaro": mashumaro_,
}


@dataclass(frozen=True)
class Way:
    """A documented option, as the page spells it, which is tried if the plain call is not right."""

    said: str
    ask: Ask


def plan(said: str, **options: Any) -> Way:
    """Penstock with an option beside the class."""
    return Way(said, lambda into, data: penstock.json.decode(data, penstock.Plan(into, **options)))


def config(said: str, **options: Any) -> Way:
    """Pydantic with a configuration beside the type; it has none beside a class."""
    chosen = pydantic.ConfigDict(**options)  # type: ignore[typeddict-item]
    return Way(
        said, lambda into, data: pydantic.TypeAdapter(into, config=chosen).validate_json(data)
    )


def dialect(said: str, **options: Any) -> Way:
    """Mashumaro with a dialect."""
    chosen = type("Chosen", (mashumaro.dialect.Dialect,), options)
    decoder = mashumaro.codecs.json.JSONDecoder
    return Way(said, lambda into, data: decoder(into, default_dialect=chosen).decode(data))


def converter(said: str, prepare: Callable[[Any, Any], None], **options: Any) -> Way:
    """A converter of cattrs with a hook; `prepare` gets the converter and the type."""

    def ask(into: Any, data: bytes) -> Any:
        made = cattrs.preconf.json.make_converter(**options)
        prepare(made, into)
        return made.loads(data, into)

    return Way(said, ask)


STRICT = {
    "pydantic": Way(
        "`strict=True`",
        lambda into, data: pydantic.TypeAdapter(into).validate_json(data, strict=True),
    )
}
LAX = {
    "msgspec": Way(
        "`strict=False`", lambda into, data: msgspec.json.decode(data, type=into, strict=False)
    )
}
MANY_DIGITS = {
    "Penstock": Way(
        "`limits=Limits(number=5_000)`",
        lambda into, data: penstock.json.decode(data, into, limits=penstock.Limits(number=5_000)),
    )
}
FINITE = {"pydantic": config("`allow_inf_nan=False`", allow_inf_nan=False)}
BASE64 = {"pydantic": config('`val_json_bytes="base64"`', val_json_bytes="base64")}
BASE85 = {"cattrs": "its strings of bytes are base85"}
AS_DICT = {
    "cattrs": converter(
        "`namedtuple_dict_structure_factory`",
        lambda made, _: made.register_structure_hook_factory(
            lambda kind: issubclass(kind, tuple) and hasattr(kind, "_fields"),
            lambda kind: namedtuple_dict_structure_factory(kind, made),
        ),
    ),
    "mashumaro": dialect("`namedtuple_as_dict` of a dialect", namedtuple_as_dict=True),
}
ATTRS_CONVERTERS = {
    "cattrs": converter(
        "`prefer_attrib_converters=True`", lambda *_: None, prefer_attrib_converters=True
    )
}
TAGGED = {
    "Penstock": plan('`tag="type"`', tag="type"),
    "cattrs": converter(
        "`configure_tagged_union`",
        lambda made, union: configure_tagged_union(union, made, tag_name="type"),
    ),
}

BY_ALIAS = {
    "cattrs": converter("`use_alias=True`", lambda *_: None, use_alias=True),
}


def camel(name: str) -> str:
    """Return the name as most JSON of the web spells it."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def rename(made: Any, into: Any) -> None:
    """Make a converter of cattrs find the fields of a class under other keys."""
    overrides = {each.name: override(rename=camel(each.name)) for each in dataclasses.fields(into)}
    made.register_structure_hook(into, make_dict_structure_fn(into, made, **overrides))


RENAMED = {
    "Penstock": plan('`rename="camel"`', rename="camel"),
    "cattrs": converter("`override(rename=...)` for each field", rename),
}


def converted(kind: type, parse: Callable[[str], Any]) -> Mapping[str, Way]:
    """For each library, how to pass with the call a function that makes a user's type."""

    def hook(asked: type, value: Any) -> Any:
        return parse(value) if asked is kind else NotImplemented

    return {
        "Penstock": Way(
            "`types=`", lambda into, data: penstock.json.decode(data, into, types={kind: parse})
        ),
        "msgspec": Way(
            "`dec_hook=`", lambda into, data: msgspec.json.decode(data, type=into, dec_hook=hook)
        ),
        "cattrs": converter(
            "`register_structure_hook`",
            lambda made, _: made.register_structure_hook(kind, lambda value, _: parse(value)),
        ),
        "mashumaro": dialect(
            "`serialization_strategy` of a dialect",
            serialization_strategy={kind: {"deserialize": parse}},
        ),
    }


FORBID = {
    "Penstock": Way(
        '`unknown="error"`',
        lambda into, data: penstock.json.decode(data, into, unknown="error"),
    ),
    "cattrs": converter("`forbid_extra_keys=True`", lambda *_: None, forbid_extra_keys=True),
}
DUPLICATES = {
    "Penstock": Way(
        '`duplicates="error"`',
        lambda into, data: penstock.json.decode(data, into, duplicates="error"),
    )
}


class Refused:
    """The right answer if there is no value."""


REFUSED: Any = Refused()


@dataclass(frozen=True)
class Row:
    """A question to all libraries: `data`, the type `into`, and the right answer.

    `ways` are options to try if the plain call is not right. `look` extracts what to compare, for
    values that do not compare by their contents.
    """

    name: str
    into: Any
    data: Any
    want: Any
    ways: Mapping[str, Way] = field(default_factory=dict)
    look: Callable[[Any], Any] | None = None
    sound: tuple[bytes, Any] | None = None
    """For what is to be refused: its sound twin and what that is. Who refuses both says nothing."""
    of: Mapping[str, Any] = field(default_factory=dict)
    """The type by library, where the question is how a library spells something."""
    asks: Mapping[str, Ask] = field(default_factory=dict)
    """What to call instead of the decoder, by library."""
    on_demand: bool = False
    """Whether the right answer has to be asked for, so that any other is no mistake."""
    told: tuple[str, ...] = ()
    """What the refusal has to mention: patterns."""
    remarks: Mapping[str, str] = field(default_factory=dict)
    """What to add to the note on a library."""


@dataclass(frozen=True)
class Cell:
    """The result of one question: a word for the table, and a note."""

    word: str
    note: str = ""

    @property
    def right(self) -> bool:
        return self.word in {"decodes", "refuses as it should", "yes"}


def answer(row: Row, ask: Ask) -> Any:
    """Return the value, or REFUSED; or whether the refusal mentions what it must."""
    data = row.data() if callable(row.data) else row.data
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ask(row.into, data)
            return row.look(value) if row.look else value
    except Exception as error:  # noqa: BLE001 - there are as many as there are libraries
        if row.told:
            text = said(error)
            return all(re.search(pattern, text) for pattern in row.told)
        return REFUSED


def said(error: Exception) -> str:
    """Return the text of an exception, in the way that its library intends."""
    texts = [str(error)]
    if isinstance(error, ExceptionGroup):
        texts += cattrs.transform_error(error)
    if isinstance(error, pydantic.ValidationError):
        texts.append(repr(error.errors()))
    if isinstance(error, penstock.DecodeError):
        texts.append(error.report())
    return "\n".join(texts)


def cell(row: Row, library: str) -> Cell:
    """Rate a library's answer."""
    row = replace(row, into=row.of.get(library, row.into))
    if row.sound:
        data, want = row.sound
        if not cell(replace(row, data=data, want=want, sound=None), library).right:
            return Cell("refuses", "refuses valid input too")
    right = "decodes"
    if row.want is REFUSED:
        right = "refuses as it should"
    elif row.told:
        right = "yes"
    got = answer(row, row.asks.get(library, LIBRARIES[library]))
    remark = row.remarks.get(library, "")
    if alike(got, row.want):
        return Cell(right, remark)
    gives = "" if got is REFUSED else f"gives {shown(got)}"
    way = row.ways.get(library)
    if way is not None and alike(answer(row, way.ask), row.want):
        without = f"; without, {gives}" if gives and not row.on_demand and not row.told else ""
        return Cell(right, f"with {way.said}{without}")
    if row.told:
        return Cell("no")
    if row.on_demand and gives:
        return Cell("cannot be asked")
    notes = [gives, remark] if remark else [gives]
    return Cell("gets it wrong", "; ".join(notes)) if gives else Cell("refuses", remark)


def names(value: object) -> Iterable[str]:
    """The fields of an object: those that its class declares, or else its attributes."""
    kind = type(value)
    if dataclasses.is_dataclass(kind):
        return [each.name for each in dataclasses.fields(kind)]
    if attrs.has(kind):
        return [each.name for each in attrs.fields(kind)]
    if isinstance(value, msgspec.Struct | pydantic.BaseModel):
        return list(kind.__annotations__)
    found = [name for base in kind.__mro__ for name in getattr(base, "__slots__", ())]
    return [*found, *getattr(value, "__dict__", ())]


def compared_by_fields(kind: type) -> bool:
    """Tell whether the equality of a class compares less than its fields."""
    declared = dataclasses.is_dataclass(kind) or attrs.has(kind)
    modelled = issubclass(kind, msgspec.Struct | pydantic.BaseModel)
    return declared or modelled or kind.__eq__ is object.__eq__


def alike(got: object, want: object) -> bool:
    """Tell whether two values are equal and of the same types, all the way down."""
    if got is want:
        return True
    if type(got) is not type(want) or got is REFUSED:
        return False
    if isinstance(got, decimal.Decimal):
        return got.as_tuple() == want.as_tuple()  # type: ignore[attr-defined]
    if isinstance(got, datetime.datetime | datetime.time):
        return got == want and got.utcoffset() == want.utcoffset()  # type: ignore[attr-defined]
    if isinstance(got, list | tuple | deque):
        if len(got) != len(want) or not all(map(alike, got, want)):  # type: ignore[arg-type]
            return False
    elif isinstance(got, dict):
        same = alike(*(getattr(each, "default_factory", list)() for each in (got, want)))
        if not same or not alike(list(got.items()), list(want.items())):  # type: ignore[attr-defined]
            return False
    elif isinstance(got, set | frozenset):
        return got == want and set(map(type, got)) == set(map(type, want))  # type: ignore[call-overload]
    elif not compared_by_fields(type(got)):
        return got == want
    return all(
        alike(getattr(got, name, REFUSED), getattr(want, name, REFUSED)) for name in names(want)
    )


def shown(value: object) -> str:
    """Return a value as a note shows it: in one line, short, the same in each run."""
    if isinstance(value, array.array | io.IOBase):
        text = type(value).__name__
    elif type(value).__repr__ is object.__repr__:
        parts = (f"{name}={getattr(value, name, '...')!r}" for name in names(value))
        text = f"{type(value).__name__}({', '.join(parts)})"
    else:
        text = repr(value)
    text = re.sub(r" object at 0x[0-9a-f]+", "", text)
    return f"`{text if len(text) <= 72 else text[:60] + '...'}`"
