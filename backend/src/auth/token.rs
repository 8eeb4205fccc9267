//! Session tokens: JSON Web Tokens signed with HMAC-SHA-256; other algorithms are refused.

use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::hmac_sha256;
use crate::config::Secret;
use crate::models::users::User;

/// Validity of a token.
pub const LIFETIME: TimeDelta = TimeDelta::hours(12);

/// The claims of a token. The server uses `sub`, `ver`, `jti` and `exp` only; the others are for the pages to show, and
/// the server reads them from the database at every call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    /// The user's id, in digits.
    pub sub: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub email: String,
    pub role: String,
    /// The user's token version; a token with another version is invalid.
    pub ver: i32,
    /// Id of the session, which ends when its owner signs out.
    pub jti: Uuid,
    /// Time of issue in seconds since 1970.
    pub iat: i64,
    pub exp: i64,
}

impl Claims {
    pub fn new(user: &User, now: DateTime<Utc>) -> Self {
        Self {
            sub: user.id.to_string(),
            name: user.name.clone(),
            email: user.email.clone(),
            role: user.role.clone(),
            ver: user.token_version,
            jti: Uuid::new_v4(),
            iat: now.timestamp(),
            exp: (now + LIFETIME).timestamp(),
        }
    }

    pub fn user_id(&self) -> Option<i64> {
        self.sub.parse().ok()
    }
}

/// Signs and checks tokens.
pub struct Sessions {
    signing: EncodingKey,
    checking: DecodingKey,
    rules: Validation,
}

impl Sessions {
    pub fn new(secret: &Secret) -> Self {
        hmac_sha256::install();
        let mut rules = Validation::new(Algorithm::HS256);
        rules.leeway = 0;
        let secret = secret.expose().as_bytes();
        Self { signing: EncodingKey::from_secret(secret), checking: DecodingKey::from_secret(secret), rules }
    }

    pub fn sign(&self, claims: &Claims) -> Result<String, jsonwebtoken::errors::Error> {
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, &self.signing)
    }

    /// Verifies a token and returns its claims. `None`: not signed by this server, changed, or expired.
    pub fn check(&self, token: &str) -> Option<Claims> {
        jsonwebtoken::decode(token, &self.checking, &self.rules).map(|data| data.claims).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    fn claims(expires_in_s: i64) -> Claims {
        let now = Utc::now().timestamp();
        Claims {
            sub: "7".into(),
            name: Some("Ada".into()),
            email: "ada@example.org".into(),
            role: "user".into(),
            ver: 3,
            jti: Uuid::nil(),
            iat: now,
            exp: now + expires_in_s,
        }
    }

    #[test]
    fn a_token_gives_back_what_was_signed() {
        let sessions = Sessions::new(&Secret::new(SECRET));
        let signed = claims(60);
        let token = sessions.sign(&signed).expect("it signs");
        assert_eq!(sessions.check(&token), Some(signed));
    }

    #[test]
    fn an_old_token_and_one_of_another_secret_are_refused() {
        let sessions = Sessions::new(&Secret::new(SECRET));
        let old = sessions.sign(&claims(-1)).expect("it signs");
        let forged = Sessions::new(&Secret::new("another secret that is as long as it takes"))
            .sign(&claims(60))
            .expect("it signs");
        assert_eq!((sessions.check(&old), sessions.check(&forged)), (None, None));
    }

    #[test]
    fn only_the_one_algorithm_is_accepted() {
        let sessions = Sessions::new(&Secret::new(SECRET));
        // {"sub":"7","email":"","role":"","ver":3,"jti":"00000000-0000-0000-0000-000000000001","iat":0,"exp":9999999999}
        // under {"alg":..,"typ":"JWT"}, signed with the secret by another program.
        let [hs256, hs512, none] = [
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI3IiwiZW1haWwiOiIiLCJyb2xlIjoiIiwidmVyIjozLCJqdGkiOiIwMDAwMDAwMC0wMDAwLTAwMDAtMDAwMC0wMDAwMDAwMDAwMDEiLCJpYXQiOjAsImV4cCI6OTk5OTk5OTk5OX0.PvqNAnnseXOCS9T_6Uhcck26wNsXmnvCYGi7Q6CJoi8",
            "eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI3IiwiZW1haWwiOiIiLCJyb2xlIjoiIiwidmVyIjozLCJqdGkiOiIwMDAwMDAwMC0wMDAwLTAwMDAtMDAwMC0wMDAwMDAwMDAwMDEiLCJpYXQiOjAsImV4cCI6OTk5OTk5OTk5OX0.Og5qZ17Algb5xEzJObpwI_yUb9CFvkjUcL5bm2wGdmTws7CtLQMmhRLMyQKA8y9MBQS5dlTF-k8i2NFpg6QbYQ",
            "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiI3IiwiZW1haWwiOiIiLCJyb2xlIjoiIiwidmVyIjozLCJqdGkiOiIwMDAwMDAwMC0wMDAwLTAwMDAtMDAwMC0wMDAwMDAwMDAwMDEiLCJpYXQiOjAsImV4cCI6OTk5OTk5OTk5OX0.",
        ];
        assert_eq!(sessions.check(hs256).map(|claims| claims.sub), Some("7".to_owned()));
        assert_eq!((sessions.check(hs512), sessions.check(none)), (None, None));
    }
}
