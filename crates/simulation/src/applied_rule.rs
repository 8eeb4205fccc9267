//! The rule by which differences are called: that of the frozen plan where there is one.

use std::borrow::Cow;

use evidence::compare::RULE;
use evidence::multiplicity::{Multiplicity, TestRule};
use evidence::rows::FigureRow;
use serde::Serialize;
use utoipa::ToSchema;

use crate::plans::document::NotApplied;
use crate::plans::planned::PlannedAnalyses;

/// The things that the tests of a rule compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestScope {
    /// Groups of twins, or runs side by side.
    Groups,
    /// The runs of a study, which have the same twins.
    StudyRuns,
    /// Twins and people.
    People,
}

/// The rule by which groups, runs or twins and people are called different.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GroupTestRule)]
pub struct AppliedRule {
    #[serde(flatten)]
    pub rule: TestRule,
    /// Whether a frozen plan says so. Then the tests that it names are one family and all others another. Without a plan all
    /// tests of the answer are one; of a study's runs, those of each run.
    pub by_plan: bool,
    /// The family in the plan's words; empty where it says none.
    #[schema(example = "the two primary items")]
    pub family: String,
    /// Choices of the plan that the program does not apply, in the plan's words.
    pub not_applied: Vec<NotApplied>,
    /// The rule in sentences, with what the program does not apply.
    #[schema(example = "p by Holm over all tests of the answer, alpha .05.")]
    pub words: String,
}

impl AppliedRule {
    pub fn of(plan: Option<&PlannedAnalyses>, scope: TestScope) -> Self {
        let usual = if scope == TestScope::Groups { TestRule::default() } else { RULE };
        let rule = plan.map_or(usual, PlannedAnalyses::rule);
        let family = plan.map(|plan| plan.plan.choices.family.trim().to_owned()).unwrap_or_default();
        let not_applied = plan.map(PlannedAnalyses::not_applied).unwrap_or_default();
        let words = match plan {
            Some(_) => planned_words(rule, scope, &not_applied),
            None => usual_words(rule, scope),
        };
        Self { rule, by_plan: plan.is_some(), family, not_applied, words }
    }

    /// The rule of a frozen plan as a row of a table of figures.
    pub fn row(&self) -> Option<FigureRow> {
        let row = FigureRow::new("", "alpha", self.rule.alpha);
        self.by_plan.then(|| FigureRow { note: Some(Cow::Owned(self.words.clone())), ..row })
    }
}

/// `p by Holm`.
fn correction(rule: TestRule) -> String {
    match rule.adjustment {
        Multiplicity::None => "p not corrected".to_owned(),
        adjustment => format!("p by {}", adjustment.in_words()),
    }
}

/// The number without its zero.
fn alpha(rule: TestRule) -> String {
    rule.alpha.to_string().trim_start_matches('0').to_owned()
}

fn usual_words(rule: TestRule, scope: TestScope) -> String {
    let over = match scope {
        TestScope::Groups => "all tests of the answer",
        TestScope::StudyRuns => "the questions of each run",
        TestScope::People => "the questions, over the effects among people and over the effects among twins",
    };
    format!("{} over {over}, alpha {}.", correction(rule), alpha(rule))
}

fn planned_words(rule: TestRule, scope: TestScope, not_applied: &[NotApplied]) -> String {
    let mut words = format!("Tests by the frozen plan: {}, alpha {}.", correction(rule), alpha(rule));
    words += match scope {
        TestScope::Groups => " The tests that the plan names are one family, all others another.",
        TestScope::StudyRuns => " The tests of all runs that the plan names are one family, all others another.",
        TestScope::People => {
            " The plan names no comparison with people, so all tests are exploratory; those of the questions, of the effects \
             among people and of the effects among twins are a family each."
        }
    };
    if !not_applied.is_empty() {
        let choices: Vec<String> = not_applied.iter().map(|of| format!("{} ({})", of.choice, of.text)).collect();
        words += &format!(" Not applied by the program, because they are free words: {}.", choices.join("; "));
    }
    words
}
