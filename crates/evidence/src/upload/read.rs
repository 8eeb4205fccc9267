use std::collections::BTreeMap;

use serde::Serialize;

use super::columns::Mapping;
use super::normal;
use super::questions::{Choice, Question};
use super::table::Table;
use crate::compare::{Column, Item, ItemKind, Respondents};

/// Columns that are no answers to the survey but are needed, by name.
#[derive(Clone, Debug, Default)]
pub struct Special {
    /// Who it is; without a name `pid`, `TWIN_ID` or `personaPid`, and without those the row's number, which pairs with nobody.
    pub id: Option<String>,
    pub weight: Option<String>,
    pub arm: Option<String>,
    pub attributes: Vec<String>,
}

/// Cells that are no answer of their item; they count as missing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unread {
    pub item: String,
    pub cell: String,
    pub count: usize,
}

#[derive(Clone, Debug)]
pub struct Reading {
    pub respondents: Respondents,
    /// Whether the file says who each respondent is.
    pub has_ids: bool,
    pub unread: Vec<Unread>,
    /// Columns that were asked for but are not there.
    pub missing: Vec<String>,
}

/// The answers of a table by its mapping. A cell is an option's label (exact, else in normal form) or its code.
pub fn respondents(questions: &[Question], table: &Table, mapping: &Mapping, special: &Special) -> Reading {
    let mut unread: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut missing = Vec::new();
    let mut found = |name: &Option<String>| {
        let name = name.as_ref()?;
        let place = table.names.iter().position(|column| column == name);
        if place.is_none() {
            missing.push(name.clone());
        }
        place
    };
    let id = found(&special.id).or_else(|| {
        table.names.iter().position(|name| special.id.is_none() && super::IDS.contains(&normal(name).as_str()))
    });
    let (weight, arm) = (found(&special.weight), found(&special.arm));
    let attributes: Vec<(String, usize)> =
        special.attributes.iter().filter_map(|name| Some((name.clone(), found(&Some(name.clone()))?))).collect();
    // Who cannot be told apart is nobody's pair.
    let rows: Vec<&Vec<String>> = table.rows.iter().filter(|row| id.is_none_or(|id| !row[id].is_empty())).collect();
    let column = |place: usize| rows.iter().map(move |row| row[place].as_str());
    let mut respondents = Respondents {
        ids: match id {
            Some(id) => column(id).map(str::to_owned).collect(),
            None => (1..=rows.len()).map(|row| format!("row {row}")).collect(),
        },
        weights: weight.map(|place| {
            let numbers = column(place).map(|cell| cell.parse().ok().filter(|weight: &f64| *weight >= 0.0));
            numbers.map(|weight| weight.unwrap_or(0.0)).collect()
        }),
        arms: arm.map(|place| column(place).map(str::to_owned).collect()),
        ..Respondents::default()
    };
    for (name, place) in attributes {
        let levels = column(place).map(|cell| (!cell.is_empty()).then(|| cell.to_owned())).collect();
        respondents.attributes.insert(name, levels);
    }
    let by_item: BTreeMap<String, (Item, &Question)> = questions
        .iter()
        .flat_map(|question| question.items().into_iter().map(move |item| (item.name.clone(), (item, question))))
        .collect();
    for found in &mapping.matches {
        let Some((item, question)) = by_item.get(&found.item) else { continue };
        let mut refuse = |cell: &str| {
            *unread.entry((item.name.clone(), cell.to_owned())).or_default() += 1;
        };
        let answers = match (&item.kind, found.columns.as_slice()) {
            (ItemKind::Single { scale, .. }, [place, ..]) => {
                let value = |cell: &str| {
                    let value = match question.choices() {
                        [] => cell.parse().ok(),
                        choices => position(choices, cell).map(|choice| choice as f64 + 1.0),
                    };
                    let value = value.filter(|value| scale.holds(*value));
                    if value.is_none() && !cell.is_empty() {
                        refuse(cell);
                    }
                    value
                };
                Column::Numbers(column(*place).map(value).collect())
            }
            (ItemKind::Multiple { .. }, places) => Column::Selections(
                rows.iter().map(|row| selection(question.choices(), row, places, &mut refuse)).collect(),
            ),
            (ItemKind::Single { .. }, []) => continue,
        };
        respondents.answers.insert(item.name.clone(), answers);
    }
    let unread = unread.into_iter().map(|((item, cell), count)| Unread { item, cell, count }).collect();
    Reading { respondents, has_ids: id.is_some(), unread, missing }
}

/// The option that a cell names: by its label, else by its code, else by its label in normal form if only one has it.
fn position(choices: &[Choice], cell: &str) -> Option<usize> {
    let code = cell.parse::<f64>().ok();
    choices
        .iter()
        .position(|choice| choice.label == cell)
        .or_else(|| choices.iter().position(|choice| code == Some(choice.code as f64)))
        .or_else(|| {
            let wanted = normal(cell);
            let mut similar =
                (0..choices.len()).filter(|choice| !wanted.is_empty() && normal(&choices[*choice].label) == wanted);
            let first = similar.next()?;
            similar.next().is_none().then_some(first)
        })
}

/// Of columns by option: what is not empty, 0, "no" or "Not chosen" is chosen, and nothing at all in any of them is no answer. Of one
/// column: labels or codes, joined by commas or semicolons; a label may have commas itself.
fn selection(choices: &[Choice], row: &[String], places: &[usize], refuse: &mut impl FnMut(&str)) -> Option<Vec<bool>> {
    if places.len() == choices.len() && (choices.len() > 1 || places.len() > 1) {
        let cells = places.iter().map(|place| row[*place].as_str());
        if cells.clone().all(str::is_empty) {
            return None;
        }
        return Some(
            cells.map(|cell| !["", "0", "false", "no", "not chosen"].contains(&cell.to_lowercase().as_str())).collect(),
        );
    }
    let cell = row.get(*places.first()?)?.as_str();
    if cell.is_empty() {
        return None;
    }
    let mut chosen = vec![false; choices.len()];
    let parts: Vec<&str> = cell.split([',', ';']).collect();
    let mut from = 0;
    while from < parts.len() {
        // The longest run of parts that is one label: "Tea, green" is one option.
        let whole = |to: usize| parts[from..to].join(",").trim().to_owned();
        let Some((to, option)) =
            (from + 1..=parts.len()).rev().find_map(|to| Some((to, position(choices, &whole(to))?)))
        else {
            refuse(cell);
            return None;
        };
        chosen[option] = true;
        from = to;
    }
    Some(chosen)
}
