//! Sends the mails that are queued in the database. Any number of processes may do so at the same time.

use serde_json::json;

use super::{Letter, Mailer};
use crate::auth::codes::Codes;
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::metrics;
use crate::models::login;
use crate::models::mails::{self, Mail};

/// Number of mails claimed together.
const BATCH: i64 = 10;

/// Sends the mails that are due and returns how many the mail server accepted. The others become due again later.
pub async fn deliver(pool: &AsyncPool, mailer: &Mailer, codes: &Codes) -> Result<usize> {
    let mut delivered = 0;
    loop {
        let due = db::in_time(async { Ok(mails::claim(&mut *db::checkout(pool).await?, BATCH).await?) }).await?;
        if due.is_empty() {
            return Ok(delivered);
        }
        for mail in due {
            match send(pool, mailer, codes, &mail).await {
                Ok(()) => {
                    metrics::mail(&mail.kind, "sent");
                    delivered += 1;
                }
                Err(reason) => {
                    metrics::mail(&mail.kind, "failed");
                    tracing::warn!(mail = mail.id, kind = mail.kind, attempt = mail.attempts, %reason, "mail not sent");
                }
            }
        }
    }
}

/// Sends one mail. Holds no database connection while it waits for the mail server.
async fn send(pool: &AsyncPool, mailer: &Mailer, codes: &Codes, mail: &Mail) -> Result<()> {
    let letter = match (mail.kind.as_str(), mail.user_id) {
        ("sign_in", Some(user_id)) => sign_in(pool, mailer, codes, user_id, mail).await?,
        (kind, _) => Letter::render(kind, &mail.facts, &mailer.public_url),
    };
    let letter = letter.ok_or_else(|| Error::internal(format!("there is no letter of the kind {}", mail.kind)))?;
    mailer.send(&mail.recipient, &letter).await?;
    db::in_time(async { Ok(mails::sent(&mut *db::checkout(pool).await?, mail.id).await?) }).await?;
    Ok(())
}

/// Builds the letter with a new code. The code is generated here rather than at the request, so that no row of the
/// queue holds it.
async fn sign_in(
    pool: &AsyncPool,
    mailer: &Mailer,
    codes: &Codes,
    user_id: i64,
    mail: &Mail,
) -> Result<Option<Letter>> {
    let code = codes.make();
    let hash = codes.hash(user_id, &code);
    let stored = async { Ok(login::store_code(&mut *db::checkout(pool).await?, user_id, &hash).await?) };
    let id = db::in_time(stored).await?;
    if mailer.is_local() {
        // Without a mail server, the person at this machine reads the code in the log.
        tracing::info!(user = user_id, "sign-in code: {code}");
    }
    let facts = json!({ "code": code, "email": mail.recipient, "key": codes.key(user_id, id) });
    Ok(Letter::render("sign_in", &facts, &mailer.public_url))
}
