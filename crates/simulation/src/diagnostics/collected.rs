//! Collects the answers of a run for diagnostics.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use evidence::compare::{Column, KeyedScale, Respondents};
use evidence::diagnostics::{
    Attempts, Chosen, Diagnosis, Diagnostic, Finding, OpenTexts, Thresholds, acquiescence, attention, desirability,
    drift, duplicate_texts, empty_pipes, hyper_rationality, mixed_keys, modal_answer, option_positions, published,
    question_positions, refusals, same_words, straight_lining, validity,
};
use evidence::upload::part_name;
use survey::answer::{Answer, AnswerShape};
use survey::logic::{Scale, Shuffle};
use survey::question::{Question, QuestionType};

use crate::answers::RequestOutcome;
use crate::dealt::{ORDER_SEPARATOR, decode};
use crate::diagnostics::scales::scales;
use crate::outcomes::InterviewOutcomes;
use crate::run::Run;

/// Maximum number of values of an attribute that makes groups.
const MAX_GROUPS: usize = 20;

/// A question whose right answers are known, and which the people behind the twins answered.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerKey {
    pub title: &'static str,
    /// Position among the questions that take an answer.
    pub question: usize,
    /// 1-based positions of the right options or labels; for a matrix, those of every row.
    pub right: &'static [f64],
    /// Share of right answers of each twin's person.
    pub people: BTreeMap<i32, f64>,
}

/// The answers to one question, twin by twin.
#[derive(Debug, Default)]
struct QuestionAnswers {
    attempts: Attempts,
    /// The answer of every twin that was read: 1-based options, or numbers.
    values: Vec<Option<f64>>,
    /// The ratings of each row of a matrix: 1-based labels.
    ratings: Vec<Vec<Option<f64>>>,
    texts: OpenTexts,
    /// Numbers of answers by the position at which the chosen option was shown; empty unless options were shuffled.
    places: Vec<f64>,
    /// Answers with their position in a block of a drawn order.
    at: Vec<(f64, f64)>,
}

/// The collected answers. Memory grows with answers to choices and numbers, and with the number of different texts.
#[derive(Debug, Default)]
pub struct CollectedAnswers {
    twins: usize,
    /// The questions in the order of the survey.
    questions: Vec<QuestionAnswers>,
    attempts: Attempts,
    /// Outcomes of requests by attribute and value.
    groups: BTreeMap<String, BTreeMap<String, Attempts>>,
    checks: (usize, usize),
    fingerprints: BTreeSet<String>,
    /// Fingerprints of the other runs of its study.
    fingerprints_beside: BTreeSet<String>,
    /// Number of twins that saw a text of a question with an empty pipe, and number of all that saw it, by question id.
    piped: HashMap<i64, (usize, usize)>,
    known: Vec<AnswerKey>,
    /// Shares of right answers of twins and of their people, for each question with a key.
    right: Vec<Vec<(f64, f64)>>,
}

impl CollectedAnswers {
    pub fn new(run: &Run, known: Vec<AnswerKey>) -> Self {
        let questions = run.questions.iter().map(|_| QuestionAnswers::default()).collect();
        Self { questions, right: vec![Vec::new(); known.len()], known, ..Self::default() }
    }

    /// Adds fingerprints of other runs that should have asked the same model.
    pub fn add_fingerprints(&mut self, fingerprints: Vec<String>) {
        self.fingerprints_beside.extend(fingerprints);
    }

