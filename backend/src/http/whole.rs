//! Whole numbers as callers send them.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, SchemaType, Type};

/// As a number, or in digits as answers have amounts and tokens have user ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Whole(pub i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Spelled {
            Number(i64),
            Digits(String),
        }
        let not_whole = || Error::custom("expected a whole number");
        match Spelled::deserialize(input).map_err(|_| not_whole())? {
            Spelled::Number(number) => Ok(Self(number)),
            Spelled::Digits(digits) => digits.parse().map(Self).map_err(|_| not_whole()),
        }
    }
}

impl Whole {
    /// Both spellings, for the API's document, beside `others`.
    pub fn schema(others: &[Type]) -> ObjectBuilder {
        let kinds = [Type::Integer, Type::String].into_iter().chain(others.iter().cloned());
        ObjectBuilder::new()
            .schema_type(SchemaType::from_iter(kinds))
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
            .pattern(Some("^[+-]?[0-9]+$"))
    }
}
