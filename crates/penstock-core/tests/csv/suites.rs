//! csv-spectrum and sineemore's files, if they are installed: `PENSTOCK_CORPORA` names the folder of
//! the corpora.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::naive::naive;
use crate::reading::read;
use penstock_core::csv::{Header, Options};
use penstock_core::limits::Limits;
use serde_json::Value;

fn corpora() -> Option<PathBuf> {
    let corpora = env::var("PENSTOCK_CORPORA").unwrap_or_default();
    let csv = Path::new(&corpora).join("csv");
    if !corpora.is_empty() && csv.is_dir() {
        return Some(csv);
    }
    let required = env::var("PENSTOCK_REQUIRE_CORPORA").is_ok_and(|value| value == "1");
    assert!(!required, "the CSV corpora not found: PENSTOCK_CORPORA={corpora}");
    eprintln!("the CSV corpora not found, and skipped: PENSTOCK_CORPORA={corpora}");
    None
}

/// The files of a folder with a suffix, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The rows of a file as JSON objects; whatever the pieces are.
fn objects(source: &[u8], options: &Options) -> Value {
    let whole = read(source, options, &Limits::default(), source.len().max(1), false);
    for piece in 1..source.len().min(70) {
        assert_eq!(read(source, options, &Limits::default(), piece, piece % 2 == 0), whole);
    }
    let names = whole.names.clone().unwrap_or_default();
    let object = |row: &Result<Vec<String>, (usize, String)>| -> Value {
        let cells = row.as_ref().unwrap();
        names.iter().cloned().zip(cells.iter().cloned().map(Value::String)).collect()
    };
    whole.rows.iter().map(object).collect()
}

#[test]
fn csv_spectrum() {
    let Some(corpora) = corpora() else { return };
    for path in files(&corpora.join("csv-spectrum/csvs")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let source = fs::read(&path).unwrap();
        let expected = fs::read_to_string(corpora.join(format!("csv-spectrum/json/{name}.json")));
        let mut expected = expected.unwrap();
        if !source.contains(&b'\r') {
            // The suite's repository has these files without their carriage returns.
            expected = expected.replace("\\r\\n", "\\n");
        }
        let expected: Value = serde_json::from_str(&expected).unwrap();
        if name == "location_coordinates" {
            // It has the sign for seconds in cells without quotes, which the standard does not allow.
            let table = read(&source, &Options::default(), &Limits::default(), 7, false);
            let wrong =
                |row: &Result<_, (usize, String)>| row.as_ref().err().map(|(_, it)| it.clone());
            let reason = "a quote in a cell that does not begin with one".to_owned();
            assert_eq!(table.rows.iter().map(wrong).collect::<Vec<_>>(), [Some(reason)]);
            continue;
        }
        assert_eq!(objects(&source, &Options::default()), expected, "{name}");
    }
}

#[test]
fn sineemore() {
    let Some(corpora) = corpora() else { return };
    for path in files(&corpora.join("sineemore/csv")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let source = fs::read(&path).unwrap();
        let options = Options::default();
        if name.starts_with("bad-header") {
            // Only a class says what is wrong with a header. In two, a row does not fit it.
            let table = read(&source, &options, &Limits::default(), 7, false);
            let is_bad = name.contains("less") || name.contains("more");
            assert_eq!(table.rows.iter().any(Result::is_err), is_bad, "{name}");
            continue;
        }
        if name.starts_with("bad-") {
            let table = read(&source, &options, &Limits::default(), 7, false);
            assert!(table.rows[0].is_err(), "{name}");
            continue;
        }
        let expected = json(&corpora.join(format!("sineemore/json/{name}.json")));
        let rows = expected.as_array().unwrap();
        if rows.iter().all(Value::is_object) {
            assert_eq!(objects(&source, &options), expected, "{name}");
            continue;
        }
        // Rows without a header.
        let columns = rows[0].as_array().unwrap().len();
        let names = (0..columns).map(|column| column.to_string().into()).collect();
        let options = Options { header: Header::InputView(names), ..options };
        let table = read(&source, &options, &Limits::default(), 7, false);
        let cells = |row: &Result<Vec<String>, _>| Value::from(row.clone().unwrap());
        assert_eq!(table.rows.iter().map(cells).collect::<Value>(), expected, "{name}");
    }
}

#[test]
fn nyc311() {
    let Some(corpora) = corpora() else { return };
    let source = fs::read(corpora.join("nyc311.csv")).unwrap();
    let expected = naive(str::from_utf8(&source).unwrap(), &Options::default());
    assert!(expected.rows.len() > 100 && expected.rows.iter().all(Result::is_ok));
    for piece in [61, 4_096, source.len()] {
        let table = read(&source, &Options::default(), &Limits::default(), piece, false);
        assert_eq!(table, expected);
    }
}
