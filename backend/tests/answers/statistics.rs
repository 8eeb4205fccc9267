//! Files for SPSS, Stata and readers of parquet. `scripts/check-statistics-files` opens them with pyreadstat and
//! pyarrow.

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, RowAccessor};

use super::{at, enlarge, owner};
use crate::support::sample::{self, PlantedRun};
use crate::support::{Client, TestApp, with_app};

const FORMATS: [(&str, &str, &[u8]); 3] = [
    ("wide.sav", "application/x-spss-sav", b"$FL2"),
    ("wide.dta", "application/x-stata-dta", b"<stata_dta><header><release>118</release>"),
    ("wide.parquet", "application/vnd.apache.parquet", b"PAR1"),
];

async fn bytes(owner: &Client, end: &str) -> Vec<u8> {
    let answer = owner.get(&at(end)).await;
    assert_eq!(answer.status, 200, "{end}: {}", String::from_utf8_lossy(&answer.bytes));
    answer.bytes
}

fn holds(file: &[u8], part: &[u8]) -> bool {
    file.windows(part.len()).any(|window| window == part)
}

/// Number of rows that the file states.
fn rows(file: &[u8]) -> u64 {
    if file.starts_with(b"$FL2") {
        return u32::from_le_bytes(file[80..84].try_into().expect("four bytes")).into();
    }
    if file.starts_with(b"<stata_dta>") {
        let begin = file.windows(3).position(|window| window == b"<N>").expect("the number of rows") + 3;
        return u64::from_le_bytes(file[begin..begin + 8].try_into().expect("eight bytes"));
    }
    let reader = SerializedFileReader::new(bytes::Bytes::copy_from_slice(file)).expect("a parquet file");
    reader.metadata().file_metadata().num_rows().try_into().expect("not negative")
}

/// The columns of a parquet file and its rows, as texts; a missing cell is empty.
fn cells(file: &SerializedFileReader<bytes::Bytes>) -> Vec<Vec<String>> {
    let schema = file.metadata().file_metadata().schema_descr();
    let mut rows = vec![schema.columns().iter().map(|column| column.name().to_owned()).collect::<Vec<_>>()];
    for row in file.get_row_iter(None).expect("rows") {
        let row = row.expect("it can be read");
        let texts = row.get_column_iter().map(|(_, field)| match field {
            Field::Null => String::new(),
            Field::Str(text) => text.clone(),
            number => number.to_string(),
        });
        rows.push(texts.collect());
    }
    rows
}

async fn change(app: &TestApp, sql: &str) {
    sample::run(&mut *app.connection().await, sql).await;
}

#[tokio::test]
async fn each_file_has_its_media_type_name_and_notice_and_the_same_bytes_each_time() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        for (name, media_type, begin) in FORMATS {
            let answer = owner.get(&at(&format!("responses/{name}"))).await;
            assert_eq!((answer.status, answer.headers["content-type"].to_str().expect("text")), (200, media_type));
            let disposition = format!("attachment; filename=\"simulation-00000007-{name}\"");
            assert_eq!(answer.headers["content-disposition"], disposition);
            assert!(answer.headers.contains_key("x-notice"), "{name}");
            assert!(answer.bytes.starts_with(begin), "{name}");
            assert_eq!(rows(&answer.bytes), 3, "{name}");
            assert_eq!(bytes(&owner, &format!("responses/{name}")).await, answer.bytes, "{name}");
        }
        assert_eq!(app.app.downloads.open(), 0);
    })
    .await;
}

