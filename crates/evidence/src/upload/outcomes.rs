use std::collections::{BTreeMap, BTreeSet};

use super::read::person_id;
use super::table::{Table, Unreadable};
use crate::compare::{Column, Respondents};

/// Both sides of a study in one file.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    /// Names of the outcomes.
    pub names: Vec<String>,
    pub people: Respondents,
    pub twins: Respondents,
}

/// Reads a long file in the form of the mega-study: `TWIN_ID`, `variable_name`, `value` and `respondent_type` (`human`
/// or `twin`), with one row for each respondent and outcome. Empty values are missing.
pub fn read_outcomes(table: &Table) -> Result<Outcomes, Unreadable> {
    let place = |name: &str| {
        let place = table.names.iter().position(|column| column == name);
        place.ok_or_else(|| Unreadable::Row { row: 1, reason: format!("there is no column {name}") })
    };
    let (id, name, value, side) =
        (place("TWIN_ID")?, place("variable_name")?, place("value")?, place("respondent_type")?);
    let mut names = BTreeSet::new();
    let mut of_side: [BTreeMap<&str, BTreeMap<&str, f64>>; 2] = Default::default();
    for (row, cells) in table.rows.iter().enumerate() {
        let wrong = |reason: String| Unreadable::Row { row: row as u64 + 2, reason };
        let side = match &*cells[side] {
            "human" => 0,
            "twin" => 1,
            other => return Err(wrong(format!("{other} is neither human nor twin"))),
        };
        names.insert(cells[name].to_string());
        let answers = of_side[side].entry(person_id(&cells[id])).or_default();
        if cells[value].is_empty() {
            continue;
        }
        let number: f64 = cells[value].parse().map_err(|_| wrong(format!("{} is no number", cells[value])))?;
        if answers.insert(&cells[name], number).is_some() {
            return Err(wrong(format!("{} of {} is listed twice", cells[name], cells[id])));
        }
    }
    let names: Vec<String> = names.into_iter().collect();
    let [people, twins] = of_side.map(|side| {
        let column = |name: &String| Column::Numbers(side.values().map(|of| of.get(name.as_str()).copied()).collect());
        Respondents {
            ids: side.keys().map(|id| (*id).to_owned()).collect(),
            answers: names.iter().map(|name| (name.clone(), column(name))).collect(),
            ..Respondents::default()
        }
    });
    Ok(Outcomes { names, people, twins })
}
