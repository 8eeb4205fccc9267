//! What is known to go wrong with answers of language models, looked for in the answers of a run in one pass.

use std::collections::{BTreeMap, BTreeSet};

use evidence::diagnostics::{
    Attempts, BalancedItem, Chosen, Diagnostic, Finding, Thresholds, acquiescence, attention, drift, duplicate_texts,
    instability, modal_answer, option_positions, question_positions, refusals, straight_lining, validity,
};
use serde_json::Value;

use super::pages::{InterviewOutcomes, Pages, RequestOutcome};
use super::people;
use super::run::Run;
use super::studies::{AnsweredRuns, MAX_ANSWERS, repeated};
use crate::db::{self, AsyncPool};
use crate::design::logic::{Scale, Shuffle};
use crate::error::Result;
use crate::models;
use crate::models::questions::{Question, QuestionType};

/// Attributes with more values make no groups.
const MOST_GROUPS: usize = 20;

/// One pitfall: what was measured, or why nothing can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    pub diagnostic: Diagnostic,
    /// By question or group, those that warn first.
    pub findings: std::result::Result<Vec<Finding>, &'static str>,
}

impl Diagnosis {
    /// One that people's answers, or repeats, tell of.
    pub fn of_people(diagnostic: Diagnostic, findings: Vec<Finding>) -> Self {
        let missing = match diagnostic {
            Diagnostic::Instability => "needs the same twins asked again: start a study with repeats",
            Diagnostic::Spread => "no question has numbers or an order that people differ in",
            Diagnostic::SubgroupError => {
                "needs people with their own twins, and a column to compare groups by of 30 each"
            }
            Diagnostic::Stereotyping => {
                "needs people with their own twins, and an attribute to compare groups by or regress on"
            }
            _ => "not measured here",
        };
        Self::found(diagnostic, findings, missing)
    }

    /// Those that warn first.
    fn found(diagnostic: Diagnostic, mut findings: Vec<Finding>, missing: &'static str) -> Self {
        findings.sort_by_key(|finding| !finding.warns);
        let findings = if findings.is_empty() { Err(missing) } else { Ok(findings) };
        Self { diagnostic, findings }
    }
}

/// All pitfalls, in a fixed order.
pub async fn diagnose(pool: &AsyncPool, run: &Run, thresholds: &Thresholds) -> Result<Vec<Diagnosis>> {
    let mut collected = Collected::of(&run.questions);
    let mut pages = Pages::of(run);
    while let Some(page) = pages.next_from(pool).await? {
        page.iter().for_each(|interview| collected.add(run, interview));
    }
    let repeated = repeated_answers(pool, run).await?;
    let unstable = repeated.iter().filter_map(|(item, rows)| instability(item, rows, thresholds)).collect();
    Ok(collected.diagnoses(run, unstable, thresholds))
}

/// By item the answers of each twin in the run and in the repeats of its study. Empty where there are none, or too many answers.
async fn repeated_answers(pool: &AsyncPool, run: &Run) -> Result<Vec<(String, Vec<Vec<f64>>)>> {
    let mut conn = db::checkout(pool).await?;
    let Some(study) = models::studies::of_run(&mut conn, run.facts.simulation_id).await? else { return Ok(Vec::new()) };
    let mut runs = Vec::new();
    for id in models::studies::run_ids(&mut conn, study).await? {
        runs.push(Run::load(&conn, id).await?);
    }
    let groups = repeated(&runs.iter().map(|run| &run.parameters).collect::<Vec<_>>());
    let own = runs.iter().position(|of_study| of_study.facts.id == run.facts.id).unwrap_or_default();
    let group = groups.into_iter().find(|group| group.contains(&own)).unwrap_or_default();
    let mut repeats = Vec::with_capacity(group.len());
    for (_, run) in runs.into_iter().enumerate().filter(|(place, _)| group.contains(place)) {
        repeats.push(run.with_attributes(&mut conn).await?);
    }
    drop(conn);
    if repeats.iter().map(|run| i64::from(run.rows())).sum::<i64>() > MAX_ANSWERS {
        return Ok(Vec::new());
    }
    let mut answered = AnsweredRuns::default();
    for run in &repeats {
        answered.add(people::answers(run, &people::twins(pool, run).await?)?);
    }
    let all: Vec<usize> = (0..group.len()).collect();
    let of_item = |item: &evidence::compare::Item| Some((item.name.clone(), answered.rows(item, &all)?));
    Ok(answered.items().iter().filter_map(of_item).collect())
}

