//! Loops whose rows are drawn: a turn is another row for each twin, so their questions are compared row by row.

use evidence::upload::Question;
use survey::flow::{Design, Loop, Node, Order, all_nodes};

/// Maximum number of questions that the rows of a loop become.
pub(crate) const MAX_QUESTIONS: usize = 2_000;

/// A loop whose rows are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnLoop<'d> {
    /// Its table, by whose name assignments have its rows.
    pub table: &'d str,
    /// Names of its questions.
    pub questions: Vec<&'d str>,
    /// Number of turns.
    pub turns: usize,
    /// Ids of the table's rows, in their order.
    pub row_ids: &'d [String],
}

impl<'d> DrawnLoop<'d> {
    /// Finds the loops of a design whose rows are drawn and have ids. A loop in a loop, and loops over one table, are left
    /// to their turns.
    pub fn find(design: &'d Design) -> Vec<Self> {
        let mut loops = Vec::new();
        collect(&design.flow, &mut loops);
        let is_alone = |of: &Loop| loops.iter().filter(|(other, _)| other.table == of.table).count() == 1;
        let drawn = loops.iter().filter(|(of, is_nested)| !is_nested && is_alone(of));
        drawn.filter_map(|(of, _)| Self::read(of, design)).collect()
    }

    fn read(of: &'d Loop, design: &'d Design) -> Option<Self> {
        let table = design.tables.get(&of.table)?;
        let row_ids = table.row_ids.as_deref().filter(|ids| ids.len() == table.rows.len())?;
        let take = of.take.and_then(|take| usize::try_from(take).ok()).unwrap_or(row_ids.len());
        if take >= row_ids.len() && of.order.unwrap_or_default() == Order::Fixed {
            return None;
        }
        let questions = asked(&of.flow);
        let is_few = questions.len() * row_ids.len() <= MAX_QUESTIONS;
        is_few.then_some(Self { table: &of.table, questions, turns: take.min(row_ids.len()), row_ids })
    }

    /// The name of a question in a row (0-based).
    pub fn name(&self, question: &str, row: usize) -> String {
        format!("{question}#row{}", self.row_ids.get(row).map_or("", String::as_str))
    }

    /// The name of a question in a turn (0-based).
    pub fn slot(question: &str, turn: usize) -> String {
        format!("{question}#{}", turn + 1)
    }

    /// Replaces the questions of the turns by those of the rows.
    pub fn by_row(&self, questions: &mut Vec<Question>) {
        for name in &self.questions {
            let slots: Vec<String> = (0..self.turns).map(|turn| Self::slot(name, turn)).collect();
            let Some(place) = questions.iter().position(|question| slots.contains(&question.name)) else { continue };
            let first = questions[place].clone();
            questions.retain(|question| !slots.contains(&question.name));
            let of_row = |(row, id): (usize, &String)| Question {
                name: self.name(name, row),
                import_id: first.import_id.as_ref().map(|of| format!("{id}_{of}")),
                text: format!("{} (row {id})", first.text),
                ..first.clone()
            };
            questions.splice(place..place, self.row_ids.iter().enumerate().map(of_row));
        }
    }
}

fn collect<'d>(nodes: &'d [Node], loops: &mut Vec<(&'d Loop, bool)>) {
    for node in nodes {
        match node {
            Node::Loop(of) => {
                let from = loops.len();
                collect(&of.flow, loops);
                let has_loops = loops.len() > from;
                loops[from..].iter_mut().for_each(|(_, is_nested)| *is_nested = true);
                loops.push((of, has_loops));
            }
            node => node.inside().for_each(|flow| collect(flow, loops)),
        }
    }
}

fn asked(nodes: &[Node]) -> Vec<&str> {
    let blocks = all_nodes(nodes).into_iter().filter_map(|node| match node {
        Node::Block(block) => Some(block),
        _ => None,
    });
    blocks.flat_map(|block| block.questions.iter().map(String::as_str)).collect()
}

#[cfg(test)]
mod tests {
    use evidence::upload::QuestionKind;
    use serde_json::json;

    use super::*;

    #[test]
    fn questions_of_a_drawn_loop_are_those_of_its_rows() {
        let design = Design::read(&json!({
            "tables": { "ideas": { "columns": ["text"], "rows": [["a"], ["b"], ["c"]], "row_ids": ["1", "4", "7"] } },
            "flow": [{ "loop": "ideas", "take": 2, "order": "random", "flow": [{ "block": "b", "questions": ["good"] }] }],
        }))
        .expect("a design");
        let [drawn] = <[_; 1]>::try_from(DrawnLoop::find(&design)).expect("one loop");
        let question = |name: &str| Question {
            name: name.to_owned(),
            import_id: Some("QID5".to_owned()),
            part_ids: Vec::new(),
            text: "Good?".to_owned(),
            kind: QuestionKind::Number { scale: evidence::metrics::Scale::Unbounded },
        };
        let mut questions = vec![question("age"), question("good#1"), question("good#2"), question("sex")];
        drawn.by_row(&mut questions);
        let found: Vec<_> = questions.iter().map(|of| (of.name.as_str(), of.import_id.as_deref().unwrap())).collect();
        let rows = [("good#row1", "1_QID5"), ("good#row4", "4_QID5"), ("good#row7", "7_QID5")];
        assert_eq!(found, [vec![("age", "QID5")], rows.to_vec(), vec![("sex", "QID5")]].concat());
        assert_eq!(questions[2].text, "Good? (row 4)");
        let mut whole = design;
        if let Some(Node::Loop(of)) = whole.flow.first_mut() {
            (of.take, of.order) = (None, None);
        }
        assert_eq!(DrawnLoop::find(&whole), [], "all rows in their order are its turns");
    }
}
