//! Designs of surveys: stored, checked, and preserved by files and copies.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use reqwest::Method;
use serde_json::{Value, json};
use survey::document::Document;
use survey::item::Item;
use twinlab::models::questions::of_survey;
use twinlab::models::survey_file::ValidSurvey;
use twinlab::models::survey_imports;
use twinlab::models::surveys::{NewSurvey, design};

use crate::support::{GroupFixture, answer, with_app};
use crate::survey_files::qsf;

/// A 2-arm vignette with screening, piping, display logic and an attention check.
fn fees() -> Value {
    json!({ "title": "Fees", "questions": [
        { "name": "ok", "type": "BOOLEAN", "text": "Do you ever book hotels?" },
        { "name": "fair", "type": "RANGE", "text": "How fair is {{field:fee}}?", "min_value": 1, "max_value": 7,
          "min_description": "Not at all", "max_description": "Very", "scale": "ordinal" },
        { "name": "why", "type": "OPENENDED", "text": "You chose {{answer:fair}}. Why?",
          "show_if": { "answer": "fair", "le": 3 } },
        { "name": "att", "type": "SINGLE_CHOICE", "text": "Choose Blue.", "options": ["Red", "Blue", "Other"],
          "check": { "expect": ["Blue"] }, "shuffle": "all", "pin": ["Other"], "codes": [3, 2, 9] }
      ], "flow": [
        { "block": "screen", "questions": ["ok"] },
        { "if": { "answer": "ok", "is": false }, "then": [{ "end": "screened_out" }] },
        { "random": "fee_arm", "take": 1, "of": [
            { "arm": "resort", "flow": [{ "set": { "fee": "a resort fee" } }] },
            { "arm": "service", "weight": 2, "flow": [{ "set": { "fee": "a service fee" } }] }] },
        { "block": "dv", "questions": ["fair", "why", "att"], "order": "random", "pin": ["att"] }],
      "tables": { "ideas": { "columns": ["id"], "rows": [["1"], ["2"]] } } })
}

#[tokio::test]
async fn a_design_is_replaced_as_a_whole_and_only_by_who_has_read_it() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let id = fixture.survey(2).await;
        let path = format!("/api/surveys/{id}/design");
        let plain = fixture.author.get(&path).await.ok();
        assert_eq!((&plain["flow"], &plain["tables"]), (&json!([]), &json!({})));
        assert_eq!(plain["hash"].as_str().expect("a hash").len(), 64);

        let flow = json!([{ "block": "main", "questions": ["Question_2", "Question_1"] }]);
        let new = json!({ "flow": flow, "tables": {}, "expectedHash": plain["hash"] });
        let stored = fixture.author.put(&path, new.clone()).await.ok();
        assert_eq!(stored["flow"], flow);
        assert_ne!(stored["hash"], plain["hash"]);
        assert_eq!(fixture.author.get(&path).await.ok(), stored);
        assert_eq!(fixture.author.put(&path, new).await.refused(409), "The design was changed meanwhile");

        // A design that cannot be run is stored, one that is no flow is not.
        let draft = json!({ "flow": [{ "block": "main", "questions": ["gone"] }] });
        fixture.author.put(&path, draft.clone()).await.ok();
        let refused = fixture.author.put(&path, json!({ "flow": [{ "block": "main" }] })).await;
        assert_eq!(refused.status, 400);
        let refused: Value = serde_json::from_slice(&refused.bytes).expect("an error");
        assert_eq!(
            (&refused["code"], &refused["findings"][0]["pointer"]),
            (&json!("invalid_design"), &json!("/flow/0"))
        );
        assert_eq!(fixture.author.get(&path).await.ok()["flow"], draft["flow"]);

        // The database cannot hold it.
        let nul = json!({ "flow": [{ "set": { "fee": "a\u{0}b" } }], "tables": {} });
        let refused = fixture.author.put(&path, nul).await.refused(400);
        assert_eq!(refused, "/flow/0/set/fee: This text contains a NUL character.");

        let checked = fixture.author.post(&format!("{path}/check"), json!({})).await.ok();
        assert_eq!(checked["findings"][0]["pointer"], "/flow/0/questions/0");
        assert_eq!(checked["requestsPerTwin"], 0);
        let checked = fixture.author.post(&format!("{path}/check"), json!({ "flow": flow })).await.ok();
        assert_eq!((&checked["findings"], &checked["requestsPerTwin"]), (&json!([]), &json!(2)));
    })
    .await;
}

