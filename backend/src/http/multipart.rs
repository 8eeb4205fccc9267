//! Files in multipart bodies.

use actix_multipart::{Field, Multipart};
use actix_web::web::Bytes;
use futures_util::TryStreamExt;

use super::error::{ApiError, Result};

/// The field `file`, of at most so many bytes. Other fields are passed over.
pub async fn file(mut form: Multipart, most: usize) -> Result<Bytes> {
    while let Some(mut field) = form.try_next().await.map_err(broken)? {
        if field.name() == Some("file") {
            return read(&mut field, most).await;
        }
        while field.try_next().await.map_err(broken)?.is_some() {}
    }
    Err(ApiError::invalid("file is missing: send it as a multipart field"))
}

async fn read(field: &mut Field, most: usize) -> Result<Bytes> {
    let mut bytes = Vec::new();
    while let Some(part) = field.try_next().await.map_err(broken)? {
        if bytes.len() + part.len() > most {
            return Err(ApiError::TooLarge(format!("file: {} MiB is the most", most / 1024 / 1024)));
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes.into())
}

fn broken(_: actix_multipart::MultipartError) -> ApiError {
    ApiError::invalid("The multipart body could not be read")
}
