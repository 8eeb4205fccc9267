//! Tests with SPSS and Stata files that are truncated, damaged or malicious.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use evidence::upload::{ReservedColumns, Table, Unreadable, ValueLabels, match_columns, parse, respondents};

use super::labelled::survey;
use super::statistics_files::{SPSS, STATA};

/// Number of mutations of each file.
const MUTATIONS: usize = 600;
/// Maximum memory of a table, as a multiple of its file's size: a cell takes 16 bytes, and may be one byte of the file.
const MEMORY_MULTIPLE: usize = 20;

fn read(bytes: &[u8]) -> Result<Table, Unreadable> {
    parse(bytes, |_| false)
}

/// Replaces the bytes at the end of the first occurrence of `after`.
fn patched(bytes: &[u8], after: &[u8], put: &[u8]) -> Vec<u8> {
    let at =
        bytes.windows(after.len()).position(|part| part == after).expect("the bytes are in the file") + after.len();
    let mut bytes = bytes.to_vec();
    bytes[at..at + put.len()].copy_from_slice(put);
    bytes
}

/// The generator SplitMix64.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.below(length);
        from..(from + 1 + self.below(64)).min(length)
    }

    /// Damages a file at one to three places. Most are in its first third, which describes the rest.
    fn damage(&mut self, file: &[u8]) -> Vec<u8> {
        let mut bytes = file.to_vec();
        for _ in 0..=self.below(3) {
            let most = if self.below(2) == 0 { bytes.len() } else { bytes.len().div_ceil(3) };
            let at = self.below(most);
            match self.below(7) {
                0 => bytes[at] ^= 1 << self.below(8),
                1 => bytes[at] = self.below(256).try_into().unwrap(),
                2 => {
                    let number = [0, 1, -1, i32::MAX, i32::MIN, 255, 65_535][self.below(7)];
                    let number = if self.below(2) == 0 { number.to_le_bytes() } else { number.to_be_bytes() };
                    bytes.iter_mut().skip(at).zip(number).for_each(|(byte, new)| *byte = new);
                }
                3 => bytes.iter_mut().skip(at).take(8).for_each(|byte| *byte = 0xff),
                4 => drop(bytes.drain(self.range(most))),
                5 => {
                    let part = bytes[self.range(most)].to_vec();
                    bytes.splice(at..at, part);
                }
                _ => bytes.truncate(at.max(16)),
            }
            if bytes.len() < 16 {
                break;
            }
        }
        bytes
    }
}

/// Memory of a table, in bytes.
fn size(table: &Table) -> usize {
    let text = |text: &String| size_of::<String>() + text.capacity();
    let names: usize = table.names.iter().chain(&table.labels).map(text).sum();
    let label =
        |label: &ValueLabels| label.labels.iter().map(|(value, label)| text(value) + text(label)).sum::<usize>();
    let labels: usize = table.value_labels.iter().map(|labels| label(labels) + size_of_val(labels)).sum();
    let cells = || table.rows.iter().flatten();
    // Each text counts once, although many cells have it.
    let texts: HashMap<_, _> = cells().map(|cell| (cell.as_ptr(), 2 * size_of::<usize>() + cell.len())).collect();
    let rows = table.rows.len() * size_of::<Vec<Arc<str>>>() + cells().count() * size_of::<Arc<str>>();
    names + labels + rows + texts.values().sum::<usize>()
}

#[test]
fn damaged_files_are_refused_or_read_without_harm() {
    let mut draws = Draws(20_261_125);
    let (mut were_read, mut refusals) = (0, BTreeSet::new());
    for (name, file) in SPSS.into_iter().chain(STATA) {
        for number in 0..MUTATIONS {
            let bytes = draws.damage(file);
            match read(&bytes) {
                Ok(table) => {
                    were_read += 1;
                    assert!(table.rows.iter().all(|row| row.len() == table.names.len()), "{name} {number}");
                    assert!(size(&table) <= MEMORY_MULTIPLE * bytes.len(), "{name} {number}: {}", size(&table));
                    let mapping = match_columns(&survey(), &table);
                    respondents(&survey(), &table, &mapping, &ReservedColumns::default());
                }
                Err(refusal) => {
                    refusals.insert(refusal.to_string());
                }
            }
        }
    }
    // Some files are read and some are refused.
    assert!(were_read > 1_000, "{were_read} were read");
    assert!(refusals.len() > 40, "{refusals:#?}");
}

