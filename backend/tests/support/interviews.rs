//! Interviews that a test claims and reports by itself, without an engine.

use diesel_async::AsyncPgConnection;
use simulation::row::Simulation;
use twinlab::engine::Timings;
use twinlab::models::queue::Lease;
use twinlab::models::settlement::{CallUsage, InterviewReport, NewFailure};
use twinlab::models::simulations::claims::{Claimed, NewClaim};
use twinlab::models::simulations::plans;
use uuid::Uuid;

/// Claims interviews like a worker that read the run's row when it was `read`.
pub async fn claim(connection: &mut AsyncPgConnection, read: &Simulation, quantity: usize) -> Vec<Claimed> {
    let (parameters, snapshot) = (read.parameters().expect("parameters"), read.snapshot().expect("a snapshot"));
    let plan = plans::compiled(&read.survey_hash, &snapshot).await.expect("a design that compiles");
    let claim = NewClaim {
        simulation_id: read.id,
        persona_set_id: read.persona_set_id,
        parameters: &parameters,
        questions: &snapshot.questions,
        plan: plan.as_deref(),
        quantity,
        lease: Timings::default().interview_lease,
        process: Uuid::nil(),
        after: None,
    };
    claim.claim(connection).await.expect("the database answers")
}

/// A report of one call with no outcome yet.
pub fn report(persona_id: i32, lease: Lease) -> InterviewReport {
    InterviewReport {
        persona_id,
        lease,
        answers: Vec::new(),
        failures: Vec::new(),
        not_shown: Vec::new(),
        usage: CallUsage { calls: 1, ..CallUsage::default() },
        left_out: Vec::new(),
        prompts: Vec::new(),
        replies: Vec::new(),
        finished: false,
        call_change: Default::default(),
    }
}

pub fn failure(question_id: i64) -> NewFailure {
    NewFailure { question_id, code: "refused", message: "no".into(), detail: None, attempts: 1 }
}
