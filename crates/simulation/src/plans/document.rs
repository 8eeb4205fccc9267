//! Content of a plan: the fields that AsPredicted and the OSF's preregistration ask for, and those that the program can
//! compare with the study.

use std::collections::BTreeSet;

use evidence::multiplicity::Multiplicity;
use evidence::upload::part_name;
use serde::{Deserialize, Serialize};
use survey::question::{Invalid, Question};
use survey::walk::{CallScope, OptionOrder};
use utoipa::ToSchema;

use crate::json_objects;
use crate::parameters::{MAX_RUNS, Memory, PersonaVariant};

/// Length limit of the title in characters.
const MAX_TITLE: usize = 500;
/// Length limit of a text field in characters.
const MAX_TEXT: usize = 20_000;
/// Length limit of a name in characters.
const MAX_NAME: usize = 500;
const MAX_HYPOTHESES: usize = 50;
const MAX_ITEMS: usize = 500;
const MAX_QUESTIONS_PER_CALL: u16 = 500;
/// Canonical JSON holds every number as a double.
const MAX_SEED: u64 = (1 << 53) - 1;

/// A researcher's commitment. Fields may be missing in a draft; a frozen plan has a title and primary items.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = StudyPlanDocument)]
pub struct PlanDocument {
    #[schema(example = "Do drip fees seem fair?", max_length = 500)]
    #[serde(default)]
    pub title: String,
    /// Authors, as everybody may see them.
    #[schema(example = "A. Author, Behavioural Lab", max_length = 20000)]
    #[serde(default)]
    pub authors: String,
    #[schema(example = "Does the name of a fee change how fair it seems?", max_length = 20000)]
    #[serde(default)]
    pub main_question: String,
    #[schema(example = json!(["A resort fee seems less fair than a service fee."]))]
    #[serde(default)]
    pub hypotheses: Vec<String>,
    #[schema(max_length = 20000)]
    #[serde(default)]
    pub dependent_variables: String,
    #[schema(max_length = 20000)]
    #[serde(default)]
    pub conditions: String,
    #[schema(max_length = 20000)]
    #[serde(default)]
    pub analyses: String,
    /// Rules for outliers and exclusions.
    #[schema(max_length = 20000)]
    #[serde(default)]
    pub exclusions: String,
    /// Number of twins with its reason, and the stopping rule.
    #[schema(max_length = 20000)]
    #[serde(default)]
    pub sample_size: String,
    #[schema(max_length = 20000)]
    #[serde(default)]
    pub other: String,
    /// Names of questions. A matrix stands for all its rows; `name_2` is its second row alone.
    #[schema(example = json!(["fair"]))]
    #[serde(default)]
    pub primary_items: Vec<String>,
    #[serde(default, deserialize_with = "json_objects::objects")]
    pub contrasts: Vec<PlannedContrast>,
    #[serde(default, deserialize_with = "json_objects::object")]
    pub choices: AnalysisChoices,
    #[serde(default, deserialize_with = "json_objects::object")]
    pub run: PlannedRuns,
    /// Whether the study's results are hidden until the plan is frozen. Cannot change once the study has been started.
    #[schema(example = true)]
    #[serde(default)]
    pub blind: bool,
}

/// Two groups of answers to be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlannedContrast {
    /// `variant`, `model`, `order`, a random node of the survey's flow, or an attribute of the twins.
    #[schema(example = "fee_arm")]
    pub of: String,
    #[schema(example = "resort")]
    pub a: String,
    #[schema(example = "service")]
    pub b: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnalysisChoices {
    /// Metric that is reported for each primary item.
    #[schema(example = "difference of means with its 95 % interval", max_length = 500)]
    #[serde(default)]
    pub metric: String,
    #[serde(default)]
    pub multiplicity: Multiplicity,
    /// Tests that the correction counts together.
    #[schema(example = "the two primary items", max_length = 500)]
    #[serde(default)]
    pub family: String,
    #[schema(example = "none", max_length = 500)]
    #[serde(default)]
    pub weights: String,
    #[schema(example = 0.05)]
    #[serde(default = "usual_alpha")]
    pub alpha: f64,
}

/// A choice of a plan that the program does not apply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PlanChoiceNotApplied)]
pub struct NotApplied {
    #[schema(example = "weights")]
    pub choice: &'static str,
    /// The choice in the plan's words.
    #[schema(example = "raked to the census by age")]
    pub text: String,
}

impl AnalysisChoices {
    /// The choices in free words that the program does not apply: it shows the figures of its own, weighs no twin, and takes
    /// the tests that the plan names for one family.
    pub fn not_applied(&self) -> Vec<NotApplied> {
        let choices = [("metric", &self.metric), ("family", &self.family), ("weights", &self.weights)];
        let is_stated = |text: &str| !text.is_empty() && !text.eq_ignore_ascii_case("none");
        let choices = choices.into_iter().map(|(choice, text)| NotApplied { choice, text: text.trim().to_owned() });
        choices.filter(|choice| is_stated(&choice.text)).collect()
    }
}