    pub fn add(&mut self, run: &Run, interview: &InterviewOutcomes) {
        self.twins += 1;
        let mut attempts = Attempts::default();
        for ((question, answers), outcome) in run.questions.iter().zip(&mut self.questions).zip(&interview.outcomes) {
            let mut request = Attempts::default();
            match outcome {
                RequestOutcome::Answered(_, provenance) => {
                    request.requests = 1;
                    let first = provenance.as_ref().is_some_and(|provenance| provenance.attempt <= 1);
                    request.valid_at_first_try = usize::from(first);
                    let order = provenance.as_ref().filter(|_| is_shuffled(run, question));
                    let order = order.and_then(|provenance| provenance.option_order.as_deref());
                    if let Some(answer) = decode(question, outcome, interview.dealt.as_ref()) {
                        answers.add(question, &answer, order, interview);
                    }
                    let fingerprint = provenance.as_ref().and_then(|provenance| provenance.fingerprint.clone());
                    self.fingerprints.extend(fingerprint.filter(|fingerprint| !fingerprint.is_empty()));
                }
                RequestOutcome::Failed(failure) => {
                    request.requests = 1;
                    request.refused = usize::from(failure.code == "refused");
                }
                RequestOutcome::Open | RequestOutcome::Skipped(_) | RequestOutcome::NotAssigned => {}
            }
            answers.end(question, self.twins);
            add(&mut answers.attempts, request);
            add(&mut attempts, request);
        }
        for shown in interview.dealt.iter().flat_map(|dealt| dealt.all_shown()) {
            let (empty, all) = self.piped.entry(shown.question.id).or_default();
            *empty += usize::from(shown.empty_pipes > 0);
            *all += 1;
        }
        for (known, right) in self.known.iter().zip(&mut self.right) {
            let answers = self.questions.get(known.question).and_then(|answers| answers.share_of_last(known.right));
            right.extend(answers.zip(known.people.get(&interview.persona.id).copied()));
        }
        add(&mut self.attempts, attempts);
        for (attribute, value) in interview.persona.attributes.labels() {
            add(self.groups.entry(attribute).or_default().entry(value).or_default(), attempts);
        }
        if let Some(passed) = interview.dealt.as_ref().and_then(|dealt| dealt.passed_checks(run, &interview.outcomes)) {
            self.checks = (self.checks.0 + usize::from(passed), self.checks.1 + 1);
        }
    }

    /// Returns all diagnoses. `unstable` are the findings of the run's repeats.
    pub fn diagnoses(&self, run: &Run, unstable: Vec<Finding>, thresholds: &Thresholds) -> Vec<Diagnosis> {
        let asked: Vec<(&Question, &QuestionAnswers)> = run.questions.iter().zip(&self.questions).collect();
        let of_each = |found: &dyn Fn(&Question, &QuestionAnswers) -> Option<Finding>| {
            asked.iter().filter_map(|(question, answers)| found(question, answers)).collect::<Vec<_>>()
        };
        let modal = of_each(&|question, answers| {
            let values: Vec<f64> = answers.values.iter().flatten().copied().collect();
            modal_answer(&question.name, &values, thresholds)
        });
        let texts = of_each(&|question, answers| duplicate_texts(&question.name, &answers.texts, thresholds));
        let words = of_each(&|question, answers| same_words(&question.name, &answers.texts, thresholds));
        let scales = scales(&run.questions);
        let twins = self.respondents(run);
        let straight = (scales.iter().filter(|scale| scale.is_matrix))
            .filter_map(|scale| straight_lining(&scale.name, &scale.rows(&twins)?, None, thresholds))
            .collect();
        let of_scales = |found: &dyn Fn(&KeyedScale) -> Option<Finding>| scales.iter().filter_map(found).collect();
        let agreeing = of_scales(&|scale| acquiescence(&scale.name, &scale.balanced(&twins)?, thresholds));
        let mixed = of_scales(&|scale| mixed_keys(&scale.name, &scale.balanced(&twins)?, None, thresholds));
        let desirable = (asked.iter().filter(|(question, _)| question.logic.desirable.unwrap_or_default()))
            .flat_map(|(question, answers)| answers.agreement(question))
            .filter_map(|(item, agreement)| desirability(&item, &agreement, thresholds))
            .collect();
        let known = (asked.iter().filter(|(question, _)| question.logic.published.unwrap_or_default()))
            .map(|(question, _)| published(&question.name, self.twins))
            .collect();
        let right = self.known.iter().zip(&self.right).filter_map(|(known, right)| {
            let name = run.questions.get(known.question).map_or("", |question| &question.name);
            hyper_rationality(&format!("{}: {name}", known.title), right)
        });
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
        let small = |groups: &&BTreeMap<String, Attempts>| (2..=MAX_GROUPS).contains(&groups.len());
        let named = self.groups.iter().filter(|(_, groups)| small(groups)).flat_map(|(attribute, groups)| {
            refusals(groups, thresholds)
                .into_iter()
                .map(move |finding| Finding { of: format!("{attribute}: {}", finding.of), ..finding })
        });
        let by_question: BTreeMap<String, Attempts> =
            asked.iter().map(|(question, answers)| (question.name.clone(), answers.attempts)).collect();
        // A survey may have hundreds of questions, so only those with refusals are reported.
        let by_question = refusals(&by_question, thresholds).into_iter().filter(|finding| finding.value > 0.0);
        let by_question = by_question.map(|finding| Finding { of: format!("question {}", finding.of), ..finding });
        let refused = if self.attempts.refused == 0 { Vec::new() } else { named.chain(by_question).collect() };
        let versions: Vec<String> = self.fingerprints.iter().cloned().collect();
        let versions = if versions.is_empty() { Vec::new() } else { vec![drift("", &versions)] };
        let all: Vec<String> = self.fingerprints.union(&self.fingerprints_beside).cloned().collect();
        let of_study = (!self.fingerprints_beside.is_empty()).then(|| drift("all runs of the study", &all));
        let versions = versions.into_iter().chain(of_study).collect();
        let checked = attention(self.checks.0, self.checks.1, thresholds).into_iter().collect();
        let found = Diagnosis::found;
        let needs = Diagnosis::not_applicable;
        const REVERSED: &str = "no questions of one scale, or rows of a matrix, are marked as reversed";
        const PEOPLE: &str = "needs the answers of people: compare with them under People";
        vec![
            found(Diagnostic::Validity, valid, "no request was answered"),
            found(Diagnostic::Refusals, refused, "no request was refused"),
            found(
                Diagnostic::EmptyPipes,
                self.empty_pipes(run, thresholds),
                "no text pipes what a twin answered or was dealt",
            ),
            found(Diagnostic::ModalAnswer, modal, "no question has options or a number for an answer"),
            found(Diagnostic::DuplicateTexts, texts, "no question is answered in free words"),
            found(Diagnostic::SameWords, words, "no question has a hundred words of free answers"),
            found(Diagnostic::StraightLining, straight, "no matrix has four rows or more"),
            found(Diagnostic::MixedKeys, mixed, REVERSED),
            found(Diagnostic::Acquiescence, agreeing, REVERSED),
            found(Diagnostic::Desirability, desirable, "no question is marked as one that it looks good to agree with"),
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
            found(
                Diagnostic::HyperRationality,
                right.collect(),
                "needs a validation of 20 twins with tasks whose right answers are known",
            ),
            found(
                Diagnostic::Contamination,
                known,
                "needs people who were asked twice, or a question that is marked as published",
            ),
        ]
    }

