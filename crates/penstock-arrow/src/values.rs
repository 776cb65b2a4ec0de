//! Values of all types into their columns. What a column cannot hold exactly is refused.

use crate::column::{Data, push};
use crate::columns::Columns;
use crate::plan::{Kind, NodeId, Width};
use arrow_buffer::i256;
use penstock_core::value::cells::Cells;
use penstock_core::value::datetime::{Date, DateTime, Offset, Time};
use penstock_core::value::duration::Duration;
use penstock_core::value::exact::exact;
use penstock_core::value::lexical::{self, Rules, Type, Value};
use penstock_core::value::unix::Unit;
use penstock_core::value::xsd::{self, Integer};
use penstock_core::value::{datetime, unix};
use penstock_scan::make_room;

/// Why a value is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It is no value of its type as far as is known here. The type itself can tell, and may know
    /// better.
    Form,
    /// It is a value of its type, and the column cannot hold it: what was expected, and what is
    /// there.
    Range(Box<str>, Box<str>),
    /// There are too many values, or too long ones, for one column.
    Full,
}

impl Unfit {
    #[cold]
    fn range(expected: impl Into<Box<str>>, got: impl Into<Box<str>>) -> Self {
        Unfit::Range(expected.into(), got.into())
    }
}

const DAY: i64 = 86_400_000_000;

/// The most digits of a decimal number in a column.
pub const MOST_DIGITS: i64 = 76;

/// The type that text is converted to.
fn type_of(kind: &Kind) -> Option<Type<'_>> {
    Some(match kind {
        Kind::Int(_) => Type::Int,
        Kind::Float | Kind::Float32 => Type::Float,
        Kind::Bool => Type::Bool,
        Kind::Bytes(form) => *form,
        Kind::Date(Some(moment)) | Kind::Time(Some(moment)) => Type::Moment(moment),
        Kind::Timestamp { moment: Some(moment), .. } => Type::Moment(moment),
        Kind::Date(None) => Type::Date,
        Kind::Time(None) => Type::Time,
        Kind::Timestamp { .. } => Type::DateTime,
        Kind::Duration => Type::Duration,
        Kind::Decimal { .. } => Type::Decimal,
        Kind::Uuid => Type::Uuid,
        _ => return None,
    })
}

impl Columns {
    /// Adds an integer.
    ///
    /// # Errors
    /// The column takes none, or not this one.
    #[inline(always)]
    pub fn int(&mut self, node: NodeId, value: i64) -> Result<(), Unfit> {
        let of = &self.plan.nodes[node as usize];
        let column = &mut self.columns[node as usize];
        if let (Kind::Int(width), Data::Int(values)) = (&of.kind, &mut column.data) {
            let (least, most) = width.range();
            if value < least || value > most {
                return Err(Unfit::range(width.name(), value.to_string()));
            }
            if !self.trusts && !of.checks.iter().all(|check| check.int(value)) {
                return Err(Unfit::Form);
            }
            push(values, value);
            column.filled();
            self.bytes += 8;
            return Ok(());
        }
        self.int_rarely(node, value)
    }

    #[inline(never)]
    fn int_rarely(&mut self, node: NodeId, value: i64) -> Result<(), Unfit> {
        let of = &self.plan.nodes[node as usize];
        match &of.kind {
            Kind::ChoiceInt(values) if values.contains(&value) => self.push_i64(node, value),
            // Every integer up to this magnitude is exactly a double.
            Kind::Float | Kind::Float32 if value.unsigned_abs() <= 1 << 53 => {
                self.float(node, value as f64)
            }
            Kind::Decimal { .. } => self.decimal(node, value.to_string().as_bytes()),
            Kind::Timestamp { moment: Some(moment), .. } => {
                let Some(unit) = moment.unit else { return Err(Unfit::Form) };
                let found = moment.number(value.to_string().as_bytes(), unit);
                let found = found.map_err(|_| Unfit::Form)?;
                self.datetime(node, found)
            }
            _ => Err(Unfit::Form),
        }
    }

    fn push_i64(&mut self, node: NodeId, value: i64) -> Result<(), Unfit> {
        let column = &mut self.columns[node as usize];
        let Data::Int(values) = &mut column.data else { return Err(Unfit::Form) };
        push(values, value);
        column.filled();
        self.bytes += 8;
        Ok(())
    }

