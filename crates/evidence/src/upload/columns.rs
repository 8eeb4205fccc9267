use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::corrections::{CorrectionRefused, Corrections, Places, Recoded, choosable};
use super::normal;
use super::questions::{Question, QuestionKind, part_name};
use super::table::Table;

/// Columns that tell who or where a person is, which are never kept, in normal form.
const PERSONAL: [&str; 22] = [
    "email",
    "emailaddress",
    "externalreference",
    "externaldatareference",
    "firstname",
    "fullname",
    "ipaddress",
    "lastname",
    "latitude",
    "locationlatitude",
    "locationlongitude",
    "longitude",
    "mailaddress",
    "mobilenumber",
    "mobilephone",
    "phonenumber",
    "postaladdress",
    "recipientemail",
    "recipientfirstname",
    "recipientlastname",
    "streetaddress",
    "telephonenumber",
];

/// What Qualtrics writes of the interview itself, in normal form.
const INTERVIEW: [&str; 11] = [
    "startdate",
    "enddate",
    "status",
    "progress",
    "durationinseconds",
    "finished",
    "recordeddate",
    "responseid",
    "distributionchannel",
    "userlanguage",
    "consent",
];

pub(super) const NO_NAME: &str = "no name";
pub(super) const PERSONAL_DATA: &str = "personal data";
pub(super) const PERSON: &str = "the person's id";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchedBy {
    /// Somebody said so.
    Chosen,
    Name,
    /// The same but for case, spaces and separators.
    SimilarName,
    /// Qualtrics' id in the third row.
    ImportId,
    /// The question's text in the second row.
    Text,
}

/// The columns of an item: one, or one an option where several can be chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Match {
    pub item: String,
    /// Places in the table. Of an item with options: one for each option, or a single joined column.
    pub columns: Vec<usize>,
    pub by: MatchedBy,
    /// What cells were said to be, by the value or by its label.
    pub recodes: BTreeMap<String, Recoded>,
}

impl Match {
    pub(super) fn recoded(&self, cell: &str, label: Option<&str>) -> Option<&Recoded> {
        self.recodes.get(cell).or_else(|| self.recodes.get(label?))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dropped {
    pub column: String,
    pub reason: &'static str,
}

/// Which column is which item, with what is left on both sides.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Mapping {
    pub matches: Vec<Match>,
    pub unmatched_items: Vec<String>,
    pub unmatched_columns: Vec<String>,
    /// Columns that are no answers, with the reason.
    pub dropped: Vec<Dropped>,
    /// Columns that somebody may choose for an item, in the file's order.
    pub choosable: Vec<String>,
}

/// Matches by name, then by similar name, then by Qualtrics' id, then by text. A name that several columns share, or that
/// fits several only in its normal form, is not guessed at: the next way decides.
pub fn match_columns(questions: &[Question], table: &Table) -> Mapping {
    around(questions, table, Places::new())
}

/// Takes what was chosen and matches the rest. A column that was chosen for one item is no other's.
pub fn match_corrected(
    questions: &[Question],
    table: &Table,
    corrections: &Corrections,
) -> Result<Mapping, CorrectionRefused> {
    let mut recoded = corrections.recoded(questions)?;
    let mut mapping = around(questions, table, corrections.places(questions, table)?);
    for found in &mut mapping.matches {
        found.recodes = recoded.remove(&found.item).unwrap_or_default();
        if found.columns.len() > 1 && !found.recodes.is_empty() {
            let reason = "each option has a column of its own: there is no cell to recode".to_owned();
            return Err(CorrectionRefused { field: "recodes", item: found.item.clone(), reason });
        }
    }
    Ok(mapping)
}

fn around(questions: &[Question], table: &Table, mut chosen: Places) -> Mapping {
    let mut mapping = Mapping::default();
    let is_chosen: BTreeSet<usize> = chosen.values().flatten().copied().collect();
    let mut is_free: Vec<bool> = Vec::new();
    for (place, name) in table.names.iter().enumerate() {
        let reason = not_an_answer(table, place).filter(|_| !is_chosen.contains(&place));
        is_free.push(reason.is_none() && !is_chosen.contains(&place));
        if let Some(reason) = reason {
            mapping.dropped.push(Dropped { column: name.clone(), reason });
        }
    }
    for wanted in questions.iter().flat_map(wanted) {
        let found = match chosen.remove(&wanted.item) {
            Some(columns) => (!columns.is_empty()).then_some((columns, MatchedBy::Chosen)),
            None => find(&wanted, table, &is_free),
        };
        match found {
            Some((columns, by)) => {
                columns.iter().for_each(|column| is_free[*column] = false);
                mapping.matches.push(Match { item: wanted.item, columns, by, recodes: BTreeMap::new() });
            }
            None => mapping.unmatched_items.push(wanted.item),
        }
    }
    let left = table.names.iter().zip(&is_free).filter(|(_, is_free)| **is_free);
    mapping.unmatched_columns = left.map(|(name, _)| name.clone()).collect();
    mapping.choosable = choosable(table);
    mapping
}

/// Why a column is not looked at. Old files of Qualtrics call the address `V6` and say what it is by its label.
pub(super) fn not_an_answer(table: &Table, place: usize) -> Option<&'static str> {
    let of = |cells: &'_ [String]| cells.get(place).cloned().unwrap_or_default();
    let (name, label, import_id) = (&table.names[place], of(&table.labels), of(&table.import_ids));
    let normal = normal(name);
    let is_personal = |normal: &str| PERSONAL.contains(&normal);
    let timing = ["First Click", "Last Click", "Page Submit", "Click Count"];
    if name.is_empty() {
        Some(NO_NAME)
    } else if is_personal(&normal) || is_personal(&super::normal(&label)) {
        Some(PERSONAL_DATA)
    } else if normal == "personaid" {
        Some("the twin's number in its set")
    } else if INTERVIEW.contains(&normal.as_str()) {
        Some("about the interview")
    } else if name.contains("_DO_") || name.ends_with("_DO") || import_id.contains("_DO") {
        Some("order of display")
    } else if name.ends_with("_TEXT") {
        Some("text of an option")
    } else if timing.iter().any(|end| name.ends_with(end)) {
        Some("timing")
    } else if super::IDS.contains(&normal.as_str()) {
        Some(PERSON)
    } else {
        None
    }
}

