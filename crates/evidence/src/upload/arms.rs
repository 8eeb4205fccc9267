//! Finds the columns of a file that say in which arm of each random node a person was.

mod found;
mod nearest;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::nearest::{form, nearest};
use super::table::Table;

/// Maximum number of different values of a column that are reported.
const MAX_VALUES: usize = 50;

/// How a random node tells twins apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Deals {
    /// One of its arms is dealt.
    OneArm,
    /// All its arms are dealt, each sets the same field, and the last one holds.
    LastOfAll,
    /// Both its parts are dealt; the arm is the part that comes first.
    FirstOfTwo,
}

/// A random node of a survey that has arms, with the names by which files may call them.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomNode {
    pub name: String,
    /// Its id in the survey program that it was imported from, e.g. `FL_6`.
    pub import_id: Option<String>,
    pub deals: Deals,
    /// The arms in the order of the flow.
    pub arms: Vec<KnownArm>,
    /// Names of the nodes of which it is made: nodes with the same arms, of which each person meets one. Empty for a node
    /// of the flow.
    pub parts: Vec<String>,
}

/// An arm of a random node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownArm {
    pub name: String,
    /// Ids and names that the arm has elsewhere: in the survey program, and of its block.
    pub also: Vec<String>,
    /// The fields that it sets.
    pub fields: BTreeMap<String, String>,
}

/// The column of a random node and the meaning of its values, as somebody chose them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ChosenArms {
    /// The column; null: the node has none.
    #[cfg_attr(feature = "openapi", schema(example = "condition"))]
    pub column: Option<String>,
    /// The arm of each value; null: nobody counts with this value. Values that are not named are matched automatically.
    pub values: BTreeMap<String, Option<String>>,
}

/// How the column of a random node was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ArmsFoundBy {
    /// Somebody chose it.
    Chosen,
    /// Qualtrics' column of the node, which lists the arms in the order shown.
    NodeId,
    /// A column with the node's name.
    Name,
    /// Columns of fields that each arm sets to a value of its own.
    Fields,
    /// The columns of the nodes of which it is made.
    Parts,
}

/// A value of a random node's column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ArmValue {
    #[cfg_attr(feature = "openapi", schema(example = "FL_9"))]
    pub value: String,
    /// The arm that it says; null if it says none.
    pub arm: Option<String>,
    /// The arm with the most similar name, where the value says none.
    pub nearest: Option<String>,
    /// Number of people with this value.
    pub people: usize,
}

/// A field's column that says the arm, too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AgreeingColumn {
    #[cfg_attr(feature = "openapi", schema(example = "condition"))]
    pub column: String,
    /// Number of people for whom it says the same arm, of those with an arm.
    pub agrees: usize,
    pub of: usize,
}

/// A random node with its columns in the file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MatchedNode {
    #[cfg_attr(feature = "openapi", schema(example = "FL_7"))]
    pub node: String,
    pub deals: Deals,
    /// The columns that say the arm; several fields say it together.
    pub columns: Vec<String>,
    pub by: ArmsFoundBy,
    /// The node's arms in the order of the flow.
    pub arms: Vec<String>,
    /// Different values of the columns, at most 50. Orders of all parts are counted by the arm that they say.
    pub values: Vec<ArmValue>,
    /// Number of people in some arm.
    pub people: usize,
    /// Columns of fields that say the same.
    pub agreeing: Vec<AgreeingColumn>,
    /// The arm of each row, empty for none.
    #[serde(skip)]
    pub of_rows: Vec<String>,
}

/// A random node whose arms nobody can be placed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UnmatchedNode {
    #[cfg_attr(feature = "openapi", schema(example = "FL_22"))]
    pub node: String,
    #[cfg_attr(feature = "openapi", schema(example = "all its parts are shown, and no field tells them apart"))]
    pub reason: String,
    /// The column with the most similar name.
    pub nearest: Option<String>,
    /// Its arms, for which a column can be chosen; empty if it has none.
    pub arms: Vec<String>,
}

/// The arms of a survey as a file says them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MatchedArms {
    pub matched: Vec<MatchedNode>,
    pub unmatched: Vec<UnmatchedNode>,
    /// The node that `arm` means; null without `arm`, and if it is a column of no node.
    pub compared: Option<String>,
}

impl MatchedArms {
    /// The node that a name, or the name of one of its columns, means.
    pub fn node(&self, name: &str) -> Option<&MatchedNode> {
        let has = |node: &&MatchedNode| node.columns.iter().any(|column| column == name);
        self.matched.iter().find(|node| node.node == name).or_else(|| self.matched.iter().find(has))
    }
}

