//! `twinlab evidence` as a script uses it: without database, model and network.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Outcome, stable, twinlab};

fn compare(folder: &Path, arguments: &[&str]) -> Outcome {
    let files = ["evidence", "compare", "--survey", "survey.json", "--human", "people.csv", "--twins", "twins.csv"];
    Outcome::of(twinlab().args(files).args(arguments).current_dir(folder))
}

/// 40 people with equal twins, except for every fourth, whose twin says the opposite.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let survey = json!({ "title": "Fees", "questions": [
        { "name": "fair", "type": "RANGE", "text": "How fair?", "min_value": 1, "max_value": 5,
            "min_description": "Not at all", "max_description": "Very" },
        { "name": "ok", "type": "BOOLEAN", "text": "Do you travel?" },
        { "name": "why", "type": "OPENENDED", "text": "Why?" }] });
    fs::write(folder.path().join("survey.json"), survey.to_string()).unwrap();
    let mut people = "pid,fair,ok,cond,extra\n".to_owned();
    let mut twins = "personaId,personaPid,cond,fair,ok\n".to_owned();
    for row in 0..40 {
        let (fair, arm) = (1 + row % 5, ["a", "b"][row % 2]);
        let answer = if row % 3 == 0 { "Yes" } else { "No" };
        people += &format!("p{row},{fair},{answer},{arm},x\n");
        let twin = if row % 4 == 0 { 6 - fair } else { fair };
        twins += &format!("{row},p{row},{arm},{twin},{answer}\n");
    }
    people += "p40,nine,No,a,x\n";
    fs::write(folder.path().join("people.csv"), people).unwrap();
    fs::write(folder.path().join("twins.csv"), twins).unwrap();
    folder
}

#[test]
fn each_metric_stands_with_its_n_and_interval() {
    let folder = folder();
    let whole: Value = serde_json::from_str(&compare(folder.path(), &["--json", "--arm", "cond"]).stdout).unwrap();
    insta::assert_snapshot!("json", stable(&whole));
    let compared = &whole["comparison"];
    assert_eq!((&compared["pairs"], &compared["paired"]), (&json!(40), &json!(true)));
    let metric = |item: usize, name: &str| {
        let metrics = compared["questions"][item]["metrics"].as_array().unwrap();
        metrics.iter().find(|metric| metric["metric"] == name).cloned().unwrap()
    };
    // Ten of 40 are reversed; each pair differs by 4, 2, 0, 2 and 4 of 4.
    let accuracy = metric(0, "accuracy");
    assert!((accuracy["value"].as_f64().unwrap() - (1.0 - 0.25 * 0.6)).abs() < 1e-12, "{accuracy}");
    assert_eq!(accuracy["n"], 40);
    assert!(accuracy["low"].as_f64().unwrap() < 0.85);
    assert_eq!(metric(1, "kappa")["value"], 1.0);
    assert_eq!(compared["arms"]["reference"], "a");
    assert_eq!(whole["file"]["unread"], json!([{ "name": "fair", "cell": "nine", "count": 1 }]));
    let again = compare(folder.path(), &["--json", "--arm", "cond"]).stdout;
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), whole);
}

#[test]
fn effects_of_arms_are_adjusted_for_covariates() {
    let folder = folder();
    let arguments = ["--json", "--arm", "cond", "--adjust", "ok", "--adjust", "mood"];
    let whole: Value = serde_json::from_str(&compare(folder.path(), &arguments).stdout).unwrap();
    let arms = &whole["comparison"]["arms"];
    assert_eq!(arms["covariates"], json!(["ok"]));
    assert_eq!(
        arms["unusedCovariates"],
        json!([{ "name": "mood", "reason": "it is neither a question nor an attribute of the twins" }])
    );
    let fair = arms["effects"].as_array().unwrap().iter().find(|effect| effect["item"] == "fair").unwrap();
    assert_eq!((&fair["arm"], &fair["reference"]), (&json!("b"), &json!("a")));
    let difference = |side: &str| fair[side]["difference"].as_f64().unwrap();
    assert!((difference("peopleAdjusted") - difference("people")).abs() < 0.2, "{fair}");
    assert_ne!(difference("peopleAdjusted"), difference("people"));
    let table = compare(folder.path(), &arguments[1..]).stdout;
    for line in [
        "Effects are also adjusted for ok by regression (Lin).",
        "not adjusted for mood: it is neither a question nor an attribute of the twins",
        "fair, b: regression-adjusted effect among people",
        "fair, b: d of effect among twins",
        "effects shown by neither",
    ] {
        assert!(table.contains(line), "{table}");
    }
    let refused = compare(folder.path(), &["--arm", "cond", "--outcome", "both=fair", "--outcome", "both=ok"]);
    assert!(
        refused.stderr.contains("outcomes.both: its questions have different scales or options"),
        "{}",
        refused.stderr
    );
}

