//! `twinlab backup` and `twinlab restore`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use model_server::{Faults, ModelServer};
use simulation::status::Status;
use tempfile::TempDir;
use twinlab::models::restoration;
use twinlab::models::simulations::control;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::postgres;

use crate::database::{FROM_BEFORE_1_0_0, REFUSAL};
use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::{DataDir, Database, Outcome, Serving, twinlab};

#[actix_web::test]
async fn a_backup_of_a_run_under_way_comes_back_sound_and_paused_and_the_run_ends_there() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(40).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 4).await;
    let id = fixture.start(&survey(3), PersonaChoice::Random(40), |_| {}).await;
    stub.reached(8).await;
    stub.hold();
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("lab.dump");
    let saved = Outcome::of(twinlab().arg("backup").arg(&file).env("DATABASE_URL", fixture.database.url()));
    assert_eq!(saved.code, Some(0), "{saved:#?}");
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    let leftovers = fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(leftovers, 1, "only the backup is there");

    let copy = Database::empty();
    let restore = || Outcome::of(twinlab().arg("restore").arg(&file).env("DATABASE_URL", copy.url()));
    let restored = restore();
    assert_eq!(restored.code, Some(0), "{restored:#?}");
    assert!(restored.stdout.contains("are paused now: 1."), "{restored:#?}");
    let verified = Outcome::of(twinlab().arg("verify").env("DATABASE_URL", copy.url()));
    assert_eq!(verified.code, Some(0), "{verified:#?}");

    let again = restore();
    assert!(again.only_line().starts_with("twinlab: the database is not empty, "), "{again:#?}");
    assert_eq!(again.code, Some(2));
    drop(engine);

    let original = fixture.run(id).await;
    let copied = EngineFixture { pool: copy.pool().await, database: copy, ..fixture };
    let run = copied.run(id).await;
    assert_eq!((run.status, run.error_code.as_deref()), (Status::Paused, Some("restored")));
    let stub = ModelServer::start(Faults::default());
    let out = folder.path().join("answers.csv");
    let resumed = Outcome::of(
        twinlab()
            .args(["simulate", "--resume", &original.simulation_id.to_string(), "--out"])
            .arg(&out)
            .env("DATABASE_URL", copied.database.url())
            .env("OPENAI_BASE_URL", stub.base_url())
            .env("LLM_MODEL", "stub"),
    );
    assert_eq!(resumed.code, Some(0), "{resumed:#?}");
    copied.sound_and_paid(120).await;
}

#[actix_web::test]
async fn what_a_restore_that_was_killed_left_active_is_paused_by_the_next_command() {
    let fixture = EngineFixture::new(3).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(3), |_| {}).await;
    let migrate = || Outcome::of(twinlab().arg("migrate").env("DATABASE_URL", fixture.database.url()));
    assert_eq!(migrate().code, Some(0));
    assert_eq!(fixture.run(id).await.status, Status::Queued, "no restore was under way");
    // The work of a restore before its last step is one transaction of pg_restore that follows this.
    let connection = &mut *fixture.pool.get().await.expect("a connection");
    restoration::begin(connection).await.expect("a mark");
    assert_eq!(migrate().code, Some(0));
    let run = fixture.run(id).await;
    assert_eq!((run.status, run.error_code.as_deref()), (Status::Paused, Some("restored")));
    control::resume(connection, id).await.expect("a paused run resumes");
    assert_eq!(migrate().code, Some(0));
    assert_eq!(fixture.run(id).await.status, Status::Queued, "the mark is gone");
}

#[test]
fn the_private_database_is_backed_up_beside_a_server_and_restored_into_a_new_directory() {
    let data = DataDir::with_ada();
    let file = data.folder.path().join("lab.dump");
    let serving = Serving::start(&mut data.twinlab());
    let saved = Outcome::of(data.twinlab().arg("backup").arg(&file));
    assert_eq!(saved.code, Some(0), "{saved:#?}");
    serving.kill();

    let other = DataDir::new();
    let restored = Outcome::of(other.twinlab().arg("restore").arg(&file));
    assert_eq!(restored.code, Some(0), "{restored:#?}");
    other.assert_holds_ada();
}

#[test]
fn a_backup_of_a_newer_version_or_of_something_else_is_refused_before_anything_is_loaded() {
    let (newer, copy) = (Database::new(), Database::empty());
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("lab.dump");
    let is_empty = || {
        let tables = diesel::dsl::sql::<BigInt>(
            "(SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
              WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema')",
        );
        let (tables, marks): (i64, bool) =
            diesel::select((tables, diesel::dsl::sql::<Bool>("to_regnamespace('twinlab_restoring') IS NOT NULL")))
                .get_result(&mut copy.connect())
                .expect("it answers");
        (tables, marks) == (0, false)
    };
    let restore = || {
        let saved = Outcome::of(twinlab().arg("backup").arg(&file).env("DATABASE_URL", newer.url()));
        assert_eq!(saved.code, Some(0), "{saved:#?}");
        Outcome::of(twinlab().arg("restore").arg(&file).env("DATABASE_URL", copy.url()))
    };
    assert!(is_empty());
    let migration = "INSERT INTO __diesel_schema_migrations (version) VALUES ('20991231000000')";
    diesel::sql_query(migration).execute(&mut newer.connect()).expect("it is ours");
    let refused = restore();
    let expected = format!("twinlab: {} is newer than this twinlab: it has migration 20991231000000; ", file.display());
    assert!(refused.only_line().starts_with(&expected), "{refused:#?}");
    assert_eq!(refused.code, Some(2));
    assert!(is_empty());
    diesel::sql_query("DELETE FROM __diesel_schema_migrations").execute(&mut newer.connect()).expect("it is ours");
    let refused = restore();
    assert_eq!(refused.only_line(), format!("twinlab: {} is no backup of a Digital Twin Lab", file.display()));
    assert_eq!(refused.code, Some(2));
    assert!(is_empty());
}

#[test]
fn a_backup_from_before_version_1_0_0_is_refused_before_anything_is_loaded() {
    let (old, copy) = (Database::empty(), Database::empty());
    old.connect().batch_execute(FROM_BEFORE_1_0_0).expect("an old database");
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("lab.dump");
    let pg_dump = postgres::client(None, "pg_dump", 15).expect("PostgreSQL is installed");
    let dumped = Command::new(pg_dump).args(["--format=custom", "--dbname", old.url(), "--file"]).arg(&file).status();
    assert!(dumped.expect("it starts").success());
    let refused = Outcome::of(twinlab().arg("restore").arg(&file).env("DATABASE_URL", copy.url()));
    assert_eq!(refused.only_line(), format!("twinlab: {} {REFUSAL}", file.display()));
    assert_eq!(refused.code, Some(2));
    let tables = diesel::dsl::sql::<BigInt>("(SELECT count(*) FROM pg_tables WHERE schemaname = 'public')");
    assert_eq!(diesel::select(tables).get_result::<i64>(&mut copy.connect()).expect("it answers"), 0);
}

#[test]
fn a_file_that_is_no_backup_is_told_in_one_line() {
    let database = Database::empty();
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("lab.dump");
    fs::write(&file, "not a backup").expect("the folder can be written");
    let refused = Outcome::of(twinlab().arg("restore").arg(&file).env("DATABASE_URL", database.url()));
    assert!(refused.only_line().starts_with("twinlab: pg_restore failed: "), "{refused:#?}");
}
