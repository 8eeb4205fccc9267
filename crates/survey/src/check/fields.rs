//! Warns of pipes that read a field before it is set, or that only some paths set.

use std::collections::{BTreeMap, BTreeSet};

use super::AnyArm;
use crate::assign::{GivenArms, combinations};
use crate::condition::Left;
use crate::finding::{FindingCode, Findings, below};
use crate::outline::{Outline, ReaderPlace};
use crate::pipe::Template;
use crate::plan::{Plan, Templates};

/// The place where a field is read, and the field's name.
type Reader = (String, String);

/// How a reader finds its field, over all combinations of arms.
#[derive(Default)]
struct Unset {
    /// Combinations of arms in which nothing has set the field.
    cells: Vec<GivenArms>,
    /// Whether, in other combinations, answers decide if the field is set.
    is_open: bool,
}

pub fn check(plan: &Plan, findings: &mut Findings) {
    let is_field = |left: &Left| matches!(left, Left::Field(_));
    if !plan.templates.iter().flat_map(Templates::texts).flat_map(Template::reads).any(is_field)
        && plan.fields().is_empty()
    {
        return;
    }
    let cells = combinations(plan).unwrap_or_else(|_| vec![GivenArms::new()]);
    let mut unset: BTreeMap<Reader, Unset> = BTreeMap::new();
    let mut reached: BTreeMap<String, usize> = BTreeMap::new();
    for cell in &cells {
        let outline = Outline::with_unset_reads(plan, AnyArm { forced: cell });
        let asked = outline.reached.iter().enumerate().filter(|(_, reached)| **reached);
        for pointer in asked.filter_map(|(item, _)| Some(&plan.templates.get(item)?.pointer)).collect::<BTreeSet<_>>() {
            *reached.entry(pointer.clone()).or_default() += 1;
        }
        let reads = outline.unset_reads.unwrap_or_default();
        for (reader, is_unset) in reads.iter().flat_map(|read| {
            let places = places(plan, read.place, read.field);
            places.into_iter().map(|place| ((place, read.field.to_owned()), read.is_unset))
        }) {
            let known = unset.entry(reader).or_default();
            if !is_unset {
                known.is_open = true;
            } else if known.cells.last() != Some(cell) {
                known.cells.push(cell.clone());
            }
        }
    }
    for ((pointer, field), Unset { cells: unset, is_open }) in unset {
        let visits = reached.iter().find(|(question, _)| pointer.starts_with(&format!("{question}/")));
        let is_never_set = !is_open && unset.len() == visits.map_or(cells.len(), |(_, visits)| *visits);
        let message = match unset.first() {
            Some(_) if is_never_set => format!("Nothing has set {field:?} before this, so nothing is inserted here."),
            Some(cell) => {
                let arms: Vec<String> = cell.iter().map(|(node, arm)| format!("{node} is {arm:?}")).collect();
                let example =
                    if arms.is_empty() { String::new() } else { format!(", as where {}", arms.join(" and ")) };
                format!(
                    "For some twins nothing has set {field:?} before this{example}: for them nothing is inserted here."
                )
            }
            None => format!(
                "Whether something has set {field:?} before this depends on answers: for some twins nothing is inserted here."
            ),
        };
        findings.warning(FindingCode::FieldNotSet, pointer, message);
    }
}

/// Returns the places of the reader's texts that read the field.
fn places(plan: &Plan, place: ReaderPlace<'_>, field: &str) -> Vec<String> {
    let item = match place {
        ReaderPlace::Set(pointer, name) => return vec![below(pointer, name)],
        ReaderPlace::Question(item) => item,
    };
    let (Some(templates), Some(item)) = (plan.templates.get(item), plan.items.get(item)) else { return Vec::new() };
    let reads = |text: &Template| text.reads().any(|left| matches!(left, Left::Field(name) if name == field));
    let found = templates.placed_texts(item.kind()).into_iter().filter(|(_, text)| reads(text));
    found.map(|(place, _)| place).collect()
}