/// An item with the names, ids and texts its columns can have: one list for each option, or one for all.
struct Wanted {
    item: String,
    whole: Spellings,
    options: Vec<Spellings>,
}

struct Spellings {
    name: String,
    import_id: Option<String>,
    text: String,
}

fn wanted(question: &Question) -> Vec<Wanted> {
    let numbered = |number: usize, label: &str| Spellings {
        name: part_name(&question.name, number),
        import_id: question.import_id.as_ref().map(|id| format!("{id}_{number}")),
        text: format!("{} - {label}", question.text),
    };
    let whole = || Spellings {
        name: question.name.clone(),
        import_id: question.import_id.clone(),
        text: question.text.clone(),
    };
    match &question.kind {
        QuestionKind::Matrix { rows, .. } if !rows.is_empty() => {
            let of_row = |(row, label): (usize, &String)| {
                let whole = numbered(row + 1, label);
                Wanted { item: whole.name.clone(), whole, options: Vec::new() }
            };
            rows.iter().enumerate().map(of_row).collect()
        }
        QuestionKind::Multiple { choices } => {
            // Qualtrics numbers an option's column by the option's code.
            let options =
                choices.iter().map(|choice| numbered(usize::try_from(choice.code).unwrap_or_default(), &choice.label));
            vec![Wanted { item: question.name.clone(), whole: whole(), options: options.collect() }]
        }
        _ => vec![Wanted { item: question.name.clone(), whole: whole(), options: Vec::new() }],
    }
}

fn find(wanted: &Wanted, table: &Table, is_free: &[bool]) -> Option<(Vec<usize>, MatchedBy)> {
    [MatchedBy::Name, MatchedBy::SimilarName, MatchedBy::ImportId, MatchedBy::Text].into_iter().find_map(|by| {
        let single = |spelling: &Spellings| only(spelling, by, table, is_free);
        let options: Vec<usize> = wanted.options.iter().filter_map(single).collect();
        if !options.is_empty() && options.len() == wanted.options.len() {
            return Some((options, by));
        }
        single(&wanted.whole).map(|column| (vec![column], by))
    })
}

/// The one free column that fits; `None` if there is none, or more than one.
fn only(wanted: &Spellings, by: MatchedBy, table: &Table, is_free: &[bool]) -> Option<usize> {
    let cell = |row: &[String], place: usize| row.get(place).map_or("", String::as_str).to_owned();
    let fits = |place: &usize| match by {
        MatchedBy::Chosen => false,
        MatchedBy::Name => table.names[*place] == wanted.name,
        MatchedBy::SimilarName => normal(&table.names[*place]) == normal(&wanted.name),
        MatchedBy::ImportId => wanted.import_id.as_ref().is_some_and(|id| cell(&table.import_ids, *place) == *id),
        MatchedBy::Text => {
            let (label, text) = (normal(&cell(&table.labels, *place)), normal(&wanted.text));
            !text.is_empty() && label == text
        }
    };
    let mut fitting = (0..table.names.len()).filter(|place| is_free[*place]).filter(fits);
    let first = fitting.next()?;
    fitting.next().is_none().then_some(first)
}
