//! `twinlab reproduce`: repeats a bundled run.

use std::path::Path;
use std::process::Command;

use model_server::{Fault, Faults, ModelServer};
use serde_json::{Value, json};
use twinlab::models::ledger_check;
use twinlab::results::files::bundle::Replay;
use twinlab::results::files::bundle::reproduce::{BundledRun, check_prompts};

use super::study::bundled_study;
use super::{TWINS, bundled, bundled_as, designed, entries, forged, replayed};

use crate::support::engine_fixture::{EngineFixture, MEMBER, survey};
use crate::support::{Outcome, sample, twinlab};

/// The command on a member's credits.
fn reproduce(fixture: &EngineFixture, stub: &ModelServer, bundle: &Path, words: &[&str]) -> Command {
    let mut command = twinlab();
    command
        .args(["reproduce", bundle.to_str().expect("UTF-8"), "--as", MEMBER])
        .args(words)
        .env("DATABASE_URL", fixture.database.url())
        .env("OPENAI_BASE_URL", stub.base_url())
        .env("LLM_MODEL", "stub")
        .env("LLM_RPM", "1000000")
        .env("LLM_TPM", "1000000000")
        .env("LLM_TIMEOUT_S", "5")
        .env("RUST_LOG", "error");
    command
}

/// The designed survey with a loop, whose turns are no questions of the survey.
pub(super) fn looped() -> Value {
    let mut survey = designed();
    survey["questions"].as_array_mut().expect("questions").push(
        json!({ "name": "idea", "type": "SINGLE_CHOICE", "text": "Is {{loop:text}} good?", "options": ["Yes", "No"] }),
    );
    survey["tables"] = json!({ "ideas": { "columns": ["text"], "rows": [["a bottle"], ["a hat"], ["a boat"]] } });
    survey["flow"].as_array_mut().expect("a flow").push(json!({
        "loop": "ideas", "take": 2, "order": "random", "flow": [{ "block": "idea", "questions": ["idea"] }] }));
    survey
}

async fn is_sound(fixture: &EngineFixture) {
    let mut conn = fixture.pool.get().await.expect("a connection");
    for checked in ledger_check::run(&mut conn).await.expect("the checks run") {
        assert_eq!(checked.breaches, 0, "{checked:?}");
    }
}

#[actix_web::test]
async fn the_same_seed_gives_the_same_prompts_and_the_same_answers() {
    let (fixture, _, folder, path) = bundled(&looped(), Faults::demo()).await;
    let stub = ModelServer::start(Faults::demo());
    let out = folder.path().join("found.json");
    let output = Outcome::of(&mut reproduce(&fixture, &stub, &path, &["--yes", "--out", out.to_str().expect("UTF-8")]));
    assert_eq!(output.code, Some(0), "{output:#?}");
    assert!(output.stdout.contains("identical   100.0 %"), "{}", output.stdout);
    assert!(output.stdout.contains("\nEvery answer is identical.\n"), "{}", output.stdout);
    let found: Value = serde_json::from_slice(&std::fs::read(&out).expect("the file")).expect("JSON");
    assert_eq!((&found["differingPrompts"], &found["identical"]), (&json!(0), &json!(1.0)));
    assert!(found["prompts"].as_i64() >= Some(i64::from(TWINS)), "{found}");
    assert_eq!(found["now"]["servedBy"], found["then"]["servedBy"]);
    let names: Vec<&str> =
        found["items"].as_array().expect("items").iter().filter_map(|item| item["name"].as_str()).collect();
    assert!(names.starts_with(&["ok", "fair"]) && names.contains(&"views_2"), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("idea")), "{names:?}");

    // Some of the twins and another seed: the assignments stay the same.
    let words = ["--yes", "--sample", "5", "--seed", "new", "--model", "other"];
    let output = Outcome::of(&mut reproduce(&fixture, &stub, &path, &words));
    assert_eq!(output.code, Some(0), "{output:#?}");
    assert!(output.stdout.contains(&format!("5 of {TWINS} twins")), "{}", output.stdout);
    assert!(output.stdout.contains("no repeats in the bundle"), "{}", output.stdout);
    let dealt = "SELECT count(*) AS number FROM assignments AS again JOIN assignments AS first USING (persona_id)
                 WHERE first.simulation_id = (SELECT min(id) FROM simulations) AND again.fields = first.fields";
    assert_eq!(fixture.number(dealt).await, i64::from(TWINS + TWINS + 5));
    let asked = "SELECT count(*) AS number FROM simulations WHERE parameters->>'reproduces' =
                 (SELECT simulation_id::text FROM simulations ORDER BY id LIMIT 1)";
    assert_eq!(fixture.number(asked).await, 2);
    is_sound(&fixture).await;
}