/// Finds the columns of each random node and reads the arms of all rows. Refuses, with the node and a reason, a chosen
/// node, column or arm that does not exist.
pub fn match_arms(
    nodes: &[RandomNode],
    table: &Table,
    chosen: &BTreeMap<String, ChosenArms>,
) -> Result<MatchedArms, (String, String)> {
    if let Some(name) = chosen.keys().find(|name| !nodes.iter().any(|node| node.name == **name)) {
        return Err((name.clone(), "the survey has no such random node with arms".to_owned()));
    }
    let columns = FileColumns::new(table);
    let mut all = MatchedArms::default();
    for node in nodes.iter().filter(|node| node.parts.is_empty()) {
        cancellation::check();
        let own = chosen.get(&node.name);
        let found = match own {
            Some(chosen) => node.chosen(chosen, table, &columns).map_err(|reason| (node.name.clone(), reason))?,
            None => node.find(table, &columns),
        };
        match found {
            Some(found) => all.matched.push(found),
            None => all.unmatched.push(UnmatchedNode {
                node: node.name.clone(),
                reason: if own.is_some() { "left out by choice" } else { "the file has no column that says its arms" }
                    .to_owned(),
                arms: node.arms.iter().map(|arm| arm.name.clone()).collect(),
                nearest: nearest(&node.names(), table.names.iter().map(String::as_str)).map(str::to_owned),
            }),
        }
    }
    for node in nodes.iter().filter(|node| !node.parts.is_empty()) {
        let found = match chosen.get(&node.name) {
            Some(chosen) => node.chosen(chosen, table, &columns).map_err(|reason| (node.name.clone(), reason))?,
            None => node.of_parts(nodes, &all.matched),
        };
        all.matched.extend(found);
    }
    Ok(all)
}

/// The columns of a file by their names and ids.
struct FileColumns<'t> {
    exact: HashMap<&'t str, BTreeSet<usize>>,
    similar: HashMap<String, BTreeSet<usize>>,
}

impl<'t> FileColumns<'t> {
    fn new(table: &'t Table) -> Self {
        let mut columns = Self { exact: HashMap::new(), similar: HashMap::new() };
        let names = table.names.iter().enumerate();
        for (place, name) in names.chain(table.import_ids.iter().enumerate()).filter(|(_, name)| !name.is_empty()) {
            columns.exact.entry(name).or_default().insert(place);
            columns.similar.entry(form(name)).or_default().insert(place);
        }
        columns
    }

    /// The only column with this name or id, or with a similar one.
    fn find(&self, name: &str) -> Option<usize> {
        let only = |places: Option<&BTreeSet<usize>>| places.filter(|places| places.len() == 1)?.first().copied();
        only(self.exact.get(name)).or_else(|| only(self.similar.get(&form(name))))
    }
}

impl RandomNode {
    /// Names by which a column may be called: the node's, its id's and those of the fields that its arms set.
    fn names(&self) -> Vec<&str> {
        let own = [Some(self.name.as_str()), self.import_id.as_deref()].into_iter().flatten();
        own.chain(self.common_fields()).collect()
    }

    /// The fields that all arms set.
    fn common_fields(&self) -> Vec<&str> {
        let Some((first, others)) = self.arms.split_first() else { return Vec::new() };
        let is_common = |field: &&str| others.iter().all(|arm| arm.fields.contains_key(*field));
        first.fields.keys().map(String::as_str).filter(is_common).collect()
    }

    /// The arm that a text names: exactly, or in normal form. `None` if no arm or several have it.
    fn arm_called(&self, text: &str) -> Option<usize> {
        self.arm_with(text, &|arm| std::iter::once(arm.name.clone()).chain(arm.also.iter().cloned()).collect())
    }

    /// The arm that sets one of its fields to this value.
    fn arm_setting(&self, field: Option<&str>, text: &str) -> Option<usize> {
        let is_it = |name: &str| field.is_none_or(|field| field == name);
        self.arm_with(text, &|arm| {
            arm.fields.iter().filter(|(name, _)| is_it(name)).map(|(_, value)| value.clone()).collect()
        })
    }

    fn arm_with(&self, text: &str, names: &dyn Fn(&KnownArm) -> Vec<String>) -> Option<usize> {
        let only = |is_it: &dyn Fn(&str) -> bool| {
            let mut found =
                (0..self.arms.len()).filter(|place| names(&self.arms[*place]).iter().any(|name| is_it(name)));
            found.next().filter(|_| found.next().is_none())
        };
        if text.is_empty() {
            return None;
        }
        let wanted = form(text);
        only(&|name| name == text).or_else(|| only(&|name| form(name) == wanted))
    }

    /// The arm of somebody who was shown these arms in this order.
    fn arm_of_shown(&self, shown: &[usize]) -> Option<usize> {
        match self.deals {
            Deals::OneArm => shown.first().copied(),
            Deals::LastOfAll => shown.last().copied().filter(|_| shown.len() == self.arms.len()),
            Deals::FirstOfTwo => shown.first().copied().filter(|_| shown.len() == self.arms.len()),
        }
    }

    fn name_of(&self, arm: Option<usize>) -> String {
        arm.and_then(|arm| self.arms.get(arm)).map_or_else(String::new, |arm| arm.name.clone())
    }
}

/// Returns the cells of rows of a table in one column.
fn cells(table: &Table, place: usize) -> impl Iterator<Item = &Arc<str>> {
    table.rows.iter().map(move |row| &row[place])
}
