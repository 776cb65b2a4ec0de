"""Classes that the key `kind` distinguishes, and an enum, for tests of messages."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal


class Size(Enum):
    SMALL = "S"
    LARGE = "L"


@dataclass
class Circle:
    kind: Literal["circle"]
    radius: float


@dataclass
class Square:
    kind: Literal["square"]
    side: float
