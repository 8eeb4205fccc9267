//! Bundles: one zip of a run, from which its tables are rebuilt byte for byte.

mod distributions;
mod formats;
mod frame;
mod imported;
mod labels;
mod machines;
mod own_file;
mod people;
mod prompts;
mod raw;
mod reproduce;
mod study;
mod versions;
mod xml;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use model_server::{Fault, Faults, ModelServer};
use serde_json::{Value, json};
use simulation::parameters::Parameters;
use tempfile::TempDir;
use twinlab::results::files::bundle::{self, Difference, RawReplies, Replay, replay};

use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::{DataDir, Outcome, sample};
use twinlab::models::simulations::start::PersonaChoice;

const TWINS: i32 = 12;

/// A survey with arms, an order, a hidden question, a matrix and free text; some requests are refused.
pub fn designed() -> Value {
    json!({ "title": "Fees, \"quoted\"", "questions": [
        { "name": "ok", "type": "SINGLE_CHOICE", "text": "Do you book hotels?", "options": ["Often", "Seldom", "Never"] },
        { "name": "fair", "type": "SINGLE_CHOICE", "text": "How fair is {{field:fee}}?", "options": ["Fair", "Unfair"],
          "shuffle": "all", "codes": [7, 9] },
        { "name": "why", "type": "OPENENDED", "text": "You said {{answer:fair}}. Why?",
          "show_if": { "answer": "fair", "is": "Fair" } },
        { "name": "views", "type": "MATRIX", "text": "Do you agree?", "scale_labels": ["No", "Perhaps", "Yes"],
          "sub_questions": ["It is cheap", "It is clear"] },
        { "name": "pay", "type": "SLIDER", "text": "What would you pay?", "min_value": 0, "max_value": 100 }
      ], "flow": [
        { "block": "screen", "questions": ["ok"] },
        { "if": { "answer": "ok", "is": "Never" }, "then": [{ "end": "screened_out" }] },
        { "random": "fee_arm", "take": 1, "of": [
            { "arm": "one", "flow": [{ "set": { "fee": "a RESORT fee" } }] },
            { "arm": "two", "flow": [{ "set": { "fee": "a SERVICE fee" } }] }] },
        { "block": "dv", "questions": ["fair", "why", "views", "pay"], "order": "random", "pin": ["fair", "why"] }] })
}

/// Runs this survey and writes its bundle into a temporary folder.
pub async fn bundled(survey: &Value, faults: Faults) -> (EngineFixture, i64, TempDir, PathBuf) {
    bundled_as(survey, faults, false).await
}

/// Like [`bundled`], in batches or by calls.
async fn bundled_as(survey: &Value, faults: Faults, batch: bool) -> (EngineFixture, i64, TempDir, PathBuf) {
    let stub = ModelServer::start(faults);
    let fixture = EngineFixture::new(TWINS).await;
    sample::run(
        &mut fixture.pool.get().await.expect("a connection"),
        r#"UPDATE personas SET attributes = jsonb_build_object('Gender', CASE WHEN id % 2 = 0 THEN 'Female' ELSE 'Männlich' END)"#,
    )
    .await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let asked = |parameters: &mut Parameters| (parameters.shuffle_options, parameters.batch) = (true, batch);
    let id = fixture.start(survey, PersonaChoice::Random(TWINS), asked).await;
    fixture.ended(id).await;
    engine.shut_down().await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.zip");
    bundle::write(&fixture.pool, id, &path).await.expect("a bundle");
    (fixture, id, folder, path)
}

fn replayed(path: &Path) -> Replay {
    let folder = tempfile::tempdir().expect("a folder");
    replay(path, folder.path()).expect("it is a bundle")
}

/// The entries of a zip by name.
fn entries(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(File::open(path).expect("the file")).expect("a zip");
    let mut entries = Vec::new();
    for place in 0..zip.len() {
        let mut entry = zip.by_index(place).expect("an entry");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("it is read");
        entries.push((entry.name().expect("UTF-8").into_owned(), bytes));
    }
    entries
}

fn zipped(path: &Path, entries: &[(String, Vec<u8>)]) {
    let mut zip = zip::ZipWriter::new(File::create(path).expect("the file"));
    for (name, bytes) in entries {
        zip.start_file(name.as_str(), zip::write::SimpleFileOptions::default()).expect("an entry");
        zip.write_all(bytes).expect("it is written");
    }
    zip.finish().expect("a zip");
    seal(path);
}

