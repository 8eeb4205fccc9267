//! Bundles of studies.

use std::path::{Path, PathBuf};

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use model_server::{Faults, ModelServer};
use serde_json::{Value, json};
use simulation::parameters::PersonaVariant;
use survey::walk::OptionOrder;
use tempfile::TempDir;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::models::studies::{self, NewStudy, cells_of};
use twinlab::models::survey_file::SurveyFile;
use twinlab::models::surveys::NewSurvey;
use twinlab::results::files::bundle::{self, Difference, RawReplies, Replay};
use twinlab::schema::simulations;
use uuid::Uuid;

use super::{TWINS, designed, entries, forged, replayed, zipped};
use crate::support::engine_fixture::{EngineFixture, parameters};
use crate::support::{DataDir, Outcome};

/// Runs a study of this survey with two texts, each asked twice, and writes its bundle.
pub async fn bundled_study(survey: &Value, faults: Faults) -> (EngineFixture, Uuid, TempDir, PathBuf) {
    let stub = ModelServer::start(faults);
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let content = SurveyFile::parse(survey.to_string().as_bytes(), "survey.json").expect("a valid survey");
    let mut conn = fixture.pool.get().await.expect("a connection");
    let new = NewSurvey { user_id: fixture.user_id, group_id: fixture.group_id, content: &content };
    let (survey, _) = new.create(&mut conn).await.expect("a survey");
    let texts = [PersonaVariant::Summary, PersonaVariant::Empty];
    let cells = texts.into_iter().flat_map(|persona_variant| {
        let run = simulation::parameters::Parameters { persona_variant, ..parameters() };
        cells_of(&run, &[OptionOrder::AsWritten], 2)
    });
    let study = NewStudy {
        survey_id: survey.id,
        user_id: fixture.user_id,
        choice: PersonaChoice::Random(TWINS),
        demo_model: false,
        cells: cells.collect(),
        every_arm: false,
        name: Some("Baselines | \"twice\"".to_owned()),
        note: None,
        max_cost: None,
        plan: None,
    };
    let id = study.start(&mut conn).await.expect("the study starts");
    let study_id = studies::find(&mut conn, id).await.expect("the study").study_id;
    for run in studies::run_ids(&mut conn, id).await.expect("its runs") {
        fixture.ended(run).await;
    }
    engine.shut_down().await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("study.zip");
    bundle::write_study(&fixture.pool, id, &path).await.expect("a bundle");
    (fixture, study_id, folder, path)
}

fn text(path: &Path, name: &str) -> String {
    let found = entries(path).into_iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("{name}"));
    String::from_utf8(found.1).expect("UTF-8")
}

const FIRST: &str = "runs/01-summary-stub";

