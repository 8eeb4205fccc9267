//! `kill -9` of workers.

use std::time::Duration;

use rand::RngExt;
use tokio::time::sleep;

use super::experiment::Experiment;
use super::program::SURPLUS;

#[tokio::test]
async fn a_worker_killed_twenty_times_at_random_moments_costs_only_the_calls_that_it_had_not_stored() {
    let experiment = Experiment::prepare(50).await;
    let mut unsaved = 0;
    for _ in 0..20 {
        let worker = experiment.worker();
        if rand::rng().random_ratio(1, 4) {
            // Somewhere in its start.
            sleep(Duration::from_millis(rand::rng().random_range(0..1_000))).await;
        } else {
            experiment.calls_more(rand::rng().random_range(1..80)).await;
        }
        worker.kill();
        let before = std::mem::replace(&mut unsaved, experiment.unsaved().await);
        assert!(unsaved - before <= SURPLUS, "{before} calls unsaved before, {unsaved} after");
    }
    let worker = experiment.worker();
    experiment.conclude().await;
    assert_eq!(experiment.surplus(), unsaved, "nothing is asked again but what was not stored");
    assert!(worker.terminate().success());
}

#[tokio::test]
async fn a_worker_that_is_killed_again_and_again_beside_another_takes_nothing_with_it() {
    const KILLS: usize = 8;
    let experiment = Experiment::prepare(250).await;
    let steady = experiment.worker();
    experiment.calls_more(1).await;
    for _ in 0..KILLS {
        let mortal = experiment.worker();
        sleep(Duration::from_secs(4)).await;
        mortal.kill();
    }
    let mortal = experiment.worker();
    experiment.conclude().await;
    assert!(experiment.surplus() <= KILLS * SURPLUS, "{} calls too many", experiment.surplus());
    assert!(steady.terminate().success());
    assert!(mortal.terminate().success());
}
