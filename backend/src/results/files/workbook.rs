//! The workbook: List View, Matrix View, Wide, Survey Questions, Codebook and Read Me, in constant memory.
//!
//! Rows go to temporary files as they come; the workbook is zipped from these at the end.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use ::bundle::tables::read_me;
use export::table::{Cell, Column, Form, WideTable, codebook};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, Worksheet, XlsxError};
use simulation::answers::RequestOutcome;
use simulation::columns::Columns;
use simulation::json::JsonText;
use simulation::outcomes::InterviewOutcomes;
use simulation::rows::Row;
use simulation::run::{OPTION_SEPARATOR, Run};
use tokio::sync::mpsc::Receiver;

use super::failure::FileFailure;
use super::feed::Feed;
use super::file::PartFile;
use crate::error::Result;

/// Rows of a worksheet, with its header.
const MAX_ROWS: usize = 1_048_576;
const MAX_COLUMNS: usize = 16_384;
/// UTF-16 units of a cell.
const MAX_CELL_UNITS: usize = 32_767;

/// Fast, and within a tenth of the smallest size.
const COMPRESSION: u8 = 3;

/// Requests above which the workbook is written as ZIP64, which has room for sheets of more than 4 GB.
const ZIP64_REQUESTS: i32 = 250_000;

const LIST_COLUMNS: [(&str, f64); 12] = [
    ("Persona ID", 11.0),
    ("Persona PID", 12.0),
    ("Persona", 16.0),
    ("Question", 9.0),
    ("Question Text", 48.0),
    ("Options", 36.0),
    ("Response", 36.0),
    ("Type", 18.0),
    ("Status", 10.0),
    ("Reason", 24.0),
    ("Model", 18.0),
    ("Answered At (UTC)", 22.0),
];

/// Columns after those of the list, of a run with a design.
const PLACED_COLUMNS: [(&str, f64); 3] = [("Arm", 24.0), ("Block", 16.0), ("Position", 9.0)];

const QUESTION_COLUMNS: [(&str, f64); 12] = [
    ("Number", 9.0),
    ("Name", 24.0),
    ("Question Text", 60.0),
    ("Type", 18.0),
    ("Required", 10.0),
    ("Options", 40.0),
    ("Matrix Sub-questions", 40.0),
    ("Scale Labels", 40.0),
    ("Minimum", 10.0),
    ("Maximum", 10.0),
    ("Minimum Description", 24.0),
    ("Maximum Description", 24.0),
];

const CODEBOOK_COLUMNS: [(&str, f64); 7] = [
    ("Variable", 24.0),
    ("Question Text", 60.0),
    ("Type", 18.0),
    ("Code", 8.0),
    ("Label", 36.0),
    ("SPSS Name", 24.0),
    ("Stata Name", 24.0),
];
/// The codebook's column of numbers.
const CODE: u16 = 3;

/// Columns of Matrix View before the attributes' and the questions'.
const MATRIX_FIXED: usize = 3;

/// The workbook and how far it is. A list too long for one sheet goes on in the next.
struct Sheets {
    workbook: Workbook,
    bold: Format,
    time: Format,
    /// Sheets of the list; they come first.
    lists: usize,
    /// Rows of the list written so far, without headers.
    listed: usize,
    /// Rows of the matrix written so far, without the header.
    interviewed: usize,
    /// The sheet Wide, after the matrix; `None` where it or its codebook does not fit a worksheet.
    wide: Option<(Columns, WideTable)>,
}

/// Writes the pages that arrive, then the workbook.
pub(super) fn write(part: PartFile, run: &Run, inbox: Receiver<Feed>) -> Result<()> {
    build(&part.file, part.folder(), run, inbox)
        .map_err(|failure| failure.into_error(|failure| part.failure(failure)))?;
    part.keep()
}

/// Writes the workbook into `file`. `folder` holds temporary files of about the same size meanwhile.
pub(super) fn build(file: &File, folder: &Path, run: &Run, mut inbox: Receiver<Feed>) -> Result<(), FileFailure> {
    let mut sheets = Sheets::new(folder, run)?;
    loop {
        match inbox.blocking_recv() {
            Some(Feed::Page(page)) => sheets.page(run, &page)?,
            Some(Feed::End) => break,
            None => return Err(FileFailure::GivenUp),
        }
    }
    let mut out = BufWriter::new(file);
    sheets.workbook.save_to_writer(&mut out)?;
    Ok(out.flush()?)
}

