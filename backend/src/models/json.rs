//! JSON columns.

/// The error for a JSON column that does not have the expected shape.
pub fn unreadable(error: serde_json::Error) -> diesel::result::Error {
    diesel::result::Error::DeserializationError(Box::new(error))
}
