//! The caller's photo: read, decoded, made small and written anew, so that nothing of the upload is kept but the
//! picture.

use std::io::Cursor;

use actix_multipart::Multipart;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::web::{Data, Path};
use futures_util::TryStreamExt;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use tokio::task::spawn_blocking;
use utoipa::ToSchema;

use super::profile::Profile;
use crate::app::App;
use crate::auth::rules::Caller;
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::models::user_photos::Photo;

/// Bytes that an upload may have.
const MAX_UPLOAD_BYTES: usize = 2 * 1024 * 1024;
/// Pixels of the longer side: of the stored picture, and at most of an upload.
const KEPT_SIDE: u32 = 512;
const MAX_SIDE: u32 = 12_000;
/// Bytes that decoding one may take.
const MAX_DECODED_BYTES: u64 = 256 * 1024 * 1024;

#[derive(ToSchema)]
struct PhotoUpload {
    /// PNG, JPEG or WebP, up to 2 MiB.
    #[schema(format = Binary, content_media_type = "application/octet-stream")]
    #[expect(dead_code, reason = "read from the multipart stream; the document needs its shape")]
    photo: String,
}

/// Uploads the caller's photo
#[utoipa::path(
    post, path = "/auth/photo", tag = "Sign-in and account",
    operation_id = "upload_photo",
    request_body(content = PhotoUpload, content_type = "multipart/form-data"),
    responses((status = 200, description = "The profile with the photo's address", body = Profile))
)]
pub async fn upload(app: Data<App>, caller: Caller, form: Multipart) -> Result<HttpResponse> {
    let sent = read(form).await?;
    let (media_type, bytes) = spawn_blocking(move || small(&sent)).await.map_err(ApiError::internal)??;
    let mut conn = db::checkout(&app.pool).await?;
    Photo::keep(&mut conn, caller.id, media_type, &bytes).await?;
    Ok(HttpResponse::Ok().json(Profile::load(&mut conn, caller.user).await?))
}

/// The bytes of the field `photo`.
async fn read(mut form: Multipart) -> Result<Vec<u8>> {
    let broken = |_| ApiError::invalid("The multipart body could not be read");
    while let Some(mut field) = form.try_next().await.map_err(broken)? {
        if field.name() != Some("photo") {
            while field.try_next().await.map_err(broken)?.is_some() {}
            continue;
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = field.try_next().await.map_err(broken)? {
            if bytes.len() + chunk.len() > MAX_UPLOAD_BYTES {
                return Err(ApiError::TooLarge("photo is larger than 2 MiB".to_owned()));
            }
            bytes.extend_from_slice(&chunk);
        }
        return Ok(bytes);
    }
    Err(ApiError::invalid("photo is missing: send it as a multipart field"))
}

/// The picture upright, at most [`KEPT_SIDE`] pixels long, as a JPEG, or as a PNG where it has transparent parts.
fn small(sent: &[u8]) -> Result<(&'static str, Vec<u8>)> {
    let not_a_picture = || ApiError::WrongMediaType("photo must be a PNG, JPEG or WebP picture".to_owned());
    let mut reader = ImageReader::new(Cursor::new(sent)).with_guessed_format().map_err(|_| not_a_picture())?;
    if !matches!(reader.format(), Some(ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)) {
        return Err(not_a_picture());
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|_| not_a_picture())?;
    let orientation = decoder.orientation().map_err(|_| not_a_picture())?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|_| not_a_picture())?;
    picture.apply_orientation(orientation);
    if picture.width().max(picture.height()) > KEPT_SIDE {
        picture = picture.thumbnail(KEPT_SIDE, KEPT_SIDE);
    }
    let (media_type, format, picture) = if picture.color().has_alpha() {
        ("image/png", ImageFormat::Png, DynamicImage::ImageRgba8(picture.into_rgba8()))
    } else {
        ("image/jpeg", ImageFormat::Jpeg, DynamicImage::ImageRgb8(picture.into_rgb8()))
    };
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).map_err(ApiError::internal)?;
    Ok((media_type, bytes.into_inner()))
}

/// Someone's photo
///
/// Open, since pictures in pages send no token; it may be kept for a day.
#[utoipa::path(
    get, path = "/auth/photo/{userId}", tag = "Sign-in and account",
    operation_id = "show_photo",
    params(("userId" = i64, Path)),
    responses(
        (status = 200, description = "The picture", content_type = "image/jpeg", body = Vec<u8>),
        (status = 404, description = "There is none")
    ),
    security(())
)]
pub async fn show(app: Data<App>, user_id: Path<i64>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let photo = Photo::of(&mut conn, *user_id).await?.ok_or_else(|| ApiError::not_found("Photo"))?;
    let one_day = (CACHE_CONTROL, HeaderValue::from_static("public, max-age=86400"));
    Ok(HttpResponse::Ok().content_type(photo.media_type).insert_header(one_day).body(photo.bytes))
}
