//! Files and surveys that would take hours if any two of their texts were compared. Each test ends at once or not at
//! all.

use evidence::compare::Column;
use evidence::metrics::Scale;
use evidence::upload::{
    MatchedBy, Question, QuestionKind, ReservedColumns, SurveyTooLong, Unreadable, check_lengths, kept_columns,
    match_columns, parse, respondents,
};

use super::{choices, question};

/// A ligature that is eighteen letters in Unicode's compatibility form.
const LIGATURE: &str = "\u{fdfa}";

/// A number question whose text has `letters` copies of the ligature and the question's position.
fn long_question(place: usize, letters: usize) -> Question {
    let text = format!("{place} {}", LIGATURE.repeat(letters));
    question(&format!("Q{place}"), None, &text, QuestionKind::Number { scale: Scale::Unbounded })
}

#[test]
fn five_hundred_questions_are_found_among_all_columns_that_a_file_may_have() {
    let questions: Vec<Question> = (0..500).map(|place| long_question(place, 100)).collect();
    let names: Vec<String> = (0..32_767).map(|column| format!("V{column}")).collect();
    // The last column matches the last question by its text alone.
    let labels = (0..32_767).map(|column| format!("question {}", if column == 32_766 { "none" } else { LIGATURE }));
    let mut labels: Vec<String> = labels.collect();
    labels[32_766] = questions[499].text.replace(' ', " - ");
    let table = parse(format!("{}\n{}\n1\n", names.join(","), labels.join(",")).as_bytes(), |cell| cell == labels[0]);
    let mapping = match_columns(&questions, &table.unwrap());
    assert_eq!(mapping.unmatched_items.len(), 499);
    let found: Vec<_> =
        mapping.matches.iter().map(|found| (found.item.as_str(), found.by, &found.columns[..])).collect();
    assert_eq!(found, [("Q499", MatchedBy::Text, &[32_766][..])]);
}

#[test]
fn columns_of_ligatures_are_read_as_any_others() {
    let questions: Vec<Question> = (0..5).map(|place| long_question(place, 10_000)).collect();
    let names: Vec<String> = (0..3_000).map(|column| LIGATURE.repeat(1 + column % 3)).collect();
    let table = parse(format!("{}\n1\n", names.join(",")).as_bytes(), |_| false).unwrap();
    assert_eq!(match_columns(&questions, &table).unmatched_items.len(), 5);
}

#[test]
fn two_hundred_long_options_are_told_apart_in_cells_of_many_parts() {
    let labels: Vec<String> = (0..200).map(|option| format!("{}{option}", "a".repeat(1_000))).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let use_ = [question("use", None, "", QuestionKind::Multiple { choices: choices(&labels) })];
    let all_parts = vec!["a"; 20_000].join(",");
    let two = format!("{},{}", labels[7], labels[199]);
    let file = format!("pid;use\n1;{all_parts}\n2;\"{two}\"\n3;8,200\n4;8,8\n");
    let table = parse(file.as_bytes(), |_| false).unwrap();
    let mapping = match_columns(&use_, &table);
    let reading = respondents(&use_, &table, &mapping, &ReservedColumns::default());
    let chosen = Some((0..200).map(|option| option == 7 || option == 199).collect::<Vec<bool>>());
    // An option that is named twice is an error and counts as one.
    let expected = vec![None, chosen.clone(), chosen, None];
    assert_eq!(reading.respondents.answers["use"], Column::Selections(expected));
    assert_eq!(reading.unread.iter().map(|unread| unread.count).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn a_column_without_a_question_is_tried_against_every_question() {
    let single = |place: usize| {
        let labels: Vec<String> = (0..50).map(|option| format!("{LIGATURE} {place}.{option}")).collect();
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        let kind = QuestionKind::Single { choices: choices(&labels), is_ordered: false };
        question(&format!("Q{place}"), None, "", kind)
    };
    let questions: Vec<Question> = (0..300).map(single).collect();
    let names: Vec<String> = (0..500).map(|column| format!("V{column}")).collect();
    let row = |row: usize| (0..500).map(|column| format!("{row} of {column}")).collect::<Vec<_>>().join(",");
    let rows: Vec<String> = (0..30).map(row).collect();
    let table = parse(format!("{}\n{}\n", names.join(","), rows.join("\n")).as_bytes(), |_| false).unwrap();
    let mapping = match_columns(&questions, &table);
    let (kept, dropped) = kept_columns(&questions, &table, &mapping, &ReservedColumns::default());
    assert_eq!((kept.len(), dropped.len()), (0, 500));
}

#[test]
fn texts_that_are_too_long_to_compare_are_refused_in_words() {
    let names: Vec<String> = (0..30).map(|column| format!("{}{column}", "a".repeat(400_000))).collect();
    let refused = parse(format!("{}\n1\n", names.join(",")).as_bytes(), |_| false).unwrap_err();
    let most = "the file has more than 10000000 letters in the names and labels of its columns; leave out columns that \
                are no answers";
    assert_eq!((refused.to_string().as_str(), matches!(refused, Unreadable::TooMany { .. })), (most, true));

    let questions =
        vec![question("Q", None, &"a".repeat(9_999), QuestionKind::Number { scale: Scale::Unbounded }); 2_001];
    assert_eq!(check_lengths(&questions[..2_000]), Ok(()));
    let refused = check_lengths(&questions).unwrap_err();
    assert_eq!(refused, SurveyTooLong);
    assert_eq!(
        refused.to_string(),
        "the survey's questions and options have more than 20000000 letters, too many to be found in a file"
    );
}
