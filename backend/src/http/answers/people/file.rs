//! How a file of people's answers was read.

use evidence::compare::ItemKind;
use evidence::upload::{self, MatchedBy};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::results::people::ReadPeople;

/// Which columns of the file a question has.
#[derive(Debug, Serialize, ToSchema)]
struct MatchedQuestion {
    #[schema(example = "fair")]
    name: String,
    columns: Vec<String>,
    /// How it was found: `chosen`, `name`, `similar_name`, `import_id` or `text`.
    by: &'static str,
}

/// A question of the survey that people's answers are read to.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ReadableQuestion {
    #[schema(example = "fair")]
    name: String,
    text: String,
    /// Empty: its answers are numbers.
    options: Vec<String>,
    has_several_answers: bool,
}

impl From<evidence::compare::Item> for ReadableQuestion {
    fn from(evidence::compare::Item { name, text, kind }: evidence::compare::Item) -> Self {
        let (options, has_several_answers) = match kind {
            ItemKind::Single { labels, .. } => (labels, false),
            ItemKind::Multiple { labels } => (labels, true),
        };
        Self { name, text, options, has_several_answers }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub(in crate::http) struct DroppedColumn {
    #[schema(example = "IPAddress")]
    pub column: String,
    pub reason: String,
}

/// Cells of the file that are no answer to their question; they count as missing.
#[derive(Debug, Serialize, ToSchema)]
struct UnreadCells {
    name: String,
    cell: String,
    count: usize,
}

/// How the file was read.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::http) struct ReadFile {
    questions: Vec<ReadableQuestion>,
    /// Columns that `matching` can choose, in the file's order.
    columns: Vec<String>,
    matched: Vec<MatchedQuestion>,
    unmatched_questions: Vec<String>,
    unmatched_columns: Vec<String>,
    /// Not looked at.
    dropped: Vec<DroppedColumn>,
    unread: Vec<UnreadCells>,
}

impl ReadFile {
    /// With columns that are not kept.
    pub fn without(mut self, dropped: Vec<DroppedColumn>) -> Self {
        self.dropped.extend(dropped);
        self
    }
}

impl From<&ReadPeople> for ReadFile {
    fn from(ReadPeople { questions, columns, mapping, reading }: &ReadPeople) -> Self {
        let matched = mapping.matches.iter().map(|found| MatchedQuestion {
            name: found.item.clone(),
            columns: found.columns.iter().filter_map(|place| columns.get(*place).cloned()).collect(),
            by: match found.by {
                MatchedBy::Chosen => "chosen",
                MatchedBy::Name => "name",
                MatchedBy::SimilarName => "similar_name",
                MatchedBy::ImportId => "import_id",
                MatchedBy::Text => "text",
            },
        });
        let dropped = mapping.dropped.iter();
        let unread = reading.unread.iter();
        Self {
            questions: upload::items(questions).into_iter().map(ReadableQuestion::from).collect(),
            columns: mapping.choosable.clone(),
            matched: matched.collect(),
            unmatched_questions: mapping.unmatched_items.clone(),
            unmatched_columns: mapping.unmatched_columns.clone(),
            dropped: dropped
                .map(|of| DroppedColumn { column: of.column.clone(), reason: of.reason.to_owned() })
                .collect(),
            unread: unread
                .map(|of| UnreadCells { name: of.item.clone(), cell: of.cell.clone(), count: of.count })
                .collect(),
        }
    }
}
