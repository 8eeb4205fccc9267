//! Figures of a run's answers, compared with counts by hand.

use evidence::intervals::of_share;
use serde_json::{Value, json};

use super::{at, owner};
use crate::support::sample::{self, PlantedRun, SIMULATION_ID};
use crate::support::{TestApp, with_app};

/// Statements for three twins: the planted first and second one answer alike, and the third as given here.
const THIRD: &str = "
    UPDATE personas SET attributes = jsonb_build_object('Gender', CASE id WHEN 1 THEN 'Male' ELSE 'Female' END,
        'Pet', CASE id WHEN 1 THEN 'Cat' END, 'pid', pid) WHERE id < 3;
    DELETE FROM request_failures WHERE persona_id = 3 AND question_id < 8;
    INSERT INTO responses (simulation_id, persona_id, question_id, answer, answer_value, attempt, model, prompt_hash,
        latency_ms, prompt_tokens, cached_tokens, completion_tokens)
    SELECT 7, 3, question, answer, value::jsonb, 1, 'gpt-test', '', 1, 1, 0, 1 FROM (VALUES
        (1, 'blue', '\"blue\"'), (2, '@home', '[\"@home\"]'),
        (3, 'Q1: Neutral | Q2: Neutral', '{\"Tea\": \"Neutral\", \"Coffee\": \"Neutral\"}'),
        (4, '5', '5.0'), (5, '3', '3'), (6, '15', '15'), (7, 'No', 'false')) AS said (question, answer, value);
    UPDATE simulations SET successful_requests = 24, failed_requests = 3;
    UPDATE transactions SET amount = 24, effect = -24 WHERE type = 'MINES';
    UPDATE group_members SET budget = budget - 7 WHERE user_id = 2";

fn tally(value: &str, count: i64, n: f64) -> Value {
    let interval = of_share(count as f64, n, 0.95).expect("somebody answered");
    let share = count as f64 / n;
    json!({"value": value, "count": count, "share": share, "low": interval.low, "high": interval.high})
}

#[tokio::test]
async fn figures_of_every_type_of_question_are_what_counting_gives() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        sample::run(&mut *app.connection().await, THIRD).await;
        let summary = owner.get(&at("summary")).await.ok();
        assert_eq!(summary["attributes"], json!(["Gender", "Pet", "pid"]));
        assert_eq!((&summary["by"], &summary["partial"]), (&Value::Null, &json!(false)));
        let questions = summary["questions"].as_array().expect("it has questions");
        assert_eq!(questions.len(), 9);
        assert!(questions[..7].iter().all(|question| question["n"] == 3));

        assert_eq!(questions[0]["counts"], json!([tally("-red", 2, 3.0), tally("blue", 1, 3.0)]));
        // Shares of the twins who answered: they add up to more than 1.
        let several = json!([tally("=A1", 2, 3.0), tally("@home", 3, 3.0), tally("none", 0, 3.0)]);
        assert_eq!(questions[1]["counts"], several);
        let coffee = &questions[2]["rows"][1];
        assert_eq!(coffee["row"], "Coffee");
        assert_eq!(coffee["counts"], json!([tally("Agree", 0, 3.0), tally("Neutral", 3, 3.0)]));
        assert_eq!((&coffee["n"], &coffee["mean"], &coffee["sd"]), (&json!(3), &json!(2.0), &json!(0.0)));
        // -7.5, -7.5, 5: mean -10/3.
        let slider = &questions[3];
        let mean = -10.0 / 3.0_f64;
        let close = |value: &Value, expected: f64| (value.as_f64().expect("a number") - expected).abs() < 1e-9;
        assert!(close(&slider["mean"], mean), "{slider}");
        let squares = 2.0 * (-7.5 - mean).powi(2) + (5.0 - mean).powi(2);
        assert!(close(&slider["sd"], (squares / 2.0_f64).sqrt()), "{slider}");
        assert_eq!((&slider["min"], &slider["max"]), (&json!(-7.5), &json!(5.0)));
        let bins = slider["bins"].as_array().expect("it has bins");
        assert_eq!(bins.iter().filter_map(|bin| bin["count"].as_i64()).sum::<i64>(), 3, "{bins:?}");
        assert_eq!(questions[5]["counts"], json!([tally("12", 2, 3.0), tally("15", 1, 3.0)]));
        assert_eq!(questions[6]["counts"], json!([tally("Yes", 2, 3.0), tally("No", 1, 3.0)]));
        assert_eq!((&questions[8]["n"], &questions[8]["counts"]), (&json!(1), &json!([])));
        assert_eq!(questions[8]["texts"], json!(["=HYPERLINK(\"http://x.example\")"]));
    })
    .await;
}

