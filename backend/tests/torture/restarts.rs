//! The database goes away without a goodbye and comes back.

use super::experiment::Experiment;

#[tokio::test]
async fn five_immediate_restarts_of_the_database_lose_nothing_and_repeat_no_call() {
    let mut experiment = Experiment::prepare(50).await;
    let worker = experiment.worker();
    for _ in 0..5 {
        experiment.calls_more(200).await;
        experiment.cluster.restart_immediately();
    }
    experiment.conclude().await;
    assert_eq!(experiment.surplus(), 0);
    assert!(worker.terminate().success());
}
