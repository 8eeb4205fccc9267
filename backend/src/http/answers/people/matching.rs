//! The fields of a people's form that say what its columns and cells are, and what shares people are weighted to.

use std::collections::BTreeMap;

use evidence::upload::Corrections;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::http::error::{ApiError, Result};
use crate::results::people::Margins;

/// A question's column, or its columns: one for each option, in the order of the options. Null: none.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read as JSON, so that a refusal names the question; the document needs its shape")]
pub enum QuestionColumns {
    #[schema(example = "Fair")]
    One(String),
    Several(Vec<String>),
    None,
}

/// An option's label or code, or a number. Null: missing.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "read as JSON, so that a refusal names the question; the document needs its shape")]
pub enum RecodedAnswer {
    #[schema(example = "Agree")]
    Text(String),
    Number(f64),
    Missing,
}

/// Reads both fields, where they are sent.
pub fn corrections(matching: Option<&[u8]>, recodes: Option<&[u8]>) -> Result<Corrections> {
    let mut corrections = Corrections::default();
    for (item, columns) in object("matching", matching)? {
        let columns = columns_of(columns).ok_or_else(|| {
            ApiError::invalid(format!("matching.{item}: must be a column, a list of columns or null"))
        })?;
        corrections.columns.insert(item, columns);
    }
    for (item, cells) in object("recodes", recodes)? {
        let Value::Object(cells) = cells else {
            return Err(ApiError::invalid(format!("recodes.{item}: must be an object: by cell an option or null")));
        };
        let mut recoded = BTreeMap::new();
        for (cell, answer) in cells {
            let answer = match answer {
                Value::Null => None,
                Value::String(text) => Some(text),
                Value::Number(number) => Some(number.to_string()),
                _ => {
                    let message = format!("recodes.{item}: {cell} must be an option's label or code, a number or null");
                    return Err(ApiError::invalid(message));
                }
            };
            recoded.insert(cell, answer);
        }
        corrections.recodes.insert(item, recoded);
    }
    Ok(corrections)
}

/// How far shares may be from 1 together.
const TOLERANCE: f64 = 1e-6;

/// Reads `margins`, if it is sent.
pub fn shares(margins: Option<&[u8]>) -> Result<Margins> {
    let mut found = Margins::default();
    for (name, levels) in object("margins", margins)? {
        let invalid = |reason: &str| ApiError::invalid(format!("margins.{name}: {reason}"));
        let Value::Object(levels) = levels else { return Err(invalid("must be an object: by level a share")) };
        let share = |(level, share): (String, Value)| {
            let share = share.as_f64().filter(|share| (0.0..=1.0).contains(share));
            Some((level, share?))
        };
        let shares: Option<BTreeMap<String, f64>> = levels.into_iter().map(share).collect();
        let shares = shares.ok_or_else(|| invalid("a share must be a number from 0 to 1"))?;
        if (shares.values().sum::<f64>() - 1.0).abs() > TOLERANCE {
            return Err(invalid("the shares do not add up to 1"));
        }
        found.0.insert(name, shares);
    }
    Ok(found)
}

fn object(name: &str, json: Option<&[u8]>) -> Result<Map<String, Value>> {
    match json.map(serde_json::from_slice) {
        None => Ok(Map::new()),
        Some(Ok(Value::Object(fields))) => Ok(fields),
        Some(Ok(_)) => Err(ApiError::invalid(format!("{name}: must be an object: by question"))),
        Some(Err(error)) => Err(ApiError::invalid(format!("{name}: is no JSON: {error}"))),
    }
}

fn columns_of(columns: Value) -> Option<Vec<String>> {
    match columns {
        Value::Null => Some(Vec::new()),
        Value::String(column) => Some(vec![column]),
        Value::Array(columns) => columns.into_iter().map(|column| column.as_str().map(str::to_owned)).collect(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}
