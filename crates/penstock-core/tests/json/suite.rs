//! JSONTestSuite, if it is installed: `PENSTOCK_CORPORA` names the folder of the corpora.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use penstock_core::json::Framing;
use penstock_scan::{Rest, ValidText};

use crate::naive::What;
use crate::recording::Cuts;
use crate::{expected, told};

/// The folder of the suite. None if it does not exist and is not required.
fn suite() -> Option<PathBuf> {
    let corpora = env::var("PENSTOCK_CORPORA").unwrap_or_default();
    let suite = Path::new(&corpora).join("json/JSONTestSuite");
    if !corpora.is_empty() && suite.is_dir() {
        return Some(suite);
    }
    let required = env::var("PENSTOCK_REQUIRE_CORPORA").is_ok_and(|value| value == "1");
    assert!(!required, "JSONTestSuite not found: PENSTOCK_CORPORA={corpora}");
    eprintln!("JSONTestSuite not found, and skipped: PENSTOCK_CORPORA={corpora}");
    None
}

/// Whether bytes are a JSON document: UTF-8, and accepted by the reader however they are cut.
fn accepts(bytes: &[u8], name: &str) -> bool {
    let checked = ValidText::check(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes));
    let text = checked.text.as_str();
    let events = told(text, Framing::Document, &Cuts::WHOLE, 0);
    assert_eq!(events, expected(text, Framing::Document, 0), "{name}");
    for skips in 0..3 {
        let events = expected(text, Framing::Document, skips);
        assert_eq!(told(text, Framing::Document, &Cuts::bytes(), skips), events, "{name}");
        // Some files are 100 kB of the same byte: do not cut them at every byte.
        for cut in (1..text.len().min(255) as u8).step_by(text.len() / 2_000 + 1) {
            assert_eq!(
                told(text, Framing::Document, &Cuts(vec![cut, 255]), skips),
                events,
                "{name}"
            );
        }
    }
    checked.rest == Rest::Nothing && !matches!(events.last(), Some((_, What::Fault(_))))
}

/// The twin recurses.
#[test]
fn json_test_suite() {
    let Some(suite) = suite() else { return };
    let roomy = std::thread::Builder::new().stack_size(64 << 20);
    roomy.spawn(move || reads_all_of(&suite)).unwrap().join().unwrap();
}

fn reads_all_of(suite: &Path) {
    let (mut wrong, mut count) = (Vec::new(), [0; 2]);
    for entry in fs::read_dir(suite).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let accepted = accepts(&fs::read(&path).unwrap(), name);
        match name.as_bytes() {
            [b'y', ..] if !accepted => wrong.push(name.to_owned()),
            [b'n', ..] if accepted => wrong.push(name.to_owned()),
            _ => count[usize::from(name.starts_with('y'))] += 1,
        }
    }
    assert!(wrong.is_empty(), "wrong: {wrong:?}");
    assert!(count[0] >= 180 && count[1] >= 90, "the suite is not whole: {count:?}");
}
