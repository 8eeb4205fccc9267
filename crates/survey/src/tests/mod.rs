//! Tests of the crate as a whole, on small surveys and on random trees.

mod assigning;
mod conditions;
mod documents;
mod fields;
mod refusals;
mod trees;
mod walking;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::check::{DesignReport, check};
use super::document::Document;
use super::plan::Plan;
use super::twin::Twin;
use super::walk::{CallScope, OptionOrder, StageParameters};
use random::generator;

fn document(survey: Value) -> Document {
    Document::read(survey).expect("a survey of the right form")
}

fn plan(survey: Value) -> Plan {
    let Document { design, items, .. } = document(survey);
    Plan::new(&design, &items).expect("a design that can be run").numbered()
}

fn report(survey: Value) -> DesignReport {
    let Document { design, items, .. } = document(survey);
    let attributes: BTreeSet<String> = ["Age", "Gender", "Region"].map(str::to_owned).into();
    check(&design, &items, Some(&attributes))
}

/// Creates twins: half of them men, and a third from each of three regions.
fn twins(count: i32) -> Vec<Twin> {
    let twin = |id: i32| {
        let gender = if id % 2 == 0 { "Female" } else { "Male" };
        let region = ["North", "South", "West"][usize::try_from(id / 2 % 3).unwrap()];
        let age = (18 + id % 60).to_string();
        let attributes = [("Age", age.as_str()), ("Gender", gender), ("Region", region)];
        let attributes = attributes.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Twin { id, attributes, ..Twin::default() }
    };
    (1..=count).map(twin).collect()
}

fn parameters(seed: i64) -> StageParameters {
    StageParameters { seed, questions_per_call: 10, call_scope: CallScope::Chunk, option_order: OptionOrder::AsWritten }
}

/// Creates questions of the type yes or no.
fn yes_no(names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| json!({ "name": name, "type": "BOOLEAN", "text": format!("{name}?") })).collect()
}

/// Creates a survey of yes/no questions.
fn survey(names: &[&str], flow: Value) -> Value {
    json!({ "title": "T", "questions": yes_no(names), "flow": flow })
}

/// A survey with arms, a stratum, a vignette, pipes, display logic, an attention check and screening.
fn fees() -> Value {
    json!({ "title": "Fees", "questions": [
        { "name": "ok", "type": "BOOLEAN", "text": "Do you ever book hotels?" },
        { "name": "V", "type": "INFO", "text": "The hotel adds {{field:fee}} of $30 at check-out." },
        { "name": "fair", "type": "RANGE", "text": "How fair is {{field:fee}}?", "min_value": 1, "max_value": 7,
          "min_description": "Not at all", "max_description": "Very" },
        { "name": "why", "type": "OPENENDED", "text": "You chose {{answer:fair}}. Why?",
          "show_if": { "answer": "fair", "le": 3 } },
        { "name": "att", "type": "SINGLE_CHOICE", "text": "Choose Blue.", "options": ["Red", "Blue"],
          "check": { "expect": ["Blue"] } }
      ], "flow": [
        { "block": "screen", "questions": ["ok"] },
        { "if": { "answer": "ok", "is": false }, "then": [{ "end": "screened_out" }] },
        { "random": "fee_arm", "take": 1, "strata": ["Gender"], "of": [
            { "arm": "resort", "weight": 1, "flow": [{ "set": { "fee": "a resort fee" } }] },
            { "arm": "service", "weight": 1, "flow": [{ "set": { "fee": "a service fee" } }] }] },
        { "block": "dv", "questions": ["V", "fair", "why", "att"], "order": "fixed" }] })
}
