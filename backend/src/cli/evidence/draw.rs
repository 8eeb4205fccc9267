//! `twinlab evidence draw`: draws people to ask among the persons of the twins, with known probabilities.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use evidence::options::ComparisonOptions;
use evidence::upload::{self, ReservedColumns};
use random::{below, generator};

use crate::error::{Error, Result};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Twins, one row each, with a column pid, TWIN_ID or personaPid: CSV, .sav or .dta
    #[arg(long, value_name = "FILE")]
    twins: PathBuf,
    /// Number of people to draw; with --by from each value of the column, or all if there are fewer
    #[arg(short, long)]
    n: usize,
    /// Draw separately from each value of this column
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// Seed: the same one draws the same people
    #[arg(long, default_value_t = 1)]
    seed: i64,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let bad = |reason: String| Error::bad_input(format!("{}: {reason}", args.twins.display()));
    let bytes = std::fs::read(&args.twins).map_err(|reason| bad(reason.to_string()))?;
    let table = upload::table(&bytes, &[]).map_err(|refusal| bad(refusal.to_string()))?;
    let reserved = ReservedColumns { attributes: args.by.iter().cloned().collect(), ..ReservedColumns::default() };
    let read = upload::read(&table, &[], &reserved, &ComparisonOptions::default());
    let reading = read.map_err(|refusal| bad(refusal.to_string()))?.reading;
    if !reading.has_ids {
        return Err(bad("no column pid, TWIN_ID or personaPid says who the twins are".to_owned()));
    }
    if args.n == 0 {
        return Err(Error::bad_input("--n must be at least 1"));
    }
    let level = |row: usize| {
        let name = args.by.as_ref()?;
        reading.respondents.attributes.get(name)?.get(row)?.clone()
    };
    // A twin may have a row for each arm.
    let mut seen = BTreeSet::new();
    let mut strata: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (row, id) in reading.respondents.ids.iter().enumerate() {
        if seen.insert(id) {
            strata.entry(level(row).unwrap_or_default()).or_default().push(id);
        }
    }
    say!("pid,probability{}", args.by.as_ref().map(|name| format!(",{}", cell(name))).unwrap_or_default());
    for (level, mut ids) in strata {
        let n = args.n.min(ids.len());
        let probability = n as f64 / ids.len() as f64;
        let mut random = generator(args.seed, &[b"draw", level.as_bytes()]);
        for place in 0..n {
            let other = place + below(ids.len() - place, &mut random);
            ids.swap(place, other);
            let of_level = args.by.as_ref().map(|_| format!(",{}", cell(&level))).unwrap_or_default();
            say!("{},{probability}{of_level}", cell(ids[place]));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Formats a cell of CSV.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