#[tokio::test]
async fn conditions_choose_the_twins_and_unknown_ones_are_refused() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        enlarge(app, 700).await;
        change(app, r#"UPDATE personas SET attributes = '{"Gender": "Other"}' WHERE id % 7 = 0"#).await;
        for (name, ..) in FORMATS {
            for (condition, twins) in
                [("", 700), ("?where=Gender:Other", 100), ("?where=Gender:Other&where=question:7:No", 0)]
            {
                assert_eq!(rows(&bytes(&owner, &format!("responses/{name}{condition}")).await), twins, "{name}");
            }
            for unknown in ["Shoes:Red", "Gender:Nobody"] {
                owner.get(&at(&format!("responses/{name}?where={unknown}"))).await.refused(400);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_run_without_answers_has_a_row_for_each_twin_and_an_erased_one_none() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Running).await;
        for (name, ..) in FORMATS {
            assert_eq!(rows(&bytes(&owner, &format!("responses/{name}")).await), 3, "{name}");
        }
        for name in ["wide.sav", "wide.dta"] {
            let file = bytes(&owner, &format!("responses/{name}")).await;
            assert!(holds(&file, b"partial: the run is running"), "{name}");
        }
        let none = r#"UPDATE simulations SET survey_snapshot = jsonb_set(survey_snapshot, '{questions}', '[]')"#;
        change(app, none).await;
        for (name, ..) in FORMATS {
            assert_eq!(rows(&bytes(&owner, &format!("responses/{name}")).await), 0, "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn long_words_control_characters_and_odd_names_are_cut_and_mended_and_said() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        let word = "Donaudampf".repeat(30);
        let emoji = "😀".repeat(70);
        change(
            app,
            &format!(
                r#"UPDATE simulations SET survey_snapshot = jsonb_set(jsonb_set(jsonb_set(jsonb_set(survey_snapshot,
                     '{{questions,0,text}}', '"{word}"'), '{{questions,0,options,1,text}}', '"{emoji}"'),
                     '{{questions,5,name}}', '"by."'), '{{questions,6,text}}', '"Do\nyou\u0007?"');
                   UPDATE responses SET answer_value = to_jsonb(repeat('x', 32766) || '😀') WHERE persona_id = 1
                     AND question_id = (SELECT max(question_id) FROM responses)"#
            ),
        )
        .await;
        let spss = bytes(&owner, "responses/wide.sav").await;
        let stata = bytes(&owner, "responses/wide.dta").await;
        let labels = [&word.as_bytes()[..255], "😀".repeat(30).as_bytes(), b"=by_", b"Do you ?"].map(<[u8]>::to_vec);
        assert!(labels.iter().all(|label| holds(&spss, label)), "SPSS");
        assert!(!holds(&spss, &word.as_bytes()[..256]) && !holds(&spss, "😀".repeat(31).as_bytes()));
        assert!(!holds(&spss, "xx😀".as_bytes()), "the text is cut before the character that does not fit");
        for said in ["Texts cut to 32767 bytes", "Labels cut to 255 bytes", "Labels of codes cut to 120 bytes"] {
            assert!(holds(&spss, said.as_bytes()), "{said}");
        }
        let label = [b"<variable_labels>".to_vec(), b"Twin".to_vec()].concat();
        assert!(holds(&stata, &label) && holds(&stata, &[&word.as_bytes()[..80], &[0]].concat()));
        assert!(holds(&stata, &[word.as_bytes(), b"\0</ch>"].concat()), "the whole question in a note");
        assert!(holds(&stata, b"\0by_\0") && holds(&stata, "x😀\0".as_bytes()), "texts are whole");
        let codebook = String::from_utf8(bytes(&owner, "responses/codebook.csv").await).expect("it is UTF-8");
        assert!(codebook.contains("by.,How many?,NUMBER,,,by_,by_\r\n"), "{codebook}");
    })
    .await;
}

#[tokio::test]
async fn a_number_that_stands_for_failed_answers_is_none_where_an_answer_is_that_number() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        // A record with its own number declares a missing value of a variable.
        let declared = |file: &[u8]| file.windows(8).filter(|window| *window == (-88.0_f64).to_le_bytes()).count();
        let before = declared(&bytes(&owner, "responses/wide.sav").await);
        change(app, "UPDATE responses SET answer_value = '-88' WHERE answer = '12' AND persona_id = 1").await;
        let after = declared(&bytes(&owner, "responses/wide.sav").await);
        assert_eq!(before - after, 2, "neither declared nor labelled");
    })
    .await;
}

