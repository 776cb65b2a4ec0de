"""The code that `penstock.infer` writes: types, names, comments, and each kind of class."""

import io
from typing import Any

import pytest

import penstock
from penstock import csv
from tests.infer.modules import executed


def of(*lines: str, **options: Any) -> str:
    """The code for lines of JSON, without what is imported and the number of records."""
    code = penstock.infer(io.BytesIO("\n".join(lines).encode()), format="ndjson", **options)
    return classes(code)


def classes(code: str) -> str:
    """The classes of a module."""
    return "\n\n\n".join(code.rstrip("\n").split("\n\n\n")[1:])


def fields(*lines: str, **options: Any) -> list[str]:
    """The fields of the last class."""
    return [line.strip() for line in of(*lines, **options).split("\n\n\n")[-1].split("\n")[2:]]


def test_a_module_says_how_many_records_there_were():
    code = penstock.infer(io.BytesIO(b'{"a": 1}\n{"a": 2}'), format="ndjson", name="Row")
    assert code == (
        "# 2 records\n\nfrom dataclasses import dataclass\n\n\n"
        "@dataclass(slots=True)\nclass Row:\n    a: int  # int 1..2\n"
    )


@pytest.mark.parametrize(
    ("values", "field"),
    [
        (["1", "24874500"], "a: int  # int 1..24874500"),
        (["-1", "123456789012345678901"], "a: int  # int of up to 21 digits"),
        (["1", "2.5"], "a: float  # float 1..2.5"),
        (["0.12345678901234567890"], "a: Decimal  # decimal with 20 places, 0.12345678901234568"),
        (["true", "false", "true"], "a: bool  # 66.7 % true"),
        (["null", "null"], "a: None  # always null"),
        (["1", "null"], "a: int | None  # 50.0 % null; int 1"),
        (['"x"', '"ab"', '""'], "a: str  # 33.3 % empty; text of 1..2 characters"),
        (['"2026-03-01"'], "a: dt.date  # date"),
        (['"2026-03-01T07:08:09Z"'], "a: dt.datetime  # date and time"),
        (['"2026-03-01T07:08Z"'], "a: str  # text of 17 characters"),
        (['"07:08:09"'], "a: dt.time  # time"),
        (['"P1DT2H"'], "a: dt.timedelta  # duration"),
        (['"12345678-1234-5678-1234-567812345678"'], "a: UUID  # UUID"),
        (['"12.50"', '"0.99"'], "a: Decimal  # decimal with 2 places, 0.99..12.5"),
        (['"1.5"'], "a: str  # text of 3 characters"),
        (['"7"'], "a: str  # text of 1 character"),
        (['"2026-03-01"', '""'], "a: str  # 50.0 % empty; text of 10 characters"),
        (["1", '"x"'], "a: int | str  # int 1; text of 1 character"),
        (["[]", "[1, 2]"], "a: list[int]  # 0..2 items of int 1..2"),
        (["[]"], "a: list[Any]  # 0 items"),
        (["[1, 2]"] * 3, "a: tuple[int, int]  # 2 items of int 1..2"),
        (['[1, "x", null]'], "a: list[int | str | None]  # 3 items"),
        (["{}"], "a: dict[str, Any]"),
        (['{"7": 1.5, "8": 2}'], "a: dict[int, float]  # up to 2 keys"),
        (['{"2026-03-01": "x"}'], "a: dict[dt.date, str]  # up to 1 key"),
        (['{"b": 1}'], "a: A"),
    ],
)
def test_values_have_types(values: list[str], field: str):
    assert fields(*(f'{{"a": {value}}}' for value in values)) == [field]


def test_few_texts_are_a_choice():
    lines = ['{"level": "info"}'] * 19 + ['{"level": "warn"}'] * 2
    assert fields(*lines) == ['level: Literal["info", "warn"]  # info 90.5 %, warn 9.5 %']
    # One that came once is chance, and ten of each are needed.
    assert fields(*lines, '{"level": "bad"}') == ["level: str  # text of 3..4 characters"]
    assert fields(*lines[2:]) == ["level: str  # text of 4 characters"]
    named = [line.replace("level", "name") for line in lines]
    assert fields(*named) == ["name: str  # text of 4 characters"]


def test_what_is_absent_has_a_default():
    assert of('{"a": 1, "b": [1], "c": {"1": 2}}', "{}", '{"d": null}') == (
        "@dataclass(slots=True)\n"
        "class Record:\n"
        "    a: int | None = None  # 33.3 % of 3; int 1\n"
        "    b: list[int] = field(default_factory=list[int])  # 33.3 % of 3; 1 item of int 1\n"
        "    # 33.3 % of 3; up to 1 key\n"
        "    c: dict[int, int] = field(default_factory=dict[int, int])\n"
        "    d: None = None  # 33.3 % of 3; always null"
    )


