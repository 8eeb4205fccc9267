//! Work under way, on threads that may block.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use cancellation::{Cancellation, Cancelled};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, timeout_at};

use super::{WorkError, WorkPermit};

tokio::task_local! {
    /// Permit of the work that this task is a part of.
    static PERMIT: WorkPermit;
}

impl WorkPermit {
    /// Does the work on a thread that may block.
    pub async fn blocking<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, WorkError> {
        self.clone().scope(async { blocking(work).await }).await
    }

    /// Runs the future. All [`blocking`] work that it starts holds the permit until that work ends. The future is
    /// dropped at the deadline.
    pub async fn scope<T, E: From<WorkError>>(self, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let deadline = self.0.cancellation.deadline().map(Instant::from_std);
        let work = PERMIT.scope(self, work);
        let Some(deadline) = deadline else { return work.await };
        timeout_at(deadline, work).await.unwrap_or(Err(WorkError::Cancelled(Cancelled::Overdue).into()))
    }
}

/// Starts work on a thread that may block. It holds the permit in whose scope it is started, if there is one, and obeys
/// its deadline. If its result is dropped, it ends at its next `cancellation::check`.
pub fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Blocking<T> {
    let permit = PERMIT.try_with(WorkPermit::clone).ok();
    let cancellation = permit.as_ref().map(|permit| permit.0.cancellation.clone()).unwrap_or_default();
    let work = {
        let cancellation = cancellation.clone();
        move || {
            let _held = permit;
            cancellation.run(work)
        }
    };
    Blocking { work: spawn_blocking(work), cancellation, is_over: false }
}

/// The result of work on a thread that may block. Dropping it cancels the work.
pub struct Blocking<T> {
    work: JoinHandle<Result<T, Cancelled>>,
    cancellation: Cancellation,
    is_over: bool,
}

impl<T> Future for Blocking<T> {
    type Output = Result<T, WorkError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let ended = ready!(Pin::new(&mut self.work).poll(context));
        self.is_over = true;
        Poll::Ready(match ended {
            Ok(done) => done.map_err(WorkError::Cancelled),
            Err(reason) => Err(WorkError::Panicked(match reason.try_into_panic() {
                Ok(panic) => message(&*panic),
                // The process is ending.
                Err(reason) => reason.to_string(),
            })),
        })
    }
}

impl<T> Drop for Blocking<T> {
    fn drop(&mut self) {
        if !self.is_over {
            self.cancellation.abandon();
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}
