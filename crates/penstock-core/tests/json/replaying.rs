//! The stage that holds events back and replays them gives the same events as the reader's own
//! looking ahead.

use penstock_core::error::Fail;
use penstock_core::json::{Framing, Reader, Step};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Listener, Sink, Trace, Want};
use penstock_core::stage::{Replay, ReplayError};
use proptest::prelude::*;

use crate::config;
use crate::documents::document;
use crate::looking::Finder;
use crate::naive::Event;
use crate::recording::{Answers, Recorder};

/// Reads a whole document. Pauses change nothing; after a refusal, all of it is abandoned.
fn read<S: Listener>(text: &str, sink: &mut S, depth: impl Fn(S::Error) -> usize) {
    let mut reader = Reader::new(Framing::Document, &Limits::default());
    loop {
        match reader.run(text.into(), true, sink) {
            Ok(Step::Done) => return,
            Ok(Step::Paused | Step::Stopped) => {}
            Ok(step) => panic!("{step:?}"),
            Err(Fail::Sink(error)) => {
                sink.abandon();
                reader.abandon(depth(error));
            }
            Err(Fail::Input(fault)) => panic!("{fault:?}"),
        }
    }
}

fn by_reader(text: &str, mut recorder: Recorder) -> Vec<Event> {
    read(text, &mut recorder, |depth| depth);
    recorder.events
}

fn by_stage(text: &str, recorder: Recorder) -> Vec<Event> {
    let mut stage = Replay::new(recorder, usize::MAX);
    read(text, &mut stage, |error| match error {
        ReplayError::Sink(depth) => depth,
        ReplayError::TooFar { .. } => panic!("{error:?}"),
    });
    stage.into_inner().events
}

proptest! {
    #![proptest_config(config(3_000))]

    #[test]
    fn the_stage_looks_as_the_reader_does(
        text in maps(), skips in 0_u64..3, looks in 1_u64..100,
        want in prop::sample::select(vec![Want::Native, Want::Float, Want::Digits]),
        refused in prop::option::of(0_usize..60),
    ) {
        let answers = Answers { skips, looks, ..Answers::default() };
        let refusal = refused.map(|number| (number, 0));
        let recorder = || Recorder { want, refusal, ..Recorder::answering(answers) };
        prop_assert_eq!(by_stage(&text, recorder()), by_reader(&text, recorder()));
    }
}

/// Documents that are mostly maps.
fn maps() -> impl Strategy<Value = String> {
    let map = || {
        (document(), document())
            .prop_map(|(one, two)| format!("{{\"a\":{one},\"b\" : [{two}], \"c\":1,\"a\":\"x\"}}"))
    };
    let nested = (map(), document(), map())
        .prop_map(|(one, two, three)| format!("[{{\"b\":{one},\"x\":{two},\"y\":{three}}},{one}]"));
    prop_oneof![map(), nested, document()]
}

#[test]
fn the_same_is_heard() {
    for text in [
        r#"{"t":"x","a":1}"#,
        r#"{"a":1,"t":"x"}"#,
        r#"{"a":1,"b":2}"#,
        "{}",
        r#" [ {"t" : "x" } , 7 ] "#,
        r#"{"\u0074":"x","t":"y"}"#,
        r#"{"a":{"t":"y"},"t":"x"}"#,
        r#"{"t":{"t":"y"},"b":0}"#,
        r#"{"t":[{"t":"y"}]}"#,
        r#"[{"t":"skip","a":[{}]},1]"#,
        r#"{"a":[{"t":"x"}],"t":"skip"}"#,
        r#"[{"a":{"b":{"t":"x","c":{}}},"t":"x"},2]"#,
    ] {
        let mut finder = Finder::default();
        read(text, &mut finder, |at| panic!("{at}"));
        let mut stage = Replay::new(Finder::default(), usize::MAX);
        read(text, &mut stage, |error| panic!("{error:?}"));
        assert_eq!(stage.inner().heard, finder.heard, "{text}");
    }
}

/// The stage holds back no more than the limit allows, and a map with an early tag needs almost
/// nothing.
#[test]
fn what_is_held_back_is_bounded() {
    let late = format!(r#"[{{"a":"{}","t":"x"}}]"#, "y".repeat(10_000));
    let early = format!(r#"[{{"t":"x","a":"{}"}}]"#, "y".repeat(10_000));
    for (text, limit, fits) in [(&late, 9_000, false), (&late, 12_000, true), (&early, 1_000, true)]
    {
        let mut stage = Replay::new(Finder::default(), limit);
        let mut reader = Reader::new(Framing::Document, &Limits::default());
        match reader.run(text.as_str().into(), true, &mut stage) {
            Ok(Step::Done) => assert!(fits),
            Err(Fail::Sink(error)) => {
                assert!(!fits);
                assert_eq!(error, ReplayError::TooFar { at: 1, limit });
                // The record can be abandoned like any other.
                stage.abandon();
                reader.abandon(0);
                assert_eq!(reader.run(text.as_str().into(), true, &mut stage).unwrap(), Step::Done);
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Without a look, events are passed on as they come.
#[test]
fn nothing_is_held_back_unasked() {
    let text = r#"{"a": [1, "x", null, true, {"b": 2.5}]}"#;
    let (mut trace, mut stage) = (Trace::new(), Replay::new(Trace::new(), 0));
    read(text, &mut trace, |never| match never {});
    read(text, &mut stage, |error| panic!("{error:?}"));
    assert_eq!(stage.inner().text(), trace.text());
}
