//! Locations of the private PostgreSQL's data and programs, and the versions of the data.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};

use diesel::RunQueryDsl;

use crate::support::{DataDir, Outcome, Serving, is_root};

#[test]
fn its_data_have_checksums() {
    let data = DataDir::with_ada();
    let serving = Serving::start(&mut data.twinlab());
    let url = format!("postgres:///twinlab?user=twinlab&host={}&port=5432", data.home().display());
    let mut connection = twinlab::db::connect(&url).expect("it runs");
    let on: String = diesel::select(diesel::dsl::sql::<diesel::sql_types::Text>("current_setting('data_checksums')"))
        .get_result(&mut connection)
        .expect("it answers");
    assert_eq!(on, "on");
    serving.kill();
}

#[test]
fn root_in_a_directory_that_nobody_else_may_enter_keeps_the_data_elsewhere() {
    if !is_root() {
        // Only root switches to another user, whom a directory can keep out.
        return;
    }
    let data = DataDir::at("closed/data");
    DirBuilder::new().mode(0o700).create(data.folder.path().join("closed")).expect("the folder can be written");
    let outcome = data.create_ada();
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    let home = fs::read_link(data.home()).expect("a link to where the data are");
    assert!(home.starts_with("/var/lib/twinlab"), "{}", home.display());
    assert!(outcome.stderr.contains(&format!("PostgreSQL's data are in {}", home.display())), "{outcome:#?}");
    assert_ne!(fs::metadata(&home).expect("it is there").uid(), 0);
    data.assert_holds_ada();
}

#[test]
fn a_directory_with_odd_characters_is_as_good_as_any() {
    let data = DataDir::at("it's \"$(odd)\" + 100% `é` \\ data");
    assert_eq!(data.create_ada().code, Some(0));
    data.assert_holds_ada();
}

#[test]
fn a_directory_too_deep_for_a_socket_gets_one_elsewhere_or_a_port_with_a_password() {
    let deep = DataDir::at("deep/".repeat(30));
    let outcome = deep.create_ada();
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");

    // The directory for temporary files has a long path too.
    let temporary = deep.folder.path().join("long/".repeat(30));
    fs::create_dir_all(&temporary).expect("the folder can be written");
    let serving = Serving::start(deep.twinlab().env("TMPDIR", &temporary));
    let lock_file = fs::read_to_string(deep.lock_file()).expect("it runs");
    let lines: Vec<&str> = lock_file.lines().collect();
    assert_eq!((lines[4], lines[5].trim()), ("", "127.0.0.1"), "it listens on loopback alone");
    let stranger = format!("postgres://twinlab@127.0.0.1:{}/twinlab", lines[3]);
    assert!(twinlab::db::connect(&stranger).is_err(), "a stranger without the password got in");
    serving.kill();
    deep.assert_holds_ada();
}

#[test]
fn data_of_another_major_version_are_left_alone() {
    let data = DataDir::with_ada();
    let version = data.home().join("data/PG_VERSION");
    let own = fs::read_to_string(&version).expect("the data are there");
    fs::write(&version, "14\n").expect("the data can be written");
    let outcome = data.create_ada();
    assert!(outcome.only_line().starts_with("twinlab: the data in DATA_DIR is PostgreSQL 14's, but "), "{outcome:#?}");
    assert_eq!(outcome.code, Some(1));
    fs::write(&version, own).expect("the data can be written");
    data.assert_holds_ada();
}

#[test]
fn programs_that_are_not_where_they_should_be_are_named() {
    let data = DataDir::new();
    let outcome = Outcome::of(data.twinlab().arg("migrate").env("PG_BIN_DIR", data.folder.path()));
    let expected = format!("twinlab: PG_BIN_DIR {} lacks postgres, initdb or pg_ctl", data.folder.path().display());
    assert_eq!(outcome.only_line(), expected);
    assert_eq!(outcome.code, Some(2));
}
