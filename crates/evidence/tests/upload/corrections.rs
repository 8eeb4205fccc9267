//! Tests of columns and cells that somebody chose in place of those found.

use std::collections::BTreeMap;

use evidence::compare::Column;
use evidence::options::ComparisonOptions;
use evidence::upload::{
    CorrectionRefused, Mapping, MatchedBy, Reading, ReservedColumns, Table, match_columns, match_corrected, parse,
    respondents,
};

use super::{FILE, questions};

const SMALL: &[u8] = b"pid,fair,tidy,visits,Q3,IPAddress\n1,2,Agree,daily,Tea,x\n2,7,4,Never,Teas,y\n3,1,5,,none,z\n";

fn columns(named: &[(&str, &[&str])]) -> ComparisonOptions {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let columns = named.iter().map(|(item, names)| ((*item).to_owned(), owned(names))).collect();
    ComparisonOptions { matching: columns, ..ComparisonOptions::default() }
}

fn recodes(of: &[(&str, &str, Option<&str>)]) -> ComparisonOptions {
    let mut recodes: BTreeMap<String, BTreeMap<String, Option<String>>> = BTreeMap::new();
    for (item, cell, answer) in of {
        recodes.entry((*item).to_owned()).or_default().insert((*cell).to_owned(), answer.map(str::to_owned));
    }
    ComparisonOptions { recodes, ..ComparisonOptions::default() }
}

fn table(bytes: &[u8]) -> Table {
    parse(bytes, |_| false).unwrap()
}

fn corrected(bytes: &[u8], corrections: &ComparisonOptions) -> Result<(Mapping, Reading), CorrectionRefused> {
    let table = table(bytes);
    let mapping = match_corrected(&questions(), &table, corrections)?;
    let reading = respondents(&questions(), &table, &mapping, &ReservedColumns::default());
    Ok((mapping, reading))
}

fn found(mapping: &Mapping, item: &str) -> Option<(Vec<usize>, MatchedBy)> {
    let found = mapping.matches.iter().find(|found| found.item == item)?;
    Some((found.columns.clone(), found.by))
}

#[test]
fn nothing_said_changes_nothing() {
    let table = table(FILE);
    let mapping = match_corrected(&questions(), &table, &ComparisonOptions::default()).unwrap();
    assert_eq!(mapping, match_columns(&questions(), &table));
}

#[test]
fn what_was_chosen_is_taken_and_no_other_item_has_it() {
    // The column "fair" is chosen for another question.
    let (mapping, reading) = corrected(SMALL, &columns(&[("gone", &["fair"]), ("Q2_1", &["tidy"])])).unwrap();
    assert_eq!(found(&mapping, "gone"), Some((vec![1], MatchedBy::Chosen)));
    assert_eq!(found(&mapping, "Q2_1"), Some((vec![2], MatchedBy::Chosen)));
    assert_eq!(found(&mapping, "Fair"), None);
    assert_eq!(found(&mapping, "visits"), Some((vec![3], MatchedBy::Name)));
    assert!(mapping.unmatched_items.contains(&"Fair".to_owned()));
    assert_eq!(reading.respondents.answers["gone"], Column::Numbers(vec![Some(2.0), Some(7.0), Some(1.0)]));
    assert_eq!(reading.respondents.answers["Q2_1"], Column::Numbers(vec![Some(4.0), Some(4.0), Some(5.0)]));

    let (mapping, reading) = corrected(SMALL, &columns(&[("Fair", &[])])).unwrap();
    assert_eq!(found(&mapping, "Fair"), None);
    assert!(
        mapping.unmatched_columns.contains(&"fair".to_owned()) && !reading.respondents.answers.contains_key("Fair")
    );
}

#[test]
fn options_have_columns_of_their_own_in_the_order_of_the_choice() {
    let file = b"pid,other,tea,coffee\n1,1,0,0\n2,0,1,1\n";
    let (mapping, reading) = corrected(file, &columns(&[("Q3", &["tea", "coffee", "other"])])).unwrap();
    assert_eq!(found(&mapping, "Q3"), Some((vec![2, 3, 1], MatchedBy::Chosen)));
    let expected = vec![Some(vec![false, false, true]), Some(vec![true, true, false])];
    assert_eq!(reading.respondents.answers["Q3"], Column::Selections(expected));
}

