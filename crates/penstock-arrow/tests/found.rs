//! The schema that is found does not depend on how the records are cut into parts, nor on the order
//! in which the parts are merged.

use penstock_arrow::found::{Found, Unfound};
use penstock_arrow::{Finder, Seen};
use penstock_core::formats::Reader;
use penstock_core::json::{self, Framing};
use penstock_core::limits::Limits;
use penstock_core::run::{InMemory, Origin, Policy, RecordScope, Run, Turn};
use proptest::prelude::*;

/// What is found in lines, or None if a record conflicts with an earlier one.
fn found(lines: &[String], part: u32, step: usize) -> Option<Found> {
    let text = lines.join("\n");
    let reader = Reader::Json(json::Reader::new(Framing::Lines, &Limits::default()));
    let mut run =
        Run::new(reader, InMemory::new(text.as_bytes(), Origin::default()), Policy::Raise);
    let mut to = RecordScope::new(Finder::new(), None);
    loop {
        match run.advance(&mut to) {
            Ok(Turn::Dry) => run.input_mut().more(step),
            Ok(Turn::End) => break,
            Ok(_) => unreachable!("nothing pauses"),
            Err(_) => return None,
        }
    }
    let mut found = to.into_inner().into_parts().0;
    found.number(part, 0, 0);
    Some(found)
}

fn merged(parts: &[Found]) -> Result<Found, Unfound> {
    let mut all = Found::new();
    for part in parts {
        all.merge(part)?;
    }
    Ok(all)
}

fn shown(found: &Found) -> String {
    match found.schema() {
        Ok(schema) => format!("{schema:?}"),
        Err(why) => why.to_string(),
    }
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<u64>().prop_map(|value| value.to_string()),
        Just("123456789012345678901234567890".to_owned()),
        Just("1.5".to_owned()),
        Just("-2.25e3".to_owned()),
        Just("\"text\"".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
    ]
}

/// Values that mostly agree: what stands at a key is of one kind for most keys.
fn member() -> impl Strategy<Value = (String, String)> {
    prop_oneof![
        any::<i32>().prop_map(|value| ("int".to_owned(), value.to_string())),
        any::<u64>().prop_map(|value| ("wide".to_owned(), value.to_string())),
        Just(("ratio".to_owned(), "0.5".to_owned())),
        any::<i32>().prop_map(|value| ("ratio".to_owned(), value.to_string())),
        Just(("name".to_owned(), "\"x\"".to_owned())),
        Just(("name".to_owned(), "null".to_owned())),
        prop::collection::vec(prop_oneof![Just("null"), Just("1"), Just("2.5")], 0..3)
            .prop_map(|items| ("list".to_owned(), format!("[{}]", items.join(",")))),
        (0..4_u8, any::<bool>()).prop_map(|(key, deep)| {
            let inner = if deep { "{\"z\":1}" } else { "null" };
            ("inner".to_owned(), format!("{{\"k{key}\":{inner}}}"))
        }),
        ("odd[0-9]", scalar()),
    ]
}

