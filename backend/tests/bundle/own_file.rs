//! The origin of the twins that a bundle states: a published data set is cited and licensed, others are not.

use std::path::Path;

use model_server::Faults;
use serde_json::Value;
use twinlab::results::files::bundle;

use super::{bundled, entries, replayed};
use crate::support::engine_fixture::survey;
use crate::support::sample;
use twinlab::results::files::bundle::Replay;

/// Words that attribute twins to the data set.
const OF_DATASET: [&str; 4] = ["Twin-2K-500", "Toubia", "CC BY", "creativecommons.org"];

/// The texts of a bundle by name.
fn texts(path: &Path) -> Vec<(String, String)> {
    let texts = entries(path).into_iter().filter_map(|(name, bytes)| Some((name, String::from_utf8(bytes).ok()?)));
    texts.collect()
}

fn text<'a>(texts: &'a [(String, String)], name: &str) -> &'a str {
    let found = texts.iter().find(|(found, _)| found == name);
    &found.unwrap_or_else(|| panic!("{name} is not there")).1
}

#[actix_web::test]
async fn twins_of_an_own_file_are_named_so_by_every_writer_and_cited_by_none() {
    let (fixture, id, folder, path) = bundled(&survey(2), Faults::default()).await;
    let mut conn = fixture.pool.get().await.expect("a connection");
    let mut bundled_from = async |source: &str, synthetic: bool| {
        let set = format!("UPDATE persona_sets SET source = '{source}', synthetic = {synthetic}");
        sample::run(&mut conn, &set).await;
        bundle::write(&fixture.pool, id, &path).await.expect("a bundle");
        let Replay::Built { differing, .. } = replayed(&path) else { panic!("it is whole") };
        assert_eq!(differing, Vec::new(), "{source}");
        texts(&path)
    };

    let own = bundled_from("own file panel.csv", false).await;
    for (name, text) in &own {
        for word in OF_DATASET {
            assert!(!text.contains(word), "{name} says {word}");
        }
    }
    for name in [
        "README.md",
        "methods.md",
        "guide-llm.md",
        "disclosure.md",
        "LICENSE-DATA.txt",
        "datapackage.json",
        "ro-crate-metadata.json",
        "data/codebook.xml",
        "data/responses.csv",
        "run/run.json",
    ] {
        assert!(text(&own, name).contains("own file panel.csv"), "{name}");
    }
    let blank = "[to be filled in by the authors]";
    assert_eq!(text(&own, "LICENSE-DATA.txt"), format!("The twins are from own file panel.csv. Licence: {blank}\n"));
    let citation = text(&own, "CITATION.cff");
    assert!(citation.contains("message: \"Please cite this run.\"") && !citation.contains("references"), "{citation}");
    assert!(citation.contains(&format!("authors:\n  - name: \"{blank}\"")), "{citation}");
    let crated: Value = serde_json::from_str(text(&own, "ro-crate-metadata.json")).expect("JSON");
    let root = crated["@graph"].as_array().expect("a graph").iter().find(|of| of["@id"] == "./").expect("the root");
    assert_eq!((&root["license"]["@id"], &root["isBasedOn"]), (&Value::from("LICENSE-DATA.txt"), &Value::Null));

    let dataset = bundled_from("Twin-2K-500 full_persona (twins.csv)", false).await;
    for name in ["CITATION.cff", "LICENSE-DATA.txt", "datapackage.json", "ro-crate-metadata.json", "data/codebook.xml"]
    {
        assert!(text(&dataset, name).contains("Toubia"), "{name}");
    }
    let citation = text(&dataset, "CITATION.cff");
    assert!(
        citation.contains("cite this run and the data set of its twins") && citation.contains("authors:\n  - name")
    );
    assert!(text(&dataset, "LICENSE-DATA.txt").contains("CC BY 4.0"));

    let invented = bundled_from("synthetic, seed 1", true).await;
    assert_eq!(
        text(&invented, "LICENSE-DATA.txt"),
        "The twins are invented profiles (synthetic, seed 1): no data set has to be cited.\n"
    );
    assert!(!invented.iter().any(|(_, text)| OF_DATASET.iter().any(|word| text.contains(word))));
    drop(folder);
}
