//! The client that a run asks its model server with: by the key of the instance, or by that of the run's group.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use simulation::key_owner::KeyOwner;

use crate::auth::key_vault::KeyVault;
use crate::config::{ModelServers, Secret};
use crate::error::Error;
use crate::llm::{Llm, LlmServers};
use crate::models::group_model_keys::{self, SealedKey};
use crate::models::session_secret;
use crate::models::simulations::control::MODEL_KEY;

/// The clients of all model servers and keys that runs may ask with. Clones share them.
#[derive(Clone)]
pub struct RunClients {
    models: Arc<ModelServers>,
    llm: LlmServers,
    /// `None`: the database has it.
    secret: Option<Secret>,
    by_groups: Arc<Mutex<HashMap<(i64, String), RunClient>>>,
}

/// A client, and when its key was set, if that is a group's.
#[derive(Clone)]
pub struct RunClient {
    pub llm: Llm,
    pub key_set_at: Option<DateTime<Utc>>,
}

/// Why a run has no client.
#[derive(Debug, thiserror::Error)]
pub enum NoClient {
    /// The run cannot ask its model server, and pauses with this error code and this reason for people.
    #[error("{reason}")]
    Pauses { code: &'static str, reason: String },
    #[error(transparent)]
    Fault(#[from] Error),
}

impl From<diesel::result::Error> for NoClient {
    fn from(error: diesel::result::Error) -> Self {
        Self::Fault(error.into())
    }
}

impl RunClients {
    /// `secret`: that which this process was given, with which keys of groups are encrypted. `None`: the database has it. Nothing
    /// is sent yet.
    pub fn new(models: Arc<ModelServers>, demo_url: &str, secret: Option<Secret>) -> Result<Self, Error> {
        let llm = LlmServers::new(&models, demo_url)?;
        Ok(Self { models, llm, secret, by_groups: Arc::default() })
    }

    /// The client of a run of this group that asks this server with this owner's key.
    pub async fn find(
        &self,
        conn: &mut AsyncPgConnection,
        server: &str,
        (group_id, owner): (i64, KeyOwner),
    ) -> Result<RunClient, NoClient> {
        let refused = |reason: String| NoClient::Pauses { code: "model_server", reason };
        let gone = || refused(format!("its model server {server} is not among those of this installation any more"));
        let (config, llm) = self.models.find(server).zip(self.llm.find(server)).ok_or_else(gone)?;
        match (owner, config.missing_key()) {
            (KeyOwner::Instance, None) => Ok(RunClient { llm: llm.clone(), key_set_at: None }),
            (KeyOwner::Instance, Some(reason)) => Err(refused(reason)),
            (KeyOwner::Group, _) => self.of_group(conn, server, group_id).await,
        }
    }

    async fn of_group(&self, conn: &mut AsyncPgConnection, server: &str, group_id: i64) -> Result<RunClient, NoClient> {
        let refused = |reason: String| NoClient::Pauses { code: MODEL_KEY, reason };
        let removed = || {
            refused(format!(
                "the run began with the key of the group for the model server {server}, and that key was removed: set \
                 another one on the group's page, then resume the run"
            ))
        };
        let stored = group_model_keys::find(conn, group_id, server).await?.ok_or_else(removed)?;
        if let Some(known) = self.known(group_id, server).filter(|known| known.key_set_at == Some(stored.set_at)) {
            return Ok(known);
        }
        let key = self.open(conn, &stored).await?.ok_or_else(|| refused(unreadable_key(server)))?;
        // Another run must not wait for one whose key makes no client.
        let llm = self.llm.with_key(server, &key).ok().flatten().ok_or_else(|| refused(unreadable_key(server)))?;
        let client = RunClient { llm, key_set_at: Some(stored.set_at) };
        let mut by_groups = self.by_groups.lock().unwrap_or_else(PoisonError::into_inner);
        by_groups.insert((group_id, server.to_owned()), client.clone());
        Ok(client)
    }

    fn known(&self, group_id: i64, server: &str) -> Option<RunClient> {
        let by_groups = self.by_groups.lock().unwrap_or_else(PoisonError::into_inner);
        by_groups.get(&(group_id, server.to_owned())).cloned()
    }

    /// `None`: the key was encrypted with another secret.
    async fn open(&self, conn: &mut AsyncPgConnection, stored: &SealedKey) -> QueryResult<Option<Secret>> {
        let secret = session_secret::in_use(conn, self.secret.as_ref()).await?;
        let vault = secret.map(|secret| KeyVault::new(&secret));
        Ok(vault.and_then(|vault| vault.open(stored.group_id, &stored.server, &stored.sealed)))
    }
}

/// Why a stored key cannot be used, for people.
pub fn unreadable_key(server: &str) -> String {
    format!(
        "the key of the group for the model server {server} was stored under another secret than this process has \
         (JWT_SECRET): give all processes the secret of then, or set the key again on the group's page"
    )
}
