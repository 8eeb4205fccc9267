//! People in a bundle: the counts of their answers, and the figures that follow from these.

use std::collections::BTreeMap;
use std::fs;

use evidence::diagnostics::Thresholds;
use evidence::options::{ComparisonOptions, Shares};
use model_server::Faults;
use serde_json::{Value, json};
use simulation::row::Simulation;
use simulation::twins::twin_columns;
use twinlab::models::human_samples::NewHumanSample;
use twinlab::results::files::bundle::{self, BundleParts, BundleRequest, Bundled, Difference, RawReplies, Replay};
use twinlab::results::people::samples::SampledSurvey;
use twinlab::results::people::{Compared, PeopleAnswers, compare_with_people, samples, twins};
use twinlab::results::runs;

use super::{bundled, designed, entries, forged, replayed};
use crate::support::engine_fixture::EngineFixture;
use crate::support::sample;

/// 20 people for every arm; one of them never books hotels.
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

async fn keep(fixture: &EngineFixture, run: i64, name: &str, chosen: &ComparisonOptions) {
    keep_file(fixture, run, name, chosen, &people()).await;
}

async fn keep_file(fixture: &EngineFixture, run: i64, name: &str, chosen: &ComparisonOptions, file: &str) {
    let mut conn = fixture.pool.get().await.expect("a connection");
    let run = runs::load(&conn, run).await.expect("the run");
    let kept = samples::keep(
        &SampledSurvey::new(run.questions.clone(), &run.survey.design.clone().unwrap_or_default()),
        file.as_bytes(),
        chosen,
    )
    .expect("it is kept");
    let Simulation { survey_id, user_id: created_by, .. } = run.facts;
    let new = NewHumanSample {
        survey_id,
        created_by,
        name: name.to_owned(),
        people: i32::try_from(kept.people).expect("a few"),
        matched: samples::matched(&kept.read),
        dropped: json!([]),
        settings: serde_json::to_value(chosen).expect("JSON"),
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
    let chosen = ComparisonOptions { arm: Some("fee_arm".to_owned()), ..ComparisonOptions::default() };
    keep(&fixture, id, "Panel | \"May\"", &chosen).await;
    keep(
        &fixture,
        id,
        "Weighted",
        &ComparisonOptions { weight: Some("pay".to_owned()), ..ComparisonOptions::default() },
    )
    .await;
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

    insta::assert_snapshot!("people", String::from_utf8_lossy(&files["analysis/tables/people.csv"]));
    let compared = table(&files, "analysis/tables/people.csv");
    let metrics = |question: &str| -> Vec<&str> {
        let rows =
            compared.iter().filter(|row| row["sample"] == "1" && row["question"] == question && row["arm"].is_empty());
        rows.map(|row| row["metric"].as_str()).collect()
    };
    let share = ["share of people", "share of twins", "share difference"];
    let means = ["mean of people", "mean of twins", "mean difference"];
    assert_eq!(metrics("ok"), [&["TVD", "JSD", "entropy gap"][..], &share, &share, &share].concat());
    assert_eq!(metrics("pay"), [&["sd ratio", "Glass", "W1", "KS"][..], &means].concat());
    let by_arm = |arm: &str| compared.iter().filter(|row| row["question"] == "fair" && row["arm"] == arm).count();
    assert!(by_arm("one") > 0 && by_arm("two") > 0, "{compared:#?}");
    // Shares equal the counts of both sides.
    let never = |metric: &str| {
        let is_it = |row: &&CsvRow| row["option"] == "Never" && row["arm"].is_empty() && row["metric"] == metric;
        compared.iter().find(is_it).expect("a row")
    };
    assert_eq!((never(share[0])["value"].as_str(), never(share[0])["n"].as_str()), ("0.025", "40"));
    let number = |row: &CsvRow, name: &str| row[name].parse::<f64>().expect("a number");
    let [people, twins, difference] = share.map(|metric| number(never(metric), "value"));
    assert!((difference - (twins - people)).abs() < 1e-9);
    assert!(number(never(share[2]), "low") < number(never(share[2]), "high"));

    let text = |path: &str| String::from_utf8(files[path].clone()).expect("UTF-8");
    for path in ["methods.md", "guide-llm.md"] {
        let words = text(path);
        assert!(words.contains("Panel") && words.contains("need people's rows"), "{words}");
    }
    assert!(text("methods.md").contains("\"Weighted\" (40 people"), "{}", text("methods.md"));
    let package: Value = serde_json::from_slice(&files["datapackage.json"]).expect("JSON");
    let resources = package["resources"].as_array().expect("resources");
    for path in ["human/aggregates.csv", "analysis/tables/people.csv"] {
        let found = resources.iter().find(|of| of["path"] == path).unwrap_or_else(|| panic!("{path}"));
        let names: Vec<&str> =
            found["schema"]["fields"].as_array().expect("fields").iter().filter_map(|of| of["name"].as_str()).collect();
        assert_eq!(text(path).trim_start_matches('\u{feff}').lines().next(), Some(names.join(",").as_str()));
    }
    assert!(text("ro-crate-metadata.json").contains("human/samples.json"));

    // A changed count shows in the files that are built from it.
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
    keep(&fixture, id, "Panel", &ComparisonOptions::default()).await;
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
    // One person never books: that count and the next smallest are left out, and so is the distance.
    assert_eq!(metrics("ok"), ["share of people", "share of twins", "share difference"]);
    // All answers are different numbers: their mean and spread are shown.
    assert_eq!(metrics("pay"), ["sd ratio", "Glass", "mean of people", "mean of twins", "mean difference"]);
    let words = String::from_utf8(files["methods.md"].clone()).expect("UTF-8");
    assert!(words.contains("Counts of fewer than 5 people"), "{words}");
    let _ = fs::remove_file(&path);
}

/// The comparison of this file with the run, as the app shows it.
async fn shown(fixture: &EngineFixture, run: i64, chosen: &ComparisonOptions, file: &str) -> Compared {
    let mut conn = fixture.pool.get().await.expect("a connection");
    let run =
        runs::with_attributes(runs::load(&conn, run).await.expect("the run"), &mut conn).await.expect("attributes");
    let twins = twins(&fixture.pool, &run, &twin_columns(&run, chosen)).await.expect("its twins");
    let people = PeopleAnswers::File(file.to_owned().into());
    compare_with_people(&run, vec![vec![twins]], &people, chosen, &Thresholds::default(), None).expect("a comparison")
}

/// A number with ten significant digits, as in tables.
fn rounded(value: f64) -> f64 {
    format!("{value:.9e}").parse().expect("a number")
}

/// Rows of each twin's person, and of 30 people without a twin.
fn with_twins() -> String {
    let row = |n: usize| {
        let pid = if n < 12 { format!("p{}", n + 1) } else { format!("secret-{n}") };
        let gender = if n.is_multiple_of(3) { "Female" } else { "Männlich" };
        let ok = if n.is_multiple_of(2) { "Often" } else { "Seldom" };
        format!("{pid},{gender},{}.5,{ok},{},{},somebody{n}@test.example\n", 1 + n % 4, 1 + n % 3, (7 * n) % 100)
    };
    format!("pid,Gender,w,ok,views_1,pay,email\n{}", (0..42).map(row).collect::<String>())
}

#[actix_web::test]
async fn peoples_rows_are_in_a_bundle_by_choice_alone_and_say_what_each_twin_is_worth() {
    let (fixture, id, folder, path) = bundled(&designed(), Faults::default()).await;
    let rename = "UPDATE personas SET pid = 'p' || id";
    sample::run(&mut fixture.pool.get().await.expect("a connection"), rename).await;
    let request =
        BundleRequest { of: Bundled::Run(id), parts: BundleParts { with_people: true, ..BundleParts::default() } };
    let refused = bundle::write_as(&fixture.pool, request, &path).await.expect_err("there are none");
    assert!(refused.to_string().starts_with("no answers of people are kept for the survey"), "{refused}");

    let file = with_twins();
    let chosen = ComparisonOptions {
        weight: Some("w".to_owned()),
        by: vec!["Gender".to_owned()],
        ..ComparisonOptions::default()
    };
    keep_file(&fixture, id, "Panel", &chosen, &file).await;
    let plain = folder.path().join("plain.zip");
    bundle::write(&fixture.pool, id, &plain).await.expect("a bundle");
    let without: BTreeMap<String, Vec<u8>> = entries(&plain).into_iter().collect();
    assert!(!without.contains_key("human/rows.csv"));
    bundle::write_as(&fixture.pool, request, &path).await.expect("a bundle");
    let all = entries(&path);
    let equal = Replay::Built { files: all.len() - 1, differing: Vec::new(), other: None, raw: RawReplies::default() };
    assert_eq!(replayed(&path), equal);

    let files: BTreeMap<String, Vec<u8>> = all.clone().into_iter().collect();
    let every: Vec<u8> = files.values().flatten().copied().collect();
    for word in ["secret-", "@test.example"] {
        assert!(!every.windows(word.len()).any(|part| part == word.as_bytes()), "{word}");
    }
    let rows = table(&files, "human/rows.csv");
    assert_eq!(rows.len(), 42);
    assert_eq!((rows[0]["personaPid"].as_str(), rows[0]["weight"].as_str()), ("p1", "1.5"));
    assert_eq!((rows[0]["attribute.Gender"].as_str(), rows[1]["ok"].as_str()), ("Female", "2"));
    assert!(rows[12..].iter().all(|row| row["personaPid"].is_empty()), "ids of others are left out");
    assert_eq!(files["human/aggregates.csv"], without["human/aggregates.csv"]);

    // Same figures as in the app.
    let compared = shown(&fixture, id, &chosen, &file).await.figures.comparison;
    let rows_of_people = table(&files, "analysis/tables/people.csv");
    let mut pairs = 0;
    for item in &compared.questions {
        for of in &item.metrics {
            let is_it = |row: &&CsvRow| row["question"] == item.name && row["metric"] == of.metric;
            let Some(row) = rows_of_people.iter().find(is_it) else { panic!("{} {}", item.name, of.metric) };
            if ["accuracy", "exact", "r"].contains(&of.metric) {
                pairs += 1;
                assert_eq!(row["value"].parse(), Ok(rounded(of.estimate.value)), "{} {}", item.name, of.metric);
                assert_eq!(row["n"], of.estimate.n.to_string());
            }
        }
    }
    assert!(pairs > 4, "{pairs}");
    let overall =
        rows_of_people.iter().find(|row| row["question"].is_empty() && row["metric"] == "accuracy").expect("a row");
    assert_eq!(overall["value"].parse(), Ok(rounded(compared.overall.accuracy.expect("a figure").value)));
    assert!(!table(&without, "analysis/tables/people.csv").iter().any(|row| row["metric"] == "accuracy"));

    let text = |path: &str| String::from_utf8(files[path].clone()).expect("UTF-8");
    assert!(text("README.md").contains("contains personal data"), "{}", text("README.md"));
    assert!(text("LICENSE-DATA.txt").contains("human/rows.csv: answers of people"));
    assert!(text("methods.md").contains("has people's rows, because the survey's author chose to pass them on"));
    assert!(!String::from_utf8_lossy(&without["README.md"]).contains("contains personal data"));
    let package: Value = serde_json::from_slice(&files["datapackage.json"]).expect("JSON");
    let resources = package["resources"].as_array().expect("resources");
    let described = resources.iter().find(|of| of["path"] == "human/rows.csv").expect("it is described");
    let names: Vec<&str> =
        described["schema"]["fields"].as_array().expect("fields").iter().filter_map(|of| of["name"].as_str()).collect();
    assert_eq!(text("human/rows.csv").trim_start_matches('\u{feff}').lines().next(), Some(names.join(",").as_str()));

    // A changed row shows in the counts and in the files that are built from it.
    let mut changed = all;
    let of_rows = changed.iter_mut().find(|(name, _)| name == "human/rows.csv").expect("it");
    let words = String::from_utf8(of_rows.1.clone()).expect("UTF-8");
    of_rows.1 = words.replacen("1,p1,,1.5,", "1,p1,,2.5,", 1).into_bytes();
    assert_ne!(words.as_bytes(), of_rows.1);
    let forgery = folder.path().join("forged.zip");
    forged(&forgery, &mut changed);
    let Replay::Built { differing, .. } = replayed(&forgery) else { panic!("its checksums are right") };
    let names: Vec<&str> = differing.iter().map(|Difference { path, .. }| path.as_str()).collect();
    assert!(names.contains(&"human/aggregates.csv") && names.contains(&"analysis/tables/people.csv"), "{names:?}");
}

#[actix_web::test]
async fn twins_beside_people_weigh_what_they_weigh_in_the_app() {
    let (fixture, id, folder, path) = bundled(&designed(), Faults::default()).await;
    let weighed = "UPDATE personas SET attributes = attributes || jsonb_build_object('W', id::text)";
    sample::run(&mut fixture.pool.get().await.expect("a connection"), weighed).await;
    let shares = |female: f64| {
        let levels = [("Female".to_owned(), female), ("Männlich".to_owned(), 1.0 - female)];
        [("Gender".to_owned(), Shares::from(levels))].into()
    };
    let by_margins = ComparisonOptions { margins: shares(0.8), ..ComparisonOptions::default() };
    let by_weight = ComparisonOptions { twin_weight: Some("W".to_owned()), ..ComparisonOptions::default() };
    let cannot = ComparisonOptions { twin_weight: Some("Gender".to_owned()), ..ComparisonOptions::default() };
    let file = with_twins();
    for (name, chosen) in [("Margins", &by_margins), ("Weights", &by_weight), ("Neither", &cannot)] {
        keep_file(&fixture, id, name, chosen, &file).await;
    }
    bundle::write(&fixture.pool, id, &path).await.expect("a bundle");
    let all = entries(&path);
    let equal = Replay::Built { files: all.len() - 1, differing: Vec::new(), other: None, raw: RawReplies::default() };
    assert_eq!(replayed(&path), equal);
    let files: BTreeMap<String, Vec<u8>> = all.into_iter().collect();
    let compared = table(&files, "analysis/tables/people.csv");
    let mean = |sample: &str, side: &str| -> f64 {
        let is_it = |row: &&CsvRow| {
            (row["sample"].as_str(), row["question"].as_str(), row["metric"].as_str())
                == (sample, "pay", format!("mean of {side}").as_str())
        };
        compared.iter().find(is_it).expect("a row")["value"].parse().expect("a number")
    };
    for (sample, chosen) in [("1", &by_margins), ("2", &by_weight)] {
        let figures = shown(&fixture, id, chosen, &file).await.figures.comparison;
        let pay = figures.questions.iter().find(|item| item.name == "pay").expect("the item");
        assert_eq!(mean(sample, "twins"), rounded(pay.mean_twins.expect("a mean")), "{sample}");
        assert_eq!(mean(sample, "people"), rounded(pay.mean_people.expect("a mean")), "{sample}");
    }
    assert_ne!(mean("1", "twins"), mean("2", "twins"));
    assert!(compared.iter().all(|row| row["sample"] != "3"), "they have no weights");
    let words = String::from_utf8(files["methods.md"].clone()).expect("UTF-8");
    assert!(words.contains("not compared: twinWeight: no twin has a number above 0 there"), "{words}");
    drop(folder);
}
