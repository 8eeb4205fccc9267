//! Several model servers: each run asks its own, and what happens to one server is no matter of the others' runs.

use model_server::{Fault, Faults, ModelServer};
use simulation::parameters::Parameters;
use simulation::status::Status;
use twinlab::models::simulations::control;
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::{EngineFixture, survey};

const TWINS: i32 = 40;

/// Makes a run ask this server.
fn on(server: &str) -> impl FnOnce(&mut Parameters) {
    let server = server.to_owned();
    move |parameters| parameters.model_server = Some(server)
}

#[actix_web::test]
async fn an_outage_of_one_server_stops_only_its_runs_and_they_go_on_when_it_is_back() {
    let well = ModelServer::start(Faults::default().latency_ms(5));
    let down = ModelServer::start(Faults::default().with(Fault::ServerError, 1.0));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine_of(&[("well", &well.base_url()), ("down", &down.base_url())]).await;
    let waiting = fixture.start(&survey(2), PersonaChoice::Random(TWINS), on("down")).await;
    fixture
        .until_found(
            "SELECT count(*) AS number FROM model_servers WHERE name = 'down' AND blocked_until > now()
                AND reason LIKE 'the model server is down%'",
        )
        .await;
    let answered = fixture.start(&survey(2), PersonaChoice::Random(TWINS), on("well")).await;
    let run = fixture.ended(answered).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 2 * TWINS), "{run:#?}");
    let run = fixture.run(waiting).await;
    assert_eq!((run.status, run.successful_requests, run.failed_requests), (Status::Running, 0, 0), "{run:#?}");
    assert_eq!(fixture.number("SELECT count(*) AS number FROM model_servers WHERE name = 'well'").await, 0);
    down.set_faults(Faults::default());
    let run = fixture.ended(waiting).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 2 * TWINS), "{run:#?}");
    engine.shut_down().await;
    fixture.sound_and_paid(4 * TWINS).await;
    let minutes = "SELECT coalesce(sum(calls), 0)::bigint AS number FROM model_server_minutes WHERE server = 'well'";
    assert!(fixture.number(minutes).await > 0, "calls are counted by server");
}

#[actix_web::test]
async fn a_run_whose_server_is_not_in_the_file_any_more_pauses_and_goes_on_when_it_is() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), on("old")).await;
    let run = fixture.until(id, |run| run.status == Status::Paused).await;
    assert_eq!(
        (run.error_code.as_deref(), run.error_message.as_deref()),
        (Some("model_server"), Some("its model server old is not among those of this installation any more"))
    );
    engine.shut_down().await;
    let engine = fixture.engine_of(&[("old", &stub.base_url())]).await;
    control::resume(&mut fixture.pool.get().await.expect("a connection"), id).await.expect("a paused run resumes");
    assert_eq!(fixture.ended(id).await.successful_requests, TWINS);
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}
