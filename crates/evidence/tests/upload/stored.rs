//! Tests that the stored part of a file reads like the file.

use std::collections::BTreeMap;
use std::sync::Arc;

use evidence::upload::{
    Mapping, Reading, ReservedColumns, Table, UserMissing, ValueLabels, kept_columns, match_columns, parse, respondents,
};

use super::{FILE, labelled, questions};

/// Returns the reading of the file and of its stored part.
fn both(
    questions: &[evidence::upload::Question],
    table: &Table,
    special: &ReservedColumns,
) -> ([Reading; 2], Table, Vec<(String, String)>) {
    let mapping = match_columns(questions, table);
    let (kept, dropped) = kept_columns(questions, table, &mapping, special);
    let again = Table::from_json(&table.to_json(&kept).expect("JSON")).expect("a table");
    let read = |table: &Table, mapping: &Mapping| respondents(questions, table, mapping, special);
    let readings = [read(table, &mapping), read(&again, &match_columns(questions, &again))];
    (readings, again, dropped.into_iter().map(|of| (of.column, of.reason.into_owned())).collect())
}

#[test]
fn columns_that_count_are_kept_and_read_as_before() {
    let table = parse(FILE, |_| false).unwrap();
    let special =
        ReservedColumns { arm: Some("cond".into()), attributes: vec!["Age".into()], ..ReservedColumns::default() };
    let ([file, kept], again, dropped) = both(&questions(), &table, &special);
    assert_eq!((kept.respondents, kept.unread), (file.respondents, file.unread));
    // `w` was not chosen, but has numbers, as an answer could have; the comments are no answer.
    assert_eq!(
        again.names,
        ["fair", "Q2_1", "Q2_2", "Q3_1", "Q3_2", "Q3_4", "Q7", "Q7", "Age", "w", "cond", "TWIN_ID"]
    );
    let reasons: Vec<&str> = dropped.iter().map(|(_, reason)| reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "about the interview",
            "personal data",
            "text of an option",
            "order of display",
            "order of display",
            "timing",
            "no answer to a question of the survey, and not chosen",
        ]
    );
}

#[test]
fn labels_of_values_and_missing_ranges_are_kept() {
    let labels = BTreeMap::from([("1".to_owned(), "Always".to_owned()), ("-9".to_owned(), "refused".to_owned())]);
    let missing = UserMissing { range: Some((f64::NEG_INFINITY, -1.0)), values: vec!["99".to_owned()] };
    let often = ValueLabels { labels: Arc::new(labels), missing };
    let row = |cells: [&str; 3]| cells.map(Arc::from).to_vec();
    let table = Table {
        names: ["often", "pid", "city"].map(str::to_owned).to_vec(),
        rows: vec![row(["1", "a", "Rome"]), row(["", "b", "Oslo"]), row(["", "", "Bern"])],
        value_labels: vec![often.clone(), ValueLabels::default(), ValueLabels::default()],
        ..Table::default()
    };
    let ([file, kept], again, dropped) = both(&labelled::survey(), &table, &ReservedColumns::default());
    assert_eq!(again.value_labels[0], often);
    assert_eq!(kept.respondents, file.respondents);
    assert_eq!(again.rows.len(), 2, "of the third row nothing is kept");
    assert_eq!(dropped, [("city".to_owned(), "no answer to a question of the survey, and not chosen".to_owned())]);
}

/// Columns with unknown words are kept if many rows share them, because they may be recoded.
#[test]
fn closed_columns_are_kept_and_addresses_never() {
    let row = |n: usize| format!("{n},{},{},{}@mail.example\n", ["never", "always"][n % 2], n % 7, n);
    let file = format!("pid,paid,group,contact\n{}", (0..40).map(row).collect::<String>());
    let table = parse(file.as_bytes(), |_| false).unwrap();
    let special = ReservedColumns { id: None, arm: Some("contact".into()), ..ReservedColumns::default() };
    let mapping = match_columns(&labelled::survey(), &table);
    let (kept, dropped) = kept_columns(&labelled::survey(), &table, &mapping, &special);
    assert_eq!(kept, [0, 1, 2]);
    assert_eq!((dropped[0].column.as_str(), &*dropped[0].reason), ("contact", "personal data"));
}
