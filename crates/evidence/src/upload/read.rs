use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Serialize;

use super::columns::{MAX_KNOWN_NAME_BYTES, Mapping, PERSONAL_DATA, not_an_answer};
use super::normal_forms::normal_within;
use super::options::{Cell, Labels, Options};
use super::questions::Question;
use super::table::Table;
use crate::compare::{Column, Item, ItemKind, Respondents};
use crate::metrics::Scale;

/// Names of columns that are needed but are no answers to the survey.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReservedColumns {
    /// The id column. The default is `pid`, `TWIN_ID` or `personaPid`, or else the row's number, which pairs with
    /// nobody.
    pub id: Option<String>,
    pub weight: Option<String>,
    /// The column of the probability with which a person was drawn.
    pub probability: Option<String>,
    pub arm: Option<String>,
    pub attributes: Vec<String>,
}

/// Cells that are no answer to their question. They count as missing.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = UnreadCells))]
pub struct Unread {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub name: String,
    pub cell: String,
    pub count: usize,
}

#[derive(Clone, Debug)]
pub struct Reading {
    pub respondents: Respondents,
    /// Positions of the rows that were read: those with an id, if the file has ids.
    pub rows: Vec<usize>,
    /// Whether the file has an id for each respondent.
    pub has_ids: bool,
    pub unread: Vec<Unread>,
    /// Columns that were requested but do not exist.
    pub missing: Vec<String>,
    /// Columns that were requested but hold personal data, which is never read.
    pub personal: Vec<String>,
}

impl Reading {
    /// Returns why a requested column was not read. `None` if all were.
    pub fn refusal(&self) -> Option<String> {
        let missing = self.missing.first().map(|column| format!("there is no column {column}"));
        missing.or_else(|| {
            self.personal.first().map(|column| format!("the column {column} holds personal data, which is not read"))
        })
    }
}

/// Values of an option's column that mean "not chosen", in lower case.
const NOT_CHOSEN: [&str; 8] = ["", "0", "false", "no", "not chosen", "not selected", "not mentioned", "unchecked"];

/// Reads the answers of a table by its mapping. A cell is an option's label (exact or in normal form) or its code, or a
/// value whose label is the option's, unless the mapping recodes it.
pub fn respondents(questions: &[Question], table: &Table, mapping: &Mapping, reserved: &ReservedColumns) -> Reading {
    let mut unread: BTreeMap<(String, String), usize> = BTreeMap::new();
    let (mut missing, mut personal) = (Vec::new(), Vec::new());
    let mut found = |name: &Option<String>| {
        let name = name.as_ref()?;
        let place = table.names.iter().position(|column| column == name);
        let is_personal = |place: &usize| not_an_answer(table, *place) == Some(PERSONAL_DATA);
        match place {
            None => missing.push(name.clone()),
            Some(place) if is_personal(&place) => personal.push(name.clone()),
            Some(_) => {}
        }
        place.filter(|place| !is_personal(place))
    };
    let id = found(&reserved.id).or_else(|| {
        let is_id = |name: &String| {
            normal_within(name, MAX_KNOWN_NAME_BYTES).is_some_and(|name| super::IDS.contains(&name.as_str()))
        };
        reserved.id.is_none().then(|| table.names.iter().position(is_id)).flatten()
    });
    let (weight, arm, probability) = (found(&reserved.weight), found(&reserved.arm), found(&reserved.probability));
    let attributes: Vec<(String, usize)> =
        reserved.attributes.iter().filter_map(|name| Some((name.clone(), found(&Some(name.clone()))?))).collect();
    // A respondent without an id cannot be paired.
    let has_id = |row: &Vec<Arc<str>>| id.is_none_or(|id| !row[id].is_empty());
    let (places, rows): (Vec<usize>, Vec<&Vec<Arc<str>>>) =
        table.rows.iter().enumerate().filter(|(_, row)| has_id(row)).unzip();
    let column = |place: usize| rows.iter().map(move |row| &*row[place]);
    let shown = |place: usize| rows.iter().map(move |row| table.shown(row, place));
    let mut respondents = Respondents {
        ids: match id {
            Some(id) => column(id).map(|cell| person_id(cell).to_owned()).collect(),
            None => (1..=rows.len()).map(|row| format!("row {row}")).collect(),
        },
        weights: weight.map(|place| {
            let weight = |cell: &str| cell.parse().ok().filter(|weight: &f64| weight.is_finite() && *weight >= 0.0);
            column(place).map(|cell| weight(cell).unwrap_or(0.0)).collect()
        }),
        // A value that is no number becomes 0, which is refused as a probability.
        probabilities: probability.map(|place| column(place).map(|cell| cell.parse().unwrap_or(0.0)).collect()),
        arms: arm.map(|place| shown(place).map(str::to_owned).collect()),
        ..Respondents::default()
    };
    for (name, place) in attributes {
        let levels = shown(place).map(|cell| (!cell.is_empty()).then(|| cell.to_owned())).collect();
        respondents.attributes.insert(name, levels);
    }
    let by_item: BTreeMap<String, (Item, &Question)> = questions
        .iter()
        .flat_map(|question| question.items().into_iter().map(move |item| (item.name.clone(), (item, question))))
        .collect();
    let labels: BTreeMap<&str, Labels> =
        questions.iter().map(|question| (question.name.as_str(), Labels::new(question.choices()))).collect();
    for found in &mapping.matches {
        cancellation::check();
        let Some((item, question)) = by_item.get(&found.item) else { continue };
        let Some(labels) = labels.get(question.name.as_str()) else { continue };
        let mut refuse = |cell: &str, count: usize| {
            *unread.entry((item.name.clone(), cell.to_owned())).or_default() += count;
        };
        let answers = match (&item.kind, found.columns.as_slice()) {
            (ItemKind::Single { scale, .. }, [place, ..]) => {
                let options = Options::new(labels, table.value_labels.get(*place)).of_cells(column(*place));
                let value = |cell: &str| {
                    let label = table.label(*place, cell);
                    if let Some(recoded) = found.recoded(cell, label) {
                        return Some(recoded.value());
                    }
                    let value = match label {
                        // The label of 99 may be "refused". Only a range distinguishes labelled numbers from such
                        // values.
                        Some(label) if labels.is_empty() && *scale == Scale::Unbounded => label.parse().ok(),
                        _ if labels.is_empty() => cell.parse().ok(),
                        _ => options.position(&Cell::new(cell)).map(|choice| choice as f64 + 1.0),
                    };
                    value.filter(|value| scale.holds(*value)).map(Some)
                };
                let read = each(column(*place), value);
                read.unread(|cell, count| refuse(table.label(*place, cell).unwrap_or(cell), count));
                Column::Numbers(read.answers.into_iter().map(Option::flatten).collect())
            }
            (ItemKind::Multiple { labels }, places) if places.len() == labels.len() && places.len() > 1 => {
                Column::Selections(rows.iter().map(|row| chosen_by_column(table, row, places)).collect())
            }
            (ItemKind::Multiple { .. }, [place, ..]) => {
                let options = Options::new(labels, table.value_labels.get(*place));
                let selection = |cell: &str| match found.recoded(cell, table.label(*place, cell)) {
                    Some(recoded) => Some(recoded.selection()),
                    None => options.chosen_in(cell).map(Some),
                };
                let read = each(column(*place), selection);
                read.unread(|cell, count| refuse(table.label(*place, cell).unwrap_or(cell), count));
                Column::Selections(read.answers.into_iter().map(Option::flatten).collect())
            }
            (_, []) => continue,
        };
        respondents.answers.insert(item.name.clone(), answers);
    }
    let unread = unread.into_iter().map(|((name, cell), count)| Unread { name, cell, count }).collect();
    Reading { respondents, rows: places, has_ids: id.is_some(), unread, missing, personal }
}

