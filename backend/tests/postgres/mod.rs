//! The private PostgreSQL: after any failure of twinlab or of it, the next start has the data and nothing is left over.

mod places;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use diesel::RunQueryDsl;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit, test_kill_process};

use crate::support::{DataDir, Log, Outcome, Serving, is_root, wait_for_end};
use twinlab::cli::interrupt::ignores_hang_up;

#[test]
fn a_command_starts_it_keeps_the_data_and_leaves_nothing_running() {
    let data = DataDir::new();
    let outcome = data.create_ada();
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    data.assert_nothing_runs();
    data.assert_holds_ada();
}

#[test]
fn ctrl_c_stops_it_with_twinlab() {
    let data = DataDir::with_ada();
    let serving = Serving::start(&mut data.twinlab());
    let server = data.server().expect("it runs");
    serving.press_ctrl_c();
    assert_eq!(serving.ended(), Some(0));
    data.assert_nothing_runs();
    wait_for_end(server);
}

#[test]
fn a_terminal_that_closes_stops_it_with_twinlab() {
    if ignores_hang_up() {
        return eprintln!("skipped: started by nohup, whose children ignore the signal");
    }
    let data = DataDir::with_ada();
    let serving = Serving::start(&mut data.twinlab());
    serving.hang_up();
    assert_eq!(serving.ended(), Some(0));
    data.assert_nothing_runs();
}

#[test]
fn ctrl_c_during_the_first_start_leaves_nothing_running_and_the_next_start_works() {
    let data = DataDir::new();
    let mut starting =
        data.twinlab().arg("migrate").process_group(0).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut said = BufReader::new(starting.stderr.take().expect("its errors are read"));
    let mut line = String::new();
    while !line.contains("making the private PostgreSQL") {
        line.clear();
        assert_ne!(said.read_line(&mut line).expect("it is UTF-8"), 0, "it ended too early");
    }
    rustix::process::kill_process_group(Pid::from_child(&starting), Signal::INT).expect("it runs");
    said.read_to_string(&mut line).expect("it is UTF-8");
    assert_eq!(starting.wait().expect("it ends").code(), Some(130), "{line}");
    data.assert_nothing_runs();
    assert_eq!(data.create_ada().code, Some(0));
}

#[test]
fn a_killed_twinlab_leaves_a_server_that_the_next_one_takes_over() {
    let data = DataDir::with_ada();
    let serving = Serving::start(&mut data.twinlab());
    let server = data.server().expect("it runs");
    serving.kill();
    assert_eq!(data.server(), Some(server), "it outlives twinlab");

    let serving = Serving::start(&mut data.twinlab());
    assert_eq!(data.server(), Some(server), "it was taken over, not started again");
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));
    data.assert_holds_ada();
}

#[test]
fn a_killed_server_recovers_at_the_next_start() {
    let data = DataDir::with_ada();
    let serving = Serving::start(&mut data.twinlab());
    let server = data.server().expect("it runs");
    serving.kill();
    kill_process(server, Signal::KILL).expect("it runs");
    data.assert_holds_ada();
}

#[test]
fn a_lock_file_that_a_crash_cut_short_does_not_stop_a_start() {
    let data = DataDir::with_ada();
    for left in ["", "not a number\n", "\0\0\0\0\0\0"] {
        fs::write(data.lock_file(), left).expect("the data can be written");
        data.assert_holds_ada();
    }
}

#[test]
fn a_lock_file_whose_number_another_process_has_by_now_does_not_stop_a_start() {
    let data = DataDir::with_ada();
    // PostgreSQL itself would refuse: the process is alive, and belongs to the same user.
    let owner = fs::metadata(data.home().join("data")).expect("the data are there");
    let mut stranger = sleeper(owner.uid());
    let left = format!("{}\n{}\n1700000000\n5432\n\n\n\nready   \n", stranger.id(), data.home().join("data").display());
    fs::write(data.lock_file(), left).expect("the data can be written");
    data.assert_holds_ada();
    assert_eq!(stranger.try_wait().expect("it is ours"), None, "the other process was left alone");
    stranger.kill().expect("it runs");
    stranger.wait().expect("it ends");
}

