//! A persona whose calls kill their worker.

use std::time::Duration;

use simulation::status::Status;
use tokio::time::{Instant, sleep};

use super::experiment::Experiment;
use super::workspace::QUESTIONS;

const TWINS: i32 = 200;
const REQUESTS: usize = TWINS as usize * QUESTIONS;

/// Interval of checks, much shorter than a call.
const CHECK_INTERVAL: Duration = Duration::from_millis(2);
const TIMEOUT: Duration = Duration::from_secs(180);

#[tokio::test]
#[ignore = "slow: kills workers until the guilty one is found"]
async fn a_twin_whose_calls_kill_their_workers_fails_and_its_neighbours_are_acquitted() {
    let experiment = Experiment::prepare(TWINS, 150).await;
    let mut worker = experiment.worker();
    experiment.calls_more(20).await;
    let guilty = experiment.stub.calls()[0].persona;
    let its_calls = || experiment.stub.calls().iter().filter(|call| call.persona == guilty).count();
    let (begun, mut kills, mut seen) = (Instant::now(), 0, its_calls());
    let ended = loop {
        let run = experiment.run().await;
        if run.status.is_over() {
            break run;
        }
        assert!(begun.elapsed() < TIMEOUT, "after {kills} kills: {run:#?}");
        // Many other calls are under way until it is suspected, and none after that.
        if its_calls() > seen {
            worker.kill();
            kills += 1;
            seen = its_calls();
            worker = experiment.worker();
        }
        sleep(CHECK_INTERVAL).await;
    };
    println!("{kills} workers died");
    assert_eq!(ended.status, Status::Failed);
    let failed = ended.failed_requests as usize;
    assert!((1..=QUESTIONS).contains(&failed) && ended.successful_requests as usize == REQUESTS - failed, "{ended:#?}");
    let others = "SELECT count(*) AS number FROM request_failures
        WHERE code <> 'poison' OR persona_id <> (SELECT min(persona_id) FROM request_failures)";
    assert_eq!(experiment.number(others).await, 0);
    assert!((6..=7).contains(&kills), "{kills} workers died: the first break is not noted, the next six are");
    assert!(worker.terminate().success());
    experiment.check().await;
}