/// The answers to one question, twin after twin.
#[derive(Debug, Default)]
struct QuestionAnswers {
    /// Options from 1, or numbers.
    values: Vec<f64>,
    /// Labels from 1, of all rows.
    ratings: Vec<Vec<f64>>,
    texts: Vec<String>,
    /// Answers by the place at which the chosen option was shown; empty unless options were shuffled.
    places: Vec<f64>,
    /// With their place in a block of a drawn order.
    at: Vec<(f64, f64)>,
}

#[derive(Debug, Default)]
struct Collected {
    /// In the order of the survey.
    questions: Vec<QuestionAnswers>,
    attempts: Attempts,
    /// By attribute and value.
    groups: BTreeMap<String, BTreeMap<String, Attempts>>,
    checks: (usize, usize),
    fingerprints: BTreeSet<String>,
}

impl Collected {
    fn of(questions: &[Question]) -> Self {
        Self { questions: questions.iter().map(|_| QuestionAnswers::default()).collect(), ..Self::default() }
    }

    fn add(&mut self, run: &Run, interview: &InterviewOutcomes) {
        let mut attempts = Attempts::default();
        for ((question, answers), outcome) in run.questions.iter().zip(&mut self.questions).zip(&interview.outcomes) {
            match outcome {
                RequestOutcome::Answered(answer, provenance) => {
                    attempts.requests += 1;
                    let first = provenance.as_ref().is_some_and(|provenance| provenance.attempt <= 1);
                    attempts.valid_at_first_try += usize::from(first);
                    let value = answer.answer_value.parse().unwrap_or_default();
                    let value = match &interview.dealt {
                        Some(dealt) => dealt.as_written(question, value),
                        None => value,
                    };
                    let order = provenance.as_ref().filter(|_| is_shuffled(run, question));
                    let order = order.and_then(|provenance| provenance.option_order.as_deref());
                    answers.add(question, &value, order, interview);
                    let fingerprint = provenance.as_ref().and_then(|provenance| provenance.fingerprint.clone());
                    self.fingerprints.extend(fingerprint.filter(|fingerprint| !fingerprint.is_empty()));
                }
                RequestOutcome::Failed(failure) => {
                    attempts.requests += 1;
                    attempts.refused += usize::from(failure.code == "refused");
                }
                RequestOutcome::Open | RequestOutcome::Skipped(_) | RequestOutcome::NotAssigned => {}
            }
        }
        add(&mut self.attempts, attempts);
        for (attribute, value) in interview.persona.attributes.labels() {
            add(self.groups.entry(attribute).or_default().entry(value).or_default(), attempts);
        }
        if let Some(passed) = interview.dealt.as_ref().and_then(|dealt| dealt.passed_checks(run, &interview.outcomes)) {
            self.checks = (self.checks.0 + usize::from(passed), self.checks.1 + 1);
        }
    }