#[test]
fn a_file_that_ends_too_early_is_refused_wherever_it_ends() {
    for (name, file) in SPSS.into_iter().chain(STATA) {
        // Labels are the last part of an old file, which does not state their number.
        let end = if name.contains("release11") || name.contains("big114") { file.len() / 2 } else { file.len() };
        for bytes in 16..end {
            let refusal = read(&file[..bytes]);
            assert!(matches!(refusal, Err(Unreadable::CutOff { .. })), "{name} to {bytes}: {refusal:?}");
        }
    }
    let early = read(&SPSS[0].1[..300]).unwrap_err();
    assert_eq!(early.to_string(), "the file ends within the list of its variables: it is cut off or damaged");
}

#[test]
fn numbers_that_the_file_cannot_hold_take_no_memory() {
    let cut_off = |bytes: &[u8], part| assert_eq!(read(bytes), Err(Unreadable::CutOff { part }));
    let stata = STATA[4].1;
    cut_off(&patched(stata, b"<N>", &u64::MAX.to_le_bytes()), "its rows");
    cut_off(&patched(stata, b"<N>", &(u64::MAX / 700).to_le_bytes()), "its rows");
    cut_off(&patched(stata, b"<K>", &u16::MAX.to_le_bytes()), "the list of its variables");
    let spss = SPSS[0].1;
    let mut many = spss.to_vec();
    many[80..84].copy_from_slice(&i32::MAX.to_le_bytes());
    cut_off(&many, "its cases");
    // The numbers of an extension record are multiplied.
    let encoding = [7, 20, 1].map(i32::to_le_bytes).concat();
    cut_off(&patched(spss, &encoding, &i32::MAX.to_le_bytes()), "an extension record");
    let encoding = &encoding[..8];
    cut_off(&patched(spss, encoding, &[i32::MAX, i32::MAX].map(i32::to_le_bytes).concat()), "an extension record");
}

#[test]
fn a_file_without_variables_is_empty() {
    let stata = patched(STATA[4].1, b"<K>", &[0, 0]);
    assert_eq!(read(&stata), Err(Unreadable::Empty));
    let mut spss = SPSS[0].1[..176].to_vec();
    spss.extend_from_slice(&[999, 0].map(i32::to_le_bytes).concat());
    assert_eq!(read(&spss), Err(Unreadable::Empty));
}

/// Cells share their texts, so a table takes at most some 16 times the size of a file with one byte a cell.
#[test]
fn a_file_of_single_bytes_takes_memory_by_the_cell_and_has_a_most_of_cells_and_rows() {
    let mut spss = SPSS[1].1[..176].to_vec();
    spss[80..84].fill(0xff);
    for _ in 0..1_000 {
        spss.extend_from_slice(&[2, 0, 0, 0, 0, 0].map(i32::to_le_bytes).concat());
        spss.extend_from_slice(b"ONE     ");
    }
    spss.extend_from_slice(&[999, 0].map(i32::to_le_bytes).concat());
    spss.resize(spss.len() + 2_000_000, 104);
    let table = read(&spss).unwrap();
    assert_eq!((table.rows.len(), &*table.rows[1_999][999]), (2_000, "4"));
    assert!(size(&table) <= 17 * spss.len(), "{} of {}", size(&table), spss.len());
    spss.resize(spss.len() + 18_001_000, 104);
    assert_eq!(read(&spss), Err(Unreadable::TooMany { most: 20_000_000, what: "cells" }));
    let mut people = "pid\n".to_owned() + &"a\n".repeat(1_000_000);
    assert_eq!(read(people.as_bytes()).map(|table| table.rows.len()), Ok(1_000_000));
    people.push('b');
    assert_eq!(read(people.as_bytes()), Err(Unreadable::TooMany { most: 1_000_000, what: "rows" }));
}

