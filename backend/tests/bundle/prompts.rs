//! Bundles with the exact prompts.

use std::collections::{BTreeSet, HashMap};

use model_server::{Fault, Faults};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use twinlab::error::ErrorKind;
use twinlab::results::files::bundle::{self, BundleParts, BundleRequest, Bundled, Replay};

use super::reproduce::looped;
use super::{bundled, entries, replayed, sha256};
use crate::support::{GroupFixture, sample, with_app};

const DATASET: &str = "UPDATE persona_sets SET source = 'Twin-2K-500 full_persona (twins.csv)'";

#[derive(Deserialize)]
struct Templates {
    interviews: Vec<InterviewTemplate>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InterviewTemplate {
    persona_id: i64,
    calls: Vec<CallTemplate>,
}

#[derive(Deserialize)]
struct CallTemplate {
    body: Box<RawValue>,
}

#[actix_web::test]
async fn the_prompts_are_those_that_were_sent_and_are_built_again() {
    let faults = Faults { attempts_struck: 2, ..Faults::default() }.with(Fault::OutOfRange, 0.2);
    let (fixture, id, folder, plain) = bundled(&looped(), faults).await;
    sample::run(&mut fixture.pool.get().await.expect("a connection"), DATASET).await;
    let path = folder.path().join("prompts.zip");
    let request =
        BundleRequest { of: Bundled::Run(id), parts: BundleParts { with_prompts: true, ..BundleParts::default() } };
    bundle::write_as(&fixture.pool, request, &path).await.expect("a bundle");
    let all = entries(&path);
    let text = |name: &str| {
        let (_, bytes) = all.iter().find(|(found, _)| found == name).unwrap_or_else(|| panic!("{name} is not there"));
        String::from_utf8(bytes.clone()).expect("UTF-8")
    };
    let mut asked = BTreeSet::new();
    for line in text("prompts/texts/0001.jsonl").lines() {
        let prompt: Value = serde_json::from_str(line).expect("JSON");
        let body = prompt["body"].as_str().expect("a body");
        assert_eq!(prompt["promptHash"], sha256(body.as_bytes()));
        asked.insert(sha256(body.as_bytes()));
    }
    let index: BTreeSet<String> =
        text("prompts/index.csv").lines().skip(1).filter_map(|row| Some(row.split(',').next()?.to_owned())).collect();
    assert_eq!(asked, index);
    // The templates have the same bytes, except for the twin's text.
    let texts: HashMap<i64, String> = text("run/texts.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .map(|line: Value| (line["personaId"].as_i64().expect("an id"), line["text"].to_string()))
        .collect();
    let templates: Templates = serde_json::from_str(&text("prompts/templates.json")).expect("JSON");
    let mut sent = 0;
    for InterviewTemplate { persona_id, calls } in &templates.interviews {
        for call in calls {
            let body = call.body.get().replace("[the twin's text]", texts[persona_id].trim_matches('"'));
            assert!(index.contains(&sha256(body.as_bytes())), "{body}");
            sent += 1;
        }
    }
    assert!(sent > 1, "{sent}");
    // The ledger's effects add up to the number of answers.
    let ledger = text("run/ledger.csv");
    let effects = ledger.lines().skip(1).map(|row| row.split(',').nth(3).and_then(|effect| effect.parse::<i64>().ok()));
    let replies = text("replies/replies.jsonl");
    let answered = replies.lines().map(|line| {
        let interview: Value = serde_json::from_str(line).expect("JSON");
        interview["answers"].as_array().map_or(0, Vec::len) as i64
    });
    assert_eq!(effects.map(|effect| effect.expect("a number")).sum::<i64>(), -answered.sum::<i64>(), "{ledger}");
    let (crated, manifest) = (text("ro-crate-metadata.json"), text("manifest.json"));
    for name in ["run/texts.jsonl", "prompts/texts/0001.jsonl"] {
        assert!(crated.contains(name) && manifest.contains(name), "{name}");
    }
    let Replay::Built { files, differing, .. } = replayed(&path) else { panic!("it is whole") };
    assert_eq!((files, differing), (all.len() - 1, vec![]));
    // This bundle was written without them.
    assert!(!entries(&plain).iter().any(|(name, _)| name.contains("texts")));
}

#[actix_web::test]
async fn texts_that_may_be_somebody_elses_are_refused() {
    let (fixture, id, folder, _) = bundled(&looped(), Faults::default()).await;
    let path = folder.path().join("prompts.zip");
    let request =
        BundleRequest { of: Bundled::Run(id), parts: BundleParts { with_prompts: true, ..BundleParts::default() } };
    let mut conn = fixture.pool.get().await.expect("a connection");
    for (source, invented, may) in [
        ("own file panel.csv", false, false),
        ("own file Twin-2K-500.csv", false, false),
        ("own file Added by hand", false, false),
        ("own file panel.csv, edited", false, false),
        ("panel.csv", false, false),
        ("Added by hand", false, true),
        ("Added by hand, edited", false, true),
        ("synthetic, seed 1", true, true),
    ] {
        sample::run(&mut conn, &format!("UPDATE persona_sets SET source = '{source}', synthetic = {invented}")).await;
        let written = bundle::write_as(&fixture.pool, request, &path).await;
        match written {
            Ok(()) => assert!(may, "{source}"),
            Err(refused) => {
                assert!(!may && refused.kind == ErrorKind::BadInput, "{source}: {refused}");
                assert!(
                    refused.to_string().contains(&format!("whether those of {source} may be passed on")),
                    "{refused}"
                );
            }
        }
    }
}

#[actix_web::test]
async fn whoever_may_not_read_a_prompt_gets_no_bundle_with_prompts() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let run = fixture.start(survey, 1).await;
        let run = run["simulationId"].as_str().expect("an id");
        fixture.author.post(&format!("/api/simulations/{run}/stop"), json!({})).await.ok();
        fixture.author.patch(&format!("/api/surveys/{survey}"), json!({"visibility": "PUBLIC"})).await.ok();
        sample::run(&mut *app.connection().await, "UPDATE persona_sets SET source = 'Added by hand'").await;
        let bundle = format!("/api/surveys/{survey}/simulation/{run}/responses/bundle.zip");
        let with_prompts = format!("{bundle}?withPrompts=true");
        let prompt = format!("/api/simulations/{run}/prompt?personaId=1&questionId=1");
        let reason = fixture.member.get(&prompt).await.refused(403);
        assert_eq!(fixture.member.get(&with_prompts).await.refused(403), reason);
        assert_eq!(fixture.member.get(&bundle).await.status, 200, "without prompts it is theirs to read");
        for who in [&fixture.author, &fixture.owner] {
            assert_eq!(who.get(&with_prompts).await.status, 200);
        }
    })
    .await;
}
