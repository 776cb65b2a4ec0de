//! Small documents, decoded with the options that are the default: what a service does for each
//! request. A call must not spend more on getting ready than on the document.
//!
//! So nothing is made for the call that the one before it has left behind. A reader and a builder
//! that have finished a document in good order are *spare*, and wait for the next document of their
//! plan. A call takes them out while it works: a second call, from code of the user's that the
//! first one is running or from another thread, finds none and makes its own.

use crate::edge::errors::{self, Named};
use crate::objects::{KeyedOptions, Keys, Options, Owned};
use crate::plan::{PlanRef, plan_from};
use crate::verbs::decode;
use penstock_core::formats::Lends;
use penstock_core::json::{self, Framing};
use penstock_core::limits::Limits;
use penstock_core::protocol::{Duplicates, Unknown};
use penstock_core::run::{InMemory, Origin, Policy, Run};
use penstock_core::shape::Form;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyType};
use std::cell::UnsafeCell;

/// What a call leaves behind for the next.
struct Spare {
    /// For what: the address of the class that was asked for, or else of the plan. The builder keeps
    /// its plan alive, and that its class, so nothing else comes to have the address.
    key: usize,
    reader: json::Reader,
    builder: Owned<Keys>,
}

/// How many are kept: at most one for each key, and few, since each holds its plan, the buffers
/// that it grew and the strings that it knows.
const MOST: usize = 16;

/// One table for the whole process, as for keys.
struct Spares(UnsafeCell<[Option<Box<Spare>>; MOST]>);

// SAFETY: only reached through `with_spares`, whose caller holds the interpreter's token. The module
// declares that it needs the interpreter lock, so no two threads are in there at once.
unsafe impl Sync for Spares {}

static SPARES: Spares = Spares(UnsafeCell::new([const { None }; MOST]));

/// Works on the table. `work` only moves what is in it: it drops nothing, which could run code.
#[inline]
fn with_spares<T>(_py: Python<'_>, work: impl FnOnce(&mut [Option<Box<Spare>>; MOST]) -> T) -> T {
    // SAFETY: see `Spares`. The token is held, and `work` runs no code of Python's that could come
    // back here or let another thread in, so this is the only reference.
    work(unsafe { &mut *SPARES.0.get() })
}

/// Where the spare for a key waits.
#[inline]
fn place(key: usize) -> usize {
    (key >> 4 ^ key >> 10) % MOST
}

impl Spare {
    /// The one that waits for this key.
    #[inline]
    fn waiting(py: Python<'_>, key: usize) -> Option<Box<Spare>> {
        with_spares(py, |spares| spares[place(key)].take_if(|spare| spare.key == key))
    }

    fn new(py: Python<'_>, key: usize, plan: &PlanRef) -> Box<Spare> {
        let limits = Limits::default();
        let reader = json::Reader::new(Framing::Document, &limits);
        let Limits { number, token, memory, .. } = limits;
        let own = KeyedOptions { lends: Lends::Json, number, token, memory };
        Box::new(Spare { key, reader, builder: Owned::new(plan.clone_ref(py), OPTIONS, own) })
    }

    /// Has it wait for the next document.
    #[inline]
    fn wait(self: Box<Self>, py: Python<'_>) {
        let place = place(self.key);
        let before = with_spares(py, |spares| spares[place].replace(self));
        // Only now: that may run code.
        drop(before);
    }

    /// Decodes a document, and waits for the next if that went well.
    fn decode<'py>(
        mut self: Box<Self>,
        py: Python<'py>,
        text: &[u8],
    ) -> PyResult<Bound<'py, PyAny>> {
        let Spare { reader, builder, .. } = &mut *self;
        reader.reopen();
        builder.reopen();
        let mut run = Run::new(reader, InMemory::new(text, Origin::default()), Policy::Raise);
        if let Err(failure) = decode::drive(py, &mut run, builder, text.len())? {
            return Err(errors::of_failure(py, failure, &Named::new("json", None)));
        }
        let row = builder.take_row();
        self.wait(py);
        decode::the_value(py, row)
    }
}

/// Lets all of them go, and with them their plans.
pub(crate) fn let_go(py: Python<'_>) {
    let old = with_spares(py, |spares| std::mem::replace(spares, [const { None }; MOST]));
    drop(old);
}

/// The options of a call that names none.
pub(crate) const OPTIONS: Options = Options {
    duplicates: Duplicates::Last,
    unknown: Unknown::Skip,
    all_errors: false,
    pause: false,
    recycle: false,
    suggest: true,
    distinct: false,
};

/// A JSON document, with no option but its type. Nothing, if it is not of the kind that this is for:
/// then nothing was done.
///
/// # Errors
/// As for `decode`.
pub(crate) fn decode<'py>(
    data: &Bound<'py, PyAny>,
    into: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (py, Some(text)) = (data.py(), small_text(data)) else { return Ok(None) };
    if into.is_instance_of::<PyType>() {
        let key = into.as_ptr() as usize;
        let spare = match Spare::waiting(py, key) {
            Some(spare) if spare.builder.planned().is_current(py) => spare,
            _ => Spare::new(py, key, &plan_from(py, into, Form::KEYED.into())?),
        };
        return spare.decode(py, text).map(Some);
    }
    let plan = plan_from(py, into, Form::KEYED.into())?;
    decode_by(py, &plan, text).map(Some)
}

/// The same with a plan that was made before.
///
/// # Errors
/// As for `decode`.
pub(crate) fn decode_with<'py>(
    data: &Bound<'py, PyAny>,
    plan: &PlanRef,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(text) = small_text(data) else { return Ok(None) };
    decode_by(data.py(), plan, text).map(Some)
}

/// The bytes of a document, if it is small, at rest, and opens as UTF-8.
#[inline]
pub(crate) fn small_text<'a>(data: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    let bytes = if let Ok(bytes) = data.cast_exact::<PyBytes>() {
        bytes.as_bytes()
    } else {
        // A `str` with a lone surrogate has no UTF-8, and an error of its own.
        data.cast_exact::<PyString>().ok()?.to_str().ok()?.as_bytes()
    };
    // What begins in another way is no JSON, or in another encoding, or compressed: for each of
    // them there is an error of its own. A zero is half of a character in UTF-16.
    let [first, second, ..] = *bytes else { return None };
    let json = matches!(
        first,
        b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b' ' | b'\t' | b'\n' | b'\r'
    );
    (json && second != 0 && bytes.len() < decode::BULK).then_some(bytes)
}

fn decode_by<'py>(py: Python<'py>, plan: &PlanRef, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let key = plan.address();
    let spare = Spare::waiting(py, key).unwrap_or_else(|| Spare::new(py, key, plan));
    spare.decode(py, text)
}
