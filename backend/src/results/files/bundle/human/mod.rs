//! `human/`: how many people gave which answer, their rows where the survey's author asked for them, and what follows from that
//! and the run's answers.

mod aggregates;
mod comparison;
mod rows;
mod twins;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use evidence::aggregates::Counts;
use evidence::compare::Item;
use evidence::options::ComparisonOptions;
use serde::{Deserialize, Serialize};

use self::aggregates::AggregateRow;
use self::rows::RowsFile;
use self::twins::TwinSide;
use super::io::{failure, read_json, write_json};
use super::paths::{AGGREGATES, PEOPLE_TABLE, ROWS, SAMPLES};
use super::record;
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::human_samples;
use crate::results::markdown::inline;
use crate::results::people::samples;
use crate::results::run::Run;
use crate::work::blocking;

pub(super) use comparison::build;

/// Columns of a table: name, type of Data Package, and what it holds.
type Columns = &'static [(&'static str, &'static str, &'static str)];

/// A sample of people as `human/samples.json` names it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SampleRecord {
    /// Number of the sample from 1, in the order of uploads.
    pub sample: usize,
    pub name: String,
    pub people: i32,
    pub created_at: DateTime<Utc>,
    /// The file's column of the arm.
    pub arm: Option<String>,
    /// How people are weighted; `None`: they count the same.
    pub weights: Option<String>,
    /// Shares of levels by attribute, to which people and, where they have all of these attributes, twins are weighted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub margins: BTreeMap<String, BTreeMap<String, f64>>,
    /// The attribute that is the twins' weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twin_weight: Option<String>,
    /// Cells of fewer than 5 people are left out: the survey is public.
    pub suppressed: bool,
    /// Attributes that rows have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<String>,
    /// Why there are no counts of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
    /// Why twins are not compared with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_compared: Option<String>,
}

/// Fails if people's rows are asked for and the survey has none.
pub(super) async fn must_have_rows(pool: &AsyncPool, run: &Run) -> Result<()> {
    let (found, _) = human_samples::all_of(&mut *db::checkout(pool).await?, run.facts.survey_id).await?;
    match found.is_empty() {
        true => Err(Error::bad_input("no answers of people are kept for the survey: a bundle has no rows of them")),
        false => Ok(()),
    }
}

/// Stores the counts of all samples of the run's survey, if it has some, next to the stored answers of the run; `with_rows` also
/// people's rows.
pub(super) async fn store(pool: &AsyncPool, run: &Arc<Run>, folder: &Path, with_rows: bool) -> Result<()> {
    let mut conn = db::checkout(pool).await?;
    let (found, suppressed) = human_samples::all_of(&mut conn, run.facts.survey_id).await?;
    drop(conn);
    if found.is_empty() {
        return Ok(());
    }
    let mut settings = Vec::with_capacity(found.len());
    for sample in &found {
        settings.push(sample.settings().map_err(|error| failure(SAMPLES, &error))?);
    }
    let mut stored = StoredSamples::begin(Arc::clone(run), folder.to_owned(), &settings, with_rows).await?;
    for ((number, sample), settings) in (1..).zip(found).zip(settings) {
        let record = SampleRecord {
            sample: number,
            name: sample.name,
            people: sample.people,
            created_at: sample.created_at,
            arm: settings.arm.clone(),
            weights: weights(&settings),
            margins: settings.margins.clone(),
            twin_weight: settings.twin_weight.clone(),
            suppressed,
            attributes: if with_rows { settings.people_columns().attributes } else { Vec::new() },
            unread: None,
            not_compared: None,
        };
        let content = human_samples::content(&mut *db::checkout(pool).await?, sample.id).await?;
        // Counting takes seconds.
        stored = blocking(move || stored.add(record, &content, &settings).map(|()| stored)).await??;
    }
    blocking(move || stored.end()).await?
}

/// Samples that are being stored, one after the other.
struct StoredSamples {
    run: Arc<Run>,
    folder: PathBuf,
    items: Vec<Item>,
    records: Vec<SampleRecord>,
    counted: Vec<AggregateRow>,
    rows: Option<RowsFile>,
}

impl StoredSamples {
    async fn begin(run: Arc<Run>, folder: PathBuf, settings: &[ComparisonOptions], with_rows: bool) -> Result<Self> {
        let items = samples::items(&run.questions);
        let mut stored = Self { run, folder, items, records: Vec::new(), counted: Vec::new(), rows: None };
        if !with_rows {
            return Ok(stored);
        }
        let attributes: BTreeSet<String> = settings.iter().flat_map(|of| of.people_columns().attributes).collect();
        let create = blocking(move || {
            let mut twins = HashSet::new();
            for page in record::interviews(&stored.run, &stored.folder)? {
                twins.extend(page?.into_iter().map(|interview| interview.persona.pid).filter(|pid| !pid.is_empty()));
            }
            let path = stored.folder.join(ROWS);
            let rows = RowsFile::create(&path, attributes.into_iter().collect(), stored.items.clone(), twins);
            stored.rows = Some(rows.map_err(|error| failure(ROWS, &error))?);
            Ok(stored)
        });
        create.await?
    }

