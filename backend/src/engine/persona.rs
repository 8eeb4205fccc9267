//! The persona actor: one interview. It lives as long as the interview and then reports how that ended.

use std::panic::AssertUnwindSafe;

use actix::prelude::*;
use futures_util::FutureExt;

use super::interview::Interview;
use super::messages::{Interrupted, InterviewEnded};

pub struct PersonaActor;

impl PersonaActor {
    /// Starts an actor that conducts the interview. The future is all that it keeps: there are thousands of them.
    pub fn begin(interview: Interview, supervisor: Recipient<InterviewEnded>) {
        let (persona_id, lease) = (interview.claimed.persona_id, interview.claimed.lease);
        // A panic in prompt, model or answer code ends this interview, not the engine. A combinator instead of an async
        // block, because a block would store the interview's future twice.
        let conduct = AssertUnwindSafe(interview.conduct()).catch_unwind().then(async move |result| {
            let result = result.unwrap_or_else(|_| Err(Interrupted::Crashed("the interview panicked".into())));
            let _ = supervisor.send(InterviewEnded { persona_id, lease, result }).await;
        });
        Self::create(|ctx| {
            ctx.spawn(conduct.into_actor(&Self).map(|(), _, ctx| ctx.stop()));
            Self
        });
    }
}

impl Actor for PersonaActor {
    type Context = Context<Self>;
}