    /// Adds an integer beyond 64 bits.
    ///
    /// # Errors
    /// The column takes none, or not this one.
    pub fn big_int(&mut self, node: NodeId, negative: bool, digits: &[u8]) -> Result<(), Unfit> {
        let shown = || {
            let sign = if negative { "-" } else { "" };
            let digits = String::from_utf8_lossy(digits);
            // A long number is shortened by whoever makes the message.
            format!("{sign}{digits}")
        };
        let of = &self.plan.nodes[node as usize];
        match &of.kind {
            Kind::Int(width) => {
                let parsed: Option<i128> = shown().parse().ok();
                match parsed {
                    Some(value) if i64::try_from(value).is_ok() => self.int(node, value as i64),
                    Some(value) if *width == Width::U64 && u64::try_from(value).is_ok() => {
                        if !self.trusts && !of.checks.is_empty() {
                            return Err(Unfit::Form);
                        }
                        self.push_i64(node, value as u64 as i64)
                    }
                    _ => Err(Unfit::range(width.name(), shown())),
                }
            }
            Kind::Decimal { .. } => {
                let text = shown();
                self.decimal(node, text.as_bytes())
            }
            _ => Err(Unfit::Form),
        }
    }

    /// Adds a double.
    ///
    /// # Errors
    /// The column takes none, or not this one.
    #[inline(always)]
    pub fn float(&mut self, node: NodeId, value: f64) -> Result<(), Unfit> {
        let of = &self.plan.nodes[node as usize];
        let column = &mut self.columns[node as usize];
        let Data::Float(values) = &mut column.data else { return Err(Unfit::Form) };
        if !self.trusts && !of.checks.iter().all(|check| check.float(value)) {
            return Err(Unfit::Form);
        }
        if matches!(of.kind, Kind::Float32) && value.is_finite() && (value as f32).is_infinite() {
            return Err(Unfit::range("float32", format!("{value:?}")));
        }
        push(values, value);
        column.filled();
        self.bytes += 8;
        Ok(())
    }

    /// Adds a truth value.
    ///
    /// # Errors
    /// The column takes none.
    pub fn boolean(&mut self, node: NodeId, value: bool) -> Result<(), Unfit> {
        let column = &mut self.columns[node as usize];
        let Data::Bool(values) = &mut column.data else { return Err(Unfit::Form) };
        values.push(value);
        column.filled();
        self.bytes += 1;
        Ok(())
    }

    /// Adds a string to a column of strings.
    ///
    /// # Errors
    /// The column takes none, or not this one.
    #[inline(always)]
    pub fn text(&mut self, node: NodeId, text: &str) -> Result<(), Unfit> {
        let of = &self.plan.nodes[node as usize];
        let column = &mut self.columns[node as usize];
        if let (Kind::Str, Data::Bytes(values)) = (&of.kind, &mut column.data) {
            if !self.trusts && !of.checks.iter().all(|check| check.text(text)) {
                return Err(Unfit::Form);
            }
            if !values.push(text.as_bytes()) {
                return Err(Unfit::Full);
            }
            column.filled();
            self.bytes += text.len() + 4;
            return Ok(());
        }
        self.text_rarely(node, text)
    }

    #[inline(never)]
    fn text_rarely(&mut self, node: NodeId, text: &str) -> Result<(), Unfit> {
        let of = &self.plan.nodes[node as usize];
        let column = &mut self.columns[node as usize];
        let Data::Dictionary(places, words) = &mut column.data else { return Err(Unfit::Form) };
        let place = match &of.kind {
            Kind::Choice(choice) => {
                choice.texts.find(text.as_bytes()).ok_or(Unfit::Form)?.cast_signed()
            }
            _ if !self.trusts && !of.checks.iter().all(|check| check.text(text)) => {
                return Err(Unfit::Form);
            }
            _ => words.place(text.as_bytes()).ok_or(Unfit::Full)?,
        };
        push(places, place);
        column.filled();
        self.bytes += 4;
        Ok(())
    }

    /// Adds a string of a format with types: as it is, or as what the column holds.
    ///
    /// # Errors
    /// The column takes none, or not this one.
    #[inline(always)]
    pub fn quoted(&mut self, node: NodeId, text: &[u8]) -> Result<(), Unfit> {
        if let Kind::Str = self.plan.nodes[node as usize].kind
            && let Ok(text) = std::str::from_utf8(text)
        {
            return self.text(node, text);
        }
        self.quoted_rarely(node, text)
    }

