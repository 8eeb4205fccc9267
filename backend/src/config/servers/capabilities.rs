//! Effects of parameters on a model, as the file of model servers states them.

use std::collections::BTreeMap;

use serde::Deserialize;
use simulation::known_parameters::{KnownParameter, ParameterEffect, ParameterValues};

/// Parameters that the file may say something of, as runs name those that were not sent.
const NAMES: [&str; 8] =
    ["temperature", "reasoning_effort", "verbosity", "service_tier", "seed", "json_schema", "logprobs", "n"];
/// Word for a parameter that is taken without effect.
const IGNORED: &str = "ignored";

/// Effect of a parameter in the file: whether it is taken, `"ignored"`, or a list of the values that are taken.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Capability {
    Taken(bool),
    Word(String),
    Values(Vec<CapabilityValue>),
}

/// A value of a parameter.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum CapabilityValue {
    Text(String),
    Number(f64),
}

impl CapabilityValue {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}

/// Reads the capabilities of a model by parameter. Errors name the parameter.
pub fn known(capabilities: &BTreeMap<String, Capability>) -> Result<Vec<KnownParameter>, String> {
    let mut known = Vec::new();
    for (name, capability) in capabilities {
        if !NAMES.contains(&name.as_str()) {
            return Err(format!("capabilities: unknown key {name:?}; it takes {}", NAMES.join(", ")));
        }
        let mut add = |values, effect| known.push(KnownParameter::new(name, values, effect));
        match capability {
            Capability::Taken(true) => add(ParameterValues::Any, ParameterEffect::Works),
            Capability::Taken(false) => add(ParameterValues::Any, ParameterEffect::NotTaken),
            Capability::Word(word) if word == IGNORED => add(ParameterValues::Any, ParameterEffect::WithoutEffect),
            Capability::Values(values) if !values.is_empty() => {
                let values: Vec<String> = values.iter().map(CapabilityValue::text).collect();
                add(ParameterValues::Only(values.clone()), ParameterEffect::Works);
                add(ParameterValues::Except(values), ParameterEffect::NotTaken);
            }
            Capability::Word(_) | Capability::Values(_) => {
                return Err(format!("capabilities.{name} takes true, false, {IGNORED:?} or a list of values"));
            }
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<KnownParameter>, String> {
        known(&toml::from_str(text).expect("TOML"))
    }

    #[test]
    fn a_capability_is_taken_or_not_ignored_or_some_values() {
        let only = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        let found = read("seed = \"ignored\"\ntemperature = [1, \"0.5\"]\nverbosity = false\nn = true").expect("known");
        assert_eq!(
            found,
            [
                KnownParameter::new("n", ParameterValues::Any, ParameterEffect::Works),
                KnownParameter::new("seed", ParameterValues::Any, ParameterEffect::WithoutEffect),
                KnownParameter::new("temperature", ParameterValues::Only(only(&["1", "0.5"])), ParameterEffect::Works),
                KnownParameter::new(
                    "temperature",
                    ParameterValues::Except(only(&["1", "0.5"])),
                    ParameterEffect::NotTaken
                ),
                KnownParameter::new("verbosity", ParameterValues::Any, ParameterEffect::NotTaken),
            ]
        );
    }

    #[test]
    fn what_is_no_capability_is_refused_with_its_name() {
        let unknown = read("top_p = true").expect_err("an unknown one");
        assert!(unknown.starts_with("capabilities: unknown key \"top_p\"; it takes temperature, "), "{unknown}");
        let expected = "capabilities.seed takes true, false, \"ignored\" or a list of values";
        for text in ["seed = \"maybe\"", "seed = []"] {
            assert_eq!(read(text).expect_err(text), expected);
        }
    }
}
