//! Options and labels: the code that types with them share.

use std::fmt::{self, Display, Write};

use serde_json::Value;

use super::excerpt;

/// Returns the texts in this order of 1-based positions.
pub fn in_order<'a>(texts: &'a [String], order: Option<&[i16]>) -> Vec<&'a str> {
    let at = |position: &i16| texts.get(usize::try_from(*position).ok()?.checked_sub(1)?);
    match order {
        Some(order) => order.iter().filter_map(at).map(String::as_str).collect(),
        None => texts.iter().map(String::as_str).collect(),
    }
}

/// Finds the chosen text and returns it as the researcher wrote it. Accepts another case or spacing if that is
/// unambiguous. `order` is the order of the texts in the rejection.
pub(super) fn one_of(texts: &[String], order: Option<&[i16]>, value: &Value) -> Result<String, String> {
    let said = value.as_str().ok_or_else(|| format!("{} is not a text", excerpt(value)))?;
    if let Some(text) = texts.iter().find(|text| *text == said) {
        return Ok(text.clone());
    }
    let mut alike = texts.iter().filter(|text| plain(text) == plain(said));
    match (alike.next(), alike.next()) {
        (Some(text), None) => Ok(text.clone()),
        _ => Err(format!("{} is not one of: {}", excerpt(value), offered(texts, order))),
    }
}

/// Finds the chosen texts, at least one, and returns them in the order of the survey.
pub(super) fn some_of(texts: &[String], order: Option<&[i16]>, value: &Value) -> Result<Vec<String>, String> {
    let single = std::slice::from_ref(value);
    let items = value.as_array().map_or(single, Vec::as_slice);
    let chosen = items.iter().map(|item| one_of(texts, order, item)).collect::<Result<Vec<_>, _>>()?;
    if chosen.is_empty() {
        return Err("no option was chosen".into());
    }
    Ok(texts.iter().filter(|text| chosen.contains(text)).cloned().collect())
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Lists the texts in the order shown.
fn offered(texts: &[String], order: Option<&[i16]>) -> String {
    in_order(texts, order).iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ")
}

/// Writes a line for each item.
pub(super) fn write_list<Item: Display>(message: &mut String, items: impl IntoIterator<Item = Item>) -> fmt::Result {
    items.into_iter().try_for_each(|item| writeln!(message, "- {item}"))
}
