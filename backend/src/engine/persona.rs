//! The persona actor: one twin's interview in one run. It lives as long as the interview and then says how it ended.

use std::panic::AssertUnwindSafe;

use actix::prelude::*;
use futures_util::FutureExt;

use super::interview::{Halt, Interview};
use super::supervisor::Over;

pub struct PersonaActor;

impl PersonaActor {
    /// Starts one that holds the interview. The future is all that it keeps: there are thousands.
    pub fn begin(interview: Interview, supervisor: Recipient<Over>) {
        let (persona_id, lease) = (interview.persona_id, interview.lease);
        // A panic in prompt, model or answer code is this interview's, not the engine's. Combined rather than awaited
        // in a block of its own: a block would hold the interview twice.
        let hold = AssertUnwindSafe(interview.hold()).catch_unwind().then(async move |ending| {
            let ending = ending.unwrap_or_else(|_| Err(Halt::Crashed("the interview panicked".into())));
            let _ = supervisor.send(Over { persona_id, lease, ending }).await;
        });
        Self::create(|ctx| {
            ctx.spawn(hold.into_actor(&Self).map(|(), _, ctx| ctx.stop()));
            Self
        });
    }
}

impl Actor for PersonaActor {
    type Context = Context<Self>;
}
