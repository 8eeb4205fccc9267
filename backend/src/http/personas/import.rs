//! Twins from an uploaded file: written to disk as it comes, read row by row, stored in one transaction.

use std::io::Write;
use std::path::PathBuf;

use actix_multipart::{Field, Multipart};
use actix_web::HttpResponse;
use actix_web::web::Data;
use futures_util::TryStreamExt;
use serde::Serialize;
use simulation::persona_source::Dataset;
use tempfile::NamedTempFile;
use tokio::task::spawn_blocking;
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::error::{Error, ErrorKind};
use crate::http::answers::people::refused;
use crate::http::error::{ApiError, Result};
use crate::http::extract::admit;
use crate::http::multipart::{broken, missing, next_field, read};
use crate::models::persona_import::replace_current;
use crate::models::personas::NewPersona;
use crate::personas::{self, ImportOptions, Profiles, RecordPlace, RowRejection, Unreadable};
use crate::work::Work;

/// Bytes that an upload may have.
const MAX_UPLOAD_BYTES: u64 = 200 * 1024 * 1024;
/// Bytes of a data set's name.
const MAX_DATASET_BYTES: usize = 1024 * 1024;
/// Bytes that are written at once.
const BLOCK: usize = 1024 * 1024;
/// Rejected rows that a report lists.
const MAX_REPORTED: usize = 1_000;

/// Outcome of an import: twins stored, and rows left out.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// Twins stored: the current ones now.
    #[schema(example = 2056)]
    imported: usize,
    /// Rows left out.
    #[schema(example = 1)]
    rejected_count: usize,
    /// The first thousand of them.
    rejected: Vec<RejectedRow>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
struct RejectedRow {
    /// Line on which the row starts, from 1; the header is the first.
    #[schema(example = 17)]
    line: u64,
    /// Null where it is about the row as a whole.
    #[schema(example = "summary")]
    column: Option<String>,
    #[schema(example = "blank")]
    message: String,
}

impl From<RowRejection> for RejectedRow {
    fn from(RowRejection { place, column, reason }: RowRejection) -> Self {
        let (RecordPlace::Line(line) | RecordPlace::Row(line)) = place;
        Self { line, column, message: reason }
    }
}

/// Imports twins from a file in the place of the current ones (super admin)
///
/// Rows that are no twins are left out and reported. A file without a single good row, or that cannot be read to its
/// end, changes nothing. Finished runs keep the twins that they asked.
#[utoipa::path(
    post, path = "", operation_id = "import_personas",
    request_body(content = PersonaUpload, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "What became of the rows", body = ImportReport),
        (status = 429, description = "Two uploads of the caller are under way; see Retry-After")
    )
)]
pub async fn import(app: Data<App>, caller: Caller, form: Multipart) -> Result<HttpResponse> {
    caller.must_be_super_admin()?;
    let admission = admit(&app, caller.id, Work::PersonaImport)?;
    let received = receive(form, app.scratch.path().to_owned()).await?;
    let url = app.database_url.clone();
    let stored = admission.start().await.blocking(move || store(&url, &received)).await?;
    Ok(HttpResponse::Ok().json(stored.map_err(refused)?))
}

/// The form of an uploaded file of twins.
#[derive(ToSchema)]
struct PersonaUpload {
    /// The file's name, for messages and for the source of the set.
    #[schema(ignore)]
    name: String,
    /// CSV up to 200 MiB with a column `summary`, `persona_summary`, `text` or `full_text`; separated by commas,
    /// semicolons or tabs, in UTF-8 or UTF-16. Workbooks (.xlsx), JSON Lines and parquet are recognised by their first
    /// bytes; text may be packed with gzip.
    #[schema(value_type = String, format = Binary, content_media_type = "text/csv", example = "pid,name,summary,Gender\n1,Ada,\"Ada is a mathematician.\",Female\n")]
    file: NamedTempFile,
    /// The published data set that the twins are people of, whose name, citation and licence then apply to them. By default
    /// they apply only if the file has all of its published columns; any other file is named as the users' own.
    #[schema(value_type = Option<String>, example = "Twin-2K-500", nullable = false)]
    dataset: Option<Dataset>,
}

