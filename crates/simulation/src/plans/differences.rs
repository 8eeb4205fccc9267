//! Differences between a plan and its execution, field by field.

use std::collections::BTreeSet;

use serde_json::Value;
use survey::canonical::canonical;
use survey::flow::Design;
use survey::question::Question;
use survey::walk::{CallScope, OptionOrder};

use crate::model_options::ReasoningEffort;
use crate::parameters::{Memory, Parameters, StudyCell};
use crate::plans::document::{PlanDocument, PlannedRuns};
use crate::snapshot::Snapshot;

/// A field of the plan or its survey with its planned and its actual value. `None`: the field does not exist there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanDifference {
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl PlanDifference {
    pub fn new(field: impl Into<String>, before: Option<String>, after: Option<String>) -> Self {
        Self { field: field.into(), before, after }
    }
}

/// The runs of a study, as they are started.
#[derive(Clone, Debug)]
pub struct StartedRuns<'a> {
    /// Number of personas in each run.
    pub persona_count: i32,
    pub parameters: &'a [Parameters],
}

/// Compares the runs with the planned ones.
pub fn of_runs(planned: &PlannedRuns, started: &StartedRuns) -> Vec<PlanDifference> {
    let PlannedRuns { persona_count, seed, temperature, models, variants, every_arm, repeats, orders, .. } = planned;
    let runs = started.parameters;
    let cell = |run: &Parameters| run.cell.clone().unwrap_or_default();
    let asked_in_every_arm = runs.iter().any(|run| !run.arms().is_empty());
    let most_repeats = runs.iter().map(|run| cell(run).repeat + 1).max().unwrap_or(1);
    let mut found = Vec::new();
    let mut set = |field: &str, before: Option<String>, after: String| {
        if let Some(before) = before.filter(|before| *before != after) {
            found.push(PlanDifference::new(format!("run: {field}"), Some(before), Some(after)));
        }
    };
    set("personaCount", persona_count.map(|count| count.to_string()), started.persona_count.to_string());
    set("seed", seed.map(|seed| seed.to_string()), distinct(runs, |run| run.seed.to_string()));
    let warm = |temperature: Option<f64>| temperature.map_or_else(|| "the server's default".into(), |t| t.to_string());
    set("temperature", temperature.map(|t| warm(Some(t))), distinct(runs, |run| warm(run.temperature)));
    set("models", listed(models.iter().cloned()), distinct(runs, |run| run.model.clone()));
    let names = variants.iter().map(|variant| variant.name().to_owned());
    set("variants", listed(names), distinct(runs, |run| run.persona_variant.name().to_owned()));
    let arms = |every: bool| if every { "every twin in every arm" } else { "each twin in one arm" }.to_owned();
    set("everyArm", every_arm.map(arms), arms(asked_in_every_arm));
    set("repeats", repeats.map(|repeats| repeats.to_string()), most_repeats.to_string());
    let names = orders.iter().map(|order| order_name(*order).to_owned());
    set("orders", listed(names), distinct(runs, |run| order_name(cell(run).option_order).to_owned()));
    let PlannedRuns { questions_per_call, call_scope, shuffle_options, memory, .. } = planned;
    let scope = |scope: CallScope| scope.in_words().to_owned();
    let words = |memory: Memory| memory.in_words().to_owned();
    let per_call = questions_per_call.map(|count| count.to_string());
    set("questionsPerCall", per_call, distinct(runs, |run| run.questions_per_call.to_string()));
    set("callScope", call_scope.map(scope), distinct(runs, |run| scope(run.call_scope)));
    let shown = |shuffled: bool| if shuffled { "shuffled for each twin" } else { "not shuffled" }.to_owned();
    set("shuffleOptions", shuffle_options.map(shown), distinct(runs, |run| shown(run.shuffle_options)));
    set("memory", memory.map(words), distinct(runs, |run| words(run.memory.unwrap_or_default())));
    found
}

/// Compares the survey with the frozen one.
pub fn of_survey(frozen: &Snapshot, now: &Snapshot) -> Vec<PlanDifference> {
    let mut found = Vec::new();
    let mut set = |field: String, before: Option<String>, after: Option<String>| {
        if before != after {
            found.push(PlanDifference { field, before, after });
        }
    };
    set("survey: title".into(), Some(frozen.title.clone()), Some(now.title.clone()));
    set("survey: description".into(), Some(frozen.description.clone()), Some(now.description.clone()));
    let named = |survey: &Snapshot, name: &str| survey.questions.iter().find(|each| each.name == name).map(facts);
    for question in &frozen.questions {
        let name = &question.name;
        match (facts(question), named(now, name)) {
            (Value::Object(before), Some(Value::Object(after))) => {
                // Fields of logic exist only if they have a value.
                let fields: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
                for field in fields {
                    let [before, after] = [&before, &after].map(|facts| facts.get(field).and_then(text));
                    set(format!("question {name}: {field}"), before, after);
                }
            }
            (before, _) => set(format!("question {name}"), Some(canonical(&before)), None),
        }
    }
    for question in &now.questions {
        if named(frozen, &question.name).is_none() {
            set(format!("question {}", question.name), None, Some(canonical(&facts(question))));
        }
    }
    let order = |of: &Snapshot, other: &Snapshot| {
        let names = of.questions.iter().map(|question| question.name.clone());
        names.filter(|name| named(other, name).is_some()).collect::<Vec<_>>().join(", ")
    };
    set("survey: order of questions".into(), Some(order(frozen, now)), Some(order(now, frozen)));
    let design = |survey: &Snapshot| survey.design.clone().unwrap_or_default();
    let (before, after) = (design(frozen), design(now));
    let part = |design: &Design, of: fn(&Design) -> Value| Some(canonical(&of(design)));
    let flow = |design: &Design| serde_json::to_value(&design.flow).unwrap_or_default();
    let tables = |design: &Design| serde_json::to_value(&design.tables).unwrap_or_default();
    set("survey: flow".into(), part(&before, flow), part(&after, flow));
    set("survey: tables".into(), part(&before, tables), part(&after, tables));
    found
}

