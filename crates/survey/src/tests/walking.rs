use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::answer::Answer;
use crate::assign::{Assignment, assign};
use crate::flow::Ending;
use crate::rehearsal::{Rehearsal, invented, rehearse};
use crate::walk::{InterviewState, Reason, WalkProgress, Walked, next, reachable};

/// An interview that a test answers question by question.
struct Asked {
    plan: Plan,
    twin: Twin,
    assignment: Assignment,
    parameters: StageParameters,
    answers: HashMap<i64, Value>,
    failed: HashSet<i64>,
    /// Result of the last walk with these parameters.
    walked: RefCell<(StageParameters, Walked)>,
}

/// Returns the state before the first walk.
fn of_none(plan: &Plan, twin: &Twin, assignment: &Assignment) -> Walked {
    Walked::none(reachable(plan, twin, assignment))
}

impl Asked {
    fn start(survey: Value) -> Self {
        let plan = plan(survey);
        let twin = twins(1).remove(0);
        let assignment = assign(&plan, 1, std::slice::from_ref(&twin)).unwrap().remove(0);
        let parameters = parameters(1);
        let walked = RefCell::new((parameters, of_none(&plan, &twin, &assignment)));
        Self { plan, twin, assignment, parameters, answers: HashMap::new(), failed: HashSet::new(), walked }
    }

    fn id(&self, name: &str) -> i64 {
        self.plan.items[self.plan.item(name).unwrap()].question.id
    }

    fn answer(&mut self, name: &str, value: Value) -> &mut Self {
        self.answers.insert(self.id(name), value);
        self
    }

    fn fail(&mut self, name: &str) -> &mut Self {
        self.failed.insert(self.id(name));
        self
    }

    fn now(&self) -> WalkProgress {
        let Self { plan, twin, assignment, parameters, answers, failed, .. } = self;
        let of =
            |walked| next(InterviewState { plan, twin, assignment, parameters: *parameters, walked, answers, failed });
        // A walk with the memory of earlier ones finds the same.
        let progress = of(None);
        let mut walked = self.walked.borrow_mut();
        if walked.0 != *parameters {
            *walked = (*parameters, of_none(plan, twin, assignment));
        }
        let (_, walked) = &mut *walked;
        assert_eq!(of(Some(walked)), progress);
        progress.stage.iter().for_each(|stage| walked.note(stage));
        progress
    }

    fn name(&self, id: i64) -> &str {
        self.plan.items.iter().find(|item| item.question.id == id).unwrap().name()
    }

    /// Returns the next call with its open questions marked.
    fn stage(&self) -> String {
        let Some(stage) = self.now().stage else { return String::new() };
        let mark = |id: i64| if stage.open.contains(&id) { "?" } else { "" };
        let asked = stage.asked.iter().map(|shown| format!("{}{}", shown.question.name, mark(shown.question.id)));
        asked.collect::<Vec<_>>().join(" ")
    }

    fn skipped(&self) -> Vec<(&str, Reason)> {
        self.now().skipped.iter().map(|(id, reason)| (self.name(*id), *reason)).collect()
    }

    fn upstream(&self) -> Vec<&str> {
        self.now().upstream.iter().map(|id| self.name(*id)).collect()
    }
}

fn when(question: &str, then: Value) -> Value {
    json!({ "if": { "answer": question, "is": true }, "then": then })
}

fn block(name: &str, questions: &[&str]) -> Value {
    json!({ "block": name, "questions": questions })
}

