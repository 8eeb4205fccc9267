//! The table of routes, a file per resource.

mod pages;

use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{HttpResponse, Responder};
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;

use crate::app::App;
use crate::db;

pub fn table(routes: &mut ServiceConfig) {
    routes
        .route("/health", web::get().to(health))
        .route("/ready", web::get().to(ready))
        .configure(pages::configure);
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
