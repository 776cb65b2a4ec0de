//! Rows of a format with keys and untyped text (CSV), for which there is no reader yet.

use super::core::refusal::Refusal;
use super::owned::{Keys, Owned};
use super::{KeyedOptions, Options};
use crate::plan::plan_from;
use penstock_core::event::{Cell, Key, KeyKind, KnownKeys, Row, Scalar, Text};
use penstock_core::formats::Lends;
use penstock_core::protocol::{Duplicates, Flow, Hints, LookAhead, Sink, Unknown};
use penstock_core::shape::Form;
use penstock_core::stage::Replay;
use penstock_core::value::datetime;
use penstock_core::value::duration::Duration;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::CString;

/// The Python package, as far as plans import it: from the sources, with this very extension.
fn package(py: Python<'_>) -> PyResult<()> {
    let sys = py.import("sys")?;
    let modules = sys.getattr("modules")?.cast_into::<PyDict>()?;
    if modules.contains("penstock._rust")? {
        return Ok(());
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python");
    sys.getattr("path")?.call_method1("insert", (0, source))?;
    modules.set_item("penstock._rust", pyo3::wrap_pymodule!(crate::_rust)(py))
}

/// A builder for the type that `code` defines as `T`.
fn builder_of(py: Python<'_>, code: &str) -> Owned<Keys> {
    package(py).expect("the package is there");
    let names = PyDict::new(py);
    names.set_item("__name__", "rows").expect("a dict takes a key");
    let code = CString::new(code).expect("the code holds no NUL");
    py.run(&code, Some(&names), None).expect("the code runs");
    let into = names.get_item("T").expect("a dict answers").expect("the code defines T");
    let plan = plan_from(py, &into, Form::ROWS.into()).expect("the type has a plan");
    let options = Options {
        duplicates: Duplicates::Last,
        unknown: Unknown::Skip,
        all_errors: false,
        pause: false,
        recycle: false,
        suggest: true,
        distinct: false,
    };
    let (lends, token) = (Lends::Nothing, 1_000);
    Owned::new(plan, options, KeyedOptions { lends, number: 100, token, memory: None })
}

/// The finished row, as Python shows it.
fn shown(py: Python<'_>, builder: &mut Owned<Keys>) -> String {
    let made = builder.take_row().expect("a row is ready");
    made.bind(py).repr().expect("a row has a repr").to_string()
}

/// What each row becomes, as Python shows it, or the reason why it does not fit, for the type that
/// `code` defines as `T`.
fn read(code: &str, rows: &[&[(&str, &str)]]) -> Vec<String> {
    Python::initialize();
    Python::attach(|py| {
        let mut builder = builder_of(py, code);
        rows.iter().map(|row| read_row(py, &mut builder, row)).collect()
    })
}

/// Reports one row, as `tests/events/row.txt` lists it.
fn read_row(py: Python<'_>, builder: &mut Owned<Keys>, row: &[(&str, &str)]) -> String {
    let told = (|| {
        builder.begin_map(0)?;
        for (at, (key, value)) in (0..).zip(row) {
            if builder.key(Text::from(*key), at)? != Flow::Skip {
                builder.scalar(Scalar::Untyped(Text::from(*value)), at)?;
            }
        }
        builder.end_map(row.len() as u64)
    })();
    match told {
        Ok(_) => shown(py, builder),
        Err(mut refusal) => {
            builder.abandon();
            let mismatch = refusal.mismatch().expect("the row does not fit");
            let path: Vec<_> = mismatch.path.iter().map(ToString::to_string).collect();
            format!("{}: {}", path.join("/"), mismatch.reason)
        }
    }
}

const LINE: &str = "
import dataclasses, datetime, decimal, typing, uuid
@dataclasses.dataclass
class T:
    id: int
    name: str
    note: str
";

#[test]
fn cells_become_what_the_fields_ask_for() {
    let rows: &[&[_]] = &[
        &[("id", "7"), ("name", "Vila, La"), ("note", "")],
        &[("note", "x"), ("other", "1"), ("id", " 08 "), ("name", "7")],
        &[("id", "seven"), ("name", ""), ("note", "")],
        &[("id", "7"), ("name", "")],
        &[("id", "1"), ("name", "again"), ("note", "and again")],
    ];
    assert_eq!(
        read(LINE, rows),
        [
            "T(id=7, name='Vila, La', note='')",
            "T(id=8, name='7', note='x')",
            "id: expected int, got \"seven\"",
            ": T lacks the required key \"note\"",
            "T(id=1, name='again', note='and again')",
        ]
    );
}

#[test]
fn all_types_of_text() {
    let code = "
import dataclasses, datetime, decimal, enum, typing, uuid
class Size(enum.Enum):
    S = 1
    L = 'large'
@dataclasses.dataclass
class T:
    a: bool
    b: float
    c: decimal.Decimal
    d: datetime.date
    e: datetime.timedelta
    f: bytes
    g: Size
    h: int | str
    i: float | None
    j: typing.Any
    k: uuid.UUID
";
    let good = [
        ("a", "1"),
        ("b", "INF"),
        ("c", "1.50"),
        ("d", "2026-01-02"),
        ("e", "PT5M"),
        ("f", "cGVu"),
        ("g", "1"),
        ("h", "x7"),
        ("i", "2.5"),
        ("j", "7"),
        ("k", "12345678-9abc-def0-1234-56789abcdef0"),
    ];
    let with = |key: &str, value: &'static str| {
        good.map(|(known, old)| (known, if known == key { value } else { old }))
    };
    let rows = [good, with("h", "7"), with("d", "2026-13-01"), with("b", "1e400"), with("g", "M")];
    let rows: Vec<&[_]> = rows.iter().map(|row| &row[..]).collect();
    let shown = |h: &str| {
        format!(
            "T(a=True, b=inf, c=Decimal('1.50'), d=datetime.date(2026, 1, 2), \
             e=datetime.timedelta(seconds=300), f=b'pen', g=<Size.S: 1>, h={h}, i=2.5, j='7', \
             k=UUID('12345678-9abc-def0-1234-56789abcdef0'))"
        )
    };
    assert_eq!(
        read(code, &rows),
        [
            shown("'x7'"),
            shown("7"),
            "d: expected date, got \"2026-13-01\": month 13 is not in 1..12".to_owned(),
            "b: expected float, got a number beyond the range of a double".to_owned(),
            "g: expected Size (1 or \"large\"), got \"M\"".to_owned(),
        ]
    );
}