#[test]
fn a_survey_is_asked_in_stages_that_end_before_what_reads_an_open_answer() {
    let mut asked = Asked::start(fees());
    let fee = &asked.assignment.arms["fee_arm"][0].clone();
    assert_eq!(asked.stage(), "ok?");
    asked.answer("ok", json!(true));
    assert_eq!(asked.stage(), "V fair?");
    let stage = asked.now().stage.unwrap();
    assert_eq!(stage.asked[0].question.text, format!("The hotel adds a {fee} fee of $30 at check-out."));
    assert_eq!(stage.earlier.iter().map(|shown| shown.question.name.as_str()).collect::<Vec<_>>(), ["ok"]);
    asked.answer("fair", json!(2));
    assert_eq!(asked.stage(), "why? att?");
    assert_eq!(asked.now().stage.unwrap().asked[0].question.text, "You chose 2. Why?");
    asked.answer("why", json!("Because.")).answer("att", json!("Blue"));
    let end = asked.now();
    assert_eq!((end.stage, end.skipped, end.upstream), (None, vec![], vec![]));
    assert_eq!(end.fields["fee"], format!("a {fee} fee"));
}

#[test]
fn what_logic_hides_is_skipped_and_what_follows_is_asked() {
    let mut asked = Asked::start(fees());
    asked.answer("ok", json!(true)).answer("fair", json!(6));
    assert_eq!(asked.stage(), "att?");
    assert_eq!(asked.skipped(), [("why", Reason::Logic)]);
}

#[test]
fn a_twin_that_is_screened_out_is_asked_nothing_more() {
    let mut asked = Asked::start(fees());
    asked.answer("ok", json!(false));
    assert_eq!(asked.stage(), "");
    assert_eq!(asked.now().ended, Some(Ending::ScreenedOut));
    let all = [("fair", Reason::ScreenedOut), ("why", Reason::ScreenedOut), ("att", Reason::ScreenedOut)];
    assert_eq!(asked.skipped(), all);
    let reach = reachable(&asked.plan, &asked.twin, &asked.assignment);
    assert_eq!(reach.len(), 4);
}

#[test]
fn a_crash_or_a_retry_finds_the_same_call() {
    let names = ["a", "b", "c", "d", "e"];
    let mut asked = Asked::start(survey(&names, json!([block("x", &names)])));
    asked.parameters.questions_per_call = 2;
    assert_eq!(asked.stage(), "a? b?");
    asked.answer("b", json!(true));
    assert_eq!(asked.stage(), "a? b");
    asked.answer("d", json!(true));
    assert_eq!(asked.stage(), "a? b");
    asked.fail("a");
    assert_eq!(asked.stage(), "c? d");
    asked.answer("c", json!(true));
    assert_eq!(asked.stage(), "e?");
}

#[test]
fn calls_are_cut_by_scope() {
    let survey = survey(&["a", "b", "c"], json!([block("x", &["a", "b"]), block("y", &["c"])]));
    let mut asked = Asked::start(survey);
    assert_eq!(asked.stage(), "a? b? c?");
    asked.parameters.call_scope = CallScope::Block;
    assert_eq!(asked.stage(), "a? b?");
    asked.parameters.call_scope = CallScope::Question;
    assert_eq!(asked.stage(), "a?");
}

#[test]
fn what_depends_on_a_failed_answer_is_not_asked() {
    let flow = json!([block("x", &["a"]), when("a", json!([block("y", &["b"])])), block("z", &["c"])]);
    let mut asked = Asked::start(survey(&["a", "b", "c"], flow));
    asked.fail("a");
    assert_eq!(asked.stage(), "c?");
    assert_eq!(asked.upstream(), ["b"]);
    // It is also unknown whether the interview ended.
    let flow = json!([block("x", &["a"]), when("a", json!([{ "end": "screened_out" }])), block("z", &["b", "c"])]);
    let mut asked = Asked::start(survey(&["a", "b", "c"], flow));
    asked.fail("a");
    assert_eq!(asked.stage(), "");
    assert_eq!((asked.upstream(), asked.now().ended), (vec!["b", "c"], None));
    // If a text pipes a failed answer, the questions after it in its block fail too.
    let mut survey = survey(&["a", "b", "c"], json!([block("x", &["a"]), block("y", &["t", "b"]), block("z", &["c"])]));
    survey["questions"].as_array_mut().unwrap().push(json!({ "name": "t", "type": "INFO", "text": "{{answer:a}}" }));
    let mut asked = Asked::start(survey);
    asked.fail("a");
    assert_eq!((asked.stage().as_str(), asked.upstream()), ("c?", vec!["b"]));
}

