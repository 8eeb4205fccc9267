//! A note that is made before a batch is submitted. Its time and size find the batch at the server.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, TimeDelta, Utc};

use super::remote::MessageBatch;

const PREFIX: &str = "inline";
/// How far the clocks of this machine and of the server may differ.
const MAX_SKEW: TimeDelta = TimeDelta::hours(1);

/// When a batch was about to be submitted, and with how many requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marker {
    at: i64,
    requests: usize,
}

impl Marker {
    /// `lines`: the requests, one on each line.
    pub fn new(at: DateTime<Utc>, lines: &[u8]) -> Self {
        Self { at: at.timestamp(), requests: lines.iter().filter(|byte| **byte == b'\n').count() }
    }

    /// The batch is as large and not older.
    pub fn may_be(self, batch: &MessageBatch) -> bool {
        !self.is_after(batch) && batch.requests() == self.requests
    }

    /// The batch is older.
    pub fn is_after(self, batch: &MessageBatch) -> bool {
        batch.created_at.is_some_and(|created_at| (created_at + MAX_SKEW).timestamp() < self.at)
    }
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}:{}:{}", self.at, self.requests)
    }
}

impl FromStr for Marker {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (prefix, rest) = text.split_once(':').ok_or(())?;
        let (at, requests) = rest.split_once(':').filter(|_| prefix == PREFIX).ok_or(())?;
        Ok(Self { at: at.parse().map_err(|_| ())?, requests: requests.parse().map_err(|_| ())? })
    }
}