const fn usual_alpha() -> f64 {
    0.05
}

impl Default for AnalysisChoices {
    fn default() -> Self {
        Self {
            metric: String::new(),
            multiplicity: Multiplicity::default(),
            family: String::new(),
            weights: String::new(),
            alpha: usual_alpha(),
        }
    }
}

/// The planned runs. Fields that are left out are not planned, so nothing deviates from them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlannedRuns {
    /// Number of twins in each run.
    #[schema(example = 200)]
    #[serde(default)]
    pub persona_count: Option<i32>,
    #[schema(example = 42)]
    #[serde(default)]
    pub seed: Option<i64>,
    #[schema(example = json!(null))]
    #[serde(default)]
    pub temperature: Option<f64>,
    #[schema(example = json!(["gpt-4.1-mini"]))]
    #[serde(default)]
    pub models: Vec<String>,
    #[schema(example = json!(["summary", "empty"]))]
    #[serde(default)]
    pub variants: Vec<PersonaVariant>,
    /// Whether every twin is asked in every combination of arms.
    #[schema(example = false)]
    #[serde(default)]
    pub every_arm: Option<bool>,
    #[schema(example = 1)]
    #[serde(default)]
    pub repeats: Option<u16>,
    #[schema(example = json!([]))]
    #[serde(default)]
    pub orders: Vec<OptionOrder>,
    /// Upper limit of questions in one call.
    #[schema(example = json!(null), minimum = 1, maximum = 500)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions_per_call: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub call_scope: Option<CallScope>,
    /// Whether every twin sees the options in its own order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub shuffle_options: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub memory: Option<Memory>,
}

impl PlanDocument {
    /// Checks the limits of a draft.
    pub fn check(&self) -> Result<(), Invalid> {
        at_most("title", &self.title, MAX_TITLE)?;
        let texts = [
            ("authors", &self.authors),
            ("mainQuestion", &self.main_question),
            ("dependentVariables", &self.dependent_variables),
            ("conditions", &self.conditions),
            ("analyses", &self.analyses),
            ("exclusions", &self.exclusions),
            ("sampleSize", &self.sample_size),
            ("other", &self.other),
        ];
        texts.into_iter().try_for_each(|(field, text)| at_most(field, text, MAX_TEXT))?;
        few("hypotheses", self.hypotheses.len(), MAX_HYPOTHESES)?;
        self.hypotheses.iter().try_for_each(|text| at_most("hypotheses", text, MAX_TEXT))?;
        few("primaryItems", self.primary_items.len(), MAX_ITEMS)?;
        self.primary_items.iter().try_for_each(|name| at_most("primaryItems", name, MAX_NAME))?;
        few("contrasts", self.contrasts.len(), MAX_ITEMS)?;
        for PlannedContrast { of, a, b } in &self.contrasts {
            for (field, text) in [("contrasts: of", of), ("contrasts: a", a), ("contrasts: b", b)] {
                at_most(field, text, MAX_NAME)?;
                if text.trim().is_empty() {
                    return Err(Invalid::new(field, "is required"));
                }
            }
        }
        let AnalysisChoices { metric, family, weights, alpha, .. } = &self.choices;
        for (field, text) in [("choices: metric", metric), ("choices: family", family), ("choices: weights", weights)] {
            at_most(field, text, MAX_NAME)?;
        }
        if !(*alpha > 0.0 && *alpha < 1.0) {
            return Err(Invalid::new("choices: alpha", "must be between 0 and 1"));
        }
        let run = &self.run;
        if run.persona_count.is_some_and(|count| count < 1) {
            return Err(Invalid::new("run: personaCount", "must be at least 1"));
        }
        if run.seed.is_some_and(|seed| seed.unsigned_abs() > MAX_SEED) {
            return Err(Invalid::new("run: seed", format!("must be between -{MAX_SEED} and {MAX_SEED}")));
        }
        if run.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
            return Err(Invalid::new("run: temperature", "must be between 0 and 2"));
        }
        if run.repeats.is_some_and(|repeats| !(1..=MAX_RUNS).contains(&usize::from(repeats))) {
            return Err(Invalid::new("run: repeats", format!("must be between 1 and {MAX_RUNS}")));
        }
        if run.questions_per_call.is_some_and(|count| !(1..=MAX_QUESTIONS_PER_CALL).contains(&count)) {
            let message = format!("must be between 1 and {MAX_QUESTIONS_PER_CALL}");
            return Err(Invalid::new("run: questionsPerCall", message));
        }
        if run.shuffle_options == Some(true) && run.orders.contains(&OptionOrder::Reversed) {
            return Err(Invalid::new("run: orders", "options cannot be shuffled and reversed at once"));
        }
        few("run: models", run.models.len(), MAX_RUNS)?;
        few("run: variants", run.variants.len(), MAX_RUNS)?;
        few("run: orders", run.orders.len(), MAX_RUNS)?;
        run.models.iter().try_for_each(|name| at_most("run: models", name, MAX_NAME))
    }

    /// Checks that the plan can be frozen, for a survey with these questions.
    pub fn check_complete(&self, questions: &[Question]) -> Result<(), Invalid> {
        self.check()?;
        if self.title.trim().is_empty() {
            return Err(Invalid::new("title", "a plan needs a title before it is frozen"));
        }
        if self.primary_items.is_empty() {
            return Err(Invalid::new("primaryItems", "name at least one primary question before the plan is frozen"));
        }
        let known = |name: &str| {
            questions.iter().any(|question| question.name == name || row_names(question).any(|row| row == name))
        };
        match self.primary_items.iter().find(|name| !known(name)) {
            Some(name) => Err(Invalid::new("primaryItems", format!("the survey has no question {name}"))),
            None => Ok(()),
        }
    }

    /// Whether a contrast is planned, in either direction.
    pub fn plans_contrast(&self, of: &str, a: &str, b: &str) -> bool {
        self.contrasts
            .iter()
            .any(|planned| planned.of == of && [(a, b), (b, a)].contains(&(planned.a.as_str(), planned.b.as_str())))
    }

    /// Whether a contrast between groups by this variable is planned.
    pub fn plans_groups(&self, by: &str) -> bool {
        self.contrasts.iter().any(|planned| planned.of == by)
    }
}

