//! Imports go downward only: this test finds a module that names one on a higher floor.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

const LIB: &str = include_str!("../src/lib.rs");

/// The floor of each module, counted from the top of the table in `lib.rs`.
fn floors() -> HashMap<&'static str, usize> {
    let rows = LIB.lines().filter(|line| line.starts_with("//! | ") && line.contains("[`"));
    let names =
        |row: &'static str| row.split("[`").skip(1).filter_map(|rest| rest.split_once('`')).map(|(name, _)| name);
    rows.enumerate().flat_map(|(floor, row)| names(row).map(move |name| (name, floor))).collect()
}

/// Every source file of a module.
fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).expect("a module's folder");
    entries.flat_map(|entry| sources(&entry.expect("an entry").path())).collect()
}

/// The modules that a line of code names by their full path.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let grouped = line.trim_start().strip_prefix("use crate::{").into_iter().flat_map(|rest| rest.split(','));
    let plain = line.split("crate::").skip(1);
    grouped.chain(plain).map(|rest| {
        let rest = rest.trim_start();
        &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())]
    })
}

/// Tests this because a JSON line of the log would have the key twice, and readers keep one.
#[test]
fn no_event_of_the_log_has_a_field_called_message() {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for path in &sources {
        let text = fs::read_to_string(path).expect("a source");
        for event in text.split("tracing::").skip(1).filter_map(|rest| rest.split_once("!(")) {
            let (kind, arguments) = event;
            if ["trace", "debug", "info", "warn", "error"].contains(&kind) {
                // The fields come before the text.
                let fields = arguments.split('"').next().unwrap_or_default();
                let has_one = fields.split(',').any(|field| {
                    field.split('=').next().unwrap_or_default().trim().trim_start_matches(['%', '?']) == "message"
                });
                assert!(!has_one, "{}: {fields}", path.display());
            }
        }
    }
    assert!(sources.len() > 100, "only {} sources were found", sources.len());
}

#[test]
fn every_module_stands_on_a_floor() {
    let floors = floors();
    let declared: Vec<&str> = LIB.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert!(declared.len() > 10, "only {declared:?} were found");
    let missing: Vec<_> = declared.iter().filter(|module| !floors.contains_key(*module)).collect();
    assert!(missing.is_empty(), "not in the table of floors: {missing:?}");
    assert_eq!(floors.len(), declared.len(), "the table names a module that is not there");
}

#[test]
fn no_module_imports_from_a_floor_above_its_own() {
    let floors = floors();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut breaches = Vec::new();
    for (module, floor) in &floors {
        let file = src.join(format!("{module}.rs"));
        let module = if file.exists() { file } else { src.join(module) };
        for file in sources(&module) {
            let text = fs::read_to_string(&file).expect("a source file");
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
                let above = named(line).filter(|name| floors.get(name).is_some_and(|other| other < floor));
                breaches.extend(above.map(|name| format!("{}:{}: {name}", file.display(), number + 1)));
            }
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

/// Tests which crates a floor must not name: models and files use no actors, the engine no HTTP server.
#[test]
fn frameworks_stay_on_their_floors() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let forbidden: &[(&str, &[&str])] = &[
        ("engine", &["actix_web"]),
        ("models", &["actix", "actix_web"]),
        ("personas", &["actix", "actix_web"]),
        ("results", &["actix", "actix_web"]),
    ];
    let mut breaches = Vec::new();
    for (module, crates) in forbidden {
        for file in sources(&src.join(module)) {
            let text = fs::read_to_string(&file).expect("a source file");
            let uses = |name: &&&str| text.contains(&format!("use {name}::")) || text.contains(&format!(" {name}::"));
            breaches.extend(crates.iter().filter(uses).map(|name| format!("{}: {name}", file.display())));
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

/// Tests that types with one name are one concept. Each command has its `Args`, each format its `Encoder`, and the API
/// its own `Result`.
#[test]
fn no_two_public_types_share_a_name() {
    const ONE_CONCEPT: [&str; 3] = ["Args", "Encoder", "Result"];
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    const ROOTS: [&str; 7] = [
        "src",
        "../crates/bundle/src",
        "../crates/evidence/src",
        "../crates/export/src",
        "../crates/model-server/src",
        "../crates/simulation/src",
        "../crates/survey/src",
    ];
    for root in ROOTS {
        let mut places: HashMap<String, Vec<PathBuf>> = HashMap::new();
        for path in sources(&manifest.join(root)) {
            let text = fs::read_to_string(&path).expect("a source");
            for name in text.lines().filter_map(public_type) {
                places.entry(name.to_owned()).or_default().push(path.clone());
            }
        }
        assert!(places.len() > 20, "only {} types were found in {root}", places.len());
        places.retain(|name, paths| paths.len() > 1 && !ONE_CONCEPT.contains(&name.as_str()));
        assert!(places.is_empty(), "{places:#?}");
    }
}

/// The name of the public type that a line declares.
fn public_type(line: &str) -> Option<&str> {
    let declaration = line.trim_start().strip_prefix("pub")?;
    let declaration = declaration
        .split_once(") ")
        .map_or(declaration, |(scope, rest)| if scope.starts_with('(') { rest } else { declaration });
    let mut words = declaration.split_whitespace();
    let kind = words.next()?;
    let name = words.next()?;
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(name.len());
    ["struct", "enum", "trait", "type", "union"].contains(&kind).then_some(&name[..end])
}