fn sleeper(uid: u32) -> Child {
    let mut command = Command::new("sleep");
    command.arg("600").current_dir("/");
    if is_root() {
        command.uid(uid);
    }
    command.spawn().expect("sleep is there")
}

#[test]
fn a_running_server_that_lost_its_lock_file_is_replaced() {
    let data = DataDir::with_ada();
    let serving = Serving::start(&mut data.twinlab());
    let server = data.server().expect("it runs");
    serving.kill();
    fs::write(data.lock_file(), "").expect("the data can be written");
    data.assert_holds_ada();
    wait_for_end(server);
}

#[test]
fn a_first_start_that_was_cut_short_is_begun_again() {
    let data = DataDir::new();
    let half = data.home().join("data.new");
    fs::create_dir_all(&half).expect("the folder can be written");
    fs::write(half.join("PG_VERSION"), "15\n").expect("the folder can be written");
    fs::write(data.home().join("password.new"), "half").expect("the folder can be written");
    assert_eq!(data.create_ada().code, Some(0));
    data.assert_holds_ada();
}

#[test]
fn a_second_server_on_the_same_directory_is_refused() {
    let data = DataDir::with_ada();
    let serving = Serving::start(&mut data.twinlab());
    let outcome = Outcome::of(data.twinlab().args(["serve", "--port", "0"]));
    let line = outcome.only_line();
    assert!(line.starts_with("twinlab: another twinlab (process ") && line.contains("uses DATA_DIR"), "{line}");
    assert_eq!(outcome.code, Some(1));
    assert!(data.server().is_some_and(|server| test_kill_process(server).is_ok()), "the first goes on");
    serving.press_ctrl_c();
    assert_eq!(serving.ended(), Some(0));
}

#[test]
fn commands_run_beside_a_server_and_leave_its_database_running() {
    let data = DataDir::new();
    let serving = Serving::start(&mut data.twinlab());
    let server = data.server();
    let twins = data.folder.path().join("twins.csv");
    fs::write(&twins, "pid,summary\na,A\n").expect("the folder is ours");
    for words in [
        &["user", "create", "ada@example.org", "--role", "user"][..],
        &["personas", "synthesize", "3"],
        &["personas", "import", twins.to_str().expect("a path of text")],
        &["migrate"],
        &["verify"],
    ] {
        let outcome = Outcome::of(data.twinlab().args(words));
        assert_eq!(outcome.code, Some(0), "{words:?}: {outcome:#?}");
    }
    assert_eq!(data.server(), server, "it runs on");
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));
    data.assert_holds_ada();
}

/// Sets the limit of a process's open files. With none, it behaves as if it had opened too many.
fn set_open_files(process: Pid, limit: Option<u64>) {
    let limit = Rlimit { current: limit, maximum: getrlimit(Resource::Nofile).maximum };
    prlimit(Some(process), Resource::Nofile, limit).expect("the process is ours");
}

#[tokio::test]
async fn a_server_whose_state_cannot_be_told_is_left_alone() {
    let data = DataDir::with_ada();
    let mut serving = Serving::start(data.twinlab().env("RUST_LOG", "info").stderr(Stdio::piped()));
    let mut log = serving.log();
    // Its start needs files.
    until_ready_says(&serving, 200, "ok").await;
    let server = data.server().expect("it runs");
    let lock_file = fs::read_to_string(data.lock_file()).expect("it runs");
    // Neither the lock file nor the processes can be read.
    set_open_files(serving.pid(), Some(0));
    log.until("leaving the private PostgreSQL alone");
    set_open_files(serving.pid(), getrlimit(Resource::Nofile).maximum);
    log.until("the state of the private PostgreSQL is known again");
    assert_eq!(data.server(), Some(server), "it is the same one");
    assert_eq!(fs::read_to_string(data.lock_file()).expect("it is there"), lock_file);
    until_ready_says(&serving, 200, "ok").await;
    serving.terminate();
    let rest = log.rest();
    assert!(rest.lines().count() < 10, "{rest}");
    assert_eq!(serving.ended(), Some(0));
    data.assert_nothing_runs();
}

