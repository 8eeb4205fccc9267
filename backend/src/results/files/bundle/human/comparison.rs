//! `analysis/tables/people.csv`: what follows from `human/` and the run's answers alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use evidence::aggregates::{Counts, figures};
use evidence::compare::{Comparison, Item, Respondents, Settings, compare};
use evidence::intervals::{Bootstrap, Estimate};
use evidence::metrics::Metric;
use serde_json::json;

use super::aggregates::{self, ShownPeople};
use super::rows::{self, ROWS};
use super::twins::{self, TwinSide};
use super::{AGGREGATES, COMPARISON, Columns, SampleRecord, samples};
use crate::error::{Error, Result};
use crate::results::files::bundle::analysis::{LEVEL, TableCell, ends, line, number_cell};
use crate::results::files::bundle::data::failure;
use crate::results::files::csv;
use crate::results::people::draws;
use crate::results::people::samples::items;
use crate::results::run::Run;
use crate::results::studies::MAX_ANSWERS;

pub(super) const COLUMNS: Columns = &[
    ("sample", "integer", "The sample's number in human/samples.json"),
    ("question", "string", "The question's name, or a row of a matrix; empty: over all questions"),
    ("arm", "string", "The arm of both sides; empty: all people and all twins"),
    ("option", "string", "The option whose shares are compared"),
    ("metric", "string", "What docs/evidence.md calls the figure"),
    ("people", "number", "People's mean or share"),
    ("twins", "number", "Twins' mean or share"),
    ("value", "number", "The figure; of differences twins less people"),
    (
        "low",
        "number",
        "Lower end of the 95 % interval: Welch's of means, Newcombe's of shares, Fisher's of r, else a bootstrap's",
    ),
    ("high", "number", "Upper end of the 95 % interval"),
    ("nPeople", "integer", "People who answered; of pairs those with a twin who did"),
    ("nTwins", "integer", "Twins who answered; of pairs the same"),
];

/// Builds the table, where the bundle has people; with their rows also the counts, and figures of each twin and its own person.
pub(in super::super) fn build(run: &Run, folder: &Path) -> Result<()> {
    if !folder.join(AGGREGATES).is_file() {
        return Ok(());
    }
    let known = samples(folder)?;
    let mut rows = BTreeMap::new();
    if folder.join(ROWS).is_file() {
        rows = rows::read(folder, &known, &items(&run.questions))?;
        recount(run, folder, &known, &rows)?;
    }
    let people = aggregates::read(folder)?;
    let compared: Vec<&SampleRecord> = known.iter().filter(|sample| sample.not_compared.is_none()).collect();
    let mut sides: Vec<TwinSide> = Vec::new();
    let mut side_of = Vec::with_capacity(compared.len());
    for sample in &compared {
        let side = TwinSide::of(run, sample);
        let place = sides.iter().position(|known| *known == side).unwrap_or(sides.len());
        if place == sides.len() {
            sides.push(side);
        }
        side_of.push(place);
    }
    let items = items(&run.questions);
    let twins = twins::counts(run, folder, &items, &sides)?;
    let mut table = Table::new();
    for (sample, side) in compared.iter().zip(side_of) {
        table.counted(sample.sample, &items, &people, &twins[side])?;
        let Some(people) = rows.remove(&sample.sample) else { continue };
        table.paired(sample.sample, &paired(run, folder, &items, people, &sides[side])?)?;
    }
    fs::write(folder.join(COMPARISON), table.0).map_err(|error| failure(COMPARISON, &error))
}

/// Counts people's rows, as their samples were counted.
fn recount(run: &Run, folder: &Path, known: &[SampleRecord], rows: &BTreeMap<usize, Respondents>) -> Result<()> {
    let items = items(&run.questions);
    let mut counted = Vec::new();
    for sample in known {
        let Some(people) = rows.get(&sample.sample) else { continue };
        let mut counts = Counts::default();
        counts.add(&items, people);
        counted.extend(aggregates::rows(sample.sample, &items, &counts, sample.suppressed));
    }
    aggregates::write(&folder.join(AGGREGATES), &counted).map_err(|error| failure(AGGREGATES, &error))
}

