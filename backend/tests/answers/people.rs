//! Comparisons of twins with people who answered the same survey.

use reqwest::Method;
use serde_json::{Value, json};

use super::{at, enlarge, owner};
use crate::support::sample::{self, PlantedRun};
use crate::support::{Answer, Client, answer, stable, with_app};

/// Answers of the people behind the twins a and b, the first equal to the twin's, and of a person without a twin.
pub(super) const PEOPLE: &str = "pid,email,Which_colour_then,how often,How_many,Do_you,mood\n\
                      a,ada@test.example,-red,3,12,Yes,good\n\
                      b,bob@test.example,violet,1,12,No,bad\n\
                      z,zoe@test.example,-red,5,3,Yes,good\n";

async fn compared(owner: &Client, query: &str, file: impl AsRef<[u8]>) -> Answer {
    corrected(owner, query, file, &[]).await
}

/// Sends a comparison with further fields of the form after the file.
async fn corrected(owner: &Client, query: &str, file: impl AsRef<[u8]>, fields: &[(&str, Value)]) -> Answer {
    let head = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"people\"\r\n\r\n";
    let mut body = [head, file.as_ref(), b"\r\n"].concat();
    for (name, value) in fields {
        let head = format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(head.as_bytes());
    }
    body.extend_from_slice(b"--x--\r\n");
    let request = owner.request(Method::POST, &at(&format!("people{query}")));
    answer(request.header("content-type", "multipart/form-data; boundary=x").body(body)).await
}

#[tokio::test]
async fn twins_stand_beside_their_own_people_and_the_file_is_told_how_it_was_read() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        let answer = compared(&owner, "", PEOPLE).await.ok();
        assert_eq!(
            (&answer["people"], &answer["twins"], &answer["pairs"]),
            (&json!(3), &json!(3), &json!(2)),
            "{answer}"
        );
        let question = |name: &str| {
            let questions = answer["questions"].as_array().expect("questions");
            questions
                .iter()
                .find(|question| question["name"] == name)
                .unwrap_or_else(|| panic!("{name}: {answer}"))
                .clone()
        };
        let metric = |question: &Value, name: &str| {
            let metrics = question["metrics"].as_array().expect("metrics");
            metrics.iter().find(|metric| metric["metric"] == name).cloned().unwrap_or_default()
        };
        // The cell that is no colour counts as missing, so one pair is left, which agrees.
        let colour = question("Which_colour_then");
        assert_eq!((&colour["nPeople"], &colour["nTwins"]), (&json!(1), &json!(1)));
        let accuracy = metric(&colour, "accuracy");
        assert_eq!(
            (&accuracy["value"], &accuracy["note"], &accuracy["low"]),
            (&json!(1.0), &json!("n too small"), &Value::Null)
        );
        let often = question("How_often");
        assert_eq!((&often["nPeople"], &often["meanPeople"]), (&json!(2), &json!(2.0)), "{often}");
        let file = &answer["file"];
        let matched = file["matched"].as_array().expect("matches");
        let often = matched.iter().find(|found| found["name"] == "How_often").expect("it was found");
        assert_eq!((&often["columns"], &often["by"]), (&json!(["how often"]), &json!("similar_name")));
        assert_eq!(file["unread"], json!([{"name": "Which_colour_then", "cell": "violet", "count": 1}]));
        assert!(file["unmatchedColumns"].as_array().is_some_and(|columns| columns.contains(&json!("mood"))), "{file}");
        assert!(
            file["dropped"].as_array().is_some_and(|columns| columns.iter().any(|of| of["column"] == "email")),
            "{file}"
        );
        assert!(!answer.to_string().contains("ada@test.example"));
        assert!(answer["notice"].as_str().is_some_and(|notice| !notice.is_empty()));
        insta::assert_snapshot!("beside_their_own_people", stable(&answer));
    })
    .await;
}

