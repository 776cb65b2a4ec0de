//! RecordFeed a writer the values of a record, in the order of their classes.

use super::NativeRecord;
use super::kept::{NO_CLASS, What};
use super::plan::{Absent, Constant, Form, Name, Step};
use crate::event::Scalar;
use crate::protocol::Flow;
use crate::value::{base64, datetime, duration, lexical, uuid};
use crate::writer::{Unwritable, Writer};
use penstock_scan::make_room;

/// A container that is being told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Open {
    /// The next item, and the end.
    List(usize, usize),
    /// The next key, and the end.
    Map(usize, usize),
    /// The class, its first place, and the next step.
    Object(u32, u32, usize),
}

impl NativeRecord {
    /// RecordFeed a writer the record, which is complete.
    ///
    /// # Errors
    /// The format has no form for a value. The record must be abandoned.
    pub fn tell<W: Writer>(&mut self, writer: &mut W) -> Result<Flow, Unwritable> {
        let mut open = std::mem::take(&mut self.telling);
        open.clear();
        let told = self.tell_all(writer, &mut open);
        self.telling = open;
        told
    }

    fn tell_all<W: Writer>(
        &self,
        writer: &mut W,
        open: &mut Vec<Open>,
    ) -> Result<Flow, Unwritable> {
        let mut flow = self.value(writer, 0, open)?;
        while let Some(last) = open.last_mut() {
            match last {
                Open::List(next, end) => {
                    if next == end {
                        open.pop();
                        flow = writer.end_list(0)?;
                        continue;
                    }
                    let value = *next;
                    *next = self.kept.behind(value);
                    flow = self.value(writer, value, open)?;
                }
                Open::Map(next, end) => {
                    if next == end {
                        open.pop();
                        flow = writer.end_map(0)?;
                        continue;
                    }
                    let key = *next;
                    *next = self.kept.behind(key + 1);
                    if let Some(What::Key(span)) = self.kept.get(key) {
                        writer.key(self.kept.event_text(span), 0)?;
                    }
                    flow = self.value(writer, key + 1, open)?;
                }
                Open::Object(class, base, next) => {
                    let (class, base) = (*class, *base);
                    let Some(step) = self.plan.classes[class as usize].steps.get(*next) else {
                        open.pop();
                        flow = writer.end_map(0)?;
                        continue;
                    };
                    *next += 1;
                    match step {
                        Step::Field(name, field, absent) => {
                            let place = self.places.get((base + field) as usize);
                            match place.copied().and_then(|place| place.checked_sub(1)) {
                                Some(value) => {
                                    key(writer, name)?;
                                    self.value(writer, value as usize, open)?;
                                }
                                None => match absent {
                                    Absent::Nothing => {}
                                    Absent::Default(value) => {
                                        key(writer, name)?;
                                        constant(writer, value)?;
                                    }
                                },
                            }
                        }
                        Step::Fixed(name, value) => {
                            key(writer, name)?;
                            constant(writer, value)?;
                        }
                        Step::Open(name) => {
                            key(writer, name)?;
                            writer.begin_map(0)?;
                        }
                        Step::Close => {
                            writer.end_map(0)?;
                        }
                    }
                }
            }
        }
        Ok(flow)
    }

    /// RecordFeed a scalar, or the beginning of a container.
    #[inline(always)]
    fn value<W: Writer>(
        &self,
        writer: &mut W,
        index: usize,
        open: &mut Vec<Open>,
    ) -> Result<Flow, Unwritable> {
        let begun = match self.kept.get(index) {
            Some(What::Int(value)) => return writer.int(value, 0),
            Some(What::Float(value)) => return writer.float(value, 0),
            Some(What::Text(span, Form::Plain)) => {
                return writer.text(self.kept.event_text(span), 0);
            }
            Some(What::Text(span, form)) => {
                return formed(writer, self.kept.text(span).as_bytes(), form);
            }
            Some(What::Number(span)) => return writer.number(self.kept.text(span).as_bytes(), 0),
            Some(What::Decimal(span)) => {
                return writer.scalar(Scalar::Decimal(self.kept.text(span).as_bytes()), 0);
            }
            Some(What::Bool(value)) => return writer.boolean(value, 0),
            Some(What::BeginMap { end, class: NO_CLASS, .. }) => {
                writer.begin_map(0)?;
                Open::Map(index + 1, end as usize)
            }
            Some(What::BeginMap { class, base, .. }) => {
                writer.begin_map(0)?;
                Open::Object(class, base, 0)
            }
            Some(What::BeginList { end }) => {
                writer.begin_list(0)?;
                Open::List(index + 1, end as usize)
            }
            Some(What::Null | What::EndMap | What::EndList | What::Key(_)) | None => {
                return writer.null(0);
            }
        };
        make_room(open, 1);
        open.push(begun);
        Ok(Flow::Take)
    }
}

