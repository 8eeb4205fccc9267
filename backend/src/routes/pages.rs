//! The pages.

use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Responder};

/// Shown until the pages are built.
const NO_PAGES: &str = include_str!("no_pages.html");

pub fn configure(routes: &mut ServiceConfig) {
    routes.route("/", web::get().to(no_pages));
}

async fn no_pages() -> impl Responder {
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(NO_PAGES)
}
