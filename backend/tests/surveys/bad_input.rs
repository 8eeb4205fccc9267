//! Designs that cannot be run or have another effect than intended. The rows of the table are those of the
//! specification, in its order. The command line, the API and the builder report each in the same way; the builder
//! shows the API's finding at its position.

use std::fs;

use serde_json::{Value, json};
use survey::check::check;
use survey::document::Document;
use survey::finding::Severity;

use crate::support::{GroupFixture, Outcome, sample, twinlab, with_app};

/// Expected treatment of a survey.
enum Expected {
    /// The survey cannot be run: the code and the position of the first finding.
    Refused(&'static str, &'static str),
    /// The survey cannot be run with these twins, whose attributes no file knows.
    RefusedForTwins(&'static str, &'static str),
    /// The file does not have the form of a survey: the position, also in the API's spelling.
    NoSurvey(&'static str, &'static str),
    /// The survey can be run.
    Warned(&'static str, &'static str),
}

use Expected::{NoSurvey, Refused, RefusedForTwins, Warned};

struct Row {
    /// Name in the specification.
    named: &'static str,
    survey: Value,
    expected: Expected,
}

fn row(named: &'static str, survey: Value, expected: Expected) -> Row {
    Row { named, survey, expected }
}

/// A survey of yes-no questions with these names, and this flow.
fn survey(names: &[&str], flow: Value) -> Value {
    let question = |name: &&str| json!({ "name": name, "type": "BOOLEAN", "text": format!("{name}?") });
    json!({ "title": "T", "questions": names.iter().map(question).collect::<Vec<_>>(), "flow": flow })
}

fn block(name: &str, questions: &[&str]) -> Value {
    json!({ "block": name, "questions": questions })
}

fn when(condition: Value, then: Value) -> Value {
    json!({ "if": condition, "then": [then] })
}

/// A survey of `a` and a question `b` with these further fields.
fn with_question(more: Value) -> Value {
    let mut survey = survey(&["a", "b"], json!([block("x", &["a", "b"])]));
    survey["questions"][1].as_object_mut().expect("a question").extend(more.as_object().expect("fields").clone());
    survey
}

/// A survey with a block and a random node with these further fields.
fn with_random(more: Value) -> Value {
    let mut random = json!({ "random": "r", "take": 1, "of": [{ "arm": "x" }, { "arm": "y" }] });
    random.as_object_mut().expect("a node").extend(more.as_object().expect("fields").clone());
    survey(&["a"], json!([block("x", &["a"]), random]))
}

fn with_table(rows: Value) -> Value {
    let mut survey = survey(&["a", "b"], json!([block("x", &["a"]), { "loop": "t", "flow": [block("y", &["b"])] }]));
    survey["tables"] = json!({ "t": { "columns": ["c"], "rows": rows } });
    survey
}

/// A survey with a table that no loop uses.
fn beside_table(rows: Value) -> Value {
    let mut survey = survey(&["a"], json!([block("x", &["a"])]));
    survey["tables"] = json!({ "t": { "columns": ["c"], "rows": rows } });
    survey
}

fn named(name: &str) -> Value {
    survey(&["a"], json!([block("x", &["a"]), { "set": { name: "1" } }]))
}

