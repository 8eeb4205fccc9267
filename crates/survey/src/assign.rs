//! Deals arms, orders and rows to all twins of a run at its start. The result depends on the plan, the seed and the
//! frozen list of twins only, not on answers or crashes.
//!
//! A node is dealt among the twins that can reach it. A node in an arm, or in a branch whose condition is known at the
//! start, is balanced among the twins there. A node behind a condition on answers is dealt to every twin.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::condition::Known;
use super::deck::Deck;
use super::flow::Order;
use super::outline::{Deal, Outline};
use super::plan::{BlockStep, LoopStep, Plan, RandomStep, Step};
use super::twin::Twin;
use super::williams;
use random::{generator, shuffle_around};

/// The arms, orders and rows that are dealt to one twin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Assignment {
    /// Fields whose values are known at the start, whatever the twin will answer.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
    /// The arms of each random node, in the order shown. The twins of a run share the names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub arms: BTreeMap<Arc<str>, Vec<Arc<str>>>,
    /// The questions of each block with a drawn order, as 1-based positions in the order asked.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub orders: BTreeMap<String, Vec<u16>>,
    /// The rows of each loop's table, 1-based, one for each turn.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rows: BTreeMap<String, Vec<u32>>,
}

/// Arms that are given instead of dealt, by random node.
pub type GivenArms = BTreeMap<String, String>;

/// Maximum number of combinations of arms. A study has at most 60 runs.
const MAX_CELLS: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssignmentRefusal {
    #[error("two options or rows of the question {question:?} read {text:?} for persona {persona_id}")]
    EqualOptions { persona_id: i32, question: String, text: String },
    #[error("the design has more than {MAX_CELLS} combinations of arms")]
    TooManyCells,
}

/// Deals an assignment to each twin. The order of the twins is the order of dealing.
pub fn assign(plan: &Plan, seed: i64, twins: &[Twin]) -> Result<Vec<Assignment>, AssignmentRefusal> {
    assign_cell(plan, seed, twins, &GivenArms::new())
}

/// Like [`assign`], but puts every twin into the arms of `cell`.
pub fn assign_cell(
    plan: &Plan,
    seed: i64,
    twins: &[Twin],
    cell: &GivenArms,
) -> Result<Vec<Assignment>, AssignmentRefusal> {
    Ok(deal_cell(plan, seed, twins, cell)?.into_iter().map(|(assignment, _)| assignment).collect())
}

/// Like [`assign_cell`], but also returns the number of requests that each assignment can reach.
pub fn deal_cell(
    plan: &Plan,
    seed: i64,
    twins: &[Twin],
    cell: &GivenArms,
) -> Result<Vec<(Assignment, usize)>, AssignmentRefusal> {
    let mut decks = Decks { seed, decks: HashMap::new() };
    twins
        .iter()
        .map(|twin| {
            let dealer = Dealer { decks: &mut decks, twin, cell, dealt: Assignment::default() };
            let outline = Outline::traverse(plan, Some(twin), dealer);
            if let Some((item, text)) = outline.equal_options {
                let question = plan.items.get(item).map_or_else(String::new, |item| item.name().to_owned());
                return Err(AssignmentRefusal::EqualOptions { persona_id: twin.id, question, text });
            }
            let requests = outline.requests().count();
            let mut assignment = outline.deal.dealt;
            for (name, known) in outline.fields {
                if let Known::Given(given) = known
                    && !assignment.arms.contains_key(name)
                {
                    assignment.fields.insert(name.to_owned(), given.display());
                }
            }
            Ok((assignment, requests))
        })
        .collect()
}

/// Returns every combination of arms of the nodes that deal one arm.
pub fn combinations(plan: &Plan) -> Result<Vec<GivenArms>, AssignmentRefusal> {
    of_steps(&plan.steps)
}

fn of_steps(steps: &[Step]) -> Result<Vec<GivenArms>, AssignmentRefusal> {
    let mut cells = vec![GivenArms::new()];
    for step in steps {
        let of_step = match step {
            Step::Random(random) if random.take == 1 => {
                let mut of_arms = Vec::new();
                for arm in &random.arms {
                    let inside = of_steps(&arm.steps)?;
                    of_arms.extend(inside.into_iter().map(|mut cell| {
                        cell.insert(random.name.to_string(), arm.name.to_string());
                        cell
                    }));
                }
                of_arms
            }
            Step::Random(random) => product(random.arms.iter().map(|arm| of_steps(&arm.steps)))?,
            Step::If(branch) => product([&branch.then, &branch.otherwise].into_iter().map(|steps| of_steps(steps)))?,
            Step::Loop(turns) => product(turns.flow.iter().map(|steps| of_steps(steps)))?,
            Step::Block(_) | Step::Set(_) | Step::End(_) => continue,
        };
        cells = product([Ok(cells), Ok(of_step)].into_iter())?;
    }
    Ok(cells)
}

