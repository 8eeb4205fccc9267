//! Limits of a design, checked before its loops are unrolled.

use crate::condition::{Condition, Leaf, Operator, Pattern};
use crate::finding::{FindingCode, Findings, below};
use crate::flow::{Design, Node, all_nodes};
use crate::item::Item;

/// Maximum number of questions after unrolling.
pub const MAX_QUESTIONS: usize = 500;
/// Maximum number of nodes after unrolling. Each question may need a few nodes.
const MAX_NODES: usize = 5_000;
/// Maximum depth of the tree, and of a condition.
pub const MAX_DEPTH: usize = 12;
/// Maximum number of comparisons in all conditions, as written.
const MAX_COMPARISONS: usize = 10_000;
/// Maximum number of comparisons with a regular expression, because compiling them takes time.
const MAX_PATTERNS: usize = 500;
/// Maximum number of rows of all tables.
const MAX_ROWS: usize = 10_000;
/// Maximum size of a table's cell, in bytes.
const MAX_CELL_BYTES: usize = 64 * 1024;

/// Whether the design is within the limits that the rest of the check needs.
pub fn check(design: &Design, items: &[Item], findings: &mut Findings) -> bool {
    let rows: usize = design.tables.values().map(|table| table.rows.len()).sum();
    if rows > MAX_ROWS {
        findings.error(
            FindingCode::TooManyRows,
            "/tables",
            format!("The tables have {rows} rows, {MAX_ROWS} is the most."),
        );
    }
    for (name, table) in &design.tables {
        let pointer = below("/tables", name);
        for (row, cells) in table.rows.iter().enumerate() {
            let long = cells.iter().position(|cell| cell.len() > MAX_CELL_BYTES);
            if let Some(column) = long {
                let message = format!("The cell has more than {} KB.", MAX_CELL_BYTES / 1024);
                findings.error(FindingCode::CellTooLong, format!("{pointer}/rows/{row}/{column}"), message);
            }
            if cells.len() != table.columns.len() {
                let message = format!("The row has {} cells for {} columns.", cells.len(), table.columns.len());
                findings.error(FindingCode::BadRow, format!("{pointer}/rows/{row}"), message);
            }
        }
    }
    let mut size = Size { design, findings, is_too_deep: false };
    let total = size.count(&design.flow, "/flow", 1);
    let is_too_deep = size.is_too_deep;
    let questions = if design.flow.is_empty() { items.len() } else { total.questions };
    if questions > MAX_QUESTIONS || items.len() > MAX_QUESTIONS {
        let most = questions.max(items.len());
        let message = format!("The survey has {most} questions with those of its loops, {MAX_QUESTIONS} is the most.");
        findings.error(FindingCode::TooManyQuestions, "/flow", message);
    }
    if total.nodes > MAX_NODES {
        let message = format!("The flow has {} nodes with those of its loops, {MAX_NODES} is the most.", total.nodes);
        findings.error(FindingCode::TooManyNodes, "/flow", message);
    }
    let (mut comparisons, mut patterns) = (0, 0);
    let mut count = |condition: &Condition| {
        let leaves = condition.leaves();
        comparisons += leaves.len();
        // Short patterns, such as `.` for "not empty", take no time.
        let is_long = |pattern: &Pattern| pattern.source().len() > 3;
        let is_pattern = |leaf: &&Leaf| matches!(&leaf.operator, Operator::Matches(pattern) if is_long(pattern));
        patterns += leaves.iter().map(|(_, leaf)| *leaf).filter(is_pattern).count();
    };
    items.iter().for_each(|item| item.logic.conditions().for_each(&mut count));
    each_condition(&design.flow, &mut count);
    for (there, most, what) in
        [(comparisons, MAX_COMPARISONS, "comparisons"), (patterns, MAX_PATTERNS, "regular expressions")]
    {
        if there > most {
            let message = format!("The conditions of the survey have {there} {what}, {most} is the most.");
            findings.error(FindingCode::TooManyNodes, "/flow", message);
        }
    }
    comparisons > MAX_COMPARISONS
        || patterns > MAX_PATTERNS
        || is_too_deep
        || rows > MAX_ROWS
        || questions.max(items.len()) > MAX_QUESTIONS
        || total.nodes > MAX_NODES
}

fn each_condition(nodes: &[Node], each: &mut impl FnMut(&Condition)) {
    for node in all_nodes(nodes) {
        if let Node::If(branch) = node {
            each(&branch.condition);
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Count {
    questions: usize,
    nodes: usize,
}

impl Count {
    fn plus(self, other: Self) -> Self {
        let questions = self.questions.saturating_add(other.questions);
        Self { questions, nodes: self.nodes.saturating_add(other.nodes) }
    }

    fn times(self, times: usize) -> Self {
        Self { questions: self.questions.saturating_mul(times), nodes: self.nodes.saturating_mul(times) }
    }
}

struct Size<'a> {
    design: &'a Design,
    findings: &'a mut Findings,
    is_too_deep: bool,
}

impl Size<'_> {
    /// Counts questions and nodes. A question at several places counts once for each.
    fn count(&mut self, nodes: &[Node], pointer: &str, depth: usize) -> Count {
        if depth > MAX_DEPTH {
            self.too_deep(pointer, "The flow");
            return Count::default();
        }
        let mut count = Count { questions: 0, nodes: nodes.len() };
        for (index, node) in nodes.iter().enumerate() {
            let place = below(pointer, index);
            count = count.plus(match node {
                Node::Block(block) => Count { questions: block.questions.len(), nodes: 0 },
                Node::Random(random) => (random.of.iter().enumerate()).fold(Count::default(), |count, (arm, of)| {
                    let inside = self.count(&of.flow, &format!("{place}/of/{arm}/flow"), depth + 1);
                    count.plus(inside).plus(Count { questions: 0, nodes: 1 })
                }),
                Node::If(branch) => {
                    if branch.condition.depth() > MAX_DEPTH {
                        self.too_deep(&below(&place, "if"), "The condition");
                    }
                    let then = self.count(&branch.then, &below(&place, "then"), depth + 1);
                    let otherwise = branch.otherwise.as_deref().unwrap_or_default();
                    then.plus(self.count(otherwise, &below(&place, "else"), depth + 1))
                }
                Node::Loop(turns) => {
                    let rows = self.design.tables.get(&turns.table).map_or(0, |table| table.rows.len());
                    let take = turns.take.map_or(rows, |take| take.try_into().unwrap_or(usize::MAX));
                    let inside = self.count(&turns.flow, &below(&place, "flow"), depth + 1);
                    inside.plus(Count { questions: 0, nodes: 1 }).times(take)
                }
                Node::Group(group) => self.count(group, &place, depth + 1),
                Node::Set(_) | Node::End(_) => Count::default(),
            });
        }
        count
    }

    fn too_deep(&mut self, pointer: &str, what: &str) {
        self.is_too_deep = true;
        self.findings.error(FindingCode::TooDeep, pointer, format!("{what} is nested deeper than {MAX_DEPTH} levels."));
    }
}
