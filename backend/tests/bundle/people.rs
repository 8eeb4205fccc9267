//! People in a bundle: how many gave which answer, and what follows from that.

use std::collections::BTreeMap;
use std::fs;

use model_server::Faults;
use serde_json::{Value, json};
use twinlab::models::human_samples::NewHumanSample;
use twinlab::models::simulations::Simulation;
use twinlab::results::files::bundle::{self, Difference, RawReplies, Replay};
use twinlab::results::people::{Chosen, samples};
use twinlab::results::run::Run;

use super::{bundled, designed, entries, forged, replayed};
use crate::support::engine_fixture::EngineFixture;
use crate::support::sample;

/// Of every arm 20 people; one of them never books hotels.
fn people() -> String {
    let row = |n: usize| {
        let (ok, fair) = (
            if n == 0 {
                "Never"
            } else if n.is_multiple_of(2) {
                "Often"
            } else {
                "Seldom"
            },
            7 + n % 3 / 2 * 2,
        );
        let arm = if n < 20 { "one" } else { "two" };
        format!("secret-{n},{arm},{ok},{fair},{},{}\n", 1 + n % 3, 10 + n)
    };
    format!("pid,fee_arm,ok,fair,views_1,pay\n{}", (0..40).map(row).collect::<String>())
}

async fn keep(fixture: &EngineFixture, run: i64, name: &str, chosen: &Chosen) {
    let mut conn = fixture.pool.get().await.expect("a connection");
    let run = Run::load(&conn, run).await.expect("the run");
    let kept = samples::keep(&run.questions, people().as_bytes(), chosen).expect("it is kept");
    let Simulation { survey_id, user_id: created_by, .. } = run.facts;
    let new = NewHumanSample {
        survey_id,
        created_by,
        name: name.to_owned(),
        people: i32::try_from(kept.people).expect("a few"),
        matched: samples::matched(&kept.read),
        dropped: json!([]),
        settings: serde_json::to_value(samples::settings_of(chosen)).expect("JSON"),
        content: kept.content,
    };
    new.create(&mut conn).await.expect("it is stored").expect("it is not one too many");
}

type CsvRow = BTreeMap<String, String>;

fn table(files: &BTreeMap<String, Vec<u8>>, path: &str) -> Vec<CsvRow> {
    let text = std::str::from_utf8(files.get(path).unwrap_or_else(|| panic!("{path} is not there"))).expect("UTF-8");
    let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    reader.deserialize().map(|row| row.expect("a row")).collect()
}

