//! A run's table in one format.

use export::table::{Form, RowWriter, TableFormat, TableOptions};
use simulation::columns::Columns;
use simulation::encode::Encode;
use simulation::error::Result;
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;

/// Writes a row for each twin.
pub struct Encoder {
    columns: Columns,
    writer: Box<dyn RowWriter>,
}

impl Encoder {
    /// `program` is the name and version that the file bears; `raw` is an option of CSV.
    pub fn new(run: &Run, columns: Columns, format: TableFormat, form: Form, raw: bool, program: &str) -> Result<Self> {
        let options = TableOptions { columns: columns.described(), form, raw, notice: &run.notice, program };
        Ok(Self { writer: format.open(options)?, columns })
    }
}

impl Encode for Encoder {
    fn head(&mut self) -> Vec<u8> {
        self.writer.head()
    }

    fn page(&mut self, run: &Run, page: &[InterviewOutcomes], out: &mut Vec<u8>) -> Result<()> {
        let rows: Vec<_> = page.iter().map(|interview| self.columns.row(run, interview)).collect();
        Ok(self.writer.page(&rows, &run.notice, out)?)
    }

    fn tail(&mut self, out: &mut Vec<u8>) -> Result<()> {
        Ok(self.writer.tail(out)?)
    }
}
