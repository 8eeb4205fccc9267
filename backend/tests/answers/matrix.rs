//! Search and order of the matrix and of the lists of answers.

use serde_json::Value;

use super::{at, owner};
use crate::support::sample::{self, PlantedRun};
use crate::support::{Client, TestApp, with_app};

/// The owner of a run whose first two twins answer differently and whose third has failed.
async fn with_answers(app: &TestApp) -> Client {
    let owner = owner(app, PlantedRun::Failed).await;
    let answers = r#"UPDATE personas SET attributes = '{"Gender": "Female", "Home town": "Ulm"}' WHERE id < 3;
         UPDATE personas SET attributes = '{"Gender": "Male"}' WHERE id = 3;
         UPDATE personas SET name = CASE id WHEN 1 THEN 'Twin 10' ELSE 'twin 9' END WHERE id < 3;
         UPDATE responses SET answer = new.answer, answer_value = new.value
         FROM (VALUES (1, 'blue', '"blue"'::jsonb), (4, '10', '10'), (8, 'A cup of Tea', '"A cup of Tea"'),
             (3, 'Q1: Neutral | Q2: Agree', '{"Tea": "Neutral", "Coffee": "Agree"}')) AS new (question, answer, value)
         WHERE persona_id = 1 AND question_id = new.question"#;
    sample::run(&mut *app.connection().await, answers).await;
    owner
}

fn rows(list: Value) -> Vec<Value> {
    list.as_array().expect("an array").clone()
}

/// The full count and the ids of the twins of a page of the matrix.
async fn twins(owner: &Client, query: &str) -> (usize, Vec<i64>) {
    let answer = owner.get(&at(&format!("responses/matrix?{query}"))).await;
    let total = answer.headers["x-total-count"].to_str().expect("text").parse().expect("a number");
    let id = |row: &Value| row["personaId"].as_i64().expect("an id");
    (total, answer.ok().as_array().expect("an array").iter().map(id).collect())
}

#[tokio::test]
async fn the_matrix_is_sorted_by_names_numbers_and_options_and_blanks_come_last() {
    with_app(async |app| {
        let owner = with_answers(app).await;
        for (query, expected) in [
            ("sort=persona", [2, 1, 3]),
            ("sort=persona&order=desc", [3, 1, 2]),
            ("sort=question:1", [2, 1, 3]),
            ("sort=question:1&order=desc", [1, 2, 3]),
            ("sort=question:4&order=asc", [2, 1, 3]),
            ("sort=question:3:row:1", [2, 1, 3]),
            ("sort=question:3:row:2", [1, 2, 3]),
            ("sort=question:8", [2, 1, 3]),
            // Equal answers keep the order of the twins.
            ("sort=question:7", [1, 2, 3]),
            ("sort=question:7&order=desc", [1, 2, 3]),
        ] {
            assert_eq!(twins(&owner, query).await, (3, expected.to_vec()), "{query}");
        }
        let row = owner.get(&at("responses/matrix?sort=persona&limit=1&offset=1")).await.ok()[0].clone();
        assert_eq!(row, owner.get(&at("responses/matrix?limit=1")).await.ok()[0], "rows are the same in every order");
    })
    .await;
}

#[tokio::test]
async fn a_search_finds_every_word_in_names_attributes_and_answers_and_is_paged() {
    with_app(async |app| {
        let owner = with_answers(app).await;
        for (query, expected) in [
            ("q=tea", vec![1]),
            ("search=TEA+ulm", vec![1]),
            ("q=twin", vec![1, 2]),
            ("q=cup+bus", vec![]),
            ("q=%25", vec![]),
            ("q=failed", vec![2, 3]),
            ("q=failed&where=Gender:Female", vec![2]),
            ("q=ulm&sort=question:4", vec![2, 1]),
        ] {
            assert_eq!(twins(&owner, query).await, (expected.len(), expected), "{query}");
        }
        assert_eq!(twins(&owner, "q=ulm&sort=question:4&limit=1&offset=1").await, (2, vec![1]));
        assert_eq!(twins(&owner, "q=ulm&limit=1&offset=2").await, (2, vec![]));
        let page = owner.get(&at("responses/matrix?q=ulm&sort=persona&limit=1")).await;
        let link = page.headers["link"].to_str().expect("text");
        assert!(link.contains("q=ulm&sort=persona&limit=1&offset=1>; rel=\"next\""), "{link}");
    })
    .await;
}

#[tokio::test]
async fn lists_of_answers_are_searched_and_sorted_by_twin_like_the_matrix_whole_and_page_by_page() {
    with_app(async |app| {
        let owner = with_answers(app).await;
        for list in ["responses/formatted", "responses/debug"] {
            let unsorted = rows(owner.get(&at(list)).await.ok());
            for (query, order) in [
                ("sort=persona&order=desc", vec![3, 1, 2]),
                ("sort=question:4", vec![2, 1, 3]),
                ("q=ulm&sort=question:4", vec![2, 1]),
                ("q=tea", vec![1]),
                ("q=nowhere", vec![]),
            ] {
                let mut expected = Vec::new();
                for twin in order {
                    expected.extend(unsorted.iter().filter(|row| row["personaId"] == twin).cloned());
                }
                assert_eq!(rows(owner.get(&at(&format!("{list}?{query}"))).await.ok()), expected, "{list}?{query}");
                let mut paged = Vec::new();
                for offset in (0..=expected.len()).step_by(5) {
                    let page = owner.get(&at(&format!("{list}?{query}&limit=5&offset={offset}"))).await;
                    assert_eq!(page.headers["x-total-count"], expected.len().to_string().as_str(), "{list}?{query}");
                    paged.extend(rows(page.ok()));
                }
                assert_eq!(paged, expected, "{list}?{query}, page by page");
            }
            owner.get(&at(&format!("{list}?sort=Shoes"))).await.refused(400);
        }
    })
    .await;
}

#[tokio::test]
async fn a_column_that_the_matrix_does_not_have_is_refused_by_its_name() {
    with_app(async |app| {
        let owner = with_answers(app).await;
        let no_column = "is no column, which are persona, question:ID and question:ID:row:NUMBER";
        for (query, message) in [
            ("sort=Shoes", format!("sort: \"Shoes\" {no_column}")),
            ("sort=question:x", format!("sort: \"question:x\" {no_column}")),
            ("sort=question:99", "sort: the run has no question 99".to_owned()),
            ("sort=question:3:row:3", "sort: question 3 has no row 3".to_owned()),
            ("sort=question:1:row:1", "sort: question 1 has no row 1".to_owned()),
        ] {
            assert_eq!(owner.get(&at(&format!("responses/matrix?{query}"))).await.refused(400), message);
        }
        let long = format!("responses/matrix?q={}", "x".repeat(201));
        assert_eq!(owner.get(&at(&long)).await.refused(400), "q must have at most 200 characters");
        owner.get(&at("responses/matrix?sort=persona&order=up")).await.refused(400);
    })
    .await;
}
