//! The pages that the binary serves, built by `make pages`.

use reqwest::Method;

use crate::support::with_app;

const DIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../frontend/dist");

#[tokio::test]
async fn every_address_that_is_not_the_apis_is_a_page_and_none_is_kept() {
    with_app(async |app| {
        for path in ["/", "/login", "/surveys/7", "/no/such/page", "/index.html"] {
            let answer = app.visitor().get(path).await;
            assert_eq!(answer.status, 200, "{path}");
            assert_eq!(answer.headers["content-type"], "text/html; charset=utf-8", "{path}");
            assert_eq!(answer.headers["cache-control"], "no-cache", "{path}");
            let page = String::from_utf8(answer.bytes).expect("it is UTF-8");
            assert!(page.contains("<title>Digital Twin Lab</title>"), "{path}: {page}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_missing_asset_is_not_answered_with_a_page() {
    with_app(async |app| {
        for path in ["/assets/gone-12345678.js", "/assets/..%2f..%2fpackage.json", "/%2e%2e%2fpackage.json"] {
            let answer = app.visitor().get(path).await;
            let text = String::from_utf8_lossy(&answer.bytes);
            assert!(!text.contains("twinlab-frontend"), "{path}: {text}");
        }
        assert_eq!(app.visitor().get("/assets/gone-12345678.js").await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn pages_are_read_and_not_written() {
    with_app(async |app| {
        let answer = app.visitor().send(Method::POST, "/login", None).await;
        assert_eq!(answer.status, 405);
        assert_eq!(answer.headers["allow"], "GET, HEAD");
        let head = app.visitor().send(Method::HEAD, "/login", None).await;
        assert_eq!((head.status, head.bytes.len()), (200, 0));
        assert_ne!(head.headers["content-length"], "0");
    })
    .await;
}

#[tokio::test]
async fn built_assets_are_kept_for_good() {
    let assets = std::fs::read_dir(format!("{DIST}/assets")).expect("the pages are built: make pages");
    let names: Vec<_> = assets.map(|entry| entry.expect("it is read").file_name()).collect();
    let scripts: Vec<&str> =
        names.iter().filter_map(|name| name.to_str()).filter(|name| name.ends_with(".js")).collect();
    assert!(!scripts.is_empty(), "the pages have no script: make pages");
    with_app(async |app| {
        for name in scripts {
            let answer = app.visitor().get(&format!("/assets/{name}")).await;
            assert_eq!(answer.status, 200, "{name}");
            assert_eq!(answer.headers["cache-control"], "public, max-age=31536000, immutable", "{name}");
            assert_eq!(answer.headers["content-type"], "text/javascript; charset=utf-8", "{name}");
        }
    })
    .await;
}
