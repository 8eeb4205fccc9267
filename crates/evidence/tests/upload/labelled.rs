//! Tests of values with labels: which of the two is the answer.

use std::collections::BTreeMap;

use evidence::compare::Column;
use evidence::metrics::Scale;
use evidence::upload::{
    Question, QuestionKind, Reading, ReservedColumns, Table, UserMissing, ValueLabels, match_columns, respondents,
};

use super::{choices, question};

/// The survey of the people in the files.
pub fn survey() -> Vec<Question> {
    let mut used = choices(&["Tea", "Coffee", "Other"]);
    used[2].code = 4;
    let often = QuestionKind::Single { choices: choices(&["Never", "Often", "Always"]), is_ordered: true };
    vec![
        question("often", None, "How often do you go?", often),
        question("fair", None, "Fair?", QuestionKind::Number { scale: Scale::Interval { min: 1.0, max: 7.0 } }),
        question("pay", None, "How much would you pay?", QuestionKind::Number { scale: Scale::Unbounded }),
        question("Q3", None, "Which do you use?", QuestionKind::Multiple { choices: used }),
    ]
}

/// Reads the answers to a question from a column with its name and these labels. Returns them with the cells that are
/// no answer.
fn read(name: &str, labels: &[(&str, &str)], missing: &[&str], cells: &[&str]) -> (Column, Vec<(String, usize)>) {
    let labels: BTreeMap<_, _> = labels.iter().map(|(value, label)| ((*value).into(), (*label).into())).collect();
    let missing = UserMissing { values: missing.iter().map(|value| (*value).into()).collect(), range: None };
    let table = Table {
        names: vec![name.into()],
        rows: cells.iter().map(|cell| vec![(*cell).into()]).collect(),
        value_labels: vec![ValueLabels { labels: labels.into(), missing }],
        ..Table::default()
    };
    let mapping = match_columns(&survey(), &table);
    let Reading { respondents, unread, .. } = respondents(&survey(), &table, &mapping, &ReservedColumns::default());
    (respondents.answers[name].clone(), unread.into_iter().map(|of| (of.cell, of.count)).collect())
}

fn numbers(values: &[Option<f64>]) -> Column {
    Column::Numbers(values.to_vec())
}

#[test]
fn a_label_of_an_option_is_taken_whatever_its_value() {
    let own = [("0", "Never"), ("1", "often"), ("2", "Always")];
    let (answers, unread) = read("often", &own, &[], &["0", "1", "2", ""]);
    assert_eq!((answers, unread), (numbers(&[Some(1.0), Some(2.0), Some(3.0), None]), vec![]));
}

#[test]
fn a_code_is_taken_where_the_labels_are_no_options_but_the_values_are_the_codes() {
    let translated = [("1", "Nie"), ("2", "Oft"), ("3", "Immer"), ("99", "weiß nicht")];
    let (answers, unread) = read("often", &translated, &["99"], &["1", "3", ""]);
    assert_eq!((answers, unread), (numbers(&[Some(1.0), Some(3.0), None]), vec![]));
    // Only the ends of the scale have labels.
    let (answers, unread) = read("often", &[("1", "At no time"), ("3", "At all times")], &[], &["1", "2", "3"]);
    assert_eq!((answers, unread), (numbers(&[Some(1.0), Some(2.0), Some(3.0)]), vec![]));
}

#[test]
fn a_code_of_the_files_own_is_no_answer() {
    // The file's 1 is not the survey's 1, because 0 is a value too.
    let other = [("0", "Nie"), ("1", "Oft"), ("2", "Immer")];
    let (answers, unread) = read("often", &other, &[], &["0", "1", "1"]);
    assert_eq!(answers, numbers(&[None, None, None]));
    assert_eq!(unread, [("Nie".to_owned(), 1), ("Oft".to_owned(), 2)]);
    // The file's 3 is "Never", so its 1 is not the survey's, with or without a label.
    let reversed = [("3", "Never"), ("1", "All the time")];
    let (answers, unread) = read("often", &reversed, &[], &["3", "1", "2"]);
    assert_eq!(answers, numbers(&[Some(1.0), None, None]));
    assert_eq!(unread, [("2".to_owned(), 1), ("All the time".to_owned(), 1)]);
}

#[test]
fn a_number_with_a_label_is_a_number_only_within_a_range() {
    let (answers, unread) = read("fair", &[("1", "Not at all"), ("99", "Refused")], &[], &["1", "4", "99"]);
    assert_eq!(answers, numbers(&[Some(1.0), Some(4.0), None]));
    assert_eq!(unread, [("Refused".to_owned(), 1)]);
    let (answers, unread) = read("pay", &[("99", "Refused"), ("5", "5")], &[], &["99", "98", "5"]);
    assert_eq!(answers, numbers(&[None, Some(98.0), Some(5.0)]));
    assert_eq!(unread, [("Refused".to_owned(), 1)]);
}

#[test]
fn several_answers_in_one_column_are_read_by_label_too() {
    let (answers, unread) = read("Q3", &[("7", "Coffee"), ("8", "Beer")], &[], &["7", "8", ""]);
    assert_eq!(answers, Column::Selections(vec![Some(vec![false, true, false]), None, None]));
    assert_eq!(unread, [("Beer".to_owned(), 1)]);
}

#[test]
fn a_range_of_missing_values_has_both_of_its_ends() {
    let missing = UserMissing { range: Some((-9.0, -1.0)), values: vec!["99".into()] };
    let held: Vec<bool> = ["-9", "-1", "-5.5", "0", "99", "", "x"].iter().map(|cell| missing.holds(cell)).collect();
    assert_eq!(held, [true, true, true, false, true, false, false]);
}
