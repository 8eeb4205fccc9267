//! Fuzz tests with files that are almost right: the importer ends and does not panic.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::json;

use super::studies::{StudyFolder, invented_study, published_studies, survey};
use super::*;

fn below(random: &mut ChaCha8Rng, bound: usize) -> usize {
    usize::try_from(random.next_u64() % bound.max(1) as u64).unwrap()
}

/// A file with everything that the importer knows.
fn sample() -> Vec<u8> {
    let two = json!({ "Choices": choices(&["a", "${e://Field/x}"]), "Answers": choices(&["l", "h"]),
        "RecodeValues": { "1": "5", "2": "7" }, "Language": { "DE": {} }, "ChoiceGroups": { "0": { "GroupLabel": "g" } },
        "Randomization": { "Type": "Advanced", "Advanced": { "FixedOrder": ["1", "{~Randomized~}"], "Undisplayed": ["9"] }, "Answers": { "Type": "All" } },
        "Labels": choices(&["low", "high"]), "Configuration": { "CSSliderMin": 0, "CSSliderMax": 9 },
        "Validation": { "Settings": { "Type": "ContentType", "ContentType": "ValidNumber", "ChoiceTotal": "10" } },
        "AdditionalQuestions": { "1": { "QuestionType": "Matrix", "Selector": "Likert", "SubSelector": "SingleAnswer", "Answers": choices(&["l", "h"]) } } });
    let kinds = [
        ["MC", "SAVR", "TX"],
        ["MC", "MAVR", "TX"],
        ["Matrix", "Likert", "SingleAnswer"],
        ["Slider", "HSLIDER", ""],
        ["CS", "VRTL", ""],
        ["RO", "DND", ""],
        ["TE", "SL", ""],
        ["TE", "FORM", ""],
        ["SBS", "SBSMatrix", ""],
        ["DB", "TB", ""],
    ];
    let logic = json!({ "0": { "0": { "LogicType": "Question", "LeftOperand": "q://Q0/SelectableChoice/1", "Operator": "Selected", "Type": "Expression" },
        "1": { "LogicType": "EmbeddedField", "LeftOperand": "x", "Operator": "EqualTo", "RightOperand": "1", "Conjuction": "Or", "Type": "Expression" }, "Type": "If" }, "Type": "BooleanExpression" });
    let questions: Vec<Value> = (0..)
        .zip(kinds)
        .map(|(number, kind)| {
            let mut question = question(&format!("Q{number}"), kind, two.clone());
            question[if number % 2 == 0 { "DisplayLogic" } else { "InPageDisplayLogic" }] = logic.clone();
            if number > 7 {
                question["DynamicChoices"] =
                    json!({ "Locator": format!("q://Q{}/ChoiceGroup/SelectedChoices", number - 7) });
            }
            question["QuestionText"] = json!("<b>Hi</b> ${q://Q0/ChoiceGroup/SelectedChoices} <img src=x>");
            question
        })
        .collect();
    let elements: Vec<Value> = (0..questions.len()).map(|number| json!({ "Type": "Question", "QuestionID": format!("Q{number}"),
        "SkipLogic": [{ "ChoiceLocator": "q://Q0/SelectableChoice/1", "Condition": "Selected", "SkipToDestination": "Q9" }] })).collect();
    let (first, second) = elements.split_at(3);
    let blocks = json!([{ "ID": "BL_1", "Type": "Standard", "BlockElements": first },
        { "ID": "BL_2", "Type": "Standard", "BlockElements": second, "Options": { "Looping": "Static", "LoopingOptions": { "Static": { "1": { "1": "x" } }, "Randomization": "All" } } },
        { "ID": "BL_3", "Type": "Standard", "BlockElements": [], "Options": { "Looping": "Question", "LoopingOptions": { "Locator": "q://Q1/ChoiceGroup/SelectedChoices", "Static": { "1": { "2": "x" } } } } }]);
    let flow = json!([{ "Type": "EmbeddedData", "EmbeddedData": [{ "Field": "x", "Value": "1" }] }, block("1"),
        { "Type": "BlockRandomizer", "FlowID": "FL_2", "SubSet": 1, "Flow": [{ "Type": "Group", "Flow": [block("2")] }, { "Type": "EndSurvey" }] },
        { "Type": "Branch", "BranchLogic": logic, "Flow": [{ "Type": "EndSurvey" }] }]);
    with_blocks(&questions, blocks, &flow)
}