    /// The same for a column that holds no plain strings.
    ///
    /// # Errors
    /// As above.
    #[inline(never)]
    pub fn quoted_rarely(&mut self, node: NodeId, text: &[u8]) -> Result<(), Unfit> {
        let of = &self.plan.nodes[node as usize];
        match &of.kind {
            Kind::Int(_) | Kind::Float | Kind::Float32 | Kind::Bool => Err(Unfit::Form),
            Kind::Choice(_) | Kind::Dictionary => {
                let text = std::str::from_utf8(text).map_err(|_| Unfit::Form)?;
                self.text_rarely(node, text)
            }
            kind => {
                let to = type_of(kind).ok_or(Unfit::Form)?;
                let value = lexical::quoted(text, to).map_err(|_| Unfit::Form)?;
                self.value(node, value)
            }
        }
    }

    /// Adds what an untyped text stands for. It is not empty.
    ///
    /// # Errors
    /// The column takes none, or not this one.
    #[inline(always)]
    pub fn untyped(&mut self, node: NodeId, text: &str, rules: Rules) -> Result<(), Unfit> {
        let of = &self.plan.nodes[node as usize];
        if of.cells.is_none() {
            match &of.kind {
                Kind::Str => return self.text(node, text),
                Kind::Int(_) => {
                    if let Some(Integer::Small(value)) = xsd::integer(text.as_bytes()) {
                        return self.int(node, value);
                    }
                }
                Kind::Float => {
                    if let Ok(value) = lexical::float(text.as_bytes()) {
                        return self.float(node, value);
                    }
                }
                _ => {}
            }
        }
        self.untyped_rarely(node, text, rules)
    }

    #[inline(never)]
    fn untyped_rarely(&mut self, node: NodeId, text: &str, rules: Rules) -> Result<(), Unfit> {
        let of = &self.plan.nodes[node as usize];
        let trimmed = xsd::trimmed(text.as_bytes());
        match &of.kind {
            Kind::Str | Kind::Dictionary => self.text(node, text),
            Kind::Choice(choice) => {
                // As it is written, then without the white space around it.
                for text in [text.as_bytes(), trimmed] {
                    if choice.texts.find(text).is_some()
                        && let Ok(text) = std::str::from_utf8(text)
                    {
                        return self.text_rarely(node, text);
                    }
                }
                Err(Unfit::Form)
            }
            Kind::ChoiceInt(_) => match xsd::integer(trimmed) {
                Some(Integer::Small(value)) => self.int_rarely(node, value),
                _ => Err(Unfit::Form),
            },
            Kind::Date(None)
                if of.cells.is_none()
                    && let Ok(date) = datetime::date(trimmed) =>
            {
                self.date(node, date)
            }
            kind => {
                let to = type_of(kind).ok_or(Unfit::Form)?;
                let mut room = std::mem::take(&mut self.room);
                let value = written(of.cells.as_deref(), trimmed, to, &mut room)
                    .and_then(|text| lexical::untyped(text, to, rules));
                let added = match value {
                    Ok(value) => self.value(node, value),
                    Err(_) => Err(Unfit::Form),
                };
                self.room = room;
                added
            }
        }
    }

    /// Adds a value that was made of text.
    ///
    /// # Errors
    /// The column takes none, or not this one.
    pub fn value(&mut self, node: NodeId, value: Value<'_>) -> Result<(), Unfit> {
        match value {
            Value::Bool(value) => self.boolean(node, value),
            Value::Int(value) => self.int(node, value),
            Value::BigInt { negative, digits } => self.big_int(node, negative, &digits),
            Value::Float(value) => self.float(node, value),
            Value::Decimal(digits) => self.decimal(node, digits),
            Value::DateTime(value) => self.datetime(node, value),
            Value::Date(value) => self.date(node, value),
            Value::Time(value) => self.time(node, value),
            Value::Duration(value) => self.duration(node, value),
            Value::Uuid(value) => self.uuid(node, value.to_be_bytes()),
            Value::Bytes(bytes) => self.binary(node, &bytes),
        }
    }

    /// Adds a number of which only the digits are known.
    ///
    /// # Errors
    /// The column takes none, or not this one.
    pub fn digits(&mut self, node: NodeId, digits: &[u8]) -> Result<(), Unfit> {
        let whole = digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-'));
        match &self.plan.nodes[node as usize].kind {
            Kind::Decimal { .. } => self.decimal(node, digits),
            Kind::Int(_) if whole => {
                let negative = digits.first() == Some(&b'-');
                self.big_int(node, negative, &digits[usize::from(negative)..])
            }
            Kind::Timestamp { moment: Some(moment), .. } => {
                let Some(unit) = moment.unit else { return Err(Unfit::Form) };
                let found = moment.number(digits, unit).map_err(|_| Unfit::Form)?;
                self.datetime(node, found)
            }
            _ => Err(Unfit::Form),
        }
    }

