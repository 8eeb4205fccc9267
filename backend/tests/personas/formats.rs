//! Every format gives the same personas.

use std::fs;

use parquet::basic::Compression;
use serde_json::json;
use tempfile::TempDir;

use super::files::{
    Column, HEADER, codecs, columns, json_lines, people, plain_properties, version_2, write_csv, write_parquet,
};
use super::{Stored, current, import, run};
use crate::support::Database;

fn rows(people: &[[String; 4]]) -> Vec<Vec<&str>> {
    people.iter().map(|person| person.iter().map(String::as_str).collect()).collect()
}

fn check(twins: &[Stored], people: &[[String; 4]]) {
    assert_eq!(twins.len(), people.len());
    for (number, (twin, [pid, text, summary, _])) in (1..).zip(twins.iter().zip(people)) {
        assert_eq!((twin.id, &twin.pid, &twin.name), (number, pid, &format!("Twin {number}")));
        assert!(twin.summary.as_deref() == Some(summary), "the summary of {pid} is another");
        assert!(twin.full_text.as_deref() == Some(text), "the full text of {pid} is another");
    }
}

#[test]
fn the_published_file_reads_alike_from_every_format_and_compression() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let people = people(70, 3000);

    let file = folder.path().join("twins.csv");
    write_csv(&file, &HEADER, &rows(&people));
    let outcome = import(&database, &file);
    assert_eq!(
        outcome.stdout, "Imported 70 twins from Twin-2K-500 full_persona (twins.csv). They are the current ones now.\n",
        "{outcome:#?}"
    );
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let (source, synthetic, twins) = current(&database);
    assert_eq!((source.as_str(), synthetic), ("Twin-2K-500 full_persona (twins.csv)", false));
    check(&twins, &people);
    assert_eq!(twins[1].description, "Female, 30-49, South, Some college, no degree, Full-time employment");
    assert_eq!(twins[1].attributes["Gender"], "Female");
    assert_eq!(twins[1].attributes.as_object().map(|attributes| attributes.len()), Some(14));

    // A byte order mark at the beginning, as Excel writes it.
    let marked = [b"\xef\xbb\xbf".to_vec(), fs::read(&file).expect("the file is there")].concat();
    fs::write(&file, marked).expect("the file can be written");
    assert_eq!(import(&database, &file).code, Some(0));
    assert_eq!(current(&database).2, twins);

    let file = folder.path().join("twins.jsonl");
    fs::write(&file, json_lines(&HEADER, &rows(&people))).expect("the file can be written");
    assert_eq!(import(&database, &file).code, Some(0));
    assert_eq!(current(&database).2, twins);

    for compression in codecs() {
        for (kind, properties) in [("plain", plain_properties(compression)), ("version 2", version_2(compression))] {
            let file = folder.path().join("twins.parquet");
            write_parquet(&file, properties, 40, &columns(&people));
            let outcome = import(&database, &file);
            assert_eq!(outcome.code, Some(0), "{kind} {compression}: {outcome:#?}");
            assert_eq!(current(&database).2, twins, "{kind} {compression}");
        }
    }
}

/// Tests tables as Excel saves them (in Europe with semicolons, as "Unicode text", as a workbook), and as pandas packs
/// them.
#[test]
fn what_spreadsheets_and_pandas_save_is_read_as_it_is() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let text = |delimiter: &str| {
        "\u{feff}pid;summary;Gender;Born\r\n1;\"Ada, says \"\"hi\"\";\r\nגם 😀\";Female;1990\r\n2;Ben;Male;1985.5\r\n"
            .replace("pid;summary;Gender;Born", &["pid", "summary", "Gender", "Born"].join(delimiter))
            .replace("1;\"Ada", &format!("1{delimiter}\"Ada"))
            .replace("\";Female;1990", &format!("\"{delimiter}Female{delimiter}1990"))
            .replace("2;Ben;Male;1985.5", &["2", "Ben", "Male", "1985.5"].join(delimiter))
    };
    let utf16 = |bytes: fn(u16) -> [u8; 2]| text("\t").encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let packed = {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packer, text(",").as_bytes()).expect("it is packed");
        packer.finish().expect("it is packed")
    };
    let workbook = {
        let mut workbook = rust_xlsxwriter::Workbook::new();
        let sheet = workbook.add_worksheet();
        sheet.write_row(0, 0, ["pid", "summary", "Gender", "Born"]).expect("a row");
        sheet.write_number(1, 0, 1).expect("a cell");
        sheet.write_row(1, 1, ["Ada, says \"hi\";\nגם 😀", "Female"]).expect("a row");
        sheet.write_number(1, 3, 1990).expect("a cell");
        // A blank row in between, as people leave them.
        sheet.write_row(3, 0, ["2", "Ben", "Male"]).expect("a row");
        sheet.write_number(3, 3, 1985.5).expect("a cell");
        workbook.save_to_buffer().expect("a workbook")
    };
    for (name, bytes) in [
        ("comma.csv", text(",").into_bytes()),
        ("semicolon.csv", text(";").into_bytes()),
        ("tab.txt", text("\t").into_bytes()),
        ("utf16-le.txt", utf16(u16::to_le_bytes)),
        ("utf16-be.txt", utf16(u16::to_be_bytes)),
        ("packed.csv.gz", packed),
        ("workbook.xlsx", workbook),
    ] {
        let file = folder.path().join(name);
        fs::write(&file, bytes).expect("the file can be written");
        let outcome = import(&database, &file);
        assert_eq!(outcome.code, Some(0), "{name}: {outcome:#?}");
        let (_, _, twins) = current(&database);
        let pids: Vec<&str> = twins.iter().map(|twin| twin.pid.as_str()).collect();
        assert_eq!(pids, ["1", "2"], "{name}");
        let summary = twins[0].summary.as_deref().expect("a summary").replace("\r\n", "\n");
        assert_eq!(summary, "Ada, says \"hi\";\nגם 😀", "{name}");
        assert_eq!(twins[0].attributes, json!({"Gender": "Female", "Born": "1990"}), "{name}");
        assert_eq!(twins[1].attributes, json!({"Gender": "Male", "Born": "1985.5"}), "{name}");
    }
}

