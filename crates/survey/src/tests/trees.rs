//! Random designs: every interview ends, costs no more than was held for it, and finds the same calls after any crash.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use serde_json::json;

use super::*;
use crate::assign::{Assignment, GivenArms, deal_cell};
use crate::rehearsal::invented;
use crate::walk::{InterviewState, Walked, next, reachable};

struct Tree {
    random: ChaCha8Rng,
    questions: Vec<Value>,
    tables: Vec<(String, Value)>,
    fields: Vec<String>,
    nodes: usize,
    /// Number of nodes, loops unrolled, after which only blocks are generated.
    room: usize,
    /// Number of questions left, loops unrolled.
    left: usize,
}

impl Tree {
    fn grow(seed: i64, size: usize) -> Value {
        let random = generator(seed, &[b"tree"]);
        let mut tree = Self {
            random,
            questions: Vec::new(),
            tables: Vec::new(),
            fields: Vec::new(),
            nodes: 0,
            room: 3 * size,
            left: size,
        };
        let mut flow = Vec::new();
        while tree.left > 0 {
            flow.extend(tree.list(1, 1, &mut Vec::new()));
        }
        let tables: serde_json::Map<String, Value> = tree.tables.into_iter().collect();
        json!({ "title": "T", "questions": tree.questions, "flow": flow, "tables": tables })
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.random.next_u64() % bound as u64).unwrap()
    }

    /// Generates a list of nodes. `before` has the questions that come earlier on every path or on none.
    fn list(&mut self, depth: usize, turns: usize, before: &mut Vec<String>) -> Vec<Value> {
        let count = 1 + self.below(3);
        (0..count).map(|_| self.node(depth, turns, before)).collect()
    }

    fn node(&mut self, depth: usize, turns: usize, before: &mut Vec<String>) -> Value {
        self.nodes += 1;
        self.room = self.room.saturating_sub(turns);
        let number = self.nodes;
        if self.room == 0 {
            return self.block(number, turns, before);
        }
        match if depth > 7 { self.below(3) } else { self.below(10) } {
            0 | 1 => self.block(number, turns, before),
            2 => {
                let field = format!("f{}", self.below(5));
                let value = match before.last() {
                    Some(name) if self.below(2) == 0 => format!("{{{{answer:{name}}}}}"),
                    _ => self.below(3).to_string(),
                };
                self.fields.push(field.clone());
                json!({ "set": { field: value } })
            }
            3 | 4 => {
                let condition = self.condition(before, 0);
                let (mut on_one, mut on_other) = (before.clone(), before.clone());
                let (then, or) = (self.list(depth + 1, turns, &mut on_one), self.list(depth + 1, turns, &mut on_other));
                let base = before.len();
                before.extend(on_one.drain(base..).chain(on_other.drain(base..)));
                json!({ "if": condition, "then": then, "else": or })
            }
            5 | 6 => {
                let arms = 1 + self.below(4);
                let take = 1 + self.below(arms);
                let order = ["fixed", "random", "latin"][self.below(3)];
                let mut new = Vec::new();
                let of: Vec<Value> = (0..arms)
                    .map(|arm| {
                        let mut on_arm = before.clone();
                        let flow = self.list(depth + 1, turns, &mut on_arm);
                        new.extend(on_arm.drain(before.len()..));
                        json!({ "arm": format!("arm{arm}"), "flow": flow })
                    })
                    .collect();
                before.extend(new);
                json!({ "random": format!("r{number}"), "take": take, "order": order, "strata": ["Gender"], "of": of })
            }
            7 if turns == 1 => {
                let (rows, name) = (1 + self.below(4), format!("t{number}"));
                let take = 1 + self.below(rows);
                let table: Vec<[String; 1]> = (0..rows).map(|row| [format!("row {row}")]).collect();
                self.tables.push((name.clone(), json!({ "columns": ["c"], "rows": table })));
                let mut inside = before.clone();
                let flow = self.list(depth + 1, take, &mut inside);
                json!({ "loop": name, "take": take, "order": "random", "flow": flow })
            }
            8 if self.below(6) == 0 => {
                let condition = self.condition(before, 0);
                json!({ "if": condition, "then": [{ "end": "screened_out" }] })
            }
            _ => json!(self.list(depth + 1, turns, before)),
        }
    }

    fn block(&mut self, number: usize, turns: usize, before: &mut Vec<String>) -> Value {
        let count = (1 + self.below(6)).min(self.left / turns);
        self.left =
            if count == 0 && self.left < turns { self.left.saturating_sub(1) } else { self.left - count * turns };
        let is_fixed = self.below(2) == 0;
        let mut names = Vec::new();
        for place in 0..count {
            let name = format!("q{number}_{place}");
            let mut question = match self.below(4) {
                0 => json!({ "type": "BOOLEAN", "text": "Yes?" }),
                1 => json!({ "type": "SINGLE_CHOICE", "text": "Which?", "options": ["a", "b", "c"], "shuffle": "all" }),
                2 => json!({ "type": "SLIDER", "text": "How far?", "min_value": 0, "max_value": 3 }),
                _ => json!({ "type": "INFO", "text": "Read this." }),
            };
            question["name"] = json!(name);
            if self.below(3) == 0 {
                question["show_if"] = self.condition(before, 0);
            }
            let is_request = question["type"] != "INFO";
            if let (Some(read), 0) = (before.last(), self.below(4)) {
                question["text"] = json!(format!("After {{{{answer:{read}}}}}?"));
            }
            self.questions.push(question);
            if is_fixed && is_request {
                before.push(name.clone());
            }
            names.push((name, is_request));
        }
        if !is_fixed {
            before.extend(names.iter().filter(|(_, is_request)| *is_request).map(|(name, _)| name.clone()));
        }
        let names: Vec<String> = names.into_iter().map(|(name, _)| name).collect();
        json!({ "block": format!("b{number}"), "questions": names, "order": if is_fixed { "fixed" } else { "random" } })
    }

    fn condition(&mut self, before: &[String], depth: usize) -> Value {
        match self.below(if depth > 2 { 3 } else { 6 }) {
            0 | 1 if !before.is_empty() => {
                let question = before[self.below(before.len())].clone();
                let operator = ["is", "is_not", "le", "has"][self.below(4)];
                let operand = [json!(true), json!("a"), json!(1)][self.below(3)].clone();
                let operand = if operator == "le" { json!(1) } else { operand };
                json!({ "answer": question, operator: operand })
            }
            2 if !self.fields.is_empty() => {
                let place = self.below(self.fields.len());
                let field = self.fields[place].clone();
                json!({ "field": field, "is": self.below(3).to_string() })
            }
            3 => json!({ "not": self.condition(before, depth + 1) }),
            4 => json!({ "all": [self.condition(before, depth + 1), self.condition(before, depth + 1)] }),
            5 => json!({ "any": [self.condition(before, depth + 1), self.condition(before, depth + 1)] }),
            _ => json!({ "twin": "Age", "ge": 18 + self.below(60) }),
        }
    }
}

