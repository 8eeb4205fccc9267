//! Configuration of the engine.

use super::timings::Timings;
use crate::config::{ModelServers, Secret};

/// The database, the model servers and the runs of a worker.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    pub database_url: String,
    pub models: ModelServers,
    /// Address of the built-in demo model, for a server without an address of its own.
    pub demo_url: String,
    /// Secret that this process was given, with which keys of groups are encrypted. `None`: the database has it.
    pub secret: Option<Secret>,
    pub scope: RunScope,
    pub timings: Timings,
}

/// The runs that a worker works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunScope {
    Everything,
    /// The runs that [`Engine::take_up`](super::Engine::take_up) names.
    Chosen,
}
