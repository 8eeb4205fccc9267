//! Imports go downward only: a floor that reaches up is found here, not in a review.

use std::fs;
use std::path::{Path, PathBuf};

/// What each room must not name.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("models", &["actix", "crate::actors", "crate::app", "crate::commands", "crate::exports", "crate::routes"]),
    ("actors", &["actix_web", "crate::app", "crate::commands", "crate::exports", "crate::routes"]),
    ("exports", &["actix", "crate::actors", "crate::app", "crate::commands", "crate::routes"]),
    ("llm", &["crate::actors", "crate::app", "crate::commands", "crate::exports", "crate::routes"]),
    ("twins", &["actix", "crate::actors", "crate::app", "crate::commands", "crate::exports", "crate::routes"]),
    ("routes", &["crate::commands"]),
    ("db", &["crate::models", "crate::actors", "crate::commands"]),
];

fn sources(room: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(room) else { return Vec::new() };
    entries
        .map(|entry| entry.expect("an entry").path())
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

#[test]
fn no_floor_names_one_above_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut breaches = Vec::new();
    let mut read = 0;
    for (room, forbidden) in FORBIDDEN {
        let mut files = sources(&src.join(room));
        files.extend([src.join(format!("{room}.rs"))].into_iter().filter(|file| file.exists()));
        for file in files {
            read += 1;
            let text = fs::read_to_string(&file).expect("a source file");
            let code = text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
            for (number, line) in code {
                for name in forbidden.iter().filter(|name| line.contains(&format!("{name}::"))) {
                    breaches.push(format!("{}:{}: {name}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(read > 30, "only {read} files were found");
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}
