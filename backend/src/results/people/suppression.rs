//! Redacts a comparison for readers who may not see the people's answers.

use std::collections::{BTreeMap, BTreeSet};

use evidence::aggregates::{Counts, MIN_PEOPLE_SHOWN, Tallies, Value, suppressed};
use evidence::compare::{Contrast, Item, ItemKind};
use evidence::effects::Difference;
use evidence::upload::{self, ReadPeople};

use super::Compared;

/// The reader of a comparison with kept answers, which decides what is redacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PeopleReader {
    /// The survey's author, and super administrators.
    Owner,
    /// Reads a private survey without owning it: its group's owner.
    Overseer,
    /// Reads a public survey without owning it.
    Public,
}

/// Key of a sample: the id of its row, the time of its last change in microseconds, and the reader of the comparison.
pub type SampleKey = (i64, i64, PeopleReader);

impl PeopleReader {
    /// Removes what this reader may not see.
    pub fn redact(self, of: &mut Compared) {
        match self {
            Self::Owner => {}
            Self::Overseer => without_cells(&mut of.read),
            Self::Public => suppress(of),
        }
    }
}

/// Removes the cells of people's answers, and facts of their file that belong to no figure.
fn without_cells(of: &mut ReadPeople) {
    of.reading.unread.clear();
    of.mapping.unmatched_columns.clear();
    of.mapping.choosable.clear();
    of.mapping.dropped.clear();
    for node in &mut of.arms.matched {
        node.values.clear();
        node.agreeing.clear();
    }
}

/// Removes figures of fewer than [`MIN_PEOPLE_SHOWN`] people: questions with few answers, distributions and shares with
/// a small cell, effects of small arms, and coefficients, which may depend on one person.
fn suppress(of: &mut Compared) {
    let items = upload::items(&of.read.questions);
    let mut counts = Counts::default();
    counts.add(&items, &of.read.reading.respondents);
    let cells: BTreeMap<&str, ShownCells> = items
        .iter()
        .filter_map(|item| Some((item.name.as_str(), ShownCells::count(item, counts.0.get(&item.name)?))))
        .collect();
    let figures = &mut of.figures;
    figures.comparison.questions.retain(|item| item.n_people >= MIN_PEOPLE_SHOWN);
    for item in &mut figures.comparison.questions {
        let Some(shown) = cells.get(item.name.as_str()) else {
            // The outcome of a formula, whose values may be those of one person.
            item.ecdf.clear();
            continue;
        };
        // With pairs not everybody counts, so cells are smaller.
        let is_whole = item.n_people == shown.people;
        if !is_whole || !shown.hidden.is_empty() {
            item.ecdf.clear();
        }
        item.options.retain(|option| is_whole && !shown.hidden.contains(&option.label));
    }
    let tables = of.experiments.iter_mut().filter_map(|node| node.arms.as_mut());
    for arms in figures.comparison.arms.iter_mut().chain(tables) {
        let is_few = |of: &Difference| of.n_first.min(of.n_second) < MIN_PEOPLE_SHOWN;
        let is_hidden =
            |item: &String, label: &String| cells.get(item.as_str()).is_some_and(|shown| shown.hidden.contains(label));
        let is_shown = |contrast: &Contrast| {
            let items = || std::iter::once(&contrast.item).chain(&contrast.made_of);
            let hides = |label: &String| items().any(|item| is_hidden(item, label));
            !is_few(&contrast.people) && !contrast.category.as_ref().is_some_and(hides)
        };
        for contrasts in [&mut arms.effects, &mut arms.balance] {
            contrasts.retain(is_shown);
            for contrast in contrasts {
                contrast.people_adjusted = contrast.people_adjusted.filter(|adjusted| !is_few(adjusted));
                // They tell how many people an arm has.
                contrast.people.details = None;
            }
        }
        // Why an effect is missing may tell of few people.
        arms.not_compared.iter_mut().for_each(|of| of.people = None);
        arms.not_compared.retain(|of| of.twins.is_none());
    }
    figures.rectified.estimates.retain(|row| {
        let shown = cells.get(row.name.as_str());
        row.term.is_none()
            && row.category.as_ref().is_none_or(|label| {
                shown.is_some_and(|shown| shown.people == row.figures.n && !shown.hidden.contains(label))
            })
    });
    // Few people of a group may have answered a question.
    figures.comparison.groups.iter_mut().for_each(|group| group.questions.clear());
    figures.regressions.clear();
    if let Some(calibration) = &mut figures.calibration {
        calibration.questions.clear();
    }
    without_cells(&mut of.read);
}

/// The people who answered an item, and the options whose shares are left out.
struct ShownCells {
    people: usize,
    hidden: BTreeSet<String>,
}

impl ShownCells {
    fn count(item: &Item, arms: &BTreeMap<String, Tallies>) -> Self {
        let (ItemKind::Single { labels, .. } | ItemKind::Multiple { labels }) = &item.kind;
        let label = |Value(value): &Value| labels.get(*value as usize - 1).cloned().unwrap_or_default();
        let name = |value: &Value| if labels.is_empty() { value.0.to_string() } else { label(value) };
        Self {
            people: arms.get("").map_or(0, |of| of.all.n),
            hidden: suppressed(&item.kind, arms).iter().map(name).collect(),
        }
    }
}