/// The meaning of each cell of a column. `None` for a cell that is no answer.
struct CellsRead<'c, T> {
    answers: Vec<Option<T>>,
    /// Number of occurrences of each different cell that is no answer.
    refused: BTreeMap<&'c str, usize>,
}

impl<T> CellsRead<'_, T> {
    fn unread(&self, mut count: impl FnMut(&str, usize)) {
        let refused = self.refused.iter().filter(|(cell, _)| !cell.is_empty());
        refused.for_each(|(cell, times)| count(cell, *times));
    }
}

/// Reads each different cell once, because most columns have few.
fn each<'c, T: Clone>(cells: impl Iterator<Item = &'c str>, read: impl Fn(&'c str) -> Option<T>) -> CellsRead<'c, T> {
    let mut known: HashMap<&str, Option<T>> = HashMap::new();
    let mut all = CellsRead { answers: Vec::new(), refused: BTreeMap::new() };
    for cell in cells {
        let answer = known.entry(cell).or_insert_with(|| read(cell));
        if answer.is_none() {
            *all.refused.entry(cell).or_default() += 1;
        }
        all.answers.push(answer.clone());
    }
    all
}

/// Reads an answer from one column for each option: an option is chosen unless its cell is empty, 0, "no" or the like.
/// `None` if all cells are empty.
fn chosen_by_column(table: &Table, row: &[Arc<str>], places: &[usize]) -> Option<Vec<bool>> {
    if places.iter().all(|place| row[*place].is_empty()) {
        return None;
    }
    let says_no = |text: &str| NOT_CHOSEN.contains(&text.to_lowercase().as_str());
    Some(places.iter().map(|place| !says_no(&row[*place]) && !says_no(table.shown(row, *place))).collect())
}

/// The id in a cell. A whole number is written as such, because many programs write a column of ids as `1.0`.
pub(super) fn person_id(cell: &str) -> &str {
    let is_whole = |(whole, zeros): &(&str, &str)| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits(whole) && digits(zeros) && zeros.bytes().all(|byte| byte == b'0')
    };
    cell.split_once('.').filter(is_whole).map_or(cell, |(whole, _)| whole)
}
