use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::assign::{Assignment, AssignmentRefusal, assign, assign_cell, combinations};

fn dealt(plan: &Plan, seed: i64, count: i32) -> Vec<Assignment> {
    assign(plan, seed, &twins(count)).expect("an assignment")
}

fn arm<'a>(assignment: &'a Assignment, node: &str) -> &'a str {
    &assignment.arms[node][0]
}

fn everything() -> Value {
    json!({ "title": "T", "questions": yes_no(&["a", "b", "c", "d", "L"]),
        "tables": { "ideas": { "columns": ["text"], "rows": [["one"], ["two"], ["three"], ["four"]] } },
        "flow": [
            { "random": "arm", "take": 1, "of": [
                { "arm": "control", "weight": 2, "flow": [] },
                { "arm": "treated", "weight": 1, "flow": [
                    { "random": "dose", "take": 1, "of": [{ "arm": "low" }, { "arm": "high" }] }] }] },
            { "random": "blocks", "order": "latin", "of": [
                { "arm": "x", "flow": [{ "block": "bx", "questions": ["a"] }] },
                { "arm": "y", "flow": [{ "block": "by", "questions": ["b"] }] },
                { "arm": "z", "flow": [{ "block": "bz", "questions": ["c", "d"], "order": "random" }] }] },
            { "loop": "ideas", "take": 2, "order": "random", "flow": [{ "block": "idea", "questions": ["L"] }] }] })
}

