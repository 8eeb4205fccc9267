//! Turns rows into personas: checks cells, finds demographics, gives names.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use simulation::persona_source::own_files;

use super::columns::{ColumnPlan, ColumnRole, ImportOptions, plan};
use super::demographics::{self, Attributes};
use super::questionnaire;
use super::record::{MAX_CELL_BYTES, Record, RecordPlace, RowRejection, Unreadable};
use super::table::{PersonaTable, Records};
use crate::error::{Error, Result};
use crate::models::held_out::HeldOutQuestion;
use crate::models::personas::NewPersona;
use crate::validation::overlap;

/// Length limit of an id or a name in characters.
const MAX_NAME_CHARS: usize = 200;
/// Number of personas whose questions are collected: branches make the lists differ a little.
const MAX_QUESTIONNAIRES: usize = 50;
/// Length limit of an attribute's value in characters. A longer value is prose, not a category to group answers by.
const MAX_ATTRIBUTE_CHARS: usize = 200;

/// A file to read.
struct Input<'a> {
    path: &'a Path,
    /// File name in messages.
    label: String,
    /// File name in the set's source.
    name: String,
}

/// Opens the files of one set in the given order (Twin-2K-500's `wave_split` comes in parts) and checks their headers.
/// The iterator reads the rows. Errors are bad input that names file and position.
pub fn open(files: &[PathBuf], options: ImportOptions) -> Result<Profiles> {
    let inputs = files.iter().map(|path| Input {
        path,
        label: path.display().to_string(),
        name: path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
    });
    open_all(&inputs.collect::<Vec<_>>(), options)
}

/// Opens one file that has another name on this machine.
pub fn open_named(path: &Path, name: &str, options: ImportOptions) -> Result<Profiles> {
    open_all(&[Input { path, label: name.to_owned(), name: name.to_owned() }], options)
}

