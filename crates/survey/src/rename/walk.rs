//! The places that a name is written and read at.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Rename;
use crate::condition::{Condition, Leaf, Left, Operator};
use crate::flow::{Design, Node};
use crate::pipe;
use crate::question::Question;

impl Rename {
    pub(super) fn walk(&self, questions: &mut [Question], design: &mut Design) {
        questions.iter_mut().for_each(|question| self.in_question(question));
        self.in_nodes(&mut design.flow);
        // Cells of tables are inserted as they are: they read nothing.
    }

    fn in_question(&self, question: &mut Question) {
        if let Self::Question { from, to: Some(to) } = self
            && question.name == *from
        {
            question.name.clone_from(to);
        }
        let logic = &mut question.logic;
        // Options, labels and rows as they are written.
        let written = [&mut logic.pin, &mut logic.exclusive, &mut logic.reverse_rows].into_iter().flatten();
        let expected = logic.check.iter_mut().map(|check| &mut check.expect);
        let lists = [&mut question.options, &mut question.scale_labels, &mut question.sub_questions];
        let ends = [&mut question.min_description, &mut question.max_description].into_iter().flatten();
        lists.into_iter().chain(written).chain(expected).flatten().for_each(|text| self.in_text(text));
        ends.chain([&mut question.text]).for_each(|text| self.in_text(text));
        logic.show_if.iter_mut().for_each(|condition| self.in_condition(condition));
        if let Some(ids) = &mut logic.part_ids {
            let renamed = std::mem::take(ids).into_iter().map(|(mut part, id)| {
                self.in_text(&mut part);
                (part, id)
            });
            *ids = renamed.collect();
        }
        if let Some(conditions) = &mut logic.option_if {
            let renamed = std::mem::take(conditions).into_iter().map(|(mut option, mut condition)| {
                self.in_text(&mut option);
                self.in_condition(&mut condition);
                (option, condition)
            });
            *conditions = renamed.collect();
        }
    }

    fn in_nodes(&self, nodes: &mut [Node]) {
        nodes.iter_mut().for_each(|node| self.in_node(node));
    }

    fn in_node(&self, node: &mut Node) {
        match node {
            Node::Block(block) => match self {
                Self::Block { questions, from, to } if block.name == *from && block.questions == *questions => {
                    block.name.clone_from(to);
                }
                Self::Question { from, to: Some(to) } => {
                    let names = block.questions.iter_mut().chain(block.pin.iter_mut().flatten());
                    names.filter(|name| *name == from).for_each(|name| name.clone_from(to));
                }
                _ => {}
            },
            Node::Random(node) => {
                match self {
                    Self::Field { from, to } if node.name == *from => node.name.clone_from(to),
                    Self::Arm { random, from, to } if node.name == *random => {
                        let arms = node.of.iter_mut().filter(|arm| arm.arm == *from);
                        arms.for_each(|arm| arm.arm.clone_from(to));
                    }
                    _ => {}
                }
                node.of.iter_mut().for_each(|arm| self.in_nodes(&mut arm.flow));
            }
            Node::If(branch) => {
                self.in_condition(&mut branch.condition);
                self.in_nodes(&mut branch.then);
                self.in_nodes(branch.otherwise.as_deref_mut().unwrap_or_default());
            }
            Node::Set(set) => {
                if let Self::Field { from, to } = self {
                    rename_key(&mut set.set, from, to);
                }
                set.set.values_mut().for_each(|text| self.in_text(text));
            }
            Node::Loop(turns) => self.in_nodes(&mut turns.flow),
            Node::Group(group) => self.in_nodes(group),
            Node::End(_) => {}
        }
    }

    fn in_condition(&self, condition: &mut Condition) {
        match condition {
            Condition::All(all) | Condition::Any(all) => all.iter_mut().for_each(|one| self.in_condition(one)),
            Condition::Not(not) => self.in_condition(not),
            Condition::Leaf(leaf) => self.in_leaf(leaf),
        }
    }

    fn in_leaf(&self, Leaf { left, operator }: &mut Leaf) {
        let values: &mut [Value] = match operator {
            Operator::Is(value) | Operator::IsNot(value) | Operator::Has(value) | Operator::HasNot(value) => {
                std::slice::from_mut(value)
            }
            Operator::In(values) => values,
            // Numbers, and texts that are searched for.
            Operator::Answered
            | Operator::Lt(_)
            | Operator::Le(_)
            | Operator::Gt(_)
            | Operator::Ge(_)
            | Operator::Contains(_)
            | Operator::Matches(_) => &mut [],
        };
        let texts =
            values.iter_mut().filter_map(|value| if let Value::String(text) = value { Some(text) } else { None });
        match self {
            Self::Arm { random, from, to } if *left == Left::Field(random.clone()) => {
                texts.filter(|text| *text == from).for_each(|text| text.clone_from(to));
            }
            _ => texts.for_each(|text| self.in_text(text)),
        }
        if let Some(renamed) = self.read(left) {
            *left = renamed;
        }
    }

    fn in_text(&self, text: &mut String) {
        if matches!(self, Self::Question { .. } | Self::Field { .. }) {
            *text = pipe::with_names(text, |left| self.read(left));
        }
    }

    /// The left side under its new name; `None` where it stays.
    fn read(&self, left: &Left) -> Option<Left> {
        match (self, left) {
            (Self::Question { from, to: Some(to) }, Left::Answer { question, row }) => {
                // A question, or one of its turns in a loop: `Q7` is in `Q7#2`.
                let turns =
                    question.strip_prefix(from.as_str()).filter(|turns| turns.is_empty() || turns.starts_with('#'))?;
                Some(Left::Answer { question: format!("{to}{turns}"), row: *row })
            }
            (Self::Field { from, to }, Left::Field(name)) if name == from => Some(Left::Field(to.clone())),
            _ => None,
        }
    }
}

fn rename_key(set: &mut BTreeMap<String, String>, from: &str, to: &str) {
    if let Some(value) = set.remove(from) {
        set.insert(to.to_owned(), value);
    }
}
