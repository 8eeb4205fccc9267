//! Tests with the same four people in SPSS and Stata files, which `scripts/upload-fixtures.py` wrote.

use evidence::compare::Column;
use evidence::upload::{MatchedBy, ReservedColumns, Table, Unreadable, match_columns, parse, respondents};

use super::labelled::survey;

macro_rules! files {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!("../fixtures/upload/", $name)).as_slice())),*]
    };
}

pub const SPSS: [(&str, &[u8]); 4] = files!["plain.sav", "bytecode.sav", "big.sav", "latin.sav"];
pub const STATA: [(&str, &[u8]); 9] = files![
    "release113.dta",
    "release114.dta",
    "release115.dta",
    "release117.dta",
    "release118.dta",
    "release119.dta",
    "big114.dta",
    "big117.dta",
    "big118.dta"
];

fn table(name: &str, bytes: &[u8]) -> Table {
    parse(bytes, |_| false).unwrap_or_else(|refusal| panic!("{name}: {refusal}"))
}

fn column<'a>(table: &'a Table, name: &str) -> Vec<&'a str> {
    let place = table.names.iter().position(|other| other == name).unwrap_or_else(|| panic!("{name}"));
    table.rows.iter().map(|row| &*row[place]).collect()
}

/// Asserts the columns that files of both programs share.
fn has_the_answers(name: &str, table: &Table) {
    assert_eq!(column(table, "pid"), ["p1", "p2", "p3", "p4"], "{name}");
    // The last value is declared as missing in the file.
    assert_eq!(column(table, "visits"), ["1", "2", "3", ""], "{name}");
    assert_eq!(column(table, "Fair"), ["7", "3", "", "1"], "{name}");
    assert_eq!(column(table, "How_much_would_you_pay"), ["12.5", "0.1", "", "1234567"], "{name}");
    for (option, values) in
        [("Q3_1", ["1", "2", "", "1"]), ("Q3_2", ["2", "1", "", "1"]), ("Q3_4", ["2", "2", "", "1"])]
    {
        assert_eq!(column(table, option), values, "{name}");
    }
    let text = |name: &str| &table.labels[table.names.iter().position(|other| other == name).unwrap()];
    assert_eq!((text("visits"), text("why")), (&"How often do you go?".to_owned(), &"Why is it so, in Zürich?".into()));
    assert_eq!(text("pid"), "", "{name}");
    let visits = table.names.iter().position(|other| other == "visits").unwrap();
    let labels = ["1", "2", "3", "9"].map(|value| table.label(visits, value));
    assert_eq!(labels[..3], [Some("Never"), Some("Often"), Some("Always")], "{name}");
    let of_missing = name.ends_with(".sav").then_some("No answer");
    assert_eq!(labels[3], of_missing, "{name}");
    let why = column(table, "why");
    assert_eq!([why[0], why[2], why[3]], ["Café", "", "naïve"], "{name}");
    let long = "long ".repeat(60) + "end";
    let is_short = ["113", "114", "115"].iter().any(|release| name.contains(release));
    assert_eq!(why[1], if is_short { long[..120].trim_end() } else { &long }, "{name}");
}

#[test]
fn files_of_spss_are_read_in_every_form() {
    for (name, bytes) in SPSS {
        let table = table(name, bytes);
        has_the_answers(name, &table);
        assert_eq!(table.names.len(), 12, "{name}");
        assert_eq!(column(&table, "seen"), ["14014944000", "11903846400", "", "548380800"], "{name}");
        assert_eq!(column(&table, "drink"), ["T", "C", "", ""], "{name}");
        // A text of more than eight bytes has its labels and missing values in records of their own.
        assert_eq!(column(&table, "meal"), ["vegetarian", "omnivorous", "", ""], "{name}");
        let label = |column: &str, cell: &str| {
            let place = table.names.iter().position(|other| other == column).unwrap();
            table.label(place, cell).map(str::to_owned)
        };
        assert_eq!([label("drink", "T"), label("drink", "X")], [Some("Tea".into()), None], "{name}");
        let meals = [label("meal", "vegetarian"), label("meal", "omnivorous")];
        assert_eq!(meals, [Some("No meat".into()), None], "{name}");
        let seen = table.names.iter().position(|other| other == "seen").unwrap();
        assert_eq!(table.labels[seen], "Seen – for 5 €", "{name}");
    }
}

