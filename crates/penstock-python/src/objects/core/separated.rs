//! Collections whose items stand in one text.

use super::frame::{Frame, FrameKind};
use super::refusal::{Code, Refusal};
use super::{Answer, Core};
use crate::objects::make;
use crate::plan::{Kind, NodeId, Separated};
use penstock_core::event::Text;
use penstock_core::protocol::Flow;
use penstock_core::value::cells::Cells;
use pyo3::ffi;

/// A reference that the caller takes over, or why there is none.
type Made = Result<*mut ffi::PyObject, Refusal>;

impl<'p> Core<'p> {
    /// The collection whose items stand in a text. `cells` are the forms that the user declared for
    /// them.
    #[inline(never)]
    pub(crate) fn separated(
        &mut self,
        separated: &'p Separated,
        cells: Option<&'p Cells>,
        text: Text<'_>,
        at: u64,
    ) -> Made {
        let kind = &self.plan().nodes[separated.list as usize].kind;
        let one: &[NodeId] = match kind {
            Kind::Tuple(items) => {
                let count = separated.items(text.text.as_str()).count();
                if count != items.len() {
                    return Err(self.wrong_count(items.len(), count, at));
                }
                items
            }
            Kind::List(item) | Kind::Set(item) | Kind::FrozenSet(item) | Kind::TupleOf(item) => {
                std::slice::from_ref(item)
            }
            _ => &[],
        };
        let aim = self.aim();
        let base = self.stack.len();
        let frame = match kind {
            Kind::Tuple(_) => FrameKind::Tuple,
            _ if self.plan().packs(separated.list) => {
                self.begin_numbers()?;
                FrameKind::Numbers
            }
            _ => FrameKind::List,
        };
        let depth = self.frames.len();
        self.push_frame(Frame::new(frame, separated.list, aim, base));
        let made = self.items(separated, one, cells, text, at).and_then(|()| make::list(self, at));
        // A frame that is left because of an error has values of its own.
        self.stack.release_from(self.attached(), base);
        while self.frames.len() > depth {
            self.pop_frame();
        }
        made
    }

    /// Puts the items of a text on the stack. Their types are those of `nodes`, the last one of
    /// which goes on.
    fn items(
        &mut self,
        separated: &Separated,
        nodes: &[NodeId],
        cells: Option<&'p Cells>,
        text: Text<'_>,
        at: u64,
    ) -> Result<(), Refusal> {
        let mut coming = nodes.iter();
        let Some(mut node) = coming.next().copied() else { return Ok(()) };
        for item in separated.items(text.text.as_str()) {
            self.top_mut().aim = self.aim_of(node);
            let text = Text { text: item.into(), ascii: text.ascii };
            let answer = self.item_of(node, cells, text, at);
            self.valued(answer)?;
            node = coming.next().copied().unwrap_or(node);
        }
        Ok(())
    }

    fn item_of(
        &mut self,
        node: NodeId,
        cells: Option<&'p Cells>,
        text: Text<'_>,
        at: u64,
    ) -> Answer {
        let plan = self.plan();
        let of = &plan.nodes[node as usize];
        let cells = plan.own_cells(of).or(cells).or(of.cells.as_deref());
        let is_nothing =
            text.bytes().is_empty() || cells.is_some_and(|it| it.is_null(text.bytes()));
        let made = match cells {
            _ if is_nothing && of.nullable => self.new_none(),
            Some(cells) => self.lexical_in(node, cells, text, at)?,
            None => self.lexical_as(node, text, at)?,
        };
        let made = self.finish(node, made, at)?;
        if of.packed.is_some() {
            return self.add_number(made);
        }
        self.stack.push(made);
        Ok(Flow::Take)
    }

    #[cold]
    #[inline(never)]
    fn wrong_count(&self, expected: usize, count: usize, at: u64) -> Refusal {
        let plural = if expected == 1 { "" } else { "s" };
        let reason = format!("expected {expected} item{plural}, got {count}");
        self.mismatch(at, reason, None, None).coded(Code::Length)
    }
}
