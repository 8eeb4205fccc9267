//! Lists and files of a run of a survey with a design.

use std::collections::BTreeMap;

use bundle::tables::wide::Encoder;
use diesel_async::AsyncPgConnection;
use export::table::{CSV, Form};
use model_server::{Fault, Faults, ModelServer};
use serde_json::{Value, json};
use simulation::columns::Columns;
use simulation::encode::Encode;
use simulation::run::Run;
use simulation::status::Status;
use simulation::summaries::variables::{TwinFilter, Variable};
use twinlab::models::simulations::progress::{self, Progress};
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::models::summaries::{self, SummaryRequest, Twins};
use twinlab::models::{assignments, ledger_check};
use twinlab::results::files::{self, Format};
use twinlab::results::list::{ElementKind, ListPart, Window};
use twinlab::results::pages::Pages;
use twinlab::results::runs;

use crate::support::engine_fixture::EngineFixture;
use crate::support::sample;

const TWINS: i32 = 24;
const QUESTIONS: usize = 7;

/// A survey with screening, an arm with a piped field and a question of its own, a hidden question, a shuffled block,
/// an attention check, a piped option with codes, and a loop.
fn survey() -> Value {
    json!({ "title": "Fees", "questions": [
        { "name": "ok", "type": "SINGLE_CHOICE", "text": "Do you book hotels?", "options": ["Often", "Seldom", "Never"] },
        { "name": "fair", "type": "SINGLE_CHOICE", "text": "How fair is {{field:fee}}?",
          "options": ["Fair", "Unfair, {{field:fee}}"], "shuffle": "all", "codes": [7, 9] },
        { "name": "why", "type": "OPENENDED", "text": "You said {{answer:fair}}. Why?",
          "show_if": { "answer": "fair", "is": "Fair" } },
        { "name": "att", "type": "SINGLE_CHOICE", "text": "Choose blue.", "options": ["Red", "Blue"],
          "check": { "expect": ["Blue"] } },
        { "name": "only", "type": "BOOLEAN", "text": "Is it low?" },
        { "name": "buy", "type": "BOOLEAN", "text": "Would you buy {{loop:thing}}?" }
      ], "flow": [
        { "block": "screen", "questions": ["ok"] },
        { "if": { "answer": "ok", "is": "Never" }, "then": [{ "end": "screened_out" }] },
        { "random": "fee_arm", "take": 1, "of": [
            { "arm": "one", "flow": [{ "set": { "fee": "a RESORT fee" } }, { "block": "extra", "questions": ["only"] }] },
            { "arm": "two", "flow": [{ "set": { "fee": "a SERVICE fee" } }] }] },
        { "block": "dv", "questions": ["fair", "why"] },
        { "loop": "things", "take": 2, "order": "random", "flow": [{ "block": "things", "questions": ["buy"] }] },
        { "block": "end", "questions": ["att"], "order": "random" }],
      "tables": { "things": { "columns": ["thing"], "rows": [["a tent"], ["a boat"], ["a bed"]] } } })
}

async fn listed(fixture: &EngineFixture, run: &Run, list: ElementKind, window: Window) -> Vec<Value> {
    let mut conn = fixture.pool.get().await.expect("a connection");
    let part = ListPart::read(&mut conn, run, list, window, None).await.expect("the list");
    assert_eq!(part.total, i64::from(list.total(run)));
    serde_json::from_slice(&part.elements).expect("it is JSON")
}

/// The list in pages of seven.
async fn in_pages(fixture: &EngineFixture, run: &Run, list: ElementKind) -> Vec<Value> {
    let mut all = Vec::new();
    loop {
        let page = listed(fixture, run, list, Window { offset: all.len() as u64, limit: Some(7) }).await;
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}

fn records(csv: &[u8]) -> Vec<BTreeMap<String, String>> {
    let text = String::from_utf8_lossy(csv).trim_start_matches('\u{feff}').to_owned();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|record| record.expect("as long as the header")).collect()
}

