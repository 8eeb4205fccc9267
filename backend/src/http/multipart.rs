//! Files in multipart bodies.

use actix_multipart::{Field, Multipart};
use actix_web::web::Bytes;
use futures_util::TryStreamExt;

use super::error::{ApiError, Result};

/// Bytes that a field beside a file may have.
const MAX_TEXT_BYTES: usize = 1024 * 1024;

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

/// The field `file`, of at most so many bytes, and the fields of these names, each of at most [`MAX_TEXT_BYTES`]. Other fields
/// are passed over. Refuses a field that stands there twice.
pub async fn file_and<const N: usize>(
    mut form: Multipart,
    most: usize,
    names: [&str; N],
) -> Result<(Bytes, [Option<Bytes>; N])> {
    let mut file = None;
    let mut texts = [const { None }; N];
    while let Some(mut field) = form.try_next().await.map_err(broken)? {
        let name = field.name().unwrap_or_default().to_owned();
        let place = names.iter().position(|wanted| *wanted == name);
        let (kept, most) = match place {
            Some(place) => (&mut texts[place], MAX_TEXT_BYTES),
            None if name == "file" => (&mut file, most),
            None => {
                while field.try_next().await.map_err(broken)?.is_some() {}
                continue;
            }
        };
        if kept.is_some() {
            return Err(ApiError::invalid(format!("{name} stands there twice")));
        }
        *kept = Some(read(&mut field, most).await?);
    }
    let file = file.ok_or_else(|| ApiError::invalid("file is missing: send it as a multipart field"))?;
    Ok((file, texts))
}

async fn read(field: &mut Field, most: usize) -> Result<Bytes> {
    let mut bytes = Vec::new();
    while let Some(part) = field.try_next().await.map_err(broken)? {
        if bytes.len() + part.len() > most {
            let name = field.name().unwrap_or("file");
            return Err(ApiError::TooLarge(format!("{name}: {} MiB is the most", most / 1024 / 1024)));
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes.into())
}

fn broken(_: actix_multipart::MultipartError) -> ApiError {
    ApiError::invalid("The multipart body could not be read")
}
