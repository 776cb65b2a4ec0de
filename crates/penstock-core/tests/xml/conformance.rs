//! The W3C's conformance suite, if it is installed: `PENSTOCK_CORPORA` names the folder of the
//! corpora. Its own index gives the purpose of each file.

use std::collections::HashMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::{env, fs};

use penstock_core::error::Fail;
use penstock_core::event::{Key, KeyKind, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Flow, Hints, LookAhead, Sink, Step};
use penstock_core::source::{Detect, Window};
use penstock_core::xml::{Options, Reader, Unresolved};
use penstock_scan::ValidText;

use crate::canonical::canonical;

/// Documents whose only fault is in a file that they refer to. A processor that opens no other file
/// cannot find it, and need not (XML 1.0, 5.1).
const ELSEWHERE: [&str; 15] = [
    "not-wf/not-sa/001.xml",
    "not-wf/not-sa/003.xml",
    "not-wf/not-sa/004.xml",
    "not-wf/not-sa/006.xml",
    "not-wf/not-sa/007.xml",
    "not-wf/not-sa/008.xml",
    "not-wf/not-sa/009.xml",
    "not-wf/ext-sa/001.xml",
    "not-wf/ext-sa/002.xml",
    "not-wf/ext-sa/003.xml",
    "not-wf/cond01.xml",
    "not-wf/cond02.xml",
    "not-wf/decl01.xml",
    "not-wf/dtd07.xml",
    "not-wf/encoding07.xml",
];

/// The attributes of each `TEST` of an index.
#[derive(Default)]
struct Index {
    tests: Vec<HashMap<String, String>>,
    inside: bool,
    attribute: String,
}

impl Sink for Index {
    type Error = Infallible;

    fn begin_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn name(&mut self, key: Key<'_>, _at: u64) -> Result<Flow, Infallible> {
        let name = key.name.text.as_str();
        if key.kind == KeyKind::Element {
            self.inside = name == "TEST";
            if self.inside {
                self.tests.push(HashMap::new());
            }
        } else {
            name.clone_into(&mut self.attribute);
        }
        Ok(Flow::Take)
    }
    fn scalar(&mut self, value: Scalar<'_>, _at: u64) -> Result<Flow, Infallible> {
        if let (Scalar::Untyped(text), true) = (value, self.inside) {
            let value = text.text.as_str().to_owned();
            self.tests.last_mut().unwrap().insert(self.attribute.clone(), value);
        }
        Ok(Flow::Take)
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, Infallible> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
}

impl Hints for Index {}
impl LookAhead for Index {}

/// The folder of the suite. None if it does not exist and is not required.
fn suite() -> Option<PathBuf> {
    let corpora = env::var("PENSTOCK_CORPORA").unwrap_or_default();
    let suite = Path::new(&corpora).join("xml/xmlconf");
    if !corpora.is_empty() && suite.is_dir() {
        return Some(suite);
    }
    let required = env::var("PENSTOCK_REQUIRE_CORPORA").is_ok_and(|value| value == "1");
    assert!(!required, "the W3C's suite not found: PENSTOCK_CORPORA={corpora}");
    eprintln!("the W3C's suite not found, and skipped: PENSTOCK_CORPORA={corpora}");
    None
}

/// The tests of an index: Sun's index is a fragment without a root element.
fn tests(path: &Path) -> Vec<HashMap<String, String>> {
    let text = fs::read(path).unwrap().iter().map(|byte| char::from(*byte)).collect::<String>();
    let text = format!("<index>{}</index>", text.split_once("?>").map_or(&*text, |parts| parts.1));
    let mut index = Index::default();
    let mut reader = Reader::new(Options::default(), &Limits::default());
    match reader.run(ValidText::from(&*text), true, &mut index) {
        Ok(Step::Done) => index.tests,
        Err(Fail::Input(fault)) => panic!("{}: {fault}", path.display()),
        _ => unreachable!(),
    }
}

/// A document as text, from any encoding. None if it is not in the encoding that it declares.
fn decoded(bytes: &[u8]) -> Option<String> {
    let mut window = Window::detecting(Detect::Xml, None);
    let pushed = window.push(bytes).and_then(|()| window.finish());
    (pushed.is_ok() && window.finish_fault().is_none()).then(|| window.text().as_str().to_owned())
}

/// Whether the output is known without any other file.
fn has_output(test: &HashMap<String, String>) -> bool {
    test.get("ENTITIES").is_none_or(|entities| entities == "none") && test.contains_key("OUTPUT")
}

/// The failure of one test, if it fails.
fn wrong(folder: &Path, test: &HashMap<String, String>) -> Option<String> {
    let uri = &test["URI"];
    let path = folder.join(uri);
    let kind = test["TYPE"].as_str();
    // Names as written, as in the expected output; references to other files also stay as written.
    let plain = Options { namespaces: false, unresolved: Unresolved::Text, ..Options::default() };
    let accepted = kind != "not-wf" || ELSEWHERE.contains(&&**uri);
    let Some(text) = decoded(&fs::read(&path).unwrap()) else {
        return accepted.then(|| format!("{uri}: not text"));
    };
    let found = canonical(&text, plain, usize::MAX);
    for step in [1, 7] {
        let pieces = canonical(&text, plain, step);
        let same = match (&found, &pieces) {
            (Ok(whole), Ok(pieces)) => whole == pieces,
            (Err(whole), Err(pieces)) => whole.to_string() == pieces.to_string(),
            _ => false,
        };
        if !same {
            return Some(format!("{uri}: {found:?} whole, {pieces:?} {step} bytes at a time"));
        }
    }
    if test.get("NAMESPACE").is_none_or(|answer| answer != "no") {
        let spaced = canonical(&text, Options { namespaces: true, ..plain }, usize::MAX);
        if spaced.is_ok() != found.is_ok() {
            return Some(format!("{uri}: {spaced:?} with namespaces"));
        }
    }
    match found {
        Ok(_) if !accepted => Some(format!("{uri}: accepted")),
        Err(fault) if accepted => Some(format!("{uri}: {fault}")),
        Ok(canonical) if has_output(test) => {
            let output = folder.join(&test["OUTPUT"]);
            let expected = fs::read_to_string(output).unwrap();
            (canonical != expected).then(|| format!("{uri}: {canonical:?}, expected {expected:?}"))
        }
        _ => None,
    }
}

#[test]
fn w3c_suite() {
    let Some(suite) = suite() else { return };
    let mut wrongs = Vec::new();
    let (mut count, mut compared) = (0, 0);
    for index in ["xmltest/xmltest", "sun/sun-valid", "sun/sun-invalid", "sun/sun-not-wf"] {
        let path = suite.join(index).with_extension("xml");
        for test in tests(&path) {
            // Before the fifth edition, names had fewer characters.
            let old = test.get("EDITION").is_some_and(|editions| !editions.contains('5'));
            if old || test["TYPE"] == "error" {
                continue;
            }
            count += 1;
            compared += usize::from(has_output(&test));
            wrongs.extend(wrong(path.parent().unwrap(), &test));
        }
    }
    assert!(wrongs.is_empty(), "{} of {count} wrong:\n{}", wrongs.len(), wrongs.join("\n"));
    assert_eq!((count, compared), (520, 132));
}
