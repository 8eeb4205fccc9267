//! W12: reads a Qualtrics survey of 1 MB, and starts a run whose personas are assigned at 50 random nodes.

use std::fs;
use std::time::Instant;

use model_server::{Faults, ModelServer};
use serde_json::{Value, json};

use crate::bench::{Bench, Failure, Result, twins};
use crate::inputs;
use crate::report::Row;
use crate::twinlab::{Running, ask};
use crate::workloads::{DESIGNS, W1};

/// Number of personas in Twin-2K-500.
pub const PERSONAS: usize = 2_058;
const NODES: usize = 50;
const SECONDS_OF_DEALING: f64 = 0.2;

const QSF_BYTES: usize = 1_000_000;
/// Upper limit of questions in a survey.
const QSF_QUESTIONS: usize = 500;
const QSF_CHOICES: usize = 10;
const QSF_IN_A_BLOCK: usize = 25;
const SECONDS_OF_AN_IMPORT: f64 = 0.5;
const MEGABYTES_OF_AN_IMPORT: f64 = 100.0;

pub async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    eprintln!("{DESIGNS}");
    let mut rows = import(bench).await?.to_vec();
    // A survey without a design, with the same number of questions for each persona.
    let plain = start(bench, &inputs::survey(NODES)).await?;
    let dealt = start(bench, &inputs::dealt_survey(NODES)).await?;
    rows.push(Row {
        workload: DESIGNS,
        what: format!("{NODES} random nodes dealt at a start, s"),
        target: Some(SECONDS_OF_DEALING),
        measured: Some(dealt - plain),
        note: format!(
            "{PERSONAS} twins: {dealt:.2} s from the start's transaction to the first claim, else {plain:.2}"
        ),
    });
    Ok(rows)
}

/// Runs the whole command, which needs no database.
async fn import(bench: &Bench) -> Result<[Row; 2]> {
    let file = bench.directory.join("survey.qsf");
    fs::write(&file, qsf())?;
    let twinlab = bench.twinlab("none");
    let began = Instant::now();
    let process = twinlab.command("qsf")?.args(["survey", "import", "--check"]).arg(&file).spawn()?;
    let watched = Running(process).watch().await.map_err(|how| twinlab.failed("qsf", &how))?;
    let seconds = began.elapsed().as_secs_f64();
    let note = format!("{:.2} MB, {QSF_QUESTIONS} questions", fs::metadata(&file)?.len() as f64 / 1e6);
    let row = |what: &str, target, measured| Row {
        workload: DESIGNS,
        what: format!("survey import of a .qsf, {what}"),
        target: Some(target),
        measured: Some(measured),
        note: note.clone(),
    };
    Ok([
        row("s", SECONDS_OF_AN_IMPORT, seconds),
        row("peak memory, MB", MEGABYTES_OF_AN_IMPORT, watched.peak_bytes as f64 / 1e6),
    ])
}

/// Measures the seconds from the beginning of the start's transaction to the first claim, which follows its end.
async fn start(bench: &Bench, survey: &Value) -> Result<f64> {
    let database = "dealing";
    bench.cluster.create(database, &twins(PERSONAS)).await?;
    let file = bench.directory.join("dealing.json");
    fs::write(&file, survey.to_string())?;
    let model = ModelServer::start(Faults::default());
    let twinlab = bench.twinlab(database);
    let mut command = twinlab.command("dealing")?;
    ask(&mut command, &W1, &model)
        .arg("simulate")
        .arg(&file)
        .args(["--personas", &PERSONAS.to_string(), "--seed=1", "--model=stub", "--out"])
        .arg(bench.directory.join("dealing.csv"));
    Running(command.spawn()?).watch().await.map_err(|how| twinlab.failed("dealing", &how))?;
    let client = bench.cluster.open(database).await?;
    let started = "SELECT extract(epoch FROM started_at - created_at)::float8, status FROM simulations";
    let row = client.query_one(started, &[]).await?;
    let status: String = row.try_get(1)?;
    if status != "COMPLETED" {
        return Err(Failure(format!("the run ended {status}")));
    }
    let seconds = row.try_get(0)?;
    drop(client);
    bench.cluster.drop(database).await?;
    Ok(seconds)
}

