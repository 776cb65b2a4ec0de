//! What is read is written, and read again as the same. The fuzz target uses it, too.

use penstock_core::error::Fail;
use penstock_core::limits::Limits;
use penstock_core::options::Indent;
use penstock_core::plist::text::Reader;
use penstock_core::plist::text::writer::{Form, Writer, WriterOptions};
use penstock_core::protocol::{FormatReader, InputView, Step};
use penstock_core::writer::Writer as _;

use super::recording::{Answers, whole};

/// Writes a text that is a property list anew, if the form can hold it. Nothing if it is none.
pub(crate) fn rewritten(text: &str, options: WriterOptions) -> Option<String> {
    let (mut reader, mut writer) =
        (Reader::new(&Limits::default()), Writer::new(options, &Limits::default()));
    let given = InputView::Text { text: text.into(), last: true };
    loop {
        match reader.run(given, &mut writer) {
            Ok(Step::Done) => break,
            Ok(_) => {}
            Err(Fail::Input(_) | Fail::Sink(_)) => return None,
        }
    }
    writer.finish().unwrap();
    Some(String::from_utf8(writer.ready().to_vec()).unwrap())
}

/// Checks a text with some options.
pub(crate) fn check(text: &str, choice: u8) {
    let indent = [Some(Indent::TAB), Some(Indent::spaces(2)), None][usize::from(choice % 3)];
    let form = if choice & 4 == 0 { Form::GnuStep } else { Form::OpenStep };
    let (strings, ascii) = (choice & 8 != 0, choice & 16 != 0);
    let options = WriterOptions { form, indent, strings, ascii, ..WriterOptions::default() };
    let Some(again) = rewritten(text, options.clone()) else { return };
    assert!(!ascii || again.is_ascii());
    let events = |text: &str| {
        let (events, reason) = whole(text, &Limits::default(), Answers::default());
        assert_eq!(reason, None);
        let untyped = |what: String| match what.split_once(' ') {
            // OpenStep has no other form for it.
            Some(("int" | "number", digits)) if form == Form::OpenStep => {
                format!("untyped {digits:?}")
            }
            Some(("float", _)) if form == Form::OpenStep => "untyped".to_owned(),
            _ => what,
        };
        events.into_iter().map(|(_, what)| untyped(what)).collect::<Vec<_>>()
    };
    let (before, after) = (events(text), events(&again));
    assert_eq!(before.len(), after.len(), "{again}");
    for (before, after) in before.iter().zip(&after) {
        assert!(before == after || before == "untyped" && after.starts_with("untyped "), "{again}");
    }
    assert_eq!(rewritten(&again, options).as_ref(), Some(&again));
}
