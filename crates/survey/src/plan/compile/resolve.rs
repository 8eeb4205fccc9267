//! Resolves names in texts and conditions to questions, fields and columns, in each turn of a loop.

use super::{Compiler, Turn, slot};
use crate::condition::{Condition, Left, Operator};
use crate::finding::{FindingCode, Findings};
use crate::flow::Node;
use crate::pipe::{Template, TextPart};

/// How a left side is used.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Existence,
    Value,
}

impl Compiler<'_> {
    pub(super) fn template(&mut self, source: &str, pointer: &str, turns: &[Turn]) -> Template {
        if self.plan.is_plain {
            return Template::literal(source);
        }
        let mut template = Template::parse(source);
        for part in &mut template.parts {
            match part {
                TextPart::Read(left) => *left = self.left(left, Use::Value, pointer, turns),
                TextPart::Loop(column) => *part = self.cell(column, pointer, turns),
                TextPart::Unknown(name) => {
                    let message =
                        format!("{{{{{name}}}}} is no pipe and is shown as it is; write \\{{{{ if it is meant so.");
                    self.findings.warning(FindingCode::BadPipe, pointer, message);
                }
                TextPart::Text(_) | TextPart::Cell { .. } => {}
            }
        }
        template
    }

    /// Resolves a column to the innermost loop that has it.
    fn cell(&mut self, column: &str, pointer: &str, turns: &[Turn]) -> TextPart {
        match (column, turns.last()) {
            ("_number", Some(last)) => return TextPart::Text((last.turn + 1).to_string()),
            ("_total", Some(last)) => return TextPart::Text(last.of.to_string()),
            _ => {}
        }
        for Turn { turns, table, turn, .. } in turns.iter().rev() {
            let columns = self.design.tables.get(table).map(|table| table.columns.as_slice()).unwrap_or_default();
            if let Some(place) = columns.iter().position(|name| name == column) {
                return TextPart::Cell { turns: turns.clone(), turn: *turn, column: place };
            }
        }
        let message = format!("There is no loop with a column {column:?} around this text.");
        self.findings.error(FindingCode::UnknownName, pointer, message);
        TextPart::Loop(column.to_owned())
    }

    pub(super) fn condition(&mut self, condition: &Condition, pointer: &str, turns: &[Turn]) -> Condition {
        for (place, leaf) in condition.leaves() {
            cancellation::check();
            let pointer = format!("{pointer}{place}");
            if let Some(problem) = leaf.operator.problem() {
                self.findings.error(FindingCode::BadOperand, &*pointer, format!("The comparison {problem}."));
            }
            if let Operator::Matches(pattern) = &leaf.operator {
                if pattern.source().contains("{{") {
                    let message = "A pattern is not piped: an answer must not become a part of it.";
                    self.findings.error(FindingCode::PatternPiped, &*pointer, message);
                } else if let Some(Err(message)) = self.patterns.as_mut().map(|budget| budget.compile(pattern)) {
                    self.findings.error(FindingCode::BadPattern, &*pointer, message);
                }
            }
            let usage = if leaf.operator == Operator::Answered { Use::Existence } else { Use::Value };
            let left = self.left(&leaf.left, usage, &pointer, turns);
            // Arms are looked up in the flow, where a random node has its name as written.
            let known = if matches!(left, Left::Field(_)) { &leaf.left } else { &left };
            self.operands(known, &leaf.operator, &pointer);
        }
        // The errors were reported before. This pass only renames.
        let mut none = Findings::default();
        std::mem::swap(self.findings, &mut none);
        let renamed = condition.renamed(&mut |left| self.left(left, Use::Existence, pointer, turns));
        std::mem::swap(self.findings, &mut none);
        renamed
    }

    /// Returns the left side with the names of the slots of these turns.
    fn left(&mut self, left: &Left, usage: Use, pointer: &str, turns: &[Turn]) -> Left {
        let innermost_first =
            |name: &str| (0..=turns.len()).rev().map(|depth| slot(name, &turns[..depth])).collect::<Vec<_>>();
        match left {
            Left::Answer { question, row } => {
                let Some(name) = innermost_first(question).into_iter().find(|name| self.plan.index.contains_key(name))
                else {
                    self.findings.error(
                        FindingCode::UnknownName,
                        pointer,
                        format!("There is no question {question:?}."),
                    );
                    return left.clone();
                };
                if let Some(item) = self.plan.item(&name).and_then(|item| self.plan.items.get(item)) {
                    let rows = item.rows();
                    let is_there = row.is_none_or(|row| (1..=rows).contains(&row.try_into().unwrap_or(usize::MAX)));
                    let is_needed = item.kind().is_matrix() && rows > 1 && usage == Use::Value;
                    if !item.is_request() {
                        let message = format!("{question:?} is a text without an answer.");
                        self.findings.error(FindingCode::UnknownName, pointer, message);
                    } else if !is_there || (row.is_none() && is_needed) {
                        let message = match row {
                            Some(row) => format!("The question {question:?} has no row {row}."),
                            None => format!("The question {question:?} has {rows} rows: say which one."),
                        };
                        self.findings.error(FindingCode::RowMissing, pointer, message);
                    }
                }
                Left::Answer { question: name, row: *row }
            }
            Left::Field(name) => {
                if self.names.is_random(name) {
                    return Left::Field(self.random_slot(name, turns));
                }
                if !self.names.fields.contains(name) {
                    let message = format!("No node sets a field {name:?}, and no random node has this name.");
                    self.findings.error(FindingCode::UnknownName, pointer, message);
                }
                left.clone()
            }
            Left::Twin(attribute) => {
                self.attribute(attribute, pointer);
                left.clone()
            }
            Left::HeldOut(_) => left.clone(),
        }
    }

    /// Returns the slot name of a random node, which has the turns of the loops around the node. A reader of the node is
    /// in the same loops.
    fn random_slot(&self, name: &str, turns: &[Turn]) -> String {
        let depth = loops_around(&self.design.flow, name, 0).unwrap_or_default().min(turns.len());
        slot(name, &turns[..depth])
    }

    pub(super) fn attribute(&mut self, name: &str, pointer: &str) {
        if self.attributes.is_some_and(|attributes| !attributes.contains(name)) {
            let message = format!("The twins have no attribute {name:?}.");
            self.findings.error(FindingCode::UnknownAttribute, pointer, message);
        }
    }
}

/// Returns the number of loops around the random node with this name.
fn loops_around(nodes: &[Node], name: &str, depth: usize) -> Option<usize> {
    nodes.iter().find_map(|node| match node {
        Node::Random(random) if random.name == name => Some(depth),
        node => {
            let depth = depth + usize::from(matches!(node, Node::Loop(_)));
            node.inside().find_map(|flow| loops_around(flow, name, depth))
        }
    })
}
