"""Makes values of the standard library's types from the text or number in a document.

The extension imports this when it first meets such a type. Each function takes the text or
number and returns the value, exactly. If there is none, a `ValueError` says why.
"""

from __future__ import annotations

import cmath
import re
import sys
from enum import Enum
from types import GenericAlias
from typing import TYPE_CHECKING, Annotated, Any

from penstock._annotations import parameters as _parameters
from penstock._base.errors import EncodeError

if TYPE_CHECKING:
    from array import array
    from collections.abc import Collection, Mapping, Sequence
    from enum import Flag
    from fractions import Fraction
    from typing import TypeAlias
    from zoneinfo import ZoneInfo

    import numpy as np

    Numbers: TypeAlias = "np.ndarray[Any, Any]"

_FRACTION = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")
_PART = r"(?:[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
_COMPLEX = re.compile(rf"\(?(?:[+-]?{_PART}|[+-]?{_PART}[+-]{_PART}j|[+-]?{_PART}j)\)?")


class Refused(ValueError):
    """A value that is not written, for a reason that is no fault of a function of the caller's."""


def zone(key: str) -> ZoneInfo:
    """Return the system's time zone of that name."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - whoever asks for it has imported it

    try:
        return ZoneInfo(key)
    except (LookupError, OSError, ValueError) as error:
        raise ValueError("no such time zone is known") from error


def pattern(text: str) -> re.Pattern[str]:
    """Compile the text as a regular expression."""
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        raise ValueError(str(error)) from error


def fraction(text: str) -> Fraction:
    """Parse a fraction as `str` prints it: an integer, or two with a slash between them."""
    from fractions import Fraction  # noqa: PLC0415 - as above

    found = _FRACTION.fullmatch(text)
    if found is None:
        raise ValueError("it is no fraction, as in 3/4")
    over, under = found.groups(default="1")
    try:
        return Fraction(int(over), int(under))
    except ZeroDivisionError as error:
        raise ValueError("its denominator is 0") from error


def number(text: str) -> complex:
    """Parse a complex number as `str` prints it."""
    enclosed = (text[:1] == "(", text[-1:] == ")")
    if _COMPLEX.fullmatch(text) is None or enclosed not in {(True, True), (False, False)}:
        raise ValueError("it is no complex number, as in (1+2j)")
    value = complex(text)
    if not cmath.isfinite(value):
        raise ValueError("it is beyond the range of a double")
    return value


def member(cls: type[Enum], value: object) -> Enum:
    """Return the member of an `Enum` with this value."""
    try:
        return cls(value)
    except ValueError as error:
        raise ValueError("no member has that value") from error


def value_of(member: Enum | None) -> Any:
    """Return the value of a member of an `Enum`."""
    if member is None:
        raise Refused("None would be read back as the member of that value")
    return member._value_


def chosen(members: dict[int, Enum], value: int) -> Enum | int:
    """Return the member of an `Enum` with this value, or the value if no member has it."""
    return members.get(value, value)


def unchosen(members: dict[int, Enum], value: Any) -> Any:
    """Return the integer of what `chosen` returns; refuse an integer of which it makes a member."""
    if isinstance(value, Enum) and members.get(value._value_) is value:
        return value._value_
    if isinstance(value, int) and value in members:
        raise Refused(f"its text would be read back as {members[value]!r}")
    return value


def flags(cls: type[Flag], value: int) -> Flag:
    """Return the flags of an integer, if every bit of it is a flag."""
    # An `IntFlag` would accept other bits, and keep each number that it has met.
    known = 0
    for flag in cls.__members__.values():
        known |= flag.value
    if value & ~known:
        raise ValueError("some of its bits are no flags")
    try:
        found = cls(value)
    except ValueError as error:
        raise ValueError("some of its bits are no flags") from error
    if not isinstance(found, cls) or found.value != value:
        raise ValueError("some of its bits are no flags")
    return found


def root(model: Any) -> Any:
    """Return the value that a pydantic root model is made of."""
    return model.root


def dumped(value: Any) -> Any:
    """Return the plain value that pydantic makes of one of its own."""
    # Whoever has such a value has imported pydantic.
    adapter: Any = sys.modules["pydantic"].TypeAdapter(type(value))
    return adapter.dump_python(value, mode="json", by_alias=True)


def of_class(
    how: tuple[Any, Any, Any], value: Any, options: Mapping[str, Any] | None = None
) -> Any:
    """Return an object of a union that pydantic decides, if it would decide for its class."""
    adapter, _, format_ = how
    is_model = hasattr(type(value), "__pydantic_fields__")
    # In XML, what is absent may be another value than None.
    if options or not is_model or format_ is sys.modules["penstock"].xml:
        return decided(how, value, options)
    made = adapter.validate_python(dumped(value))
    if type(made) is not type(value):
        raise Refused(f"pydantic would make a {type(made).__name__} of it")
    return value


def adapter(info: Any, config: Any) -> Any:
    """Return the adapter of pydantic for a field with a union, or with keys that are no text."""
    if not (_parameters.has_union(info.annotation) or _parameters.has_keys(info.annotation)):
        return None
    of = info.annotation
    if info.metadata:
        of = Annotated[(of, *info.metadata)]
    return sys.modules["pydantic"].TypeAdapter(of, config=config)


def decided(how: tuple[Any, Any, Any], value: Any, options: Mapping[str, Any] | None = None) -> Any:
    """Return a value of a field that is left to pydantic, if it would make the same one again.

    `options` are those of the writer, if they are not the usual ones.
    """
    adapter, plain_type, format_ = how
    if value is None:
        return value
    heeded: Collection[str] = ("omit",)
    if format_ is sys.modules["penstock"].json:
        heeded = options or ()
        if "form" in heeded:
            format_, heeded = sys.modules["penstock"].plist, ("omit", "form")
    options = {name: said for name, said in (options or {}).items() if name in heeded}
    try:
        written = format_.encode({"value": value}, **options)
    except EncodeError:
        return value  # The writer says so, too, and where.
    # In XML, the root has that name, and all is text.
    into: Any = plain_type if plain_type is object else GenericAlias(dict, (str, plain_type))
    plain = format_.decode(written, into)["value"]
    try:
        made = adapter.validate_python(plain)
    except ValueError as error:
        raise Refused("pydantic would refuse what is written") from error
    if not _same(made, value):
        raise Refused(f"pydantic would make {made!r} of it")
    return value


def decided_as_text(
    how: tuple[Any, Any], value: Any, options: Mapping[str, Any] | None = None
) -> Any:
    """Do the same for a property list in the form of OpenStep, in which all is text."""
    return decided((*how, _OpenStep), value, options)


def undone(back: Any, value: Any, options: Mapping[str, Any]) -> Any:
    """Undo one step of decoding, for a writer with options that are not the usual ones."""
    if getattr(back, "func", None) in (decided, decided_as_text, of_class):
        return back(value, options)
    return back(value)


def kept_as_text(of: Any, value: Any) -> Any:
    """Return a value of a member of an `Enum`, if a property list of text keeps what is in it."""
    if isinstance(value, list | tuple | dict):
        written = _OpenStep.encode({"value": value})
        into: Any = GenericAlias(dict, (str, of))
        if not _same(_OpenStep.decode(written, into)["value"], value):
            raise Refused("in this form all is text, and it would be read back as another value")
    return value


class _OpenStep:
    """Property lists in that form, with the functions that a module of a format has."""

    @staticmethod
    def encode(value: Any, **options: Any) -> bytes:
        return sys.modules["penstock"].plist.encode(value, form="openstep", **options)

    @staticmethod
    def decode(data: bytes, into: Any) -> Any:
        return sys.modules["penstock"].plist.decode(data, into, form="openstep")


def _same(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict):
        return _same([*one], [*other]) and _same([*one.values()], [*other.values()])
    if isinstance(one, set | frozenset):
        return _same(sorted(one, key=repr), sorted(other, key=repr))
    if one != other and hasattr(one, "__dict__"):
        return _same(vars(one), vars(other))
    # `nan` is no `nan`, and prints itself.
    return one == other or (isinstance(one, float) and str(one) == str(other))


def text(value: bytes | bytearray) -> str:
    """Return the text that a pydantic model has for bytes."""
    if not isinstance(value, bytes | bytearray):
        raise TypeError(f"expected bytes, got {type(value).__name__}")
    return value.decode()


def text_by(adapter: Any, value: bytes | bytearray) -> str:
    """Return the text that a model has for bytes, in the form that its settings say."""
    if not isinstance(value, bytes | bytearray):
        raise TypeError(f"expected bytes, got {type(value).__name__}")
    return adapter.dump_python(bytes(value), mode="json")


def numbers(code: str, values: bytearray | Sequence[Any] = ()) -> array[Any]:
    """Return an array of the numbers, if it holds each of them exactly.

    A `bytearray` has the bytes of numbers that do fit: the array copies it at once.
    """
    from array import array  # noqa: PLC0415 - as above

    if isinstance(values, bytearray):
        return array(code, values)
    try:
        made = array(code, values)
    except (OverflowError, TypeError) as error:
        raise ValueError(f"a number is beyond the range of its typecode '{code}'") from error
    if code == "f":
        for now, then in zip(made, values, strict=True):
            if now != then and then == then:  # noqa: PLR0124 - NaN does not equal itself
                raise ValueError(f"{then} would be rounded in an array of typecode 'f'")
    return made


def view(code: str, values: bytearray | Sequence[Any] = ()) -> memoryview:
    """Return a view of an array of the numbers, if it holds each of them exactly."""
    return memoryview(numbers(code, values))


def ndarray(code: str, values: bytearray | Sequence[Any] = ()) -> Numbers:
    """Return the numbers as an array of one dimension, if they are in the range of its type.

    A `bytearray` has the bytes of numbers that are in the range.
    """
    from array import array  # noqa: PLC0415 - as above

    import numpy as np  # noqa: PLC0415 - as above

    if code == "?":
        return np.asarray(array("B", values)).view(np.bool_)
    if code != "f" or isinstance(values, bytearray):
        return np.asarray(numbers(code, values))
    made = np.asarray(array("d", values))
    with np.errstate(over="ignore"):
        small = made.astype(np.float32)
    if not np.array_equal(np.isinf(small), np.isinf(made)):
        raise ValueError("a number is beyond the range of float32")
    return small


def numpy_code(dtype: Any) -> str | None:
    """Return the code of `array.array` for numpy's `dtype[...]`; `?` for bool, None for others."""
    import numpy as np  # noqa: PLC0415 - as above

    found = getattr(dtype, "__args__", (None,))[0]
    if not (isinstance(found, type) and issubclass(found, np.number | np.bool_)):
        return None
    try:
        code = np.dtype(found).char
    except TypeError:
        # `numpy.floating` is a type of several.
        return None
    return code if code in "?bBhHiIlLqQfd" else None


