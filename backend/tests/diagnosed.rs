//! Diagnostics of a run with a design: texts with holes, scales with reversed items, and repeated words.

use evidence::diagnostics::{Diagnosis, Diagnostic, Finding, Thresholds};
use model_server::{Faults, ModelServer};
use serde_json::{Value, json};
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::results::diagnostics::diagnose;
use twinlab::results::files::bundle::{self, Replay};
use twinlab::results::runs;

use crate::support::engine_fixture::EngineFixture;
use crate::support::sample;

const TWINS: i32 = 40;

/// A survey whose last question pipes an empty reason for some twins.
fn survey() -> Value {
    json!({ "title": "Moods", "questions": [
        { "name": "glad", "type": "BOOLEAN", "text": "Are you glad?", "desirable": true, "published": true },
        { "name": "why", "type": "TEXT_ENTRY", "text": "Why?", "show_if": { "answer": "glad", "is": true } },
        { "name": "more", "type": "OPENENDED", "text": "You said: {{answer:why}}. What more?" },
        { "name": "self", "type": "MATRIX", "text": "I am", "sub_questions": ["calm", "kind", "tense", "rude"],
          "scale_labels": ["no", "rather not", "neither", "rather", "yes"], "reverse_rows": ["tense", "rude"],
          "desirable": true }
      ], "flow": [{ "block": "all", "questions": ["glad", "why", "more", "self"] }] })
}

/// A quarter agrees with everything; all others have clear opinions about themselves, half of them in either direction.
const SELVES: &str = "UPDATE responses SET answer_value = CASE
        WHEN persona_id % 4 = 0 THEN '{\"calm\": \"yes\", \"kind\": \"yes\", \"tense\": \"yes\", \"rude\": \"yes\"}'::jsonb
        WHEN persona_id % 2 = 0 THEN '{\"calm\": \"no\", \"kind\": \"rather not\", \"tense\": \"yes\", \"rude\": \"yes\"}'::jsonb
        ELSE '{\"calm\": \"yes\", \"kind\": \"rather\", \"tense\": \"no\", \"rude\": \"no\"}'::jsonb END
    WHERE answer_value ? 'calm'";
const WORDS: &str =
    "UPDATE responses SET answer_value = to_jsonb('I am glad of this and of that, number ' || persona_id)
    FROM questions WHERE questions.id = question_id AND questions.name = 'more'";

fn findings(diagnoses: &[Diagnosis], of: Diagnostic) -> Vec<Finding> {
    let found = diagnoses.iter().find(|diagnosis| diagnosis.diagnostic == of).expect("each is there");
    found.applicable().unwrap_or_else(|| panic!("{of:?}: {:?}", found.reason)).to_vec()
}

#[actix_web::test]
async fn holes_in_texts_and_answers_to_the_form_are_found_in_the_app_and_in_the_bundle() {
    let stub = ModelServer::start(Faults::demo());
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(&survey(), PersonaChoice::Random(TWINS), |_| ()).await;
    fixture.ended(id).await;
    engine.shut_down().await;
    let conn = &mut *fixture.pool.get().await.expect("a connection");
    sample::run(conn, SELVES).await;
    sample::run(conn, WORDS).await;
    let without_reason = fixture.number("SELECT count(*) AS number FROM not_shown").await;
    assert!((1..i64::from(TWINS)).contains(&without_reason), "{without_reason}");

    let run = runs::load(conn, id).await.expect("the run");
    let found = diagnose(&fixture.pool, &run, &Thresholds::default()).await.expect("diagnoses");
    let holes = findings(&found, Diagnostic::EmptyPipes);
    assert_eq!((holes.len(), holes[0].of.as_str(), holes[0].n, holes[0].warns), (1, "more", 40, true));
    assert!((holes[0].value - without_reason as f64).abs() < f64::EPSILON, "{holes:?}");
    let mixed = findings(&found, Diagnostic::MixedKeys);
    assert_eq!((mixed[0].of.as_str(), mixed[0].value, mixed[0].warns), ("self", 0.25, true), "{mixed:?}");
    assert_eq!(mixed[0].note.as_deref(), Some("25 % took the top answer to all of them"));
    let straight = findings(&found, Diagnostic::StraightLining);
    assert_eq!((straight[0].value, straight[0].warns), (0.25, true), "{straight:?}");
    assert_eq!(findings(&found, Diagnostic::Acquiescence)[0].of, "self");
    // "calm" is chosen by a quarter and a half, "rude" by a quarter and a quarter.
    let desirable = findings(&found, Diagnostic::Desirability);
    let value = |name: &str| desirable.iter().find(|of| of.of == name).unwrap_or_else(|| panic!("{desirable:?}")).value;
    assert_eq!((value("self_1"), value("self_4")), (0.25, 0.0));
    assert_eq!(desirable.len(), 5, "yes and no, and four rows");
    let known = findings(&found, Diagnostic::Contamination);
    assert_eq!((known.len(), known[0].of.as_str(), known[0].warns), (1, "glad", true), "{known:?}");
    let words = findings(&found, Diagnostic::SameWords);
    assert_eq!((words[0].of.as_str(), words[0].warns), ("more", true), "{words:?}");

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.zip");
    bundle::write(&fixture.pool, id, &path).await.expect("a bundle");
    let Replay::Built { differing, .. } = bundle::replay(&path, folder.path()).expect("it is a bundle") else {
        panic!("it is damaged")
    };
    assert_eq!(differing, []);
    let analysis = std::fs::read(folder.path().join("built/analysis/analysis.json")).expect("the analysis");
    let analysis: Value = serde_json::from_slice(&analysis).expect("JSON");
    let listed = analysis["diagnostics"].as_array().expect("diagnostics");
    let of = |name: &str| &listed.iter().find(|of| of["diagnostic"] == name).expect("each is there")["findings"];
    let expected = json!([{ "of": "self", "value": 0.25, "threshold": 0.15, "n": 40, "warns": true }]);
    assert_eq!((listed.len(), of("mixed_keys"), of("spread")), (found.len(), &expected, &Value::Null));
    assert_eq!(of("empty_pipes")[0]["value"].as_f64(), Some(without_reason as f64));
}