/// Parameters in which two runs differ, in the plan's terms.
fn apart(run: &Parameters, reference: &Parameters) -> Vec<(String, String, String)> {
    let cell = |of: &Parameters| of.cell.clone().unwrap_or_default();
    let effort = |of: &Parameters| of.reasoning_effort.map_or("", ReasoningEffort::name).to_owned();
    let (StudyCell { arms, option_order, .. }, base) = (cell(run), cell(reference));
    let mut found = vec![
        ("variant".to_owned(), run.persona_variant.name().to_owned(), reference.persona_variant.name().to_owned()),
        ("model".to_owned(), run.model.clone(), reference.model.clone()),
        ("reasoningEffort".to_owned(), effort(run), effort(reference)),
        ("order".to_owned(), order_name(option_order).to_owned(), order_name(base.option_order).to_owned()),
    ];
    for (node, arm) in &arms {
        let other = base.arms.get(node).cloned().unwrap_or_default();
        found.push((node.clone(), arm.to_string(), other.to_string()));
    }
    found.retain(|(_, a, b)| a != b);
    found
}

/// Whether the plan contrasts these runs: they differ in one parameter, and the plan names that contrast.
pub fn is_planned_contrast(plan: &PlanDocument, run: &Parameters, reference: &Parameters) -> bool {
    match apart(run, reference).as_slice() {
        [(of, a, b)] => plan.plans_contrast(of, a, b),
        _ => false,
    }
}

/// The content of a question, without its position and ids.
fn facts(question: &Question) -> Value {
    let mut facts = serde_json::to_value(question).unwrap_or_default();
    if let Some(fields) = facts.as_object_mut() {
        for place in ["id", "surveyId", "order", "name"] {
            fields.remove(place);
        }
    }
    facts
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(canonical(other)),
    }
}

pub fn order_name(order: OptionOrder) -> &'static str {
    match order {
        OptionOrder::AsWritten => "as_written",
        OptionOrder::Reversed => "reversed",
    }
}

/// The different values of all runs.
fn distinct(runs: &[Parameters], of: impl Fn(&Parameters) -> String) -> String {
    listed(runs.iter().map(of)).unwrap_or_default()
}