def test_required_fields_behind_others_need_keywords():
    assert of('{"a": 1, "b": 2}', '{"b": 2}').startswith("@dataclass(slots=True, kw_only=True)\n")
    assert of('{"a": 1}', '{"a": 1, "b": 2}').startswith("@dataclass(slots=True)\n")


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("userId", "userId: int"),
        ("user_id", "user_id: int"),
        ("Unique Key", 'unique_key: Annotated[int, at("Unique Key")]'),
        ("class", 'class_: Annotated[int, at("class")]'),
        ("list", 'list_: Annotated[int, at("list")]'),
        ("", 'value: Annotated[int, at("~4")]'),
        ("a/b", 'a_b: Annotated[int, at("a~1b")]'),
        ("@id", 'id: Annotated[int, at("~3id")]'),
        ("__init__", 'init: Annotated[int, at("__init__")]'),
        ("größe", "größe: int"),
        ("ﬁ", 'fi: Annotated[int, at("ﬁ")]'),
        ("1st", 'n1_st: Annotated[int, at("1st")]'),
        ("mro", 'mro_: Annotated[int, at("mro")]'),
        ("URLPath", 'url_path: Annotated[int, at("URLPath")]'),
        ('say "hi"', "say_hi: Annotated[int, at('say \"hi\"')]"),
    ],
)
def test_keys_become_names(key: str, field: str):
    line = penstock.json.encode({key: 1, "other": True}).decode()
    code = of(line)
    assert f"    {field}  # int 1" in code
    record = executed(penstock.infer(io.BytesIO(line.encode()), format="ndjson")).Record
    assert penstock.json.encode(penstock.decode(line, record)).decode() == line


def test_names_that_would_be_the_same_have_numbers():
    assert fields('{"a b": 1, "a-b": 2, "a_b": 3}') == [
        'a_b_2: Annotated[int, at("a b")]  # int 1',
        'a_b_3: Annotated[int, at("a-b")]  # int 2',
        "a_b: int  # int 3",
    ]


def test_a_key_that_no_path_names_makes_a_dict():
    assert of('{"text()": 1, "b": 2}') == ""
    code = penstock.infer(io.BytesIO(b'{"text()": 1, "b": 2}'), format="ndjson")
    assert code.endswith("\n\nRecord: TypeAlias = dict[str, int]\n")


def test_classes_with_the_same_keys_are_one():
    code = of(
        '{"home": {"street": "a", "city": "b", "zip": 1}, "work": {"street": "c", "city": "d", "zip": null}}'
    )
    assert code.count("class ") == 2
    assert "    home: Home\n    work: Home" in code
    assert "    zip: int | None  # 50.0 % null; int 1" in code


def test_a_class_may_contain_itself():
    code = penstock.infer(
        io.BytesIO(b'{"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}]}'),
        format="ndjson",
        name="Node",
    )
    assert "from __future__ import annotations" in code
    assert code.count("class ") == 1
    assert '    children: list[Node] = field(default_factory=list["Node"])' in code
    node = executed(code).Node
    assert penstock.decode('{"name": "a", "children": [{"name": "b"}]}', node).children == [
        node(name="b")
    ]


def test_keys_that_are_data_make_a_dict():
    lines = [f'{{"n": {{"key{n}": {n}, "key{n + 1}": 1.5}}}}' for n in range(20)]
    assert fields(*lines) == ["n: dict[str, float]  # up to 2 keys"]
    many = ", ".join(f'"key{n}": {n}' for n in range(257))
    assert fields(f'{{"n": {{{many}}}}}') == ["n: dict[str, int]  # up to 257 keys"]
    few = ", ".join(f'"key{n}": {n}' for n in range(256))
    assert "class N:" in of(f'{{"n": {{{few}}}}}')
    alike = ", ".join(f'"{word}": {{"x": 1, "y": 2}}' for word in "abcdefgh")
    assert fields(f'{{"n": {{{alike}}}}}') == ["n: dict[str, N]  # up to 8 keys"]


def test_a_key_tells_classes_apart():
    lines = ['{"type": "login", "user": 7}', '{"type": "upload", "path": "/a"}'] * 2
    code = penstock.infer(io.BytesIO("\n".join(lines).encode()), format="ndjson", name="Event")
    assert code.endswith("Event: TypeAlias = Login | Upload\n")
    assert '    type: Literal["login"]\n    user: int  # int 7' in code
    module = executed(code)
    assert penstock.decode(lines[1], module.Event) == module.Upload(type="upload", path="/a")
    # Whether the key comes first makes no difference.
    late = ['{"user": 7, "type": "login"}', '{"path": "/a", "type": "upload"}'] * 2
    other = penstock.infer(io.BytesIO("\n".join(late).encode()), format="ndjson", name="Event")
    assert other.count("class ") == code.count("class ") == 2
    # It tells nothing if it explains no key, or if an object lacks it.
    assert of(*(line.replace("path", "user") for line in lines)).count("class ") == 1
    assert of(*lines, "{}").count("class ") == 1


