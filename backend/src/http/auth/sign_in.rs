//! Signing in by a code sent to the e-mail, and asking for access.

use actix_web::HttpResponse;
use actix_web::web::Data;
use chrono::Utc;
use diesel_async::AsyncPgConnection;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::auth::codes::KEY_LENGTH;
use crate::auth::token::Claims;
use crate::db;
use crate::email::Email;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{ClientAddress, Json};
use crate::http::rate_limit::RateLimit;
use crate::models::access_requests::{self, NewAccessRequest};
use crate::models::login::{self, MAX_FAILED_CODES, MAX_REQUESTS_PER_EMAIL, RateCheck, StoredCode, Try};

/// Answer of a call that returns no data.
#[derive(Debug, Serialize, ToSchema)]
pub struct Done {
    #[schema(example = "Verification code sent successfully! Check your email.")]
    pub message: &'static str,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct LoginRequest {
    #[schema(example = "ada@example.org")]
    email: String,
}

/// Sends a verification code by e-mail
///
/// The answer is the same whether somebody has the e-mail or not. The last three codes are valid.
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "Sent, if somebody has the e-mail", body = Done),
        (
            status = 429,
            description = "In 15 minutes 5 requests of an e-mail, and from an address 30 of unknown e-mails and 300 in all; see Retry-After"
        )
    ),
    security(())
)]
pub async fn request_login(
    app: Data<App>,
    ClientAddress(address): ClientAddress,
    Json(request): Json<LoginRequest>,
) -> Result<HttpResponse> {
    let email = email(&request.email)?;
    let mut conn = db::checkout(&app.pool).await?;
    match login::request_code(&mut conn, &email, &address.to_string()).await? {
        RateCheck::Passed { remaining, reset_s } => {
            app.mailer.notify();
            let mut answer = HttpResponse::Ok();
            for header in (RateLimit { limit: MAX_REQUESTS_PER_EMAIL, remaining, reset_s }).headers() {
                answer.insert_header(header);
            }
            Ok(answer.json(Done { message: "Verification code sent successfully! Check your email." }))
        }
        RateCheck::Exceeded { limit, wait_s } => Err(ApiError::TooMany {
            message: "Too many verification codes were requested. Please try again later.".to_owned(),
            limit,
            retry_after_s: wait_s,
        }),
    }
}

fn email(text: &str) -> Result<Email> {
    Email::parse(text).map_err(|_| ApiError::invalid("Please enter a valid email address"))
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct LoginCode {
    #[schema(example = "ada@example.org")]
    email: String,
    /// The six digits of the mail, or the key of its link.
    #[schema(example = "042137")]
    code: String,
}

#[derive(Debug, Serialize, ToSchema)]
struct Session {
    /// A JSON Web Token with the claims `name`, `email` and `role`, good for 12 hours.
    access_token: String,
}

/// Signs in with the code
///
/// A code is good for ten minutes, five tries and one success. After 100 failed tries at an e-mail's codes in 24 hours no
/// code of it is compared until the day has passed, and its owner gets a mail. The key of the mail's link is good for as
/// long as its code, whatever was tried.
#[utoipa::path(
    post, path = "",
    responses(
        (status = 200, description = "Signed in", body = Session),
        (status = 401, description = "The code is wrong, used, too old or tried too often"),
        (
            status = 429,
            description = "600 tries from an address in 15 minutes, or 100 failed ones of an e-mail in 24 hours (`codes_blocked`); see Retry-After"
        )
    ),
    security(())
)]
pub async fn verify_login(
    app: Data<App>,
    ClientAddress(address): ClientAddress,
    Json(login): Json<LoginCode>,
) -> Result<HttpResponse> {
    let email = email(&login.email)?;
    let code = login.code.trim();
    let mut conn = db::checkout(&app.pool).await?;
    if code.len() == KEY_LENGTH {
        let codes = login::codes_with_links(&mut conn, &email).await?;
        let opens = |stored: &&StoredCode| app.codes.key_matches(stored.user_id, stored.id, code);
        return sign_in(&app, &mut conn, codes.iter().find(opens)).await;
    }
    if code.chars().count() != 6 {
        return Err(ApiError::invalid("Please enter the 6-digit verification code"));
    }
    let (mut codes, counted) = match login::try_code(&mut conn, &email, &address.to_string()).await? {
        Try::Codes { codes, counted } => (codes, counted),
        Try::EmailBlocked { wait_s } => {
            app.mailer.notify();
            return Err(ApiError::TooMany {
                message: "Too many wrong verification codes were entered for this e-mail. Ask for a new one and open the link \
                          in its mail to sign in."
                    .to_owned(),
                limit: MAX_FAILED_CODES,
                retry_after_s: wait_s,
            }
            .with_code("codes_blocked"));
        }
        Try::Exceeded { limit, wait_s } => {
            return Err(ApiError::TooMany {
                message: "Too many verification codes were tried. Please try again later.".to_owned(),
                limit,
                retry_after_s: wait_s,
            });
        }
    };
    // An unknown e-mail has no codes: an empty hash is compared, so that it takes about as long.
    codes.push(StoredCode::default());
    let matches = |stored: &StoredCode| app.codes.matches(stored.user_id, code, &stored.code_hash);
    let matched = codes.iter().find(|stored| matches(stored));
    if matched.is_some() {
        login::note_matched(&mut conn, counted).await?;
    } else if login::note_failed(&mut conn, &email, counted).await? {
        app.mailer.notify();
    }
    sign_in(&app, &mut conn, matched).await
}