fn at_most(field: &str, text: &str, most: usize) -> Result<(), Invalid> {
    if text.chars().count() > most {
        return Err(Invalid::new(field, format!("must have at most {most} characters")));
    }
    Ok(())
}

fn few(field: &str, count: usize, most: usize) -> Result<(), Invalid> {
    if count > most { Err(Invalid::new(field, format!("must have at most {most} entries"))) } else { Ok(()) }
}

impl PlanDocument {
    /// The primary items, for a survey with these questions: a matrix stands for itself and all its rows, `grid_2` for
    /// the second row of the matrix `grid`.
    pub fn items(&self, questions: &[Question]) -> BTreeSet<String> {
        let mut items = BTreeSet::new();
        for name in &self.primary_items {
            match questions.iter().find(|question| question.name == *name) {
                Some(question) => {
                    items.insert(name.clone());
                    items.extend(row_names(question));
                }
                // Another question may have the name of a row.
                None => items.extend(questions.iter().flat_map(row_names).find(|row| row == name)),
            }
        }
        items
    }
}

/// The names of a matrix' rows; empty for other questions.
pub fn row_names(question: &Question) -> impl Iterator<Item = String> {
    let rows = if question.question_type.is_matrix() { question.sub_questions.len() } else { 0 };
    (1..=rows).map(move |row| part_name(&question.name, row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contrast_stands_for_both_directions() {
        let contrast = PlannedContrast { of: "fee_arm".into(), a: "one".into(), b: "two".into() };
        let plan = PlanDocument { contrasts: vec![contrast], ..PlanDocument::default() };
        assert!(plan.plans_contrast("fee_arm", "two", "one") && plan.plans_groups("fee_arm"));
        assert!(!plan.plans_contrast("fee_arm", "one", "three") && !plan.plans_contrast("variant", "one", "two"));
    }

    #[test]
    fn a_refusal_names_the_field() {
        let refused = |change: fn(&mut PlanDocument)| {
            let mut plan = PlanDocument::default();
            change(&mut plan);
            plan.check().expect_err("it is refused").field
        };
        assert_eq!(refused(|plan| plan.title = "x".repeat(501)), "title");
        assert_eq!(refused(|plan| plan.choices.alpha = 1.0), "choices: alpha");
        assert_eq!(refused(|plan| plan.run.persona_count = Some(0)), "run: personaCount");
        assert_eq!(refused(|plan| plan.run.seed = Some(1 << 53)), "run: seed");
        assert_eq!(refused(|plan| plan.run.repeats = Some(61)), "run: repeats");
        assert_eq!(refused(|plan| plan.run.questions_per_call = Some(0)), "run: questionsPerCall");
        let both = |plan: &mut PlanDocument| {
            plan.run = PlannedRuns {
                shuffle_options: Some(true),
                orders: vec![OptionOrder::Reversed],
                ..PlannedRuns::default()
            };
        };
        assert_eq!(refused(both), "run: orders");
        let empty = PlannedContrast { of: "variant".into(), a: " ".into(), b: "empty".into() };
        let plan = PlanDocument { contrasts: vec![empty], ..PlanDocument::default() };
        assert_eq!(plan.check().expect_err("it is refused").field, "contrasts: a");
        assert!(PlanDocument::default().check().is_ok());
        let missing = PlanDocument::default().check_complete(&[]).expect_err("it is refused");
        assert_eq!(missing.field, "title");
    }
}