fn record() -> impl Strategy<Value = String> {
    prop::collection::vec(member(), 0..5).prop_map(|members| {
        let members = members.into_iter().map(|(key, value)| format!("\"{key}\":{value}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    })
}

proptest! {
    #[test]
    fn parts_merge_to_the_whole(
        records in prop::collection::vec(record(), 0..12),
        cuts in (0..12_usize, 0..12_usize),
        step in 1..40_usize,
    ) {
        let one = cuts.0.min(records.len());
        let two = cuts.1.clamp(one, records.len());
        let whole = found(&records, 0, step);
        let parts = [&records[..one], &records[one..two], &records[two..]];
        let parts: Vec<Option<Found>> =
            parts.iter().zip(0..).map(|(part, number)| found(part, number, usize::MAX)).collect();
        // A conflict within a part is one of the whole.
        let Some(parts) = parts.into_iter().collect::<Option<Vec<Found>>>() else {
            prop_assert!(whole.is_none());
            return Ok(());
        };
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        for order in orders {
            // As plain data and back, as if they came from other processes.
            let parts = order.map(|at: usize| Found::of_seen(&parts[at].seen()).unwrap());
            match (&whole, merged(&parts)) {
                (Some(whole), Ok(all)) => prop_assert_eq!(shown(whole), shown(&all)),
                (None, Err(Unfound::Conflict(_))) => {}
                (whole, other) => prop_assert!(false, "{:?} {:?}", whole.is_some(), other),
            }
        }
        // Those on the right first.
        if let Ok(mut rest) = merged(&parts[1..]) {
            let mut all = parts[0].clone();
            prop_assert_eq!(all.merge(&rest).is_ok(), whole.is_some());
            if let Some(whole) = &whole {
                prop_assert_eq!(shown(whole), shown(&all));
                prop_assert!(rest.merge(&parts[0]).is_ok());
                prop_assert_eq!(shown(whole), shown(&rest));
            }
        } else {
            prop_assert!(whole.is_none());
        }
    }
}

/// Nothing is made of data that cannot have been found.
#[test]
fn what_cannot_have_been_seen() {
    let lines = ["{\"a\": {\"b\": [1]}}".to_owned()];
    let seen = found(&lines, 0, usize::MAX).unwrap().seen();
    assert!(Found::of_seen(&seen).is_some() && Found::of_seen(&[]).is_none());
    let with = |change: fn(&mut Seen)| {
        let mut seen = seen.clone();
        change(&mut seen[2]);
        Found::of_seen(&seen)
    };
    assert!(with(|_| {}).is_some());
    assert!(with(|place| place.parent = 2).is_none());
    assert!(with(|place| place.step = 4).is_none());
    assert!(with(|place| place.kinds = u16::MAX).is_none());
    assert!(with(|place| (place.parent, place.name) = (0, "a".into())).is_none());
    let deep = |depth: usize| {
        let place = |parent| Seen { parent, ..seen[2].clone() };
        let places = (0..depth as u32).map(place);
        Found::of_seen(&[&seen[..1], &places.collect::<Vec<_>>()].concat())
    };
    assert!(deep(64).is_some() && deep(65).is_none());
    // Counts without a bound do not overflow.
    let huge = with(|place| {
        place.counts = (u64::MAX, u64::MAX, u64::MAX);
        (place.order, place.first) = ((u32::MAX, u64::MAX), Some((u32::MAX, u64::MAX)));
    });
    let mut huge = huge.unwrap();
    huge.number(7, 7, 7);
    let same = huge.clone();
    huge.merge(&same).unwrap();
    assert!(huge.schema().is_ok());
}

#[test]
fn a_merge_says_what_conflicts_and_where() {
    let lines = |text: &str| vec![text.to_owned()];
    let one = found(&lines("{\"a\": {\"b\": [1]}}"), 0, usize::MAX).unwrap();
    let other = found(&lines("{\"a\": {\"b\": [\"x\"]}}"), 1, usize::MAX).unwrap();
    let why = merged(&[one, other]).unwrap_err();
    let text = "there are two kinds of values at a/b/*: a number in record 1, and a string in record \
                1 of part 2";
    assert_eq!(why.to_string(), text);
}

#[test]
fn fields_stand_in_the_order_of_their_first_appearance() {
    let one = found(&["{\"b\": 1}".to_owned(), "{\"c\": 1}".to_owned()], 0, 1).unwrap();
    let two = found(&["{\"a\": 1, \"c\": 2}".to_owned()], 1, 1).unwrap();
    for parts in [[one.clone(), two.clone()], [two, one]] {
        let schema = merged(&parts).unwrap().schema().unwrap();
        let names: Vec<&str> = schema.fields().iter().map(|field| &**field.name()).collect();
        assert_eq!(names, ["b", "c", "a"]);
    }
}

#[test]
fn there_are_bounds() {
    let keys: Vec<String> = (0..10_001).map(|key| format!("{{\"k{key}\": 1}}")).collect();
    assert!(found(&keys, 0, usize::MAX).is_none());
    assert!(found(&keys[1..], 0, usize::MAX).is_some());
    let deep = |depth| vec![format!("{{\"a\": {}1{}}}", "[".repeat(depth), "]".repeat(depth))];
    assert!(found(&deep(63), 0, usize::MAX).is_some());
    assert!(found(&deep(64), 0, usize::MAX).is_none());
}
