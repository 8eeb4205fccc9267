use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::corrections::{CorrectionRefused, Places, Recoded, choosable, places, recoded};
use super::normal_forms::{NormalForm, normal_within};
use super::questions::{Question, QuestionKind, part_name};
use super::table::Table;
use crate::options::ComparisonOptions;

/// Names of columns with personal data, in normal form. They are never kept.
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

/// Names of Qualtrics' columns about the interview itself, in normal form.
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

/// Length of the longest name above and in [`super::IDS`], in bytes.
pub(super) const MAX_KNOWN_NAME_BYTES: usize = 21;

pub(super) const NO_NAME: &str = "no name";
pub(super) const PERSONAL_DATA: &str = "personal data";
pub(super) const PERSON: &str = "the person's id";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchedBy {
    /// The column was chosen by somebody.
    Chosen,
    Name,
    /// The names are equal regardless of case, spaces and separators.
    SimilarName,
    /// Qualtrics' id in the third row.
    ImportId,
    /// The question's text in the second row.
    Text,
}

/// The columns of an item: one, or one for each option if several can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    pub item: String,
    /// Positions in the table: one for each option, or a single joined column.
    pub columns: Vec<usize>,
    pub by: MatchedBy,
    /// The meanings of cells that somebody set, by the value or by its label.
    pub recodes: BTreeMap<String, Recoded>,
}

impl Match {
    pub(super) fn recoded(&self, cell: &str, label: Option<&str>) -> Option<&Recoded> {
        self.recodes.get(cell).or_else(|| self.recodes.get(label?))
    }
}

/// A column that is ignored, or not kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = DroppedColumn))]
pub struct Dropped {
    #[cfg_attr(feature = "openapi", schema(example = "IPAddress"))]
    pub column: String,
    pub reason: Cow<'static, str>,
}

/// The columns of each item, with what is left on both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mapping {
    pub matches: Vec<Match>,
    pub unmatched_items: Vec<String>,
    pub unmatched_columns: Vec<String>,
    /// Columns that are no answers, with the reason.
    pub dropped: Vec<Dropped>,
    /// Columns that can be chosen for an item, in the file's order.
    pub choosable: Vec<String>,
}

/// Matches columns by Qualtrics' id, then by name, then by similar name, then by text. A name that is ambiguous in one
/// way is left to the next.
pub fn match_columns(questions: &[Question], table: &Table) -> Mapping {
    around(questions, table, Places::new())
}