#[actix_web::test]
async fn a_bundle_counts_the_people_of_its_survey_and_compares_them_without_a_row() {
    let (fixture, id, folder, path) = bundled(&designed(), Faults::default()).await;
    let before: Vec<String> = entries(&path).into_iter().map(|(name, _)| name).collect();
    assert!(before.iter().all(|name| !name.starts_with("human/") && !name.ends_with("people.csv")), "{before:?}");
    let chosen = Chosen { arm: Some("fee_arm".to_owned()), ..Chosen::default() };
    keep(&fixture, id, "Panel | \"May\"", &chosen).await;
    keep(&fixture, id, "Weighted", &Chosen { weight: Some("pay".to_owned()), ..Chosen::default() }).await;
    bundle::write(&fixture.pool, id, &path).await.expect("a bundle");
    let all = entries(&path);
    let equal = Replay::Built { files: all.len() - 1, differing: Vec::new(), other: None, raw: RawReplies::default() };
    assert_eq!(replayed(&path), equal);
    let files: BTreeMap<String, Vec<u8>> = all.clone().into_iter().collect();
    let every: Vec<u8> = files.values().flatten().copied().collect();
    assert!(!every.windows(7).any(|part| part == b"secret-"), "nobody is named");

    let counted = table(&files, "human/aggregates.csv");
    let find = |sample: &str, question: &str, arm: &str, value: &str| {
        let is_it = |row: &&CsvRow| {
            (row["sample"].as_str(), row["question"].as_str(), row["arm"].as_str(), row["value"].as_str())
                == (sample, question, arm, value)
        };
        counted.iter().find(is_it).unwrap_or_else(|| panic!("{question} {arm} {value}: {counted:#?}"))
    };
    assert_eq!(
        (find("1", "ok", "", "3.0")["option"].as_str(), find("1", "ok", "", "3.0")["n"].as_str()),
        ("Never", "1")
    );
    assert_eq!(find("1", "ok", "two", "3.0")["n"], "0");
    assert_eq!((find("1", "pay", "", "")["n"].as_str(), find("1", "pay", "", "")["mean"].as_str()), ("40", "29.5"));
    assert_eq!(find("1", "pay", "one", "")["n"], "20");
    assert_eq!(find("2", "pay", "", "49.0")["weighted"], "49.0");

    let compared = table(&files, "analysis/tables/people.csv");
    let metrics = |question: &str| -> Vec<&str> {
        let rows =
            compared.iter().filter(|row| row["sample"] == "1" && row["question"] == question && row["arm"].is_empty());
        rows.map(|row| row["metric"].as_str()).collect()
    };
    let share = "share difference";
    assert_eq!(metrics("ok"), ["TVD", "JSD", "entropy gap", share, share, share]);
    assert_eq!(metrics("pay"), ["sd ratio", "Glass", "W1", "KS", "mean difference"]);
    let by_arm = |arm: &str| compared.iter().filter(|row| row["question"] == "fair" && row["arm"] == arm).count();
    assert!(by_arm("one") > 0 && by_arm("two") > 0, "{compared:#?}");
    // Shares are those of the counts on both sides.
    let never = compared.iter().find(|row| row["option"] == "Never" && row["arm"].is_empty()).expect("a row");
    assert_eq!((never["people"].as_str(), never["nPeople"].as_str()), ("0.025", "40"));
    let number = |row: &CsvRow, name: &str| row[name].parse::<f64>().expect("a number");
    let difference = number(never, "twins") - number(never, "people");
    assert!((number(never, "value") - difference).abs() < 1e-9 && number(never, "low") < number(never, "high"));

    let text = |path: &str| String::from_utf8(files[path].clone()).expect("UTF-8");
    for path in ["methods.md", "guide-llm.md"] {
        let words = text(path);
        assert!(words.contains("Panel") && words.contains("need people's rows"), "{words}");
    }
    assert!(text("methods.md").contains("\"Weighted\" (40 people"), "{}", text("methods.md"));
    let package: Value = serde_json::from_slice(&files["datapackage.json"]).expect("JSON");
    let resources = package["resources"].as_array().expect("resources");
    for path in ["human/aggregates.csv", "analysis/tables/people.csv"] {
        let told = resources.iter().find(|of| of["path"] == path).unwrap_or_else(|| panic!("{path}"));
        let names: Vec<&str> =
            told["schema"]["fields"].as_array().expect("fields").iter().filter_map(|of| of["name"].as_str()).collect();
        assert_eq!(text(path).trim_start_matches('\u{feff}').lines().next(), Some(names.join(",").as_str()));
    }
    assert!(text("ro-crate-metadata.json").contains("human/samples.json"));

    // A count that was changed shows in what is built from it.
    let mut changed = all;
    let aggregates = changed.iter_mut().find(|(name, _)| name == "human/aggregates.csv").expect("it");
    let words = String::from_utf8(aggregates.1.clone()).expect("UTF-8");
    aggregates.1 = words.replacen("Never,3.0,1,1.0,1.0", "Never,3.0,2,2.0,2.0", 1).into_bytes();
    assert_ne!(words.as_bytes(), aggregates.1);
    let forgery = folder.path().join("forged.zip");
    forged(&forgery, &mut changed);
    let Replay::Built { differing, .. } = replayed(&forgery) else { panic!("its checksums are right") };
    let names: Vec<&str> = differing.iter().map(|Difference { path, .. }| path.as_str()).collect();
    assert!(names.contains(&"analysis/tables/people.csv"), "{names:?}");
}

#[actix_web::test]
async fn of_a_public_survey_counts_of_a_few_people_are_left_out() {
    let (fixture, id, folder, _) = bundled(&designed(), Faults::default()).await;
    keep(&fixture, id, "Panel", &Chosen::default()).await;
    sample::run(&mut fixture.pool.get().await.expect("a connection"), "UPDATE surveys SET visibility = 'PUBLIC'").await;
    let path = folder.path().join("public.zip");
    bundle::write(&fixture.pool, id, &path).await.expect("a bundle");
    let all = entries(&path);
    assert_eq!(
        replayed(&path),
        Replay::Built { files: all.len() - 1, differing: Vec::new(), other: None, raw: RawReplies::default() }
    );
    let files: BTreeMap<String, Vec<u8>> = all.into_iter().collect();
    for row in table(&files, "human/aggregates.csv") {
        let n = row["n"].parse::<usize>().ok();
        assert!(n.is_none_or(|n| n == 0 || n >= 5), "{row:?}");
        assert_eq!(n.is_none(), row["suppressed"] == "yes", "{row:?}");
    }
    let compared = table(&files, "analysis/tables/people.csv");
    let metrics = |question: &str| -> Vec<String> {
        compared.iter().filter(|row| row["question"] == question).map(|row| row["metric"].clone()).collect()
    };
    // One person who never books: that count and the next rarest are not told, and no distance is.
    assert_eq!(metrics("ok"), ["share difference"]);
    // All answers are different numbers: their mean and spread are told.
    assert_eq!(metrics("pay"), ["sd ratio", "Glass", "mean difference"]);
    let words = String::from_utf8(files["methods.md"].clone()).expect("UTF-8");
    assert!(words.contains("Counts of fewer than 5 people"), "{words}");
    let _ = fs::remove_file(&path);
}
