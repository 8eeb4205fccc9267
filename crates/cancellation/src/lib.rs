//! Cancellation of blocking work: a long loop calls [`check`], which unwinds to the [`Cancellation::run`] around it
//! once the work is overdue or its caller has gone. The functions between the two need no error type for it.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Reason why work was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// The caller no longer waits for the result.
    Abandoned,
    /// The deadline has passed.
    Overdue,
}

/// Flag that tells a piece of work whether to continue. Clones share one state.
#[derive(Clone, Debug, Default)]
pub struct Cancellation {
    is_abandoned: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

thread_local! {
    /// The cancellation that applies to the work on this thread.
    static CURRENT: RefCell<Option<Cancellation>> = const { RefCell::new(None) };
}

impl Cancellation {
    /// Creates a cancellation for work that must end by the deadline.
    pub fn with_deadline(deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..Self::default() }
    }

    /// Cancels the work at its next [`check`].
    pub fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Reason why the work has to end, or `None` while it may continue.
    pub fn reason(&self) -> Option<Cancelled> {
        if self.is_abandoned.load(Ordering::Relaxed) {
            return Some(Cancelled::Abandoned);
        }
        self.deadline.filter(|deadline| *deadline <= Instant::now()).map(|_| Cancelled::Overdue)
    }

    /// Runs the work on this thread. Propagates its panics to the caller.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Cancelled> {
        if let Some(reason) = self.reason() {
            return Err(reason);
        }
        let outer = CURRENT.replace(Some(self.clone()));
        // The work's state is dropped with it, so no half-changed value can be seen.
        let done = catch_unwind(AssertUnwindSafe(work));
        CURRENT.set(outer);
        done.or_else(|payload| match payload.downcast::<Cancelled>() {
            Ok(reason) => Err(*reason),
            Err(panic) => resume_unwind(panic),
        })
    }
}

/// Unwinds if the work on this thread is cancelled; does nothing on other threads. Calls no panic hook.
pub fn check() {
    if let Some(reason) = CURRENT.with_borrow(|current| current.as_ref().and_then(Cancellation::reason)) {
        resume_unwind(Box::new(reason));
    }
}

/// Whether [`check`] would unwind. For work that has to clean up before it ends.
pub fn is_cancelled() -> bool {
    CURRENT.with_borrow(|current| current.as_ref().is_some_and(|current| current.reason().is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loops until it is cancelled.
    fn endless() {
        loop {
            check();
        }
    }

    #[test]
    fn work_without_end_ends_at_its_deadline_or_when_it_is_abandoned() {
        assert_eq!(Cancellation::with_deadline(Instant::now()).run(endless), Err(Cancelled::Overdue));
        let cancellation = Cancellation::default();
        let work = cancellation.clone();
        let (begun, begins) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            work.run(|| {
                begun.send(()).expect("the test waits");
                endless();
            })
        });
        begins.recv().expect("it begins");
        cancellation.abandon();
        assert_eq!(thread.join().expect("no panic leaves it"), Err(Cancelled::Abandoned));
        assert_eq!(cancellation.run(|| panic!("it is not begun")), Err::<(), _>(Cancelled::Abandoned));
    }

    #[test]
    fn work_obeys_the_innermost_cancellation_and_a_thread_without_work_none() {
        let (outer, inner) = (Cancellation::default(), Cancellation::default());
        let done = outer.run(|| {
            inner.abandon();
            assert_eq!(inner.run(|| ()), Err(Cancelled::Abandoned));
            check();
            outer.abandon();
            assert!(is_cancelled());
            Cancellation::default().run(check)
        });
        assert_eq!(done, Ok(Ok(())));
        check();
        assert!(!is_cancelled());
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let panic =
            catch_unwind(|| Cancellation::default().run(|| resume_unwind(Box::new("a defect"))).map(drop::<()>));
        assert_eq!(panic.expect_err("it goes on").downcast_ref(), Some(&"a defect"));
        check();
    }
}
