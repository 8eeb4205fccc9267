//! The most similar of several names.

use crate::upload::normal_forms::normal_within;

/// Length of the longest name or value that is compared in normal form, in bytes.
const MAX_FORM_BYTES: usize = 16_384;
/// Longest name that is compared letter by letter, in letters.
const MAX_LETTERS: usize = 64;

/// Returns the normal form of a name or value, which is the text itself if it is very long.
pub(super) fn form(text: &str) -> String {
    normal_within(text, MAX_FORM_BYTES).filter(|form| !form.is_empty()).unwrap_or_else(|| text.to_owned())
}

/// Returns the name that differs least from one of the wanted ones: in at most a third of its letters.
pub(super) fn nearest<'n>(wanted: &[&str], names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let letters = |text: &str| form(text).chars().take(MAX_LETTERS).collect::<Vec<_>>();
    let wanted: Vec<Vec<char>> = wanted.iter().map(|text| letters(text)).collect();
    let differing = |name: &'n str| {
        let name_letters = letters(name);
        let closest = wanted.iter().map(|text| (distance(text, &name_letters), text.len().max(name_letters.len())));
        let (edits, of) = closest.min()?;
        (edits * 3 <= of).then_some((edits, name))
    };
    names.filter_map(differing).min().map(|(_, name)| name)
}

/// Number of letters to insert, remove or replace (Levenshtein 1966).
fn distance(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (place, letter) in from.iter().enumerate() {
        let mut diagonal = place;
        row[0] = place + 1;
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_differs_in_few_letters() {
        let names = ["FL_6_DO", "condition", "Segment"];
        let of = |wanted: &str| nearest(&[wanted], names.into_iter());
        assert_eq!(of("Conditions"), Some("condition"));
        assert_eq!(of("segmnet"), Some("Segment"));
        assert_eq!(of("price"), None);
    }
}