    fn diagnoses(&self, run: &Run, unstable: Vec<Finding>, thresholds: &Thresholds) -> Vec<Diagnosis> {
        let asked: Vec<(&Question, &QuestionAnswers)> = run.questions.iter().zip(&self.questions).collect();
        let of_each = |found: &dyn Fn(&Question, &QuestionAnswers) -> Option<Finding>| {
            asked.iter().filter_map(|(question, answers)| found(question, answers)).collect::<Vec<_>>()
        };
        let modal = of_each(&|question, answers| modal_answer(&question.name, &answers.values, thresholds));
        let texts = of_each(&|question, answers| duplicate_texts(&question.name, &answers.texts, thresholds));
        let straight =
            of_each(&|question, answers| straight_lining(&question.name, &answers.ratings, None, thresholds));
        let chosen: Vec<Chosen> = (asked.iter())
            .filter(|(_, answers)| !answers.places.is_empty())
            .map(|(question, answers)| Chosen { item: question.name.clone(), places: answers.places.clone() })
            .collect();
        let placed: Vec<(String, Vec<f64>, Vec<f64>)> = (asked.iter())
            .filter(|(_, answers)| !answers.at.is_empty())
            .map(|(question, answers)| {
                let (values, places) = answers.at.iter().copied().unzip();
                (question.name.clone(), values, places)
            })
            .collect();
        let valid = validity("", self.attempts, thresholds).into_iter().collect();
        let small = |groups: &&BTreeMap<String, Attempts>| (2..=MOST_GROUPS).contains(&groups.len());
        let named = self.groups.iter().filter(|(_, groups)| small(groups)).flat_map(|(attribute, groups)| {
            refusals(groups, thresholds)
                .into_iter()
                .map(move |finding| Finding { of: format!("{attribute}: {}", finding.of), ..finding })
        });
        let refused = if self.attempts.refused == 0 { Vec::new() } else { named.collect() };
        let versions: Vec<String> = self.fingerprints.iter().cloned().collect();
        let versions = if versions.is_empty() { Vec::new() } else { vec![drift(&versions)] };
        let checked = attention(self.checks.0, self.checks.1, thresholds).into_iter().collect();
        let found = Diagnosis::found;
        let needs = |diagnostic, missing| Diagnosis { diagnostic, findings: Err(missing) };
        const PEOPLE: &str = "needs the answers of people: compare with them under People";
        vec![
            found(Diagnostic::Validity, valid, "no request was answered"),
            found(Diagnostic::Refusals, refused, "no request was refused"),
            found(Diagnostic::ModalAnswer, modal, "no question has options or a number for an answer"),
            found(Diagnostic::DuplicateTexts, texts, "no question is answered in free words"),
            found(Diagnostic::StraightLining, straight, "no matrix has four rows or more"),
            found(
                Diagnostic::Acquiescence,
                balanced(&asked, thresholds),
                "no questions of one scale are marked as reversed",
            ),
            found(Diagnostic::OptionPosition, option_positions(&chosen, thresholds), "options were not shuffled"),
            found(
                Diagnostic::QuestionOrder,
                question_positions(&placed, thresholds),
                "no block asks numbers or ordered options in a drawn order",
            ),
            found(Diagnostic::Attention, checked, "no question is an attention check"),
            found(Diagnostic::Drift, versions, "the model server reports no version of its model"),
            Diagnosis::of_people(Diagnostic::Instability, unstable),
            needs(Diagnostic::Spread, PEOPLE),
            needs(Diagnostic::SubgroupError, PEOPLE),
            needs(Diagnostic::Stereotyping, PEOPLE),
            needs(Diagnostic::HyperRationality, PEOPLE),
            needs(Diagnostic::Contamination, "needs people who were asked twice"),
        ]
    }
}

fn add(sum: &mut Attempts, more: Attempts) {
    sum.requests += more.requests;
    sum.valid_at_first_try += more.valid_at_first_try;
    sum.refused += more.refused;
}