/// Answers some questions of each stage before the next walk, and fails some. Returns the number of questions asked.
fn interview(plan: &Plan, twin: &Twin, assignment: &Assignment, parameters: StageParameters, fail: u64) -> usize {
    let mut random = generator(parameters.seed, &[b"interview", &twin.id.to_be_bytes()]);
    let (mut answers, mut failed): (HashMap<i64, Value>, HashSet<i64>) = (HashMap::new(), HashSet::new());
    let mut walked = Walked::none(reachable(plan, twin, assignment));
    let now = |answers: &HashMap<i64, Value>, failed: &HashSet<i64>, walked: &Walked| {
        let of = |walked| next(InterviewState { plan, twin, assignment, parameters, walked, answers, failed });
        let progress = of(None);
        assert_eq!(of(Some(walked)), progress, "who walked here before finds the same");
        progress
    };
    let mut steps = 0;
    let progress = loop {
        let progress = now(&answers, &failed, &walked);
        let Some(stage) = progress.stage.clone() else { break progress };
        walked.note(&stage);
        assert!(!stage.open.is_empty(), "a stage has something to ask");
        let some: Vec<i64> = stage.open.iter().copied().filter(|_| !random.next_u64().is_multiple_of(3)).collect();
        for id in if some.is_empty() { &stage.open } else { &some } {
            let shown = stage.asked.iter().find(|shown| shown.question.id == *id).unwrap();
            if fail > 0 && random.next_u64().is_multiple_of(fail) {
                failed.insert(*id);
            } else {
                let answer = invented(&plan.items[shown.item], shown, twin, parameters.seed).expect("an answer");
                answers.insert(*id, answer.to_value());
            }
        }
        if !some.is_empty() && some.len() < stage.open.len() {
            let again = now(&answers, &failed, &walked).stage.expect("what is left of the stage");
            assert_eq!(again.asked, stage.asked, "the same call after a crash");
        }
        steps += 1;
        assert!(steps <= plan.items.len(), "the interview goes on without end");
    };
    let asked: HashSet<i64> = answers.keys().chain(&failed).copied().collect();
    let reach: HashSet<i64> =
        reachable(plan, twin, assignment).iter().map(|place| plan.items[*place].question.id).collect();
    assert!(asked.is_subset(&reach), "what was asked was paid for");
    let skipped: HashSet<i64> = progress.skipped.iter().map(|(id, _)| *id).collect();
    let upstream: HashSet<i64> = progress.upstream.iter().copied().collect();
    assert!(asked.is_disjoint(&skipped) && asked.is_disjoint(&upstream) && skipped.is_disjoint(&upstream));
    assert_eq!(asked.len() + skipped.len() + upstream.len(), reach.len(), "answered, failed and skipped are all");
    if fail == 0 {
        assert!(upstream.is_empty());
    }
    reach.len()
}

