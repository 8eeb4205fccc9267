//! The choice of the personas that a run asks.

use std::collections::{BTreeMap, HashSet};

use diesel_async::AsyncPgConnection;
use simulation::parameters::Parameters;

use super::SimulationRefusal;
use crate::models::personas;

/// The personas to ask.
#[derive(Clone, Debug)]
pub enum PersonaChoice {
    /// A random sample of this size, drawn by the run's seed.
    Random(i32),
    /// These personas, in this order; repeated ids count once.
    Ids(Vec<i32>),
    /// A number of personas of each kind, drawn by the run's seed without repetition.
    Quotas(Vec<PersonaQuota>),
}

/// A number of personas with these attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonaQuota {
    /// Wanted values by label; a persona has one of them.
    pub attributes: BTreeMap<String, Vec<String>>,
    pub count: i32,
}

/// Returns the current set, protected until the transaction ends, and the personas that the run asks.
pub(super) async fn hold_and_choose(
    conn: &mut AsyncPgConnection,
    choice: &PersonaChoice,
    parameters: &Parameters,
) -> Result<(i32, Vec<i32>), SimulationRefusal> {
    let set = personas::hold_current_set(conn).await?.ok_or(SimulationRefusal::NoPersonas)?;
    Ok((set.id, choose(conn, set.id, choice, parameters).await?))
}

/// Draws the personas of all quotas, one quota after the other. Fails if the set cannot fill one of them.
async fn fill(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    quotas: &[PersonaQuota],
    seed: i64,
) -> Result<Vec<i32>, SimulationRefusal> {
    let mut chosen: Vec<i32> = Vec::new();
    for (place, PersonaQuota { attributes, count }) in quotas.iter().enumerate() {
        let drawn = personas::choose_among(conn, set_id, attributes, &chosen, *count, seed).await?;
        if i64::try_from(drawn.len()) != Ok(i64::from(*count)) || drawn.is_empty() {
            let of = attributes.iter().map(|(label, value)| format!("{label} {}", value.join(" or ")));
            let of = of.collect::<Vec<_>>().join(", ");
            return Err(SimulationRefusal::Quota { place, of, count: *count, there: drawn.len() });
        }
        chosen.extend(drawn);
    }
    Ok(chosen)
}

/// Draws the run's personas from a set.
pub(super) async fn choose(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    choice: &PersonaChoice,
    parameters: &Parameters,
) -> Result<Vec<i32>, SimulationRefusal> {
    let total = personas::count(conn, set_id).await?;
    if total == 0 {
        return Err(SimulationRefusal::NoPersonas);
    }
    let ids = match choice {
        PersonaChoice::Random(count) if i64::from(*count) < 1 || i64::from(*count) > total => {
            return Err(SimulationRefusal::PersonaCount { total });
        }
        PersonaChoice::Random(count) => personas::choose(conn, set_id, *count, parameters.seed).await?,
        PersonaChoice::Quotas(quotas) => fill(conn, set_id, quotas, parameters.seed).await?,
        PersonaChoice::Ids(ids) => {
            let mut seen = HashSet::new();
            let ids: Vec<i32> = ids.iter().copied().filter(|id| seen.insert(*id)).collect();
            if ids.is_empty() {
                return Err(SimulationRefusal::PersonaCount { total });
            }
            if let Some(id) = personas::first_unknown(conn, set_id, &ids).await? {
                let last = personas::last_id(conn, set_id).await?;
                return Err(match (1..=last).contains(&id) {
                    true => SimulationRefusal::DeletedPersona { id },
                    false => SimulationRefusal::UnknownPersona { id, last },
                });
            }
            ids
        }
    };
    let variant = parameters.persona_variant;
    if let Some(id) = personas::first_without_text(conn, set_id, &ids, variant).await? {
        return Err(SimulationRefusal::NoText { id, variant: variant.name() });
    }
    Ok(ids)
}
