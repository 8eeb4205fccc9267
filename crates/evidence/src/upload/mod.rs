//! Files of people's answers, and of twins': which column belongs to which item, and which cell is which value. What
//! does not fit is listed and counted, never guessed.

mod arms;
mod bytes;
mod cells;
mod columns;
mod corrections;
mod delimited;
mod display_orders;
mod dta;
mod encoding;
mod file;
mod normal_forms;
mod options;
mod outcomes;
mod questions;
mod read;
mod report;
mod sav;
mod stored;
mod table;

pub use arms::{
    AgreeingColumn, ArmValue, ArmsFoundBy, ChosenArms, Deals, KnownArm, MatchedArms, MatchedNode, RandomNode,
    UnmatchedNode, match_arms,
};
pub use columns::{Dropped, Mapping, Match, MatchedBy, match_columns, match_corrected};
pub use corrections::{CorrectionRefused, Recoded, score_as};
pub use file::parse;
pub use normal_forms::{SurveyTooLong, check_lengths};
pub use outcomes::{Outcomes, read_outcomes};
pub use questions::{Choice, Question, QuestionKind, ScoredAs, items, part_name};
pub use read::{Reading, ReservedColumns, Unread, respondents};
pub use report::{
    MatchedQuestion, ReadFile, ReadPeople, ReadRefused, ReadableQuestion, SurveyNodes, read, read_with_arms, table,
};
pub use stored::kept_columns;
pub use table::{Table, Unreadable, UserMissing, ValueLabels};

/// Names of the id column, in normal form: the dataset's, the studies' and that of this product's files.
const IDS: [&str; 3] = ["pid", "twinid", "personapid"];