fn interviewed(seed: i64, size: usize, parameters: StageParameters, fail: u64) {
    let Document { design, items, .. } = document(Tree::grow(seed, size));
    let attributes: BTreeSet<String> = ["Age", "Gender", "Region"].map(str::to_owned).into();
    let report = check(&design, &items, Some(&attributes));
    let errors: Vec<_> = report.findings.iter().filter(|finding| finding.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let plan = Plan::new(&design, &items).expect("a plan").numbered();
    assert!(plan.items.len() <= 500);
    let twins = twins(2);
    let dealt = deal_cell(&plan, seed, &twins, &GivenArms::new()).expect("an assignment");
    assert_eq!(deal_cell(&plan, seed, &twins, &GivenArms::new()).unwrap(), dealt);
    for (twin, (assignment, requests)) in twins.iter().zip(&dealt) {
        let paid = interview(&plan, twin, assignment, parameters, fail);
        assert_eq!(paid, *requests, "what dealing reached is what the assignment reaches");
        assert!(paid <= report.requests_per_twin, "{paid} of {}", report.requests_per_twin);
    }
}

/// The design is as large as the limits allow.
#[test]
fn interviews_of_500_questions_end() {
    for seed in 0..4 {
        interviewed(seed, 500, parameters(seed), if seed % 2 == 0 { 0 } else { 10 });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_interview_ends_and_costs_no_more_than_its_price(
        seed in 0_i64..1_000_000_000, size in 1_usize..=80, per_call in 1_u16..12, scope in 0_usize..3, fail in 0_u64..2,
    ) {
        let call_scope = [CallScope::Chunk, CallScope::Block, CallScope::Question][scope];
        let parameters = StageParameters { questions_per_call: per_call, call_scope, ..parameters(seed) };
        interviewed(seed, size, parameters, fail * 10);
    }
}
