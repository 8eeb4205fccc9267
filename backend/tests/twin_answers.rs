//! The answers of twins reach the statistics unchanged, as if they were read from their own file.

use bundle::tables::wide::Encoder;
use evidence::options::ComparisonOptions;
use evidence::upload::{self, ReservedColumns};
use export::table::{CSV, Form};
use model_server::Faults;
use simulation::columns::Columns;
use simulation::encode::Encode;
use simulation::items::questions;
use twinlab::db::AsyncPool;
use twinlab::results::pages::Pages;
use twinlab::results::people;
use twinlab::results::runs;

use crate::bundle::{bundled, designed};
use crate::support::sample::{self, PlantedRun};
use crate::support::with_app;

/// Compares the collected answers of a run with those read from its wide file.
async fn assert_same_as_file(pool: &AsyncPool, id: i64, reserved: &ReservedColumns) {
    let mut conn = pool.get().await.expect("a connection");
    let run =
        runs::with_attributes(runs::load(&conn, id).await.expect("the run"), &mut conn).await.expect("attributes");
    let mut encoder = Encoder::new(&run, Columns::of(&run), CSV, Form::Labels, true, "test").expect("an encoder");
    let mut file = encoder.head();
    let mut pages = Pages::new(&run);
    while let Some(page) = pages.next(&conn).await.expect("a page") {
        encoder.page(&run, &page, &mut file).expect("rows");
    }
    let questions = questions(&run.questions.iter().cloned().map(Into::into).collect::<Vec<_>>());
    let table = upload::parse(&file, |_| false).expect("a table");
    let mapping = upload::match_corrected(&questions, &table, &ComparisonOptions::default()).expect("a match");
    let of_file = upload::respondents(&questions, &table, &mapping, reserved);
    let mut collected = people::twins(pool, &run, reserved).await.expect("its twins");
    // A file of twins does not say what is an experiment.
    collected.respondents.experiments.clear();
    assert_eq!((of_file.refusal(), &of_file.unread), (None, &Vec::new()));
    assert!(!of_file.respondents.ids.is_empty() && !of_file.respondents.answers.is_empty());
    assert_eq!(collected.respondents, of_file.respondents);
    let missing = ReservedColumns { weight: Some("kilos".to_owned()), ..ReservedColumns::default() };
    let refused = people::twins(pool, &run, &missing).await.expect("its twins").refusal();
    assert_eq!(refused, Some("there is no column kilos".to_owned()));
}

#[tokio::test]
async fn answers_of_every_type_are_those_of_the_file() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Failed).await;
        let genders = r#"UPDATE personas SET attributes = '{"Gender": " Female ", "Home town": "Ulm"}' WHERE id < 3"#;
        sample::run(&mut *app.connection().await, genders).await;
        let attributes = ["Gender", "Home_town", "Which_colour_then", "Agree_1", "How_warm", "Which_of_these_1"];
        let reserved = ReservedColumns {
            weight: Some("How_many".to_owned()),
            attributes: attributes.map(str::to_owned).into(),
            ..ReservedColumns::default()
        };
        let pool = app.database.pool().await;
        assert_same_as_file(&pool, 7, &reserved).await;
    })
    .await;
}

#[actix_web::test]
async fn arms_of_a_design_and_answers_with_codes_of_their_own_are_those_of_the_file() {
    let (fixture, id, _folder, _) = bundled(&designed(), Faults::default()).await;
    let reserved = ReservedColumns {
        arm: Some("fee_arm".to_owned()),
        attributes: vec!["Gender".to_owned(), "fair".to_owned()],
        ..ReservedColumns::default()
    };
    assert_same_as_file(&fixture.pool, id, &reserved).await;
}
