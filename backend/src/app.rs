//! Everything that lives as long as the process, built once and in one place.

use std::sync::Arc;

use bytes::Bytes;
use model_server::{Faults, Stub};
use tokio::task::spawn_blocking;

use crate::auth::codes::Codes;
use crate::auth::token::Sessions;
use crate::config::Config;
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::http::Written;
use crate::known::Known;
use crate::mail::Mailer;
use crate::models::persona_lists::SetState;
use crate::models::simulations::config::Twins;
use crate::models::surveys::overview::Overview as SurveyOverview;
use crate::models::transactions::lists::Sums;
use crate::models::transactions::memory::Memory;
use crate::models::users;
use crate::postgres::Postgres;
use crate::results::files::downloads::Downloads;
use crate::results::list::Part;
use crate::results::progress::Watched;
use crate::shared::Shared;
use crate::watchers::Watchers;

/// Connections that requests share; the engine has its own.
const REQUEST_CONNECTIONS: u32 = 8;

/// The database of a process, migrated: the one at `DATABASE_URL`, else a private PostgreSQL, which ends with this.
pub struct Database {
    url: String,
    private: Option<Postgres>,
}

impl Database {
    pub async fn open(config: &Config) -> Result<Self> {
        let database = match &config.database_url {
            Some(url) => Self { url: url.clone(), private: None },
            None => {
                let config = config.clone();
                let server = spawn_blocking(move || Postgres::start(&config)).await.map_err(died)??;
                Self { url: server.url().to_owned(), private: Some(server) }
            }
        };
        db::migrate(&database.url).await?;
        Ok(database)
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Stops a private PostgreSQL and waits for its end. Dropping does so too, but tells no errors.
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

/// The model server of a process: the configured one, or the built-in demo model on a port of its own.
pub struct ModelServer {
    base_url: String,
    /// Stops when dropped.
    _demo: Option<Stub>,
}

impl ModelServer {
    pub fn open(config: &Config) -> Result<Self> {
        if let Some(url) = &config.model.base_url {
            return Ok(Self { base_url: url.clone(), _demo: None });
        }
        let demo = Stub::listen("127.0.0.1", 0, Faults::demo())
            .map_err(|reason| Error::internal(format!("the demo model did not start: {reason}")))?;
        Ok(Self { base_url: demo.base_url(), _demo: Some(demo) })
    }

    /// As OpenAI's clients take it.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }
}

/// What requests and the engine work with.
pub struct App {
    pub config: Config,
    pub pool: AsyncPool,
    /// For work that blocks, on a connection of its own.
    pub database_url: String,
    pub sessions: Sessions,
    pub codes: Codes,
    pub mailer: Mailer,
    pub downloads: Downloads,
    /// Who may watch which run.
    pub watchers: Watchers,
    /// How the runs stand that someone watches.
    pub watched: Watched,
    /// What many may ask at the same time, and what takes the database a while.
    pub lists: Lists,
    /// What was found in the ledger, while it holds.
    pub ledger: Memory,
}

/// Reads of rows that may be very many.
#[derive(Default)]
pub struct Lists {
    /// Parts of a run's answers, ready to be sent.
    pub answers: Shared<Part>,
    pub ledger: Shared<Written>,
    pub ledger_counts: Shared<i64>,
    pub ledger_sums: Shared<Sums>,
    pub usage: Shared<Written>,
    pub members: Shared<Written>,
    pub surveys: Shared<Written>,
    /// With the latest run of each, by its row's id.
    pub survey_states: Shared<(SurveyOverview, Option<i64>)>,
    pub runs: Shared<Written>,
    pub personas: Shared<Written>,
    /// The current set and the ids in it, in their order.
    pub matching_personas: Shared<Option<(i32, Arc<[i32]>)>>,
    /// Ready to be sent, as long as the set's rows are the same.
    pub persona_attributes: Known<SetState, Bytes>,
    /// How many there are to ask, and how long their texts are.
    pub twins: Shared<Twins>,
    /// All the others, ready to be sent.
    pub others: Shared<Bytes>,
}

impl App {
    /// On the migrated database at the URL.
    pub async fn build(config: Config, database_url: &str) -> Result<Self> {
        let pool = AsyncPool::open(database_url, REQUEST_CONNECTIONS).await?;
        if let Some(email) = &config.super_admin_email {
            users::ensure_super_admin(&mut *db::checkout(&pool).await?, email).await?;
        }
        let secret = config.session_secret()?;
        let (sessions, codes, mailer) = (Sessions::new(&secret), Codes::new(&secret), Mailer::new(&config)?);
        let downloads = Downloads::new().map_err(|reason| Error::internal(reason.to_string()))?;
        let watchers = Watchers::new(pool.clone());
        Ok(Self {
            config,
            pool,
            database_url: database_url.to_owned(),
            sessions,
            codes,
            mailer,
            downloads,
            watchers,
            watched: Watched::default(),
            lists: Lists::default(),
            ledger: Memory::default(),
        })
    }

    /// Browsers reach the product over TLS.
    pub fn is_https(&self) -> bool {
        self.config.public_url.as_ref().is_some_and(|url| url.starts_with("https://"))
    }
}
