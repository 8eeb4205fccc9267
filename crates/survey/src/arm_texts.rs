//! The texts to which the arms of a random node set fields, so that a question that reads the fields can be shown as
//! each arm read it.

use std::collections::BTreeMap;

use super::flow::{Node, Random, all_nodes};
use super::pipe::Template;

/// Texts of fields by their names.
pub type FieldTexts = BTreeMap<String, String>;

/// Returns, for each arm of the random node with this name, the fields that the arm sets to a fixed text. Leaves out a
/// field that is also set elsewhere, because a twin of the arm may read another text. Empty if there is no such node.
pub fn find_field_texts(flow: &[Node], random: &str) -> BTreeMap<String, FieldTexts> {
    let Some(node) = find(flow, random) else { return BTreeMap::new() };
    let mut by_arm: BTreeMap<String, FieldTexts> = BTreeMap::new();
    let mut times_set: BTreeMap<&str, usize> = BTreeMap::new();
    for arm in &node.of {
        let mut texts = FieldTexts::new();
        for (field, value) in sets(&arm.flow) {
            *times_set.entry(field).or_default() += 1;
            texts.insert(field.clone(), value.clone());
        }
        by_arm.insert(arm.arm.clone(), texts);
    }
    let mut elsewhere: BTreeMap<&str, usize> = BTreeMap::new();
    count_sets(flow, &mut elsewhere);
    for texts in by_arm.values_mut() {
        texts.retain(|field, value| {
            let only_here = times_set.get(field.as_str()) == elsewhere.get(field.as_str());
            match Template::parse(value).as_literal() {
                Some(literal) if only_here => {
                    *value = literal;
                    true
                }
                _ => false,
            }
        });
    }
    by_arm.retain(|_, texts| !texts.is_empty());
    by_arm
}

fn find<'a>(flow: &'a [Node], name: &str) -> Option<&'a Random> {
    all_nodes(flow).into_iter().find_map(|node| match node {
        Node::Random(random) if random.name == name => Some(random),
        _ => None,
    })
}

/// Collects the fields that these nodes set unconditionally: not those below a condition, a draw or a loop.
fn sets(flow: &[Node]) -> Vec<(&String, &String)> {
    let mut found = Vec::new();
    for node in flow {
        match node {
            Node::Set(set) => found.extend(&set.set),
            Node::Group(nodes) => found.extend(sets(nodes)),
            _ => {}
        }
    }
    found
}

fn count_sets<'a>(flow: &'a [Node], times: &mut BTreeMap<&'a str, usize>) {
    for node in all_nodes(flow) {
        if let Node::Set(set) = node {
            set.set.keys().for_each(|field| *times.entry(field).or_default() += 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::flow::Design;

    fn found(flow: Value, random: &str) -> Value {
        let design: Design = serde_json::from_value(json!({ "flow": flow })).unwrap();
        serde_json::to_value(find_field_texts(&design.flow, random)).unwrap()
    }

    #[test]
    fn arms_tell_the_texts_that_they_set() {
        let arms = json!([
            { "arm": "low", "flow": [{ "set": { "fee": "a \\{{small}} fee" } }, { "block": "b", "questions": ["q"] }] },
            { "arm": "high", "flow": [[{ "set": { "fee": "a large fee", "age": "{{twin:Age}}" } }]] },
            { "arm": "none" },
        ]);
        let fees = json!({ "low": { "fee": "a {{small}} fee" }, "high": { "fee": "a large fee" } });
        let random = json!({ "random": "fee_arm", "take": 1, "of": arms });
        assert_eq!(found(json!([random]), "fee_arm"), fees);
        assert_eq!(
            found(json!([{ "random": "outer", "take": 1, "of": [{ "arm": "x", "flow": [random] }] }]), "fee_arm"),
            fees
        );
        assert_eq!(found(json!([random]), "other"), json!({}), "there is no such node");
        let again = json!([random, { "set": { "fee": "a fee after all" } }]);
        assert_eq!(found(again, "fee_arm"), json!({}), "another text may be read");
    }
}