def unpacked(values: Any) -> list[Any]:
    """Return the numbers of an array of one dimension."""
    made = values if isinstance(values, list) else values.tolist()
    if not isinstance(made, list):
        raise TypeError(f"expected an array of one dimension, got {type(values).__name__}")
    return made


def numpy_dimensions(shape: Any) -> int:
    """Return how many dimensions the shape of an array has, as a type: one unless it says more."""
    sizes = getattr(shape, "__args__", ())
    return 1 if Ellipsis in sizes else max(1, len(sizes))


def stacked(kind: tuple[str, int], rows: Sequence[Any] = ()) -> Any:
    """Return one array of arrays of one shape, by the code of its numbers and its dimensions."""
    import numpy as np  # noqa: PLC0415 - as above

    if not rows:
        return np.empty((0,) * kind[1], kind[0])
    first = rows[0].shape
    for number, row in enumerate(rows):
        if row.shape != first:
            raise ValueError(
                f"element {number} has the shape {row.shape}, and element 0 has {first}"
            )
    return np.stack(rows)


def rows(values: Any) -> list[Any]:
    """Return the arrays of which an array of several dimensions is made."""
    if isinstance(values, list):
        return values
    if getattr(values, "ndim", 0) < 2:
        name = type(values).__name__
        raise TypeError(f"expected an array of several dimensions, got {name}")
    return list(values)
