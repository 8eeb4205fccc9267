//! Runs with texts without an answer, sums, rankings, best and worst choices, and matrices with several labels a row.

use diesel::sql_types::{Array, BigInt, Text};
use diesel_async::RunQueryDsl;
use export::table::Cell;
use model_server::{Faults, ModelServer};
use serde_json::{Value, json};
use simulation::columns::Columns;
use simulation::parameters::Parameters;
use simulation::summaries::figures::RowFigures;
use simulation::summaries::variables::Variable;
use twinlab::models::simulations::SimulationRefusal;
use twinlab::models::simulations::start::{NewSimulation, PersonaChoice, start};
use twinlab::models::summaries::{self, SummaryRequest, Twins};
use twinlab::models::survey_file::SurveyFile;
use twinlab::models::surveys::NewSurvey;
use twinlab::results::pages::Pages;
use twinlab::results::runs;

use crate::support::engine_fixture::EngineFixture;

/// The summaries that `scripts/summaries-golden.py` wrote.
fn golden() -> Value {
    serde_json::from_str(include_str!("fixtures/summaries.json")).expect("it is JSON")
}

fn survey() -> Value {
    let golden = golden();
    let (options, rows, labels) = (&golden["options"], &golden["rows"], &golden["labels"]);
    json!({ "title": "Types", "questions": [
        { "type": "INFO", "name": "intro", "text": "You plan a month." },
        { "type": "CONSTANT_SUM", "name": "budget", "text": "Divide the budget", "options": options },
        { "type": "RANK", "name": "ranks", "text": "Rank them", "options": options },
        { "type": "INFO", "name": "turn", "text": "Now choose." },
        { "type": "BEST_WORST", "name": "ends", "text": "Which matters?", "options": options },
        { "type": "MATRIX_MULTI", "name": "times", "text": "When?", "sub_questions": rows, "scale_labels": labels },
    ] })
}

#[actix_web::test]
async fn a_demo_run_asks_and_charges_for_questions_alone_and_shows_the_texts() {
    let stub = ModelServer::start(Faults::demo());
    let fixture = EngineFixture::new(5).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(&survey(), PersonaChoice::Random(5), |parameters| parameters.questions_per_call = 2).await;
    let started = fixture.run(id).await;
    assert_eq!((started.question_count, started.total_requests), (4, 20));
    let ended = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((ended.successful_requests, ended.failed_requests), (20, 0));
    fixture.sound_and_paid(20).await;

    let mut conn = fixture.pool.get().await.expect("a connection");
    let run = runs::load(&conn, id).await.expect("the run");
    assert_eq!((run.survey.questions.len(), run.questions.len()), (6, 4));
    // The sent prompts are rebuilt byte for byte, including the texts.
    for (question, texts) in [(0, ["You plan a month.", ""]), (3, ["You plan a month.", "Now choose."])] {
        let asked = twinlab::results::prompt::of_answer(&mut conn, &run, 1, run.questions[question].id).await;
        let prompt = asked.expect("it is read").expect("twin 1 answered").prompt.expect("the hash is the same");
        let body: Value = serde_json::from_str(prompt.body()).expect("it is JSON");
        let message = body["messages"][1]["content"].as_str().expect("a text");
        assert!(texts.iter().all(|text| message.contains(text)), "{message}");
        assert!(message.starts_with("You plan a month.\n\n"), "{message}");
    }
    let mut answered = 0;
    let mut pages = Pages::new(&run);
    while let Some(page) = pages.next(&conn).await.expect("a page") {
        for interview in page {
            let cells = Columns::of(&run).row(&run, &interview);
            let sum: f64 = cells[2..6].iter().filter_map(number).sum();
            assert_eq!(sum, 100.0, "{cells:?}");
            let mut ranks: Vec<f64> = cells[6..10].iter().filter_map(number).collect();
            ranks.sort_by(f64::total_cmp);
            assert_eq!(ranks, [1.0, 2.0, 3.0, 4.0]);
            assert!(matches!((&cells[10], &cells[11]), (Cell::Code(best), Cell::Code(worst)) if best != worst));
            answered += 1;
        }
    }
    assert_eq!(answered, 5);
}

