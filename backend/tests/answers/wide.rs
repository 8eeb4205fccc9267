//! Files with one row for each twin.

use calamine::Reader;
use serde_json::{Value, json};

use super::{at, enlarge, owner};
use crate::support::sample::{self, PlantedRun};
use crate::support::{Client, TestApp, with_app};

/// A client of the survey's owner, with the planted run, in which the first two of three twins are women.
async fn with_genders(app: &TestApp) -> Client {
    let owner = owner(app, PlantedRun::Failed).await;
    let genders = r#"UPDATE personas SET attributes = '{"Gender": "Female", "Home town": "Ulm"}' WHERE id < 3;
                     UPDATE personas SET attributes = '{"Gender": "Male"}' WHERE id = 3"#;
    sample::run(&mut *app.connection().await, genders).await;
    owner
}

async fn text(owner: &Client, end: &str) -> String {
    let answer = owner.get(&at(end)).await;
    assert_eq!(answer.status, 200, "{end}: {}", String::from_utf8_lossy(&answer.bytes));
    String::from_utf8(answer.bytes).expect("it is UTF-8")
}

fn records(csv: &str) -> Vec<Vec<String>> {
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).from_reader(csv.trim_start_matches('\u{feff}').as_bytes());
    reader.records().map(|record| record.expect("as long as the header").iter().map(str::to_owned).collect()).collect()
}

#[tokio::test]
async fn a_wide_file_has_a_row_for_each_twin_and_a_column_for_each_part_of_an_answer() {
    with_app(async |app| {
        let owner = with_genders(app).await;
        let rows = records(&text(&owner, "responses/wide.csv?raw=true").await);
        let names = [
            "personaId",
            "personaPid",
            "Gender",
            "Home_town",
            "Which_colour_then",
            "Which_of_these_1",
            "Which_of_these_2",
            "Which_of_these_3",
            "Agree_1",
            "Agree_2",
            "How_warm",
            "How_often",
            "How_many",
            "Do_you",
            "q8",
            "Tell_us",
            "notice",
        ];
        assert_eq!(rows[0], names);
        assert_eq!(rows.len(), 4);
        let first = [
            "1",
            "a",
            "Female",
            "Ulm",
            "-red",
            "1",
            "1",
            "0",
            "Agree",
            "Neutral",
            "-7.5",
            "3",
            "12",
            "Yes",
            "\tשלום, \"world\"\r\nsecond line 😀",
            "=HYPERLINK(\"http://x.example\")",
        ];
        assert_eq!(rows[1][..16], first);
        assert_eq!((&*rows[2][14], &*rows[2][15]), (&*rows[1][14], ""), "the last request of the second twin failed");
        assert!(rows[3][3..16].iter().all(String::is_empty), "the third twin has said nothing: {:?}", rows[3]);

        let codes = records(&text(&owner, "responses/wide.csv?values=codes&raw=true").await);
        assert_eq!(codes[0], names);
        assert_eq!(codes[1][4..14], ["1", "1", "1", "0", "1", "2", "-7.5", "3", "12", "1"]);
        let both = records(&text(&owner, "responses/wide.csv?values=both").await);
        assert_eq!(both[0][4..7], ["Which_colour_then", "Which_colour_then_label", "Which_of_these_1"]);
        assert_eq!(both[1][4..7], ["1", "'-red", "1"], "a spreadsheet would run the label");
    })
    .await;
}

#[tokio::test]
async fn a_named_question_keeps_its_name_beside_an_attribute() {
    with_app(async |app| {
        let owner = with_genders(app).await;
        let named = r#"UPDATE simulations SET survey_snapshot =
            jsonb_set(survey_snapshot, '{questions,4,name}', '"gender"')"#;
        sample::run(&mut *app.connection().await, named).await;
        let names = records(&text(&owner, "responses/wide.csv").await).swap_remove(0);
        assert_eq!((&*names[2], &*names[11]), ("Gender_2", "gender"));
    })
    .await;
}

#[tokio::test]
async fn wide_json_lines_hold_typed_values_and_null_where_an_answer_is_missing() {
    with_app(async |app| {
        let owner = with_genders(app).await;
        let lines = text(&owner, "responses/wide.jsonl").await;
        let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(rows.len(), 3);
        assert_eq!(
            [&rows[0]["personaId"], &rows[0]["Which_of_these_3"], &rows[0]["How_warm"], &rows[0]["Do_you"]],
            [&json!(1), &json!(0), &json!(-7.5), &json!("Yes")]
        );
        assert_eq!((&rows[1]["Tell_us"], &rows[2]["Home_town"]), (&Value::Null, &Value::Null));
    })
    .await;
}

