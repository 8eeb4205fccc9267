//! The database ends without a clean shut-down and comes back.

use super::experiment::Experiment;

#[tokio::test]
async fn five_immediate_restarts_of_the_database_lose_nothing_and_repeat_no_call() {
    // Leases that outlast a restart on a busy machine: interviews whose lease ends meanwhile would rightly be asked
    // again.
    let mut experiment = Experiment::prepare(100, 50).await.with_production_leases();
    let worker = experiment.worker();
    for restart in 1..=5 {
        // Counted from the start, because calls continue while the server dies.
        experiment.calls(restart * 100).await;
        experiment.cluster.restart_immediately();
    }
    experiment.conclude().await;
    assert_eq!(experiment.surplus().await, 0);
    assert!(worker.terminate().success());
}