/// The rows that a wide file has for the run.
async fn wide(fixture: &EngineFixture, run: &Run, form: Form) -> Vec<BTreeMap<String, String>> {
    let mut encoder = Encoder::new(run, Columns::of(run), CSV, form, true, "test").expect("an encoder");
    let mut bytes = encoder.head();
    let mut pages = Pages::new(run);
    while let Some(page) = pages.next_from(&fixture.pool).await.expect("a page") {
        encoder.page(run, &page, &mut bytes).expect("it is written");
    }
    records(&bytes)
}

#[actix_web::test]
async fn lists_and_files_tell_what_each_twin_was_dealt_shown_and_not_asked() {
    let stub = ModelServer::start(Faults { attempts_struck: 1, ..Faults::default() }.with(Fault::Refusal, 0.1));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(&survey(), PersonaChoice::Random(TWINS), |_| ()).await;
    let ended = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!(ended.status, Status::Failed, "some requests were refused");
    let conn = fixture.pool.get().await.expect("a connection");
    let run = runs::load(&conn, id).await.expect("the run");
    let reach = assignments::reach(&conn, id, run.plan.as_ref().expect("a design")).await.expect("counts");
    drop(conn);

    // A line for each persona and question, for any size of pages.
    let rows = in_pages(&fixture, &run, ElementKind::Requests).await;
    assert_eq!(rows.len(), TWINS as usize * QUESTIONS);
    assert_eq!(rows, listed(&fixture, &run, ElementKind::Requests, Window { offset: 0, limit: Some(10_000) }).await);
    let with_status = |status: &str| rows.iter().filter(|row| row["status"] == status).count() as i64;
    assert_eq!(with_status("answered"), i64::from(ended.successful_requests));
    assert_eq!(with_status("failed"), i64::from(ended.failed_requests));
    assert_eq!(with_status("skipped"), fixture.number("SELECT count(*) AS number FROM not_shown").await);
    assert_eq!(with_status("not_assigned"), i64::from(TWINS / 2), "the question of the other arm");
    assert_eq!(with_status("open"), 0);
    let answers = in_pages(&fixture, &run, ElementKind::Answers).await;
    assert_eq!(answers.len() as i64, with_status("answered"));
    for question in &run.questions {
        let of_question = |status: &str| {
            rows.iter().filter(|row| row["questionId"] == question.id && row["status"] == status).count() as i64
        };
        let reach = reach[&question.id];
        assert_eq!(reach.twins, i64::from(TWINS) - of_question("not_assigned"), "{}", question.name);
        assert_eq!(reach.skipped, of_question("skipped"), "{}", question.name);
    }
    let at = |name: &str| run.questions.iter().position(|question| question.name == name).expect("a question");
    for row in &rows {
        let arm = row["arm"]["fee_arm"].as_str().expect("an arm");
        let is_asked = row["status"] == "answered" || row["status"] == "failed" && row["errorCode"] != "upstream";
        assert_eq!((row["block"].is_string(), row["position"].is_u64()), (is_asked, is_asked), "{row}");
        if row["status"] == "skipped" {
            assert!(["logic", "screened_out"].contains(&row["errorCode"].as_str().expect("a reason")), "{row}");
        }
        if is_asked && row["questionId"] == run.questions[at("fair")].id {
            let fee = if arm == "one" { "How fair is a RESORT fee?" } else { "How fair is a SERVICE fee?" };
            assert_eq!(row["questionText"], fee, "the text is the one that the twin saw");
            let unfair = if arm == "one" { "Unfair, a RESORT fee" } else { "Unfair, a SERVICE fee" };
            let options = row["availableOptions"].to_string();
            assert!(options.contains(unfair) && !options.contains("{{"), "{options}");
        }
    }

    // The file has the same lines and columns.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("answers.csv");
    let summary = files::write(&fixture.pool, id, &path, Format::Csv).await.expect("it is written");
    assert_eq!((summary.skipped as i64, summary.not_assigned), (with_status("skipped"), (TWINS / 2) as u64));
    let lines = records(&std::fs::read(&path).expect("the file"));
    assert_eq!(lines.len(), rows.len());
    for (line, row) in lines.iter().zip(&rows) {
        assert_eq!(line["arm"], format!("fee_arm: {}", row["arm"]["fee_arm"].as_str().unwrap()));
        assert_eq!(line["status"], row["status"].as_str().unwrap());
        assert_eq!(line["position"], row["position"].as_u64().map(|place| place.to_string()).unwrap_or_default());
        assert_eq!(line["block"], row["block"].as_str().unwrap_or_default());
    }

    // A row for each persona.
    let (labels, codes) = (wide(&fixture, &run, Form::Labels).await, wide(&fixture, &run, Form::Codes).await);
    assert_eq!(codes.len(), TWINS as usize);
    for (place, (twin, labelled)) in codes.iter().zip(&labels).enumerate() {
        let rows = &rows[place * QUESTIONS..][..QUESTIONS];
        let is_out = rows.iter().any(|row| row["errorCode"] == "screened_out");
        assert_eq!(twin["screened_out"], if is_out { "1" } else { "0" });
        assert_eq!(twin["fee_arm"], rows[0]["arm"]["fee_arm"].as_str().unwrap());
        let mut things: Vec<&str> = twin["things_rows"].split('>').collect();
        things.dedup();
        assert_eq!(things.len(), 2, "two rows of the table: {things:?}");
        assert_eq!(twin["end_order"], "att");
        let answered = |name: &str| rows[at(name)]["answer"].as_str();
        match answered("fair") {
            // An option has its code for any inserted text.
            Some("Fair") => assert_eq!((&*twin["fair"], &*labelled["fair"]), ("7", "Fair")),
            Some(unfair) => {
                let words = if twin["fee_arm"] == "one" { "Unfair, a RESORT fee" } else { "Unfair, a SERVICE fee" };
                assert_eq!(unfair, words);
                assert_eq!((&*twin["fair"], &*labelled["fair"]), ("9", "Unfair, [fee]"));
            }
            None => assert_eq!(twin["fair"], ""),
        }
        if answered("fair").is_some() {
            assert!(["7>9", "9>7"].contains(&&*twin["fair__order"]), "{}", twin["fair__order"]);
        }
        let attention =
            rows.iter().find(|row| row["questionText"] == "Choose blue.").and_then(|row| row["answer"].as_str());
        assert_eq!(twin["attention_passed"], attention.map_or("", |colour| if colour == "Blue" { "1" } else { "0" }));
    }
    // Skipped requests are neither missing nor failed: the run has ended.
    let conn = &mut *fixture.pool.get().await.expect("a connection");
    let counters = progress::counters(conn, id).await.expect("the counters").expect("the run");
    assert!(counters.skipped_requests > 0 && counters.failed_requests > 0, "{counters:?}");
    assert_eq!(counters.asked(), counters.settled());
    assert_eq!(Progress::from_counters(&counters, None).progress_percentage, 100.0, "{counters:?}");
    // The hidden requests must be exactly those that the answers hide.
    let breaches = async |conn: &mut AsyncPgConnection| {
        let findings = ledger_check::run(conn).await.expect("the checks");
        let found = findings.into_iter().find(|finding| finding.check.starts_with("what a twin was not shown"));
        found.expect("the check").breaches
    };
    assert_eq!(breaches(conn).await, 0);
    sample::run(conn, "DELETE FROM not_shown WHERE ctid = (SELECT max(ctid) FROM not_shown)").await;
    assert_eq!(breaches(conn).await, 1);

    let passed: std::collections::BTreeSet<&str> = codes.iter().map(|twin| &*twin["attention_passed"]).collect();
    assert!(passed.contains("0") && passed.contains("1"), "the check tells twins apart: {passed:?}");
}

