//! Files of people's answers, and of twins': which column is which item, which cell which value. What does not fit is
//! listed and counted, never guessed.

mod bytes;
mod cells;
mod columns;
mod corrections;
mod delimited;
mod display_orders;
mod dta;
mod encoding;
mod file;
mod options;
mod outcomes;
mod questions;
mod read;
mod sav;
mod stored;
mod table;

pub use columns::{Dropped, Mapping, Match, MatchedBy, match_columns, match_corrected};
pub use corrections::{CorrectionRefused, Corrections, Recoded};
pub use file::parse;
pub use outcomes::{Outcomes, read_outcomes};
pub use questions::{Choice, Question, QuestionKind, items, part_name};
pub use read::{Reading, Special, Unread, respondents};
pub use stored::kept_columns;
pub use table::{Table, Unreadable, UserMissing, ValueLabels};

/// Letters and digits only, in lower case and Unicode's compatibility form: how names and labels are compared when they
/// are not equal.
fn normal(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    text.nfkc().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Names of the column that says who it is, in normal form: the dataset's, the studies' and that of this product's files.
const IDS: [&str; 3] = ["pid", "twinid", "personapid"];
