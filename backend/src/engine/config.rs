//! Configuration of the engine.

use super::timings::Timings;
use crate::config::ModelConfig;

/// The database, the model server and the runs of a worker.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    pub database_url: String,
    pub model: ModelConfig,
    /// The model server's base address: the configured one, or the built-in demo model's.
    pub base_url: String,
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
