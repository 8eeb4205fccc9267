//! Headers that tell callers where they stand with a limit.

use actix_web::http::header::HeaderName;

/// A limit on requests, as the caller stands with it after this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Requests in the limit's time.
    pub limit: u32,
    pub remaining: u32,
    /// Seconds until there is one more.
    pub reset_s: u64,
}

impl RateLimit {
    pub fn headers(self) -> [(HeaderName, String); 3] {
        [
            (HeaderName::from_static("ratelimit-limit"), self.limit.to_string()),
            (HeaderName::from_static("ratelimit-remaining"), self.remaining.to_string()),
            (HeaderName::from_static("ratelimit-reset"), self.reset_s.to_string()),
        ]
    }
}