#[inline(always)]
fn key<W: Writer>(writer: &mut W, name: &Name) -> Result<Flow, Unwritable> {
    writer.lent_key(name.lent.as_bytes(), &name.name)
}

fn constant<W: Writer>(writer: &mut W, value: &Constant) -> Result<Flow, Unwritable> {
    match value {
        Constant::Null => writer.null(0),
        Constant::Bool(value) => writer.boolean(*value, 0),
        Constant::Int(value) => writer.int(*value, 0),
        Constant::Float(value) => writer.float(*value, 0),
        Constant::Decimal(digits) => writer.scalar(Scalar::Decimal(digits), 0),
        Constant::Text(value) => writer.text((&**value).into(), 0),
        Constant::Formed(value, form) => formed(writer, value.as_bytes(), *form),
        Constant::List => {
            writer.begin_list(0)?;
            writer.end_list(0)
        }
        Constant::Map => {
            writer.begin_map(0)?;
            writer.end_map(0)
        }
    }
}

/// RecordFeed a text of a form, which was checked when it came.
#[inline(never)]
fn formed<W: Writer>(writer: &mut W, text: &[u8], form: Form) -> Result<Flow, Unwritable> {
    let value = match form {
        Form::DateTime => datetime::datetime(text).ok().map(|found| {
            Scalar::DateTime(datetime::DateTime { time: found.time.of_objects(), ..found })
        }),
        Form::Date => datetime::date(text).ok().map(Scalar::Date),
        Form::Time => datetime::time(text).ok().map(|found| Scalar::Time(found.of_objects())),
        Form::Duration => duration::duration(text).ok().map(Scalar::Duration),
        Form::Uuid => uuid::uuid(text).map(|value| Scalar::Uuid(value.to_be_bytes())),
        Form::Decimal => Some(Scalar::Decimal(text)),
        Form::Bytes => {
            let mut bytes = Vec::new();
            if base64::decode(text, &mut bytes).is_ok() {
                return writer.scalar(Scalar::Bytes(&bytes), 0);
            }
            None
        }
        Form::Plain => None,
    };
    match value {
        Some(value) => writer.scalar(value, 0),
        None => Err(Unwritable::value("the text has another form")),
    }
}

/// Whether a text is of a form.
#[inline(never)]
pub(super) fn is_of(text: &[u8], form: Form) -> bool {
    match form {
        Form::Plain => true,
        Form::DateTime => datetime::datetime(text).is_ok(),
        Form::Date => datetime::date(text).is_ok(),
        Form::Time => datetime::time(text).is_ok(),
        Form::Duration => duration::duration(text).is_ok(),
        Form::Uuid => uuid::uuid(text).is_some(),
        Form::Decimal => is_decimal(text),
        Form::Bytes => base64::decode(text, &mut Vec::new()).is_ok(),
    }
}

/// Whether a text is a number that is written as it stands, once it is a decimal.
pub(super) fn is_decimal(text: &[u8]) -> bool {
    let has_exponent = text.iter().any(|byte| matches!(byte, b'e' | b'E'));
    let fraction = text.iter().rev().position(|byte| *byte == b'.').unwrap_or(0);
    lexical::is_number(text) && !has_exponent && fraction <= 6
}
