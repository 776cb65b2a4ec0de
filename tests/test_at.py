"""`at` as a value; what its paths mean is tested with plans and readers."""

import pickle
from typing import Annotated, get_args

import pytest

from penstock import at


def test_value() -> None:
    assert repr(at("a/b")) == "at('a/b')"
    assert at("a/b") == at("a/b") != at("a")
    assert at("a") != "a"
    assert len({at("a/b"), at("a/b"), at("a")}) == 2
    assert pickle.loads(pickle.dumps(at("a/b"))) == at("a/b")
    assert get_args(Annotated[int, at("a/b")]) == (int, at("a/b"))


def test_frozen() -> None:
    path = at("a/b")
    with pytest.raises(AttributeError, match="cannot be changed once made"):
        path.path = "c"
    with pytest.raises(AttributeError, match="cannot be changed once made"):
        del path.path
    with pytest.raises(AttributeError):
        path.other = "c"  # type: ignore[attr-defined]


def test_takes_a_path_only() -> None:
    with pytest.raises(TypeError, match=r"^at\(\) takes a path as a str, not int$"):
        at(3)  # type: ignore[arg-type]
