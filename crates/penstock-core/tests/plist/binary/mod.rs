//! The reader of binary property lists: beside its naive twin, on files that others wrote, and on
//! hostile ones.

mod expected;
mod file;
mod hostile;
mod lazy;
mod naive;
mod writing;

use penstock_core::limits::Limits;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::moody::Mood;
use file::*;

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: crate::effort::often(2_000),
        rng_seed: RngSeed::Fixed(16),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn scalar() -> impl Strategy<Value = Raw> {
    prop_oneof![
        prop::sample::select(vec![0x00_u8, 0x08, 0x09]).prop_map(|marker| Plain(vec![marker])),
        (0_u8..5, vec(any::<u8>(), 16)).prop_map(|(power, payload)| {
            Plain([&[0x10 | power], &payload[..1 << power]].concat())
        }),
        any::<f32>().prop_map(|value| Plain([&[0x22][..], &value.to_be_bytes()].concat())),
        any::<f64>().prop_map(|value| Plain([&[0x23][..], &value.to_be_bytes()].concat())),
        any::<f64>().prop_map(|value| Plain([&[0x33][..], &value.to_be_bytes()].concat())),
        vec(any::<u8>(), 0..40).prop_map(|data| Counted(4, data.len(), data)),
        "[a-z]{0,20}".prop_map(|value| text(&value)),
        "[a-zé水𝄞]{0,9}".prop_map(|value| utf16(&value)),
        (0_u8..16, vec(any::<u8>(), 16)).prop_map(|(count, payload)| {
            Plain([&[0x80 | count], &payload[..usize::from(count) + 1]].concat())
        }),
    ]
}

/// Objects that refer to one another, most of them to later ones only.
fn objects() -> impl Strategy<Value = Vec<Raw>> {
    let key =
        prop_oneof!["[a-z]{0,3}".prop_map(|key| text(&key)), "[é-ö]".prop_map(|key| utf16(&key))];
    let member = (any::<u8>(), any::<bool>());
    let container = (0xA_u8..0xE, vec(member, 0..20));
    let object = prop_oneof![
        3 => scalar().prop_map(|scalar| (Some(scalar), (0, vec![]))),
        2 => key.prop_map(|key| (Some(key), (0, vec![]))),
        2 => container.prop_map(|container| (None, container)),
    ];
    (vec(object, 1..24), 0_u8..12).prop_map(|(objects, wild)| {
        let count = objects.len() as u64;
        let is_key = |number: u64| {
            matches!(objects.get(number as usize), Some((Some(Counted(5 | 6, ..)), _)))
        };
        let made = objects.iter().enumerate().map(|(number, (scalar, (high, members)))| {
            if let Some(scalar) = scalar {
                return scalar.clone();
            }
            let later = |member: u8| {
                let left = (count - number as u64 - 1).max(1);
                if wild == 0 {
                    u64::from(member) % (count + 1)
                } else {
                    (number as u64 + 1 + u64::from(member) % left).min(count - 1)
                }
            };
            let mut refer: Vec<u64> = members.iter().map(|(member, _)| later(*member)).collect();
            if *high == 0xD {
                let values = refer.clone();
                if wild > 1 {
                    refer.retain(|number| is_key(*number));
                }
                let keys = refer.len();
                refer.extend(values.into_iter().cycle().take(keys));
            }
            // A container at the end has nothing to refer to but itself.
            if wild > 0 {
                refer.retain(|other| *other != number as u64);
                if *high == 0xD && refer.len() % 2 == 1 {
                    refer.clear();
                }
            }
            Members(*high, refer)
        });
        made.collect()
    })
}

fn layout() -> impl Strategy<Value = Layout> {
    (2_usize..9, 1_usize..9, prop::option::of(0_u8..4))
        .prop_map(|(offset, reference, long)| Layout { offset, reference, long, root: 0 })
}

fn mood() -> impl Strategy<Value = Mood> {
    let rate = || prop_oneof![3 => Just(0_u64), 1 => 2_u64..9];
    (any::<u64>(), rate(), rate(), 0_u64..4, any::<bool>()).prop_map(
        |(seed, skips, looks, pauses, shares)| Mood {
            seed,
            skips,
            looks,
            pauses,
            shares,
            ..Mood::default()
        },
    )
}

