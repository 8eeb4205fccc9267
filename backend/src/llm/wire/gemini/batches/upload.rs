//! Uploads a file of requests in the resumable way, which is the only one that Google's package uses: a start, which gives an
//! address, and the content.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::json;

use super::error_of;
use crate::llm::connection::Connection;
use crate::llm::outcome::CallError;
use crate::llm::wire::batch::BatchError;

const MIME_TYPE: &str = "application/jsonl";

#[derive(Deserialize)]
struct Uploaded {
    file: RemoteFile,
}

#[derive(Deserialize)]
struct RemoteFile {
    /// The name includes its collection, e.g. `files/abc`.
    name: String,
}

/// Uploads the requests of a batch, and returns the file's id.
pub async fn upload(connection: &Connection, name: &str, lines: Bytes) -> Result<String, BatchError> {
    let about = json!({"file": {"displayName": name, "mimeType": MIME_TYPE}});
    let start = connection
        .post("/upload/v1beta/files")
        .header("x-goog-upload-protocol", "resumable")
        .header("x-goog-upload-command", "start")
        .header("x-goog-upload-header-content-length", lines.len())
        .header("x-goog-upload-header-content-type", MIME_TYPE)
        .body(about.to_string());
    let headers = connection.read_headers(start).await.map_err(|failure| error_of(connection, failure))?;
    let address = headers.get("x-goog-upload-url").and_then(|address| address.to_str().ok());
    // The key goes to the server that was named, whatever address comes back.
    let path = address
        .and_then(|address| connection.path_at(address))
        .ok_or_else(|| BatchError::Call(CallError::garbled("the server gave no address for the upload of a file")))?;
    let content = connection
        .post_file(&path)
        .header("x-goog-upload-command", "upload, finalize")
        .header("x-goog-upload-offset", 0)
        .body(lines);
    let uploaded: Uploaded = connection.read_json(content).await.map_err(|failure| error_of(connection, failure))?;
    Ok(uploaded.file.name)
}
