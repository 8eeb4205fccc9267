use std::collections::BTreeMap;

use serde::Serialize;

use super::covariates::{self, Covariates, UnusedCovariate};
use super::experiment::{ArmOutcome, outcomes};
use super::{Experiment, Item, RULE, Respondents, Settings};
use crate::effects::{
    Agreement, ArmSample, Difference, EffectPair, EffectSummary, ShownEffects, Significance, agreement, clustered, lin,
    newcombe, paired, summarise, welch,
};
use crate::groups::{AdjustedTest, GroupVerdict, adjust_families};
use crate::multiplicity::Multiplicity;
use crate::sample::Mean;

/// The effect of an arm on one question, against the reference arm, among people and among twins.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", schema(as = EffectOfArm))]
pub struct Contrast {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub item: String,
    /// The questions that are this outcome, if they are several.
    #[cfg_attr(feature = "openapi", schema(example = json!([])))]
    pub made_of: Vec<String>,
    /// The option whose share is compared, for questions without an order.
    pub category: Option<String>,
    #[cfg_attr(feature = "openapi", schema(example = "resort"))]
    pub arm: String,
    /// The arm with which it is compared: the first one in which the question was asked.
    #[cfg_attr(feature = "openapi", schema(example = "control"))]
    pub reference: String,
    /// The effect among people. Intervals of shares are Newcombe's. Where a respondent has several answers, errors are
    /// clustered by respondent (CR2).
    pub people: Difference,
    pub twins: Difference,
    /// The effect adjusted for the covariates by regression (Lin); null without covariates, and where its regression has no
    /// solution.
    pub people_adjusted: Option<Difference>,
    pub twins_adjusted: Option<Difference>,
    #[serde(flatten)]
    pub agreement: Agreement,
    /// p of the people's effect, adjusted by Benjamini and Hochberg over the table, also where a frozen plan has another rule.
    pub q_people: f64,
    pub q_twins: f64,
    /// The effect among people, among the others of the table.
    pub adjusted_people: AdjustedTest,
    /// The effect among twins, among the others of the table.
    pub adjusted_twins: AdjustedTest,
}

/// A contrast that cannot be compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NotCompared {
    #[cfg_attr(feature = "openapi", schema(example = "price"))]
    pub item: String,
    /// The option whose share would be compared.
    pub category: Option<String>,
    #[cfg_attr(feature = "openapi", schema(example = "resort"))]
    pub arm: String,
    #[cfg_attr(feature = "openapi", schema(example = "control"))]
    pub reference: String,
    #[cfg_attr(feature = "openapi", schema(example = "twins of these arms were not asked"))]
    pub reason: &'static str,
    /// The effect of the side that has one.
    pub people: Option<Difference>,
    pub twins: Option<Difference>,
}

/// Effects of an experiment's arms among people and among twins.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", schema(as = Arms))]
pub struct ArmTable {
    /// The random node of the design whose arms they are; null if arms are known by a column alone.
    #[cfg_attr(feature = "openapi", schema(example = "fee_arm"))]
    pub node: Option<String>,
    /// The first arm of the design. Every other arm is compared with it, or with the first one that has the question.
    #[cfg_attr(feature = "openapi", schema(example = "control"))]
    pub reference: String,
    /// Whether each twin answered in every arm, so that it is compared with itself.
    pub twins_in_all_arms: bool,
    pub effects: Vec<Contrast>,
    /// Contrasts of what was asked before the arms were dealt, or in a drawn order beside them. They check the balance of
    /// the arms and are no effects; their p are not adjusted.
    pub balance: Vec<Contrast>,
    pub not_compared: Vec<NotCompared>,
    /// Names of the covariates for which effects are adjusted.
    pub covariates: Vec<String>,
    pub unused_covariates: Vec<UnusedCovariate>,
    /// Agreement over all effects; null without effects.
    pub agreement: Option<EffectSummary>,
}

/// One side of an experiment.
struct Side<'a> {
    of: &'a Respondents,
    rows: BTreeMap<&'a str, Vec<usize>>,
    /// Whether each respondent answered in every arm.
    in_all_arms: bool,
    covariates: Covariates,
}

/// The answers of one arm, row by row.
#[derive(Default)]
struct Answers<'a> {
    values: Vec<f64>,
    weights: Vec<f64>,
    ids: Vec<&'a str>,
    rows: Vec<usize>,
}

impl Answers<'_> {
    fn sample(&self) -> ArmSample<'_> {
        ArmSample { values: &self.values, weights: &self.weights }
    }

    fn mean(&self) -> Option<Mean> {
        Mean::compute(&self.values, &self.weights)
    }

    /// Whether a respondent has several answers in this arm.
    fn has_several(&self) -> bool {
        self.rows.windows(2).any(|rows| rows[0] == rows[1])
    }

    /// The share and the effective number of respondents.
    fn share(&self) -> Option<(f64, f64)> {
        let n = crate::sample::effective_n(&self.weights)?;
        Some((crate::sample::mean(&self.values, &self.weights)? * n, n))
    }
}

