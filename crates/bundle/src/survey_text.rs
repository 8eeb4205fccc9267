//! `survey/survey.md`: the survey for readers.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::Value;
use simulation::markdown::{block, code, inline};
use simulation::snapshot::Snapshot;
use survey::answer::AnswerShape;
use survey::flow::{Arm, If, Loop, Node, Order, Random};
use survey::pipe;
use survey::question::Question;
use survey::types::definition;

/// Writes the survey. Turns of loops are questions of their own, as the twins were asked.
pub fn text(survey: &Snapshot) -> String {
    // Braces are text in a survey without a design.
    let label: Label = if survey.design.is_some() { pipe::plain } else { |text| Cow::Borrowed(text) };
    let mut text = format!("# {}\n", inline(&survey.title));
    if !survey.description.trim().is_empty() {
        add(&mut text, format_args!("\n{}\n", block(survey.description.trim())));
    }
    let mut number = 0;
    for question in &survey.questions {
        number += usize::from(question.is_request());
        add(&mut text, format_args!("\n{}", of(question, number, label)));
    }
    if let Some(design) = &survey.design {
        add(&mut text, format_args!("\n## Who is asked what\n\n"));
        design.flow.iter().for_each(|node| flow(node, 0, &mut text));
        for (name, table) in &design.tables {
            add(&mut text, format_args!("\nTable {}: {}\n\n", inline(name), inline(&table.columns.join(", "))));
            table.rows.iter().for_each(|row| add(&mut text, format_args!("1. {}\n", inline(&row.join(" | ")))));
        }
    } else {
        add(&mut text, format_args!("\nEach twin was asked all {number} questions.\n"));
    }
    text
}

/// How a text of the survey is written.
type Label = fn(&str) -> Cow<'_, str>;

fn of(question: &Question, number: usize, label: Label) -> String {
    let kind = question.question_type;
    let mut text = match question.shape() {
        None => format!("{}\n", block(&label(&question.text))),
        Some(_) => {
            let optional = if question.required { "" } else { ", optional" };
            let (name, asked) = (inline(&question.name), block(&label(&question.text)));
            format!("## {number}. {name}\n\n{asked}\n\n*{}{optional}*\n", answered(question))
        }
    };
    if let Some(condition) = &question.logic.show_if {
        add(&mut text, format_args!("\nAsked where {}.\n", code(&json(condition))));
    }
    let coded = |texts: &'_ [String]| (0..texts.len()).map(|choice| question.code(choice)).collect::<Vec<_>>();
    if kind.is_matrix() {
        let numbers: Vec<i64> = (1..).take(question.sub_questions.len()).collect();
        list(&mut text, "\nRows:\n", label, question, &question.sub_questions, &numbers);
        list(&mut text, "\nLabels:\n", label, question, &question.scale_labels, &coded(&question.scale_labels));
    } else {
        list(&mut text, "", label, question, &question.options, &coded(&question.options));
    }
    text
}

/// Texts with what files call each of them, below a title.
fn list(text: &mut String, title: &str, label: Label, question: &Question, texts: &[String], numbers: &[i64]) {
    if texts.is_empty() {
        return;
    }
    add(text, format_args!("{title}\n"));
    for (number, each) in numbers.iter().zip(texts) {
        let condition = question.logic.option_if.as_ref().and_then(|conditions| conditions.get(each));
        let shown = condition.map(|condition| format!(" (shown where {})", code(&json(condition)))).unwrap_or_default();
        add(text, format_args!("- {number} {}{shown}\n", inline(&label(each))));
    }
}

/// How the question is answered.
fn answered(question: &Question) -> String {
    let [min, max] = [question.min_value, question.max_value];
    let [low, high] = [&question.min_description, &question.max_description]
        .map(|end| end.as_ref().map(|end| format!(" ({})", inline(end))).unwrap_or_default());
    let between = || match (min, max) {
        (Some(min), Some(max)) => format!(" from {min}{low} to {max}{high}"),
        (Some(min), None) => format!(" of {min} or more"),
        (None, Some(max)) => format!(" of at most {max}"),
        (None, None) => String::new(),
    };
    let answered_with = definition(question.question_type).answered_with();
    match question.shape() {
        Some(AnswerShape::Number) => format!("{answered_with}{}", between()),
        Some(AnswerShape::Parts) => format!("{answered_with} {}", question.total()),
        _ => answered_with.to_owned(),
    }
}

