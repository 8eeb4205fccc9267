//! Conditions as JSON: `{"all": [..]}`, `{"any": [..]}`, `{"not": ..}` or a leaf, one left side with one operator.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{Condition, Leaf, Left, Operator, Pattern};

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fields {
    #[serde(skip_serializing_if = "Option::is_none")]
    all: Option<Vec<Condition>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    any: Option<Vec<Condition>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not: Option<Box<Condition>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    twin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held_out: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    is: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    is_not: Option<Value>,
    #[serde(rename = "in", skip_serializing_if = "Option::is_none", deserialize_with = "all_there")]
    one_of: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    has: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    has_not: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    lt: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    le: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    gt: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "there")]
    ge: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contains: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<String>,
}

/// Reads `null` as a value, so that the check can refuse it with its place.
fn there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(|value| Some(with_whole_numbers(value)))
}

fn all_there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Value>>, D::Error> {
    Vec::deserialize(deserializer).map(|values| Some(values.into_iter().map(with_whole_numbers).collect()))
}

/// Writes whole numbers without a point or an exponent, because PostgreSQL returns large ones in that form.
pub fn with_whole_numbers(value: Value) -> Value {
    /// 2^64, the first number that no `u64` can hold.
    const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;
    match value {
        Value::Array(values) => values.into_iter().map(with_whole_numbers).collect(),
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < TWO_TO_64);
            let whole = whole.and_then(|number| format!("{number:.0}").parse::<i128>().ok());
            whole.and_then(serde_json::Number::from_i128).unwrap_or(number).into()
        }
        other => other,
    }
}

impl TryFrom<Fields> for Condition {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        let Fields { all, any, not, .. } = fields;
        let rest = Fields { all: None, any: None, not: None, ..fields };
        let joined = [all.map(Self::All), any.map(Self::Any), not.map(Self::Not)].into_iter().flatten();
        let mut conditions: Vec<Self> = joined.collect();
        if let Some(leaf) = rest.leaf()? {
            conditions.push(Self::Leaf(leaf));
        }
        match (conditions.pop(), conditions.pop()) {
            (Some(condition), None) => Ok(condition),
            _ => Err("a condition is one of all, any, not, and a comparison".into()),
        }
    }
}

impl Fields {
    fn leaf(self) -> Result<Option<Leaf>, String> {
        let row = self.row;
        let asks_for_existence = self.answered.is_some();
        let held_out = self.held_out.is_some();
        let lefts = [
            self.answer.or(self.answered).map(|question| Left::Answer { question, row }),
            self.field.map(Left::Field),
            self.twin.map(Left::Twin),
            self.held_out.map(Left::HeldOut),
        ];
        let operators = [
            self.is.map(Operator::Is),
            self.is_not.map(Operator::IsNot),
            self.one_of.map(Operator::In),
            self.has.map(Operator::Has),
            self.has_not.map(Operator::HasNot),
            self.lt.map(Operator::Lt),
            self.le.map(Operator::Le),
            self.gt.map(Operator::Gt),
            self.ge.map(Operator::Ge),
            self.contains.map(Operator::Contains),
            self.matches.map(|source| Operator::Matches(Pattern::new(source))),
        ];
        let mut lefts = lefts.into_iter().flatten();
        let mut operators = operators.into_iter().flatten();
        match (lefts.next(), lefts.next(), operators.next(), operators.next()) {
            (None, None, None, None) if row.is_none() => Ok(None),
            (Some(left), None, None, None) if asks_for_existence || held_out => {
                Ok(Some(Leaf { left, operator: Operator::Answered }))
            }
            (Some(left), None, Some(operator), None) if !asks_for_existence && !held_out => {
                let is_answer = matches!(left, Left::Answer { .. });
                if row.is_some() && !is_answer {
                    return Err("\"row\" belongs to an answer".into());
                }
                Ok(Some(Leaf { left, operator }))
            }
            _ => Err(
                "a comparison has one of answer, field and twin, and one operator (is, is_not, in, has, has_not, lt, \
                      le, gt, ge, contains, matches); or \"answered\" or \"held_out\" alone"
                    .into(),
            ),
        }
    }
}

impl From<Condition> for Fields {
    fn from(condition: Condition) -> Self {
        let Leaf { left, operator } = match condition {
            Condition::All(all) => return Self { all: Some(all), ..Self::default() },
            Condition::Any(any) => return Self { any: Some(any), ..Self::default() },
            Condition::Not(not) => return Self { not: Some(not), ..Self::default() },
            Condition::Leaf(leaf) => leaf,
        };
        let mut fields = Self::default();
        let is_existence = operator == Operator::Answered;
        match left {
            Left::Answer { question, row } if is_existence => (fields.answered, fields.row) = (Some(question), row),
            Left::Answer { question, row } => (fields.answer, fields.row) = (Some(question), row),
            Left::Field(name) => fields.field = Some(name),
            Left::Twin(name) => fields.twin = Some(name),
            Left::HeldOut(name) => fields.held_out = Some(name),
        }
        match operator {
            Operator::Answered => {}
            Operator::Is(value) => fields.is = Some(value),
            Operator::IsNot(value) => fields.is_not = Some(value),
            Operator::In(values) => fields.one_of = Some(values),
            Operator::Has(value) => fields.has = Some(value),
            Operator::HasNot(value) => fields.has_not = Some(value),
            Operator::Lt(value) => fields.lt = Some(value),
            Operator::Le(value) => fields.le = Some(value),
            Operator::Gt(value) => fields.gt = Some(value),
            Operator::Ge(value) => fields.ge = Some(value),
            Operator::Contains(text) => fields.contains = Some(text),
            Operator::Matches(pattern) => fields.matches = Some(pattern.source().to_owned()),
        }
        fields
    }
}
