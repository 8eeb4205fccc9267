//! The demo workspace that `twinlab serve --demo` puts into an empty database: users, credits, twins and a survey.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use simulation::parameters::Parameters;
use tokio::task::spawn_blocking;

use super::{progress, report};
use crate::app::App;
use crate::db::{self, AsyncPool};
use crate::email::Email;
use crate::error::{Error, Result};
use crate::models::group_members::NewMember;
use crate::models::groups::NewGroup;
use crate::models::simulations::start::{NewSimulation, PersonaChoice, start};
use crate::models::survey_file::{SurveyFile, ValidSurvey};
use crate::models::surveys::NewSurvey;
use crate::models::users::{NewUser, Role, User};
use crate::models::{persona_import, personas};
use crate::personas as profiles;
use crate::schema::{groups, persona_sets};

pub const SUPER_ADMIN: &str = "superadmin@demo.example";
pub const ADMIN: &str = "admin@demo.example";
pub const USER: &str = "user@demo.example";

const GROUP: &str = "Demo Research Group";
/// Budget of the demo's member in whole credits.
const BUDGET: i64 = 10_000;
const TWINS: usize = 2_058;
const SEED: u64 = 1;
/// Number of twins that the demo run asks.
const ASKED: i32 = 100;

/// The advisory lock of the demo workspace: a number that nothing else in the database uses.
const DEMO_LOCK: i64 = 0x7477_696e_6c61_6202;

/// The demo's survey, also an example of a survey file.
const SURVEY: &[u8] = include_bytes!("../../demo/survey.json");

/// The new workspace, as the demo run needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workspace {
    pub user_id: i64,
    pub group_id: i64,
    pub survey_id: i64,
}

/// Fills an empty database. `None`: it was not empty, and nothing was changed. After a crash the next start continues.
pub async fn fill(url: &str, pool: &AsyncPool) -> Result<Option<Workspace>> {
    let survey = SurveyFile::parse(SURVEY, "demo/survey.json")?;
    let connection = &mut *db::checkout(pool).await?;
    if !is_empty(connection).await? {
        return Ok(None);
    }
    // Personas come first, so that a database with the workspace always has them.
    if personas::current_set(connection).await?.is_none() {
        synthesize(url.to_owned()).await?;
    }
    connection.transaction(async |connection| create(connection, &survey).await).await
}

/// Runs the survey on a hundred twins and prints its progress and the answers.
pub async fn run(app: &App, workspace: Workspace) -> Result<()> {
    say!("A new demo workspace: {TWINS} synthetic twins. Asking {ASKED} of them the survey \"Everyday choices\":");
    let mut conn = db::checkout(&app.pool).await?;
    let model = app.config.models.main();
    let parameters = Parameters {
        wire: model.wire,
        price: model.prices.find(&model.model).cloned(),
        ..Parameters::new(&model.model, SEED as i64, model.questions_per_call)
    };
    let Workspace { survey_id, user_id, .. } = workspace;
    let new = NewSimulation::new(survey_id, user_id, PersonaChoice::Random(ASKED), parameters, model.is_demo());
    let started = start(&mut conn, new).await?;
    drop(conn);
    let ended = progress::watch(&app.pool, started.id).await?;
    let mut conn = db::checkout(&app.pool).await?;
    report::print_answers(&mut conn, &ended).await?;
    report::print(&mut conn, &ended, None).await?;
    say!("");
    Ok(())
}

/// Names the users who can sign in to a demo workspace and the place where their codes appear. `None`: there is no such
/// workspace.
pub async fn introduction(app: &App) -> Result<Option<String>> {
    let mut conn = db::checkout(&app.pool).await?;
    let mut lines = Vec::new();
    for (email, what) in [
        (SUPER_ADMIN, "super administrator"),
        (ADMIN, "administrator, owns the demo group"),
        (USER, "user with a budget"),
    ] {
        let address = Email::parse(email).map_err(|reason| Error::internal(reason.to_string()))?;
        if User::find_by_email(&mut conn, &address).await?.is_some() {
            lines.push(format!("  {email:<24} {what}"));
        }
    }
    let place = match app.config.smtp_url {
        Some(_) => "is sent by e-mail".to_owned(),
        None => format!("appears in this log and in {}", app.config.data_dir.join("mail").display()),
    };
    Ok((!lines.is_empty()).then(|| format!("Who can sign in; the code {place}:\n{}", lines.join("\n"))))
}

/// Whether there are no groups and no imported personas. An interrupted start may have left synthetic personas.
async fn is_empty(connection: &mut AsyncPgConnection) -> QueryResult<bool> {
    let groups = diesel::dsl::exists(groups::table.select(groups::id));
    let imported = persona_sets::table.filter(persona_sets::synthetic.eq(false)).select(persona_sets::id);
    let taken: (bool, bool) = diesel::select((groups, diesel::dsl::exists(imported))).get_result(connection).await?;
    Ok(taken == (false, false))
}

async fn synthesize(url: String) -> Result<()> {
    let stored = spawn_blocking(move || {
        let twins = profiles::synthesize(TWINS, SEED).map(Ok);
        persona_import::replace_current(&mut db::connect(&url)?, &profiles::synthetic_source(SEED), true, twins)
    });
    stored.await.map_err(|reason| Error::internal(format!("the demo's twins: {reason}")))??;
    Ok(())
}

async fn create(connection: &mut AsyncPgConnection, survey: &ValidSurvey) -> Result<Option<Workspace>> {
    // Another process may do the same at once.
    diesel::sql_query("SELECT pg_advisory_xact_lock($1)").bind::<BigInt, _>(DEMO_LOCK).execute(connection).await?;
    if !is_empty(connection).await? {
        return Ok(None);
    }
    person(connection, SUPER_ADMIN, "Demo Super Admin", Role::SuperAdmin).await?;
    let admin = person(connection, ADMIN, "Demo Admin", Role::Admin).await?;
    let user = person(connection, USER, "Demo User", Role::User).await?;
    let group = NewGroup { group_name: GROUP, owner_id: admin.id, default_budget_per_user: BUDGET };
    let group = group.create(connection).await?;
    let member = NewMember { group_id: group.id, user_id: user.id, budget: BUDGET, created_by: admin.id };
    let admitted = member.admit(connection).await;
    admitted.map_err(|refused| Error::internal(format!("the demo workspace: {USER}: {refused}")))?;
    let survey = NewSurvey { user_id: user.id, group_id: group.id, content: survey };
    let (survey, _) = survey.create(connection).await?;
    Ok(Some(Workspace { user_id: user.id, group_id: group.id, survey_id: survey.id }))
}

/// Returns the account with this e-mail, created if there is none.
async fn person(connection: &mut AsyncPgConnection, email: &str, name: &str, role: Role) -> Result<User> {
    let failed = |reason: &str| Error::internal(format!("the demo workspace: {email} {reason}"));
    let email = Email::parse(email).map_err(|reason| failed(&reason.to_string()))?;
    match (NewUser { email: &email, name: Some(name), role }).create(connection).await? {
        Some(user) => Ok(user),
        None => User::find_by_email(connection, &email).await?.ok_or_else(|| failed("is taken by a deleted account")),
    }
}
