//! The part of a start that concerns a design: its plan, the questions of loops, and the personas' assignments.

use std::collections::{BTreeSet, HashMap};

use diesel_async::AsyncPgConnection;
use simulation::parameters::{Memory, Parameters};
use simulation::snapshot::Snapshot;
use survey::assign::{Assignment, GivenArms, deal_cell};
use survey::finding::Finding;
use survey::item::Item;
use survey::plan::Plan;
use survey::twin::Twin;
use survey::walk::reachable;

use super::SimulationRefusal;
use crate::error::Error;
use crate::models::assignments::{self, TwinAssignment};
use crate::work::blocking;

/// Assigns the personas in this order, and makes the run's questions of the survey's. `None`: a plain survey.
pub(super) async fn deal(
    conn: &mut AsyncPgConnection,
    snapshot: &mut Snapshot,
    parameters: &mut Parameters,
    set_id: i32,
    persona_ids: &[i32],
) -> Result<Option<Vec<TwinAssignment>>, SimulationRefusal> {
    let (seed, arms) = (parameters.seed, parameters.arms());
    let Some((dealt, plan)) = dealt(conn, snapshot, seed, arms, set_id, persona_ids).await? else { return Ok(None) };
    parameters.memory.get_or_insert(if plan.reads_answers() { Memory::Transcript } else { Memory::None });
    let turns = plan.items.iter().filter(|item| item.question.id == 0).count();
    let mut ids = assignments::new_question_ids(conn, turns).await?.into_iter();
    snapshot.questions = (1..)
        .zip(plan.items)
        .map(|(order, item)| {
            let id = if item.question.id == 0 { ids.next().unwrap_or_default() } else { item.question.id };
            survey::question::Question::from(item).at(id, order)
        })
        .collect();
    Ok(Some(dealt))
}

/// Computes the assignments and the plan that they follow. Writes nothing. `None`: a plain survey.
pub(super) async fn dealt(
    conn: &mut AsyncPgConnection,
    snapshot: &Snapshot,
    seed: i64,
    arms: GivenArms,
    set_id: i32,
    persona_ids: &[i32],
) -> Result<Option<(Vec<TwinAssignment>, Plan)>, SimulationRefusal> {
    let Some(design) = snapshot.design.clone() else { return Ok(None) };
    let items: Vec<Item> = snapshot.questions.iter().cloned().map(Item::from).collect();
    let known = assignments::twins(conn, set_id, Some(persona_ids)).await?;
    let mut known: HashMap<i32, Twin> = known.into_iter().map(|twin| (twin.id, twin)).collect();
    let twins: Vec<Twin> = persona_ids.iter().filter_map(|id| known.remove(id)).collect();
    // A design with many nodes and personas takes some time, during which this thread has to serve others.
    let dealing = blocking(move || -> Result<_, SimulationRefusal> {
        let labels: BTreeSet<&String> = twins.iter().flat_map(|twin| twin.attributes.keys()).collect();
        let labels: BTreeSet<String> = labels.into_iter().cloned().collect();
        let plan = Plan::for_twins(&design, &items, &labels).map_err(|findings| refused(&findings))?;
        let assigned =
            deal_cell(&plan, seed, &twins, &arms).map_err(|refusal| SimulationRefusal::Design(refusal.to_string()))?;
        let dealt = twins.into_iter().zip(assigned);
        let dealt = dealt.map(|(twin, (assignment, requests))| {
            let requests = requests as i32;
            TwinAssignment { twin, assignment, requests }
        });
        Ok((dealt.collect::<Vec<_>>(), plan))
    });
    let (dealt, plan) = dealing.await.map_err(|error| SimulationRefusal::Design(Error::from(error).to_string()))??;
    if dealt.iter().all(|dealt| dealt.requests == 0) {
        return Err(SimulationRefusal::NoQuestions);
    }
    Ok(Some((dealt, plan)))
}

/// Takes the assignments of another run, with the questions that they reach. Fails for personas without a known
/// assignment.
pub(super) async fn again(
    conn: &mut AsyncPgConnection,
    plan: &Plan,
    set_id: i32,
    persona_ids: &[i32],
    mut given: HashMap<i32, Assignment>,
) -> Result<Vec<TwinAssignment>, SimulationRefusal> {
    let dealt = |twin: Twin| {
        let unknown = || SimulationRefusal::Design(format!("nobody knows what twin {} was dealt", twin.id));
        let assignment = given.remove(&twin.id).ok_or_else(unknown)?;
        let requests = reachable(plan, &twin, &assignment).len() as i32;
        Ok(TwinAssignment { twin, assignment, requests })
    };
    assignments::twins(conn, set_id, Some(persona_ids)).await?.into_iter().map(dealt).collect()
}

fn refused(findings: &[Finding]) -> SimulationRefusal {
    let first = findings.iter().find(|finding| finding.is_error()).or(findings.first());
    SimulationRefusal::Design(
        first.map_or_else(String::new, |finding| format!("{}: {}", finding.pointer, finding.message)),
    )
}
