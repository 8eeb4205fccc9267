//! Converts names of the file to legal names of the design.

use std::collections::{HashMap, HashSet};

use survey::question::names::{self, QuestionNames};

/// Names of tables, random nodes and fields, which are unique in the design.
#[derive(Debug, Default)]
pub struct LegalNames {
    names: QuestionNames,
    known: HashMap<String, String>,
}

impl LegalNames {
    /// Returns the name for a source, made from it. The same source has the same name.
    pub fn name(&mut self, source: &str, otherwise: &str) -> String {
        self.name_after(source, source, otherwise)
    }

    /// Returns the name for a source, made from its description. The same source has the same name.
    pub fn name_after(&mut self, description: &str, source: &str, otherwise: &str) -> String {
        if let Some(name) = self.known.get(source) {
            return name.clone();
        }
        let name = self.names.free(&legal(description, otherwise), "");
        self.known.insert(source.to_owned(), name.clone());
        name
    }

    pub fn get(&self, source: &str) -> Option<&str> {
        self.known.get(source).map(String::as_str)
    }
}

/// Unique labels.
#[derive(Debug, Default)]
pub struct UniqueLabels {
    taken: HashSet<String>,
    /// The number to try next, by label.
    next: HashMap<String, usize>,
}

impl UniqueLabels {
    /// Returns the label, with a number if it is taken.
    pub fn free(&mut self, label: &str, numbered: impl Fn(usize) -> String) -> String {
        let mut free = label.to_owned();
        let next = self.next.entry(label.to_owned()).or_insert(2);
        while !self.taken.insert(free.clone()) {
            free = numbered(*next);
            *next += 1;
        }
        free
    }
}

/// Returns the name with illegal characters replaced.
pub fn legal(source: &str, otherwise: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' };
    let mut name: String = source.trim().chars().map(kept).collect();
    while name.contains("__") {
        name = name.replace("__", "_");
    }
    let mut name = name.trim_matches(['_', '.']).to_owned();
    if name.is_empty() {
        otherwise.clone_into(&mut name);
    }
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert(0, 'Q');
    }
    name.truncate(names::MAX_NAME);
    if names::check(&name).is_err() {
        name.truncate(names::MAX_NAME - 2);
        name.push_str("_q");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_becomes_a_legal_one() {
        for (source, expected) in [
            ("Q3", "Q3"),
            ("CC.MCQ\u{a0}", "CC.MCQ"),
            ("Platform Use", "Platform_Use"),
            ("1st - item", "Q1st_item"),
            ("if", "if_q"),
            ("block__order", "block_order"),
            ("größe", "gr_e"),
            ("", "QID4"),
            ("_", "QID4"),
        ] {
            let name = legal(source, "QID4");
            assert_eq!(name, expected, "{source}");
            assert_eq!(names::check(&name), Ok(()), "{source}");
        }
        assert!(names::check(&legal(&"x".repeat(100), "Q")).is_ok());
    }
}