#[tokio::test]
async fn a_crosstab_splits_the_figures_by_an_attribute_and_loses_nobody() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        sample::run(&mut *app.connection().await, THIRD).await;
        let summary = owner.get(&at("summary?by=Gender")).await.ok();
        assert_eq!(summary["by"], "Gender");
        let colour = &summary["questions"][0];
        let groups = colour["groups"].as_array().expect("it has groups");
        let values: Vec<&str> = groups.iter().filter_map(|group| group["value"].as_str()).collect();
        assert_eq!(values, ["Male", "Female", "(not stated)"], "in the codebook's order");
        assert_eq!(summary["groups"][2], json!({"value": "(not stated)", "n": 1}));
        let gender = json!({"name": "Gender", "values": [{"value": "Male", "n": 1}, {"value": "Female", "n": 1}]});
        assert_eq!(summary["attributeValues"][0], gender);
        assert_eq!(groups[2]["counts"], json!([tally("-red", 0, 1.0), tally("blue", 1, 1.0)]));
        assert_eq!(summary["questions"][3]["groups"][2]["mean"], 5.0);
        assert_eq!(summary["questions"][2]["groups"][0]["rows"][0]["row"], "Tea");
        for question in summary["questions"].as_array().expect("it has questions") {
            let of_groups =
                question["groups"].as_array().expect("groups").iter().filter_map(|group| group["n"].as_i64());
            assert_eq!(Some(of_groups.sum()), question["n"].as_i64(), "{}", question["text"]);
        }
        let wrong = owner.get(&at("summary?by=Shoe%20size")).await.refused(400);
        assert_eq!(wrong, "by must be an attribute with at most 100 values: Gender, Pet, pid");
    })
    .await;
}

#[tokio::test]
async fn groups_are_tested_by_holm_over_all_tests_of_the_answer() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        sample::run(&mut *app.connection().await, THIRD).await;
        // Two say yes and answer alike, one says no and answers otherwise.
        let summary = owner.get(&at("summary?by=question:7")).await.ok();
        let rule = json!({"adjustment": "holm", "alpha": 0.05, "byPlan": false, "family": "", "notApplied": [],
            "words": "p by Holm over all tests of the answer, alpha .05."});
        assert_eq!(summary["rule"], rule);
        let close = |value: &Value, expected: f64| (value.as_f64().expect("a number") - expected).abs() < 1e-6;
        // χ² of [[2, 0], [0, 1]] is 3; an option of the second question is chosen alike.
        let colour = &summary["questions"][0]["tests"][0];
        assert!(close(&colour["statistic"], 3.0) && close(&colour["p"], 0.083_264_5), "{colour}");
        assert!(close(&colour["adjustedP"], 2.0 * 0.083_264_5) && colour["familySize"] == 2, "{colour}");
        assert_eq!((&colour["method"], &colour["verdict"]), (&json!("chi_squared"), &json!("no_clear_difference")));
        assert_eq!((&colour["isRough"], &colour["analysis"]), (&json!(true), &Value::Null));
        let several = summary["questions"][1]["tests"].as_array().expect("tests");
        let verdicts: Vec<_> = several.iter().map(|test| (&test["part"], &test["verdict"])).collect();
        let (open, clear) = (json!("cannot_tell"), json!("no_clear_difference"));
        assert_eq!(verdicts, [(&json!("=A1"), &clear), (&json!("@home"), &open), (&json!("none"), &open)]);
        let difference = &summary["questions"][0]["differences"][0];
        assert_eq!((&difference["group"], &difference["base"]), (&json!("No"), &json!("Yes")));
        assert!(close(&difference["difference"], -1.0) && difference["low"].is_number(), "{difference}");
        // What makes the groups is not tested, nor is free text.
        assert_eq!((&summary["questions"][6]["tests"], &summary["questions"][7]["tests"]), (&json!([]), &json!([])));
        // A twin that chose several options is in several groups.
        let several = owner.get(&at("summary?by=question:2")).await.ok();
        assert!(several["questions"].as_array().expect("questions").iter().all(|each| each["tests"] == json!([])));
        let slider = &summary["questions"][3];
        assert!(slider["meanLow"].as_f64() < slider["mean"].as_f64() && slider["meanHigh"].is_number(), "{slider}");
    })
    .await;
}

