//! `analysis/tables/people.csv`: what follows from `human/aggregates.csv` and the run's answers alone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use evidence::aggregates::{Counts, figures};
use evidence::compare::Item;
use serde_json::json;

use super::{AGGREGATES, COMPARISON, Columns, aggregates, samples};
use crate::error::Result;
use crate::results::files::bundle::analysis::{LEVEL, TableCell, ends, line, number_cell};
use crate::results::files::bundle::data::failure;
use crate::results::files::bundle::record;
use crate::results::files::csv;
use crate::results::files::wide::columns::{Columns as WideColumns, Form};
use crate::results::files::wide::text::{Encoder, TextFormat};
use crate::results::people::{answers_by, arm_node};
use crate::results::run::Run;
use crate::results::stream::Encode;

pub(super) const COLUMNS: Columns = &[
    ("sample", "integer", "The sample's number in human/samples.json"),
    ("question", "string", "The question's name, or a row of a matrix"),
    ("arm", "string", "The arm of both sides; empty: all people and all twins"),
    ("option", "string", "The option whose shares are compared"),
    ("metric", "string", "What docs/evidence.md calls the figure"),
    ("people", "number", "People's mean or share"),
    ("twins", "number", "Twins' mean or share"),
    ("value", "number", "The figure; of differences twins less people"),
    ("low", "number", "Lower end of the 95 % interval: Welch's of means, Newcombe's of shares"),
    ("high", "number", "Upper end of the 95 % interval"),
    ("nPeople", "integer", "People who answered"),
    ("nTwins", "integer", "Twins who answered"),
];

/// Builds the table, where the bundle has people.
pub(in super::super) fn build(run: &Run, folder: &Path) -> Result<()> {
    if !folder.join(AGGREGATES).is_file() {
        return Ok(());
    }
    let people = aggregates::read(folder)?;
    let mut nodes: BTreeMap<usize, Option<String>> = BTreeMap::new();
    for sample in samples(folder)? {
        nodes.insert(sample.sample, arm_node(run, sample.arm.as_deref()));
    }
    let (items, twins) = counts(run, folder, nodes.values())?;
    let names: Vec<&str> = COLUMNS.iter().map(|(name, ..)| *name).collect();
    let mut bytes = csv::head(&names);
    for (sample, node) in &nodes {
        let Some(twins) = twins.get(node) else { continue };
        for item in &items {
            let Some(arms) = twins.0.get(&item.name) else { continue };
            for (arm, tallies) in arms {
                let key = (*sample, csv::guarded(&item.name).into_owned(), csv::guarded(arm).into_owned());
                let Some(shown) = people.get(&key).filter(|shown| shown.tallies.all.n > 0) else { continue };
                for figure in figures(item, shown, tallies, LEVEL) {
                    let words = [&item.name, arm, figure.option.as_deref().unwrap_or_default(), figure.metric]
                        .map(TableCell::Words);
                    let values = [figure.people, figure.twins, Some(figure.value)].map(number_cell);
                    let n = [shown.tallies.all.n, tallies.all.n].map(|n| TableCell::Value(json!(n)));
                    let sample = [TableCell::Value(json!(sample))].into_iter();
                    let cells = sample.chain(words).chain(values).chain(ends(figure.interval)).chain(n);
                    line(&mut bytes, cells).map_err(|error| failure(COMPARISON, &error))?;
                }
            }
        }
    }
    fs::write(folder.join(COMPARISON), bytes).map_err(|error| failure(COMPARISON, &error))
}

type TwinCounts = BTreeMap<Option<String>, Counts>;

/// The twins' answers by the arms of each of these nodes, read some interviews at a time.
fn counts<'a>(
    run: &Run,
    folder: &Path,
    nodes: impl Iterator<Item = &'a Option<String>>,
) -> Result<(Vec<Item>, TwinCounts)> {
    let mut counts: TwinCounts = nodes.map(|node| (node.clone(), Counts::default())).collect();
    let mut items = Vec::new();
    let mut encoder = Encoder::new(WideColumns::of(run), Form::Labels, TextFormat::Csv { raw: true });
    let head = encoder.head();
    for page in record::interviews(run, folder)? {
        let mut bytes = head.clone();
        encoder.page(run, &page?, &mut bytes)?;
        for (node, counts) in &mut counts {
            let (of_survey, twins) = answers_by(run, &bytes, node.clone())?;
            counts.add(&of_survey, &twins);
            items = of_survey;
        }
    }
    Ok((items, counts))
}
