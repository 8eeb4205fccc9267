//! Migration of a database, and its first users.

use std::{fs, thread};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use reqwest::Url;

use twinlab::db;
use twinlab::email::Email;
use twinlab::models::users::{self, NewUser, Role, User};

use uuid::Uuid;

use crate::support::{Database, Outcome, twinlab};

/// Tables that every program from before version 1.0.0 leaves in a database, as far as any command looks.
pub const FROM_BEFORE_1_0_0: &str = "
    CREATE TABLE __diesel_schema_migrations (version text PRIMARY KEY, run_on timestamp NOT NULL DEFAULT now());
    INSERT INTO __diesel_schema_migrations (version) VALUES ('20261121000000'), ('20261127060200');
    CREATE TABLE simulations (id bigint)";

/// The refusal of such a database, or of a backup of one.
pub const REFUSAL: &str = "is from before version 1.0.0, and this twinlab cannot upgrade it: export what you need with the \
    version that wrote it, then start with an empty database (another DATA_DIR or DATABASE_URL)";

fn count(connection: &mut PgConnection, sql: &str) -> i64 {
    diesel::select(diesel::dsl::sql::<BigInt>(&format!("({sql})"))).get_result(connection).expect("the count is there")
}

#[test]
fn six_processes_migrate_one_empty_database_at_once() {
    let database = Database::empty();
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let outcome = Outcome::of(twinlab().arg("migrate").env("DATABASE_URL", database.url()));
                assert_eq!(outcome.code, Some(0), "{outcome:#?}");
            });
        }
    });
    let mut connection = database.connect();
    assert_eq!(count(&mut connection, "SELECT count(*) FROM users"), 0);
    assert_eq!(count(&mut connection, "SELECT count(*) FROM pgmq.meta WHERE queue_name = 'interviews'"), 1);
}

/// The language of the messages that this connection gets.
fn language(url: &str) -> String {
    let asked = diesel::select(diesel::dsl::sql::<Text>("current_setting('lc_messages')"));
    asked.get_result(&mut db::connect(url).expect("a member may connect")).expect("the setting is there")
}

#[test]
fn messages_are_in_english_where_the_user_may_ask_for_that_and_other_users_connect_too() {
    let database = Database::new();
    let mut connection = database.connect();
    let role = format!("reader_{}", Uuid::new_v4().simple());
    let made = format!("CREATE ROLE {role} LOGIN; ALTER ROLE {role} SET lc_messages = 'C.UTF-8'");
    connection.batch_execute(&made).expect("this user may create others");
    let mut url = Url::parse(database.url()).expect("a URL");
    let others = url.query_pairs().filter(|(name, _)| name != "user").map(|(name, value)| (name.into(), value.into()));
    let others: Vec<(String, String)> = others.collect();
    url.query_pairs_mut().clear().extend_pairs(others).append_pair("user", &role);
    assert_eq!(language(url.as_str()), "C.UTF-8");
    let granted = format!("GRANT SET ON PARAMETER lc_messages TO {role}");
    connection.batch_execute(&granted).expect("this user may grant it");
    assert_eq!(language(url.as_str()), "C");
    connection.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).expect("nobody needs it any more");
}

#[test]
fn a_database_that_a_newer_program_migrated_is_refused() {
    let database = Database::new();
    diesel::sql_query("INSERT INTO __diesel_schema_migrations (version) VALUES ('29991231000000')")
        .execute(&mut database.connect())
        .expect("the migrations are recorded");
    let outcome = Outcome::of(twinlab().arg("migrate").env("DATABASE_URL", database.url()));
    assert_eq!(
        outcome.only_line(),
        "twinlab: the database is newer than this twinlab: it has migration 29991231000000; update twinlab"
    );
    assert_eq!(outcome.code, Some(2));
}

