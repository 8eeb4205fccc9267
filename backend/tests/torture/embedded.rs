//! `twinlab serve` with its private PostgreSQL: killed with and without it, and called by more clients than it may open
//! files for.

use std::fs;
use std::io::Write;
use std::net::TcpStream;

use tempfile::NamedTempFile;

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

#[tokio::test]
async fn more_idle_callers_than_files_cost_the_private_database_nothing() {
    const FILES: usize = 256;
    let mut experiment = Experiment::prepare(1, 0).await;
    experiment.cluster.hand_over();
    let data_dir = experiment.cluster.data_dir().to_str().expect("a path of text").to_owned();
    let place = ("DATA_DIR", data_dir.as_str());
    let log = NamedTempFile::new().expect("a file");
    let words = ["serve", "--role", "web", "--port", "0"];
    let mut serving = Program::start_limited(&words, place, FILES, log.reopen().expect("it is there"));
    let url = serving.url();
    let (server, lock_file) = (experiment.cluster.postmaster(), experiment.cluster.lock_file());
    let held = fs::read_to_string(&lock_file).expect("it runs");
    // The kernel accepts them all. Half a head keeps those open that the program has accepted.
    let address = url.strip_prefix("http://").expect("an address");
    let idle: Vec<TcpStream> = (0..FILES * 3 / 2)
        .map(|_| {
            let mut caller = TcpStream::connect(address).expect("the kernel has room");
            caller.write_all(b"GET /health HTTP/1.1\r\n").expect("the kernel has room");
            caller
        })
        .collect();
    // A command needs the database, and finds it at the same place.
    verify(place);
    assert_eq!(experiment.cluster.postmaster(), server, "it is the same server");
    assert_eq!(fs::read_to_string(&lock_file).expect("it is there"), held);
    drop(idle);
    let answered = reqwest::get(format!("{url}/ready")).await.expect("it answers");
    assert!(answered.status().is_success(), "{answered:?}");
    assert_eq!(experiment.cluster.postmaster(), server, "it is the same server");
    assert!(serving.terminate().success());
    let log = fs::read_to_string(log.path()).expect("it is there");
    assert!(log.lines().count() < 30, "{log}");
}
