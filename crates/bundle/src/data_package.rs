//! `datapackage.json`: the tables of CSV by Data Package 2, with the types and categories of their fields.

use std::fs::File;
use std::path::Path;

use chrono::SecondsFormat;
use export::archive::hash;
use export::csv;
use export::table::{Column, Form, Values, WideTable, codebook};
use serde_json::{Map, Value, json};
use simulation::columns::Columns;
use simulation::error::{Error, Result};
use simulation::run::Run;

use super::{ledger, prompt_index, twin_hashes};
use crate::analysis::TABLES;
use crate::human::tables::{DescribedTable, tables as people_tables};
use crate::paths::{LEDGER, SURVEY, TWINS};
use crate::tables::long_csv;

pub const PROFILE: &str = "https://datapackage.org/profiles/2.0/datapackage.json";
const TABLE_SCHEMA: &str = "https://datapackage.org/profiles/2.0/tableschema.json";

/// Types of the requests' columns that hold no text.
const REQUEST_TYPES: [(&str, &str); 16] = [
    ("id", "integer"),
    ("personaId", "integer"),
    ("questionId", "integer"),
    ("questionNumber", "integer"),
    ("position", "integer"),
    ("created_at", "datetime"),
    ("attempt", "integer"),
    ("latencyMs", "integer"),
    ("promptTokens", "integer"),
    ("cachedTokens", "integer"),
    ("completionTokens", "integer"),
    ("reasoningTokens", "integer"),
    ("cacheWriteTokens", "integer"),
    ("seed", "integer"),
    ("temperature", "number"),
    ("questionsPerCall", "integer"),
];

/// Describes the tables below `root`, which are all written.
pub fn of(run: &Run, root: &Path) -> Result<Value> {
    let texts = |names: &[&str]| names.iter().map(|name| field(name, "string", "")).collect::<Vec<Value>>();
    let requests = long_csv::columns(run).into_iter().map(|name| {
        let kind = REQUEST_TYPES.iter().find(|(known, _)| *known == name).map_or("string", |(_, kind)| kind);
        field(name, kind, "")
    });
    let mut codes = texts(&codebook::HEADER);
    codes[3]["type"] = json!("integer");
    let [id, variant, text_hash] = twin_hashes::HEADER;
    let [prompt_hash, persona, questions] = prompt_index::HEADER;
    let mut tables = vec![
        ("data/responses.csv", "A row for each request", requests.collect(), None),
        ("data/matrix.csv", "A row for each twin, answers as labels", matrix(run, Form::Labels), Some("personaId")),
        ("data/matrix-codes.csv", "A row for each twin, answers as codes", matrix(run, Form::Codes), Some("personaId")),
        ("data/codebook.csv", "A row for each code of a variable", codes, None),
        (
            TWINS,
            "Which text each twin was",
            vec![
                field(id, "integer", "Twin"),
                field(variant, "string", "Which text of the twin the model read"),
                field(text_hash, "string", "SHA-256 of that text in UTF-8"),
            ],
            Some(id),
        ),
        (
            "prompts/index.csv",
            "Which prompt asked a twin which questions",
            vec![
                field(prompt_hash, "string", "SHA-256 of the request's body"),
                field(persona, "integer", "Twin"),
                field(questions, "string", "Names of the questions that it was the answer to"),
            ],
            None,
        ),
    ];
    if root.join(LEDGER).is_file() {
        let fields = ledger::COLUMNS.map(|(name, kind, title)| field(name, kind, title)).to_vec();
        tables.push((LEDGER, "The run's entries in the ledger", fields, None));
    }
    tables.extend(TABLES.iter().map(|shape| {
        let fields = shape.columns.iter().map(|(name, kind, title)| field(name, kind, title)).collect();
        (shape.path, "Estimates with 95 % intervals", fields, None)
    }));
    for DescribedTable { path, title, columns } in people_tables(run, root)? {
        let fields = columns.iter().map(|(name, kind, title)| field(name, kind, title)).collect();
        tables.push((path, title, fields, None));
    }
    let resources = tables.into_iter().map(|(path, title, fields, key)| resource(root, path, title, fields, key));
    let mut package = json!({
        "$schema": PROFILE,
        "name": format!("simulation-{}", run.simulation_id),
        "id": run.simulation_id,
        "title": format!("{}: answers of LLM digital twins", run.survey.title),
        "description": run.notice,
        "created": run.files_time().to_rfc3339_opts(SecondsFormat::Secs, true),
        "sources": sources(run),
        "resources": resources.collect::<Result<Vec<Value>>>()?,
    });
    if let Some(dataset) = run.dataset {
        let terms = dataset.licence_terms();
        package["licenses"] = json!([{ "name": terms.id, "path": terms.page, "title": terms.title }]);
    }
    Ok(package)
}

fn sources(run: &Run) -> Value {
    let survey = json!({ "title": format!("Survey: {}", run.survey.title), "path": SURVEY });
    if let Some(dataset) = run.dataset {
        return json!([{ "title": dataset.citation(), "path": dataset.page() }, survey]);
    }
    json!([{ "title": format!("Twins: {}", run.personas_source) }, survey])
}

fn resource(root: &Path, path: &str, title: &str, fields: Vec<Value>, key: Option<&str>) -> Result<Value> {
    let read = File::open(root.join(path)).and_then(|mut file| hash(&mut file));
    let (bytes, sha256) = read.map_err(|error| Error::internal(format!("{path}: {error}")))?;
    // A name is once in its package, and has no slash.
    let name = path.trim_end_matches(".csv").replace('/', "-");
    let mut schema = json!({ "$schema": TABLE_SCHEMA, "fields": fields, "missingValues": [""] });
    if let Some(key) = key {
        schema["primaryKey"] = json!([key]);
    }
    Ok(json!({
        "name": name, "path": path, "title": title, "type": "table", "format": "csv", "mediatype": "text/csv",
        "encoding": "utf-8", "bytes": bytes, "hash": format!("sha256:{sha256}"), "schema": schema,
    }))
}

fn field(name: &str, kind: &str, title: &str) -> Value {
    let mut field = Map::from_iter([("name".to_owned(), name.into()), ("type".to_owned(), kind.into())]);
    if !title.is_empty() {
        field.insert("title".to_owned(), title.into());
    }
    Value::Object(field)
}

/// Describes the fields of the table with a row a twin. Categories are written as the file has them.
fn matrix(run: &Run, form: Form) -> Vec<Value> {
    let table = WideTable::new(Columns::of(run).described(), form);
    let of = |(name, (column, labels)): (&str, (Option<&Column>, bool))| {
        let Some(column) = column else { return field(name, "string", "Notice") };
        match &column.values {
            Values::Text => field(name, "string", &column.label),
            Values::Number => field(name, if name == "personaId" { "integer" } else { "number" }, &column.label),
            Values::Coded(codes) if labels => {
                let mut field = field(name, "string", &column.label);
                field["categories"] = codes.iter().map(|(_, label)| csv::guarded(label).into_owned()).collect();
                field["categoriesOrdered"] = json!(column.kind == "MATRIX");
                field
            }
            Values::Coded(codes) => {
                let mut field = field(name, "integer", &column.label);
                let category = |(code, label): &(i32, String)| json!({ "value": code, "label": label });
                field["categories"] = codes.iter().map(category).collect();
                field["categoriesOrdered"] = json!(column.kind == "MATRIX");
                field
            }
        }
    };
    table.header().zip(table.written()).map(of).collect()
}