    /// Adds a decimal number.
    ///
    /// # Errors
    /// The column takes none, or the number has more digits than the column.
    pub fn decimal(&mut self, node: NodeId, digits: &[u8]) -> Result<(), Unfit> {
        let of = &self.plan.nodes[node as usize];
        let Kind::Decimal { precision, scale } = of.kind else { return Err(Unfit::Form) };
        if !self.trusts && !of.checks.is_empty() {
            return Err(Unfit::Form);
        }
        if precision == 0 {
            return self.count_digits(node, digits);
        }
        let expected = || {
            let shown = String::from_utf8_lossy(digits).into_owned();
            Unfit::range(format!("decimal({precision}, {scale})"), shown)
        };
        let number = exact(digits).ok_or_else(expected)?;
        let zeros = number.exponent + i64::from(scale);
        let all = number.digits.len() as i64 + zeros;
        if zeros < 0 && !number.digits.is_empty() || all > i64::from(precision) {
            return Err(expected());
        }
        let zeros = if number.digits.is_empty() { 0 } else { zeros as usize };
        let column = &mut self.columns[node as usize];
        let every = number.digits.iter().map(|digit| digit - b'0');
        let every = every.chain(std::iter::repeat_n(0, zeros));
        match &mut column.data {
            Data::Decimal(values) => {
                let value = every.fold(0_i128, |value, digit| value * 10 + i128::from(digit));
                push(values, if number.negative { -value } else { value });
            }
            Data::Decimal256(values) => {
                let ten = i256::from_i128(10);
                let value = every.fold(i256::ZERO, |value, digit| {
                    value.wrapping_mul(ten).wrapping_add(i256::from_i128(i128::from(digit)))
                });
                push(values, if number.negative { value.wrapping_neg() } else { value });
            }
            _ => return Err(Unfit::Form),
        }
        column.filled();
        self.bytes += 16;
        Ok(())
    }

    /// Counts the digits of a decimal number, in place of keeping it.
    fn count_digits(&mut self, node: NodeId, digits: &[u8]) -> Result<(), Unfit> {
        let too_long = || {
            let shown = String::from_utf8_lossy(digits).into_owned();
            Unfit::range(format!("a decimal number of at most {MOST_DIGITS} digits"), shown)
        };
        let number = exact(digits).ok_or_else(too_long)?;
        let whole = (number.digits.len() as i64 + number.exponent).max(0);
        let behind = (-number.exponent).max(0);
        let least = whole + behind;
        let (Ok(whole), Ok(behind), ..=MOST_DIGITS) =
            (u32::try_from(whole), u32::try_from(behind), least)
        else {
            return Err(too_long());
        };
        let most = self.digits.entry(node).or_default();
        *most = (most.0.max(whole), most.1.max(behind));
        let column = &mut self.columns[node as usize];
        let Data::Decimal(values) = &mut column.data else { return Err(Unfit::Form) };
        push(values, 0);
        column.filled();
        self.bytes += 16;
        Ok(())
    }

    /// Adds a day.
    ///
    /// # Errors
    /// The column takes none.
    pub fn date(&mut self, node: NodeId, value: Date) -> Result<(), Unfit> {
        let column = &mut self.columns[node as usize];
        let Data::Date(values) = &mut column.data else { return Err(Unfit::Form) };
        push(values, value.since_1970());
        column.filled();
        self.bytes += 4;
        Ok(())
    }

    /// Adds a time of day.
    ///
    /// # Errors
    /// The column takes none, or the time has an offset.
    pub fn time(&mut self, node: NodeId, value: Time) -> Result<(), Unfit> {
        if !matches!(self.plan.nodes[node as usize].kind, Kind::Time(_)) {
            return Err(Unfit::Form);
        }
        if value.offset.is_some() {
            return Err(Unfit::range("a time without an offset", "one with an offset"));
        }
        self.push_i64(node, micros(value))
    }

