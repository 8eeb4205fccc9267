//! Encrypted connections to the database, and the verification of the server's certificate.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use diesel::prelude::*;
use diesel::sql_types::Bool;
use twinlab::db;
use twinlab::error::Error;

use crate::support::certificates::{authority, certificate};
use crate::support::{DataDir, Serving};

/// A server that accepts encrypted connections only. Its certificate names 127.0.0.1.
struct EncryptedServer {
    serving: Serving,
    data: DataDir,
    password: String,
    port: String,
}

impl EncryptedServer {
    fn start() -> Self {
        // The path is so long that the server listens on loopback, since sockets are never encrypted.
        let data = DataDir::with_ada_at("deep/".repeat(30));
        let temporary = data.folder.path().join("long/".repeat(30));
        fs::create_dir_all(&temporary).expect("the folder can be written");

        let certificates = data.folder.path();
        authority(certificates, "ca");
        authority(certificates, "other");
        certificate(certificates, "server", "ca");

        let cluster = data.home().join("data");
        let owner = fs::metadata(&cluster).expect("the data are there");
        for file in ["server.key", "server.crt"] {
            fs::copy(certificates.join(file), cluster.join(file)).expect("the data can be written");
            chown(cluster.join(file), Some(owner.uid()), Some(owner.gid())).expect("it is ours to give");
        }
        fs::write(cluster.join("pg_hba.conf"), "hostssl all all 127.0.0.1/32 scram-sha-256\n").expect("it is written");
        let mut settings = fs::File::options().append(true).open(cluster.join("postgresql.conf")).expect("it is there");
        settings.write_all(b"ssl = on\n").expect("it can be written");

        let serving = Serving::start(data.twinlab().env("TMPDIR", &temporary));
        let lock_file = fs::read_to_string(data.lock_file()).expect("it runs");
        let port = lock_file.lines().nth(3).expect("it tells its port").to_owned();
        let password = fs::read_to_string(data.path.join("postgres.password")).expect("it was made");
        Self { serving, data, password, port }
    }

    fn url(&self, host: &str, parameters: &str) -> String {
        format!("postgres://twinlab:{}@{host}:{}/twinlab{parameters}", self.password, self.port)
    }

    fn certificate(&self, name: &str) -> PathBuf {
        self.data.folder.path().join(name)
    }

    fn stop(self) {
        self.serving.terminate();
        assert_eq!(self.serving.ended(), Some(0));
    }
}

const ENCRYPTED: &str = "(SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid())";

/// Opens a connection in each way that the program has, and asks the server whether it is encrypted.
async fn connect(url: &str) -> [(&'static str, Result<bool, Error>); 4] {
    let encrypted = || diesel::select(diesel::dsl::sql::<Bool>(ENCRYPTED));
    let pool = async {
        let pool = db::AsyncPool::open(url, 1).await?;
        Ok(diesel_async::RunQueryDsl::get_result(encrypted(), &mut *db::checkout(&pool).await?).await?)
    };
    let session = async {
        let mut session = db::session(url).await.map_err(|reason| Error::internal(reason.to_string()))?;
        Ok(diesel_async::RunQueryDsl::get_result(encrypted(), &mut session).await?)
    };
    let blocking = || Ok(RunQueryDsl::get_result(encrypted(), &mut db::connect(url)?)?);
    // The server refuses connections without encryption.
    let migration = db::migrate(url).await.map(|()| true);
    [("pool", pool.await), ("session", session.await), ("blocking connection", blocking()), ("migration", migration)]
}

async fn assert_connects(url: &str) {
    for (way, connected) in connect(url).await {
        assert!(matches!(connected, Ok(true)), "{way} {url}: {connected:?}");
    }
    let mut connection = db::blocking_pool(url, 1).expect("the URL works").get().expect("it answers");
    let asked = diesel::select(diesel::dsl::sql::<Bool>(ENCRYPTED));
    assert!(RunQueryDsl::get_result::<bool>(asked, &mut connection).expect("it answers"));
}

async fn assert_refused(url: &str, reason: &str) {
    for (way, connected) in connect(url).await {
        let error = connected.expect_err(way).to_string();
        assert!(error.contains(reason), "{way} {url}: {error}");
    }
}

#[tokio::test]
async fn every_connection_is_encrypted_with_a_server_that_takes_no_others() {
    let server = EncryptedServer::start();
    for parameters in ["", "?sslmode=prefer", "?sslmode=require"] {
        assert_connects(&server.url("127.0.0.1", parameters)).await;
    }
    assert_refused(&server.url("127.0.0.1", "?sslmode=disable"), "no encryption").await;
    // The worker's own session is encrypted too: otherwise the server would not join the workers.
    let mut session = db::session(&server.url("127.0.0.1", "")).await.expect("the URL works");
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        let joined = diesel::select(diesel::dsl::sql::<Bool>("EXISTS (SELECT FROM workers)"));
        if diesel_async::RunQueryDsl::get_result::<bool>(joined, &mut session).await.expect("it answers") {
            break;
        }
        assert!(Instant::now() < deadline, "the server never joined the workers");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    server.stop();
}

#[tokio::test]
async fn the_servers_certificate_is_checked_as_the_url_asks() {
    let server = EncryptedServer::start();
    let with = |host: &str, mode: &str, root: &str| {
        server.url(host, &format!("?sslmode={mode}&sslrootcert={}", server.certificate(root).display()))
    };
    assert_connects(&with("127.0.0.1", "verify-full", "ca.crt")).await;
    assert_connects(&with("localhost", "verify-ca", "ca.crt")).await;
    for url in [
        with("127.0.0.1", "verify-full", "other.crt"),
        with("127.0.0.1", "verify-ca", "other.crt"),
        with("127.0.0.1", "require", "other.crt"),
        with("localhost", "verify-full", "ca.crt"),
        // The operating system trusts no authority of this test.
        server.url("127.0.0.1", "?sslmode=verify-full"),
        server.url("127.0.0.1", "?sslrootcert=system"),
    ] {
        assert_refused(&url, "certificate").await;
    }
    assert_refused(&with("127.0.0.1", "verify-full", "missing.crt"), "missing.crt").await;

    let both = ["other.crt", "ca.crt"].map(|name| fs::read_to_string(server.certificate(name)).expect("it was made"));
    fs::write(server.certificate("both.crt"), both.concat()).expect("the folder can be written");
    assert_connects(&with("127.0.0.1", "verify-full", "both.crt")).await;
    server.stop();
}
