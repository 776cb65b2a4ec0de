//! Keys, as the writer takes them: which of them are attributes, and which are text.

use super::start_tag::{Name, Space};
use super::writer::{Frame, FrameKind, Pending, Writer, refused, unordered};
use crate::error::brief;
use crate::event::{Key, KeyKind};
use crate::writer::Unwritable;

impl Writer {
    /// A key comes: keeps it for its value.
    pub(super) fn take_key(&mut self, key: Key<'_>) -> Result<(), Unwritable> {
        if !matches!(self.pending, Pending::None) {
            return Err(unordered());
        }
        match self.top().map(|frame| frame.kind) {
            Some(FrameKind::Element | FrameKind::Document) => {}
            Some(_) => return Err(unordered()),
            None => self.begin_root()?,
        }
        let mut local = key.name.text.as_str();
        let mut is_attribute = key.kind == KeyKind::Attribute;
        let spaced =
            self.options.namespaces && key.namespace.is_some_and(|uri| !uri.bytes().is_empty());
        if key.kind == KeyKind::Member && key.namespace.is_none() && key.prefix.is_none() {
            if local == "#text" {
                if self.top().is_none_or(|frame| frame.kind != FrameKind::Element) {
                    return Err(refused("text outside of the root element"));
                }
                self.pending = Pending::Text;
                return Ok(());
            }
            if let Some(name) = local.strip_prefix('@') {
                (local, is_attribute) = (name, true);
            }
        }
        let prefix = key.prefix.map_or("", |prefix| prefix.text.as_str());
        let uri = key.namespace.filter(|_| spaced).map_or("", |uri| uri.text.as_str());
        let space = match key.kind {
            KeyKind::Member if spaced && prefix.is_empty() => Space::Prefixed,
            _ if spaced => Space::Uri,
            KeyKind::Element if prefix.is_empty() => Space::None,
            _ => Space::AsWritten,
        };
        let mut name = self.keep_name(uri, prefix, local, space)?;
        if space == Space::None && name.colon != name.name {
            name.space = Space::AsWritten;
        }
        if !is_attribute {
            self.pending = Pending::Element(name);
            return Ok(());
        }
        if !self.tag.open || self.top().is_none_or(|frame| frame.kind != FrameKind::Element) {
            return Err(self.late(name));
        }
        self.pending = Pending::Attribute(name);
        Ok(())
    }

    /// An attribute for which there is no start tag.
    #[cold]
    fn late(&self, name: Name) -> Unwritable {
        let shown = brief(&String::from_utf8_lossy(&self.names[name.range()]));
        Unwritable::value(match self.top() {
            Some(Frame { kind: FrameKind::Element, .. }) => format!(
                "the attribute {shown} comes after content of its element: \
                 attributes must come first"
            ),
            _ => format!("the attribute {shown} is outside of the root element"),
        })
    }
}
