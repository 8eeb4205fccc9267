//! Changes of a run: its name, its note and its cost limit.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Deserialize;
use simulation::json_objects::given;
use simulation::money::micro_units;
use survey::question::clean;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::App;
use crate::auth::rules::{self, Caller, Right};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::models::simulations::costs;
use crate::models::simulations::names::NameChanges;
use crate::models::simulations::overview::{self, SimulationOverview};

const MAX_NAME_LENGTH: usize = 120;
const MAX_NOTE_LENGTH: usize = 2_000;

/// A change of a run. A field that is left out stays; null or an empty text removes it.
#[derive(Debug, Deserialize, ToSchema)]
pub struct SimulationNames {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, example = "Pilot of the wording", max_length = 120)]
    name: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, example = "Second try: question 3 asks for last week", max_length = 2000)]
    note: Option<Option<String>>,
    /// Pauses the run once its calls have cost that much, in the currency of its price; null: it may cost what it does.
    #[serde(default, rename = "maxCost", alias = "max_cost", deserialize_with = "given")]
    #[schema(value_type = Option<f64>, example = 2.5, minimum = 0)]
    max_cost: Option<Option<f64>>,
}

/// The name and the note as they are stored. Errors name the field.
pub(in crate::http) fn checked(name: Option<Option<String>>, note: Option<Option<String>>) -> Result<NameChanges> {
    let check = |field: &str, text: Option<String>, most| match clean(text.as_deref().unwrap_or_default(), most) {
        Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
        Err(reason) => Err(ApiError::Invalid(format!("{field}: {reason}"))),
    };
    Ok(NameChanges {
        name: name.map(|text| check("name", text, MAX_NAME_LENGTH)).transpose()?,
        note: note.map(|text| check("note", text, MAX_NOTE_LENGTH)).transpose()?,
    })
}

/// A cap on a run's cost, in micro-units.
pub(super) fn cap(amount: f64) -> Result<i64> {
    let message = "maxCost must be above 0 and at most 1000000, with at most six decimals";
    micro_units(amount).filter(|cap| *cap > 0).ok_or_else(|| ApiError::invalid(message))
}

/// The refusal of a cap without a price.
pub(super) fn no_price() -> ApiError {
    ApiError::invalid("maxCost: the price of this model is not known").with_code("no_price")
}

/// Names a run, notes something down of it, or sets what it may cost
#[utoipa::path(
    patch, path = "",
    responses((status = 200, description = "The run as it is now", body = SimulationOverview))
)]
pub async fn name_simulation(
    app: Data<App>,
    caller: Caller,
    id: Path<Uuid>,
    Json(asked): Json<SimulationNames>,
) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let run = rules::simulation(&mut conn, &caller, *id, Right::Control).await?;
    let names = checked(asked.name, asked.note)?;
    if let Some(amount) = asked.max_cost {
        let cap = amount.map(cap).transpose()?;
        if !costs::set_cap(&mut conn, run.id, cap).await? {
            return Err(no_price());
        }
    }
    names.give(&mut conn, run.id).await?;
    Ok(HttpResponse::Ok().json(overview::find(&mut conn, run.id).await?))
}
