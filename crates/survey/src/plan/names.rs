//! Checks the names in a design: whether each is legal and unique.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::finding::{FindingCode, Findings, below};
use crate::flow::{Design, Node};
use crate::item::Item;
use crate::question::names;

/// Maximum length of the name of an arm or a block, in characters.
const MAX_LABEL_CHARACTERS: usize = 200;

#[derive(Debug, Default)]
pub struct PlanNames {
    /// Pointers of random nodes by name.
    randoms: HashMap<String, String>,
    /// Questions of blocks by name.
    blocks: HashMap<String, Vec<String>>,
    pub fields: HashSet<String>,
}

impl PlanNames {
    pub fn check(design: &Design, items: &[Item], findings: &mut Findings) -> Self {
        let mut names = Self::default();
        questions(items, findings);
        for (name, table) in &design.tables {
            legal(name, &below("/tables", name), findings);
            let mut seen = HashSet::new();
            for (index, column) in table.columns.iter().enumerate() {
                let pointer = format!("{}/columns/{index}", below("/tables", name));
                if !is_column(column) {
                    let message = "A column's name is a letter, then letters, digits, underscores and dots.";
                    findings.error(FindingCode::BadName, &*pointer, message);
                }
                if !seen.insert(column) {
                    findings.error(
                        FindingCode::DoubledName,
                        &*pointer,
                        format!("The table has two columns {column:?}."),
                    );
                }
            }
        }
        names.collect(&design.flow, "/flow", findings);
        for (name, pointer) in &names.randoms {
            if names.fields.contains(name) {
                let message = format!("{name:?} is the name of a random node and of a field that is set.");
                findings.error(FindingCode::DoubledName, &**pointer, message);
            }
        }
        names
    }

    pub fn is_random(&self, name: &str) -> bool {
        self.randoms.contains_key(name)
    }

    fn collect(&mut self, nodes: &[Node], pointer: &str, findings: &mut Findings) {
        for (index, node) in nodes.iter().enumerate() {
            let place = below(pointer, index);
            match node {
                Node::Block(block) => {
                    label(&block.name, &below(&place, "block"), findings);
                    // A block may occur in several branches, but has one order.
                    let before = self.blocks.insert(block.name.clone(), block.questions.clone());
                    if before.is_some_and(|questions| questions != block.questions) {
                        let message = format!("Another block with other questions is called {:?} too.", block.name);
                        findings.error(FindingCode::DoubledName, below(&place, "block"), message);
                    }
                }
                Node::Random(random) => {
                    let place_of_name = below(&place, "random");
                    legal(&random.name, &place_of_name, findings);
                    if self.randoms.insert(random.name.clone(), place_of_name.clone()).is_some() {
                        let message = format!("Another random node is called {:?} too.", random.name);
                        findings.error(FindingCode::DoubledName, place_of_name, message);
                    }
                    let mut arms = HashSet::new();
                    for (index, arm) in random.of.iter().enumerate() {
                        let place = format!("{place}/of/{index}");
                        label(&arm.arm, &below(&place, "arm"), findings);
                        if !arms.insert(&arm.arm) {
                            let message = format!("Another arm of this node is called {:?} too.", arm.arm);
                            findings.error(FindingCode::DoubledName, below(&place, "arm"), message);
                        }
                        self.collect(&arm.flow, &below(&place, "flow"), findings);
                    }
                }
                Node::If(branch) => {
                    self.collect(&branch.then, &below(&place, "then"), findings);
                    let otherwise = branch.otherwise.as_deref().unwrap_or_default();
                    self.collect(otherwise, &below(&place, "else"), findings);
                }
                Node::Set(set) => {
                    for name in set.set.keys() {
                        legal(name, &below(&below(&place, "set"), name), findings);
                        self.fields.insert(name.clone());
                    }
                }
                Node::Loop(turns) => self.collect(&turns.flow, &below(&place, "flow"), findings),
                Node::Group(group) => self.collect(group, &place, findings),
                Node::End(_) => {}
            }
        }
    }
}

fn questions(items: &[Item], findings: &mut Findings) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        let pointer = format!("/questions/{index}/name");
        legal(without_turns(item.name()), &pointer, findings);
        if let Some(other) = seen.insert(item.name().to_ascii_lowercase(), index) {
            let message = format!("{:?} is the name of question {} too.", item.name(), other + 1);
            findings.error(FindingCode::DoubledName, pointer, message);
        }
    }
}

/// Removes the turns from a slot's name: `Q7` from `Q7#1#2`.
fn without_turns(name: &str) -> &str {
    let mut name = name;
    while let Some((base, turn)) = name.rsplit_once('#') {
        if turn.is_empty() || !turn.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        name = base;
    }
    name
}

fn legal(name: &str, pointer: &str, findings: &mut Findings) {
    if let Err(message) = names::check(name) {
        findings.error(FindingCode::BadName, pointer, format!("The name {name:?}: {message}."));
    }
}

fn label(name: &str, pointer: &str, findings: &mut Findings) {
    if let Err(message) = check_label(name) {
        findings.error(FindingCode::BadName, pointer, format!("The name {message}."));
    }
}

/// Says what is wrong with the name of an arm or a block.
pub fn check_label(name: &str) -> Result<(), String> {
    let length = name.chars().count();
    if name.trim().is_empty() || length > MAX_LABEL_CHARACTERS || name.contains(|c: char| c == '#' || c.is_control()) {
        return Err(format!("is not blank, has at most {MAX_LABEL_CHARACTERS} characters, and no # among them"));
    }
    Ok(())
}

fn is_column(name: &str) -> bool {
    let known = |character: char| character.is_ascii_alphanumeric() || "_.".contains(character);
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.len() <= names::MAX_NAME
        && name.chars().all(known)
}
