"""All formats side by side: the same objects written, and read in three ways, from a file.

There are two kinds of objects: 1,000,000 of two ints and a short string, and 100,000 songs of a
real iTunes library with two dates and a list. `scripts/formats.py` makes the table of
docs/performance.md from a record of these rows.
"""

from __future__ import annotations

import importlib.util
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import inputs
import recipes
import songs
from model import Case, Input, Row, Variant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from model import Call
    from recipes import Recipe


class Written(NamedTuple):
    """A file, and the recipe that wrote it."""

    recipe: Recipe
    variant: str
    path: Path


VARIANTS = tuple(Variant(name, collector=False, most=3) for name in songs.KINDS)
SMALL = 3
"""How many records warm the code up."""


def is_here(recipe: Recipe) -> bool:
    """Return whether what a recipe needs is installed."""
    tops = [name.partition(".")[0] for name in recipe.modules]
    return all(importlib.util.find_spec(top) is not None for top in tops)


def file_of(recipe: Recipe, variant: str, count: int) -> Path:
    """Return the file of so many records, as the recipe writes it."""
    kind = songs.KINDS[variant]

    def write(path: Path) -> None:
        recipe.write(kind, kind.make(count), path)

    return inputs.cached(f"formats-{variant}-{count}-{recipe.name.replace(' ', '-')}", write)


def files(variant: str) -> Input:
    """Make the files of all recipes. What is read is their names."""
    for recipe in filter(is_here, recipes.RECIPES):
        for count in (SMALL, songs.COUNTS[variant]):
            file_of(recipe, variant, count)
    return Input("all", "small")


def reading(recipe: Recipe, read: Callable[..., Any], variant: str) -> Call:
    """Return a call that reads the file of a recipe."""
    kind = songs.KINDS[variant]
    counts = {"small": SMALL, "all": songs.COUNTS[variant]}
    paths = {which: file_of(recipe, variant, count) for which, count in counts.items()}
    if read is recipe.middle:
        return lambda which: read(kind, paths[which], counts[which] // 2)
    return lambda which: read(kind, paths[which])


def writing(recipe: Recipe, variant: str) -> Call:
    """Make the objects, and return a call that writes them to a file."""
    kind = songs.KINDS[variant]
    made = kind.make(songs.COUNTS[variant])
    inputs.CACHE.mkdir(parents=True, exist_ok=True)
    path = inputs.CACHE / f"formats-written-{recipe.name.replace(' ', '-')}"

    def call(which: str) -> Written:
        recipe.write(kind, made[:SMALL] if which == "small" else made, path)
        return Written(recipe, variant, path)

    return call


def objects(made: list[Any]) -> Iterable[object]:
    """Return the values of all objects."""
    return map(songs.plain, made)


def one(made: Any) -> Iterable[object]:
    """Return the values of one object."""
    return [songs.plain(made)]


def read_again(written: Written) -> Iterable[object]:
    """Return the values that a file has, read by the recipe that wrote it."""
    recipe, variant, path = written
    made = recipe.read(songs.KINDS[variant], path)
    path.unlink()
    return objects(made)


def row(what: str, title: str, values: Callable[[Any], Iterable[object]]) -> Row:
    """Return the row that reads something."""
    return Row(
        f"formats-{what}",
        title,
        VARIANTS,
        tuple(
            Case(recipe.name, partial(reading, recipe, getattr(recipe, what)), recipe.modules)
            for recipe in recipes.RECIPES
        ),
        files,
        values,
        metrics=("ms", "MiB"),
    )


ROWS = (
    Row(
        "formats-write",
        "objects of a class, written to a file in each format",
        VARIANTS,
        tuple(
            Case(recipe.name, partial(writing, recipe), recipe.modules)
            for recipe in recipes.RECIPES
        ),
        lambda _: Input("all", "small"),
        read_again,
        measure="written",
        metrics=("ms", "MB", "MiB"),
    ),
    row("read", "the objects, read from the file", objects),
    row("field", "one field of every record, read from the file", list),
    row("middle", "the record in the middle, read from the file", one),
)
