//! Dict keys that are not `str`. Each must be written exactly as its type prints it.

use super::Core;
use super::frame::FrameKind;
use super::place::brief;
use super::refusal::{Code, Refusal};
use crate::plan::{Kind, NodeId};
use penstock_core::event::Text;
use penstock_core::path_step::PathStep;
use penstock_core::value::lexical::is_number;
use penstock_core::value::number::{scan, to_f64};
use penstock_core::value::xsd::{self, Integer};
use pyo3::ffi;
use pyo3::prelude::*;

/// A reference that the caller takes over, or why there is none.
type Made = Result<*mut ffi::PyObject, Refusal>;

/// The most digits of an integer key. Nobody needs a longer one.
const MOST_DIGITS: usize = 4_300;

/// Whether text is an integer as `str` prints it.
fn is_integer(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let plain = match digits {
        [] => false,
        [b'0'] => digits.len() == text.len(),
        [first, ..] => *first != b'0',
    };
    plain && digits.len() <= MOST_DIGITS && digits.iter().all(u8::is_ascii_digit)
}

impl<'p> Core<'p> {
    /// An integer as a key.
    #[inline(never)]
    pub(crate) fn int_key(&mut self, node: NodeId, key: Text<'_>, at: u64) -> Made {
        match is_integer(key.bytes()).then(|| xsd::integer(key.bytes())).flatten() {
            Some(Integer::Small(value)) if self.top().kind == FrameKind::Dict => {
                // It prints as it is written, so messages need no remembered key.
                self.top_mut().unnamed = false;
                // SAFETY: makes a new object; the interpreter is attached during events.
                Ok(unsafe { ffi::PyLong_FromLongLong(value) })
            }
            _ => self.typed_key(node, key, at),
        }
    }

    /// The object that the text of a key stands for.
    #[inline(never)]
    pub(crate) fn typed_key(&mut self, node: NodeId, key: Text<'_>, at: u64) -> Made {
        // Messages show the key as it is written, and the key's type.
        self.remember_key(key.text.as_str());
        let aim = self.top().aim;
        self.top_mut().aim = self.aim_of(node);
        let made = self.key_as(node, key, at).and_then(|made| self.finish(node, made, at));
        let expected = &self.plan().nodes[node as usize].name;
        self.top_mut().aim = aim;
        made.map_err(|refusal| self.of_key(refusal, expected, key))
    }

    /// Makes a refusal say that the key is wrong, and not its value.
    #[cold]
    #[inline(never)]
    fn of_key(&self, mut refusal: Refusal, expected: &str, key: Text<'_>) -> Refusal {
        if let Some(mismatch) = refusal.mismatch() {
            let key = key.text.as_str();
            let start =
                format!("expected {}, got ", mismatch.expected.as_deref().unwrap_or(expected));
            if let Some(rest) = mismatch.reason.strip_prefix(&start) {
                mismatch.reason = format!("{start}the key {rest}");
            }
            mismatch.got = Some(format!("the key {}", brief(key)));
            if self.top().kind == FrameKind::Dict {
                mismatch.path.push(PathStep::Key(key.to_owned()));
            }
        }
        refusal
    }

    /// The object that the text of a key stands for as the value of a node.
    pub(super) fn key_as(&mut self, node: NodeId, key: Text<'_>, at: u64) -> Made {
        let py = self.attached();
        let bytes = key.bytes();
        let got = || brief(key.text.as_str());
        let object = match &self.plan().nodes[node as usize].kind {
            Kind::Tokens(tokens) => {
                return self.first_fit(tokens.untyped(), key, at, |builder, member| {
                    builder.key_as(member, key, at)
                });
            }
            Kind::Int if is_integer(bytes) => {
                let negative = bytes.first() == Some(&b'-');
                self.big_int(negative, &bytes[usize::from(negative)..])?
            }
            Kind::Float if is_number(bytes) => {
                let value = to_f64(scan(bytes, 0).outcome, bytes);
                if !value.is_finite() {
                    return Err(self.misvalue(at, &got()));
                }
                value.into_pyobject(py).map_err(PyErr::from)?.into_any()
            }
            Kind::Bool if matches!(bytes, b"true" | b"false") => {
                (bytes == b"true").into_pyobject(py).map_err(PyErr::from)?.to_owned().into_any()
            }
            Kind::Int | Kind::Float | Kind::Bool => return Err(self.misvalue(at, &got())),
            Kind::Choice(choice) => {
                let known =
                    choice.texts.find(bytes).map(|found| &choice.text_objects[found as usize]);
                let int = || {
                    let value =
                        is_integer(bytes).then(|| key.text.as_str().parse::<i64>().ok())??;
                    choice.ints.iter().find(|(known, _)| *known == value).map(|(_, object)| object)
                };
                let boolean = || match bytes {
                    b"false" => choice.bools[0].as_ref(),
                    b"true" => choice.bools[1].as_ref(),
                    _ => None,
                };
                match known.or_else(int).or_else(boolean) {
                    Some(object) => object.bind(py).clone(),
                    None => match choice.text(py, key.text.as_str())? {
                        Ok(object) => object,
                        Err(why) => {
                            let expected = choice.expected.to_string();
                            let reason = format!("expected {expected}, got {}", got());
                            let refusal = self.mismatch(at, reason, Some(expected), Some(got()));
                            return Err(refusal.coded(Code::Value).because_of(why));
                        }
                    },
                }
            }
            _ => return self.text_as(node, key, at),
        };
        Ok(object.into_ptr())
    }
}
