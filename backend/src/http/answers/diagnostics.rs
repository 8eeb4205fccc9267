//! What a run's answers look like beside what is known to go wrong with answers of language models.

use actix_web::HttpResponse;
use actix_web::http::header::ContentType;
use actix_web::web::{Bytes, Data, Path};
use evidence::diagnostics::{Diagnostic, Finding};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Address, about, max_age, run};
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::results::diagnostics::{Diagnosis, diagnose};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunDiagnostics {
    #[schema(example = "7a6b5c4d-0000-4000-8000-000000000007")]
    simulation_id: String,
    /// One for each known pitfall, always in the same order.
    diagnostics: Vec<RunDiagnostic>,
    /// What nobody may read the answers without knowing.
    #[schema(example = "demo model: not from a language model")]
    notice: String,
    /// The run is not over, or was stopped: these are its answers so far.
    partial: bool,
}

#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    /// Something is beyond its threshold and should be looked at.
    Warning,
    Ok,
    /// This run does not have what it is measured by.
    NotApplicable,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunDiagnostic {
    /// A paragraph of `docs/evidence.md`.
    #[schema(example = "modal_answer")]
    diagnostic: &'static str,
    verdict: Verdict,
    /// Why it does not apply.
    #[schema(example = "options were not shuffled")]
    reason: Option<&'static str>,
    /// What is measured.
    #[schema(example = "share of the most frequent answer")]
    measure: &'static str,
    /// What to do about a warning.
    #[schema(example = "Do not read spreads or segments from this question.")]
    advice: &'static str,
    /// By question or group, those that warn first.
    findings: Vec<RunFinding>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunFinding {
    /// The question's name, or attribute and value; empty for the whole run.
    #[schema(example = "commute")]
    of: String,
    #[schema(example = 0.91)]
    value: f64,
    #[schema(example = 0.8)]
    threshold: f64,
    /// Twins, or requests, behind it.
    #[schema(example = 200)]
    n: usize,
    warns: bool,
    /// A further figure in words, which no threshold is about.
    #[schema(example = "41 % took the top answer")]
    note: Option<String>,
}

impl From<Finding> for RunFinding {
    fn from(Finding { of, value, threshold, n, warns, note, .. }: Finding) -> Self {
        Self { of, value, threshold, n, warns, note }
    }
}

impl From<Diagnosis> for RunDiagnostic {
    fn from(Diagnosis { diagnostic, findings }: Diagnosis) -> Self {
        let (diagnostic, measure, advice) = words(diagnostic);
        let (verdict, reason, findings) = match findings {
            Err(reason) => (Verdict::NotApplicable, Some(reason), Vec::new()),
            Ok(findings) if findings.iter().any(|finding| finding.warns) => (Verdict::Warning, None, findings),
            Ok(findings) => (Verdict::Ok, None, findings),
        };
        let findings = findings.into_iter().map(RunFinding::from).collect();
        Self { diagnostic, verdict, reason, measure, advice, findings }
    }
}

/// The name of a diagnostic, what it measures, and what to do about a warning.
fn words(diagnostic: Diagnostic) -> (&'static str, &'static str, &'static str) {
    match diagnostic {
        Diagnostic::Validity => (
            "validity",
            "share of requests with a valid answer at the first try",
            "Read the failures under Details; ask fewer questions a call, or a larger model.",
        ),
        Diagnostic::Refusals => (
            "refusals",
            "share of refused requests in a group less that of all others",
            "The answers that are left are not those of everybody: report the refusals by group, or reword the question.",
        ),
        Diagnostic::EmptyPipes => (
            "empty_pipes",
            "twins that saw a text with nothing where an answer or a field is piped",
            "They read a sentence with a hole in it: show the text only where there is something to pipe.",
        ),
        Diagnostic::ModalAnswer => (
            "modal_answer",
            "share of the most frequent answer",
            "Twins that nearly all say the same carry no differences: read no spreads, segments or correlations from it.",
        ),
        Diagnostic::DuplicateTexts => (
            "duplicate_texts",
            "share of free answers that repeat another twin's",
            "Count themes, not texts; a higher temperature or a fuller profile makes answers differ.",
        ),
        Diagnostic::SameWords => (
            "same_words",
            "different words among a hundred of free answers, as a share",
            "Read the answers for what few of them say: the rest is one phrase; a higher temperature or a fuller profile helps.",
        ),
        Diagnostic::StraightLining => (
            "straight_lining",
            "share of twins with one and the same label in every row",
            "Ask the rows as single questions, one a call, and compare.",
        ),
        Diagnostic::MixedKeys => (
            "mixed_keys",
            "share of twins that agree with items of a scale and with its reversed items",
            "They answered the form and not the question: ask the items one a call, and leave these twins out to compare.",
        ),
        Diagnostic::Acquiescence => (
            "acquiescence",
            "agreement with items and their reverses, above the middle",
            "Read the scale only as the mean of items of both directions.",
        ),
        Diagnostic::Desirability => (
            "desirability",
            "agreement with what it looks good to agree with, above the middle",
            "Read it beside people's answers: twins may say what looks good and not what they would do.",
        ),
        Diagnostic::OptionPosition => (
            "option_position",
            "Cramér's V of the places at which chosen options were shown",
            "The place decides part of the answers: keep the shuffling, and average over it.",
        ),
        Diagnostic::QuestionOrder => (
            "question_order",
            "change of the answers with each later place, in their sd",
            "Ask each question alone (call scope: question), or report the order effect.",
        ),
        Diagnostic::Attention => (
            "attention",
            "share of twins that passed all attention checks",
            "Look at what the twins answered. Models pass nearly all checks, so a high share proves nothing.",
        ),
        Diagnostic::Drift => (
            "drift",
            "versions of the model that answered",
            "Do not compare answers across versions; ask for a fixed version of the model.",
        ),
        Diagnostic::Instability => (
            "instability",
            "reliability of the same twins' repeated answers",
            "Average over repeats, or lower the temperature.",
        ),
        Diagnostic::Spread => (
            "spread",
            "spread of twins over that of people",
            "Take no spreads, effect sizes or sample sizes from the twins.",
        ),
        Diagnostic::SubgroupError => (
            "subgroup_error",
            "accuracy in a group less that in all others",
            "Do not compare this group with others by its twins.",
        ),
        Diagnostic::Stereotyping => (
            "stereotyping",
            "variance explained by an attribute among twins over that among people",
            "Do not read differences between these groups from the twins.",
        ),
        Diagnostic::HyperRationality => (
            "hyper_rationality",
            "share of right answers to a task; the threshold is that of the people behind the twins",
            "Twins reason better than people here: do not predict errors of people from them.",
        ),
        Diagnostic::Contamination => (
            "contamination",
            "accuracy above what people reach of themselves; 1: a question whose text is marked as published",
            "The model has probably seen the answers, or may have: leave the question out, or ask it in other words.",
        ),
    }
}

/// What a run's answers look like beside what is known to go wrong
///
/// Each diagnostic measures one pitfall of asking language models and warns beyond its threshold. A warning says that
/// something should be looked at, not that it is wrong. Formulas and sources: `docs/evidence.md`.
#[utoipa::path(
    get, path = "/surveys/{surveyId}/simulation/{simulationId}/diagnostics", tag = "Answers",
    operation_id = "diagnose_answers",
    params(("surveyId" = i64, Path), ("simulationId" = Uuid, Path)),
    responses((
        status = 200,
        description = "All diagnostics",
        body = RunDiagnostics,
        headers(("X-Notice" = String, description = "What nobody may read the answers without knowing"))
    ))
)]
pub async fn diagnostics(app: Data<App>, caller: Caller, path: Path<Address>) -> Result<HttpResponse> {
    let run = run(&mut *db::checkout(&app.pool).await?, &caller, *path).await?;
    let read = async || {
        let found = diagnose(&app.pool, &run, &app.config.thresholds).await?;
        let diagnostics = RunDiagnostics {
            simulation_id: run.simulation_id.clone(),
            diagnostics: found.into_iter().map(RunDiagnostic::from).collect(),
            notice: run.notice.clone(),
            partial: run.partial().is_some(),
        };
        Result::<_, ApiError>::Ok(Bytes::from(serde_json::to_vec(&diagnostics).map_err(ApiError::internal)?))
    };
    let json = app.diagnoses.get(run.facts.id, max_age(&run), read).await?;
    Ok(about(&run.notice).content_type(ContentType::json()).body(json))
}
