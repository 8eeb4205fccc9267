//! `ro-crate-metadata.json`: the files of a bundle and how they came about, by RO-Crate 1.2.

use std::fs;
use std::path::Path;

use chrono::SecondsFormat;
use export::archive::{MANIFEST, list_files};
use serde_json::{Value, json};
use simulation::error::{Error, Result};
use simulation::run::Run;

use crate::data_package::PROFILE;
use crate::documents::{BLANK, Documented};
use crate::paths::{DATA_PACKAGE, REPLIES, RO_CRATE, RUN, SURVEY};
use crate::study_record::StudyRecord;

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

/// Describes a run's bundle.
pub fn of(run: &Run, root: &Path) -> Result<Value> {
    let mut dataset = root_dataset(run, format!("{}: answers of LLM digital twins", run.survey.title));
    dataset["identifier"] = json!(run.simulation_id);
    dataset["mentions"] = id(RUN_ACTION);
    let [model, action] = made_by(run, "", "");
    let entities = [vec![author(), software(run), model, action], referred_to(run)].concat();
    graph(root, dataset, entities)
}

/// Describes a study's bundle.
pub fn of_study(study: &StudyRecord, runs: &[Documented], root: &Path) -> Result<Value> {
    let Some(first) = runs.first() else { return Err(Error::bad_input("the study has no runs")) };
    let title = study.study.name.clone().unwrap_or_else(|| first.run.survey.title.clone());
    let mut dataset = root_dataset(&first.run, format!("{title}: a study of LLM digital twins"));
    dataset["identifier"] = json!(study.study.study_id);
    let published = runs.iter().map(|each| each.run.files_time()).max().unwrap_or(study.study.created_at);
    dataset["datePublished"] = json!(published.format("%Y-%m-%d").to_string());
    let mut entities = vec![author(), software(&first.run)];
    let mut actions = Vec::with_capacity(runs.len());
    for (number, (record, each)) in (1..).zip(study.runs.iter().zip(runs)) {
        let made = made_by(&each.run, &format!("-{number}"), &format!("{}/", record.folder));
        actions.push(id(made[1]["@id"].as_str().unwrap_or_default()));
        entities.extend(made);
    }
    dataset["mentions"] = json!(actions);
    entities.extend(referred_to(&first.run));
    graph(root, dataset, entities)
}

/// Assembles the crate with the files below `root`. Its own size and that of the manifest, which lists it, are left out.
fn graph(root: &Path, mut dataset: Value, entities: Vec<Value>) -> Result<Value> {
    let failure = |error: std::io::Error| Error::internal(format!("{RO_CRATE}: {error}"));
    let mut files = Vec::new();
    for path in list_files(root).map_err(failure)?.iter().filter(|path| ![RO_CRATE, MANIFEST].contains(&path.as_str()))
    {
        let bytes = fs::metadata(root.join(path)).map_err(failure)?.len();
        let mut file = json!({
            "@id": path, "@type": "File", "name": path, "contentSize": bytes.to_string(),
            "encodingFormat": media_type(path),
        });
        // Those of a study's runs stand in their folders.
        match path.as_str() {
            path if Path::new(path).ends_with(DATA_PACKAGE) => file["conformsTo"] = id(PROFILE),
            path if Path::new(path).ends_with(CODEBOOK) => file["conformsTo"] = id(DDI),
            _ => {}
        }
        files.push(file);
    }
    files.push(json!({
        "@id": MANIFEST, "@type": "File", "name": MANIFEST, "encodingFormat": "application/json",
        "description": "SHA-256 and size of every file",
    }));
    dataset["hasPart"] = files.iter().map(|file| json!({ "@id": file["@id"] })).collect();
    let mut graph = vec![
        json!({ "@id": RO_CRATE, "@type": "CreativeWork", "conformsTo": id(CRATE_PROFILE), "about": id("./") }),
        dataset,
    ];
    graph.extend(files);
    graph.extend(entities);
    Ok(json!({ "@context": CONTEXT, "@graph": graph }))
}

fn root_dataset(run: &Run, title: String) -> Value {
    let licence = run.dataset.map_or(DATA_LICENCE, |dataset| dataset.licence_terms().page);
    let mut dataset = json!({
        "@id": "./", "@type": "Dataset", "name": title, "description": run.notice,
        "datePublished": run.files_time().format("%Y-%m-%d").to_string(), "license": id(licence), "author": id(AUTHOR),
    });
    if let Some(of) = run.dataset {
        dataset["isBasedOn"] = id(of.page());
    }
    dataset
}

fn author() -> Value {
    json!({ "@id": AUTHOR, "@type": "Person", "name": BLANK })
}

fn software(run: &Run) -> Value {
    json!({
        "@id": SOFTWARE, "@type": "SoftwareApplication", "name": "Digital Twin Lab",
        "softwareVersion": run.facts.program_version,
    })
}

/// Describes the run's model and how its answers came about. `suffix` makes their ids the only ones; the files are below `folder`.
fn made_by(run: &Run, suffix: &str, folder: &str) -> [Value; 2] {
    let facts = &run.facts;
    let time = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let file = |path: &str| id(&format!("{folder}{path}"));
    let name = if facts.demo_model {
        "The built-in demo model, which is no language model".to_owned()
    } else {
        run.parameters.model_in_words()
    };
    let model = format!("{MODEL}{suffix}");
    let mut action = json!({
        "@id": format!("{RUN_ACTION}{suffix}"), "@type": "CreateAction", "name": format!("Simulation {}", run.simulation_id),
        "instrument": [id(SOFTWARE), id(&model)], "object": [file(SURVEY), file(RUN)], "result": file(REPLIES),
        "startTime": time(facts.started_at.unwrap_or(facts.created_at)),
    });
    if let Some(ended) = facts.completed_at {
        action["endTime"] = json!(time(ended));
    }
    let model = json!({
        "@id": model, "@type": "SoftwareApplication", "name": name,
        "description": "The model that gave the answers, as the run names it; replies name the version that answered",
    });
    [model, action]
}

/// Describes what the files refer to.
fn referred_to(run: &Run) -> Vec<Value> {
    let mut entities = vec![
        json!({ "@id": CRATE_PROFILE, "@type": "CreativeWork", "name": "RO-Crate", "version": "1.2" }),
        json!({ "@id": PROFILE, "@type": "CreativeWork", "name": "Data Package", "version": "2.0" }),
        json!({ "@id": DDI, "@type": "CreativeWork", "name": "DDI-Codebook", "version": "2.5" }),
    ];
    if let Some(dataset) = run.dataset {
        let (terms, name) = (dataset.licence_terms(), dataset.citation());
        entities.push(json!({ "@id": terms.page, "@type": "CreativeWork", "name": terms.title }));
        entities.push(json!({ "@id": dataset.page(), "@type": "Dataset", "name": name, "license": id(terms.page) }));
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
