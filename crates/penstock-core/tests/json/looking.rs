//! Looking ahead in a map, compared with the twin, which parses ahead and returns, however the text
//! is cut.

use penstock_core::error::Fail;
use penstock_core::error::Kind::{Limit, Malformed, Truncated};
use penstock_core::event::{Key, Scalar, Text};
use penstock_core::json::{Framing, Reader, Step};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Flow, Hints, Look, LookAhead, Sink};
use penstock_core::select::{Path, Records, Select};
use penstock_scan::ValidText;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::collections::HashSet;

use crate::config;
use crate::documents::{cuts, damaged, document};
use crate::naive::{Event, What, naive};
use crate::recording::{Answers, Cuts, Recorder, read};

const FRAMINGS: [Framing; 4] =
    [Framing::Document, Framing::Lines, Framing::Sequence, Framing::Concatenated];

fn told(
    text: &str,
    framing: Framing,
    limits: &Limits,
    cuts: &Cuts,
    answers: Answers,
) -> Vec<Event> {
    let mut recorder = Recorder::answering(answers);
    read(text, framing, limits, cuts, &mut recorder);
    recorder.events
}

/// A few values, most of them maps, in a text that is valid in one of the framings.
fn stream() -> impl Strategy<Value = (String, Framing)> {
    let map = (document(), document())
        .prop_map(|(one, two)| format!("{{\"a\":{one},\"b\" : {two}, \"c\":1}}"));
    let value = prop_oneof![2 => map, 1 => document(), 2 => damaged(document())];
    (prop::collection::vec(value, 1..4), select(FRAMINGS.to_vec())).prop_map(|(values, framing)| {
        let text = match framing {
            Framing::Document => values[0].clone(),
            Framing::Lines => values.iter().map(|v| v.replace('\n', " ") + " \n").collect(),
            Framing::Sequence => values.iter().map(|v| format!("\u{1e}{v}\n")).collect(),
            Framing::Concatenated => values.concat(),
        };
        (text, framing)
    })
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn any_windows_look_alike(
        (text, framing) in stream(), cuts in cuts(), skips in 0_u64..3, looks in 1_u64..100,
    ) {
        let (limits, answers) = (Limits::default(), Answers { skips, looks, ..Answers::default() });
        let expected = naive(&text, framing, &limits, answers);
        for cuts in [Cuts::WHOLE, Cuts::bytes(), cuts] {
            prop_assert_eq!(&told(&text, framing, &limits, &cuts, answers), &expected);
        }
    }

    /// Looking changes no event, except that it drops the maps that the sink then does not want.
    #[test]
    fn what_is_told_is_the_same(text in damaged(document()), cuts in cuts(), looks in 1_u64..100) {
        let limits = Limits::default();
        let answers = Answers { looks, ..Answers::default() };
        let all = naive(&text, Framing::Document, &limits, Answers::default());
        let looked = told(&text, Framing::Document, &limits, &cuts, answers);
        let told: Vec<_> = looked.iter().filter(|(_, what)| !what.is_glimpse()).collect();
        let skips = looked.iter().any(|(at, what)| what.is_glimpse() && answers.look(*at) == Look::Skip);
        if skips {
            // The events are in order, and none is new.
            let mut rest = all.iter();
            prop_assert!(told.iter().all(|event| rest.any(|other| other == *event)));
        } else if let Some((_, What::Fault(_))) = all.last() {
            // The look finds the fault, so the events before it are not reported.
            prop_assert!(all.starts_with(&told[..told.len() - 1].iter().copied().cloned().collect::<Vec<_>>()));
        } else {
            prop_assert_eq!(told, all.iter().collect::<Vec<_>>());
        }
        let fault = |events: &[Event]| events.last().filter(|(_, what)| matches!(what, What::Fault(_))).cloned();
        prop_assert_eq!(fault(&looked), fault(&all));
    }

    #[test]
    fn pauses_and_portable_instructions_change_nothing(
        (text, framing) in stream(), cuts in cuts(), looks in 1_u64..100, pauses in 1_u64..100,
    ) {
        let (limits, answers) = (Limits::default(), Answers { looks, ..Answers::default() });
        let mut recorder = Recorder { pauses, portable: true, ..Recorder::answering(answers) };
        read(&text, framing, &limits, &cuts, &mut recorder);
        prop_assert_eq!(recorder.events, naive(&text, framing, &limits, answers));
    }

    /// A record that is refused during a look is skipped, including its beginning.
    #[test]
    fn what_is_refused_while_looking_is_passed_over(
        text in damaged(document()), cuts in cuts(), looks in 1_u64..100, number in any::<Index>(),
    ) {
        let limits = Limits::default();
        let answers = Answers { looks, ..Answers::default() };
        let all = naive(&text, Framing::Document, &limits, answers);
        let glimpses = all.iter().enumerate().filter(|(_, (_, what))| what.is_glimpse());
        let glimpses: Vec<usize> = glimpses.map(|(number, _)| number).collect();
        if glimpses.is_empty() {
            return Ok(());
        }
        let refused = glimpses[number.index(glimpses.len())];
        let mut recorder = Recorder { refusal: Some((refused, 0)), ..Recorder::answering(answers) };
        read(&text, Framing::Document, &limits, &cuts, &mut recorder);
        let mut expected = all[..=refused].to_vec();
        expected.extend(all.last().filter(|(_, what)| matches!(what, What::Fault(_))).cloned());
        prop_assert_eq!(recorder.events, expected);
    }

    #[test]
    fn the_limit_is_that_of_the_twin(
        text in document(), cuts in cuts(), skips in 0_u64..3, looks in 1_u64..100,
        lookahead in 0_usize..60, lines in any::<bool>(),
    ) {
        let limits = Limits { lookahead, ..Limits::default() };
        let answers = Answers { skips, looks, ..Answers::default() };
        let (text, framing) = match lines {
            true => (text.replace('\n', " ") + "\n{}", Framing::Lines),
            false => (text, Framing::Document),
        };
        let expected = naive(&text, framing, &limits, answers);
        for cuts in [Cuts::WHOLE, Cuts::bytes(), cuts] {
            prop_assert_eq!(&told(&text, framing, &limits, &cuts, answers), &expected);
        }
    }
}