#[tokio::test]
async fn runs_are_set_side_by_side_question_by_question() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        sample::run(&mut *app.connection().await, THIRD).await;
        let own = SIMULATION_ID;
        let compared = owner.get(&at(&format!("comparison?others={own}"))).await.ok();
        assert_eq!(compared["simulationIds"], json!([own, own]));
        let questions = compared["questions"].as_array().expect("questions");
        assert_eq!(questions.len(), 7, "free text is not compared");
        let colour = &questions[0];
        assert_eq!((&colour["n"], &colour["counts"][0]), (&json!(6), &tally("-red", 4, 6.0)));
        assert_eq!((&colour["groups"][0]["value"], &colour["groups"][1]["n"]), (&json!("A"), &json!(3)));
        assert_eq!(colour["asked"][1], json!({"run": "B", "questionId": 1, "order": 1, "text": colour["text"]}));
        assert_eq!((&colour["tests"][0]["p"], &colour["tests"][0]["distance"]), (&json!(1.0), &json!(0.0)));
        assert_eq!(colour["differences"][0]["difference"], 0.0);
        let refused = owner.get(&at("comparison?others=")).await.refused(400);
        assert_eq!(refused, "others: name one to three other simulations");
        assert_eq!(owner.get(&at("comparison?others=x")).await.refused(400), "others: x is no id of a simulation");
    })
    .await;
}

#[tokio::test]
async fn answers_are_crossed_with_another_question_whose_takers_of_several_options_are_in_several_groups() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        sample::run(&mut *app.connection().await, THIRD).await;
        let summary = owner.get(&at("summary?by=question:2")).await.ok();
        assert_eq!(summary["groups"], json!([{"value": "=A1", "n": 2}, {"value": "@home", "n": 3}]));
        let colour = &summary["questions"][0];
        assert_eq!((&colour["n"], &colour["counts"][0]), (&json!(3), &tally("-red", 2, 3.0)), "nobody counts twice");
        assert_eq!(colour["groups"][0]["counts"], json!([tally("-red", 2, 2.0), tally("blue", 0, 2.0)]));
        assert_eq!(colour["groups"][1]["counts"], json!([tally("-red", 2, 3.0), tally("blue", 1, 3.0)]));
        assert_eq!(summary["questions"][2]["groups"][1]["rows"][1]["n"], 3);
        let edges = |figures: &Value| -> Vec<Value> {
            figures["bins"].as_array().expect("bins").iter().map(|bin| bin["from"].clone()).collect()
        };
        let slider = &summary["questions"][3];
        assert_eq!(edges(slider), edges(&slider["groups"][0]));
        let yes_first = owner.get(&at("summary?by=question:7")).await.ok();
        assert_eq!(yes_first["groups"], json!([{"value": "Yes", "n": 2}, {"value": "No", "n": 1}]));
        let refused = owner.get(&at("summary?by=question:8")).await.refused(400);
        assert_eq!(refused, "by: question 8 is answered in free words");
        assert_eq!(owner.get(&at("summary?by=question:99")).await.refused(400), "by: the run has no question 99");
    })
    .await;
}