#[test]
fn rows_without_a_class() {
    let row: &[_] = &[("id", "7"), ("name", "Vila")];
    assert_eq!(read("T = dict[str, int | str]", &[row]), ["{'id': 7, 'name': 'Vila'}"]);
    assert_eq!(read("import typing; T = typing.Any", &[row]), ["{'id': '7', 'name': 'Vila'}"]);
}

/// Two classes that a key distinguishes.
const UNION: &str = "
import dataclasses, typing
@dataclasses.dataclass
class A:
    t: typing.Literal['a']
    x: int
@dataclasses.dataclass
class B:
    t: typing.Literal['b']
    y: int
T = A | B
";

/// Makes a builder for the type that `code` defines as `T`, and calls `tell` with it.
fn told(code: &str, tell: impl Fn(&mut Owned<Keys>) -> Result<Flow, Refusal>) -> String {
    Python::initialize();
    Python::attach(|py| {
        let mut builder = builder_of(py, code);
        match tell(&mut builder) {
            Ok(_) => shown(py, &mut builder),
            Err(mut refusal) => {
                builder.abandon();
                refusal.mismatch().expect("it does not fit").reason.clone()
            }
        }
    })
}

/// A reader that neither looks ahead nor stands behind the stage is refused, whatever it reports
/// next.
#[test]
fn a_reader_that_does_not_look() {
    let first = |name: &'static str| {
        move |builder: &mut Owned<Keys>| {
            assert_eq!(builder.begin_map(0)?, Flow::Look);
            assert!(builder.expected_key().is_empty());
            builder.key(name.into(), 1)
        }
    };
    let reason = "expected A | B, and the format cannot look ahead for its class";
    for name in ["t", "x", "y", "other"] {
        assert_eq!(told(UNION, first(name)), reason);
    }
    let empty = |builder: &mut Owned<Keys>| {
        builder.begin_map(0)?;
        builder.end_map(1)
    };
    assert_eq!(told(UNION, empty), reason);
}

