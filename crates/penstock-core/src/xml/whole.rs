//! The writer as whoever drives it sees it: the text, its end, and the next document.

use super::options::Null;
use super::writer::{Mark, Pending, Writer, unordered};
use crate::protocol::{Flow, Sink};
use crate::writer::{self, Named, Unwritable};

impl writer::Writer for Writer {
    const ELEMENTS: bool = true;

    fn ready(&self) -> &[u8] {
        self.output()
    }

    fn taken(&mut self) {
        self.torn |= self.in_root && self.output().len() > self.mark.length;
        self.mark.length = 0;
        match &mut self.indent {
            Some(indent) => indent.ready.clear(),
            None => self.text.clear(),
        }
    }

    fn finish(&mut self) -> Result<(), Unwritable> {
        let result = self.write_end();
        self.answer(result).map(|_| ())
    }
    fn reopen(&mut self) {
        self.text.clear();
        if let Some(indent) = &mut self.indent {
            indent.abandon(&mut self.text, 0, 0);
        }
        self.names.truncate(self.bottom);
        self.frames.clear();
        self.spaces.reset();
        self.tag.open = false;
        self.pending = Pending::None;
        self.mark = Mark::default();
        (self.depth, self.base, self.brackets, self.records) = (0, 0, 0, 0);
        (self.started, self.has_root, self.in_root) = (false, false, false);
        (self.torn, self.spoilt, self.broken) = (false, false, false);
    }
    fn records(&self) -> u64 {
        self.records
    }

    fn beside(&self) -> Option<Self> {
        if self.is_one() || self.records == 0 || self.broken || !self.spaces.are_few() {
            return None;
        }
        let names = if self.in_root { &self.names[..self.mark.names] } else { &self.names };
        let mut beside = Writer {
            spaces: self.spaces.clone(),
            options: self.options.clone(),
            limits: self.limits.clone(),
            text: Vec::new(),
            names: writer::copied(names).ok()?,
            isa: self.isa,
            tag: self.tag.beside(),
            depth: self.base,
            brackets: 0,
            indent: self.indent.as_ref().map(|indent| indent.beside(self.base)),
            frames: self.frames[..self.base].to_vec(),
            pending: Pending::None,
            around: self.around.clone(),
            mark: Mark::default(),
            in_root: false,
            torn: false,
            spoilt: false,
            noted: None,
            ..*self
        };
        beside.spaces.begin_beside(self.base);
        Some(beside)
    }
    fn agrees(&self, beside: &Self) -> bool {
        self.spaces.agree(&beside.spaces)
    }
    fn pass(&mut self, records: u64) {
        self.records += records;
    }

    fn named(&self) -> Named {
        Named {
            within: !self.is_one(),
            root: self.options.root.is_some(),
            record: !self.options.record.is_empty(),
        }
    }

    fn plain_null(&mut self) -> Result<Flow, Unwritable> {
        match self.options.null {
            Null::Omit => self.null(0),
            // A reader without types makes null of an empty element, and a map of one with an
            // attribute.
            Null::Nil | Null::Empty => self.text("".into(), 0),
        }
    }

    fn nil(&mut self) -> Result<(), Unwritable> {
        if self.options.null != Null::Nil {
            return Ok(());
        }
        if !self.tag.open {
            return Err(unordered());
        }
        Writer::nil(self)
    }

    fn listen(&mut self) -> bool {
        let begins = self.noted.is_none();
        self.noted.get_or_insert_default();
        begins
    }

    fn heard(&self) -> Option<&[u8]> {
        self.noted.as_ref()?.as_deref()
    }

    fn ignore(&mut self) {
        self.noted = None;
    }
}
