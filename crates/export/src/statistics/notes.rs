//! The notes of a file.

use super::cut;
use super::description::{Absence, TableDescription};
use super::variables::FileVariable;

/// Collects the facts, how missing answers are written, and what had to be cut, each on one line.
pub fn collect(
    about: &TableDescription,
    value: impl Fn(Absence) -> String,
    cuts: impl IntoIterator<Item = String>,
) -> Vec<String> {
    let facts = about.facts.iter().map(|(label, value)| format!("{label}: {value}"));
    let failed = value(Absence::Failed);
    let missing = match about.has_design {
        false => format!(
            "Missing values: {failed} where the answer failed or was refused; system-missing where a twin \
            was not asked yet. A failed text is empty."
        ),
        true => format!(
            "Missing values: {failed} where the answer failed or was refused; {} where the question was not shown to \
            the twin; system-missing where it stands in another arm, or the twin was not asked yet. A missing text is \
            empty.",
            value(Absence::Skipped)
        ),
    };
    facts.chain([missing]).chain(cuts).map(|note| cut::one_line(&note)).collect()
}

/// Names the variables that have something that was cut; `None` where none has.
pub fn cut_in(
    variables: &[FileVariable],
    what: &str,
    bytes: usize,
    is_cut: impl Fn(&FileVariable) -> bool,
    whole_in: &str,
) -> Option<String> {
    let names: Vec<&str> = variables.iter().filter(|each| is_cut(each)).map(|each| each.name.as_str()).collect();
    (!names.is_empty())
        .then(|| format!("{what} cut to {bytes} bytes, which {whole_in} has whole: {}", names.join(", ")))
}