    /// Returns the answers on scales, in the form of the statistics.
    fn respondents(&self, run: &Run) -> Respondents {
        let mut answers = BTreeMap::new();
        for (question, of) in run.questions.iter().zip(&self.questions) {
            match question.shape() {
                Some(AnswerShape::Choice) => {
                    answers.insert(question.name.clone(), Column::Numbers(of.values.clone()));
                }
                Some(AnswerShape::Labels) => answers.extend(of.ratings.iter().enumerate().map(|(place, row)| {
                    let mut row = row.clone();
                    row.resize(self.twins, None);
                    (part_name(&question.name, place + 1), Column::Numbers(row))
                })),
                _ => {}
            }
        }
        Respondents { ids: (0..self.twins).map(|twin| twin.to_string()).collect(), answers, ..Respondents::default() }
    }

    /// Returns findings for the questions with pipes, in the order of the survey.
    fn empty_pipes(&self, run: &Run, thresholds: &Thresholds) -> Vec<Finding> {
        let Some(plan) = &run.plan else { return Vec::new() };
        let finding = |question: &Question| {
            let (empty, all) = self.piped.get(&question.id)?;
            empty_pipes(&question.name, *empty, *all, thresholds)
        };
        plan.tailored().filter_map(|item| finding(&item.question)).collect()
    }
}

fn add(sum: &mut Attempts, more: Attempts) {
    sum.requests += more.requests;
    sum.valid_at_first_try += more.valid_at_first_try;
    sum.refused += more.refused;
}