#[test]
fn a_column_that_was_not_looked_at_can_be_chosen_but_never_a_personal_one() {
    let status = b"pid,Status,EndDate,twice,twice\n1,3,now,1,2\n";
    let (mapping, _) = corrected(status, &columns(&[("Fair", &["Status"])])).unwrap();
    assert_eq!(found(&mapping, "Fair"), Some((vec![1], MatchedBy::Chosen)));
    assert_eq!(mapping.dropped.iter().map(|of| of.column.as_str()).collect::<Vec<_>>(), ["pid", "EndDate"]);
    assert_eq!(mapping.choosable, ["Status", "EndDate"]);
}

#[test]
fn recoded_cells_are_what_was_said_and_no_longer_unread() {
    let said = recodes(&[
        ("visits", "daily", Some("Always")),
        ("visits", "", Some("2")),
        ("Fair", "7", None),
        ("Fair", "1", Some("1.5")),
        ("Q3", "Teas", Some("Tea, Coffee")),
    ]);
    let (mapping, reading) = corrected(SMALL, &said).unwrap();
    assert_eq!(found(&mapping, "visits"), Some((vec![3], MatchedBy::Name)));
    let answers = &reading.respondents.answers;
    assert_eq!(answers["visits"], Column::Numbers(vec![Some(3.0), Some(1.0), Some(2.0)]));
    assert_eq!(answers["Fair"], Column::Numbers(vec![Some(2.0), None, Some(1.5)]));
    let selections = vec![Some(vec![true, false, false]), Some(vec![true, true, false]), None];
    assert_eq!(answers["Q3"], Column::Selections(selections));
    let unread: Vec<_> = reading.unread.iter().map(|of| (of.name.as_str(), of.cell.as_str(), of.count)).collect();
    assert_eq!(unread, [("Q3", "none", 1)]);
}

#[test]
fn what_is_not_there_is_refused_by_its_place() {
    let refused = |corrections: &ComparisonOptions| corrected(SMALL, corrections).unwrap_err().to_string();
    let chosen = |named: &[(&str, &[&str])]| refused(&columns(named));
    assert_eq!(chosen(&[("Fair", &["X"])]), "matching.Fair: there is no column X");
    assert_eq!(chosen(&[("unfair", &["fair"])]), "matching.unfair: the survey has no such question to compare");
    assert_eq!(
        chosen(&[("Fair", &["fair"]), ("gone", &["fair"])]),
        "matching.gone: the column fair is taken by Fair already"
    );
    assert_eq!(chosen(&[("Fair", &["fair", "tidy"])]), "matching.Fair: it takes one column");
    assert_eq!(
        chosen(&[("Q3", &["fair", "tidy"])]),
        "matching.Q3: it takes one column, or one for each of its 3 options"
    );
    assert_eq!(
        chosen(&[("Fair", &["IPAddress"])]),
        "matching.Fair: the column IPAddress cannot be taken: personal data"
    );
    assert_eq!(chosen(&[("Fair", &["pid"])]), "matching.Fair: the column pid cannot be taken: the person's id");
    let recoded = |item: &str, answer: &str| refused(&recodes(&[(item, "x", Some(answer))]));
    assert_eq!(recoded("visits", "Hourly"), "recodes.visits: there is no option Hourly");
    assert_eq!(recoded("Q3", "Milk"), "recodes.Q3: there is no option Milk");
    assert_eq!(recoded("Fair", "8"), "recodes.Fair: 8 is no number that the question takes");
    assert_eq!(recoded("unfair", "8"), "recodes.unfair: the survey has no such question to compare");
    let twice = corrected(b"a,a\n1,2\n", &columns(&[("Fair", &["a"])])).unwrap_err();
    assert_eq!(twice.to_string(), "matching.Fair: several columns are called a");
    let by_option = corrected(FILE, &recodes(&[("Q3", "x", None)])).unwrap_err();
    assert_eq!(by_option.to_string(), "recodes.Q3: each option has a column of its own: there is no cell to recode");
}
