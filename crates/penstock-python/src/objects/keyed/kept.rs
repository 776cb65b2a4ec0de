//! Containers that are of their type already, and are taken as they are.

use super::Keyed;
use crate::objects::core::frame::FrameKind;
use crate::objects::core::refusal::Refusal;
use crate::plan::{Kind, KindByte, NodeId};
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PySet, PyString};
use std::collections::HashSet;

/// Types deeper in each other than this are not compared.
const DEEP: usize = 16;

impl Keyed<'_> {
    /// Whether a container stays as it is.
    ///
    /// # Errors
    /// It is shared, and would have to become another one.
    pub(super) fn keeps(
        &self,
        node: NodeId,
        value: &Bound<'_, PyAny>,
        shared: &HashSet<usize>,
    ) -> Result<bool, Refusal> {
        let is_container = value.is_exact_instance_of::<PyList>()
            || value.is_exact_instance_of::<PyDict>()
            || value.is_exact_instance_of::<PySet>();
        if !is_container || self.top().kind == FrameKind::Row {
            return Ok(false);
        }
        let aim = self.aim();
        if aim.kind != KindByte::OnPath && !aim.gathers && self.fits(node, value, DEEP) {
            return Ok(true);
        }
        if !shared.is_empty() && shared.contains(&(value.as_ptr() as usize)) {
            return Err(PyNotImplementedError::new_err("a shared container changes").into());
        }
        Ok(false)
    }

    /// Whether a value, with all its items, is what its type makes of it.
    fn fits(&self, of: NodeId, value: &Bound<'_, PyAny>, deep: usize) -> bool {
        let node = &self.plan().nodes[of as usize];
        if deep == 0 || node.after.is_some() {
            return false;
        }
        if value.is_none() {
            return node.nullable || matches!(node.kind, Kind::None | Kind::Any);
        }
        match &node.kind {
            Kind::Any => true,
            Kind::Str => value.is_exact_instance_of::<PyString>(),
            Kind::Int => value.is_exact_instance_of::<PyInt>(),
            Kind::Float => value.is_exact_instance_of::<PyFloat>(),
            Kind::Bool => value.is_exact_instance_of::<PyBool>(),
            Kind::Bytes => value.is_exact_instance_of::<PyBytes>(),
            Kind::List(item) => value
                .cast_exact::<PyList>()
                .is_ok_and(|list| list.iter().all(|each| self.fits(*item, &each, deep - 1))),
            Kind::Set(item) => value
                .cast_exact::<PySet>()
                .is_ok_and(|set| set.iter().all(|each| self.fits(*item, &each, deep - 1))),
            Kind::Dict(key, item) => value.cast_exact::<PyDict>().is_ok_and(|dict| {
                dict.iter().all(|(name, each)| {
                    self.fits(*key, &name, deep - 1) && self.fits(*item, &each, deep - 1)
                })
            }),
            Kind::Tokens(_) => self
                .plan()
                .member_of(of, value)
                .is_some_and(|member| self.fits(member, value, deep - 1)),
            _ => self.is_of(of, value),
        }
    }
}
