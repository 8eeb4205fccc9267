//! The persona actor: one twin's interview in one run. It lives as long as the interview and then says how it ended.

use std::cell::Cell;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;

use actix::prelude::*;
use futures_util::FutureExt;

use super::interview::{Halt, Interview};
use super::supervisor::Over;

/// Somebody else has the interview now: no further call.
#[derive(Message)]
#[rtype(result = "()")]
pub struct LoseLease;

pub struct PersonaActor {
    interview: Option<Interview>,
    lease_lost: Rc<Cell<bool>>,
    supervisor: Recipient<Over>,
}

impl PersonaActor {
    pub fn new(interview: Interview, lease_lost: Rc<Cell<bool>>, supervisor: Recipient<Over>) -> Self {
        Self { interview: Some(interview), lease_lost, supervisor }
    }
}

impl Actor for PersonaActor {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Self::Context) {
        let Some(interview) = self.interview.take() else { return ctx.stop() };
        let (persona_id, lease) = (interview.persona_id, interview.lease);
        let supervisor = self.supervisor.clone();
        // A panic in prompt, model or answer code is this interview's, not the engine's. Combined rather than awaited
        // in a block of its own: a block would hold the interview twice, thousands of times.
        let hold = AssertUnwindSafe(interview.hold()).catch_unwind().then(async move |ending| {
            let ending = ending.unwrap_or_else(|_| Err(Halt::Crashed("the interview panicked".into())));
            let _ = supervisor.send(Over { persona_id, lease, ending }).await;
        });
        ctx.spawn(hold.into_actor(self).map(|(), _, ctx| ctx.stop()));
    }
}

impl Handler<LoseLease> for PersonaActor {
    type Result = ();

    fn handle(&mut self, _: LoseLease, _: &mut Self::Context) {
        self.lease_lost.set(true);
    }
}
