//! Planned and exploratory analyses, and a plan's files in bundles.

use std::collections::BTreeSet;
use std::io::{Cursor, Read};

use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};
use twinlab::results::files::bundle::{Replay, replay};

use super::{drafted, import, plan, run_by};
use crate::support::{GroupFixture, answer, sample, with_app};

#[actix_web::test]
async fn primary_items_of_primary_contrasts_are_preregistered_and_all_else_is_exploratory() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let survey = import(&fixture).await;
        let path = drafted(&fixture, survey, plan(false)).await;
        let study =
            run_by(&fixture, survey, &path, json!({"run": {}, "arms": "all", "variants": ["summary", "empty"]})).await;
        let comparison = format!("/api/studies/{}/comparison", study["studyId"].as_str().expect("an id"));
        let marks = async || -> Vec<Vec<Value>> {
            let compared = fixture.author.get(&comparison).await.ok();
            let of = |run: &Value| {
                let questions = run["questions"].as_array().expect("questions");
                questions.iter().map(|question| question["analysis"].clone()).collect()
            };
            compared["runs"].as_array().expect("runs").iter().map(of).collect()
        };
        assert!(marks().await.concat().iter().all(Value::is_null), "there is no frozen plan");
        fixture.author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        // Rows: fair and pay. Compared with the run with the text in arm one: the run in arm two; those without a text
        // in both arms.
        let [yes, no] = ["preregistered", "exploratory"].map(|mark| json!(mark));
        assert_eq!(marks().await, [vec![yes, no.clone()], vec![no.clone(), no.clone()], vec![no.clone(), no]]);
        let table = String::from_utf8(fixture.author.get(&format!("{comparison}.csv")).await.bytes).expect("UTF-8");
        let rows: Vec<&str> = table.lines().collect();
        assert!(
            rows[0].ends_with("reference,run,analysis,question,arm,option,metric,value,low,high,n,note"),
            "{table}"
        );
        let first = |question: &str| rows.iter().find(|row| row.contains(&format!(",{question},"))).expect("a row");
        assert!(first("fair").contains(",preregistered,fair,,,") && first("fair").ends_with(",6,"), "{table}");
        assert!(first("pay").contains(",exploratory,pay,,,"), "{table}");
    })
    .await;
}

#[actix_web::test]
async fn the_bundle_of_a_run_holds_its_plan_and_the_deviations() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = import(&fixture).await;
        let path = drafted(&fixture, survey, plan(false)).await;
        let frozen = fixture.author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        let study = run_by(&fixture, survey, &path, json!({"run": {"personaCount": 4}})).await;
        let run = study["runs"][0]["simulationId"].as_str().expect("an id");
        let bundle = fixture.author.get(&format!("/api/surveys/{survey}/simulation/{run}/responses/bundle.zip")).await;
        assert_eq!(bundle.status, 200);
        let mut zip = zip::ZipArchive::new(Cursor::new(&bundle.bytes)).expect("a zip");
        let mut entry = |name: &str| {
            let mut bytes = Vec::new();
            zip.by_name(name).expect(name).read_to_end(&mut bytes).expect("it is read");
            bytes
        };
        assert_eq!(entry("analysis/plan.json"), fixture.author.get(&format!("{path}/plan.json")).await.bytes);
        let deviations = String::from_utf8(entry("deviations.md")).expect("UTF-8");
        assert!(deviations.contains("| run: personaCount | 6 | 4 | – |"), "{deviations}");
        assert!(deviations.contains(frozen["frozen"]["sha256"].as_str().expect("a hash")), "{deviations}");
        let stored = String::from_utf8(entry("run/plan.json")).expect("UTF-8");
        assert!(!stored.contains("author@test.example") && !stored.contains("\"who\""), "{stored}");
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("run.zip");
        std::fs::write(&file, &bundle.bytes).expect("it is written");
        let replayed = replay(&file, &folder.path().join("replayed")).expect("it is a bundle");
        assert!(matches!(&replayed, Replay::Built { differing, .. } if differing.is_empty()), "{replayed:?}");
    })
    .await;
}

/// The rows of a table of a zip: the cells of these columns, joined.
fn cells(zip: &mut zip::ZipArchive<Cursor<&Vec<u8>>>, path: &str, columns: &[&str]) -> Vec<String> {
    let mut text = String::new();
    zip.by_name(path).expect(path).read_to_string(&mut text).expect("UTF-8");
    let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let header = reader.headers().expect("a header").clone();
    let places: Vec<usize> = columns
        .iter()
        .map(|name| header.iter().position(|found| found == *name).unwrap_or_else(|| panic!("{path} has no {name}")))
        .collect();
    let row = |row: csv::Result<csv::StringRecord>| {
        let row = row.expect("a row");
        places.iter().map(|place| row[*place].to_owned()).collect::<Vec<_>>().join(" ")
    };
    reader.records().map(row).collect()
}

