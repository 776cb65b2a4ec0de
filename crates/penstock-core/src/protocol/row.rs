//! Expands rows into the events that they stand for.

use super::erased::{Kept, Refused};
use super::{Flow, Look, LookAhead, Sink};
use crate::event::row::Next;
use crate::event::{Key, KeyKind, Row, Scalar};

/// Reports the rest of a row event by event, for a sink that does not implement rows. It calls the sink through a
/// table, so that there is one copy of it.
///
/// This function defines the meaning of a row. A sink that handles rows itself must get the same
/// result.
///
/// # Errors
/// The sink's error. The rest of the row is then not reported.
pub fn expand<S: LookAhead + ?Sized>(sink: &mut S, row: &mut Row<'_>) -> Result<Flow, S::Error> {
    Kept::lend_ahead(sink, |sink: &mut dyn LookAhead<Error = Refused>| expand_inline(sink, row))
}

/// As [`expand`], with a copy for the sink.
///
/// # Errors
/// As [`expand`].
pub fn expand_inline<S: LookAhead + ?Sized>(
    sink: &mut S,
    row: &mut Row<'_>,
) -> Result<Flow, S::Error> {
    loop {
        let flow = match row.next() {
            Next::Begin if row.is_list() => match sink.begin_list(row.at)? {
                Flow::Skip => {
                    row.take();
                    return Ok(Flow::Skip);
                }
                flow => flow,
            },
            Next::Begin => match sink.begin_map(row.at)? {
                Flow::Look if row.end.is_none() => return Ok(Flow::Look),
                Flow::Look if look(sink, row)? => Flow::Take,
                Flow::Skip | Flow::Look => {
                    row.take();
                    return Ok(Flow::Skip);
                }
                flow => flow,
            },
            Next::Key(key, at) => match name(sink, key, at)? {
                Flow::Skip => {
                    row.skip_value();
                    Flow::Take
                }
                flow => flow,
            },
            Next::Value(value, at) => scalar(sink, value, at)?,
            Next::End(at) if row.is_list() => return sink.end_list(at),
            Next::End(at) => return sink.end_map(at),
            Next::Nothing => return Ok(Flow::Take),
        };
        if matches!(flow, Flow::Pause | Flow::Stop) {
            return Ok(flow);
        }
    }
}

/// Looks ahead in a complete row. False if the sink does not want the map.
fn look<S: LookAhead + ?Sized>(sink: &mut S, row: &Row<'_>) -> Result<bool, S::Error> {
    for (place, cell) in row.cells.iter().enumerate() {
        let (Some(key), Some(cell)) = (row.keys.get(place), cell) else { continue };
        let mut answer = sink.look_key(key.name, cell.key_at)?;
        if answer == Look::Value {
            answer = sink.look_value(Some(cell.value), cell.at)?;
        }
        match answer {
            Look::Pass | Look::Value => {}
            Look::Found => return Ok(true),
            Look::Skip => return Ok(false),
        }
    }
    let end = row.end.unwrap_or(row.at);
    Ok(sink.look_end(end)? != Look::Skip)
}

/// Reports a key with the method that fits its parts.
pub(crate) fn name<S: LookAhead + ?Sized>(
    sink: &mut S,
    key: Key<'_>,
    at: u64,
) -> Result<Flow, S::Error> {
    match key {
        Key { name, namespace: None, prefix: None, kind: KeyKind::Member } => sink.key(name, at),
        key => sink.name(key, at),
    }
}

/// Reports a value with the method for its kind.
pub(crate) fn scalar<S: Sink + ?Sized>(
    sink: &mut S,
    value: Scalar<'_>,
    at: u64,
) -> Result<Flow, S::Error> {
    match value {
        Scalar::Null => sink.null(at),
        Scalar::Bool(value) => sink.boolean(value, at),
        Scalar::Int(value) => sink.int(value, at),
        Scalar::Float(value) => sink.float(value, at),
        Scalar::Number(digits) => sink.number(digits, at),
        Scalar::Text(text) => sink.text(text, at),
        Scalar::Untyped(_)
        | Scalar::Decimal(_)
        | Scalar::Bytes(_)
        | Scalar::Date(_)
        | Scalar::Time(_)
        | Scalar::DateTime(_)
        | Scalar::Since2001(_)
        | Scalar::Duration(_)
        | Scalar::Uuid(_)
        | Scalar::Uid(_) => sink.scalar(value, at),
    }
}
