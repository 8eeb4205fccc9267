//! A product in use: a database with 2,000,000 answers and 200,000 transactions, and a twinlab that serves it.

use tokio_postgres::Client as Database;

use crate::bench::{Bench, Result, twins};
use crate::server::Server;

const DATABASE: &str = "in_use";
/// Name of the database until it is complete.
const FILLING: &str = "in_use_filling";
const FILL: &str = include_str!("fill.sql");

/// A survey whose latest run has 100,000 answers. It is public, so that all members of its group see it.
pub const SURVEY: i64 = 20;
/// Number of simultaneous callers.
pub const CALLERS: usize = 10;

/// The ids of [`CALLERS`] members of the survey's group who are in no other group.
pub fn members() -> [usize; CALLERS] {
    std::array::from_fn(|n| 21 + 20 * n)
}

/// The ids of [`CALLERS`] super administrators.
pub fn super_admins() -> [usize; CALLERS] {
    std::array::from_fn(|n| 1_001 + n)
}

/// The e-mail of the user with this id.
pub fn email(user: usize) -> String {
    format!("user{user}@bench.example")
}

pub struct InUse {
    pub server: Server,
    pub database: Database,
    /// Id of the latest run of [`SURVEY`], as the API shows it.
    pub run: String,
}

impl InUse {
    /// Opens the database, and fills it the first time, which takes minutes.
    pub async fn open(bench: &Bench) -> Result<Self> {
        if !bench.cluster.has(DATABASE).await? {
            eprintln!("filling a database with 2,000,000 answers");
            bench.cluster.create(FILLING, &twins(2_000)).await?;
            bench.cluster.fill(FILLING, FILL).await?;
            bench.cluster.rename(FILLING, DATABASE).await?;
        }
        let server = Server::start(bench, DATABASE, |command| _ = command.arg("--role=web"))?;
        let database = bench.cluster.open(DATABASE).await?;
        // A bench that is repeated signs in more often than the limits allow.
        database.batch_execute("DELETE FROM login_requests").await?;
        let run = database.query_one("SELECT simulation_id::text FROM simulations WHERE id = $1", &[&SURVEY]).await?;
        Ok(Self { server, run: run.try_get(0)?, database })
    }
}