#[test]
fn texts_of_170_kb_in_one_page_come_out_whole() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let people = people(60, 170_000);
    for compression in [Compression::SNAPPY, codecs()[3]] {
        let file = folder.path().join("twins.parquet");
        write_parquet(&file, plain_properties(compression), usize::MAX / 2, &columns(&people));
        let outcome = import(&database, &file);
        assert_eq!(outcome.code, Some(0), "{outcome:#?}");
        check(&current(&database).2, &people);
    }
}

#[test]
fn chunks_of_wave_split_make_one_set_that_no_answer_of_wave_4_reaches() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let texts: Vec<String> = (1..=5).map(|number| format!("Waves 1 to 3 of {number}")).collect();
    let column = |name, range: std::ops::Range<usize>| {
        Column::Text(name, texts[range].iter().map(|text| Some(text.as_str())).collect())
    };
    let leak = |count| {
        ["wave1_3_persona_json", "wave4_Q_wave1_3_A", "wave4_Q_wave4_A"]
            .map(|name| Column::Text(name, vec![Some("[\"wave 4 said so\"]"); count]))
    };
    let (first, second) = (folder.path().join("chunk-0.parquet"), folder.path().join("chunk-1.parquet"));
    let mut columns = vec![Column::Numbers("pid", vec![1001, 1002, 1003]), column("wave1_3_persona_text", 0..3)];
    columns.extend(leak(3));
    write_parquet(&first, plain_properties(Compression::SNAPPY), 2, &columns);
    let mut columns = vec![Column::Text("pid", vec![Some("1004"), Some("1005")]), column("wave1_3_persona_text", 3..5)];
    columns.extend(leak(2));
    write_parquet(&second, version_2(Compression::SNAPPY), 2, &columns);

    for variant in [&[][..], &["--variant", "wave1_3"]] {
        let chunks = [first.to_string_lossy(), second.to_string_lossy()];
        let words = [&["import", &chunks[0], &chunks[1]], variant].concat();
        let outcome = run(&database, &words);
        assert_eq!(outcome.code, Some(0), "{outcome:#?}");
        let (source, _, twins) = current(&database);
        assert_eq!(source, "Twin-2K-500 wave_split (chunk-0.parquet, chunk-1.parquet)");
        let pids: Vec<&str> = twins.iter().map(|twin| twin.pid.as_str()).collect();
        assert_eq!(pids, ["1001", "1002", "1003", "1004", "1005"]);
        for (twin, text) in twins.iter().zip(&texts) {
            assert_eq!((twin.full_text.as_ref(), &twin.summary), (Some(text), &None));
            assert!(!format!("{twin:?}").contains("wave 4"), "{twin:?}");
        }
    }
    let outcome = run(&database, &["import", &first.to_string_lossy(), "--variant", "summary"]);
    assert!(outcome.only_line().contains("no column holds the twins' text: expected one of persona_summary"));
    assert_eq!(outcome.code, Some(2));
}

#[test]
fn a_variant_keeps_its_texts_alone() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let people = people(3, 100);
    let file = folder.path().join("twins.parquet");
    write_parquet(&file, plain_properties(Compression::SNAPPY), 10, &columns(&people));
    let path = file.to_string_lossy();

    assert_eq!(run(&database, &["import", &path, "--variant", "summary"]).code, Some(0));
    let twins = current(&database).2;
    assert!(twins.iter().all(|twin| twin.summary.is_some() && twin.full_text.is_none()), "{twins:?}");

    assert_eq!(run(&database, &["import", &path, "--variant", "full"]).code, Some(0));
    check(&current(&database).2, &people);
}

#[test]
fn a_table_of_ones_own_needs_a_text_and_may_name_and_describe_its_twins() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("mine.csv");
    let table = "Name,Persona,City,Description,Notes,\n\
                 Ada,\"I am Ada.\nAge: 18-29\",London,The first,,x\n\
                 ,I am nobody,  ,,,y\n";
    fs::write(&file, table).expect("the file can be written");
    assert_eq!(import(&database, &file).code, Some(0));
    let (source, _, twins) = current(&database);
    assert_eq!(source, "own file mine.csv");
    let twin = |id, pid: &str, name: &str, description: &str, attributes, summary: &str| Stored {
        id,
        pid: pid.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        attributes,
        summary: Some(summary.to_owned()),
        full_text: None,
    };
    let ada = twin(1, "1", "Ada", "The first", json!({"Age": "18-29", "City": "London"}), "I am Ada.\nAge: 18-29");
    assert_eq!(twins, [ada, twin(2, "2", "Twin 2", "", json!({}), "I am nobody")]);

    let file = folder.path().join("mine.jsonl");
    let lines = "\n{\"id\": 7, \"text\": \"One\", \"City\": null, \"Children\": 2}\n{\"id\": \"b\", \"text\": \"Two\"}";
    fs::write(&file, lines).expect("the file can be written");
    assert_eq!(import(&database, &file).code, Some(0));
    let twins = current(&database).2;
    assert_eq!(
        twins,
        [twin(1, "7", "Twin 1", "", json!({"Children": "2"}), "One"), twin(2, "b", "Twin 2", "", json!({}), "Two")]
    );
}
