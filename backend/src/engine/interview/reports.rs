//! The reports of an interview to the budget actor, of which at most one is not booked yet.

use actix::prelude::*;
use tokio::sync::oneshot;

use crate::engine::messages::{Interrupted, Settle, Unsettled};
use crate::models::settlement::{Booked, InterviewReport};

#[derive(Default)]
pub struct Reports {
    /// The reply to the report that is being booked.
    booking: Option<oneshot::Receiver<Result<Booked, Unsettled>>>,
}

impl Reports {
    /// Sends a report and does not wait until it is booked. Waits until the one before is.
    pub async fn send(
        &mut self,
        budget: &Recipient<Settle>,
        run: i64,
        report: InterviewReport,
    ) -> Result<(), Interrupted> {
        self.booked().await?;
        let (reply, booked) = oneshot::channel();
        budget.do_send(Settle { run, report, reply });
        self.booking = Some(booked);
        Ok(())
    }

    /// Waits until the last report is committed.
    pub async fn booked(&mut self) -> Result<(), Interrupted> {
        let Some(booking) = self.booking.take() else { return Ok(()) };
        let booked = booking.await.map_err(|_| Interrupted::crashed("the budget actor stopped"))?;
        match booked.map_err(Interrupted::crashed)? {
            Booked::Stored => Ok(()),
            Booked::LeaseLost => Err(Interrupted::LeaseLost),
            Booked::RunFinished => Err(Interrupted::RunFinished),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::poll;

    use super::*;
    use crate::models::queue::Lease;
    use crate::models::settlement::{CallChange, CallUsage};

    /// Keeps the reports that it gets.
    #[derive(Default)]
    struct Spy(Vec<Settle>);

    /// Takes the reports that the spy has kept.
    #[derive(Message)]
    #[rtype(result = "Vec<oneshot::Sender<Result<Booked, Unsettled>>>")]
    struct TakeReplies;

    impl Actor for Spy {
        type Context = Context<Self>;
    }

    impl Handler<Settle> for Spy {
        type Result = ();

        fn handle(&mut self, settle: Settle, _: &mut Self::Context) {
            self.0.push(settle);
        }
    }

    impl Handler<TakeReplies> for Spy {
        type Result = Vec<oneshot::Sender<Result<Booked, Unsettled>>>;

        fn handle(&mut self, _: TakeReplies, _: &mut Self::Context) -> Self::Result {
            self.0.drain(..).map(|settle| settle.reply).collect()
        }
    }

    fn report() -> InterviewReport {
        InterviewReport {
            persona_id: 1,
            lease: Lease { msg_id: 1, read_ct: 1 },
            answers: Vec::new(),
            failures: Vec::new(),
            not_shown: Vec::new(),
            usage: CallUsage::default(),
            left_out: Vec::new(),
            prompts: Vec::new(),
            replies: Vec::new(),
            finished: false,
            call_change: CallChange::Keep,
        }
    }

    #[actix::test]
    async fn a_report_waits_until_the_one_before_is_booked() {
        let spy = Spy::default().start();
        let (budget, mut reports) = (spy.clone().recipient(), Reports::default());
        reports.send(&budget, 7, report()).await.expect("nothing to wait for");
        let mut second = Box::pin(reports.send(&budget, 7, report()));
        assert!(poll!(&mut second).is_pending());
        let first = spy.send(TakeReplies).await.expect("a live spy").remove(0);
        first.send(Ok(Booked::Stored)).expect("somebody waits");
        second.await.expect("the first is booked");
        let second = spy.send(TakeReplies).await.expect("a live spy").remove(0);
        second.send(Ok(Booked::RunFinished)).expect("somebody waits");
        assert!(matches!(reports.booked().await, Err(Interrupted::RunFinished)));
        assert!(matches!(reports.booked().await, Ok(())), "nothing is left to be booked");
    }
}