#[actix_web::test]
async fn a_run_in_batches_is_asked_by_calls_unless_one_has_a_day() {
    let (fixture, _, _folder, path) = bundled_as(&survey(3), Faults::demo(), true).await;
    // Its answers have no latency.
    assert!(matches!(replayed(&path), Replay::Built { differing, .. } if differing.is_empty()));
    let stub = ModelServer::start(Faults::demo());
    for (words, batches) in [(["--yes"].as_slice(), 0), (["--yes", "--batch"].as_slice(), 1)] {
        let output = Outcome::of(&mut reproduce(&fixture, &stub, &path, words));
        assert_eq!(output.code, Some(0), "{output:#?}");
        assert!(output.stdout.contains("identical   100.0 %"), "{}", output.stdout);
        assert_eq!(stub.batches().len(), batches, "{words:?}");
    }
    is_sound(&fixture).await;
}

#[actix_web::test]
async fn nothing_is_asked_without_a_yes_or_of_other_twins_or_with_other_prompts() {
    let (fixture, _, folder, path) = bundled(&survey(3), Faults::demo()).await;
    let stub = ModelServer::start(Faults::demo());
    let outcome = |path: &Path, words: &[&str]| Outcome::of(&mut reproduce(&fixture, &stub, path, words));
    let output = outcome(&path, &[]);
    assert_eq!(output.code, Some(2), "{output:#?}");
    assert!(output.stdout.contains(&format!("  credits     {}\n", TWINS * 3)), "{}", output.stdout);
    assert_eq!(output.only_line(), "twinlab: there is no terminal to confirm at: --yes asks without confirmation");
    let output = outcome(&path, &["--yes", "--sample", "13"]);
    assert_eq!(output.only_line(), "twinlab: --sample 13: the run has 12 twins");
    let output = outcome(&path, &["--yes", "--run", "2"]);
    assert!(output.only_line().ends_with("it is the bundle of one run"), "{output:#?}");

    // A prompt has another hash, and the manifest agrees with it.
    let mut changed = entries(&path);
    let replies = changed.iter_mut().find(|(name, _)| name == "replies/replies.jsonl").expect("the replies");
    let words = String::from_utf8(replies.1.clone()).expect("UTF-8");
    let at = words.find("\"promptHash\":\"").expect("a hash") + "\"promptHash\":\"".len();
    let hash = &words[at..at + 64];
    replies.1 = words.replace(hash, &"0".repeat(64)).into_bytes();
    let other = folder.path().join("other.zip");
    forged(&other, &mut changed);
    let output = outcome(&other, &["--yes"]);
    assert_eq!(output.code, Some(3), "{output:#?}");
    let expected = "1 differ, first that of twin 1, Question_1 Question_2 Question_3; although this is the version that asked: nothing is asked";
    assert!(output.stdout.contains(expected), "{}", output.stdout);

    sample::run(
        &mut fixture.pool.get().await.expect("a connection"),
        // Otherwise the database refuses it.
        "SET session_replication_role = replica;
         UPDATE personas SET summary = summary || '!' WHERE id = 3;
         SET session_replication_role = DEFAULT",
    )
    .await;
    let output = outcome(&path, &["--yes"]);
    assert_eq!(output.code, Some(2), "{output:#?}");
    let expected = "the current twins are not those of the bundle: the texts of 1 of 12 differ, first that of twin 3";
    assert!(output.only_line().ends_with(expected), "{output:#?}");
    assert_eq!(stub.counters().calls, 0);
    assert_eq!(fixture.number("SELECT count(*) AS number FROM surveys").await, 1);
}

#[actix_web::test]
async fn prompts_of_unusual_calls_are_in_the_bundle_too() {
    let faults = Faults { attempts_struck: 1, ..Faults::demo() }.with(Fault::OutOfRange, 0.5);
    for survey in [survey(3), designed()] {
        let (fixture, _, folder, path) = bundled(&survey, faults.clone()).await;
        assert!(entries(&path).iter().any(|(name, _)| name == "run/calls.jsonl"), "requests were asked again");
        let opened = BundledRun::open(&path, &folder.path().join("opened"), None).expect("a bundle");
        let check = check_prompts(&opened, &fixture.pool).await.expect("the twins are there");
        assert!(check.prompts > TWINS as usize, "{check:?}");
        assert_eq!((check.differing, check.first), (0, None));
    }
}

#[actix_web::test]
async fn a_run_of_a_study_is_compared_with_its_repeats() {
    let (fixture, _, _folder, path) = bundled_study(&survey(4), Faults::default()).await;
    let stub = ModelServer::start(Faults::default());
    let output = Outcome::of(&mut reproduce(&fixture, &stub, &path, &["--yes", "--run", "3"]));
    assert_eq!(output.code, Some(0), "{output:#?}");
    assert!(output.stdout.contains("  repeats     1 in the bundle"), "{}", output.stdout);
    let output = Outcome::of(&mut reproduce(&fixture, &stub, &path, &["--yes", "--run", "5"]));
    assert!(output.only_line().ends_with("it has runs 1 to 4"), "{output:#?}");
    is_sound(&fixture).await;
}