#[test]
fn more_columns_than_questions_are_looked_for_among_are_refused() {
    let names: Vec<String> = (0..32_768).map(|number| format!("v{number}")).collect();
    let refused = Err(Unreadable::TooMany { most: 32_767, what: "columns" });
    assert_eq!(read(names.join(",").as_bytes()), refused);
    assert_eq!(read(names[1..].join(",").as_bytes()).map(|table| table.names.len()), Ok(32_767));
    // A row of empty cells takes one byte a cell in the file, but many in memory.
    let wide = format!("a,b\n1,2\n{}\n", ",".repeat(40_000));
    assert_eq!(read(wide.as_bytes()), refused);
}

/// A file of format 119 or 118 with one column of long texts, in which all rows refer to the text of the first.
fn long_texts(release: u16, rows: u64, text: &[u8], variable: u32) -> Vec<u8> {
    let mut out = format!("<stata_dta><header><release>{release}</release><byteorder>LSF</byteorder><K>").into_bytes();
    let (columns, sort, variable_bits): (&[u8], _, _) =
        if release == 119 { (&[1, 0, 0, 0], 8, 24) } else { (&[1, 0], 4, 16) };
    let mut add = |parts: &[&[u8]]| parts.iter().for_each(|part| out.extend_from_slice(part));
    add(&[columns, b"</K><N>", &rows.to_le_bytes(), b"</N><label>\0\0</label><timestamp>\0</timestamp></header><map>"]);
    add(&[&[0; 14 * 8], b"</map><variable_types>", &32_768_u16.to_le_bytes(), b"</variable_types><varnames>why"]);
    add(&[&[0; 126], b"</varnames><sortlist>", &vec![0; sort], b"</sortlist><formats>", &[0; 57], b"</formats>"]);
    add(&[b"<value_label_names>", &[0; 129], b"</value_label_names><variable_labels>", &[0; 321]]);
    add(&[b"</variable_labels><characteristics></characteristics><data>"]);
    (0..rows).for_each(|_| add(&[&(1 | (1_u64 << variable_bits)).to_le_bytes()]));
    add(&[b"</data><strls>GSO", &variable.to_le_bytes(), &1_u64.to_le_bytes(), &[130]]);
    add(&[&u32::try_from(text.len() + 1).unwrap().to_le_bytes(), text, b"\0</strls><value_labels></value_labels>"]);
    add(&[b"</stata_dta>"]);
    out
}

#[test]
fn a_long_text_may_stand_in_several_rows_but_not_in_more_than_the_file_is_worth() {
    for release in [118, 119] {
        let table = read(&long_texts(release, 3, "für".as_bytes(), 1)).unwrap();
        assert_eq!((table.names, table.rows), (vec!["why".to_owned()], vec![vec!["für".into()]; 3]), "{release}");
        let bomb = long_texts(release, 2_000, &[b'x'; 100_000], 1);
        assert_eq!(read(&bomb), Err(Unreadable::LongTexts), "{release}");
        let dangling = read(&long_texts(release, 1, b"x", 2)).unwrap_err();
        assert_eq!(dangling.to_string(), "the file is damaged: a row names a long text that is not there");
    }
}

#[test]
fn labels_that_share_their_texts_are_refused() {
    // Offsets of the texts of three labels of visits: "Never", "Often" and "Always". All are set to the last one.
    let (_, file) = STATA[4];
    let starts = [0_u32, 6, 12].map(u32::to_le_bytes).concat();
    let place = file.windows(12).position(|bytes| bytes == starts).expect("the places of three labels");
    let mut overlapping = file.to_vec();
    overlapping[place..place + 12].copy_from_slice(&[12_u32; 3].map(u32::to_le_bytes).concat());
    assert_eq!(read(&overlapping), Err(Unreadable::Damaged { reason: "labels of values overlap".into() }));
    overlapping[place..place + 4].fill(0x7f);
    assert_eq!(read(&overlapping), Err(Unreadable::Damaged { reason: "a label is outside of its texts".into() }));
}
