"""What `penstock.plist` calls to read a keyed archive."""

from __future__ import annotations

from collections.abc import Mapping

import penstock._rust as _rust
from penstock._archives.keyed import EPOCH, UID, Graph
from penstock._archives.keyed_types import ANY, Kinds, exactly
from penstock._archives.keyed_values import ArchivedObject
from penstock._base import plan as _plan
from penstock._base.errors import PlanError
from penstock._base.types import PLAIN

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from penstock._base.types import Types

# What the extension makes besides plain values.
_KNOWN = (UID, ArchivedObject, EPOCH)


def unarchive(
    document: Any,
    into: Any = PLAIN,
    classes: Mapping[str, Any] | None = None,
    *,
    unknown: str = "skip",
    types: Types | None = None,
    all_errors: bool = False,
    source: str | None = None,
) -> Any:
    """Return the root of an archive, which is a property list as plain values.

    Args:
        document: The property list.
        into: The type of the root.
        classes: The classes for archived objects, by the names that the archive has for them.
        unknown: Whether keys that a class does not name are an `"error"`.
        types: Functions that make values of types.
        all_errors: Whether an error reports all problems of an object.
        source: The name of the file, for errors.
    """
    names = checked(classes)
    graph = Graph(document, source)
    top = graph.top
    stored = next(iter(top.values())) if top.keys() in ({"root"}, {"$0"}) else top
    return filled(graph, stored, into, names, unknown, types, all_errors=all_errors)


def checked(classes: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return the classes for archived objects.

    Raises:
        TypeError: These are no classes by names.
        PlanError: One of them is no class.
    """
    given: Any = {} if classes is None else classes
    if not isinstance(given, Mapping):
        raise TypeError(f"classes must be a mapping of names to classes, not {given!r}")
    names: Mapping[str, Any] = given
    for name, cls in names.items():
        if not exactly(name, str):
            raise TypeError(f"the name of an archived class must be a str, not {name!r}")
        if not isinstance(cls, type):
            raise PlanError(f"the class for {name!r} must be a class, not {cls!r}")
    return names


def filled(
    graph: Graph,
    stored: Any,
    into: Any,
    classes: Mapping[str, Any],
    unknown: str,
    types: Types | None,
    *,
    all_errors: bool,
) -> Any:
    """Return what a value of an archive stands for, and all that it leads to.

    The extension makes it by the plans of the classes. What it leaves to Python is made by the
    kinds of `keyed_types`: objects in a cycle with one of the caller's classes, and containers that
    several objects have and that types change. They also find the words for what does not fit.

    Raises:
        ValidationError: It does not fit.
        MalformedInput: The archive is damaged there.
        PlanError: A class cannot be filled.
    """
    refused: Exception | None = None
    wanted, planned = None if into is PLAIN else into, classes
    try:
        if types is not None:
            wanted = None if wanted is None else _plan.with_types(wanted, types)
            planned = {name: _plan.with_types(classes[name], types) for name in classes}
        found = _rust.unarchive(graph, _KNOWN, stored, wanted, planned, (unknown, all_errors))
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - the caller's classes may raise anything
        refused = error
    else:
        if found is not None:
            return found[0]
    if refused is not None and (types is not None or all_errors):
        raise refused
    if types is not None:
        # Whatever is wrong with the archive itself comes first.
        graph.again().made_of(stored, ANY)
        raise PlanError(
            "types= does not hold in this archive: a cycle leads through one of the classes, or "
            "objects share a container that a type changes"
        )
    kinds = Kinds()
    try:
        mapped = {name: kinds.of_class(classes[name]) for name in classes}
        root = ANY if into is PLAIN else kinds.of(into, "the root")
    except PlanError:
        if refused is not None and not isinstance(refused, PlanError):
            raise refused from None
        graph.again().made_of(stored, ANY)  # As above.
        raise
    made = graph.again(mapped, strict=unknown == "error").made_of(stored, root)
    if refused is not None:
        # The kinds have no words for it: they do not know of constraints, for example.
        raise refused
    return made


def unarchived(
    document: Any,
    into: Any,
    archive: bool,
    classes: Mapping[str, Any] | None,
    types: Types | None,
    unknown: str,
    source: str | None,
    *,
    all_errors: bool,
) -> Any:
    """Return the root of an archive, for the options of `penstock.plist.decode`.

    Raises:
        ValueError: An option does not go with another one.
    """
    if not archive:
        raise ValueError("classes= is for archive=True")
    return unarchive(
        document, into, classes, unknown=unknown, types=types, all_errors=all_errors, source=source
    )