#[test]
fn its_owner_waits_for_a_command_that_uses_it() {
    let data = DataDir::with_ada();
    let mut serving = Serving::start(data.twinlab().env("RUST_LOG", "info").stderr(Stdio::piped()));
    let guest = data.visit().expect("it runs");
    let mut connection = twinlab::db::connect(guest.url()).expect("it answers");
    serving.press_ctrl_c();
    let mut log = serving.log();
    log.until("for the commands that use the private PostgreSQL");
    diesel::sql_query("SELECT 1").execute(&mut connection).expect("it goes on");
    drop(connection);
    guest.stop().expect("it leaves");
    assert_eq!(serving.ended(), Some(0));
    data.assert_nothing_runs();
}

#[test]
fn a_command_whose_owner_was_killed_stops_it_at_its_end() {
    let data = DataDir::with_ada();
    let serving = Serving::start(&mut data.twinlab());
    let guest = data.visit().expect("it runs");
    serving.kill();
    assert!(data.server().is_some(), "it outlives its owner");
    guest.stop().expect("it takes it over");
    data.assert_nothing_runs();
}

#[test]
fn a_server_waits_for_a_command_that_owns_it() {
    let data = DataDir::with_ada();
    let command = data.visit().expect("it starts");
    let mut starting = data.twinlab();
    starting.env("RUST_LOG", "info").args(["serve", "--port", "0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut starting = starting.spawn().expect("the program starts");
    let mut log = Log::of(&mut starting);
    log.until("waiting: another twinlab (process");
    command.stop().expect("it ends");
    let mut line = String::new();
    BufReader::new(starting.stdout.take().expect("its output is read")).read_line(&mut line).expect("it is UTF-8");
    assert!(line.starts_with("Digital Twin Lab: "), "{line}");
    kill_process(Pid::from_child(&starting), Signal::INT).expect("it runs");
    assert!(starting.wait().expect("it ends").success());
    data.assert_nothing_runs();
}

/// Returns the answer of `/ready`, once it has this status.
async fn until_ready_says(serving: &Serving, status: u16, words: &str) {
    loop {
        let answer = reqwest::get(format!("{}/ready", serving.url)).await.expect("it answers");
        let found = answer.status().as_u16();
        let body = answer.text().await.expect("it answers to the end");
        if found == status && body.contains(words) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_server_that_dies_under_twinlab_is_started_again() {
    let data = DataDir::with_ada();
    let serving = Serving::start(&mut data.twinlab());
    for _ in 0..2 {
        let server = data.server().expect("it runs");
        kill_process(server, Signal::KILL).expect("it runs");
        while data.server().is_none_or(|found| found == server) {
            reqwest::get(format!("{}/health", serving.url)).await.expect("twinlab lives");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        until_ready_says(&serving, 200, "ok").await;
    }
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));
    data.assert_nothing_runs();
}

#[tokio::test]
async fn while_a_server_cannot_be_started_twinlab_says_why_and_tries_on() {
    let data = DataDir::with_ada();
    let serving = Serving::start(&mut data.twinlab());
    let (place, away) = (data.home().join("data/global"), data.home().join("global"));
    fs::rename(&place, &away).expect("the data can be moved");
    kill_process(data.server().expect("it runs"), Signal::KILL).expect("it runs");
    until_ready_says(&serving, 503, "the database cannot be reached: PostgreSQL did not start: ").await;
    fs::rename(&away, &place).expect("the data can be moved");
    until_ready_says(&serving, 200, "ok").await;
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));
}

#[test]
fn a_first_start_killed_anywhere_is_followed_by_one_that_works() {
    kill_first_starts(3);
}

#[test]
#[ignore = "takes minutes"]
fn fifty_first_starts_killed_anywhere_are_followed_by_ones_that_work() {
    kill_first_starts(50);
}

fn kill_first_starts(rounds: usize) {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random::<u64>);
    println!("SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    for round in 0..rounds {
        let data = DataDir::new();
        let mut starting =
            data.twinlab().arg("migrate").stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts");
        let moment = random.random_range(0..2500);
        std::thread::sleep(std::time::Duration::from_millis(moment));
        starting.kill().expect("it is ours");
        starting.wait().expect("it ends");
        let outcome = data.create_ada();
        assert_eq!(outcome.code, Some(0), "round {round}, killed after {moment} ms: {outcome:#?}");
        data.assert_holds_ada();
    }
}
