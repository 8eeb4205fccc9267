//! Converts draws outside of randomisers: random numbers in fields, and blocks that show some of their questions.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use survey::flow::{Arm, Block, Node, Order, Random, Set};

use super::Importer;
use super::file::{FileBlock, listed, question_of};
use super::texts::TextPlace;
use crate::{LossCode, LossSeverity, ReportList};

/// Maximum number of values that a field is drawn from.
const MAX_NUMBERS: i64 = 100;

/// Returns the range of a value such as `${rand://int/1:4}`. `None` for any other value, or if the range is too large.
pub fn drawn_number(value: &str) -> Option<RangeInclusive<i64>> {
    let range = value.trim().strip_prefix("${rand://int/")?.strip_suffix('}')?;
    let (least, most) = range.split_once(':')?;
    let (least, most): (i64, i64) = (least.trim().parse().ok()?, most.trim().parse().ok()?);
    (least < most && most.checked_sub(least)? < MAX_NUMBERS).then_some(least..=most)
}

impl Importer<'_> {
    /// Returns a random node whose arms set the field to one of the numbers each.
    pub fn drawn(&mut self, field: &str, numbers: RangeInclusive<i64>, place: &TextPlace<'_>) -> Node {
        let was = format!("a whole number from {} to {}, drawn by itself", numbers.start(), numbers.end());
        let now = "balanced: each number is dealt evenly";
        self.note(place, ReportList::Changed, LossCode::MadeEven, LossSeverity::Note, &was, now);
        let arm = |number: i64| {
            let set = BTreeMap::from([(field.to_owned(), number.to_string())]);
            Arm { arm: number.to_string(), flow: vec![Node::Set(Set { set })], ..Arm::default() }
        };
        let name = self.nodes.name_after(&format!("{field}_drawn"), &format!("number of {field}"), "drawn");
        Node::Random(Random { name, take: Some(1), of: numbers.map(arm).collect(), ..Random::default() })
    }

    /// Returns a random node that deals `take` of a block's questions in a random order, each in an arm. `None` if all
    /// are shown, or if skips cut the block.
    pub fn some_of(&mut self, questions: &[String], take: u32, block: &FileBlock, name: &str) -> Option<Node> {
        if block.elements.iter().any(|element| !listed(element.get("SkipLogic")).is_empty()) {
            return None;
        }
        // The questions that one question of the file became stay together.
        let mut arms: Vec<Vec<String>> = Vec::new();
        for element in &block.elements {
            let Some(parts) = question_of(element).and_then(|qid| self.parts.get(&qid)) else { continue };
            let names: Vec<String> =
                parts.iter().map(|part| part.name.clone()).filter(|name| questions.contains(name)).collect();
            if !names.is_empty() {
                arms.push(names);
            }
        }
        if usize::try_from(take).is_ok_and(|take| take >= arms.len()) {
            return None;
        }
        let place = TextPlace { name: Some(name), ..TextPlace::default() };
        let (was, now) =
            (format!("{take} of {} questions, drawn", arms.len()), "each question is an arm, dealt evenly");
        self.note(&place, ReportList::Changed, LossCode::QuestionSubset, LossSeverity::Note, &was, now);
        let node = self.nodes.name_after(
            &format!("{}_questions", block.description),
            &format!("questions of {}", block.id),
            "questions",
        );
        let mut of = Vec::new();
        for questions in arms {
            let arm = questions.first().cloned().unwrap_or_default();
            let own = format!("{name}: {arm}");
            let block = self.taken.free(&own, |number| format!("{own} [{number}]"));
            let block = Node::Block(Block { name: block, questions, order: None, pin: None });
            of.push(Arm { arm, flow: vec![block], ..Arm::default() });
        }
        let order = Some(Order::Random);
        Some(Node::Random(Random { name: node, take: Some(take), order, of, ..Random::default() }))
    }
}