#[test]
fn a_field_that_an_answer_decides_is_read_after_it() {
    let flow = json!([block("x", &["a"]),
        { "if": { "answer": "a", "is": true }, "then": [{ "set": { "side": "for" } }], "else": [{ "set": { "side": "against" } }] },
        { "if": { "field": "side", "is": "for" }, "then": [block("y", &["b"])], "else": [block("z", &["c"])] }]);
    let mut asked = Asked::start(survey(&["a", "b", "c"], flow));
    assert_eq!(reachable(&asked.plan, &asked.twin, &asked.assignment).len(), 3);
    asked.answer("a", json!(false));
    assert_eq!((asked.stage().as_str(), asked.skipped()), ("c?", vec![("b", Reason::Logic)]));
}

#[test]
fn options_are_hidden_shuffled_and_pinned_alike_at_every_look() {
    let survey = json!({ "title": "T", "questions": [
        { "name": "a", "type": "BOOLEAN", "text": "?" },
        { "name": "q", "type": "SINGLE_CHOICE", "text": "?", "options": ["1", "2", "3", "4", "5", "Other"],
          "shuffle": "all", "pin": ["Other"], "option_if": { "3": { "answer": "a", "is": false } } },
        { "name": "s", "type": "MULTIPLE_CHOICE", "text": "?", "options": ["1", "2", "3", "4", "5", "Other"],
          "shuffle": { "subset": 2 }, "pin": ["Other"] }] });
    let mut asked = Asked::start(survey);
    let mut orders = HashSet::new();
    for seed in 0..40 {
        asked.parameters.seed = seed;
        let stage = asked.answer("a", json!(true)).now().stage.unwrap();
        let [q, s] = [&stage.asked[0], &stage.asked[1]].map(|shown| shown.order.clone().unwrap());
        assert_eq!(asked.now().stage.unwrap(), stage);
        let mut sorted = q.clone();
        sorted.sort_unstable();
        assert_eq!((sorted, q[4]), (vec![1, 2, 4, 5, 6], 6));
        assert_eq!((s.len(), s[2]), (3, 6));
        orders.insert(q);
    }
    assert!(orders.len() > 10, "{orders:?}");
    asked.parameters.option_order = OptionOrder::Reversed;
    let reversed = asked.now().stage.unwrap().asked[0].order.clone().unwrap();
    assert!(!orders.is_empty() && reversed.last() == Some(&6));
}

#[test]
fn a_loop_shows_each_turn_its_row() {
    let survey = json!({ "title": "T", "questions": [
        { "name": "a", "type": "RANGE", "text": "{{loop:_number}} of {{loop:_total}}: {{loop:text}}?", "min_value": 1, "max_value": 7,
          "min_description": "x", "max_description": "y" },
        { "name": "b", "type": "BOOLEAN", "text": "{{answer:a}}?", "show_if": { "answer": "a", "ge": 4 } }],
      "tables": { "ideas": { "columns": ["text"], "rows": [["one"], ["two"], ["three"]] } },
      "flow": [{ "loop": "ideas", "take": 2, "order": "random", "flow": [block("idea", &["a", "b"])] }] });
    let mut asked = Asked::start(survey);
    let rows = ["one", "two", "three"];
    let row = |turn: usize| rows[usize::try_from(asked.assignment.rows["ideas"][turn]).unwrap() - 1];
    let (first, second) = (row(0), row(1));
    assert_eq!(asked.stage(), "a#1?");
    assert_eq!(asked.now().stage.unwrap().asked[0].question.text, format!("1 of 2: {first}?"));
    asked.answer("a#1", json!(5));
    assert_eq!(asked.stage(), "b#1? a#2?");
    assert_eq!(asked.now().stage.unwrap().asked[1].question.text, format!("2 of 2: {second}?"));
    asked.answer("b#1", json!(true)).answer("a#2", json!(1));
    assert_eq!((asked.stage().as_str(), asked.skipped()), ("", vec![("b#2", Reason::Logic)]));
}