/// Gives a zip the comment of bundles: the SHA-256 of all bytes before it.
fn seal(path: &Path) {
    let mark = "twinlab bundle; SHA-256 of all bytes before this number: ";
    let mut bytes = fs::read(path).expect("the zip");
    let length = bytes.len();
    bytes[length - 2..].copy_from_slice(&((mark.len() + 64) as u16).to_le_bytes());
    bytes.extend_from_slice(mark.as_bytes());
    let digits = sha256(&bytes);
    bytes.extend_from_slice(digits.as_bytes());
    fs::write(path, bytes).expect("it is written");
}

/// Writes a sealed zip with a manifest of these files.
fn forged(path: &Path, entries: &mut [(String, Vec<u8>)]) {
    let of = |(name, bytes): &(String, Vec<u8>)| json!({"path": name, "bytes": bytes.len(), "sha256": sha256(bytes)});
    let files: Vec<Value> = entries.iter().filter(|(name, _)| name != "manifest.json").map(of).collect();
    let word = |of: &Value, field: &str| of[field].as_str().expect("a text").to_owned();
    let lines: String = files.iter().map(|file| format!("{} {}\n", word(file, "path"), word(file, "sha256"))).collect();
    let manifest = entries.iter_mut().find(|(name, _)| name == "manifest.json").expect("the manifest");
    let mut listed: Value = serde_json::from_slice(&manifest.1).expect("JSON");
    assert_eq!(listed["files"].as_array().map(Vec::len), Some(files.len()));
    listed["files"] = json!(files);
    let fields = ["format", "program", "simulationId", "studyId"].map(|field| match &listed[field] {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    let of_all = format!("{}\n{lines}", fields.join("\n"));
    listed["sha256"] = json!(sha256(of_all.as_bytes()));
    manifest.1 = serde_json::to_vec(&listed).expect("JSON");
    zipped(path, entries);
}

#[actix_web::test]
async fn a_bundle_rebuilds_every_file_and_is_the_same_bytes_each_time() {
    for (survey, faults) in [
        (designed(), Faults { attempts_struck: 3, ..Faults::default() }.with(Fault::Refusal, 0.3)),
        (survey(4), Faults::default()),
    ] {
        let (fixture, id, folder, path) = bundled(&survey, faults).await;
        let again = folder.path().join("again.zip");
        bundle::write(&fixture.pool, id, &again).await.expect("a bundle");
        assert!(fs::read(&path).unwrap() == fs::read(&again).unwrap(), "the same run is the same bytes");
        let names: Vec<String> = entries(&path).into_iter().map(|(name, _)| name).collect();
        assert!(names.is_sorted());
        for name in [
            "manifest.json",
            "methods.md",
            "data/matrix.sav",
            "data/responses.parquet",
            "data/codebook.xml",
            "data/read.do",
            "replies/replies.jsonl",
            "run/twins.csv",
            "run/ledger.csv",
            "survey/survey.md",
            "prompts/index.csv",
            "prompts/templates.json",
            "analysis/analysis.json",
            "analysis/tables/effects.csv",
            "analysis/tables/tests.csv",
            "datapackage.json",
            "ro-crate-metadata.json",
        ] {
            assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
        }
        // All files but the manifest are compared; stored ones count too.
        let equal =
            Replay::Built { files: names.len() - 1, differing: Vec::new(), other: None, raw: RawReplies::default() };
        assert_eq!(replayed(&path), equal);
        // The user who started it is not named.
        let run = entries(&path).into_iter().find(|(name, _)| name == "run/run.json").expect("the run").1;
        let run: Value = serde_json::from_slice(&run).expect("JSON");
        assert_eq!((&run["facts"]["userId"], &run["facts"]["groupId"]), (&json!(0), &json!(0)));
    }
}

#[actix_web::test]
async fn a_changed_byte_is_named_and_a_changed_answer_differs_where_it_shows() {
    let (_fixture, _, folder, path) = bundled(&survey(2), Faults::default()).await;
    let good = entries(&path);
    let replay_changed = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut all = good.clone();
        change(&mut all.iter_mut().find(|(found, _)| found == name).expect("the file").1);
        let path = folder.path().join("changed.zip");
        zipped(&path, &all);
        replayed(&path)
    };
    let flip = |bytes: &mut Vec<u8>| bytes[10] ^= 1;
    for (name, _) in good.iter().filter(|(name, _)| name != "manifest.json") {
        assert_eq!(replay_changed(name, &flip), Replay::Damaged(vec![name.clone()]));
    }
    // The manifest's own fields are checked too, because the program's version decides what is built.
    for word in ["Lab ", "simulationId\": \""] {
        let other = |bytes: &mut Vec<u8>| {
            let at = bytes.windows(word.len()).position(|part| part == word.as_bytes()).expect("it contains the word");
            bytes[at + word.len()] ^= 1;
        };
        assert_eq!(replay_changed("manifest.json", &other), Replay::Damaged(vec!["manifest.json".to_owned()]));
    }
    let mut more = good.clone();
    more.push(("analysis/extra.csv".to_owned(), b"x".to_vec()));
    let with_more = folder.path().join("more.zip");
    zipped(&with_more, &more);
    assert_eq!(replayed(&with_more), Replay::Damaged(vec!["analysis/extra.csv".to_owned()]));

    // Files that were changed together with the manifest are found by rebuilding them.
    const STORED: [&str; 3] = ["survey/", "run/", "replies/"];
    let mut all = good.clone();
    let mut expected = Vec::new();
    for (name, bytes) in &mut all {
        if name != "manifest.json" && !STORED.iter().any(|folder| name.starts_with(folder)) {
            let at = bytes.len() - 3;
            bytes[at] ^= 1;
            expected.push(Difference { path: name.clone(), at: Some(at as u64) });
        }
    }
    let changed = folder.path().join("forged.zip");
    forged(&changed, &mut all);
    let Replay::Built { differing, .. } = replayed(&changed) else { panic!("its checksums are right") };
    assert!(expected.len() > 20, "{expected:?}");
    assert_eq!(differing, expected);
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn what_is_no_bundle_is_refused_before_anything_is_built() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.zip");
    let refused = |path: &Path| {
        let to = tempfile::tempdir().expect("a folder");
        replay(path, to.path()).expect_err("it is refused").to_string()
    };
    fs::write(&path, "no zip").expect("it is written");
    assert!(refused(&path).ends_with("it is no bundle"), "{}", refused(&path));
    zipped(&path, &[("data/x.csv".to_owned(), b"x".to_vec())]);
    assert!(refused(&path).ends_with("it has no manifest"), "{}", refused(&path));
    zipped(&path, &[("../x".to_owned(), b"x".to_vec())]);
    assert!(refused(&path).contains("is no path within a bundle"), "{}", refused(&path));
    for format in [0, 2, 6] {
        let manifest = format!("{{\"format\": {format}}}").into_bytes();
        zipped(&path, &[("manifest.json".to_owned(), manifest)]);
        let expected = format!("its format is {format}, and this version reads format 1");
        assert!(refused(&path).ends_with(&expected), "{}", refused(&path));
    }
    zipped(&path, &[("data/x".to_owned(), b"x".to_vec()), ("data".to_owned(), b"x".to_vec())]);
    assert!(refused(&path).ends_with("data is a file and a folder"), "{}", refused(&path));
    zipped(&path, &[("zeros".to_owned(), vec![0; 50_000_000])]);
    assert!(refused(&path).ends_with("zeros is too large unpacked"), "{}", refused(&path));
}

#[actix_web::test]
async fn the_command_tells_by_its_exit_code_whether_a_bundle_is_equal() {
    let (_fixture, _, folder, path) = bundled(&survey(2), Faults::default()).await;
    let home = DataDir::new();
    let run = |args: &[&str]| Outcome::of(home.twinlab().args(args));
    const EQUAL: &str = "36 files, 36 equal\nbegins at the checked answers: there are no raw replies to read again";
    let file = path.to_str().expect("UTF-8");
    let equal = run(&["replay", file, "--check"]);
    assert_eq!((equal.code, equal.stdout.trim_end()), (Some(0), EQUAL), "{}", equal.stderr);
    let out = folder.path().join("built");
    let kept = run(&["replay", file, "--out", out.to_str().expect("UTF-8")]);
    assert_eq!(kept.code, Some(0), "{}", kept.stderr);
    assert!(out.join("data/matrix.csv").is_file());
    assert_eq!(run(&["replay", file, "--out", out.to_str().expect("UTF-8")]).code, Some(2));

    let mut all = entries(&path);
    all.iter_mut().find(|(name, _)| name == "methods.md").expect("the text").1.push(b'!');
    let damaged = folder.path().join("damaged.zip");
    zipped(&damaged, &all);
    let output = run(&["replay", damaged.to_str().expect("UTF-8")]);
    assert_eq!(output.code, Some(3));
    assert_eq!(output.stdout.trim_end(), "DAMAGED methods.md: its checksum is another; nothing was built");
}