impl Sheets {
    /// All sheets with their headers. The two that do not depend on the answers are complete.
    fn new(folder: &Path, run: &Run) -> Result<Self, FileFailure> {
        let questions = run.questions.len();
        let personas = usize::try_from(run.facts.persona_count).unwrap_or_default();
        if MATRIX_FIXED + run.attributes.len() + questions > MAX_COLUMNS || 1 + personas > MAX_ROWS {
            return Err(FileFailure::TooLarge(format!(
                "{personas} personas × {questions} questions do not fit a worksheet: use .csv or .jsonl"
            )));
        }
        let mut sheets = Self {
            workbook: Workbook::new(),
            bold: Format::new().set_bold(),
            time: Format::new().set_num_format("yyyy-mm-dd hh:mm:ss"),
            lists: (personas * questions).div_ceil(MAX_ROWS - 1).max(1),
            listed: 0,
            interviewed: 0,
            wide: lay_out_wide(run),
        };
        sheets.lay_out(folder, run)?;
        Ok(sheets)
    }

    fn lay_out(&mut self, folder: &Path, run: &Run) -> Result<(), XlsxError> {
        self.workbook.set_tempdir(folder)?;
        self.workbook.set_zip_compression_level(COMPRESSION).use_zip_large_file(run.rows() > ZIP64_REQUESTS);
        let placed = if run.plan.is_some() { &PLACED_COLUMNS[..] } else { &[] };
        let columns = [&LIST_COLUMNS, placed].concat();
        for list in 0..self.lists {
            let name = if list == 0 { "List View".to_owned() } else { format!("List View {}", list + 1) };
            self.add(&name, &columns, 0)?;
        }
        let numbers: Vec<String> = run.questions.iter().map(|question| format!("Q{}", question.order)).collect();
        let matrix: Vec<(&str, f64)> = [("Persona ID", 11.0), ("Persona PID", 12.0), ("Persona", 16.0)]
            .into_iter()
            .chain(run.attributes.iter().map(|label| (label.as_str(), 16.0)))
            .chain(numbers.iter().map(|number| (number.as_str(), 18.0)))
            .collect();
        self.add("Matrix View", &matrix, MATRIX_FIXED as u16)?;
        let wide = self.wide.take();
        if let Some((_, wide)) = &wide {
            let columns: Vec<(&str, f64)> = wide.header().map(|name| (name, 16.0)).collect();
            self.add("Wide", &columns, 2)?;
        }
        write_questions(self.add("Survey Questions", &QUESTION_COLUMNS, 0)?, run)?;
        if let Some((_, wide)) = &wide {
            write_codebook(self.add("Codebook", &CODEBOOK_COLUMNS, 0)?, wide.columns())?;
        }
        let bold = self.bold.clone();
        let read_me = self.add("Read Me", &[("About this file", 28.0), ("", 100.0)], 0)?;
        write_read_me(read_me, &bold, run, wide.is_some())?;
        self.wide = wide;
        Ok(())
    }

    /// A sheet whose header row and first `fixed` columns stay in view.
    fn add(&mut self, name: &str, columns: &[(&str, f64)], fixed: u16) -> Result<&mut Worksheet, XlsxError> {
        let sheet = self.workbook.add_worksheet_with_constant_memory()?;
        sheet.set_name(name)?.set_freeze_panes(1, fixed)?;
        for (column, (title, width)) in (0..).zip(columns) {
            sheet.set_column_width(column, *width)?.write_string_with_format(
                0,
                column,
                line_breaks(title),
                &self.bold,
            )?;
        }
        Ok(sheet)
    }

