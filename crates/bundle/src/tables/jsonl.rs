//! JSON Lines: one request a line, under the API's field names, with the typed answer.

use simulation::encode::Encode;
use simulation::error::{Error, Result};
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;

pub struct Encoder;

impl Encode for Encoder {
    fn page(&mut self, run: &Run, page: &[InterviewOutcomes], out: &mut Vec<u8>) -> Result<()> {
        for row in page.iter().flat_map(|interview| interview.rows(run)) {
            serde_json::to_writer(&mut *out, &row)
                .map_err(|error| Error::internal(format!("a row of the export: {error}")))?;
            out.push(b'\n');
        }
        Ok(())
    }
}
