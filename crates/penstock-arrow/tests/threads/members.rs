//! The members of a binary property list.

use crate::Form;
use crate::columns;
use crate::convert::{self, How, TARGETS};
use crate::schema;
use penstock_core::convert::Form as Shape;
use penstock_core::run::Policy;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// An object of a property list.
#[derive(Clone, Debug)]
enum Object {
    Int(u8),
    Real(f64),
    Bool(bool),
    Text(&'static str),
    List(Vec<Object>),
    Map(Vec<(&'static str, Object)>),
    /// An object that is in the file once, however often others refer to it.
    Shared,
    /// Bytes that are no object.
    Bad,
    /// A reference to an object that is not there.
    Lost,
    /// A reference to the root.
    Root,
}

use Object::{Bad, Bool, Int, List, Lost, Map, Real, Root, Shared, Text};

/// The shared object: a list of two short texts.
const SHARED: u16 = 1;
/// More than there are objects in any of these files.
const NONE: u16 = 60_000;

/// A property list whose references have two bytes. The root is object 0.
fn file(root: &Object) -> Vec<u8> {
    let mut objects = vec![Vec::new(), vec![0xA2, 0, 2, 0, 2], b"\x51x".to_vec()];
    let mut keys = Vec::new();
    objects[0] = encoded(root, &mut objects, &mut keys);
    let mut bytes = b"bplist00".to_vec();
    let mut offsets = Vec::new();
    for object in &objects {
        offsets.extend((bytes.len() as u32).to_be_bytes());
        bytes.extend(object);
    }
    let table = bytes.len() as u64;
    bytes.extend(offsets);
    bytes.extend([0, 0, 0, 0, 0, 0, 4, 2]);
    for field in [objects.len() as u64, 0, table] {
        bytes.extend(field.to_be_bytes());
    }
    bytes
}

/// The number of an object, which is put at the end.
fn put(object: &Object, objects: &mut Vec<Vec<u8>>, keys: &mut Vec<(&'static str, u16)>) -> u16 {
    match object {
        Shared => return SHARED,
        Lost => return NONE,
        Root => return 0,
        _ => {}
    }
    let bytes = encoded(object, objects, keys);
    objects.push(bytes);
    objects.len() as u16 - 1
}

fn encoded(
    object: &Object,
    objects: &mut Vec<Vec<u8>>,
    keys: &mut Vec<(&'static str, u16)>,
) -> Vec<u8> {
    let sized = |kind: u8, count: usize| match count {
        0..15 => vec![kind | count as u8],
        _ => vec![kind | 15, 0x11, (count >> 8) as u8, count as u8],
    };
    match object {
        Int(value) => vec![0x10, *value],
        Real(value) => [&[0x23][..], &value.to_be_bytes()].concat(),
        Bool(value) => vec![8 | u8::from(*value)],
        Text(text) if text.is_ascii() => {
            let mut bytes = sized(0x50, text.len());
            bytes.extend(text.as_bytes());
            bytes
        }
        Text(text) => {
            let units: Vec<u16> = text.encode_utf16().collect();
            let mut bytes = sized(0x60, units.len());
            bytes.extend(units.iter().flat_map(|unit| unit.to_be_bytes()));
            bytes
        }
        List(items) => {
            let mut bytes = sized(0xA0, items.len());
            for item in items {
                bytes.extend(put(item, objects, keys).to_be_bytes());
            }
            bytes
        }
        Map(members) => {
            let mut bytes = sized(0xD0, members.len());
            for (key, _) in members {
                let known = keys.iter().find(|known| known.0 == *key).map(|known| known.1);
                let number = known.unwrap_or_else(|| {
                    let number = put(&Text(key), objects, keys);
                    keys.push((key, number));
                    number
                });
                bytes.extend(number.to_be_bytes());
            }
            for (_, value) in members {
                bytes.extend(put(value, objects, keys).to_be_bytes());
            }
            bytes
        }
        Bad => vec![0x7F],
        Shared | Lost | Root => unreachable!("others refer to it"),
    }
}

fn id() -> impl Strategy<Value = Object> {
    prop_oneof![12 => (0..99_u8).prop_map(Int), 1 => Just(Text("7")), 1 => Just(Bad)]
}

fn member() -> impl Strategy<Value = (&'static str, Object)> {
    let word = prop_oneof![Just("red"), Just("green"), Just("blue")];
    prop_oneof![
        4 => prop_oneof![Just(""), Just("\u{e9}"), Just("a long name of a record")]
            .prop_map(|text| ("name", Text(text))),
        4 => word.prop_map(|word| ("word", Text(word))),
        4 => (0..9_u8).prop_map(|half| ("half", Real(f64::from(half) + 0.5))),
        4 => any::<bool>().prop_map(|is| ("is", Bool(is))),
        3 => prop::collection::vec(Just(Text("x")), 0..20).prop_map(|tags| ("tags", List(tags))),
        3 => Just(("tags", Shared)),
        2 => Just(("pair", List(vec![Int(1), Int(2)]))),
        2 => Just(("other", List(vec![Map(vec![("id", Int(1))]); 20]))),
        1 => Just(("other", Lost)),
        1 => Just(("other", Root)),
    ]
}

fn record() -> impl Strategy<Value = Object> {
    let record = (id(), prop::collection::vec(member(), 0..4))
        .prop_map(|(id, members)| Map(std::iter::once(("id", id)).chain(members).collect()));
    prop_oneof![40 => record, 1 => Just(List(Vec::new())), 1 => Just(Int(5)), 1 => Just(Bad)]
}

/// Other names for the members of a container.
const KEYS: [&str; 30] = [
    "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "l0", "l1", "l2", "l3", "l4", "l5",
    "l6", "l7", "l8", "l9", "m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9",
];

fn container() -> impl Strategy<Value = Object> {
    let map = prop::collection::vec(record(), 0..30)
        .prop_map(|records| Map(KEYS.into_iter().zip(records).collect()));
    prop_oneof![
        4 => prop::collection::vec(record(), 0..60).prop_map(List),
        3 => map,
        1 => Just(Int(1)),
        1 => Just(Shared),
    ]
}

fn root() -> impl Strategy<Value = Object> {
    let containers = || prop::collection::vec(container(), 1..4);
    let map = containers().prop_map(|all| Map(KEYS.into_iter().zip(all).collect()));
    prop_oneof![containers().prop_map(List), map]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: crate::effort::often(250),
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_pieces_of_members(
        root in root(), rows in 1..40_usize, bytes in 50..4_000_usize,
        target in prop::sample::select(TARGETS.to_vec()),
        policy in prop_oneof![
            Just(Policy::Raise), Just(Policy::Hand), Just(Policy::Skip),
            Just(Policy::Collect { most: 3 })
        ],
        count in 1..4_usize, size in 1..12_usize,
    ) {
        let file = file(&root);
        columns::same(Form::Members, &file, rows, bytes, (count, size));
        schema::same(&[(Form::Members, &file)], (count, size));
        let how = How { form: Form::Members, target, shape: Shape::Plain, policy, cut: None };
        convert::same(how, &file, (count, size));
    }
}

/// Most pieces are read by the threads, in each large container.
#[test]
fn the_threads_read() {
    let record = |id: usize| Map(vec![("id", Int((id % 99) as u8)), ("tags", Shared)]);
    let list = |count: usize| List((0..count).map(record).collect());
    let members = KEYS[..20].iter().map(|key| (*key, list(400)));
    let file = file(&Map(members.chain([("a", Int(1))]).collect()));
    let taken = columns::same(Form::Members, &file, 700, usize::MAX, (2, 50));
    assert!(taken > 150, "{taken}");
    let taken = schema::same(&[(Form::Members, &file)], (2, 50));
    assert!(taken > 150, "{taken}");
    for target in TARGETS {
        let (shape, policy) = (Shape::Plain, Policy::Raise);
        let how = How { form: Form::Members, target, shape, policy, cut: None };
        let taken = convert::same(how, &file, (2, 50));
        let shares = target.0 != "csv" && !target.1.contains(&("form", "binary"));
        assert!(taken > 150 || !shares, "{how:?}: {taken}");
    }
}

/// If the first records are in error, the threads begin later on.
#[test]
fn the_threads_read_behind_errors() {
    let record = |id: usize| match id {
        0..10 => Map(vec![("id", if id.is_multiple_of(2) { Bad } else { Text("x") })]),
        _ => Map(vec![("id", Int((id % 99) as u8)), ("is", Bool(id.is_multiple_of(2)))]),
    };
    let file = file(&List(vec![List((0..10_000).map(record).collect())]));
    let taken = columns::same(Form::Members, &file, 700, usize::MAX, (2, 50));
    assert!(taken > 150, "{taken}");
}
