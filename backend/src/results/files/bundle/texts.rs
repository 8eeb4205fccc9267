//! The exact prompts, where they were asked for: `run/texts.jsonl` has the twins' texts, and `prompts/texts/` is built from
//! them.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use ::bundle::io::JsonLines;
use ::bundle::paths::TEXTS;
use ::bundle::record;
use serde::{Deserialize, Serialize};
use simulation::run::Run;
use survey::hex::hex;

use super::{asked, calls};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::simulation_personas;

/// Texts that are read at a time: a full one has 170 KB.
const MAX_TEXTS_READ: i64 = 64;
/// Size at which a file of prompts is ended.
const FILE_BYTES: u64 = 64 * 1024 * 1024;
/// Size limit of all prompts of a run.
const MAX_PROMPT_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// A line of `run/texts.jsonl`, by id.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TwinText {
    persona_id: i32,
    text: String,
}

/// A line of `prompts/texts/`, in the order of `index.csv`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PromptText<'a> {
    /// SHA-256 of the body, as hex.
    prompt_hash: String,
    persona_id: i32,
    /// Body of the request, byte for byte.
    body: &'a str,
}

/// Fails if it is not known whether the texts of the twins may be passed on.
pub(super) fn may_be_shown(run: &Run) -> Result<()> {
    if run.texts_may_be_shown() {
        return Ok(());
    }
    Err(Error::bad_input(format!(
        "prompts hold the texts of the twins, and whether those of {} may be passed on is not known: only twins of \
         Twin-2K-500 (CC BY 4.0), invented ones and those that were added by hand are written into a bundle",
        run.personas_source
    )))
}

/// Writes `run/texts.jsonl` to `path`.
pub(super) async fn write(pool: &AsyncPool, run: &Run, path: &Path) -> Result<()> {
    let failure = |error: std::io::Error| Error::internal(format!("{TEXTS}: {error}"));
    let mut lines = JsonLines::create(path).map_err(failure)?;
    let per_call = usize::from(run.parameters.questions_per_call.max(1));
    let calls = run.questions.len().div_ceil(per_call) as u64;
    let (variant, mut after, mut bytes) = (run.parameters.persona_variant, 0, 0);
    loop {
        let page = db::in_time(async {
            let mut conn = db::checkout(pool).await?;
            Ok(simulation_personas::texts(&mut conn, run.facts.id, variant, after, MAX_TEXTS_READ).await?)
        });
        let page: Vec<(i32, Option<String>)> = page.await?;
        let Some((last, _)) = page.last() else { break };
        after = *last;
        for (persona_id, text) in page {
            // The twin was erased.
            let Some(text) = text else { continue };
            bytes += text.len() as u64 * calls;
            if bytes > MAX_PROMPT_BYTES {
                return Err(Error::bad_input(
                    "the prompts of this run are more than 4 GB: ask for its bundle without them",
                ));
            }
            lines.write(&TwinText { persona_id, text }).map_err(failure)?;
        }
    }
    lines.end().map_err(failure)
}

/// Builds `prompts/texts/` in the folder of an opened bundle that has the twins' texts. What another version of the program
/// asked, and this one would ask otherwise, is left out.
pub(super) fn build(run: &Run, folder: &Path) -> Result<()> {
    let texts = folder.join(TEXTS);
    if !texts.is_file() {
        return Ok(());
    }
    let wrong = |error: &dyn std::fmt::Display| Error::bad_input(format!("{TEXTS}: {error}"));
    let recipes = calls::read(folder)?;
    let mut lines = BufReader::new(File::open(texts).map_err(|error| wrong(&error))?).lines();
    let mut next = || -> Result<Option<TwinText>> {
        let Some(line) = lines.next() else { return Ok(None) };
        let line = line.map_err(|error| wrong(&error))?;
        serde_json::from_str(&line).map(Some).map_err(|error| wrong(&error))
    };
    let mut files = PromptFiles::new(folder.join("prompts/texts"))?;
    let mut text = next()?;
    for page in record::interviews(run, folder)? {
        for interview in page? {
            let id = interview.persona.id;
            while text.as_ref().is_some_and(|text| text.persona_id < id) {
                text = next()?;
            }
            let Some(of) = text.as_ref().filter(|text| text.persona_id == id) else { continue };
            for (asked, prompt) in asked::worded(run, &interview, &of.text, &recipes)? {
                if let Some(prompt) = prompt.filter(|prompt| prompt.hash()[..] == *asked.hash) {
                    files.write(&PromptText { prompt_hash: hex(asked.hash), persona_id: id, body: prompt.body() })?;
                }
            }
        }
    }
    files.end()
}

/// `0001.jsonl` and so on; the first one is there even without a prompt.
struct PromptFiles {
    folder: PathBuf,
    number: u32,
    out: BufWriter<File>,
    bytes: u64,
}

impl PromptFiles {
    fn new(folder: PathBuf) -> Result<Self> {
        fs::create_dir_all(&folder).map_err(failure)?;
        Ok(Self { number: 1, out: Self::file(&folder, 1)?, folder, bytes: 0 })
    }

    fn file(folder: &Path, number: u32) -> Result<BufWriter<File>> {
        File::create(folder.join(format!("{number:04}.jsonl"))).map(BufWriter::new).map_err(failure)
    }

    fn write(&mut self, prompt: &PromptText<'_>) -> Result<()> {
        let mut line = serde_json::to_vec(prompt).map_err(|error| failure(error.into()))?;
        line.push(b'\n');
        if self.bytes >= FILE_BYTES {
            self.out.flush().map_err(failure)?;
            self.number += 1;
            self.out = Self::file(&self.folder, self.number)?;
            self.bytes = 0;
        }
        self.bytes += line.len() as u64;
        self.out.write_all(&line).map_err(failure)
    }

    fn end(mut self) -> Result<()> {
        self.out.flush().map_err(failure)
    }
}

fn failure(error: std::io::Error) -> Error {
    Error::internal(format!("prompts/texts: {error}"))
}
