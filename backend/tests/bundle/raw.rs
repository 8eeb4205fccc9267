//! Bundles of runs that keep the model's replies, word for word.

use diesel::prelude::*;
use model_server::{Fault, Faults, ModelServer};
use serde_json::{Value, json};
use simulation::parameters::Parameters;
use simulation::row::Simulation;
use simulation::wire::Wire;
use tempfile::TempDir;
use twinlab::models::call_replies::{self, ModelReply, NewCallReply};
use twinlab::models::erasure;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::results::files::bundle::reproduce::{BundledRun, check_prompts};
use twinlab::results::files::bundle::{self, Difference, RawReplies, Replay};
use twinlab::schema::call_replies as table;

use super::reproduce::looped;
use super::{TWINS, entries, forged, replayed};
use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::{DataDir, Outcome};

const RAW: &str = "replies/raw.jsonl";

/// A run that keeps its replies, and whose model sometimes answers wrongly.
async fn kept(survey: &Value, batch: bool, faults: Faults) -> (EngineFixture, Simulation, ModelServer) {
    kept_on((Wire::default(), Wire::default()), survey, batch, faults).await
}

/// A run that is started on one wire and asked on another, as after a change of the settings.
async fn kept_on(
    (started, asked): (Wire, Wire),
    survey: &Value,
    batch: bool,
    faults: Faults,
) -> (EngineFixture, Simulation, ModelServer) {
    let stub = ModelServer::start(faults);
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.wire = asked).await;
    let asked = |parameters: &mut Parameters| {
        (parameters.shuffle_options, parameters.batch, parameters.keep_replies) = (true, batch, true);
        parameters.wire = started;
    };
    let id = fixture.start(survey, PersonaChoice::Random(TWINS), asked).await;
    let ended = fixture.ended(id).await;
    engine.shut_down().await;
    (fixture, ended, stub)
}

async fn bundled(fixture: &EngineFixture, run: &Simulation) -> (TempDir, Vec<(String, Vec<u8>)>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.zip");
    bundle::write(&fixture.pool, run.id, &path).await.expect("a bundle");
    let all = entries(&path);
    (folder, all)
}