#[test]
fn files_of_stata_are_read_in_every_form() {
    for (name, bytes) in STATA {
        let table = table(name, bytes);
        has_the_answers(name, &table);
        assert_eq!(table.names.len(), 10, "{name}");
        assert_eq!(column(&table, "seen"), ["24435", "1", "", "-131428"], "{name}");
    }
}

#[test]
fn answers_of_the_files_are_those_of_the_survey() {
    for (name, bytes) in SPSS.into_iter().chain(STATA) {
        let table = table(name, bytes);
        let mapping = match_columns(&survey(), &table);
        let by: Vec<_> = mapping.matches.iter().map(|found| (found.item.as_str(), found.by)).collect();
        assert_eq!(
            by,
            [
                ("often", MatchedBy::Text),
                ("fair", MatchedBy::SimilarName),
                ("pay", MatchedBy::Text),
                ("Q3", MatchedBy::Name)
            ],
            "{name}"
        );
        let personal = mapping.dropped.iter().find(|dropped| dropped.reason == "personal data");
        assert_eq!(personal.map(|dropped| dropped.column.as_str()), Some("email"), "{name}");
        let by_visits = ReservedColumns { attributes: vec!["visits".into()], ..ReservedColumns::default() };
        let reading = respondents(&survey(), &table, &mapping, &by_visits);
        assert_eq!((&reading.unread, &reading.missing), (&vec![], &vec![]), "{name}");
        let of = reading.respondents;
        assert_eq!(of.ids, ["p1", "p2", "p3", "p4"], "{name}");
        let numbers = |values: [Option<f64>; 4]| Column::Numbers(values.to_vec());
        assert_eq!(of.answers["often"], numbers([Some(1.0), Some(2.0), Some(3.0), None]), "{name}");
        // The ends of the scale have labels but are numbers.
        assert_eq!(of.answers["fair"], numbers([Some(7.0), Some(3.0), None, Some(1.0)]), "{name}");
        assert_eq!(of.answers["pay"], numbers([Some(12.5), Some(0.1), None, Some(1_234_567.0)]), "{name}");
        let chosen = [Some([true, false, false]), Some([false, true, false]), None, Some([true, true, true])];
        let chosen = chosen.map(|options| options.map(Vec::from)).to_vec();
        assert_eq!(of.answers["Q3"], Column::Selections(chosen), "{name}");
        let levels = [Some("Never"), Some("Often"), Some("Always"), None].map(|level| level.map(str::to_owned));
        assert_eq!(of.attributes["visits"], levels, "{name}");
    }
}

#[test]
fn files_that_are_not_read_say_what_to_save_instead() {
    let [(_, packed)] = files!["packed.zsav"];
    let refusal = |bytes: &[u8]| parse(bytes, |_| false).unwrap_err();
    assert_eq!(refusal(packed), Unreadable::Zsav);
    assert_eq!(refusal(packed).to_string(), "a compressed SPSS file (.zsav) is not read; save it as .sav");
    // The whole file is compressed, but begins like one that is not.
    let mut packed = packed.to_vec();
    packed[3] = b'2';
    assert_eq!(refusal(&packed), Unreadable::Zsav);
    let (_, old) = STATA[0];
    let mut older = old.to_vec();
    older[0] = 110;
    assert_eq!(refusal(&older), Unreadable::StataRelease { release: "110".into() });
    let newer = STATA[4].1.to_vec();
    let newer = String::from_utf8_lossy(&newer[..40]).replace("118", "121").into_bytes();
    assert_eq!(refusal(&newer), Unreadable::StataRelease { release: "121".into() });
    let unread =
        "a Stata file of format 121 is not read, only of 113 to 115 and 117 to 119; save it by Stata 8 or later";
    assert_eq!(refusal(&newer).to_string(), unread);
    // The encoding is another code page, once stated by name and once by number.
    let latin = SPSS[3].1.to_vec();
    let said = latin.windows(6).position(|bytes| bytes == b"cp1252").unwrap();
    let mut cyrillic = latin;
    cyrillic[said..said + 6].copy_from_slice(b"cp1251");
    assert_eq!(refusal(&cyrillic), Unreadable::Encoding { name: "cp1251".into() });
}
