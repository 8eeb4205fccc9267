//! Invented profiles and surveys, the same at every run.

use std::fmt::Write as _;
use std::io::{self, Write};

use serde_json::{Value, json};

/// The length of a published profile (`persona_summary`), in bytes.
pub const PROFILE_BYTES: usize = 15_000;

const LABELS: [(&str, &[&str]); 14] = [
    ("Geographic region", &["Northeast", "Midwest", "South", "West", "Pacific"]),
    ("Gender", &["Female", "Male"]),
    ("Age", &["18-29", "30-49", "50-64", "65+"]),
    ("Education level", &["High school graduate", "Some college", "College graduate", "Postgraduate"]),
    ("Race", &["White", "Black", "Asian", "Hispanic", "Other"]),
    ("Citizen of the US", &["Yes"]),
    ("Marital status", &["Married", "Never been married", "Divorced"]),
    ("Religion", &["Protestant", "Roman Catholic", "Agnostic", "Nothing in particular"]),
    ("Religious attendance", &["Never", "Seldom", "Once a week"]),
    ("Political affiliation", &["Democrat", "Republican", "Independent"]),
    ("Income", &["Less than $30,000", "$30,000-$50,000", "$50,000-$75,000", "$100,000 or more"]),
    ("Political views", &["Liberal", "Moderate", "Conservative"]),
    ("Household size", &["1", "2", "3", "4"]),
    ("Employment status", &["Full-time employment", "Retired", "Student", "Self-employed"]),
];

/// The profile of invented person number `n`, [`PROFILE_BYTES`] long, in the shape of the published summaries.
pub fn profile(n: usize) -> String {
    profile_of(n, PROFILE_BYTES)
}

/// Like [`profile`], with another length.
pub fn profile_of(n: usize, bytes: usize) -> String {
    let mut text = format!("Person {n}, invented for measuring.\n");
    for (place, (label, values)) in LABELS.iter().enumerate() {
        let value = values[(n / (place + 1) + place) % values.len()];
        // Writing to a string cannot fail.
        writeln!(text, "{label}: {value}").ok();
    }
    let mut score = 0;
    while text.len() < bytes {
        let percentile = (n * 31 + score * 17) % 100;
        writeln!(text, "score_{score} = {}.{} ({percentile}th percentile)", 1 + percentile / 25, percentile % 10).ok();
        score += 1;
    }
    text.truncate(bytes);
    text
}

/// Writes the persona file that `twinlab personas import` reads: `pid,name,summary`.
pub fn write_personas(out: &mut impl Write, personas: usize) -> io::Result<()> {
    writeln!(out, "pid,name,summary")?;
    for n in 1..=personas {
        // A profile holds no quotes to be doubled.
        writeln!(out, "bench-{n},Person {n},\"{}\"", profile(n))?;
    }
    Ok(())
}

/// The survey file that `twinlab simulate` reads.
pub fn survey(questions: usize) -> Value {
    let questions: Vec<_> = (1..=questions).map(question).collect();
    json!({"title": "Workload", "description": "Invented for measuring", "questions": questions})
}

/// A survey with this number of random nodes, each with two arms of one question: a persona is asked one of both.
pub fn dealt_survey(nodes: usize) -> Value {
    let named = |n: usize| {
        let mut question = question(n);
        question["name"] = json!(format!("q{n}"));
        question
    };
    let arm = |node: usize, n: usize| {
        let name = format!("q{n}");
        json!({"arm": name, "flow": [{"block": format!("{node}_{n}"), "questions": [name]}]})
    };
    let node = |node: usize| json!({"random": format!("node_{node}"), "take": 1, "of": [arm(node, 2 * node - 1), arm(node, 2 * node)]});
    json!({
        "title": "Nodes", "description": "Invented for measuring",
        "questions": (1..=2 * nodes).map(named).collect::<Vec<_>>(),
        "flow": (1..=nodes).map(node).collect::<Vec<_>>(),
    })
}

/// Builds a question. Five in eight are single choice, as in real surveys; the other types take turns.
fn question(n: usize) -> Value {
    let agreement = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"];
    let (kind, extra) = match n % 8 {
        0 => ("MATRIX", json!({"scale_labels": agreement, "sub_questions": ["Price", "Quality", "Service"]})),
        3 => ("MULTIPLE_CHOICE", json!({"options": ["Price", "Quality", "Brand", "Service", "None of these"]})),
        6 => (
            "SLIDER",
            json!({"min_value": 0, "max_value": 100, "min_description": "Not at all",
            "max_description": "Completely"}),
        ),
        _ => ("SINGLE_CHOICE", json!({"options": agreement})),
    };
    let text = format!("Question {n}: how do you see what is sold in the shops of the place where you live?");
    let mut question = json!({"text": text, "type": kind, "required": true});
    if let (Some(question), Value::Object(extra)) = (question.as_object_mut(), extra) {
        question.extend(extra);
    }
    question
}

/// The strict schema of questions `first..first + count`, as a client of the stub would ask for them.
pub fn schema(first: usize, count: usize) -> Value {
    let field = |n: usize| {
        let question = question(n);
        let options = &question["options"];
        let field = match question["type"].as_str() {
            Some("MATRIX") => {
                let labels = &question["scale_labels"];
                let rows = json!({"1": {"enum": labels}, "2": {"enum": labels}, "3": {"enum": labels}});
                json!({"type": "object", "properties": rows, "required": ["1", "2", "3"], "additionalProperties": false})
            }
            Some("MULTIPLE_CHOICE") => json!({"type": "array", "items": {"type": "string", "enum": options}}),
            Some("SLIDER") => json!({"type": "number", "minimum": 0, "maximum": 100}),
            _ => json!({"type": "string", "enum": options}),
        };
        (format!("q{n}"), field)
    };
    let properties: serde_json::Map<_, _> = (first..first + count).map(field).collect();
    let required: Vec<_> = properties.keys().cloned().collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// The text of the questions `first..first + count`.
pub fn prompt(first: usize, count: usize) -> String {
    let texts = (first..first + count).map(|n| format!("q{n}. {}", question(n)["text"].as_str().unwrap_or_default()));
    format!("Answer as this person would.\n{}", texts.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_have_the_published_length_and_differ() {
        assert_eq!(profile(1).len(), PROFILE_BYTES);
        assert_eq!(profile(2), profile(2));
        assert_ne!(profile(1), profile(2));
        assert!(!profile(3).contains('"'));
    }
}
