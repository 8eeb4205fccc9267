//! A network line that freezes, breaks or lags during a run, before the database or before the model server.

use std::time::Duration;

use model_server::{Faults, ModelServer};
use simulation::status::Status;
use tokio::time::{Instant, sleep};
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::{ENGINE_CONNECTIONS, EngineFixture, survey};
use crate::support::{Line, Proxy};

/// Interval at which the server is checked while the line is bad.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Database,
    Model,
}

/// Runs this many twins and questions, each asked alone, while the line is bad for this time. No request fails, and
/// nothing is stored or paid twice.
async fn is_outlived(before: Before, line: Line, (twins, questions): (i32, usize), time: Duration) {
    let stub = ModelServer::start(Faults::default().latency_ms(100));
    let fixture = EngineFixture::new(twins).await;
    let (database, model) = (Proxy::before(fixture.database.url()).await, Proxy::before_model(&stub).await);
    let engine = fixture.engine_between(database.url(), model.url(), 8).await;
    let id = fixture.start(&survey(questions), PersonaChoice::Random(twins), |run| run.questions_per_call = 1).await;
    stub.reached(twins as usize).await;
    let proxy = if before == Before::Database { &database } else { &model };
    proxy.becomes(line);
    let ends = Instant::now() + time;
    while Instant::now() < ends {
        sleep(CHECK_INTERVAL.min(time)).await;
        if before == Before::Database && matches!(line, Line::Silent | Line::HalfOpen) {
            let sessions = fixture.engine_sessions().await;
            assert!(sessions <= ENGINE_CONNECTIONS + 1, "{sessions} sessions");
        }
    }
    proxy.becomes(Line::Open);
    let run = fixture.ended(id).await;
    let requests = twins * questions as i32;
    assert_eq!(
        (run.status, run.successful_requests),
        (Status::Completed, requests),
        "{:?}",
        fixture.failures(id).await
    );
    engine.shut_down().await;
    fixture.sound_and_paid(requests).await;
}

#[actix_web::test]
async fn a_run_outlives_connections_that_break() {
    const SMALL: (i32, usize) = (20, 3);
    let time = Duration::from_secs(2);
    tokio::join!(
        is_outlived(Before::Database, Line::Drops(40), SMALL, time),
        is_outlived(Before::Model, Line::Drops(10), SMALL, time),
    );
}

/// Runs the test for each side of the line, for a minute.
macro_rules! for_a_minute {
    ($($name:ident: $before:ident, $line:expr;)*) => {$(
        #[actix_web::test]
        #[ignore = "slow: takes minutes"]
        async fn $name() {
            is_outlived(Before::$before, $line, (300, 5), Duration::from_secs(60)).await;
        }
    )*};
}

for_a_minute! {
    a_database_that_is_silent_for_a_minute_costs_no_request: Database, Line::Silent;
    a_database_that_is_cut_off_for_a_minute_costs_no_request: Database, Line::Cut;
    a_database_that_hears_but_is_not_heard_for_a_minute_costs_no_request: Database, Line::HalfOpen;
    a_database_whose_connections_break_for_a_minute_costs_no_request: Database, Line::Drops(200);
    a_database_far_away_for_a_minute_costs_no_request: Database, Line::Slow(Duration::from_millis(250));
    a_model_server_that_is_silent_for_a_minute_costs_no_request: Model, Line::Silent;
    a_model_server_that_is_cut_off_for_a_minute_costs_no_request: Model, Line::Cut;
    a_model_server_that_hears_but_is_not_heard_for_a_minute_costs_no_request: Model, Line::HalfOpen;
    a_model_server_whose_connections_break_for_a_minute_costs_no_request: Model, Line::Drops(50);
    a_model_server_far_away_for_a_minute_costs_no_request: Model, Line::Slow(Duration::from_millis(250));
}
