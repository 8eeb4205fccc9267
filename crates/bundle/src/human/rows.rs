//! `human/rows.csv`, where the survey's author asked for it: people's answers, a row a person, as far as they count. Answers are
//! numbers or the places of options, so that nothing else of a cell is passed on.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use evidence::compare::{Column, Item, ItemKind, Respondents};
use evidence::upload::Reading;
use export::csv::{self, TableCell, line};
use serde_json::{Value, json};
use simulation::error::{Error, Result};

use crate::human::samples::SampleRecord;
use crate::paths::ROWS;

/// Prefix of the name of an attribute, which may be the name of a question.
const ATTRIBUTE: &str = "attribute.";
/// Separator of the places of options.
const AND: char = ';';
/// Cell of a person who chose none of several options.
const NOTHING: &str = "0";
const FIRST_COLUMNS: [(&str, &str, &str); 5] = [
    ("sample", "integer", "The sample's number in samples.json"),
    ("personaPid", "string", "The id of the person's twin, where this run asked it; no other id of a person is told"),
    ("arm", "string", "The arm of the person"),
    ("weight", "number", "What the person counts for; empty: 1"),
    ("probability", "number", "With which the person was drawn"),
];

/// The columns of samples with these attributes: name, type of Data Package, and what they hold.
pub fn columns(attributes: &[String], items: &[Item]) -> Vec<(String, &'static str, String)> {
    let first = FIRST_COLUMNS.iter().map(|(name, kind, title)| ((*name).to_owned(), *kind, (*title).to_owned()));
    let attribute = |name: &String| (format!("{ATTRIBUTE}{name}"), "string", format!("People's {name}"));
    let answer = |item: &Item| {
        let of = |labels: &[String]| {
            let options = (1..).zip(labels).map(|(place, label)| format!("{place} {label}")).collect::<Vec<_>>();
            if options.is_empty() { String::new() } else { format!(" ({})", options.join("; ")) }
        };
        let name = csv::guarded(&item.name).into_owned();
        match &item.kind {
            ItemKind::Single { labels, .. } => (name, "number", format!("{}{}", item.text, of(labels))),
            ItemKind::Multiple { labels } => {
                let title = format!("{}: the places of the options chosen, {NOTHING}: none{}", item.text, of(labels));
                (name, "string", title)
            }
        }
    };
    first.chain(attributes.iter().map(attribute)).chain(items.iter().map(answer)).collect()
}

/// The file while it is written.
pub struct RowsFile {
    out: BufWriter<File>,
    attributes: Vec<String>,
    items: Vec<Item>,
    twins: HashSet<String>,
}

impl RowsFile {
    /// `twins`: the ids of the run's.
    pub fn create(path: &Path, attributes: Vec<String>, items: Vec<Item>, twins: HashSet<String>) -> io::Result<Self> {
        let mut out = BufWriter::new(File::create(path)?);
        // Only the mark of its encoding.
        let mark = csv::head(&[]);
        out.write_all(mark.trim_ascii_end())?;
        let names = columns(&attributes, &items);
        line(&mut out, names.iter().map(|(name, ..)| TableCell::Words(name)))?;
        Ok(Self { out, attributes, items, twins })
    }

    /// The people of a sample, in the order of their file.
    pub fn add(&mut self, sample: usize, of: &Reading) -> io::Result<()> {
        let people = &of.respondents;
        for row in 0..people.ids.len() {
            let id = people.ids[row].as_str();
            let text =
                |texts: Option<&Vec<String>>| texts.and_then(|texts| texts.get(row)).cloned().unwrap_or_default();
            let attribute = |name: &String| {
                let levels = people.attributes.get(name).and_then(|levels| levels.get(row)).cloned();
                levels.flatten().unwrap_or_default()
            };
            let (arm, attributes) =
                (text(people.arms.as_ref()), self.attributes.iter().map(attribute).collect::<Vec<_>>());
            let exact = |numbers: Option<&Vec<f64>>| exact(numbers.and_then(|numbers| numbers.get(row)).copied());
            let selections: Vec<Option<String>> =
                self.items.iter().map(|item| selection(people.answers.get(&item.name), row)).collect();
            let answers = self.items.iter().zip(&selections).map(|(item, chosen)| match chosen {
                Some(chosen) => TableCell::Words(chosen),
                None => TableCell::Value(number(people.answers.get(&item.name), row)),
            });
            let pid = if of.has_ids && self.twins.contains(id) { id } else { "" };
            let first = [
                TableCell::Value(json!(sample)),
                TableCell::Words(pid),
                TableCell::Words(&arm),
                exact(people.weights.as_ref()),
                exact(people.probabilities.as_ref()),
            ];
            let attributes = attributes.iter().map(|level| TableCell::Words(level));
            line(&mut self.out, first.into_iter().chain(attributes).chain(answers))?;
        }
        Ok(())
    }