/// Twins beside their own people. `None`: there are no pairs, or more answers than are compared.
fn paired(
    run: &Run,
    folder: &Path,
    items: &[Item],
    people: Respondents,
    side: &TwinSide,
) -> Result<Option<Comparison>> {
    if i64::from(run.rows()) > MAX_ANSWERS {
        return Ok(None);
    }
    let twins = twins::answers(run, folder, side)?;
    // As many draws as where the app compares, so that the figures are the same.
    let rows = people.ids.len().max(twins.ids.len());
    let bootstrap = Bootstrap { replicates: draws(items.len() * rows), level: LEVEL, ..Bootstrap::default() };
    let compared = compare(items, &people, &twins, Settings { bootstrap, ..Settings::default() })
        .map_err(|refusal| Error::bad_input(format!("{ROWS}: {refusal}")))?;
    Ok(Some(compared).filter(|compared| compared.paired))
}

/// The table's bytes.
struct Table(Vec<u8>);

impl Table {
    fn new() -> Self {
        let names: Vec<&str> = COLUMNS.iter().map(|(name, ..)| *name).collect();
        Self(csv::head(&names))
    }

    /// What follows from counts of both sides.
    fn counted(&mut self, sample: usize, items: &[Item], people: &ShownPeople, twins: &Counts) -> Result<()> {
        for item in items {
            let Some(arms) = twins.0.get(&item.name) else { continue };
            for (arm, tallies) in arms {
                let key = (sample, csv::guarded(&item.name).into_owned(), csv::guarded(arm).into_owned());
                let Some(shown) = people.get(&key).filter(|shown| shown.tallies.all.n > 0) else { continue };
                for figure in figures(item, shown, tallies, LEVEL) {
                    let words = [&item.name, arm, figure.option.as_deref().unwrap_or_default(), figure.metric]
                        .map(TableCell::Words);
                    let values = [figure.people, figure.twins, Some(figure.value)].map(number_cell);
                    let n = [shown.tallies.all.n, tallies.all.n].map(|n| TableCell::Value(json!(n)));
                    self.row(sample, words.into_iter().chain(values).chain(ends(figure.interval)).chain(n))?;
                }
            }
        }
        Ok(())
    }

    /// What needs a twin and its own person.
    fn paired(&mut self, sample: usize, of: &Option<Comparison>) -> Result<()> {
        let Some(of) = of else { return Ok(()) };
        for item in &of.items {
            for value in &item.metrics {
                // The others follow from counts, of all people.
                let metric = Metric::ALL.iter().find(|metric| metric.name() == value.metric);
                if metric.is_none_or(|metric| metric.needs_pairs()) {
                    self.estimate(sample, &item.name, value.metric, &value.estimate)?;
                }
            }
        }
        let all = &of.overall;
        for (metric, estimate) in [
            ("accuracy", &all.accuracy),
            ("r", &all.r),
            ("r within person", &all.r_within_person),
            ("r of item means", &all.r_of_item_means),
        ] {
            let Some(estimate) = estimate else { continue };
            self.estimate(sample, "", metric, estimate)?;
        }
        Ok(())
    }

    fn estimate(&mut self, sample: usize, question: &str, metric: &str, of: &Estimate) -> Result<()> {
        let words = [question, "", "", metric].map(TableCell::Words);
        let values = [None, None, Some(of.value)].map(number_cell);
        let n = [of.n, of.n].map(|n| TableCell::Value(json!(n)));
        self.row(sample, words.into_iter().chain(values).chain(ends(of.interval)).chain(n))
    }

    fn row<'a>(&mut self, sample: usize, cells: impl Iterator<Item = TableCell<'a>>) -> Result<()> {
        let sample = [TableCell::Value(json!(sample))].into_iter();
        line(&mut self.0, sample.chain(cells)).map_err(|error| failure(COMPARISON, &error))
    }
}