#[actix_web::test]
async fn a_survey_of_texts_alone_has_nothing_to_ask() {
    let fixture = EngineFixture::new(1).await;
    let texts = json!({ "title": "Texts", "questions": [{ "type": "INFO", "text": "Welcome." }] });
    let content = SurveyFile::parse(texts.to_string().as_bytes(), "survey.json").expect("a valid survey");
    let mut conn = fixture.pool.get().await.expect("a connection");
    let new = NewSurvey { user_id: fixture.user_id, group_id: fixture.group_id, content: &content };
    let (survey, _) = new.create(&mut conn).await.expect("a survey");
    let parameters = Parameters::new("gpt-test", 1, 20);
    let new = NewSimulation::new(survey.id, fixture.user_id, PersonaChoice::Random(1), parameters, true);
    let refusal = start(&mut conn, new).await.expect_err("it is refused");
    assert!(matches!(refusal, SimulationRefusal::NoQuestions), "{refusal:?}");
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Number(number) => Some(*number),
        _ => None,
    }
}

/// Plants a run of the survey with the golden answers and returns its id.
async fn planted(fixture: &EngineFixture) -> i64 {
    let golden = golden();
    let answers = ["sums", "rankings", "ends", "several"].map(|key| golden["answers"][key].as_array().expect("a list"));
    let id = fixture.start(&survey(), PersonaChoice::Random(answers[0].len() as i32), |_| ()).await;
    let mut conn = fixture.pool.get().await.expect("a connection");
    let run = runs::load(&conn, id).await.expect("the run");
    for (question, answers) in run.questions.iter().zip(answers) {
        diesel::sql_query(
            "INSERT INTO responses (simulation_id, persona_id, question_id, answer, answer_value, attempt, model,
                prompt_hash, latency_ms, prompt_tokens, cached_tokens, completion_tokens)
             SELECT $1, place, $2, value, value::jsonb, 1, 'gpt-test', '', 1, 1, 0, 1
             FROM unnest($3) WITH ORDINALITY AS said (value, place)",
        )
        .bind::<BigInt, _>(id)
        .bind::<BigInt, _>(question.id)
        .bind::<Array<Text>, _>(answers.iter().map(Value::to_string).collect::<Vec<_>>())
        .execute(&mut conn)
        .await
        .expect("the answers are stored");
    }
    let genders = "UPDATE personas SET attributes = jsonb_build_object('Gender',
        CASE WHEN id <= 15 THEN 'Female' ELSE 'Male' END)";
    diesel::sql_query(genders).execute(&mut conn).await.expect("attributes");
    id
}

fn close(found: Option<f64>, expected: &Value) -> bool {
    found.zip(expected.as_f64()).is_some_and(|(found, expected)| (found - expected).abs() < 1e-9)
}

fn are_as_expected(rows: &[RowFigures], expected: &Value, has_mean: bool) {
    assert_eq!(rows.len(), expected.as_object().expect("by row").len());
    for row in rows {
        let expected = &expected[&row.row];
        assert_eq!(expected["n"], row.n, "{row:?}");
        if has_mean {
            assert!(close(row.mean, &expected["mean"]) && close(row.sd, &expected["sd"]), "{row:?} {expected}");
        } else {
            assert_eq!((row.mean, row.sd), (None, None));
        }
        let shares = expected["shares"].as_array().map(Vec::as_slice).unwrap_or_default();
        assert_eq!(row.counts.len(), shares.len());
        for (count, share) in row.counts.iter().zip(shares) {
            assert!(close(Some(count.share), share), "{row:?} {expected}");
        }
    }
}