fn lines(entries: &[(String, Vec<u8>)]) -> Vec<Value> {
    let (_, raw) = entries.iter().find(|(name, _)| name == RAW).expect("the raw replies");
    let text = std::str::from_utf8(raw).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[actix_web::test]
async fn answers_are_read_again_from_the_replies() {
    let amiss = Faults { attempts_struck: 2, ..Faults::default() }
        .with(Fault::InvalidContent, 0.1)
        .with(Fault::OutOfRange, 0.1)
        .with(Fault::Truncated, 0.1)
        .with(Fault::Refusal, 0.1);
    for (survey, batch) in [(looped(), false), (survey(7), false), (looped(), true)] {
        let (fixture, run, stub) = kept(&survey, batch, amiss.clone()).await;
        let (folder, all) = bundled(&fixture, &run).await;
        let raw = lines(&all);
        // Each call of this run had a reply, and each reply is stored once.
        assert_eq!(raw.len() as i64, run.calls, "{batch}");
        assert!(raw.iter().any(|reply| reply["refusal"].is_string()), "{raw:#?}");
        assert!(raw.iter().any(|reply| reply["finishReason"] == "length"));
        let answers = run.successful_requests as u64;
        let files = all.len() - 1;
        let equal = Replay::Built { files, differing: vec![], other: None, raw: RawReplies { runs: 1, answers } };
        let path = folder.path().join("run.zip");
        assert_eq!(replayed(&path), equal);
        let output = Outcome::of(DataDir::new().twinlab().args(["replay", path.to_str().expect("UTF-8")]));
        assert!(output.stdout.contains(&format!("raw replies: {answers} answers were read again")), "{output:#?}");
        drop(stub);

        // A changed word in a reply, with correct checksums.
        let (_, index) = all.iter().find(|(name, _)| name == "prompts/index.csv").expect("the index");
        let index = std::str::from_utf8(index).expect("UTF-8");
        let answered = raw.iter().position(|reply| {
            let hash = reply["promptHash"].as_str().expect("a hash");
            index.contains(hash) && raw.iter().filter(|other| other["promptHash"] == hash).count() == 1
        });
        let answered = answered.expect("a reply with answers");
        let mut changed = all.clone();
        let text = &mut changed.iter_mut().find(|(name, _)| name == RAW).expect("the raw replies").1;
        let mut kept: Vec<Vec<u8>> = text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let at: usize = kept[..answered].iter().map(Vec::len).sum();
        let mut reply = raw[answered].clone();
        reply["content"] = json!("{}");
        kept[answered] = [serde_json::to_vec(&reply).expect("JSON"), b"\n".to_vec()].concat();
        *text = kept.concat();
        let file = folder.path().join("forged.zip");
        forged(&file, &mut changed);
        let Replay::Built { differing, .. } = replayed(&file) else { panic!("its checksums are right") };
        let differs = Difference { path: RAW.to_owned(), at: Some(at as u64) };
        assert!(differing.contains(&differs), "{differing:?}");
    }
}

#[actix_web::test]
async fn answers_and_prompts_of_every_wire_are_read_and_built_again() {
    let amiss = Faults { attempts_struck: 2, ..Faults::default() }
        .with(Fault::OutOfRange, 0.1)
        .with(Fault::Truncated, 0.1)
        .with(Fault::Refusal, 0.1);
    for (wires, batch) in [
        ((Wire::Anthropic, Wire::Anthropic), false),
        ((Wire::Gemini, Wire::Gemini), true),
        ((Wire::OpenAi, Wire::Anthropic), false),
    ] {
        let (fixture, run, _stub) = kept_on(wires, &looped(), batch, amiss.clone()).await;
        let (folder, all) = bundled(&fixture, &run).await;
        let answers = run.successful_requests as u64;
        let raw = RawReplies { runs: 1, answers };
        let equal = Replay::Built { files: all.len() - 1, differing: vec![], other: None, raw };
        assert_eq!(replayed(&folder.path().join("run.zip")), equal, "{wires:?}");
        let opened = folder.path().join("opened");
        let bundled = BundledRun::open(&folder.path().join("run.zip"), &opened, None).expect("a bundle");
        let check = check_prompts(&bundled, &fixture.pool).await.expect("the twins are there");
        assert!(check.differing == 0 && check.prompts >= TWINS as usize, "{wires:?}: {check:?}");
    }
}

#[actix_web::test]
async fn a_reply_is_stored_once_and_goes_with_what_it_belongs_to() {
    let (fixture, run, _stub) = kept(&survey(2), false, Faults::default()).await;
    let count = || fixture.number("SELECT count(*) AS number FROM call_replies");
    let before = count().await;
    assert_eq!(before, run.calls);
    let reply = ModelReply {
        content: Some("{}".to_owned()),
        refusal: None,
        finish_reason: None,
        model: "stub".to_owned(),
        fingerprint: None,
        latency_ms: None,
        prompt_tokens: 1,
        cached_tokens: 0,
        completion_tokens: 1,
        reasoning_tokens: 0,
        cache_write_tokens: 0,
    };
    let new = NewCallReply::now([7; 32], reply.clone());
    let database_url = fixture.database.url().to_owned();
    let (id, settled) = (run.id, new.clone());
    let stored = tokio::task::spawn_blocking(move || {
        let mut conn = PgConnection::establish(&database_url).expect("a connection");
        for _ in 0..2 {
            call_replies::insert(&mut conn, id, &[(1, &settled)]).expect("it is stored");
        }
        table::table.filter(table::call_id.eq(settled.call_id)).count().get_result::<i64>(&mut conn)
    });
    assert_eq!(stored.await.expect("it ends"), Ok(1));
    assert_eq!(count().await, before + 1);
    let mut conn = fixture.pool.get().await.expect("a connection");
    let mut found = Vec::new();
    // Reading page by page returns each of them once.
    let mut page = call_replies::page(&mut conn, run.id, None, 3).await.expect("a page");
    while let Some(last) = page.last().cloned() {
        found.append(&mut page);
        page = call_replies::page(&mut conn, run.id, Some(&last), 3).await.expect("a page");
    }
    assert_eq!(found.len() as i64, before + 1);
    let own = found.iter().find(|kept| kept.call_id == new.call_id).expect("it is among them");
    assert_eq!(own.reply().expect("it is read"), reply);

    crate::support::sample::run(&mut conn, "UPDATE users SET deleted_at = now()").await;
    erasure::erase_deleted(&mut conn).await.expect("they are erased");
    assert_eq!(count().await, 0);
}

#[actix_web::test]
async fn without_the_choice_nothing_is_kept_and_a_replay_says_so() {
    let (fixture, id, _folder, path) = super::bundled(&survey(2), Faults::default()).await;
    assert_eq!(fixture.number("SELECT count(*) AS number FROM call_replies").await, 0);
    assert!(!fixture.run(id).await.parameters.to_string().contains("keepReplies"));
    let output = Outcome::of(DataDir::new().twinlab().args(["replay", path.to_str().expect("UTF-8"), "--check"]));
    assert!(output.stdout.contains("begins at the checked answers"), "{output:#?}");
}
