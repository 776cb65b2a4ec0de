//! One test for each bug of an earlier version, by its number.

use penstock_core::json::Framing;
use penstock_core::limits::Limits;

use crate::naive::What;
use crate::recording::{Cuts, Recorder, read};
use crate::told;

/// #1: a key that the end of a window cut is scanned in part. When it is matched whole through the
/// expected key afterwards, the next string began that many bytes too late.
#[test]
fn bug_1_a_cut_key_that_is_matched_when_it_is_whole() {
    let text = r#"{"longitude":"a","b":"cd\n"}"#;
    for cut in 1..text.len() as u8 {
        for lent in ["\"longitude\":", "\"b\":"] {
            let mut recorder = Recorder { lent: vec![lent.to_owned()], ..Recorder::new() };
            let cuts = Cuts(vec![cut, 255]);
            read(text, Framing::Document, &Limits::default(), &cuts, &mut recorder);
            let expected = told(text, Framing::Document, &Cuts::WHOLE, 0);
            assert_eq!(recorder.events, expected, "cut at {cut}");
            assert_eq!(recorder.events[4], (21, What::Text("cd\n".to_owned())));
        }
    }
}
