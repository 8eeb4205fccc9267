//! `analysis/tables/people.csv`: what follows from `human/` and the run's answers alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use evidence::aggregates::{Counts, figures as aggregates_of};
use evidence::compare::{Comparison, Item, Respondents, Settings, compare};
use evidence::groups::LEVEL;
use evidence::intervals::Bootstrap;
use evidence::metrics::Metric;
use export::{csv, figures};
use simulation::error::{Error, Result};
use simulation::items::items;
use simulation::run::Run;
use simulation::studies::MAX_ANSWERS;

use crate::human::aggregates::{self, ShownPeople};
use crate::human::rows;
use crate::human::samples::{SampleRecord, samples};
use crate::human::twins::{self, TwinSide};
use crate::io::failure;
use crate::paths::{AGGREGATES, PEOPLE_TABLE, ROWS};

/// The column before those of the figures.
const SAMPLE: (&str, &str, &str) = ("sample", "integer", "The sample's number in human/samples.json");

pub fn columns() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    std::iter::once(SAMPLE).chain(figures::COLUMNS)
}

/// Builds the table, where the bundle has people; with their rows also the counts, and figures of each twin and its own person.
pub fn build(run: &Run, folder: &Path) -> Result<()> {
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
    let known_sides: Vec<&SampleRecord> = known.iter().filter(|sample| sample.not_compared.is_none()).collect();
    let mut sides: Vec<TwinSide> = Vec::new();
    let mut side_of = Vec::with_capacity(known_sides.len());
    for sample in &known_sides {
        let side = TwinSide::of(run, sample);
        let place = sides.iter().position(|known| *known == side).unwrap_or(sides.len());
        if place == sides.len() {
            sides.push(side);
        }
        side_of.push(place);
    }
    let items = items(&run.questions);
    let twins = twins::counts(run, folder, &items, &sides)?;
    let labelled = run.label_items(items.clone());
    let mut table = figures::head(&[SAMPLE.0]);
    for (sample, side) in known_sides.iter().zip(side_of) {
        counted(&mut table, sample.sample, &labelled, &people, &twins[side]);
        let Some(people) = rows.remove(&sample.sample) else { continue };
        if let Some(of) = paired(run, folder, &items, people, &sides[side])? {
            compared(&mut table, sample.sample, &of);
        }
    }
    fs::write(folder.join(PEOPLE_TABLE), table).map_err(|error| failure(PEOPLE_TABLE, &error))
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
    let bootstrap = Bootstrap { level: LEVEL, ..Bootstrap::over(items.len() * rows) };
    let compared = compare(items, &people, &twins, Settings { bootstrap, ..Settings::default() })
        .map_err(|refusal| Error::bad_input(format!("{ROWS}: {refusal}")))?;
    Ok(Some(compared).filter(|compared| compared.paired))
}

/// Appends the figures that follow from counts of both sides.
fn counted(table: &mut Vec<u8>, sample: usize, items: &[Item], people: &ShownPeople, twins: &Counts) {
    for item in items {
        let Some(arms) = twins.0.get(&item.name) else { continue };
        for (arm, tallies) in arms {
            let key = (sample, csv::guarded(&item.name).into_owned(), csv::guarded(arm).into_owned());
            let Some(shown) = people.get(&key).filter(|shown| shown.tallies.all.n > 0) else { continue };
            for row in aggregates_of(item, shown, tallies, LEVEL) {
                figures::line(table, &[&sample.to_string()], &row.of_arm(arm));
            }
        }
    }
}

/// Appends the figures of twins and their own persons.
fn compared(table: &mut Vec<u8>, sample: usize, of: &Comparison) {
    // The others follow from counts, of all people.
    let needs_pairs = |name: &str| Metric::ALL.iter().find(|of| of.name() == name).is_none_or(|of| of.needs_pairs());
    let of_items = of.questions.iter().flat_map(|item| {
        let metrics = item.metrics.iter().filter(|of| needs_pairs(of.metric));
        metrics.map(|of| of.row(&item.name)).collect::<Vec<_>>()
    });
    for row in of_items.chain(of.overall_rows()) {
        figures::line(table, &[&sample.to_string()], &row);
    }
}
