//! Checks the logic of questions: codes, pins, reversed rows, shuffles and attention checks.

use std::collections::HashSet;

use crate::answer::{AnswerShape, Parts, ValueKind, yes_or_no};
use crate::finding::{FindingCode, Findings, below};
use crate::item::Item;
use crate::logic::Shuffle;
use crate::plan::MAX_DEPTH;

pub fn check(index: usize, item: &Item, findings: &mut Findings) {
    let pointer = format!("/questions/{index}");
    let (logic, choices) = (&item.logic, item.choices());
    if let Some(codes) = &logic.codes {
        let different: HashSet<_> = codes.iter().collect();
        if codes.len() != choices.len() || different.len() != codes.len() {
            let message =
                format!("There are {} codes for {} options: each has one of its own.", codes.len(), choices.len());
            findings.error(FindingCode::BadCodes, below(&pointer, "codes"), message);
        }
    }
    exclusive(&pointer, item, findings);
    let rows = &item.question.sub_questions;
    for (number, pin) in logic.pin.iter().flatten().enumerate() {
        if !choices.contains(pin) && !rows.contains(pin) {
            let message = format!("The question has no option or row {pin:?} to pin.");
            findings.error(FindingCode::BadPin, format!("{pointer}/pin/{number}"), message);
        }
    }
    for (number, row) in logic.reverse_rows.iter().flatten().enumerate().filter(|(_, row)| !rows.contains(row)) {
        let message = format!("The question has no row {row:?} to reverse.");
        findings.error(FindingCode::BadQuestion, format!("{pointer}/reverse_rows/{number}"), message);
    }
    for (shuffle, texts, field) in [(logic.shuffle, choices, "shuffle"), (logic.row_shuffle, rows, "row_shuffle")] {
        if let Some(Shuffle::Subset(size)) = shuffle
            && !(1..=texts.len()).contains(&size.try_into().unwrap_or(usize::MAX))
        {
            let message = format!("Shows {size} of {}.", texts.len());
            findings.error(FindingCode::BadSubset, below(&pointer, field), message);
        }
    }
    for (name, condition) in logic.option_if.iter().flatten() {
        if condition.depth() > MAX_DEPTH {
            too_deep(&below(&below(&pointer, "option_if"), name), findings);
        }
    }
    if logic.show_if.as_ref().is_some_and(|condition| condition.depth() > MAX_DEPTH) {
        too_deep(&below(&pointer, "show_if"), findings);
    }
    let Some(check) = &logic.check else { return };
    let place = below(&pointer, "check");
    match item.question.layout() {
        Some((_, ValueKind::Text)) => {
            let message = "A free text cannot be an attention check: no rule could say whether it passes.";
            findings.error(FindingCode::CheckOfText, place, message);
        }
        Some(
            (Parts::Whole, kind @ (ValueKind::Choice | ValueKind::Choices | ValueKind::YesNo))
            | (Parts::Rows, kind @ ValueKind::Choice),
        ) => {
            let yes_or_no = [true, false].map(|yes| yes_or_no(yes).to_owned());
            let known = if kind == ValueKind::YesNo { &yes_or_no } else { choices };
            let unknown = check.expect.iter().find(|expected| !known.contains(expected));
            if let Some(unknown) = unknown {
                findings.error(FindingCode::BadCheck, place, format!("{unknown:?} is none of the question's answers."));
            } else if !can_be_chosen_together(item, &check.expect) {
                let message = "One of the expected options excludes the others, so nobody passes.";
                findings.error(FindingCode::BadCheck, place, message);
            } else if check.expect.is_empty() {
                findings.error(FindingCode::BadCheck, place, "The attention check expects nothing.");
            }
        }
        Some((Parts::Whole, ValueKind::Number)) => {
            if check.expect.is_empty() || check.expect.iter().any(|expected| expected.trim().parse::<f64>().is_err()) {
                findings.error(FindingCode::BadCheck, place, "The attention check of a number expects a number.");
            }
        }
        _ => {
            findings.error(FindingCode::BadCheck, place, "This type of question cannot be an attention check.");
        }
    }
}

/// Checks that exclusive options are options of a multiple choice.
fn exclusive(pointer: &str, item: &Item, findings: &mut Findings) {
    let Some(exclusive) = &item.logic.exclusive else { return };
    if item.question.shape() != Some(AnswerShape::Choices) {
        let message = "Only in a multiple choice can an option exclude the others.";
        findings.error(FindingCode::BadExclusive, below(pointer, "exclusive"), message);
        return;
    }
    for (number, option) in exclusive.iter().enumerate().filter(|(_, option)| !item.choices().contains(option)) {
        let message = format!("The question has no option {option:?} that could exclude the others.");
        findings.error(FindingCode::BadExclusive, format!("{pointer}/exclusive/{number}"), message);
    }
}

fn can_be_chosen_together(item: &Item, options: &[String]) -> bool {
    let exclusive = item.logic.exclusive.as_deref().unwrap_or_default();
    options.len() < 2 || !options.iter().any(|option| exclusive.contains(option))
}

fn too_deep(pointer: &str, findings: &mut Findings) {
    findings.error(FindingCode::TooDeep, pointer, format!("The condition is nested deeper than {MAX_DEPTH} levels."));
}
