//! Pages of a run on their way to the thread that writes its file.

use simulation::answers::RequestOutcome;
use simulation::outcomes::InterviewOutcomes;
use tokio::sync::mpsc;

use super::failure::FileFailure;
use crate::db::AsyncPool;
use crate::error::Result;
use crate::results::pages::Pages;

/// Pages read ahead of the writer: enough to keep both busy.
pub(super) const PAGES_AHEAD: usize = 2;

/// Counts of the requests in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportSummary {
    pub answered: u64,
    pub failed: u64,
    /// Requests without an answer or a failure: the run is not over, or was stopped.
    pub open: u64,
    /// Requests that the survey's design did not show.
    pub skipped: u64,
    /// Questions of other arms than the twin's: there are no requests.
    pub not_assigned: u64,
}

impl ExportSummary {
    pub fn rows(&self) -> u64 {
        self.answered + self.failed + self.open + self.skipped + self.not_assigned
    }

    fn count(&mut self, page: &[InterviewOutcomes]) {
        for outcome in page.iter().flat_map(|interview| &interview.outcomes) {
            match outcome {
                RequestOutcome::Answered(..) => self.answered += 1,
                RequestOutcome::Failed(_) => self.failed += 1,
                RequestOutcome::Open => self.open += 1,
                RequestOutcome::Skipped(_) => self.skipped += 1,
                RequestOutcome::NotAssigned => self.not_assigned += 1,
            }
        }
    }
}

/// Messages to the writing thread. A channel that closes without `End` means that reading failed.
pub(super) enum Feed {
    Page(Vec<InterviewOutcomes>),
    End,
}

/// The pages that arrive, up to their end; an error if reading them failed.
pub(super) fn pages(
    mut inbox: mpsc::Receiver<Feed>,
) -> impl Iterator<Item = Result<Vec<InterviewOutcomes>, FileFailure>> {
    std::iter::from_fn(move || match inbox.blocking_recv() {
        Some(Feed::Page(page)) => Some(Ok(page)),
        Some(Feed::End) => None,
        None => Some(Err(FileFailure::GivenUp)),
    })
}

/// Sends a run's pages to the writer until it has all of them or has ended with an error. A connection is held for one
/// page at a time.
pub(super) async fn feed(pool: &AsyncPool, mut source: Pages, pages: mpsc::Sender<Feed>) -> Result<ExportSummary> {
    let mut summary = ExportSummary::default();
    loop {
        let page = source.next_from(pool).await?;
        let Some(page) = page else { break };
        summary.count(&page);
        if pages.send(Feed::Page(page)).await.is_err() {
            return Ok(summary);
        }
    }
    // A writer that has ended returns its own error.
    let _ = pages.send(Feed::End).await;
    Ok(summary)
}