/// Later versions recompute stored runs, so the assignment for a seed must never change.
#[test]
fn what_a_seed_deals_is_the_same_in_every_version() {
    let plan = plan(everything());
    let lines: Vec<String> = dealt(&plan, 42, 9)
        .iter()
        .map(|dealt| {
            let dose = dealt.arms.get("dose").map_or("-", |dose| &*dose[0]);
            let blocks = dealt.arms["blocks"].concat();
            format!("{} {dose} {blocks} {:?} {:?}", arm(dealt, "arm"), dealt.orders["bz"], dealt.rows["ideas"])
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    control - xyz [1, 2] [1, 2]
    control - zxy [1, 2] [3, 4]
    treated high yzx [2, 1] [2, 4]
    control - zyx [1, 2] [1, 3]
    treated low xzy [2, 1] [4, 1]
    control - yxz [1, 2] [3, 2]
    treated low yxz [2, 1] [1, 4]
    control - xzy [2, 1] [3, 2]
    control - yzx [1, 2] [2, 1]
    ");
}

#[test]
fn an_assignment_is_stored_as_json_and_read_again() {
    let plan = plan(everything());
    for assignment in dealt(&plan, 7, 20) {
        let text = serde_json::to_string(&assignment).unwrap();
        assert_eq!(serde_json::from_str::<Assignment>(&text).unwrap(), assignment);
    }
}

#[test]
fn a_node_in_an_arm_is_balanced_among_the_twins_of_that_arm() {
    let plan = plan(everything());
    let mut counts = BTreeMap::new();
    for assignment in dealt(&plan, 3, 120) {
        let dose = assignment.arms.get("dose").map(|dose| dose[0].clone());
        assert_eq!(dose.is_some(), arm(&assignment, "arm") == "treated");
        *counts.entry(dose).or_insert(0) += 1;
    }
    assert_eq!(counts[&Some("low".into())], 20);
    assert_eq!(counts[&Some("high".into())], 20);
    assert_eq!(counts[&None], 80);
}

#[test]
fn latin_orders_put_every_arm_equally_often_at_every_place() {
    let plan = plan(everything());
    let mut counts: BTreeMap<_, u32> = BTreeMap::new();
    for assignment in dealt(&plan, 3, 60) {
        for (place, arm) in assignment.arms["blocks"].iter().enumerate() {
            *counts.entry((place, arm.clone())).or_default() += 1;
        }
    }
    assert_eq!(counts.len(), 9);
    assert!(counts.values().all(|count| *count == 20), "{counts:?}");
}

#[test]
fn rows_of_a_loop_are_used_equally_often() {
    let plan = plan(everything());
    let mut counts = [0; 4];
    for assignment in dealt(&plan, 11, 40) {
        let rows = &assignment.rows["ideas"];
        assert_eq!(rows.len(), 2);
        assert_ne!(rows[0], rows[1]);
        rows.iter().for_each(|row| counts[usize::try_from(*row).unwrap() - 1] += 1);
    }
    assert_eq!(counts, [20; 4]);
}

#[test]
fn every_twin_is_in_every_combination_of_arms_where_that_is_asked() {
    let plan = plan(everything());
    let all = combinations(&plan).unwrap();
    let names: Vec<String> = all.iter().map(|cell| cell.values().cloned().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(names, ["control", "treated low", "treated high"]);
    for cell in &all {
        let assignments = assign_cell(&plan, 1, &twins(5), cell).unwrap();
        assert!(assignments.iter().all(|dealt| cell.iter().all(|(node, name)| arm(dealt, node) == name)));
        assert_eq!(assignments.len(), 5);
    }
}

/// Checks the fields that are known before any answer; a later set of the same field wins.
#[test]
fn fields_that_no_answer_decides_are_known_at_the_start() {
    let arms = json!([{ "arm": "x", "flow": [{ "set": { "group": "x" } }] }, { "arm": "y", "flow": [{ "set": { "group": "y" } }] }]);
    let flow = json!([{ "random": "order", "take": 2, "order": "random", "of": arms },
        { "if": { "field": "group", "is": "x" }, "then": [{ "block": "b", "questions": ["a"] }],
          "else": [{ "set": { "late": "{{field:group}}!" } }] }]);
    let plan = plan(survey(&["a"], flow));
    for assignment in dealt(&plan, 5, 12) {
        let last = &**assignment.arms["order"].last().unwrap();
        assert_eq!(assignment.fields["group"], last);
        assert_eq!(assignment.fields.get("late").map(String::as_str), (last == "y").then_some("y!"));
    }
}

#[test]
fn options_that_pipes_make_equal_refuse_the_start_and_name_the_twin() {
    let mut survey = survey(&["a"], json!([{ "block": "b", "questions": ["a", "where"] }]));
    let question =
        json!({ "name": "where", "type": "SINGLE_CHOICE", "text": "?", "options": ["North", "{{twin:Region}}"] });
    let rows = json!({ "name": "where", "type": "MATRIX", "text": "?", "scale_labels": ["l", "h"], "sub_questions": question["options"] });
    for question in [question, rows] {
        survey["questions"].as_array_mut().unwrap().push(question);
        let refusal = assign(&plan(survey.clone()), 1, &twins(8)).unwrap_err();
        assert_eq!(
            refusal,
            AssignmentRefusal::EqualOptions { persona_id: 1, question: "where".into(), text: "North".into() }
        );
        survey["questions"].as_array_mut().unwrap().pop();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arms_are_balanced_within_every_stratum_at_every_prefix(seed: i64, count in 1_i32..150) {
        let plan = plan(fees());
        let twins = twins(count);
        let mut counts: BTreeMap<&str, [i32; 2]> = BTreeMap::new();
        for (twin, assignment) in twins.iter().zip(assign(&plan, seed, &twins).unwrap()) {
            let counts = counts.entry(&twin.attributes["Gender"]).or_default();
            counts[usize::from(arm(&assignment, "fee_arm") == "service")] += 1;
            prop_assert!((counts[0] - counts[1]).abs() <= 1);
        }
    }

    #[test]
    fn the_same_seed_deals_the_same_and_more_twins_change_nothing(seed: i64, count in 1_i32..60) {
        let plan = plan(everything());
        let all = dealt(&plan, seed, 60);
        prop_assert_eq!(&dealt(&plan, seed, count)[..], &all[..usize::try_from(count).unwrap()]);
        prop_assert_ne!(dealt(&plan, seed.wrapping_add(1), 60), all);
    }
}
