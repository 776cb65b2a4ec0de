"""What is said beside a field: what was seen of its values."""

from __future__ import annotations

from penstock._infer import types as _types

TYPE_CHECKING = False

if TYPE_CHECKING:
    from penstock._infer.evidence import Floats, Ints, Place, Texts
    from penstock._infer.types import Type

MIXED = "text with elements in it"
# So many texts of a choice are said.
_OFTEN = 4
# The names of types that say all about the text of a value.
_FORMED = {
    _types.DATE: "date",
    _types.DATETIME: "date and time",
    _types.TIME: "time",
    _types.DURATION: "duration",
    _types.UUID: "UUID",
}


def of(place: Place, of_type: Type, present: int, total: int) -> str:
    """Return what is said of a field that was present in some of so many objects."""
    said: list[str] = []
    if present < total:
        said.append(f"{share(present, total)} of {total:,}")
    if place.nulls:
        said.append(
            "always null" if place.nulls == present else f"{share(place.nulls, present)} null"
        )
    texts = place.texts
    if texts is not None and texts.empty and not place.bodies:
        values = texts.count
        said.append(
            "always empty" if texts.empty == values else f"{share(texts.empty, values)} empty"
        )
    if place.step == "element" and place.most > 1:
        said.append(f"up to {place.most:,} elements")
    said += _values(place, of_type)
    return "; ".join(said)


def _values(place: Place, of_type: Type) -> list[str]:
    said: list[str] = []
    if place.falses or place.trues:
        said.append(_truth(place.trues, place.falses + place.trues))
    if place.ints.count and not place.floats.count:
        said.append(_ints(place.ints))
    elif place.floats.count:
        said.append(_numbers(place.ints, place.floats, of_type))
    if place.texts is not None and place.texts.count > place.texts.empty and not place.bodies:
        # Beside numbers, no text is one.
        beside = bool(place.ints.count or place.floats.count)
        said.append(_texts(place.texts, _types.STR if beside else of_type))
    if place.moments:
        said.append("date and time")
    if place.bytes:
        said.append("bytes")
    if place.arrays and place.lengths is not None:
        said.append(_many(place.lengths, "item") + _items(place, of_type))
    if place.objects() and of_type == _types.STR:
        said.append(MIXED)
    for body in dict.fromkeys(place.bodies.values()):
        if body.keys is not None:
            said.append(f"up to {body.most:,} {'key' if body.most == 1 else 'keys'}")  # noqa: PERF401 - with a condition
    if place.deep:
        said.append("too deep to look at")
    return said


def _texts(texts: Texts, of_type: Type) -> str:
    parts = list(_types.inside(of_type))
    for part in parts:
        if isinstance(part, _types.Name) and part in _FORMED:
            return _FORMED[part]
    if _types.BOOL in parts and texts.values is not None:
        return _truth(texts.values.get("true", 0), texts.count - texts.empty)
    if _types.INT in parts:
        return _ints(texts.ints)
    if _types.FLOAT in parts or _types.DECIMAL in parts:
        return _numbers(texts.ints, texts.floats, of_type)
    if texts.values is not None and any(isinstance(part, _types.Literal) for part in parts):
        return _choice(texts.values)
    least, most = texts.length or (0, 0)
    size = f"{most:,}" if least == most else f"{least:,}..{most:,}"
    return f"text of {size} {'character' if most == 1 else 'characters'}"


def _choice(values: dict[str, int]) -> str:
    """The most frequent of some texts."""
    total = sum(values.values())
    often = sorted(values, key=lambda text: (-values[text], text))
    said = [f"{text} {share(values[text], total)}" for text in often[:_OFTEN]]
    return ", ".join([*said, "..."] if len(often) > _OFTEN else said)


def _items(place: Place, of_type: Type) -> str:
    """What is said of the items of arrays, if they are scalars."""
    item = place.item
    if item is None or not item.kinds() <= {"number", "text", "bool"}:
        return ""
    said = _values(item, of_type)
    return f" of {said[0]}" if len(said) == 1 else ""


def _truth(trues: int, total: int) -> str:
    if trues in {0, total}:
        return "always true" if trues else "always false"
    return f"{share(trues, total)} true"


def _ints(ints: Ints) -> str:
    if ints.beyond:
        return f"int of up to {ints.beyond} digits"
    least, most = ints.range or (0, 0)
    return f"int {least}" if least == most else f"int {least}..{most}"


def _numbers(ints: Ints, floats: Floats, of_type: Type) -> str:
    ends = [end for range in (ints.range, floats.range) if range is not None for end in range]
    kind = "float"
    if _types.DECIMAL in _types.inside(of_type):
        kind = "decimal"
        if floats.scale is not None and floats.scale[0] == floats.scale[1] and not ints.count:
            kind = f"decimal with {floats.scale[0]} places"
    if not ends:
        return kind
    least, most = min(ends), max(ends)
    between = f"{least!r}" if least == most else f"{least!r}..{most!r}"
    return f"{kind}, {between}" if " " in kind else f"{kind} {between}"


def _many(range: tuple[int, int], what: str) -> str:
    least, most = range
    size = f"{most:,}" if least == most else f"{least:,}..{most:,}"
    return f"{size} {what if most == 1 else what + 's'}"


def share(part: int, whole: int) -> str:
    """Return a part in percent, which is 0 or 100 only if it is exactly that."""
    if part == whole:
        return "100 %"
    for digits in range(1, 7):
        text = f"{100 * part / whole:.{digits}f}"
        if float(text) not in {0.0, 100.0}:
            return f"{text} %"
    return f"{part:,} of {whole:,}"
