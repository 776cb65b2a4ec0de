"""References: paths of text, such as `task/7/notes`."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def checked(ref: str) -> str:
    """Return a reference that is one.

    Raises:
        TypeError: It is no text.
        ValueError: A step is empty, `.` or `..`, or has a null character.
    """
    if not isinstance(ref, str):
        raise TypeError(f"a reference is a text such as 'task/7/notes', not {type(ref).__name__}")
    for step in ref.split("/"):
        if step in {"", ".", ".."} or "\0" in step:
            raise ValueError(f"{ref!r} is no reference: {step!r} is no step of one")
    return ref


def checked_prefix(prefix: str) -> str:
    """Return a prefix that is a reference, or the empty one of all.

    Raises:
        TypeError: It is no text.
        ValueError: It is no reference.
    """
    return prefix if prefix == "" else checked(prefix)


def is_within(ref: str, prefix: str) -> bool:
    """Return whether a reference is a prefix, or behind it: `task/7` has `task/7/notes`."""
    return not prefix or ref == prefix or (ref.startswith(prefix) and ref[len(prefix)] == "/")


def within(refs: Iterable[str], prefix: str) -> list[str]:
    """Return the references behind a prefix, sorted."""
    return sorted(ref for ref in refs if is_within(ref, prefix))


def above(ref: str) -> Iterator[str]:
    """Yield what a reference is behind: of `task/7/notes`, `task/7` and `task`, and all."""
    while ref:
        ref = ref.rpartition("/")[0]
        yield ref
