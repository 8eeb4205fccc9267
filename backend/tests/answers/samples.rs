//! Stored samples of people's answers to a survey.

use reqwest::Method;
use serde_json::{Value, json};
use twinlab::models::users::Role;

use super::people::PEOPLE;
use super::{at, enlarge, owner};
use crate::support::sample::{self, PlantedRun};
use crate::support::{Answer, Client, TestApp, answer, stable, with_app};

const SAMPLES: &str = "/api/surveys/1/human-samples";

/// Sends a form with these fields, the file first.
async fn sent(caller: &Client, path: &str, file: impl AsRef<[u8]>, fields: &[(&str, &str)]) -> Answer {
    let head = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"people\"\r\n\r\n";
    let mut body = [head, file.as_ref(), b"\r\n"].concat();
    for (name, value) in fields {
        let head = format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(head.as_bytes());
    }
    body.extend_from_slice(b"--x--\r\n");
    let request = caller.request(Method::POST, path).header("content-type", "multipart/form-data; boundary=x");
    answer(request.body(body)).await
}

fn created(answer: Answer) -> Value {
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.body
}

fn id(sample: &Value) -> String {
    sample["sampleId"].as_str().expect("an id").to_owned()
}

async fn member(app: &TestApp) -> Client {
    let user = app.user("member@test.example", Role::User).await;
    let joins = format!("INSERT INTO group_members (group_id, user_id) VALUES (1, {})", user.id);
    sample::run(&mut *app.connection().await, &joins).await;
    app.signed_in(&user)
}

#[tokio::test]
async fn a_kept_sample_is_compared_with_the_run_as_its_file_is() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        assert_eq!(owner.get(&at("people")).await.refused(404), "Sample not found");
        let kept = created(sent(&owner, &format!("{SAMPLES}?by=mood"), PEOPLE, &[("name", " Panel ")]).await);
        assert_eq!((&kept["name"], &kept["people"], &kept["isOwner"]), (&json!("Panel"), &json!(3), &json!(true)));
        assert_eq!(kept["settings"]["by"], "mood");
        let reasons: Vec<&Value> = kept["dropped"].as_array().expect("columns").iter().collect();
        assert_eq!(reasons, [&json!({"column": "email", "reason": "personal data"})]);

        let answer = owner.get(&at("people")).await.ok();
        insta::assert_snapshot!("kept", stable(&answer));
        let forgotten = sent(&owner, &at("people?by=mood"), PEOPLE, &[]).await.ok();
        for part in ["people", "twins", "pairs", "questions", "overall", "rectified", "groups", "seed"] {
            assert_eq!(answer["comparison"][part], forgotten[part], "{part}");
        }
        assert_eq!((&answer["sample"]["sampleId"], &answer["suppressed"]), (&kept["sampleId"], &json!(false)));
        assert_eq!(answer["comparison"]["file"]["unread"], forgotten["file"]["unread"]);
        let dropped = answer["comparison"]["file"]["dropped"].as_array().expect("columns").clone();
        assert!(dropped.contains(&json!({"column": "email", "reason": "personal data"})), "{dropped:?}");

        // The newest sample is compared by default, an older one by its id.
        let newer = created(sent(&owner, SAMPLES, "pid,How_many\na,12\n", &[]).await);
        assert_eq!(newer["name"], "People");
        let answer = owner.get(&at("people")).await.ok();
        assert_eq!((&answer["sample"]["name"], &answer["comparison"]["people"]), (&json!("People"), &json!(1)));
        let answer = owner.get(&at(&format!("people?sample={}", id(&kept)))).await.ok();
        assert_eq!(answer["comparison"]["people"], 3);
        owner.get(&at("people?sample=8c7d6e5f-0000-4000-8000-000000000001")).await.refused(404);
        let listed = owner.get(SAMPLES).await.ok();
        let names: Vec<&Value> = listed.as_array().expect("a list").iter().map(|of| &of["name"]).collect();
        assert_eq!(names, ["People", "Panel"], "{listed}");
        assert_eq!(listed[0]["matchedQuestions"], json!(["How_many"]));
    })
    .await;
}

