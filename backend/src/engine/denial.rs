//! Why a run pauses whose key or account the model server refuses.

use simulation::key_owner::KeyOwner;
use simulation::parameters::Parameters;

/// The refusal with the owner of the key, and what helps.
pub fn with_key(parameters: &Parameters, message: &str) -> String {
    let key = parameters.key_in_words();
    let advice = match parameters.key_owner {
        KeyOwner::Instance => "",
        KeyOwner::Group => ": set another one on the group's page, then resume the run",
    };
    format!("{message} (asked with {key}{advice})")
}