#[tokio::test]
async fn answers_of_the_products_own_files_for_spss_and_stata_are_those_of_its_csv() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        // SPSS has truncated this label; the option is recognised by its code.
        let long = format!("blue {}", "ä".repeat(200));
        let set = format!(
            r#"UPDATE simulations SET survey_snapshot =
                 jsonb_set(survey_snapshot, '{{questions,0,options,1,text}}', '"{long}"');
               UPDATE responses SET answer = '{long}', answer_value = '"{long}"' WHERE persona_id = 2 AND answer = '-red'"#
        );
        sample::run(&mut *app.connection().await, &set).await;
        let file = async |name: &str| owner.get(&at(&format!("responses/{name}"))).await.bytes;
        let csv = compared(&owner, "", file("wide.csv?raw=true").await).await.ok();
        for name in ["wide.sav", "wide.dta"] {
            let answer = compared(&owner, "", file(name).await).await.ok();
            for part in ["people", "pairs", "questions", "overall"] {
                assert_eq!(answer[part], csv[part], "{name}");
            }
            assert_eq!((&answer["pairs"], &answer["file"]["unread"]), (&json!(3), &json!([])), "{name}");
            let questions = answer["questions"].as_array().expect("questions");
            assert!(questions.len() >= 6, "{name}: {questions:?}");
            let accuracies = questions.iter().flat_map(|question| question["metrics"].as_array().expect("metrics"));
            for metric in accuracies.filter(|metric| metric["metric"] == "accuracy") {
                assert_eq!(metric["value"], json!(1.0), "{name}: {metric}");
            }
        }
        let cut_off = file("wide.sav").await;
        let refused = compared(&owner, "", &cut_off[..cut_off.len() - 16]).await.refused(400);
        assert_eq!(refused, "file: the file ends within its cases: it is cut off or damaged");
    })
    .await;
}

#[tokio::test]
async fn what_is_no_file_of_people_is_refused_by_name() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        for (query, file, words) in [
            ("?weight=kilos", PEOPLE, "file: there is no column kilos"),
            ("", "", "file: "),
            ("", "pid,Which_colour_then\na,-red\na,-red\n", "file: people: a is listed twice"),
        ] {
            let message = compared(&owner, query, file).await.refused(400);
            assert!(message.starts_with(words), "{message}");
        }
        let nothing = compared(&owner, "", "mood\ngood\n").await.ok();
        assert_eq!(nothing["questions"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn columns_and_cells_are_what_the_form_says() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        let said = [
            ("matching", json!({"How_many": "how often", "How_often": null})),
            ("recodes", json!({"Which_colour_then": {"violet": "-red"}, "Do_you": {"No": null}})),
        ];
        let answer = corrected(&owner, "", PEOPLE, &said).await.ok();
        let file = &answer["file"];
        let matched = file["matched"].as_array().expect("matches");
        let of = |name: &str| matched.iter().find(|found| found["name"] == name);
        let many = json!({"name": "How_many", "columns": ["how often"], "by": "chosen"});
        assert_eq!((of("How_many"), of("How_often")), (Some(&many), None), "{file}");
        assert!(file["unmatchedQuestions"].as_array().is_some_and(|names| names.contains(&json!("How_often"))));
        assert!(file["unmatchedColumns"].as_array().is_some_and(|names| names.contains(&json!("How_many"))));
        assert_eq!(file["unread"], json!([]));
        assert_eq!(
            file["columns"],
            json!(["Which_colour_then", "how often", "How_many", "Do_you", "mood"]),
            "no id and no address"
        );
        let asked = file["questions"].as_array().expect("questions");
        let colour = asked.iter().find(|question| question["name"] == "Which_colour_then").expect("the colour");
        assert!(colour["options"].as_array().is_some_and(|options| options.contains(&json!("-red"))), "{colour}");
        let questions = answer["questions"].as_array().expect("questions");
        let counted =
            |name: &str| questions.iter().find(|question| question["name"] == name).expect("it")["nPeople"].clone();
        assert_eq!((counted("Which_colour_then"), counted("Do_you")), (json!(2), json!(1)), "{answer}");

        for (field, value, words) in [
            ("matching", json!({"How_many": "X"}), "matching.How_many: there is no column X"),
            ("matching", json!({"why_not": "mood"}), "matching.why_not: the survey has no such question to compare"),
            ("matching", json!({"How_many": 7}), "matching.How_many: must be a column, a list of columns or null"),
            ("matching", json!(["How_many"]), "matching: must be an object: by question"),
            ("recodes", json!({"Do_you": {"No": "Maybe"}}), "recodes.Do_you: there is no option Maybe"),
            ("recodes", json!({"Do_you": "No"}), "recodes.Do_you: must be an object: by cell an option or null"),
        ] {
            let message = corrected(&owner, "", PEOPLE, &[(field, value)]).await.refused(400);
            assert_eq!(message, words);
        }
        let twice = [("matching", json!({})), ("matching", json!({}))];
        assert_eq!(corrected(&owner, "", PEOPLE, &twice).await.refused(400), "matching is sent twice");
    })
    .await;
}