#[actix_web::test]
async fn figures_are_split_and_filtered_by_arm() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(TWINS).await;
    // An attribute with the name of the random node keeps it.
    sample::run(
        &mut fixture.pool.get().await.expect("a connection"),
        r#"UPDATE personas SET attributes = '{"fee_arm": "left"}' WHERE id = 1"#,
    )
    .await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(&survey(), PersonaChoice::Random(TWINS), |_| ()).await;
    fixture.ended(id).await;
    engine.shut_down().await;
    let conn = &mut *fixture.pool.get().await.expect("a connection");
    let run = runs::load(conn, id).await.expect("the run");
    let by = Variable::parse("fee_arm (arm)", &run.questions).expect("an attribute");
    let twins = Twins::load(conn, id, &run.questions, [&by].into_iter()).await.expect("the twins");
    assert!(twins.arms().iter().eq(["fee_arm (arm)"]), "{:?}", twins.arms());
    let one = TwinFilter::parse(&["fee_arm (arm):one".to_owned()], &run.questions).expect("a condition");
    assert_eq!(twins.passing(&one).len(), TWINS as usize / 2);
    let wanted = SummaryRequest { by: Some(by), ..SummaryRequest::default() };
    let summary = summaries::of_run(conn, id, &run.questions, &twins, &wanted).await.expect("the figures");
    let groups: Vec<(&str, i64)> = summary.groups.iter().map(|group| (&*group.value, group.n)).collect();
    assert_eq!(groups, [("one", i64::from(TWINS / 2)), ("two", i64::from(TWINS / 2))]);
    let only =
        summary.questions.iter().find(|question| question.text == "Is it low?").expect("the question of one arm");
    assert_eq!((only.groups[0].figures.n, only.groups[1].figures.n), (only.figures.n, 0));
    assert!(only.figures.n > 0);
}