def test_a_key_tells_what_is_deeper():
    lines = [
        '{"type": "push", "payload": {"size": 1}}',
        '{"type": "watch", "payload": {"action": "started"}}',
    ]
    code = of(*lines, *lines)
    assert code.endswith("Record: TypeAlias = PushRecord | Watch")
    assert "    payload: Payload" in code


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        (
            "attrs",
            (
                "@attrs.define\nclass Record:\n"
                "    a: int  # int 1\n"
                '    b_c: Annotated[int, at("b-c")]  # int 2\n'
                "    d: int | None = None  # 50.0 % of 2; int 3\n"
                "    e: list[int] = attrs.field(factory=list[int])  # 50.0 % of 2; 1 item of int 4"
            ),
        ),
        (
            "pydantic",
            (
                "class Record(pydantic.BaseModel):\n"
                "    a: int  # int 1\n"
                '    b_c: int = pydantic.Field(alias="b-c")  # int 2\n'
                "    d: int | None = None  # 50.0 % of 2; int 3\n"
                "    e: list[int] = []  # 50.0 % of 2; 1 item of int 4"
            ),
        ),
        (
            "msgspec",
            (
                "class Record(msgspec.Struct):\n"
                "    a: int  # int 1\n"
                '    b_c: int = msgspec.field(name="b-c")  # int 2\n'
                "    d: int | None = None  # 50.0 % of 2; int 3\n"
                "    e: list[int] = []  # 50.0 % of 2; 1 item of int 4"
            ),
        ),
        (
            "typeddict",
            (
                "class Record(TypedDict):\n"
                "    a: int  # int 1\n"
                '    b_c: Annotated[int, at("b-c")]  # int 2\n'
                "    d: NotRequired[int]  # 50.0 % of 2; int 3\n"
                "    e: NotRequired[list[int]]  # 50.0 % of 2; 1 item of int 4"
            ),
        ),
    ],
)
def test_kinds_of_classes(kind: Any, written: str):
    lines = ('{"a": 1, "b-c": 2}', '{"a": 1, "b-c": 2, "d": 3, "e": [4]}')
    assert of(*lines, kind=kind) == written
    code = penstock.infer(io.BytesIO("\n".join(lines).encode()), format="ndjson", kind=kind)
    record = executed(code).Record
    again = penstock.json.encode(penstock.decode(lines[1], record), record)
    assert again == b'{"a":1,"b-c":2,"d":3,"e":[4]}'


def test_attributes_of_pydantic_are_no_names():
    assert 'copy_: int = pydantic.Field(alias="copy")' in of(
        '{"copy": 1, "_id": 2}', kind="pydantic"
    )
    assert 'id: int = pydantic.Field(alias="_id")' in of('{"copy": 1, "_id": 2}', kind="pydantic")


def test_columns_of_csv():
    data = (
        b'id,zip,when,price,name,note,"A b"\n1,007,2026-03-01,1.50,x,,5\n2,8,2026-03-02,2.25,,,\n'
    )
    code = penstock.infer(csv.read(io.BytesIO(data)))
    assert classes(code) == (
        "@dataclass(slots=True)\n"
        "class Record:\n"
        "    id: int  # int 1..2\n"
        "    zip: str  # text of 1..3 characters\n"
        "    when: dt.date  # date\n"
        "    price: Decimal  # decimal with 2 places, 1.5..2.25\n"
        "    name: str | None  # 50.0 % empty; text of 1 character\n"
        "    note: str | None  # always empty\n"
        '    a_b: Annotated[int | None, at("A b")]  # 50.0 % empty; int 5'
    )
    assert [row.id for row in csv.read(io.BytesIO(data), executed(code).Record)] == [1, 2]


def test_a_reader_has_the_options_of_its_format():
    data = io.BytesIO(b"a;b\n1;x\n")
    code = penstock.infer(csv.read(data, dialect=csv.Dialect(";")), name="Row")
    assert "class Row:\n    a: int  # int 1\n    b: str" in code


