//! Files that are no persona files: each gets one clear line and exit code 2, and the current personas stay.

use std::fs;
use std::io::{Cursor, Read, Write};

use parquet::basic::Compression;
use rust_xlsxwriter::{Format, Workbook, Worksheet};
use tempfile::TempDir;
use twinlab::personas::{self, ImportOptions};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::files::{Column, codecs, columns, people, plain_properties, version_2, write_parquet};
use super::{current, import, sets};
use crate::support::Database;

#[test]
fn text_that_is_no_table_of_twins_is_refused_by_file_line_and_column() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let good = folder.path().join("good.csv");
    fs::write(&good, "pid,summary\na,A\n").expect("the file can be written");
    assert_eq!(import(&database, &good).code, Some(0));
    let before = current(&database);

    // The text ends in the middle of a character.
    let utf16 = b"\xff\xfep\0i\0d\0,\0t\0e\0x\0t\0\n\0a\0,\0\x3d\xd8";
    let long_name = format!("pid,name,summary\na,{},A\n", "n".repeat(201));
    for (file, bytes, what) in [
        ("empty.csv", &b""[..], "the file is empty"),
        ("blank.csv", b"\xef\xbb\xbf\n \n", "the file is empty"),
        ("utf16.csv", utf16, "cannot be read: not UTF-16, as its first bytes say"),
        ("cut.csv.gz", b"\x1f\x8b\x08\0\0", "cannot be read: unexpected end of file"),
        ("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Excel file; save it as .xlsx or as CSV"),
        ("cut.xlsx", b"PK\x03\x04", "no workbook that can be read: invalid Zip archive: Could not find EOCD"),
        (
            "photo.csv",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
            "not a table: binary data, neither CSV, JSON Lines, parquet nor .xlsx",
        ),
        ("page.csv", b"<!doctype html><p>Hello", "not a table: it looks like HTML or XML"),
        ("array.json", b"[{\"summary\": \"A\"}]", "a JSON array; write one JSON object a line (JSON Lines)"),
        (
            "prose.csv",
            b"Dear Sir, please find the twins attached.\nYours",
            "no column holds the twins' text: expected one of persona_summary, summary, persona, text, profile, \
             persona_text, full_text, full, wave1_3_persona_text; found Dear Sir,  please find the twins attached.",
        ),
        ("header.csv", b"pid,summary\n", "a header and no rows"),
        ("twice.csv", b"pid,summary,PID\na,A,b\n", "the column \"PID\" is in the header twice"),
        ("ragged.csv", b"pid,summary\na,A\nb,\"B\nb\"\nc\n", "line 5: 1 cells where the header has 2"),
        ("wide.csv", b"pid,summary\na,A,A\n", "line 2: 3 cells where the header has 2"),
        ("again.csv", b"pid,summary\na,A\nb,\"B\nb\"\na,C\n", "line 5, column pid: the id \"a\" was already in line 2"),
        ("nul.csv", b"pid,summary\na,A\nb,B\0B\n", "line 3, column summary: a NUL character, which no text may hold"),
        ("latin1.csv", b"pid,summary\na,caf\xe9\n", "line 2, column summary: not UTF-8 at byte 4 of the cell"),
        ("no-text.csv", b"pid,summary\na,A\nb, \n", "line 3, column summary: blank"),
        ("no-id.csv", b"pid,summary\n,A\n", "line 2, column pid: blank"),
        ("open.csv", b"pid,summary\na,\"A\nb,B\nc,C\n", "line 2: a quote is opened and never closed"),
        ("last.csv", b"pid,summary\na,A\nb,\"B", "line 3: a quote is opened and never closed"),
        ("closed.csv", b"pid,summary\na,\"A\nb,\"B\"\nc,\"C\"\n", "line 2: a quote is opened and never closed"),
        ("name.csv", long_name.as_bytes(), "line 2, column name: longer than 200 characters"),
        ("cut.jsonl", b"{\"summary\": \"A\"}\n{\"summary\": \"B", "line 2, character 14: EOF while parsing a string"),
        ("list.jsonl", b"{\"summary\": \"A\"}\n[1]\n", "line 2: not a JSON object"),
        (
            "keys.jsonl",
            b"{\"summary\": \"A\"}\n\n{\"summary\": \"B\", \"pid\": 4}\n",
            "line 3: the key \"pid\" is not among those of the first line",
        ),
        ("none.jsonl", b"{\"summary\": \"A\"}\n{\"summary\": null}\n", "line 2, column summary: blank"),
        (
            "nul.jsonl",
            b"{\"summary\": \"A\"}\n{\"summary\": \"B\\u0000\"}\n",
            "line 2, column summary: a NUL character, which no text may hold",
        ),
    ] {
        let path = folder.path().join(file);
        fs::write(&path, bytes).expect("the file can be written");
        let outcome = import(&database, &path);
        assert_eq!(outcome.only_line(), format!("twinlab: {}: {what}", path.display()));
        assert_eq!(outcome.code, Some(2), "{outcome:#?}");
        assert_eq!((current(&database), sets(&database)), (before.clone(), 1), "{file} left something behind");
    }
    let missing = import(&database, &folder.path().join("missing.csv"));
    assert!(missing.only_line().ends_with("missing.csv: cannot be read: No such file or directory (os error 2)"));
    assert_eq!(missing.code, Some(2));
}

