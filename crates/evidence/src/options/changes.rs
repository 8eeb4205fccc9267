//! Options of a comparison as a form or a change sends them: one by one, as JSON.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{ComparisonOptions, Shares};

/// Tolerance of the sum of shares.
const TOLERANCE: f64 = 1e-6;

impl ComparisonOptions {
    /// The fields that are objects, which a form sends as JSON.
    pub const OBJECTS: [&str; 8] =
        ["matching", "recodes", "margins", "cellShares", "outcomes", "arms", "scales", "formulas"];

    /// Sets all options that the fields name. Ignores other fields. Null and an empty text, list or object reset an
    /// option; changed `cells` reset `cellShares`. Fails with a sentence if a value does not fit its option.
    pub fn change(&mut self, mut fields: Map<String, Value>) -> Result<(), String> {
        // Changed cells reset the shares, so the shares are set last.
        let shares = fields.remove("cellShares");
        for (field, value) in fields {
            self.set(&field, value)?;
        }
        shares.map_or(Ok(()), |shares| self.set("cellShares", shares))
    }

    fn set(&mut self, field: &str, value: Value) -> Result<(), String> {
        match field {
            "arm" => self.arm = name(field, value)?,
            "weight" => self.weight = name(field, value)?,
            "twinWeight" => self.twin_weight = name(field, value)?,
            "probability" => self.probability = name(field, value)?,
            "by" => self.by = name(field, value)?.into_iter().collect(),
            "cells" => (self.cells, self.cell_shares) = (names(field, value)?, None),
            "regress" => self.regress = names(field, value)?,
            "adjust" => self.adjust = names(field, value)?,
            "outcomes" => self.outcomes = outcomes(value)?,
            "cellShares" => self.cell_shares = cell_shares(value, &self.cells)?,
            "margins" => self.margins = margins(value)?,
            "matching" => self.matching = matching(value)?,
            "recodes" => self.recodes = recodes(value)?,
            "arms" => self.arms = named(field, "random node", value)?,
            "scales" => self.scales = named(field, "question", value)?,
            "formulas" => self.formulas = named(field, "outcome", value)?,
            _ => {}
        }
        Ok(())
    }
}

fn name(field: &str, value: Value) -> Result<Option<String>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(name) => Ok(Some(name).filter(|name| !name.is_empty())),
        _ => Err(format!("{field}: must be the name of a column or null")),
    }
}

fn names(field: &str, value: Value) -> Result<Vec<String>, String> {
    let found = match value {
        Value::Null => Some(Vec::new()),
        Value::Array(names) => names.into_iter().map(|name| name.as_str().map(str::to_owned)).collect(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => None,
    };
    found.ok_or_else(|| format!("{field}: must be a list of names or null"))
}

fn matching(value: Value) -> Result<BTreeMap<String, Vec<String>>, String> {
    let columns = |(item, columns): (String, Value)| {
        let found = match columns {
            Value::Null => Some(Vec::new()),
            Value::String(column) => Some(vec![column]),
            Value::Array(columns) => columns.into_iter().map(|column| column.as_str().map(str::to_owned)).collect(),
            Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        };
        let found = found.ok_or_else(|| format!("matching.{item}: must be a column, a list of columns or null"))?;
        Ok((item, found))
    };
    object("matching", "question", value)?.into_iter().map(columns).collect()
}

fn outcomes(value: Value) -> Result<BTreeMap<String, Vec<String>>, String> {
    let questions = |(name, questions): (String, Value)| {
        let found = names(&format!("outcomes.{name}"), questions)?;
        Ok((name, found))
    };
    object("outcomes", "outcome", value)?.into_iter().map(questions).collect()
}

fn recodes(value: Value) -> Result<BTreeMap<String, BTreeMap<String, Option<String>>>, String> {
    let of_item = |(item, cells): (String, Value)| {
        let Value::Object(cells) = cells else {
            return Err(format!("recodes.{item}: must be an object: by cell an option or null"));
        };
        let recoded = |(cell, answer): (String, Value)| match answer {
            Value::Null => Ok((cell, None)),
            Value::String(text) => Ok((cell, Some(text))),
            Value::Number(number) => Ok((cell, Some(number.to_string()))),
            _ => Err(format!("recodes.{item}: {cell} must be an option's label or code, a number or null")),
        };
        let cells = cells.into_iter().map(recoded).collect::<Result<_, _>>()?;
        Ok((item, cells))
    };
    object("recodes", "question", value)?.into_iter().map(of_item).collect()
}

fn margins(value: Value) -> Result<BTreeMap<String, Shares>, String> {
    let of_attribute = |(name, levels): (String, Value)| {
        let Value::Object(levels) = levels else {
            return Err(format!("margins.{name}: must be an object: by level a share"));
        };
        let shares = summing_to_one(levels).map_err(|reason| format!("margins.{name}: {reason}"))?;
        Ok((name, shares))
    };
    object("margins", "question", value)?.into_iter().map(of_attribute).collect()
}

fn cell_shares(value: Value, cells: &[String]) -> Result<Option<Shares>, String> {
    let invalid = |reason: &str| format!("cellShares: {reason}");
    let shares = object("cellShares", "cell", value)?;
    if shares.is_empty() {
        return Ok(None);
    }
    if cells.is_empty() {
        return Err(invalid("needs cells, the attributes whose values make them"));
    }
    summing_to_one(shares).map(Some).map_err(invalid)
}

fn summing_to_one(levels: Map<String, Value>) -> Result<Shares, &'static str> {
    let share = |(level, share): (String, Value)| {
        let share = share.as_f64().filter(|share| (0.0..=1.0).contains(share));
        Some((level, share?))
    };
    let shares: Option<Shares> = levels.into_iter().map(share).collect();
    let shares = shares.ok_or("a share must be a number from 0 to 1")?;
    let is_one = (shares.values().sum::<f64>() - 1.0).abs() <= TOLERANCE;
    is_one.then_some(shares).ok_or("the shares do not add up to 1")
}

/// Reads an object whose values have one form.
fn named<T: DeserializeOwned>(field: &str, key: &str, value: Value) -> Result<BTreeMap<String, T>, String> {
    let read = |(name, value): (String, Value)| {
        let of = serde_json::from_value(value).map_err(|error| format!("{field}.{name}: {error}"))?;
        Ok((name, of))
    };
    object(field, key, value)?.into_iter().map(read).collect()
}

/// Reads an object; null is an empty one.
fn object(field: &str, key: &str, value: Value) -> Result<Map<String, Value>, String> {
    match value {
        Value::Null => Ok(Map::new()),
        Value::Object(fields) => Ok(fields),
        _ => Err(format!("{field}: must be an object: by {key}")),
    }
}
