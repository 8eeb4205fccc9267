//! The table of routes, a file per resource.

use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpResponse, Responder};
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;

use crate::app::App;
use crate::db;

/// Shown until the pages are built.
const NO_PAGES: &str = include_str!("no_pages.html");

pub fn table(routes: &mut ServiceConfig) {
    routes
        .route("/health", web::get().to(health))
        .route("/ready", web::get().to(ready))
        .route("/", web::get().to(no_pages));
}

/// The process is up.
async fn health() -> impl Responder {
    HttpResponse::Ok().json(serde_json::json!({ "status": "ok" }))
}

/// The database and its queue can be reached.
async fn ready(app: Data<App>) -> impl Responder {
    let asked = async {
        let mut connection = db::checkout(&app.pool).await?;
        let queues = diesel::sql_query("SELECT 1 FROM pgmq.meta WHERE queue_name = $1")
            .bind::<Text, _>(db::QUEUE)
            .execute(&mut *connection)
            .await?;
        Ok::<_, crate::error::Error>(queues == 1)
    };
    match asked.await {
        Ok(true) => HttpResponse::Ok().json(serde_json::json!({ "status": "ok" })),
        Ok(false) => not_ready("the queue is missing"),
        Err(reason) => {
            tracing::warn!(%reason, "not ready");
            not_ready("the database cannot be reached")
        }
    }
}

fn not_ready(message: &str) -> HttpResponse {
    HttpResponse::ServiceUnavailable().json(serde_json::json!({
        "statusCode": 503, "error": "Service Unavailable", "message": message,
    }))
}

async fn no_pages() -> impl Responder {
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(NO_PAGES)
}
