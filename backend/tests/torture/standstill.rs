//! A worker that is suspended for longer than its leases last, and then resumed.

use std::time::Duration;

use tokio::time::sleep;

use super::experiment::Experiment;
use super::program::SURPLUS;

/// Runs two workers; one is frozen early in the run and resumed before its end.
async fn freeze_one_of_two(experiment: Experiment, time: Duration) {
    let workers = [experiment.worker(), experiment.worker()];
    experiment.calls_more(150).await;
    workers[0].freeze();
    sleep(time).await;
    workers[0].thaw();
    experiment.conclude().await;
    let surplus = experiment.surplus().await;
    assert!(surplus <= SURPLUS, "{surplus} calls too many");
    for worker in workers {
        assert!(worker.terminate().success());
    }
}

#[tokio::test]
async fn a_worker_frozen_for_longer_than_its_leases_stores_nothing_twice() {
    // Longer also than a transaction may be idle: 10 s.
    freeze_one_of_two(Experiment::prepare(100, 400).await, Duration::from_secs(12)).await;
}

#[tokio::test]
#[ignore = "slow: with the leases of production"]
async fn a_worker_frozen_for_a_minute_stores_nothing_twice() {
    freeze_one_of_two(Experiment::prepare(200, 600).await.with_production_leases(), Duration::from_secs(60)).await;
}
