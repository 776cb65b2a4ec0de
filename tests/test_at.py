"""`at` as a value; the meaning of its paths is tested with plans and readers."""

import copy
import pickle
from typing import Annotated, Any, NamedTuple, get_args

import pytest

from penstock import Base64Mime, Base64Unpadded, Base64Url, Hex, at


class Pair(NamedTuple):
    a: int
    b: int


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
    with pytest.raises(
        TypeError, match=r"^at\(\) takes a path as a str, or a mapping of paths, not int$"
    ):
        at(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^at\(\) takes a mapping whose keys are paths$"):
        at({3: int})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match=r"^at\(key=\.\.\.\) takes the name of a field, not int$"):
        at("a", key=3)  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"^at\(\) takes a path, or a mapping of paths to types: it is empty$"
    ):
        at({})


def test_choice() -> None:
    given: dict[str, Any] = {"text()": str, "b": Pair, "n": list[int]}
    choice = at(given)
    assert repr(choice) == "at({'text()': str, 'b': Pair, 'n': list[int]})"
    assert choice == at(dict(given)) != at({"text()": str})
    assert choice != at("text()")
    assert hash(choice) == hash(at(dict(given)))
    assert pickle.loads(pickle.dumps(choice)) == choice
    assert choice.path == tuple(given.items())
    # A later change of the mapping does not change it.
    given["c"] = int
    assert "c" not in dict(choice.path)


def test_key() -> None:
    keyed = at("item", key="id")
    assert repr(keyed) == "at('item', key='id')"
    assert (keyed.path, keyed.key, at("item").key) == ("item", "id", None)
    assert keyed == at("item", key="id") != at("item")
    assert len({keyed, at("item"), at("item", key="id")}) == 2
    assert pickle.loads(pickle.dumps(keyed)) == keyed


def test_the_forms_of_bytes_are_one_object_each() -> None:
    forms = {
        "Hex": Hex,
        "Base64Url": Base64Url,
        "Base64Unpadded": Base64Unpadded,
        "Base64Mime": Base64Mime,
    }
    for name, form in forms.items():
        assert repr(form) == name
        assert pickle.loads(pickle.dumps(form)) is form
        assert copy.deepcopy(form) is form
