//! `twinlab user create`: creates users from the command line, for example the first administrator.

use std::process::ExitCode;

use crate::app::Database;
use crate::config::Config;
use crate::db;
use crate::email::Email;
use crate::error::{Error, Result};
use crate::models::users::{NewUser, Role};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Create a user who may sign in
    Create(Create),
}

#[derive(Debug, clap::Args)]
struct Create {
    email: String,
    #[arg(long, value_enum)]
    role: Role,
    #[arg(long)]
    name: Option<String>,
}

pub async fn run(config: Config, args: Args) -> Result<ExitCode> {
    let Action::Create(create) = args.action;
    // Checked before a database is started for it.
    let email =
        Email::parse(&create.email).map_err(|reason| Error::bad_input(format!("'{}' {reason}", create.email)))?;
    let name = create.name.as_deref().map(person_name).transpose()?;
    let database = Database::visit(&config).await?;
    let pool = db::AsyncPool::open(database.url(), 1).await?;
    let created = NewUser { email: &email, name, role: create.role }.create(&mut *db::checkout(&pool).await?).await;
    drop(pool);
    database.close().await?;
    match created? {
        Some(user) => say!("Created {} ({}), id {}.", user.email, user.role, user.id),
        None => return Err(Error::bad_input(format!("{email} is taken: there is a user with this e-mail"))),
    }
    Ok(ExitCode::SUCCESS)
}

fn person_name(text: &str) -> Result<&str> {
    let name = text.trim();
    if name.is_empty() || name.chars().count() > 200 || name.contains(char::is_control) {
        return Err(Error::bad_input("--name takes 1 to 200 characters"));
    }
    Ok(name)
}