/// Applies the `matching` and the `recodes` of these options, and matches the rest. A column that was chosen for one
/// item is matched with no other.
pub fn match_corrected(
    questions: &[Question],
    table: &Table,
    options: &ComparisonOptions,
) -> Result<Mapping, CorrectionRefused> {
    let mut recoded = recoded(&options.recodes, questions)?;
    let mut mapping = around(questions, table, places(&options.matching, questions, table)?);
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
            mapping.dropped.push(Dropped { column: name.clone(), reason: reason.into() });
        }
    }
    let mut free = FreeColumns::new(table, &is_free);
    for wanted in questions.iter().flat_map(wanted) {
        cancellation::check();
        let found = match chosen.remove(&wanted.item) {
            Some(columns) => (!columns.is_empty()).then_some((columns, MatchedBy::Chosen)),
            None => free.find(&wanted),
        };
        match found {
            Some((columns, by)) => {
                for column in &columns {
                    is_free[*column] = false;
                    free.take(*column);
                }
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

/// Returns why a column is ignored, or `None`. Old files of Qualtrics call the IP address `V6`, so labels count too.
pub(super) fn not_an_answer(table: &Table, place: usize) -> Option<&'static str> {
    let (name, label, import_id) = (&table.names[place], cell(&table.labels, place), cell(&table.import_ids, place));
    // A text that is longer than all known names is none of them.
    let known = |text: &str| normal_within(text, MAX_KNOWN_NAME_BYTES).unwrap_or_default();
    let normal = known(name);
    let is_personal = |normal: &str| PERSONAL.contains(&normal);
    let timing = ["First Click", "Last Click", "Page Submit", "Click Count"];
    if name.is_empty() {
        Some(NO_NAME)
    } else if is_personal(&normal) || is_personal(&known(label)) {
        Some(PERSONAL_DATA)
    } else if normal == "personaid" {
        Some("the twin's number in its set")
    } else if INTERVIEW.contains(&normal.as_str()) && !is_of_question(import_id) {
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

/// Whether Qualtrics' id is that of a question, or of a question in a turn of a loop.
fn is_of_question(import_id: &str) -> bool {
    import_id.starts_with("QID") || import_id.split_once('_').is_some_and(|(_, id)| id.starts_with("QID"))
}

fn cell(row: &[String], place: usize) -> &str {
    row.get(place).map_or("", String::as_str)
}

/// A name by which a column or an option can be found.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Spelling {
    Name(String),
    SimilarName([u8; 32]),
    ImportId(String),
    Text([u8; 32]),
}

/// An item with the spellings that its columns can have: one list for each option, and one for all.
struct Wanted {
    item: String,
    whole: Spellings,
    options: Vec<Spellings>,
}

/// The ways to find a column, the surest first. `None` if the item has no such spelling.
type Spellings = [(MatchedBy, Option<Spelling>); 4];

fn spellings(name: String, import_id: Option<String>, text: &NormalForm) -> Spellings {
    let similar = NormalForm::new(&name).digest();
    // An id is sure: names can be changed, and numbers of rows in them are ids in some files and places in others.
    [
        (MatchedBy::ImportId, import_id.map(Spelling::ImportId)),
        (MatchedBy::Name, Some(Spelling::Name(name))),
        (MatchedBy::SimilarName, Some(Spelling::SimilarName(similar))),
        (MatchedBy::Text, (!text.is_empty()).then(|| Spelling::Text(text.digest()))),
    ]
}

fn wanted(question: &Question) -> Vec<Wanted> {
    let text = NormalForm::new(&question.text);
    // Without their ids, rows and options have the numbers of their places or codes.
    let numbered = |place: usize, number: usize, label: &str| {
        let part = match question.part_ids.get(place) {
            Some(id) => id.clone(),
            None => number.to_string(),
        };
        let import_id = question.import_id.as_ref().filter(|_| !part.is_empty()).map(|id| format!("{id}_{part}"));
        spellings(part_name(&question.name, number), import_id, &text.followed_by(label))
    };
    let whole = || spellings(question.name.clone(), question.import_id.clone(), &text);
    match &question.kind {
        QuestionKind::Matrix { rows, .. } if !rows.is_empty() => {
            let of_row = |(row, label): (usize, &String)| {
                let item = part_name(&question.name, row + 1);
                Wanted { item, whole: numbered(row, row + 1, label), options: Vec::new() }
            };
            rows.iter().enumerate().map(of_row).collect()
        }
        QuestionKind::Multiple { choices } => {
            // Qualtrics numbers an option's column by the option's code.
            let options = choices.iter().enumerate().map(|(place, choice)| {
                numbered(place, usize::try_from(choice.code).unwrap_or_default(), &choice.label)
            });
            vec![Wanted { item: question.name.clone(), whole: whole(), options: options.collect() }]
        }
        _ => vec![Wanted { item: question.name.clone(), whole: whole(), options: Vec::new() }],
    }
}

/// The columns that are not matched yet, by their spellings, which are computed once.
struct FreeColumns {
    places: HashMap<Spelling, BTreeSet<usize>>,
    /// The spellings of each column; empty if the column is taken.
    spellings: Vec<Vec<Spelling>>,
}

impl FreeColumns {
    fn new(table: &Table, is_free: &[bool]) -> Self {
        let mut columns = Self { places: HashMap::new(), spellings: Vec::with_capacity(is_free.len()) };
        for (place, is_free) in is_free.iter().enumerate() {
            let own = if *is_free {
                // The id of a question with a field for text ends with this word.
                let import_id = table.import_ids.get(place).filter(|id| !id.is_empty());
                let import_id = import_id.map(|id| id.strip_suffix("_TEXT").unwrap_or(id).to_owned());
                let label = NormalForm::new(cell(&table.labels, place));
                let all = spellings(table.names[place].clone(), import_id, &label);
                all.into_iter().filter_map(|(_, spelling)| spelling).collect()
            } else {
                Vec::new()
            };
            for spelling in &own {
                columns.places.entry(spelling.clone()).or_default().insert(place);
            }
            columns.spellings.push(own);
        }
        columns
    }

    fn find(&self, wanted: &Wanted) -> Option<(Vec<usize>, MatchedBy)> {
        (0..wanted.whole.len()).find_map(|way| {
            let single = |spellings: &Spellings| self.only(spellings[way].1.as_ref()?);
            let by = wanted.whole[way].0;
            let options: Vec<usize> = wanted.options.iter().filter_map(single).collect();
            if !options.is_empty() && options.len() == wanted.options.len() {
                return Some((options, by));
            }
            single(&wanted.whole).map(|column| (vec![column], by))
        })
    }

    /// Returns the only free column with this spelling. `None` if there is none, or more than one.
    fn only(&self, spelling: &Spelling) -> Option<usize> {
        let places = self.places.get(spelling).filter(|places| places.len() == 1)?;
        places.first().copied()
    }

    fn take(&mut self, place: usize) {
        for spelling in std::mem::take(&mut self.spellings[place]) {
            if let Some(places) = self.places.get_mut(&spelling) {
                places.remove(&place);
            }
        }
    }
}