impl<'a> Side<'a> {
    fn answers(&self, outcome: &ArmOutcome, arm: &str) -> Answers<'a> {
        let mut answers = Answers::default();
        for row in self.rows.get(arm).into_iter().flatten() {
            for value in outcome.values(self.of, *row) {
                answers.values.push(value);
                answers.weights.push(self.of.weight(*row));
                answers.ids.push(&self.of.ids[*row]);
                answers.rows.push(*row);
            }
        }
        answers
    }

    /// The difference of two arms, with the interval that is shown.
    fn effect(&self, outcome: &ArmOutcome, arm: &str, reference: &str, level: f64) -> Effect {
        let (first, second) = (self.answers(outcome, arm), self.answers(outcome, reference));
        let asked = !first.values.is_empty() && !second.values.is_empty();
        let several = first.has_several() || second.has_several();
        let difference = if several {
            clustered(first.sample(), second.sample(), [&first.ids, &second.ids], level)
        } else if self.in_all_arms {
            within(&first, &second, level)
        } else {
            first.mean().zip(second.mean()).and_then(|(a, b)| Some(welch(a, b, level)?.with_details(a, b)))
        };
        let share = || {
            let ((a, n), (b, m)) = first.share().zip(second.share())?;
            newcombe(a, n, b, m, level).map(|(_, interval)| interval)
        };
        let shown = match outcome.category.is_some() && !several {
            true => difference.zip(share()).map(|(difference, interval)| difference.with(interval)),
            false => None,
        };
        let adjusted = if several || self.in_all_arms { None } else { self.adjusted(&first, &second, level) };
        Effect { difference, shown: shown.or(difference), adjusted, asked }
    }

    /// The difference adjusted for covariates, of the respondents who have them all.
    fn adjusted(&self, first: &Answers<'_>, second: &Answers<'_>, level: f64) -> Option<Difference> {
        let complete = |answers: &Answers<'_>| {
            let known = answers.rows.iter().enumerate();
            let known = known.filter_map(|(place, row)| Some((place, self.covariates.row(*row)?.clone())));
            let known: Vec<(usize, Vec<f64>)> = known.filter(|(place, _)| answers.weights[*place] > 0.0).collect();
            let pick = |of: &[f64]| known.iter().map(|(place, _)| of[*place]).collect::<Vec<f64>>();
            let (values, weights) = (pick(&answers.values), pick(&answers.weights));
            (values, weights, known.into_iter().map(|(_, row)| row).collect::<Vec<_>>())
        };
        let ((a, of_a, x), (b, of_b, z)) = (complete(first), complete(second));
        let (first, second) = (ArmSample { values: &a, weights: &of_a }, ArmSample { values: &b, weights: &of_b });
        lin(first, second, [&x, &z], level)
    }
}

/// The effect on one side.
struct Effect {
    /// The difference with Student's interval, which effects are compared by.
    difference: Option<Difference>,
    /// The difference with the interval that is shown: shares have Newcombe's.
    shown: Option<Difference>,
    adjusted: Option<Difference>,
    /// Whether both arms have answers.
    asked: bool,
}

impl ArmTable {
    /// Adjusts p of the effects among people, and p of those among twins: each over its tests.
    pub(super) fn adjust(&mut self, fresh: AdjustedTest, level: f64) {
        adjust_effects(&mut self.effects, fresh);
        // Checks of balance are many by design, and one that is significant by chance is no finding.
        adjust_effects(&mut self.balance, AdjustedTest { adjustment: Multiplicity::None, ..fresh });
        let Some(agreement) = &mut self.agreement else { return };
        let mut counts = Significance::default();
        for effect in &self.effects {
            let tests = [effect.adjusted_people, effect.adjusted_twins];
            counts.add(tests.map(|test| test.verdict == GroupVerdict::Differs), effect.agreement.same_sign);
        }
        agreement.shown = ShownEffects::new(counts, level);
    }
}

fn adjust_effects(effects: &mut [Contrast], fresh: AdjustedTest) {
    for effect in effects.iter_mut() {
        (effect.adjusted_people, effect.adjusted_twins) = (fresh, fresh);
    }
    adjust_families(effects.iter_mut().map(|effect| (Some(effect.people.p), &mut effect.adjusted_people)));
    adjust_families(effects.iter_mut().map(|effect| (Some(effect.twins.p), &mut effect.adjusted_twins)));
}

/// Compares the arms, with p adjusted by [`RULE`]. `None` unless both sides have the same arms, at least two.
pub fn compare_arms(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    experiment: &Experiment,
    settings: Settings,
) -> Option<ArmTable> {
    let mut table = table(items, people, twins, experiment, settings)?;
    table.adjust(AdjustedTest::new(RULE, None), settings.bootstrap.level);
    for effect in table.effects.iter_mut().chain(&mut table.balance) {
        let q = |of: AdjustedTest| of.p.unwrap_or(f64::NAN);
        (effect.q_people, effect.q_twins) = (q(effect.adjusted_people), q(effect.adjusted_twins));
    }
    Some(table)
}