#[tokio::test]
async fn people_and_the_twins_of_others_are_rectified_and_what_cannot_be_says_why() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        let few = compared(&owner, "", PEOPLE).await.ok()["rectified"].clone();
        assert_eq!((&few["pairing"], &few["estimates"]), (&json!("id"), &json!([])));
        let reason = few["refused"][0]["reason"].as_str().expect("a reason");
        assert!(reason.starts_with("rectified estimates need at least 30 people"), "{reason}");

        // Forty of 200 twins have a person; all twins say 12, and people between 2 and 12.
        enlarge(app, 200).await;
        let people: String = (4..44).map(|n| format!("{n},{}\n", if n % 5 == 0 { 2 } else { 12 })).collect();
        let file = format!("pid,How_many\n{people}");
        let answer = compared(&owner, "", &file).await.ok();
        insta::assert_snapshot!("rectified", stable(&answer));
        let answer = answer["rectified"].clone();
        let estimate = &answer["estimates"][0];
        assert_eq!((&estimate["name"], &estimate["n"]), (&json!("How_many"), &json!(40)), "{answer}");
        // The two twins of the planted run who answered, and all others without a person.
        assert_eq!(estimate["others"], json!(2 + 157));
        assert_eq!((&estimate["people"]["estimate"], &estimate["rectified"]["estimate"]), (&json!(10.0), &json!(10.0)));
        assert_eq!((&estimate["lambda"], &estimate["twins"]["estimate"]), (&json!(0.0), &json!(12.0)));
        assert_eq!(estimate["note"], "approximate: fewer than 100 people");
        assert_eq!(estimate["sentence"], "The twins add almost nothing here: 40 people alone are as informative.");

        // People without twins are refused, unless both sides have attributes.
        let strangers = file.replace("pid,", "person,");
        let answer = compared(&owner, "", &strangers).await.ok()["rectified"].clone();
        assert_eq!(answer["pairing"], Value::Null);
        assert!(
            answer["refusal"]
                .as_str()
                .is_some_and(|words| words.starts_with("people and twins have no common ids or attributes"))
        );
        let refused = compared(&owner, "?cells=Gender", &strangers).await.refused(400);
        assert_eq!(refused, "file: there is no column Gender");
        let shares = |shares: Value| [("cellShares", shares)];
        for (query, sent, reason) in [
            ("", json!({"Female": 1.0}), "cellShares: needs cells, the attributes whose values make them"),
            ("?cells=Gender", json!({"Female": 0.5}), "cellShares: the shares do not add up to 1"),
            ("?cells=Gender", json!({"Female": "all"}), "cellShares: a share must be a number from 0 to 1"),
            ("?cells=Gender", json!(["Female"]), "cellShares: must be an object: by cell"),
        ] {
            assert_eq!(corrected(&owner, query, &strangers, &shares(sent)).await.refused(400), reason);
        }
        // Half of the twins are of each kind, and those of one kind say 2; a tenth of the population is of that kind.
        let kinds =
            "UPDATE personas SET attributes = jsonb_build_object('Kind', CASE id % 2 WHEN 0 THEN 'x' ELSE 'y' END);
            UPDATE responses SET answer_value = '2', answer = '2' FROM questions
                WHERE questions.id = question_id AND questions.name = 'How_many' AND persona_id % 2 = 0";
        sample::run(&mut *app.connection().await, kinds).await;
        let row = |n: i32| format!("{n},{},{}\n", if n % 2 == 0 { 2 } else { 12 }, if n % 2 == 0 { "x" } else { "y" });
        let file = format!("person,How_many,Kind\n{}", (0..40).map(row).collect::<String>());
        for (sent, mean) in [(None, 7.0), (Some(json!({"x": 0.1, "y": 0.9})), 11.0)] {
            let fields: Vec<(&str, Value)> = sent.map(|sent| ("cellShares", sent)).into_iter().collect();
            let answer = corrected(&owner, "?cells=Kind", &file, &fields).await.ok()["rectified"].clone();
            assert_eq!(answer["pairing"], "cells");
            let found = answer["estimates"][0]["rectified"]["estimate"].as_f64().expect("a mean");
            assert!((found - mean).abs() < 0.1, "{answer}");
        }
        let unknown = shares(json!({"x": 0.1, "y": 0.8, "z": 0.1}));
        let answer = corrected(&owner, "?cells=Kind", &file, &unknown).await.ok()["rectified"].clone();
        let refused = answer["refused"].as_array().expect("what is refused").iter();
        let reason =
            refused.filter(|of| of["name"] == "How_many").find_map(|of| of["reason"].as_str()).expect("a reason");
        assert!(reason.starts_with("no twin is in the cell \"z\", which has a share"), "{answer}");
    })
    .await;
}

