"""`at`: which values are records, and which field a value goes to."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypedDict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock
from penstock import MalformedInput, PlanError, ValidationError, at
from penstock.json import decode, read


def records(text: str, path: str, into: Any = Any) -> list[Any]:
    return list(read([text.encode()], into, at=path))


def holder(into: Any, path: str, **default: Any) -> type[Any]:
    """A class with one field `x` whose path is `path`."""
    return type("Holder", (), {"__annotations__": {"x": Annotated[into, at(path)]}, **default})


def field(text: str, into: Any, path: str, **default: Any) -> Any:
    return decode(text, holder(into, path, **default)).x


# --- Records -----------------------------------------------------------------------------------

DOCUMENT = """{
    "a": [{"x": 1}, {"x": [2, {"x": 3}]}, [], null],
    "b": {"c": {"d": 4}, "0": "zero", "e/f": {"*": 5, "~": 6}},
    "@x": 7, "x": {"b": {"x": 8}}, "00": 9, "p:q": 10, "{u}r": 11
}"""


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a", [[{"x": 1}, {"x": [2, {"x": 3}]}, [], None]]),
        ("a/*", [{"x": 1}, {"x": [2, {"x": 3}]}, [], None]),
        ("a/0", [{"x": 1}]),
        ("a/2", [[]]),
        ("a/4", []),
        ("a/*/x", [1, [2, {"x": 3}]]),
        ("a/1/x/*", [2, {"x": 3}]),
        ("a/1/x/1/x", [3]),
        ("a/00", []),
        ("b/c", [{"d": 4}]),
        ("b/c/d", [4]),
        ("b/*", [{"d": 4}, "zero", {"*": 5, "~": 6}]),
        ("b/0", ["zero"]),
        ("00", [9]),
        ("b/e~1f/~2", [5]),
        ("b/e~1f/~0", [6]),
        ("@x", [7]),
        ("~3x", [7]),
        ("p:q", [10]),
        ("{u}r", [11]),
        ("*/0", [{"x": 1}, "zero"]),
        ("*/*/x", [1, [2, {"x": 3}], 8]),
        # The outer record is delivered, and none inside it.
        ("//x", [1, [2, {"x": 3}], {"b": {"x": 8}}]),
        ("//b", [{"c": {"d": 4}, "0": "zero", "e/f": {"*": 5, "~": 6}}, {"x": 8}]),
        ("//c/d", [4]),
        ("//b/x", [8]),
        ("//0", [{"x": 1}, 2, "zero"]),
        ("no", []),
        ("a/x", []),
        ("b/c/d/e", []),
        ("//no/*", []),
    ],
)
def test_records(path: str, found: list[Any]) -> None:
    assert records(DOCUMENT, path) == found
    decoder = penstock.json.Decoder(at=path)
    fed = [row for char in DOCUMENT for row in decoder.feed(char.encode())]
    assert fed + decoder.finish() == found


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@pytest.mark.parametrize("text", ["1", "null", '"a"', "[]", "{}", "[[1]]"])
def test_a_path_that_leads_nowhere_has_no_records(text: str) -> None:
    assert records(text, "a/*") == records(text, "//a") == []


def test_without_a_path() -> None:
    for text, found in [
        ("[1, [2], {}]", [1, [2], {}]),
        ("[]", []),
        ('{"a": [1]}', [{"a": [1]}]),
        ("7", [7]),
        ("null", [None]),
    ]:
        assert list(read([text.encode()])) == found


def test_the_records_of_each_line() -> None:
    data = b'{"a": [1, 2]}\n{"b": 0}\n[]\n{"a": [3]}\n'
    assert list(penstock.ndjson.read([data], int, at="a/*")) == [1, 2, 3]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "at='', column 1: a path has at least one step"),
        ("/a", "column 1: a path does not begin with '/'; '//' finds its first step anywhere"),
        ("a/", "column 3: a step is expected after '/'"),
        ("a//b", "column 3: '//' is only allowed at the beginning"),
        ("a/key()", "column 3: key() must stand alone, or follow the '*' whose match it is"),
        ("a/*/key()", "column 5: a record is a whole value, and key() is not"),
        ("é/text()", "column 3: a record is a whole value, and text() is not"),
        ("@*", "column 2: an attribute is named; '*' matches children only"),
        ("{a", "column 1: '{' without a '}' after it"),
    ],
)
def test_what_is_no_path_is_refused_before_a_byte_is_read(path: str, message: str) -> None:
    message = message.removeprefix("at='', ")
    with pytest.raises(ValueError, match="column") as caught:
        read("no such file", at=path)
    assert str(caught.value).partition(", ")[2] == message
    with pytest.raises(ValueError, match="column"):
        penstock.json.Decoder(at=path)


@pytest.mark.parametrize("path", ["a/*", "//a", "b"])
@pytest.mark.parametrize("bad", ["[1 2]", '"\\x"', "01", "tru", '{"k" 1}', "[1,]", '"\n"'])
def test_what_lies_around_the_records_is_checked(path: str, bad: str) -> None:
    with pytest.raises(MalformedInput):
        records(f'{{"no": {bad}, "a": [1]}}', path)
    with pytest.raises(MalformedInput):
        records(f'{{"a": [1], "no": {bad}}}', path)


# --- Records, beside a naive matcher -----------------------------------------------------------

Steps = tuple[str, ...]


def naive(value: Any, path: str) -> list[Any]:
    """Every value that `path` leads to, the outer one where they nest."""
    anywhere = path.startswith("//")
    steps = tuple(path.removeprefix("//").split("/"))

    def walk(value: Any, places: frozenset[int]) -> list[Any]:
        if isinstance(value, dict):
            children = [(key, inner) for key, inner in value.items()]
        elif isinstance(value, list):
            children = [(str(index), inner) for index, inner in enumerate(value)]
        else:
            return []
        found = []
        for key, inner in children:
            then = {at + 1 for at in places if steps[at] in {"*", key}}
            if len(steps) in then:
                found.append(inner)
            elif then or anywhere:
                found += walk(inner, frozenset(then | ({0} if anywhere else set())))
        return found

    return walk(value, frozenset({0}))


names = st.sampled_from(["a", "b", "c", "0", "1"])
documents = st.recursive(
    st.integers(min_value=0, max_value=9) | st.none() | st.just("s"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=25,
)
paths = st.builds(
    lambda anywhere, steps: ("//" if anywhere else "") + "/".join(steps),
    st.booleans(),
    st.lists(names | st.just("*"), min_size=1, max_size=4),
)


@pytest.mark.filterwarnings("ignore::penstock.EmptyWarning")
@settings(max_examples=200)
@given(documents, paths)
def test_records_beside_a_naive_matcher(document: Any, path: str) -> None:
    expected = naive(document, path)
    assert records(json.dumps(document), path) == expected
    data = json.dumps(document).encode()
    bytewise = [data[i : i + 1] for i in range(len(data))]
    assert list(read(bytewise, at=path)) == expected


@settings(max_examples=200)
@given(st.dictionaries(names, documents, max_size=4), paths)
def test_fields_beside_a_naive_matcher(document: dict[str, Any], path: str) -> None:
    expected = naive(document, path)
    text = json.dumps(document)
    many = "*" in path or path.startswith("//")
    try:
        found = field(text, list[Any] if many else Any, path, x="absent")
    except ValidationError as error:
        found = error.reason
    if "to reach its elements, write '*'" in str(found):
        # An array that no step of the path enters: only there are fields stricter than records.
        assert not path.startswith("//")
    elif not expected:
        assert found == "absent"
    else:
        assert found == (expected if many else expected[0])


# --- Fields ------------------------------------------------------------------------------------


@dataclass(slots=True)
class Author:
    name: Annotated[str, at("person/name")]
    roles: Annotated[list[str], at("person/roles/*/title")]
    age: int | None = None


@dataclass(slots=True)
class Article:
    pmid: Annotated[int, at("citation/pmid")]
    title: Annotated[str, at("citation/article/title")]
    status: Annotated[str, at("citation/@status")]
    authors: Annotated[list[Author], at("citation/article/authors")]
    second: Annotated[int | None, at("citation/numbers/1")] = None


ARTICLE = """{"junk": [[{}]], "citation": {"@status": "done", "article": {
    "authors": [{"person": {"roles": [{"title": "a"}, {}, {"title": "b"}], "name": "É"}, "age": 3},
                {"age": null, "person": {"name": "F", "x": {"name": 1}}}],
    "title": "T", "name": 5}, "numbers": [1, 2, 3], "pmid": 42}, "title": "no"}"""


def test_a_class_with_paths_in_a_class_with_paths() -> None:
    authors = [Author("É", ["a", "b"], 3), Author("F", [], None)]
    article = Article(42, "T", "done", authors, 2)
    assert decode(ARTICLE, Article) == article
    assert records(f'{{"rows": [{ARTICLE}, {ARTICLE}]}}', "rows/*", Article) == [article] * 2


@pytest.mark.parametrize(
    ("into", "path", "text", "found"),
    [
        (int, "a/b", '{"a": {"b": 1}}', 1),
        (int, "b", '{"b": 1}', 1),
        (int, "a~1b/~0~2~3", '{"a/b": {"~*@": 1}}', 1),
        (int, "@x", '{"x": 0, "@x": 1}', 1),
        (int, "a/@x", '{"a": {"@x": 1}}', 1),
        (int, "a/~3x", '{"a": {"@x": 1}}', 1),
        (int, "a/0", '{"a": [7, 8]}', 7),
        (int, "a/0", '{"a": {"0": 7}}', 7),
        (int, "a/00", '{"a": {"00": 7}}', 7),
        (int, "a/1/b", '{"a": [{"b": 1}, {"b": 2}]}', 2),
        (int, "a/*", '{"a": [1]}', 1),
        (int, "//b", '{"a": [{"b": 1}]}', 1),
        # A list field whose path ends at an array takes its elements.
        (list[int], "a/b", '{"a": {"b": [1, 2]}}', [1, 2]),
        (tuple[int, str], "a/b", '{"a": {"b": [1, "x"]}}', (1, "x")),
        (dict[str, int], "a/b", '{"a": {"b": {"c": 1}}}', {"c": 1}),
        # A list gathers what a path finds in many places, arrays element by element.
        (list[int], "a/*", '{"a": [1, 2]}', [1, 2]),
        (list[int], "a/*", '{"a": {"p": 1, "q": 2}}', [1, 2]),
        (list[int], "a/*", '{"a": [[1, 2], [3]]}', [1, 2, 3]),
        (list[list[int]], "a/*", '{"a": [[1, 2], [3]]}', [[1, 2], [3]]),
        (tuple[int, ...], "a/*", '{"a": [1, 2]}', (1, 2)),
        (set[int], "a/*", '{"a": [1, 2, 1]}', {1, 2}),
        (frozenset[int], "a/*", '{"a": [1, 2, 1]}', frozenset({1, 2})),
        (list[int], "a/*/b", '{"a": [{"b": 1}, {"c": 2}, 4, null, {"b": 3}]}', [1, 3]),
        (list[int], "//x", '{"x": 1, "b": [{"x": 2}, {"y": {"x": 3}}]}', [1, 2, 3]),
        (list[Any], "//x", '{"x": {"x": 5}, "b": {"x": 2}}', [{"x": 5}, 2]),
        (list[int] | None, "a/*", '{"a": [1]}', [1]),
        # No match: nothing is gathered.
        (list[int], "a/*", '{"a": []}', []),
        (list[int], "a/*", "{}", []),
        (set[int], "//x", '{"y": 1}', set()),
        # The key that a `*` matched.
        (str, "a/*/key()", '{"a": {"k": 1}}', "k"),
        (list[str], "a/*/key()", '{"a": {"k": 1, "l": {"m": []}}}', ["k", "l"]),
        (list[str], "*/key()", '{"a": [5, 6], "b": 1}', ["a", "b"]),
        (list[int], "a/*/key()", '{"a": [5, 6]}', [0, 1]),
        # Without namespaces a step's whole text is the key.
        (int, "p:x", '{"x": 0, "p:x": 1}', 1),
        (int, "{u/v}x", '{"{u/v}x": 1}', 1),
    ],
)
def test_fields(into: Any, path: str, text: str, found: Any) -> None:
    value = field(text, into, path)
    assert value == found
    assert type(value) is type(found)
    decoder = penstock.json.Decoder(holder(into, path))
    rows = [row for char in text for row in decoder.feed(char.encode())]
    assert [row.x for row in rows + decoder.finish()] == [found]


@pytest.mark.parametrize(
    ("into", "path", "text", "where", "reason"),
    [
        (int, "a/b", "{}", 1, 'Holder lacks the required key "a/b"'),
        (int, "a/b", '{"a": {}}', 8, 'Holder lacks the required key "a/b"'),
        (int, "a/b", '{"a": null}', 10, 'Holder lacks the required key "a/b"'),
        (int, "a/b", '{"a": 3}', 7, 'Holder lacks the required key "a/b"'),
        (int, "a/5", '{"a": [7]}', 9, 'Holder lacks the required key "a/5"'),
        (list[int], "a/b", "{}", 1, 'Holder lacks the required key "a/b"'),
        (
            int,
            "a/b",
            '{"a": [{"b": 1}]}',
            6,
            'expected an object with the key "b", got an array; to reach its elements, write \'*\' before "b" in the path',
        ),
        (int, "a/*", '{"a": [1, 2]}', 10, '"a/*" is matched more than once by one record'),
        (int, "//x", '{"a": {"x": 1}, "x": 2}', 21, '"//x" is matched more than once by one record'),
        (list[int], "a/*", '{"a": [1, "x"]}', 10, "expected int, got a string"),
        (dict[str, int], "a/*", '{"a": {"p": 1}}', 12, "expected dict[str, int], got the integer 1"),
        (tuple[int, int], "a/*", '{"a": [1, 2]}', 7, "expected tuple[int, int], got the integer 1"),
    ],
)  # fmt: skip
def test_what_does_not_fit(into: Any, path: str, text: str, where: int, reason: str) -> None:
    with pytest.raises(ValidationError) as caught:
        field(text, into, path)
    assert (caught.value.offset, caught.value.reason) == (where, reason)


@pytest.mark.parametrize("text", ["{}", '{"a": null}', '{"a": 3}', '{"a": {}}', '{"a": {"c": 1}}'])
def test_absent_is_the_default(text: str) -> None:
    assert field(text, int, "a/b", x=7) == 7
    assert field(text, list[int], "a/b/*", x=[7]) == [7]


class Counted(NamedTuple):
    n: Annotated[int, at("a/n")]
    m: Annotated[list[int], at("a/m/*")]


def test_a_key_on_the_way_that_is_repeated() -> None:
    text = '{"a": {"n": 1, "m": [1]}, "a": {"n": 2, "m": [2, 3]}}'
    assert decode(text, Counted) == Counted(2, [2, 3])
    assert decode(text, Counted, duplicates="first") == Counted(1, [1])
    with pytest.raises(ValidationError, match='the key "a" occurs more than once') as caught:
        decode(text, Counted, duplicates="error")
    assert caught.value.offset == text.index('"a"', 9)


class Typed(TypedDict):
    n: Annotated[int, at("a/n")]


def test_other_kinds_of_classes() -> None:
    assert decode('{"a": {"n": 1}}', Typed) == {"n": 1}
    assert decode('{"a": {"m": [3], "n": 1}}', Counted) == Counted(1, [3])


class Keyed:
    key: Annotated[str, at("key()")]
    n: Annotated[int, at("a/n")]


def test_the_key_of_the_record() -> None:
    text = '{"rows": {"p": {"a": {"n": 1}}, "q": {"a": {"n": 2}}}}'
    rows = records(text, "rows/*", Keyed)
    assert [(row.key, row.n) for row in rows] == [("p", 1), ("q", 2)]
    rows = records(text, "*/*", Keyed)
    assert [(row.key, row.n) for row in rows] == [("p", 1), ("q", 2)]
    with pytest.raises(PlanError, match=r"the field 'key' of Keyed takes the key by which"):
        decode('{"a": {"n": 1}}', Keyed)


def test_unknown_keys_on_the_way() -> None:
    with pytest.raises(ValidationError, match='Typed has no field for the key "z"') as caught:
        decode('{"a": {"n": 1, "z": [1]}}', Typed, unknown="error")
    assert (caught.value.offset, caught.value.path) == (15, "a/z")


def test_what_a_class_skips_is_checked() -> None:
    for bad in ("[1 2]", '"\\x"', "01", '{"k": 1,}'):
        with pytest.raises(MalformedInput):
            decode(f'{{"a": {{"no": {bad}, "n": 1}}}}', Typed)


# --- Classes that cannot be served -------------------------------------------------------------


def clash(a: str, b: str, into: Any = int) -> str:
    fields = {"p": Annotated[into, at(a)], "q": Annotated[into, at(b)]}
    with pytest.raises(PlanError) as caught:
        penstock.json.Decoder(type("Clash", (), {"__annotations__": fields}))
    return str(caught.value)


@pytest.mark.parametrize(
    ("a", "b"),
    [("a", "a/b"), ("a/b", "a"), ("a/b", "a/b"), ("a/*", "a/b"), ("a/*", "*/b"), ("//x", "x")],
)
def test_paths_that_claim_the_same_value(a: str, b: str) -> None:
    message = f"fields 'p' and 'q' of Clash claim the same value: '{a}' and '{b}'"
    assert clash(a, b) == message


def test_paths_that_only_share_their_beginning() -> None:
    class Both:
        p: Annotated[int, at("a/b/p")]
        q: Annotated[int, at("a/b/q")]
        r: Annotated[list[int], at("a/c/*/r")]
        s: Annotated[list[int], at("a/c/*/s")]

    found = decode('{"a": {"c": [{"r": 3, "s": 4}, {"r": 5}], "b": {"q": 2, "p": 1}}}', Both)
    assert vars(found) == {"p": 1, "q": 2, "r": [3, 5], "s": [4]}


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("text()", "text() is a step of XML paths (column 1)"),
        ("a/text()", "text() is a step of XML paths (column 3)"),
        ("a//b", "'//' is only allowed at the beginning (column 3)"),
        ("a/", "a step is expected after '/' (column 3)"),
        ("", "a path has at least one step (column 1)"),
        ("é/key()", "key() must stand alone, or follow the '*' whose match it is (column 3)"),
    ],
)
def test_a_field_without_a_path(path: str, reason: str) -> None:
    with pytest.raises(PlanError) as caught:
        field("{}", int, path)
    assert str(caught.value) == f"field 'x' of Holder: at('{path}'): {reason}"


def test_a_condition_is_none_of_a_path() -> None:
    with pytest.raises(ValueError, match="a path has no conditions: filter the records"):
        read([b"[]"], at="*[user>5]")


def test_a_record_that_is_an_array_leads_to_named_tuples() -> None:
    class Point(NamedTuple):
        lon: float
        lat: float

    class Fields(TypedDict):
        lon: Annotated[float, at("0")]
        lat: Annotated[float, at("1")]

    assert decode("[[7.45, 46.95]]", list[Point]) == [Point(7.45, 46.95)]
    assert decode('[{"0": 7.45, "1": 46.95}]', list[Fields]) == [{"lon": 7.45, "lat": 46.95}]
    with pytest.raises(ValidationError) as raised:
        decode("[[7.45, 46.95]]", list[Fields])
    assert raised.value.path == "0"
    assert raised.value.reason == (
        "expected Fields, got an array; a NamedTuple or tuple[...] takes its elements by their "
        "positions"
    )
