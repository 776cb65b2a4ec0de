//! A writer of plain values: dicts, lists and scalars, as Python's own `json` knows them.

use crate::objects::{new_key, new_str};
use crate::plan::{decimal_text, is_decimal};
use penstock_core::event::{Key, Scalar, Text};
use penstock_core::json;
use penstock_core::limits::Limits;
use penstock_core::protocol::{Flow, Hints, LookAhead, Sink};
use penstock_core::value::{print, unix};
use penstock_core::writer::{Unwritable, Writer};
use penstock_scan::ValidText;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

/// A container that is being filled.
enum Open<'py> {
    /// A dict, and the key of the coming value.
    Dict(Bound<'py, PyDict>, Option<Bound<'py, PyAny>>),
    List(Bound<'py, PyList>),
}

/// Makes plain values of one object. Scalars say what they would say in JSON; but decimal numbers stay what they are, and
/// so do numbers that JSON does not have.
pub(crate) struct Plain<'py> {
    py: Python<'py>,
    open: Vec<Open<'py>>,
    deepest: usize,
    made: Option<Bound<'py, PyAny>>,
    /// Kept for its memory only.
    text: Vec<u8>,
    /// Whether the last value is noted, and what it is.
    listens: bool,
    heard: Option<Bound<'py, PyAny>>,
    /// How many values were put since signals were looked for.
    unlooked: u32,
}

/// How many values are made before signals are looked for.
const MANY: u32 = 4096;

type Answer = Result<Flow, Unwritable>;

impl<'py> Plain<'py> {
    pub(crate) fn new(py: Python<'py>, limits: &Limits) -> Self {
        Plain {
            py,
            open: Vec::new(),
            deepest: limits.depth,
            made: None,
            text: Vec::new(),
            listens: false,
            heard: None,
            unlooked: 0,
        }
    }

    /// The value that was made.
    pub(crate) fn take(&mut self) -> Option<Bound<'py, PyAny>> {
        self.made.take()
    }

    /// Puts a value in its place.
    #[inline]
    fn put(&mut self, value: Bound<'py, PyAny>) -> Answer {
        if self.listens {
            self.heard = Some(value.clone());
        }
        match self.open.last_mut() {
            Some(Open::Dict(dict, key)) => {
                let Some(key) = key.take() else {
                    return Err(Unwritable::value("a value without a key"));
                };
                stored(dict.set_item(key, value))
            }
            Some(Open::List(list)) => {
                stored(list.append(value))?;
                self.unlooked += 1;
                if self.unlooked < MANY {
                    return Ok(Flow::Take);
                }
                self.unlooked = 0;
                Ok(Flow::Pause)
            }
            None => {
                self.made = Some(value);
                Ok(Flow::Take)
            }
        }
    }

    /// Takes over a new object.
    #[inline]
    fn new_object(&mut self, object: *mut ffi::PyObject) -> Answer {
        // SAFETY: a new reference, or null with an exception set.
        match unsafe { Bound::from_owned_ptr_or_err(self.py, object) } {
            Ok(value) => self.put(value),
            Err(_) => Err(Unwritable::memory()),
        }
    }

    fn begin(&mut self, container: Open<'py>) -> Answer {
        if self.open.len() == self.deepest {
            let deepest = self.deepest;
            return Err(Unwritable::limit(format!("more than {deepest} values inside each other")));
        }
        self.open.try_reserve(1).map_err(|_| Unwritable::memory())?;
        self.open.push(container);
        Ok(Flow::Take)
    }

    fn end(&mut self) -> Answer {
        match self.open.pop() {
            Some(Open::Dict(dict, _)) => self.put(dict.into_any()),
            Some(Open::List(list)) => self.put(list.into_any()),
            None => Ok(Flow::Take),
        }
    }

    /// A scalar as the text that JSON would have between quotes.
    fn printed(&mut self, print: impl FnOnce(&mut Vec<u8>)) -> Answer {
        self.text.clear();
        self.text.try_reserve(print::LONGEST).map_err(|_| Unwritable::memory())?;
        print(&mut self.text);
        let text = std::mem::take(&mut self.text);
        let answer = match std::str::from_utf8(&text) {
            Ok(text) => self.text(text.into(), 0),
            Err(_) => Err(Unwritable::value("no text")),
        };
        self.text = text;
        answer
    }
}

/// Keeps the digits of a number. None if it is none that a document may have.
fn keep_digits(number: &Bound<'_, PyString>, kept: &mut Vec<u8>) -> Option<()> {
    let digits = number.to_str().ok()?.as_bytes();
    if !digits.iter().all(|byte| b"0123456789+-.E".contains(byte)) {
        return None;
    }
    kept.clear();
    kept.try_reserve(digits.len()).ok()?;
    kept.extend_from_slice(digits);
    Some(())
}

/// Only a lack of memory can be what is wrong: keys are text.
fn stored(done: PyResult<()>) -> Answer {
    done.map_or_else(|_| Err(Unwritable::memory()), |()| Ok(Flow::Take))
}

