"""The limits that Penstock enforces on input."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn


class Limits:
    """Bounds on the input. Input that exceeds one raises `LimitExceeded`, which names it.

    Every limit has a default that real data does not reach and hostile data does. An instance
    cannot be changed, compares and hashes by value, and can be pickled.

    Attributes:
        depth: How many arrays and objects may be open at once.
        token: Bytes of one string or key that you asked for. Skipped ones are never buffered, so
            they may have any length.
        lookahead: Bytes of one JSON object that Penstock searches for the key which selects its
            class in a union. It buffers them meanwhile.
        row: Bytes of one row of CSV, which Penstock buffers whole. A quote that nothing closes
            reads no further.
        number: Bytes of one number. Converting digits to an integer takes time that grows with
            their square.
        total: Bytes of the whole source after decompression, or None for any.
        memory: Bytes of memory that the result of `decode`, `load` or `open` may take, or one
            record of `read` or of a `Decoder`, or None for any. For objects it is an estimate: the
            bytes of their text, 32 for each value and 64 more for each container.
        ratio: Decompressed bytes per compressed byte, checked once 16 MiB have come out, or None
            for any.
        window: Bytes that a decompressor may request as its window or dictionary.
        attributes: Attributes of one XML element, declarations and defaults included.
        name: Bytes of one XML name.
        tag: Bytes of one XML start tag, or of one declaration of a document type. Penstock always
            buffers these whole.
        entities: XML entities that a document may declare.
        amplification: Bytes that XML entities may expand to per byte of input, checked once they
            have made 8 MiB.
        expansion: Bytes that XML entities may expand to in all, or None for any.

    Raises:
        TypeError: A limit is not an integer.
        ValueError: A limit is less than 1.

    Example:
        >>> import penstock
        >>> short = penstock.Limits(number=4)
        >>> penstock.json.decode("1234", limits=short)
        1234
        >>> penstock.json.decode("12345", limits=short)
        Traceback (most recent call last):
        penstock.LimitExceeded: line 1, column 1: a number longer than 4 bytes (limits.number)
    """

    __module__ = "penstock"
    __slots__ = (
        "amplification",
        "attributes",
        "depth",
        "entities",
        "expansion",
        "lookahead",
        "memory",
        "name",
        "number",
        "ratio",
        "row",
        "tag",
        "token",
        "total",
        "window",
    )

    depth: int
    token: int
    lookahead: int
    row: int
    number: int
    total: int | None
    memory: int | None
    ratio: int | None
    window: int
    attributes: int
    name: int
    tag: int
    entities: int
    amplification: int
    expansion: int | None

    def __init__(
        self,
        *,
        depth: int = 1_000,
        token: int = 256 << 20,
        lookahead: int = 16 << 20,
        row: int = 16 << 20,
        number: int = 4_300,
        total: int | None = None,
        memory: int | None = 8 << 30,
        ratio: int | None = 500,
        window: int = 128 << 20,
        attributes: int = 1_000,
        name: int = 64 << 10,
        tag: int = 10 << 20,
        entities: int = 10_000,
        amplification: int = 10,
        expansion: int | None = 1 << 30,
    ) -> None:
        """Set the limits that differ from their defaults."""
        for word, bound, may_be_none in (
            ("depth", depth, False),
            ("token", token, False),
            ("lookahead", lookahead, False),
            ("row", row, False),
            ("number", number, False),
            ("total", total, True),
            ("memory", memory, True),
            ("ratio", ratio, True),
            ("window", window, False),
            ("attributes", attributes, False),
            ("name", name, False),
            ("tag", tag, False),
            ("entities", entities, False),
            ("amplification", amplification, False),
            ("expansion", expansion, True),
        ):
            if bound is None and may_be_none:
                pass
            elif not isinstance(bound, int) or isinstance(bound, bool):
                kind = type(bound).__name__
                raise TypeError(f"Limits({word}=...) takes an integer, not {kind}")
            elif bound < 1:
                raise ValueError(f"Limits({word}={bound}): a limit is at least 1")
            object.__setattr__(self, word, bound)

    def _bounds(self) -> dict[str, int | None]:
        """The limits by name, in the order of the signature."""
        return {
            "depth": self.depth,
            "token": self.token,
            "lookahead": self.lookahead,
            "row": self.row,
            "number": self.number,
            "total": self.total,
            "memory": self.memory,
            "ratio": self.ratio,
            "window": self.window,
            "attributes": self.attributes,
            "name": self.name,
            "tag": self.tag,
            "entities": self.entities,
            "amplification": self.amplification,
            "expansion": self.expansion,
        }

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse, because limits must not change during a read."""
        raise AttributeError(f"Limits cannot be changed once made (setting {name!r})")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse, as for setting."""
        raise AttributeError(f"Limits cannot be changed once made (deleting {name!r})")

    def __repr__(self) -> str:
        """Return the expression that creates it."""
        return f"Limits({', '.join(f'{name}={bound!r}' for name, bound in self._bounds().items())})"

    def __eq__(self, other: object) -> bool:
        """Compare limit by limit."""
        return self._bounds() == other._bounds() if isinstance(other, Limits) else NotImplemented

    def __hash__(self) -> int:
        """Hash by value."""
        return hash(tuple(self._bounds().values()))

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the call that creates it."""
        return _from_bounds, (self._bounds(),)


def _from_bounds(bounds: dict[str, int | None]) -> Limits:
    """Undo `Limits.__reduce__`: `pickle` has no other way to pass keywords."""
    return Limits(**bounds)  # type: ignore[arg-type]  # each bound is checked by the constructor


_from_bounds.__module__ = "penstock._limits"  # As pickles name it: see `penstock._pickled`.