#[tokio::test]
async fn the_codebook_has_a_line_for_each_code_of_a_variable() {
    with_app(async |app| {
        let owner = with_genders(app).await;
        let lines = records(&text(&owner, "responses/codebook.csv").await);
        assert_eq!(lines[0], ["variable", "questionText", "type", "code", "label", "spssName", "stataName"]);
        for line in [
            ["Gender", "Gender", "ATTRIBUTE", "", ""],
            ["Which_colour_then", "'+ Which colour, \"then\"?", "SINGLE_CHOICE", "2", "blue"],
            ["Which_of_these_1", "Which of these?: =A1", "MULTIPLE_CHOICE", "1", "Chosen"],
            ["Agree_2", "Agree?: Coffee", "MATRIX", "2", "Neutral"],
            ["Do_you", "Do you?", "BOOLEAN", "0", "No"],
            ["How_many", "How many?", "NUMBER", "", ""],
        ] {
            assert!(lines.iter().any(|known| known[..5] == line), "{line:?} in {lines:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_scripts_name_the_file_of_codes_and_every_column() {
    with_app(async |app| {
        let owner = with_genders(app).await;
        let answer = owner.get(&at("responses/wide.csv?values=codes&raw=true")).await;
        let name = "simulation-00000007-wide-codes.csv";
        assert_eq!(answer.headers["content-disposition"], format!("attachment; filename=\"{name}\""));
        for (script, factor) in [
            ("read.R", r#"data$Which_colour_then <- factor(data$Which_colour_then, levels = c(1, 2), labels = c("-red", "blue"))"#),
            (
                "read.py",
                r#"data["Do_you"] = pd.Categorical(data["Do_you"].map({0: "No", 1: "Yes"}), categories=["No", "Yes"])"#,
            ),
        ] {
            let script = text(&owner, &format!("responses/{script}")).await;
            assert!(script.contains(name) && script.contains(factor), "{script}");
            assert!(script.contains(r#"+ Which colour, \"then\"?"#), "{script}");
        }
    })
    .await;
}

#[tokio::test]
async fn conditions_choose_the_twins_of_a_wide_file_over_all_its_pages() {
    with_app(async |app| {
        let owner = with_genders(app).await;
        enlarge(app, 700).await;
        let one_in_seven = r#"UPDATE personas SET attributes = '{"Gender": "Other"}' WHERE id % 7 = 0"#;
        sample::run(&mut *app.connection().await, one_in_seven).await;
        let rows = records(&text(&owner, "responses/wide.csv?where=Gender:Other&where=question:7:Yes").await);
        let ids: Vec<usize> = rows[1..].iter().map(|row| row[0].parse().expect("an id")).collect();
        assert_eq!(ids, (1..=100).map(|n| 7 * n).collect::<Vec<_>>());
        assert!(rows[1..].iter().all(|row| row[13] == "Yes"), "with their answers");
        let nobody = "responses/wide.csv?where=Gender:Other&where=question:7:No";
        assert_eq!(records(&text(&owner, nobody).await).len(), 1);
        owner.get(&at("responses/wide.csv?where=Shoes:Red")).await.refused(400);
        owner.get(&at("responses/wide.csv?where=Gender:Nobody")).await.refused(400);
    })
    .await;
}

#[tokio::test]
async fn conditions_choose_the_twins_of_every_file_with_a_row_for_each_request() {
    with_app(async |app| {
        let owner = with_genders(app).await;
        for (condition, twins) in [("", 3), ("Gender:Female", 2), ("Gender:Male", 1), ("question:7:Yes", 2)] {
            let lines = text(&owner, &format!("responses/export.jsonl?where={condition}")).await;
            assert_eq!(lines.lines().count(), twins * 9, "{condition}");
            let rows = records(&text(&owner, &format!("responses/export.csv?where={condition}")).await);
            assert_eq!(rows.len(), 1 + twins * 9, "{condition}");
            let answer = owner.get(&at(&format!("responses/export?format=xlsx&where={condition}"))).await;
            let mut workbook = calamine::Xlsx::new(std::io::Cursor::new(answer.bytes)).expect("a workbook");
            let sheet = workbook.worksheet_range("List View").expect("the sheet is there");
            assert_eq!(sheet.height(), 1 + twins * 9, "{condition}");
        }
        owner.get(&at("responses/export.csv?where=Shoes:Red")).await.refused(400);
        owner.get(&at("responses/export.csv?where=Gender:Nobody")).await.refused(400);
    })
    .await;
}

#[tokio::test]
async fn conditions_choose_the_twins_of_every_list_and_its_windows() {
    with_app(async |app| {
        let owner = with_genders(app).await;
        let ids = async |end: &str| {
            let answer = owner.get(&at(end)).await;
            let total = answer.headers["x-total-count"].to_str().expect("text").to_owned();
            let rows = answer.ok();
            let ids = rows.as_array().expect("an array").iter().map(|row| row["personaId"].as_i64().expect("an id"));
            (total, ids.collect::<Vec<_>>())
        };
        let (men, women) = ("where=Gender:Male", "where=Gender:Female");
        for (list, of_women) in [("formatted", 17), ("debug", 18), ("export", 18)] {
            let (total, all) = ids(&format!("responses/{list}?{women}")).await;
            assert_eq!((total, all.len()), (of_women.to_string(), of_women), "{list}");
            let (total, window) = ids(&format!("responses/{list}?{women}&limit=3&offset=8")).await;
            assert_eq!((total, window), (of_women.to_string(), vec![1, 2, 2]), "{list}");
        }
        assert_eq!(ids(&format!("responses/formatted?{men}")).await, ("0".to_owned(), vec![]));
        assert_eq!(ids(&format!("responses/matrix?{men}")).await, ("1".to_owned(), vec![3]));
        assert_eq!(ids(&format!("responses/matrix?{women}&limit=1&offset=1")).await, ("2".to_owned(), vec![2]));
        assert_eq!(ids(&format!("responses/matrix?{women}&offset=2")).await, ("2".to_owned(), vec![]));
        owner.get(&at("responses/matrix?where=Shoes:Red")).await.refused(400);
        owner.get(&at("responses/matrix?limit=1&where=Gender:Nobody")).await.refused(400);
    })
    .await;
}