    /// Adds a date with a time.
    ///
    /// # Errors
    /// The column takes none; or the value has an offset and must not have one, or the other way
    /// round; or it is finer than the column's unit, or beyond its range.
    pub fn datetime(&mut self, node: NodeId, value: DateTime) -> Result<(), Unfit> {
        let Kind::Timestamp { unit, utc, .. } = self.plan.nodes[node as usize].kind else {
            return Err(Unfit::Form);
        };
        let without = "a date and time without an offset";
        let instant = match (utc, value.time.offset) {
            (true, None) => return Err(Unfit::range("a date and time with an offset", without)),
            (true, Some(_)) => value,
            (false, None) => {
                let time = Time { offset: Some(Offset::Utc), ..value.time };
                DateTime { time, ..value }
            }
            (false, Some(_)) => return Err(Unfit::range(without, "one with an offset")),
        };
        let micros = unix::microseconds(instant).ok_or(Unfit::Form)?;
        let (counted, name) = match unit {
            Unit::Seconds => (exactly(micros, 1_000_000), "whole seconds"),
            Unit::Milliseconds => (exactly(micros, 1_000), "whole milliseconds"),
            Unit::Microseconds => (Some(micros), ""),
            Unit::Nanoseconds => (micros.checked_mul(1_000), "an instant from 1677 to 2262"),
        };
        let counted = counted.ok_or_else(|| Unfit::range(name, "another one"))?;
        self.push_i64(node, counted)
    }

    /// Adds a span of time.
    ///
    /// # Errors
    /// The column takes none, or the span is longer than 292,000 years.
    pub fn duration(&mut self, node: NodeId, value: Duration) -> Result<(), Unfit> {
        if !matches!(self.plan.nodes[node as usize].kind, Kind::Duration) {
            return Err(Unfit::Form);
        }
        let days = i64::from(value.days).checked_mul(DAY);
        let rest = i64::from(value.seconds) * 1_000_000 + i64::from(value.microseconds);
        let all = days.and_then(|days| days.checked_add(rest));
        let too_long = || Unfit::range("a span of 64 bits of microseconds", "a longer one");
        self.push_i64(node, all.ok_or_else(too_long)?)
    }

    /// Adds a UUID.
    ///
    /// # Errors
    /// The column takes none.
    pub fn uuid(&mut self, node: NodeId, value: [u8; 16]) -> Result<(), Unfit> {
        let column = &mut self.columns[node as usize];
        let Data::Uuid(values) = &mut column.data else { return Err(Unfit::Form) };
        make_room(values, 16);
        values.extend_from_slice(&value);
        column.filled();
        self.bytes += 16;
        Ok(())
    }

    /// Adds text that was made of an object: JSON, or what stands for a value of several types.
    ///
    /// # Errors
    /// The column takes none, or not so long ones.
    pub fn made_text(&mut self, node: NodeId, text: &str) -> Result<(), Unfit> {
        let of = &self.plan.nodes[node as usize];
        let column = &mut self.columns[node as usize];
        let (Kind::Json | Kind::Spelled, Data::Bytes(values)) = (&of.kind, &mut column.data) else {
            return Err(Unfit::Form);
        };
        if !values.push(text.as_bytes()) {
            return Err(Unfit::Full);
        }
        column.filled();
        self.bytes += text.len() + 4;
        Ok(())
    }

    /// Adds binary data.
    ///
    /// # Errors
    /// The column takes none, or not so long ones.
    pub fn binary(&mut self, node: NodeId, value: &[u8]) -> Result<(), Unfit> {
        let of = &self.plan.nodes[node as usize];
        let column = &mut self.columns[node as usize];
        let (Kind::Bytes(_), Data::Bytes(values)) = (&of.kind, &mut column.data) else {
            return Err(Unfit::Form);
        };
        if !self.trusts && !of.checks.iter().all(|check| check.length(value.len())) {
            return Err(Unfit::Form);
        }
        if !values.push(value) {
            return Err(Unfit::Full);
        }
        column.filled();
        self.bytes += value.len() + 4;
        Ok(())
    }
}

/// A text as it would be without the user's own forms.
fn written<'a>(
    cells: Option<&Cells>,
    text: &'a [u8],
    to: Type<'_>,
    room: &'a mut Vec<u8>,
) -> Result<&'a [u8], lexical::Reason> {
    match cells {
        Some(cells) => cells.written(text, to, room),
        None => Ok(text),
    }
}

fn micros(Time { hour, minute, second, microsecond, .. }: Time) -> i64 {
    let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
    seconds * 1_000_000 + i64::from(microsecond)
}

/// A number of units, if that is a whole one.
fn exactly(micros: i64, unit: i64) -> Option<i64> {
    (micros % unit == 0).then_some(micros / unit)
}
