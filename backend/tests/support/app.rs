//! The real routes on a database per test, with a client for each kind of caller.

use std::time::Duration;

use actix_web::HttpServer;
use actix_web::dev::ServerHandle;
use actix_web::web::Data;
use chrono::{TimeDelta, Utc};
use clap::Parser;
use reqwest::Method;
use serde_json::Value;
use tempfile::TempDir;
use twinlab::app::App;
use twinlab::auth::token::{Claims, Sessions};
use twinlab::config::{Config, Options, Secret};
use twinlab::db::{self, Checkout};
use twinlab::email::Email;
use twinlab::http;
use twinlab::models::users::{NewUser, Role, User};

use super::client::{Answer, Client};
use super::{Database, sample};

/// Secret that signs the sessions of all tests.
pub const SECRET: &str = "the secret of the tests, as long as it takes";

/// The program's flags, without a command.
#[derive(Parser)]
struct Flags {
    #[command(flatten)]
    options: Options,
}

/// The configuration of the program with these flags.
pub fn config(flags: &[&str]) -> Config {
    let flags = Flags::try_parse_from(["twinlab"].iter().chain(flags)).expect("the flags are known");
    Config::try_from(flags.options).expect("a configuration")
}

/// The app as `twinlab serve --role web` runs it, in this process. Mails wait until a test delivers them.
pub struct TestApp {
    pub app: Data<App>,
    pub data_dir: TempDir,
    pub url: String,
    server: ServerHandle,
    // The last field, so that the connections end before their database is dropped.
    pub database: Database,
}

/// Runs a test against the app, and checks afterwards that every invariant of the ledger and the counters holds.
pub async fn with_app(test: impl AsyncFnOnce(&TestApp)) {
    with_flags(&[], test).await;
}

/// Like [`with_app`], with flags of the program.
pub async fn with_flags(flags: &[&str], test: impl AsyncFnOnce(&TestApp)) {
    let app = TestApp::start(flags).await;
    test(&app).await;
    let breaches = sample::breaches(&mut *app.connection().await).await;
    assert!(breaches.is_empty(), "{breaches:#?}");
    app.stop().await;
}

impl TestApp {
    pub async fn start(flags: &[&str]) -> Self {
        let database = Database::new();
        let url = database.url().to_owned();
        Self::start_at(database, &url, flags).await
    }

    /// Starts the app with its database at another URL.
    pub async fn start_at(database: Database, database_url: &str, flags: &[&str]) -> Self {
        Self::start_with(database, database_url, flags, |_| ()).await
    }

    /// Like [`TestApp::start_at`], with a change of the app.
    pub async fn start_with(
        database: Database,
        database_url: &str,
        flags: &[&str],
        change: impl FnOnce(&mut App),
    ) -> Self {
        let data_dir = tempfile::tempdir().expect("a folder");
        let folder = data_dir.path().to_str().expect("its name is UTF-8");
        let usual = ["--database-url", database_url, "--data-dir", folder, "--jwt-secret", SECRET];
        let mut app = App::build(config(&[&usual, flags].concat()), database_url, &Secret::new(SECRET))
            .await
            .expect("the app is built");
        change(&mut app);
        let app = Data::new(app);
        let server = HttpServer::new({
            let app = app.clone();
            move || http::web(app.clone())
        })
        .workers(1)
        // A connection that a slow machine delays must not be answered 408, nor closed as the next call comes.
        .client_request_timeout(Duration::from_secs(60))
        .keep_alive(Duration::from_secs(60))
        .disable_signals()
        .h1_allow_half_closed(false)
        .bind("127.0.0.1:0")
        .expect("a port is free");
        let url = format!("http://{}", server.addrs()[0]);
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Self { app, data_dir, url, server: handle, database }
    }

    pub async fn stop(self) {
        self.server.stop(false).await;
    }

    pub async fn connection(&self) -> Checkout {
        db::checkout(&self.app.pool).await.expect("a connection is free")
    }

    /// A client that is not signed in.
    pub fn visitor(&self) -> Client {
        Client::new(&self.url, None)
    }

    /// A client that is signed in; the user is created if needed.
    pub async fn client(&self, email: &str, role: Role) -> Client {
        let user = self.user(email, role).await;
        self.signed_in(&user)
    }

    pub async fn super_admin(&self) -> Client {
        self.client("root@test.example", Role::SuperAdmin).await
    }

    /// Returns the user with the e-mail, created in the role if needed.
    pub async fn user(&self, email: &str, role: Role) -> User {
        let email = Email::parse(email).expect("an address");
        let mut conn = self.connection().await;
        if let Some(user) = User::find_by_email(&mut conn, &email).await.expect("the query runs") {
            return user;
        }
        let new = NewUser { email: &email, name: None, role };
        new.create(&mut conn).await.expect("the query runs").expect("the e-mail is free")
    }

    pub fn signed_in(&self, user: &User) -> Client {
        self.with_claims(&Claims::new(user, Utc::now()))
    }

    /// A client with a token of these claims.
    pub fn with_claims(&self, claims: &Claims) -> Client {
        Client::new(&self.url, Some(self.app.sessions.sign(claims).expect("it signs")))
    }

    /// A client with a token that was valid until a second ago.
    pub fn expired(&self, user: &User) -> Client {
        let mut claims = Claims::new(user, Utc::now());
        claims.exp = (Utc::now() - TimeDelta::seconds(1)).timestamp();
        self.with_claims(&claims)
    }

    /// A client with a token that was signed with another secret.
    pub fn forged(&self, user: &User) -> Client {
        let forger = Sessions::new(&Secret::new("not the secret of the tests, but as long"));
        Client::new(&self.url, Some(forger.sign(&Claims::new(user, Utc::now())).expect("it signs")))
    }

    /// Makes one call as a visitor.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.visitor().send(Method::POST, path, Some(body)).await
    }
}
