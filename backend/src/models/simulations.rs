//! Simulations: one run of one survey over a frozen list of twins.

use serde::{Deserialize, Serialize};

/// Which text of the twin the model reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum PersonaVariant {
    #[default]
    Summary,
    Full,
}

/// The effective parameters of a run, frozen at its start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Parameters {
    pub model: String,
    /// `None`: the server's default.
    pub temperature: Option<f64>,
    /// Fixes the choice of twins and the order of options: the same seed gives the same prompts, byte for byte.
    pub seed: i64,
    pub questions_per_call: u16,
    pub persona_variant: PersonaVariant,
    pub shuffle_options: bool,
}
