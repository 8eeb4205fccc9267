//! A private PostgreSQL in `DATA_DIR`.

use crate::config::Config;
use crate::error::{Error, Result};

pub struct Postgres {
    url: String,
}

impl Postgres {
    pub fn start(_: &Config) -> Result<Self> {
        Err(Error::internal("set DATABASE_URL: the private PostgreSQL is not there yet"))
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn stop(self) -> Result<()> {
        Ok(())
    }
}
