//! Options of a comparison of twins with people, for forms, kept samples and the command line.

#[cfg(feature = "clap")]
mod arguments;
mod changes;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::compare::{Experiment, Item};
use crate::upload::{ChosenArms, ReservedColumns, ScoredAs};

/// Shares by level, 0 to 1; together 1.
pub type Shares = BTreeMap<String, f64>;

/// Options of a comparison: the meaning of the columns and cells of people's answers, and how twins are compared with
/// them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct ComparisonOptions {
    /// The column of the experiment's arm.
    #[serde(deserialize_with = "name")]
    #[cfg_attr(feature = "openapi", schema(example = "fee_arm"))]
    pub arm: Option<String>,
    /// The column of weights. All figures are weighted by it.
    #[serde(deserialize_with = "name")]
    #[cfg_attr(feature = "openapi", schema(example = "weight"))]
    pub weight: Option<String>,
    /// The attribute of the twins that is their weight. Not with `margins`.
    #[serde(deserialize_with = "name")]
    #[cfg_attr(feature = "openapi", schema(example = "Weight"))]
    pub twin_weight: Option<String>,
    /// The column of the probability with which each person was drawn from the persons of the twins. Estimates then use
    /// it (design-based supervised learning), and `cells` are the regressors.
    #[serde(deserialize_with = "name")]
    #[cfg_attr(feature = "openapi", schema(example = "probability"))]
    pub probability: Option<String>,
    /// The columns of subgroups: twins and people are also compared for each value.
    #[serde(serialize_with = "one_or_several", deserialize_with = "names")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, default = json!(null), example = "Gender"))]
    pub by: Vec<String>,
    /// Attributes that are columns of people's answers, at most three. If no twin has a person's id, people are paired
    /// with the twins of their cell for the rectified estimates.
    #[serde(deserialize_with = "list")]
    #[cfg_attr(feature = "openapi", schema(example = json!(["Gender", "Age"])))]
    pub cells: Vec<String>,
    /// The cells' shares in the population, 0 to 1 and together 1, in place of the twins' own. The key of a cell has
    /// the values of its attributes in the order of `cells`, joined by ` · `.
    #[cfg_attr(
        feature = "openapi",
        schema(value_type = Option<BTreeMap<String, f64>>, example = json!({"Female · 18-29": 0.11, "Male · 18-29": 0.89}))
    )]
    pub cell_shares: Option<Shares>,
    /// Attributes of the twins on which the answers of people and of their twins are regressed.
    #[serde(deserialize_with = "list")]
    #[cfg_attr(feature = "openapi", schema(example = json!(["Gender", "Age"])))]
    pub regress: Vec<String>,
    /// Covariates for which the effects of arms are adjusted by regression (Lin): questions asked before the arms, and
    /// attributes of the twins, which people have by the twin of the same id, or by a column in `by` or `cells`.
    #[serde(deserialize_with = "list", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "openapi", schema(example = json!(["Age", "ok"])))]
    pub adjust: Vec<String>,
    /// Questions that are one outcome of the arms, by the outcome's name: copies of which each arm has its own, or several
    /// answers of a respondent, whose errors are then clustered by respondent. Copies with the same text are found without
    /// it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub outcomes: BTreeMap<String, Vec<String>>,
    /// Outcomes that are computed from several questions, by the outcome's name: scale scores, sums, differences and counts, as
    /// `mean(honest, reverse(greedy), fair)`. They are compared as questions are.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub formulas: BTreeMap<String, String>,
    /// Shares to which people are weighted, in place of a column of weights: for each attribute the share of each of
    /// its levels, 0 to 1. Twins that have the attributes are weighted to the same shares.
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, BTreeMap<String, f64>>))]
    pub margins: BTreeMap<String, Shares>,
    /// The columns of questions, in place of the automatic match: one, or one for each option of a question with
    /// several answers; none if the question has no column. Questions that are not named are matched automatically to
    /// other columns.
    pub matching: BTreeMap<String, Vec<String>>,
    /// The meaning of cells, by question and by the cell's text (or its value's label): the label or code of an option,
    /// a number, or null for missing. Labels of several answers are joined by commas.
    pub recodes: BTreeMap<String, BTreeMap<String, Option<String>>>,
    /// The columns of the survey's random nodes and the arms of their values, in place of the automatic match.
    pub arms: BTreeMap<String, ChosenArms>,
    /// How questions with options are scored, in place of the survey's scale: nothing that was asked depends on it.
    pub scales: BTreeMap<String, ScoredAs>,
}