#[actix_web::test]
async fn the_tables_and_figures_of_bundles_say_what_the_plan_names() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let survey = import(&fixture).await;
        let mut planned = plan(false);
        planned["contrasts"] = json!([{ "of": "fee_arm", "a": "one", "b": "two" },
            { "of": "variant", "a": "summary", "b": "empty" }]);
        planned["choices"] = json!({ "multiplicity": "bonferroni", "alpha": 0.01, "family": "the one item",
            "metric": " ", "weights": "raked by age" });
        let path = drafted(&fixture, survey, planned).await;
        let asked = json!({"run": {"personaCount": 6}, "variants": ["summary", "empty"]});
        let study = run_by(&fixture, survey, &path, asked).await;
        let run = study["runs"][0]["simulationId"].as_str().expect("an id");
        let of_run = format!("/api/surveys/{survey}/simulation/{run}/responses/bundle.zip");
        let of_study = format!("/api/studies/{}/bundle", study["studyId"].as_str().expect("an id"));
        let folder = tempfile::tempdir().expect("a folder");
        let fetched = async |name: &str, call: &str| {
            let bytes = fixture.author.get(call).await.bytes;
            let file = folder.path().join(name);
            std::fs::write(&file, &bytes).expect("it is written");
            let replayed = replay(&file, &folder.path().join(format!("{name}-replayed"))).expect("it is a bundle");
            assert!(matches!(&replayed, Replay::Built { differing, .. } if differing.is_empty()), "{replayed:?}");
            bytes
        };
        let open = |bytes| zip::ZipArchive::new(Cursor::new(bytes)).expect("a zip");
        // Nobody has stated the origin of these twins.
        for call in [&of_run, &of_study] {
            let refused = fixture.author.get(&format!("{call}?withPrompts=true")).await.refused(400);
            assert!(refused.contains("workshop may be passed on is not known"), "{refused}");
        }
        let mut conn = app.connection().await;
        sample::run(&mut conn, "UPDATE persona_sets SET source = 'Added by hand'").await;
        drop(conn);
        let whole = fetched("prompts.zip", &format!("{of_study}?withPrompts=true")).await;
        assert!(String::from_utf8_lossy(&whole).contains("/prompts/texts/0001.jsonl"));
        let effects = "analysis/tables/effects.csv";
        let draft = fetched("draft.zip", &of_run).await;
        let marks = cells(&mut open(&draft), effects, &["analysis"]);
        assert!(!marks.is_empty() && marks.iter().all(String::is_empty), "there is no frozen plan: {marks:?}");

        fixture.author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        let bytes = fetched("run.zip", &of_run).await;
        let mut zip = open(&bytes);
        let marks = cells(&mut zip, effects, &["question", "arm", "base", "analysis"]);
        assert!(marks.contains(&"fair two one preregistered".to_owned()), "{marks:?}");
        assert!(marks.iter().all(|row| row.starts_with("fair") == row.ends_with("preregistered")), "{marks:?}");
        for table in ["shares", "means"] {
            let path = format!("analysis/tables/{table}.csv");
            for row in cells(&mut zip, &path, &["question", "analysis"]) {
                assert!(["fair preregistered", "pay exploratory"].contains(&row.as_str()), "{table}: {row}");
            }
        }
        // The bundle says what the summary does.
        let columns = ["question", "node", "adjustment", "alpha", "familySize", "verdict", "analysis"];
        let rows = cells(&mut zip, "analysis/tables/tests.csv", &columns);
        let summary = fixture.author.get(&of_run.replace("responses/bundle.zip", "summary?by=fee_arm")).await.ok();
        let rule = json!({ "adjustment": "bonferroni", "alpha": 0.01, "byPlan": true, "family": "the one item",
            "notApplied": [{ "choice": "family", "text": "the one item" }, { "choice": "weights", "text": "raked by age" }],
            "words": "Tests by the frozen plan: p by Bonferroni, alpha .01. The tests that the plan names are one family, all \
                others another. Not applied by the program, because they are free words: family (the one item); weights \
                (raked by age)." });
        assert_eq!(summary["rule"], rule);
        let row = |place: usize, name: &str| {
            let test = &summary["questions"][place]["tests"][0];
            let word = |field: &str| test[field].as_str().expect(field).to_owned();
            let words = ["adjustment", "verdict", "analysis"].map(word);
            format!("{name} fee_arm {} {} {} {} {}", words[0], test["alpha"], test["familySize"], words[1], words[2])
        };
        assert_eq!(rows, [row(0, "fair"), row(1, "pay")]);
        assert!(rows[0].ends_with("preregistered") && rows[1].ends_with("exploratory"), "{rows:?}");
        let mut text = |name: &str| {
            let mut text = String::new();
            zip.by_name(name).expect(name).read_to_string(&mut text).expect("UTF-8");
            text
        };
        let whole: Value = serde_json::from_str(&text("analysis/analysis.json")).expect("JSON");
        assert_eq!(whole["questions"][0]["effects"][0]["analysis"], "preregistered");
        assert_eq!(whole["questions"][1]["effects"][0]["analysis"], "exploratory");
        assert_eq!(whole["rule"], rule);
        assert!(text("analysis/figures/001-fair.svg").contains("Preregistered: a primary question"));
        assert!(text("analysis/figures/002-pay.svg").contains("Exploratory: the frozen plan"));

        let bytes = fetched("study.zip", &of_study).await;
        let rows = cells(&mut open(&bytes), "analysis/tables/comparison.csv", &["question", "analysis"]);
        let marks: BTreeSet<&str> = rows.iter().map(String::as_str).collect();
        // The last row is the rule's.
        assert_eq!(marks, BTreeSet::from([" ", "fair preregistered", "pay exploratory"]));
        let rows = cells(&mut open(&bytes), "analysis/tables/comparison.csv", &["metric", "value", "note"]);
        let last = rows.last().expect("a row");
        assert!(last.starts_with("alpha 0.01 Tests by the frozen plan: p by Bonferroni, alpha .01."), "{last}");
        assert!(last.ends_with("because they are free words: family (the one item); weights (raked by age)."), "{last}");
        let comparison = format!("/api/studies/{}/comparison", study["studyId"].as_str().expect("an id"));
        let compared = fixture.author.get(&comparison).await.ok();
        let stated = [&compared["rule"]["adjustment"], &compared["rule"]["alpha"], &compared["rule"]["byPlan"]];
        assert_eq!(stated, [&json!("bonferroni"), &json!(0.01), &json!(true)]);
        assert_eq!(compared["rule"]["words"].as_str().map(|words| last.ends_with(words)), Some(true));
        let item = &compared["runs"][0]["questions"][0];
        assert_eq!((&item["adjustment"], &item["analysis"]), (&json!("bonferroni"), &json!("preregistered")));
    })
    .await;
}