#[tokio::test]
async fn answers_are_crossed_with_a_row_of_a_matrix_whose_labels_come_in_the_order_of_the_scale() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        sample::run(&mut *app.connection().await, THIRD).await;
        // Tea is rated Agree, Agree, Neutral; coffee Neutral by all.
        let summary = owner.get(&at("summary?by=question:3:row:1")).await.ok();
        assert_eq!(summary["groups"], json!([{"value": "Agree", "n": 2}, {"value": "Neutral", "n": 1}]));
        let colour = &summary["questions"][0]["groups"];
        assert_eq!(colour[0]["counts"], json!([tally("-red", 2, 2.0), tally("blue", 0, 2.0)]));
        assert_eq!(colour[1]["counts"], json!([tally("-red", 0, 1.0), tally("blue", 1, 1.0)]));
        assert_eq!(summary["questions"][2]["groups"][1]["rows"][1]["counts"][1], tally("Neutral", 1, 1.0));
        let coffee = owner.get(&at("summary?by=question:3:row:2")).await.ok();
        assert_eq!(coffee["groups"], json!([{"value": "Neutral", "n": 3}]));
        let like = owner.get(&at("summary?where=question:3:row:1:Agree&by=question:7")).await.ok();
        assert_eq!((&like["n"], &like["groups"]), (&json!(2), &json!([{"value": "Yes", "n": 2}])));
        let either = "summary?where=question:3:row:1:Agree&where=question:3:row:1:Neutral";
        assert_eq!(owner.get(&at(either)).await.ok()["n"], 3);
        let both = "summary?where=question:3:row:1:Agree&where=question:3:row:2:Agree";
        assert_eq!(owner.get(&at(both)).await.ok()["n"], 0);
        for (query, expected) in [
            ("by=question:3", "by: question 3 is a matrix: name one of its rows, as question:3:row:1"),
            ("by=question:3:row:3", "by: question 3 has no row 3"),
            ("by=question:3:row:0", "by: question 3 has no row 0"),
            ("by=question:1:row:1", "by: question:1:row:1 names an answer, not a question"),
            ("where=question:3:row:1", "where must be name:value or question:id:option, not question:3:row:1"),
        ] {
            assert_eq!(owner.get(&at(&format!("summary?{query}"))).await.refused(400), expected);
        }
    })
    .await;
}

#[tokio::test]
async fn answers_are_crossed_with_numbers_by_round_intervals_which_a_filter_leaves_as_they_are() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        sample::run(&mut *app.connection().await, THIRD).await;
        // The slider reaches from -10 to 10; the answers are -7.5, -7.5 and 5.
        let summary = owner.get(&at("summary?by=question:4")).await.ok();
        assert_eq!(summary["groups"], json!([{"value": "-8 to -6", "n": 2}, {"value": "4 to 6", "n": 1}]));
        assert_eq!(summary["questions"][0]["groups"][1]["counts"][1], tally("blue", 1, 1.0));
        // A scale of five, one by one, and a number without a range: 12, 12, 15.
        let often = owner.get(&at("summary?by=question:5")).await.ok();
        assert_eq!(often["groups"], json!([{"value": "3", "n": 3}]));
        let many = owner.get(&at("summary?by=question:6")).await.ok();
        assert_eq!(many["groups"], json!([{"value": "12", "n": 2}, {"value": "15", "n": 1}]));
        let warm = owner.get(&at("summary?where=question:4:4%20to%206&by=question:6")).await.ok();
        assert_eq!((&warm["n"], &warm["groups"]), (&json!(1), &json!([{"value": "15", "n": 1}])));
        assert_eq!(warm["questions"][5]["counts"], json!([tally("15", 1, 1.0)]));
        let edges = |summary: &Value| -> Vec<Value> {
            let bins = summary["questions"][5]["bins"].as_array().expect("bins").iter();
            bins.map(|bin| bin["from"].clone()).collect()
        };
        assert_eq!(edges(&warm), edges(&summary), "12 to 15, also where only 15 is left");
        assert_eq!(edges(&warm), [12.0, 13.0, 14.0, 15.0]);
        let both = "summary?where=question:6:12&where=question:6:15";
        assert_eq!(owner.get(&at(both)).await.ok()["n"], 3);
        assert_eq!(owner.get(&at("summary?where=question:4:(not%20stated)")).await.ok()["n"], 0);
    })
    .await;
}