#[tokio::test]
async fn the_logic_of_a_question_is_amended_field_by_field_and_refused_at_its_place() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let id = fixture.survey(1).await;
        let of_survey = format!("/api/surveys/{id}/questions");
        let asked = json!({ "text": "Which?", "type": "SINGLE_CHOICE", "options": ["a", "b"], "shuffle": { "subset": 1 },
            "showIf": { "answer": "Question_1", "is": "Yes" }, "codes": [5, 7] });
        let question = fixture.author.post(&of_survey, asked.clone()).await.ok();
        for field in ["shuffle", "showIf", "codes"] {
            assert_eq!(question[field], asked[field], "{field}");
        }
        assert!(question.get("rowShuffle").is_none());
        let path = format!("/api/surveys/questions/{}", question["id"]);
        let changed = fixture.author.patch(&path, json!({ "codes": null, "reverse": true })).await.ok();
        assert_eq!((&changed["shuffle"], &changed["reverse"]), (&asked["shuffle"], &json!(true)));
        assert!(changed.get("codes").is_none());
        let refused = fixture.author.patch(&path, json!({ "showIf": { "answer": "q", "near": 1 } })).await.refused(400);
        assert!(refused.starts_with("showIf.near: unknown field `near`"), "{refused}");
        let refused = fixture.author.patch(&path, json!({ "codes": [1, "x"] })).await.refused(400);
        assert!(refused.starts_with("codes[1]: "), "{refused}");
        let nul = json!({ "optionIf": { "a": { "answer": "q", "is": "\u{0}" } } });
        assert_eq!(fixture.author.patch(&path, nul).await.refused(400), "optionIf: contains a NUL character");
    })
    .await;
}

#[tokio::test]
async fn files_and_copies_keep_the_design() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let survey =
            fixture.author.post(&format!("/api/surveys/import?groupId={}", fixture.group_id), fees()).await.ok();
        let export = |id: &Value| format!("/api/surveys/{id}/export");
        let file = fixture.author.get(&export(&survey["id"])).await.ok();
        assert_eq!((&file["flow"], &file["tables"]), (&fees()["flow"], &fees()["tables"]));
        assert_eq!(file["questions"][3]["pin"], json!(["Other"]));
        let path = format!("/api/surveys/{}/duplicate", survey["id"]);
        let copy = fixture.author.post(&path, json!({ "title": "Fees" })).await.ok();
        assert_eq!(fixture.author.get(&export(&copy["duplicatedSurvey"]["id"])).await.ok(), file);
    })
    .await;
}

/// Checks the report at the survey, its copy, its file and the survey made of that file; other surveys have none.
async fn the_report_stays(fixture: &GroupFixture<'_>, id: i64, report: &Value) {
    let of =
        async |id: i64| fixture.author.get(&format!("/api/surveys/{id}/import-report")).await.ok()["import"].clone();
    let stored = of(id).await;
    assert_eq!((&stored["source"], &stored["report"]), (&json!("qualtrics"), report));
    let copied = fixture.author.post(&format!("/api/surveys/{id}/duplicate"), json!({ "title": "Copy" })).await.ok();
    assert_eq!(of(copied["duplicatedSurvey"]["id"].as_i64().expect("an id")).await, stored);
    let file = fixture.author.get(&format!("/api/surveys/{id}/export")).await.ok();
    assert_eq!(&file["import_report"], report);
    let path = format!("/api/surveys/import?groupId={}", fixture.group_id);
    let again = fixture.author.post(&path, file.clone()).await.ok()["id"].as_i64().expect("an id");
    assert_eq!(of(again).await["report"], stored["report"]);
    assert_eq!(fixture.author.get(&format!("/api/surveys/{again}/export")).await.ok(), file);
    let mut other = file;
    other["import_report"]["lost"] = json!([{ "code": "moon", "severity": "note", "was": "", "now": "" }]);
    let refused = fixture.author.post(&path, other).await.refused(400);
    assert!(refused.starts_with("import_report: lost[0].code: unknown variant `moon`"), "{refused}");
    let plain =
        fixture.author.post("/api/surveys", json!({ "title": "Plain", "groupId": fixture.group_id })).await.ok();
    assert_eq!(of(plain["id"].as_i64().expect("an id")).await, Value::Null);
}