fn open_all(files: &[Input<'_>], options: ImportOptions) -> Result<Profiles> {
    let mut opened = Vec::new();
    for Input { path, label, .. } in files {
        let table = PersonaTable::open(label.clone(), path)?;
        let plan = plan(label, table.header(), options.variant)?;
        opened.push(Source { file: label.clone(), plan, header: table.header().to_vec(), table: Some(table) });
    }
    let Some(first) = opened.first() else { return Err(Error::bad_input("no persona file given")) };
    let of_one_kind = |source: &Source| {
        let texts = |plan: &ColumnPlan| {
            [ColumnRole::Summary, ColumnRole::FullText].map(|role| plan.columns.iter().any(|c| c.1 == role))
        };
        texts(&source.plan) == texts(&first.plan)
    };
    if let Some(other) = opened.iter().find(|source| !of_one_kind(source)) {
        let message = format!("{}: holds other texts than {}: one set needs one kind of file", other.file, first.file);
        return Err(Error::bad_input(message));
    }
    let source = describe(files, &opened, options);
    opened.reverse();
    Ok(Profiles { source, waiting: opened, current: None, seen: HashMap::new(), rows: 0, failed: false })
}

/// The source of the set: the data set that was named or whose columns all files have, and the names of the files.
fn describe(files: &[Input<'_>], opened: &[Source], options: ImportOptions) -> String {
    let names: Vec<&str> = files.iter().map(|input| &*input.name).collect();
    let first = opened.first().map(|source| &source.plan);
    let found = first
        .and_then(|plan| plan.dataset)
        .filter(|dataset| opened.iter().all(|source| source.plan.dataset == Some(*dataset)));
    match (options.dataset.or(found), first) {
        (Some(dataset), Some(plan)) => dataset.source(plan.part, &names),
        _ => own_files(&names),
    }
}

struct Source {
    file: String,
    plan: ColumnPlan,
    header: Vec<String>,
    /// `None` once its rows are being read.
    table: Option<PersonaTable>,
}

/// The personas of the files, in their order. The iterator stops at the first bad row; [`Profiles::next_row`] continues
/// after it.
pub struct Profiles {
    source: String,
    /// Files that are not read yet, in reverse order.
    waiting: Vec<Source>,
    current: Option<(Source, Records)>,
    /// File and position of every id so far.
    seen: HashMap<String, (usize, RecordPlace)>,
    /// Number of rows read so far, including bad ones.
    rows: usize,
    failed: bool,
}

impl Profiles {
    /// The source of the set, for example `Twin-2K-500 full_persona (twins.parquet)`.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Reads the next row. After [`Unreadable::File`] there is none.
    pub fn next_row(&mut self) -> Option<Result<NewPersona, Unreadable>> {
        if self.failed {
            return None;
        }
        let row = self.step().transpose();
        self.failed = matches!(row, Some(Err(Unreadable::File(_))));
        row
    }

    fn step(&mut self) -> Result<Option<NewPersona>, Unreadable> {
        loop {
            if let Some((source, records)) = &mut self.current {
                if let Some(record) = records.next() {
                    self.rows += 1;
                    let number = self.seen.len() + 1;
                    let (persona, place) = profile(source, record?, number)?;
                    return self.once(persona, place).map(Some);
                }
                if self.rows == 0 {
                    return Err(Error::bad_input(format!("{}: a header and no rows", source.file)).into());
                }
            }
            let Some(mut source) = self.waiting.pop() else { return Ok(None) };
            let Some(table) = source.table.take() else { return Ok(None) };
            let records = table.records(source.plan.columns.iter().map(|(position, _)| *position).collect());
            self.current = Some((source, records));
        }
    }

    /// Fails if the id has occurred before.
    fn once(&mut self, persona: NewPersona, place: RecordPlace) -> Result<NewPersona, Unreadable> {
        let Some((source, _)) = &self.current else { return Ok(persona) };
        let file_number = self.waiting.len();
        if let Some((its_file, its_place)) = self.seen.get(&persona.pid) {
            let whose = if *its_file == file_number { "" } else { " of an earlier file" };
            let column = source.column(&ColumnRole::Id).unwrap_or("id").to_owned();
            let reason = format!("the id {:?} was already in {its_place}{whose}", persona.pid);
            return Err(Unreadable::Row(RowRejection { place, column: Some(column), reason }));
        }
        self.seen.insert(persona.pid.clone(), (file_number, place));
        Ok(persona)
    }
}

impl Source {
    fn column(&self, role: &ColumnRole) -> Option<&str> {
        let (position, _) = self.plan.columns.iter().find(|(_, of)| of == role)?;
        self.header.get(*position).map(|name| name.trim())
    }
}

impl Iterator for Profiles {
    type Item = Result<NewPersona>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.next_row()?;
        self.failed = row.is_err();
        Some(row.map_err(|unreadable| match unreadable {
            Unreadable::File(error) => error,
            Unreadable::Row(rejection) => {
                let file = self.current.as_ref().map_or("", |(source, _)| &source.file);
                Error::bad_input(format!("{file}: {rejection}"))
            }
        }))
    }
}

/// Returns the id of a held-out question that is also in the person's profile.
fn leaked_question(persona: &NewPersona) -> Option<&str> {
    let profile: HashSet<String> = persona.profile_questions.iter().map(|text| overlap::normal(text)).collect();
    let mut held_out = persona.held_out.iter().map(|of| &of.question);
    let whole = |question: &HeldOutQuestion| overlap::normal(&question.texts().collect::<Vec<_>>().join("\n"));
    held_out.find(|question| profile.contains(&whole(question))).map(|question| question.qid.as_str())
}

/// Makes the persona of one record. `number` is its position in the set, from 1.
fn profile(source: &Source, record: Record, number: usize) -> Result<(NewPersona, RecordPlace), Unreadable> {
    let place = record.place;
    let mut persona = NewPersona::default();
    let mut extra = Attributes::new();
    let mut waves = [String::new(), String::new()];
    for ((position, role), cell) in source.plan.columns.iter().zip(record.cells) {
        let refuse = |what: &str| {
            let column = Some(source.header[*position].trim().to_owned());
            Err(Unreadable::Row(RowRejection { place, column, reason: what.to_owned() }))
        };
        let cell = cell.unwrap_or_default();
        if cell.contains('\0') {
            return refuse("a NUL character, which no text may hold");
        }
        if cell.len() > MAX_CELL_BYTES {
            return refuse(&format!("longer than {} MB", MAX_CELL_BYTES >> 20));
        }
        let line = cell.trim();
        match role {
            ColumnRole::Id | ColumnRole::Name if line.chars().count() > MAX_NAME_CHARS => {
                return refuse(&format!("longer than {MAX_NAME_CHARS} characters"));
            }
            ColumnRole::Id | ColumnRole::Summary | ColumnRole::FullText if line.is_empty() => return refuse("blank"),
            ColumnRole::Id => persona.pid = line.to_owned(),
            ColumnRole::Name => persona.name = line.to_owned(),
            ColumnRole::Description => persona.description = line.to_owned(),
            ColumnRole::Summary => persona.summary = Some(cell),
            ColumnRole::FullText => persona.full_text = Some(cell),
            ColumnRole::HeldOutFirst => waves[0] = cell,
            ColumnRole::HeldOutSecond => waves[1] = cell,
            ColumnRole::Questionnaire => {
                let named =
                    if number > MAX_QUESTIONNAIRES { Ok(Vec::new()) } else { questionnaire::profile_questions(&cell) };
                match named.and_then(|named| Ok((named, questionnaire::profile_answers(&cell)?))) {
                    Ok((named, answers)) => (persona.profile_questions, persona.profile_answers) = (named, answers),
                    // For later personas only the answers are missing then.
                    Err(_) if number > MAX_QUESTIONNAIRES => {}
                    Err(error) => return refuse(&format!("no JSON: {error}")),
                }
            }
            ColumnRole::Attribute(name) => {
                if !line.is_empty() && line.chars().take(MAX_ATTRIBUTE_CHARS + 1).count() <= MAX_ATTRIBUTE_CHARS {
                    extra.insert(name.clone(), line.to_owned());
                }
            }
        }
    }
    // A person who did not take part in the second wave has no held-out answers.
    if waves.iter().all(|wave| !wave.trim().is_empty()) {
        let refuse = |reason: String| Unreadable::Row(RowRejection { place, column: None, reason });
        persona.held_out = questionnaire::held_out(&waves[0], &waves[1])
            .map_err(|error| refuse(format!("the answers of wave 4 are no JSON: {error}")))?;
        if let Some(leaked) = leaked_question(&persona) {
            return Err(refuse(format!("the question {leaked} of wave 4 is also in the profile")));
        }
    }
    persona.attributes = persona.summary.as_deref().map(demographics::read).unwrap_or_default();
    persona.attributes.extend(extra);
    if persona.pid.is_empty() {
        persona.pid = number.to_string();
    }
    if persona.name.is_empty() {
        persona.name = format!("Twin {number}");
    }
    if persona.description.is_empty() {
        persona.description = demographics::description(&persona.attributes);
    }
    Ok((persona, place))
}
