//! Questions over the API: their checks and their positions.

use serde_json::{Value, json};

use crate::support::{GroupFixture, with_app};

fn texts(questions: &Value) -> Vec<(i64, String)> {
    let questions = questions.as_array().expect("a list");
    let place = |question: &Value| {
        (question["order"].as_i64().expect("a number"), question["text"].as_str().expect("a text").to_owned())
    };
    questions.iter().map(place).collect()
}

#[tokio::test]
async fn a_question_that_cannot_be_asked_is_refused_in_the_forms_own_words() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let path = format!("/api/surveys/{}/questions", fixture.survey(0).await);
        let range = |min: Value, max: Value, low: &str| {
            json!({"text": "How much?", "type": "RANGE", "min_value": min, "max_value": max,
                "min_description": low, "max_description": "all"})
        };
        for (question, expected) in [
            (json!({"text": " ", "type": "TEXT_ENTRY"}), "text: Question text is required"),
            (
                json!({"text": "Which?", "type": "SINGLE_CHOICE", "options": ["One"]}),
                "options: Choice questions must have at least 2 non-empty options",
            ),
            (
                json!({"text": "Which?", "type": "multiple_choice", "options": ["One", " "]}),
                "options[1]: Choice questions must have at least 2 non-empty options",
            ),
            (
                range(json!(1), Value::Null, "none"),
                "max_value: Range questions must have both minimum and maximum values",
            ),
            (range(json!(5), json!(5), "none"), "min_value: Minimum value must be less than maximum value"),
            (
                range(json!(0), json!(5), ""),
                "min_description: Range questions must have descriptions for both minimum and maximum values",
            ),
        ] {
            assert_eq!(fixture.author.post(&path, question).await.refused(400), expected);
        }
        fixture.author.post(&path, json!([])).await.refused(400);
        fixture.author.post(&path, json!({"text": "a\0b", "type": "TEXT_ENTRY"})).await.refused(400);
        assert_eq!(fixture.author.get(&path).await.ok(), json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_question_keeps_what_a_change_does_not_speak_of() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let survey = fixture.survey(0).await;
        let new = json!({"title": "Which?", "questionType": "single choice", "required": false,
            "Option": [{"title": "One"}, {"text": "Two"}]});
        let question = fixture.author.post(&format!("/api/surveys/{survey}/questions"), new).await;
        assert_eq!(question.status, 201);
        let question = question.ok();
        assert_eq!(question["options"], json!([{"text": "One"}, {"text": "Two"}]));
        let path = format!("/api/surveys/questions/{}", question["id"]);

        let mut expected = question.clone();
        expected["text"] = json!("Which one?");
        assert_eq!(fixture.author.patch(&path, json!({"text": "Which one?"})).await.ok(), expected);
        let refused = fixture.author.patch(&path, json!({"options": null})).await.refused(400);
        assert_eq!(refused, "options: Choice questions must have at least 2 non-empty options");

        let slider = json!({"type": "SLIDER", "minValue": -1, "maxValue": "2.5"});
        let changed = fixture.author.patch(&path, slider).await.ok();
        assert_eq!((&changed["questionType"], &changed["options"]), (&json!("SLIDER"), &json!([])));
        assert_eq!((&changed["minValue"], &changed["maxValue"]), (&json!(-1.0), &json!(2.5)));
    })
    .await;
}

#[tokio::test]
async fn a_question_that_somebody_changed_meanwhile_is_not_written_over() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let survey = fixture.survey(0).await;
        let choice = json!({"text": "Which?", "type": "SINGLE_CHOICE", "options": ["One", "Two"]});
        let question = fixture.author.post(&format!("/api/surveys/{survey}/questions"), choice.clone()).await.ok();
        let path = format!("/api/surveys/questions/{}", question["id"]);
        let change = async |text: &str, expected: &Value| {
            fixture.author.patch(&path, json!({"text": text, "expected": expected})).await
        };

        let first = change("Which one?", &choice).await.ok();
        assert_eq!(first["text"], "Which one?");
        let second = change("Which of them?", &choice).await;
        let now = second.body["question"].clone();
        assert_eq!(second.refused_with(409, "question_changed"), "The question was changed meanwhile");
        assert_eq!(now, first, "the answer has the question as it is");
        assert_eq!(fixture.author.get(&format!("/api/surveys/{survey}/questions")).await.ok()[0], first);
        // A repeated request, whose first answer was lost, succeeds again.
        assert_eq!(change("Which one?", &choice).await.ok(), first);

        // Only the expected fields must be unchanged.
        assert_eq!(change("Which of them?", &json!({"options": ["One", "Two"]})).await.ok()["text"], "Which of them?");
        change("Which?", &json!({"options": ["Two", "One"]})).await.refused_with(409, "question_changed");
        // No choice could become a slider without its ends: a caller who expects one has missed a change.
        change("Which?", &json!({"type": "SLIDER"})).await.refused_with(409, "question_changed");
        assert_eq!(change("Which?", &json!("Which?")).await.refused(400), "expected: must be an object");
        assert_eq!(change("Which?", &Value::Null).await.ok()["text"], "Which?");
    })
    .await;
}