    fn page(&mut self, run: &Run, page: &[InterviewOutcomes]) -> Result<(), XlsxError> {
        for interview in page {
            for (row, offered) in interview.rows(run).zip(&run.offered) {
                let sheet = self.workbook.worksheet_from_index(self.listed / (MAX_ROWS - 1))?;
                let line = 1 + (self.listed % (MAX_ROWS - 1)) as u32;
                write_row(sheet, line, &row, &row.offered(offered), &self.time)?;
                self.listed += 1;
            }
            self.interviewed += 1;
            let matrix = self.workbook.worksheet_from_index(self.lists)?;
            write_interview(matrix, self.interviewed as u32, &run.attributes, interview)?;
            if let Some((columns, wide)) = &self.wide {
                let sheet = self.workbook.worksheet_from_index(self.lists + 1)?;
                write_twin(sheet, self.interviewed as u32, wide.row(&columns.row(run, interview), &run.notice))?;
            }
        }
        Ok(())
    }
}

fn write_row(sheet: &mut Worksheet, line: u32, row: &Row<'_>, offered: &str, time: &Format) -> Result<(), XlsxError> {
    sheet.write_number(line, 0, row.asked.persona_id)?;
    text(sheet, line, 1, row.asked.persona_pid)?;
    text(sheet, line, 2, row.asked.persona_name)?;
    sheet.write_number(line, 3, row.asked.question_number as f64)?;
    text(sheet, line, 4, row.asked.question_text)?;
    text(sheet, line, 5, offered)?;
    if let (Some(answer), Some(value)) = (row.answer, row.answer_value) {
        answered(sheet, line, 6, answer, value)?;
    }
    text(sheet, line, 7, row.asked.question_type.name())?;
    text(sheet, line, 8, row.status.name())?;
    if let (Some(code), Some(message)) = (row.error_code, row.error_message) {
        text(sheet, line, 9, &format!("{code}: {message}"))?;
    }
    text(sheet, line, 10, row.model.unwrap_or_default())?;
    if let Some(at) = row.created_at {
        sheet.write_datetime_with_format(line, 11, ExcelDateTime::from_timestamp(at.timestamp())?, time)?;
    }
    if let Some(arms) = row.arms {
        text(sheet, line, 12, arms)?;
        text(sheet, line, 13, row.block.unwrap_or_default())?;
        if let Some(position) = row.position {
            sheet.write_number(line, 14, position)?;
        }
    }
    Ok(())
}

fn write_interview(
    sheet: &mut Worksheet,
    line: u32,
    labels: &[String],
    interview: &InterviewOutcomes,
) -> Result<(), XlsxError> {
    let persona = &interview.persona;
    sheet.write_number(line, 0, persona.id)?;
    text(sheet, line, 1, &persona.pid)?;
    text(sheet, line, 2, &persona.name)?;
    let attributes = persona.attributes.labels();
    for (column, label) in (MATRIX_FIXED as u16..).zip(labels) {
        text(sheet, line, column, attributes.get(label).map(String::as_str).unwrap_or_default())?;
    }
    for (column, outcome) in ((MATRIX_FIXED + labels.len()) as u16..).zip(&interview.outcomes) {
        if let RequestOutcome::Answered(given, _) = outcome {
            answered(sheet, line, column, &given.answer, &given.answer_value)?;
        }
    }
    Ok(())
}

fn write_twin(sheet: &mut Worksheet, line: u32, cells: impl Iterator<Item = Cell>) -> Result<(), XlsxError> {
    for (column, cell) in (0..).zip(cells) {
        match cell {
            Cell::Missing | Cell::Failed | Cell::Skipped => {}
            Cell::Text(words) => text(sheet, line, column, &words)?,
            Cell::Number(number) => _ = sheet.write_number(line, column, number)?,
            Cell::Code(code) => _ = sheet.write_number(line, column, code)?,
        }
    }
    Ok(())
}

/// Returns the table with a row a twin. `None`: a worksheet has no room for it or its codebook.
fn lay_out_wide(run: &Run) -> Option<(Columns, WideTable)> {
    let columns = Columns::of(run);
    let wide = WideTable::new(columns.described(), Form::Labels);
    let fits = wide.header().count() <= MAX_COLUMNS && codebook::lines(wide.columns()).count() < MAX_ROWS;
    fits.then_some((columns, wide))
}

