//! Settings of the caller.

use actix_web::HttpResponse;
use actix_web::web::Data;

use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Json;
use crate::models::user_settings::Settings;

/// The caller's settings
#[utoipa::path(
    get, path = "", operation_id = "show_settings",
    responses((status = 200, description = "The settings", body = Settings))
)]
pub async fn show(app: Data<App>, caller: Caller) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    Ok(HttpResponse::Ok().json(Settings::load(&mut conn, caller.id).await?))
}

/// Replaces the caller's settings; what is left out takes its default
#[utoipa::path(
    put, path = "", operation_id = "update_settings",
    responses((status = 200, description = "The settings as they are now", body = Settings))
)]
pub async fn update(app: Data<App>, caller: Caller, Json(settings): Json<Settings>) -> Result<HttpResponse> {
    check("defaultDigitalTwins", &settings.default_digital_twins, &[50, 100, 200, 500, 1000])?;
    check("exportFormat", &settings.export_format.as_str(), &["csv", "excel", "json"])?;
    check("theme", &settings.theme.as_str(), &["light", "dark", "system"])?;
    let mut conn = db::checkout(&app.pool).await?;
    settings.keep(&mut conn, caller.id).await?;
    Ok(HttpResponse::Ok().json(settings))
}

fn check<T: PartialEq + ToString>(name: &str, value: &T, known: &[T]) -> Result<()> {
    if known.contains(value) {
        return Ok(());
    }
    let known: Vec<String> = known.iter().map(ToString::to_string).collect();
    Err(ApiError::invalid(format!("{name} must be one of {}", known.join(", "))))
}