#[tokio::test]
async fn a_filter_takes_alternatives_of_one_name_and_wants_every_name() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        sample::run(&mut *app.connection().await, THIRD).await;
        let n = async |conditions: &str| owner.get(&at(&format!("summary?{conditions}"))).await.ok()["n"].clone();
        assert_eq!(n("where=Gender:Male").await, 1);
        assert_eq!(n("where=Gender:Male&where=Gender:Female").await, 2);
        assert_eq!(n("where=Gender:(not%20stated)").await, 1);
        assert_eq!(n("where=Gender:Female&where=Pet:Cat").await, 0);
        assert_eq!(n("where=question:7:Yes&where=question:2:@home").await, 2);
        assert_eq!(n("where=question:2:none").await, 0);
        let blue = owner.get(&at("summary?where=question:1:blue&by=Gender")).await.ok();
        assert_eq!(blue["questions"][0]["counts"], json!([tally("-red", 0, 1.0), tally("blue", 1, 1.0)]));
        assert_eq!(blue["groups"], json!([{"value": "(not stated)", "n": 1}]));
        assert_eq!(blue["questions"][8]["texts"], json!([]), "texts are filtered too");
        assert_eq!(blue["attributeValues"][0]["values"][0]["n"], 1, "what can be chosen stays");
        for (conditions, message) in [
            ("where=Gender:Male&where=Gender:Nobody", "where: no twin of the run has the value \"Nobody\" for Gender"),
            ("where=question:1:green", "where: no twin of the run has the value \"green\" for question:1"),
            (
                "where=question:3:row:1:Perhaps",
                "where: no twin of the run has the value \"Perhaps\" for question:3:row:1",
            ),
        ] {
            assert_eq!(owner.get(&at(&format!("summary?{conditions}"))).await.refused(400), message);
        }
        let refused = owner.get(&at("summary?where=Shoe:43")).await.refused(400);
        assert_eq!(refused, "where: no twin has the attribute Shoe");
        let refused = owner.get(&at("summary?where=Gender")).await.refused(400);
        assert_eq!(refused, "where must be name:value or question:id:option, not Gender");
    })
    .await;
}

#[tokio::test]
async fn a_run_without_answers_has_figures_of_nothing() {
    // The checks of the ledger are left out: it remembers that these answers were paid for.
    let app = TestApp::start(&[]).await;
    let owner = owner(&app, PlantedRun::Running).await;
    sample::run(&mut *app.connection().await, "DELETE FROM responses").await;
    let summary = owner.get(&at("summary")).await.ok();
    assert_eq!(summary["partial"], true);
    let first = &summary["questions"][0];
    assert_eq!((&first["n"], &first["mean"]), (&json!(0), &Value::Null));
    let nothing = |value: &str| json!({"value": value, "count": 0, "share": 0.0, "low": null, "high": null});
    assert_eq!(first["counts"], json!([nothing("-red"), nothing("blue")]));
    app.stop().await;
}
