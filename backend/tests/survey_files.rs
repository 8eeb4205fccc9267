//! `twinlab survey` as a script uses it: without database, model and network.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Outcome, twinlab};

fn survey(folder: &Path, arguments: &[&str]) -> Outcome {
    Outcome::of(twinlab().arg("survey").args(arguments).current_dir(folder))
}

/// A 2 x 2 design with screening and a piped field, as Qualtrics writes it.
pub fn qsf() -> Value {
    let element = |kind: &str, payload: Value| json!({ "Element": kind, "Payload": payload });
    let asked = |id: &str| json!({ "Type": "Question", "QuestionID": id });
    let block = |id: &str, question: &str| json!({ "ID": id, "Type": "Standard", "Description": format!("About {question}"), "BlockElements": [asked(question)] });
    let choice = |id: &str, text: &str| {
        json!({ "QuestionID": id, "DataExportTag": id.to_lowercase(), "QuestionText": text, "QuestionType": "MC", "Selector": "SAVR",
            "Choices": { "1": { "Display": "Yes" }, "2": { "Display": "No" } }, "ChoiceOrder": [1, 2] })
    };
    let set = |field: &str, value: &str| json!({ "Type": "EmbeddedData", "EmbeddedData": [{ "Field": field, "Value": value }] });
    let no = json!({ "LogicType": "Question", "ChoiceLocator": "q://Q1/SelectableChoice/2", "Operator": "Selected", "Type": "Expression" });
    let flow = json!([
        { "Type": "Block", "ID": "BL_1" },
        { "Type": "Branch", "BranchLogic": { "0": { "0": no, "Type": "If" }, "Type": "BooleanExpression" }, "Flow": [{ "Type": "EndSurvey" }] },
        { "Type": "BlockRandomizer", "FlowID": "FL_3", "SubSet": 1, "EvenPresentation": true, "Flow": [set("fee", "a resort fee"), set("fee", "a service fee")] },
        { "Type": "BlockRandomizer", "FlowID": "FL_4", "SubSet": 1, "EvenPresentation": true, "Flow": [set("who", "a hotel"), set("who", "an airline")] },
        { "Type": "Block", "ID": "BL_2" }]);
    json!({ "SurveyEntry": { "SurveyName": "Fees" }, "SurveyElements": [
        element("BL", json!([block("BL_1", "Q1"), block("BL_2", "Q2")])),
        element("FL", json!({ "Type": "Root", "Flow": flow })),
        element("SQ", choice("Q1", "Do you travel?")),
        element("SQ", choice("Q2", "Is it <b>fair</b> that ${e://Field/who} adds ${e://Field/fee}?<img src='x.png'>")),
    ] })
}

/// Tests that the guide's examples can be copied as they are.
#[test]
fn every_design_of_the_guide_can_be_run() {
    let folder = TempDir::new().expect("a folder");
    let guide = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/experiments.md")).expect("it");
    let designs: Vec<&str> =
        guide.split("```json\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0)).collect();
    assert!(designs.len() > 5, "{}", designs.len());
    for design in designs {
        fs::write(folder.path().join("design.json"), design).expect("the file");
        let checked = survey(folder.path(), &["check", "design.json"]);
        assert_eq!(checked.code, Some(0), "{design}: {checked:#?}");
    }
}

#[test]
fn a_survey_of_surveyjs_is_imported_beside_its_file() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    let file = json!({ "title": "Tea", "elements": [
        { "type": "radiogroup", "name": "tea", "choices": ["black", "green"] },
        { "type": "comment", "name": "why", "visibleIf": "{tea} = 'green'" }
    ]});
    fs::write(path.join("tea.json"), file.to_string()).expect("the file");
    let imported = survey(path, &["import", "tea.json"]);
    assert_eq!(imported.code, Some(0), "{imported:#?}");
    assert_eq!(fs::read(path.join("tea.json")).expect("the file"), file.to_string().into_bytes());
    let checked = survey(path, &["check", "tea.survey.json"]);
    assert_eq!(checked.code, Some(0), "{checked:#?}");
}

