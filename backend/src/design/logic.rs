//! What a design adds to a question. One JSON object beside it; what is empty is not written.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::condition::Condition;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_shuffle: Option<Shuffle>,
    /// The question is asked where this holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_if: Option<Condition>,
    /// An option or a matrix's row, as written, is shown where this holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option_if: Option<BTreeMap<String, Condition>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<AttentionCheck>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// The item is reverse-keyed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverse: Option<bool>,
}

impl QuestionLogic {
    /// Nothing differs from a plain question.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
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
