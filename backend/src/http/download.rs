//! Files that calls send, and how the API document describes them.

use actix_web::HttpResponseBuilder;
use actix_web::http::header::CONTENT_DISPOSITION;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::Operation;

/// Media types by the ending of a file's name.
const MEDIA_TYPES: [(&str, &str); 11] = [
    ("R", "text/plain"),
    ("csv", "text/csv"),
    ("dta", "application/x-stata-dta"),
    ("json", "application/json"),
    ("jsonl", "application/x-ndjson"),
    ("md", "text/markdown"),
    ("parquet", "application/vnd.apache.parquet"),
    ("py", "text/plain"),
    ("sav", "application/x-spss-sav"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("zip", "application/zip"),
];

/// The media type of a file with this name. `None`: its ending is none of a file.
pub fn media_type(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    MEDIA_TYPES.iter().find(|(known, _)| *known == ending).map(|(_, media_type)| *media_type)
}

/// Makes the response a file that a browser saves under this name, of the name's media type.
pub fn attach<'a>(answer: &'a mut HttpResponseBuilder, name: &str) -> &'a mut HttpResponseBuilder {
    let media_type = media_type(name).unwrap_or("application/octet-stream");
    let charset = if media_type.starts_with("text/") { "; charset=utf-8" } else { "" };
    answer
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        .content_type(format!("{media_type}{charset}"))
}

/// A file of a call whose address ends in `{file}`. Each file is a call of its own in the API document.
#[derive(Clone, Copy, Debug)]
pub struct FileCall {
    /// The last part of the address.
    pub name: &'static str,
    pub operation_id: &'static str,
    pub summary: &'static str,
    pub description: &'static str,
    /// The query parameters of the handler that change this file.
    pub parameters: &'static [&'static str],
}

impl FileCall {
    /// Makes the handler's operation the one of this file.
    pub fn describe(&self, operation: &mut Operation) {
        operation.operation_id = Some(self.operation_id.to_owned());
        operation.summary = Some(self.summary.to_owned());
        operation.description = Some(self.description.to_owned()).filter(|text| !text.is_empty());
        if let Some(parameters) = &mut operation.parameters {
            parameters.retain(|parameter| match parameter {
                RefOr::T(parameter) => self.parameters.contains(&parameter.name.as_str()),
                RefOr::Ref(_) => true,
            });
        }
    }
}
