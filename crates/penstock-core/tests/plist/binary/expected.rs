//! Keys that the sink expects, and keys that were read before.

use std::convert::Infallible;

use penstock_core::event::{Key, Scalar, Text};
use penstock_core::limits::Limits;
use penstock_core::plist::binary::Reader;
use penstock_core::protocol::{Flow, FormatReader, Hints, InputView, LookAhead, Sink};

use super::file::*;

/// Expects one key, and writes down which keys come how.
struct Expecting {
    name: &'static str,
    told: Vec<String>,
}

type Answer = Result<Flow, Infallible>;

impl Sink for Expecting {
    type Error = Infallible;

    fn begin_map(&mut self, _at: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn end_map(&mut self, _at: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn begin_list(&mut self, _at: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn end_list(&mut self, _at: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Answer {
        self.told.push(format!("{at} {}", key.name.text.as_str()));
        Ok(Flow::Take)
    }
    fn expected_key_found(&mut self, at: u64) -> Answer {
        self.told.push(format!("{at} expected"));
        Ok(Flow::Take)
    }
    fn scalar(&mut self, _value: Scalar<'_>, _at: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Answer {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
}

impl Hints for Expecting {
    fn expected_name(&self) -> &[u8] {
        self.name.as_bytes()
    }
}

impl LookAhead for Expecting {}

fn told(name: &'static str) -> Vec<String> {
    // Three maps with the keys "", "ab" and "é"; the keys are the objects 4, 5 and 6.
    let map = || Members(0xD, vec![4, 5, 6, 7, 7, 7]);
    let mut objects = vec![list(&[1, 2, 3]), map(), map(), map()];
    objects.extend([text(""), text("ab"), utf16("é"), int(7), int(7), int(7)]);
    let mut sink = Expecting { name, told: Vec::new() };
    let bytes = file(&objects, SIMPLE);
    Reader::new(&Limits::default()).run(InputView::Bytes(&bytes), &mut sink).unwrap();
    sink.told
}

#[test]
fn a_known_key_that_is_expected() {
    let first = ["33 ", "34 ab", "37 é"];
    assert_eq!(
        told("ab"),
        [first, ["33 ", "34 expected", "37 é"], ["33 ", "34 expected", "37 é"]].concat()
    );
    // Nothing is expected, which is not the empty key.
    for name in ["", "a", "abc", "b", "é"] {
        assert_eq!(told(name), [first; 3].concat());
    }
}
