//! Names in a draft that its survey does not have, for example because a question, node or arm was renamed or removed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use survey::flow::{Design, Node, all_nodes};
use survey::question::Question;
use survey::walk::OptionOrder;
use utoipa::ToSchema;

use crate::parameters::PersonaVariant;
use crate::plans::differences::order_name;
use crate::plans::document::{PlanDocument, PlannedContrast, row_names};

/// A name in a draft that its survey does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct NameNotFound {
    /// `primaryItems`, or `of`, `a` or `b` of a contrast, with its index from 0 in brackets.
    #[schema(example = "contrasts[0].a")]
    pub field: String,
    #[schema(example = "resort")]
    pub name: String,
    /// The most similar name of the survey; null if none is similar.
    #[schema(example = "resort fee")]
    pub nearest: Option<String>,
}

/// Names that a plan can refer to.
#[derive(Debug, Default)]
pub struct KnownNames {
    /// Questions, and rows of matrices.
    items: BTreeSet<String>,
    /// Variables of contrasts with their groups; empty if any group is possible.
    groups: BTreeMap<String, BTreeSet<String>>,
}

impl KnownNames {
    /// Collects the names of a survey. `attributes` are those of the personas.
    pub fn collect(questions: &[Question], design: &Design, attributes: impl IntoIterator<Item = String>) -> Self {
        let asked = questions.iter().filter(|question| question.is_request());
        let items = asked.flat_map(|question| row_names(question).chain([question.name.clone()])).collect();
        let mut groups: BTreeMap<String, BTreeSet<String>> =
            attributes.into_iter().map(|label| (label, BTreeSet::new())).collect();
        arms(&design.flow, &mut groups);
        let variants = PersonaVariant::ALL.iter().map(|variant| variant.name().to_owned());
        groups.extend([
            ("variant".to_owned(), variants.collect()),
            ("model".to_owned(), BTreeSet::new()),
            (
                "order".to_owned(),
                [OptionOrder::AsWritten, OptionOrder::Reversed].map(|order| order_name(order).to_owned()).into(),
            ),
        ]);
        Self { items, groups }
    }
}

impl PlanDocument {
    /// Whether the plan names anything of its survey.
    pub fn has_names(&self) -> bool {
        !self.primary_items.is_empty() || !self.contrasts.is_empty()
    }

    pub fn not_found(&self, known: &KnownNames) -> Vec<NameNotFound> {
        let mut missing = Vec::new();
        let mut look = |field: String, name: &str, there: &mut dyn Iterator<Item = &String>| {
            let there: Vec<&String> = there.collect();
            if !there.iter().any(|known| *known == name) {
                missing.push(NameNotFound { field, name: name.to_owned(), nearest: nearest(name, &there) });
            }
        };
        for name in &self.primary_items {
            // A question of a loop, or one of its turns.
            let whole = name.split('#').next().unwrap_or(name);
            let is_turn = whole != name && known.items.contains(whole);
            if !is_turn {
                look("primaryItems".to_owned(), name, &mut known.items.iter());
            }
        }
        for (place, PlannedContrast { of, a, b }) in self.contrasts.iter().enumerate() {
            look(format!("contrasts[{place}].of"), of, &mut known.groups.keys());
            let Some(groups) = known.groups.get(of).filter(|groups| !groups.is_empty()) else { continue };
            for (end, name) in [("a", a), ("b", b)] {
                look(format!("contrasts[{place}].{end}"), name, &mut groups.iter());
            }
        }
        missing
    }
}

/// Collects the arms of each random node.
fn arms(nodes: &[Node], groups: &mut BTreeMap<String, BTreeSet<String>>) {
    for node in all_nodes(nodes) {
        if let Node::Random(random) = node {
            groups.insert(random.name.clone(), random.of.iter().map(|arm| arm.arm.clone()).collect());
        }
    }
}

