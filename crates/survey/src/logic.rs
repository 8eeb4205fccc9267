//! The logic that a design adds to a question: one JSON object beside it. Empty fields are not written.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use utoipa::ToSchema;

use super::answer::{Answer, AnswerValue, yes_or_no};
use super::condition::Condition;

/// The fields as documents and survey files spell them, and as the API does.
pub const SPELLINGS: [&[&str]; 16] = [
    &["codes"],
    &["shuffle"],
    &["pin"],
    &["exclusive"],
    &["row_shuffle", "rowShuffle"],
    &["show_if", "showIf"],
    &["option_if", "optionIf"],
    &["check"],
    &["scale"],
    &["reverse"],
    &["reverse_rows", "reverseRows"],
    &["desirable"],
    &["published"],
    &["import_id", "importId"],
    &["part_ids", "partIds"],
    &["export_tag", "exportTag"],
];

/// The logic of a question, which the survey's design reads. Names of two words may also be written with an underscore.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "diesel", derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow))]
#[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::Jsonb))]
#[schema(rename_all = "camelCase")]
pub struct QuestionLogic {
    /// Codes of the options or labels in files; 1, 2, 3 and so on if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!([1, 2]))]
    pub codes: Option<Vec<i64>>,
    /// How the options or labels are shuffled: `"none"`, `"all"`, `"flip"` or `{"subset": 3}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub shuffle: Option<Shuffle>,
    /// Options, labels or rows, as written, that keep their positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<Vec<String>>,
    /// Options of a multiple choice, as written, that exclude all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(["None of these"]))]
    pub exclusive: Option<Vec<String>>,
    /// How the rows are shuffled, in the form of `shuffle`.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "rowShuffle")]
    #[schema(value_type = Option<Value>)]
    pub row_shuffle: Option<Shuffle>,
    /// Condition under which the question is asked.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "showIf")]
    #[schema(value_type = Option<std::collections::HashMap<String, Value>>, example = json!({"answer": "fair", "le": 3}))]
    pub show_if: Option<Condition>,
    /// Conditions under which options or rows are shown, by their texts as written.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "optionIf")]
    #[schema(value_type = Option<std::collections::HashMap<String, Value>>)]
    pub option_if: Option<BTreeMap<String, Condition>>,
    /// Makes the question an attention check: the answers that pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<std::collections::HashMap<String, Value>>, example = json!({"expect": ["Blue"]}))]
    pub check: Option<AttentionCheck>,
    /// Level of measurement: `nominal`, `ordinal` or `interval`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "ordinal")]
    pub scale: Option<Scale>,
    /// Whether the item is reverse-keyed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<bool>,
    /// Rows of a matrix, as written, that are reverse-keyed. Only diagnostics read them.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "reverseRows")]
    pub reverse_rows: Option<Vec<String>>,
    /// Whether it looks good to agree. Only diagnostics read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desirable: Option<bool>,
    /// Whether the text was public before, so that a model may know what people answered. Only diagnostics read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<bool>,
    /// Id of the question in the survey program that it was imported from, e.g. `QID7`, by which columns of that program's
    /// files are found.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "importId")]
    #[schema(example = "QID7")]
    pub import_id: Option<String>,
    /// Ids of its rows, or of its options if several can be chosen, in that program, by their texts as written.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "partIds")]
    #[schema(example = json!({"Tea": "1", "Coffee": "4"}))]
    pub part_ids: Option<BTreeMap<String, String>>,
    /// Name of its columns in that program's files, if it is not the question's own.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "exportTag")]
    #[schema(example = "Platform Use")]
    pub export_tag: Option<String>,
}

