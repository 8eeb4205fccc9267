//! What a file says of itself in the place that its format has for notes.

use super::variables::FileVariable;
use super::{Absence, cut};
use crate::results::files::read_me;
use crate::results::run::Run;

/// The run's facts, what stands for a missing answer, and what had to be cut, each on one line.
pub fn of(run: &Run, value: impl Fn(Absence) -> String, cuts: impl IntoIterator<Item = String>) -> Vec<String> {
    let facts = read_me::facts(run).into_iter().map(|(label, value)| format!("{label}: {value}"));
    let failed = value(Absence::Failed);
    let missing = match run.plan {
        None => format!(
            "Missing values: {failed} where the answer failed or was refused; system-missing where a twin \
            was not asked yet. A failed text is empty."
        ),
        Some(_) => format!(
            "Missing values: {failed} where the answer failed or was refused; {} where the question was not shown to \
            the twin; system-missing where it stands in another arm, or the twin was not asked yet. A missing text is \
            empty.",
            value(Absence::Skipped)
        ),
    };
    facts.chain([missing]).chain(cuts).map(|note| cut::one_line(&note)).collect()
}

/// Says which variables have something that was cut; `None` where none has.
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