/// The name with the fewest changed letters, if at least half of the letters stay.
fn nearest(name: &str, there: &[&String]) -> Option<String> {
    let folded: Vec<char> = name.to_lowercase().chars().collect();
    let distances = there.iter().map(|known| {
        let other: Vec<char> = known.to_lowercase().chars().collect();
        (changes(&folded, &other), folded.len().max(other.len()), *known)
    });
    let near = distances.filter(|(changes, longer, _)| changes * 2 <= *longer);
    near.min_by_key(|(changes, ..)| *changes).map(|(.., known)| known.clone())
}

/// Number of letters to insert, remove or replace (Levenshtein distance).
fn changes(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (place, letter) in one.iter().enumerate() {
        let mut diagonal = row.first().copied().unwrap_or_default();
        let mut left = place + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, other) in row.iter_mut().skip(1).zip(other) {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = *cell;
            left = replaced.min(left + 1).min(*cell + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use survey::document::Document;

    fn known() -> KnownNames {
        let Document { items, design, .. } = Document::read(json!({ "title": "T", "questions": [
            { "name": "fairness", "type": "BOOLEAN", "text": "?" },
            { "name": "grid", "type": "MATRIX", "text": "?", "sub_questions": ["r", "s"], "scale_labels": ["l", "h"] },
            { "name": "hint", "type": "INFO", "text": "!" },
          ], "flow": [
            { "random": "fee_kind", "take": 1, "of": [{ "arm": "resort fee" }, { "arm": "service" }] },
            { "block": "b", "questions": ["fairness", "grid", "hint"] }] }))
        .expect("a survey");
        let questions: Vec<Question> = items.into_iter().map(Question::from).collect();
        KnownNames::collect(&questions, &design, ["Gender".to_owned()])
    }

    fn plan(items: &[&str], contrasts: &[[&str; 3]]) -> PlanDocument {
        let contrast = |[of, a, b]: &[&str; 3]| PlannedContrast { of: (*of).into(), a: (*a).into(), b: (*b).into() };
        PlanDocument {
            primary_items: items.iter().map(|name| (*name).to_owned()).collect(),
            contrasts: contrasts.iter().map(contrast).collect(),
            ..PlanDocument::default()
        }
    }

    #[test]
    fn names_that_the_survey_has_are_found() {
        let plan = plan(
            &["fairness", "grid", "grid_2", "fairness#3"],
            &[
                ["fee_kind", "resort fee", "service"],
                ["variant", "summary", "empty"],
                ["order", "as_written", "reversed"],
                ["model", "m-1", "m-2"],
                ["Gender", "Female", "Male"],
            ],
        );
        assert_eq!(plan.not_found(&known()), []);
        assert!(plan.has_names() && !PlanDocument::default().has_names());
    }

    #[test]
    fn others_are_named_with_their_place_and_what_is_most_like_them() {
        let plan = plan(
            &["fair", "grid_3", "hint", "zzz"],
            &[["fee_arm", "resort", "service"], ["fee_kind", "resort", "services"], ["Gander", "Female", "Male"]],
        );
        let found = plan.not_found(&known());
        let found: Vec<(&str, &str, Option<&str>)> = (found.iter())
            .map(|missing| (missing.field.as_str(), missing.name.as_str(), missing.nearest.as_deref()))
            .collect();
        assert_eq!(
            found,
            [
                ("primaryItems", "fair", Some("fairness")),
                ("primaryItems", "grid_3", Some("grid_1")),
                ("primaryItems", "hint", None),
                ("primaryItems", "zzz", None),
                ("contrasts[0].of", "fee_arm", Some("fee_kind")),
                ("contrasts[1].a", "resort", Some("resort fee")),
                ("contrasts[1].b", "services", Some("service")),
                ("contrasts[2].of", "Gander", Some("Gender")),
            ]
        );
    }

    #[test]
    fn letters_that_differ_are_counted() {
        let of = |one: &str, other: &str| changes(&one.chars().collect::<Vec<_>>(), &other.chars().collect::<Vec<_>>());
        assert_eq!((of("", "abc"), of("abc", "abc"), of("kitten", "sitting")), (3, 0, 3));
    }
}
