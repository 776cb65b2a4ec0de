//! Comments and processing instructions, as the writer writes them.

use super::escape;
use super::names;
use super::writer::{Pending, Writer, refused, unordered};
use crate::event::Text;
use crate::writer::Unwritable;

impl Writer {
    /// A comment or an instruction begins, which is not between a key and its value.
    fn begin_extra(&mut self, length: usize) -> Result<(), Unwritable> {
        if !matches!(self.pending, Pending::None) {
            return Err(unordered());
        }
        if length > self.limits.token {
            let limit = self.limits.token;
            let reason =
                format!("a comment or instruction longer than {limit} bytes (limits.token)");
            return Err(Unwritable::limit(reason));
        }
        if !self.started {
            self.start()?;
        }
        self.close_tag()?;
        self.brackets = 0;
        if self.depth == 0 && self.has_root {
            self.push(b"\n")?;
        }
        match &mut self.indent {
            Some(indent) => indent.child(&mut self.text),
            None => Ok(()),
        }
    }

    fn end_extra(&mut self) -> Result<(), Unwritable> {
        if self.depth == 0 && !self.has_root { self.push(b"\n") } else { Ok(()) }
    }

    /// Writes a comment.
    pub(super) fn write_comment(&mut self, text: Text<'_>) -> Result<(), Unwritable> {
        let bytes = text.bytes();
        if memchr::memmem::find(bytes, b"--").is_some() || bytes.ends_with(b"-") {
            return Err(refused("a comment cannot contain '--', or end with '-'"));
        }
        escape::plain(self.isa, text.text)?;
        if self.options.ascii && !bytes.is_ascii() {
            return Err(refused("a comment in ASCII has no other characters"));
        }
        self.begin_extra(bytes.len())?;
        self.push(b"<!--")?;
        self.push(bytes)?;
        self.push(b"-->")?;
        self.end_extra()
    }

    /// Writes a processing instruction.
    pub(super) fn write_instruction(
        &mut self,
        target: Text<'_>,
        data: Text<'_>,
    ) -> Result<(), Unwritable> {
        let bytes = data.bytes();
        if names::colon(target.text.as_str(), self.options.namespaces)?.is_some() {
            return Err(refused("the target of an instruction has no colon"));
        }
        if target.bytes().eq_ignore_ascii_case(b"xml") {
            return Err(refused("the target of an instruction cannot be 'xml'"));
        }
        if memchr::memmem::find(bytes, b"?>").is_some() {
            return Err(refused("an instruction cannot contain '?>'"));
        }
        if matches!(bytes.first(), Some(b' ' | b'\t' | b'\n')) {
            return Err(refused("the data of an instruction cannot begin with white space"));
        }
        escape::plain(self.isa, data.text)?;
        if self.options.ascii && !(bytes.is_ascii() && target.bytes().is_ascii()) {
            return Err(refused("an instruction in ASCII has no other characters"));
        }
        self.begin_extra(target.bytes().len() + bytes.len())?;
        self.push(b"<?")?;
        self.push(target.bytes())?;
        if !bytes.is_empty() {
            self.push(b" ")?;
            self.push(bytes)?;
        }
        self.push(b"?>")?;
        self.end_extra()
    }
}