#[tokio::test]
async fn a_file_of_qualtrics_becomes_a_survey_whose_runs_say_what_each_twin_was_dealt() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let send = async |query: &str, file: String| {
            let path = format!("/api/surveys/import/qsf?groupId={}{query}", fixture.group_id);
            let head = "Content-Disposition: form-data; name=\"file\"; filename=\"fees.qsf\"";
            let body = format!("--x\r\n{head}\r\n\r\n{file}\r\n--x--\r\n");
            let request = fixture.author.request(Method::POST, &path);
            answer(request.header("content-type", "multipart/form-data; boundary=x").body(body)).await
        };
        assert!(send("", "{}".into()).await.refused(400).starts_with("file: is no .qsf file"));
        let checked = send("&check=true", qsf().to_string()).await.ok();
        assert_eq!((&checked["survey"], &checked["title"]), (&Value::Null, &json!("Fees")));
        assert_eq!(checked["report"]["kept"]["asked"], 2);
        let created = send("", qsf().to_string()).await;
        assert_eq!(created.status, 201);
        let id = created.ok()["survey"]["id"].as_i64().expect("an id");
        the_report_stays(&fixture, id, &checked["report"]).await;
        fixture.start(id, 8).await;
        let run = fixture.author.get(&format!("/api/surveys/{id}")).await.ok();
        let path = format!("/api/simulations/{}/assignments?limit=5", run["simulationId"].as_str().expect("a run"));
        let dealt = fixture.author.get(&path).await.ok();
        assert_eq!((&dealt["nodes"], &dealt["total"]), (&json!(["FL_3", "FL_4"]), &json!(8)));
        assert_eq!(dealt["personas"].as_array().expect("twins").len(), 5);
        assert!(dealt["personas"][0]["fields"]["fee"].is_string(), "{dealt}");

        let preview = fixture.author.get(&format!("/api/surveys/{id}/preview?personaId=5&seed=2")).await.ok();
        assert_eq!((&preview["personaId"], &preview["asked"][0]["name"]), (&json!(5), &json!("q1")));
        let system = preview["prompts"][0]["system"].as_str().expect("a prompt");
        assert!(system.starts_with("I am twin number 5."), "{system}");
        let shown =
            preview["asked"].as_array().expect("questions").len() + preview["skipped"].as_array().expect("names").len();
        assert_eq!(shown, 2, "{preview}");
        assert!(fixture.member.get(&format!("/api/surveys/{id}/preview")).await.status >= 403);

        // Every arm has a twin that can be previewed.
        let arms: Vec<&str> = (dealt["personas"].as_array().expect("twins").iter())
            .filter_map(|twin| twin["arms"]["FL_3"].as_str())
            .collect();
        assert!(!arms.is_empty(), "{dealt}");
        for arm in arms {
            let arms = json!({ "FL_3": arm }).to_string().replace('"', "%22").replace(' ', "%20");
            let preview = fixture.author.get(&format!("/api/surveys/{id}/preview?arms={arms}")).await.ok();
            assert_eq!(preview["arms"]["FL_3"], arm);
        }
        for (arms, message) in [
            ("%7B%22no%22:%22a%22%7D", "arms: there is no node \"no\" that deals one arm"),
            ("%7B%22FL_3%22:%22no%22%7D", "arms: the node \"FL_3\" has no arm \"no\""),
        ] {
            let refused = fixture.author.get(&format!("/api/surveys/{id}/preview?arms={arms}")).await.refused(400);
            assert_eq!(refused, message);
        }
        let refused = fixture.author.get(&format!("/api/surveys/{id}/preview?arms=x")).await.refused(400);
        assert!(refused.starts_with("arms: is no object of texts"), "{refused}");

        // A survey that cannot be run is stored only as a draft, and cannot be started.
        let mut early = qsf();
        early["SurveyElements"][2]["Payload"]["QuestionText"] = json!("${q://Q2/ChoiceGroup/SelectedChoices}");
        assert_eq!(send("", early.to_string()).await.ok()["survey"], Value::Null);
        let draft = send("&draft=true", early.to_string()).await;
        assert_eq!(draft.status, 201);
        let id = draft.ok()["survey"]["id"].as_i64().expect("an id");
        let path = format!("/api/simulations/survey/{id}/start");
        let refused = fixture.author.post(&path, json!({ "personaCount": 2 })).await.refused(400);
        assert!(refused.contains("/questions/0"), "{refused}");
    })
    .await;
}

fn any_text() -> impl Strategy<Value = String> {
    "[ -~äß漢😀\\n\"\\\\]{1,12}"
}