/// No text that a twin sees contains other arms, their names or the names of fields.
#[test]
fn no_text_of_another_arm_is_shown() {
    let plan = plan(fees());
    let twins = twins(40);
    for (twin, assignment) in twins.iter().zip(assign(&plan, 9, &twins).unwrap()) {
        let answer = |item: &_, shown: &_| invented(item, shown, twin, 3);
        let Rehearsal { asked, progress } = rehearse(&plan, twin, &assignment, parameters(9), answer);
        let texts: String = asked.iter().map(|answered| answered.shown.question.text.clone()).collect();
        let other = if *assignment.arms["fee_arm"][0] == *"resort" { "service" } else { "resort" };
        assert!(!texts.contains(other) && !texts.contains("fee_arm") && !texts.contains("{{"), "{texts}");
        assert!(progress.stage.is_none());
    }
}

#[test]
fn twins_who_read_the_same_words_share_the_question_and_others_do_not() {
    let mut asked = Asked::start(json!({
        "title": "T",
        "questions": [
            { "name": "plain", "type": "BOOLEAN", "text": "A \\{{brace}}?" },
            { "name": "options", "type": "SINGLE_CHOICE", "text": "Which?", "options": ["a", "{{twin:Gender}}"] },
            { "name": "piped", "type": "BOOLEAN", "text": "{{twin:Age}}?" },
        ],
        "flow": [block("all", &["plain", "options", "piped"])],
    }));
    // There are more ages than wordings that are kept.
    let shown: Vec<_> = twins(60)
        .into_iter()
        .map(|twin| {
            asked.walked = RefCell::new((asked.parameters, of_none(&asked.plan, &twin, &asked.assignment)));
            asked.twin = twin;
            let questions =
                asked.now().stage.unwrap().asked.iter().map(|shown| Arc::clone(&shown.question)).collect::<Vec<_>>();
            let texts = [&questions[0].text, &questions[1].options[1], &questions[2].text].map(String::clone);
            let [age, gender] = ["Age", "Gender"].map(|name| asked.twin.attributes[name].clone());
            assert_eq!(texts, ["A {{brace}}?".to_owned(), gender, format!("{age}?")]);
            questions
        })
        .collect();
    let shared = |one: usize, other: usize| {
        shown[one].iter().zip(&shown[other]).map(|(a, b)| Arc::ptr_eq(a, b)).collect::<Vec<_>>()
    };
    assert_eq!(shared(0, 2), [true, true, false], "two men");
    assert_eq!(shared(0, 1), [true, false, false], "a man and a woman");
}

#[test]
fn what_excludes_the_others_is_known_by_the_text_that_is_shown() {
    let question = json!({ "name": "q", "type": "MULTIPLE_CHOICE", "text": "Which?", "exclusive": ["None of {{field:f}}"],
        "options": ["Tea", "Milk", "None of {{field:f}}"] });
    let flow = json!([{ "set": { "f": "these" } }, block("b", &["q"])]);
    let asked = Asked::start(json!({ "title": "T", "questions": [question], "flow": flow }));
    let shown = asked.now().stage.unwrap().asked.remove(0);
    assert!(shown.question.is_exclusive("None of these") && !shown.question.is_exclusive("Tea"));
    let item = &asked.plan.items[0];
    let mut alone = 0;
    for seed in 0..100 {
        let Some(Answer::Choices(given)) = invented(item, &shown, &asked.twin, seed) else { panic!("no choices") };
        assert!(given.len() == 1 || !given.iter().any(|option| option == "None of these"), "{given:?}");
        alone += usize::from(given == ["None of these"]);
    }
    assert!(alone > 0);
}