fn product(
    lists: impl Iterator<Item = Result<Vec<GivenArms>, AssignmentRefusal>>,
) -> Result<Vec<GivenArms>, AssignmentRefusal> {
    let mut cells = vec![GivenArms::new()];
    for list in lists {
        let list = list?;
        if cells.len().saturating_mul(list.len()) > MAX_CELLS {
            return Err(AssignmentRefusal::TooManyCells);
        }
        let both = |cell: &GivenArms, other: &GivenArms| {
            cell.iter().chain(other).map(|(k, v)| (k.clone(), v.clone())).collect()
        };
        cells = cells.iter().flat_map(|cell| list.iter().map(move |other| both(cell, other))).collect();
    }
    Ok(cells)
}

/// The decks of a run: one for each node, stratum and kind of thing that is dealt.
struct Decks<'p> {
    seed: i64,
    /// Decks by the kind of thing that is dealt and its node, then by stratum.
    decks: HashMap<(&'static str, &'p str), HashMap<String, Deck>>,
}

impl<'p> Decks<'p> {
    /// Draws from the deck of a node and stratum. Calls `weights` and copies `stratum` for a new deck only, because
    /// every twin draws at every node.
    fn draw(
        &mut self,
        what: &'static str,
        node: &'p str,
        stratum: &str,
        weights: impl FnOnce() -> Vec<u32>,
        take: usize,
    ) -> Vec<usize> {
        let decks = self.decks.entry((what, node)).or_default();
        if let Some(deck) = decks.get_mut(stratum) {
            return deck.draw(take);
        }
        let deck = Deck::new(self.seed, format!("{what} of {node}"), stratum.to_owned(), &weights());
        decks.entry(stratum.to_owned()).or_insert(deck).draw(take)
    }

    /// Returns the items in the order of the next row of their Williams square.
    fn latin(&mut self, node: &'p str, stratum: &str, items: &[usize]) -> Vec<usize> {
        let rows = || vec![1; williams::rows(items.len())];
        let drawn = self.draw("square", node, stratum, rows, 1);
        let row = drawn.first().map_or_else(Vec::new, |row| williams::row(items.len(), *row));
        row.iter().filter_map(|place| items.get(*place).copied()).collect()
    }
}

struct Dealer<'d, 'p> {
    decks: &'d mut Decks<'p>,
    twin: &'d Twin,
    cell: &'d GivenArms,
    dealt: Assignment,
}

impl<'p> Deal<'p> for Dealer<'_, 'p> {
    fn arms(&mut self, step: &'p RandomStep) -> Option<Vec<usize>> {
        let given = self.cell.get(&*step.name).and_then(|name| step.arms.iter().position(|arm| *arm.name == **name));
        let hand = match given {
            Some(arm) => vec![arm],
            None => {
                let stratum = stratum(self.twin, &step.strata);
                let is_all = step.take >= step.arms.len();
                let weights = || step.arms.iter().map(|arm| if is_all { 1 } else { arm.weight }).collect();
                let mut hand = self.decks.draw("arms", &step.name, &stratum, weights, step.take);
                if step.order != Order::Random {
                    hand.sort_unstable();
                }
                if step.order == Order::Latin {
                    hand = self.decks.latin(&step.name, &stratum, &hand);
                }
                hand
            }
        };
        let names = hand.iter().filter_map(|arm| step.arms.get(*arm)).map(|arm| Arc::clone(&arm.name)).collect();
        self.dealt.arms.insert(Arc::clone(&step.name), names);
        Some(hand)
    }

    fn rows(&mut self, step: &'p LoopStep, rows: usize) -> Option<Vec<usize>> {
        let mut hand = self.decks.draw("rows", &step.turns, "", || vec![1; rows], step.flow.len());
        if step.order != Order::Random {
            hand.sort_unstable();
        }
        if step.order == Order::Latin {
            hand = self.decks.latin(&step.turns, "", &hand);
        }
        let numbers = hand.iter().map(|row| u32::try_from(row + 1).unwrap_or(u32::MAX)).collect();
        self.dealt.rows.insert(step.turns.clone(), numbers);
        Some(hand)
    }

    fn block(&mut self, step: &'p BlockStep) {
        if step.order == Order::Fixed || self.dealt.orders.contains_key(&*step.name) {
            return;
        }
        let mut places: Vec<usize> = (0..step.questions.len()).collect();
        let is_pinned = |place: usize| step.pins.get(place).copied().unwrap_or(false);
        if step.order == Order::Random {
            let parts = [b"order".as_slice(), step.name.as_bytes(), &self.twin.id.to_be_bytes()];
            shuffle_around(&mut places, is_pinned, &mut generator(self.decks.seed, &parts));
        } else {
            let free: Vec<usize> = places.iter().copied().filter(|place| !is_pinned(*place)).collect();
            let mut shown = self.decks.latin(&step.name, "", &free).into_iter();
            places = places
                .iter()
                .map(|place| if is_pinned(*place) { *place } else { shown.next().unwrap_or(*place) })
                .collect();
        }
        let order = places.iter().map(|place| u16::try_from(place + 1).unwrap_or(u16::MAX)).collect();
        self.dealt.orders.insert(step.name.to_string(), order);
    }
}

fn stratum(twin: &Twin, strata: &[String]) -> String {
    let values = strata.iter().map(|attribute| twin.attributes.get(attribute).map_or("", String::as_str));
    values.collect::<Vec<_>>().join("\u{1f}")
}
