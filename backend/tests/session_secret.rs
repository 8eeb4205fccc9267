//! The secret of session tokens and sign-in codes, which all web processes on a database share.

use std::process::Command;

use chrono::Utc;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use serde_json::json;
use tempfile::TempDir;
use twinlab::auth::token::{Claims, Sessions};
use twinlab::config::Secret;
use twinlab::models::users::User;
use twinlab::schema::users;

use crate::support::smtp::SmtpServer;
use crate::support::{Client, Database, Outcome, Serving, twinlab};

const EMAIL: &str = "ada@test.example";
const SECRET: &str = "a secret that is given, as long as it takes";
const OTHER_GIVEN: &str = "twinlab: JWT_SECRET is not the one of the other web processes on this database: give all of \
                           them the same, or stop the others first";
const NONE_GIVEN: &str = "twinlab: JWT_SECRET is not set, but the other web processes on this database have one: give \
                          all of them the same, or stop the others first";

/// A machine with a `DATA_DIR` of its own.
struct Host {
    data_dir: TempDir,
    url: String,
}

impl Host {
    fn on(database: &Database) -> Self {
        Self { data_dir: TempDir::new().expect("a folder"), url: database.url().to_owned() }
    }

    fn twinlab(&self) -> Command {
        let mut command = twinlab();
        command.env("DATABASE_URL", &self.url).env("DATA_DIR", self.data_dir.path());
        command
    }

    fn web(&self) -> Serving {
        Serving::start(&mut self.twinlab())
    }

    /// Runs `twinlab serve`, which is expected to refuse.
    fn refusal(&self, secret: Option<&str>) -> Outcome {
        let mut command = self.twinlab();
        command.envs(secret.map(|secret| ("JWT_SECRET", secret))).env("RUST_LOG", "error");
        Outcome::of(command.args(["serve", "--port", "0"]))
    }

    fn create_ada(&self) -> User {
        let created = Outcome::of(self.twinlab().args(["user", "create", EMAIL, "--role", "user"]));
        assert_eq!(created.code, Some(0), "{created:#?}");
        let mut conn = PgConnection::establish(&self.url).expect("a connection");
        users::table.filter(users::email.eq(EMAIL)).select(User::as_select()).first(&mut conn).expect("she is there")
    }
}

fn token(secret: &str, user: &User) -> Option<String> {
    Some(Sessions::new(&Secret::new(secret)).sign(&Claims::new(user, Utc::now())).expect("it signs"))
}

async fn profile_status(serving: &Serving, token: Option<String>) -> u16 {
    Client::new(&serving.url, token).get("/api/auth/profile").await.status
}

#[tokio::test]
async fn a_code_of_one_host_signs_in_at_the_other_and_a_token_is_good_at_both() {
    let database = Database::new();
    let mails = SmtpServer::start(0).await;
    let hosts = [Host::on(&database), Host::on(&database)];
    hosts[0].create_ada();
    let serve = |host: &Host| {
        let mut command = host.twinlab();
        Serving::start(command.env("SMTP_URL", &mails.url).env("MAIL_FROM", "lab@test.example"))
    };
    let [first, second] = hosts.each_ref().map(serve);
    let asked = Client::new(&first.url, None).post("/api/auth/request-login", json!({"email": EMAIL})).await;
    asked.ok();
    while mails.mails().is_empty() {
        tokio::task::yield_now().await;
    }
    let mail = mails.mails().remove(0);
    let subject = mail.lines().find_map(|line| line.strip_prefix("Subject: ")).expect("it has a subject");
    let code = subject.split(' ').next().expect("it begins with the code");
    let login = json!({"email": EMAIL, "code": code});
    let session = Client::new(&second.url, None).post("/api/auth/verify-login", login).await.ok();
    let token = session["access_token"].as_str().expect("a token").to_owned();
    for host in [&first, &second] {
        assert_eq!(profile_status(host, Some(token.clone())).await, 200);
    }
    for host in &hosts {
        assert!(!host.data_dir.path().join("jwt_secret").exists(), "it is in the database only");
    }
    first.kill();
    second.kill();
}

#[tokio::test]
async fn a_host_with_another_secret_is_refused_while_the_others_run_and_replaces_theirs_after() {
    let database = Database::new();
    let (first, second) = (Host::on(&database), Host::on(&database));
    let user = first.create_ada();
    let serving = first.web();
    let refused = second.refusal(Some(SECRET));
    assert_eq!((refused.code, refused.only_line()), (Some(2), OTHER_GIVEN));
    let worker = Outcome::of(second.twinlab().env("JWT_SECRET", SECRET).args(["verify"]));
    assert_eq!(worker.code, Some(0), "a command signs nothing: {worker:#?}");
    serving.terminate();
    assert_eq!(serving.ended(), Some(0));

    let serving = Serving::start(second.twinlab().env("JWT_SECRET", SECRET));
    assert_eq!(profile_status(&serving, token(SECRET, &user)).await, 200);
    let refused = first.refusal(None);
    assert_eq!((refused.code, refused.only_line()), (Some(2), NONE_GIVEN));
    let refused = first.refusal(Some("another secret that is given, as long as it takes"));
    assert_eq!((refused.code, refused.only_line()), (Some(2), OTHER_GIVEN));
    let same = Serving::start(first.twinlab().env("JWT_SECRET", SECRET));
    assert_eq!(profile_status(&same, token(SECRET, &user)).await, 200);
    let stored =
        "SELECT count(*) FROM session_secret WHERE generated = '$1' OR position('$1'::bytea IN fingerprint) > 0";
    let stored: Count =
        diesel::sql_query(stored.replace("$1", SECRET)).get_result(&mut database.connect()).expect("the query runs");
    assert_eq!(stored.count, 0, "a given secret is not stored");
    same.kill();
    serving.kill();
}

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[test]
fn a_backup_does_not_hold_the_secret_and_a_restored_database_gets_another() {
    let database = Database::new();
    let host = Host::on(&database);
    host.create_ada();
    host.web().kill();
    let file = host.data_dir.path().join("lab.dump");
    let saved = Outcome::of(host.twinlab().arg("backup").arg(&file));
    assert_eq!(saved.code, Some(0), "{saved:#?}");
    let copy = Database::empty();
    let restored = Host::on(&copy);
    let outcome = Outcome::of(restored.twinlab().arg("restore").arg(&file));
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    let secrets = |database: &Database| -> Vec<Option<String>> {
        use twinlab::schema::session_secret::{generated, table};
        table.select(generated).load(&mut database.connect()).expect("the table is there")
    };
    assert_eq!(secrets(&copy), []);
    restored.web().kill();
    let (old, new) = (secrets(&database), secrets(&copy));
    assert!(old[0].is_some() && new[0].is_some() && old != new);
}