#[tokio::test]
async fn people_count_for_what_a_column_or_shares_of_the_population_say() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        enlarge(app, 200).await;
        // Half of the people said 2, and weigh three times as much as those who said 12.
        let row = |n: i32| {
            let (answer, weight, group) = if n % 2 == 0 { (2, 3.0, "two") } else { (12, 1.0, "twelve") };
            format!("{n},{answer},{weight},{group}\n")
        };
        let file = format!("pid,How_many,w,Group\n{}", (4..44).map(row).collect::<String>());
        let kish = 80.0 * 80.0 / (20.0 * 9.0 + 20.0);
        let close = |value: &Value, expected: f64| {
            let value = value.as_f64().expect("a number");
            assert!((value - expected).abs() < 1e-6, "{value} {expected}");
        };
        let margins = [("margins", json!({"Group": {"two": 0.75, "twelve": 0.25}}))];
        for shown in
            [compared(&owner, "?weight=w", &file).await.ok(), corrected(&owner, "", &file, &margins).await.ok()]
        {
            close(&shown["weights"]["people"], kish);
            let question = &shown["questions"][0];
            close(&question["meanPeople"], 4.5);
            close(&question["nEffective"], kish);
            let estimate = &shown["rectified"]["estimates"][0];
            close(&estimate["people"]["estimate"], 4.5);
            close(&estimate["nWeighted"], kish);
            assert_eq!(shown["groups"], json!([]), "margins make no groups: {shown}");
        }
        assert_eq!(compared(&owner, "", &file).await.ok()["weights"], Value::Null);

        let refused = async |query: &str, margins: Value| {
            corrected(&owner, query, &file, &[("margins", margins)]).await.refused(400)
        };
        for (query, margins, words) in [
            ("", json!({"Group": {"two": 0.7}}), "margins.Group: the shares do not add up to 1"),
            ("", json!({"Group": {"two": "all"}}), "margins.Group: a share must be a number from 0 to 1"),
            ("", json!({"Group": 1}), "margins.Group: must be an object: by level a share"),
            ("", json!({"Age": {"old": 1}}), "file: there is no column Age"),
            (
                "",
                json!({"Group": {"two": 1}}),
                "margins.Group: people have twelve: give it a share, 0 where the population has none",
            ),
            (
                "",
                json!({"Group": {"two": 0.5, "twelve": 0.25, "none": 0.25}}),
                "margins.Group: none of the people is none, which has a share",
            ),
            ("?weight=w", json!({"Group": {"two": 0.5, "twelve": 0.5}}), "margins: weights are those of a column"),
            ("?weight=Group", json!({}), "weight: no row has a number above 0 there"),
            ("?twinWeight=w", json!({}), "twins: there is no column w"),
        ] {
            let message = refused(query, margins).await;
            assert!(message.starts_with(words), "{message}");
        }
    })
    .await;
}

#[tokio::test]
async fn people_drawn_with_known_probabilities_have_estimates_by_them() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        enlarge(app, 200).await;
        // All twins say 12; forty people were drawn with probability .2 each, and half of them say 2.
        let row = |n: i32| format!("{n},{},0.2\n", if n % 2 == 0 { 2 } else { 12 });
        let file = format!("pid,How_many,pi\n{}", (4..44).map(row).collect::<String>());
        let answer = compared(&owner, "?probability=pi", &file).await.ok()["rectified"].clone();
        insta::assert_snapshot!("drawn", stable(&answer));
        let estimate = &answer["estimates"][0];
        assert_eq!(
            (&answer["drawn"], &estimate["name"], &estimate["n"]),
            (&json!(true), &json!("How_many"), &json!(40))
        );
        assert!(
            answer["assumption"].as_str().is_some_and(|words| words.contains("drawn from the persons of the twins"))
        );
        // 12 less 20 · 10 / .2, over all twins.
        let all = 40.0 + estimate["others"].as_f64().expect("a number");
        let value = estimate["rectified"]["estimate"].as_f64().expect("a number");
        assert!((value - (12.0 - 20.0 * 10.0 / 0.2 / all)).abs() < 1e-9, "{estimate}");
        let never = file.replace(",0.2", ",0");
        let answer = compared(&owner, "?probability=pi", &never).await.ok()["rectified"].clone();
        let refused = answer["refused"].as_array().expect("reasons");
        let reason = &refused.iter().find(|of| of["name"] == "How_many").expect("it is refused")["reason"];
        assert_eq!(reason, "a probability of being asked must be above 0 and at most 1");
    })
    .await;
}
