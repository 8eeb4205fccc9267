//! Workers are killed with `kill -9`.

use std::time::Duration;

use rand::RngExt;
use simulation::wire::Wire;
use tokio::time::sleep;

use super::experiment::Experiment;
use super::program::SURPLUS;
use super::seed::seeded;

/// Kills a lone worker several times, each time after at most `most` calls.
async fn kill_a_lone_worker(experiment: Experiment, kills: usize, most: usize) {
    // A lone worker immediately takes over the interviews of the one before it. On a busy machine, short leases would
    // end while calls are under way, which would then rightly be asked again.
    let experiment = experiment.with_production_leases();
    let mut random = seeded();
    let mut unsaved = 0;
    for _ in 0..kills {
        let worker = experiment.worker();
        if random.random_ratio(1, 4) {
            // Killed during its start.
            sleep(Duration::from_millis(random.random_range(0..1_000))).await;
        } else {
            experiment.calls_more(random.random_range(1..most)).await;
        }
        worker.kill();
        let before = std::mem::replace(&mut unsaved, experiment.unsaved().await);
        assert!(unsaved - before <= SURPLUS, "{before} calls unsaved before, {unsaved} after");
        experiment.check().await;
    }
    let worker = experiment.worker();
    experiment.conclude().await;
    assert_eq!(experiment.surplus().await, unsaved, "nothing is asked again but what was not stored");
    assert!(worker.terminate().success());
}

#[tokio::test]
async fn a_worker_killed_eight_times_at_random_moments_costs_only_the_calls_that_it_had_not_stored() {
    kill_a_lone_worker(Experiment::prepare(100, 50).await, 8, 80).await;
}

#[tokio::test]
async fn a_worker_killed_on_another_wire_costs_only_the_calls_that_it_had_not_stored() {
    for wire in [Wire::Anthropic, Wire::Gemini] {
        kill_a_lone_worker(Experiment::prepare_on(wire, 60, 50).await, 3, 80).await;
    }
}

#[tokio::test]
async fn a_worker_killed_four_times_in_staged_interviews_asks_again_only_what_it_had_not_stored() {
    kill_a_lone_worker(Experiment::prepare_staged(100, 50).await, 4, 80).await;
}

#[tokio::test]
#[ignore = "slow: as with four kills, more often"]
async fn a_worker_killed_twenty_times_in_staged_interviews_asks_again_only_what_it_had_not_stored() {
    kill_a_lone_worker(Experiment::prepare_staged(200, 50).await, 20, 60).await;
}

#[tokio::test]
#[ignore = "slow: as with eight kills, more often"]
async fn a_worker_killed_thirty_times_at_random_moments_costs_only_the_calls_that_it_had_not_stored() {
    kill_a_lone_worker(Experiment::prepare(200, 50).await, 30, 60).await;
}

async fn kill_one_of_two(experiment: Experiment, kills: usize) {
    let steady = experiment.worker();
    experiment.calls_more(1).await;
    for _ in 0..kills {
        let mortal = experiment.another_worker().await;
        mortal.kill();
    }
    let mortal = experiment.worker();
    experiment.conclude().await;
    let surplus = experiment.surplus().await;
    assert!(surplus <= kills * SURPLUS, "{surplus} calls too many");
    assert!(steady.terminate().success());
    assert!(mortal.terminate().success());
}

#[tokio::test]
async fn a_worker_that_is_killed_again_and_again_beside_another_takes_nothing_with_it() {
    kill_one_of_two(Experiment::prepare(100, 240).await, 3).await;
}

#[tokio::test]
#[ignore = "slow: as with three kills, more often and with the leases of production"]
async fn a_worker_that_is_killed_eight_times_beside_another_takes_nothing_with_it() {
    kill_one_of_two(Experiment::prepare(200, 250).await.with_production_leases(), 8).await;
}

#[tokio::test]
async fn what_a_killed_worker_held_is_asked_by_another_without_waiting_for_its_leases() {
    let experiment = Experiment::prepare(20, 100).await.with_endless_leases();
    let mortal = experiment.worker();
    experiment.calls_more(1).await;
    let other = experiment.worker();
    let workers = "SELECT count(*) AS number FROM workers";
    while experiment.number(workers).await < 2 {
        sleep(Duration::from_millis(50)).await;
    }
    mortal.kill();
    experiment.conclude().await;
    assert!(other.terminate().success());
}

/// Kills at any moment: while batches are made, sent, answered and read.
async fn kill_in_batches(wire: Wire, kills: usize) {
    let experiment = Experiment::prepare_in_batches(wire, 200).await.with_production_leases();
    let mut random = seeded();
    for _ in 0..kills {
        let worker = experiment.worker();
        sleep(Duration::from_millis(random.random_range(100..4_000))).await;
        worker.kill();
        experiment.check().await;
    }
    let worker = experiment.worker();
    experiment.conclude().await;
    assert_eq!(experiment.surplus().await, 0, "every request is in exactly one batch");
    assert!(worker.terminate().success());
}

#[tokio::test]
async fn a_worker_killed_five_times_in_a_run_in_batches_asks_nothing_twice() {
    kill_in_batches(Wire::OpenAi, 5).await;
}

#[tokio::test]
async fn a_worker_killed_in_batches_of_anthropic_s_asks_nothing_twice() {
    kill_in_batches(Wire::Anthropic, 4).await;
}

#[tokio::test]
async fn a_worker_killed_in_batches_of_google_s_asks_nothing_twice() {
    kill_in_batches(Wire::Gemini, 4).await;
}

#[tokio::test]
#[ignore = "slow: as with five kills, more often"]
async fn a_worker_killed_twenty_times_in_a_run_in_batches_asks_nothing_twice() {
    kill_in_batches(Wire::OpenAi, 20).await;
}
