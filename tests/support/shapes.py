"""Classes that the key `kind` tells apart, and an enum: what messages about them say."""

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
