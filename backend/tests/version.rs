//! One version for everything, from `Cargo.toml`.

use std::fs;
use std::path::Path;

use crate::support::{Outcome, twinlab};

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()))
}

#[test]
fn the_program_the_api_the_python_client_and_the_changelog_have_one_version() {
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(Outcome::of(twinlab().arg("--version")).stdout, format!("twinlab {version}\n"));
    let document = serde_json::to_value(twinlab::http::document()).expect("it is JSON");
    assert_eq!(document["info"]["version"], version);
    assert!(text("clients/python/pyproject.toml").contains(&format!("\nversion = \"{version}\"\n")));
    assert!(text("CHANGELOG.md").contains(&format!("\n## {version} - ")));
    assert!(!text("frontend/package.json").contains("\"version\""), "the pages have the API's");
}
