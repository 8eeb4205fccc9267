//! Runs in the shape of Qualtrics' own exports: the names and ids of the file that the survey was imported from, and answers
//! that are read again without a loss, by this program and by scripts that were written for people.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use model_server::{Faults, ModelServer};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Client, GroupFixture, answer, with_app};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/import/tests/fixtures/studies");
/// A script for the files of one of the published studies.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/studies/targeting_fairness.py");
const TWINS: usize = 20;

async fn upload(caller: &Client, path: &str, file: &[u8]) -> Answer {
    let head = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n\r\n";
    let body = [head, file, b"\r\n--x--\r\n"].concat();
    let request = caller.request(Method::POST, path);
    answer(request.header("content-type", "multipart/form-data; boundary=x").body(body)).await
}

/// A study's folder, a run of it, and the files that the product wrote.
struct Written {
    qualtrics: String,
    comparison: Value,
    labels: String,
}

/// Imports a study, asks twins, downloads their answers and sets the twins beside themselves.
async fn written(folder: &Path) -> Written {
    let mut written = None;
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100_000).await;
        let survey = fs::read(folder.join("survey.qsf")).expect("a survey");
        let path = format!("/api/surveys/import/qsf?groupId={}", fixture.group_id);
        let survey = upload(&fixture.author, &path, &survey).await.ok()["survey"]["id"].as_i64().expect("an id");
        let study = json!({"run": {"personaCount": TWINS}});
        let study = fixture.author.post(&format!("/api/surveys/{survey}/studies"), study).await.ok();
        fixture.study_ended(&ModelServer::start(Faults::default()), &study).await;
        let run = study["runs"][0]["simulationId"].as_str().expect("an id");
        let at = |end: &str| format!("/api/surveys/{survey}/simulation/{run}/{end}");
        let file = async |query: &str| {
            let file =
                answer(fixture.author.request(Method::GET, &at(&format!("responses/qualtrics.csv{query}")))).await;
            assert_eq!(file.status, 200, "{query}");
            String::from_utf8(file.bytes).expect("UTF-8")
        };
        let qualtrics = file("?raw=true").await;
        let labels = file("?values=labels").await;
        let refused = fixture.author.get(&at("responses/qualtrics.csv?values=both")).await;
        assert!(refused.refused(400).starts_with("values:"));
        let comparison = upload(&fixture.author, &at("people"), qualtrics.as_bytes()).await.ok();
        written = Some(Written { qualtrics, comparison, labels });
    })
    .await;
    written.expect("files")
}

fn rows(file: &str) -> Vec<Vec<String>> {
    let text = file.trim_start_matches('\u{feff}');
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    reader.records().map(|row| row.expect("a row").iter().map(str::to_owned).collect()).collect()
}

/// The heads of the study's own file that the product's file lacks, except those of what it has not: timers, ids of
/// panels, orders of options.
fn missing_heads(own: &[Vec<String>], written: &[Vec<String>]) -> Vec<(String, String)> {
    let id = |cell: &str| {
        let mut id: Value = serde_json::from_str(cell).unwrap_or(Value::Null);
        id.as_object_mut().map(|id| id.remove("timeZone"));
        id
    };
    let heads = |file: &[Vec<String>]| -> Vec<(String, Value)> {
        file[0].iter().cloned().zip(file[2].iter().map(|cell| id(cell))).collect()
    };
    let known = heads(written);
    let missing = heads(own).into_iter().filter(|head| !known.contains(head) && head.0 != "TWIN_ID");
    missing.map(|(name, id)| (name, id.to_string())).collect()
}

/// Returns what a script prints of a file.
fn printed(script: &Path, file: &Path) -> String {
    let output = Command::new("python3").arg(script).arg(file).output().expect("python3");
    assert!(output.status.success(), "{}: {}", file.display(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The twins agree with themselves in everything.
fn is_the_same(comparison: &Value) {
    assert_eq!((&comparison["pairs"], &comparison["people"]), (&json!(TWINS), &json!(TWINS)), "{comparison}");
    let questions = comparison["questions"].as_array().expect("questions");
    assert!(!questions.is_empty());
    let mut compared = 0;
    for question in questions {
        let metrics = question["metrics"].as_array().expect("metrics");
        for accuracy in metrics.iter().filter(|metric| metric["metric"] == "accuracy" && !metric["value"].is_null()) {
            assert_eq!(accuracy["value"], 1.0, "{question}");
            compared += 1;
        }
        assert_eq!(question["nPeople"], question["nTwins"], "{question}");
    }
    assert!(compared > 0, "{comparison}");
    assert_eq!(comparison["file"]["unread"], json!([]));
    assert_eq!(comparison["file"]["unmatchedQuestions"], json!([]));
}

async fn a_script_reads_people_and_twins(folder: &Path, script: &Path, not_ours: &[&str]) {
    let written = written(folder).await;
    let own = fs::read_to_string(folder.join("response.csv")).expect("people's answers");
    let missing = missing_heads(&rows(&own), &rows(&written.qualtrics));
    let missing: Vec<_> =
        missing.iter().filter(|(name, _)| !not_ours.iter().any(|known| name.contains(known))).collect();
    assert!(missing.is_empty(), "{missing:?}");
    is_the_same(&written.comparison);
    let file = tempfile::NamedTempFile::new().expect("a file");
    fs::write(file.path(), &written.qualtrics).expect("it can be written");
    let (people, twins) = (printed(script, &folder.join("response.csv")), printed(script, file.path()));
    assert_eq!(people.lines().count(), twins.lines().count(), "{twins}");
    let count = |line: &str| line.split("n = ").nth(1).and_then(|rest| rest.split(',').next()?.parse::<usize>().ok());
    assert_eq!(twins.lines().filter_map(count).sum::<usize>(), TWINS, "{twins}");
    let (codes, labels) = (rows(&written.qualtrics), rows(&written.labels));
    assert_eq!((codes[0].len(), codes.len()), (labels[0].len(), 3 + TWINS));
}

#[actix_web::test]
async fn a_run_of_an_imported_survey_is_written_as_qualtrics_writes_people() {
    let folder = PathBuf::from(FIXTURES).join("corner_cafe");
    a_script_reads_people_and_twins(&folder, &folder.join("effects.py"), &["Timer_", "PROLIFIC_PID"]).await;
}

#[actix_web::test]
#[ignore = "needs the studies that TWINLAB_STUDIES_DIR names: make check-studies"]
async fn the_analysis_of_one_of_the_published_studies_reads_people_and_twins() {
    let folder = std::env::var_os("TWINLAB_STUDIES_DIR").expect("TWINLAB_STUDIES_DIR names the folder of the studies");
    let folder = Path::new(&folder).join("targeting_fairness");
    a_script_reads_people_and_twins(&folder, Path::new(SCRIPT), &["Q41_"]).await;
}
