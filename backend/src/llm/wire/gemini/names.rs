//! Names of models, in paths and bodies.

use reqwest::Url;

/// The path of a method of a model, whose name may have any signs.
pub fn path_of(model: &str, method: &str) -> String {
    let mut path = Url::parse("http://host").unwrap_or_else(|error| unreachable!("an address: {error}"));
    if let Ok(mut segments) = path.path_segments_mut() {
        segments.extend(["v1beta", "models", name_of(model)]);
    }
    format!("{}:{method}", path.path())
}

/// The model's name without the collection.
pub fn name_of(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}