impl ComparisonOptions {
    /// The attributes of the margins.
    pub fn margin_attributes(&self) -> Vec<String> {
        self.margins.keys().cloned().collect()
    }

    /// The columns of people's answers that are not answers to the survey.
    pub fn people_columns(&self) -> ReservedColumns {
        ReservedColumns {
            id: None,
            weight: self.weight.clone(),
            probability: self.probability.clone(),
            arm: self.arm.clone(),
            attributes: distinct([&self.by, &self.cells, &self.margin_attributes()]),
        }
    }

    /// Adds the outcomes and covariates of these options to what the design knows of the experiment. Fails with a sentence
    /// that names an outcome whose questions do not exist or are answered differently.
    pub fn experiment(&self, design: &Experiment, items: &[Item]) -> Result<Experiment, String> {
        for (name, members) in &self.outcomes {
            let mut kinds = Vec::new();
            for member in members {
                let item = items.iter().find(|item| item.name == *member);
                let item = item.ok_or_else(|| format!("outcomes.{name}: {member} is no question of the survey"))?;
                kinds.push(&item.kind);
            }
            if kinds.windows(2).any(|kinds| kinds[0] != kinds[1]) {
                return Err(format!("outcomes.{name}: its questions have different scales or options"));
            }
            if items.iter().any(|item| item.name == *name && !members.contains(name)) {
                return Err(format!("outcomes.{name}: is the name of another question"));
            }
        }
        let groups = |name: &&String| self.by.contains(name) || self.cells.contains(name);
        Ok(Experiment {
            outcomes: self.outcomes.clone(),
            covariates: self.adjust.clone(),
            ungrouped: self.adjust.iter().filter(|name| !groups(name)).cloned().collect(),
            ..design.clone()
        })
    }

    /// The columns of the twins, whose arm is in `arm`. `has` knows the columns that are no questions. Margins apply if it
    /// knows all their attributes; otherwise all twins have the same weight. Other covariates are questions.
    pub fn twin_columns(&self, arm: Option<String>, has: impl Fn(&str) -> bool) -> ReservedColumns {
        let margins = self.margin_attributes();
        let margins = if margins.iter().all(|name| has(name)) { margins } else { Vec::new() };
        let covariates: Vec<String> = self.adjust.iter().filter(|name| has(name)).cloned().collect();
        ReservedColumns {
            arm,
            weight: self.twin_weight.clone(),
            attributes: distinct([&margins, &self.cells, &self.regress, &covariates]),
            ..ReservedColumns::default()
        }
    }
}

fn distinct<const N: usize>(lists: [&Vec<String>; N]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in lists.into_iter().flatten() {
        if !all.contains(name) {
            all.push(name.clone());
        }
    }
    all
}

/// Reads an optional name; an empty one counts as missing.
fn name<'de, D: Deserializer<'de>>(field: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(field)?.filter(|name| !name.is_empty()))
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    One(String),
    Several(Vec<String>),
}

/// Reads one name, or a list of names.
fn names<'de, D: Deserializer<'de>>(field: D) -> Result<Vec<String>, D::Error> {
    Ok(match Option::<Names>::deserialize(field)? {
        None => Vec::new(),
        Some(Names::One(name)) => Some(name).filter(|name| !name.is_empty()).into_iter().collect(),
        Some(Names::Several(names)) => names,
    })
}

/// Reads a list of names, or one text with names separated by commas.
fn list<'de, D: Deserializer<'de>>(field: D) -> Result<Vec<String>, D::Error> {
    Ok(match Option::<Names>::deserialize(field)? {
        None => Vec::new(),
        Some(Names::One(text)) => separated(&text),
        Some(Names::Several(names)) => names,
    })
}

fn separated(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Writes one name as a text, several as a list, and none as null.
fn one_or_several<S: Serializer>(names: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    match names {
        [] => serializer.serialize_none(),
        [name] => serializer.serialize_str(name),
        several => several.serialize(serializer),
    }
}