/// Tests three questions in an order that is drawn for each persona, after a text without an answer.
#[actix_web::test]
async fn figures_are_split_by_where_questions_were_asked() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let yes_no = |name: &str| json!({ "name": name, "type": "BOOLEAN", "text": format!("Is it {name}?") });
    let survey = json!({ "title": "Orders", "questions": [
        { "name": "read", "type": "INFO", "text": "Read this." }, yes_no("warm"), yes_no("dry"), yes_no("dark"),
        { "name": "why", "type": "OPENENDED", "text": "Why?" }, yes_no("last") ],
        "flow": [{ "block": "first", "questions": ["read", "warm", "dry", "dark", "why"], "order": "random", "pin": ["read"] },
                 { "block": "then", "questions": ["last"] }] });
    let id = fixture.start(&survey, PersonaChoice::Random(TWINS), |_| ()).await;
    fixture.ended(id).await;
    engine.shut_down().await;
    let conn = &mut *fixture.pool.get().await.expect("a connection");
    let run = runs::load(conn, id).await.expect("the run");
    let by = Variable::parse("question:position", &run.questions).expect("a variable");
    let twins = Twins::load(conn, id, &run.questions, [&by].into_iter()).await.expect("the twins");
    let wanted = SummaryRequest { by: Some(by), blocks: run.shuffled_blocks(), ..SummaryRequest::default() };
    let summary = summaries::of_run(conn, id, &run.questions, &twins, &wanted).await.expect("the figures");
    let groups: Vec<&str> = summary.groups.iter().map(|group| &*group.value).collect();
    assert_eq!(groups, ["Early in its block", "In the middle", "Late in its block"]);
    for question in &summary.questions {
        let found: Vec<i64> = question.groups.iter().map(|group| group.figures.n).collect();
        // The text comes first and is early; of the four after it two are in the middle and one is late.
        let name = &run.questions.iter().find(|asked| asked.id == question.question_id).expect("it was asked").name;
        let count = |third: &str| format!("SELECT count(*) AS number FROM assignments WHERE {third}", third = third);
        let written = ["read", "warm", "dry", "dark", "why"].iter().position(|known| known == name);
        let expected = match written {
            None => vec![0, 0, 0],
            Some(written) => {
                let at =
                    |place: usize| count(&format!("(fields #>> '{{orders,first,{place}}}')::int = {}", written + 1));
                let mut thirds = vec![0, 0, 0];
                for (place, third) in [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2)] {
                    thirds[third] += fixture.number(&at(place)).await;
                }
                thirds
            }
        };
        assert_eq!(found, expected, "{name}");
    }
    let of_all: i64 = summary.questions.iter().map(|question| question.figures.n).sum();
    assert_eq!(of_all, i64::from(TWINS) * 5);
}