/// Tests that nothing is stored that identifies a person or that no question and no setting needs.
#[tokio::test]
async fn what_tells_who_somebody_is_is_written_nowhere() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        let file = "pid,email,contact,story,StartDate,How_many,Do_you,IPAddress,answer\n\
                    a,ada@test.example,bob@mail.example,I live at 7 Elm Street,2026-05-01,12,Yes,10.0.0.7,Yes\n\
                    b,eve@test.example,,Once upon a time,2026-05-02,12,No,10.0.0.8,No\n";
        let kept = created(sent(&owner, SAMPLES, file, &[]).await);
        let dropped: Vec<(String, String)> = serde_json::from_value::<Vec<Value>>(kept["dropped"].clone())
            .expect("columns")
            .iter()
            .map(|of| (of["column"].as_str().unwrap().to_owned(), of["reason"].as_str().unwrap().to_owned()))
            .collect();
        let of = |column: &str, reason: &str| (column.to_owned(), reason.to_owned());
        let no_answer = "no answer to a question of the survey, and not chosen";
        assert_eq!(
            dropped,
            [
                of("email", "personal data"),
                of("contact", "personal data"),
                of("story", no_answer),
                of("StartDate", "about the interview"),
                of("IPAddress", "personal data"),
            ]
        );
        // `answer` fits a question, so it can be chosen for one.
        let columns = kept["file"]["columns"].as_array().expect("columns").clone();
        assert_eq!(columns, [json!("How_many"), json!("Do_you"), json!("answer")]);
        let mut conn = app.connection().await;
        let hex = "SELECT count(*) AS number FROM human_samples WHERE content IS NOT NULL";
        assert_eq!(sample::number(&mut conn, hex).await, 1);
        let content = content(app).await;
        for word in ["ada@", "eve@", "bob@", "Elm Street", "Once", "10.0.0", "2026-05"] {
            assert!(!content.contains(word), "{word}: {content}");
        }
        assert!(content.contains("How_many") && content.contains("pid"), "{content}");
        let refused = sent(&owner, &format!("{SAMPLES}?arm=contact"), file, &[]).await.refused(400);
        assert_eq!(refused, "file: the column contact holds personal data, which is not kept");
    })
    .await;
}

/// The stored JSON.
async fn content(app: &TestApp) -> String {
    use diesel_async::RunQueryDsl;
    #[derive(diesel::QueryableByName)]
    struct Kept {
        #[diesel(sql_type = diesel::sql_types::Bytea)]
        content: Vec<u8>,
    }
    let query = diesel::sql_query("SELECT content FROM human_samples ORDER BY id DESC LIMIT 1");
    let kept: Kept = query.get_result(&mut *app.connection().await).await.expect("a sample");
    let mut json = String::new();
    std::io::Read::read_to_string(&mut flate2::read::ZlibDecoder::new(&kept.content[..]), &mut json).expect("JSON");
    json
}