def test_elements_of_xml():
    data = (
        b'<r><e id="1"><n>7</n><n>8</n><t lang="x">hi</t><w><i>a</i><i>b</i></w><m>a<b>c</b></m><z/></e>'
        b'<e id="2"><t>ho</t><w/><m k="v">d</m><z>3</z></e></r>'
    )
    code = penstock.infer(io.BytesIO(data), format="xml")
    assert classes(code) == (
        "# seen 2 times\n"
        "@dataclass(slots=True, kw_only=True)\n"
        "class T:\n"
        '    lang: Annotated[str | None, at("@lang")] = None  # 50.0 % of 2; text of 1 character\n'
        '    text: Annotated[str, at("text()")]  # text of 2 characters\n'
        "\n\n"
        "# seen 2 times\n"
        "@dataclass(slots=True, kw_only=True)\n"
        "class M:\n"
        '    k: Annotated[str | None, at("@k")] = None  # 50.0 % of 2; text of 1 character\n'
        '    text: Annotated[str, at("string()")]  # text with elements in it\n'
        "\n\n"
        "@dataclass(slots=True, kw_only=True)\n"
        "class Record:\n"
        '    id: Annotated[int, at("@id")]  # int 1..2\n'
        "    # 50.0 % of 2; up to 2 elements; int 7..8\n"
        "    n: list[int] = field(default_factory=list[int])\n"
        "    t: T\n"
        "    # up to 2 elements; text of 1 character\n"
        '    w: Annotated[list[str], at("w/i")] = field(default_factory=list[str])\n'
        "    m: M\n"
        '    z: Annotated[int | None, cells(null=[""])]  # 50.0 % empty; int 3'
    )
    record = executed(code).Record
    one, two = penstock.read(io.BytesIO(data), record, format="xml")
    assert (one.n, one.t.text, one.w, one.m.text, one.z) == ([7, 8], "hi", ["a", "b"], "ac", None)
    assert (two.n, two.t.lang, two.w, two.m.k, two.z) == ([], None, [], "v", 3)


def test_names_in_a_namespace_and_elements_that_are_nil():
    data = (
        b'<r xmlns:p="urn:x" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        b'<e><p:n>1</p:n><v xsi:nil="true"/></e><e><p:n>2</p:n><v>x</v></e></r>'
    )
    code = penstock.infer(io.BytesIO(data), format="xml")
    assert '    n: Annotated[int, at("{urn:x}n")]  # int 1..2\n' in code
    assert "    v: str | None  # 50.0 % null; text of 1 character\n" in code


def test_records_of_several_elements_are_said():
    code = penstock.infer(io.BytesIO(b'<r><a x="1"/><b y="2"/><a x="3"/></r>'), format="xml")
    assert code.startswith(
        "# 3 records\n# of several elements, of which at= chooses one: a 2, b 1\n"
    )


def test_property_lists():
    data = (
        b'<plist version="1.0"><dict><key>When</key><date>2026-03-01T00:00:00Z</date>'
        b"<key>Data</key><data>AAA=</data></dict></plist>"
    )
    assert fields_of(data, "dataclass") == [
        'when: Annotated[dt.datetime, at("When")]  # date and time',
        'data: Annotated[bytes, at("Data")]  # bytes',
    ]
    assert fields_of(data, "pydantic")[1] == (
        'data: pydantic.InstanceOf[bytes] = pydantic.Field(alias="Data")  # bytes'
    )


def fields_of(data: bytes, kind: Any) -> list[str]:
    code = classes(penstock.infer(io.BytesIO(data), format="plist", kind=kind))
    return [line.strip() for line in code.split("\n") if line.startswith("    ")]


def test_records_that_are_no_objects():
    assert penstock.infer(io.BytesIO(b"1\n2.5\n"), format="ndjson") == (
        "# 2 records\n\nfrom typing import TypeAlias\n\nRecord: TypeAlias = float\n"
    )
    code = penstock.infer(io.BytesIO(b""), format="ndjson")
    assert code == "# 0 records\n\nfrom typing import Any, TypeAlias\n\nRecord: TypeAlias = Any\n"


def test_records_in_error_and_unwanted_records_do_not_count():
    data = b'{"a": 1}\n{"a": "x", \n{"b": 2}\n'
    code = penstock.infer(io.BytesIO(data), format="ndjson", errors="skip")
    assert code.startswith("# 2 records\n")
    assert "str" not in code
    with pytest.raises(penstock.MalformedInput):
        penstock.infer(io.BytesIO(data), format="ndjson")
    some = penstock.infer(
        io.BytesIO(b'{"a": 1}\n{"a": 2, "b": 3}\n'), format="ndjson", where="a < 2"
    )
    assert classes(some) == "@dataclass(slots=True)\nclass Record:\n    a: int  # int 1"


def test_wrong_arguments():
    with pytest.raises(ValueError, match="name= is the name of a class, and 'a b' is none"):
        penstock.infer(io.BytesIO(b"{}"), format="ndjson", name="a b")
    with pytest.raises(ValueError, match="kind='x' is no kind of class; the kinds are 'dataclass'"):
        penstock.infer(io.BytesIO(b"{}"), format="ndjson", kind="x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"infer\(\) takes a path or a binary file"):
        penstock.infer(b"{}", format="ndjson")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="evidence is of records without a class"):
        penstock.infer(penstock.ndjson.read(io.BytesIO(b"{}"), dict[str, int]))