proptest! {
    #![proptest_config(config())]

    /// Any graph, in any layout, whatever the sink answers.
    #[test]
    fn any_graph(objects in objects(), layout in layout(), mood in mood()) {
        assert_same(&file(&objects, layout), mood, &Limits::default())?;
    }

    /// The same with any bytes changed.
    #[test]
    fn any_damage(
        objects in objects(),
        layout in layout(),
        mood in mood(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ends in vec(0_u64..40, 0..2),
    ) {
        let mut bytes = file(&objects, layout);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        // Small numbers in the trailer.
        for end in ends {
            let place = bytes.len() - 1 - 8 * (end as usize % 3);
            bytes[place] = end as u8;
        }
        let limits = Limits { depth: 12, token: 30, ..Limits::default() };
        assert_same(&bytes, mood, &limits)?;
    }

    /// Sinks that refuse an event or want no more of them.
    #[test]
    fn any_end(objects in objects(), mood in mood(), stops in 2_u64..30, refuses in 2_u64..30) {
        let mood = Mood { stops, refuses, ..mood };
        assert_same(&file(&objects, SIMPLE), mood, &Limits::default())?;
    }
}

#[test]
fn each_kind_of_object() {
    let (events, fault) = told(&each_kind(), &Limits::default());
    assert_eq!(fault, None);
    assert_eq!(
        events,
        r#"   8 begin map
  15   key "list"
  20   begin list
  46     null
  47     bool false
  48     bool true
  49     int -5
  58     number 18446744073709551616
  75     float 1.5
  80     float -inf
  89     since-2001 0.25
  98     bytes 0080ff
  20   end list
  30   key "clé"
       container set
  37   begin list
 102     uid 256
 105     text "水𝄞"
 112     int -7
  37   end list
  41   key "set"
       container set
  45   begin list
  45   end list
   8 end map
"#
    );
}

#[test]
fn keys_and_counts_of_any_width() {
    let long = "k".repeat(300);
    let objects = [Members(0xD, vec![1, 2, 3, 3]), text("a"), text(&long), list(&[])];
    let (expected, _) = told(&file(&objects, SIMPLE), &Limits::default());
    for offset in 2..9 {
        for reference in 1..9 {
            let layout = Layout { offset, reference, ..SIMPLE };
            let (events, fault) = told(&file(&objects, layout), &Limits::default());
            assert_eq!(fault, None);
            assert_eq!(events.lines().count(), expected.lines().count());
            assert!(events.contains(&long));
        }
    }
    for long in 1..4 {
        let layout = Layout { long: Some(long), ..SIMPLE };
        let (events, fault) = told(&file(&objects, layout), &Limits::default());
        assert_eq!((events.lines().count(), fault), (expected.lines().count(), None));
    }
}

/// Binary property lists that others wrote: `PENSTOCK_CORPORA` names the folder of the corpora.
#[test]
fn the_corpora() {
    let corpora = std::env::var("PENSTOCK_CORPORA").unwrap_or_default();
    let mut files = Vec::new();
    for folder in ["plist/libplist", "plist/keyed-archives"] {
        let Ok(folder) = std::fs::read_dir(std::path::Path::new(&corpora).join(folder)) else {
            continue;
        };
        files.extend(folder.map(|entry| entry.unwrap().path()));
    }
    files.retain(|file| std::fs::read(file).unwrap().starts_with(b"bplist"));
    if files.is_empty() {
        let required = std::env::var("PENSTOCK_REQUIRE_CORPORA").is_ok();
        assert!(!required, "no property lists found: PENSTOCK_CORPORA={corpora}");
        eprintln!("no property lists found, and skipped: PENSTOCK_CORPORA={corpora}");
        return;
    }
    let mut faults = Vec::new();
    for path in &files {
        let bytes = std::fs::read(path).unwrap();
        survives(&bytes);
        for (place, _) in bytes.iter().enumerate().take(400) {
            let mut changed = bytes.clone();
            changed[place] ^= 0x55;
            survives(&changed);
        }
        if let (_, Some(fault)) = told(&bytes, &Limits::default()) {
            faults.push(format!("{}: {fault}", path.file_name().unwrap().display()));
        }
    }
    faults.sort();
    assert_eq!(
        faults,
        [
            "malformed_dict.bplist: the key of a dictionary is a dictionary, not a string (object 7) \
             (byte 34)",
            "recursion.bplist: the offsets of 5 objects do not fit between byte 24 and the trailer \
             (byte 36)",
        ]
    );
    assert_eq!(files.len(), 25);
}
