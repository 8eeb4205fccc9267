//! A run's answers as JSON arrays, whole or a part of them.

use bytes::Bytes;
use diesel_async::AsyncPgConnection;
use serde::Serialize;
use simulation::encode::Encode;
use simulation::error;
use simulation::outcomes::InterviewOutcomes;
use simulation::rows::{Answered, Debugged};
use simulation::run::Run;

use super::matrix::MatrixRow;
use super::pages::Pages;
use crate::error::Result;
use crate::models::{responses, simulation_personas};

/// Kind of the array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// A request, answered or not: [`Row`](super::rows::Row).
    Requests,
    /// A request with what the model said where it failed: [`Debugged`].
    Debug,
    /// A stored answer: [`Answered`].
    Answers,
    /// A twin with all answers: [`MatrixRow`].
    Twins,
}

/// The requested part of a list: `offset` elements are left out, then at most `limit` follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    pub offset: u64,
    /// Maximum number of elements. `None` for all that are left.
    pub limit: Option<u64>,
}

impl ElementKind {
    /// Number of elements of the whole list, by the run's counters.
    pub fn total(self, run: &Run) -> i32 {
        if run.is_erased() {
            return 0;
        }
        match self {
            Self::Requests | Self::Debug => run.rows(),
            Self::Answers => run.facts.successful_requests,
            Self::Twins => run.facts.persona_count,
        }
    }

    /// Number of elements of the list that concern the twins in `only`.
    pub async fn total_of(self, conn: &mut AsyncPgConnection, run: &Run, only: Option<&[i32]>) -> Result<i64> {
        let Some(only) = only.filter(|_| !run.is_erased()) else { return Ok(self.total(run).into()) };
        Ok(match self {
            Self::Requests | Self::Debug => (only.len() * run.questions.len()) as i64,
            Self::Answers => responses::count_of(conn, run.facts.id, only).await?,
            Self::Twins => only.len() as i64,
        })
    }

    /// Opens the pages that hold the window, from its beginning, and an encoder of the window's elements. `only`
    /// restricts them to twins by id, in their order.
    pub async fn open(
        self,
        conn: &mut AsyncPgConnection,
        run: &Run,
        window: Window,
        mut only: Option<Vec<i32>>,
    ) -> Result<(Pages, Encoder)> {
        let questions = run.questions.len().max(1) as u64;
        let (twins, skip) = match self {
            // An erased run has no answers, but its twins are still known.
            _ if run.is_erased() => (u64::MAX, 0),
            Self::Twins => (window.offset, 0),
            Self::Answers if only.is_some() => (0, window.offset),
            Self::Answers if run.facts.successful_requests < run.rows() && window.offset > 0 => {
                responses::locate(conn, run.facts.id, window.offset).await?
            }
            _ => (window.offset / questions, window.offset % questions),
        };
        let after = match (i64::try_from(twins), &mut only) {
            (Ok(0), _) => 0,
            (Ok(_), Some(only)) => {
                only.drain(..only.len().min(twins as usize));
                0
            }
            (Ok(twins), None) => simulation_personas::nth(conn, run.facts.id, twins).await?.unwrap_or(i32::MAX),
            (Err(_), _) => {
                only = Some(Vec::new());
                0
            }
        };
        let mut pages = Pages::new(run).after(after).only(only);
        if matches!(self, Self::Answers | Self::Twins) {
            pages = pages.without_provenance();
        }
        if let Some(limit) = window.limit {
            pages = match self {
                Self::Twins => pages.first(limit),
                Self::Requests | Self::Debug => pages.first((skip + limit).div_ceil(questions)),
                // A twin with failed requests has fewer answers.
                Self::Answers => pages.at_most((skip + limit).div_ceil(questions)),
            };
        }
        Ok((pages, Encoder { list: self, skip, left: window.limit.unwrap_or(u64::MAX), begun: false }))
    }
}

/// A part of a run's list, as JSON.
#[derive(Clone, Debug)]
pub struct ListPart {
    /// A JSON array.
    pub elements: Bytes,
    /// Number of elements of the whole list.
    pub total: i64,
    /// The run's [notice](Run::notice).
    pub notice: String,
}

impl ListPart {
    /// Reads the window of the list, which must have a limit because all of it is in memory at once. `only` restricts
    /// it to twins by id, in their order.
    pub async fn read(
        conn: &mut AsyncPgConnection,
        run: &Run,
        list: ElementKind,
        window: Window,
        only: Option<Vec<i32>>,
    ) -> Result<Self> {
        let total = list.total_of(conn, run, only.as_deref()).await?;
        let (mut pages, mut encoder) = list.open(conn, run, window, only).await?;
        let mut elements = encoder.head();
        while !encoder.is_full() {
            let Some(page) = pages.next(conn).await? else { break };
            encoder.page(run, &page, &mut elements)?;
        }
        encoder.tail(&mut elements)?;
        Ok(Self { elements: elements.into(), total, notice: run.notice.clone() })
    }
}

/// Writes the elements of a window.
pub struct Encoder {
    list: ElementKind,
    /// Number of elements still to be left out.
    skip: u64,
    /// Number of elements still to be written.
    left: u64,
    begun: bool,
}

impl Encode for Encoder {
    fn head(&mut self) -> Vec<u8> {
        b"[".to_vec()
    }

    fn page(&mut self, run: &Run, page: &[InterviewOutcomes], out: &mut Vec<u8>) -> error::Result<()> {
        for interview in page {
            match self.list {
                ElementKind::Twins => self.put(&MatrixRow::new(run, interview), out)?,
                ElementKind::Requests => interview.rows(run).try_for_each(|row| self.put(&row, out))?,
                ElementKind::Answers => {
                    interview.answered(run).try_for_each(|row: Answered<'_>| self.put(&row, out))?
                }
                ElementKind::Debug => interview.debugged(run).try_for_each(|row: Debugged<'_>| self.put(&row, out))?,
            }
        }
        Ok(())
    }

    fn tail(&mut self, out: &mut Vec<u8>) -> error::Result<()> {
        out.push(b']');
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.left == 0
    }
}

impl Encoder {
    fn put(&mut self, element: &impl Serialize, out: &mut Vec<u8>) -> error::Result<()> {
        if self.skip > 0 {
            self.skip -= 1;
            return Ok(());
        }
        if self.left == 0 {
            return Ok(());
        }
        self.left -= 1;
        if self.begun {
            out.push(b',');
        }
        self.begun = true;
        serde_json::to_writer(out, element).map_err(not_written)
    }
}

fn not_written(error: serde_json::Error) -> error::Error {
    error::Error::internal(format!("a row of a list: {error}"))
}
