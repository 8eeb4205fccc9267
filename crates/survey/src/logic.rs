//! What a design adds to a question. One JSON object beside it; what is empty is not written.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::condition::Condition;

/// The fields as documents and survey files spell them, and as the API does.
pub const SPELLINGS: [&[&str]; 13] = [
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
];

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "diesel", derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow))]
#[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::Jsonb))]
#[serde(deny_unknown_fields)]
pub struct QuestionLogic {
    /// What files call the options or labels; 1, 2, 3 and so on where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codes: Option<Vec<i64>>,
    /// Of the options, or of a matrix's labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shuffle: Option<Shuffle>,
    /// Options, labels or rows that keep their place, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<Vec<String>>,
    /// Options of a multiple choice, as written, that cannot be chosen beside others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exclusive: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "rowShuffle")]
    pub row_shuffle: Option<Shuffle>,
    /// The question is asked where this holds.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "showIf")]
    pub show_if: Option<Condition>,
    /// An option or a matrix's row, as written, is shown where this holds.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "optionIf")]
    pub option_if: Option<BTreeMap<String, Condition>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<AttentionCheck>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// The item is reverse-keyed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<bool>,
    /// Rows of a matrix that are reverse-keyed, as written. Only diagnostics read it.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "reverseRows")]
    pub reverse_rows: Option<Vec<String>>,
    /// It looks good to agree. Only diagnostics read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub desirable: Option<bool>,
    /// Its text was public before. Only diagnostics read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<bool>,
}

impl QuestionLogic {
    /// Nothing differs from a plain question.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The code of the choice at this 0-based place: 1, 2, 3 and so on where there are no codes.
    pub fn code(&self, choice: usize) -> i64 {
        let given = self.codes.as_ref().and_then(|codes| codes.get(choice)).copied();
        given.unwrap_or_else(|| i64::try_from(choice + 1).unwrap_or(i64::MAX))
    }

    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.show_if.iter().chain(self.option_if.iter().flat_map(BTreeMap::values))
    }

    /// The fields as the API spells them, among those of the question.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    Nominal,
    Ordinal,
    Interval,
}

/// Written as `"none"`, `"all"`, `"flip"` or `{"subset": 3}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shuffle {
    /// As written.
    #[default]
    None,
    All,
    /// As written or reversed.
    Flip,
    /// So many of them, shuffled. Pinned ones are shown beside them.
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