fn write_codebook(sheet: &mut Worksheet, columns: &[Column]) -> Result<(), XlsxError> {
    for (line, cells) in (1..).zip(codebook::lines(columns)) {
        for (column, cell) in (0..).zip(&cells) {
            match cell.parse::<i32>() {
                Ok(code) if column == CODE => _ = sheet.write_number(line, column, code)?,
                _ => text(sheet, line, column, cell)?,
            }
        }
    }
    Ok(())
}

fn write_questions(sheet: &mut Worksheet, run: &Run) -> Result<(), XlsxError> {
    for (line, question) in (1..).zip(&run.questions) {
        let joined = |texts: &[String]| run.label(&texts.join(OPTION_SEPARATOR)).into_owned();
        sheet.write_number(line, 0, question.order)?;
        text(sheet, line, 1, &question.name)?;
        text(sheet, line, 2, &run.label(&question.text))?;
        text(sheet, line, 3, question.question_type.name())?;
        text(sheet, line, 4, if question.required { "Yes" } else { "No" })?;
        text(sheet, line, 5, &joined(&question.options))?;
        text(sheet, line, 6, &joined(&question.sub_questions))?;
        text(sheet, line, 7, &joined(&question.scale_labels))?;
        for (column, bound) in [(8, question.min_value), (9, question.max_value)] {
            if let Some(bound) = bound {
                sheet.write_number(line, column, bound)?;
            }
        }
        text(sheet, line, 10, question.min_description.as_deref().unwrap_or_default())?;
        text(sheet, line, 11, question.max_description.as_deref().unwrap_or_default())?;
    }
    Ok(())
}

fn write_read_me(sheet: &mut Worksheet, bold: &Format, run: &Run, has_wide: bool) -> Result<(), XlsxError> {
    let left_out = ("Sheet Wide", "left out: it does not fit a worksheet; wide.csv has it".to_owned());
    let facts = read_me::facts(run).into_iter().chain(Some(left_out).filter(|_| !has_wide));
    for (line, (label, value)) in (1..).zip(facts) {
        sheet.write_string_with_format(line, 0, label, bold)?;
        text(sheet, line, 1, &value)?;
    }
    Ok(())
}

/// An answer: a number as a number, everything else as the text that was stored.
fn answered(sheet: &mut Worksheet, line: u32, column: u16, answer: &str, value: &JsonText) -> Result<(), XlsxError> {
    match value.as_f64() {
        Some(number) => sheet.write_number(line, column, number).map(|_| ()),
        None => text(sheet, line, column, answer),
    }
}

/// A cell of text, which a spreadsheet never runs as a formula.
fn text(sheet: &mut Worksheet, line: u32, column: u16, text: &str) -> Result<(), XlsxError> {
    if text.is_empty() {
        return Ok(());
    }
    sheet.write_string(line, column, fit_cell(&line_breaks(text))).map(|_| ())
}

/// The text with LF for every line break: a workbook keeps CR as `_x000D_`, which many readers show.
fn line_breaks(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { Cow::Borrowed(text) }
}

/// The text, cut with a note where a cell cannot hold all of it. CSV and JSON Lines hold all.
fn fit_cell(text: &str) -> Cow<'_, str> {
    const CUT: &str = "… [cut: the cell is full]";
    // UTF-8 never has fewer bytes than UTF-16 has units.
    if text.len() <= MAX_CELL_UNITS || text.encode_utf16().count() <= MAX_CELL_UNITS {
        return Cow::Borrowed(text);
    }
    let mut room = MAX_CELL_UNITS - CUT.encode_utf16().count();
    let kept = text.chars().take_while(|character| match room.checked_sub(character.len_utf16()) {
        Some(left) => {
            room = left;
            true
        }
        None => false,
    });
    Cow::Owned(kept.chain(CUT.chars()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_cut_at_a_whole_character_and_says_so() {
        let text = "😀".repeat(MAX_CELL_UNITS);
        let cut = fit_cell(&text);
        assert!(cut.encode_utf16().count() <= MAX_CELL_UNITS);
        assert!(cut.encode_utf16().count() >= MAX_CELL_UNITS - 1);
        assert!(cut.ends_with("[cut: the cell is full]"));
        assert_eq!(fit_cell("short"), "short");
    }
}
