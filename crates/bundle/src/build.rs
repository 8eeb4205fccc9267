//! The files of a bundle that are built from what it stores. The server builds those that hold prompts before them.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use evidence::diagnostics::Thresholds;
use export::program::Program;
use export::statistics::MissingCodes;
use export::table::{CSV, Form, PARQUET, codebook, scripts};
use simulation::columns::Columns;
use simulation::diagnostics::CollectedAnswers;
use simulation::encode::Encode;
use simulation::error::Result;
use simulation::outcomes::InterviewOutcomes;
use simulation::plans::planned::PlannedAnalyses;
use simulation::run::Run;

use super::prompt_index::IndexEncoder;
use super::tables::{long_csv, long_parquet, statistics, wide};
use crate::analysis::{self, Collected};
use crate::disclosure;
use crate::documents::{self, Documented};
use crate::human::comparison;
use crate::io::{failure, write_json};
use crate::paths::{CODES, DATA_PACKAGE, RO_CRATE, STUDY, SURVEY_TEXT};
use crate::rules::BuildRules;
use crate::{data_package, ddi, plan, record, ro_crate, study, study_record, survey_text};

/// Builds all files below `root`, which holds what a bundle stores, and its prompts.
pub fn build(root: &Path, rules: &BuildRules) -> Result<()> {
    if root.join(STUDY).is_file() { study(root, rules) } else { run(root, rules) }
}

/// Builds all files of the study's runs, and then its own.
fn study(root: &Path, rules: &BuildRules) -> Result<()> {
    let record = study_record::read(root)?;
    for of_run in &record.runs {
        run(&root.join(&of_run.folder), rules)?;
    }
    study::build(&record, root, rules)
}

/// Builds all files in `folder`, which holds what the bundle of a run stores.
fn run(folder: &Path, rules: &BuildRules) -> Result<()> {
    let documented = Documented::read(folder)?;
    let run = &documented.run;
    let [data, prompts] = ["data", "prompts"].map(|name| folder.join(name));
    for folder in [&data, &prompts] {
        fs::create_dir_all(folder).map_err(|error| failure("a folder", &error))?;
    }
    let wide = |format, form, raw| wide::Encoder::new(run, Columns::of(run), format, form, raw, &rules.program);
    let texts = vec![
        Table::new(&data, "responses.csv", long_csv::Encoder::new(run, false))?,
        Table::new(&data, "matrix.csv", wide(CSV, Form::Labels, false)?)?,
        Table::new(&data, CODES, wide(CSV, Form::Codes, true)?)?,
        Table::new(&prompts, "index.csv", IndexEncoder)?,
    ];
    let mut collected = Collected::of(run);
    let mut diagnosed = CollectedAnswers::new(run, Vec::new());
    fill(run, folder, texts, |interview| {
        collected.add(run, interview);
        diagnosed.add(run, interview);
    })?;
    // The bundle does not have a server's own thresholds, so a replay could not use them.
    let diagnoses = diagnosed.diagnoses(run, Vec::new(), &Thresholds::default());
    // One after the other: each holds a group of rows in memory.
    let responses = long_parquet::Encoder::new(run, &rules.program)?;
    fill(run, folder, vec![Table::new(&data, "responses.parquet", responses)?], |_| ())?;
    let matrix = wide(PARQUET, Form::Codes, false)?;
    fill(run, folder, vec![Table::new(&data, "matrix.parquet", matrix)?], |_| ())?;
    let missing = for_statistics(run, folder, &data, Program::Spss)?;
    for_statistics(run, folder, &data, Program::Stata)?;
    let columns = Columns::of(run).described();
    fs::write(data.join("codebook.csv"), codebook::csv(&columns)).map_err(|error| failure("codebook.csv", &error))?;
    let plan = plan::read(folder)?;
    let planned = plan.as_ref().map(|(_, content)| PlannedAnalyses::new(content.clone()));
    analysis::write(run, &collected, folder, planned.as_ref(), &diagnoses)
        .map_err(|error| failure("analysis", &error))?;
    comparison::build(run, folder)?;
    if let Some((record, content)) = plan {
        plan::build(record, &content.plan.title, folder, rules)?;
    }
    if !rules.have_words() {
        return Ok(());
    }
    fs::write(folder.join(SURVEY_TEXT), survey_text::text(&run.survey))
        .map_err(|error| failure(SURVEY_TEXT, &error))?;
    for (name, bytes) in [
        ("codebook.xml", ddi::codebook(run, CODES, &missing).into_bytes()),
        ("read.R", scripts::r(&columns, CODES, &run.notice).into_bytes()),
        ("read.py", scripts::python(&columns, CODES, &run.notice).into_bytes()),
        ("read.do", scripts::stata(&columns, CODES, &run.notice).into_bytes()),
    ] {
        fs::write(data.join(name), bytes).map_err(|error| failure(name, &error))?;
    }
    let sheet = disclosure::sheet(std::slice::from_ref(&documented));
    for (name, words) in documents::of(&documented).into_iter().chain([("disclosure.md", sheet)]) {
        fs::write(folder.join(name), words).map_err(|error| failure(name, &error))?;
    }
    // The last files, because they describe the others: first the tables, then all files.
    let package = data_package::of(run, folder)?;
    write_json(folder, DATA_PACKAGE, &package)?;
    let described = ro_crate::of(run, folder)?;
    write_json(folder, RO_CRATE, &described)
}

/// Writes the interviews into these tables, in one pass; `see` is called with each interview.
fn fill(run: &Run, folder: &Path, mut tables: Vec<Table>, mut see: impl FnMut(&InterviewOutcomes)) -> Result<()> {
    for page in record::interviews(run, folder)? {
        let page = page?;
        page.iter().for_each(&mut see);
        for table in &mut tables {
            table.write(|encode, bytes| encode.page(run, &page, bytes))?;
        }
    }
    for mut table in tables {
        table.write(|encode, bytes| encode.tail(bytes))?;
        table.end()?;
    }
    Ok(())
}

/// A file that is a head, then rows, then a tail.
struct Table {
    name: &'static str,
    out: BufWriter<File>,
    encode: Box<dyn Encode>,
}

impl Table {
    fn new(folder: &Path, name: &'static str, encode: impl Encode + 'static) -> Result<Self> {
        let file = File::create(folder.join(name)).map_err(|error| failure(name, &error))?;
        let mut table = Self { name, out: BufWriter::new(file), encode: Box::new(encode) };
        table.write(|encode, bytes| {
            *bytes = encode.head();
            Ok(())
        })?;
        Ok(table)
    }

    fn write(&mut self, part: impl FnOnce(&mut dyn Encode, &mut Vec<u8>) -> Result<()>) -> Result<()> {
        let mut bytes = Vec::new();
        part(&mut *self.encode, &mut bytes)?;
        self.out.write_all(&bytes).map_err(|error| failure(self.name, &error))
    }

    fn end(mut self) -> Result<()> {
        self.out.flush().map_err(|error| failure(self.name, &error))
    }
}

fn for_statistics(run: &Run, folder: &Path, data: &Path, program: Program) -> Result<MissingCodes> {
    let name = format!("matrix.{}", program.extension());
    let file = File::create(data.join(&name)).map_err(|error| failure(&name, &error))?;
    statistics::build(program, &file, data, run, record::interviews(run, folder)?)
}