impl QuestionAnswers {
    /// `value`: in the survey's own words. `order`: of shuffled options, as shown.
    fn add(&mut self, question: &Question, value: &Value, order: Option<&[i16]>, interview: &InterviewOutcomes) {
        let place = |texts: &[String], text: &Value| texts.iter().position(|one| Some(one.as_str()) == text.as_str());
        match question.question_type {
            QuestionType::SingleChoice => {
                let Some(option) = place(&question.options, value) else { return };
                self.values.push(option as f64 + 1.0);
                self.note_place(question, option, order);
            }
            QuestionType::Boolean => self.values.extend(value.as_bool().map(f64::from)),
            QuestionType::Slider | QuestionType::Range | QuestionType::Number => self.values.extend(value.as_f64()),
            QuestionType::Matrix => {
                let rating = |row: &String| Some(place(&question.scale_labels, value.get(row)?)? as f64 + 1.0);
                self.ratings.extend(question.sub_questions.iter().map(rating).collect::<Option<Vec<_>>>());
            }
            QuestionType::OpenEnded => self.texts.extend(value.as_str().map(str::to_owned)),
            // Names, ages, places: equal ones are no sign of anything.
            QuestionType::TextEntry
            | QuestionType::MultipleChoice
            | QuestionType::Info
            | QuestionType::ConstantSum
            | QuestionType::Rank
            | QuestionType::BestWorst
            | QuestionType::MatrixMulti => return,
        }
        if let (Some(value), Some(place)) = (self.values.last(), place_in_block(question, interview)) {
            self.at.push((*value, place));
        }
    }

    /// The place at which the chosen option was shown. Only of all options, each of which could stand anywhere.
    fn note_place(&mut self, question: &Question, option: usize, order: Option<&[i16]>) {
        let Some(order) = order.filter(|order| order.len() == question.options.len()) else { return };
        if let Some(shown) = order.iter().position(|written| usize::try_from(*written).is_ok_and(|at| at == option + 1))
        {
            self.places.resize(order.len(), 0.0);
            self.places[shown] += 1.0;
        }
    }
}

/// Whether each option of the question can stand at each place.
fn is_shuffled(run: &Run, question: &Question) -> bool {
    let is_pinned = question.logic.pin.as_ref().is_some_and(|pinned| !pinned.is_empty());
    let by_run = run.parameters.shuffle_options && question.logic.shuffle.is_none();
    (by_run || matches!(question.logic.shuffle, Some(Shuffle::All))) && !is_pinned
}

/// From 1, where the twin's block was asked in an order that was drawn for it, and the answers have an order too.
fn place_in_block(question: &Question, interview: &InterviewOutcomes) -> Option<f64> {
    let is_ordered = match question.question_type {
        QuestionType::Slider | QuestionType::Range | QuestionType::Number => true,
        QuestionType::SingleChoice => question.logic.scale.is_some_and(|scale| scale != Scale::Nominal),
        _ => false,
    };
    let dealt = interview.dealt.as_ref().filter(|_| is_ordered)?;
    let order = dealt.orders.get(&dealt.shown(question.id)?.block)?;
    let place = order.split(super::dealt::THEN).position(|name| name == question.name)?;
    Some(place as f64 + 1.0)
}

/// Items of one scale: single choices among the same options, some of which point the other way.
fn balanced(asked: &[(&Question, &QuestionAnswers)], thresholds: &Thresholds) -> Vec<Finding> {
    let mut scales: BTreeMap<&[String], Vec<(&str, BalancedItem<'_>)>> = BTreeMap::new();
    for (question, answers) in asked {
        if question.question_type == QuestionType::SingleChoice && question.logic.scale.is_some() {
            let is_reversed = question.logic.reverse.unwrap_or_default();
            let item = BalancedItem { twins: &answers.values, categories: question.options.len(), is_reversed };
            scales.entry(&question.options).or_default().push((&question.name, item));
        }
    }
    let found = |items: Vec<(&str, BalancedItem<'_>)>| {
        let names = items.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        acquiescence(&names, &items.into_iter().map(|(_, item)| item).collect::<Vec<_>>(), thresholds)
    };
    scales.into_values().filter_map(found).collect()
}
