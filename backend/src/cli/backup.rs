//! `twinlab backup` and `twinlab restore`: the whole database as one file, in pg_dump's custom format.

use std::fs::{self, File};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};

use diesel::prelude::*;
use diesel::sql_types::{Bool, Integer};
use tokio::process::Command;

use crate::app::Database;
use crate::config::Config;
use crate::db::{self, AsyncPool, DatabaseUrl};
use crate::error::{Error, Result};
use crate::models::restoration;
use crate::postgres::{self, Postgres};
use crate::scratch::Scratch;

#[derive(Debug, clap::Args)]
pub struct BackupArgs {
    /// File to write; an existing one is replaced once the new one is complete
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, clap::Args)]
pub struct RestoreArgs {
    /// File that `twinlab backup` or `pg_dump --format=custom` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

const IS_OURS: &str = "to_regclass('simulations') IS NOT NULL";
const IS_EMPTY: &str = "NOT EXISTS (
    SELECT FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace NOT IN (
        SELECT oid FROM pg_namespace WHERE nspname LIKE 'pg\\_%' OR nspname = 'information_schema')
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e'))";

/// Writes a consistent state of the database while runs go on.
pub async fn backup(config: Config, args: BackupArgs) -> Result<ExitCode> {
    let failed = |reason: &dyn std::fmt::Display| Error::bad_input(format!("{}: {reason}", args.file.display()));
    // The draft is removed unless it is complete, here or by the next backup into the same folder.
    let scratch = Scratch::next_to(&args.file).map_err(|reason| failed(&reason))?;
    let draft = scratch.path().join("draft");
    // Only its owner can read it.
    let file =
        File::options().write(true).create_new(true).mode(0o600).open(&draft).map_err(|reason| failed(&reason))?;
    let database = Database::unmigrated(&config, Postgres::connect_or_start).await?;
    let (ours, version) = look(database.url(), IS_OURS).await?;
    if !ours {
        return Err(Error::bad_input("the database holds no Digital Twin Lab: there is nothing to back up"));
    }
    // No twinlab of this version could restore it.
    db::check_not_older(database.url()).await?;
    let mut command = command_on(&find_program(&config, "pg_dump", version).await?, database.url())?;
    // Present workers and commands have no meaning after a restore.
    command.arg("--format=custom");
    command
        .args(["workers", "worker_shares", "simulate_commands"].map(|table| format!("--exclude-table-data={table}")));
    // A reader of the file must not be able to sign tokens of the running product.
    command.arg("--exclude-table-data=session_secret");
    command.arg(format!("--exclude-schema={}", restoration::MARK));
    command.stdout(file.try_clone().map_err(|reason| failed(&reason))?);
    run(command, "pg_dump").await?;
    database.close().await?;
    file.sync_all().map_err(|reason| failed(&reason))?;
    let bytes = file.metadata().map_err(|reason| failed(&reason))?.len();
    fs::rename(&draft, &args.file).map_err(|reason| failed(&reason))?;
    say!("The database is in {}, {bytes} bytes.", args.file.display());
    Ok(ExitCode::SUCCESS)
}

/// Fills an empty database and brings it to this version. Runs that were under way are paused.
pub async fn restore(config: Config, args: RestoreArgs) -> Result<ExitCode> {
    let open =
        || File::open(&args.file).map_err(|reason| Error::bad_input(format!("{}: {reason}", args.file.display())));
    let file = open()?;
    let database = Database::unmigrated(&config, Postgres::connect_or_start).await?;
    let (empty, version) = look(database.url(), IS_EMPTY).await?;
    if !empty {
        return Err(Error::bad_input(
            "the database is not empty, and a restore fills an empty one: set another DATA_DIR, or a DATABASE_URL of \
             a new database",
        ));
    }
    // Checked before anything is loaded, so that a refused backup leaves the database empty.
    let program = find_program(&config, "pg_restore", version).await?;
    let versions = versions_in(&program, open()?).await?;
    if versions.is_empty() {
        return Err(Error::bad_input(format!("{} is no backup of a Digital Twin Lab", args.file.display())));
    }
    let name = args.file.display().to_string();
    db::refuse_older(&name, versions.clone())?;
    db::refuse_newer(&name, versions)?;
    let mut command = command_on(&program, database.url())?;
    command.args(["--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error"]).stdin(file);
    let pool = AsyncPool::open(database.url(), 1).await?;
    restoration::begin(&mut *db::checkout(&pool).await?).await?;
    run(command, "pg_restore").await?;
    db::migrate(database.url()).await?;
    let paused = restoration::finish(&mut *db::checkout(&pool).await?).await?.unwrap_or(0);
    drop(pool);
    database.close().await?;
    say!("{} is restored. Simulations that were under way and are paused now: {}.", args.file.display(), paused);
    Ok(ExitCode::SUCCESS)
}

/// Returns the migrations of the database in a backup, in the order of their table.
async fn versions_in(pg_restore: &Path, file: File) -> Result<Vec<String>> {
    let mut command = plain_command(pg_restore);
    command.args(["--data-only", "--table=__diesel_schema_migrations", "--file=-"]);
    command.stdin(file).stdout(Stdio::piped());
    let script = run(command, "pg_restore").await?;
    // One line for each row between `COPY` and `\.`, the version first.
    let script = String::from_utf8_lossy(&script);
    let rows = script.lines().skip_while(|line| !line.starts_with("COPY ")).skip(1).take_while(|line| *line != "\\.");
    Ok(rows.filter_map(|row| row.split('\t').next().map(str::to_owned)).collect())
}

/// Returns whether the condition holds, and the server's major version.
async fn look(url: &str, condition: &'static str) -> Result<(bool, u32)> {
    let url = url.to_owned();
    let looked = tokio::task::spawn_blocking(move || {
        let connection = &mut db::connect(&url)?;
        let holds = diesel::select(diesel::dsl::sql::<Bool>(condition)).get_result(connection)?;
        let version: i32 =
            diesel::select(diesel::dsl::sql::<Integer>("current_setting('server_version_num')::integer"))
                .get_result(connection)?;
        Ok((holds, version.unsigned_abs() / 10_000))
    });
    looked.await.map_err(|reason| Error::internal(reason.to_string()))?
}

/// Finds one of PostgreSQL's programs for a server of this major version.
async fn find_program(config: &Config, name: &'static str, version: u32) -> Result<PathBuf> {
    let given = config.pg_bin_dir.clone();
    let found = tokio::task::spawn_blocking(move || postgres::client(given.as_deref(), name, version));
    found.await.map_err(|reason| Error::internal(reason.to_string()))?
}

/// Prepares the program without libpq's variables, which are meant for other servers. It is killed when it is dropped.
fn plain_command(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("PG")) {
        command.env_remove(name);
    }
    command.env("LC_ALL", "C").stdin(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

/// Prepares the program for this database.
fn command_on(program: &Path, url: &str) -> Result<Command> {
    let (url, password) = without_password(&DatabaseUrl::parse(url)?.for_libpq());
    let mut command = plain_command(program);
    // Arguments are visible to everybody on the machine, the environment is not.
    command.envs(password.map(|password| ("PGPASSWORD", password)));
    command.args(["--no-password".to_owned(), format!("--dbname={url}")]);
    Ok(command)
}

/// Runs the command to its end, and returns its output if that is piped.
async fn run(mut command: Command, name: &str) -> Result<Vec<u8>> {
    let failed = |reason: &dyn std::fmt::Display| Error::internal(format!("{name} failed: {reason}"));
    let ended = command.spawn().map_err(|reason| failed(&reason))?.wait_with_output().await;
    let ended = ended.map_err(|reason| failed(&reason))?;
    if ended.status.success() {
        return Ok(ended.stdout);
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    let line = said.lines().find(|line| line.contains("error:")).or(said.lines().next());
    Err(failed(&line.unwrap_or("it says nothing")))
}

/// Splits the URL into a URL without password, and the password.
fn without_password(url: &str) -> (String, Option<String>) {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let mut password = None;
    let mut base = base.to_owned();
    if let Some((scheme, rest)) = base.split_once("://") {
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if let Some(((user, secret), host)) =
            authority.rsplit_once('@').and_then(|(login, host)| Some((login.split_once(':')?, host)))
        {
            password = Some(secret.to_owned());
            base = format!("{scheme}://{user}@{host}/{path}");
        }
    }
    let mut others = Vec::new();
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter.strip_prefix("password=") {
            Some(secret) => password = Some(secret.to_owned()),
            None => others.push(parameter),
        }
    }
    let password = password.and_then(|secret| {
        // In a database URL a plus sign is literal.
        let pair = format!("p={}", secret.replace('+', "%2B"));
        form_urlencoded::parse(pair.as_bytes()).next().map(|(_, secret)| secret.into_owned())
    });
    let query = if others.is_empty() { String::new() } else { format!("?{}", others.join("&")) };
    (base + &query, password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_taken_out_of_the_address_wherever_it_stands() {
        for (url, rest, password) in [
            ("postgres://a:b%40+c@h:1/x?sslmode=prefer", "postgres://a@h:1/x?sslmode=prefer", Some("b@+c")),
            ("postgres:///x?user=a&password=b&host=/run", "postgres:///x?user=a&host=/run", Some("b")),
            ("postgres://a@h/x", "postgres://a@h/x", None),
        ] {
            assert_eq!(without_password(url), (rest.to_owned(), password.map(str::to_owned)), "{url}");
        }
    }
}
