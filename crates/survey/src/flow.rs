//! The flow of a survey as it is written: a tree of seven kinds of nodes, and tables for its loops.

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

/// The design of a survey: its flow and tables. If it is empty, the questions are asked in their order.
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
    /// Reads a design. Returns the place of the first value that has the wrong form.
    pub fn read(value: &Value) -> Result<Self, Finding> {
        if let Some(place) = nul_in(value, "") {
            return Err(Finding::error(FindingCode::NotAFlow, place, "This text contains a NUL character."));
        }
        serde_path_to_error::deserialize(value)
            .map_err(|error| Finding::error(FindingCode::NotAFlow, pointer_of(error.path()), error.inner().to_string()))
    }

    /// Whether there is neither a flow nor a table.
    pub fn is_empty(&self) -> bool {
        self.flow.is_empty() && self.tables.is_empty()
    }

    /// SHA-256 of the canonical bytes of flow and tables, in hexadecimal digits.
    pub fn hash(&self) -> String {
        let whole = serde_json::json!({ "flow": self.flow, "tables": self.tables });
        hex(&Sha256::digest(canonical(&whole)))
    }
}

/// A table whose rows are the turns of a loop, e.g. vignettes or conjoint profiles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Ids that another survey program has for the rows, one for each row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_ids: Option<Vec<String>>,
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
    /// A list of nodes, without an effect of its own.
    Group(Vec<Node>),
}

impl Node {
    /// The flows inside the node.
    pub fn inside(&self) -> impl Iterator<Item = &[Self]> {
        let flows: Vec<&[Self]> = match self {
            Self::Random(random) => random.of.iter().map(|arm| arm.flow.as_slice()).collect(),
            Self::If(branch) => {
                [Some(&branch.then), branch.otherwise.as_ref()].into_iter().flatten().map(Vec::as_slice).collect()
            }
            Self::Loop(turns) => vec![&turns.flow],
            Self::Group(nodes) => vec![nodes],
            Self::Block(_) | Self::Set(_) | Self::End(_) => Vec::new(),
        };
        flows.into_iter()
    }
}

/// All nodes of a flow with those inside them, each before what is inside it.
pub fn all_nodes(flow: &[Node]) -> Vec<&Node> {
    fn collect<'a>(flow: &'a [Node], all: &mut Vec<&'a Node>) {
        for node in flow {
            all.push(node);
            node.inside().for_each(|flow| collect(flow, all));
        }
    }
    let mut all = Vec::new();
    collect(flow, &mut all);
    all
}

/// A block: questions that are asked together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Block {
    #[serde(rename = "block")]
    pub name: String,
    pub questions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Questions that keep their positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<Vec<String>>,
}

/// A random node: deals `take` of its children to each twin.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Random {
    #[serde(rename = "random")]
    pub name: String,
    /// Id of the node in the survey program that the design was imported from, e.g. Qualtrics' FlowID.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub import_id: Option<String>,
    /// Number of children to deal; all of them if missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub take: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Attributes of twins. The children are balanced within each combination of their values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strata: Option<Vec<String>>,
    pub of: Vec<Arm>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    pub arm: String,
    /// Id of the arm in the survey program that the design was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_id: Option<String>,
    /// Name of the arm in that program, e.g. that of its block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub import_name: Option<String>,
    /// Relative frequency of the arm; 1 if missing.
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

/// Sets fields. All are set at once, so a value may pipe what the fields held before. A later set of the same field
/// wins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Set {
    pub set: BTreeMap<String, String>,
}

/// A loop: asks its flow once for each of `take` rows of its table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Loop {
    #[serde(rename = "loop")]
    pub table: String,
    /// Number of rows to draw; all of them if missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub take: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    pub flow: Vec<Node>,
}

/// Ends the interview. The questions that follow are not shown.
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
    /// The order as written.
    #[default]
    Fixed,
    /// A random order for each twin.
    Random,
    /// The rows of a Williams square, in turn.
    Latin,
}

/// All fields of all kinds of nodes, so that an error is reported with its path.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    block: Option<String>,
    questions: Option<Vec<String>>,
    order: Option<Order>,
    pin: Option<Vec<String>>,
    random: Option<String>,
    import_id: Option<String>,
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
            Node::Random(Random { name, import_id: self.import_id.take(), take, order, strata, of })
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

    /// Returns a field that is present but not part of the node's kind.
    fn left_over(&self) -> Option<&'static str> {
        [
            ("block", self.block.is_some()),
            ("questions", self.questions.is_some()),
            ("order", self.order.is_some()),
            ("pin", self.pin.is_some()),
            ("random", self.random.is_some()),
            ("import_id", self.import_id.is_some()),
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
