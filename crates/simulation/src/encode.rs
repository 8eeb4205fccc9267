//! Formats of a run's answers that are written page by page.

use crate::error::Result;
use crate::outcomes::InterviewOutcomes;
use crate::run::Run;

/// A format that consists of a head, rows and a tail.
pub trait Encode: Send {
    fn head(&mut self) -> Vec<u8> {
        Vec::new()
    }
    /// Appends the page's rows to `out`.
    fn page(&mut self, run: &Run, page: &[InterviewOutcomes], out: &mut Vec<u8>) -> Result<()>;
    /// Appends the part after the last row.
    fn tail(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
    /// Whether nothing of a further page would be written.
    fn is_full(&self) -> bool {
        false
    }
}
