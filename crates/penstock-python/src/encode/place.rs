//! Where a value stands in what is written, for errors.

use super::elements;
use super::walk::{Frame, Walker};
use crate::edge::errors::answer;
use crate::plan::written::layout::Step;
use crate::plan::written::tree;
use penstock_core::writer::Writer;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use std::collections::HashMap;
use std::fmt::Write as _;

impl<W: Writer> Walker<'_, '_, W> {
    /// Two open containers that are the same object: the number of the inner and the outer one.
    #[cold]
    pub(super) fn cycle(&self) -> PyResult<Option<(usize, usize)>> {
        let mut met = HashMap::new();
        met.try_reserve(self.frames.len()).map_err(|_| PyMemoryError::new_err(()))?;
        let mut open = self.frames.iter().enumerate();
        Ok(open.find_map(|(number, frame)| {
            let object = match frame {
                Frame::List { list, .. } => list.as_ptr(),
                Frame::Tuple { tuple, .. } | Frame::Fixed { tuple, .. } => tuple.as_ptr(),
                Frame::Dict { dict, ends: true, .. } => dict.as_ptr(),
                Frame::Object { object, .. } => object.as_ptr(),
                Frame::Elements(frame) => frame.container()?,
                Frame::Items { .. } | Frame::Dict { .. } => return None,
            };
            met.insert(object, number).map(|outer| (number, outer))
        }))
    }

    /// The path to the value in so many containers, as Python would write it: `items[3].price`.
    #[cold]
    pub(super) fn path(&self, containers: usize) -> PyResult<String> {
        let mut path = String::new();
        for (number, frame) in self.frames[..containers].iter().enumerate() {
            // Of a path that is too long to read, the beginning and the end say enough.
            if (LONG_BEGINS..containers.saturating_sub(LONG_ENDS)).contains(&number) {
                if number == LONG_BEGINS {
                    path.push_str("...");
                }
                continue;
            }
            match frame {
                Frame::List { next, .. }
                | Frame::Tuple { next, .. }
                | Frame::Fixed { next, .. }
                | Frame::Items { next, .. } => {
                    let _ = write!(path, "[{}]", next.saturating_sub(1));
                }
                Frame::Dict { current: Some(key), .. } => {
                    let key = answer(self.py, key.repr())?;
                    let key = key.map_or_else(|| "?".to_owned(), |key| key.to_string());
                    let _ = write!(path, "[{key}]");
                }
                Frame::Dict { .. } => {}
                Frame::Elements(elements::Frame::Items { next, .. }) => {
                    let _ = write!(path, "[{}]", next.saturating_sub(1));
                }
                Frame::Elements(elements::Frame::Dict { current, .. }) => {
                    let Some(key) = current else { continue };
                    let key = answer(self.py, key.repr())?;
                    let key = key.map_or_else(|| "?".to_owned(), |key| key.to_string());
                    let _ = write!(path, "[{key}]");
                }
                Frame::Elements(elements::Frame::Object { plan, class, next, .. }) => {
                    let Ok(layouts) = self.known.kept[*plan].layouts(self.py) else { continue };
                    let Ok(layout) = layouts.class(*class) else { continue };
                    let step = next.checked_sub(1).and_then(|at| layout.elements.get(at));
                    let Some(part) = step.and_then(tree::Step::part) else { continue };
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(&part.shown);
                }
                Frame::Object { plan, class, next, .. } => {
                    let Ok(layouts) = self.known.kept[*plan].layouts(self.py) else { continue };
                    let Ok(layout) = layouts.class(*class) else { continue };
                    let shown = match next.checked_sub(1).and_then(|at| layout.steps.get(at)) {
                        Some(Step::Field(field)) => &field.shown,
                        Some(Step::Columns(columns)) => &columns.shown,
                        _ => continue,
                    };
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(shown);
                }
            }
        }
        Ok(path)
    }
}

/// How many steps at the beginning and at the end of a long path are shown.
const LONG_BEGINS: usize = 20;
const LONG_ENDS: usize = 5;