#[actix_web::test]
async fn figures_of_options_and_rows_are_those_of_scipy_and_groups_add_up() {
    let golden = golden();
    let fixture = EngineFixture::new(golden["answers"]["sums"].as_array().expect("a list").len() as i32).await;
    let id = planted(&fixture).await;
    let mut conn = fixture.pool.get().await.expect("a connection");
    let run = runs::load(&conn, id).await.expect("the run");
    let gender = Variable::parse("Gender", &run.questions).expect("a variable");
    let twins = Twins::load(&mut conn, id, &run.questions, std::iter::empty()).await.expect("the twins");
    let wanted = SummaryRequest { by: Some(gender), ..SummaryRequest::default() };
    let summary = summaries::of_run(&mut conn, id, &run.questions, &twins, &wanted).await.expect("a summary");
    assert_eq!(summary.questions.iter().map(|question| question.order).collect::<Vec<_>>(), [2, 3, 5, 6]);
    for (question, key) in summary.questions.iter().zip(["sums", "rankings", "ends", "several"]) {
        are_as_expected(&question.figures.rows, &golden["expected"][key], key != "several");
        assert_eq!(question.groups.iter().map(|group| group.figures.n).collect::<Vec<_>>(), [25, 15]);
        for (place, whole) in question.figures.rows.iter().enumerate() {
            let rows = question.groups.iter().map(|group| &group.figures.rows[place]);
            assert_eq!(rows.clone().map(|row| row.n).sum::<i64>(), whole.n);
            if let Some(mean) = whole.mean {
                let sum: f64 = rows.map(|row| row.mean.expect("a mean") * row.n as f64).sum();
                assert!((sum / whole.n as f64 - mean).abs() < 1e-9);
            }
        }
    }

    // A row with several labels divides personas into overlapping groups; other answers with several values form no
    // groups.
    let [sums, rankings, ends, times] = [0, 1, 2, 3].map(|place: usize| run.questions[place].id);
    for id in [sums, rankings, ends] {
        let refusal = Variable::parse(&format!("question:{id}"), &run.questions).expect_err("no groups");
        assert!(refusal.ends_with("is answered with several values: twins cannot be grouped by it"), "{refusal}");
    }
    let phone = Variable::parse(&format!("question:{times}:row:1"), &run.questions).expect("a variable");
    let twins = Twins::load(&mut conn, id, &run.questions, std::iter::once(&phone)).await.expect("the twins");
    let wanted = SummaryRequest { by: Some(phone), ..SummaryRequest::default() };
    let by_phone = summaries::of_run(&mut conn, id, &run.questions, &twins, &wanted).await.expect("a summary");
    let shares = golden["expected"]["several"]["Phone"]["shares"].as_array().expect("shares");
    for (group, share) in by_phone.groups.iter().zip(shares) {
        assert!(close(Some(group.n as f64 / 40.0), share), "{group:?} {share}");
    }
}

#[actix_web::test]
async fn a_wide_file_has_a_column_for_each_option_and_for_each_row_and_label() {
    let golden = golden();
    let fixture = EngineFixture::new(40).await;
    let id = planted(&fixture).await;
    let conn = fixture.pool.get().await.expect("a connection");
    let run = runs::load(&conn, id).await.expect("the run");
    let columns = Columns::of(&run);
    let names: Vec<&str> = columns.0[2..].iter().map(|of| &*of.column.name).collect();
    let parts = ["budget_1", "budget_2", "budget_3", "budget_4", "ranks_1", "ranks_2", "ranks_3", "ranks_4"];
    let labels = ["times_1_1", "times_1_2", "times_1_3", "times_2_1", "times_2_2", "times_2_3"];
    assert_eq!(names, [&parts[..], &["ends_best", "ends_worst"], &labels].concat());
    assert_eq!(columns.0[3].column.label, "Divide the budget: Food");
    assert_eq!(columns.0[10].column.label, "Which matters?: best");
    assert_eq!(columns.0[12].column.label, "When?: Phone: Morning");
    let page = Pages::new(&run).next(&conn).await.expect("a page").expect("it has twins");
    let answers = &golden["answers"];
    for (place, interview) in page.iter().enumerate() {
        let cells = columns.row(&run, interview);
        for (number, option) in
            golden["options"].as_array().expect("a list").iter().filter_map(Value::as_str).enumerate()
        {
            let given = answers["sums"][place][option].as_f64().expect("a number");
            assert_eq!(cells[2 + number], Cell::Number(given));
            let ranked = answers["rankings"][place].as_array().expect("a list");
            let rank = ranked.iter().position(|each| each == option).expect("it is ranked") + 1;
            assert_eq!(cells[6 + number], Cell::Number(rank as f64));
            let is_best = answers["ends"][place]["best"] == option;
            assert_eq!(cells[10] == Cell::Code(number as i32 + 1), is_best);
        }
        let evening = answers["several"][place]["Television"].as_array().expect("a list").contains(&json!("Evening"));
        assert_eq!(cells[17], Cell::Code(evening.into()));
    }
}
