//! Bringing a database to this version, and the first people in it.

use std::thread;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use twinlab::email::Email;
use twinlab::models::users::{self, NewUser, Role, User};

use crate::support::{Database, Outcome, twinlab};

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
fn every_migration_can_be_taken_back_and_applied_again() {
    use diesel_migrations::{FileBasedMigrations, MigrationHarness};

    let database = Database::new();
    let mut connection = database.connect();
    let migrations = FileBasedMigrations::from_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations"))
        .expect("the migrations are there");
    connection.revert_all_migrations(migrations.clone()).expect("each is reversible");
    let left =
        "SELECT count(*) FROM pg_tables WHERE schemaname = 'public' AND tablename <> '__diesel_schema_migrations'";
    assert_eq!(count(&mut connection, left), 0);
    connection.run_pending_migrations(migrations).expect("each applies again");
}

/// The names that imports gave before, and the contents that they gave them to.
#[test]
fn a_set_that_was_called_a_data_set_by_mistake_becomes_an_own_file() {
    use diesel_migrations::{FileBasedMigrations, MigrationHarness};

    let database = Database::new();
    let mut connection = database.connect();
    let migrations = FileBasedMigrations::from_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations"))
        .expect("the migrations are there");
    let own_files = "20261127060100";
    while connection.applied_migrations().expect("versions").iter().any(|version| version.to_string() == own_files) {
        connection.revert_last_migration(migrations.clone()).expect("it is reversible");
    }
    let demographics = "(SELECT jsonb_object_agg(label, 'x') FROM unnest(ARRAY['Geographic region', 'Gender', 'Age', \
        'Education level', 'Race', 'Citizen of the US', 'Marital status', 'Religion', 'Religious attendance', \
        'Political affiliation', 'Income', 'Political views', 'Household size', 'Employment status']) AS label)";
    let (few, question) = ("'{\"Gender\": \"x\"}'::jsonb", true);
    let sets = [
        ("Twin-2K-500 full_persona (t.csv)", demographics, false, "Twin-2K-500 full_persona (t.csv)"),
        ("Twin-2K-500 full_persona (t.csv), edited", demographics, false, "Twin-2K-500 full_persona (t.csv), edited"),
        ("Twin-2K-500 full_persona (p (1).csv)", few, false, "own file p (1).csv"),
        ("Twin-2K-500 full_persona (p.csv), edited", few, false, "own file p.csv, edited"),
        ("Twin-2K-500 wave_split (w.parquet)", few, question, "Twin-2K-500 wave_split (w.parquet)"),
        ("Twin-2K-500 wave_split (w.csv)", few, false, "own file w.csv"),
        (
            "Twin-2K-500 wave_split (w), with the summaries of Twin-2K-500 full_persona (f)",
            demographics,
            question,
            "Twin-2K-500 wave_split (w), with the summaries of Twin-2K-500 full_persona (f)",
        ),
        (
            "Twin-2K-500 wave_split (w), with the summaries of mine.csv",
            demographics,
            question,
            "own file w, with the summaries of own file mine.csv",
        ),
        ("Twin-2K-500.csv", demographics, false, "own file Twin-2K-500.csv"),
        ("panel.csv", few, false, "own file panel.csv"),
        ("Added by hand, edited", few, false, "Added by hand, edited"),
    ];
    for (id, (source, attributes, has_held_out, _)) in (1..).zip(sets) {
        let mut sql = format!(
            "INSERT INTO persona_sets (id, source) VALUES ({id}, '{source}');
             INSERT INTO personas (set_id, id, pid, name, summary, attributes)
                 VALUES ({id}, 1, 'a', 'A', 'One', {attributes});"
        );
        if has_held_out {
            sql += &format!(
                "INSERT INTO held_out_questions (set_id, position, qid, question) VALUES ({id}, 1, 'Q', '{{}}');"
            );
        }
        connection.batch_execute(&sql).expect("a set");
    }
    connection
        .batch_execute("INSERT INTO persona_sets (id, source, synthetic) VALUES (100, 'synthetic, seed 1', true)")
        .expect("a set");
    connection.run_pending_migrations(migrations).expect("it applies");
    let found: Vec<String> = twinlab::schema::persona_sets::table
        .select(twinlab::schema::persona_sets::source)
        .order((twinlab::schema::persona_sets::synthetic, twinlab::schema::persona_sets::id))
        .load(&mut connection)
        .expect("sets");
    let expected: Vec<&str> = sets.iter().map(|(_, _, _, source)| *source).chain(["synthetic, seed 1"]).collect();
    assert_eq!(found, expected);
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
    let mut connection = twinlab::db::checkout(&pool).await.expect("a connection is free");
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
