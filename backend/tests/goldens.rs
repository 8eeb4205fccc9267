//! Bytes that must not change: the prompts of every question type, and the files of one run with all types.
//!
//! Hashes of prompts are recorded with every answer, and a bundle is rebuilt byte for byte. A snapshot in
//! `tests/snapshots` that differs is a change that users see: renew it with `INSTA_UPDATE=always` only with an entry in
//! the CHANGELOG.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use ::bundle::rules::PROGRAM;
use calamine::{Reader, Xlsx, open_workbook};
use model_server::{Dialect, Fault, Faults, ModelServer};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use simulation::parameters::{Memory, Parameters};
use simulation::summaries::variables::Variable;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::models::summaries::{self, SummaryRequest, Twins};
use twinlab::results::files::{self, Format, bundle};
use twinlab::results::runs;

use crate::support::engine_fixture::EngineFixture;
use crate::support::sample;

const TWINS: i32 = 12;

/// Sets values that depend on the clock, the machine, the version or the order of the calls.
const SETTLED: &str = "
    UPDATE simulations SET simulation_id = '7a6b5c4d-0000-4000-8000-000000000007', program_version = '0.0.0',
        created_at = '2026-01-02 03:04:05Z', started_at = '2026-01-02 03:04:06Z', completed_at = '2026-01-02 03:05:07Z',
        updated_at = '2026-01-02 03:05:07Z', calls = 100, prompt_tokens = 10000, cached_tokens = 0, completion_tokens = 1000;
    UPDATE responses SET id = 1000000 + persona_id * 1000 + question_id, created_at = '2026-01-02 03:04:50Z',
        fingerprint = 'twinlab-0.1.0', latency_ms = 250, prompt_tokens = 100, cached_tokens = 0, completion_tokens = 10;
    UPDATE request_failures SET created_at = '2026-01-02 03:04:55Z';";

/// A question of each type, named after it, and for some types a second one of another shape.
fn questions() -> Value {
    json!([
        { "name": "info", "type": "INFO", "text": "You plan a month." },
        { "name": "single", "type": "SINGLE_CHOICE", "text": "Which drink?", "options": ["Tea", "Coffee", "Water"],
          "codes": [7, 9, 4] },
        { "name": "multiple", "type": "MULTIPLE_CHOICE", "text": "Which fruits?",
          "options": ["Apple", "Pear", "Fig", "None of these"], "exclusive": ["None of these"] },
        { "name": "matrix", "type": "MATRIX", "text": "Rate the shop", "scale_labels": ["Disagree", "Neutral", "Agree"],
          "sub_questions": ["It is cheap", "It is near"], "reverse_rows": ["It is near"] },
        { "name": "matrix_alone", "type": "MATRIX", "text": "I like maps", "scale_labels": ["Disagree", "Agree"] },
        { "name": "slider", "type": "SLIDER", "text": "How happy?", "min_value": 0, "max_value": 1.5 },
        { "name": "range", "type": "RANGE", "text": "How likely?", "min_value": 0, "max_value": 100,
          "min_description": "never", "max_description": "surely" },
        { "name": "number", "type": "NUMBER", "text": "How many cars?", "min_value": 0, "max_value": 12.5 },
        { "name": "boolean", "type": "BOOLEAN", "text": "Do you smoke?" },
        { "name": "entry", "type": "TEXT_ENTRY", "text": "Your trade?", "placeholder": "e.g. baker" },
        { "name": "open", "type": "OPENENDED", "text": "Why, \"exactly\"? ما رأيك؟ 😀" },
        { "name": "sum", "type": "CONSTANT_SUM", "text": "Divide the budget", "options": ["Rent", "Food", "Fun"],
          "total": 10 },
        { "name": "sum_of_hundred", "type": "CONSTANT_SUM", "text": "Divide again", "options": ["Rent", "Food"] },
        { "name": "rank", "type": "RANK", "text": "Rank the seasons", "options": ["Spring", "Summer", "Winter"] },
        { "name": "best_worst", "type": "BEST_WORST", "text": "Which matters?", "options": ["Price", "Size", "Colour"] },
        { "name": "matrix_multi", "type": "MATRIX_MULTI", "text": "When do you use it?",
          "scale_labels": ["Morning", "Evening"], "sub_questions": ["Phone", "Television"] },
    ])
}

fn plain() -> Value {
    json!({ "title": "Every type", "description": "One of each.", "questions": questions() })
}

