//! A run and its interviews as a bundle stores them, and back.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use chrono::{DateTime, Utc};
use evidence::upload::{Reading, ReservedColumns};
use serde::{Deserialize, Serialize};
use simulation::answers::{Answer, AskedPersona, Provenance, RequestFailure, RequestOutcome};
use simulation::dealt::{self, Dealt};
use simulation::error::{Error, Result};
use simulation::json::JsonText;
use simulation::outcomes::InterviewOutcomes;
use simulation::progress::twin;
use simulation::row::Simulation;
use simulation::run::Run;
use simulation::twins::TwinAnswers;
use survey::assign::Assignment;
use survey::walk::Reason;

use crate::io::read_json;
use crate::paths::{REPLIES, RUN, SURVEY};

/// Interviews that are read at a time.
const INTERVIEWS: usize = 64;

/// `run/run.json`. The survey has a file of its own. The user and the group of the run are left out.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    pub facts: Simulation,
    pub personas_source: String,
    pub synthetic: bool,
    /// Labels of the twins' attributes, in the order of files.
    pub attributes: Vec<String>,
}

impl RunRecord {
    pub fn of(run: &Run) -> Self {
        let facts =
            Simulation { user_id: 0, group_id: 0, survey_snapshot: serde_json::Value::Null, ..run.facts.clone() };
        Self {
            facts,
            personas_source: run.personas_source.clone(),
            synthetic: run.synthetic,
            attributes: run.attributes.clone(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnswerRecord {
    id: i64,
    question_id: i64,
    answer: String,
    value: JsonText,
    created_at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    distribution: Option<JsonText>,
    #[serde(flatten)]
    provenance: Provenance,
}

/// A line of `replies/replies.jsonl`.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InterviewRecord {
    persona: AskedPersona,
    answers: Vec<AnswerRecord>,
    failures: Vec<RequestFailure>,
    /// Arms, orders and rows of the twin, in a run with a design.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    assignment: Option<Assignment>,
    /// Questions that its person answered where no twin sees it: a design may read that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    held_out: Vec<String>,
    /// Questions that the design did not show, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    not_shown: Vec<(i64, Reason)>,
}

impl InterviewRecord {
    /// The questions are those of the run, as the outcomes.
    pub fn of(run: &Run, interview: &InterviewOutcomes) -> Self {
        let mut record = Self {
            persona: interview.persona.clone(),
            answers: Vec::new(),
            failures: Vec::new(),
            assignment: interview.dealt.as_ref().map(|dealt| dealt.assignment.clone()),
            held_out: interview.dealt.iter().flat_map(|dealt| dealt.held_out.iter().cloned()).collect(),
            not_shown: Vec::new(),
        };
        for (question, outcome) in run.questions.iter().zip(&interview.outcomes) {
            match outcome {
                RequestOutcome::Answered(answer, provenance) => {
                    let Some(provenance) = provenance else { continue };
                    record.answers.push(AnswerRecord {
                        id: answer.id,
                        question_id: answer.question_id,
                        answer: answer.answer.clone(),
                        value: answer.answer_value.clone(),
                        distribution: answer.distribution.clone(),
                        created_at: answer.created_at,
                        provenance: provenance.clone(),
                    });
                }
                RequestOutcome::Failed(failure) => record.failures.push(failure.clone()),
                RequestOutcome::Skipped(reason) => record.not_shown.push((question.id, *reason)),
                RequestOutcome::Open | RequestOutcome::NotAssigned => {}
            }
        }
        record
    }

    fn outcomes(self, run: &Run, places: &HashMap<i64, usize>) -> Result<InterviewOutcomes> {
        let Self { persona, answers, failures, assignment, held_out, not_shown } = self;
        let mut outcomes = vec![RequestOutcome::Open; run.questions.len()];
        let place = |question: i64| {
            places
                .get(&question)
                .copied()
                .ok_or_else(|| Error::bad_input(format!("{REPLIES}: there is no question {question}")))
        };
        for failure in failures {
            let at = place(failure.question_id)?;
            outcomes[at] = RequestOutcome::Failed(failure);
        }
        for of in answers {
            let at = place(of.question_id)?;
            let answer = Answer {
                id: of.id,
                persona_id: persona.id,
                question_id: of.question_id,
                answer: of.answer,
                answer_value: of.value,
                distribution: of.distribution,
                created_at: of.created_at,
            };
            outcomes[at] = RequestOutcome::Answered(answer, Some(of.provenance));
        }
        let dealt = match (&run.plan, assignment) {
            (Some(plan), Some(assignment)) => {
                let attributes = persona.attributes.parse().map_err(unreadable)?;
                let twin = twin(persona.id, &attributes, held_out);
                let standing = dealt::standing(twin, assignment, not_shown.into_iter().collect(), &outcomes);
                let standing = standing.map_err(unreadable)?;
                Some(Dealt::walk(plan, &run.parameters, places, standing, &mut outcomes))
            }
            _ => None,
        };
        Ok(InterviewOutcomes { persona, outcomes, dealt })
    }
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::bad_input(format!("{REPLIES}: {error}"))
}

/// The run of an opened bundle.
pub fn run(folder: &Path) -> Result<Run> {
    let mut record: RunRecord = read_json(folder, RUN)?;
    record.facts.survey_snapshot = read_json(folder, SURVEY)?;
    let RunRecord { facts, personas_source, synthetic, attributes } = record;
    let mut run = Run::new(facts, personas_source, synthetic).map_err(|error| Error::bad_input(error.to_string()))?;
    run.attributes = attributes;
    Ok(run)
}

/// The answers of the twins of an opened bundle, with these columns.
pub fn twins(run: &Run, folder: &Path, reserved: &ReservedColumns) -> Result<Reading> {
    let mut answers = TwinAnswers::new(run, reserved);
    for page in interviews(run, folder)? {
        answers.add(run, &page?);
    }
    Ok(answers.take())
}

/// The interviews of an opened bundle, some at a time.
pub fn interviews<'r>(
    run: &'r Run,
    folder: &Path,
) -> Result<impl Iterator<Item = Result<Vec<InterviewOutcomes>>> + use<'r>> {
    let wrong = |error: std::io::Error| Error::bad_input(format!("{REPLIES}: {error}"));
    let mut lines = BufReader::new(File::open(folder.join(REPLIES)).map_err(wrong)?).lines();
    let places: HashMap<i64, usize> =
        run.questions.iter().enumerate().map(|(place, question)| (question.id, place)).collect();
    let read = move |line: std::io::Result<String>| {
        let record: InterviewRecord = serde_json::from_str(&line.map_err(wrong)?).map_err(unreadable)?;
        record.outcomes(run, &places)
    };
    Ok(std::iter::from_fn(move || {
        cancellation::check();
        let page: Result<Vec<InterviewOutcomes>> = lines.by_ref().take(INTERVIEWS).map(&read).collect();
        match page {
            Ok(page) if page.is_empty() => None,
            page => Some(page),
        }
    }))
}
