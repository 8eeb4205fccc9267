//! Texts: JSON of what is sent, and texts of replies as the database can hold them.

use serde::Serialize;

/// The value as JSON. Only for strings, numbers and structs of them, which JSON can always hold.
pub fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| unreachable!("a prompt is JSON: {error}"))
}

/// PostgreSQL's texts cannot hold NUL.
pub fn storable(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "") } else { text }
}

/// Names go into the database, which cannot hold every character.
pub fn printable(name: String) -> String {
    name.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// Whether the text has this name as a word of its own.
pub fn names(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}