#[test]
fn outcomes_of_formulas_are_compared_as_questions_are() {
    let folder = folder();
    let formula = ["--formula", "twice=2 * fair + is(ok, \"Yes\")"];
    let whole = compare(folder.path(), &[&["--json", "--arm", "cond"], &formula[..]].concat());
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let whole: Value = serde_json::from_str(&whole.stdout).unwrap();
    let compared = &whole["comparison"];
    assert_eq!(
        compared["formulas"],
        json!([{ "name": "twice", "formula": "2 * fair + is(ok, \"Yes\")", "low": 2.0, "high": 11.0, "people": null,
            "twins": null }])
    );
    let twice = compared["questions"].as_array().unwrap().iter().find(|item| item["name"] == "twice").unwrap();
    let fair = &compared["questions"][0];
    let mean = |item: &Value| item["meanPeople"].as_f64().unwrap();
    // 14 of the 40 people say yes.
    assert!((mean(twice) - (2.0 * mean(fair) + 14.0 / 40.0)).abs() < 1e-12, "{twice}");
    let effects = compared["arms"]["effects"].as_array().unwrap();
    assert!(effects.iter().any(|effect| effect["item"] == "twice"), "{effects:?}");
    for (formula, words) in [
        ("twice=2 * fare", "formulas.twice: there is no question fare; the nearest name is fair"),
        ("fair=1 + fair", "formulas.fair: an outcome needs a name that no question has"),
        ("twice", "must be NAME=FORMULA"),
    ] {
        let refused = compare(folder.path(), &["--formula", formula]);
        assert_ne!(refused.code, Some(0));
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
}

#[test]
fn the_table_is_readable_and_says_what_did_not_fit() {
    let folder = folder();
    let table = compare(folder.path(), &[]).stdout;
    for line in ["41 people, 40 twins, 40 pairs", "fair  people 40, twins 40", "that are no question: cond, extra"] {
        assert!(table.contains(line), "{table}");
    }
    insta::assert_snapshot!("table", table);
    assert!(table.contains("fair: 1 cells \"nine\" of the people's file are no answer"), "{table}");
}

#[test]
fn a_question_takes_the_column_that_it_is_told() {
    let folder = folder();
    let arguments = ["--json", "--match", "fair=", "--match", "ok=extra"];
    let whole: Value = serde_json::from_str(&compare(folder.path(), &arguments).stdout).unwrap();
    let file = &whole["file"];
    assert_eq!(file["matched"][0], json!({ "name": "ok", "columns": ["extra"], "by": "chosen" }));
    assert_eq!(file["unmatchedQuestions"], json!(["fair"]));
    assert_eq!(file["unread"], json!([{ "name": "ok", "cell": "x", "count": 41 }]));
    let refused = compare(folder.path(), &["--match", "fair=kilos"]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("people.csv: --match fair: there is no column kilos"), "{}", refused.stderr);
}

#[test]
fn a_column_that_is_not_there_is_named() {
    let folder = folder();
    let refused = compare(folder.path(), &["--weight", "w"]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("there is no column w"), "{}", refused.stderr);
}

#[test]
fn a_cell_is_what_the_command_line_says() {
    let folder = folder();
    let arguments = ["--json", "--recode", "fair=nine=5", "--recode", "ok=Yes=No", "--recode", "ok=No="];
    let whole: Value = serde_json::from_str(&compare(folder.path(), &arguments).stdout).unwrap();
    assert_eq!(whole["file"]["unread"], json!([]));
    let fair = &whole["comparison"]["questions"][0];
    // p40 has no twin, but its answer counts now.
    assert_eq!(fair["nPeople"], 40);
    let ok = &whole["comparison"]["questions"][1];
    assert_eq!((&ok["name"], &ok["nPeople"]), (&json!("ok"), &json!(14)), "who said no is missing: {ok}");
    for (recode, words) in [
        ("ok=Yes=Maybe", "people.csv: --recode ok: there is no option Maybe"),
        ("why=a=b", "people.csv: --recode why: the survey has no such question to compare"),
        ("ok", "must be QUESTION=CELL=ANSWER"),
    ] {
        let refused = compare(folder.path(), &["--recode", recode]);
        assert_ne!(refused.code, Some(0));
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
}

#[test]
fn margins_weight_people_and_further_files_of_twins_are_forecasts() {
    let folder = folder();
    let arguments = ["--json", "--margin", "cond=a=0.75", "--margin", "cond=b=0.25", "--twins", "twins.csv"];
    let whole: Value = serde_json::from_str(&compare(folder.path(), &arguments).stdout).unwrap();
    let n = whole["comparison"]["weights"]["people"].as_f64().unwrap();
    assert!((25.0..40.0).contains(&n), "{n}");
    let calibration = &whole["calibration"];
    assert_eq!((&calibration["repeats"], &calibration["people"]), (&json!(2), &json!(40)));
    assert_eq!(calibration["questions"][0]["name"], json!("ok"), "{calibration}");
    let table = compare(folder.path(), &["--twins", "twins.csv"]).stdout;
    for line in ["Forecasts from 2 repeats", "Brier of shares", "Rectified estimates"] {
        assert!(table.contains(line), "{table}");
    }
    let refused = compare(folder.path(), &["--margin", "cond=a=0.5", "--margin", "cond=b=0.25"]);
    assert!(refused.stderr.contains("the shares of cond do not add up to 1"), "{}", refused.stderr);
}

#[test]
fn people_are_drawn_with_probabilities_that_estimates_take() {
    let folder = folder();
    let draw = |arguments: &[&str]| {
        let command = ["evidence", "draw", "--twins", "twins.csv", "-n", "16"];
        Outcome::of(twinlab().args(command).args(arguments).current_dir(folder.path()))
    };
    let drawn = draw(&["--by", "cond"]).stdout;
    let lines: Vec<&str> = drawn.lines().collect();
    assert_eq!((lines[0], lines.len()), ("pid,probability,cond", 33));
    assert!(lines[1..].iter().all(|line| line.contains(",0.8,")), "{drawn}");
    assert_eq!(draw(&["--by", "cond"]).stdout, drawn);
    assert_ne!(draw(&["--by", "cond", "--seed", "2"]).stdout, drawn);
    assert_eq!(draw(&[]).stdout.lines().count(), 17);
    assert!(draw(&["--by", "mood"]).stderr.contains("there is no column mood"));

    // The drawn people answer as their own rows of the people's file do.
    let people = fs::read_to_string(folder.path().join("people.csv")).unwrap();
    let row_of = |pid: &str| people.lines().find(|row| row.split(',').next() == Some(pid)).unwrap().to_owned();
    let rows = lines[1..].iter().map(|line| {
        let mut cells = line.split(',');
        format!("{},{}\n", row_of(cells.next().unwrap()), cells.next().unwrap())
    });
    let file = format!("pid,fair,ok,cond,extra,probability\n{}", rows.collect::<String>());
    fs::write(folder.path().join("people.csv"), file).unwrap();
    let arguments = ["--json", "--probability", "probability"];
    let whole: Value = serde_json::from_str(&compare(folder.path(), &arguments).stdout).unwrap();
    let rectified = &whole["comparison"]["rectified"];
    assert_eq!((&rectified["drawn"], &rectified["estimates"][0]["n"]), (&json!(true), &json!(32)), "{rectified}");
    assert_eq!(rectified["estimates"][0]["others"], json!(8));
}
