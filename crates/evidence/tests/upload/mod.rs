mod arms;
mod corrections;
mod damaged;
mod hostile;
mod labelled;
mod statistics_files;
mod stored;

use evidence::compare::Column;
use evidence::metrics::Scale;
use evidence::upload::{
    Choice, Mapping, MatchedBy, Question, QuestionKind, Reading, ReservedColumns, Table, Unreadable, match_columns,
    parse, read_outcomes, respondents,
};

const FILE: &[u8] = include_bytes!("../fixtures/response.csv");

fn choices(labels: &[&str]) -> Vec<Choice> {
    labels.iter().zip(1..).map(|(label, code)| Choice { label: (*label).into(), code }).collect()
}

fn question(name: &str, id: Option<&str>, text: &str, kind: QuestionKind) -> Question {
    Question { name: name.into(), import_id: id.map(Into::into), part_ids: Vec::new(), text: text.into(), kind }
}

fn questions() -> Vec<Question> {
    let agree = choices(&["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]);
    let mut used = choices(&["Tea", "Coffee", "Other"]);
    used[2].code = 4;
    let seven = Scale::Interval { min: 1.0, max: 7.0 };
    vec![
        question("Fair", None, "How fair is it?", QuestionKind::Number { scale: seven }),
        question(
            "Q2",
            None,
            "Agree?",
            QuestionKind::Matrix { rows: vec!["Tidy".into(), "Neat".into()], choices: agree, is_ordered: true },
        ),
        question("Q3", None, "Which do you use?", QuestionKind::Multiple { choices: used }),
        question("Q7", Some("QID7"), "How much would you pay?", QuestionKind::Number { scale: Scale::Unbounded }),
        question(
            "visits",
            None,
            "How often do you go?",
            QuestionKind::Single { choices: choices(&["Never", "Often", "Always"]), is_ordered: true },
        ),
        question("gone", None, "Never asked", QuestionKind::Number { scale: seven }),
    ]
}

fn read(special: &ReservedColumns) -> (Table, Mapping, Reading) {
    let table = parse(FILE, |_| false).unwrap();
    let mapping = match_columns(&questions(), &table);
    let reading = respondents(&questions(), &table, &mapping, special);
    (table, mapping, reading)
}

#[test]
fn columns_are_matched_by_name_id_and_text_and_the_rest_is_listed() {
    let (table, mapping, _) = read(&ReservedColumns::default());
    assert_eq!((table.names.len(), table.rows.len()), (19, 4));
    let by: Vec<_> = mapping.matches.iter().map(|found| (found.item.as_str(), &found.columns[..], found.by)).collect();
    assert_eq!(
        by,
        [
            ("Fair", &[2][..], MatchedBy::SimilarName),
            ("Q2_1", &[3], MatchedBy::Name),
            ("Q2_2", &[4], MatchedBy::Name),
            ("Q3", &[5, 6, 7], MatchedBy::Name),
            // Two columns have the name Q7, so Qualtrics' id decides.
            ("Q7", &[12], MatchedBy::ImportId),
            ("visits", &[13], MatchedBy::Text),
        ]
    );
    assert_eq!(mapping.unmatched_items, ["gone"]);
    assert_eq!(mapping.unmatched_columns, ["Age", "w", "cond", "comments"]);
    let dropped: Vec<_> = mapping.dropped.iter().map(|dropped| (dropped.column.as_str(), &*dropped.reason)).collect();
    assert_eq!(
        dropped,
        [
            ("StartDate", "about the interview"),
            ("IPAddress", "personal data"),
            ("Q3_4_TEXT", "text of an option"),
            ("Q2_DO_1", "order of display"),
            ("Q2_DO_2", "order of display"),
            ("Q9_First Click", "timing"),
            ("TWIN_ID", "the person's id"),
        ]
    );
}

#[test]
fn a_column_is_personal_by_its_label_too() {
    let table = parse(b"V6,V7\nIP Address,Never asked\n1.2.3.4,5\n", |text| text == "Never asked").unwrap();
    let mapping = match_columns(&questions(), &table);
    assert_eq!((mapping.dropped[0].column.as_str(), &*mapping.dropped[0].reason), ("V6", "personal data"));
    assert_eq!((mapping.dropped.len(), mapping.matches[0].columns.as_slice()), (1, &[1][..]));
}

#[test]
fn cells_become_values_by_label_or_code_and_the_rest_is_counted() {
    let special = ReservedColumns {
        weight: Some("w".into()),
        arm: Some("cond".into()),
        attributes: vec!["Age".into(), "Region".into()],
        ..ReservedColumns::default()
    };
    let (_, _, Reading { respondents, has_ids, unread, missing, .. }) = read(&special);
    // The fourth row has no id.
    assert!(has_ids);
    assert_eq!(respondents.ids, ["101", "102", "103"]);
    assert_eq!(respondents.weights, Some(vec![1.0, 2.0, 1.0]));
    assert_eq!(respondents.arms, Some(vec!["control".into(), "treated".into(), "control".into()]));
    assert_eq!(respondents.attributes["Age"], [Some("30-49".into()), Some("50+".into()), None]);
    assert_eq!(missing, ["Region"]);
    let numbers = |values: [Option<f64>; 3]| Column::Numbers(values.to_vec());
    assert_eq!(respondents.answers["Fair"], numbers([Some(3.0), Some(1.0), Some(7.0)]));
    assert_eq!(respondents.answers["Q2_1"], numbers([Some(1.0), Some(5.0), Some(2.0)]));
    assert_eq!(respondents.answers["Q2_2"], numbers([Some(5.0), Some(5.0), Some(2.0)]));
    assert_eq!(respondents.answers["Q7"], numbers([Some(12.5), Some(100.0), None]));
    let chosen = Column::Selections(vec![Some(vec![true, false, false]), None, Some(vec![true, true, true])]);
    assert_eq!(respondents.answers["Q3"], chosen);
    assert_eq!(
        unread.iter().map(|u| (u.name.as_str(), u.cell.as_str(), u.count)).collect::<Vec<_>>(),
        [("Q7", "a lot", 1)]
    );
}

#[test]
fn joined_cells_may_have_commas_in_their_labels() {
    let several =
        [question("use", None, "", QuestionKind::Multiple { choices: choices(&["Tea, green", "Tea", "Milk"]) })];
    let table = parse(b"pid;use\n1;\"Tea, green,Milk\"\n2;2,3\n3;Beer\n4;\n", |_| false).unwrap();
    let mapping = match_columns(&several, &table);
    let reading = respondents(&several, &table, &mapping, &ReservedColumns::default());
    let expected = vec![Some(vec![true, false, true]), Some(vec![false, true, true]), None, None];
    assert_eq!(reading.respondents.answers["use"], Column::Selections(expected));
    assert_eq!(reading.unread[0].cell, "Beer");
}

#[test]
fn files_of_other_forms_are_read_or_refused_with_the_row() {
    let tabs = parse("\u{feff}a\tb\n\"x\ny\"\t2\n\n".as_bytes(), |_| false).unwrap();
    assert_eq!((tabs.names, tabs.rows), (vec!["a".into(), "b".into()], vec![vec!["x\ny".into(), "2".into()]]));
    let labels = parse(b"a,b\nHow?,Why?\n1,2\n", |text| text == "Why?").unwrap();
    assert_eq!((labels.labels.len(), labels.rows.len()), (2, 1));
    assert_eq!(parse(b"", |_| false), Err(Unreadable::Empty));
    assert_eq!(parse(b"\xff\xfea", |_| false), Err(Unreadable::NotUtf8));
    assert!(matches!(parse(b"a,b\n1,2\n1,2,3\n", |_| false), Err(Unreadable::Row { row: 3, .. })));
    let without = parse(b"fair\n1\n2\n", |_| false).unwrap();
    let mapping = match_columns(&questions(), &without);
    let reading = respondents(&questions(), &without, &mapping, &ReservedColumns::default());
    assert!(!reading.has_ids);
    assert_eq!(reading.respondents.ids, ["row 1", "row 2"]);
}

#[test]
fn whole_numbers_are_one_id_however_they_are_written() {
    let table = parse(b"TWIN_ID,fair\n1.0,1\n12.00,2\n7,1\n1.5,2\nA.0,1\n.0,2\n3.,1\n", |_| false).unwrap();
    let mapping = match_columns(&questions(), &table);
    let reading = respondents(&questions(), &table, &mapping, &ReservedColumns::default());
    assert_eq!(reading.respondents.ids, ["1", "12", "7", "1.5", "A.0", ".0", "3."]);
    let long = b"TWIN_ID,variable_name,value,respondent_type\n1.0,fair,2,human\n1,fair,3,twin\n";
    let outcomes = read_outcomes(&parse(long, |_| false).unwrap()).unwrap();
    assert_eq!((outcomes.people.ids, outcomes.twins.ids), (vec!["1".to_owned()], vec!["1".to_owned()]));
}

#[test]
fn a_long_file_that_contradicts_itself_is_refused_with_the_row() {
    let read = |text: &str| read_outcomes(&parse(text.as_bytes(), |_| false).unwrap());
    let head = "TWIN_ID,variable_name,value,respondent_type\n1,fair,2,human\n";
    let refused = |row: &str| match read(&format!("{head}{row}\n")) {
        Err(Unreadable::Row { row, reason }) => format!("{row}: {reason}"),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused("1,fair,3,human"), "3: fair of 1 is listed twice");
    assert_eq!(refused("1,fair,x,twin"), "3: x is no number");
    assert_eq!(refused("1,fair,3,robot"), "3: robot is neither human nor twin");
    assert!(read("TWIN_ID,value\n1,2\n").is_err());
}

#[test]
fn a_column_that_tells_who_people_are_is_read_for_nothing() {
    for special in [
        ReservedColumns { arm: Some("IPAddress".into()), ..ReservedColumns::default() },
        ReservedColumns { weight: Some("IPAddress".into()), ..ReservedColumns::default() },
        ReservedColumns { attributes: vec!["Age".into(), "IPAddress".into()], ..ReservedColumns::default() },
    ] {
        let (_, _, reading) = read(&special);
        let expected = "the column IPAddress holds personal data, which is not read";
        assert_eq!(reading.refusal().as_deref(), Some(expected));
        let read = format!("{:?}", reading.respondents);
        assert!(!read.contains("1.2.3.4"), "{read}");
    }
    let missing = read(&ReservedColumns { arm: Some("group".into()), ..ReservedColumns::default() }).2;
    assert_eq!(missing.refusal().as_deref(), Some("there is no column group"));
    assert_eq!(read(&ReservedColumns::default()).2.refusal(), None);
    let table = parse(b"pid,Email Address,First Name,Phone_Number\n1,a@b.example,Ada,555\n", |_| false).unwrap();
    let dropped: Vec<String> = match_columns(&questions(), &table)
        .dropped
        .into_iter()
        .filter(|of| of.reason == "personal data")
        .map(|of| of.column)
        .collect();
    assert_eq!(dropped, ["Email Address", "First Name", "Phone_Number"]);
}
