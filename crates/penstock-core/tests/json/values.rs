//! Converts events to a value of serde_json. A fuzz target uses it too.

use serde_json::{Map, Number, Value};

use crate::naive::{Event, What};

/// The value of these events; of equal keys the last one counts, as in serde_json. None if there
/// was a fault.
pub(crate) fn value(events: &[Event]) -> Option<Value> {
    let mut events = events.iter().map(|(_, what)| what);
    if matches!(events.clone().next_back(), Some(What::Fault(_))) {
        return None;
    }
    let value = next(&mut events);
    assert!(events.next().is_none(), "more than one value");
    value
}

/// The next value; none at the end of a list.
fn next<'e>(events: &mut impl Iterator<Item = &'e What>) -> Option<Value> {
    Some(match events.next().unwrap() {
        What::BeginMap => {
            let mut map = Map::new();
            while let What::Key(key) = events.next().unwrap() {
                map.insert(key.clone(), next(events).unwrap());
            }
            Value::Object(map)
        }
        What::BeginList => Value::Array(std::iter::from_fn(|| next(events)).collect()),
        What::EndList => return None,
        What::Null => Value::Null,
        What::Bool(value) => Value::Bool(*value),
        What::Number(digits) => Value::Number(digits.parse::<Number>().unwrap()),
        What::Text(text) => Value::String(text.clone()),
        other => panic!("{other:?} is no value"),
    })
}
