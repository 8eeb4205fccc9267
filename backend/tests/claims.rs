//! The questions of a claimed interview when its run changes during the claim.

use diesel_async::AsyncConnection;
use futures_util::future::join;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use twinlab::models::settlement::{self, InterviewReport};
use twinlab::models::simulations::control;
use twinlab::models::simulations::passes::Pass;
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::interviews::{claim, failure, report};

/// [`survey`] of three questions in one block of a flow.
fn survey_with_design() -> Value {
    let mut survey = survey(3);
    for (number, question) in survey["questions"].as_array_mut().expect("questions").iter_mut().enumerate() {
        question["name"] = json!(format!("q{}", number + 1));
    }
    survey["flow"] = json!([{ "block": "all", "questions": ["q1", "q2", "q3"] }]);
    survey
}

/// Tests a run with one failed request that continues with two others. It is stopped, and its failed request is
/// retried, while a worker that has read the earlier pass waits in its claim.
async fn a_claim_that_waits_for_a_stop_and_a_retry_takes_only_what_failed(survey: &Value) {
    let fixture = EngineFixture::new(1).await;
    let (mut worker, mut person) = (fixture.pool.get().await.expect("one"), fixture.pool.get().await.expect("one"));
    let id = fixture.start(survey, PersonaChoice::Random(1), |_| ()).await;
    let [interview] = <[_; 1]>::try_from(claim(&mut worker, &fixture.run(id).await, 10).await).expect("one interview");
    assert_eq!(interview.open.len(), 3);
    let failed = interview.open[0];
    let report = InterviewReport { failures: vec![failure(failed)], ..report(interview.persona_id, interview.lease) };
    settlement::settle(&mut fixture.database.connect(), id, &[report]).expect("the database answers");
    control::stop(&mut person, id).await.expect("it runs");
    Pass::GoOn.begin(&mut person, id).await.expect("two requests are open");
    let read = fixture.run(id).await;
    assert_eq!((read.retries_failed, read.open_requests, read.failed_requests), (false, 2, 1));

    let (stopped, stop_is_made) = oneshot::channel();
    let claim_during = async {
        stop_is_made.await.expect("the run is stopped");
        claim(&mut worker, &read, 10).await
    };
    let stop_and_retry = person.transaction(async |conn| {
        control::stop(conn, id).await?;
        stopped.send(()).expect("the worker waits");
        fixture.until_waiting_for_lock().await;
        Pass::RetryFailed.begin(conn, id).await
    });
    let (claimed, retried) = join(claim_during, stop_and_retry).await;
    retried.expect("one request failed");
    let open: Vec<Vec<i64>> = claimed.into_iter().map(|interview| interview.open).collect();
    assert_eq!(open, [vec![failed]]);
    control::stop(&mut person, id).await.expect("it runs");
    fixture.sound_and_paid(0).await;
}

#[actix_web::test]
async fn a_run_that_is_stopped_and_retried_during_a_claim_asks_only_what_failed() {
    a_claim_that_waits_for_a_stop_and_a_retry_takes_only_what_failed(&survey(3)).await;
}

#[actix_web::test]
async fn a_run_with_a_design_that_is_stopped_and_retried_during_a_claim_asks_only_what_failed() {
    a_claim_that_waits_for_a_stop_and_a_retry_takes_only_what_failed(&survey_with_design()).await;
}