fn names() -> Vec<Row> {
    let is = |question: &str| json!({ "answer": question, "is": true });
    let arms = json!([{ "arm": "x" }, { "arm": "x" }]);
    let twice = json!([block("x", &["a"]), { "random": "r", "of": [{ "arm": "x" }] }, { "random": "r", "of": [{ "arm": "x" }] }]);
    vec![
        row(
            "unknown name",
            survey(&["a"], json!([block("x", &["a", "z"])])),
            Refused("unknown_name", "/flow/0/questions/1"),
        ),
        row(
            "unknown name",
            survey(&["a", "b"], json!([block("x", &["a"]), when(is("z"), block("y", &["b"]))])),
            Refused("unknown_name", "/flow/1/if"),
        ),
        row(
            "unknown name",
            with_question(json!({ "show_if": is("z") })),
            Refused("unknown_name", "/questions/1/show_if"),
        ),
        row(
            "unknown name",
            with_question(json!({ "text": "{{answer:z}}" })),
            Refused("unknown_name", "/questions/1/text"),
        ),
        row(
            "unknown name",
            with_question(json!({ "text": "{{field:z}}" })),
            Refused("unknown_name", "/questions/1/text"),
        ),
        row(
            "unknown name",
            with_question(json!({ "text": "{{loop:z}}" })),
            Refused("unknown_name", "/questions/1/text"),
        ),
        row(
            "unknown name",
            survey(&["a"], json!([block("x", &["a"]), { "loop": "z", "flow": [] }])),
            Refused("unknown_name", "/flow/1/loop"),
        ),
        row(
            "doubled name",
            survey(&["a", "A"], json!([block("x", &["a", "A"])])),
            NoSurvey("/questions/1/name", "question 2: name"),
        ),
        row("doubled name", survey(&["a"], twice), Refused("doubled_name", "/flow/2/random")),
        row("doubled name", with_random(json!({ "of": arms })), Refused("doubled_name", "/flow/1/of/1/arm")),
        row(
            "doubled name",
            survey(&["a", "b"], json!([block("x", &["a"]), block("x", &["b"])])),
            Refused("doubled_name", "/flow/1/block"),
        ),
        row(
            "question in no place",
            survey(&["a", "b"], json!([block("x", &["a"])])),
            Refused("no_place", "/questions/1"),
        ),
        row(
            "question in two places",
            survey(&["a"], json!([block("x", &["a"]), block("y", &["a"])])),
            Refused("two_places", "/flow/1"),
        ),
    ]
}

fn order() -> Vec<Row> {
    let is = |question: &str| json!({ "answer": question, "is": true });
    let later = survey(&["a", "b"], json!([when(is("a"), block("x", &["b"])), block("y", &["a"])]));
    let mut random_block = with_question(json!({ "text": "{{answer:a}}" }));
    random_block["flow"][0]["order"] = json!("random");
    let of = |take: u32| {
        let arms = json!([{ "arm": "x", "flow": [block("x", &["a"])] }, { "arm": "y", "flow": [when(is("a"), block("y", &["b"]))] }]);
        survey(&["a", "b"], json!([{ "random": "r", "take": take, "order": "random", "of": arms }]))
    };
    // Twins for whom `c` does not hold are asked `a` after `b`.
    let some = survey(
        &["c", "a", "b"],
        json!([
            block("x", &["c"]),
            when(is("c"), block("y", &["a"])),
            when(is("a"), block("z", &["b"])),
            when(json!({ "not": is("c") }), block("w", &["a"]))
        ]),
    );
    let mut first = survey(&["a", "b"], json!([block("x", &["a", "b"])]));
    first["questions"][0]["text"] = json!("{{answer:b}}?");
    vec![
        row("condition on a question that comes later", later, Refused("read_later", "/flow/0/if")),
        row("pipe of a question that comes later", first, Refused("read_later", "/questions/0/text")),
        row("a question that comes later in some path", some, Warned("read_maybe_later", "/flow/2/if")),
        row("a question that is in another arm", of(1), Refused("read_other_arm", "/flow/0/of/1/flow/0/if")),
        row(
            "a question that, for random order, may come later",
            of(2),
            Refused("read_maybe_later", "/flow/0/of/1/flow/0/if"),
        ),
        row(
            "a question that, for random order, may come later",
            random_block,
            Refused("read_maybe_later", "/questions/1/text"),
        ),
        row(
            "pipe from a text into a `matches`",
            with_question(json!({ "show_if": { "answer": "a", "matches": "{{answer:a}}" } })),
            Refused("pattern_piped", "/questions/1/show_if"),
        ),
    ]
}

