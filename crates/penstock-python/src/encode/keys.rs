//! Keys of dicts, as text.

use super::Stop;
use super::readback::is_text_key;
use super::scalars;
use super::text::{ascii_of, copied, text_of};
use super::values::{class_name, enum_value};
use super::walk::{As, Frame, Walker};
use crate::plan::{Kind, decimal_text, is_decimal, is_uuid};
use penstock_core::value::print;
use penstock_core::writer::Writer;
use pyo3::exceptions::PyMemoryError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyFloat, PyInt, PyString, PyTime,
};

impl<'py, W: Writer> Walker<'py, '_, W> {
    /// Writes a key of a dict.
    pub(super) fn key(&mut self, key: &Bound<'py, PyAny>, of: As) -> Result<(), Stop> {
        if let Ok(key) = key.cast::<PyString>()
            && is_text_key(self.plan(of), of.node)
        {
            if let Some(text) = ascii_of(key) {
                self.writer.key(text, 0)?;
                return Ok(());
            }
            let text = text_of(key, &mut self.known.scratch)?;
            self.writer.key(text, 0)?;
            return Ok(());
        }
        let text = self.checked_key(key, of)?;
        self.writer.key(text.as_str().into(), 0)?;
        // Another key of the dict may be the same text, or become it. Then one value would be lost.
        let is_text = key.is_instance_of::<PyString>();
        let Some(Frame::Dict { dict, texts, .. }) = self.frames.last_mut() else { return Ok(()) };
        let texts = texts.get_or_insert_default();
        texts.try_reserve(1).map_err(|_| PyMemoryError::new_err(()))?;
        if (!is_text && dict.contains(&text)?) || !texts.insert(text) {
            return Err(Stop::misfit("two keys of the dict are written as the same text"));
        }
        Ok(())
    }

    /// A key of a dict as text, which is read back as that key.
    pub(super) fn checked_key(&mut self, key: &Bound<'py, PyAny>, of: As) -> Result<String, Stop> {
        let text = self.key_text(key, of)?;
        if !is_text_key(self.plan(of), of.node) {
            self.check_key(key, of, &text)?;
        }
        Ok(text)
    }

    /// The member of a union to which a key belongs, or the type of the key.
    fn type_of_key(&self, key: &Bound<'py, PyAny>, of: As) -> As {
        As { node: self.member_of(key, of).unwrap_or(of.node), ..of }
    }

    /// A value as text: a key of a dict that is no text, or an item of several in one text.
    pub(super) fn key_text(&mut self, key: &Bound<'py, PyAny>, of: As) -> Result<String, Stop> {
        let of = self.type_of_key(key, of);
        let mut key = key.clone();
        for back in self.backs(of) {
            key = self.back(back, &key)?;
        }
        if let Some(value) = enum_value(&key)? {
            key = value;
        }
        if let Kind::Moment(moment) = &self.node(of).kind {
            let moment = (**moment).clone();
            return self.moment_text(&key, &moment, of);
        }
        if key.is_instance_of::<PyBytes>() || key.is_instance_of::<PyByteArray>() {
            return self.bytes_text(&key, of);
        }
        Ok(if key.is_instance_of::<PyBool>() {
            if key.is_truthy()? { "true".to_owned() } else { "false".to_owned() }
        } else if key.is_instance_of::<PyInt>() {
            let int = self.py.get_type::<PyInt>();
            int.call_method1(intern!(self.py, "__repr__"), (&key,))?.to_string()
        } else if is_decimal(&key) {
            let text = decimal_text(&key)?.to_string();
            // Untyped text has no exponents.
            if W::LEXICAL { plain_digits(&text)? } else { text }
        } else if is_uuid(&key) {
            let mut out = Vec::with_capacity(print::LONGEST);
            print::uuid(scalars::uuid(&key)?, &mut out);
            String::from_utf8_lossy(&out).into_owned()
        } else if let Ok(text) = key.cast::<PyString>() {
            let text = copied(text_of(text, &mut self.known.scratch)?.bytes())?;
            String::from_utf8(text).unwrap_or_default()
        } else {
            let mut out = Vec::with_capacity(print::LONGEST);
            if let Ok(float) = key.cast::<PyFloat>()
                && float.value().is_finite()
            {
                print::float(float.value(), &mut out);
            } else if let Ok(value) = key.cast::<PyDateTime>() {
                print::datetime(scalars::datetime(value)?, &mut out);
            } else if let Ok(value) = key.cast::<PyDate>() {
                print::date(scalars::exact_date(value)?, &mut out);
            } else if let Ok(value) = key.cast::<PyTime>() {
                print::time(scalars::time(value)?, &mut out);
            } else if let Ok(value) = key.cast::<PyDelta>() {
                print::duration(scalars::exact_duration(value)?, &mut out);
            } else if let Ok(float) = key.cast::<PyFloat>() {
                // It would be read back as text, or not at all.
                return Err(Stop::misfit(format!("a key must be finite, not {}", float.value())));
            } else if matches!(self.node(of).kind, Kind::Str) && !self.is_plain(of) {
                // A type that is made of text: a path, an address.
                out.extend_from_slice(key.str()?.to_str()?.as_bytes());
            } else {
                let reason = format!("a key must be text or a scalar, not {}", class_name(&key)?);
                return Err(Stop::misfit(reason));
            }
            String::from_utf8_lossy(&out).into_owned()
        })
    }
}

/// The digits of a decimal number without an exponent.
fn plain_digits(text: &str) -> Result<String, Stop> {
    /// More zeros than any reader takes.
    const MOST: usize = 4_300;
    let Some((digits, exponent)) = text.split_once(['E', 'e']) else { return Ok(text.to_owned()) };
    let exponent: i64 = exponent.parse().unwrap_or(i64::MAX);
    if exponent.unsigned_abs() > MOST as u64 {
        return Err(Stop::misfit(
            "a decimal number of too many digits for text without an exponent",
        ));
    }
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", digits),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let point = whole.len() as i64 + exponent;
    Ok(if point <= 0 {
        format!("{sign}0.{}{all}", "0".repeat(point.unsigned_abs() as usize))
    } else if point as usize >= all.len() {
        format!("{sign}{all}{}", "0".repeat(point as usize - all.len()))
    } else {
        format!("{sign}{}.{}", &all[..point as usize], &all[point as usize..])
    })
}