/// Compares the arms without adjusting p.
fn table(
    items: &[Item],
    people: &Respondents,
    twins: &Respondents,
    experiment: &Experiment,
    settings: Settings,
) -> Option<ArmTable> {
    let (of_people, of_twins) = (rows_of_arms(people)?, rows_of_arms(twins)?);
    let common = experiment.sort(of_people.keys().copied().filter(|arm| of_twins.contains_key(arm)));
    let (reference, others) = common.split_first()?;
    if others.is_empty() {
        return None;
    }
    let level = settings.bootstrap.level;
    let twins_in_all_arms = others.iter().all(|arm| is_any_in_both(twins, &of_twins[arm], &of_twins[reference]));
    let ([covariates, of_twin], used, unused_covariates) = covariates::collect(items, experiment, [people, twins]);
    let human = Side { of: people, rows: of_people, in_all_arms: false, covariates };
    let twin = Side { of: twins, rows: of_twins, in_all_arms: twins_in_all_arms, covariates: of_twin };
    let (mut effects, mut balance, mut not_compared) = (Vec::new(), Vec::new(), Vec::new());
    // Effects are compared by Student's intervals, but shares are shown with Newcombe's.
    let mut compared: Vec<[Difference; 2]> = Vec::new();
    for outcome in outcomes(items, experiment, [people, twins]) {
        cancellation::check();
        // The reference is the first arm in which the question was asked.
        let is_asked = |arm: &&&str| !human.answers(&outcome, arm).values.is_empty();
        let asked: Vec<&str> = common.iter().filter(is_asked).copied().collect();
        let Some((reference, arms)) = asked.split_first() else { continue };
        for arm in arms {
            let sides = [&human, &twin].map(|side| side.effect(&outcome, arm, reference, level));
            let [of_people, of_twins] = &sides;
            let (Some(people), Some(twins)) = (of_people.difference, of_twins.difference) else {
                not_compared.push(NotCompared {
                    item: outcome.name.clone(),
                    category: outcome.category.clone(),
                    arm: (*arm).to_owned(),
                    reference: (*reference).to_owned(),
                    reason: reason(&sides),
                    people: of_people.shown,
                    twins: of_twins.shown,
                });
                continue;
            };
            let contrast = Contrast {
                item: outcome.name.clone(),
                made_of: if outcome.made_of.len() > 1 { outcome.made_of.clone() } else { Vec::new() },
                category: outcome.category.clone(),
                arm: (*arm).to_owned(),
                reference: (*reference).to_owned(),
                people: of_people.shown.unwrap_or(people),
                twins: of_twins.shown.unwrap_or(twins),
                people_adjusted: of_people.adjusted,
                twins_adjusted: of_twins.adjusted,
                q_people: f64::NAN,
                q_twins: f64::NAN,
                adjusted_people: AdjustedTest::default(),
                adjusted_twins: AdjustedTest::default(),
                agreement: agreement(&people, &twins, level),
            };
            if outcome.is_balance {
                balance.push(contrast);
            } else {
                effects.push(contrast);
                compared.push([people, twins]);
            }
        }
    }
    let pairs: Vec<EffectPair> = effects
        .iter()
        .zip(&compared)
        .map(|(contrast, [people, twins])| EffectPair { item: &contrast.item, people: *people, twins: *twins })
        .collect();
    let agreement = summarise(&pairs, settings.bootstrap);
    Some(ArmTable {
        node: experiment.node.clone(),
        reference: (*reference).to_owned(),
        twins_in_all_arms,
        effects,
        balance,
        not_compared,
        covariates: used,
        unused_covariates,
        agreement,
    })
}

/// The reason why two sides have no effects to compare.
fn reason([people, twins]: &[Effect; 2]) -> &'static str {
    if !twins.asked {
        return "twins of these arms were not asked";
    }
    match (people.difference, twins.difference) {
        (None, None) => "on both sides all answers are equal, or they are too few",
        (None, _) => "people's answers are all equal, or too few",
        _ => "twins' answers are all equal, or too few",
    }
}

fn rows_of_arms(side: &Respondents) -> Option<BTreeMap<&str, Vec<usize>>> {
    let mut rows: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (row, arm) in side.arms.as_ref()?.iter().enumerate().filter(|(_, arm)| !arm.is_empty()) {
        rows.entry(arm).or_default().push(row);
    }
    Some(rows)
}

/// Whether a respondent answered in both arms.
fn is_any_in_both(side: &Respondents, arm: &[usize], reference: &[usize]) -> bool {
    let others: std::collections::BTreeSet<&str> = reference.iter().map(|row| side.ids[*row].as_str()).collect();
    arm.iter().any(|row| others.contains(side.ids[*row].as_str()))
}

/// Compares respondents who answered in both arms with themselves.
fn within(first: &Answers<'_>, second: &Answers<'_>, level: f64) -> Option<Difference> {
    let others: BTreeMap<&str, f64> = second.ids.iter().copied().zip(second.values.iter().copied()).collect();
    let mut values: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    let mut weights = Vec::new();
    for ((id, value), weight) in first.ids.iter().zip(&first.values).zip(&first.weights) {
        let Some(other) = others.get(id) else { continue };
        values[0].push(*value);
        values[1].push(*other);
        weights.push(*weight);
    }
    paired(&values[0], &values[1], &weights, level)
}
