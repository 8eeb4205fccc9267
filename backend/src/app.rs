//! Everything that lives as long as the process, built in one place.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use actix_web::web::Bytes;
use model_server::{Faults, ModelServer};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::auth::codes::Codes;
use crate::auth::key_vault::KeyVault;
use crate::auth::token::Sessions;
use crate::config::{Config, Secret};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::mail::Mailer;
use crate::models::summaries::texts::TextQuery;
use crate::models::{restoration, users};
use crate::postgres::{Postgres, Unopened};
use crate::results::files::downloads::Downloads;
use crate::results::list::{ElementKind, ListPart, Window};
use crate::results::people::SampleKey;
use crate::results::progress::ProgressCache;
use crate::results::runs::RunVersion;
use crate::results::single_flight::SingleFlight;
use crate::results::twin_order::TwinOrder;
use crate::scratch::Scratch;
use crate::work::WorkPermits;

/// Number of connections that requests share; the engine has its own.
const REQUEST_CONNECTIONS: u32 = 8;
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
const ERASE_TIMEOUT: Duration = Duration::from_secs(600);
/// Time limit for waiting for another twinlab that starts or stops the private PostgreSQL, or that owns it for one
/// command.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);
const BUSY_RETRY_DELAY: Duration = Duration::from_millis(50);

/// The migrated database of a process: the one at `DATABASE_URL`, else a private PostgreSQL, which ends with this.
pub struct Database {
    url: String,
    private: Option<Postgres>,
}

impl Database {
    /// Opens the database for a process that shares its private PostgreSQL's `DATA_DIR` with no other.
    pub async fn open(config: &Config) -> Result<Self> {
        Self::migrated(Self::unmigrated(config, Postgres::start).await?).await
    }

    /// Opens the database for a single command, possibly next to a twinlab that runs the private PostgreSQL.
    pub async fn visit(config: &Config) -> Result<Self> {
        Self::migrated(Self::unmigrated(config, Postgres::connect_or_start).await?).await
    }

    /// Opens the database without migrating it; a new one is empty.
    pub async fn unmigrated(config: &Config, private: fn(&Config) -> Result<Postgres, Unopened>) -> Result<Self> {
        if let Some(url) = &config.database_url {
            return Ok(Self { url: url.clone(), private: None });
        }
        let (begun, mut logged) = (Instant::now(), false);
        loop {
            let config = config.clone();
            match spawn_blocking(move || private(&config)).await.map_err(died)? {
                Ok(server) => return Ok(Self { url: server.url().to_owned(), private: Some(server) }),
                Err(Unopened::Busy(reason)) if begun.elapsed() < BUSY_TIMEOUT => {
                    if !std::mem::replace(&mut logged, true) {
                        tracing::info!("waiting: {reason}");
                    }
                    sleep(BUSY_RETRY_DELAY).await;
                }
                Err(unopened) => return Err(unopened.into()),
            }
        }
    }

    /// Brings the database to this version, and finishes a restore that was killed.
    pub async fn migrated(self) -> Result<Self> {
        db::migrate(&self.url).await?;
        let pool = AsyncPool::open(&self.url, 1).await?;
        let mut conn = db::checkout(&pool).await?;
        if let Some(locale) = db::foreign_messages(&mut conn).await? {
            tracing::warn!(
                "the database's messages are in {locale}: a timeout in it is answered 500 instead of 503 unless this user \
                 may SET lc_messages (GRANT SET ON PARAMETER lc_messages TO …)"
            );
        }
        if let Some(runs) = restoration::finish(&mut conn).await? {
            tracing::warn!(runs, "an interrupted restore had not paused the runs under way: paused now");
        }
        Ok(self)
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Stops a private PostgreSQL and waits for its end. Dropping does so too, but returns no errors.
    pub async fn close(self) -> Result<()> {
        match self.private {
            Some(server) => spawn_blocking(move || server.stop()).await.map_err(died)?,
            None => Ok(()),
        }
    }
}

fn died(reason: tokio::task::JoinError) -> Error {
    Error::internal(format!("the private PostgreSQL: {reason}"))
}

/// The built-in demo model of a process, on a port of its own, if the main model server is that.
pub struct DemoModel {
    /// Stops when dropped.
    server: Option<ModelServer>,
}

impl DemoModel {
    pub fn start(config: &Config) -> Result<Self> {
        if !config.models.main().is_demo() {
            return Ok(Self { server: None });
        }
        let demo = ModelServer::listen("127.0.0.1", 0, Faults::demo())
            .map_err(|reason| Error::internal(format!("the demo model did not start: {reason}")))?;
        Ok(Self { server: Some(demo) })
    }

