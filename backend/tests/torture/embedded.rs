//! `twinlab serve` with its private PostgreSQL, killed with and without it.

use super::experiment::Experiment;
use super::program::{Program, SURPLUS, verify};

#[tokio::test]
async fn a_killed_serve_goes_on_with_the_private_database_that_it_left_running_or_broken() {
    let mut experiment = Experiment::prepare(100, 50).await;
    experiment.cluster.hand_over();
    let data_dir = experiment.cluster.data_dir().to_str().expect("a path of text").to_owned();
    let place = ("DATA_DIR", data_dir.as_str());
    let serve = || Program::start(&["serve", "--port", "0"], place, &experiment.stub.base_url());
    for database_dies_too in [false, true, false] {
        let serving = serve();
        experiment.calls_more(150).await;
        serving.kill();
        if database_dies_too {
            experiment.cluster.kill();
        }
    }
    let serving = serve();
    // Its database is the one that was handed over, at the same address.
    experiment.calls_more(1).await;
    experiment.conclude().await;
    let surplus = experiment.surplus().await;
    assert!(surplus <= 3 * SURPLUS, "{surplus} calls too many");
    assert!(serving.terminate().success());
    verify(place);
}
