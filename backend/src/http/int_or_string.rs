//! Integers that may also be sent as strings.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, SchemaType, Type};

/// A JSON integer, or a string of digits: responses have amounts, and tokens have user ids, as strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct IntOrString(pub i64);

impl<'de> Deserialize<'de> for IntOrString {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Int(i64),
            String(String),
        }
        let not_an_integer = || Error::custom("expected a whole number");
        match Either::deserialize(input).map_err(|_| not_an_integer())? {
            Either::Int(number) => Ok(Self(number)),
            Either::String(digits) => digits.parse().map(Self).map_err(|_| not_an_integer()),
        }
    }
}

impl IntOrString {
    /// The schema of both forms, for the API's document, beside the types in `others`.
    pub fn schema(others: &[Type]) -> ObjectBuilder {
        let kinds = [Type::Integer, Type::String].into_iter().chain(others.iter().cloned());
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter(kinds))
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
            .pattern(Some("^[+-]?[0-9]+$"))
    }
}
