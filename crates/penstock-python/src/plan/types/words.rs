//! What the user wrote beside a type in `Annotated[...]`.

use super::builtin::display;
use super::known;
use super::mark::Mark;
use super::walk::{Walk, node, shortened};
use super::wrappers::{is_instance, metadata};
use crate::plan::keys::untyped;
use crate::plan::kinds::pydantic;
use crate::plan::make::constraints;
use crate::plan::make::post_steps::{self, Nature, PostSteps};
use crate::plan::make::type_objects;
use crate::plan::settings;
use crate::plan::{Kind, Node, NodeId};
use penstock_core::protocol::Want;
use penstock_core::value::base64::Spelling;
use penstock_core::value::cells::Cells;
use penstock_core::value::lexical::Type;
use penstock_core::value::moment::{Form, Moment, Of};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyType};
use std::sync::Arc;

impl<'py> Walk<'_, 'py> {
    /// `Annotated[T, ...]`: the annotations that do not concern the field.
    pub(super) fn annotated(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        nullable: bool,
        id: NodeId,
    ) -> PyResult<Node> {
        let py = self.compiler.py;
        let words = metadata(annotation, self.scope, self.place)?;
        if words.iter().any(|word| is_instance(word, &known::AT)) {
            let rule = "at(...) is only allowed around the whole annotation of a field";
            return Err(self.error(rule));
        }
        if words.iter().any(|word| known::REST.is(word)) {
            let rule = "rest is only allowed around the whole annotation of a field";
            return Err(self.error(rule));
        }
        if words.iter().any(|word| is_instance(word, &known::SPREAD)) {
            let rule = "spread(...) is only allowed around the whole annotation of a field";
            return Err(self.error(rule));
        }
        let origin = annotation.getattr(intern!(py, "__origin__"))?;
        self.worded(&origin, &words, nullable, id)
    }

    /// A type, with its annotations.
    pub(super) fn worded(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        words: &[Bound<'py, PyAny>],
        nullable: bool,
        id: NodeId,
    ) -> PyResult<Node> {
        if let Some(made) = pydantic::json(self, annotation, words)? {
            return self.via(&made, nullable, id, annotation);
        }
        let node = match post_steps::via_of(annotation, words)? {
            Some(via) => self.via(&via, nullable, id, annotation)?,
            None => {
                self.typecode = typecode(words)?;
                let is_mark = |word: &&Bound<'py, PyAny>| {
                    let words = [&known::UNIX, &known::TIMES, &known::CELLS];
                    encoding(word).is_some() || words.iter().any(|known| is_instance(word, known))
                };
                let marks: Vec<_> = words.iter().filter(is_mark).cloned().collect();
                let given = marks.len();
                let outer = std::mem::replace(&mut self.marks, marks);
                let node = self.content(annotation, nullable, id);
                let left = std::mem::replace(&mut self.marks, outer);
                let node = node?;
                // A union has given some to its members. What cells(...) says of null is its own.
                if left.len() < given {
                    let is_left = |word: &&Bound<'py, PyAny>| {
                        is_instance(word, &known::CELLS)
                            || !is_mark(word)
                            || left.iter().any(|mark| mark.is(*word))
                    };
                    let words: Vec<_> = words.iter().filter(is_left).cloned().collect();
                    return self.marked_and_constrained(node, id, &words);
                }
                node
            }
        };
        if self.typecode.take().is_some() {
            return Err(self.error("typecode(...) is only for an array"));
        }
        self.marked_and_constrained(node, id, words)
    }

    pub(super) fn marked_and_constrained(
        &mut self,
        node: Node,
        id: NodeId,
        words: &[Bound<'py, PyAny>],
    ) -> PyResult<Node> {
        let mut node = self.marked(node, words)?;
        constraints::constrain(self, &mut node, id, words)?;
        Ok(node)
    }

    /// The node of a member of a union, in the form that a mark around the union gives it.
    pub(in crate::plan) fn marked_member(
        &mut self,
        member: &Bound<'py, PyAny>,
        marks: &[Bound<'py, PyAny>],
        heeded: &mut [bool],
    ) -> PyResult<NodeId> {
        let shared = self.known_node(member)?;
        let mut own = Vec::new();
        let mut forms = None;
        for (mark, heeded) in marks.iter().zip(heeded) {
            let node = &self.compiler.nodes[shared as usize];
            // A mark of the member itself is closer.
            let is_bare = !is_instance(member, &known::ANNOTATED);
            if is_instance(mark, &known::CELLS) {
                let is_taken =
                    node.cells.is_none() && self.suits(&node.kind, &untyped::cells(mark)?);
                if is_taken {
                    forms = Some(mark);
                    *heeded = true;
                }
            } else if is_bare && self.takes_mark(shared, mark)? {
                own.push(mark.clone());
                *heeded = true;
            }
        }
        if own.is_empty() && forms.is_none() {
            return Ok(shared);
        }
        let id = self.compiler.push(Kind::Any, false, String::new());
        let mut node = self.content(member, false, id)?;
        node = self.marked(node, &own)?;
        if let Some(forms) = forms
            && self.compiler.form.is_lexical()
        {
            node.cells = Some(Arc::new(untyped::cells(forms)?));
        }
        self.compiler.nodes[id as usize] = node;
        Ok(id)
    }

    /// Whether a mark that is no `cells(...)` gives values of a node a form.
    pub(super) fn takes_mark(&self, node: NodeId, mark: &Bound<'py, PyAny>) -> PyResult<bool> {
        let node = &self.compiler.nodes[node as usize];
        if encoding(mark).is_some() {
            let after = node.after.as_deref().filter(|_| self.compiler.model.is_some());
            let of_model = after.is_some_and(PostSteps::is_of_bytes);
            return Ok(matches!(node.kind, Kind::Bytes) || of_model);
        }
        if is_instance(mark, &known::UNIX) {
            return Ok(node.kind.is(Of::DateTime));
        }
        let Some(of) = [Of::DateTime, Of::Date, Of::Time].into_iter().find(|of| node.kind.is(*of))
        else {
            return Ok(false);
        };
        Ok(match settings::form(mark)?.0 {
            Ok(Form::Pattern(pattern)) => pattern.fits(of).is_ok(),
            _ => true,
        })
    }

    /// Whether the forms of a `cells(...)` are those of values of a kind.
    pub(super) fn suits(&self, kind: &Kind, cells: &Cells) -> bool {
        match kind {
            Kind::Bool => cells.has_truth(),
            Kind::Int | Kind::Float | Kind::Decimal => cells.has_numbers(),
            _ => false,
        }
    }

    /// The node of a type with its annotations. If there are any, no other annotation shares it.
    pub(in crate::plan) fn with_words(
        &mut self,
        annotation: &Bound<'py, PyAny>,
        words: &[Bound<'py, PyAny>],
    ) -> PyResult<NodeId> {
        if words.is_empty() {
            return self.node(annotation, false);
        }
        let id = self.compiler.push(Kind::Any, false, String::new());
        self.compiler.nodes[id as usize] = self.worded(annotation, words, false, id)?;
        Ok(id)
    }

    /// Applies annotations to a node that only one field has.
    pub(in crate::plan) fn constrain(
        &mut self,
        id: NodeId,
        words: &[Bound<'py, PyAny>],
    ) -> PyResult<()> {
        let any = node(Kind::Any, false, String::new());
        let mut node = std::mem::replace(&mut self.compiler.nodes[id as usize], any);
        node = self.marked(node, words)?;
        constraints::constrain(self, &mut node, id, words)?;
        self.compiler.nodes[id as usize] = node;
        Ok(())
    }

    /// A node with the form that annotations give it: `Hex`, `unix(...)`, `times(...)`,
    /// `cells(...)`.
    pub(super) fn marked(&mut self, mut node: Node, words: &[Bound<'py, PyAny>]) -> PyResult<Node> {
        node.words.extend(words.iter().map(|word| word.clone().unbind()));
        for word in words {
            if let Some(to) = encoding(word) {
                match &mut node.after {
                    Some(after) if self.compiler.model.is_some() && after.is_of_bytes() => {
                        // In place of the model's own conversion of text.
                        after.steps.remove(0);
                        after.backs.remove(0);
                    }
                    _ if matches!(node.kind, Kind::Bytes) => {}
                    _ => return Err(self.error(format_args!("{word} is only for bytes"))),
                }
                node.kind = Kind::Encoded(to);
            } else if is_instance(word, &known::UNIX) {
                if !node.kind.is(Of::DateTime) {
                    return Err(self.error("unix(...) is only for a datetime"));
                }
                node.kind = self.moment(node.kind, Some(word), None)?;
                node.want = Want::Digits;
            } else if is_instance(word, &known::TIMES) {
                if ![Of::DateTime, Of::Date, Of::Time].iter().any(|of| node.kind.is(*of)) {
                    return Err(self.error("times(...) is only for a datetime, date or time"));
                }
                node.kind = self.moment(node.kind, None, Some(word))?;
            } else if is_instance(word, &known::COLUMN) {
                let mark = Mark::of(word)?;
                if !mark.suits(&node.kind) {
                    return Err(self.error(format_args!("{word} is only for {}", mark.wants())));
                }
                node.column = Some(mark);
            } else if self.compiler.model.is_none() && pydantic::is_serializer(word) {
                // Nothing says how its function is undone, or how it is called.
                PostSteps::add(&mut node, []).backs.push(None);
            }
        }
        self.untyped(node, words)
    }

    /// A kind of dates or times with the options that were given; any other kind unchanged.
    pub(super) fn moment(
        &self,
        kind: Kind,
        unix: Option<&Bound<'py, PyAny>>,
        times: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Kind> {
        let mut moment = match kind {
            kind if unix.is_none() && times.is_none() => return Ok(kind),
            Kind::Moment(moment) => moment,
            Kind::DateTime => Box::new(Moment::new(Of::DateTime)),
            Kind::Date => Box::new(Moment::new(Of::Date)),
            Kind::Time => Box::new(Moment::new(Of::Time)),
            kind => return Ok(kind),
        };
        if let Some(times) = times {
            let (form, cut) = settings::form(times)?;
            (moment.form, moment.cut) = (form.map_err(|why| self.error(why))?, cut);
        }
        if let Some(unix) = unix {
            moment.unit = Some(settings::unit(unix)?);
            moment.cut |= settings::cut(unix)?;
        }
        if let Form::Pattern(pattern) = &moment.form
            && let Err(why) = pattern.fits(moment.of)
        {
            return Err(self.error(format_args!("the pattern of times(...): {why}")));
        }
        if moment.unit.is_some() && moment.form != Form::Rfc3339 && self.compiler.form.is_lexical()
        {
            let reason = "unix(...) and times(...) exclude each other where numbers are text";
            return Err(self.error(reason));
        }
        Ok(Kind::Moment(moment))
    }

    /// A value that a user's function makes from another. `of` is its result.
    pub(super) fn via(
        &mut self,
        via: &post_steps::Via<'py>,
        nullable: bool,
        id: NodeId,
        of: &Bound<'py, PyAny>,
    ) -> PyResult<Node> {
        let mut source = match &via.source {
            Some(source) => {
                let source = self.evaluated(source)?.unwrap_or_else(|| source.clone());
                self.source = Some(source.clone());
                self.content(&source, false, id)?
            }
            None => node(Kind::Any, false, "Any".into()),
        };
        let takes_null = source.nullable || matches!(source.kind, Kind::Any | Kind::None);
        let steps = vec![post_steps::Step::Call(via.decode.clone().unbind())];
        let after = PostSteps::add(&mut source, steps);
        let own = after.steps.len() - 1;
        after.backs.push(via.encode.clone().map(Bound::unbind));
        after.null_from = match after.null_from {
            _ if nullable => None,
            None if takes_null => Some(own),
            inner => inner,
        };
        // What a pydantic model takes for its own type may be of any class.
        let origin = of.getattr_opt(intern!(of.py(), "__origin__"))?;
        let class = origin.as_ref().unwrap_or(of).cast::<PyType>().ok();
        after.class = class.map(|class| class.clone().unbind());
        let unhashable = via.decode.cast::<PyType>().is_ok_and(type_objects::is_unhashable);
        (after.nature, after.hashable) = (Some(Nature::Unknown), Some(!unhashable));
        source.nullable |= nullable;
        let mut name = shortened(display(of)?);
        if nullable {
            name.push_str(" | None");
        }
        (source.name, source.written) = (name.clone().into(), name.into());
        Ok(source)
    }
}

/// True for `bytes` and `bytearray`.
pub(super) fn is_of_bytes(annotation: &Bound<'_, PyAny>) -> bool {
    let py = annotation.py();
    annotation.is(py.get_type::<PyBytes>()) || annotation.is(py.get_type::<PyByteArray>())
}

/// The form that a word gives to bytes.
fn encoding(word: &Bound<'_, PyAny>) -> Option<Type<'static>> {
    let words = [
        (&known::HEX, Type::Hex),
        (&known::BASE64_URL, Type::Base64As(Spelling::Url)),
        (&known::BASE64_UNPADDED, Type::Base64As(Spelling::Unpadded)),
        (&known::BASE64_MIME, Type::Base64InLines),
    ];
    words.iter().find(|(known, _)| known.is(word)).map(|(_, to)| *to)
}

/// The code of a `typecode(...)` among the annotations.
fn typecode(words: &[Bound<'_, PyAny>]) -> PyResult<Option<String>> {
    let found = words.iter().find(|word| is_instance(word, &known::TYPECODE));
    found.map(|word| word.getattr(intern!(word.py(), "code"))?.extract()).transpose()
}
