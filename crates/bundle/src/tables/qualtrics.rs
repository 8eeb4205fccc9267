//! A run's answers in the shape of Qualtrics' own export.

use export::csv;
use export::table::Form;
use simulation::columns::qualtrics::QualtricsColumns;
use simulation::encode::Encode;
use simulation::error::Result;
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;

/// Writes three rows of heads and a row for each twin.
#[derive(Debug)]
pub struct Encoder {
    columns: QualtricsColumns,
    form: Form,
    raw: bool,
}

impl Encoder {
    /// `form`: recode values, or the texts of choices. `raw`: every text as it was given, for programs.
    pub fn new(run: &Run, form: Form, raw: bool) -> Self {
        Self { columns: QualtricsColumns::of(run), form, raw }
    }
}

impl Encode for Encoder {
    fn head(&mut self) -> Vec<u8> {
        let mut out = csv::BYTE_ORDER_MARK.to_string().into_bytes();
        let columns = &self.columns.0;
        line(&mut out, columns.iter().map(|column| column.name.as_str()), self.raw);
        line(&mut out, columns.iter().map(|column| column.text.as_str()), self.raw);
        line(&mut out, columns.iter().map(|column| column.import_id.as_str()), self.raw);
        out
    }

    fn page(&mut self, run: &Run, page: &[InterviewOutcomes], out: &mut Vec<u8>) -> Result<()> {
        for interview in page {
            line(out, self.columns.row(run, interview, self.form).iter().map(String::as_str), self.raw);
        }
        Ok(())
    }
}

fn line<'a>(out: &mut Vec<u8>, cells: impl Iterator<Item = &'a str>, raw: bool) {
    for (place, cell) in cells.enumerate() {
        if place > 0 {
            out.push(b',');
        }
        csv::text(out, cell, raw);
    }
    out.extend_from_slice(b"\r\n");
}
