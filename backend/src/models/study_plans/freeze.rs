//! Freezes a plan: its text, the survey and the design as canonical JSON, with their hash and the time.

use chrono::{SubsecRound, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use simulation::plans::content::{DataBefore, PlanContent};
use simulation::plans::differences::{self, PlanDifference, StartedRuns};
use simulation::plans::document::PlanDocument;
use simulation::snapshot::Snapshot;
use survey::question::{Invalid, Question};

use super::attachment::started_runs;
use super::changes::{answers, insert, lock, save};
use super::deviations::NewDeviation;
use super::frozen::FORMAT;
use super::twins;
use super::{PlanRefusal, StudyPlan, of_study};
use crate::models::json::unreadable;
use crate::models::simulations::start;
use crate::schema::{frozen_plans, simulations, study_plans, study_runs};

/// Freezes a draft with the survey as it is now, or as the plan's study asked it.
pub async fn freeze(conn: &mut AsyncPgConnection, id: i64, who: i64) -> Result<(), PlanRefusal> {
    conn.transaction(async |conn| {
        let (plan, is_frozen) = lock(conn, id).await?;
        if is_frozen { Err(PlanRefusal::Frozen) } else { store(conn, &plan, who).await }
    })
    .await
}

/// Freezes the plan of a study: its draft, changed to `document` if given; without a draft a new plan with the
/// document.
pub async fn freeze_study(
    conn: &mut AsyncPgConnection,
    (study_id, survey_id): (i64, i64),
    who: i64,
    document: Option<&PlanDocument>,
) -> Result<StudyPlan, PlanRefusal> {
    conn.transaction(async |conn| {
        let id = match (of_study(conn, study_id).await?, document) {
            (Some(plan), None) => plan.id,
            (Some(plan), Some(document)) => {
                save(conn, plan.id, document, None).await?;
                plan.id
            }
            (None, None) => return Err(Invalid::new("title", "is required: the study has no draft").into()),
            (None, Some(document)) if document.blind => return Err(PlanRefusal::SeenAlready),
            (None, Some(document)) => {
                document.check()?;
                insert(conn, survey_id, Some(study_id), who, document).await?.id
            }
        };
        let (plan, is_frozen) = lock(conn, id).await?;
        if is_frozen {
            return Err(PlanRefusal::Frozen);
        }
        store(conn, &plan, who).await?;
        Ok(plan)
    })
    .await
}

/// Stores a locked draft as frozen, and the deviations that exist already.
async fn store(conn: &mut AsyncPgConnection, plan: &StudyPlan, who: i64) -> Result<(), PlanRefusal> {
    let document = plan.document().map_err(unreadable)?;
    let asked = match plan.study_id {
        Some(study) => asked_survey(conn, study).await?,
        None => None,
    };
    let (survey, survey_hash) = match asked {
        Some(asked) => asked,
        None => start::current_survey(conn, plan.survey_id).await?.ok_or(PlanRefusal::NotFound)?,
    };
    if !survey.questions.iter().any(Question::is_request) {
        return Err(PlanRefusal::NoQuestions);
    }
    document.check_complete(&survey.questions)?;
    let answers = match plan.study_id {
        Some(study) => answers(conn, study).await?,
        None => 0,
    };
    let seen = answers > 0 && (!plan.blind || plan.looked_at.is_some());
    let earlier_runs = earlier_runs(conn, plan).await?;
    let content = PlanContent {
        format: FORMAT,
        program: format!("Digital Twin Lab {}", env!("CARGO_PKG_VERSION")),
        frozen_at: Utc::now().trunc_subsecs(0),
        plan: document,
        data_before: DataBefore { earlier_runs, answers, seen },
        twins: twins::load(conn, plan.study_id).await?,
        survey,
        survey_hash,
    };
    let unwritable = |error| diesel::result::Error::SerializationError(Box::new(error));
    let frozen = content.freeze().map_err(unwritable)?;
    diesel::insert_into(frozen_plans::table)
        .values((
            frozen_plans::plan_id.eq(plan.id),
            frozen_plans::frozen_by.eq(who),
            frozen_plans::frozen_at.eq(frozen.frozen_at),
            frozen_plans::canonical.eq(&frozen.canonical),
            frozen_plans::sha256.eq(&frozen.sha256),
        ))
        .execute(conn)
        .await?;
    let Some(study) = plan.study_id else { return Ok(()) };
    let mut found = Vec::new();
    if answers > 0 && !plan.blind {
        let seen = format!("{answers} answers could be seen before the freeze");
        found.push(PlanDifference::new("data", None, Some(seen)));
    }
    let (parameters, persona_count) = started_runs(conn, study).await?;
    let started = StartedRuns { persona_count, parameters: &parameters };
    found.extend(differences::of_runs(&content.plan.run, &started));
    found.extend(twins::differences(conn, &content.plan.run, None, study).await?);
    for difference in found {
        NewDeviation::new(plan.id, Some(who), difference).note(conn).await?;
    }
    Ok(())
}

/// Returns the survey as a study asked it, with its hash.
async fn asked_survey(conn: &mut AsyncPgConnection, study_id: i64) -> QueryResult<Option<(Snapshot, String)>> {
    let first: Option<(serde_json::Value, String)> = simulations::table
        .inner_join(study_runs::table)
        .filter(study_runs::study_id.eq(study_id))
        .order(simulations::id)
        .select((simulations::survey_snapshot, simulations::survey_hash))
        .first(conn)
        .await
        .optional()?;
    let read = |(survey, hash)| serde_json::from_value(survey).map(|survey| (survey, hash));
    first.map(read).transpose().map_err(unreadable)
}

/// Counts the survey's runs with answers that do not belong to the plan's study.
async fn earlier_runs(conn: &mut AsyncPgConnection, plan: &StudyPlan) -> QueryResult<i64> {
    let own = study_runs::table
        .inner_join(study_plans::table.on(study_plans::study_id.eq(study_runs::study_id.nullable())))
        .filter(study_plans::id.eq(plan.id));
    simulations::table
        .filter(simulations::survey_id.eq(plan.survey_id))
        .filter(simulations::successful_requests.gt(0))
        .filter(simulations::id.ne_all(own.select(study_runs::simulation_id)))
        .count()
        .get_result(conn)
        .await
}