#[test]
fn damaged_parquet_files_are_refused_and_nothing_of_them_stays() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("twins.parquet");
    let people = people(20, 2000);
    write_parquet(&file, plain_properties(Compression::SNAPPY), 10, &columns(&people));
    assert_eq!(import(&database, &file).code, Some(0));
    let before = current(&database);
    let whole = fs::read(&file).expect("the file is there");

    fs::write(&file, &whole[..whole.len() / 2]).expect("the file can be written");
    let outcome = import(&database, &file);
    assert!(outcome.only_line().contains("twins.parquet: a truncated or damaged parquet file: "), "{outcome:#?}");
    assert_eq!(outcome.code, Some(2));

    // A file whose middle is missing, as after a broken download: the footer is there, the second row group is not.
    let mut holed = whole.clone();
    let hole = whole.len() / 2..whole.len() - 4000;
    holed[hole].fill(0);
    fs::write(&file, &holed).expect("the file can be written");
    let outcome = import(&database, &file);
    let line = outcome.only_line();
    assert!(line.contains("twins.parquet: row ") && line.contains(", column persona_"), "{line}");
    assert_eq!(outcome.code, Some(2));

    for (cells, what) in [
        (vec![Some("a"), None], "row 2, column summary: blank"),
        (vec![Some("a"), Some("\0")], "row 2, column summary: a NUL character, which no text may hold"),
    ] {
        let columns = [Column::Numbers("pid", vec![1, 2]), Column::Text("summary", cells)];
        write_parquet(&file, plain_properties(Compression::SNAPPY), 10, &columns);
        let outcome = import(&database, &file);
        assert_eq!(outcome.only_line(), format!("twinlab: {}: {what}", file.display()));
        assert_eq!(outcome.code, Some(2));
    }
    let columns = [Column::Numbers("pid", vec![5, 6, 5]), Column::Text("summary", vec![Some("a"); 3])];
    write_parquet(&file, plain_properties(Compression::SNAPPY), 2, &columns);
    let outcome = import(&database, &file);
    assert!(outcome.only_line().ends_with("row 3, column pid: the id \"5\" was already in row 1"), "{outcome:#?}");
    assert_eq!((current(&database), sets(&database)), (before, 1));
}

#[test]
fn no_flipped_byte_of_a_parquet_file_makes_the_reader_panic() {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("twins.parquet");
    let people = people(3, 30);
    for compression in codecs() {
        for properties in [plain_properties(compression), version_2(compression)] {
            write_parquet(&file, properties, 4, &columns(&people));
            let whole = fs::read(&file).expect("the file is there");
            for at in (0..whole.len()).step_by(7) {
                let mut flipped = whole.clone();
                flipped[at] ^= 1 << (at % 8);
                fs::write(&file, &flipped).expect("the file can be written");
                // Texts may be changed or refused, but the program must not crash.
                if let Ok(profiles) = personas::open(std::slice::from_ref(&file), ImportOptions::default()) {
                    profiles.for_each(drop);
                }
            }
        }
    }
}