/// Changes one value somewhere in the tree.
fn disturb(value: &mut Value, depth: usize, random: &mut ChaCha8Rng) {
    let strange = [
        json!(null),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("${e://Field/"),
        json!("{{answer:q1}}"),
        json!([]),
        json!({}),
        json!([[["x"]]]),
        json!({ "1": { "2": null } }),
        json!("\u{202e}\u{0}#"),
        json!(true),
        json!("9999999999999999999999"),
    ];
    match value {
        Value::Object(fields) if !fields.is_empty() && (depth < 3 || below(random, 8) > 0) => {
            let key = fields.keys().nth(below(random, fields.len())).unwrap().clone();
            match below(random, if depth < 2 { 60 } else { 12 }) {
                0 => drop(fields.remove(&key)),
                1 => {
                    let value = fields[&key].clone();
                    fields.insert(format!("{key}1"), value);
                }
                _ => disturb(&mut fields[&key], depth + 1, random),
            }
        }
        Value::Array(items) if !items.is_empty() && (depth < 3 || below(random, 8) > 0) => {
            let place = below(random, items.len());
            match below(random, if depth < 2 { 60 } else { 12 }) {
                0 => drop(items.remove(place)),
                1 => items.push(items[place].clone()),
                _ => disturb(&mut items[place], depth + 1, random),
            }
        }
        other => *other = strange[below(random, strange.len())].clone(),
    }
}

#[test]
fn files_that_are_almost_right_are_imported_or_refused() {
    let sample = sample();
    assert!(imported(&sample).document.items.len() >= 10);
    let made = imported_of_changed(vec![("sample".to_owned(), sample, 800)]);
    assert!(made > 400, "only {made} of the changed files were imported");
    assert!(imported_of_changed(changed_often(&invented_study(), 50)) > 20);
}

#[test]
#[ignore = "needs the studies that TWINLAB_STUDIES_DIR names: make check-studies"]
fn published_studies_that_are_almost_right_are_imported_or_refused() {
    assert!(imported_of_changed(changed_often(&published_studies(), 8)) > 0);
}

fn changed_often(studies: &[StudyFolder], rounds: u64) -> Vec<(String, Vec<u8>, u64)> {
    studies.iter().map(|study| (study.0.clone(), survey(study), rounds)).collect()
}

/// Counts the files that are imported, each changed anew in the given number of rounds.
fn imported_of_changed(files: Vec<(String, Vec<u8>, u64)>) -> usize {
    let mut made = 0;
    for (name, file, rounds) in files {
        let tree: Value = serde_json::from_slice(file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&file)).unwrap();
        for round in 0..rounds {
            let random = &mut ChaCha8Rng::seed_from_u64(round);
            let mut changed = tree.clone();
            for _ in 0..1 + below(random, 12) {
                disturb(&mut changed, 0, random);
            }
            let mut bytes = serde_json::to_vec(&changed).unwrap();
            if round % 10 == 0 {
                let place = below(random, bytes.len());
                bytes[place] = b"\"{[,0x"[below(random, 6)];
            }
            if let Ok(imported) = import(&bytes) {
                made += 1;
                // A survey without errors can be run, and reads the same after it is written.
                if imported.report.count(LossSeverity::Error) == 0 {
                    let written = serde_json::to_value(&imported.document).unwrap();
                    assert_eq!(Document::read(written), Ok(imported.document), "{name}, round {round}");
                }
            }
        }
    }
    made
}
