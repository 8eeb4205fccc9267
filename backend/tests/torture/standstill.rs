//! A worker that stands still for longer than its leases last, and then goes on as if nothing had been.

use std::time::Duration;

use tokio::time::sleep;

use super::experiment::Experiment;
use super::program::SURPLUS;

/// Two workers; one is frozen early in the run and thawed before its end.
async fn freeze_one_of_two(latency_ms: u64, time: Duration) {
    let experiment = Experiment::prepare(latency_ms).await;
    let workers = [experiment.worker(), experiment.worker()];
    experiment.calls_more(300).await;
    workers[0].freeze();
    sleep(time).await;
    workers[0].thaw();
    experiment.conclude().await;
    assert!(experiment.surplus() <= SURPLUS, "{} calls too many", experiment.surplus());
    for worker in workers {
        assert!(worker.terminate().success());
    }
}

#[tokio::test]
async fn a_worker_frozen_for_longer_than_its_leases_stores_nothing_twice() {
    freeze_one_of_two(400, Duration::from_secs(35)).await;
}

#[tokio::test]
#[ignore = "takes two minutes; the one of 35 s goes the same ways"]
async fn a_worker_frozen_for_a_minute_stores_nothing_twice() {
    freeze_one_of_two(600, Duration::from_secs(60)).await;
}
