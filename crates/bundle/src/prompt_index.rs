//! `prompts/index.csv`: which prompt asked a twin which questions.

use std::collections::BTreeMap;
use std::fmt::Write;

use export::csv;
use simulation::answers::RequestOutcome;
use simulation::encode::Encode;
use simulation::error::Result;
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;
use survey::hex::hex;

/// Columns: SHA-256 of the request's body, the twin, and the names of the questions that the reply answered.
pub const HEADER: [&str; 3] = ["promptHash", "personaId", "questions"];

pub struct IndexEncoder;

impl Encode for IndexEncoder {
    fn head(&mut self) -> Vec<u8> {
        csv::head(&HEADER)
    }

    fn page(&mut self, run: &Run, page: &[InterviewOutcomes], out: &mut Vec<u8>) -> Result<()> {
        for interview in page {
            let mut asked: BTreeMap<&[u8], String> = BTreeMap::new();
            for (place, outcome) in interview.outcomes.iter().enumerate() {
                let RequestOutcome::Answered(_, Some(provenance)) = outcome else { continue };
                let names = asked.entry(&provenance.prompt_hash).or_default();
                let between = if names.is_empty() { "" } else { " " };
                // Writing to a String cannot fail.
                let _ = write!(names, "{between}{}", run.questions[place].name);
            }
            for (hash, names) in asked {
                out.extend_from_slice(format!("{},{},{names}\r\n", hex(hash), interview.persona.id).as_bytes());
            }
        }
        Ok(())
    }
}
