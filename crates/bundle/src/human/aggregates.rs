//! `human/aggregates.csv`, written and read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use evidence::aggregates::{Counts, MIN_PEOPLE_SHOWN, ShownTallies, Tallies, Tally, Value, suppressed};
use evidence::compare::{Item, ItemKind};
use evidence::sample::Mean;
use export::csv::{self, TableCell, line, number};
use serde_json::json;
use simulation::error::{Error, Result};

use crate::human::samples::TableColumns;
use crate::paths::AGGREGATES;

pub const COLUMNS: TableColumns = &[
    ("sample", "integer", "The sample's number in samples.json"),
    ("question", "string", "The question's name, or a row of a matrix"),
    ("arm", "string", "The arm of the people; empty: all people"),
    ("option", "string", "The option; empty: a number, or all who answered"),
    ("value", "number", "The option's place from 1, or the number; empty: all who answered"),
    ("n", "integer", "People; empty: left out"),
    ("weighted", "number", "Sum of their weights"),
    ("squares", "number", "Sum of the squares of their weights"),
    ("mean", "number", "Weighted mean of all who answered"),
    ("sd", "number", "Sample standard deviation"),
    ("error", "number", "Standard error of the mean"),
    ("suppressed", "string", "yes: left out, since it tells of fewer than 5 people or they would follow from it"),
];

/// People who gave an answer or, without a value, all who answered.
#[derive(Clone, Debug)]
pub struct AggregateRow {
    sample: usize,
    question: String,
    arm: String,
    option: String,
    value: Option<f64>,
    /// `None`: left out.
    tally: Option<Tally>,
    mean: Option<Mean>,
}

/// Makes the rows of a sample. `suppress` leaves out counts of fewer than [`MIN_PEOPLE_SHOWN`] people.
pub fn rows(sample: usize, items: &[Item], counts: &Counts, suppress: bool) -> Vec<AggregateRow> {
    let mut rows = Vec::new();
    for item in items {
        let Some(arms) = counts.0.get(&item.name) else { continue };
        let (ItemKind::Single { labels, .. } | ItemKind::Multiple { labels }) = &item.kind;
        let hidden = if suppress { suppressed(&item.kind, arms) } else { BTreeSet::new() };
        let is_few = |of: &Tallies| suppress && of.all.n < MIN_PEOPLE_SHOWN;
        // An arm of a few follows from the others.
        let has_small_arm = arms.values().any(is_few);
        let has_means = matches!(&item.kind, ItemKind::Single { scale, .. } if scale.is_ordered());
        let shown_arms = arms.iter().filter(|(arm, _)| arm.is_empty() || !has_small_arm);
        for (arm, of) in shown_arms {
            let row = |option: String, value, tally, mean| AggregateRow {
                sample,
                question: item.name.clone(),
                arm: arm.clone(),
                option,
                value,
                tally,
                mean,
            };
            if is_few(of) {
                rows.push(row(String::new(), None, None, None));
                continue;
            }
            // The mean of options would reveal those that are left out. Numbers are left out altogether.
            let tells_mean = has_means && (hidden.is_empty() || labels.is_empty());
            rows.push(row(String::new(), None, Some(of.all), of.mean().filter(|_| tells_mean)));
            if labels.is_empty() {
                let cells = of.by_value.iter().filter(|_| hidden.is_empty());
                rows.extend(cells.map(|(value, tally)| row(String::new(), Some(value.0), Some(*tally), None)));
            }
            for (place, label) in labels.iter().enumerate() {
                let value = Value(place as f64 + 1.0);
                let tally = of.by_value.get(&value).copied().unwrap_or_default();
                let tally = (!hidden.contains(&value)).then_some(tally);
                rows.push(row(label.clone(), Some(value.0), tally, None));
            }
        }
    }
    rows
}

pub fn write(path: &Path, rows: &[AggregateRow]) -> io::Result<()> {
    use TableCell::Words;
    let names: Vec<&str> = COLUMNS.iter().map(|(name, ..)| *name).collect();
    let mut bytes = csv::head(&names);
    for of in rows {
        let cells = [
            TableCell::Value(json!(of.sample)),
            Words(&of.question),
            Words(&of.arm),
            Words(&of.option),
            number(of.value),
            TableCell::Value(json!(of.tally.map(|tally| tally.n))),
            number(of.tally.map(|tally| tally.weight)),
            number(of.tally.map(|tally| tally.squares)),
            number(of.mean.map(|mean| mean.mean)),
            number(of.mean.map(|mean| mean.sd)),
            number(of.mean.map(|mean| mean.squared_error.sqrt())),
            Words(if of.tally.is_none() { "yes" } else { "" }),
        ];
        line(&mut bytes, cells.into_iter())?;
    }
    fs::write(path, bytes)
}

/// Shown counts by sample, item and arm (empty: everybody). Names and arms are as the file has them.
pub type ShownPeople = BTreeMap<(usize, String, String), ShownTallies>;

pub fn read(folder: &Path) -> Result<ShownPeople> {
    let wrong = |reason: String| Error::bad_input(format!("{AGGREGATES}: {reason}"));
    let text = fs::read_to_string(folder.join(AGGREGATES)).map_err(|error| wrong(error.to_string()))?;
    let mut reader = ::csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let mut shown = ShownPeople::new();
    for record in reader.records() {
        let record = record.map_err(|error| wrong(error.to_string()))?;
        let cell = |place: usize| record.get(place).unwrap_or_default();
        let number = |place: usize| -> Result<Option<f64>> {
            let parsed = (!cell(place).is_empty()).then(|| cell(place).parse::<f64>()).transpose();
            parsed.map_err(|_| wrong(format!("{} is no number", cell(place))))
        };
        let sample = cell(0).parse().map_err(|_| wrong(format!("{} is no sample", cell(0))))?;
        let of = shown.entry((sample, cell(1).to_owned(), cell(2).to_owned())).or_default();
        let tally = match (number(5)?, number(6)?, number(7)?) {
            (Some(n), Some(weight), Some(squares)) => Some(Tally { n: n as usize, weight, squares }),
            _ => None,
        };
        match (number(4)?, tally) {
            (None, tally) => {
                of.tallies.all = tally.unwrap_or_default();
                of.mean = match (number(8)?, number(9)?, number(10)?) {
                    (Some(mean), Some(sd), Some(error)) => Some(Mean {
                        n: of.tallies.all.n,
                        n_effective: of.tallies.all.n_effective(),
                        mean,
                        sd,
                        squared_error: error * error,
                    }),
                    _ => None,
                };
            }
            (Some(value), Some(tally)) if tally.n > 0 => drop(of.tallies.by_value.insert(Value(value), tally)),
            (Some(_), Some(_)) => {}
            (Some(value), None) => drop(of.hidden.insert(Value(value))),
        }
    }
    for of in shown.values_mut() {
        // Numbers that are left out have no rows.
        of.is_whole = of.hidden.is_empty() && !of.tallies.by_value.is_empty();
    }
    Ok(shown)
}