fn any_operand() -> impl Strategy<Value = Value> {
    prop_oneof![
        any_text().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        prop::num::f64::NORMAL.prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
    ]
}

fn any_condition() -> impl Strategy<Value = Value> {
    let left = prop::sample::select(vec!["answer", "field", "twin"]);
    let operator = prop::sample::select(vec!["is", "is_not", "has", "le", "gt"]);
    let leaf = (left, any_text(), operator, any_operand());
    let leaf = leaf.prop_map(|(left, name, operator, operand)| json!({ left: name, operator: operand }));
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|all| json!({ "all": all })),
            inner.prop_map(|condition| json!({ "not": condition })),
        ]
    })
}

fn any_flow() -> impl Strategy<Value = Vec<Value>> {
    let block = (any_text(), any::<bool>()).prop_map(|(name, random)| {
        json!({ "block": name, "questions": ["a", "b"], "order": if random { "random" } else { "latin" } })
    });
    let set = (any_text(), any_text()).prop_map(|(name, value)| json!({ "set": { name: value } }));
    let node = prop_oneof![block, set].prop_recursive(4, 24, 4, |inner| {
        let list = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (any_condition(), list(), list()).prop_map(|(condition, then, or)| json!({ "if": condition, "then": then, "else": or })),
            (any_text(), 1_u32..9, list()).prop_map(|(arm, weight, flow)| {
                json!({ "random": "r", "take": 1, "strata": ["Age"], "of": [{ "arm": arm, "weight": weight, "flow": flow }] })
            }),
            (any_text(), list()).prop_map(|(table, flow)| json!({ "loop": table, "take": 2, "flow": flow })),
            list().prop_map(Value::from),
        ]
    });
    prop::collection::vec(node, 0..5)
}

fn any_survey() -> impl Strategy<Value = Value> {
    let table = prop::collection::vec(prop::collection::vec(any_text(), 2), 0..3);
    let question = (any_condition(), any_text(), prop::num::f64::NORMAL, prop::collection::vec(any::<i64>(), 2));
    let report = prop::option::of((any_text(), any_text(), prop::option::of(any_text())));
    let parts = (any_flow(), any_text(), table, question, report);
    parts.prop_map(|(flow, name, rows, (condition, option, total, codes), report)| {
        let entry = |(was, now, name): (String, String, Option<String>)| {
            let mut entry = json!({ "code": "image", "severity": "warning", "was": was, "now": now });
            if let Some(name) = name {
                entry["name"] = json!(name);
            }
            json!({ "source": "surveyjs", "kept": { "questions": 2, "live": 2, "asked": 2 }, "changed": [], "lost": [entry], "dropped": [] })
        };
        let mut survey = json!({ "title": "T", "questions": [
            { "name": "a", "type": "SINGLE_CHOICE", "text": "?", "options": ["x", "y"], "codes": codes, "shuffle": { "subset": 1 },
              "option_if": { option: condition }, "reverse": total > 0.0 },
            { "name": "b", "type": "BOOLEAN", "text": "{{answer:a}}?", "show_if": condition },
          ], "flow": flow, "tables": { name: { "columns": ["c", "d"], "rows": rows } } });
        if let Some(report) = report {
            survey["import_report"] = entry(report);
        }
        survey
    })
}

#[tokio::test]
async fn own_json_comes_out_of_the_database_byte_for_byte() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let mut conn = app.connection().await;
        let mut runner = TestRunner::deterministic();
        for _ in 0..64 {
            let survey = any_survey().new_tree(&mut runner).expect("a survey").current();
            let document = Document::read(survey.clone()).unwrap_or_else(|findings| panic!("{findings:?}: {survey}"));
            let bytes = serde_json::to_string(&document).expect("JSON");
            let content = ValidSurvey::from(document);
            let new = NewSurvey { user_id: fixture.author_id, group_id: fixture.group_id, content: &content };
            let (stored, _) = new.create(&mut conn).await.expect("a survey");
            let items = of_survey(&mut conn, stored.id).await.expect("questions").into_iter().map(Item::from).collect();
            let design = design::of_survey(&mut conn, stored.id).await.expect("a design");
            let import = survey_imports::of_survey(&mut conn, stored.id).await.expect("a report");
            let import_report = import.map(|import| import.report);
            let again = Document { title: stored.title, description: stored.description, items, design, import_report };
            assert_eq!(serde_json::to_string(&again).expect("JSON"), bytes);
        }
    })
    .await;
}
