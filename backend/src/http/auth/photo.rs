//! The caller's photo: read, decoded, made small and written anew, so that nothing of the upload is kept but the
//! picture.

use std::io::Cursor;

use actix_multipart::Multipart;
use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use actix_web::web::{Bytes, Data, Path};
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use utoipa::ToSchema;
use uuid::Uuid;

use super::profile::Profile;
use crate::app::App;
use crate::auth::rules::{self, Caller};
use crate::db;
use crate::http::error::{ApiError, Result};
use crate::http::extract::admit;
use crate::http::multipart;
use crate::models::user_photos::Photo;
use crate::work::Work;

/// Bytes that an upload may have.
const MAX_UPLOAD_BYTES: usize = 2 * 1024 * 1024;
/// Pixels of the stored picture's longer side.
const KEPT_SIDE: u32 = 512;
/// Pixels of an upload: of its longer side, and in all.
const MAX_SIDE: u32 = 8_000;
const MAX_PIXELS: u64 = 25_000_000;
/// Bytes that a decoded upload may have: four a pixel.
const MAX_DECODED_BYTES: u64 = 4 * MAX_PIXELS;

/// The form of an uploaded photo.
#[derive(ToSchema)]
struct PhotoUpload {
    /// PNG, JPEG or WebP, up to 2 MiB, 25 megapixels and 8,000 pixels a side.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    photo: Bytes,
}

impl PhotoUpload {
    async fn read(form: Multipart) -> Result<Self> {
        Ok(Self { photo: multipart::file(form, "photo", MAX_UPLOAD_BYTES).await? })
    }
}

/// Uploads the caller's photo
#[utoipa::path(
    post, path = "", operation_id = "upload_photo",
    request_body(content = PhotoUpload, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The profile with the photo's address", body = Profile),
        (status = 429, description = "Two uploads of the caller are under way; see Retry-After")
    )
)]
pub async fn upload(app: Data<App>, caller: Caller, form: Multipart) -> Result<HttpResponse> {
    let admission = admit(&app, caller.id, Work::Picture)?;
    let PhotoUpload { photo } = PhotoUpload::read(form).await?;
    let (media_type, bytes) = admission.start().await.blocking(move || small(&photo)).await??;
    let mut conn = db::checkout(&app.pool).await?;
    Photo::keep(&mut conn, caller.id, media_type, &bytes).await?;
    Ok(HttpResponse::Ok().json(Profile::load(&mut conn, caller.user).await?))
}

/// The picture upright, at most [`KEPT_SIDE`] pixels long, as a JPEG, or as a PNG where it has transparent parts.
fn small(sent: &[u8]) -> Result<(&'static str, Vec<u8>)> {
    let not_a_picture = || ApiError::WrongMediaType("photo must be a PNG, JPEG or WebP picture".to_owned());
    let mut reader = ImageReader::new(Cursor::new(sent)).with_guessed_format().map_err(|_| not_a_picture())?;
    if !matches!(reader.format(), Some(ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)) {
        return Err(not_a_picture());
    }
    // Beside the picture itself, decoders take some rows of it.
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_DECODED_BYTES + MAX_DECODED_BYTES / 4);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|_| not_a_picture())?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if width.max(height) > MAX_SIDE || pixels > MAX_PIXELS || decoder.total_bytes() > MAX_DECODED_BYTES {
        let message = "photo must have at most 25 megapixels, and at most 8,000 pixels a side";
        return Err(ApiError::TooLarge(message.to_owned()).with_code("too_many_pixels"));
    }
    let orientation = decoder.orientation().map_err(|_| not_a_picture())?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(|_| not_a_picture())?;
    if picture.width().max(picture.height()) > KEPT_SIDE {
        picture = picture.thumbnail(KEPT_SIDE, KEPT_SIDE);
    }
    picture.apply_orientation(orientation);
    let (media_type, format, picture) = if picture.color().has_alpha() {
        ("image/png", ImageFormat::Png, DynamicImage::ImageRgba8(picture.into_rgba8()))
    } else {
        ("image/jpeg", ImageFormat::Jpeg, DynamicImage::ImageRgb8(picture.into_rgb8()))
    };
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).map_err(ApiError::internal)?;
    Ok((media_type, bytes.into_inner()))
}

/// The photo with the name that `photoUrl` ends with
///
/// Pictures in pages send no token: the name cannot be guessed. By a user's id, callers see their own photo and those of
/// the members of their groups.
#[utoipa::path(
    get, path = "", operation_id = "show_photo",
    responses(
        (status = 200, description = "The picture", content_type = "image/jpeg", body = Vec<u8>),
        (status = 404, description = "There is none")
    ),
    security(())
)]
pub async fn show(app: Data<App>, caller: Option<Caller>, name: Path<String>) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let photo = match (Uuid::parse_str(&name), name.parse(), caller) {
        (Ok(name), ..) => Photo::named(&mut conn, name).await?,
        (_, Ok(user_id), Some(caller)) => {
            rules::person(&mut conn, &caller, user_id).await?;
            Photo::find(&mut conn, user_id).await?
        }
        _ => None,
    };
    let photo = photo.ok_or_else(|| ApiError::not_found("Photo"))?;
    let one_day = (CACHE_CONTROL, HeaderValue::from_static("private, max-age=86400"));
    Ok(HttpResponse::Ok().content_type(photo.media_type).insert_header(one_day).body(photo.bytes))
}
