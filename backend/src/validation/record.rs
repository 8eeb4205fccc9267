//! Results of the newest validation with the run's twins, text, model and temperature, as the run's files state them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use bundle::validation::{RecordedFigure, ValidationRecord};
use evidence::intervals::Estimate;
use evidence::validation::CEILING;
use serde::Deserialize;
use serde_json::Value;
use simulation::run::Run;

use super::figures::{ValidationFigures, figures};
use super::verdicts::{better_than_the_ceiling, verdicts};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::validations::{self, ValidationStudy};

/// Makes the record of computed figures. `None`: not all runs are over, or none of them asked twins with this text.
fn of_figures(study: &ValidationStudy, of: &ValidationFigures, arm: &str) -> Option<ValidationRecord> {
    let mut leaks = of.facts.leaks.clone();
    leaks.extend(better_than_the_ceiling(&of.validated, &study.headline));
    let arms = &of.validated.arms;
    let figures = arms.iter().find(|figures| figures.key == arm).filter(|_| of.facts.finished)?;
    let ceiling = arms.iter().find(|figures| figures.key == CEILING)?;
    let figure = |estimate: &Option<Estimate>| estimate.as_ref().map(RecordedFigure::from);
    Some(ValidationRecord {
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
fn of_kept(study: &ValidationStudy, kept: &Value, arm: &str) -> Result<Option<ValidationRecord>> {
    let unreadable = |error| Error::internal(format!("the figures of validation {}: {error}", study.study_id));
    let kept = KeptFigures::deserialize(kept).map_err(unreadable)?;
    let of_arm = |key: &str| kept.arms.iter().find(|arm| arm.key == key).cloned();
    let (Some(figures), Some(ceiling)) = (of_arm(arm), of_arm(CEILING)) else { return Ok(None) };
    Ok(Some(ValidationRecord {
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
            return of_kept(&study, kept, arm.name());
        }
        let of = match self.0.entry(study.id) {
            Entry::Occupied(of) => of.into_mut(),
            Entry::Vacant(place) => place.insert(figures(pool, &study).await?),
        };
        Ok(of_figures(&study, of, arm.name()))
    }
}
