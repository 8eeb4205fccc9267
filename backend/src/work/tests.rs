use std::sync::mpsc::{self, Receiver, Sender};

use futures_util::poll;

use super::*;

fn admit(permits: &WorkPermits, user_id: i64, work: Work) -> Admission {
    permits.admit(user_id, work).expect("there is room")
}

#[test]
fn a_user_has_two_uploads_at_once_and_nothing_is_kept_of_those_that_ended() {
    let permits = WorkPermits::default();
    let (first, second) = (admit(&permits, 1, Work::Picture), admit(&permits, 1, Work::PersonaImport));
    assert!(permits.admit(1, Work::PeopleUpload).is_none());
    admit(&permits, 2, Work::Picture);
    admit(&permits, 1, Work::Comparison);
    drop(first);
    admit(&permits, 1, Work::PeopleUpload);
    drop(second);
    assert!(permits.lanes().is_empty());
}

#[test]
fn a_user_has_twelve_others_at_once_in_each_lane() {
    let permits = WorkPermits::default();
    let held: Vec<_> = (0..12).map(|_| admit(&permits, 1, Work::Sample)).collect();
    assert!(permits.admit(1, Work::Comparison).is_none());
    admit(&permits, 1, Work::Design);
    admit(&permits, 2, Work::Comparison);
    drop(held);
    admit(&permits, 1, Work::Comparison);
}

#[tokio::test]
async fn one_user_leaves_a_place_to_others_and_users_take_turns() {
    let permits = WorkPermits::default();
    let start = |user_id| Box::pin(admit(&permits, user_id, Work::Comparison).start());
    let first = start(1).await;
    let (mut second, mut third) = (start(1), start(1));
    assert!(poll!(&mut second).is_pending() && poll!(&mut third).is_pending());
    let of_other = start(2).await;
    let mut next_of_other = start(2);
    let mut late = start(3);
    assert!(poll!(&mut next_of_other).is_pending() && poll!(&mut late).is_pending());
    assert_eq!(permits.running(), 2);
    drop(first);
    let late = late.await;
    assert!(poll!(&mut second).is_pending(), "its user had a turn already");
    drop(late);
    let second = second.await;
    assert!(poll!(&mut next_of_other).is_pending(), "its user has one under way");
    drop(of_other);
    let next_of_other = next_of_other.await;
    drop((second, next_of_other));
    third.await;
    assert!(permits.lanes().is_empty());
}

#[tokio::test]
async fn who_gives_up_waiting_takes_no_turn() {
    let permits = WorkPermits::default();
    let start = || Box::pin(admit(&permits, 1, Work::Comparison).start());
    let first = start().await;
    let (mut left, mut given, mut last) = (start(), start(), start());
    assert!(poll!(&mut left).is_pending() && poll!(&mut given).is_pending() && poll!(&mut last).is_pending());
    drop(left);
    drop(first);
    // It gets its turn, and is dropped before it notices.
    drop(given);
    drop(last.await);
    assert!(permits.lanes().is_empty());
}

/// Work that runs until it is cancelled, and then until the test releases it.
fn stubborn(begun: Sender<()>, let_go: Receiver<()>) -> impl FnOnce() + Send + 'static {
    struct UntilLetGo(Receiver<()>);
    impl Drop for UntilLetGo {
        fn drop(&mut self) {
            self.0.recv().expect("the test lets it go");
        }
    }
    move || {
        let _held = UntilLetGo(let_go);
        begun.send(()).expect("the test waits");
        loop {
            cancellation::check();
        }
    }
}

#[tokio::test]
async fn work_whose_caller_has_gone_ends_and_holds_its_permit_until_then() {
    let permits = WorkPermits::default();
    let permit = admit(&permits, 1, Work::Comparison).start().await;
    let ((begun, begins), (end, let_go)) = (mpsc::channel(), mpsc::channel());
    let mut call = Box::pin(async move { permit.blocking(stubborn(begun, let_go)).await });
    assert!(poll!(&mut call).is_pending());
    begins.recv().expect("it begins");
    drop(call);
    let mut next = Box::pin(admit(&permits, 1, Work::Comparison).start());
    assert!(poll!(&mut next).is_pending(), "the work has not ended");
    end.send(()).expect("it waits for this");
    next.await;
}

#[tokio::test]
async fn work_that_is_overdue_is_given_up_with_all_its_parts() {
    let permits = WorkPermits::default();
    let permit = admit(&permits, 1, Work::Comparison).start().await;
    let cancellation = Cancellation::with_deadline(Instant::now());
    let overdue = WorkPermit(Arc::new(UnderWay { admission: admit(&permits, 1, Work::Design), cancellation }));
    let endless = || loop {
        cancellation::check();
    };
    let ended = overdue.blocking(endless).await.map(|(): ()| ());
    assert!(matches!(ended, Err(WorkError::Cancelled(Cancelled::Overdue))), "{ended:?}");
    let waits = overdue.scope(std::future::pending::<Result<(), WorkError>>()).await;
    assert!(matches!(waits, Err(WorkError::Cancelled(Cancelled::Overdue))), "{waits:?}");
    let parts = permit.scope(async { Ok::<_, WorkError>((blocking(|| 1).await?, blocking(|| 2).await?)) }).await;
    assert_eq!(parts.expect("it has time"), (1, 2));
}
