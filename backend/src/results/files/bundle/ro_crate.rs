//! `ro-crate-metadata.json`: the files of a bundle and how they came about, by RO-Crate 1.2.

use std::fs;
use std::path::Path;

use chrono::SecondsFormat;
use serde_json::{Value, json};

use super::data_package::PROFILE;
use super::write::paths;
use super::{BLANK, DATA_PACKAGE, MANIFEST, REPLIES, RO_CRATE, RUN, SURVEY};
use crate::error::{Error, Result};
use crate::results::run::{CITATION, DATASET_PAGE, LICENCE_PAGE, Run};

const CONTEXT: &str = "https://w3id.org/ro/crate/1.2/context";
const CRATE_PROFILE: &str = "https://w3id.org/ro/crate/1.2";
const DDI: &str = "https://ddialliance.org/Specification/DDI-Codebook/2.5/";
const CODEBOOK: &str = "data/codebook.xml";
const DATA_LICENCE: &str = "LICENSE-DATA.txt";

const AUTHOR: &str = "#author";
const SOFTWARE: &str = "#digital-twin-lab";
const MODEL: &str = "#model";
const RUN_ACTION: &str = "#run";

fn id(of: &str) -> Value {
    json!({ "@id": of })
}

/// Of the files below `root`. The crate's own size, and that of the manifest, which lists the crate, are not told.
pub(super) fn of(run: &Run, root: &Path) -> Result<Value> {
    let failure = |error: std::io::Error| Error::internal(format!("{RO_CRATE}: {error}"));
    let mut files = Vec::new();
    for path in paths(root).map_err(failure)?.iter().filter(|path| ![RO_CRATE, MANIFEST].contains(&path.as_str())) {
        let bytes = fs::metadata(root.join(path)).map_err(failure)?.len();
        let mut file = json!({
            "@id": path, "@type": "File", "name": path, "contentSize": bytes.to_string(),
            "encodingFormat": media_type(path),
        });
        match path.as_str() {
            DATA_PACKAGE => file["conformsTo"] = id(PROFILE),
            CODEBOOK => file["conformsTo"] = id(DDI),
            _ => {}
        }
        files.push(file);
    }
    files.push(json!({
        "@id": MANIFEST, "@type": "File", "name": MANIFEST, "encodingFormat": "application/json",
        "description": "SHA-256 and size of every file",
    }));
    let parts: Vec<Value> = files.iter().map(|file| json!({ "@id": file["@id"] })).collect();
    let mut graph = vec![
        json!({ "@id": RO_CRATE, "@type": "CreativeWork", "conformsTo": id(CRATE_PROFILE), "about": id("./") }),
        root_dataset(run, parts),
    ];
    graph.extend(files);
    graph.extend(context_entities(run));
    Ok(json!({ "@context": CONTEXT, "@graph": graph }))
}

fn root_dataset(run: &Run, parts: Vec<Value>) -> Value {
    let title = format!("{}: answers of LLM digital twins", run.survey.title);
    let licence = if run.is_of_dataset() { LICENCE_PAGE } else { DATA_LICENCE };
    let mut dataset = json!({
        "@id": "./", "@type": "Dataset", "name": title, "description": run.notice, "identifier": run.simulation_id,
        "datePublished": run.files_time().format("%Y-%m-%d").to_string(), "license": id(licence), "author": id(AUTHOR),
        "hasPart": parts, "mentions": id(RUN_ACTION),
    });
    if run.is_of_dataset() {
        dataset["isBasedOn"] = id(DATASET_PAGE);
    }
    dataset
}

/// What the files refer to.
fn context_entities(run: &Run) -> Vec<Value> {
    let facts = &run.facts;
    let time = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let model = if facts.demo_model {
        "The built-in demo model, which is no language model".to_owned()
    } else {
        run.parameters.model.clone()
    };
    let mut action = json!({
        "@id": RUN_ACTION, "@type": "CreateAction", "name": format!("Simulation {}", run.simulation_id),
        "instrument": [id(SOFTWARE), id(MODEL)], "object": [id(SURVEY), id(RUN)], "result": id(REPLIES),
        "startTime": time(facts.started_at.unwrap_or(facts.created_at)),
    });
    if let Some(ended) = facts.completed_at {
        action["endTime"] = json!(time(ended));
    }
    let mut entities = vec![
        json!({ "@id": AUTHOR, "@type": "Person", "name": BLANK }),
        json!({
            "@id": SOFTWARE, "@type": "SoftwareApplication", "name": "Digital Twin Lab",
            "softwareVersion": facts.program_version,
        }),
        json!({
            "@id": MODEL, "@type": "SoftwareApplication", "name": model,
            "description": "The model that gave the answers, as the run names it; replies name the version that answered",
        }),
        action,
        json!({ "@id": CRATE_PROFILE, "@type": "CreativeWork", "name": "RO-Crate", "version": "1.2" }),
        json!({ "@id": PROFILE, "@type": "CreativeWork", "name": "Data Package", "version": "2.0" }),
        json!({ "@id": DDI, "@type": "CreativeWork", "name": "DDI-Codebook", "version": "2.5" }),
    ];
    if run.is_of_dataset() {
        entities.push(json!({
            "@id": LICENCE_PAGE, "@type": "CreativeWork", "name": "Creative Commons Attribution 4.0 International",
        }));
        entities
            .push(json!({ "@id": DATASET_PAGE, "@type": "Dataset", "name": CITATION, "license": id(LICENCE_PAGE) }));
    }
    entities
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "csv" => "text/csv",
        "json" => "application/json",
        "jsonl" => "application/jsonl",
        "md" => "text/markdown",
        "parquet" => "application/vnd.apache.parquet",
        "py" => "text/x-python",
        "sav" => "application/x-spss-sav",
        "dta" => "application/x-stata-dta",
        "svg" => "image/svg+xml",
        "xml" => "application/xml",
        "cff" => "application/yaml",
        _ => "text/plain",
    }
}