#[tokio::test]
async fn the_matching_of_a_kept_sample_is_changed_and_every_comparison_follows() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        let path = format!("/api/human-samples/{}", id(&created(sent(&owner, SAMPLES, PEOPLE, &[]).await)));
        let unread = json!([{"name": "Which_colour_then", "cell": "violet", "count": 1}]);
        assert_eq!(owner.get(&path).await.ok()["file"]["unread"], unread);
        let change = json!({
            "matching": {"How_many": "how often", "How_often": null},
            "recodes": {"Which_colour_then": {"violet": "-red"}},
        });
        let changed = owner.patch(&path, change).await.ok();
        assert_eq!(changed["file"]["unread"], json!([]));
        assert!(changed["file"]["unmatchedQuestions"].as_array().is_some_and(|of| of.contains(&json!("How_often"))));
        let answer = owner.get(&at("people")).await.ok()["comparison"].clone();
        let question = |name: &str| {
            let questions = answer["questions"].as_array().expect("questions");
            questions.iter().find(|of| of["name"] == name).cloned().unwrap_or_default()
        };
        assert_eq!(question("Which_colour_then")["nPeople"], 2, "{answer}");
        assert_eq!(question("How_often"), Value::Null);
        // Fields that are not named stay.
        let changed = owner.patch(&path, json!({"name": "Wave 2", "weight": "How_many"})).await.ok();
        assert_eq!((&changed["name"], &changed["settings"]["weight"]), (&json!("Wave 2"), &json!("How_many")));
        assert_eq!(changed["settings"]["matching"], json!({"How_many": ["how often"], "How_often": []}));
        // Null resets a field.
        let back = owner.patch(&path, json!({"matching": null, "recodes": null, "weight": null})).await.ok();
        assert_eq!((&back["settings"]["matching"], &back["settings"]["weight"]), (&json!({}), &Value::Null));
        assert_eq!(back["file"]["unread"], unread);

        for (change, words) in [
            (json!({"name": " "}), "name: must not be empty"),
            (json!({"arm": "email"}), "sample: there is no column email"),
            (json!({"matching": {"How_many": "mood"}}), "matching.How_many: there is no column mood"),
            (
                json!({"matching": {"why_not": "Do_you"}}),
                "matching.why_not: the survey has no such question to compare",
            ),
            (json!({"recodes": {"Do_you": {"No": "Maybe"}}}), "recodes.Do_you: there is no option Maybe"),
            (json!({"margins": {"Do_you": {"Yes": 0.7}}}), "margins.Do_you: the shares do not add up to 1"),
            (json!({"weight": "Do_you"}), "weight: no row has a number above 0 there"),
            (json!({"by": "a\u{0}b"}), "a column, a question or a cell contains a NUL character"),
        ] {
            assert_eq!(owner.patch(&path, change).await.refused(400), words);
        }
        assert_eq!(owner.get(&path).await.ok()["file"]["unread"], unread, "what is refused changes nothing");
    })
    .await;
}

#[tokio::test]
async fn only_the_surveys_owner_has_a_sample_and_others_are_told_nothing_of_a_few_people() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        enlarge(app, 60).await;
        let member = member(app).await;
        let admin = app.client("admin@test.example", Role::Admin).await;
        // Four people said no, which everybody could compute from 46 of 50 who said yes.
        let row = |n: i32| {
            format!("{n},{},{},unsure\n", if n < 8 { "No" } else { "Yes" }, if n < 7 { "few" } else { "many" })
        };
        let people: String = (4..54).map(row).collect();
        let file = format!("pid,Do_you,group,Which_colour_then\n{people}");
        let kept = created(sent(&owner, &format!("{SAMPLES}?arm=group"), file, &[]).await);
        let path = format!("/api/human-samples/{}", id(&kept));
        let comparison = async |caller: &Client| caller.get(&at("people")).await.ok();

        // Private: members see nothing; the group's owner sees figures without cells.
        assert_eq!(member.get(&at("people")).await.status, 404);
        assert_eq!(member.get(SAMPLES).await.status, 404);
        admin.get(&path).await.refused(403);
        let seen = comparison(&admin).await;
        assert_eq!((&seen["suppressed"], &seen["comparison"]["file"]["unread"]), (&json!(false), &json!([])));
        let own = comparison(&owner).await;
        assert_eq!(own["comparison"]["file"]["unread"][0]["count"], 50, "{own}");
        assert_eq!(seen["comparison"]["questions"], own["comparison"]["questions"]);
        insta::assert_snapshot!("seen_by_the_owner", stable(&own));

        // Public: members see figures without those that reveal small counts.
        owner.patch("/api/surveys/1", json!({"visibility": "PUBLIC"})).await.ok();
        for caller in [&member, &admin] {
            let seen = comparison(caller).await;
            assert_eq!((&seen["suppressed"], &seen["sample"]["isOwner"]), (&json!(true), &json!(false)));
            assert_eq!(seen["sample"]["dropped"], json!([]));
            insta::assert_snapshot!("seen_by_others", stable(&seen));
            let rows = seen["comparison"]["rectified"]["estimates"].as_array().expect("estimates").clone();
            assert!(rows.iter().all(|row| row["category"] == Value::Null), "a share tells its count: {rows:?}");
            assert_eq!(seen["comparison"]["regressions"], json!([]));
        }
        let rows = comparison(&owner).await["comparison"]["rectified"]["estimates"].clone();
        assert!(rows.as_array().is_some_and(|rows| rows.iter().any(|row| row["category"] == "No")), "{rows}");
        for call in [Method::GET, Method::PATCH, Method::DELETE] {
            let body = (call == Method::PATCH).then(|| json!({"name": "Mine"}));
            member.send(call, &path, body).await.refused(403);
        }
        let listed = member.get(SAMPLES).await.ok();
        assert_eq!((&listed[0]["isOwner"], &listed[0]["dropped"]), (&json!(false), &json!([])));
        assert_eq!(sent(&member, SAMPLES, PEOPLE, &[]).await.status, 403);

        // Only the author can export rows.
        let bundle = at("responses/bundle.zip?withPeople=true");
        for caller in [&member, &admin, &app.super_admin().await] {
            let refused = caller.get(&bundle).await.refused(403);
            assert_eq!(refused, "Only the survey's author may pass on rows of people's answers");
        }
        let has_rows = |answer: &Answer| String::from_utf8_lossy(&answer.bytes).contains("human/rows.csv");
        assert!(has_rows(&owner.get(&bundle).await));
        assert!(!has_rows(&owner.get(&at("responses/bundle.zip")).await));
        assert_eq!(owner.delete(&path).await.status, 204);
        let refused = owner.get(&bundle).await.refused(400);
        assert!(refused.starts_with("no answers of people are kept for the survey"), "{refused}");
    })
    .await;
}

