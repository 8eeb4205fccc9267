//! The files of a bundle that are built from what it stores.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use tokio::sync::mpsc;

use super::{documents, record};
use crate::error::{Error, Result};
use crate::results::files::statistics::{self, Program};
use crate::results::files::wide::columns::{Columns, Form};
use crate::results::files::wide::text::TextFormat;
use crate::results::files::wide::{codebook, parquet, scripts, text};
use crate::results::files::{Feed, PAGES_AHEAD, csv, long_parquet};
use crate::results::run::Run;
use crate::results::stream::Encode;

const CODES: &str = "matrix-codes.csv";

/// Builds all files in `folder`, which holds what a bundle stores.
pub(super) fn build(run: &Run, folder: &Path) -> Result<()> {
    let data = folder.join("data");
    fs::create_dir_all(&data).map_err(|error| failure("data", &error))?;
    let csv = |form, raw| text::Encoder::new(Columns::of(run), form, TextFormat::Csv { raw });
    let texts = vec![
        Table::new(&data, "responses.csv", csv::Encoder::new(run, false))?,
        Table::new(&data, "matrix.csv", csv(Form::Labels, false))?,
        Table::new(&data, CODES, csv(Form::Codes, true))?,
    ];
    fill(run, folder, texts)?;
    // One after the other: each holds a group of rows in memory.
    fill(run, folder, vec![Table::new(&data, "responses.parquet", long_parquet::Encoder::new(run)?)?])?;
    let matrix = parquet::Encoder::new(run, Columns::of(run), Form::Codes)?;
    fill(run, folder, vec![Table::new(&data, "matrix.parquet", matrix)?])?;
    for program in [Program::Spss, Program::Stata] {
        for_statistics(run, folder, &data, program)?;
    }
    let columns = Columns::of(run);
    for (name, bytes) in [
        ("codebook.csv", codebook::csv(&columns)),
        ("read.R", scripts::r(&columns, CODES, &run.notice).into_bytes()),
        ("read.py", scripts::python(&columns, CODES, &run.notice).into_bytes()),
    ] {
        fs::write(data.join(name), bytes).map_err(|error| failure(name, &error))?;
    }
    for (name, words) in documents::of(run) {
        fs::write(folder.join(name), words).map_err(|error| failure(name, &error))?;
    }
    Ok(())
}

/// Writes the interviews into these tables, in one pass.
fn fill(run: &Run, folder: &Path, mut tables: Vec<Table>) -> Result<()> {
    for page in record::interviews(run, folder)? {
        let page = page?;
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

fn for_statistics(run: &Run, folder: &Path, data: &Path, program: Program) -> Result<()> {
    let name = format!("matrix.{}", program.extension());
    let file = File::create(data.join(&name)).map_err(|error| failure(&name, &error))?;
    let (pages, inbox) = mpsc::channel(PAGES_AHEAD);
    std::thread::scope(|scope| {
        let fed = scope.spawn(move || {
            for page in record::interviews(run, folder)? {
                // A writer that has ended returns its own error.
                if pages.blocking_send(Feed::Page(page?)).is_err() {
                    return Ok(());
                }
            }
            let _ = pages.blocking_send(Feed::End);
            Ok::<(), Error>(())
        });
        // A thread of its own, since the caller's may belong to a runtime, which must not be blocked.
        let build = scope.spawn(|| statistics::build(program, &file, data, run, inbox));
        let built = build.join().map_err(|_| Error::internal(format!("{name}: its writer ended")))?;
        fed.join().map_err(|_| Error::internal(format!("{name}: its reader ended")))??;
        built.map_err(|error| failure(&name, &error))
    })
}

fn failure(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::internal(format!("{name}: {error}"))
}