/// A survey as Qualtrics exports it: blocks of single choices in HTML, every other one of which depends on an earlier
/// answer.
fn qsf() -> String {
    let question = |n: usize, text: &str| {
        let choices: serde_json::Map<String, Value> = (1..=QSF_CHOICES)
            .map(|choice| (choice.to_string(), json!({"Display": format!("<b>Choice {choice}</b> of question {n}")})))
            .collect();
        let order: Vec<String> = choices.keys().cloned().collect();
        let mut payload = json!({
            "QuestionText": text, "DataExportTag": format!("Q{n}"), "QuestionType": "MC", "Selector": "SAVR",
            "SubSelector": "TX", "QuestionDescription": format!("Question {n}"), "Choices": choices,
            "ChoiceOrder": order, "Validation": {"Settings": {"ForceResponse": "ON", "Type": "None"}},
            "Language": [], "NextChoiceId": QSF_CHOICES + 1, "QuestionID": format!("QID{n}"),
            "Randomization": {"Advanced": null, "TotalRandSubset": "", "Type": "All"},
        });
        if n.is_multiple_of(2) {
            let of = format!("q://QID{}/SelectableChoice/1", n - 1);
            payload["DisplayLogic"] = json!({
                "Type": "BooleanExpression",
                "0": {"Type": "If", "0": {
                    "LogicType": "Question", "QuestionID": format!("QID{}", n - 1), "QuestionIsInLoop": "no",
                    "ChoiceLocator": of, "Operator": "Selected", "QuestionIDFromLocator": format!("QID{}", n - 1),
                    "LeftOperand": of, "Type": "Expression", "Description": "",
                }},
            });
        }
        json!({"Element": "SQ", "PrimaryAttribute": format!("QID{n}"), "Payload": payload})
    };
    let block = |number: usize| {
        let questions: Vec<Value> = (1..=QSF_IN_A_BLOCK)
            .map(|place| json!({"Type": "Question", "QuestionID": format!("QID{}", number * QSF_IN_A_BLOCK + place)}))
            .collect();
        (
            number.to_string(),
            json!({"Type": "Standard", "Description": format!("Block {number}"), "ID": format!("BL_{number}"),
                "BlockElements": questions, "Options": {"RandomizeQuestions": "false"}}),
        )
    };
    let blocks: serde_json::Map<String, Value> = (0..QSF_QUESTIONS / QSF_IN_A_BLOCK).map(block).collect();
    let flow: Vec<Value> = (0..blocks.len())
        .map(|number| json!({"Type": "Block", "ID": format!("BL_{number}"), "FlowID": format!("FL_{}", number + 2)}))
        .collect();
    let with_texts = |text: &str| {
        let mut elements = vec![
            json!({"Element": "BL", "PrimaryAttribute": "Survey Blocks", "Payload": blocks}),
            json!({"Element": "FL", "PrimaryAttribute": "Survey Flow",
                "Payload": {"Type": "Root", "FlowID": "FL_1", "Flow": flow}}),
        ];
        elements.extend((1..=QSF_QUESTIONS).map(|n| question(n, &format!("<p>Question {n}: {text}</p>"))));
        json!({"SurveyEntry": {"SurveyName": "One megabyte", "SurveyDescription": "Invented for measuring"},
            "SurveyElements": elements})
        .to_string()
    };
    let missing = QSF_BYTES.saturating_sub(with_texts("").len()) / QSF_QUESTIONS;
    let sentence = "how do you see what is sold in the <em>shops</em> of the place where you live? ";
    with_texts(&sentence.chars().cycle().take(missing).collect::<String>())
}
