//! Results of the newest validation with the run's twins, text, model and temperature, as the run's files state them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use chrono::{DateTime, Utc};
use evidence::intervals::Estimate;
use evidence::validation::CEILING;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::figures::{ValidationFigures, figures};
use super::verdicts::{better_than_the_ceiling, short, verdicts};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::validations::{self, ValidationStudy};
use crate::results::run::Run;

/// A figure with the ends of its interval, if there is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedFigure {
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl From<&Estimate> for RecordedFigure {
    fn from(of: &Estimate) -> Self {
        Self { value: of.value, low: of.low, high: of.high }
    }
}

impl RecordedFigure {
    /// Formats as `.72 (95 % CI .71 to .73)`.
    pub fn in_words(&self) -> String {
        let interval = self.low.zip(self.high);
        let interval = interval.map(|(low, high)| format!(" (95 % CI {} to {})", short(low), short(high)));
        format!("{}{}", short(self.value), interval.unwrap_or_default())
    }
}

/// Result of a completed validation for twins with the run's text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ValidationRecord {
    pub study_id: Uuid,
    pub created_at: DateTime<Utc>,
    /// `all` or `quick`.
    pub items: String,
    pub people: usize,
    /// Whether the people and their answers are invented.
    pub synthetic: bool,
    /// Variant of the twins' text.
    pub arm: String,
    /// Agreement of the twins with the people's first answers.
    pub accuracy: Option<RecordedFigure>,
    pub ceiling: Option<RecordedFigure>,
    pub of_ceiling: Option<RecordedFigure>,
    pub r: Option<RecordedFigure>,
    pub sd_ratio: Option<RecordedFigure>,
    /// Verdicts that follow from the figures by fixed rules.
    pub verdicts: Vec<String>,
    /// Findings of the leak guard; if there are any, there are no verdicts.
    pub leaks: Vec<String>,
}

impl ValidationRecord {
    /// Makes the record of computed figures. `None`: not all runs are over, or none of them asked twins with this text.
    fn of_figures(study: &ValidationStudy, of: &ValidationFigures, arm: &str) -> Option<Self> {
        let mut leaks = of.facts.leaks.clone();
        leaks.extend(better_than_the_ceiling(&of.validated, &study.headline));
        let arms = &of.validated.arms;
        let figures = arms.iter().find(|figures| figures.key == arm).filter(|_| of.facts.finished)?;
        let ceiling = arms.iter().find(|figures| figures.key == CEILING)?;
        let figure = |estimate: &Option<Estimate>| estimate.as_ref().map(RecordedFigure::from);
        Some(Self {
            study_id: study.study_id,
            created_at: study.created_at,
            items: if study.quick { "quick" } else { "all" }.to_owned(),
            people: of.facts.people,
            synthetic: study.synthetic,
            arm: arm.to_owned(),
            accuracy: figure(&figures.accuracy),
            ceiling: figure(&ceiling.accuracy),
            of_ceiling: figure(&figures.of_ceiling),
            r: figure(&figures.r),
            sd_ratio: figure(&figures.sd_ratio),
            verdicts: verdicts(&of.validated, arm, &leaks).into_iter().map(|verdict| verdict.title).collect(),
            leaks: leaks.into_iter().map(|leak| leak.text).collect(),
        })
    }

    /// Makes the record of stored figures.
    fn of_kept(study: &ValidationStudy, kept: &Value, arm: &str) -> Result<Option<Self>> {
        let unreadable = |error| Error::internal(format!("the figures of validation {}: {error}", study.study_id));
        let kept = KeptFigures::deserialize(kept).map_err(unreadable)?;
        let of_arm = |key: &str| kept.arms.iter().find(|arm| arm.key == key).cloned();
        let (Some(figures), Some(ceiling)) = (of_arm(arm), of_arm(CEILING)) else { return Ok(None) };
        Ok(Some(Self {
            study_id: study.study_id,
            created_at: study.created_at,
            items: kept.items,
            people: kept.people,
            synthetic: study.synthetic,
            arm: arm.to_owned(),
            accuracy: figures.accuracy,
            ceiling: ceiling.accuracy,
            of_ceiling: figures.of_ceiling,
            r: figures.r,
            sd_ratio: figures.sd_ratio,
            verdicts: figures.verdicts.into_iter().map(|verdict| verdict.title).collect(),
            leaks: kept.leaks.into_iter().map(|leak| leak.text).collect(),
        }))
    }

    /// The result in one paragraph.
    pub fn in_words(&self) -> String {
        let items = if self.items == "quick" { "24 questions" } else { "all questions" };
        let figures = [
            ("accuracy", &self.accuracy),
            ("the people themselves weeks later", &self.ceiling),
            ("share of that ceiling", &self.of_ceiling),
            ("r", &self.r),
            ("SD ratio", &self.sd_ratio),
        ];
        let figures = figures.iter().filter_map(|(name, of)| Some(format!("{name} {}", of.as_ref()?.in_words())));
        let figures = figures.collect::<Vec<_>>().join(", ");
        let found = match self.leaks.as_slice() {
            [] => self.verdicts.iter().map(|verdict| format!(" {verdict}")).collect::<String>(),
            leaks => format!(" A leak was found, so nothing follows from it: {}", leaks.join(" ")),
        };
        let invented = if self.synthetic {
            " Invented people with invented answers: it shows how a validation works and says nothing about models."
        } else {
            ""
        };
        format!(
            "Twins of the same set, text ({arm}), model and temperature were asked {items} that {people} people had answered \
             twice and that the twins do not know (validation {study}, {date}): {figures}.{found}{invented}",
            arm = self.arm,
            people = self.people,
            study = self.study_id,
            date = self.created_at.format("%Y-%m-%d"),
        )
    }
}

/// The part of a validation's stored figures that is read.
#[derive(Deserialize)]
struct KeptFigures {
    items: String,
    people: usize,
    arms: Vec<KeptArm>,
    leaks: Vec<super::guard::LeakFinding>,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptArm {
    key: String,
    accuracy: Option<RecordedFigure>,
    of_ceiling: Option<RecordedFigure>,
    r: Option<RecordedFigure>,
    sd_ratio: Option<RecordedFigure>,
    verdicts: Vec<KeptVerdict>,
}

#[derive(Clone, Deserialize)]
struct KeptVerdict {
    title: String,
}

/// Finds records for several runs, and computes a validation's figures once.
#[derive(Debug, Default)]
pub struct ValidationRecords(HashMap<i64, ValidationFigures>);

impl ValidationRecords {
    /// Finds the record of a run. `None`: no validation has such twins.
    pub async fn find(&mut self, pool: &AsyncPool, run: &Run) -> Result<Option<ValidationRecord>> {
        let asked = &run.parameters;
        let arm = asked.persona_variant;
        let mut conn = db::checkout(pool).await?;
        let set = run.facts.persona_set_id;
        let found = validations::newest(&mut conn, set, arm, &asked.model, asked.temperature).await?;
        drop(conn);
        let Some(study) = found else { return Ok(None) };
        if let Some(kept) = &study.figures {
            return ValidationRecord::of_kept(&study, kept, arm.name());
        }
        let of = match self.0.entry(study.id) {
            Entry::Occupied(of) => of.into_mut(),
            Entry::Vacant(place) => place.insert(figures(pool, &study).await?),
        };
        Ok(ValidationRecord::of_figures(&study, of, arm.name()))
    }
}
