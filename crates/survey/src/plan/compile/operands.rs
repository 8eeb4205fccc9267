//! Checks whether the operand of a comparison can occur.

use serde_json::Value;

use super::Compiler;
use crate::answer::ValueKind;
use crate::condition::{Left, Operator};
use crate::finding::FindingCode;
use crate::flow::{Node, all_nodes};
use crate::item::Item;

impl Compiler<'_> {
    /// Warns if a comparison names an option or an arm that does not exist, e.g. because its text was changed.
    pub(super) fn operands(&mut self, left: &Left, operator: &Operator, pointer: &str) {
        let operands: Vec<&Value> = match operator {
            Operator::Is(Value::Array(several)) | Operator::IsNot(Value::Array(several)) | Operator::In(several) => {
                several.iter().collect()
            }
            Operator::Is(one) | Operator::IsNot(one) | Operator::Has(one) | Operator::HasNot(one) => vec![one],
            _ => return,
        };
        let message = match left {
            Left::Answer { question, row } => {
                let Some(item) = self.plan.item(question).and_then(|place| self.plan.items.get(place)) else { return };
                let unknown = operands.into_iter().find(|operand| !can_be_answered(item, *row, operand));
                unknown.map(|unknown| format!("{question:?} is never answered by {unknown}: it has no such option."))
            }
            Left::Field(name) => {
                let Some(arms) = find_arms(&self.design.flow, name) else { return };
                let unknown = operands.into_iter().find(|operand| !arms.iter().any(|arm| is_called(arm, operand)));
                unknown.map(|unknown| format!("No arm of {name:?} is called {unknown}."))
            }
            Left::Twin(_) | Left::HeldOut(_) => None,
        };
        if let Some(message) = message {
            self.findings.warning(FindingCode::BadOperand, pointer, message);
        }
    }
}

fn can_be_answered(item: &Item, row: Option<u32>, operand: &Value) -> bool {
    match item.question.layout().map(|(_, kind)| kind) {
        Some(ValueKind::YesNo) => match operand {
            Value::String(text) => ["Yes", "No", "true", "false"].contains(&text.as_str()),
            Value::Number(number) => [Some(0.0), Some(1.0)].contains(&number.as_f64()),
            _ => true,
        },
        Some(ValueKind::Rank) if row.is_some() => true,
        Some(ValueKind::Choice | ValueKind::Choices | ValueKind::Rank) => {
            let choices = item.choices();
            match operand {
                // An option with a pipe may become any text.
                Value::String(text) => choices.iter().any(|choice| choice == text || choice.contains("{{")),
                #[expect(clippy::cast_precision_loss, reason = "codes are small; larger ones compare alike")]
                Value::Number(number) => {
                    (0..choices.len()).any(|place| number.as_f64() == Some(item.code(place) as f64))
                }
                _ => false,
            }
        }
        Some(ValueKind::Number | ValueKind::Text) | None => true,
    }
}

fn is_called(arm: &str, operand: &Value) -> bool {
    match operand {
        Value::String(text) => arm == text,
        Value::Number(number) => arm.trim().parse().ok() == number.as_f64(),
        Value::Bool(yes) => arm == if *yes { "true" } else { "false" },
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// Returns the arms of the random node with this name.
fn find_arms<'d>(nodes: &'d [Node], name: &str) -> Option<Vec<&'d str>> {
    all_nodes(nodes).into_iter().find_map(|node| match node {
        Node::Random(random) if random.name == name => Some(random.of.iter().map(|arm| arm.arm.as_str()).collect()),
        _ => None,
    })
}