/// A workbook with the columns `pid`, `summary` and `Gender`, two personas and the additions of `add`.
fn workbook(add: impl Fn(&mut Worksheet)) -> Vec<u8> {
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    for (row, cells) in (0..).zip([["pid", "summary", "Gender"], ["a", "Ada", "Female"], ["b", "Ben", "Male"]]) {
        sheet.write_row(row, 0, cells).expect("a row");
    }
    add(sheet);
    workbook.save_to_buffer().expect("a workbook")
}

fn put(sheet: &mut Worksheet, row: u32, column: u16, text: &str) {
    sheet.write(row, column, text).expect("a cell");
}

/// The workbook with a false count of its texts.
fn with_count(workbook: &[u8], count: &str) -> Vec<u8> {
    let mut parts = ZipArchive::new(Cursor::new(workbook)).expect("a zip");
    let mut changed = ZipWriter::new(Cursor::new(Vec::new()));
    for place in 0..parts.len() {
        let mut part = parts.by_index(place).expect("a part");
        let path = part.name().expect("its path").into_owned();
        let mut text = String::new();
        part.read_to_string(&mut text).expect("XML");
        let (start, rest) = text.split_once("uniqueCount=\"").unwrap_or((&text, ""));
        let text = match rest.split_once('"') {
            Some((_, rest)) => format!("{start}uniqueCount=\"{count}\"{rest}"),
            None => text,
        };
        changed.start_file(path, SimpleFileOptions::default()).expect("a part");
        changed.write_all(text.as_bytes()).expect("it is written");
    }
    changed.finish().expect("a zip").into_inner()
}

#[test]
fn cells_far_from_the_table_of_a_workbook_take_no_memory_and_do_no_harm() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("twins.xlsx");
    // The last cell of a sheet: stored densely, the sheet would take 512 GiB.
    let (row, column) = (1_048_575, 16_383);
    let format = |sheet: &mut Worksheet| {
        sheet.write_blank(row, column, &Format::new().set_bold()).expect("a cell");
    };
    for (what, bytes) in [
        ("a note", workbook(|sheet| put(sheet, row, column, "stray"))),
        ("a format", workbook(format)),
        ("a note beside the table", workbook(|sheet| put(sheet, 1, 9, "sic"))),
    ] {
        fs::write(&file, bytes).expect("the file can be written");
        let outcome = import(&database, &file);
        assert_eq!(outcome.code, Some(0), "{what}: {outcome:#?}");
        let pids: Vec<String> = current(&database).2.into_iter().map(|twin| twin.pid).collect();
        assert_eq!(pids, ["a", "b"], "{what}");
    }
    let last = workbook(|sheet| put(sheet, row, 2, "Female"));
    fs::write(&file, last).expect("the file can be written");
    assert!(import(&database, &file).only_line().ends_with("twins.xlsx: row 1048576, column pid: blank"));
}

#[test]
fn a_workbook_that_takes_too_much_memory_is_refused_in_one_sentence() {
    let database = Database::new();
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("twins.xlsx");
    let long = "n".repeat(32_767);
    let one_long_text_in_many_cells = workbook(|sheet| (3..3_200).for_each(|row| put(sheet, row, 1, &long)));
    let few_cells_in_a_wide_table = workbook(|sheet| {
        (3..1_000).for_each(|column| put(sheet, 0, column, &format!("Q{column}")));
        (3..2_100).for_each(|row| put(sheet, row, 0, "c"));
    });
    for (bytes, most) in [
        (one_long_text_in_many_cells, "96 MiB of text"),
        (few_cells_in_a_wide_table, "2000000 cells"),
        (with_count(&workbook(|_| ()), "99999999999"), "1000000 different texts"),
    ] {
        fs::write(&file, bytes).expect("the file can be written");
        let outcome = import(&database, &file);
        let expected = format!("twins.xlsx: a workbook of more than {most} is not read; save it as CSV");
        assert!(outcome.only_line().ends_with(&expected), "{outcome:#?}");
        assert_eq!((outcome.code, sets(&database)), (Some(2), 0));
    }
}