impl Sink for Plain<'_> {
    type Error = Unwritable;

    fn begin_map(&mut self, _at: u64) -> Answer {
        self.begin(Open::Dict(PyDict::new(self.py), None))
    }
    fn end_map(&mut self, _at: u64) -> Answer {
        self.end()
    }
    fn begin_list(&mut self, _at: u64) -> Answer {
        self.begin(Open::List(PyList::empty(self.py)))
    }
    fn end_list(&mut self, _at: u64) -> Answer {
        self.end()
    }
    fn name(&mut self, key: Key<'_>, at: u64) -> Answer {
        self.key(key.name, at)
    }
    fn key(&mut self, key: Text<'_>, _at: u64) -> Answer {
        // SAFETY: a new reference, or null with an exception set.
        let new = unsafe { Bound::from_owned_ptr_or_err(self.py, new_key(self.py, key)) };
        let new = new.map_err(|_| Unwritable::memory())?;
        if let Some(Open::Dict(_, key)) = self.open.last_mut() {
            *key = Some(new);
        }
        Ok(Flow::Take)
    }
    fn scalar(&mut self, value: Scalar<'_>, at: u64) -> Answer {
        match value {
            Scalar::Null => self.put(self.py.None().into_bound(self.py)),
            // SAFETY: makes no object, but a reference to one of two that live for ever.
            Scalar::Bool(value) => self.new_object(unsafe { ffi::PyBool_FromLong(value.into()) }),
            // SAFETY: makes a new object, or sets an exception.
            Scalar::Int(value) => self.new_object(unsafe { ffi::PyLong_FromLongLong(value) }),
            // SAFETY: as above.
            Scalar::Float(value) => self.new_object(unsafe { ffi::PyFloat_FromDouble(value) }),
            Scalar::Text(text) | Scalar::Untyped(text) => self.text(text, at),
            Scalar::Number(digits) | Scalar::Decimal(digits) => {
                let text = String::from_utf8_lossy(digits);
                let whole = digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-'));
                let class = match whole && matches!(value, Scalar::Number(_)) {
                    true => self.py.get_type::<PyInt>().into_any(),
                    false => self.py.get_type::<PyFloat>().into_any(),
                };
                match class.call1((text.as_ref(),)) {
                    Ok(number) => self.put(number),
                    Err(_) => Err(Unwritable::value(format!("{text:?} is no number"))),
                }
            }
            Scalar::Bytes(bytes) => {
                let most = bytes.len().saturating_mul(2).saturating_add(4);
                self.text.try_reserve(most).map_err(|_| Unwritable::memory())?;
                self.printed(|out| print::base64(bytes, out))
            }
            Scalar::Date(date) => self.printed(|out| print::date(date, out)),
            Scalar::Time(time) => self.printed(|out| print::time(time, out)),
            Scalar::DateTime(value) => self.printed(|out| print::datetime(value, out)),
            Scalar::Since2001(seconds) => match unix::since_2001(seconds) {
                Ok(value) => self.printed(|out| print::datetime(value, out)),
                Err(reason) => Err(Unwritable::value(reason.message())),
            },
            Scalar::Duration(value) => self.printed(|out| print::duration(value, out)),
            Scalar::Uuid(bytes) => self.printed(|out| print::uuid(bytes, out)),
            Scalar::Uid(value) => {
                self.begin_map(at)?;
                self.key("CF$UID".into(), at)?;
                self.int(i64::try_from(value).unwrap_or(i64::MAX), at)?;
                self.end_map(at)
            }
        }
    }
    fn text(&mut self, text: Text<'_>, _at: u64) -> Answer {
        self.new_object(new_str(self.py, text))
    }
    fn piece(&mut self, _text: Text<'_>, _at: u64) -> Answer {
        Err(Unwritable::value("plain values have no place for text between elements"))
    }
    fn abandon(&mut self) {
        self.open.clear();
        self.made = None;
    }
}

impl Hints for Plain<'_> {}
impl LookAhead for Plain<'_> {}

impl Writer for Plain<'_> {
    const HOLDS: bool = true;

    fn hold(&mut self, object: usize) -> Answer {
        let object = object as *mut ffi::PyObject;
        // SAFETY: the walker gives the address of an object that it holds.
        let value = unsafe { Bound::from_borrowed_ptr(self.py, object) };
        self.put(value)
    }
    fn json_text(&mut self, text: ValidText<'_>) -> Result<bool, Unwritable> {
        json::tell(text, self).map(|()| true)
    }
    fn listen(&mut self) -> bool {
        self.heard = None;
        !std::mem::replace(&mut self.listens, true)
    }
    fn ignore(&mut self) {
        self.listens = false;
        self.heard = None;
    }
    fn reported(&mut self) -> Option<Scalar<'_>> {
        let heard = self.heard.as_ref()?;
        if let Ok(text) = heard.cast::<PyString>() {
            return Some(Scalar::Text(text.to_str().ok()?.into()));
        } else if let Ok(value) = heard.cast::<PyBool>() {
            return Some(Scalar::Bool(value.is_true()));
        } else if heard.is_instance_of::<PyFloat>() {
            return heard.extract().ok().map(Scalar::Float);
        } else if heard.is_instance_of::<PyInt>() {
            if let Ok(value) = heard.extract() {
                return Some(Scalar::Int(value));
            }
            keep_digits(&heard.str().ok()?, &mut self.text)?;
            return Some(Scalar::Number(&self.text));
        } else if is_decimal(heard) {
            keep_digits(&decimal_text(heard).ok()?, &mut self.text)?;
            return Some(Scalar::Decimal(&self.text));
        }
        None
    }
    fn ready(&self) -> &[u8] {
        &[]
    }
    fn taken(&mut self) {}
    fn finish(&mut self) -> Result<(), Unwritable> {
        Ok(())
    }
    fn reopen(&mut self) {
        self.abandon();
    }
    fn records(&self) -> u64 {
        self.made.is_some().into()
    }
}