/// A node of the flow, and what is below it.
fn flow(node: &Node, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let drawn =
        |order: Option<Order>| if order.is_some_and(|order| order != Order::Fixed) { " in a drawn order" } else { "" };
    let below = |nodes: &[Node], text: &mut String| nodes.iter().for_each(|node| flow(node, depth + 1, text));
    match node {
        Node::Block(block) => {
            let (name, questions) = (inline(&block.name), inline(&block.questions.join(", ")));
            add(text, format_args!("{indent}- Block {name}{}: {questions}\n", drawn(block.order)));
        }
        Node::Random(Random { name, take, order, strata, of, .. }) => {
            let take = take.map_or("all".to_owned(), |take| take.to_string());
            let strata = strata.as_ref().map(|names| format!(", balanced by {}", inline(&names.join(" and "))));
            let strata = strata.unwrap_or_default();
            add(text, format_args!("{indent}- {}: {take} of these{}{strata}\n", inline(name), drawn(*order)));
            for Arm { arm, weight, flow: nodes, .. } in of {
                let weight = weight.map(|weight| format!(", weight {weight}")).unwrap_or_default();
                add(text, format_args!("{indent}  - Arm {}{weight}\n", inline(arm)));
                nodes.iter().for_each(|node| flow(node, depth + 2, text));
            }
        }
        Node::If(If { condition, then, otherwise }) => {
            add(text, format_args!("{indent}- If {}\n", code(&json(condition))));
            below(then, text);
            if let Some(otherwise) = otherwise {
                add(text, format_args!("{indent}- Otherwise\n"));
                below(otherwise, text);
            }
        }
        Node::Set(set) => {
            let values: Vec<String> = set.set.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            add(text, format_args!("{indent}- Set {}\n", inline(&values.join(", "))));
        }
        Node::Loop(Loop { table, take, flow: nodes, .. }) => {
            let take = take.map_or("each row".to_owned(), |take| format!("{take} rows"));
            add(text, format_args!("{indent}- For {take} of {}\n", inline(table)));
            below(nodes, text);
        }
        Node::End(end) => add(text, format_args!("{indent}- End: {}\n", json(&end.end).trim_matches('"'))),
        Node::Group(nodes) => nodes.iter().for_each(|node| flow(node, depth, text)),
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap_or(Value::Null).to_string()
}

fn add(text: &mut String, more: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = text.write_fmt(more);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_survey_is_told_as_people_read_it() {
        let question = |order: i32, name: &str, more: Value| {
            let mut question = json!({ "id": order, "surveyId": 1, "order": order, "name": name, "text": format!("{name}?"),
                "questionType": "SINGLE_CHOICE", "required": true });
            question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            question
        };
        let survey: Snapshot = serde_json::from_value(json!({
            "title": "Fees", "description": "About hotels.",
            "questions": [
                question(1, "hello", json!({ "questionType": "INFO", "text": "Welcome." })),
                question(2, "fair", json!({ "options": [{ "text": "Fair" }, { "text": "Unfair" }], "codes": [1, 7] })),
                question(3, "agree", json!({ "questionType": "MATRIX", "scale_labels": ["No", "Yes"],
                    "subQuestions": ["I"], "show_if": { "answer": "fair", "is": "Fair" } })),
                question(4, "fee", json!({ "questionType": "SLIDER", "required": false, "minValue": 0.0,
                    "maxValue": 10.0, "maxDescription": "much" })),
            ],
            "design": { "flow": [{ "block": "a", "questions": ["hello", "fair"], "order": "random" },
                { "random": "r", "take": 1, "of": [{ "arm": "x", "flow": [{ "block": "b", "questions": ["agree"] }] },
                    { "arm": "y", "weight": 2 }] }, { "end": "complete" }] },
        }))
        .unwrap();
        assert_eq!(
            text(&survey),
            "# Fees\n\nAbout hotels.\n\nWelcome.\n\n## 1. fair\n\nfair?\n\n*one option*\n\n- 1 Fair\n- 7 Unfair\n\n\
             ## 2. agree\n\nagree?\n\n*one label for each row*\n\nAsked where `{\"answer\":\"fair\",\"is\":\"Fair\"}`.\n\n\
             Rows:\n\n- 1 I\n\nLabels:\n\n- 1 No\n- 2 Yes\n\n## 3. fee\n\nfee?\n\n*a number from 0 to 10 (much), optional*\n\n\
             ## Who is asked what\n\n- Block a in a drawn order: hello, fair\n- r: 1 of these\n  - Arm x\n    - Block b: agree\n  \
             - Arm y, weight 2\n- End: complete\n"
        );
    }

    #[test]
    fn what_authors_write_is_text_and_no_markdown() {
        let survey: Snapshot = serde_json::from_value(json!({
            "title": "![x](http://evil.example/x.png)", "description": "# Not a heading\n<img src=x onerror=alert(1)>",
            "questions": [{ "id": 1, "surveyId": 1, "order": 1, "name": "q", "text": "[a](b)", "questionType": "SINGLE_CHOICE",
                "required": true, "options": [{ "text": "<b>" }, { "text": "a | b" }] }],
        }))
        .unwrap();
        assert_eq!(
            text(&survey),
            "# !\\[x\\](http://evil.example/x.png)\n\n\\# Not a heading\n\\<img src=x onerror=alert(1)>\n\n\
             ## 1. q\n\n\\[a\\](b)\n\n*one option*\n\n- 1 \\<b>\n- 2 a | b\n\nEach twin was asked all 1 questions.\n"
        );
    }
}