/// The different values, sorted. `None`: there are none.
fn listed(values: impl Iterator<Item = String>) -> Option<String> {
    let values: BTreeSet<String> = values.collect();
    (!values.is_empty()).then(|| values.into_iter().collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::plans::document::PlannedContrast;

    fn run(changes: &Value) -> Parameters {
        let mut parameters = json!({ "model": "m-1", "temperature": null, "seed": 5, "questionsPerCall": 20,
            "personaVariant": "summary", "shuffleOptions": false });
        for (field, value) in changes.as_object().expect("an object") {
            parameters[field] = value.clone();
        }
        serde_json::from_value(parameters).expect("parameters")
    }

    fn survey(questions: &Value) -> Snapshot {
        let mut survey = json!({ "title": "Fees", "description": "", "questions": [] });
        for (place, question) in (1..).zip(questions.as_array().expect("a list")) {
            let mut whole = json!({ "id": place, "surveyId": 1, "order": place, "text": "Fair?", "name": "fair",
                "questionType": "SINGLE_CHOICE", "required": true, "options": [{"text": "Yes"}, {"text": "No"}],
                "scale_labels": [], "subQuestions": [] });
            for (field, value) in question.as_object().expect("an object") {
                whole[field] = value.clone();
            }
            survey["questions"].as_array_mut().expect("a list").push(whole);
        }
        serde_json::from_value(survey).expect("a survey")
    }

    fn shown(found: &[PlanDifference]) -> Vec<(&str, Option<&str>, Option<&str>)> {
        found.iter().map(|each| (each.field.as_str(), each.before.as_deref(), each.after.as_deref())).collect()
    }

    #[test]
    fn only_what_was_planned_is_deviated_from() {
        let runs = [run(&json!({})), run(&json!({ "personaVariant": "empty", "cell": { "repeat": 1 } }))];
        let started = StartedRuns { persona_count: 20, parameters: &runs };
        assert_eq!(of_runs(&PlannedRuns::default(), &started), []);
        let planned: PlannedRuns = serde_json::from_value(json!({ "personaCount": 20, "seed": 5, "models": ["m-1"],
            "variants": ["empty", "summary"], "repeats": 2, "everyArm": false }))
        .expect("a plan");
        assert_eq!(of_runs(&planned, &started), [], "as planned, in any order");
        let planned: PlannedRuns = serde_json::from_value(json!({ "personaCount": 200, "seed": 6, "temperature": 0.5,
            "models": ["m-2"], "variants": ["summary"], "repeats": 1, "everyArm": true, "orders": ["reversed"] }))
        .expect("a plan");
        assert_eq!(
            shown(&of_runs(&planned, &started)),
            [
                ("run: personaCount", Some("200"), Some("20")),
                ("run: seed", Some("6"), Some("5")),
                ("run: temperature", Some("0.5"), Some("the server's default")),
                ("run: models", Some("m-2"), Some("m-1")),
                ("run: variants", Some("summary"), Some("empty, summary")),
                ("run: everyArm", Some("every twin in every arm"), Some("each twin in one arm")),
                ("run: repeats", Some("1"), Some("2")),
                ("run: orders", Some("reversed"), Some("as_written")),
            ]
        );
    }

    #[test]
    fn how_calls_are_made_is_compared_with_the_plan() {
        let runs = [
            run(&json!({ "memory": "transcript" })),
            run(&json!({ "questionsPerCall": 5, "callScope": "block", "shuffleOptions": true })),
        ];
        let started = StartedRuns { persona_count: 20, parameters: &runs };
        let planned = |fields: Value| serde_json::from_value::<PlannedRuns>(fields).expect("a plan");
        let of = |fields: Value| of_runs(&planned(fields), &started);
        for (fields, expected) in [
            (json!({ "questionsPerCall": 20 }), ("run: questionsPerCall", Some("20"), Some("20, 5"))),
            (
                json!({ "callScope": "question" }),
                ("run: callScope", Some("none, each is asked alone"), Some("as many as fit, those of one block")),
            ),
            (
                json!({ "shuffleOptions": false }),
                ("run: shuffleOptions", Some("not shuffled"), Some("not shuffled, shuffled for each twin")),
            ),
            (
                json!({ "memory": "none" }),
                ("run: memory", Some("nothing"), Some("nothing, the twin's earlier questions and answers")),
            ),
        ] {
            assert_eq!(shown(&of(fields)), [expected]);
        }
        let as_planned =
            planned(json!({ "questionsPerCall": 5, "callScope": "block", "shuffleOptions": true, "memory": "none" }));
        assert_eq!(of_runs(&as_planned, &StartedRuns { persona_count: 20, parameters: &runs[1..] }), []);
        assert_eq!(of(json!({})), []);
    }

    #[test]
    fn questions_are_compared_by_name() {
        let frozen = survey(&json!([{}, { "name": "pay" }, { "name": "age" }]));
        // The same questions with other ids.
        assert_eq!(
            of_survey(&frozen, &survey(&json!([{ "id": 8, "surveyId": 3 }, { "name": "pay" }, { "name": "age" }]))),
            []
        );
        let now = survey(
            &json!([{ "name": "age" }, { "text": "How fair?", "scale": "ordinal" }, { "name": "new", "text": "N" }]),
        );
        let found = of_survey(&frozen, &now);
        let fields: Vec<&str> = found.iter().map(|each| each.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "question fair: scale",
                "question fair: text",
                "question pay",
                "question new",
                "survey: order of questions"
            ]
        );
        assert_eq!(shown(&found)[1], ("question fair: text", Some("Fair?"), Some("How fair?")));
        assert_eq!(shown(&found)[4], ("survey: order of questions", Some("fair, age"), Some("age, fair")));
        assert!(found[2].after.is_none() && found[3].before.is_none());
    }

    #[test]
    fn a_contrast_is_planned_if_nothing_else_differs() {
        let planned = |of: &str, a: &str, b: &str| PlanDocument {
            contrasts: vec![PlannedContrast { of: of.into(), a: a.into(), b: b.into() }],
            ..PlanDocument::default()
        };
        let (summary, empty) = (run(&json!({})), run(&json!({ "personaVariant": "empty" })));
        let plan = planned("variant", "summary", "empty");
        assert!(is_planned_contrast(&plan, &empty, &summary) && is_planned_contrast(&plan, &summary, &empty));
        assert!(!is_planned_contrast(&plan, &summary, &summary));
        let other = run(&json!({ "personaVariant": "empty", "model": "m-2" }));
        assert!(!is_planned_contrast(&plan, &other, &summary), "the model differs, too");
        let arm = |arm: &str| run(&json!({ "cell": { "arms": { "fee_arm": arm } } }));
        let plan = planned("fee_arm", "one", "two");
        assert!(is_planned_contrast(&plan, &arm("one"), &arm("two")));
        assert!(!is_planned_contrast(&plan, &arm("one"), &arm("three")));
    }
}
