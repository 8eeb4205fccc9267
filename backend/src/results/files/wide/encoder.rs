//! A run's table in one format.

use export::table::{Form, ParquetWriter, RowWriter, TextFormat, TextWriter};

use super::columns::Columns;
use crate::error::Result;
use crate::results::pages::InterviewOutcomes;
use crate::results::run::Run;
use crate::results::stream::Encode;

/// Writes a row for each twin.
pub struct Encoder<W> {
    columns: Columns,
    writer: W,
}

impl Encoder<TextWriter> {
    pub fn text(columns: Columns, form: Form, format: TextFormat) -> Self {
        let writer = TextWriter::new(columns.described(), form, format);
        Self { columns, writer }
    }
}

impl Encoder<ParquetWriter> {
    pub fn parquet(run: &Run, columns: Columns, form: Form, program: &str) -> Result<Self> {
        let writer = ParquetWriter::new(columns.described(), form, &run.notice, program)?;
        Ok(Self { columns, writer })
    }
}

impl<W: RowWriter> Encode for Encoder<W> {
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
