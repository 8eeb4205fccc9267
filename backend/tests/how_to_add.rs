//! The lists "How to add" of CONTRIBUTING.md name all files that an addition touches.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders and files that are searched for the words of an example.
const SEARCHED: [&str; 6] =
    ["backend/src", "crates", "docs", "frontend/src", "migrations", "backend/tests/access_matrix.rs"];

const GENERATED: [&str; 1] = ["frontend/src/api/schema.ts"];

/// An example of "How to add": the words by which it is found, and the files that the list names.
struct Example<'a> {
    title: &'a str,
    words: Vec<&'a str>,
    places: BTreeSet<String>,
}

/// The texts in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The sections with an example to copy, of the chapter "How to add".
fn examples(contributing: &str) -> Vec<Example<'_>> {
    let chapter =
        contributing.split("## How to add\n").nth(1).expect("the chapter").split("\n## ").next().unwrap_or("");
    let section = |section| {
        let (title, text): (&str, &str) = str::split_once(section, '\n')?;
        let (_, words) = text.split_once("Copy ")?.1.split_once(':').and_then(|(_, rest)| rest.split_once(' '))?;
        let words = words.split_once("\n\n").map_or(words, |(words, _)| words);
        let items = text.split("\n- ").skip(1).map(|item| item.split_once(':').map_or(item, |(places, _)| places));
        Some(Example {
            title,
            words: quoted(words).collect(),
            places: items.flat_map(quoted).map(str::to_owned).collect(),
        })
    };
    chapter.split("\n### ").skip(1).filter_map(section).collect()
}

/// Every file below a folder, except tests.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
    let is_test = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("tests") || name.contains(".test.") || name.ends_with("_tests.rs") || name == "testing"
    };
    entries.filter(|path| !is_test(path)).flat_map(|path| sources(&path)).collect()
}

/// The text of a source without its test module.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text)
}

/// The files that are searched, by their path below the root, with their texts.
fn texts(root: &Path) -> Vec<(String, String)> {
    SEARCHED
        .iter()
        .flat_map(|place| sources(&root.join(place)))
        .filter_map(|path| {
            let name = path.strip_prefix(root).expect("a path below the root").to_str()?.to_owned();
            Some((name, fs::read_to_string(&path).ok()?))
        })
        .filter(|(name, _)| !GENERATED.contains(&name.as_str()))
        .collect()
}

/// The variants of an enum that a text names.
fn variants<'a>(text: &'a str, of: &str) -> BTreeSet<&'a str> {
    let name = |rest: &'a str| rest.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
    let is_whole = |before: &str| !before.ends_with(|sign: char| sign.is_alphanumeric() || sign == '_');
    let places = text.match_indices(of).filter(|(at, _)| is_whole(&text[..*at]));
    places.map(|(at, of)| name(&text[at + of.len()..])).filter(|name| name.starts_with(char::is_uppercase)).collect()
}

#[test]
fn few_files_name_a_type_of_question_or_a_shape_of_answers() {
    const MAX_FILES: usize = 8;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut named: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let texts = texts(&root);
    for (file, text) in texts.iter().filter(|(file, _)| !file.starts_with("crates/survey/src/types/")) {
        for (of, of_shape) in [("QuestionType::", "type"), ("Answer::", "shape"), ("AnswerShape::", "shape")] {
            for variant in variants(without_tests(text), of) {
                named.entry(format!("{of_shape} {variant}")).or_default().insert(file);
            }
        }
    }
    assert!(named.len() > 20, "only {:?} were found", named.keys());
    for (name, files) in named {
        assert!(files.len() <= MAX_FILES, "the {name} is named in {} files: {files:?}", files.len());
    }
}

#[test]
fn contributing_names_the_files_that_an_addition_touches() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let contributing = fs::read_to_string(root.join("CONTRIBUTING.md")).expect("CONTRIBUTING.md");
    let texts = texts(&root);
    let examples = examples(&contributing);
    assert!(examples.len() >= 5, "only {} examples were found", examples.len());
    for Example { title, words, places } in examples {
        assert!(!words.is_empty() && !places.is_empty(), "{title}: no words or no places");
        let has_one = |text: &str| words.iter().any(|word| without_tests(text).contains(word));
        let found: BTreeSet<String> =
            texts.iter().filter(|(_, text)| has_one(text)).map(|(name, _)| name.clone()).collect();
        assert_eq!(found, places, "{title}: found on the left, listed on the right");
    }
}
