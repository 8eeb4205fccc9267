//! A database for each test, copied from a migrated template.

use std::sync::{Mutex, OnceLock};
use std::{env, thread};

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text};
use reqwest::Url;
use twinlab::db::{self, AsyncPool};
use uuid::Uuid;

use super::fingerprint;

/// A migrated database of one test; dropping it drops it on the server too.
pub struct Database {
    name: String,
    url: String,
}

impl Database {
    /// Creates a database. Blocks for some 30 ms, and for the migrations the first time.
    pub fn new() -> Self {
        static TEMPLATE: OnceLock<String> = OnceLock::new();
        let template = TEMPLATE.get_or_init(template);
        let name = format!("test_{}", Uuid::new_v4().simple());
        on_server(&format!("CREATE DATABASE {name} TEMPLATE {template} {}", by_file()));
        Self { url: url_of(&name), name }
    }

    /// Creates a database without any table.
    pub fn empty() -> Self {
        let name = format!("test_{}", Uuid::new_v4().simple());
        on_server(&format!("CREATE DATABASE {name}"));
        Self { url: url_of(&name), name }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn connect(&self) -> PgConnection {
        db::connect(&self.url).expect("the test's database answers")
    }

    pub async fn pool(&self) -> AsyncPool {
        AsyncPool::open(&self.url, 4).await.expect("the test's database answers")
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        on_server(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
    }
}

fn server_url() -> String {
    env::var("TEST_DATABASE_URL").unwrap_or_else(|_| {
        panic!("TEST_DATABASE_URL is not set: run the tests with `make test`, or under scripts/with-postgres")
    })
}

fn server() -> PgConnection {
    PgConnection::establish(&server_url()).expect("the PostgreSQL at TEST_DATABASE_URL answers")
}

/// Runs a statement over a connection that other tests have used before, because each new one is a process of the
/// server.
fn on_server(sql: &str) {
    static IDLE: Mutex<Vec<PgConnection>> = Mutex::new(Vec::new());
    let idle = IDLE.lock().expect("nobody panics here").pop();
    let mut connection = idle.unwrap_or_else(server);
    execute(&mut connection, sql);
    IDLE.lock().expect("nobody panics here").push(connection);
}

/// The strategy of copies: by file, which takes half the CPU time of writing every page into the log. Version 14 has no
/// other way, and no keyword for it.
fn by_file() -> &'static str {
    static WORDS: OnceLock<&str> = OnceLock::new();
    WORDS.get_or_init(|| {
        let has_choice = sql::<Bool>("SELECT current_setting('server_version_num')::int >= 150000");
        let has_choice: bool = has_choice.get_result(&mut server()).expect("the server says its version");
        if has_choice { "STRATEGY file_copy" } else { "" }
    })
}

fn url_of(database: &str) -> String {
    let mut url = Url::parse(&server_url()).expect("TEST_DATABASE_URL is a URL");
    url.set_path(database);
    url.into()
}

fn execute(connection: &mut PgConnection, sql: &str) {
    diesel::sql_query(sql).execute(connection).unwrap_or_else(|reason| panic!("{sql}: {reason}"));
}

/// Name of the migrated template, which the first process creates if there is none for these migrations.
fn template() -> String {
    let name = format!("template_{}", fingerprint::of([]));
    let mut server = server();
    execute(&mut server, "SELECT pg_advisory_lock(747769)");
    let there =
        diesel::select(sql::<Bool>("EXISTS (SELECT FROM pg_database WHERE datname = ").bind::<Text, _>(&name).sql(")"))
            .get_result::<bool>(&mut server)
            .expect("the server lists its databases");
    if !there {
        // It has another name until it is complete: a test run that is killed must not leave half a template.
        let draft = format!("draft_{}", Uuid::new_v4().simple());
        execute(&mut server, &format!("CREATE DATABASE {draft}"));
        let url = url_of(&draft);
        // A thread of its own, because the test may run inside a runtime.
        let migrated = thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime")
                .block_on(db::migrate(&url))
        });
        migrated.join().expect("migrating does not panic").expect("an empty database migrates");
        execute(&mut server, &format!("ALTER DATABASE {draft} RENAME TO {name}"));
    }
    name
}