/// The questions with all features of a flow: screening, arms, pipes, orders, conditions and a loop.
fn designed() -> Value {
    let mut questions = questions();
    let mut fields = |name: &str, fields: Value| {
        let all = questions.as_array_mut().expect("a list").iter_mut();
        let question = all.into_iter().find(|question| question["name"] == name).expect("the question");
        let (Value::Object(question), Value::Object(fields)) = (question, fields) else { panic!("objects") };
        question.extend(fields);
    };
    fields("info", json!({ "text": "You plan a {{field:period}}." }));
    fields("single", json!({ "shuffle": "all", "pin": ["Water"] }));
    fields("multiple", json!({ "shuffle": "flip", "text": "You said {{answer:single}}. Which fruits?" }));
    fields("matrix", json!({ "row_shuffle": "all", "shuffle": "flip", "scale": "interval" }));
    fields("slider", json!({ "show_if": { "answer": "boolean", "is": "Yes" } }));
    fields("best_worst", json!({ "option_if": { "Colour": { "field": "period", "is": "week" } } }));
    fields("matrix_multi", json!({ "option_if": { "Phone": { "answer": "number", "gt": 2 } } }));
    let all = questions.as_array_mut().expect("a list");
    all.push(json!({ "name": "att", "type": "SINGLE_CHOICE", "text": "Choose blue.", "options": ["Red", "Blue"],
        "check": { "expect": ["Blue"] } }));
    all.push(json!({ "name": "buy", "type": "BOOLEAN", "text": "Would you buy {{loop:thing}}?" }));
    json!({ "title": "Every type, designed", "questions": questions, "flow": [
        { "block": "screen", "questions": ["boolean", "number"] },
        { "if": { "answer": "number", "gt": 11 }, "then": [{ "end": "screened_out" }] },
        { "random": "period_arm", "take": 1, "of": [
            { "arm": "short", "flow": [{ "set": { "period": "week" } }, { "block": "extra", "questions": ["entry"] }] },
            { "arm": "long", "flow": [{ "set": { "period": "year" } }] }] },
        { "block": "choices", "questions": ["info", "single", "multiple", "matrix", "matrix_alone", "att"],
          "order": "random", "pin": ["info", "single", "multiple"] },
        { "block": "numbers", "questions": ["slider", "range", "sum", "sum_of_hundred"] },
        { "loop": "things", "take": 2, "order": "random", "flow": [{ "block": "things", "questions": ["buy"] }] },
        { "block": "rest", "questions": ["open", "rank", "best_worst", "matrix_multi"] }],
      "tables": { "things": { "columns": ["thing"], "rows": [["a tent"], ["a boat"], ["a bed"]] } } })
}

/// Runs this survey to its end, in a database of its own.
async fn ended(survey: &Value, faults: Faults, change: impl FnOnce(&mut Parameters)) -> (EngineFixture, i64) {
    let stub = ModelServer::start(faults);
    let fixture = EngineFixture::new(TWINS).await;
    let attributes = "UPDATE personas SET attributes = jsonb_build_object('Gender', CASE WHEN id % 2 = 0 THEN 'Female' ELSE 'Male' END)";
    sample::run(&mut fixture.pool.get().await.expect("a connection"), attributes).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let change = |parameters: &mut Parameters| {
        (parameters.seed, parameters.shuffle_options) = (7, true);
        change(parameters);
    };
    let id = fixture.start(survey, PersonaChoice::Random(TWINS), change).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert!(run.successful_requests > 100, "{run:#?}");
    sample::run(&mut fixture.pool.get().await.expect("a connection"), SETTLED).await;
    (fixture, id)
}

/// The files of a run's bundle by path.
async fn bundled(fixture: &EngineFixture, id: i64) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.zip");
    bundle::write(&fixture.pool, id, &path).await.expect("a bundle");
    let mut zip = zip::ZipArchive::new(File::open(&path).expect("the file")).expect("a zip");
    let mut files = BTreeMap::new();
    for place in 0..zip.len() {
        let mut entry = zip.by_index(place).expect("an entry");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("it is read");
        files.insert(entry.name().expect("UTF-8").into_owned(), bytes);
    }
    files
}

