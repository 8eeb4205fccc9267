//! Covariates of respondents: answers and attributes from before the arms.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Experiment, Item, ItemKind, Respondents};

/// Maximum number of values of an attribute that is a covariate.
const MAX_LEVELS: usize = 20;

/// A covariate that was not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UnusedCovariate {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub name: String,
    #[cfg_attr(
        feature = "openapi",
        schema(example = "it was asked after the arms were dealt, so an effect may run through it")
    )]
    pub reason: &'static str,
}

/// The covariates of one side: for each row a number a column, or `None` where one is missing.
pub(super) struct Covariates {
    rows: Vec<Option<Vec<f64>>>,
}

impl Covariates {
    /// The covariates of a row. `None` if one is missing.
    pub fn row(&self, row: usize) -> Option<&Vec<f64>> {
        self.rows.get(row)?.as_ref()
    }
}

/// The values of one covariate by row.
enum Values {
    Numbers(Vec<Option<f64>>),
    Levels(Vec<Option<String>>),
}

/// Collects the covariates of people and of twins, the names of those used, and those that are not. A person without an
/// attribute has that of the twin with the same id.
pub(super) fn collect(
    items: &[Item],
    experiment: &Experiment,
    [people, twins]: [&Respondents; 2],
) -> ([Covariates; 2], Vec<String>, Vec<UnusedCovariate>) {
    let twin_of: BTreeMap<&str, usize> = (0..twins.ids.len()).map(|row| (twins.ids[row].as_str(), row)).collect();
    let (mut used, mut unused) = (Vec::new(), Vec::new());
    let mut columns: [Vec<Values>; 2] = [Vec::new(), Vec::new()];
    for name in &experiment.covariates {
        let found = match items.iter().find(|item| item.name == *name) {
            Some(item) => of_item(item, experiment, [people, twins]),
            None => of_attribute(name, [people, twins], &twin_of),
        };
        match found {
            Ok([of_people, of_twins]) => {
                used.push(name.clone());
                columns[0].push(of_people);
                columns[1].push(of_twins);
            }
            Err(reason) => unused.push(UnusedCovariate { name: name.clone(), reason }),
        }
    }
    let [of_people, of_twins] = columns;
    (
        [
            Covariates { rows: dummies(&of_people, people.ids.len()) },
            Covariates { rows: dummies(&of_twins, twins.ids.len()) },
        ],
        used,
        unused,
    )
}

fn of_item(item: &Item, experiment: &Experiment, sides: [&Respondents; 2]) -> Result<[Values; 2], &'static str> {
    if experiment.before.as_ref().is_some_and(|before| !before.contains(&item.name)) {
        return Err("it was asked after the arms were dealt, so an effect may run through it");
    }
    let ItemKind::Single { scale, .. } = &item.kind else { return Err("it has several answers") };
    Ok(sides.map(|side| {
        let numbers = (0..side.ids.len()).map(|row| side.number(&item.name, row));
        match scale.is_ordered() {
            true => Values::Numbers(numbers.collect()),
            false => Values::Levels(numbers.map(|value| value.map(|value| value.to_string())).collect()),
        }
    }))
}

fn of_attribute(
    name: &str,
    [people, twins]: [&Respondents; 2],
    twin_of: &BTreeMap<&str, usize>,
) -> Result<[Values; 2], &'static str> {
    let Some(of_twins) = twins.attributes.get(name) else {
        return Err("it is neither a question nor an attribute of the twins");
    };
    let own = people.attributes.get(name);
    let of_twin = |id: &String| of_twins.get(*twin_of.get(id.as_str())?)?.clone();
    let of_people: Vec<Option<String>> = people
        .ids
        .iter()
        .enumerate()
        .map(|(row, id)| own.and_then(|levels| levels.get(row)?.clone()).or_else(|| of_twin(id)))
        .collect();
    if of_people.iter().all(Option::is_none) {
        return Err("nobody of the people has it, by a column or by the twin of the same id");
    }
    let levels: BTreeSet<&String> = of_people.iter().chain(of_twins).flatten().collect();
    if levels.len() > MAX_LEVELS {
        return Err("it has too many values");
    }
    Ok([Values::Levels(of_people), Values::Levels(of_twins.clone())])
}

/// Numbers as they are, and 0 or 1 for each level but the first.
fn dummies(columns: &[Values], rows: usize) -> Vec<Option<Vec<f64>>> {
    let levels: Vec<Vec<&String>> = columns
        .iter()
        .map(|column| match column {
            Values::Numbers(_) => Vec::new(),
            Values::Levels(values) => values.iter().flatten().collect::<BTreeSet<_>>().into_iter().skip(1).collect(),
        })
        .collect();
    let of_row = |row: usize| {
        let mut all = Vec::new();
        for (column, levels) in columns.iter().zip(&levels) {
            match column {
                Values::Numbers(values) => all.push((*values.get(row)?)?),
                Values::Levels(values) => {
                    let own = values.get(row)?.as_ref()?;
                    all.extend(levels.iter().map(|level| f64::from(u8::from(*level == own))));
                }
            }
        }
        Some(all)
    };
    (0..rows).map(of_row).collect()
}
