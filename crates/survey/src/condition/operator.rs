//! The operators of comparisons.

use serde_json::Value;

use super::Operator;
use crate::given::{Given, Token};

impl Operator {
    pub(super) fn holds(&self, given: &Given) -> bool {
        match self {
            Self::Answered => true,
            Self::Is(operand) => is(given, operand),
            Self::IsNot(operand) => !is(given, operand),
            Self::In(operands) => operands.iter().any(|operand| is(given, operand)),
            Self::Has(operand) => has(given, operand),
            Self::HasNot(operand) => !has(given, operand),
            Self::Lt(bound) => compare(given, bound, |value, bound| value < bound),
            Self::Le(bound) => compare(given, bound, |value, bound| value <= bound),
            Self::Gt(bound) => compare(given, bound, |value, bound| value > bound),
            Self::Ge(bound) => compare(given, bound, |value, bound| value >= bound),
            Self::Contains(part) => {
                let part = part.to_lowercase();
                given.values.iter().any(|token| token.text.to_lowercase().contains(&part))
            }
            Self::Matches(pattern) => {
                let regex = pattern.regex();
                regex.is_some_and(|regex| given.values.iter().any(|token| regex.is_match(token.text.as_str())))
            }
        }
    }

    /// Whether the comparison holds for a missing value (not answered, not shown, not set). Only negations do.
    pub(super) fn holds_for_nothing(&self) -> bool {
        matches!(self, Self::IsNot(_) | Self::HasNot(_))
    }

    /// Returns what is wrong with the operand, if anything.
    pub fn problem(&self) -> Option<&'static str> {
        let is_scalar = |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
        match self {
            Self::Answered => None,
            Self::Is(operand) | Self::IsNot(operand) => {
                let fits = is_scalar(operand) || operand.as_array().is_some_and(|list| list.iter().all(is_scalar));
                (!fits).then_some("compares with a text, a number, true or false, or a list of these")
            }
            Self::Has(operand) | Self::HasNot(operand) => {
                (!is_scalar(operand)).then_some("compares with a text, a number, or true or false")
            }
            Self::In(operands) => {
                let fits = !operands.is_empty() && operands.iter().all(is_scalar);
                (!fits).then_some("compares with a list of texts or numbers that is not empty")
            }
            Self::Lt(bound) | Self::Le(bound) | Self::Gt(bound) | Self::Ge(bound) => {
                number(bound).is_none().then_some("compares with a number")
            }
            Self::Contains(part) => part.is_empty().then_some("looks for a text that is not empty"),
            Self::Matches(_) => None,
        }
    }
}

fn is(given: &Given, operand: &Value) -> bool {
    match operand {
        Value::Array(operands) => {
            operands.len() == given.values.len() && operands.iter().all(|operand| has(given, operand))
        }
        _ => given.values.len() == 1 && has(given, operand),
    }
}

fn has(given: &Given, operand: &Value) -> bool {
    given.values.iter().any(|token| equals(token, operand))
}

fn equals(token: &Token, operand: &Value) -> bool {
    match operand {
        Value::String(text) => {
            token.text == *text
                || token.written.as_ref() == Some(text)
                // A number may be compared as a text, but the code of a choice may not.
                || token.written.is_none() && token.number.is_some() && token.number == number(operand)
        }
        Value::Number(number) => token.number == number.as_f64() && token.number.is_some(),
        Value::Bool(yes) => token.written.as_deref().unwrap_or(&token.text) == if *yes { "true" } else { "false" },
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

fn compare(given: &Given, bound: &Value, holds: impl Fn(f64, f64) -> bool) -> bool {
    match given.values.as_slice() {
        [token] => {
            let value = token.number.or_else(|| leading_number(&token.text));
            value.zip(number(bound)).is_some_and(|(value, bound)| holds(value, bound))
        }
        _ => false,
    }
}

fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

/// Reads the first number of an attribute that is a range: 65 from `65+`, 30 from `30-49`.
fn leading_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text.get(..end)?.trim_end_matches('.').parse().ok()
}
