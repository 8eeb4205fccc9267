//! The design of a survey as it is written: a tree of seven kinds of nodes, and tables for its loops.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::canonical::canonical;
use super::condition::Condition;
use super::finding::{Finding, FindingCode, nul_in, pointer_of};
use super::hex::hex;

/// What stands beside a survey's questions. An empty one is a plain survey: its questions in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "diesel", derive(diesel::expression::AsExpression, diesel::deserialize::FromSqlRow))]
#[cfg_attr(feature = "diesel", diesel(sql_type = diesel::sql_types::Jsonb))]
#[serde(deny_unknown_fields)]
pub struct Design {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flow: Vec<Node>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tables: BTreeMap<String, Table>,
}

impl Design {
    /// Errors: the place of what is not of the tree's form.
    pub fn read(value: &Value) -> Result<Self, Finding> {
        if let Some(place) = nul_in(value, "") {
            return Err(Finding::error(FindingCode::NotAFlow, place, "This text contains a NUL character."));
        }
        serde_path_to_error::deserialize(value)
            .map_err(|error| Finding::error(FindingCode::NotAFlow, pointer_of(error.path()), error.inner().to_string()))
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.flow.is_empty() && self.tables.is_empty()
    }

    /// SHA-256 of the canonical bytes of flow and tables, as hex.
    pub fn hash(&self) -> String {
        let whole = serde_json::json!({ "flow": self.flow, "tables": self.tables });
        hex(&Sha256::digest(canonical(&whole)))
    }
}

/// Rows for loops, vignettes and conjoint profiles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Node {
    Block(Block),
    Random(Random),
    If(If),
    Set(Set),
    Loop(Loop),
    End(End),
    /// No effect of its own.
    Group(Vec<Node>),
}

/// Questions that are asked in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Block {
    #[serde(rename = "block")]
    pub name: String,
    pub questions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Questions that keep their place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<Vec<String>>,
}

/// Deals `take` of the children to each twin.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Random {
    #[serde(rename = "random")]
    pub name: String,
    /// All of them where it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub take: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Attributes of twins; the children are balanced within each combination of their values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strata: Option<Vec<String>>,
    pub of: Vec<Arm>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    pub arm: String,
    /// 1 where it is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
    #[serde(default)]
    pub flow: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct If {
    #[serde(rename = "if")]
    pub condition: Condition,
    pub then: Vec<Node>,
    #[serde(rename = "else", skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<Vec<Node>>,
}

/// Fields, all set at once: a value may pipe what the fields held before. A later set of the same field wins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Set {
    pub set: BTreeMap<String, String>,
}

/// Asks its flow once for each of `take` rows of the table of its name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Loop {
    #[serde(rename = "loop")]
    pub table: String,
    /// All rows where it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub take: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    pub flow: Vec<Node>,
}

/// The rest is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct End {
    pub end: Ending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    Complete,
    ScreenedOut,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// As written.
    #[default]
    Fixed,
    /// Shuffled for each twin.
    Random,
    /// Rows of a Williams square.
    Latin,
}

/// Every field of every kind of node, so that an error is reported with its path.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    block: Option<String>,
    questions: Option<Vec<String>>,
    order: Option<Order>,
    pin: Option<Vec<String>>,
    random: Option<String>,
    take: Option<u32>,
    strata: Option<Vec<String>>,
    of: Option<Vec<Arm>>,
    #[serde(rename = "if")]
    condition: Option<Condition>,
    then: Option<Vec<Node>>,
    #[serde(rename = "else")]
    otherwise: Option<Vec<Node>>,
    set: Option<BTreeMap<String, String>>,
    #[serde(rename = "loop")]
    table: Option<String>,
    flow: Option<Vec<Node>>,
    end: Option<Ending>,
}

impl Fields {
    fn node(mut self) -> Result<Node, String> {
        let needed = |kind: &str, field: &str| format!("the node {kind:?} needs {field:?}");
        let node = if let Some(name) = self.block.take() {
            let questions = self.questions.take().ok_or_else(|| needed("block", "questions"))?;
            Node::Block(Block { name, questions, order: self.order.take(), pin: self.pin.take() })
        } else if let Some(name) = self.random.take() {
            let of = self.of.take().ok_or_else(|| needed("random", "of"))?;
            let (take, order, strata) = (self.take.take(), self.order.take(), self.strata.take());
            Node::Random(Random { name, take, order, strata, of })
        } else if let Some(condition) = self.condition.take() {
            let then = self.then.take().ok_or_else(|| needed("if", "then"))?;
            Node::If(If { condition, then, otherwise: self.otherwise.take() })
        } else if let Some(set) = self.set.take() {
            Node::Set(Set { set })
        } else if let Some(table) = self.table.take() {
            let flow = self.flow.take().ok_or_else(|| needed("loop", "flow"))?;
            Node::Loop(Loop { table, take: self.take.take(), order: self.order.take(), flow })
        } else if let Some(end) = self.end.take() {
            Node::End(End { end })
        } else {
            return Err("a node has one of the fields block, random, if, set, loop and end, or is a list".into());
        };
        match self.left_over() {
            Some(field) => Err(format!("{field:?} does not belong to this kind of node")),
            None => Ok(node),
        }
    }

    /// A field that the node did not use.
    fn left_over(&self) -> Option<&'static str> {
        [
            ("block", self.block.is_some()),
            ("questions", self.questions.is_some()),
            ("order", self.order.is_some()),
            ("pin", self.pin.is_some()),
            ("random", self.random.is_some()),
            ("take", self.take.is_some()),
            ("strata", self.strata.is_some()),
            ("of", self.of.is_some()),
            ("if", self.condition.is_some()),
            ("then", self.then.is_some()),
            ("else", self.otherwise.is_some()),
            ("set", self.set.is_some()),
            ("loop", self.table.is_some()),
            ("flow", self.flow.is_some()),
            ("end", self.end.is_some()),
        ]
        .into_iter()
        .find_map(|(field, is_there)| is_there.then_some(field))
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Nodes;

        impl<'de> Visitor<'de> for Nodes {
            type Value = Node;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a node or a list of nodes")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, nodes: A) -> Result<Node, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(nodes)).map(Node::Group)
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Node, A::Error> {
                Fields::deserialize(MapAccessDeserializer::new(fields))?.node().map_err(A::Error::custom)
            }
        }

        deserializer.deserialize_any(Nodes)
    }
}