fn numbers() -> Vec<Row> {
    let arms = |count: u32| (0..count).map(|arm| json!({ "arm": arm.to_string() })).collect::<Vec<_>>();
    let weight = |weight: u32| {
        with_random(json!({ "of": [{ "arm": "x", "weight": weight }, { "arm": "y", "weight": weight }] }))
    };
    let nested = (0..12).fold(json!([block("x", &["a"])]), |inside, _| json!([inside]));
    vec![
        row("`take` > children", with_random(json!({ "take": 3 })), Refused("too_many_taken", "/flow/1/take")),
        row("0 children", with_random(json!({ "of": [] })), Refused("no_children", "/flow/1/of")),
        row("weight 0", weight(0), Refused("bad_weight", "/flow/1/of/0/weight")),
        row("weight > 100", weight(101), Refused("bad_weight", "/flow/1/of/0/weight")),
        row(
            "`latin` over more than 10",
            with_random(json!({ "take": 11, "order": "latin", "of": arms(11) })),
            Refused("latin_too_long", "/flow/1/order"),
        ),
        row(
            "strata attribute absent in the set",
            with_random(json!({ "strata": ["Gender", "Shoe"] })),
            RefusedForTwins("unknown_attribute", "/flow/1/strata/1"),
        ),
        row("> 500 unrolled questions", with_table(json!(vec![["x"]; 500])), Refused("too_many_questions", "/flow")),
        row("tree deeper than 12", survey(&["a"], nested), Refused("too_deep", "/flow/0/0/0/0/0/0/0/0/0/0/0/0")),
        row("> 10,000 table rows", beside_table(json!(vec![["x"]; 10_001])), Refused("too_many_rows", "/tables")),
        row(
            "> 64 KB a cell",
            beside_table(json!([["x".repeat(64 * 1024 + 1)]])),
            Refused("cell_too_long", "/tables/t/rows/0/0"),
        ),
    ]
}

fn rest() -> Vec<Row> {
    let of_question = |name: &str| survey(&[name], json!([]));
    let constant = survey(
        &["a", "b"],
        json!([block("x", &["a"]), { "set": { "f": "1" } }, when(json!({ "field": "f", "is": "1" }), block("y", &["b"]))]),
    );
    let behind = survey(
        &["a"],
        json!([block("x", &["a"]), { "end": "complete" }, { "random": "r", "take": 1, "of": [{ "arm": "y" }] }]),
    );
    let check = json!({ "type": "OPENENDED", "check": { "expect": ["Blue"] } });
    let mut all: Vec<Row> = ["twin_id", "arm_order", "b__order", "_x", "9x", "my name", "größe"]
        .into_iter()
        .map(|name| {
            row(
                "reserved names, names beyond the pattern",
                of_question(name),
                NoSurvey("/questions/0/name", "question 1: name"),
            )
        })
        .collect();
    all.extend([
        row("reserved names", named("arm_order"), Refused("bad_name", "/flow/1/set/arm_order")),
        row("reserved names", named("x__order"), Refused("bad_name", "/flow/1/set/x__order")),
        row("reserved names", with_random(json!({ "random": "twin_id" })), Refused("bad_name", "/flow/1/random")),
        row("names beyond the pattern", named("my fee"), Refused("bad_name", "/flow/1/set/my fee")),
        row("an `if` that is constant", constant, Warned("constant_condition", "/flow/2/if")),
        row("an arm that no twin reaches", behind, Warned("arm_not_reached", "/flow/2/of/0")),
        row("attention check on open text", with_question(check), Refused("check_of_text", "/questions/1/check")),
    ]);
    all
}

fn rows() -> Vec<Row> {
    [names(), order(), numbers(), rest()].into_iter().flatten().collect()
}

