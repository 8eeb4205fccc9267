//! The survey of a validation, which asks each question only of twins whose person answered it.

use serde_json::{Value, json};
use survey::document::Document;

use super::tasks::{TASKS, ValidationTask};
use crate::models::held_out::{HeldOutKind, HeldOutQuestion, HeldOutRow};

/// Number of questions in a quick validation, drawn evenly over the tasks.
pub const MAX_QUICK_QUESTIONS: usize = 24;
/// Length limit of a question's text in characters. Columns and options always fit a survey's limits.
const MAX_TEXT_CHARS: usize = 9_000;

/// A task with the questions of a set that belong to it.
#[derive(Clone, Debug)]
pub struct AskedTask<'a> {
    pub task: &'static ValidationTask,
    pub questions: Vec<&'a HeldOutQuestion>,
}

/// The tasks for which a set has questions, in the table's order. With `quick` they have fewer questions.
pub fn asked(questions: &[HeldOutQuestion], quick: bool) -> Vec<AskedTask<'_>> {
    let fits =
        |question: &&HeldOutQuestion| question.text.chars().count() <= MAX_TEXT_CHARS && !question.text.is_empty();
    let of_task = |task: &'static ValidationTask| {
        let questions: Vec<_> = questions.iter().filter(|of| task.asks(&of.qid)).filter(fits).collect();
        (!questions.is_empty()).then_some(AskedTask { task, questions })
    };
    let mut tasks: Vec<AskedTask<'_>> = TASKS.iter().filter_map(of_task).collect();
    if quick {
        let wanted: Vec<usize> = tasks.iter().map(|task| task.questions.len()).collect();
        for (task, count) in tasks.iter_mut().zip(evenly(&wanted, MAX_QUICK_QUESTIONS)) {
            task.questions.truncate(count);
        }
    }
    tasks
}

/// Distributes at most `most` questions over the tasks, one more for each task in turn.
fn evenly(wanted: &[usize], most: usize) -> Vec<usize> {
    let mut taken = vec![0; wanted.len()];
    let mut left = most.min(wanted.iter().sum());
    while left > 0 {
        for (taken, wanted) in taken.iter_mut().zip(wanted) {
            if left > 0 && *taken < *wanted {
                *taken += 1;
                left -= 1;
            }
        }
    }
    taken
}

/// Requests, and so credits, that a question costs for each twin.
pub fn requests(question: &HeldOutQuestion) -> usize {
    match &question.kind {
        HeldOutKind::Numbers { rows, .. } => rows.len().max(1),
        HeldOutKind::Choice(_) | HeldOutKind::Matrix { .. } => 1,
    }
}