/// SHA-256, independent of the program's version.
fn sha256(bytes: &[u8]) -> String {
    let mut bytes = bytes.to_vec();
    while let Some(at) = bytes.windows(PROGRAM.len()).position(|part| part == PROGRAM.as_bytes()) {
        bytes[at..at + PROGRAM.len()].fill(b'-');
    }
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn lines(files: &BTreeMap<String, Vec<u8>>) -> String {
    files.iter().map(|(name, bytes)| format!("{} {name}\n", sha256(bytes))).collect()
}

/// The prompts that asked the first twins for their answers.
async fn prompts(survey: &Value, faults: Faults, change: impl FnOnce(&mut Parameters)) -> String {
    let (fixture, id) = ended(survey, faults, change).await;
    let index = bundled(&fixture, id).await.remove("prompts/index.csv").expect("the index");
    let index = String::from_utf8(index).expect("UTF-8");
    let mut prompts: Vec<[&str; 3]> = index
        .lines()
        .skip(1)
        .filter_map(|line| {
            let mut cells = line.split(',');
            Some([cells.next()?, cells.next()?, cells.next()?])
        })
        .filter(|[_, twin, _]| ["1", "2"].contains(twin))
        .collect();
    prompts.sort_by_key(|[hash, twin, names]| (*twin, *names, *hash));
    prompts.iter().map(|[hash, twin, names]| format!("{hash} twin {twin}: {names}\n")).collect()
}

fn one_by_one(parameters: &mut Parameters) {
    parameters.questions_per_call = 1;
}

#[actix_web::test]
async fn prompts_of_a_plain_survey_keep_their_bytes() {
    insta::assert_snapshot!(prompts(&plain(), Faults::demo(), one_by_one).await);
}

#[actix_web::test]
async fn prompts_of_a_survey_with_a_flow_keep_their_bytes() {
    insta::assert_snapshot!(prompts(&designed(), Faults::demo(), one_by_one).await);
}

#[actix_web::test]
async fn prompts_with_a_schema_in_words_keep_their_bytes() {
    let faults = Faults { dialect: Dialect::JsonObject, ..Faults::demo() };
    insta::assert_snapshot!(prompts(&plain(), faults, |parameters| parameters.temperature = Some(0.5)).await);
}

#[actix_web::test]
async fn prompts_after_a_rejected_answer_keep_their_bytes() {
    let faults = Faults { attempts_struck: 1, ..Faults::demo() }.with(Fault::OutOfRange, 1.0);
    insta::assert_snapshot!(prompts(&plain(), faults, one_by_one).await);
}

#[actix_web::test]
async fn prompts_that_repeat_earlier_answers_keep_their_bytes() {
    let memory = |parameters: &mut Parameters| parameters.memory = Some(Memory::Transcript);
    insta::assert_snapshot!(prompts(&designed(), Faults::demo(), memory).await);
}

/// The cells of each sheet, since the file itself holds the time at which it was written.
fn cells(path: &Path) -> Vec<u8> {
    let mut workbook: Xlsx<_> = open_workbook(path).expect("a workbook");
    let mut text = String::new();
    for name in workbook.sheet_names() {
        text.push_str(&format!("{name}\n"));
        let sheet = workbook.worksheet_range(&name).expect("the sheet");
        for (row, column, cell) in sheet.used_cells() {
            text.push_str(&format!("{row} {column} {cell:?}\n"));
        }
    }
    text.into_bytes()
}

#[actix_web::test]
async fn files_of_a_run_with_every_type_and_a_flow_keep_their_bytes() {
    let faults = Faults { attempts_struck: 3, ..Faults::demo() }.with(Fault::Refusal, 0.1);
    let (fixture, id) = ended(&designed(), faults, |_| ()).await;
    let mut files = bundled(&fixture, id).await;
    // Descriptions and prose may be improved.
    let is_data = |name: &str| {
        let tables = [".csv", ".parquet", ".sav", ".dta", ".jsonl"];
        // Calls and ledger entries hold the time at which they were made.
        let is_timed = ["run/calls.jsonl", "run/ledger.csv"].contains(&name);
        let is_table = tables.iter().any(|ending| name.ends_with(ending)) && !is_timed;
        is_table || ["survey/survey.json", "analysis/analysis.json"].contains(&name)
    };
    files.retain(|name, _| is_data(name));
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["run.csv", "run.jsonl", "run.parquet", "run.xlsx"] {
        let path = folder.path().join(name);
        let format = Format::of(&path).expect("a known format");
        files::write(&fixture.pool, id, &path, format).await.expect("a file");
        let bytes = if format == Format::Xlsx { cells(&path) } else { fs::read(&path).expect("the file") };
        files.insert(name.to_owned(), bytes);
    }
    files.insert("summary.json".to_owned(), summary(&fixture, id).await);
    assert!(files.len() > 20, "{:?}", files.keys());
    insta::assert_snapshot!(lines(&files));
}

/// The summary of the run by an attribute of the twins.
async fn summary(fixture: &EngineFixture, id: i64) -> Vec<u8> {
    let mut conn = fixture.pool.get().await.expect("a connection");
    let run = runs::load(&conn, id).await.expect("the run");
    let by = Variable::parse("Gender", &run.questions).expect("a variable");
    let twins = Twins::load(&mut conn, id, &run.questions, std::iter::once(&by)).await.expect("the twins");
    let wanted = SummaryRequest { by: Some(by), ..SummaryRequest::default() };
    let summary = summaries::of_run(&mut conn, id, &run.questions, &twins, &wanted).await.expect("a summary");
    format!("{summary:#?}").into_bytes()
}
