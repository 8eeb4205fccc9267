//! `Idempotency-Key`: a request that is sent twice under one key is done once, and answered the same twice.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use diesel_async::{AnsiTransactionManager, AsyncPgConnection, TransactionManager};
use serde::Serialize;
use sha2::{Digest, Sha256};
use utoipa::IntoParams;

use super::error::{ApiError, Result};
use crate::models::idempotency_keys::{self, KeyClaim};

const HEADER: &str = "idempotency-key";
const MAX_KEY_LENGTH: usize = 200;

/// The key of a request, if it came with one, and the request's method and path.
#[derive(Clone, Debug, IntoParams)]
#[into_params(parameter_in = Header)]
pub struct IdempotencyKey {
    /// A second call with the key gets the response of the first.
    #[param(
        rename = "Idempotency-Key",
        example = "9b2f6c1e",
        min_length = 1,
        max_length = 200,
        pattern = "^[!-~]([ -~]*[!-~])?$"
    )]
    key: Option<String>,
    #[param(ignore)]
    target: String,
}

impl FromRequest for IdempotencyKey {
    type Error = ApiError;
    type Future = Ready<Result<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let target = format!("{} {}", request.method(), request.path());
        ready(match request.headers().get(HEADER).map(|value| value.to_str()) {
            None => Ok(Self { key: None, target }),
            Some(Ok(key)) if is_key(key) => Ok(Self { key: Some(key.to_owned()), target }),
            Some(_) => Err(ApiError::Invalid(format!("Idempotency-Key takes 1 to {MAX_KEY_LENGTH} ASCII characters"))),
        })
    }
}

/// HTTP has already trimmed it.
fn is_key(value: &str) -> bool {
    (1..=MAX_KEY_LENGTH).contains(&value.len()) && value.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

impl IdempotencyKey {
    /// Does the work and records the key in one transaction. A second request under the key waits for the first and gets
    /// its response; a failed first request records nothing. Another `payload` under the key is 409.
    pub async fn once<T: Serialize>(
        self,
        conn: &mut AsyncPgConnection,
        user_id: i64,
        payload: &impl Serialize,
        status: StatusCode,
        work: impl AsyncFnOnce(&mut AsyncPgConnection) -> Result<T>,
    ) -> Result<HttpResponse> {
        // Not `transaction()`, which needs a `Send` future. A request that is dropped midway leaves an open transaction,
        // and the pool discards such a connection.
        AnsiTransactionManager::begin_transaction(conn).await?;
        let done = self.once_within(conn, user_id, payload, status, work).await;
        match done {
            Ok(_) => AnsiTransactionManager::commit_transaction(conn).await?,
            Err(_) => AnsiTransactionManager::rollback_transaction(conn).await?,
        }
        done
    }

    async fn once_within<T: Serialize>(
        self,
        conn: &mut AsyncPgConnection,
        user_id: i64,
        payload: &impl Serialize,
        status: StatusCode,
        work: impl AsyncFnOnce(&mut AsyncPgConnection) -> Result<T>,
    ) -> Result<HttpResponse> {
        let Some(key) = self.key else {
            return Ok(HttpResponse::build(status).json(work(conn).await?));
        };
        let mut hash = Sha256::new();
        hash.update(&self.target);
        hash.update(serde_json::to_vec(payload).map_err(ApiError::internal)?);
        let hash = hash.finalize().to_vec();
        match idempotency_keys::claim(conn, user_id, &key, &hash).await? {
            KeyClaim::New => {
                let answer = serde_json::to_value(work(conn).await?).map_err(ApiError::internal)?;
                idempotency_keys::store(conn, user_id, &key, status.as_u16(), &answer).await?;
                Ok(HttpResponse::build(status).json(answer))
            }
            KeyClaim::Used { request_hash, .. } if request_hash != hash => {
                Err(ApiError::conflict("Idempotency-Key was used for another request")
                    .with_code("idempotency_key_reused"))
            }
            KeyClaim::Used { status_code, answer, .. } => {
                let status = u16::try_from(status_code).ok().and_then(|code| StatusCode::from_u16(code).ok());
                Ok(HttpResponse::build(status.unwrap_or(StatusCode::OK)).json(answer))
            }
        }
    }
}