/// Builds the survey. Fails if a question of the set cannot be asked in a survey.
pub fn document(source: &str, tasks: &[AskedTask<'_>]) -> Result<Document, String> {
    let (mut questions, mut flow) = (Vec::new(), Vec::new());
    for question in tasks.iter().flat_map(|task| &task.questions) {
        let asked: Vec<Value> = parts(question);
        let names: Vec<&Value> = asked.iter().map(|part| &part["name"]).collect();
        flow.push(json!({
            "if": { "held_out": question.qid },
            "then": [{ "block": question.qid, "questions": names }],
        }));
        questions.extend(asked);
    }
    let title: String = format!("Validation of {source}").chars().take(200).collect();
    let description = "Questions that the people behind the twins answered twice. Each twin is asked those that its \
                       person answered.";
    Document::read(json!({ "title": title, "description": description, "questions": questions, "flow": flow })).map_err(
        |findings| findings.first().map_or_else(String::new, |found| format!("{}: {}", found.pointer, found.message)),
    )
}

/// Converts a held-out question to survey questions: if several rows have a number each, each row is a question.
fn parts(question: &HeldOutQuestion) -> Vec<Value> {
    let text = escaped(&question.text);
    match &question.kind {
        HeldOutKind::Choice(options) => {
            vec![
                json!({ "name": question.qid, "type": "SINGLE_CHOICE", "text": text, "options": all_escaped(options) }),
            ]
        }
        HeldOutKind::Matrix { rows, columns } => {
            let rows: Vec<String> = rows.iter().map(|row| escaped(&row.text)).collect();
            vec![json!({
                "name": question.qid, "type": "MATRIX", "text": text,
                "sub_questions": rows, "scale_labels": all_escaped(columns),
            })]
        }
        HeldOutKind::Numbers { rows, bounds } => {
            let number = |row: Option<&HeldOutRow>| {
                let text = row.map_or_else(|| text.clone(), |row| format!("{text}\n{}", escaped(&row.text)));
                let name = question.key(row);
                match bounds {
                    Some((min, max)) => {
                        json!({ "name": name, "type": "SLIDER", "text": text, "min_value": min, "max_value": max })
                    }
                    None => json!({ "name": name, "type": "NUMBER", "text": text }),
                }
            };
            if rows.is_empty() { vec![number(None)] } else { rows.iter().map(|row| number(Some(row))).collect() }
        }
    }
}

/// Locates the answers to a scored item in a run: the question's name, and the row of a matrix from 0.
pub fn place(tasks: &[AskedTask<'_>], key: &str) -> Option<(String, Option<usize>)> {
    tasks.iter().flat_map(|task| &task.questions).find_map(|question| match &question.kind {
        HeldOutKind::Matrix { rows, .. } => {
            let row = rows.iter().position(|row| question.key(Some(row)) == key)?;
            Some((question.qid.clone(), Some(row)))
        }
        HeldOutKind::Choice(_) | HeldOutKind::Numbers { .. } => {
            let keys = question.rows().iter().map(|row| question.key(Some(row)));
            let mut keys = keys.chain(question.rows().is_empty().then(|| question.key(None)));
            keys.any(|of| of == key).then(|| (key.to_owned(), None))
        }
    })
}

/// Escapes braces, since texts of the dataset hold no pipes.
fn escaped(text: &str) -> String {
    text.replace("{{", "\\{{")
}

fn all_escaped(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| escaped(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(qid: &str, kind: HeldOutKind) -> HeldOutQuestion {
        HeldOutQuestion { qid: qid.into(), text: format!("What of {{{{answer:x}}}} in {qid}?"), kind }
    }

    fn set() -> Vec<HeldOutQuestion> {
        let row = |id: &str| HeldOutRow { id: id.into(), text: format!("Row {id}") };
        let options = || HeldOutKind::Choice(vec!["A".into(), "B".into()]);
        let mut set = vec![
            question("QID1", options()),
            question(
                "QID287",
                HeldOutKind::Matrix { rows: vec![row("1"), row("4")], columns: vec!["No".into(), "Yes".into()] },
            ),
            question("QID290", HeldOutKind::Numbers { rows: vec![row("1"), row("12")], bounds: Some((0.0, 100.0)) }),
            question("QID164", HeldOutKind::Numbers { rows: vec![], bounds: None }),
            question("QID163", options()),
        ];
        set.extend((1..=40).map(|product| question(&format!("QID9_{product}"), options())));
        set
    }

    #[test]
    fn each_question_of_a_task_stands_under_its_own_condition() {
        let set = set();
        let tasks = asked(&set, false);
        let document = document("a set", &tasks).expect("a survey");
        let names: Vec<&str> = document.items.iter().map(survey::item::Item::name).collect();
        assert_eq!(names[..5], ["QID287", "QID290_1", "QID290_12", "QID164", "QID163"]);
        assert_eq!(document.items.len(), 45);
        assert_eq!(document.design.flow.len(), 44, "one condition a question of the dataset");
        let report = survey::check::check(&document.design, &document.items, None);
        assert!(report.findings.iter().all(|found| !found.is_error()), "{report:?}");
        assert_eq!(place(&tasks, "QID287_4"), Some(("QID287".into(), Some(1))));
        assert_eq!(place(&tasks, "QID290_12"), Some(("QID290_12".into(), None)));
        assert_eq!(place(&tasks, "QID9_40"), Some(("QID9_40".into(), None)));
        assert_eq!(place(&tasks, "QID1"), None);
    }

    #[test]
    fn a_quick_validation_asks_every_task_and_24_questions() {
        let set = set();
        let counts: Vec<usize> = asked(&set, true).iter().map(|task| task.questions.len()).collect();
        assert_eq!(counts, [2, 2, 20]);
        assert_eq!(evenly(&[1, 9, 9], 4), [1, 2, 1]);
    }
}
