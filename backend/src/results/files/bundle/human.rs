//! Stores people's answers beside those of a run: how many people gave which answer, and their rows where the survey's author
//! asked for them.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::bundle::human::aggregates::{self, AggregateRow};
use ::bundle::human::rows::RowsFile;
use ::bundle::human::samples::SampleRecord;
use ::bundle::human::twins::TwinSide;
use ::bundle::io::{failure, write_json};
use ::bundle::paths::{AGGREGATES, ROWS, SAMPLES};
use ::bundle::record;
use evidence::aggregates::Counts;
use evidence::compare::Item;
use evidence::options::ComparisonOptions;
use simulation::items::items;
use simulation::run::Run;

use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::human_samples;
use crate::results::people::samples::{self, SampledSurvey};
use crate::work::blocking;

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
        let items = items(&run.questions);
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
        let design = self.run.survey.design.clone().unwrap_or_default();
        let survey = SampledSurvey::new(self.run.questions.clone(), &design);
        match samples::answers(&survey, content, options) {
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
        let written = aggregates::write(&self.folder.join(AGGREGATES), &self.counted);
        Ok(written.map_err(|error| failure(AGGREGATES, &error))?)
    }
}

fn weights(settings: &ComparisonOptions) -> Option<String> {
    let names: Vec<&str> = settings.margins.keys().map(String::as_str).collect();
    let margins = (!names.is_empty()).then(|| format!("shares of the population by {}", names.join(", ")));
    margins.or_else(|| settings.weight.as_ref().map(|column| format!("column {column}")))
}
