//! Conversions from columns of PostgreSQL.

use diesel::deserialize::{self, FromSql};
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::{Jsonb, Text};

use crate::json::JsonText;
use crate::status::Status;

impl FromSql<Text, Pg> for Status {
    fn from_sql(bytes: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(std::str::from_utf8(bytes.as_bytes())?.parse()?)
    }
}

impl FromSql<Jsonb, Pg> for JsonText {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        // The first byte is the version of jsonb's binary format.
        match value.as_bytes() {
            [1, json @ ..] => Ok(Self(serde_json::from_slice(json)?)),
            _ => Err("not a jsonb of version 1".into()),
        }
    }
}
