//! Files in multipart bodies. An unknown field is refused by its name, and not read.

use actix_multipart::{Field, Multipart};
use actix_web::web::Bytes;
use futures_util::TryStreamExt;

use super::error::{ApiError, Result};

/// Bytes that a field beside a file may have.
pub const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// The file that is the only field, of at most so many bytes.
pub async fn file(form: Multipart, name: &str, max_bytes: usize) -> Result<Bytes> {
    fields(form, &[(name, max_bytes)]).await?.pop().flatten().ok_or_else(|| missing(name))
}

/// The field `file`, of at most so many bytes, and the fields of these names, each of at most [`MAX_TEXT_BYTES`].
pub async fn file_and<const N: usize>(
    form: Multipart,
    max_bytes: usize,
    names: [&str; N],
) -> Result<(Bytes, [Option<Bytes>; N])> {
    let wanted = [("file", max_bytes)].into_iter().chain(names.map(|name| (name, MAX_TEXT_BYTES)));
    let mut found = fields(form, &wanted.collect::<Vec<_>>()).await?.into_iter();
    let file = found.next().flatten().ok_or_else(|| missing("file"))?;
    Ok((file, [(); N].map(|()| found.next().flatten())))
}

/// The fields of these names, each of at most so many bytes, in this order. Refuses a field that is sent twice.
async fn fields(mut form: Multipart, wanted: &[(&str, usize)]) -> Result<Vec<Option<Bytes>>> {
    let names: Vec<&str> = wanted.iter().map(|(name, _)| *name).collect();
    let mut found = vec![None; wanted.len()];
    while let Some(mut field) = next_field(&mut form, &names).await? {
        let place = names.iter().position(|name| field.name() == Some(*name)).unwrap_or_default();
        let ((name, max_bytes), kept) = (wanted[place], &mut found[place]);
        if kept.is_some() {
            return Err(ApiError::Invalid(format!("{name} is sent twice")));
        }
        *kept = Some(read(&mut field, name, max_bytes).await?);
    }
    Ok(found)
}

/// The next field. Refuses one of another name.
pub async fn next_field(form: &mut Multipart, names: &[&str]) -> Result<Option<Field>> {
    let Some(field) = form.try_next().await.map_err(broken)? else { return Ok(None) };
    match field.name().unwrap_or_default() {
        name if names.contains(&name) => Ok(Some(field)),
        name => {
            let name: String = name.chars().take(100).collect();
            Err(ApiError::Invalid(format!("{name}: the form has no such field, only {}", names.join(", "))))
        }
    }
}

/// A field of at most so many bytes.
pub async fn read(field: &mut Field, name: &str, max_bytes: usize) -> Result<Bytes> {
    let mut bytes = Vec::new();
    while let Some(part) = field.try_next().await.map_err(broken)? {
        if bytes.len() + part.len() > max_bytes {
            return Err(ApiError::TooLarge(format!("{name}: {} MiB is the most", max_bytes / 1024 / 1024)));
        }
        bytes.extend_from_slice(&part);
    }
    Ok(bytes.into())
}

pub fn missing(name: &str) -> ApiError {
    ApiError::Invalid(format!("{name} is missing: send it as a multipart field"))
}

pub fn broken(_: actix_multipart::MultipartError) -> ApiError {
    ApiError::invalid("The multipart body could not be read")
}