#[actix_web::test]
async fn the_bundle_of_a_study_rebuilds_the_files_of_each_run_and_its_own() {
    let (fixture, study, folder, path) = bundled_study(&designed(), Faults::default()).await;
    let home = DataDir::new();
    let run = |args: &[&str]| {
        Outcome::of(home.twinlab().env("DATABASE_URL", fixture.database.url()).env("RUST_LOG", "error").args(args))
    };
    let again = folder.path().join("again.zip");
    let written = run(&["bundle", "--study", &study.to_string(), "--out", again.to_str().expect("UTF-8")]);
    assert_eq!(written.code, Some(0), "{written:#?}");
    assert!(std::fs::read(&path).unwrap() == std::fs::read(&again).unwrap(), "the same study is the same bytes");
    let unknown = run(&["bundle", "--study", &Uuid::nil().to_string(), "--out", again.to_str().expect("UTF-8")]);
    let expected = format!("twinlab: there is no study {}, and no study with such a run", Uuid::nil());
    assert_eq!(unknown.only_line(), expected);
    // The commands print the ids of runs.
    let last = simulations::table.order(simulations::id.desc()).select(simulations::simulation_id);
    let last: Uuid = last.first(&mut *fixture.pool.get().await.expect("a connection")).await.expect("a run");
    let by_run = folder.path().join("by-run.zip");
    let written = run(&["bundle", "--study", &last.to_string(), "--out", by_run.to_str().expect("UTF-8")]);
    assert_eq!(written.code, Some(0), "{written:#?}");
    assert!(std::fs::read(&path).unwrap() == std::fs::read(&by_run).unwrap(), "it is the study's");

    let names: Vec<String> = entries(&path).into_iter().map(|(name, _)| name).collect();
    assert!(names.is_sorted());
    for name in [
        "README.md",
        "CITATION.cff",
        "methods.md",
        "guide-llm.md",
        "disclosure.md",
        "ro-crate-metadata.json",
        "study.json",
    ] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    }
    for run in [FIRST, "runs/02-summary-stub-repeat-2", "runs/03-empty-stub", "runs/04-empty-stub-repeat-2"] {
        for name in ["replies/replies.jsonl", "data/matrix.sav", "analysis/tables/effects.csv", "guide-llm.md"] {
            let path = format!("{run}/{name}");
            assert!(names.contains(&path), "{path}: {names:?}");
        }
    }
    assert_eq!(
        replayed(&path),
        Replay::Built { files: names.len() - 1, differing: Vec::new(), other: None, raw: RawReplies::default() }
    );
    let equal = run(&["replay", path.to_str().expect("UTF-8"), "--check"]);
    let files = names.len() - 1;
    assert_eq!(equal.code, Some(0), "{equal:#?}");
    assert!(equal.stdout.starts_with(&format!("{files} files, {files} equal\n")), "{equal:#?}");

    // Every file is in the crate, and every reference leads to a file or an entity.
    let graph: Value = serde_json::from_str(&text(&path, "ro-crate-metadata.json")).expect("JSON");
    let ids: Vec<&str> =
        graph["@graph"].as_array().expect("a graph").iter().filter_map(|of| of["@id"].as_str()).collect();
    assert!(names.iter().all(|name| ids.contains(&name.as_str())), "{ids:?}");
    let runs = graph["@graph"].as_array().expect("a graph").iter().filter(|of| of["@type"] == "CreateAction");
    let results: Vec<&str> = runs.filter_map(|run| run["result"]["@id"].as_str()).collect();
    assert_eq!((results.len(), results[0]), (4, format!("{FIRST}/replies/replies.jsonl").as_str()));

    // The comparison covers the twins of both runs; repeats are those of one text.
    let whole: Value = serde_json::from_str(&text(&path, "analysis/comparison.json")).expect("JSON");
    assert_eq!(whole["reference"], FIRST);
    assert_eq!(whole["runs"].as_array().map(Vec::len), Some(3));
    assert_eq!(whole["runs"][0]["questions"][0]["name"], "ok");
    let repeats = whole["repeats"].as_array().expect("repeats");
    assert_eq!(repeats[0]["folders"], json!([FIRST, "runs/02-summary-stub-repeat-2"]));
    insta::assert_snapshot!("figures", text(&path, "analysis/tables/comparison.csv"));
    let listed = text(&path, "analysis/tables/repeats.csv");
    assert!(listed.contains(&format!("{FIRST} | runs/02-summary-stub-repeat-2,ok,,,identical,")), "{listed}");
    let table = text(&path, "analysis/tables/runs.csv");
    assert_eq!(table.lines().count(), 1 + 4, "{table}");
    let guide = text(&path, "guide-llm.md");
    assert!(
        guide.contains("default temperature and seed 1; at the model server's default temperature and seed 2; 4 runs"),
        "{guide}"
    );
    assert!(
        guide.lines().filter(|line| line.starts_with("| ")).all(|line| line.matches(" | ").count() >= 2),
        "{guide}"
    );
}

#[actix_web::test]
async fn a_changed_answer_of_a_study_differs_in_its_run_and_in_the_comparison() {
    let (_fixture, _, folder, path) = bundled_study(&designed(), Faults::default()).await;
    let good = entries(&path);
    let mut flipped = good.clone();
    let replies = format!("{FIRST}/replies/replies.jsonl");
    let place = flipped.iter().position(|(name, _)| *name == replies).expect("the replies");
    flipped[place].1[10] ^= 1;
    let changed = folder.path().join("changed.zip");
    zipped(&changed, &flipped);
    assert_eq!(replayed(&changed), Replay::Damaged(vec![replies.clone()]));

    // A change together with the manifest: one more answer makes another file.
    let mut swapped = good.clone();
    let words = String::from_utf8(swapped[place].1.clone()).expect("UTF-8");
    let (from, to) = if words.contains("\"Often\"") { ("\"Often\"", "\"Never\"") } else { ("\"Seldom\"", "\"Often\"") };
    swapped[place].1 = words.replacen(from, to, 2).into_bytes();
    assert_ne!(swapped[place].1, good[place].1);
    forged(&changed, &mut swapped);
    let Replay::Built { differing, .. } = replayed(&changed) else { panic!("its checksums are right") };
    let paths: Vec<&str> = differing.iter().map(|Difference { path, .. }| path.as_str()).collect();
    let matrix = format!("{FIRST}/data/matrix.csv");
    for path in [matrix.as_str(), "analysis/comparison.json", "analysis/tables/repeats.csv"] {
        assert!(paths.contains(&path), "{path}: {paths:?}");
    }
    assert!(!paths.iter().any(|path| path.starts_with("runs/03")), "{paths:?}");

    // A folder outside the place where it is built.
    let mut outside = good;
    let record = outside.iter_mut().find(|(name, _)| name == "study.json").expect("the study");
    record.1 = String::from_utf8(record.1.clone()).expect("UTF-8").replace(FIRST, "runs/../../x").into_bytes();
    forged(&changed, &mut outside);
    let to = tempfile::tempdir().expect("a folder");
    let refused = bundle::replay(&changed, to.path()).expect_err("it is refused").to_string();
    assert_eq!(refused, "study.json: \"runs/../../x\" is no folder of a run");
}