/// Every cut of a text in two, and in three.
#[test]
fn every_cut() {
    let text = r#"{"a\n":[-1.5e+7,"é\ud834\udd1e",{}],"b":{"":null,"c":{"d":12}}} "#;
    let limits = Limits::default();
    for looks in 1..8 {
        let answers = Answers { looks, ..Answers::default() };
        let expected = naive(text, Framing::Document, &limits, answers);
        for first in 1..=text.len() as u8 {
            for second in 1..=text.len() as u8 {
                let cuts = Cuts(vec![first, second, 255]);
                let events = told(text, Framing::Document, &limits, &cuts, answers);
                assert_eq!(events, expected, "cut at {first} and {second} bytes later");
            }
        }
    }
}

/// Looks for the key `t` in each map, and writes down its events in one line. The value of `t`
/// decides the answer: it refuses `stop`, and does not want a map with `skip`.
#[derive(Default)]
pub(crate) struct Finder {
    pub(crate) heard: String,
    /// Whether it accepts a tag that the reader finds before looking.
    seeks: bool,
    /// Whether it ignores the member with the tag at its turn.
    drops: bool,
    /// The offset of the last key whose value it asked for, and the offsets of all keys found.
    asked: u64,
    found: HashSet<u64>,
    /// Whether the next value belongs to an ignored key.
    dropping: bool,
}

impl Finder {
    fn hear(&mut self, what: &str) -> Flow {
        self.heard.push_str(what);
        Flow::Take
    }
}

impl Sink for Finder {
    type Error = u64;

