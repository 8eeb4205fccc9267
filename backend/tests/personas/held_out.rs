//! Held-out answers are stored apart from the personas, and joined with another file's texts of the same people.

use diesel::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;
use twinlab::schema::{
    held_out_answers, held_out_questions, personas, profile_answers, profile_items, profile_questions,
};

use super::run;
use crate::support::Database;

fn wave(framing: i64, agree: [i64; 2]) -> Value {
    json!([{ "ElementType": "Block", "BlockName": "Heuristics", "Questions": [
        { "QuestionID": "QID157", "QuestionType": "MC", "QuestionText": "Which programme would you choose?",
          "Options": ["A", "B"], "Settings": { "Selector": "SAVR" }, "Answers": { "SelectedByPosition": framing } },
        { "QuestionID": "QID287", "QuestionType": "Matrix", "QuestionText": "Do you agree?", "Rows": ["One", "Two"],
          "Columns": ["No", "Yes"], "Answers": { "SelectedByPosition": agree } },
    ]}])
}

fn profile(question: &str) -> Value {
    json!([{ "ElementType": "Block", "Questions": [
        { "QuestionID": "QID11", "QuestionType": "MC", "QuestionText": question, "Options": ["x"],
          "Answers": { "SelectedByPosition": 1 } }]}])
}

/// A line of JSON Lines in the shape of `wave_split`.
fn person(pid: i64, question: &str) -> String {
    json!({
        "pid": pid, "wave1_3_persona_text": format!("{question}\nAnswer: x"),
        "wave1_3_persona_json": profile(question).to_string(),
        "wave4_Q_wave1_3_A": wave(1, [2, 1]).to_string(), "wave4_Q_wave4_A": wave(2, [2, 2]).to_string(),
    })
    .to_string()
}

#[test]
fn answers_of_wave_4_are_kept_apart_with_the_summaries_of_the_same_people() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let file = |name: &str, lines: &[String]| {
        let file = folder.path().join(name);
        std::fs::write(&file, lines.join("\n")).expect("a file");
        file.to_string_lossy().into_owned()
    };
    let summary = |pid: i64| json!({"pid": pid, "persona_summary": format!("Gender: Female\nAge: 30-49\nEssay {pid}")});
    let full = file("full.jsonl", &[summary(1).to_string(), summary(2).to_string()]);
    let split = file("split.jsonl", &[person(1, "How old are you?"), person(2, "How old are you?")]);
    assert_eq!(run(&database, &["import", &full, "--dataset", "twin-2k-500"]).code, Some(0));
    let outcome = run(&database, &["import", &split]);
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");

    let mut conn = database.connect();
    let kept: Vec<(i32, Vec<String>, Value)> = held_out_answers::table
        .order(held_out_answers::persona_id)
        .select((held_out_answers::persona_id, held_out_answers::asked, held_out_answers::answers))
        .load(&mut conn)
        .expect("answers");
    let answers = json!({"QID157": [1.0, 2.0], "QID287_1": [2.0, 2.0], "QID287_2": [1.0, 2.0]});
    assert_eq!(kept.len(), 2);
    assert_eq!(kept[0], (1, vec!["QID157".to_owned(), "QID287".to_owned()], answers));
    let questions: Vec<String> = held_out_questions::table
        .order(held_out_questions::position)
        .select(held_out_questions::qid)
        .load(&mut conn)
        .expect("questions");
    assert_eq!(questions, ["QID157", "QID287"]);
    let profile: Vec<String> = profile_questions::table.select(profile_questions::text).load(&mut conn).expect("texts");
    assert_eq!(profile, ["How old are you?"]);
    let items: Vec<Value> = profile_items::table.select(profile_items::question).load(&mut conn).expect("questions");
    assert_eq!(items, [json!({"qid": "QID11", "text": "How old are you?", "kind": {"choice": ["x"]}})]);
    let own: Vec<(i32, Value)> = profile_answers::table
        .order(profile_answers::persona_id)
        .select((profile_answers::persona_id, profile_answers::answers))
        .load(&mut conn)
        .expect("answers");
    assert_eq!(own, [(1, json!({"QID11": 1.0})), (2, json!({"QID11": 1.0}))]);
    let twins: Vec<(Option<String>, Option<String>, Value)> = personas::table
        .filter(personas::full_text.is_not_null())
        .order(personas::id)
        .select((personas::summary, personas::full_text, personas::attributes))
        .load(&mut conn)
        .expect("twins");
    assert_eq!(twins[1].0.as_deref(), Some("Gender: Female\nAge: 30-49\nEssay 2"));
    assert_eq!(twins[1].2, json!({"Gender": "Female", "Age": "30-49"}));
    assert!(!twins[1].1.as_ref().expect("a text").contains("programme"));
    let source: String = twinlab::schema::persona_sets::table
        .filter(twinlab::schema::persona_sets::is_current)
        .select(twinlab::schema::persona_sets::source)
        .first(&mut conn)
        .expect("a set");
    assert_eq!(
        source,
        "Twin-2K-500 wave_split (split.jsonl), with the summaries of Twin-2K-500 full_persona (full.jsonl)"
    );
}

#[test]
fn a_data_set_does_not_get_the_summaries_of_an_own_file() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let mine = folder.path().join("mine.csv");
    std::fs::write(&mine, "pid,persona_summary\n1,Mine\n").expect("a file");
    let split = folder.path().join("split.jsonl");
    std::fs::write(&split, person(1, "How old are you?")).expect("a file");
    for file in [&mine, &split] {
        assert_eq!(super::import(&database, file).code, Some(0));
    }
    let (source, _, twins) = super::current(&database);
    assert_eq!(source, "Twin-2K-500 wave_split (split.jsonl)");
    assert_eq!((twins.len(), &twins[0].summary), (1, &None));
}

#[test]
fn a_profile_that_was_asked_a_held_out_question_is_refused() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("split.jsonl");
    std::fs::write(&file, person(1, "Which programme would you choose?")).expect("a file");
    let outcome = run(&database, &["import", &file.to_string_lossy()]);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.only_line().ends_with("line 1: the question QID157 of wave 4 is also in the profile"),
        "{outcome:?}"
    );

    let broken = person(1, "How old are you?").replace("\\\"QuestionID\\\":\\\"QID157\\\"", "oh");
    std::fs::write(&file, broken).expect("a file");
    let outcome = run(&database, &["import", &file.to_string_lossy()]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.only_line().contains("line 1: the answers of wave 4 are no JSON: "), "{outcome:?}");
}