impl QuestionLogic {
    /// Whether nothing differs from a plain question.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The code of a choice at a 0-based position: 1, 2, 3 and so on if there are no codes.
    pub fn code(&self, choice: usize) -> i64 {
        let given = self.codes.as_ref().and_then(|codes| codes.get(choice)).copied();
        given.unwrap_or_else(|| i64::try_from(choice + 1).unwrap_or(i64::MAX))
    }

    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.show_if.iter().chain(self.option_if.iter().flat_map(BTreeMap::values))
    }

    /// Writes the fields as the API spells them, as fields of the question.
    pub fn write_fields<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = match self.is_empty() {
            true => Value::Null,
            false => serde_json::to_value(self).map_err(serde::ser::Error::custom)?,
        };
        let of_api = |spellings: &&[&'static str]| {
            let value = fields.get(spellings.first()?)?;
            Some((*spellings.last()?, value))
        };
        serializer.collect_map(SPELLINGS.iter().filter_map(of_api))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttentionCheck {
    /// The answer that passes: one option, or all of several.
    pub expect: Vec<String>,
}

impl AttentionCheck {
    /// Whether the answer passes: it is one of the expected options or numbers; of several options, it has all of them;
    /// of several parts, each has one of them.
    pub fn passes(&self, answer: &Answer) -> bool {
        let parts = answer.parts();
        !parts.is_empty() && parts.into_iter().all(|(_, value)| self.expects(value))
    }

    fn expects(&self, value: AnswerValue<'_>) -> bool {
        let is_expected = |text: &str| self.expect.iter().any(|each| each == text);
        match value {
            AnswerValue::Choice(text) | AnswerValue::Text(text) => is_expected(text),
            AnswerValue::Choices(several) => {
                several.len() == self.expect.len() && several.iter().all(|each| is_expected(each))
            }
            AnswerValue::YesNo(yes) => is_expected(yes_or_no(yes)),
            AnswerValue::Number(number) => self.expect.iter().any(|each| each.trim().parse() == Ok(number)),
            AnswerValue::Rank(_) => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    Nominal,
    Ordinal,
    Interval,
}

/// How options or rows are shuffled. Written as `"none"`, `"all"`, `"flip"` or `{"subset": 3}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shuffle {
    /// Keeps the order as written.
    #[default]
    None,
    All,
    /// Keeps the order as written, or reverses it.
    Flip,
    /// A random subset of this size, in random order. Pinned ones are shown besides.
    Subset(u32),
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Spelling {
    Word(Word),
    Subset(Subset),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    None,
    All,
    Flip,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Subset {
    subset: u32,
}

impl Serialize for Shuffle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::None => Spelling::Word(Word::None),
            Self::All => Spelling::Word(Word::All),
            Self::Flip => Spelling::Word(Word::Flip),
            Self::Subset(subset) => Spelling::Subset(Subset { subset }),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Shuffle {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Spelling::deserialize(deserializer)? {
            Spelling::Word(Word::None) => Self::None,
            Spelling::Word(Word::All) => Self::All,
            Spelling::Word(Word::Flip) => Self::Flip,
            Spelling::Subset(Subset { subset }) => Self::Subset(subset),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attention_check_is_passed_by_answers_of_every_form() {
        let passes = |expected: &[&str], answer: &Answer| {
            AttentionCheck { expect: expected.iter().map(|text| (*text).to_owned()).collect() }.passes(answer)
        };
        let choice = |text: &str| Answer::Choice(text.to_owned());
        let choices = |texts: &[&str]| Answer::Choices(texts.iter().map(|text| (*text).to_owned()).collect());
        let labels = |label: &str| {
            let rows = [("r", "Agree"), ("s", label)].map(|(row, label)| (row.to_owned(), label.to_owned()));
            Answer::Labels(BTreeMap::from(rows))
        };
        for (expected, right, wrong) in [
            (vec!["Blue"], choice("Blue"), choice("Red")),
            (vec!["a", "b"], choices(&["b", "a"]), choices(&["a"])),
            (vec!["Yes"], Answer::YesNo(true), Answer::YesNo(false)),
            (vec!["No"], Answer::YesNo(false), Answer::YesNo(true)),
            (vec!["42"], Answer::Number(42.0), Answer::Number(41.0)),
            (vec!["Agree"], labels("Agree"), labels("Disagree")),
        ] {
            assert!(passes(&expected, &right), "{right:?}");
            assert!(!passes(&expected, &wrong), "{wrong:?}");
        }
        assert!(!passes(&["Agree"], &Answer::Labels(BTreeMap::new())));
    }
}
