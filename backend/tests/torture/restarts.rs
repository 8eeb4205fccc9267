//! The database goes away without a goodbye and comes back.

use super::experiment::Experiment;

#[tokio::test]
async fn five_immediate_restarts_of_the_database_lose_nothing_and_repeat_no_call() {
    // Leases that outlast a restart on a busy machine: one that ends meanwhile is asked again, as it should be.
    let mut experiment = Experiment::prepare(100, 50).await.with_production_leases();
    let worker = experiment.worker();
    for restart in 1..=5 {
        // Counted from the start: calls go on while the server dies.
        experiment.calls(restart * 100).await;
        experiment.cluster.restart_immediately();
    }
    experiment.conclude().await;
    assert_eq!(experiment.surplus().await, 0);
    assert!(worker.terminate().success());
}
