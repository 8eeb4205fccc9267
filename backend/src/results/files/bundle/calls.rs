//! `run/calls.jsonl`: how the prompts of unusual calls are built again: of requests that were asked again, of resumed
//! interviews, of servers that refuse a part of a request. Every other prompt follows from the run and the twin.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use ::bundle::io::JsonLines;
use ::bundle::paths::CALLS;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use simulation::run::Run;
use survey::hex::hex;

use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::llm::prompt::Recipe;
use crate::models::responses;

/// Recipes that are read at a time.
const MAX_RECIPES_READ: i64 = 10_000;

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallRecord<R> {
    /// SHA-256 of the request's body, as hex.
    prompt_hash: String,
    recipe: R,
}

/// Writes the file to `path`, if there is an unusual call.
pub async fn write(pool: &AsyncPool, run: &Run, path: &Path) -> Result<()> {
    let failure = |error: std::io::Error| Error::internal(format!("{CALLS}: {error}"));
    let mut lines = JsonLines::where_needed(path);
    let mut after = Vec::new();
    loop {
        let page = db::in_time(async {
            let mut conn = db::checkout(pool).await?;
            Ok(responses::recipes(&mut conn, run.facts.id, &after, MAX_RECIPES_READ).await?)
        });
        let page: Vec<(Vec<u8>, Value)> = page.await?;
        let Some((last, _)) = page.last() else { break };
        after.clone_from(last);
        for (hash, recipe) in page {
            lines.write(&CallRecord { prompt_hash: hex(&hash), recipe }).map_err(failure)?;
        }
    }
    lines.end().map_err(failure)
}

/// Reads the recipes of an opened bundle by the hash of their prompt. Without the file there are none.
pub fn read(folder: &Path) -> Result<HashMap<String, Recipe>> {
    let path = folder.join(CALLS);
    if !path.is_file() {
        return Ok(HashMap::new());
    }
    let wrong = |error: std::io::Error| Error::bad_input(format!("{CALLS}: {error}"));
    let line = |line: std::io::Result<String>| {
        let call: CallRecord<Recipe> = serde_json::from_str(&line.map_err(wrong)?)
            .map_err(|error| Error::bad_input(format!("{CALLS}: {error}")))?;
        Ok((call.prompt_hash, call.recipe))
    };
    BufReader::new(File::open(path).map_err(wrong)?).lines().map(line).collect()
}