    /// The URL in the form that OpenAI's clients take; empty without a demo model.
    pub fn base_url(&self) -> String {
        self.server.as_ref().map(ModelServer::base_url).unwrap_or_default()
    }
}

/// Everything that requests and the engine share.
pub struct App {
    pub config: Config,
    pub pool: AsyncPool,
    /// URL for blocking work, which opens a connection of its own.
    pub database_url: String,
    pub sessions: Sessions,
    pub codes: Codes,
    pub key_vault: KeyVault,
    pub mailer: Mailer,
    pub downloads: Downloads,
    /// Folder for temporary files, for example uploads.
    pub scratch: Scratch,
    pub progress: ProgressCache,
    /// Parts of simulations' filtered answers, which a class reads at the same time.
    pub answers: SingleFlight<(i64, ElementKind, Window, Vec<String>, TwinOrder), ListPart>,
    /// Diagnoses of runs.
    pub diagnoses: SingleFlight<RunVersion, Bytes>,
    /// Figures of simulations' answers as JSON, by grouping and filter.
    pub figures: SingleFlight<(RunVersion, Option<String>, Vec<String>), Bytes>,
    /// Free-text answers as JSON, by query, grouping and filter.
    pub texts: SingleFlight<(RunVersion, TextQuery, Option<String>, Vec<String>), Bytes>,
    /// The attributes of the personas as JSON, which a class reads when it starts its runs.
    pub attributes: SingleFlight<(), Bytes>,
    /// Comparisons with stored answers of people as JSON, by the runs and by the sample with its last change and its
    /// reader.
    pub people: SingleFlight<(Vec<i64>, SampleKey), Bytes>,
    pub work: WorkPermits,
    stopping: AtomicBool,
    /// Time limit for the next piece of a request's body.
    pub body_timeout: Duration,
    /// Time limit for a day's erasure. Accounts erased by then stay erased.
    pub erase_timeout: Duration,
}

impl App {
    /// Builds the app on the migrated database at the URL. The secret signs session tokens and sign-in codes, and
    /// encrypts the keys of groups.
    pub async fn build(config: Config, database_url: &str, secret: &Secret) -> Result<Self> {
        let pool = AsyncPool::open(database_url, REQUEST_CONNECTIONS).await?;
        if let Some(email) = &config.super_admin_email {
            users::ensure_super_admin(&mut *db::checkout(&pool).await?, email).await?;
        }
        let (sessions, codes, mailer) = (Sessions::new(secret), Codes::new(secret), Mailer::new(&config)?);
        let scratch = config.scratch()?;
        let downloads = Downloads::new(scratch.path().to_owned());
        let downloads = downloads.map_err(|reason| Error::internal(reason.to_string()))?;
        Ok(Self {
            config,
            pool,
            database_url: database_url.to_owned(),
            sessions,
            codes,
            key_vault: KeyVault::new(secret),
            mailer,
            downloads,
            scratch,
            progress: ProgressCache::default(),
            answers: SingleFlight::default(),
            diagnoses: SingleFlight::default(),
            figures: SingleFlight::default(),
            texts: SingleFlight::default(),
            attributes: SingleFlight::default(),
            people: SingleFlight::default(),
            work: WorkPermits::default(),
            stopping: AtomicBool::new(false),
            body_timeout: BODY_TIMEOUT,
            erase_timeout: ERASE_TIMEOUT,
        })
    }

    /// Makes `/ready` answer from now on that this process is about to end.
    pub fn announce_end(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether this process is about to end: it still answers, but wants no new callers.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Whether browsers reach the product over TLS.
    pub fn is_https(&self) -> bool {
        self.config.public_url.as_ref().is_some_and(|url| url.starts_with("https://"))
    }
}