#[test]
fn a_database_from_before_version_1_0_0_is_refused_by_every_command() {
    let database = Database::empty();
    database.connect().batch_execute(FROM_BEFORE_1_0_0).expect("an old database");
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    let survey = r#"{"title": "Tea", "questions": [{"text": "Tea?", "type": "BOOLEAN"}]}"#;
    fs::write(path("survey.json"), survey).expect("the folder can be written");
    fs::write(path("twins.csv"), "pid,summary\na,A\n").expect("the folder can be written");
    let run = "11111111-1111-4111-8111-111111111111";
    for words in [
        vec!["migrate"],
        vec!["serve", "--port", "0"],
        vec!["simulate", &path("survey.json"), "--personas", "1", "--out", &path("answers.csv")],
        vec!["personas", "synthesize", "3"],
        vec!["personas", "import", &path("twins.csv")],
        vec!["user", "create", "ada@example.org", "--role", "user"],
        vec!["bundle", run, "--out", &path("run.zip")],
        vec!["verify"],
        vec!["backup", &path("lab.dump")],
    ] {
        let outcome = Outcome::of(twinlab().args(&words).env("DATABASE_URL", database.url()));
        let expected = format!("twinlab: the database {REFUSAL}");
        assert_eq!((outcome.only_line(), outcome.code), (&*expected, Some(2)), "{words:?}");
    }
    assert_eq!(count(&mut database.connect(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), 2);
}

#[test]
fn pgmq_is_installed_into_an_empty_schema_and_nowhere_else() {
    for (schema, accepted) in [("CREATE SCHEMA pgmq", true), ("CREATE SCHEMA pgmq CREATE TABLE pgmq.meta ()", false)] {
        let database = Database::empty();
        database.connect().batch_execute(schema).expect("a schema");
        let outcome = Outcome::of(twinlab().arg("migrate").env("DATABASE_URL", database.url()));
        if accepted {
            assert_eq!(outcome.code, Some(0), "{outcome:#?}");
            continue;
        }
        assert_eq!(
            outcome.only_line(),
            "twinlab: the database has pgmq already, and twinlab installs its own: give twinlab a new database without \
             the extension pgmq"
        );
        assert_eq!(outcome.code, Some(2));
    }
}

#[test]
fn every_migration_can_be_taken_back_and_applied_again() {
    use diesel_migrations::{FileBasedMigrations, MigrationHarness};

    let database = Database::new();
    let mut connection = database.connect();
    let migrations = FileBasedMigrations::from_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations"))
        .expect("the migrations are there");
    connection.revert_all_migrations(migrations.clone()).expect("each is reversible");
    let left = "SELECT count(*) FROM pg_tables WHERE schemaname IN ('public', 'pgmq') AND tablename <> '__diesel_schema_migrations'";
    assert_eq!(count(&mut connection, left), 0);
    connection.run_pending_migrations(migrations).expect("each applies again");
}

#[test]
fn a_person_is_created_once_with_an_e_mail_in_lower_case() {
    let database = Database::new();
    let create = |words: &[&str]| {
        Outcome::of(twinlab().args(["user", "create"]).args(words).env("DATABASE_URL", database.url()))
    };
    let outcome = create(&["Ada@Example.org", "--role", "super_admin", "--name", "Ada Lovelace"]);
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    assert_eq!(outcome.stdout, "Created ada@example.org (super_admin), id 1.\n");

    let outcome = create(&["ADA@example.org", "--role", "user"]);
    assert_eq!(outcome.only_line(), "twinlab: ada@example.org is taken: there is a user with this e-mail");
    assert_eq!(outcome.code, Some(2));

    let mut connection = database.connect();
    let stored =
        "SELECT count(*) FROM users WHERE email = 'ada@example.org' AND role = 'super_admin' AND name = 'Ada Lovelace'";
    assert_eq!(count(&mut connection, stored), 1);
    assert_eq!(count(&mut connection, "SELECT count(*) FROM users"), 1);
}

#[test]
fn a_person_without_a_usable_e_mail_name_or_role_is_refused() {
    let long = "x".repeat(201);
    for (words, explanation) in [
        (vec!["ada", "--role", "user"], "'ada' is not an e-mail address"),
        (vec!["a@b.c", "--role", "user", "--name", " "], "--name takes 1 to 200 characters"),
        (vec!["a@b.c", "--role", "user", "--name", &long], "--name takes 1 to 200 characters"),
        (
            vec!["a@b.c", "--role", "king"],
            "invalid value 'king' for '--role <ROLE>' [possible values: super_admin, admin, user]",
        ),
    ] {
        let outcome = Outcome::of(twinlab().args(["user", "create"]).args(words));
        assert_eq!(outcome.only_line(), format!("twinlab: {explanation}"));
        assert_eq!(outcome.code, Some(2), "{outcome:#?}");
    }
}

#[tokio::test]
async fn the_super_administrator_is_created_or_promoted_and_a_promotion_ends_old_sessions() {
    let database = Database::new();
    let pool = database.pool().await;
    let mut connection = db::checkout(&pool).await.expect("a connection is free");
    let ada = Email::parse("ada@example.org").expect("an e-mail");
    let grace = Email::parse("grace@example.org").expect("an e-mail");
    NewUser { email: &grace, name: Some("Grace"), role: Role::User }.create(&mut connection).await.expect("she is new");

    let created = users::ensure_super_admin(&mut connection, &ada).await.expect("she is created");
    assert_eq!((created.role.as_str(), created.token_version), ("super_admin", 0));
    let promoted = users::ensure_super_admin(&mut connection, &grace).await.expect("she is promoted");
    assert_eq!((promoted.role.as_str(), promoted.token_version), ("super_admin", 1));
    let again = users::ensure_super_admin(&mut connection, &grace).await.expect("she is one already");
    assert_eq!(again.token_version, 1);
    let found = User::find_by_email(&mut connection, &grace).await.expect("the query runs").expect("she is there");
    assert_eq!((found.id, found.name.as_deref()), (promoted.id, Some("Grace")));
}