#[test]
fn the_command_line_tells_each_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("survey.json");
    for Row { named, survey, expected } in rows() {
        fs::write(&path, survey.to_string()).expect("the file");
        let checked = Outcome::of(twinlab().args(["survey", "check"]).arg(&path));
        let (code, line) = match expected {
            Refused(_, place) | NoSurvey(place, _) => (3, format!("ERROR   {place}: ")),
            Warned(_, place) => (0, format!("warning {place}: ")),
            RefusedForTwins(..) => (0, String::new()),
        };
        assert_eq!(checked.code, Some(code), "{named}: {checked:#?}");
        assert!(checked.stdout.starts_with(&line), "{named}: {line} in {checked:#?}");
    }
}

#[tokio::test]
async fn the_api_tells_each_with_its_place_and_starts_none_that_cannot_be_run() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 10_000).await;
        let mut conn = app.connection().await;
        sample::run(&mut conn, r#"UPDATE personas SET attributes = '{"Gender": "Female"}'"#).await;
        let author = &fixture.author;
        let import = format!("/api/surveys/import?groupId={}", fixture.group_id);
        for Row { named, survey, expected } in rows() {
            let imported = author.post(&import, survey).await;
            if let NoSurvey(_, place) = expected {
                let refused = imported.refused(400);
                assert!(refused.starts_with(place), "{named}: {refused}");
                continue;
            }
            let id = imported.ok()["id"].as_i64().expect("an id");
            let report = author.post(&format!("/api/surveys/{id}/design/check"), json!({})).await.ok();
            let (severity, code, place) = match expected {
                Refused(code, place) | RefusedForTwins(code, place) => ("error", code, place),
                Warned(code, place) => ("warning", code, place),
                NoSurvey(..) => continue,
            };
            let first = &report["findings"][0];
            assert_eq!(
                (&first["severity"], &first["code"], &first["pointer"]),
                (&json!(severity), &json!(code), &json!(place)),
                "{named}: {report}"
            );
            let started =
                author.post(&format!("/api/simulations/survey/{id}/start"), json!({ "personaCount": 2 })).await;
            if severity == "error" {
                let refused = started.refused(400);
                assert!(refused.contains(&format!("{place}: ")), "{named}: {refused}");
            } else {
                started.ok();
            }
        }
    })
    .await;
}

/// Tests a fault that no check can find before the twins are chosen: the start names the twin.
#[tokio::test]
async fn options_that_are_equal_once_piped_refuse_the_start_and_name_the_twin() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let mut conn = app.connection().await;
        let gender = r#"jsonb_build_object('Gender', CASE WHEN id = 3 THEN 'Female' ELSE 'Male' END)"#;
        sample::run(&mut conn, &format!("UPDATE personas SET attributes = {gender}")).await;
        let survey = json!({ "title": "T", "questions": [
            { "name": "who", "type": "SINGLE_CHOICE", "text": "Who?", "options": ["{{twin:Gender}}", "Female"] }],
            "flow": [block("x", &["who"])] });
        let import = format!("/api/surveys/import?groupId={}", fixture.group_id);
        let id = fixture.author.post(&import, survey).await.ok()["id"].as_i64().expect("an id");
        let start = format!("/api/simulations/survey/{id}/start");
        let asked = json!({ "selectedPersonaIds": [1, 2, 3, 4] });
        let refused = fixture.author.post(&start, asked).await.refused(400);
        assert!(
            refused.contains("\"who\"") && refused.contains("\"Female\"") && refused.contains("persona 3"),
            "{refused}"
        );
        fixture.author.post(&start, json!({ "selectedPersonaIds": [1, 2, 4] })).await.ok();
    })
    .await;
}