    fn begin_map(&mut self, _at: u64) -> Result<Flow, u64> {
        self.hear("{");
        Ok(Flow::Look)
    }
    fn end_map(&mut self, _at: u64) -> Result<Flow, u64> {
        Ok(self.hear("}"))
    }
    fn begin_list(&mut self, _at: u64) -> Result<Flow, u64> {
        self.hear("[");
        Ok(Flow::Look)
    }
    fn end_list(&mut self, _at: u64) -> Result<Flow, u64> {
        Ok(self.hear("]"))
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Result<Flow, u64> {
        if self.drops && self.found.contains(&at) {
            self.dropping = true;
            return Ok(Flow::Take);
        }
        Ok(self.hear(&format!("{}:", key.name.text.as_str())))
    }
    fn scalar(&mut self, value: Scalar<'_>, _at: u64) -> Result<Flow, u64> {
        if std::mem::take(&mut self.dropping) {
            return Ok(Flow::Take);
        }
        Ok(self.hear(&match value {
            Scalar::Text(text) => format!("{} ", text.text.as_str()),
            Scalar::Number(digits) => format!("{} ", String::from_utf8_lossy(digits)),
            other => format!("{other:?} "),
        }))
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Result<Flow, u64> {
        Ok(Flow::Take)
    }
    fn abandon(&mut self) {}
}

impl Hints for Finder {}

impl LookAhead for Finder {
    fn tag_wanted(&self) -> &[u8] {
        if self.seeks { b"\"t\":" } else { b"" }
    }
    fn tag_found(&mut self, value: Text<'_>) -> bool {
        !matches!(value.text.as_str(), "stop" | "skip")
    }
    fn look_key(&mut self, key: Text<'_>, at: u64) -> Result<Look, u64> {
        let key = key.text.as_str();
        self.hear(&format!("<{key}@{at}>"));
        self.asked = at;
        Ok(if key == "t" { Look::Value } else { Look::Pass })
    }
    fn look_value(&mut self, value: Option<Scalar<'_>>, at: u64) -> Result<Look, u64> {
        let Some(Scalar::Text(text)) = value else {
            self.hear(&format!("<{value:?}@{at}>"));
            // It asks for the value a second time.
            return Ok(Look::Value);
        };
        self.hear(&format!("<={}@{at}>", text.text.as_str()));
        match text.text.as_str() {
            "stop" => Err(at),
            "skip" => Ok(Look::Skip),
            _ => {
                self.found.insert(self.asked);
                Ok(Look::Found)
            }
        }
    }
    fn look_end(&mut self, at: u64) -> Result<Look, u64> {
        self.hear(&format!("<end@{at}>"));
        // The map has no more members to look at.
        Ok(Look::Pass)
    }
}

/// The events, without those during a look.
fn told_of(heard: &str) -> String {
    let behind = |part: &'_ str| part.split_once('>').map_or(part, |(_, told)| told).to_owned();
    heard.split('<').map(behind).collect()
}

/// The events that a finder gets: from the whole document, and byte by byte in a short window.
fn found(text: &str, limits: &Limits) -> String {
    found_in(text, limits, Framing::Document)
}

fn found_in(text: &str, limits: &Limits, framing: Framing) -> String {
    let hear = |from: usize, seeks: bool, drops: bool| {
        let mut finder = Finder { seeks, drops, ..Finder::default() };
        let mut reader = Reader::new(framing, limits);
        let (mut start, mut end) = (0, from);
        loop {
            match reader.run(ValidText::from(&text[start..end]), end == text.len(), &mut finder) {
                Ok(Step::Done) => break,
                Ok(Step::More) => {
                    let done = reader.consumed();
                    reader.drop_front(done);
                    start += done;
                    end += text[end..].chars().next().map_or(0, char::len_utf8);
                }
                Ok(step) => panic!("{step:?}"),
                Err(Fail::Input(fault)) => {
                    finder.hear(&format!("!{:?}@{}", fault.kind(), fault.offset()));
                    break;
                }
                Err(Fail::Sink(at)) => {
                    finder.hear(&format!("!refused@{at} "));
                    reader.abandon(1);
                }
            }
        }
        finder.heard
    };
    let whole = hear(text.len(), false, false);
    assert_eq!(hear(0, false, false), whole, "{text}");
    // The early search changes no event, except those of the member that it finds.
    let others = told_of(&hear(text.len(), false, true));
    for from in [text.len(), 0] {
        assert_eq!(told_of(&hear(from, true, true)), others, "{text}");
    }
    whole
}

#[track_caller]
fn assert_found(text: &str, expected: &str) {
    assert_eq!(found(text, &Limits::default()), expected);
}

#[test]
fn the_key_is_first_last_or_missing() {
    assert_found(r#"{"t":"x","a":1}"#, "{<t@1><=x@5>t:x a:1 }");
    assert_found(r#"{"a":1,"t":"x"}"#, "{<a@1><t@7><=x@11>a:1 t:x }");
    assert_found(r#"{"a":1,"b":2}"#, "{<a@1><b@7><end@12>a:1 b:2 }");
    assert_found("{}", "{<end@1>}");
    assert_found(r#" [ {"t" : "x" } , 7 ] "#, "[{<t@4><=x@10>t:x }7 ]");
    // A key with an escape is the same key; the first of two counts.
    assert_found(r#"{"\u0074":"x","t":"y"}"#, "{<t@1><=x@10>t:x t:y }");
}

/// A simple member is found and taken before looking.
#[test]
fn what_is_plain_is_found_before_looking() {
    let heard = |text: &str, limits: &Limits, framing| {
        let mut finder = Finder { seeks: true, ..Finder::default() };
        let mut reader = Reader::new(framing, limits);
        let _ = reader.run(ValidText::from(text), true, &mut finder);
        finder.heard
    };
    let limits = Limits::default();
    for (text, taken) in [
        (r#"{"t":"x","a":1}"#, true),
        ("{ \t\"t\": \"\u{e9}\" }", true),
        (r#"{"t":""}"#, true),
        (r#"{"a":1,"t":"x"}"#, true),
        (r#"{"t" :"x"}"#, true),
        (r#"{"a" : "\n" , "b":-1.5e3,"c": null,"d":true,"e":false,"t":"x","t":"y"}"#, true),
        (r#"{"\u0074":"y","t":"x"}"#, false),
        (r#"{"a":[],"t":"x"}"#, false),
        (r#"{"a":01,"t":"x"}"#, false),
        (r#"{"a":nul,"t":"x"}"#, false),
        (r#"{"a":1,}"#, false),
        (r#"{"a":1}"#, false),
        (r#"{"t":"\n"}"#, false),
        (r#"{"t":7}"#, false),
        (r#"{"t":"skip"}"#, false),
    ] {
        for framing in FRAMINGS {
            let text =
                if framing == Framing::Sequence { format!("\u{1e}{text}") } else { text.into() };
            assert_eq!(!heard(&text, &limits, framing).contains('<'), taken, "{text}");
            found_in(&text, &limits, framing);
        }
    }
    // Its lines must not end inside it, and it has the same limits as a look.
    let text = "{\n\"t\":\"xy\"}";
    assert_eq!(heard(text, &limits, Framing::Document), "{}");
    assert_eq!(found_in(text, &limits, Framing::Lines), "{!Malformed@1");
    for lookahead in 0..12 {
        let text = r#"{"t":"xyz"}"#;
        let limits = Limits { lookahead, ..Limits::default() };
        assert_eq!(heard(text, &limits, Framing::Document) == "{}", lookahead >= 9);
        found(text, &limits);
        let limits = Limits { token: lookahead, ..Limits::default() };
        found(text, &limits);
    }
}

proptest! {
    #![proptest_config(config(1_500))]

    /// However the text is damaged.
    #[test]
    fn to_seek_first_changes_nothing(
        inside in damaged(prop_oneof![document(), "-?[0-9.e+]{1,9}", "\"[a-z\\\\u0]{0,9}\""]),
        lookahead in prop_oneof![0_usize..40, Just(1 << 20)],
        last in any::<bool>(), space in select(vec!["", " ", "\n"]),
    ) {
        let limits = Limits { lookahead, ..Limits::default() };
        let tag = format!(r#""t":{space}"x""#);
        let text = match last {
            true => format!("[{{{space}\"a\":{inside},{tag}}},{{{tag}}}]"),
            false => format!("[{{{space}{tag},\"a\":{inside}}}]"),
        };
        for framing in [Framing::Document, Framing::Lines] {
            found_in(&text, &limits, framing);
        }
    }
}

/// The reader does not look into values that are maps or lists, nor into maps inside skipped
/// values.
#[test]
fn looks_do_not_nest() {
    assert_found(r#"{"a":{"t":"y"},"t":"x"}"#, "{<a@1><t@15><=x@19>a:{<t@6><=y@10>t:y }t:x }");
    assert_found(
        r#"{"t":{"t":"y"},"b":0}"#,
        "{<t@1><None@5><b@15><end@20>t:{<t@6><=y@10>t:y }b:0 }",
    );
    assert_found(r#"{"t":[{"t":"y"}]}"#, "{<t@1><None@5><end@16>t:[{<t@7><=y@11>t:y }]}");
}

#[test]
fn numbers_are_told_as_what_they_are() {
    let told = |number: &str| {
        let heard = found(&format!(r#"{{"t":{number},"b":0}}"#), &Limits::default());
        heard[7..heard.find("@5").unwrap()].to_owned()
    };
    assert_eq!(told("7"), "Some(Int(7))");
    assert_eq!(told("-0"), "Some(Int(0))");
    assert_eq!(told("7.0"), "Some(Float(7.0))");
    assert_eq!(told("true"), "Some(Bool(true))");
    assert_eq!(told("null"), "Some(Null)");
    assert!(told("9223372036854775808").starts_with("Some(Number("));
}

#[test]
fn maps_that_are_not_wanted_have_no_end() {
    assert_found(r#"[{"t":"skip","a":[{}]},1]"#, "[{<t@2><=skip@6>1 ]");
    assert_found(r#"{"a":[{"t":"x"}],"t":"skip"}"#, "{<a@1><t@17><=skip@21>");
    let refused = r#"[{"a":{},"t":"stop","b":{"c":0}},2]"#;
    assert_found(refused, "[{<a@2><t@9><=stop@13>!refused@13 2 ]");
}

/// The same fault at the same offset as without looking.
#[test]
fn what_is_malformed() {
    for (text, kind, at) in [
        (r#"{"a":tru,"t":"x"}"#, Malformed, 5),
        (r#"{"a":{"b":[1,]},"t":"x"}"#, Malformed, 13),
        (r#"{"a":"\q","t":"x"}"#, Malformed, 6),
        (r#"{"a":1 "t":"x"}"#, Malformed, 7),
        (r#"{"a":1,}"#, Malformed, 7),
        (r#"{"a":1"#, Truncated, 6),
        (r#"{"#, Truncated, 1),
    ] {
        let heard = found(text, &Limits::default());
        assert!(heard.ends_with(&format!("!{kind:?}@{at}")), "{text}: {heard}");
        let mut plain = Recorder::new();
        read(text, Framing::Document, &Limits::default(), &Cuts::WHOLE, &mut plain);
        assert_eq!(plain.events.last(), Some(&(at, What::Fault(kind))));
    }
    // A fault after the key is found when its value is reported.
    let heard = found(r#"{"t":"x","a":tru}"#, &Limits::default());
    assert_eq!(heard, "{<t@1><=x@5>t:x a:!Malformed@13");
}

#[test]
fn the_limit() {
    let limits = |lookahead| Limits { lookahead, ..Limits::default() };
    // The limit counts from after the brace to the end of the member that settles the look.
    let text = r#" {"abc":1,"t":"x","d":2}"#;
    assert_eq!(found(text, &limits(15)), "{<abc@2><t@10><=x@14>abc:1 t:x d:2 }");
    assert_eq!(found(text, &limits(14)), "{<abc@2><t@10>!Limit@1");
    assert_eq!(found(text, &limits(0)), "{!Limit@1");
    let text = r#"[{"é":1},{"b":2}]"#;
    assert_eq!(found(text, &limits(7)), "[{<é@2><end@8>é:1 }{<b@11><end@16>b:2 }]");
    assert_eq!(found(text, &limits(6)), "[{<é@2>!Limit@1");
    for lookahead in 0..3 {
        // The limit does not cut a character of two bytes.
        assert_eq!(found(text, &limits(lookahead)), "[{!Limit@1");
    }
}

/// A fault right before the limit is found in any windows.
#[test]
fn malformed_at_the_limit() {
    let limits = Limits { lookahead: 50, ..Limits::default() };
    let text = format!(r#"{{"a":{}1}}"#, "0".repeat(60));
    assert_eq!(found(&text, &limits), "{<a@1>!Malformed@6");
}

/// A filter passes on the questions for a tag in a record, and knows the end of a record that the
/// sink does not want.
#[test]
fn in_records() {
    let records = Records::at(&Path::parse("r/*").unwrap()).unwrap();
    let mut select = Select::new(Finder::default(), records);
    let text = r#"{"r":[{"t":"skip"},{"b":0,"t":"x"},5],"t":"y","s":{}}"#;
    let mut reader = Reader::new(Framing::Document, &Limits::default());
    assert!(matches!(reader.run(ValidText::from(text), true, &mut select), Ok(Step::Done)));
    let expected = "{<t@7><=skip@11>{<b@20><t@26><=x@30>b:0 t:x }5 ";
    assert_eq!((&*select.inner().heard, select.record_depth(), select.records()), (expected, 0, 3));
}

/// No byte is read twice while the window grows: code that is not linear takes minutes here.
#[test]
fn one_byte_at_a_time_is_linear() {
    let long = 400_000;
    for inside in [
        format!("\"{}\"", "x".repeat(long)),
        format!("\"{}\"", "\\n".repeat(long / 2)),
        format!("[{}0]", "1,".repeat(long / 2)),
        format!("[{}0]", "{\"t\":0},".repeat(long / 8)),
        format!("{{{}\"\":0}}", "\"t\":[],".repeat(long / 7)),
    ] {
        let text = format!(r#"{{"a":{inside},"t":"x"}}"#);
        let heard = found(&text, &Limits { token: 1 << 30, ..Limits::default() });
        assert!(heard.starts_with(&format!("{{<a@1><t@{}>", text.len() - 8)));
    }
}

/// Maps in maps, with the key last in each: each inner map is read again by one look for each map
/// around it.
fn chain(depth: usize, inside: &str) -> String {
    format!("{}{inside}{}", "{\"a\":".repeat(depth), ",\"t\":\"x\"}".repeat(depth))
}

/// The time for reading the same bytes again is limited to a multiple of the document's.
#[test]
fn looks_in_looks_are_bounded() {
    let limits = |lookahead| Limits { lookahead, ..Limits::default() };
    let inside = format!("[{}0]", "1,".repeat(5_000));
    // Sixty times on average are allowed, and many more are not.
    assert!(found(&chain(60, &inside), &limits(20_000)).ends_with("t:x }"));
    assert!(found(&chain(900, &inside), &limits(25_000)).ends_with("!Limit@690"));
    // One document may do this, but several together may not.
    let one = chain(900, "0") + "\n";
    let read = |text: &str| {
        let mut reader = Reader::new(Framing::Lines, &limits(100_000));
        reader.run(ValidText::from(text), true, &mut Finder::default())
    };
    assert!(matches!(read(&one), Ok(Step::Done)));
    assert!(matches!(read(&one.repeat(3)), Err(Fail::Input(fault)) if fault.kind() == Limit));
}
