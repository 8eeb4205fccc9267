//! The result of a check.

/// Upper limit of breaches that a result lists; all are counted.
pub const MAX_EXAMPLES: i64 = 10;

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckResult {
    pub check: &'static str,
    /// Number of breaches; 0 if the invariant holds.
    pub breaches: i64,
    /// The first ten breaches, in the order of their text.
    pub examples: Vec<String>,
}

impl CheckResult {
    pub fn is_breach(&self) -> bool {
        self.breaches > 0
    }
}

/// Builds the result of a check that has found its breaches without a query.
pub fn finding(check: &'static str, mut breaches: Vec<String>) -> CheckResult {
    let found = breaches.len() as i64;
    breaches.sort();
    breaches.truncate(MAX_EXAMPLES as usize);
    CheckResult { check, breaches: found, examples: breaches }
}
