//! The fourteen demographics of a `persona_summary`, and the short description of a persona.

use std::collections::BTreeMap;

/// Attributes by label, for example `Gender` → `Female`.
pub type Attributes = BTreeMap<String, String>;

/// The labels of every summary, in its order.
pub const LABELS: [&str; 14] = [
    "Geographic region",
    "Gender",
    "Age",
    "Education level",
    "Race",
    "Citizen of the US",
    "Marital status",
    "Religion",
    "Religious attendance",
    "Political affiliation",
    "Income",
    "Political views",
    "Household size",
    "Employment status",
];

/// Reads the `Label: value` lines of a summary. Only the first line of each known label counts, because the essays
/// after them may contain similar lines.
pub fn read(summary: &str) -> Attributes {
    let mut found = Attributes::new();
    for line in summary.lines() {
        let Some((label, value)) = line.split_once(':') else { continue };
        let (label, value) = (label.trim(), value.trim());
        if LABELS.contains(&label) && !value.is_empty() && !found.contains_key(label) {
            found.insert(label.to_owned(), value.to_owned());
            if found.len() == LABELS.len() {
                break;
            }
        }
    }
    found
}

/// One line for lists, for example `Female, 30-49, South, Some college, Full-time employment`.
pub fn description(attributes: &Attributes) -> String {
    ["Gender", "Age", "Geographic region", "Education level", "Employment status"]
        .into_iter()
        .filter_map(|label| attributes.get(label))
        // The states of "South (TX, OK, ..)" are cut off, because they would fill the line.
        .map(|value| value.split(" (").next().unwrap_or(value))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_labels_count_and_of_each_the_first() {
        let summary = "Geographic region: South (TX, OK)\nGender: Female\nAge: 30-49\nscore_openness = 3.2\n\
                       Essay\nGender: none of your business\nLesson: be kind\nIncome: \nMy Age: 12";
        let attributes = read(summary);
        let found: Vec<_> = attributes.iter().map(|(label, value)| (label.as_str(), value.as_str())).collect();
        assert_eq!(found, [("Age", "30-49"), ("Gender", "Female"), ("Geographic region", "South (TX, OK)")]);
        assert_eq!(description(&attributes), "Female, 30-49, South");
    }
}