/// Tests that each row has the listed fault and no other.
#[test]
fn each_row_has_one_fault() {
    let attributes = ["Gender".to_owned()].into();
    for Row { named, survey, expected } in rows() {
        let (code, severity) = match expected {
            Refused(code, _) | RefusedForTwins(code, _) => (code, Severity::Error),
            Warned(code, _) => (code, Severity::Warning),
            NoSurvey(..) => {
                assert_eq!(Document::read(survey).expect_err(named).len(), 1, "{named}");
                continue;
            }
        };
        let Document { items, design, .. } = Document::read(survey).expect(named);
        let findings = check(&design, &items, Some(&attributes)).findings;
        let of_kind = |finding: &&survey::finding::Finding| finding.severity == severity;
        let codes: Vec<Value> = findings.iter().filter(of_kind).map(|finding| json!(finding.code)).collect();
        assert!(codes.iter().all(|found| *found == json!(code)), "{named}: {findings:?}");
    }
}

/// Tests quotas, which a survey does not have because twins do not arrive, but the choice of twins has.
#[tokio::test]
async fn quotas_are_filled_by_the_set_or_refused_with_what_is_missing() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let mut conn = app.connection().await;
        let gender = "jsonb_build_object('Gender', CASE WHEN id <= 5 THEN 'Female' ELSE 'Male' END)";
        sample::run(&mut conn, &format!("UPDATE personas SET attributes = {gender}")).await;
        let survey = fixture.survey(1).await;
        let start = format!("/api/simulations/survey/{survey}/start");
        let of = |women: i64, men: i64| json!([{ "Gender": "Female", "n": women }, { "Gender": "Male", "n": men }]);
        for (asked, message) in [
            (json!({ "quotas": of(6, 4) }), "quotas[0]: 6 twins with Gender Female are requested, but the set has 5"),
            (
                json!({ "quotas": [{ "Gender": "Female", "n": 3 }, { "Gender": "Female", "n": 3 }] }),
                "quotas[1]: 3 twins with Gender Female are requested, but the set has 2",
            ),
            (
                json!({ "quotas": [{ "Shoe": "9", "n": 1 }] }),
                "quotas[0]: 1 twins with Shoe 9 are requested, but the set has 0",
            ),
            (json!({ "quotas": of(0, 4) }), "quotas[0].n must be at least 1"),
            (json!({ "quotas": [{ "n": 4 }] }), "quotas[0]: name an attribute of the twins"),
            (json!({ "quotas": [] }), "quotas: there must be 1 to 100 of them"),
            (json!({ "quotas": of(3, 4), "personaCount": 8 }), "quotas: they are of 7 twins, fewer than personaCount"),
            (
                json!({ "quotas": of(3, 4), "selectedPersonaIds": [1] }),
                "quotas: choose the twins by quotas or by selectedPersonaIds, not by both",
            ),
        ] {
            assert_eq!(fixture.author.post(&start, asked).await.refused(400), message);
        }
        let either = json!({ "quotas": [{ "Gender": ["Female", "Male"], "n": 21 }] });
        let refused = fixture.author.post(&start, either).await.refused(400);
        assert_eq!(refused, "quotas[0]: 21 twins with Gender Female or Male are requested, but the set has 20");
        let price = format!("/api/surveys/{survey}/studies?price=true");
        let whole = fixture.author.post(&price, json!({ "run": { "quotas": of(5, 9) } })).await.ok();
        assert_eq!(whole["personas"], 14);
        // Quotas above the count are cut in proportion: 2.5 and 4.5 twins are 3 and 4.
        let cut = json!({ "quotas": of(5, 9), "personaCount": 7, "seed": 5 });
        let run = fixture.author.post(&start, cut).await.ok();
        let path = format!("/api/simulations/{}/personas?limit=20", run["simulationId"].as_str().expect("a run"));
        let twins = fixture.author.get(&path).await.ok();
        let ids: Vec<i64> =
            twins.as_array().expect("twins").iter().map(|twin| twin["personaId"].as_i64().expect("an id")).collect();
        assert_eq!((ids.iter().filter(|id| **id <= 5).count(), ids.len()), (3, 7), "{twins}");
    })
    .await;
}