#[test]
fn a_qualtrics_file_becomes_a_survey_that_can_be_checked_and_previewed() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    fs::write(path.join("fees.qsf"), qsf().to_string()).expect("the file");

    let checked = survey(path, &["import", "fees.qsf", "--check"]);
    assert_eq!(checked.code, Some(0), "{checked:#?}");
    assert!(!path.join("fees.json").exists());
    assert!(
        checked.stdout.contains("2 questions in the file, 2 in blocks that the flow names, 2 asked"),
        "{}",
        checked.stdout
    );
    assert!(checked.stdout.contains("warning image Q2 q2: [image: x.png] -> its description"), "{}", checked.stdout);

    let imported = survey(path, &["import", "fees.qsf", "--json"]);
    let report: Value = serde_json::from_str(&imported.stdout).expect("a report");
    assert_eq!(report["kept"], json!({ "questions": 2, "live": 2, "asked": 2 }));
    assert_eq!(report["lost"][0]["code"], "image");
    let written: Value = serde_json::from_slice(&fs::read(path.join("fees.json")).expect("the survey")).expect("JSON");
    assert_eq!(
        written["flow"][1],
        json!({ "if": { "answer": "q1", "is": "No" }, "then": [{ "end": "screened_out" }] })
    );

    let check = survey(path, &["check", "fees.json"]);
    assert_eq!(check.code, Some(0));
    assert!(check.stdout.starts_with("A twin is asked 2 questions at most"), "{}", check.stdout);

    let arms = survey(path, &["preview", "fees.json", "--arms", "8", "--seed", "5"]);
    let lines: Vec<Vec<&str>> = arms.stdout.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!((lines.len(), &lines[0]), (9, &vec!["twin", "FL_3", "FL_4"]));
    for column in [1, 2] {
        let first = lines[1..].iter().filter(|line| line[column].starts_with("a resort") || line[column] == "a hotel");
        assert_eq!(first.count(), 4, "{lines:?}");
    }
    assert_eq!(survey(path, &["preview", "fees.json", "--arms", "8", "--seed", "5"]).stdout, arms.stdout);

    let walks: Vec<String> =
        (1..=12).map(|twin| survey(path, &["preview", "fees.json", "--persona", &twin.to_string()]).stdout).collect();
    let (out, through): (Vec<_>, Vec<_>) = walks.iter().partition(|walk| walk.ends_with("Screened out\n"));
    assert!(!out.is_empty() && !through.is_empty(), "{walks:?}");
    assert!(out.iter().all(|walk| walk.contains("Not shown, screened out: q2")), "{out:?}");
    assert!(through.iter().all(|walk| walk.contains("Is it fair that a") && walk.contains(" adds a ")), "{through:?}");
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path();
    fs::write(path.join("no.qsf"), "{}").expect("the file");
    let refused = survey(path, &["import", "no.qsf"]);
    assert_eq!(
        refused.only_line(),
        "twinlab: no.qsf: is no .qsf file, which has SurveyEntry and SurveyElements, and no survey of SurveyJS, which has pages or elements"
    );
    assert_eq!(refused.code, Some(2));

    let question = json!({ "name": "a", "type": "BOOLEAN", "text": "{{field:fee}}?" });
    let bad = json!({ "title": "T", "questions": [question], "flow": [{ "block": "b", "questions": ["a", "x"] }] });
    fs::write(path.join("bad.json"), bad.to_string()).expect("the file");
    let check = survey(path, &["check", "bad.json"]);
    assert_eq!(check.code, Some(3));
    assert!(check.stdout.contains("ERROR   /flow/0/questions/1: There is no question \"x\"."), "{}", check.stdout);
    let preview = survey(path, &["preview", "bad.json"]);
    assert_eq!(preview.code, Some(2));
    assert!(preview.only_line().starts_with("twinlab: bad.json: /"), "{preview:#?}");

    // An import that cannot be run is written as a draft, and the exit code shows it.
    let mut draft = qsf();
    draft["SurveyElements"][2]["Payload"]["QuestionText"] = json!("${q://Q2/ChoiceGroup/SelectedChoices}");
    fs::write(path.join("draft.qsf"), draft.to_string()).expect("the file");
    let imported = survey(path, &["import", "draft.qsf", "--out", "draft.json"]);
    assert_eq!(imported.code, Some(3));
    assert!(imported.stdout.contains("ERROR   design q1:"), "{}", imported.stdout);
    assert!(path.join("draft.json").exists());
}
