//! Known keys: a row means the same as its events for every sink, and a reader of CSV reports its
//! rows this way.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod csv;
mod reading;
mod seeking;
mod table;
mod telling;

use penstock_core::select::{Path, Records, Select};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use table::Table;
use telling::{Maps, Moody, Value, tell, tell_rows};

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 1_500,
        rng_seed: RngSeed::Fixed(30),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

const NAMES: [&str; 6] = ["id", "name", "t", "x", "y", "z"];

/// Maps of a few keys, most of them in one order.
fn maps() -> impl Strategy<Value = Maps> {
    let value = prop_oneof![
        6 => (0..20_u32).prop_map(Value::Number),
        1 => vec(0..20_u32, 0..3).prop_map(Value::List),
    ];
    let ordered = vec(prop::option::weighted(0.8, value.clone()), NAMES.len()).prop_map(|values| {
        let named = NAMES.into_iter().zip(values);
        named.filter_map(|(name, value)| Some((name, value?))).collect()
    });
    let any = vec((prop::sample::select(&NAMES[..]), value), 0..6);
    vec(prop_oneof![3 => ordered, 1 => any], 0..6)
}

fn shape() -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![
        3 => Just(NAMES.to_vec()),
        2 => prop::sample::subsequence(NAMES.to_vec(), 1..NAMES.len()),
        1 => Just(NAMES.to_vec()).prop_shuffle(),
    ]
}

proptest! {
    #![proptest_config(config())]

    /// A sink that does not implement rows gets their events, whatever it answers.
    #[test]
    fn rows_are_their_events(maps in maps(), shape in shape(), seed in any::<u32>()) {
        let (mut by_events, mut by_rows) = (Moody::new(seed), Moody::new(seed));
        tell(&mut by_events, &maps);
        tell_rows(&mut by_rows, &maps, &shape);
        prop_assert_eq!(by_events.text(), by_rows.text());
    }

    /// A sink behind a filter gets them as well, and the filter knows its position.
    #[test]
    fn rows_are_their_events_behind_a_filter(
        maps in maps(),
        shape in shape(),
        seed in any::<u32>(),
        path in prop::option::of(prop::sample::select(vec!["id", "*", "x/*", "y"])),
    ) {
        let records = || match path {
            Some(path) => Records::at(&Path::parse(path).unwrap()).unwrap(),
            None => Records::by_default(),
        };
        let mut by_events = Select::new(Moody::new(seed), records());
        let mut by_rows = Select::new(Moody::new(seed), records());
        tell(&mut by_events, &maps);
        tell_rows(&mut by_rows, &maps, &shape);
        prop_assert_eq!(by_events.inner().text(), by_rows.inner().text());
        prop_assert_eq!(by_events.records(), by_rows.records());
        prop_assert_eq!(by_events.path_prefix(), by_rows.path_prefix());
    }

    /// A sink that takes rows gets the same result as from events, and gets no values that it does
    /// not want.
    #[test]
    fn taking_rows_at_once(
        maps in maps(),
        shape in shape(),
        wanted in prop::sample::subsequence(NAMES.to_vec(), 0..=NAMES.len()),
        filtered in any::<bool>(),
    ) {
        let (mut by_events, mut by_rows) = (Table::new(&wanted), Table::new(&wanted));
        tell(&mut by_events, &maps);
        if filtered {
            let mut select = Select::new(by_rows, Records::by_default());
            tell_rows(&mut select, &maps, &shape);
            by_rows = select.into_inner();
        } else {
            tell_rows(&mut by_rows, &maps, &shape);
        }
        prop_assert_eq!(by_events.records(), by_rows.records());
        prop_assert_eq!(by_rows.rows_taken(), maps.len());
    }
}