async fn receive(mut form: Multipart, folder: PathBuf) -> Result<PersonaUpload> {
    let mut received = None;
    let mut named = None;
    while let Some(mut field) = next_field(&mut form, &["file", "dataset"]).await? {
        if field.name() == Some("dataset") {
            named = dataset(&read(&mut field, "dataset", MAX_DATASET_BYTES).await?)?;
            continue;
        }
        if received.is_some() {
            return Err(ApiError::invalid("file is sent twice"));
        }
        let name = field.content_disposition().and_then(|header| header.get_filename()).unwrap_or("upload");
        let name = shown(name);
        received = Some((name, write(field, folder.clone()).await?));
    }
    let (name, file) = received.ok_or_else(|| missing("file"))?;
    Ok(PersonaUpload { name, file, dataset: named })
}

/// The data set that a form names; a blank field names none.
fn dataset(field: &[u8]) -> Result<Option<Dataset>> {
    let name = String::from_utf8_lossy(field);
    if name.trim().is_empty() {
        return Ok(None);
    }
    let known = Dataset::ALL.map(Dataset::name).join(", ");
    let unknown = || ApiError::Invalid(format!("dataset: {name:?} is no data set known here; known: {known}"));
    Dataset::by_name(&name).map(Some).ok_or_else(unknown)
}

/// The last part of a name, for messages and for the source of the set.
fn shown(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|letter| !letter.is_control()).take(200).collect();
    if name.trim().is_empty() { "upload".to_owned() } else { name }
}

async fn write(mut field: Field, folder: PathBuf) -> Result<NamedTempFile> {
    let created = spawn_blocking(move || NamedTempFile::new_in(folder));
    let mut file = created.await.map_err(ApiError::internal)?.map_err(ApiError::internal)?;
    let mut size = 0;
    let mut block = Vec::with_capacity(BLOCK);
    loop {
        let chunk = field.try_next().await.map_err(broken)?;
        if let Some(chunk) = &chunk {
            size += chunk.len() as u64;
            if size > MAX_UPLOAD_BYTES {
                return Err(ApiError::TooLarge(format!("file is larger than {} MiB", MAX_UPLOAD_BYTES / 1024 / 1024)));
            }
            block.extend_from_slice(chunk);
        }
        if block.len() >= BLOCK || chunk.is_none() {
            let full = std::mem::replace(&mut block, Vec::with_capacity(BLOCK));
            let written = spawn_blocking(move || file.write_all(&full).map(|()| file));
            file = written.await.map_err(ApiError::internal)?.map_err(ApiError::internal)?;
        }
        if chunk.is_none() {
            return Ok(file);
        }
    }
}

/// Stores the good rows as the current set.
fn store(url: &str, received: &PersonaUpload) -> crate::error::Result<ImportReport> {
    let PersonaUpload { name, file, dataset } = received;
    let options = ImportOptions { dataset: *dataset, ..ImportOptions::default() };
    let mut profiles = personas::open_named(file.path(), name, options)?;
    let source = profiles.source().to_owned();
    let mut report = ImportReport::default();
    // An error in place of unwinding, so that the transaction is rolled back in good order.
    let good = std::iter::from_fn(|| match cancellation::is_cancelled() {
        true => Some(Err(Error::given_up("the import was given up: nothing was stored"))),
        false => good_row(&mut profiles, &mut report),
    });
    let stored = replace_current(&mut db::connect(url)?, &source, false, good);
    match (stored, report.rejected.first()) {
        (Ok((_, imported)), _) => Ok(ImportReport { imported, ..report }),
        (Err(error), Some(first)) if error.kind == ErrorKind::BadInput => {
            let RejectedRow { line, column, message } = first;
            let column = column.as_ref().map(|column| format!(", column {column}")).unwrap_or_default();
            Err(Error::bad_input(format!("{name}: {error}; line {line}{column}: {message}")))
        }
        (Err(error), _) => Err(error),
    }
}

/// The next valid row; rejected rows before it are added to the report.
fn good_row(profiles: &mut Profiles, report: &mut ImportReport) -> Option<crate::error::Result<NewPersona>> {
    loop {
        match profiles.next_row()? {
            Ok(twin) => return Some(Ok(twin)),
            Err(Unreadable::File(error)) => return Some(Err(error)),
            Err(Unreadable::Row(rejection)) => {
                report.rejected_count += 1;
                if report.rejected.len() < MAX_REPORTED {
                    report.rejected.push(rejection.into());
                }
            }
        }
    }
}
