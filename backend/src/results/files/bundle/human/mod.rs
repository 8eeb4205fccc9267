//! `human/`: how many people gave which answer, never who; and what follows from that and the run's answers.

mod aggregates;
mod comparison;

use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::record;
use super::store::{failure, json};
use crate::db::{self, AsyncPool};
use crate::error::Result;
use crate::models::human_samples::{self, SampleSettings};
use crate::results::people::samples;
use crate::results::run::Run;

pub(super) use comparison::build;

pub(super) const SAMPLES: &str = "human/samples.json";
pub(super) const AGGREGATES: &str = "human/aggregates.csv";
const COMPARISON: &str = "analysis/tables/people.csv";

/// Columns of a table: name, type of Data Package, and what it holds.
type Columns = &'static [(&'static str, &'static str, &'static str)];

/// A sample of people as `human/samples.json` names it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SampleRecord {
    /// From 1, in the order of their uploads.
    pub sample: usize,
    pub name: String,
    pub people: i32,
    pub created_at: DateTime<Utc>,
    /// The file's column of the arm.
    pub arm: Option<String>,
    /// How people are weighted; `None`: they count the same.
    pub weights: Option<String>,
    /// Cells of fewer than 5 people are left out: the survey is public.
    pub suppressed: bool,
    /// Why there are no counts of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
}

/// Stores the counts of all samples of the run's survey, if it has some.
pub(super) async fn store(pool: &AsyncPool, run: &Run, folder: &Path) -> Result<()> {
    let mut conn = db::checkout(pool).await?;
    let (found, suppressed) = human_samples::all_of(&mut conn, run.facts.survey_id).await?;
    drop(conn);
    if found.is_empty() {
        return Ok(());
    }
    let (mut records, mut rows) = (Vec::with_capacity(found.len()), Vec::new());
    for (number, sample) in (1..).zip(found) {
        let settings = sample.settings().map_err(|error| failure(SAMPLES, &error))?;
        let mut record = SampleRecord {
            sample: number,
            name: sample.name,
            people: sample.people,
            created_at: sample.created_at,
            arm: settings.arm.clone(),
            weights: weights(&settings),
            suppressed,
            unread: None,
        };
        let content = human_samples::content(&mut *db::checkout(pool).await?, sample.id).await?;
        let (questions, chosen) = (run.questions.clone(), samples::chosen_of(settings));
        let counted = spawn_blocking(move || samples::counts(&questions, &content, &chosen));
        match counted.await.map_err(|error| failure(AGGREGATES, &error))? {
            Ok((items, counts)) => rows.extend(aggregates::rows(number, &items, &counts, suppressed)),
            // What one says of its columns may not fit a run of the survey; the bundle is written all the same.
            Err(error) => record.unread = Some(error.to_string()),
        }
        records.push(record);
    }
    json(&folder.join(SAMPLES), &records)?;
    aggregates::write(&folder.join(AGGREGATES), &rows).map_err(|error| failure(AGGREGATES, &error))
}

fn weights(settings: &SampleSettings) -> Option<String> {
    let names: Vec<&str> = settings.margins.keys().map(String::as_str).collect();
    let margins = (!names.is_empty()).then(|| format!("shares of the population by {}", names.join(", ")));
    margins.or_else(|| settings.weight.as_ref().map(|column| format!("column {column}")))
}

/// The samples of an opened bundle.
pub(super) fn samples(folder: &Path) -> Result<Vec<SampleRecord>> {
    if folder.join(SAMPLES).is_file() { record::json(folder, SAMPLES) } else { Ok(Vec::new()) }
}

/// The tables that are there: path, title and columns.
pub(super) fn tables(folder: &Path) -> Vec<(&'static str, &'static str, Columns)> {
    let known = [
        (AGGREGATES, "How many people gave which answer", aggregates::COLUMNS),
        (COMPARISON, "Twins beside people, as far as it follows from counts", comparison::COLUMNS),
    ];
    known.into_iter().filter(|(path, ..)| folder.join(path).is_file()).collect()
}

/// What readers are told of them; `None`: there are none.
pub(super) fn in_words(of: &[SampleRecord]) -> Option<String> {
    if of.is_empty() {
        return None;
    }
    let each = of.iter().map(|sample| {
        let weighted = sample.weights.as_ref().map(|by| format!(", weighted by {by}")).unwrap_or_default();
        let unread = sample.unread.as_ref().map(|reason| format!(", not read: {reason}")).unwrap_or_default();
        let day = sample.created_at.format("%Y-%m-%d");
        format!("\"{}\" ({} people, uploaded {day}{weighted}{unread})", sample.name, sample.people)
    });
    let names = each.collect::<Vec<_>>().join("; ");
    let suppressed = if of.iter().any(|sample| sample.suppressed) {
        " Counts of fewer than 5 people, and those from which they would follow, are left out."
    } else {
        ""
    };
    Some(format!(
        "Answers of people to the same survey stand beside the twins': {names}. `{AGGREGATES}` has how many gave each answer, \
         `{COMPARISON}` what follows from these counts: distances of distributions, spreads, differences of means and of \
         shares; twins count the same there. Figures that set each twin beside its own person, and bootstrap intervals, need \
         people's rows, which are not part of this bundle.{suppressed}"
    ))
}
