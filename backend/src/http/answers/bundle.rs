//! A run as one zip that proves its tables.

use actix_web::HttpResponse;
use diesel_async::AsyncPgConnection;
use serde::Deserialize;

use super::file_responses::{built, file};
use super::{Address, run};
use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::Result;
use crate::results::files::bundle::{BundleParts, BundleRequest, Bundled};

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct BundleQuery {
    /// Adds the exact prompts, with the texts of the twins in them: only of twins of Twin-2K-500, invented ones and those that
    /// were added by hand, and for who may read `/simulations/{simulationId}/prompt`.
    #[serde(default)]
    #[param(default = false)]
    with_prompts: bool,
    /// Adds `human/rows.csv`: the answers of people that are kept for the survey, a row a person, with arm, weights, groups and the
    /// ids of their twins; never columns of personal data, or other ids. Only the survey's author passes them on.
    #[serde(default)]
    #[param(default = false)]
    with_people: bool,
}

impl BundleQuery {
    /// The right to the run that the parts take: prompts hold the twins' texts, as the call `prompt` does.
    pub(in crate::http) fn right(&self) -> Right {
        if self.with_prompts { Right::Control } else { Right::See }
    }

    /// The parts that the query asks for. Fails if the caller may not pass on the people's rows of this survey.
    pub(in crate::http) async fn parts(
        &self,
        conn: &mut AsyncPgConnection,
        caller: &Caller,
        survey_id: i64,
    ) -> Result<BundleParts> {
        if self.with_people {
            rules::peoples_rows(conn, caller, survey_id).await?;
        }
        Ok(BundleParts { with_prompts: self.with_prompts, with_people: self.with_people })
    }
}

/// The bundle of a run.
pub(super) async fn bundle(app: &App, caller: &Caller, address: Address, asked: &BundleQuery) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = run(&mut conn, caller, address).await?;
    rules::simulation(&mut conn, caller, address.1, asked.right()).await?;
    let parts = asked.parts(&mut conn, caller, run.facts.survey_id).await?;
    drop(conn);
    let answer = file(&run, &run.short_file_name("bundle.zip"));
    let request = BundleRequest { of: Bundled::Run(run.facts.id), parts };
    built(app, caller, answer, app.downloads.bundle(&app.pool, request)).await
}
