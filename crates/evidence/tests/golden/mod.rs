//! Golden values of scipy, statsmodels and ppi-python, computed by scripts/evidence-golden.py.

use serde::de::DeserializeOwned;

/// Reads the cases of one kind.
pub fn cases<T: DeserializeOwned>(kind: &str) -> Vec<T> {
    let all: serde_json::Value = serde_json::from_str(include_str!("statistics.json")).unwrap();
    serde_json::from_value(all[kind].clone()).unwrap_or_else(|error| panic!("{kind}: {error}"))
}

/// Reads the effects of one kind, computed by scripts/effects-golden.py.
pub fn effects<T: DeserializeOwned>(kind: &str) -> Vec<T> {
    let all: serde_json::Value = serde_json::from_str(include_str!("effects.json")).unwrap();
    serde_json::from_value(all[kind].clone()).unwrap_or_else(|error| panic!("{kind}: {error}"))
}
