//! What a plan knows of a table before it is read.

use penstock_core::protocol::{Judge, Wanted};
use penstock_core::value::lexical::{self, Rules};
use penstock_core::value::xsd;

use super::{Absent, ClassId, Kind, NodeId, Plan, Target};

/// The most digits of a number. A longer one says nothing of the dialect.
const NUMBER: usize = 4_300;

/// A plan whose values are rows.
struct Rows<'p> {
    plan: &'p Plan,
    wanted: Vec<Wanted>,
    /// The node of each column, and whether it may be empty.
    nodes: Vec<(NodeId, bool)>,
    by_position: bool,
}

impl Plan {
    /// What the plan knows of a table; None if it takes any.
    pub(crate) fn judge(&self) -> Option<Box<dyn Judge + '_>> {
        match &self.nodes[self.root as usize].kind {
            Kind::Class(class) => self.judge_of_class(*class),
            Kind::Tuple(nodes) => {
                let wanted = vec![Wanted { names: Vec::new(), required: true }; nodes.len()];
                let nodes = nodes.iter().map(|node| (*node, false)).collect();
                Some(Box::new(Rows { plan: self, wanted, nodes, by_position: true }))
            }
            _ => None,
        }
    }

    fn judge_of_class(&self, class: ClassId) -> Option<Box<dyn Judge + '_>> {
        let class = &self.classes[class as usize];
        let (mut wanted, mut nodes, mut fields) = (Vec::<Wanted>::new(), Vec::new(), Vec::new());
        for key in &class.states.first()?.keys {
            let Target::Field(aim) = key.to else { continue };
            let aim = &class.aims[aim as usize];
            if let Some(known) = fields.iter().position(|field| *field == aim.field) {
                wanted[known].names.push(key.name.clone());
                continue;
            }
            let required = matches!(class.fields[aim.field as usize].absent, Absent::Error);
            fields.push(aim.field);
            nodes.push((aim.node, !required));
            wanted.push(Wanted { names: vec![key.name.clone()], required });
        }
        let rows = Rows { plan: self, wanted, nodes, by_position: false };
        (!rows.wanted.is_empty()).then(|| Box::new(rows) as Box<dyn Judge>)
    }
}

impl Judge for Rows<'_> {
    fn columns(&self) -> Vec<Wanted> {
        self.wanted.clone()
    }

    fn by_position(&self) -> bool {
        self.by_position
    }

    fn fits(&self, column: usize, cell: &str) -> bool {
        let (node, may_be_empty) = self.nodes[column];
        let node = &self.plan.nodes[node as usize];
        let text = xsd::trimmed(cell.as_bytes());
        if text.is_empty() && (node.nullable || may_be_empty) {
            return true;
        }
        let Some(to) = node.kind.lexical() else { return true };
        let rules = Rules { lax: self.plan.lax, number: NUMBER };
        let Some(cells) = &node.cells else { return lexical::untyped(text, to, rules).is_ok() };
        let mut room = Vec::new();
        let written = cells.written(text, to, &mut room);
        cells.is_null(cell.as_bytes())
            || written.is_ok_and(|text| lexical::untyped(text, to, rules).is_ok())
    }
}
