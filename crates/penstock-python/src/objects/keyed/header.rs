//! The header of a table: which column leads to which field. It is decided once, before the first
//! row, and what cannot fit is refused there.

use super::Keyed;
use super::columns::{Claimed, Finder, OTHER};
use super::rows::Header;
use crate::objects::core::place::brief;
use crate::objects::core::refusal::{Code, Mismatch, Refusal};
use crate::plan::{Absent, Build, ClassId, ClassPlan, Kind, NodeId, Stars, Tagged, Target};
use penstock_core::event::{KnownKeys, repeated};
use penstock_core::path_step::PathStep;
use penstock_core::protocol::{RowsAs, Unknown, Want};
use penstock_core::suggest::nearest;
use penstock_scan::{filled, gathered, make_room};

/// The names of the columns, by text.
pub(super) type Names<'k> = Vec<&'k str>;

impl<'p> Keyed<'p> {
    /// The columns of the rows that follow.
    pub(super) fn read_header(
        &mut self,
        known: &KnownKeys<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Refusal> {
        self.header = None;
        // A header within a record, or of several kinds of records, decides nothing.
        if self.core.frames.len() > 1 || self.plan().kinds.len() > 1 {
            return Ok(RowsAs::Maps);
        }
        let names: Names<'_> = gathered(known.keys.iter().map(|key| key.name.text.as_str()));
        self.header_of(self.top().node, known, &names, wanted)
    }

    fn header_of(
        &mut self,
        node: NodeId,
        known: &KnownKeys<'_>,
        names: &Names<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Refusal> {
        let plan = self.plan();
        let node = &plan.nodes[node as usize];
        match &node.kind {
            &Kind::Class(class) => self.header_of_class(class, known, names, wanted),
            Kind::List(_) | Kind::Set(_) | Kind::FrozenSet(_) | Kind::TupleOf(_) => {
                Ok(RowsAs::AnyLists)
            }
            Kind::Tuple(items) if items.len() == names.len() => Ok(RowsAs::Lists),
            Kind::Tuple(items) => {
                let reason = format!(
                    "{} has {}, and there {}",
                    node.written,
                    counted(items.len(), "item"),
                    are(names.len(), "column")
                );
                Err(wrong(known.at, reason, Code::Length))
            }
            Kind::Any | Kind::Dict(..) => {
                if let Some((column, name)) = repeated(names.iter().copied(), |_| true) {
                    let reason = format!(
                        "the column {} occurs more than once; rows as lists have all cells: \
                         list[str]",
                        brief(name)
                    );
                    return Err(wrong_column(known.at(column), reason, Code::Repeated, name));
                }
                Ok(RowsAs::Maps)
            }
            Kind::Tagged(tagged) => {
                self.header_of_union(tagged, known, names)?;
                Ok(RowsAs::Maps)
            }
            Kind::Tokens(tokens) => match (tokens.map, tokens.list) {
                (Some(member), _) | (None, Some(member)) => {
                    self.header_of(member, known, names, wanted)
                }
                (None, None) => Err(no_row(known.at, &node.written)),
            },
            _ => Err(no_row(known.at, &node.written)),
        }
    }

    fn header_of_class(
        &mut self,
        class: ClassId,
        known: &KnownKeys<'_>,
        names: &Names<'_>,
        wanted: &mut [Option<Want>],
    ) -> Result<RowsAs, Refusal> {
        let plan = &self.plan().classes[class as usize];
        let by_position = plan.only_rows
            || matches!(plan.build, Build::Tuple)
                && !plan.own().is_empty()
                && plan.parts.is_empty()
                && plan.spreads.is_empty()
                && !names.iter().any(|name| plan.states[0].table.find(name.as_bytes()).is_some());
        if by_position {
            return positions(plan, known, names);
        }
        let cells = columns_of(plan, names);
        let mut finder = Finder::new(self.plan(), names);
        let found = finder.object(class, &cells);
        let columns = found.map_err(|claimed| contested(plan, known, names, claimed))?;
        let Finder { taken, nodes, lacking: of_items, .. } = finder;
        let distinct = self.core.options.distinct;
        let takes_others = plan.rest.is_some() || plan.states[0].other.is_some();
        // Columns of a list may have one name, and so may one that is found by its position.
        let mut named = filled(false, names.len());
        for cell in columns.cells.iter().filter(|cell| cell.key != OTHER) {
            let key = &plan.states[0].keys[cell.key as usize].name;
            named[cell.column as usize] |= **key == *names[cell.column as usize];
        }
        for (_, all) in columns.objects.iter().flat_map(|list| &list.items) {
            all.iter().for_each(|column| named[*column as usize] = true);
        }
        let counts = |column: usize| distinct || takes_others || named[column];
        if let Some((column, name)) = repeated(names.iter().copied(), counts) {
            let mut reason = format!("the column {} occurs more than once", brief(name));
            if !distinct {
                reason += &format!(", and {} has a field for it", plan.name);
            }
            return Err(wrong_column(known.at(column), reason, Code::Repeated, name));
        }
        if matches!(plan.build, Build::Tuple) {
            in_order(plan, known, names, &cells)?;
        }
        if !takes_others {
            self.unknown_columns(plan, known, names, &taken)?;
        }
        if plan.states[0].other.is_none() {
            let mut absent = columns.lacking(self.plan(), &Stars::itself());
            make_room(&mut absent, of_items.len());
            absent.extend(of_items);
            lacking(plan, known, names, &taken, &absent)?;
        }
        wanted.fill(None);
        columns.want(wanted);
        let skipped = filled(false, names.len());
        let classes = vec![(columns, nodes)];
        self.header = Some(Box::new(Header { classes, skipped }));
        Ok(RowsAs::Maps)
    }

    /// The columns of each class of a union. What a class lacks is found when there is a row of it.
    fn header_of_union(
        &mut self,
        tagged: &Tagged,
        known: &KnownKeys<'_>,
        names: &Names<'_>,
    ) -> Result<(), Refusal> {
        let plan = self.plan();
        let mut header = Header { skipped: filled(false, names.len()), ..Header::default() };
        for node in tagged.every() {
            let Kind::Class(class) = plan.nodes[node as usize].kind else { continue };
            if header.classes.iter().any(|(columns, _)| columns.class == class) {
                continue;
            }
            let of = &plan.classes[class as usize];
            let mut finder = Finder::new(plan, names);
            finder.keeps_others = of.forbids_unknown || self.core.options.unknown != Unknown::Skip;
            let found = finder.object(class, &columns_of(of, names));
            let columns = found.map_err(|claimed| contested(of, known, names, claimed))?;
            header.classes.push((columns, finder.nodes));
        }
        self.header = Some(Box::new(header));
        Ok(())
    }

    /// Refuses or counts the columns that the class does not name, if it shall not skip them.
    fn unknown_columns(
        &mut self,
        class: &ClassPlan,
        known: &KnownKeys<'_>,
        names: &Names<'_>,
        taken: &[bool],
    ) -> Result<(), Refusal> {
        let answer = if class.forbids_unknown { Unknown::Error } else { self.core.options.unknown };
        if answer == Unknown::Skip {
            return Ok(());
        }
        for (column, name) in names.iter().enumerate().filter(|(column, _)| !taken[*column]) {
            if answer == Unknown::Collect {
                self.core.count_unknown(&[&class.name, ".", name]);
                continue;
            }
            let keys = class.states[0].keys.iter().map(|key| &*key.name);
            let near = nearest(name, keys.filter(|key| !names.contains(key)));
            let near = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
            let reason =
                format!("{} has no field for the column {}{near}", class.name, brief(name));
            return Err(wrong_column(known.at(column), reason, Code::Unknown, name));
        }
        Ok(())
    }
}

/// The columns of a class: by name, and a key that is a number and names no column by position.
fn columns_of(class: &ClassPlan, names: &Names<'_>) -> Vec<(u32, u32)> {
    let state = &class.states[0];
    let find = |name: &str| state.table.find(name.as_bytes());
    let by_name = (0..).zip(names).filter_map(|(column, name)| Some((column, find(name)?)));
    let mut cells: Vec<(u32, u32)> = gathered(by_name);
    for (key, edge) in state.keys.iter().enumerate() {
        let is_position = edge.name.bytes().all(|byte| byte.is_ascii_digit());
        if is_position
            && !names.contains(&&*edge.name)
            && let Ok(column) = edge.name.parse::<u32>()
            && (column as usize) < names.len()
        {
            make_room(&mut cells, 1);
            cells.push((column, key as u32));
        }
    }
    cells.sort_unstable();
    cells
}

/// Whether rows can be a named tuple, or a class that is written as an array, by position.
fn positions(
    class: &ClassPlan,
    known: &KnownKeys<'_>,
    names: &Names<'_>,
) -> Result<RowsAs, Refusal> {
    let fields = class.own();
    let least = fields.iter().filter(|field| matches!(field.absent, Absent::Error)).count();
    if (least..=fields.len()).contains(&names.len()) {
        return Ok(RowsAs::Lists);
    }
    let reason = format!(
        "{} has {}, and there {}, none of which has the name of a field",
        class.name,
        counted(fields.len(), "field"),
        are(names.len(), "column")
    );
    Err(wrong(known.at, reason, Code::Length))
}

/// The refusal of a column that two fields claim.
#[cold]
fn contested(
    class: &ClassPlan,
    known: &KnownKeys<'_>,
    names: &Names<'_>,
    claimed: Claimed,
) -> Refusal {
    let Claimed { column, fields: [one, other] } = claimed;
    let name = names[column as usize];
    let reason = format!(
        "the column {} belongs to two fields of {}: {} and {}",
        brief(name),
        class.name,
        brief(&one),
        brief(&other)
    );
    wrong_column(known.at(column as usize), reason, Code::Repeated, name)
}

/// Refuses a header that has the fields of a named tuple in another order.
fn in_order(
    class: &ClassPlan,
    known: &KnownKeys<'_>,
    names: &Names<'_>,
    cells: &[(u32, u32)],
) -> Result<(), Refusal> {
    let field = |key: u32| match class.states[0].keys[key as usize].to {
        Target::Field(aim) => {
            let field = class.aims[aim as usize].field;
            // The columns of a part stand for the part.
            Some(class.part_of(field).map_or(field, |part| part.field))
        }
        Target::State(_) => None,
    };
    for pair in cells.windows(2) {
        let [(before, first), (column, second)] = [pair[0], pair[1]];
        if field(first) > field(second) {
            let reason = format!(
                "{} has its fields in another order than the header: {} stands before {}",
                class.name,
                brief(names[before as usize]),
                brief(names[column as usize])
            );
            let name = names[column as usize];
            return Err(wrong_column(known.at(column as usize), reason, Code::Missing, name));
        }
    }
    Ok(())
}

/// Refuses a header without a column that a class requires.
fn lacking(
    class: &ClassPlan,
    known: &KnownKeys<'_>,
    names: &Names<'_>,
    taken: &[bool],
    lacking: &[String],
) -> Result<(), Refusal> {
    let Some(first) = lacking.first() else { return Ok(()) };
    let free = names.iter().enumerate().filter(|(column, _)| !taken[*column]);
    let hint = match nearest(first, free.map(|(_, name)| *name)) {
        Some(near) => format!("; did you mean {}?", brief(near)),
        None => columns_there(names),
    };
    let reason = format!(
        "{} requires the column{} {}, which the header lacks{hint}",
        class.name,
        if lacking.len() == 1 { "" } else { "s" },
        listed_names(lacking)
    );
    let mut mismatch = Mismatch::new(known.at, reason, Vec::new());
    mismatch.missing = vec![PathStep::Key(first.clone())];
    Err(Refusal::from(mismatch).coded(Code::Missing))
}

/// How many names of columns a message lists.
const MOST_NAMES: usize = 8;

/// The columns that there are, for a message: a wrong delimiter shows there.
fn columns_there(names: &Names<'_>) -> String {
    match names.len() {
        0 => String::new(),
        1 => format!("; the only column is {}", brief(names[0])),
        _ => format!("; the columns are {}", listed_names(names)),
    }
}

/// The first names, and how many more there are.
fn listed_names(names: &[impl AsRef<str>]) -> String {
    let first = names.iter().take(MOST_NAMES);
    let shown: Vec<String> = first.map(|name| brief(name.as_ref())).collect();
    match names.len() - shown.len() {
        0 => listed(&shown),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// `a, b and c`
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [word] => word.clone(),
        [words @ .., last] => format!("{} and {last}", words.join(", ")),
    }
}

/// `1 item`, `2 items`
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `is 1 column`, `are 2 columns`
fn are(count: usize, what: &str) -> String {
    format!("{} {}", if count == 1 { "is" } else { "are" }, counted(count, what))
}

#[cold]
fn wrong(at: u64, reason: String, code: Code) -> Refusal {
    Refusal::from(Mismatch::new(at, reason, Vec::new())).coded(code)
}

/// The refusal of a column.
#[cold]
fn wrong_column(at: u64, reason: String, code: Code, name: &str) -> Refusal {
    let path = vec![PathStep::Key(name.to_owned())];
    Refusal::from(Mismatch::new(at, reason, path)).coded(code)
}

#[cold]
fn no_row(at: u64, expected: &str) -> Refusal {
    let reason = format!("a row cannot become {expected}: ask for a class, a dict or a list");
    let mismatch = Mismatch::new(at, reason, Vec::new());
    let (expected, got) = (Some(expected.to_owned()), Some("a row".to_owned()));
    Mismatch { expected, got, ..mismatch }.into()
}
