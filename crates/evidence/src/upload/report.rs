//! A file of answers read in one step, with a report of how it was read.

use serde::Serialize;

use super::arms::{MatchedArms, RandomNode, UnmatchedNode, match_arms};
use super::columns::{Dropped, Mapping, MatchedBy, match_corrected};
use super::corrections::CorrectionRefused;
use super::file::parse;
use super::normal_forms::{SurveyTooLong, check_lengths};
use super::questions::{Question, items};
use super::read::{Reading, ReservedColumns, Unread, respondents};
use super::table::{Table, Unreadable};
use crate::compare::{Item, ItemKind};
use crate::options::ComparisonOptions;

/// Reasons why answers cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReadRefused {
    #[error(transparent)]
    File(#[from] Unreadable),
    #[error(transparent)]
    Survey(#[from] SurveyTooLong),
    #[error(transparent)]
    Correction(#[from] CorrectionRefused),
    /// A chosen column does not exist, or holds personal data.
    #[error("{0}")]
    Column(String),
}

impl ReadRefused {
    /// Returns the reason as a sentence, for a file with this name.
    pub fn of_file(&self, name: &str) -> String {
        match self {
            Self::File(_) | Self::Column(_) => format!("{name}: {self}"),
            Self::Survey(_) | Self::Correction(_) => self.to_string(),
        }
    }
}

/// Answers and a report of how they were read.
#[derive(Debug)]
pub struct ReadPeople {
    /// All questions that can be compared.
    pub questions: Vec<Question>,
    /// Names of the table's columns.
    pub columns: Vec<String>,
    pub mapping: Mapping,
    pub reading: Reading,
    /// The columns of the survey's random nodes.
    pub arms: MatchedArms,
}

/// The random nodes of a survey, with and without arms.
#[derive(Clone, Copy, Debug, Default)]
pub struct SurveyNodes<'a> {
    pub with_arms: &'a [RandomNode],
    pub without: &'a [UnmatchedNode],
}

/// Reads the table of a file: CSV, SPSS or Stata. The texts of these questions identify a row of labels.
pub fn table(bytes: &[u8], questions: &[Question]) -> Result<Table, Unreadable> {
    parse(bytes, |cell| questions.iter().any(|question| !question.text.is_empty() && question.text == cell))
}

/// Reads the answers of a table to these questions, matched and recoded by the options. Fails if a column does not
/// exist or may not be read.
pub fn read(
    table: &Table,
    questions: &[Question],
    reserved: &ReservedColumns,
    options: &ComparisonOptions,
) -> Result<ReadPeople, ReadRefused> {
    check_lengths(questions)?;
    let mapping = match_corrected(questions, table, options)?;
    let reading = respondents(questions, table, &mapping, reserved);
    match reading.refusal() {
        Some(reason) => Err(ReadRefused::Column(reason)),
        None => Ok(ReadPeople {
            questions: questions.to_vec(),
            columns: table.names.clone(),
            mapping,
            reading,
            arms: MatchedArms::default(),
        }),
    }
}

/// Reads the answers of a table as [`read`] does, and the arms of these nodes. `options.arm` is a column, or the name of a
/// node with arms.
pub fn read_with_arms(
    table: &Table,
    questions: &[Question],
    nodes: SurveyNodes<'_>,
    reserved: &ReservedColumns,
    options: &ComparisonOptions,
) -> Result<ReadPeople, ReadRefused> {
    let refused = |(item, reason)| CorrectionRefused { field: "arms", item, reason };
    let mut arms = match_arms(nodes.with_arms, table, &options.arms).map_err(refused)?;
    arms.unmatched.extend(nodes.without.iter().cloned());
    let node = options.arm.as_deref().and_then(|name| arms.node(name)).map(|node| node.node.clone());
    let arm = reserved.arm.clone().filter(|_| node.is_none());
    let mut read = read(table, questions, &ReservedColumns { arm, ..reserved.clone() }, options)?;
    let reading = &mut read.reading;
    for node in &arms.matched {
        let of_rows = reading.rows.iter().filter_map(|row| node.of_rows.get(*row).cloned()).collect();
        reading.respondents.experiments.insert(node.node.clone(), of_rows);
    }
    if let Some(node) = &node {
        reading.respondents.take_arms(node);
    }
    arms.compared = node;
    read.arms = arms;
    Ok(read)
}

/// The columns of a question in the file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MatchedQuestion {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub name: String,
    pub columns: Vec<String>,
    /// How the column was found: `chosen`, `name`, `similar_name`, `import_id` or `text`.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub by: MatchedBy,
}

/// A question of the survey to which people's answers can be matched.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReadableQuestion {
    #[cfg_attr(feature = "openapi", schema(example = "fair"))]
    pub name: String,
    pub text: String,
    /// Its options; empty if its answers are numbers.
    pub options: Vec<String>,
    pub has_several_answers: bool,
}

impl From<Item> for ReadableQuestion {
    fn from(Item { name, text, kind, .. }: Item) -> Self {
        let (options, has_several_answers) = match kind {
            ItemKind::Single { labels, .. } => (labels, false),
            ItemKind::Multiple { labels } => (labels, true),
        };
        Self { name, text, options, has_several_answers }
    }
}

/// How the file was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReadFile {
    pub questions: Vec<ReadableQuestion>,
    /// Columns that `matching` can choose, in the file's order.
    pub columns: Vec<String>,
    pub matched: Vec<MatchedQuestion>,
    pub unmatched_questions: Vec<String>,
    pub unmatched_columns: Vec<String>,
    /// Columns that are ignored, or not kept.
    pub dropped: Vec<Dropped>,
    pub unread: Vec<Unread>,
    /// The columns of the survey's random nodes, and the nodes whose arms nobody can be placed in, with the reason.
    pub arms: MatchedArms,
}

impl From<&ReadPeople> for ReadFile {
    fn from(ReadPeople { questions, columns, mapping, reading, arms }: &ReadPeople) -> Self {
        let matched = mapping.matches.iter().map(|found| MatchedQuestion {
            name: found.item.clone(),
            columns: found.columns.iter().filter_map(|place| columns.get(*place).cloned()).collect(),
            by: found.by,
        });
        Self {
            questions: items(questions).into_iter().map(ReadableQuestion::from).collect(),
            columns: mapping.choosable.clone(),
            matched: matched.collect(),
            unmatched_questions: mapping.unmatched_items.clone(),
            unmatched_columns: mapping.unmatched_columns.clone(),
            dropped: mapping.dropped.clone(),
            unread: reading.unread.clone(),
            arms: arms.clone(),
        }
    }
}