impl QuestionAnswers {
    /// Adds an answer, which is in the survey's own words. `order` is that of shuffled options, as shown.
    fn add(&mut self, question: &Question, answer: &Answer, order: Option<&[i16]>, interview: &InterviewOutcomes) {
        let place = |texts: &[String], text: &String| texts.iter().position(|one| one == text);
        match answer {
            Answer::Choice(option) => {
                let Some(option) = place(&question.options, option) else { return };
                self.values.push(Some(option as f64 + 1.0));
                self.note_place(question, option, order);
            }
            Answer::YesNo(yes) => self.values.push(Some(f64::from(*yes))),
            Answer::Number(number) => self.values.push(Some(*number)),
            Answer::Labels(labels) => {
                let rating = |row: &String| Some(place(&question.scale_labels, labels.get(row)?)? as f64 + 1.0);
                self.ratings.resize(question.sub_questions.len(), Vec::new());
                for (row, ratings) in question.sub_questions.iter().zip(&mut self.ratings) {
                    ratings.push(rating(row));
                }
            }
            Answer::Text(text) if question.question_type == QuestionType::OpenEnded => self.texts.add(text),
            // Other answers have no place on a scale. Equal short texts such as names, ages or places are normal.
            _ => return,
        }
        if let (Some(Some(value)), Some(place)) = (self.values.last(), place_in_block(question, interview)) {
            self.at.push((*value, place));
        }
    }

    /// Ends the answers of a twin.
    fn end(&mut self, question: &Question, twins: usize) {
        if question.shape() == Some(AnswerShape::Labels) {
            self.ratings.resize(question.sub_questions.len(), Vec::new());
            self.ratings.iter_mut().for_each(|row| row.resize(twins, None));
        } else {
            self.values.resize(twins, None);
        }
    }

    /// Returns the share of the last twin's answer that is in `right`. `None` if it did not answer.
    fn share_of_last(&self, right: &[f64]) -> Option<f64> {
        let rows = self.ratings.iter().chain([&self.values]).filter_map(|row| row.last().copied().flatten());
        let (hits, all) =
            rows.fold((0.0, 0.0), |(hits, all), said| (hits + f64::from(right.contains(&said)), all + 1.0));
        (all > 0.0).then(|| hits / all)
    }

    /// Returns how much each twin agrees with each item, 0 to 1. Empty if the scale has no end of agreement.
    fn agreement(&self, question: &Question) -> Vec<(String, Vec<f64>)> {
        let scaled = |values: &[Option<f64>], (min, max): (f64, f64)| {
            values.iter().flatten().map(|value| (value - min) / (max - min)).collect::<Vec<_>>()
        };
        let ends = match question.shape() {
            Some(AnswerShape::Choice) => Some((1.0, question.options.len() as f64)),
            Some(AnswerShape::Labels) => Some((1.0, question.scale_labels.len() as f64)),
            Some(AnswerShape::YesNo) => Some((0.0, 1.0)),
            _ => question.min_value.zip(question.max_value),
        };
        let Some(ends) = ends.filter(|(min, max)| max > min) else { return Vec::new() };
        let rows = self.ratings.iter().enumerate();
        let rows = rows.map(|(place, row)| (part_name(&question.name, place + 1), scaled(row, ends)));
        if question.shape() == Some(AnswerShape::Labels) {
            return rows.collect();
        }
        vec![(question.name.clone(), scaled(&self.values, ends))]
    }

    /// Notes the position at which the chosen option was shown, if every option could have every position.
    fn note_place(&mut self, question: &Question, option: usize, order: Option<&[i16]>) {
        let Some(order) = order.filter(|order| order.len() == question.options.len()) else { return };
        if let Some(shown) = order.iter().position(|written| usize::try_from(*written).is_ok_and(|at| at == option + 1))
        {
            self.places.resize(order.len(), 0.0);
            self.places[shown] += 1.0;
        }
    }
}

/// Whether each option of the question can have each position.
fn is_shuffled(run: &Run, question: &Question) -> bool {
    let is_pinned = question.logic.pin.as_ref().is_some_and(|pinned| !pinned.is_empty());
    let by_run = run.parameters.shuffle_options && question.logic.shuffle.is_none();
    (by_run || matches!(question.logic.shuffle, Some(Shuffle::All))) && !is_pinned
}

/// Returns the 1-based position of the question in its block, if the block's order is drawn and the answers have an
/// order.
fn place_in_block(question: &Question, interview: &InterviewOutcomes) -> Option<f64> {
    let is_ordered = match question.shape() {
        Some(AnswerShape::Number) => true,
        Some(AnswerShape::Choice) => question.logic.scale.is_some_and(|scale| scale != Scale::Nominal),
        _ => false,
    };
    let dealt = interview.dealt.as_ref().filter(|_| is_ordered)?;
    let order = dealt.orders.get(&*dealt.shown(question.id)?.block)?;
    let place = order.split(ORDER_SEPARATOR).position(|name| name == question.name)?;
    Some(place as f64 + 1.0)
}