#[actix_web::test]
async fn a_comparison_with_people_is_adjusted_by_the_plan_and_exploratory() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let survey = import(&fixture).await;
        let mut planned = plan(false);
        planned["choices"] = json!({ "multiplicity": "none", "alpha": 0.2, "metric": "medians" });
        let path = drafted(&fixture, survey, planned).await;
        let study = run_by(&fixture, survey, &path, json!({"run": {"personaCount": 6}})).await;
        let run = study["runs"][0]["simulationId"].as_str().expect("an id");
        let [of_run, of_study] = [
            format!("/api/surveys/{survey}/simulation/{run}/people"),
            format!("/api/studies/{}/people", study["studyId"].as_str().expect("an id")),
        ];
        let compared = async |path: &str| {
            let file = Part::text("fair,pay\nFair,10\nUnfair,90\nFair,20\nNeither,25\n").file_name("people.csv");
            let request = fixture.author.request(reqwest::Method::POST, path);
            answer(request.multipart(Form::new().part("file", file))).await.ok()
        };
        let usual = compared(&of_run).await;
        assert_eq!(usual["rule"]["byPlan"], false);
        for item in usual["questions"].as_array().expect("questions") {
            assert_eq!((&item["adjustedP"], &item["analysis"]), (&item["q"], &Value::Null), "{item}");
        }
        fixture.author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        let by_run = compared(&of_run).await;
        let by_study = compared(&of_study).await["comparison"].take();
        for found in [by_run, by_study] {
            let words = found["rule"]["words"].as_str().expect("words");
            assert!(
                words.contains("p not corrected, alpha .2.") && words.contains("no comparison with people"),
                "{words}"
            );
            assert!(
                words.ends_with("Not applied by the program, because they are free words: metric (medians)."),
                "{words}"
            );
            let tested = found["questions"].as_array().expect("questions").iter().filter(|item| !item["p"].is_null());
            let tested: Vec<&Value> = tested.collect();
            assert!(!tested.is_empty(), "{found}");
            for item in tested {
                assert_eq!((&item["adjustedP"], &item["analysis"]), (&item["p"], &json!("exploratory")), "{item}");
                let differs = item["p"].as_f64().expect("a number") < 0.2;
                assert_eq!(item["verdict"] == "differs", differs, "{item}");
            }
        }
    })
    .await;
}
