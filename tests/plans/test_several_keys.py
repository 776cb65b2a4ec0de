"""Several paths for one field: `at("name", "userName")`."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

import attrs
import pytest

from penstock import Plan, PlanError, ValidationError, at, json, xml


@dataclass(slots=True)
class User:
    name: Annotated[str, at("name", "userName", "user/name")]
    id: Annotated[int, at("id", "@id")] = 0
    tags: Annotated[list[str], at("tags", "tag")] = field(default_factory=list)


@attrs.define
class Short:
    name: Annotated[str, at("name", "n")]


class Keys(TypedDict):
    name: Annotated[str, at("name", "n")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"name": "Ada"}', User("Ada")),
        ('{"userName": "Ada", "@id": 1}', User("Ada", 1)),
        ('{"user": {"id": 2, "name": "Ada"}, "id": 1}', User("Ada", 1)),
        ('{"tag": ["a", "b"], "name": "Ada"}', User("Ada", 0, ["a", "b"])),
        ('{"tags": ["a", "b"], "name": "Ada"}', User("Ada", 0, ["a", "b"])),
    ],
)
def test_any_of_them(text: str, value: User) -> None:
    assert json.decode(text, User) == value
    cut = [text[i : i + 1].encode() for i in range(len(text))]
    assert list(json.read(cut, User)) == [value]
    assert json.decode(text, User, unknown="error" if "user" not in text else "skip") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("<u name='Ada'><id>1</id></u>", None),
        ("<u id='1'><name>Ada</name></u>", User("Ada", 1)),
        ("<u><userName>Ada</userName><id>1</id></u>", User("Ada", 1)),
        ("<u id='2'><user><name>Ada</name></user><id>1</id></u>", User("Ada", 1)),
        (
            "<u><name>Ada</name><tag>a</tag><tags>b</tags><tag>c</tag></u>",
            User("Ada", 0, ["a", "b", "c"]),
        ),
    ],
)
def test_from_xml(text: str, value: User | None) -> None:
    if value is None:
        # A path without an `@` is an element's.
        with pytest.raises(ValidationError, match="'name' or 'userName' or 'user/name'"):
            xml.decode(text, User)
    else:
        assert xml.decode(text, User) == value


def test_more_than_one_of_them() -> None:
    text = '{"userName": "Bo", "name": "Ada"}'
    assert json.decode(text, User) == User("Ada")
    assert json.decode(text, User, duplicates="first") == User("Bo")
    with pytest.raises(ValidationError, match="occurs more than once") as caught:
        json.decode(text, User, duplicates="error")
    assert caught.value.column == 20
    markup = "<u><userName>Bo</userName><name>Ada</name></u>"
    with pytest.raises(ValidationError, match="the element 'name' is repeated"):
        xml.decode(markup, User)
    assert xml.decode(markup, User, repeated="first") == User("Bo")
    assert xml.decode(markup, User, repeated="last") == User("Ada")


def test_none_of_them() -> None:
    with pytest.raises(ValidationError) as caught:
        json.decode('{"nam": "Ada"}', User)
    assert caught.value.reason == 'User lacks the required key "name" or "userName" or "user/name"'
    with pytest.raises(ValidationError, match='did you mean "name"'):
        json.decode('{"nam": "Ada"}', Short, unknown="error")


@pytest.mark.parametrize("cls", [Short, Keys])
def test_other_classes(cls: Any) -> None:
    for key in ("name", "n"):
        made = json.decode(f'{{"{key}": "Ada"}}', cls)
        assert (made["name"] if cls is Keys else made.name) == "Ada"


def test_the_plan_says_it() -> None:
    assert repr(Plan(Short)).splitlines()[2] == "    name: str at 'name or n'"


def test_two_fields_for_one_key() -> None:
    @dataclass
    class Both:
        a: Annotated[int, at("x", "y")]
        b: Annotated[int, at("y", "z")]

    with pytest.raises(PlanError) as caught:
        Plan(Both)
    assert "'a'" in str(caught.value)
    assert "'b'" in str(caught.value)


def test_the_word() -> None:
    word = at("a", "b/c")
    assert (repr(word), word.path, word.key) == ("at('a', 'b/c')", ("a", "b/c"), None)
    assert word == at("a", "b/c") != at("a")
    assert (pickle.loads(pickle.dumps(word)), hash(word)) == (word, hash(at("a", "b/c")))
    keyed = at("a/*", "b/*", key="id")
    assert (repr(keyed), pickle.loads(pickle.dumps(keyed))) == ("at('a/*', 'b/*', key='id')", keyed)
    choice = at({"a": int})
    assert pickle.loads(pickle.dumps(choice)) == choice
    wrong: Any = 3
    with pytest.raises(TypeError, match=r"^at\(\) takes several paths as str, not int$"):
        at("a", wrong)