/// Behind the stage such a reader works like one that looks ahead itself, and so does a row.
#[test]
fn looking_ahead_by_others() {
    Python::initialize();
    Python::attach(|py| {
        let mut stage = Replay::new(builder_of(py, UNION), 1 << 20);
        let told = (|| {
            stage.begin_map(0)?;
            stage.key("y".into(), 1)?;
            stage.number(b"7", 2)?;
            stage.key("t".into(), 3)?;
            stage.text("b".into(), 4)?;
            stage.end_map(5)
        })();
        assert!(matches!(told, Ok(Flow::Take | Flow::Pause)));
        assert_eq!(shown(py, &mut stage.into_inner()), "B(t='b', y=7)");
    });
    let row = |builder: &mut Owned<Keys>| {
        let key = |name: &'static str| Key {
            name: name.into(),
            namespace: None,
            prefix: None,
            kind: KeyKind::Member,
        };
        let keys = [key("x"), key("y"), key("t")];
        let known = KnownKeys { shape: 0, keys: &keys, places: &[], at: 0 };
        builder.known_keys(&known, &mut [None; 3])?;
        let cell =
            |value: &'static str, at| Cell { value: Scalar::Untyped(value.into()), key_at: at, at };
        let cells = [Some(cell("7", 1)), None, Some(cell("a", 2))];
        builder.row(&mut Row::new(0, &keys, &cells, 0, Some(3)))
    };
    assert_eq!(told(UNION, row), "A(t='a', x=7)");
}

/// Values with types of their own become what the type asks for, or the refusal names their type.
#[test]
fn values_with_types_of_their_own() {
    let date = datetime::date(b"2026-11-02").expect("a date");
    let time = datetime::time(b"07:08:09").expect("a time");
    let moment = datetime::datetime(b"2026-11-02T07:08:09Z").expect("a moment");
    let span = Duration { days: 1, seconds: 2, microseconds: 3 };
    let uuid = *b"0123456789abcdef";
    let utc = "datetime.datetime(2026, 11, 2, 7, 8, 9, tzinfo=datetime.timezone.utc)";
    let year = "datetime.datetime(2001, 1, 1, 0, 0, 0, 500000, tzinfo=datetime.timezone.utc)";
    let uuid_shown = "UUID('30313233-3435-3637-3839-616263646566')";
    let day = "datetime.date(2026, 11, 2)";
    for (value, class, expected) in [
        (Scalar::Bytes(b"pen"), "bytes", "b'pen'"),
        (Scalar::Bytes(b"pen"), "int | bytes", "b'pen'"),
        (Scalar::Bytes(b"pen"), "str", "expected str, got binary data"),
        (Scalar::Date(date), "datetime.date", day),
        (Scalar::Date(date), "int | datetime.date", day),
        (Scalar::Date(date), "datetime.datetime", "expected datetime, got a date"),
        (Scalar::Time(time), "datetime.time", "datetime.time(7, 8, 9)"),
        (Scalar::Time(time), "str", "expected str, got a time"),
        (Scalar::DateTime(moment), "datetime.datetime", utc),
        (Scalar::DateTime(moment), "datetime.date", "expected date, got a date and time"),
        (Scalar::Since2001(0.5), "datetime.datetime", year),
        (Scalar::Since2001(0.5), "float", "expected float, got a date and time"),
        (
            Scalar::Since2001(1e300),
            "datetime.datetime",
            "expected datetime, got a date and time 1e300 seconds after 2001: it is not in the years \
             1 to 9999",
        ),
        (
            Scalar::Duration(span),
            "datetime.timedelta",
            "datetime.timedelta(days=1, seconds=2, microseconds=3)",
        ),
        (Scalar::Duration(span), "int", "expected int, got a duration"),
        (Scalar::Uuid(uuid), "uuid.UUID", uuid_shown),
        (Scalar::Uuid(uuid), "bytes", "expected bytes, got a UUID"),
        (Scalar::Uid(7), "int", "7"),
        (Scalar::Uid(7), "str", "expected str, got a UID"),
        (Scalar::Decimal(b"1.10"), "decimal.Decimal", "Decimal('1.10')"),
        (Scalar::Decimal(b"1.5"), "float", "1.5"),
        (Scalar::Decimal(b"15"), "int", "15"),
        (Scalar::Decimal(b"1.5"), "int", "expected int, got a decimal number"),
        (Scalar::Decimal(b"1.5"), "str", "expected str, got a decimal number"),
        (Scalar::Bytes(b"pen"), "typing.Any", "b'pen'"),
        (Scalar::Date(date), "typing.Any", day),
        (Scalar::Uuid(uuid), "typing.Any", uuid_shown),
        (Scalar::Uid(7), "typing.Any", "UID(7)"),
        (Scalar::Decimal(b"1.10"), "typing.Any", "Decimal('1.10')"),
    ] {
        let code = format!("import datetime, decimal, typing, uuid\nT = {class}");
        let got = told(&code, |builder| builder.scalar(value, 0));
        assert_eq!(got, expected, "{value:?} into {class}");
    }
}
