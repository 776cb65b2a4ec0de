//! Rows of a format with keys and untyped text (CSV), which no reader tells yet.

use super::owned::{Keys, Owned};
use super::{Duplicates, KeyedOptions, Lends, Options, Unknown};
use crate::plan::plan_from;
use penstock_core::event::{Scalar, Text};
use penstock_core::shape::Form;
use penstock_core::sink::{Flow, Sink};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::CString;

/// The package, as far as plans import it: from the sources, with this very extension.
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

/// What each row becomes, as Python shows it, or the reason why it does not; for a type that
/// `code` defines as `T`.
fn read(code: &str, rows: &[&[(&str, &str)]]) -> Vec<String> {
    Python::initialize();
    Python::attach(|py| {
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
        };
        let own = KeyedOptions { lends: Lends::Nothing, number: 100 };
        let mut builder = Owned::new(plan, options, own);
        rows.iter().map(|row| read_row(py, &mut builder, row)).collect()
    })
}

/// Tells one row, as `tests/events/row.txt` lists it.
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
        Ok(_) => {
            let made = builder.take_row().expect("a row is ready");
            made.bind(py).repr().expect("a row has a repr").to_string()
        }
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