    fn add(&mut self, mut record: SampleRecord, content: &[u8], options: &ComparisonOptions) -> Result<()> {
        match samples::answers(&self.run.questions, content, options) {
            Ok(people) => {
                let mut counts = Counts::default();
                counts.add(&self.items, &people.respondents);
                self.counted.extend(aggregates::rows(record.sample, &self.items, &counts, record.suppressed));
                if let Some(rows) = &mut self.rows {
                    rows.add(record.sample, &people).map_err(|error| failure(ROWS, &error))?;
                }
                let verified = TwinSide::of(&self.run, &record).verify(&self.run, &self.folder);
                record.not_compared = verified.err().map(|error| error.to_string());
            }
            // A sample's settings may not match this run's snapshot: record why and go on.
            Err(error) => record.unread = Some(error.to_string()),
        }
        self.records.push(record);
        Ok(())
    }

    fn end(self) -> Result<()> {
        self.rows.map_or(Ok(()), RowsFile::end).map_err(|error| failure(ROWS, &error))?;
        write_json(&self.folder, SAMPLES, &self.records)?;
        aggregates::write(&self.folder.join(AGGREGATES), &self.counted).map_err(|error| failure(AGGREGATES, &error))
    }
}

fn weights(settings: &ComparisonOptions) -> Option<String> {
    let names: Vec<&str> = settings.margins.keys().map(String::as_str).collect();
    let margins = (!names.is_empty()).then(|| format!("shares of the population by {}", names.join(", ")));
    margins.or_else(|| settings.weight.as_ref().map(|column| format!("column {column}")))
}

/// The people of an opened bundle.
pub(super) struct PeopleRecords {
    pub samples: Vec<SampleRecord>,
    pub have_rows: bool,
}

impl PeopleRecords {
    pub fn read(folder: &Path) -> Result<Self> {
        Ok(Self { samples: samples(folder)?, have_rows: folder.join(ROWS).is_file() })
    }
}

/// The samples of an opened bundle.
fn samples(folder: &Path) -> Result<Vec<SampleRecord>> {
    if folder.join(SAMPLES).is_file() { read_json(folder, SAMPLES) } else { Ok(Vec::new()) }
}

/// A table that is there: its path, its title and its columns, each with its name, its type of Data Package, and what it holds.
pub(super) struct DescribedTable {
    pub path: &'static str,
    pub title: &'static str,
    pub columns: Vec<(String, &'static str, String)>,
}

pub(super) fn tables(run: &Run, folder: &Path) -> Result<Vec<DescribedTable>> {
    let owned = |(name, kind, title): (&str, &'static str, &str)| (name.to_owned(), kind, title.to_owned());
    let attributes: BTreeSet<String> = samples(folder)?.into_iter().flat_map(|sample| sample.attributes).collect();
    let attributes: Vec<String> = attributes.into_iter().collect();
    let of_rows = rows::columns(&attributes, &samples::items(&run.questions));
    let all = [
        (AGGREGATES, "How many people gave which answer", aggregates::COLUMNS.iter().copied().map(owned).collect()),
        (ROWS, "People's answers, a row a person", of_rows),
        (
            PEOPLE_TABLE,
            "Twins beside people, as far as it follows from what the bundle has",
            comparison::columns().map(owned).collect(),
        ),
    ];
    let all = all.into_iter().map(|(path, title, columns)| DescribedTable { path, title, columns });
    Ok(all.filter(|table| folder.join(table.path).is_file()).collect())
}

/// Describes the samples for readers. `None`: there are none.
pub(super) fn in_words(PeopleRecords { samples: of, have_rows }: &PeopleRecords) -> Option<String> {
    if of.is_empty() {
        return None;
    }
    let each = of.iter().map(|sample| {
        let weighted = sample.weights.as_ref().map(|by| format!(", weighted by {}", inline(by))).unwrap_or_default();
        let twins = sample.twin_weight.as_ref().map(|by| format!(", twins by {}", inline(by))).unwrap_or_default();
        let unread = sample.unread.as_ref().map(|reason| format!(", not read: {}", inline(reason))).unwrap_or_default();
        let alone = sample
            .not_compared
            .as_ref()
            .map(|reason| format!(", not compared: {}", inline(reason)))
            .unwrap_or_default();
        let day = sample.created_at.format("%Y-%m-%d");
        let name = inline(&sample.name);
        format!("\"{name}\" ({} people, uploaded {day}{weighted}{twins}{unread}{alone})", sample.people)
    });
    let names = each.collect::<Vec<_>>().join("; ");
    let suppressed = if of.iter().any(|sample| sample.suppressed) {
        " Counts of fewer than 5 people, and those from which they would follow, are left out."
    } else {
        ""
    };
    let rows = if *have_rows {
        format!(
            "`{ROWS}` has people's rows, because the survey's author chose to pass them on: each person's answers with arm, \
             weight and groups, and the id of the person's twin; `{PEOPLE_TABLE}` therefore also has what sets each twin beside its \
             own person, with bootstrap intervals. Rectified estimates are not part of this bundle."
        )
    } else {
        "Figures that set each twin beside its own person, and bootstrap intervals, need people's rows, which are not part of \
         this bundle."
            .to_owned()
    };
    Some(format!(
        "Answers of people to the same survey stand beside the twins': {names}. `{AGGREGATES}` has how many gave each answer, \
         `{PEOPLE_TABLE}` what follows from these counts: distances of distributions, spreads, differences of means and of \
         shares; both sides count as they are weighted. {rows}{suppressed}"
    ))
}
