//! `twinlab bundle` and `twinlab replay`: a run or a study as one zip that proves its tables.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::app::Database;
use crate::config::Config;
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::studies;
use crate::results::files::bundle::{
    self, BundleParts, BundleRequest, Bundled, Difference, OtherVersion, RawReplies, Replay,
};
use crate::schema::simulations;
use crate::scratch::Scratch;

/// Exit code if some files differ from the bundle's.
const DIFFERS: u8 = 3;

#[derive(Debug, clap::Args)]
pub struct BundleArgs {
    /// The run's id
    #[arg(value_name = "RUN", required_unless_present = "study")]
    simulation: Option<Uuid>,
    /// Bundle a study with all its runs instead: its id, or that of one of its runs
    #[arg(long, value_name = "ID", conflicts_with = "simulation")]
    study: Option<Uuid>,
    /// Include the exact prompts with the twins' texts: of Twin-2K-500, invented twins and those added by hand
    #[arg(long)]
    with_prompts: bool,
    /// Include human/rows.csv: the people's answers that are stored for the survey, one row a person, which may
    /// identify people: only if they agreed to that. Columns of personal data are never in it
    #[arg(long)]
    with_people: bool,
    /// Zip to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, clap::Args)]
pub struct ReplayArgs {
    /// Zip that `twinlab bundle` wrote
    bundle: PathBuf,
    /// Only compare, as without --out
    #[arg(long, conflicts_with = "out")]
    check: bool,
    /// Keep the built files in this folder, which must not exist yet
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl BundleArgs {
    fn parts(&self) -> BundleParts {
        BundleParts { with_prompts: self.with_prompts, with_people: self.with_people }
    }
}

pub async fn bundle(config: Config, args: BundleArgs) -> Result<ExitCode> {
    let database = Database::visit(&config).await?;
    let pool = AsyncPool::open(database.url(), 2).await?;
    let written = write(&pool, &args).await;
    drop(pool);
    database.close().await?;
    written?;
    say!("{}", args.out.display());
    if args.with_people {
        say!("human/rows.csv has the answers of people, a row a person: pass it on only as they agreed to");
    }
    Ok(ExitCode::SUCCESS)
}

async fn write(pool: &AsyncPool, args: &BundleArgs) -> Result<()> {
    let mut conn = db::checkout(pool).await?;
    if let Some(study) = args.study {
        let found = match studies::first_run(&mut conn, study).await? {
            Some((id, _)) => Some(id),
            None => studies::of_run(&mut conn, study).await?,
        };
        drop(conn);
        let missing = || Error::bad_input(format!("there is no study {study}, and no study with such a run"));
        let of = Bundled::Study(found.ok_or_else(missing)?);
        return bundle::write_as(pool, BundleRequest { of, parts: args.parts() }, &args.out).await;
    }
    let id = args.simulation.unwrap_or_default();
    let found = simulations::table
        .filter(simulations::simulation_id.eq(id))
        .select(simulations::id)
        .first(&mut *conn)
        .await
        .optional()?;
    drop(conn);
    let missing = || Error::bad_input(format!("there is no simulation {id}"));
    let of = Bundled::Run(found.ok_or_else(missing)?);
    bundle::write_as(pool, BundleRequest { of, parts: args.parts() }, &args.out).await
}

/// Rebuilds a bundle's files. Exit code 0 if every file is equal, 3 if one differs, 2 if the file is no bundle.
pub fn replay(args: &ReplayArgs) -> Result<ExitCode> {
    // It only reads a file, and needs no DATA_DIR.
    let scratch = Scratch::open(&std::env::temp_dir())
        .map_err(|error| Error::internal(format!("a temporary folder: {error}")))?;
    if let Some(out) = args.out.as_ref().filter(|out| out.exists()) {
        return Err(Error::bad_input(format!("{}: is there already", out.display())));
    }
    let is_equal = match bundle::replay(&args.bundle, scratch.path())? {
        Replay::Damaged(paths) => {
            paths.iter().for_each(|path| say!("DAMAGED {path}: its checksum is another; nothing was built"));
            return Ok(ExitCode::from(DIFFERS));
        }
        Replay::Built { files, differing, other, raw } => {
            for Difference { path, at } in &differing {
                match at {
                    Some(byte) => say!("DIFFERS {path}: from byte {byte} on"),
                    None => say!("DIFFERS {path}: it is not in both"),
                }
            }
            say!("{files} files, {} equal", files.saturating_sub(differing.len()));
            match raw {
                RawReplies { runs: 0, .. } => {
                    say!("begins at the checked answers: there are no raw replies to read again")
                }
                RawReplies { answers, .. } => {
                    say!("begins at the raw replies: {answers} answers were read again from them")
                }
            }
            if let Some(OtherVersion { program, words }) = other {
                say!(
                    "{} wrote the bundle: {words} of the files are its words for readers, which have \
                     their checksums and were not built",
                    program.escape_debug()
                );
            }
            differing.is_empty()
        }
    };
    if let Some(out) = &args.out {
        copy(&scratch.path().join("built"), out)
            .map_err(|error| Error::internal(format!("{}: {error}", out.display())))?;
    }
    Ok(if is_equal { ExitCode::SUCCESS } else { ExitCode::from(DIFFERS) })
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