async fn sign_in(app: &App, conn: &mut AsyncPgConnection, code: Option<&StoredCode>) -> Result<HttpResponse> {
    let user = login::redeem(conn, code.ok_or(ApiError::WrongCode)?).await?.ok_or(ApiError::WrongCode)?;
    let access_token = app.sessions.sign(&Claims::new(&user, Utc::now())).map_err(ApiError::internal)?;
    Ok(HttpResponse::Ok().json(Session { access_token }))
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupRequest {
    #[schema(example = "ada@example.org")]
    email: String,
    #[serde(default, alias = "institute_name")]
    #[schema(example = "University of London")]
    institute_name: Option<String>,
    /// `teaching`, `research`, `student_projects`, `academic_study`, `other` or empty.
    #[serde(default, alias = "purpose_of_use")]
    #[schema(example = "research")]
    purpose_of_use: Option<String>,
    #[serde(default)]
    #[schema(example = "A pretest of a questionnaire")]
    description: Option<String>,
}

const PURPOSES: [&str; 6] = ["", "teaching", "research", "student_projects", "academic_study", "other"];
/// Characters that the free texts of a request may have.
const MAX_TEXT_LENGTH: usize = 5_000;

/// Asks for access for an institution or a class
#[utoipa::path(
    post, path = "",
    responses(
        (status = 201, description = "Noted; super admins get a mail", body = Done),
        (status = 429, description = "5 requests an e-mail and 30 an address in 15 minutes; see Retry-After")
    ),
    security(())
)]
pub async fn request_group(
    app: Data<App>,
    ClientAddress(address): ClientAddress,
    Json(request): Json<GroupRequest>,
) -> Result<HttpResponse> {
    let email = email(&request.email)?;
    let purpose = request.purpose_of_use.unwrap_or_default();
    if !PURPOSES.contains(&purpose.as_str()) {
        return Err(ApiError::invalid(format!("purposeOfUse must be one of {}, or empty", PURPOSES[1..].join(", "))));
    }
    let institution = text("instituteName", request.institute_name)?;
    let description = text("description", request.description)?;
    let new = NewAccessRequest {
        email: &email,
        institute_name: &institution,
        purpose_of_use: &purpose,
        description: &description,
        address: &address.to_string(),
    };
    let mut conn = db::checkout(&app.pool).await?;
    match access_requests::create(&mut conn, new).await? {
        RateCheck::Passed { .. } => {
            app.mailer.notify();
            Ok(HttpResponse::Created().json(Done { message: "Request Submitted Successfully!" }))
        }
        RateCheck::Exceeded { limit, wait_s } => Err(ApiError::TooMany {
            message: "Too many requests. Please try again later.".to_owned(),
            limit,
            retry_after_s: wait_s,
        }),
    }
}

fn text(name: &str, text: Option<String>) -> Result<String> {
    let text = text.unwrap_or_default().trim().to_owned();
    if text.chars().count() > MAX_TEXT_LENGTH {
        return Err(ApiError::invalid(format!("{name} must have at most {MAX_TEXT_LENGTH} characters")));
    }
    Ok(text)
}
