//! The attributes of a run's personas, each text kept once: thousands of personas share some hundred texts.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use simulation::json::JsonText;

/// Distinct texts, with a number for each.
#[derive(Default)]
struct Texts {
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Texts {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}

/// The key of an object, which is borrowed from the JSON where it has no escapes.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(transparent)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The attributes of one persona: the numbers of their names and values. A value that is null or empty has no number.
type Row = Vec<(u32, Option<u32>)>;

/// The attributes of a run's personas.
#[derive(Default)]
pub struct TwinAttributes {
    names: Texts,
    values: Texts,
    /// The number of the value that a JSON value has as its text, if it has one.
    by_json: HashMap<Box<str>, Option<u32>>,
    rows: Vec<(i32, Row)>,
}

/// A persona with its attributes.
#[derive(Clone, Copy)]
pub struct TwinRow<'a> {
    pub id: i32,
    row: &'a Row,
    all: &'a TwinAttributes,
}

impl<'a> TwinRow<'a> {
    /// The value of the attribute; `None`: the persona does not have it, or it is null or empty.
    pub fn value(&self, name: &str) -> Option<&'a str> {
        let name = self.all.names.numbers.get(name)?;
        let (_, value) = self.row.iter().find(|(known, _)| known == name)?;
        value.map(|value| &*self.all.values.texts[value as usize])
    }
}

impl TwinAttributes {
    /// Adds a persona with the attributes in a JSON object.
    pub fn add(&mut self, persona: i32, object: &JsonText) {
        let fields: BTreeMap<Name<'_>, &RawValue> = object.parse().unwrap_or_default();
        let mut row = Row::with_capacity(fields.len());
        for (name, json) in fields {
            let value = match self.by_json.get(json.get()) {
                Some(value) => *value,
                None => {
                    let value = text(json).map(|text| self.values.number(&text));
                    self.by_json.insert(json.get().into(), value);
                    value
                }
            };
            row.push((self.names.number(&name.0), value));
        }
        self.rows.push((persona, row));
    }

    /// Gives the persona that was added as number `place` another attribute.
    pub fn set(&mut self, place: usize, name: &str, value: &str) {
        let value = Some(value).filter(|value| !value.is_empty()).map(|value| self.values.number(value));
        let name = self.names.number(name);
        let row = &mut self.rows[place].1;
        row.retain(|(known, _)| *known != name);
        row.push((name, value));
    }

    /// Whether any persona has the attribute, be it null or empty.
    pub fn has(&self, name: &str) -> bool {
        let number = self.names.numbers.get(name);
        number.is_some_and(|number| self.rows.iter().any(|(_, row)| row.iter().any(|(known, _)| known == number)))
    }

    pub fn personas(&self) -> impl Iterator<Item = TwinRow<'_>> {
        self.rows.iter().map(|(id, row)| TwinRow { id: *id, row, all: self })
    }

    /// The values of each attribute, by name, with the number of personas that have them. TwinAttributes with more than
    /// `most` values are left out.
    pub fn counts(&self, most: usize) -> BTreeMap<&str, BTreeMap<&str, i64>> {
        let mut counts: Vec<Option<HashMap<u32, i64>>> = vec![None; self.names.texts.len()];
        for (name, value) in self.rows.iter().flat_map(|(_, row)| row) {
            let values = counts[*name as usize].get_or_insert_default();
            // One value above the limit shows that there are too many.
            if let Some(value) = value
                && values.len() <= most
            {
                *values.entry(*value).or_default() += 1;
            }
        }
        let named = self.names.texts.iter().map(String::as_str).zip(counts);
        let few = named.filter_map(|(name, values)| Some((name, values.filter(|values| values.len() <= most)?)));
        let text = |(value, n): (u32, i64)| (&*self.values.texts[value as usize], n);
        few.map(|(name, values)| (name, values.into_iter().map(text).collect())).collect()
    }
}

/// The text of a JSON value; `None`: it is null or empty.
fn text(json: &RawValue) -> Option<String> {
    match serde_json::from_str(json.get()).ok()? {
        Value::Null => None,
        Value::String(text) => Some(text).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_texts_are_one_value_and_empty_ones_are_none() {
        let mut attributes = TwinAttributes::default();
        for (id, object) in (1..).zip([
            json!({"Gender": "Female", "Age": 1, "Town": null}),
            json!({"Gender": "Female", "Age": "1"}),
            json!({"Gender": "", "Town \"a\"": true}),
        ]) {
            attributes.add(id, &serde_json::from_value(object).expect("a JSON text"));
        }
        attributes.set(1, "Gender", "Male");
        attributes.set(2, "arm", "");
        let counts = attributes.counts(100);
        let expected = [
            ("Age", vec![("1", 2)]),
            ("Gender", vec![("Female", 1), ("Male", 1)]),
            ("Town", vec![]),
            ("Town \"a\"", vec![("true", 1)]),
            ("arm", vec![]),
        ];
        assert_eq!(counts, expected.map(|(name, values)| (name, values.into_iter().collect())).into());
        assert_eq!(attributes.counts(1).keys().copied().collect::<Vec<_>>(), ["Age", "Town", "Town \"a\"", "arm"]);
        let values: Vec<_> = attributes.personas().map(|persona| (persona.id, persona.value("Gender"))).collect();
        assert_eq!(values, [(1, Some("Female")), (2, Some("Male")), (3, None)]);
        assert!(attributes.has("Town") && attributes.has("arm") && !attributes.has("Shoes"));
    }
}
