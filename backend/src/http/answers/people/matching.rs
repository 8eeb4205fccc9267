//! The fields of a people's form that say what its columns and cells are, what shares people are weighted to, and the cells'.

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
        let shares = summing_to_one(levels).map_err(invalid)?;
        found.0.insert(name, shares);
    }
    Ok(found)
}

/// Reads `cellShares`, if it is sent: by cell of these attributes.
pub fn of_cells(shares: Option<&[u8]>, cells: &[String]) -> Result<Option<BTreeMap<String, f64>>> {
    let invalid = |reason: &str| ApiError::invalid(format!("cellShares: {reason}"));
    let levels = object_by("cell", "cellShares", shares)?;
    if levels.is_empty() {
        return Ok(None);
    }
    if cells.is_empty() {
        return Err(invalid("needs cells, the attributes whose values make them"));
    }
    summing_to_one(levels).map(Some).map_err(invalid)
}

fn summing_to_one(levels: Map<String, Value>) -> std::result::Result<BTreeMap<String, f64>, &'static str> {
    let share = |(level, share): (String, Value)| {
        let share = share.as_f64().filter(|share| (0.0..=1.0).contains(share));
        Some((level, share?))
    };
    let shares: Option<BTreeMap<String, f64>> = levels.into_iter().map(share).collect();
    let shares = shares.ok_or("a share must be a number from 0 to 1")?;
    let is_one = (shares.values().sum::<f64>() - 1.0).abs() <= TOLERANCE;
    is_one.then_some(shares).ok_or("the shares do not add up to 1")
}

fn object(name: &str, json: Option<&[u8]>) -> Result<Map<String, Value>> {
    object_by("question", name, json)
}

fn object_by(key: &str, name: &str, json: Option<&[u8]>) -> Result<Map<String, Value>> {
    match json.map(serde_json::from_slice) {
        None => Ok(Map::new()),
        Some(Ok(Value::Object(fields))) => Ok(fields),
        Some(Ok(_)) => Err(ApiError::invalid(format!("{name}: must be an object: by {key}"))),
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