    pub fn end(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes the number to its last digit: the same figures must follow from the rows as from the sample.
fn exact(value: Option<f64>) -> TableCell<'static> {
    TableCell::Value(value.map_or(Value::Null, |value| json!(value)))
}

fn number(column: Option<&Column>, row: usize) -> Value {
    let Some(Column::Numbers(numbers)) = column else { return Value::Null };
    match numbers.get(row).copied().flatten() {
        // Every place of an option is whole.
        Some(number) if number.fract() == 0.0 && number.abs() < 1e15 => json!(number as i64),
        Some(number) => json!(number),
        None => Value::Null,
    }
}

fn selection(column: Option<&Column>, row: usize) -> Option<String> {
    let Some(Column::Selections(all)) = column else { return None };
    let chosen = all.get(row)?.as_ref()?;
    let places = (1..).zip(chosen).filter(|(_, is_chosen)| **is_chosen).map(|(place, _): (usize, _)| place.to_string());
    let places = places.collect::<Vec<_>>().join(&AND.to_string());
    Some(if places.is_empty() { NOTHING.to_owned() } else { places })
}

/// The people of each sample that has rows. Names of columns and texts are as the file has them.
pub fn read(folder: &Path, samples: &[SampleRecord], items: &[Item]) -> Result<BTreeMap<usize, Respondents>> {
    let wrong = |reason: String| Error::bad_input(format!("{ROWS}: {reason}"));
    let file = std::fs::read(folder.join(ROWS)).map_err(|error| wrong(error.to_string()))?;
    let text = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&file);
    let mut reader = ::csv::Reader::from_reader(text);
    let names = reader.headers().map_err(|error| wrong(error.to_string()))?.clone();
    let place_of = |name: &str| names.iter().position(|known| known == name);
    let columns: Vec<(&Item, Option<usize>)> =
        items.iter().map(|item| (item, place_of(&csv::guarded(&item.name)))).collect();
    let mut all: BTreeMap<usize, Respondents> = BTreeMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| wrong(error.to_string()))?;
        let cell = |place: usize| record.get(place).unwrap_or_default();
        let number = |cell: &str| -> Result<Option<f64>> {
            let parsed = (!cell.is_empty()).then(|| cell.parse::<f64>()).transpose();
            parsed.map_err(|_| wrong(format!("{cell} is no number")))
        };
        let sample: usize = cell(0).parse().map_err(|_| wrong(format!("{} is no sample", cell(0))))?;
        let of = samples.iter().find(|of| of.sample == sample);
        let of = of.ok_or_else(|| wrong(format!("there is no sample {sample}")))?;
        let people = all.entry(sample).or_default();
        people.ids.push(match cell(1) {
            "" => format!("row {}", people.ids.len() + 1),
            pid => csv::unguarded(pid).to_owned(),
        });
        if of.arm.is_some() {
            people.arms.get_or_insert_default().push(csv::unguarded(cell(2)).to_owned());
        }
        if of.weights.is_some() {
            people.weights.get_or_insert_default().push(number(cell(3))?.unwrap_or(1.0));
        }
        for (item, place) in &columns {
            let Some(cell) = place.map(cell) else { continue };
            match &item.kind {
                ItemKind::Single { .. } => {
                    let answers = people.answers.entry(item.name.clone());
                    let Column::Numbers(answers) = answers.or_insert_with(|| Column::Numbers(Vec::new())) else {
                        continue;
                    };
                    answers.push(number(cell)?);
                }
                ItemKind::Multiple { labels } => {
                    let answers = people.answers.entry(item.name.clone());
                    let Column::Selections(answers) = answers.or_insert_with(|| Column::Selections(Vec::new())) else {
                        continue;
                    };
                    let chosen: Vec<&str> = cell.split(AND).collect();
                    let is_chosen = |place: usize| chosen.iter().any(|known| *known == place.to_string());
                    answers.push((!cell.is_empty()).then(|| (1..=labels.len()).map(is_chosen).collect()));
                }
            }
        }
    }
    Ok(all)
}