#[tokio::test]
async fn places_are_counted_from_one_whatever_is_moved_or_removed() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let survey = fixture.survey(3).await;
        let path = format!("/api/surveys/{survey}/questions");
        let questions = fixture.author.get(&path).await.ok();
        let ids: Vec<i64> = (0..3).map(|n| questions[n]["id"].as_i64().expect("an id")).collect();
        let order = |orders: &[(i64, i64)]| {
            let orders: Vec<Value> = orders.iter().map(|(id, order)| json!({"id": id, "order": order})).collect();
            json!({"questionOrders": orders})
        };
        let turned = order(&[(ids[0], 30), (ids[1], 20), (ids[2], -5)]);
        let turned = fixture.author.patch(&format!("{path}/order"), turned).await.ok();
        let text = |place, n| (place, format!("Question {n}?"));
        assert_eq!(texts(&turned), [text(1, 3), text(2, 2), text(3, 1)]);

        for refused in [
            order(&[(ids[0], 1), (ids[1], 2)]),
            order(&[(ids[0], 1), (ids[0], 2), (ids[1], 3), (ids[2], 4)]),
            order(&[(ids[0], 1), (ids[1], 2), (ids[2] + 1, 3)]),
        ] {
            let message = fixture.author.patch(&format!("{path}/order"), refused).await.refused(400);
            assert_eq!(message, "questionOrders must name every question of the survey once");
        }

        assert_eq!(fixture.author.delete(&format!("/api/surveys/questions/{}", ids[2])).await.status, 204);
        assert_eq!(texts(&fixture.author.get(&path).await.ok()), [text(1, 2), text(2, 1)]);
        fixture.author.delete(&format!("/api/surveys/questions/{}", ids[2])).await.refused(404);
        fixture.member.delete(&format!("/api/surveys/questions/{}", ids[1])).await.refused(404);
    })
    .await;
}

#[tokio::test]
async fn a_question_has_a_name_that_no_other_of_its_survey_has() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let survey = fixture.survey(0).await;
        let path = format!("/api/surveys/{survey}/questions");
        let asked = |text: &str, name: Value| json!({"text": text, "type": "TEXT_ENTRY", "name": name});
        for (name, expected) in [
            (
                "1st",
                "name: must be a letter and at most 62 letters, digits, underscores and dots after it, all of ASCII",
            ),
            ("if", "name: \"if\" is a word that statistics programs keep for themselves"),
            ("twin_id", "name: \"twin_id\" is kept for a column of the files"),
        ] {
            assert_eq!(fixture.author.post(&path, asked("How old?", json!(name))).await.refused(400), expected);
        }
        let mut added = Vec::new();
        for (text, name, stored) in [
            ("How old are you?", json!(" wave.2_Age "), "wave.2_Age"),
            ("How old are you?", Value::Null, "How_old_are_you"),
            ("How old are you?", json!(""), "How_old_are_you_2"),
            ("ما رأيك؟", Value::Null, "q4"),
        ] {
            let question = fixture.author.post(&path, asked(text, name)).await.ok();
            assert_eq!(question["name"], stored);
            added.push(format!("/api/surveys/questions/{}", question["id"]));
        }
        let answer = fixture.author.post(&path, asked("Age?", json!("WAVE.2_age"))).await;
        assert_eq!(answer.refused_with(409, "question_name_taken"), TAKEN);

        let change = async |place: usize, change: Value| fixture.author.patch(&added[place], change).await;
        assert_eq!(change(1, json!({"name": "wave.2_Age"})).await.refused_with(409, "question_name_taken"), TAKEN);
        assert_eq!(
            change(0, json!({"name": "WAVE.2_AGE"})).await.ok()["name"],
            "WAVE.2_AGE",
            "its own in other letters"
        );
        assert_eq!(change(1, json!({"text": "Why?"})).await.ok()["name"], "How_old_are_you", "a name stays");
        assert_eq!(change(1, json!({"name": null})).await.ok()["name"], "Why", "made anew");
    })
    .await;
}

const TAKEN: &str = "name: question 1 of the survey is called wave.2_Age already";

#[tokio::test]
async fn copies_and_files_of_a_survey_keep_the_names_of_its_questions() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let import = format!("/api/surveys/import?groupId={}", fixture.group_id);
        let asked = |names: [&str; 3]| {
            let question = |name: &str| json!({"text": "Why?", "name": name, "type": "TEXT_ENTRY"});
            json!({"title": "Names", "questions": names.map(question)})
        };
        let refused = fixture.author.post(&import, asked(["a", "", "A"])).await.refused(400);
        assert_eq!(refused, "question 3: name: \"A\" is the name of another question too");

        let survey = fixture.author.post(&import, asked(["reason", "", "Why"])).await.ok();
        let names = |questions: &Value| {
            let questions = questions.as_array().expect("a list").iter();
            questions.map(|question| question["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
        };
        let expected = ["reason", "Why_2", "Why"];
        assert_eq!(names(&survey["questions"]), expected);
        let path = format!("/api/surveys/{}", survey["id"]);
        let file = fixture.author.get(&format!("{path}/export")).await.ok();
        assert_eq!(names(&file["questions"]), expected);
        assert_eq!(names(&fixture.author.post(&import, file).await.ok()["questions"]), expected);
        let copy = fixture.author.post(&format!("{path}/duplicate"), json!({"title": "Copy"})).await.ok();
        let copied = format!("/api/surveys/{}/questions", copy["duplicatedSurvey"]["id"]);
        assert_eq!(names(&fixture.author.get(&copied).await.ok()), expected);
    })
    .await;
}
