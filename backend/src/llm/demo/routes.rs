//! What the server answers where: chat completions and the list of models.

use actix_web::http::header::ContentType;
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};

use super::MODEL;
use super::completion::Request;
use super::faults::{Defect, Faults};
use super::server_error::ServerError;

pub fn configure(config: &mut web::ServiceConfig) {
    config
        .route("/v1/chat/completions", web::post().to(complete))
        .route("/v1/models", web::get().to(models))
        .route("/v1/models/{model}", web::get().to(model))
        .default_service(web::to(unknown));
}

async fn complete(
    faults: web::Data<Faults>,
    body: Result<web::Bytes, actix_web::Error>,
) -> Result<HttpResponse, ServerError> {
    let body = body.map_err(|_| ServerError::too_large())?;
    let fate = faults.next()?;
    let request = Request::parse(&body)?;
    let reply = request.reply(faults.seed(), fate.defect);
    drop((request, body));
    if !fate.wait.is_zero() {
        tokio::time::sleep(fate.wait).await;
    }
    let id = format!("chatcmpl-{}", uuid::Uuid::new_v4().simple());
    let mut json = reply.to_json(&id, chrono::Utc::now().timestamp());
    Ok(match fate.defect {
        Some(Defect::HtmlPage) => HttpResponse::Ok()
            .content_type(ContentType::html())
            .body("<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>An injected fault.</body></html>"),
        Some(Defect::NoChoices) => {
            json["choices"] = json!([]);
            HttpResponse::Ok().json(json)
        }
        _ => HttpResponse::Ok().json(json),
    })
}

async fn models() -> HttpResponse {
    HttpResponse::Ok().json(json!({ "object": "list", "data": [card()] }))
}

async fn model(name: web::Path<String>) -> Result<HttpResponse, ServerError> {
    match name.as_str() {
        MODEL => Ok(HttpResponse::Ok().json(card())),
        other => Err(ServerError::not_found(format!("The model '{other}' does not exist; there is only {MODEL}."))),
    }
}

async fn unknown(request: HttpRequest) -> Result<HttpResponse, ServerError> {
    Err(ServerError::not_found(format!("Invalid URL ({} {})", request.method(), request.path())))
}

fn card() -> Value {
    json!({ "id": MODEL, "object": "model", "created": 0, "owned_by": "twinlab" })
}
