//! Names of a randomiser's arms from the fields that they set.

use std::collections::HashSet;

use serde_json::Value;

use super::file::{MAX_DEPTH, children, listed, text_of};
use crate::text::label;

/// Maximum length of a value that is a name, in characters.
const MAX_VALUE: usize = 26;

/// Returns a name for each child: the value of a field that all of them set and that tells them apart. Short words are
/// preferred to numbers, which stand after the field's name; long texts are numbered. `None` if no field tells them apart.
pub fn labels(children: &[&Value]) -> Option<Vec<String>> {
    let set: Vec<Vec<(String, String)>> = children.iter().map(|child| fields(child, 1)).collect();
    let values = |field: &str| -> Option<Vec<String>> { set.iter().map(|of| value(of, field)).collect() };
    let common: Vec<(String, Vec<String>)> =
        set.first()?.iter().filter_map(|(field, _)| Some((field.clone(), values(field)?))).collect();
    let is_short = |values: &[String]| values.iter().all(|value| value.chars().count() <= MAX_VALUE);
    let is_number = |values: &[String]| values.iter().any(|value| value.parse::<f64>().is_ok());
    let short = || common.iter().filter(|(_, values)| is_short(values));
    let apart = || short().filter(|(_, values)| is_apart(values));
    if let Some((_, values)) = apart().find(|(_, values)| !is_number(values)) {
        return Some(values.clone());
    }
    if let Some((field, values)) = apart().next() {
        return Some(values.iter().map(|value| label(&format!("{field} {value}"))).collect());
    }
    let joined = |place: usize| {
        let values = short().filter_map(|(_, values)| values.get(place).cloned());
        label(&values.collect::<Vec<_>>().join(" / "))
    };
    let joined: Vec<String> = (0..children.len()).map(joined).collect();
    if is_apart(&joined) {
        return Some(joined);
    }
    let (field, _) = common.iter().find(|(_, values)| is_apart(values))?;
    Some((1..=children.len()).map(|number| label(&format!("{field} {number}"))).collect())
}

fn is_apart(values: &[String]) -> bool {
    let different: HashSet<&String> = values.iter().collect();
    different.len() == values.len() && !values.iter().any(String::is_empty)
}

fn value(set: &[(String, String)], field: &str) -> Option<String> {
    set.iter().rev().find(|(name, _)| name == field).map(|(_, value)| value.clone())
}

/// Returns the fields that a node sets for everybody who comes to it, with values that are the same for all of them.
fn fields(node: &Value, depth: usize) -> Vec<(String, String)> {
    if depth > MAX_DEPTH || !matches!(text_of(node.get("Type")).as_str(), "EmbeddedData" | "Group" | "Root") {
        return Vec::new();
    }
    let own = listed(node.get("EmbeddedData")).into_iter();
    let own = own.map(|(_, field)| (text_of(field.get("Field")), label(&text_of(field.get("Value")))));
    let mut all: Vec<(String, String)> =
        own.filter(|(field, value)| !field.is_empty() && !value.is_empty() && !value.contains("${")).collect();
    all.extend(children(node).into_iter().flat_map(|child| fields(child, depth + 1)));
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Names of arms that set these fields.
    fn named(arms: &[&[(&str, &str)]]) -> Option<Vec<String>> {
        let group = |fields: &&[(&str, &str)]| {
            let fields: Vec<Value> =
                fields.iter().map(|(field, value)| json!({ "Field": field, "Value": value })).collect();
            json!({ "Type": "Group", "Flow": [{ "Type": "EmbeddedData", "EmbeddedData": fields }] })
        };
        let nodes: Vec<Value> = arms.iter().map(group).collect();
        labels(&nodes.iter().collect::<Vec<_>>())
    }

    #[test]
    fn arms_are_named_by_the_shortest_words_that_tell_them_apart() {
        let named = |arms: &[&[(&str, &str)]]| named(arms).map(|names| names.join(", ")).unwrap_or_default();
        let fee = |segment, target| [("Segment", segment), ("target", target)];
        assert_eq!(named(&[&fee("2", "broad"), &fee("1", "female")]), "broad, female");
        assert_eq!(named(&[&[("order", "1")], &[("order", "2")]]), "order 1, order 2");
        let cell = |emotion, cond| [("emotion", emotion), ("cond", cond)];
        let cells = [cell("calm", "prime"), cell("calm", "control"), cell("glad", "prime")];
        assert_eq!(named(&[&cells[0], &cells[1], &cells[2]]), "calm / prime, calm / control, glad / prime");
        let story = |text: &str| format!("{text}, and so the long story goes on for several pages.");
        let (one, other) = (story("The eyes snapped open"), story("He turned around"));
        assert_eq!(named(&[&[("Story", &one)], &[("Story", &other)]]), "Story 1, Story 2");
        assert_eq!(named(&[&[("a", "x")], &[("b", "y")]]), "");
        assert_eq!(named(&[&[("a", "x")], &[("a", "x")]]), "");
    }
}
