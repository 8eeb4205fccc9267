//! A product in use: a database with 2,000,000 answers and 200,000 transactions, and a twinlab that serves it.

mod server;

use tokio_postgres::Client as Database;

use self::server::Server;
use super::{Bench, Result, twins};

const DATABASE: &str = "in_use";
/// The same until everything is in it.
const FILLING: &str = "in_use_filling";
const FILL: &str = include_str!("fill.sql");

/// A survey whose latest run has 100,000 answers. It is public, so that all members of its group see it.
pub const SURVEY: i64 = 20;
/// A member of that group, and of no other.
pub const MEMBER: &str = "user21@bench.example";
pub const SUPER_ADMIN: &str = "root@bench.example";

pub struct InUse {
    pub server: Server,
    /// The latest run of [`SURVEY`], by the API's id.
    pub run: String,
}

impl InUse {
    /// Fills the database unless that was done before, which takes minutes.
    pub async fn open(bench: &Bench) -> Result<Self> {
        if !bench.cluster.has(DATABASE).await? {
            eprintln!("filling a database with 2,000,000 answers");
            bench.cluster.create(FILLING, &twins(2_000)).await?;
            fill(&bench.cluster.open(FILLING).await?).await?;
            bench.cluster.rename(FILLING, DATABASE).await?;
        }
        let server = Server::start(bench, DATABASE)?;
        let database = bench.cluster.open(DATABASE).await?;
        // A bench that is run again and again signs in more often than people may.
        database.batch_execute("DELETE FROM login_requests").await?;
        let run = database.query_one("SELECT simulation_id::text FROM simulations WHERE id = $1", &[&SURVEY]).await?;
        Ok(Self { server, run: run.try_get(0)? })
    }
}

async fn fill(database: &Database) -> Result<()> {
    for statement in FILL.split_inclusive(";\n") {
        database.batch_execute(statement).await?;
    }
    Ok(())
}