#[tokio::test]
async fn parquet_holds_labels_or_codes_and_nulls_where_an_answer_is_missing() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        let open = async |values: &str| {
            let file = bytes(&owner, &format!("responses/wide.parquet{values}")).await;
            SerializedFileReader::new(bytes::Bytes::from(file)).expect("a parquet file")
        };
        let labels = open("").await;
        let rows: Vec<_> =
            labels.get_row_iter(None).expect("rows").collect::<Result<_, _>>().expect("they can be read");
        assert_eq!(
            (rows[0].get_long(0).expect("an id"), &*rows[0].get_string(2).expect("a label").clone()),
            (1, "-red")
        );
        assert_eq!(rows[0].get_double(8).expect("a number"), -7.5);
        assert!(rows[2].get_string(2).is_err(), "the third twin has said nothing");
        let notes = labels.metadata().file_metadata().key_value_metadata().expect("notes").clone();
        assert!(notes.iter().any(|note| note.key == "codebook.csv"), "{notes:?}");
        let codes = open("?values=codes").await;
        let first = codes.get_row_iter(None).expect("rows").next().expect("a row").expect("it can be read");
        assert_eq!((first.get_long(2).expect("a code"), first.get_long(5).expect("not chosen")), (1, 0));
        assert_eq!(open("?values=both").await.metadata().file_metadata().schema_descr().num_columns(), 19);
    })
    .await;
}

#[tokio::test]
async fn the_parquet_of_all_requests_has_the_rows_of_the_raw_csv_and_numbers_as_numbers() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        for condition in ["", "&where=question:7:Yes"] {
            let csv = bytes(&owner, &format!("responses/export.csv?raw=true{condition}")).await;
            let csv = csv.strip_prefix(b"\xEF\xBB\xBF").expect("a byte order mark");
            let lines: Vec<Vec<String>> = csv::ReaderBuilder::new()
                .has_headers(false)
                .from_reader(csv)
                .records()
                .map(|line| line.expect("RFC 4180").iter().map(str::to_owned).collect())
                .collect();
            let file = bytes(&owner, &format!("responses/export.parquet?raw=true{condition}")).await;
            let file = SerializedFileReader::new(bytes::Bytes::from(file)).expect("a parquet file");
            assert_eq!(cells(&file), lines, "{condition}");
        }
        let file = bytes(&owner, "responses/export.parquet").await;
        let file = SerializedFileReader::new(bytes::Bytes::from(file)).expect("a parquet file");
        let first = file.get_row_iter(None).expect("rows").next().expect("a row").expect("it can be read");
        let numbers: Vec<String> = first
            .get_column_iter()
            .filter(|(_, field)| !matches!(field, Field::Str(_)))
            .map(|(name, field)| format!("{name} {field:?}"))
            .collect();
        assert_eq!(
            numbers.join(", "),
            "id Long(1), personaId Long(1), questionId Long(1), questionNumber Long(1), errorCode Null, \
             errorMessage Null, attempt Long(1), latencyMs Long(250), promptTokens Long(100), cachedTokens Long(60), \
             completionTokens Long(5), seed Long(42), temperature Double(0.5), questionsPerCall Long(20)"
        );
        let notes = file.metadata().file_metadata().key_value_metadata().expect("notes").clone();
        let note = |key| notes.iter().find(|note| note.key == key).and_then(|note| note.value.clone());
        assert!(note("notice").is_some_and(|text| text.starts_with("answers generated by a language model")));
        assert!(note("Read Me").is_some_and(|text| text.contains("\nSeed: 42\n") && text.contains("Requests: 27\n")));
    })
    .await;
}

/// Tests that a row group is written as soon as it is full, so that a long file has several.
#[tokio::test]
async fn the_parquet_of_a_long_run_has_row_groups_with_every_request_once() {
    with_app(async |app| {
        let owner = owner(app, PlantedRun::Failed).await;
        enlarge(app, 5_000).await;
        let file = bytes(&owner, "responses/export.parquet").await;
        let file = SerializedFileReader::new(bytes::Bytes::from(file)).expect("a parquet file");
        assert!(file.num_row_groups() > 1);
        let csv = bytes(&owner, "responses/export.csv?raw=true").await;
        let mut reader = csv::Reader::from_reader(&csv[..]);
        let lines: Vec<_> = reader.records().map(|line| line.expect("RFC 4180")).collect();
        let rows = cells(&file);
        assert_eq!(rows.len(), 1 + lines.len());
        for (row, line) in rows[1..].iter().zip(&lines) {
            assert!(row.iter().eq(line.iter()), "{row:?} is not {line:?}");
        }
    })
    .await;
}
