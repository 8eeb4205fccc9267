//! Conversions between types of surveys and columns of PostgreSQL.

use std::io::Write;

use diesel::deserialize::FromSql;
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{IsNull, Output, ToSql};
use diesel::sql_types::{Jsonb, Text};

use crate::flow::Design;
use crate::logic::QuestionLogic;
use crate::question::QuestionType;

impl FromSql<Text, Pg> for QuestionType {
    fn from_sql(bytes: PgValue<'_>) -> diesel::deserialize::Result<Self> {
        let name = std::str::from_utf8(bytes.as_bytes())?;
        Self::parse(name).ok_or_else(|| format!("unknown question type {name}").into())
    }
}

impl ToSql<Text, Pg> for QuestionType {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> diesel::serialize::Result {
        out.write_all(self.name().as_bytes())?;
        Ok(IsNull::No)
    }
}

impl FromSql<Jsonb, Pg> for QuestionLogic {
    fn from_sql(bytes: PgValue<'_>) -> diesel::deserialize::Result<Self> {
        Ok(serde_json::from_value(FromSql::<Jsonb, Pg>::from_sql(bytes)?)?)
    }
}

impl ToSql<Jsonb, Pg> for QuestionLogic {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> diesel::serialize::Result {
        // The version byte of the jsonb format.
        out.write_all(&[1])?;
        serde_json::to_writer(out, self)?;
        Ok(IsNull::No)
    }
}

impl FromSql<Jsonb, Pg> for Design {
    fn from_sql(bytes: PgValue<'_>) -> diesel::deserialize::Result<Self> {
        Ok(serde_json::from_value(FromSql::<Jsonb, Pg>::from_sql(bytes)?)?)
    }
}

impl ToSql<Jsonb, Pg> for Design {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> diesel::serialize::Result {
        // The version byte of the jsonb format.
        out.write_all(&[1])?;
        serde_json::to_writer(out, self)?;
        Ok(IsNull::No)
    }
}