#[tokio::test]
async fn a_sample_goes_when_it_is_deleted_with_its_survey_and_with_its_owners_account() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        let count =
            async || sample::number(&mut *app.connection().await, "SELECT count(*) AS number FROM human_samples").await;
        let kept = created(sent(&owner, SAMPLES, PEOPLE, &[]).await);
        let path = format!("/api/human-samples/{}", id(&kept));
        assert_eq!(owner.delete(&path).await.status, 204);
        assert_eq!((owner.get(&path).await.status, owner.get(&at("people")).await.status), (404, 404));
        // A copy of the survey has no samples: the people answered the original.
        created(sent(&owner, SAMPLES, PEOPLE, &[]).await);
        let copy = owner.post("/api/surveys/1/duplicate", json!({"title": "Copy"})).await;
        let copy = copy.body["duplicatedSurvey"]["id"].as_i64().expect("a copy");
        assert_eq!(owner.get(&format!("/api/surveys/{copy}/human-samples")).await.ok(), json!([]));
        assert!(!owner.get("/api/surveys/1/export").await.body.to_string().contains("violet"));
        assert!(!owner.get("/api/auth/data").await.body.to_string().contains("violet"));
        let data = owner.get("/api/auth/data").await.body;
        assert_eq!(data["humanSamples"][0]["name"], "People", "{data}");

        // The survey has a run, so its row stays.
        assert_eq!(owner.delete("/api/surveys/1").await.status, 204);
        assert_eq!(count().await, 0);
        created(sent(&owner, &format!("/api/surveys/{copy}/human-samples"), PEOPLE, &[]).await);
        assert_eq!(count().await, 1);
        assert_eq!(owner.delete("/api/auth/account").await.status, 204);
        assert_eq!(count().await, 0, "at once, not by the daily job");
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_kept_is_refused_by_name() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        let fields: [(&str, &str); 0] = [];
        for (query, file, fields, words) in [
            ("?weight=kilos", PEOPLE, &fields[..], "file: there is no column kilos"),
            ("", "pid,Which_colour_then\n", &fields, "file: no row has an answer"),
            ("", "story\nOnce\n", &fields, "file: no row has an answer"),
            ("", "pid,Do_you\na,Yes\na,No\n", &fields, "file: people: a is listed twice"),
            ("", PEOPLE, &[("name", "")], "name: must not be empty"),
            ("", PEOPLE, &[("matching", "{\"How_many\": \"X\"}")], "matching.How_many: there is no column X"),
        ] {
            assert_eq!(sent(&owner, &format!("{SAMPLES}{query}"), file, fields).await.refused(400), words);
        }
        for _ in 0..20 {
            created(sent(&owner, SAMPLES, "pid,Do_you\na,Yes\n", &[]).await);
        }
        let many = sent(&owner, SAMPLES, PEOPLE, &[]).await;
        assert_eq!(many.refused_with(409, "too_many_samples"), "The survey has 20 samples: delete one first");
    })
    .await;
}
