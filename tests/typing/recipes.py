"""What a checker infers of the recipes for authors of libraries. Checked, not run: see `make check`."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar, assert_type

from typing_extensions import TypeForm

import penstock

T = TypeVar("T")


@dataclass
class City:
    name: str


class Repo(Generic[T]):
    def __init__(self, path: Path, cls: type[T]) -> None:
        self.path, self.cls = path, cls

    def save(self, values: list[T]) -> None:
        with penstock.write(self.path, self.cls) as writer:
            writer.write_all(values)

    def __iter__(self) -> Iterator[T]:
        yield from penstock.read(self.path, self.cls)


CITY: TypeForm[City] = penstock.Plan(City, rename="pascal")

repo = Repo(Path("cities.ndjson"), City)
assert_type(repo, Repo[City])
assert_type(list(repo), list[City])
assert_type(penstock.decode("{}", CITY), City)
