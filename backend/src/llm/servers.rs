//! The clients of all model servers that runs may ask.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Llm;
use crate::config::{ModelConfig, ModelServers, Secret};
use crate::error::Result;

/// A client for each model server, by its name. Clones share the connections and what is known of the servers.
#[derive(Clone)]
pub struct LlmServers(Arc<BTreeMap<String, (ModelConfig, Llm)>>);

impl LlmServers {
    /// `demo_url`: the address of the server that has none of its own. Nothing is sent yet.
    pub fn new(servers: &ModelServers, demo_url: &str) -> Result<Self> {
        let client = |server: &ModelConfig| {
            let address = server.base_url.as_deref().unwrap_or(demo_url);
            Ok((server.name.clone(), (server.clone(), Llm::new(server, address)?)))
        };
        Ok(Self(Arc::new(servers.iter().map(client).collect::<Result<_>>()?)))
    }

    /// The client of the server with this name. `None`: there is no such server.
    pub fn find(&self, name: &str) -> Option<&Llm> {
        self.0.get(name).map(|(_, llm)| llm)
    }

    /// A client of the server with this name that asks with another key. `None`: there is no such server.
    pub fn with_key(&self, name: &str, key: &Secret) -> Result<Option<Llm>> {
        self.0.get(name).map(|(config, llm)| llm.with_key(config, key)).transpose()
    }
}
